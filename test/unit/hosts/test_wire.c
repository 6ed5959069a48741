/* SPDX-License-Identifier: Apache-2.0 */
/* Frames and requests: whole, in pieces, and such as nobody should send. */
#include "../unit.h"
#include <errno.h>
#include "hosts/wire.h"

static void frames(void **state)
{
	struct strb b = { 0 };
	struct wire_frame f;
	size_t at = 0, whole;

	(void)state;
	wire_put(&b, WIRE_OUT, "hello", 5);
	wire_put(&b, WIRE_ALIVE, NULL, 0);
	whole = b.n;
	for (b.n = 0; b.n < WIRE_HEAD + 5; b.n++)
		assert_false(wire_next(&b, &at, 5, &f).more);
	b.n = whole;
	assert_true(wire_next(&b, &at, 5, &f).more);
	assert_int_equal(f.kind, WIRE_OUT);
	assert_int_equal(f.n, 5);
	assert_memory_equal(f.p, "hello", 5);
	assert_true(wire_next(&b, &at, 5, &f).more);
	assert_int_equal(f.kind, WIRE_ALIVE);
	assert_int_equal(f.n, 0);
	assert_int_equal(at, whole);
	at = 0;
	assert_int_equal(wire_next(&b, &at, 4, &f).error, -EPROTO); /* at the limit: one less */
	wire_drop(&b, WIRE_HEAD + 5);
	assert_int_equal(b.n, WIRE_HEAD);
	assert_int_equal(b.s[0], WIRE_ALIVE);
	strb_free(&b);
}

/* Any bytes but NUL in words, any at all in texts. */
static void requests(void **state)
{
	char *words[] = { "dwell", "-n", "BEGIN { printf(\"$(id) `id` '\\n\"); }", "\xff\x80;|&", "", NULL };
	char *texts[] = { "a\0b", "" };
	size_t sizes[] = { 3, 0 };
	struct wire_request r = { 1500, true, false, true, words, 5, texts, sizes, 2 }, got;
	struct strb b = { 0 };

	(void)state;
	wire_put_request(&b, &r);
	assert_int_equal(wire_take_request(b.s, b.n, &got), 0);
	assert_int_equal(got.patience_ms, 1500);
	assert_true(got.merge && !got.record && got.forget);
	assert_int_equal(got.nwords, 5);
	for (size_t i = 0; i < 5; i++)
		assert_string_equal(got.words[i], words[i]);
	assert_null(got.words[5]);
	assert_int_equal(got.ntexts, 2);
	assert_int_equal(got.sizes[0], 3);
	assert_memory_equal(got.texts[0], "a\0b", 3);
	wire_free_request(&got);
	for (size_t n = 0; n < b.n; n++) /* cut anywhere */
		assert_int_equal(wire_take_request(b.s, n, &got), -EPROTO);
	b.s[16] = '\x7f'; /* the first word's length */
	assert_int_equal(wire_take_request(b.s, b.n, &got), -EPROTO);
	strb_free(&b);
}

static void too_many_words(void **state)
{
	struct strb b = { 0 };
	char *none[] = { "" };
	size_t zero = 0;
	struct wire_request r = { .words = none, .texts = none, .sizes = &zero }, got;

	(void)state;
	for (uint32_t n = WIRE_WORDS_MAX; n <= WIRE_WORDS_MAX + 1; n++) {
		strb_reset(&b);
		wire_put_request(&b, &r);
		memcpy(b.s + 8, &n, sizeof(n));
		for (uint32_t i = 0; i < n; i++)
			strb_add(&b, "\0\0\0\0", 5);
		assert_int_equal(wire_take_request(b.s, b.n, &got), n > WIRE_WORDS_MAX ? -EPROTO : 0);
		if (n == WIRE_WORDS_MAX)
			wire_free_request(&got);
	}
	strb_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames),
		cmocka_unit_test(requests),
		cmocka_unit_test(too_many_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
