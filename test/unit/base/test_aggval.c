/* SPDX-License-Identifier: Apache-2.0 */
/* Aggregation values: bucket indices and bounds at their edges, and merging. */
#include "../unit.h"
#include "base/aggval.h"
#include "base/cleanup.h"

static void quantize_buckets_hold_powers_of_two(void **state)
{
	(void)state;
	assert_int_equal(aggval_quantize_bucket(0), 63);
	assert_int_equal(aggval_quantize_bucket(1), 64);
	assert_int_equal(aggval_quantize_bucket(-1), 62);
	assert_int_equal(aggval_quantize_bucket(INT64_MAX), 126);
	assert_int_equal(aggval_quantize_bucket(INT64_MIN), 0);
	for (unsigned b = 64; b < AGG_QUANT_NBUCKETS; b++) {
		int64_t v = aggval_quantize_bound(b);

		assert_int_equal(aggval_quantize_bucket(v), b);
		assert_int_equal(aggval_quantize_bucket(v - 1), b - 1);
		assert_int_equal(aggval_quantize_bucket(-v), 126 - b);
		assert_true(aggval_quantize_bound(126 - b) == -v);
	}
}

static void hist_buckets_are_narrow(void **state)
{
	unsigned b;

	(void)state;
	assert_int_equal(aggval_hist_bucket(-1), 0);
	assert_int_equal(aggval_hist_bucket(INT64_MIN), 0);
	assert_int_equal(aggval_hist_bucket(0), 1);
	assert_int_equal(aggval_hist_bucket(63), 64);
	assert_int_equal(aggval_hist_bucket(64), aggval_hist_bucket(65));
	assert_int_equal(aggval_hist_bucket(INT64_MAX), AGG_HIST_NBUCKETS - 1);
	for (b = 1; b < AGG_HIST_NBUCKETS; b++) {
		int64_t v = aggval_hist_bound(b);
		int64_t next = b + 1 < AGG_HIST_NBUCKETS ? aggval_hist_bound(b + 1) - 1 : INT64_MAX;

		assert_int_equal(aggval_hist_bucket(v), b);
		assert_int_equal(aggval_hist_bucket(next), b);
		assert_int_equal(aggval_hist_bucket(v - 1), b - 1);
		assert_true(next - v <= v / 32);
	}
}

static void lquantize_levels(void **state)
{
	static const struct {
		int32_t param[4];
		unsigned levels;
	} cases[] = {
		{ { 0, 100, 10 }, 10 }, { { 0, 95, 10 }, 9 },
		{ { -5, 5, 1 }, 10 },	{ { 0, 65535, 1 }, 65535 },
		{ { 0, 65536, 1 }, 0 }, { { 0, 10, 0 }, 0 },
		{ { 0, 10, -1 }, 0 },	{ { 10, 0, 1 }, 0 },
		{ { 0, 5, 10 }, 0 },	{ { INT32_MIN, INT32_MAX, INT32_MAX }, 2 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(aggval_lquantize_levels(cases[i].param), cases[i].levels);
}

static void lquantize_buckets(void **state)
{
	static const int32_t p[4] = { -20, 30, 10 };
	static const struct {
		int64_t v;
		unsigned bucket;
	} cases[] = {
		{ INT64_MIN, 0 }, { -21, 0 }, { -20, 1 }, { -11, 1 },	    { -10, 2 },
		{ 0, 3 },	  { 29, 5 },  { 30, 6 },  { INT64_MAX, 6 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(aggval_lquantize_bucket(p, cases[i].v), cases[i].bucket);
}

static void llquantize_parameters(void **state)
{
	static const struct {
		int32_t param[4];
		unsigned n;
	} cases[] = {
		{ { 10, 0, 6, 20 }, 7 * 18 * 2 + 3 },
		{ { 10, 3, 5, 10 }, 3 * 9 * 2 + 3 },
		{ { 2, 0, 61, 2 }, 62 * 2 + 3 },
		{ { 2, 0, 62, 2 }, 0 },
		{ { 2, 0, 2000000000, 2 }, 0 },
		{ { 10, 0, 6, 25 }, 0 },
		{ { 10, 0, 6, 30 }, 0 },
		{ { 10, 2, 6, 80 }, 0 },
		{ { 10, 0, 6, 5 }, 7 * 5 * 2 + 3 },
		{ { 10, 0, 6, 4 }, 0 },
		{ { 10, 0, 6, 0 }, 0 },
		{ { 1, 0, 6, 20 }, 0 },
		{ { 10, -1, 6, 20 }, 0 },
		{ { 10, 4, 3, 20 }, 0 },
		{ { 10, 5, 17, 10 }, 13 * 18 + 3 },
		{ { 10, 5, 18, 10 }, 0 },
		{ { 10, 4, 5, 100000 }, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(aggval_llquantize_nbuckets(cases[i].param), cases[i].n);
}

/* Every bucket's bound lies in it, and the value before it in the bucket before. */
static void llquantize_bounds_agree_with_buckets(void **state)
{
	static const int32_t params[][4] = {
		{ 10, 0, 6, 20 },  { 10, 0, 3, 10 }, { 10, 2, 5, 100 }, { 2, 0, 61, 2 }, { 2, 3, 8, 4 },
		{ 10, 0, 2, 100 }, { 7, 1, 4, 7 },   { 10, 0, 3, 5 },	{ 8, 1, 5, 4 },	 { 10, 2, 4, 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(params); i++) {
		const int32_t *p = params[i];
		unsigned n = aggval_llquantize_nbuckets(p), zero = n / 2, last = zero;

		assert_int_equal(aggval_llquantize_bucket(p, 0), zero);
		assert_int_equal(aggval_llquantize_bucket(p, INT64_MAX), n - 1);
		assert_int_equal(aggval_llquantize_bucket(p, INT64_MIN), 0);
		for (unsigned b = zero + 1; b < n; b++) {
			int64_t v = aggval_llquantize_bound(p, b);

			assert_true(aggval_llquantize_bound(p, 2 * zero - b) == -v);
			if (!v) /* cannot hold a value */
				continue;
			assert_int_equal(aggval_llquantize_bucket(p, v), b);
			assert_int_equal(aggval_llquantize_bucket(p, v - 1), last);
			assert_int_equal(aggval_llquantize_bucket(p, -v), 2 * zero - b);
			last = b;
		}
		assert_int_equal(last, n - 1);
		assert_int_equal(aggval_llquantize_bound(p, n), 0);
	}
}

static void llquantize_like_the_guide(void **state)
{
	static const int32_t p[4] = { 10, 0, 6, 20 };
	const unsigned zero = 127;

	(void)state;
	/* 1 … 9 by ones (two steps each), 10 … 95 by fives, 100 … 950 by fifties */
	assert_int_equal(aggval_llquantize_bound(p, zero + 1), 1);
	assert_int_equal(aggval_llquantize_bound(p, zero + 2), 0);
	assert_int_equal(aggval_llquantize_bound(p, zero + 3), 2);
	assert_int_equal(aggval_llquantize_bound(p, zero + 19), 10);
	assert_int_equal(aggval_llquantize_bound(p, zero + 20), 15);
	assert_int_equal(aggval_llquantize_bound(p, zero + 37), 100);
	assert_int_equal(aggval_llquantize_bound(p, zero + 38), 150);
	assert_int_equal(aggval_llquantize_bound(p, 0), -10000000);
}

static void sizes_of_values(void **state)
{
	static const int32_t none[4], lq[4] = { 0, 100, 10 }, ll[4] = { 10, 0, 6, 20 };

	(void)state;
	assert_int_equal(aggval_size(AGG_COUNT, none), 8);
	assert_int_equal(aggval_size(AGG_SUM, none), 16);
	assert_int_equal(aggval_size(AGG_AVG, none), 16);
	assert_int_equal(aggval_size(AGG_MIN, none), 16);
	assert_int_equal(aggval_size(AGG_MAX, none), 16);
	assert_int_equal(aggval_size(AGG_STDDEV, none), 32);
	assert_int_equal(aggval_size(AGG_QUANTIZE, none), 8 * 128);
	assert_int_equal(aggval_size(AGG_LQUANTIZE, lq), 8 * 13);
	assert_int_equal(aggval_size(AGG_LQUANTIZE, none), 0);
	assert_int_equal(aggval_size(AGG_LLQUANTIZE, ll), 8 * (1 + 255));
	assert_int_equal(aggval_size(AGG_LLQUANTIZE, none), 0);
}

static void merging_min_and_max(void **state)
{
	static const struct {
		enum agg_func func;
		bool is_signed;
		uint64_t a[2], b[2], want[2];
	} cases[] = {
		{ AGG_MIN, true, { 2, 5 }, { 1, (uint64_t)-3 }, { 3, (uint64_t)-3 } },
		{ AGG_MIN, false, { 2, 5 }, { 1, (uint64_t)-3 }, { 3, 5 } },
		{ AGG_MAX, true, { 2, 5 }, { 1, (uint64_t)-3 }, { 3, 5 } },
		{ AGG_MAX, false, { 2, 5 }, { 1, (uint64_t)-3 }, { 3, (uint64_t)-3 } },
		{ AGG_MIN, true, { 0, 0 }, { 4, 7 }, { 4, 7 } }, /* nothing there yet */
		{ AGG_MAX, true, { 0, 0 }, { 4, (uint64_t)-7 }, { 4, (uint64_t)-7 } },
		{ AGG_MAX, true, { 4, (uint64_t)-7 }, { 0, 0 }, { 4, (uint64_t)-7 } }, /* nothing comes */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t v[2] = { cases[i].a[0], cases[i].a[1] };

		aggval_merge(cases[i].func, cases[i].is_signed, (int32_t[4]){ 0 }, v, cases[i].b);
		assert_memory_equal(v, cases[i].want, sizeof(v));
	}
}

static void merging_adds_words(void **state)
{
	uint64_t dev[4] = { 1, 2, UINT64_MAX, 4 }, more[4] = { 10, (uint64_t)-20, 2, 40 };
	const uint64_t want[4] = { 11, (uint64_t)-18, 1, 45 };
	uint64_t q[AGG_QUANT_NBUCKETS + 1], r[AGG_QUANT_NBUCKETS + 1];

	(void)state;
	aggval_merge(AGG_STDDEV, true, (int32_t[4]){ 0 }, dev, more);
	assert_memory_equal(dev, want, sizeof(want));
	for (unsigned i = 0; i <= AGG_QUANT_NBUCKETS; i++) {
		q[i] = i;
		r[i] = 1000 * i + 1;
	}
	aggval_merge(AGG_QUANTIZE, true, (int32_t[4]){ 0 }, q, r);
	for (unsigned i = 0; i <= AGG_QUANT_NBUCKETS; i++)
		assert_int_equal(q[i], 1001 * i + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantize_buckets_hold_powers_of_two),
		cmocka_unit_test(hist_buckets_are_narrow),
		cmocka_unit_test(lquantize_levels),
		cmocka_unit_test(lquantize_buckets),
		cmocka_unit_test(llquantize_parameters),
		cmocka_unit_test(llquantize_bounds_agree_with_buckets),
		cmocka_unit_test(llquantize_like_the_guide),
		cmocka_unit_test(sizes_of_values),
		cmocka_unit_test(merging_min_and_max),
		cmocka_unit_test(merging_adds_words),
	};

	return cmocka_run_group_tests_name("aggval", tests, NULL, NULL);
}
