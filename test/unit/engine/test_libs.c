/* SPDX-License-Identifier: Apache-2.0 */
/* The D library: which files are taken from which folder, and what is told of those that cannot be. */
#include "told.h"
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

static char dir[] = "/tmp/libs.XXXXXX";
static struct request c;

static const char *in(const char *name)
{
	return arena_printf(c.arena, "%s/%s", dir, name);
}

static void put(const char *name, const char *text)
{
	FILE *f = fopen(in(name), "we");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static int set_up(void **state)
{
	(void)state;
	told_begin(&c);
	strcpy(strrchr(dir, '.'), ".XXXXXX");
	return mkdtemp(dir) ? mkdir(in("sub"), 0700) : -1;
}

static int tear_down(void **state)
{
	static const char *const names[] = { "a.d", "b.d", "c.txt", "sub/d.d" };
	struct utsname u;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unlink(in(names[i]));
	uname(&u);
	unlink(in(arena_printf(c.arena, "%s/m.d", u.machine)));
	rmdir(in(u.machine));
	rmdir(in("sub"));
	request_done(&c);
	return rmdir(dir);
}

/* Can a program use this name? */
static bool knows(const char *name)
{
	int e;

	c.progs.n = 0;
	told[0] = '\0';
	e = told_compile(&c, arena_printf(c.arena, "BEGIN { trace(%s); }", name));
	if (e)
		told_has(name);
	return e == 0;
}

static void files_of_a_folder_are_read_and_no_others(void **state)
{
	(void)state;
	put("a.d", "inline int lib_a = 1;\n");
	put("b.d", "inline int lib_b = lib_a + 1;\n");
	put("c.txt", "inline int lib_c = 3;\n");
	put("sub/d.d", "inline int lib_d = 4;\n");
	assert_false(knows("lib_a"));
	request_option(&c, "libdir", dir);
	assert_true(knows("lib_a"));
	assert_true(knows("lib_b"));
	assert_false(knows("lib_c"));
	assert_false(knows("lib_d"));
	assert_true(knows("HOW_END")); /* of the shipped library, which stays */
}

static void folders_add_up(void **state)
{
	(void)state;
	put("a.d", "inline int lib_a = 1;\n");
	put("sub/d.d", "inline int lib_d = 4;\n");
	request_option(&c, "libdir", dir);
	request_option(&c, "libdir", in("sub"));
	assert_true(knows("lib_a"));
	assert_true(knows("lib_d"));
}

static void another_folder_takes_the_place_of_the_shipped_one(void **state)
{
	struct utsname u;

	(void)state;
	assert_int_equal(uname(&u), 0);
	assert_int_equal(mkdir(in(u.machine), 0700), 0);
	put("a.d", "inline int lib_a = 1;\n");
	put(arena_printf(c.arena, "%s/m.d", u.machine), "inline int lib_m = 5;\n");
	request_option(&c, "syslibdir", dir);
	assert_true(knows("lib_a"));
	assert_true(knows("lib_m")); /* of this kind of processor */
	assert_false(knows("HOW_END"));
	assert_true(knows("machine_cpus")); /* about this machine, of no file */
}

static void without_libraries_there_are_no_names(void **state)
{
	(void)state;
	request_option(&c, "libdir", dir);
	put("a.d", "inline int lib_a = 1;\n");
	request_option(&c, "nolibs", NULL);
	assert_null(libs_open(&c));
	assert_false(knows("lib_a"));
	assert_false(knows("machine_cpus"));
}

static void a_folder_that_is_not_there_is_a_warning(void **state)
{
	(void)state;
	request_option(&c, "libdir", "/no/such/folder");
	assert_int_equal(told_compile(&c, "BEGIN { trace(HOW_END); }"), 0);
	assert_string_equal(told, "warning: library /no/such/folder: No such file or directory\n");
}

static void a_broken_file_is_told_once_and_the_others_count(void **state)
{
	const char *first;

	(void)state;
	put("a.d", "inline int lib_a = ;\n");
	put("b.d", "inline int lib_b = 2;\n");
	request_option(&c, "libdir", dir);
	assert_true(knows("lib_b"));
	first = strstr(told, "warning: library ");
	assert_non_null(first);
	told_has("a.d");
	assert_null(strstr(first + 1, "warning: "));
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(files_of_a_folder_are_read_and_no_others),
		CASE(folders_add_up),
		CASE(another_folder_takes_the_place_of_the_shipped_one),
		CASE(without_libraries_there_are_no_names),
		CASE(a_folder_that_is_not_there_is_a_warning),
		CASE(a_broken_file_is_told_once_and_the_others_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
