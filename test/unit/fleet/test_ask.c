/* SPDX-License-Identifier: Apache-2.0 */
/* The table that is asked for a range; conditions as SQL. */
#include "../unit.h"
#include "fleet/ask/diff.h"

static void tables(void **state)
{
	(void)state;
	assert_int_equal(ask_slot((struct ask_range){ 0, ASK_SECONDS_MAX }), SLOT_SECOND);
	assert_int_equal(ask_slot((struct ask_range){ 0, ASK_SECONDS_MAX + 1 }), SLOT_MINUTE);
	assert_int_equal(ask_slot((struct ask_range){ 5, 5 + ASK_MINUTES_MAX }), SLOT_MINUTE);
	assert_int_equal(ask_slot((struct ask_range){ 5, 6 + ASK_MINUTES_MAX }), SLOT_TEN);
	assert_int_equal(ask_slot((struct ask_range){ 5, 5 + ASK_TENS_MAX }), SLOT_TEN);
	assert_int_equal(ask_slot((struct ask_range){ 5, 6 + ASK_TENS_MAX }), SLOT_HOUR);
}

static void expect_cover(uint64_t from, uint64_t to, uint64_t now, const char *want)
{
	struct tables_range v[ASK_PARTS_MAX];
	size_t n = ask_cover((struct ask_range){ from, to }, now, v);
	struct strb b = { 0 };

	for (size_t i = 0; i < n; i++)
		strb_printf(&b, "%s%s %d-%d", i ? ", " : "", tables_hist[v[i].slot].table, (int)v[i].from,
			    (int)v[i].to);
	assert_string_equal(strb_str(&b), want);
	strb_free(&b);
}

/* Every second of a range in one part. */
static void covers(void **state)
{
	(void)state;
	expect_cover(7, 1000, 100000, "hist 7-1000");
	expect_cover(3600, 7200, 100000, "hist_hour 3600-7200");
	expect_cover(3601, 7201, 100000, "hist_minute 3601-4200, hist_ten 4200-7200, hist_minute 7200-7201");
	expect_cover(3599, 7201, 7201, "hist_minute 3599-3600, hist_ten 3600-6600, hist_minute 6600-7201");
	expect_cover(3000, 14700, 100000, "hist_ten 3000-3600, hist_hour 3600-14400, hist_minute 14400-14700");
	expect_cover(2999, 15001, 100000,
		     "hist_minute 2999-3000, hist_ten 3000-3600, hist_hour 3600-14400, hist_ten 14400-15000,"
		     " hist_minute 15000-15001");
	expect_cover(3601, 5402, 5402, "hist_minute 3601-4200, hist_ten 4200-4800, hist_minute 4800-5402");
	expect_cover(3601, 9602, 4000, "hist_minute 3601-9602");
}

static void expect_parts(uint64_t from, uint64_t to, enum ask_need need, uint64_t now, const char *want)
{
	struct tables_range v[ASK_PARTS_MAX];
	size_t n = ask_parts((struct ask_range){ from, to }, need, now, v);
	struct strb b = { 0 };

	for (size_t i = 0; i < n; i++)
		strb_printf(&b, "%s%s %d-%d", i ? ", " : "", tables_hist[v[i].slot].table, (int)v[i].from,
			    (int)v[i].to);
	assert_string_equal(strb_str(&b), want);
	strb_free(&b);
}

/* Hours take the place of tens of minutes only where they are added up, and only if that is allowed. */
static void parts(void **state)
{
	(void)state;
	expect_parts(7, 1000, ASK_SLOTS, 100000, "hist 7-1000");
	expect_parts(7, 1000, ASK_HOURS, 100000, "hist 7-1000");
	expect_parts(3601, 7201, ASK_SLOTS, 100000, "hist_minute 3601-7201");
	expect_parts(3601, 7201, ASK_HOURS, 100000, "hist_minute 3601-7201");
	expect_parts(3601, 7201, ASK_SUM, 100000, "hist_minute 3601-4200, hist_ten 4200-7200, hist_minute 7200-7201");
	expect_parts(3601, 43201, ASK_SLOTS, 100000, "hist_ten 3601-43201");
	expect_parts(3601, 43201, ASK_HOURS, 100000, "hist_ten 3601-7200, hist_hour 7200-43200, hist_ten 43200-43201");
	expect_parts(3600, 43200, ASK_HOURS, 43200, "hist_hour 3600-39600, hist_ten 39600-43200");
	expect_parts(3601, 43201, ASK_HOURS, 7000, "hist_ten 3601-43201");
	expect_parts(0, ASK_TENS_MAX + 1, ASK_HOURS, 1000000, "hist_hour 0-129601");
}

static void expect(const struct ask_what *w, const char *want)
{
	struct strb b = { 0 };

	ask_where(&b, w, "series");
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
	w.series = NULL;
	w.by = "x";
	w.nselectors = 0;
	expect(&w, " AND tenant = 't' AND series IN ('x', '@x')");
	w.series = "@x";
	w.by = NULL;
	w.nselectors = 1;
	w.selectors[0] = "role=db";
	expect(&w,
	       " AND tenant = 't' AND series = '@x' AND (site, host) IN (SELECT site, host FROM (SELECT site, host,"
	       " argMax(labels, seen) AS l FROM host WHERE tenant = 't' GROUP BY site, host) WHERE 1 AND has(splitByChar('\\n', l), 'role=db'))");
	w.series = NULL;
	w.selectors[0] = "site=e*";
	expect(&w, " AND tenant = 't' AND site LIKE 'e%'");
	w.selectors[w.nselectors++] = "web1";
	w.except[w.nexcept++] = "eu/web2";
	w.rest = true;
	expect(&w,
	       " AND tenant = 't' AND NOT (1 AND site LIKE 'e%' AND (host LIKE 'web1')) AND NOT (site LIKE 'eu' AND host LIKE 'web2')");
}

static void expect_ranges(uint64_t from, uint64_t to, uint64_t earlier, uint64_t now, const char *want)
{
	struct ask_range r[2] = { 0 };
	char text[80] = "none";

	if (askdiff_ranges((struct ask_range){ from, to }, earlier, now, r) == 0)
		snprintf(text, sizeof(text), "%d-%d %d-%d", (int)r[0].from, (int)r[0].to, (int)r[1].from, (int)r[1].to);
	assert_string_equal(text, want);
}

/* Whole slots, without those that may still come. */
static void compared_ranges(void **state)
{
	(void)state;
	expect_ranges(1000, 1100, 0, 5000, "1000-1100 1000-1100");
	expect_ranges(1000, 1100, 50, 1100, "950-1045 1000-1095");
	expect_ranges(1000, 1100, 0, 1005, "none");
	expect_ranges(1001, 9001, 90, 9001, "900-8760 1020-8880");
	expect_ranges(1000, 1100, 2000, 5000, "none");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(tables), cmocka_unit_test(covers), cmocka_unit_test(parts),
					    cmocka_unit_test(conditions), cmocka_unit_test(compared_ranges) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
