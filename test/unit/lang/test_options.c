/* SPDX-License-Identifier: Apache-2.0 */
/* Options: defaults, what each type takes, what is refused and why. */
#include "../unit.h"
#include <errno.h>
#include "lang/options.h"

static struct dopts fresh(void)
{
	struct dopts o;

	dopts_init(&o, arena_new(ARENA_DEFAULT_LIMIT));
	return o;
}

static void defaults_are_those_of_the_table(void **state)
{
	struct dopts o = fresh();

	(void)state;
	assert_false(o.quiet);
	assert_int_equal(o.strsize, 256);
	assert_int_equal(o.bufsize, 4 << 20);
	assert_int_equal(o.switchrate, 1000000000);
	assert_int_equal(o.stackframes, 20);
	assert_string_equal(o.bufpolicy, "switch");
	arena_free(o.arena);
}

static const struct {
	const char *name, *value;
	int r;
	const char *got; /* dopts_get() afterwards */
} cases[] = {
	{ "quiet", NULL, 0, "set" },
	{ "quiet", "set", 0, "set" },
	{ "quiet", "YES", 0, "set" },
	{ "quiet", "1", 0, "set" },
	{ "quiet", "unset", 0, "unset" },
	{ "quiet", "disabled", 0, "unset" },
	{ "quiet", "off", 0, "unset" },
	{ "quiet", "", 0, "unset" },
	{ "quiet", "0", 0, "unset" },
	{ "quiet", "maybe", -EINVAL, "unset" },
	{ "temporal", "off", 0, "unset" },
	{ "zdefs", NULL, 0, "set" },
	{ "zdefs", "yes", -EINVAL, "unset" }, /* a compile-time flag */
	{ "zdepends", NULL, 0, "set" },
	{ "zdepends", "1", -EINVAL, "unset" },
	{ "bufsize", "8m", 0, "8388608" },
	{ "bufsize", "64K", 0, "65536" },
	{ "bufsize", "0x100", 0, "256" },
	{ "bufsize", "1g", 0, "1073741824" },
	{ "bufsize", "1t", 0, "1099511627776" },
	{ "bufsize", "2t", 0, "1099511627776" }, /* lowered, as DTrace resizes it */
	{ "bufsize", "100t", 0, "1099511627776" },
	{ "bufsize", "99999999999999999999", -EINVAL, "4194304" },
	{ "aggsize", "2t", -EINVAL, "16777216" },
	{ "specsize", "100t", 0, "1099511627776" },
	{ "bufsize", NULL, -EINVAL, "4194304" },
	{ "bufsize", "-1", -EINVAL, "4194304" },
	{ "bufsize", "12x", -EINVAL, "4194304" },
	{ "bufsize", "", -EINVAL, "4194304" },
	{ "strsize", "1", 0, "1" },
	{ "strsize", "0", -EINVAL, "256" },
	{ "strsize", "64k", 0, "65536" },
	{ "strsize", "65537", -EINVAL, "256" },
	{ "flight", "1ms", 0, "1000000" },
	{ "flight", "999us", -EINVAL, "0" },
	{ "flight", "60s", 0, "60000000000" },
	{ "flight", "60001ms", -EINVAL, "0" },
	{ "flight", "0", -EINVAL, "0" },
	{ "control", "1024", 0, "1024" },
	{ "control", "1073741825", -EINVAL, "0" },
	{ "flightsize", "16k", 0, "16384" },
	{ "flightsize", "16383", -EINVAL, "0" },
	{ "flightsize", "64m", 0, "67108864" },
	{ "flightsize", "65m", -EINVAL, "0" },
	{ "stackframes", "512", 0, "512" },
	{ "stackframes", "513", -EINVAL, "20" },
	{ "stackframes", "-3", -EINVAL, "20" },
	{ "stackframes", "unset", 0, "20" },
	{ "nspec", "5", 0, "5" },
	{ "nspec", "65536", 0, "65536" },
	{ "nspec", "65537", -EINVAL, "1" },
	{ "nspec", "99999999999", -EINVAL, "1" },
	{ "tree", "0", -EINVAL, "0" },
	{ "cpu", "1", 0, "1" },
	{ "switchrate", "10hz", 0, "100000000" },
	{ "switchrate", "1sec", 0, "1000000000" },
	{ "switchrate", "5MSEC", 0, "5000000" },
	{ "switchrate", "2m", 0, "120000000000" },
	{ "switchrate", "500", 0, "500" },
	{ "switchrate", "10parsec", -EINVAL, "1000000000" },
	{ "switchrate", NULL, -EINVAL, "1000000000" },
	{ "bufpolicy", "ring", 0, "ring" },
	{ "bufpolicy", "rin", -EINVAL, "switch" },
	{ "bufpolicy", "", -EINVAL, "switch" },
	{ "bufresize", "manual", 0, "manual" },
	{ "stdc", "t", 0, "t" },
	{ "stdc", "x", -EINVAL, "a" },
	{ "libdir", "/x", 0, "/x\n" },
	{ "libdir", NULL, -EINVAL, "" },
	{ "nosuch", NULL, -ENOENT, NULL },
	{ "", NULL, -ENOENT, NULL },
	{ "linktype", "elf", -EOPNOTSUPP, NULL },
	{ "linkmode", "dynamic", 0, NULL },
	{ "version", "9.9", -ERANGE, "" },
};

static void values_are_taken_or_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dopts o = fresh();
		const char *reason, *got;
		int r = dopts_set(&o, cases[i].name, cases[i].value, &reason);

		got = dopts_get(&o, cases[i].name);
		if (r != cases[i].r)
			print_error("%s=%s: %d, %s\n", cases[i].name, cases[i].value ? cases[i].value : "(none)", r,
				    got ? got : "-");
		assert_int_equal(r, cases[i].r);
		if (cases[i].got)
			assert_string_equal(got, cases[i].got);
		else
			assert_null(got);
		arena_free(o.arena);
	}
}

static void reasons_are_given(void **state)
{
	struct dopts o = fresh();
	const char *reason = "old";

	(void)state;
	assert_int_equal(dopts_set(&o, "kdefs", "1m", &reason), -EOPNOTSUPP);
	assert_non_null(reason);
	assert_int_equal(dopts_set(&o, "strsize", "99999", &reason), -EINVAL);
	assert_non_null(strstr(reason, "65536"));
	assert_int_equal(dopts_set(&o, "nosuch", "1", &reason), -ENOENT);
	assert_null(reason);
	assert_int_equal(dopts_set(&o, "kdefs", "1m", NULL), -EOPNOTSUPP);
	arena_free(o.arena);
}

static void arguments_for_cpp_add_up(void **state)
{
	struct dopts o = fresh();
	const char *reason;

	(void)state;
	assert_int_equal(dopts_set(&o, "define", "X=1", &reason), 0);
	assert_int_equal(dopts_set(&o, "incdir", "/inc", &reason), 0);
	assert_int_equal(dopts_set(&o, "undef", "Y", &reason), 0);
	assert_int_equal(dopts_set(&o, "cpphdrs", NULL, &reason), 0);
	assert_int_equal(dopts_set(&o, "cppargs", "-P", &reason), 0);
	assert_int_equal(dopts_set(&o, "define", NULL, &reason), -EINVAL);
	assert_int_equal(dopts_set(&o, "cpphdrs", "x", &reason), -EINVAL);
	assert_string_equal(o.cppargs, "-DX=1\n-I/inc\n-UY\n-H\n-P\n");
	arena_free(o.arena);
}

static void every_row_can_be_read(void **state)
{
	static const char *const names[] = {
#define OPT(field, name, type, dflt) name,
#include "lang/options.def"
#undef OPT
	};
	struct dopts o = fresh();

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_non_null(dopts_get(&o, names[i]));
	arena_free(o.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_are_those_of_the_table),
		cmocka_unit_test(values_are_taken_or_refused),
		cmocka_unit_test(reasons_are_given),
		cmocka_unit_test(arguments_for_cpp_add_up),
		cmocka_unit_test(every_row_can_be_read),
	};

	return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
