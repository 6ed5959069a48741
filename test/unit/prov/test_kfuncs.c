/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's list of functions: both of its forms, slots, addresses by place and by name, names the compiler made. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "prov/kernel/kfuncs.h"
#include "sym/proc/kallsyms.h"
#include "unit.h"

static const char with_addrs[] = "ffffffff81000014 first_func\n"
				 "ffffffff81000100 __ftrace_invalid_address___17\n"
				 "ffffffff81000200 twice\n"
				 "ffffffffc0000004 mod_func [ext4]\n"
				 "ffffffff81000300 twice\n"
				 "nonsense\n"
				 "ffffffff81000400 part.isra.0\n";
static const char without[] = "first_func\ntwice\nsome\nmod_func [ext4]\ntwice\npart.isra.0\n";
static const char symbols[] = "ffffffff81000010 T first_func\n"
			      "ffffffff81000200 t twice\n"
			      "ffffffff81000300 t twice\n"
			      "ffffffff81000400 t part.isra.0\n"
			      "ffffffff81000500 t some\n"
			      "ffffffff81000600 t some\n"
			      "ffffffff81000700 D twice\n"
			      "ffffffffc0000000 t mod_func\t[ext4]\n";

static struct kfuncs parse(struct arena *a, const char *text, bool addrs)
{
	struct kfuncs k;

	assert_int_equal(kfuncs_parse(a, arena_strdup(a, text), addrs, &k), 0);
	return k;
}

static void read_symbols(struct ksyms *ks)
{
	char path[] = "/tmp/kfuncs.XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, symbols, sizeof(symbols) - 1), sizeof(symbols) - 1);
	close(fd);
	assert_int_equal(ksyms_read(ks, path, NULL), 0);
	unlink(path);
}

static void test_reasons(void **st)
{
	(void)st;
	assert_true(kfuncs_is_patching("__text_poke") && kfuncs_is_patching("__sysvec_apic_timer_interrupt"));
	assert_false(kfuncs_is_patching("vfs_write"));
	assert_true(kfuncs_matches("do_x", "do_x.isra.0") && kfuncs_matches(NULL, "a") &&
		    !kfuncs_matches("do", "do_x"));
	assert_non_null(strstr(kfuncs_why_none("f.cold", true), "jumped to"));
	assert_non_null(strstr(kfuncs_why_none("f", true), "started"));
	assert_non_null(strstr(kfuncs_why_none("f", false), "notrace"));
}

static const struct kfunc *find(const struct kfuncs *k, const char *name, unsigned which)
{
	for (size_t i = 0; i < k->n; i++)
		if (!strcmp(k->v[i].name, name) && !which--)
			return &k->v[i];
	fail_msg("no %s", name);
	return NULL;
}

static void both_forms(void **state)
{
	struct arena *a = arena_new(1 << 20);
	struct kfuncs k = parse(a, with_addrs, true);

	(void)state;
	assert_int_equal(k.n, 5);
	assert_int_equal(k.nbuiltin, 4);
	assert_string_equal(k.v[0].name, "first_func");
	assert_string_equal(k.v[4].mod, "ext4");
	assert_true(k.v[4].slot >= KFUNCS_MAX_BUILTIN && k.v[4].slot < KFUNCS_MAX_SLOTS);
	for (size_t i = 0; i < k.n; i++)
		assert_ptr_equal(kfuncs_by_slot(&k, k.v[i].slot), &k.v[i]);
	assert_null(kfuncs_by_slot(&k, 4));
	k = parse(a, without, false);
	assert_int_equal(k.n, 6);
	assert_int_equal(k.nbuiltin, 5);
	k = parse(a, "", true);
	assert_int_equal(k.n, 0);
	assert_null(kfuncs_by_slot(&k, 0));
	arena_free(a);
}

/* A function's start lies before the place that is patched. If the list has a name less often than there are functions
 * with it, it is not known which of them is meant. */
static void addresses(void **state)
{
	struct arena *a = arena_new(1 << 20);
	struct kfuncs k = parse(a, with_addrs, true);
	struct ksyms ks;

	(void)state;
	read_symbols(&ks);
	kfuncs_locate_in(&k, &ks);
	assert_true(find(&k, "first_func", 0)->addr == 0xffffffff81000010);
	assert_true(find(&k, "twice", 1)->addr == 0xffffffff81000300);
	assert_true(find(&k, "mod_func", 0)->addr == 0xffffffffc0000000);
	k = parse(a, without, false);
	kfuncs_locate_in(&k, &ks);
	assert_true(find(&k, "first_func", 0)->addr == 0xffffffff81000010);
	assert_true(find(&k, "twice", 0)->addr == 0xffffffff81000200);
	assert_true(find(&k, "twice", 1)->addr == 0xffffffff81000300);
	assert_true(find(&k, "part.isra.0", 0)->addr == 0xffffffff81000400);
	assert_true(find(&k, "mod_func", 0)->addr == 0xffffffffc0000000);
	assert_true(find(&k, "some", 0)->addr == 0);
	ksyms_free(&ks);
	arena_free(a);
}

static void names(void **state)
{
	(void)state;
	assert_int_equal(kfuncs_stem("vfs_read"), 8);
	assert_int_equal(kfuncs_stem("foo.isra.0"), 3);
	assert_int_equal(kfuncs_stem("foo.part.0.constprop.0"), 3);
	assert_int_equal(kfuncs_stem("foo.cold"), 3);
	assert_int_equal(kfuncs_stem("foo.llvm.123"), 3);
	assert_int_equal(kfuncs_stem("a.b"), 3);
	assert_true(kfuncs_is_machinery("bpf_get_current_comm"));
	assert_true(kfuncs_is_machinery("__rcu_read_lock"));
	assert_true(kfuncs_is_machinery("trace_call_bpf"));
	assert_false(kfuncs_is_machinery("trace_call_bpf2"));
	assert_false(kfuncs_is_machinery("vfs_read"));
	assert_false(kfuncs_is_machinery("bp"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reasons),
		cmocka_unit_test(both_forms),
		cmocka_unit_test(addresses),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
