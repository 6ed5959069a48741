/* SPDX-License-Identifier: Apache-2.0 */
/* Which table a range is asked of; conditions as SQL. */
#include "../unit.h"
#include "fleet/ask.h"

static void tables(void **state)
{
	(void)state;
	assert_int_equal(ask_slot((struct ask_range){ 0, ASK_SECONDS_MAX }), SLOT_SECOND);
	assert_int_equal(ask_slot((struct ask_range){ 0, ASK_SECONDS_MAX + 1 }), SLOT_MINUTE);
	assert_int_equal(ask_slot((struct ask_range){ 5, 5 + ASK_MINUTES_MAX }), SLOT_MINUTE);
	assert_int_equal(ask_slot((struct ask_range){ 5, 6 + ASK_MINUTES_MAX }), SLOT_HOUR);
}

static void expect(const struct ask_what *w, const char *want)
{
	struct strb b = { 0 };

	ask_where(&b, w);
	assert_string_equal(strb_str(&b), want);
	strb_free(&b);
}

static void conditions(void **state)
{
	struct ask_what w = { .tenant = "t'" };

	(void)state;
	expect(&w, " AND tenant = 't\\''");
	w.tenant = "t";
	w.series = "@x";
	w.selectors[w.nselectors++] = "web*";
	w.selectors[w.nselectors++] = "a_b%";
	expect(&w, " AND tenant = 't' AND series = '@x' AND (host LIKE 'web%' OR host LIKE 'a\\\\_b\\\\%')");
	w.nselectors = 1;
	w.selectors[0] = "role=db";
	expect(&w,
	       " AND tenant = 't' AND series = '@x' AND host IN (SELECT host FROM (SELECT host, argMax(labels, seen) AS l FROM"
	       " host WHERE tenant = 't' GROUP BY host) WHERE 1 AND has(splitByChar('\\n', l), 'role=db'))");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(tables), cmocka_unit_test(conditions) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
