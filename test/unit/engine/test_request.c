/* SPDX-License-Identifier: Apache-2.0 */
/* Requests as values, and what the engine tells its listener. */
#include "unit.h"
#include <stdio.h>
#include "base/near.h"
#include "engine/front/compile.h"

static char told[4096];

static void keep(void *ctx, const char *text)
{
	(void)ctx;
	snprintf(told + strlen(told), sizeof(told) - strlen(told), "%s\n", text);
}

static const struct listener to = { .message = keep };

static void begin(struct request *c)
{
	told[0] = '\0';
	request_init(c, "name", &to);
}

static void an_empty_request_has_defaults(void **state)
{
	struct request c;

	(void)state;
	begin(&c);
	assert_int_equal(c.progs.n, 0);
	assert_int_equal(c.argc, 1);
	assert_string_equal(c.argv[0], "name");
	assert_false(c.opts.quiet);
	request_done(&c);
}

static void options_are_set_or_told(void **state)
{
	struct request c;

	(void)state;
	begin(&c);
	request_option(&c, "bufsize", "64k");
	assert_int_equal(c.opts.bufsize, 65536);
	assert_string_equal(told, "");
	request_option(&c, "no-such", "1");
	assert_non_null(strstr(told, "failed to set -x no-such"));
	request_done(&c);
}

static void a_shipped_program_is_a_script(void **state)
{
	struct request c;

	(void)state;
	begin(&c);
	request_shipped(&c, "latency/why");
	assert_int_equal(c.progs.n, 1);
	assert_int_equal(c.progs.v[0].kind, PROG_SCRIPT);
	assert_non_null(strstr(c.progs.v[0].arg, "/latency/why.d"));
	assert_true(request_has_shipped(&c, "latency/why"));
	assert_false(request_has_shipped(&c, "latency/no-such"));
	request_done(&c);
}

static void options_of_tools(struct near *near, bool tools)
{
	if (tools)
		near_try(near, "by");
}

static void unknown_and_missing_parameters_are_told(void **state)
{
	struct param p = { .name = "by", .help = "what" };
	struct request c;

	(void)state;
	begin(&c);
	request_param(&c, "bye", "1");
	assert_int_equal(params_check(&c), LISTENER_WRONG);
	assert_string_equal(told, "no such parameter or option: --bye; the program declares no parameters\n");
	told[0] = '\0';
	c.near_options = options_of_tools;
	assert_int_equal(params_check(&c), LISTENER_WRONG);
	assert_string_equal(told, "no such parameter or option: --bye; did you mean --by?\n");
	told[0] = '\0';
	c.params.first = &p;
	c.given.v[0].known = true;
	assert_int_equal(params_check(&c), LISTENER_WRONG);
	assert_string_equal(told, "parameter --by must be given: what\n");
	p.value = "1";
	assert_int_equal(params_check(&c), 0);
	request_done(&c);
}

static void oneliners_get_the_colons_of_their_option(void **state)
{
	static const struct {
		enum prog_kind kind;
		const char *arg, *text;
	} cases[] = {
		{ PROG_PROVIDER, "sched", "sched:::" },
		{ PROG_MODULE, "a,b", "a::,b::" },
		{ PROG_FUNCTION, "f { trace(1); }", "f: { trace(1); }" },
		{ PROG_NAME, "BEGIN", "BEGIN" },
	};
	struct request c;

	(void)state;
	begin(&c);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct prog_text p = { .kind = cases[i].kind, .arg = cases[i].arg };

		assert_int_equal(prog_load(&c, &p), 0);
		assert_string_equal(p.src.text, cases[i].text);
	}
	request_done(&c);
}

static void what_failed_is_told_and_given_as_a_value(void **state)
{
	const struct listener nobody = { 0 };
	struct request c;

	(void)state;
	begin(&c);
	assert_int_equal(listener_fail(&c.to, -EPERM, "%s: no", "that"), -EPERM);
	assert_string_equal(told, "that: no\n");
	assert_int_equal(listener_fail(&nobody, -ENOMEM, "no"), -ENOMEM);
	assert_int_equal(listener_fail(&nobody, 0, "errno was not set"), -EIO); /* never taken for done */
	request_done(&c);
}

static void a_file_that_is_not_there_is_told(void **state)
{
	struct prog_text p = { .kind = PROG_SCRIPT, .arg = "/no/such/file.d" };
	struct request c;

	(void)state;
	begin(&c);
	assert_int_equal(prog_load(&c, &p), -ENOENT);
	assert_non_null(strstr(told, "failed to open /no/such/file.d: No such file or directory"));
	request_done(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_request_has_defaults),
		cmocka_unit_test(options_are_set_or_told),
		cmocka_unit_test(a_shipped_program_is_a_script),
		cmocka_unit_test(unknown_and_missing_parameters_are_told),
		cmocka_unit_test(oneliners_get_the_colons_of_their_option),
		cmocka_unit_test(what_failed_is_told_and_given_as_a_value),
		cmocka_unit_test(a_file_that_is_not_there_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
