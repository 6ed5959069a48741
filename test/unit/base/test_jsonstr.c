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
	wants("\xc3", 1, "\"\\ufffd\"");		   /* cut off */
	wants("\xc0\xaf", 2, "\"\\ufffd\\ufffd\"");	   /* overlong */
	wants("\xed\xa0\x80", 3, "\"\\ufffd\\ufffd\\ufffd\""); /* surrogate */
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_escapes), cmocka_unit_test(test_utf8) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
