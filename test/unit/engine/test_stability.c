/* SPDX-License-Identifier: Apache-2.0 */
/* -v: the stability of programs and of their probes, in DTrace's layout. */
#include "told.h"
#include "base/cleanup.h"

static struct request c;
static char *report;

static int set_up(void **state)
{
	(void)state;
	told_begin(&c);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	free(report);
	report = NULL;
	request_done(&c);
	return 0;
}

static const char *print(void)
{
	struct compile_session w = { 0 };
	size_t n;
	FILE *out;

	free(report);
	report = NULL;
	assert_int_equal(told_parse(&c, &w), 0);
	assert_int_equal(compile_check(&w, &c, 0), 0);
	out = open_memstream(&report, &n);
	assert_non_null(out);
	stability_print(&w, &c, out);
	assert_int_equal(fclose(out), 0);
	compile_done(&w);
	return report;
}

/* The first part is about the probe, the second follows from the least stable name. */
static void a_program_is_as_stable_as_its_names(void **state)
{
	(void)state;
	request_prog(&c, PROG_NAME, "dtrace:::BEGIN");
	assert_string_equal(print(), "\nStability attributes for description dtrace:::BEGIN:\n"
				     "\n\tMinimum Probe Description Attributes\n"
				     "\t\tIdentifier Names: Stable\n"
				     "\t\tData Semantics:   Stable\n"
				     "\t\tDependency Class: Common\n"
				     "\n\tMinimum Statement Attributes\n"
				     "\t\tIdentifier Names: Stable\n"
				     "\t\tData Semantics:   Stable\n"
				     "\t\tDependency Class: Common\n\n");
}

static void each_program_has_a_report(void **state)
{
	const char *first, *second;

	(void)state;
	request_prog(&c, PROG_NAME, "BEGIN");
	request_prog(&c, PROG_NAME, "END");
	print();
	first = strstr(report, "Stability attributes for description BEGIN:");
	second = strstr(report, "Stability attributes for description END:");
	assert_true(first && second && first < second);
	assert_null(strstr(report, "Argument Attributes"));
}

/* With -e the probes follow; clauses of one description have one part. */
static void a_probe_is_described_once(void **state)
{
	char *at;

	(void)state;
	c.compile_only = true;
	request_prog(&c, PROG_NAME, "dtrace:::BEGIN { trace(1); } dtrace:::BEGIN { trace(2); }");
	print();
	at = strstr(report, "\ndtrace:::BEGIN\n");
	assert_non_null(at);
	assert_null(strstr(at + 1, "\ndtrace:::BEGIN\n"));
	assert_non_null(strstr(at, "\n\tProbe Description Attributes\n"));
	assert_non_null(strstr(at, "\n\tArgument Types\n\t\tNone\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_program_is_as_stable_as_its_names, set_up, tear_down),
		cmocka_unit_test_setup_teardown(each_program_has_a_report, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_probe_is_described_once, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
