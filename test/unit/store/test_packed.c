/* SPDX-License-Identifier: Apache-2.0 */
/* Records in their packed form: every record comes back, none becomes longer, and what stands for no record is refused.
 */
#include "../unit.h"
#include <stdlib.h>
#include "store/file/packed.h"

enum { LONGEST = 200 };

static void same_again(struct packbuf *b, const uint8_t *rec, size_t size)
{
	uint8_t back[LONGEST];
	size_t n;
	const void *p = pack_bytes(b, rec, size, &n);

	assert_true(n <= size);
	assert_true(n < size || p == rec);
	memset(back, 0xa5, sizeof(back));
	assert_true(unpack_bytes(p, n, back, size));
	assert_memory_equal(back, rec, size);
}

/* Sizes around those of words and mask bytes, with ever more bytes that are not zero. */
static void every_record_comes_back(void **state)
{
	struct packbuf b = { 0 };

	(void)state;
	srandom(1);
	for (size_t size = 0; size <= LONGEST; size++)
		for (size_t set = 0; set <= size; set += 1 + set / 4) {
			uint8_t *rec = calloc(size + 1, 1); /* so that reads beyond it are found */

			for (size_t i = 0; i < set; i++)
				rec[(size_t)random() % size] = (uint8_t)random();
			same_again(&b, rec, size);
			free(rec);
		}
	packbuf_free(&b);
	assert_null(b.v);
}

/* The form that doc/recording.md describes. */
static void is_as_documented(void **state)
{
	struct packbuf b = { 0 };
	uint64_t rec[10] = { 0, 7, [9] = UINT64_MAX };
	uint64_t word;
	const uint8_t *p;
	size_t n;

	(void)state;
	p = pack_bytes(&b, rec, sizeof(rec), &n);
	assert_int_equal(n, 2 + 8 + 8);
	assert_int_equal(p[0], 2);
	assert_int_equal(p[1], 2);
	memcpy(&word, p + 2, 8);
	assert_int_equal(word, 7);
	assert_ptr_equal(pack_bytes(&b, rec + 9, 8, &n), rec + 9); /* nothing to gain */
	assert_int_equal(n, 8);
	assert_null(pack_bytes(&b, NULL, 0, &n));
	assert_int_equal(n, 0);
	packbuf_free(&b);
}

static void refuses_what_is_no_record(void **state)
{
	static const struct {
		const char *bytes;
		size_t n, size;
	} bad[] = {
		{ "", 0, 80 },		  /* no mask */
		{ "\0", 1, 80 },	  /* half of one */
		{ "\1\0", 2, 80 },	  /* a word is missing */
		{ "\1\0abcdefg", 9, 80 }, /* a byte of it is */
		{ "\0\0a", 3, 80 },	  /* one too many */
		{ "\1\0abcdefghi", 11, 80 },
		{ "\0\4abcdefgh", 10, 80 }, /* a word after the record */
		{ "\0\0", 2, 1 },	    /* longer than the record */
		{ "\1ab", 3, 12 },
		{ "\2abc", 4, 12 }, /* the last word has four bytes */
	};
	uint8_t to[80];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (unpack_bytes(bad[i].bytes, bad[i].n, to, bad[i].size))
			fail_msg("accepted: number %zu", i);
	assert_true(unpack_bytes("\2abcd", 5, to, 12));
	assert_memory_equal(to, "\0\0\0\0\0\0\0\0abcd", 12);
	assert_true(unpack_bytes(NULL, 0, to, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_record_comes_back),
		cmocka_unit_test(is_as_documented),
		cmocka_unit_test(refuses_what_is_no_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
