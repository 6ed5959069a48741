/* SPDX-License-Identifier: Apache-2.0 */
/* Rows kept until the end: which ones, in which order, and the counts of the others. */
#include "../unit.h"
#include <errno.h>
#include "run/consume/row_retention.h"

struct taken {
	char text[256];
	uint64_t lost[2];
	unsigned most; /* rows that are taken before an error */
};

static int take(void *ctx, const struct row *row)
{
	struct taken *t = ctx;

	if (!t->most--)
		return -EIO;
	if (row->kind == ROW_DROPS)
		t->lost[row->cpu] = row->count;
	else
		strncat(t->text, row->data, row->len);
	return 0;
}

static struct retention *filled(uint64_t bytes, bool ring, const char *texts)
{
	struct retention *h;

	assert_int_equal(retention_new(2, bytes, ring, &h), 0);
	for (; *texts; texts += 3) { /* "0ab": CPU 0, two bytes */
		struct row row = { .kind = ROW_EVENT, .cpu = (uint32_t)(*texts - '0'), .data = texts + 1, .len = 2 };

		assert_int_equal(retention_add(h, &row), 0);
	}
	return h;
}

static void all_in_order(void **state)
{
	struct retention *h = filled(100, true, "0aa1bb0cc1dd");
	struct taken t = { .most = 100 };

	(void)state;
	assert_false(retention_full(h));
	assert_int_equal(retention_flush(h, take, &t), 0);
	assert_string_equal(t.text, "aabbccdd");
	assert_int_equal(t.lost[0] + t.lost[1], 0);
	assert_int_equal(retention_flush(h, take, &t), 0); /* nothing is left */
	assert_string_equal(t.text, "aabbccdd");
	retention_free(h);
}

static void a_ring_keeps_the_last(void **state)
{
	struct retention *h = filled(4, true, "0aa1bb0cc0dd0ee");
	struct taken t = { .most = 100 };

	(void)state;
	assert_false(retention_full(h));
	assert_int_equal(retention_flush(h, take, &t), 0);
	assert_string_equal(t.text, "bbddee");
	assert_int_equal(t.lost[0], 0);
	retention_free(h);
}

static void the_first_ones_fill(void **state)
{
	struct retention *h = filled(4, false, "0aa1bb0cc0dd0ee");
	struct taken t = { .most = 100 };

	(void)state;
	assert_true(retention_full(h));
	assert_int_equal(retention_flush(h, take, &t), 0);
	assert_string_equal(t.text, "aabbcc");
	assert_int_equal(t.lost[0], 2);
	assert_int_equal(t.lost[1], 0);
	retention_free(h);
}

static void an_error_ends_the_flush(void **state)
{
	struct retention *h = filled(100, false, "0aa1bb0cc");
	struct taken t = { .most = 1 };

	(void)state;
	assert_int_equal(retention_flush(h, take, &t), -EIO);
	assert_string_equal(t.text, "aa");
	retention_free(h); /* frees the rest */
	retention_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_in_order),
		cmocka_unit_test(a_ring_keeps_the_last),
		cmocka_unit_test(the_first_ones_fill),
		cmocka_unit_test(an_error_ends_the_flush),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
