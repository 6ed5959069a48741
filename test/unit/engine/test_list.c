/* SPDX-License-Identifier: Apache-2.0 */
/* -l: which probes are listed, in which order, and what is told of descriptions and words that fit none. */
#include "told.h"
#include "base/cleanup.h"

static struct request c;
static char *listed;

static int set_up(void **state)
{
	(void)state;
	told_begin(&c);
	c.list = true;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	free(listed);
	listed = NULL;
	request_done(&c);
	return 0;
}

static int list(void)
{
	struct compile_session w = { 0 };
	size_t n;
	FILE *out;
	int e = told_parse(&c, &w);

	free(listed);
	listed = NULL;
	out = open_memstream(&listed, &n);
	assert_non_null(out);
	if (e == 0)
		e = compile_list(&w, &c, 0, out);
	assert_int_equal(fclose(out), 0);
	compile_done(&w);
	return e;
}

/* Where a name is in the list, which must be there. */
static const char *at(const char *name)
{
	const char *p = strstr(listed, name);

	if (!p)
		fail_msg("no '%s' in: %s", name, listed);
	return p;
}

static size_t lines(void)
{
	size_t n = 0;

	for (const char *p = listed; *p; p++)
		n += *p == '\n';
	return n;
}

static void probes_come_in_the_order_of_the_programs(void **state)
{
	(void)state;
	request_prog(&c, PROG_NAME, "END, BEGIN");
	request_prog(&c, PROG_NAME, "tick-1s");
	assert_int_equal(list(), 0);
	assert_int_equal(strncmp(listed, "   ID   PROVIDER            MODULE", 34), 0);
	assert_true(at(" END\n") < at(" BEGIN\n") && at(" BEGIN\n") < at("tick-1s"));
	assert_int_equal(lines(), 4);
	assert_string_equal(told, "");
}

static void what_fits_nothing_is_told_and_the_rest_is_listed(void **state)
{
	(void)state;
	request_prog(&c, PROG_NAME, "dtrace:::NOTHING, BEGIN");
	assert_int_equal(list(), 0);
	at(" BEGIN\n");
	assert_int_equal(lines(), 2);
	told_has("failed to match dtrace:::NOTHING: No probe matches description");
}

static void a_program_lists_its_trackers(void **state)
{
	(void)state;
	request_prog(&c, PROG_NAME, "tracker nap { threshold = 10ms; } BEGIN { begin(nap); } END { end(nap); }");
	assert_int_equal(list(), 0);
	assert_true(at("nap") < at(" BEGIN\n") && at(" BEGIN\n") < at(" END\n"));
	at(" slow\n");
	at(" all\n");
}

static void words_are_parts_of_names(void **state)
{
	const char *argv[] = { "dwell", "DTRACE", "err", NULL };

	(void)state;
	c.argv = argv;
	c.argc = 3;
	assert_int_equal(list(), 0);
	at(" ERROR\n");
	assert_null(strstr(listed, " BEGIN\n"));
	argv[2] = "B*N";
	assert_int_equal(list(), 0);
	at(" BEGIN\n");
	assert_null(strstr(listed, " ERROR\n"));
}

static void words_that_are_in_no_name_are_an_error(void **state)
{
	const char *argv[] = { "dwell", "no_such_probe_at_all", NULL };

	(void)state;
	c.argv = argv;
	c.argc = 2;
	assert_int_equal(list(), -EINVAL);
	told_has("no probe has no_such_probe_at_all in its names; 'dwell -l' lists all");
}

static void programs_read_the_list_as_json(void **state)
{
	(void)state;
	request_option(&c, "oformat", "json");
	request_prog(&c, PROG_NAME, "BEGIN");
	assert_int_equal(list(), 0);
	assert_int_equal(lines(), 1);
	assert_int_equal(strncmp(listed, "{\"type\":\"probe\",\"id\":1,\"provider\":\"dtrace\"", 42), 0);
	at("\"name\":\"BEGIN\"}");
}

static void with_v_arguments_and_stability_follow(void **state)
{
	(void)state;
	c.verbose = true;
	c.as_dtrace = true;
	request_prog(&c, PROG_NAME, "BEGIN");
	assert_int_equal(list(), 0);
	assert_true(at(" BEGIN\n") < at("Probe Description Attributes") &&
		    at("Probe Description Attributes") < at("Argument Types\n\t\tNone\n"));
}

static void but_for_dtrace_arguments_come_before_stability(void **state)
{
	(void)state;
	c.verbose = true;
	request_prog(&c, PROG_NAME, "BEGIN");
	assert_int_equal(list(), 0);
	assert_true(at(" BEGIN\n") < at("Argument Types\n\t\tNone\n") &&
		    at("Argument Types\n\t\tNone\n") < at("Probe Description Attributes"));
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(probes_come_in_the_order_of_the_programs),
		CASE(what_fits_nothing_is_told_and_the_rest_is_listed),
		CASE(a_program_lists_its_trackers),
		CASE(words_are_parts_of_names),
		CASE(words_that_are_in_no_name_are_an_error),
		CASE(programs_read_the_list_as_json),
		CASE(with_v_arguments_and_stability_follow),
		CASE(but_for_dtrace_arguments_come_before_stability),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
