/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of answers as lines, and what is asked for. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "unit.h"
#include "fleet/ask/show.h"

static char *text;
static size_t len;

static void begin(struct askshow *a, bool json)
{
	askshow_init(a);
	a->json = json;
	a->out = open_memstream(&text, &len);
	a->table = (struct table){ .out = a->out, .json = json, .type = "x" };
}

static void text_has(struct askshow *a, const char *want)
{
	fflush(a->out);
	if (!strstr(text, want))
		fail_msg("'%s' is not in: %s", want, text);
}

static void finish(struct askshow *a)
{
	fclose(a->out);
	free(text);
}

static void a_host_has_its_labels_with_commas(void **state)
{
	const struct ask_host h = { .site = "s",
				    .host = "web1",
				    .dwell = "1.0",
				    .kernel = "6.12",
				    .labels = "role=db\nrack=2",
				    .silent = 5,
				    .clock = 1500000 };
	struct askshow a;

	(void)state;
	begin(&a, true);
	assert_int_equal(askshow_host(&a, &h), 0);
	text_has(&a, "\"labels\":\"role=db,rack=2\"");
	text_has(&a, "\"clock_ms\":1.5");
	finish(&a);
	begin(&a, false);
	assert_int_equal(askshow_host(&a, &h), 0);
	text_has(&a, "role=db,rack=2");
	assert_true(a.table.begun);
	finish(&a);
}

static void sums_are_of_hosts_or_of_each(void **state)
{
	struct ask_sum s = { .series = "block", .host = "web1", .hosts = 3, .h = { .count = 12 } };
	struct askshow a;

	(void)state;
	s.h.max = 2000;
	begin(&a, true);
	assert_int_equal(askshow_sum(&a, &s), 0);
	text_has(&a, "\"hosts\":3");
	assert_null(strstr(text, "web1"));
	finish(&a);
	begin(&a, true);
	a.by_host = true;
	assert_int_equal(askshow_sum(&a, &s), 0);
	text_has(&a, "\"host\":\"web1\"");
	assert_null(strstr(text, "\"hosts\""));
	finish(&a);
}

static void causes_and_stacks_are_lines(void **state)
{
	const struct ask_cause c = {
		.tracker = "offcpu", .cause = "", .hosts = 1, .events = 2, .total = 3000, .max = 2000
	};
	struct askshow a;

	(void)state;
	begin(&a, false);
	assert_int_equal(askshow_cause(&a, &c), 0);
	text_has(&a, "offcpu");
	text_has(&a, " -\n");
	finish(&a);
	begin(&a, false);
	assert_int_equal(askshow_stack(&a, "main;read", 5999), 0);
	text_has(&a, "main;read 5\n");
	finish(&a);
}

static void hosts_and_ranges_have_limits(void **state)
{
	char list[] = "web*,role=db", many[4 * ASK_SELECTORS_MAX + 8] = "";
	struct askshow a;
	struct click *c = NULL;
	struct err err = { 0 };

	(void)state;
	askshow_init(&a);
	assert_string_equal(a.what.tenant, "default");
	assert_int_equal(askshow_hosts(&a, list), 0);
	assert_int_equal(a.what.nselectors, 2);
	assert_string_equal(a.what.selectors[1], "role=db");
	askshow_init(&a);
	for (unsigned i = 0; i < ASK_SELECTORS_MAX; i++)
		strcat(many, "a,");
	assert_int_equal(askshow_hosts(&a, many), 0);
	assert_int_equal(a.what.nselectors, ASK_SELECTORS_MAX);
	strcpy(many, "a");
	assert_int_equal(askshow_hosts(&a, many), -E2BIG);
	a.to_ns = a.from_ns;
	assert_int_equal(askshow_open(&a, 1, &c, &err), -EINVAL);
	assert_string_equal(err.msg, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_host_has_its_labels_with_commas),
		cmocka_unit_test(sums_are_of_hosts_or_of_each),
		cmocka_unit_test(causes_and_stacks_are_lines),
		cmocka_unit_test(hosts_and_ranges_have_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
