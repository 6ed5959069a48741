/* SPDX-License-Identifier: Apache-2.0 */
/* Messages in a stream: whole, in pieces, of others, too large. */
#include "lsp/frame.h"
#include <errno.h>
#include "base/cleanup.h"
#include "unit.h"

static void test_whole(void **state)
{
	const char *s = "Content-Type: x\r\ncontent-length:  2\r\n\r\n{}rest";
	size_t body, n;

	(void)state;
	assert_int_equal(frame_find(s, strlen(s), &body, &n), (long)strlen(s) - 4);
	assert_int_equal(n, 2);
	assert_memory_equal(s + body, "{}", 2);
	for (size_t i = 0; i < strlen(s) - 4; i++)
		assert_int_equal(frame_find(s, i, &body, &n), 0);
}

static void test_refused(void **state)
{
	static const struct {
		const char *text;
		long want;
	} rows[] = {
		{ "GET / HTTP/1.1\r\n\r\n", -EBADMSG },
		{ "Content-Length: \r\n\r\n", -EBADMSG },
		{ "Content-Length: 2x\r\n\r\n{}", -EBADMSG },
		{ "Content-Length: -2\r\n\r\n{}", -EBADMSG },
		{ "Content-Length: 16777217\r\n\r\n", -EMSGSIZE },
		{ "Content-Length: 99999999999999999999\r\n\r\n", -EMSGSIZE },
		{ "Content-Length: 16777216\r\n\r\n", 0 }, /* the limit: more is waited for */
	};
	size_t body, n;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(frame_find(rows[i].text, strlen(rows[i].text), &body, &n), rows[i].want);
}

static void test_endless_head(void **state)
{
	char s[FRAME_HEAD_MAX];
	size_t body, n;

	(void)state;
	memset(s, 'x', sizeof(s));
	assert_int_equal(frame_find(s, sizeof(s) - 1, &body, &n), 0);
	assert_int_equal(frame_find(s, sizeof(s), &body, &n), -EBADMSG);
}

static void test_put(void **state)
{
	struct strb b = { 0 };
	size_t body, n;

	(void)state;
	frame_put(&b, "{}", 2);
	assert_string_equal(strb_str(&b), "Content-Length: 2\r\n\r\n{}");
	assert_int_equal(frame_find(b.s, b.n, &body, &n), (long)b.n);
	strb_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_whole), cmocka_unit_test(test_refused),
					    cmocka_unit_test(test_endless_head), cmocka_unit_test(test_put) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
