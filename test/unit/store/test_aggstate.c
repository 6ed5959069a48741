/* SPDX-License-Identifier: Apache-2.0 */
/* The state of aggregations: deltas merge, clear keeps keys, trunc keeps the right ones, order as DTrace. */
#include "../unit.h"
#include <stdlib.h>
#include <errno.h>
#include "store/aggstate.h"

static const struct recfield key_fields[] = { { .kind = FLD_INT, .size = 8, .is_signed = true } };
static const struct aggdesc sum = { .id = 0,
				    .name = "s",
				    .func = AGG_SUM,
				    .keys = key_fields,
				    .nkeys = 1,
				    .key_size = 8,
				    .value_size = 16,
				    .is_signed = true },
			    count = { .id = 1, .name = "c", .func = AGG_COUNT, .value_size = 8 };
static const struct aggdesc *const aggs[] = { &sum, &count };
static const struct rec_schema schema = { .aggs = aggs, .naggs = 2, .ncpus = 2 };

static struct aggstate *make(void)
{
	struct aggstate *s = NULL;

	assert_int_equal(aggstate_new(&schema, &s), 0);
	return s;
}

static void add(struct aggstate *s, int64_t key, int64_t value)
{
	uint64_t v[2] = { 1, (uint64_t)value };
	struct row row = { .kind = ROW_AGG, .id = 0, .data = &key, .len = 8, .value = v };

	assert_int_equal(aggstate_apply(s, &row), 0);
}

/* The value of a key; fails when it is missing. */
static int64_t value_of(struct aggstate *s, int64_t key)
{
	const struct agg_entry *e;
	size_t n = aggstate_entries(s, 0, &e);

	for (size_t i = 0; i < n; i++)
		if (memcmp(e[i].key, &key, 8) == 0)
			return (int64_t)e[i].value[1];
	fail_msg("key %lld is missing", (long long)key);
	return 0;
}

static size_t entries(struct aggstate *s, uint32_t agg)
{
	const struct agg_entry *e;

	return aggstate_entries(s, agg, &e);
}

static void deltas_are_merged(void **state)
{
	struct aggstate *s = make();
	uint64_t one = 3;
	struct row row = { .kind = ROW_AGG, .id = 1, .value = &one };
	const struct agg_entry *e;

	(void)state;
	add(s, 1, 10);
	add(s, 2, 20);
	add(s, 1, -15);
	assert_int_equal(entries(s, 0), 2);
	assert_int_equal(value_of(s, 1), -5);
	assert_int_equal(value_of(s, 2), 20);
	for (int i = 0; i < 2; i++)
		assert_int_equal(aggstate_apply(s, &row), 0);
	assert_int_equal(aggstate_entries(s, 1, &e), 1);
	assert_int_equal(e[0].value[0], 6);
	assert_null(e[0].percpu);
	aggstate_free(s);
}

static void cpus_are_kept_apart_when_given(void **state)
{
	struct aggstate *s = make();
	uint64_t value = 5, percpu[2] = { 2, 3 };
	struct row row = { .kind = ROW_AGG, .id = 1, .value = &value, .percpu = percpu };
	const struct agg_entry *e;

	(void)state;
	assert_int_equal(aggstate_apply(s, &row), 0);
	assert_int_equal(aggstate_apply(s, &row), 0);
	assert_int_equal(aggstate_entries(s, 1, &e), 1);
	assert_int_equal(e[0].value[0], 10);
	assert_int_equal(e[0].percpu[0], 4);
	assert_int_equal(e[0].percpu[1], 6);
	aggstate_clear(s, 1);
	assert_int_equal(e[0].percpu[1], 0);
	aggstate_free(s);
}

static void bad_rows_are_refused(void **state)
{
	struct aggstate *s = make();
	uint64_t v[2] = { 1, 1 }, key = 0;
	struct row rows[] = {
		{ .kind = ROW_EVENT, .id = 0, .data = &key, .len = 8, .value = v },
		{ .kind = ROW_AGG, .id = 2, .data = &key, .len = 8, .value = v },
		{ .kind = ROW_AGG, .id = 0, .data = &key, .len = 7, .value = v },
		{ .kind = ROW_AGG, .id = 0, .data = NULL, .len = 8, .value = v },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(aggstate_apply(s, &rows[i]), -EINVAL);
	assert_int_equal(entries(s, 2), 0);
	aggstate_clear(s, 2);
	aggstate_trunc(s, 2, false, 0);
	aggstate_normalize(s, 2, 3);
	assert_int_equal(aggstate_normal(s, 2), 1);
	aggstate_free(s);
	aggstate_free(NULL);
}

static void clear_keeps_keys_and_trunc_does_not(void **state)
{
	struct aggstate *s = make();

	(void)state;
	add(s, 1, 10);
	add(s, 2, 20);
	aggstate_clear(s, 0);
	assert_int_equal(entries(s, 0), 2);
	assert_int_equal(value_of(s, 2), 0);
	aggstate_trunc(s, 0, false, 0);
	assert_int_equal(entries(s, 0), 0);
	add(s, 3, 1);
	aggstate_trunc(s, 0, true, 0);
	assert_int_equal(entries(s, 0), 0);
	aggstate_free(s);
}

static void trunc_keeps_the_highest_or_lowest(void **state)
{
	static const struct {
		int64_t n;
		size_t left;
		int64_t lowest, highest; /* keys */
	} cases[] = {
		{ 3, 3, 7, 9 },		 { -3, 3, 0, 2 },	  { 10, 10, 0, 9 }, { -10, 10, 0, 9 }, { 99, 10, 0, 9 },
		{ INT64_MIN, 10, 0, 9 }, { INT64_MAX, 10, 0, 9 }, { 1, 1, 9, 9 },   { -1, 1, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct aggstate *s = make();

		for (int64_t k = 0; k < 10; k++)
			add(s, k, k < 5 ? k - 10 : k); /* signed values */
		aggstate_trunc(s, 0, true, cases[i].n);
		assert_int_equal(entries(s, 0), cases[i].left);
		value_of(s, cases[i].lowest);
		value_of(s, cases[i].highest);
		aggstate_free(s);
	}
}

static void equal_values_are_cut_by_key(void **state)
{
	struct aggstate *s = make();

	(void)state;
	for (int64_t k = -2; k < 3; k++)
		add(s, k, 7);
	aggstate_trunc(s, 0, true, 2);
	assert_int_equal(entries(s, 0), 2);
	value_of(s, -2); /* integer keys sort without their sign */
	value_of(s, -1);
	aggstate_free(s);
}

static void normalize_is_remembered(void **state)
{
	struct aggstate *s = make();

	(void)state;
	assert_int_equal(aggstate_normal(s, 0), 1);
	aggstate_normalize(s, 0, 1000);
	assert_int_equal(aggstate_normal(s, 0), 1000);
	assert_int_equal(aggstate_normal(s, 1), 1);
	aggstate_normalize(s, 0, 0); /* never divides by 0 */
	assert_int_equal(aggstate_normal(s, 0), 1000);
	aggstate_normalize(s, 0, 1);
	assert_int_equal(aggstate_normal(s, 0), 1);
	aggstate_free(s);
}

static int value_cmp(const struct aggdesc *d, const uint64_t *a, const uint64_t *b)
{
	struct agg_rank x = aggstate_rank(d, a), y = aggstate_rank(d, b);

	return aggstate_rank_cmp(&x, &y);
}

static void values_are_ordered_as_dtrace_does(void **state)
{
	static uint64_t lo[1 + AGG_QUANT_NBUCKETS], hi[1 + AGG_QUANT_NBUCKETS];
	static const struct {
		enum agg_func func;
		bool is_signed;
		int32_t param[4];
		uint64_t a[6], b[6];
		int want;
	} cases[] = {
		{ AGG_COUNT, false, { 0 }, { 1 }, { 2 }, -1 },
		{ AGG_SUM, true, { 0 }, { 1, (uint64_t)-5 }, { 1, 3 }, -1 },
		{ AGG_SUM, false, { 0 }, { 1, (uint64_t)-5 }, { 1, 3 }, 1 },
		{ AGG_SUM, false, { 0 }, { 1, UINT64_MAX - 1 }, { 1, UINT64_MAX }, -1 }, /* all 64 bits count */
		{ AGG_SUM, true, { 0 }, { 1, 1 + (uint64_t)INT64_MIN }, { 1, (uint64_t)INT64_MIN }, 1 },
		{ AGG_MAX, true, { 0 }, { 1, 4 }, { 1, 4 }, 0 },
		{ AGG_AVG, true, { 0 }, { 10, 20 }, { 1, 3 }, -1 },		       /* 2 < 3 */
		{ AGG_AVG, true, { 0 }, { 0, 0 }, { 1, (uint64_t)-1 }, 1 },	       /* 0 > -1 */
		{ AGG_STDDEV, true, { 0 }, { 2, 20, 200, 0 }, { 2, 20, 202, 0 }, -1 }, /* 0 < 1 */
		{ AGG_LQUANTIZE, true, { 0, 3, 1 }, { 1, 0, 1, 0, 0 }, { 1, 0, 0, 1, 0 }, -1 },
		/* equal sums (0): more zeros are more */
		{ AGG_LQUANTIZE, true, { 0, 3, 1 }, { 1, 0, 1, 0, 0 }, { 2, 0, 2, 0, 0 }, -1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct aggdesc d = { .func = cases[i].func, .is_signed = cases[i].is_signed };

		memcpy(d.param, cases[i].param, sizeof(d.param));
		assert_int_equal(value_cmp(&d, cases[i].a, cases[i].b), cases[i].want);
		assert_int_equal(value_cmp(&d, cases[i].b, cases[i].a), -cases[i].want);
	}
	lo[0] = hi[0] = 1;
	lo[1 + AGG_QUANT_ZERO + 3] = 2; /* 2 × 4 */
	hi[1 + AGG_QUANT_ZERO + 5] = 1; /* 1 × 16 */
	assert_int_equal(value_cmp(&(struct aggdesc){ .func = AGG_QUANTIZE }, lo, hi), -1);
}

/* The number that stands for the beginning of a key never contradicts the comparison. */
static void leads_are_in_the_order_of_keys(void **state)
{
	static const struct recfield fields[] = {
		{ .kind = FLD_INT, .size = 8 },	   { .kind = FLD_INT, .size = 4 },
		{ .kind = FLD_INT, .size = 1 },	   { .kind = FLD_STRING, .size = 16 },
		{ .kind = FLD_STRING, .size = 4 }, { .kind = FLD_BYTES, .size = 12 },
	};
	uint8_t a[16], b[16];
	int told = 0;

	(void)state;
	srandom(1);
	for (int round = 0; round < 20000; round++) {
		const struct recfield *f = &fields[round % (int)(sizeof(fields) / sizeof(fields[0]))];
		uint64_t x, y;
		int c;

		for (int i = 0; i < 16; i++) { /* long equal beginnings, ends in between */
			a[i] = (uint8_t)(random() % 3 ? 'a' + random() % 2 : random());
			b[i] = (uint8_t)(random() % 4 ? a[i] : random() % 3 * 100);
		}
		c = aggstate_key_field_cmp(f, a, b);
		x = aggstate_key_field_lead(f, a);
		y = aggstate_key_field_lead(f, b);
		if (x != y)
			assert_true((x < y) == (c < 0));
		told += x != y;
	}
	assert_true(told > 5000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(deltas_are_merged),
		cmocka_unit_test(cpus_are_kept_apart_when_given),
		cmocka_unit_test(bad_rows_are_refused),
		cmocka_unit_test(clear_keeps_keys_and_trunc_does_not),
		cmocka_unit_test(trunc_keeps_the_highest_or_lowest),
		cmocka_unit_test(equal_values_are_cut_by_key),
		cmocka_unit_test(normalize_is_remembered),
		cmocka_unit_test(values_are_ordered_as_dtrace_does),
		cmocka_unit_test(leads_are_in_the_order_of_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
