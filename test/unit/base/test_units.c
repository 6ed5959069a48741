/* SPDX-License-Identifier: Apache-2.0 */
/* Durations as people read them, and the values of buckets. */
#include "../unit.h"
#include "base/aggval.h"
#include "base/num.h"
#include "base/units.h"

static void durations_have_three_digits(void **state)
{
	static const struct {
		uint64_t ns;
		const char *expect;
	} rows[] = {
		{ 0, "0 ns" },
		{ 999, "999 ns" },
		{ 1000, "1.00 us" },
		{ 1234, "1.23 us" },
		{ 1235, "1.24 us" },
		{ 9994, "9.99 us" },
		{ 9995, "10.0 us" },
		{ 99949, "99.9 us" },
		{ 99950, "100 us" },
		{ 999499, "999 us" },
		{ 999500, "1.00 ms" },
		{ 41230000, "41.2 ms" },
		{ 750000000, "750 ms" },
		{ 999499999, "999 ms" },
		{ 999500000, "1.00 s" },
		{ 2000000000, "2.00 s" },
		{ 3598199999999, "3598 s" },
		{ 3598200000000, "1.00 h" },
		{ 85000000000000, "23.6 h" },
		{ 86400000000000, "1.00 d" },
		{ UINT64_MAX, "213504 d" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char buf[UNITS_LEN];

		assert_string_equal(units_ns(rows[i].ns, buf), rows[i].expect);
	}
}

static void exact_ones_can_be_typed_again(void **state)
{
	static const struct {
		uint64_t ns;
		const char *expect;
	} rows[] = { { 0, "0" },
		     { 1, "1ns" },
		     { 1500, "1500ns" },
		     { 10000000, "10ms" },
		     { 1500000, "1500us" },
		     { 90000000000, "90s" },
		     { 120000000000, "2m" },
		     { 3600000000000, "1h" },
		     { UINT64_MAX, "18446744073709551615ns" } };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char buf[UNITS_EXACT_LEN];
		uint64_t back;

		assert_string_equal(units_exact_ns(rows[i].ns, buf), rows[i].expect);
		assert_int_equal(num_parse_period(buf, 1, 0, &back), 0);
		assert_true(back == rows[i].ns);
	}
}

static void numbers_have_letters(void **state)
{
	static const struct {
		double v;
		const char *expect;
	} rows[] = { { 0, "0" },	  { -1.5, "-1.5" },	   { 999.4, "999" },   { 999.5, "1.00k" },
		     { 1234, "1.23k" },	  { -41234567, "-41.2M" }, { 999499, "999k" }, { 999500, "1.00M" },
		     { 1.8e19, "18.0E" }, { 1e30, "1e+30" } };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char buf[UNITS_LEN];

		assert_string_equal(units_number(rows[i].v, buf), rows[i].expect);
	}
}

/* A value lies in the range of its bucket, its neighbours' ranges do not hold it. */
static void check_value(enum agg_func func, const int32_t param[4], unsigned bucket, int64_t v)
{
	struct aggval_range r = aggval_bucket_range(func, param, bucket);

	assert_true(!r.has_from || r.from <= v);
	assert_true(!r.has_to || v < r.to);
}

static void buckets_hold_their_values(void **state)
{
	static const int32_t lq[4] = { 10, 100, 10 }, ll[4] = { 10, 0, 3, 20 }, none[4] = { 0 };
	static const int64_t values[] = { INT64_MIN, -1001, -64, -1,  0,   1,	 2,    9,     10,	 63,	   64,
					  65,	     99,    100, 101, 999, 1000, 9999, 10000, 123456789, INT64_MAX };

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		int64_t v = values[i];

		check_value(AGG_QUANTIZE, none, aggval_quantize_bucket(v), v);
		check_value(AGG_LQUANTIZE, lq, aggval_lquantize_bucket(lq, v), v);
		check_value(AGG_LLQUANTIZE, ll, aggval_llquantize_bucket(ll, v), v);
		check_value(AGG_HIST, none, aggval_hist_bucket(v), v);
	}
	assert_int_equal(aggval_nbuckets(AGG_HIST, none), AGG_HIST_NBUCKETS);
	assert_int_equal(aggval_nbuckets(AGG_LQUANTIZE, lq), 11);
	assert_int_equal(aggval_nbuckets(AGG_LQUANTIZE, none), 0);
	assert_int_equal(aggval_nbuckets(AGG_SUM, none), 0);
	assert_false(aggval_bucket_range(AGG_HIST, none, AGG_HIST_NBUCKETS - 1).has_to);
	assert_int_equal(aggval_bucket_range(AGG_HIST, none, 1).from, 0);
	assert_int_equal(aggval_bucket_range(AGG_HIST, none, 1).to, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(durations_have_three_digits),
		cmocka_unit_test(exact_ones_can_be_typed_again),
		cmocka_unit_test(numbers_have_letters),
		cmocka_unit_test(buckets_hold_their_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
