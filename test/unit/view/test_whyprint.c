/* SPDX-License-Identifier: Apache-2.0 */
/* The table of `dwell latency why`: order, sums, what is left out and said, and the same as JSON. */
#include "../unit.h"
#include "view/summary/whyprint.h"

#define MS 1000000ull

static struct causes *causes;
static struct whytab *t;
static char *text;
static size_t len;

static int set_up(void **state)
{
	(void)state;
	return causes_new(&causes) < 0 || whytab_new(causes, NULL, &t) < 0 ? -1 : 0;
}

static int tear_down(void **state)
{
	(void)state;
	whytab_free(t);
	causes_free(causes);
	free(text);
	text = NULL;
	return 0;
}

static void wait_of(uint64_t who, const char *comm, const char *words, enum cause_class class, uint64_t ns)
{
	const struct why_row r = { .who = who, .comm = comm, .words = words, .class = class };

	assert_int_equal(whytab_wait(t, &r, ns), 0);
}

static int print(struct why_print p)
{
	int e;

	free(text);
	text = NULL;
	p.out = open_memstream(&text, &len);
	assert_non_null(p.out);
	p.columns = 60;
	e = whyprint_table(&p, t, 1000 * MS, true);
	fclose(p.out);
	return e;
}

/* The text after the line of the heading, whose time of day varies. */
static const char *lines(void)
{
	const char *heading = strstr(text, "CAUSE");

	assert_non_null(heading);
	assert_non_null(strchr(heading, '\n'));
	return strchr(heading, '\n') + 1;
}

static void causes_come_by_their_time(void **state)
{
	(void)state;
	wait_of(1, "make", "pipe", CAUSE_LOCK, 2 * MS);
	wait_of(2, "make", "disk", CAUSE_IO, 5 * MS);
	wait_of(1, "make", "pipe", CAUSE_LOCK, 1 * MS);
	assert_int_equal(print((struct why_print){ .top = 9 }), 0);
	assert_non_null(strstr(text, " all 1.00 s: 3 waits, 8.00 ms; unknown 0.0%\n"));
	assert_string_equal(lines(), "disk                   5.00 ms  62%       1 5.00 ms 5.00 ms\n"
				     "pipe                   3.00 ms  38%       2 1.50 ms 2.00 ms\n");
}

static void processes_have_their_causes_below_them(void **state)
{
	(void)state;
	wait_of(1, "make", "pipe", CAUSE_LOCK, 2 * MS);
	wait_of(2, "cc", "disk", CAUSE_IO, 5 * MS);
	wait_of(2, "cc", "pipe", CAUSE_LOCK, 1 * MS);
	assert_int_equal(print((struct why_print){ .top = 1, .by = WHY_BY_PROCESS }), 0);
	assert_string_equal(lines(), "cc 2                   6.00 ms  75%       2 3.00 ms 5.00 ms\n"
				     "  disk                 5.00 ms  62%       1 5.00 ms 5.00 ms\n"
				     "  1 more cause         1.00 ms  12%       1 1.00 ms 1.00 ms\n"
				     "make 1                 2.00 ms  25%       1 2.00 ms 2.00 ms\n"
				     "  pipe                 2.00 ms  25%       1 2.00 ms 2.00 ms\n");
}

/* Sleeps are counted, and shown when they are asked for; then they are part of the whole. */
static void idle_waits_are_apart(void **state)
{
	(void)state;
	wait_of(1, "make", "pipe", CAUSE_LOCK, 1 * MS);
	wait_of(1, "make", "sleep", CAUSE_IDLE, 3 * MS);
	assert_int_equal(print((struct why_print){ .top = 9 }), 0);
	assert_non_null(strstr(text, "not shown: 1 sleeps and waits for work, 3.00 ms in 1 causes (--idle)\n"));
	assert_string_equal(lines(), "pipe                   1.00 ms 100%       1 1.00 ms 1.00 ms\n");
	assert_int_equal(print((struct why_print){ .top = 9, .idle = true }), 0);
	assert_null(strstr(text, "not shown"));
	assert_string_equal(lines(), "sleep                  3.00 ms  75%       1 3.00 ms 3.00 ms\n"
				     "pipe                   1.00 ms  25%       1 1.00 ms 1.00 ms\n");
}

static void twenty_processes_are_shown(void **state)
{
	char words[] = "cause a";

	(void)state;
	for (uint64_t i = 1; i <= 20; i++)
		wait_of(i, "make", "pipe", CAUSE_LOCK, i * MS);
	assert_int_equal(print((struct why_print){ .top = 9, .by = WHY_BY_PROCESS }), 0);
	assert_null(strstr(text, "... and"));
	words[6] = 'b';
	wait_of(21, "make", words, CAUSE_LOCK, MS / 2);
	assert_int_equal(print((struct why_print){ .top = 9, .by = WHY_BY_PROCESS }), 0);
	assert_non_null(strstr(text, "... and 1 more processes\n"));
	assert_null(strstr(text, "cause b"));
}

static void json_has_all_causes_and_numbers(void **state)
{
	(void)state;
	wait_of(1, "make", "a \"pipe\"", CAUSE_LOCK, 2 * MS);
	wait_of(2, "cc", "[unknown]", CAUSE_UNKNOWN, 5 * MS);
	assert_int_equal(print((struct why_print){ .by = WHY_BY_THREAD, .json = true, .over_ns = 7 }), 0);
	assert_non_null(strstr(text, "\"interval_ns\":1000000000,\"final\":true,\"causes\":["
				     "{\"cause\":\"[unknown]\",\"class\":\"unknown\",\"inferred\":false,\"tid\":2,"
				     "\"comm\":\"cc\",\"count\":1,\"total_ns\":5000000,\"max_ns\":5000000},"
				     "{\"cause\":\"a \\\"pipe\\\"\",\"class\":\"lock\",\"inferred\":false,\"tid\":1,"
				     "\"comm\":\"make\",\"count\":1,\"total_ns\":2000000,\"max_ns\":2000000}],"
				     "\"shorter\":{\"than_ns\":7,\"count\":0,\"total_ns\":0,\"max_ns\":0},"
				     "\"unknown\":{\"count\":1,\"total_ns\":5000000,\"max_ns\":5000000}}\n"));
}

static void a_full_disk_is_an_error(void **state)
{
	struct why_print p = { .out = fopen("/dev/full", "w"), .top = 9, .columns = 60 };

	(void)state;
	assert_non_null(p.out);
	wait_of(1, "make", "pipe", CAUSE_LOCK, MS);
	assert_true(whyprint_table(&p, t, MS, true) < 0);
	fclose(p.out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(causes_come_by_their_time, set_up, tear_down),
		cmocka_unit_test_setup_teardown(processes_have_their_causes_below_them, set_up, tear_down),
		cmocka_unit_test_setup_teardown(idle_waits_are_apart, set_up, tear_down),
		cmocka_unit_test_setup_teardown(twenty_processes_are_shown, set_up, tear_down),
		cmocka_unit_test_setup_teardown(json_has_all_causes_and_numbers, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_full_disk_is_an_error, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
