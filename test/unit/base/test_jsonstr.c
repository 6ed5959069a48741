/* SPDX-License-Identifier: Apache-2.0 */
#include "base/jsonstr.h"
#include <string.h>
#include "../unit.h"

static void wants(const char *s, size_t n, const char *json)
{
	struct strb b = { 0 };

	jsonstr_add(&b, s, n);
	assert_string_equal(strb_str(&b), json);
	strb_free(&b);
}

static void test_escapes(void **state)
{
	(void)state;
	wants("", 0, "\"\"");
	wants("a\"b\\c\n\t\x01\x7f", 9, "\"a\\\"b\\\\c\\n\\t\\u0001\\u007f\"");
	wants("a\0b", 3, "\"a\\u0000b\"");
}

static void test_utf8(void **state)
{
	(void)state;
	wants("\xc3\xa4", 2, "\"\xc3\xa4\"");
	wants("\xf0\x9f\x99\x82", 4, "\"\xf0\x9f\x99\x82\"");
	wants("\xc2\x9b\xc2\xa0", 4, "\"\\u009b\xc2\xa0\"");   /* a control character, and one that is none */
	wants("\xc3", 1, "\"\\ufffd\"");		       /* cut off */
	wants("\xc0\xaf", 2, "\"\\ufffd\\ufffd\"");	       /* overlong */
	wants("\xed\xa0\x80", 3, "\"\\ufffd\\ufffd\\ufffd\""); /* surrogate */
}

/* In two pieces it is the same, wherever it is cut. */
static void test_parts(void **state)
{
	static const char text[] = "a\xc3\xa4\xc3\xf0\x9f\x99\x82\xf0\x9f\"\xed\xa0\x80\n\xe2\x82";
	const size_t n = sizeof(text) - 1;
	struct strb whole = { 0 };

	(void)state;
	assert_int_equal(jsonstr_part(&whole, text, n, true), n);
	for (size_t cut = 0; cut <= n; cut++) {
		struct strb b = { 0 };
		size_t taken = jsonstr_part(&b, text, cut, false);

		assert_in_range(taken, cut > 3 ? cut - 3 : 0, cut);
		assert_int_equal(jsonstr_part(&b, text + taken, n - taken, true), n - taken);
		assert_string_equal(strb_str(&b), strb_str(&whole));
		strb_free(&b);
	}
	strb_free(&whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_escapes), cmocka_unit_test(test_utf8),
					    cmocka_unit_test(test_parts) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
