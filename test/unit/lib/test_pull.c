/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "lib/pull.h"

static void check(const char *json, int kind, int64_t number, const char *text)
{
	struct dwell_value v;

	assert_true(pull_copy(pull_value(json), &v));
	assert_int_equal(v.kind, kind);
	assert_int_equal(v.number, number);
	assert_string_equal(v.text, text);
	free((char *)v.text);
}

static void test_values(void **state)
{
	(void)state;
	check("-5]", DWELL_NUMBER, -5, "-5");
	check("-9223372036854775808,", DWELL_NUMBER, INT64_MIN, "-9223372036854775808");
	check("18446744073709551615", DWELL_NUMBER, -1, "18446744073709551615");
	check("\"a\\\"b\\\\\\n\\u0001\\u00e9\"", DWELL_TEXT, 0, "a\"b\\\n\x01\xc3\xa9");
	check("\"\"", DWELL_TEXT, 0, "");
	check("[1,{\"a\":\"]\"}],2", DWELL_JSON, 0, "[1,{\"a\":\"]\"}]");
	check("1.5", DWELL_JSON, 0, "1.5");
	check("null", DWELL_JSON, 0, "null");
}

static void test_members(void **state)
{
	struct pull o = pull_value("{\"a\":{\"b\":1},\"b\":\"a\",\"list\":[1,[2,3],\"x,y\"]}");
	struct pull list = pull_member(o, "list"), e = pull_first(list);

	(void)state;
	assert_int_equal(pull_member(o, "b").n, 3);
	assert_int_equal(pull_member(pull_member(o, "a"), "b").n, 1);
	assert_null(pull_member(o, "c").p);
	assert_null(pull_member(list, "a").p);
	assert_int_equal(pull_count(list), 3);
	e = pull_after(pull_after(e));
	assert_memory_equal(e.p, "\"x,y\"", 5);
	assert_null(pull_after(e).p);
	assert_int_equal(pull_count(pull_value("[]")), 0);
}

/* A text that is cut off anywhere is read no further than its end. */
static void test_cut(void **state)
{
	static const char line[] = "{\"a\":[1,\"\\u0041\\\"\",{\"b\":-1}],\"c\":{\"d\":\"\\\\\"}}";

	(void)state;
	for (size_t n = 0; n < sizeof(line); n++) {
		char *s = strndup(line, n); /* its own, so that sanitizers see its end */
		struct pull o = pull_value(s);

		pull_member(pull_member(o, "c"), "d");
		pull_count(pull_member(o, "a"));
		free(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_members),
		cmocka_unit_test(test_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
