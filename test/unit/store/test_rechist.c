/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms of slots: adding up, quantiles, refusal of what is none; words as text. */
#include "../unit.h"
#include <math.h>
#include "recsample.h"
#include "store/file/sparse.h"

static struct rec_histdesc desc_of(uint32_t source)
{
	struct rec_histdesc d;

	assert_true(rec_hist_source(&sample_schema, source, &d));
	return d;
}

static void add(struct histsum *s, const struct rec_bucket *b, uint32_t n, uint64_t sum, uint64_t max)
{
	struct rec_hist h = { .period = SEC, .sum = sum, .max = max, .nbuckets = n };

	for (uint32_t i = 0; i < n; i++)
		h.count += b[i].count;
	assert_int_equal(histsum_add(s, &h, b), 0);
}

static void sums_are_exact(void **state)
{
	const struct rec_bucket a[] = { { 3, 0, 1 }, { 7, 0, 2 }, { 90, 0, 5 } };
	const struct rec_bucket b[] = { { 1, 0, 4 }, { 7, 0, 3 }, { 91, 0, 1 } };
	const struct rec_bucket want[] = { { 1, 0, 4 }, { 3, 0, 1 }, { 7, 0, 5 }, { 90, 0, 5 }, { 91, 0, 1 } };
	struct histsum s = { 0 };

	(void)state;
	add(&s, a, 3, 100, 80);
	add(&s, b, 3, 50, 85);
	add(&s, NULL, 0, 0, 0);
	assert_int_equal(s.n, 5);
	assert_memory_equal(s.v, want, sizeof(want));
	assert_int_equal(s.count, 16);
	assert_int_equal(s.sum, 150);
	assert_int_equal(s.max, 85);
	histsum_reset(&s);
	add(&s, b, 3, 50, 85);
	assert_int_equal(s.n, 3);
	assert_int_equal(s.count, 8);
	histsum_free(&s);
}

/* 100 values 1 … 100: the k-th percentile is k, as far as a bucket of 64 … 127 is 2 wide. */
static void quantiles_are_ranks(void **state)
{
	struct rec_histdesc d = desc_of(SAMPLE_KEYLESS);
	struct histsum s = { 0 };

	(void)state;
	assert_true(isnan(histsum_quantile(&s, &d, 0.5)));
	assert_int_equal(histsum_quantile_ns(&s, &d, 0.5), 0);
	for (int64_t v = 1; v <= 100; v++)
		add(&s, &(struct rec_bucket){ aggval_hist_bucket(v), 0, 1 }, 1, (uint64_t)v, (uint64_t)v);
	for (int k = 1; k <= 63; k++)
		assert_true(histsum_quantile(&s, &d, k / 100.0) == k);
	for (int k = 64; k <= 100; k++)
		assert_true(fabs(histsum_quantile(&s, &d, k / 100.0) - k) <= 0.5);
	assert_int_equal(histsum_quantile_ns(&s, &d, 0.5), 50);
	assert_true(histsum_quantile(&s, &d, 0) == 1);
	assert_true(histsum_quantile(&s, &d, 1) == 100); /* not above the largest: 100.5 */
	histsum_free(&s);
}

static void error_is_within_what_is_said(void **state)
{
	struct rec_histdesc d = desc_of(SAMPLE_KEYLESS);

	(void)state;
	for (uint64_t v = 1; v < UINT64_C(1) << 60; v += v / 7 + 1) {
		double mid = rechist_middle(&d, aggval_hist_bucket((int64_t)v));

		assert_true(fabs(mid - (double)v) <= 0.016 * (double)v + 0.5);
	}
}

static void others_than_hist_have_middles(void **state)
{
	struct rec_histdesc d = desc_of(SAMPLE_LQUANT);

	(void)state;
	assert_true(rechist_middle(&d, 0) == -1);	      /* below 0 */
	assert_true(rechist_middle(&d, 1) == 4.5);	      /* 0 … 9 */
	assert_true(rechist_middle(&d, 11) == 100);	      /* 100 and above */
	assert_false(rec_hist_source(&sample_schema, 4, &d)); /* sum() */
	assert_false(rec_hist_source(&sample_schema, 6, &d)); /* nothing */
}

static void refuses_what_is_none(void **state)
{
	struct rec_histdesc d = desc_of(SAMPLE_HIST);
	uint64_t words[AGG_HIST_NBUCKETS] = { [3] = 1, [9] = 2 }, key = 1;
	struct rec_hist head = { .period = SEC, .key_size = 8 }, *h;
	struct rechist_buf b = { 0 };
	struct rec_bucket *v;

	(void)state;
	assert_int_equal(rechist_make(&b, &head, &key, words, d.nbuckets), 0);
	h = (void *)b.v;
	v = (void *)(b.v + rechist_head(8));
	assert_true(rechist_fits(&d, b.v, b.n));
	assert_memory_equal(rechist_key(h), &key, 8);
	assert_false(rechist_fits(&d, b.v, b.n - 1));
	assert_false(rechist_fits(&d, b.v, 8));
	v[1].index = 3;
	assert_false(rechist_fits(&d, b.v, b.n));
	v[1].index = AGG_HIST_NBUCKETS;
	assert_false(rechist_fits(&d, b.v, b.n));
	v[1].index = 9;
	h->count++;
	assert_false(rechist_fits(&d, b.v, b.n));
	h->count--;
	h->key_size = UINT32_MAX;
	assert_false(rechist_fits(&d, b.v, b.n));
	h->key_size = 8;
	h->period = 0;
	assert_false(rechist_fits(&d, b.v, b.n));
	rechist_buf_free(&b);
}

static void words_are_text_and_back(void **state)
{
	static const char *const bad[] = { "",
					   "{",
					   "{}x",
					   "{\"1\":2,}",
					   "{\"1\":}",
					   "{\"1\":2 }",
					   "{1:2}",
					   "{\"2\":1,\"1\":1}",
					   "{\"1\":1,\"1\":1}",
					   "{\"8\":1}",
					   "{\"1\":9223372036854775808}",
					   "{\"-1\":1}",
					   "{\"99999999999999999999\":1}",
					   "{\"1\":1\"2\":2}",
					   "{,\"1\":1}" };
	uint64_t words[8] = { 0, 5, 0, UINT64_MAX, 0, 0, 0, 1 }, back[8];
	struct strb b = { 0 };

	(void)state;
	sparse_put_words(&b, words, 8);
	assert_string_equal(strb_str(&b), "{\"1\":5,\"3\":-1,\"7\":1}");
	assert_true(sparse_get_words(b.s, b.n, back, 8));
	assert_memory_equal(words, back, sizeof(words));
	strb_reset(&b);
	sparse_put_words(&b, words, 1);
	assert_string_equal(strb_str(&b), "{}");
	assert_true(sparse_get_words("{}", 2, back, 8));
	assert_int_equal(back[1], 0);
	assert_true(sparse_get_words("{\"1\":-9223372036854775808}", 26, back, 8));
	assert_true(back[1] == UINT64_C(1) << 63);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (sparse_get_words(bad[i], strlen(bad[i]), back, 8))
			fail_msg("%s: accepted", bad[i]);
	strb_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_are_exact),
		cmocka_unit_test(quantiles_are_ranks),
		cmocka_unit_test(error_is_within_what_is_said),
		cmocka_unit_test(others_than_hist_have_middles),
		cmocka_unit_test(refuses_what_is_none),
		cmocka_unit_test(words_are_text_and_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
