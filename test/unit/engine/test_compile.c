/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of the compile front about wrong programs. */
#include "told.h"

static struct request c;

static int set_up(void **state)
{
	(void)state;
	told_begin(&c);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	request_done(&c);
	return 0;
}

static void a_right_program_is_compiled_in_silence(void **state)
{
	(void)state;
	assert_int_equal(told_compile(&c, "BEGIN { trace(1); exit(0); }"), 0);
	assert_string_equal(told, "");
}

static void an_error_shows_its_place(void **state)
{
	(void)state;
	assert_int_equal(told_compile(&c, "BEGIN { trace(nothing_of_this_name); }"), -EINVAL);
	told_has("nothing_of_this_name");
	told_has("BEGIN { trace(nothing_of_this_name); }\n"); /* the source line … */
	told_has("^");					      /* … and the place in it */
	assert_null(strstr(told, "line 1: "));		      /* there is no other line */
	assert_string_equal(json, "");
}

static void dtrace_has_its_own_words(void **state)
{
	(void)state;
	c.as_dtrace = c.terse = true;
	assert_int_equal(told_compile(&c, "BEGIN { trace(nothing_of_this_name); trace(nor_this); }"), -EINVAL);
	told_has("invalid probe specifier BEGIN { trace(nothing_of_this_name); trace(nor_this); }: in action list: ");
	assert_null(strstr(told, "^"));
	assert_null(strstr(strstr(told, "in action list"), "nor_this")); /* the first error only */
}

static void programs_read_errors_as_json(void **state)
{
	(void)state;
	request_option(&c, "oformat", "json");
	assert_int_equal(told_compile(&c, "BEGIN { trace(nothing_of_this_name); }"), -EINVAL);
	assert_non_null(strstr(json, "\"type\":\"diagnostic\""));
	assert_non_null(strstr(json, "\"severity\":\"error\""));
	assert_non_null(strstr(json, "\"program\":0"));
	assert_non_null(strstr(json, "\"line\":1,\"column\":15,\"length\":20"));
}

static void the_last_argument_must_be_used(void **state)
{
	const char *argv[] = { "dwell", "used", "extra", NULL };

	(void)state;
	c.argc = 3;
	c.argv = argv;
	assert_int_equal(told_compile(&c, "BEGIN { trace($$1); }"), -EINVAL);
	told_has("extraneous argument 'extra' ($2 is not referenced)");
}

static void argref_allows_arguments_that_nobody_uses(void **state)
{
	const char *argv[] = { "dwell", "extra", NULL };

	(void)state;
	c.argc = 2;
	c.argv = argv;
	request_option(&c, "argref", NULL);
	assert_int_equal(told_compile(&c, "BEGIN { trace(1); }"), 0);
	assert_string_equal(told, "");
}

static void options_that_would_change_nothing_are_refused(void **state)
{
	(void)state;
	request_option(&c, "comm", "nginx");
	assert_int_equal(told_compile(&c, "BEGIN { trace(1); }"), -EINVAL);
	told_has("the program does not use the variable wanted");
	c.progs.n = 0;
	told[0] = '\0';
	assert_int_equal(told_compile(&c, "BEGIN /wanted/ { trace(1); }"), 0);
	request_option(&c, "comm", "");
	request_option(&c, "by", "user");
	c.progs.n = 0;
	assert_int_equal(told_compile(&c, "BEGIN { trace(1); }"), -EINVAL);
	told_has("by=user would change nothing");
}

static void a_user_that_is_none_is_told_before_anything_is_opened(void **state)
{
	struct compile_session w;

	(void)state;
	request_option(&c, "user", "no-such-user");
	assert_int_equal(compile_open(&w, &c, 0), LISTENER_WRONG);
	told_has("no user 'no-such-user'");
	assert_null(w.reg);
}

static void files_of_types_must_be_there(void **state)
{
	(void)state;
	request_option(&c, "btf", "/no/such/file");
	assert_int_equal(told_compile(&c, "BEGIN { trace(1); }"), -ENOENT);
	told_has("cannot trace: ");
	c.as_dtrace = true;
	assert_int_equal(told_compile(&c, "BEGIN { trace(1); }"), -ENOENT);
	told_has("failed to initialize dtrace: ");
	told_has("/no/such/file");
}

static void a_file_for_types_that_cannot_be_made_is_told(void **state)
{
	(void)state;
	request_option(&c, "dtypes", "/no/such/folder/types");
	assert_int_equal(told_compile(&c, "BEGIN { trace(1); }"), -ENOENT);
	assert_string_equal(told, "failed to open /no/such/folder/types: No such file or directory\n");
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_right_program_is_compiled_in_silence),
		CASE(an_error_shows_its_place),
		CASE(dtrace_has_its_own_words),
		CASE(programs_read_errors_as_json),
		CASE(the_last_argument_must_be_used),
		CASE(argref_allows_arguments_that_nobody_uses),
		CASE(options_that_would_change_nothing_are_refused),
		CASE(a_user_that_is_none_is_told_before_anything_is_opened),
		CASE(files_of_types_must_be_there),
		CASE(a_file_for_types_that_cannot_be_made_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
