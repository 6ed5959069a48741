/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel symbols: the table's rules on small files, and the running kernel's own list. */
#include "../unit.h"
#include <fcntl.h>
#include <inttypes.h>
#include <time.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "sym/proc/kallsyms.h"
#include "sym/sym.h"

static int read_text(struct ksyms *ks, const char *text, struct err *err)
{
	char path[] = "/tmp/dwell-ksyms-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	int r = ksyms_read(ks, path, err);

	unlink(path);
	return r;
}

static const char table[] = "ffffffff81000000 T _stext\n"
			    "ffffffff81000000 t first\n"
			    "ffffffff81000100 t __do_sys_read\n"
			    "ffffffff81000100 T __x64_sys_read\n"
			    "ffffffff81000200 t plain\n"
			    "ffffffff81000200 W __plain\n"
			    "ffffffff81000200 T exported_plain\n"
			    "ffffffff81000300 t work.cold\n"
			    "ffffffff81000400 T _etext\n"
			    "ffffffff81002000 D jiffies\n"
			    "ffffffffc0002000 t late\t[zmod]\n"
			    "ffffffffc0001000 t mod_init\t[amod]\n"
			    "ffffffffc0001080 d same\t[amod]\n"
			    "garbage line\n"
			    "ffffffff81003000 B same\n"
			    "ffffffff81004000 B _end\n";

static void names_are_chosen(void **state)
{
	static const struct {
		uint64_t addr;
		const char *module, *name; /* NULL: no symbol */
	} want[] = {
		{ 0xffffffff80ffffff, NULL, NULL },
		{ 0, NULL, NULL },
		{ 0xffffffff81000000, "vmlinux", "first" },
		{ 0xffffffff810000ff, "vmlinux", "first" },
		{ 0xffffffff81000100, "vmlinux", "__x64_sys_read" },
		{ 0xffffffff81000210, "vmlinux", "exported_plain" },
		{ 0xffffffff81000300, "vmlinux", "work.cold" },
		{ 0xffffffff810003ff, "vmlinux", "work.cold" },
		{ 0xffffffff81002008, "vmlinux", "jiffies" },
		{ 0xffffffffc0001010, "amod", "mod_init" },
		{ 0xffffffffc0001080, "amod", "same" },
		{ 0xffffffffc0002000, "zmod", "late" },
		{ 0xffffffffc0002000 + KSYMS_LAST_SPAN - 1, "zmod", "late" },
		{ 0xffffffffc0002000 + KSYMS_LAST_SPAN, NULL, NULL },
		{ 0xffffffffb0000000, NULL, NULL },
		{ UINT64_MAX, NULL, NULL },
	};
	struct ksyms ks;

	(void)state;
	assert_int_equal(read_text(&ks, table, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		const struct ksym *k = ksyms_at(&ks, want[i].addr);

		if (!want[i].name) {
			assert_null(k);
			continue;
		}
		assert_non_null(k);
		assert_string_equal(ksyms_name(&ks, k), want[i].name);
		assert_string_equal(ksyms_module(&ks, k), want[i].module);
	}
	ksyms_free(&ks);
}

static void found_by_name(void **state)
{
	struct ksyms ks;

	(void)state;
	assert_int_equal(read_text(&ks, table, NULL), 0);
	assert_int_equal(ksyms_find(&ks, NULL, "same")->addr, 0xffffffff81003000);
	assert_int_equal(ksyms_find(&ks, "amod", "same")->addr, 0xffffffffc0001080);
	assert_int_equal(ksyms_find(&ks, NULL, "late")->addr, 0xffffffffc0002000);
	assert_int_equal(ksyms_find(&ks, "vmlinux", "_end")->addr, 0xffffffff81004000);
	assert_int_equal(ksyms_find(&ks, NULL, "__plain")->addr, 0xffffffff81000200);
	assert_null(ksyms_find(&ks, "vmlinux", "late"));
	assert_null(ksyms_find(&ks, NULL, "lat"));
	ksyms_free(&ks);
}

static void hidden_addresses_are_an_error(void **state)
{
	struct ksyms ks;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(read_text(&ks, "0000000000000000 T _stext\n0000000000000000 t x\n", &err), -EPERM);
	assert_non_null(strstr(err.msg, "kptr_restrict"));
	assert_int_equal(ks.n, 0);
	assert_null(ksyms_at(&ks, 1));
	assert_int_equal(ksyms_read(&ks, "/nonexistent/kallsyms", &err), -ENOENT);
	assert_int_equal(read_text(&ks, "", &err), -EPERM);
}

static void long_names_are_limited(void **state)
{
	_cleanup_free_ char *text = NULL;
	struct ksyms ks;
	char longest[KSYMS_MAX_NAME + 1], longer[KSYMS_MAX_NAME + 2];

	(void)state;
	memset(longest, 'a', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	memset(longer, 'b', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	assert_true(asprintf(&text, "10 t %s\n20 t %s\n", longest, longer) > 0);
	assert_int_equal(read_text(&ks, text, NULL), 0);
	assert_int_equal(ks.n, 1);
	assert_string_equal(ksyms_name(&ks, ksyms_at(&ks, 0x10)), longest);
	ksyms_free(&ks);
}

/* Symbols of programs that come and go at any time, such as those of another test. */
static bool is_transient(const char *line)
{
	return strstr(line, "\t[bpf]") || strstr(line, "\t[__builtin__");
}

/* Every lasting symbol of the live list is found at its address, under a name of that address. */
static void the_running_kernel(void **state)
{
	struct sym *s;
	struct err err = { 0 };
	struct symbol sym;
	_cleanup_fclose_ FILE *f = fopen("/proc/kallsyms", "re");
	char line[2048], name[KSYMS_MAX_NAME + 1], type;
	uint64_t addr;
	size_t n = 0;

	(void)state;
	assert_non_null(f);
	assert_int_equal(sym_new(&s, NULL), 0);
	assert_int_equal(sym_kernel_load(s, &err), 0);
	while (fgets(line, sizeof(line), f)) {
		assert_int_equal(sscanf(line, "%" SCNx64 " %c %1024s", &addr, &type, name), 3);
		if (n++ % 16 != 0 || strcmp(name, "_etext") == 0 || is_transient(line))
			continue;
		assert_true(sym_kernel(s, addr, &sym));
		assert_int_equal(sym.addr, addr);
		assert_int_equal(sym.offset, 0);
		assert_null(sym.path);
	}
	assert_true(n > 10000);
	assert_int_equal(sym_kernel_find(s, NULL, "schedule", &addr), 0);
	assert_true(sym_kernel(s, addr + 1, &sym));
	assert_string_equal(sym.name, "schedule");
	assert_string_equal(sym.module, "vmlinux");
	assert_int_equal(sym.offset, 1);
	assert_int_equal(sym_kernel_find(s, NULL, "no such symbol", &addr), -ENOENT);
	assert_int_equal(sym_kernel_find(s, "nomodule", "schedule", &addr), -ENOENT);
	assert_false(sym_kernel(s, 0x1234, &sym));
	assert_string_equal(sym.module, "");
	assert_null(sym.name);
	assert_int_equal(sym.offset, 0x1234);
	sym_free(s);
}

static bool kernel_readable(void)
{
	struct ksyms ks;
	int r = ksyms_read(&ks, "/proc/kallsyms", NULL);

	ksyms_free(&ks);
	return r == 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_chosen),
		cmocka_unit_test(found_by_name),
		cmocka_unit_test(hidden_addresses_are_an_error),
		cmocka_unit_test(long_names_are_limited),
		cmocka_unit_test(the_running_kernel),
	};

	if (!kernel_readable())
		return skip_all("kernel symbols are hidden: needs root");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
