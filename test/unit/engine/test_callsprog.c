/* SPDX-License-Identifier: Apache-2.0 */
/* The D program of `dwell calls`: clauses of the function, of its callees, of calls by a pointer. */
#include "engine/front/callsprog.h"
#include "../unit.h"

static struct callee v[] = { { "ext4", "ext4_sync_file", NULL },
			     { "vmlinux", "__fentry__", "it is patched" },
			     { "vmlinux", "filemap_write_and_wait_range", NULL } };

static struct strb text;

static int tear_down(void **state)
{
	(void)state;
	strb_free(&text);
	return 0;
}

static void make(const struct callees *c, bool kernel, bool some)
{
	strb_reset(&text);
	callsprog_text(&text, c, &(struct callsprog_want){ .kernel = kernel, .some = some });
	assert_false(text.failed);
}

static unsigned count(const char *what)
{
	unsigned n = 0;

	for (const char *p = strb_str(&text); (p = strstr(p, what)); p++)
		n++;
	return n;
}

static void expect(const char *what)
{
	if (count(what) != 1)
		fail_msg("%u times '%s' in:\n%s", count(what), what, strb_str(&text));
}

static void of_the_kernel(void **state)
{
	struct callees c = { .mod = "vmlinux", .func = "vfs_fsync", .v = v, .n = 3 };

	(void)state;
	make(&c, true, false);
	assert_int_equal(count("fbt:vmlinux:vfs_fsync:entry"), 3);
	assert_int_equal(count("fbt:vmlinux:vfs_fsync:return"), 2);
	expect("@callers[sym(caller)] = count()");
	/* all callees with probes, in one clause; nothing of the others */
	assert_int_equal(count("fbt:ext4:ext4_sync_file:entry,\nfbt:vmlinux:filemap_write_and_wait_range:entry\n"), 2);
	assert_int_equal(count("fbt:ext4:ext4_sync_file:return,\nfbt:vmlinux:filemap_write_and_wait_range:return\n"),
			 2);
	assert_int_equal(count("__fentry__"), 0);
	assert_int_equal(count("pid$target"), 0);
	assert_int_equal(count("wanted"), 0);
}

/* With a command only its processes begin: the first of the clauses that count. */
static void of_the_kernel_for_a_command(void **state)
{
	struct callees c = { .mod = "vmlinux", .func = "vfs_fsync", .v = v, .n = 3 };

	(void)state;
	make(&c, true, true);
	expect("fbt:vmlinux:vfs_fsync:entry /wanted/ { self->in++; }\n");
	assert_int_equal(count("wanted"), 1);
}

static void of_a_program(void **state)
{
	struct callee one = { "", "malloc", NULL };
	struct callees c = { .mod = "a.out", .func = "main", .v = &one, .n = 1 };

	(void)state;
	make(&c, false, true);
	expect("pid$target:a.out:main:entry { self->in++; }\n"); /* the provider is the filter */
	expect("@callers[usym(*(uintptr_t *)copyin(uregs[R_SP], sizeof(uintptr_t)))]");
	expect("pid$target::malloc:entry\n/self->in/ { self->d++; }\n");
	expect("pid$target::malloc:return\n/self->d/ { self->d--; }\n");
	assert_int_equal(count("fbt:"), 0);
}

/* The function that is entered last returns first: the entry counts before it tests the depth, the return
 * afterwards. */
static void depths_are_counted_inside_out(void **state)
{
	struct callees c = { .mod = "m", .func = "f", .v = v, .n = 1 };
	const char *s;

	(void)state;
	make(&c, true, false);
	s = strb_str(&text);
	assert_true(strstr(s, "self->in++") < strstr(s, "self->t = timestamp"));
	assert_true(strstr(s, "@time = sum") < strstr(s, "self->in--"));
	assert_true(strstr(s, "self->d++") < strstr(s, "self->c = timestamp"));
	assert_true(strstr(s, "@callee_time") < strstr(s, "self->d--"));
	assert_true(strstr(s, "@again") < strstr(s, "self->in++")); /* the first call is no call again */
}

static void without_callees_or_with_a_pointer(void **state)
{
	struct callees c = { .mod = "m", .func = "f", .v = v + 1, .n = 1 };

	(void)state;
	make(&c, true, false);
	assert_int_equal(count("callee_"), 0);
	assert_int_equal(count("@pointer"), 0);
	c.sites[0] = (struct callee_site){ "1f", 10 };
	c.sites[1] = (struct callee_site){ "2a", 0 };
	c.nsites = 2;
	make(&c, true, false);
	expect("instr:m:f:1f /self->in/ { @pointer[sym(kregs[10])] = count(); }\n");
	expect("instr:m:f:2a /self->in/ { @pointer[sym(kregs[0])] = count(); }\n");
	make(&c, false, false);
	expect("pid$target:m:f:1f /self->in/ { @pointer[usym(uregs[10])] = count(); }\n");
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, NULL, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(of_the_kernel),
		CASE(of_the_kernel_for_a_command),
		CASE(of_a_program),
		CASE(depths_are_counted_inside_out),
		CASE(without_callees_or_with_a_pointer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
