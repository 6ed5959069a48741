/* SPDX-License-Identifier: Apache-2.0 */
/* ClickHouse's Native format, whole and in any pieces; damaged ones. Sums of histograms by key. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "../unit.h"
#include "base/cleanup.h"
#include "fleet/ask/rows.h"
#include "fleet/wire/native.h"

/* As ClickHouse 18.16 sent it: SELECT host, time, bucket, n, two rows; then an empty block. */
static const uint8_t answer[] = {
	4,   2,									      /* columns, rows */
	4,   'h', 'o', 's', 't', 6,   'S', 't', 'r', 'i', 'n', 'g', 2,	 'a', 'b', 0, /* "ab", "" */
	4,   't', 'i', 'm', 'e', 8,   'D', 'a', 't', 'e', 'T', 'i', 'm', 'e', 1,   0, 0, 0, 2, 1, 0, 0, 1, 'b', 13, 'A',
	'r', 'r', 'a', 'y', '(', 'U', 'I', 'n', 't', '1', '6', ')', /* ends: 1, 3 */
	1,   0,	  0,   0,   0,	 0,   0,   0,	3,   0,	  0,   0,   0,	 0,   0,   0, 5, 0, 6, 0, 7, 0, 1, 'n', 13, 'A',
	'r', 'r', 'a', 'y', '(', 'U', 'I', 'n', 't', '6', '4', ')', 1,	 0,   0,   0, 0, 0, 0, 0, 3, 0, 0, 0,	0,  0,
	0,   0,	  9,   0,   0,	 0,   0,   0,	0,   0,	  8,   0,   0,	 0,   0,   0, 0, 0, 7, 1, 0, 0, 0, 0,	0,  0,
};
static const enum native_type types[] = { NATIVE_TEXT, NATIVE_TIME, NATIVE_U16S, NATIVE_U64S };

static int on_block(void *ctx, const struct native *n)
{
	unsigned *blocks = ctx;
	size_t len, count;
	const char *v;

	assert_int_equal(n->nrows, 2);
	assert_memory_equal(native_text(n, 0, 0, &len), "ab", 2);
	assert_int_equal(len, 2);
	native_text(n, 0, 1, &len);
	assert_int_equal(len, 0);
	assert_int_equal(native_number(n, 1, 0), 1);
	assert_int_equal(native_number(n, 1, 1), 258);
	v = native_array(n, 2, 1, &count);
	assert_int_equal(count, 2);
	assert_int_equal(v[0], 6);
	v = native_array(n, 3, 1, &count);
	assert_int_equal(count, 2);
	assert_int_equal((uint8_t)v[8], 7);
	assert_int_equal(v[9], 1);
	++*blocks;
	return 0;
}

static void in_pieces(void **state)
{
	(void)state;
	for (size_t piece = 1; piece <= sizeof(answer); piece++) {
		struct native n = { .types = types, .ncolumns = 4 };
		unsigned blocks = 0;

		for (unsigned twice = 0; twice < 2; twice++)
			for (size_t at = 0; at < sizeof(answer); at += piece) {
				size_t len = sizeof(answer) - at < piece ? sizeof(answer) - at : piece;

				assert_int_equal(native_feed(&n, answer + at, len, on_block, &blocks), 0);
			}
		assert_true(native_ended(&n));
		assert_int_equal(blocks, 2);
		native_free(&n);
	}
}

static int nothing(void *ctx, const struct native *n)
{
	size_t count;

	(void)ctx;
	for (size_t row = 0; row < n->nrows; row++)
		native_array(n, 2, row, &count);
	return 0;
}

/* Every byte otherwise: it is refused, or read within its bounds (the sanitizers watch). */
static void damaged(void **state)
{
	static const uint8_t flips[] = { 0x01, 0x80, 0xff };
	uint8_t v[sizeof(answer)];

	(void)state;
	for (size_t i = 0; i < sizeof(answer); i++)
		for (size_t k = 0; k < 3; k++) {
			struct native n = { .types = types, .ncolumns = 4 };

			memcpy(v, answer, sizeof(v));
			v[i] ^= flips[k];
			(void)native_feed(&n, v, sizeof(v), nothing, NULL);
			native_free(&n);
		}
}

static void other_columns(void **state)
{
	static const enum native_type others[] = { NATIVE_TEXT, NATIVE_U32, NATIVE_U16S, NATIVE_U64S };
	struct native n = { .types = others, .ncolumns = 4 };

	(void)state;
	assert_int_equal(native_feed(&n, answer, sizeof(answer), nothing, NULL), -EINVAL);
	native_free(&n);
	n = (struct native){ .types = types, .ncolumns = 3 };
	assert_int_equal(native_feed(&n, answer, sizeof(answer), nothing, NULL), -EINVAL);
	native_free(&n);
	n = (struct native){ .types = types, .ncolumns = 4 };
	assert_int_equal(native_feed(&n, answer, sizeof(answer) - 1, nothing, NULL), 0);
	assert_false(native_ended(&n));
	native_free(&n);
}

static void sums(void **state)
{
	struct ask_groups g = { 0 };
	struct histsum h = { 0 };

	(void)state;
	for (uint32_t i = 0; i < 3000; i++) {
		const struct rec_bucket b[] = { { .index = 1000 - i % 100, .count = i },
						{ .index = 1100 + i % 7, .count = 1 } };
		const struct ask_row r = {
			.count = i + 1, .sum = 5, .max = i, .flags = 1u << i % 3, .nbuckets = 2, .buckets = b
		};

		assert_int_equal(ask_groups_add(&g, i % 2 ? 7 : UINT64_C(1) << 40, &r), 0);
	}
	ask_groups_sort(&g);
	assert_int_equal(g.v.n, 2);
	assert_int_equal(g.v.v[0].key, 7);
	assert_int_equal(ask_group_hist(&g.v.v[0], &h), 0);
	assert_int_equal(h.count, 1500 * 1501);
	assert_int_equal(h.sum, 7500);
	assert_int_equal(h.max, 2999);
	assert_int_equal(h.flags, 7);
	assert_int_equal(h.n, 50 + 7);
	assert_int_equal(h.v[0].index, 901);
	assert_int_equal(h.v[0].count, 30 * (99 + 2999) / 2);
	histsum_free(&h);
	ask_groups_free(&g);
}

static void texts(void **state)
{
	struct texttab t = { 0 };
	const char **sorted;
	uint32_t *place, n;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(texttab_number(&t, "web", 3, &n), 0);
		assert_int_equal(n, 0);
		assert_int_equal(texttab_number(&t, "", 0, &n), 0);
		assert_int_equal(n, 1);
		assert_int_equal(texttab_number(&t, "db\0x", 4, &n), 0);
		assert_int_equal(n, 2);
	}
	assert_int_equal(texttab_sort(&t, &sorted, &place), 0);
	assert_string_equal(sorted[1], "db");
	assert_int_equal(place[0], 2);
	free(sorted);
	free(place);
	assert_true(texttab_has(&t, "web", 3));
	assert_false(texttab_has(&t, "we", 2));
	texttab_free(&t);
}

static void number_sets(void **state)
{
	static const uint32_t numbers[] = { 0, 63, 64, 1023, 1024, 100000, 1 };
	struct numset s = { 0 };
	bool fresh;

	(void)state;
	for (unsigned again = 0; again < 2; again++)
		for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
			assert_int_equal(numset_add(&s, numbers[i], &fresh), 0);
			assert_int_equal(fresh, !again);
		}
	numset_free(&s);
	numset_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(in_pieces),     cmocka_unit_test(damaged),
					    cmocka_unit_test(other_columns), cmocka_unit_test(sums),
					    cmocka_unit_test(texts),	     cmocka_unit_test(number_sets) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
