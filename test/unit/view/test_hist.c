/* SPDX-License-Identifier: Apache-2.0 */
/* Distributions: quantiles and what they may be wrong by, shares, differences, rows, against hand-computed figures. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/aggval.h"
#include "base/cleanup.h"
#include "unit.h"
#include "view/picture/hist.h"

static const int32_t none[4];

static struct hist_series series(enum agg_func func, const uint64_t (*v)[2], size_t n, uint64_t max)
{
	struct hist_series s = { .d = { .name = "t", .func = func, .param = none } };
	struct rec_bucket b[16];
	struct rec_hist h = { .count = 0, .max = max, .nbuckets = (uint32_t)n, .flags = max ? 0 : HIST_NO_SUM };

	for (size_t i = 0; i < n; i++) {
		b[i] = (struct rec_bucket){ func == AGG_HIST ? aggval_hist_bucket((int64_t)v[i][0])
							     : aggval_quantize_bucket((int64_t)v[i][0]),
					    0, v[i][1] };
		h.count += v[i][1];
	}
	assert_int_equal(histsum_add(&s.sum, &h, b), 0);
	return s;
}

static void quantiles(void **state)
{
	static const uint64_t v[][2] = { { 10, 50 }, { 20, 40 }, { 1000, 9 }, { 100000, 1 } };
	struct hist_series s = series(AGG_HIST, v, 4, 100123);
	struct hist_value q = hist_quantile(&s.sum, &s.d, 0.5);

	(void)state;
	assert_true(q.exact && q.value == 10 && hist_error(&q) == 0);
	q = hist_quantile(&s.sum, &s.d, 0.51);
	assert_true(q.value == 20);
	q = hist_quantile(&s.sum, &s.d, 0.99); /* 1000: 512 … 1024 in 32 parts of 16: 992 … 1008 */
	assert_true(!q.exact && q.low == 992 && q.high == 1008 && q.value == 1000 &&
		    fabs(hist_error(&q) - 0.008) < 1e-12);
	q = hist_quantile(&s.sum, &s.d, 1);
	assert_true(q.exact && q.value == 100123); /* known */
	histsum_free(&s.sum);
	s = series(AGG_QUANTIZE, v, 4, 0);
	q = hist_quantile(&s.sum, &s.d, 0.5); /* 8 … 15 */
	assert_true(q.low == 8 && q.high == 16 && q.value == 12 && fabs(hist_error(&q) - 1 / 3.) < 1e-12);
	q = hist_quantile(&s.sum, &s.d, 1);
	assert_true(q.low == 65536 && q.high == 131072);
	histsum_free(&s.sum);
	q = hist_quantile(&(struct histsum){ 0 }, &s.d, 0.5);
	assert_true(isnan(q.value) && hist_error(&q) == 0);
}

static void shares(void **state)
{
	static const uint64_t v[][2] = { { 8, 3 }, { 16, 1 } };
	struct hist_series s = series(AGG_QUANTIZE, v, 2, 0); /* 8 … 16, 16 … 32 */

	(void)state;
	assert_true(hist_share_below(&s.sum, &s.d, 8) == 0);
	assert_true(fabs(hist_share_below(&s.sum, &s.d, 12) - 0.375) < 1e-12);
	assert_true(hist_share_below(&s.sum, &s.d, 16) == 0.75);
	assert_true(hist_share_below(&s.sum, &s.d, 100) == 1);
	histsum_free(&s.sum);
}

static void differences(void **state)
{
	static const uint64_t a[][2] = { { 10, 500 }, { 20, 500 } }, b[][2] = { { 10, 100 }, { 40, 900 } };
	struct hist h = { .title = "t" };
	struct hist_diff d;

	(void)state;
	assert_int_equal(vec_try_push(&h.series, series(AGG_HIST, a, 2, 20)), 0);
	assert_int_equal(vec_try_push(&h.series, series(AGG_HIST, b, 2, 40)), 0);
	hist_lay_out(&h, false, HEAT_MAX_ROWS);
	d = hist_compare(&h.series.v[0], &h.series.v[1]);
	assert_true(d.ratio[0] == 4 && d.ratio[1] == 2);		    /* 40 / 10, 40 / 20 */
	assert_true(fabs(d.most + 0.9) < 1e-12 && d.at == 21 && !d.chance); /* at most 20: all of a, a tenth of b */
	d = hist_compare(&h.series.v[0], &h.series.v[0]);
	assert_true(d.ratio[0] == 1 && d.most == 0 && d.chance);
	for (size_t i = 0; i < 2; i++) {
		double sum = 0;

		for (unsigned r = 0; r < h.nrows; r++)
			sum += (double)h.series.v[i].share[r];
		assert_true(fabs(sum - 1) < 1e-5);
	}
	hist_done(&h);
}

static void few_rows(void **state)
{
	static const uint64_t v[][2] = { { 3, 1 }, { 1000000000, 1 } };
	struct hist h = { .title = "t" };

	(void)state;
	assert_int_equal(vec_try_push(&h.series, series(AGG_HIST, v, 2, 1000000000)), 0);
	hist_lay_out(&h, false, 24);
	assert_true(h.nrows <= 24 && h.edges[0] <= 3 && h.edges[h.nrows] >= 1e9);
	for (unsigned r = 0; r < h.nrows; r++)
		assert_true(h.edges[r] < h.edges[r + 1] && log2(h.edges[r]) == floor(log2(h.edges[r])));
	hist_lay_out(&h, true, 10);
	assert_true(h.nrows == 10 && h.edges[0] == 0 && h.edges[10] > 1e9);
	hist_done(&h);
}

/* Rows are no finer than the buckets: quantize() has a power of two each; and the axis says what a row is. */
static void rows_of_buckets(void **state)
{
	static const uint64_t v[][2] = { { 8, 3 }, { 16, 1 } };
	struct hist h = { .title = "t" };

	(void)state;
	assert_int_equal(vec_try_push(&h.series, series(AGG_QUANTIZE, v, 2, 0)), 0);
	hist_lay_out(&h, false, HEAT_MAX_ROWS);
	assert_int_equal(h.nrows, 2);
	assert_true(h.edges[0] == 8 && h.edges[1] == 16 && h.edges[2] == 32);
	assert_true(h.series.v[0].share[0] == 0.75F && h.series.v[0].share[1] == 0.25F);
	assert_string_equal(h.per, "power of two");
	assert_int_equal(vec_try_push(&h.series, series(AGG_HIST, v, 2, 16)), 0);
	hist_lay_out(&h, false, HEAT_MAX_ROWS);
	assert_int_equal(h.nrows, 64); /* 8 … 32 in 32 parts each */
	assert_string_equal(h.per, "1/32 of a power of two");
	hist_lay_out(&h, false, 2);
	assert_string_equal(h.per, "power of two");
	hist_lay_out(&h, false, 1);
	assert_string_equal(h.per, "2 powers of two");
	hist_lay_out(&h, true, 100);
	assert_string_equal(h.per, "0.34"); /* 0 … 34 */
	hist_done(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(quantiles), cmocka_unit_test(shares),
					    cmocka_unit_test(differences), cmocka_unit_test(few_rows),
					    cmocka_unit_test(rows_of_buckets) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
