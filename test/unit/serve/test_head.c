/* SPDX-License-Identifier: Apache-2.0 */
/* Heads of requests at their limits, and piece by piece. Wrong heads are tested by test/live/serve/strict.py. */
#include <stdlib.h>
#include <string.h>
#include "base/strb.h"
#include "serve/head.h"
#include "unit.h"

/* A status of HTTP, or these. */
enum { PART = HEAD_PART, WHOLE = HEAD_WHOLE };

static int judge(const char *p, size_t n)
{
	char *copy = malloc(n ? n : 1); /* of its size: a sanitizer sees who reads further */
	struct head_verdict v;

	assert_non_null(copy);
	memcpy(copy, p, n);
	v = head_judge(copy, n);
	assert_int_equal(v.is == HEAD_WRONG, v.reason != NULL);
	assert_int_equal(v.is == HEAD_WRONG, v.status >= 400);
	free(copy);
	return v.is == HEAD_WRONG ? v.status : (int)v.is;
}

static int judge_b(struct strb *b)
{
	int r = judge(strb_str(b), b->n);

	strb_free(b);
	return r;
}

static void repeat(struct strb *b, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		strb_adds(b, s);
}

static const char whole[] = "POST /api/v1/check?a=b&c HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nX:\t\r\n\r\n";

static void each_beginning_is_right_so_far(void **state)
{
	size_t n = strlen(whole);

	(void)state;
	for (size_t i = 0; i < n; i++)
		assert_int_equal(judge(whole, i), PART);
	assert_int_equal(judge(whole, n), WHOLE);
	assert_int_equal(judge("GET / HTTP/1.0\r\n\r\nrest\n\n", 24), WHOLE);
}

/* With any byte changed there is a verdict, and a refused head stays refused when more bytes come. */
static void verdicts_stay(void **state)
{
	char text[sizeof(whole)];
	size_t n = strlen(whole);

	(void)state;
	for (size_t at = 0; at < n; at++)
		for (int c = 0; c < 256; c++) {
			int first = PART;

			memcpy(text, whole, sizeof(text));
			text[at] = (char)c;
			for (size_t i = 1; i <= n; i++) {
				int r = judge(text, i);

				if (first != PART)
					assert_int_equal(r, first);
				first = r;
			}
		}
}

/* A request line of n bytes. */
static int line_of(size_t n)
{
	struct strb b = { 0 };

	strb_adds(&b, "GET /");
	repeat(&b, "a", n - strlen("GET / HTTP/1.1\r"));
	strb_adds(&b, " HTTP/1.1\r\nHost: a\r\n\r\n");
	return judge_b(&b);
}

static void long_request_line(void **state)
{
	struct strb b = { 0 };

	(void)state;
	assert_int_equal(line_of(HEAD_LINE_MAX), WHOLE);
	assert_int_equal(line_of(HEAD_LINE_MAX + 1), 414);
	repeat(&b, "a", HEAD_LINE_MAX + 1); /* its end is not waited for */
	assert_int_equal(judge_b(&b), 414);
}

/* A head of n bytes, without its last `missing` ones. */
static int head_of(size_t n, size_t missing)
{
	struct strb b = { 0 };

	strb_adds(&b, "GET / HTTP/1.1\r\nHost: a\r\nX:");
	repeat(&b, "a", n - b.n - 4);
	strb_adds(&b, "\r\n\r\n");
	assert_int_equal(b.n, n);
	b.n -= missing;
	return judge_b(&b);
}

static void large_head(void **state)
{
	(void)state;
	assert_int_equal(head_of(HEAD_MAX, 0), WHOLE);
	assert_int_equal(head_of(HEAD_MAX, 1), PART);
	assert_int_equal(head_of(HEAD_MAX + 1, 0), 431);
	assert_int_equal(head_of(HEAD_MAX + 1, 1), 431); /* of which the gate sees no more */
	assert_int_equal(head_of(HEAD_MAX + 100, 90), 431);
}

static int pieces_of(size_t params, size_t fields, size_t cookies)
{
	struct strb b = { 0 };

	strb_adds(&b, "GET /?");
	repeat(&b, "&", params);
	strb_adds(&b, " HTTP/1.1\r\nHost: a\r\n");
	repeat(&b, "X:\r\n", fields);
	if (cookies) {
		strb_adds(&b, "Cookie: ");
		repeat(&b, ";", cookies - 1);
		strb_adds(&b, "\r\n");
	}
	strb_adds(&b, "\r\n");
	return judge_b(&b);
}

static void many_pieces(void **state)
{
	(void)state;
	assert_int_equal(pieces_of(HEAD_PIECES_MAX - 1, 0, 0), WHOLE);
	assert_int_equal(pieces_of(HEAD_PIECES_MAX, 0, 0), 431); /* with Host */
	assert_int_equal(pieces_of(HEAD_PIECES_MAX + 1, 0, 0), 414);
	assert_int_equal(pieces_of(0, HEAD_PIECES_MAX - 1, 0), WHOLE);
	assert_int_equal(pieces_of(0, HEAD_PIECES_MAX, 0), 431);
	assert_int_equal(pieces_of(0, 0, HEAD_PIECES_MAX - 1), WHOLE);
	assert_int_equal(pieces_of(0, 0, HEAD_PIECES_MAX), 431);
}

static int length_of(const char *v)
{
	struct strb b = { 0 };

	strb_printf(&b, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: %s\r\n\r\n", v);
	return judge_b(&b);
}

static void lengths(void **state)
{
	(void)state;
	assert_int_equal(length_of("0"), WHOLE);
	assert_int_equal(length_of("007"), WHOLE);
	assert_int_equal(length_of("9223372036854775807"), WHOLE);
	assert_int_equal(length_of("9223372036854775808"), 400);
	assert_int_equal(length_of("18446744073709551621"), 400);
	assert_int_equal(length_of("-5"), 400);
	assert_int_equal(length_of(""), 400);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_beginning_is_right_so_far),
		cmocka_unit_test(verdicts_stay),
		cmocka_unit_test(long_request_line),
		cmocka_unit_test(large_head),
		cmocka_unit_test(many_pieces),
		cmocka_unit_test(lengths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
