/* SPDX-License-Identifier: Apache-2.0 */
#include "base/jsonw.h"
#include <math.h>
#include "base/jsonstr.h"
#include "../unit.h"

static void has(struct strb *b, const char *json)
{
	assert_false(b->failed);
	assert_string_equal(strb_str(b), json);
	strb_free(b);
}

static void test_empty_containers(void **state)
{
	struct strb b = { 0 };
	struct jsonw w = jsonw_to(&b);

	(void)state;
	jsonw_object(&w, NULL);
	jsonw_array(&w, "a");
	jsonw_end_array(&w);
	jsonw_object(&w, "o");
	jsonw_end_object(&w);
	jsonw_end_object(&w);
	has(&b, "{\"a\":[],\"o\":{}}");
}

static void test_commas_stand_between_values(void **state)
{
	struct strb b = { 0 };
	struct jsonw w = jsonw_to(&b);

	(void)state;
	jsonw_array(&w, NULL);
	for (int i = 0; i < 2; i++) {
		jsonw_object(&w, NULL);
		jsonw_i64(&w, "i", -i);
		jsonw_array(&w, "v");
		jsonw_u64(&w, NULL, UINT64_MAX);
		jsonw_null(&w, NULL);
		jsonw_end_array(&w);
		jsonw_bool(&w, "b", i);
		jsonw_end_object(&w);
	}
	jsonw_end_array(&w);
	has(&b, "[{\"i\":0,\"v\":[18446744073709551615,null],\"b\":false},"
		"{\"i\":-1,\"v\":[18446744073709551615,null],\"b\":true}]");
}

static void test_strings_and_names_are_escaped(void **state)
{
	struct strb b = { 0 };
	struct jsonw w = jsonw_to(&b);

	(void)state;
	jsonw_object(&w, NULL);
	jsonw_str(&w, "a\"b", "c\nd");
	jsonw_str(&w, "null", NULL);
	jsonw_strf(&w, "f", "0x%x \"%s\"", 255u, "x");
	jsonw_strn(&w, "n", "a\0b", 3);
	jsonw_end_object(&w);
	has(&b, "{\"a\\\"b\":\"c\\nd\",\"null\":\"\",\"f\":\"0xff \\\"x\\\"\",\"n\":\"a\\u0000b\"}");
}

static void test_numbers(void **state)
{
	struct strb b = { 0 };
	struct jsonw w = jsonw_to(&b);

	(void)state;
	jsonw_array(&w, NULL);
	jsonw_double(&w, NULL, 0.1, 17);
	jsonw_double(&w, NULL, 1234567.0, 3);
	jsonw_double(&w, NULL, NAN, 6);
	jsonw_double(&w, NULL, -INFINITY, 6);
	jsonw_raw(&w, NULL, "{\"x\":1}", 7);
	jsonw_end_array(&w);
	has(&b, "[0.10000000000000001,1.23e+06,null,null,{\"x\":1}]");
}

static void test_strings_in_parts(void **state)
{
	struct strb b = { 0 };
	struct jsonw w = jsonw_to(&b);

	(void)state;
	jsonw_array(&w, NULL);
	for (int i = 0; i < 2; i++) {
		jsonw_begin_str(&w, NULL);
		jsonstr_part(&b, "a\"", 2, false);
		jsonstr_part(&b, "b", 1, true);
		jsonw_end_str(&w);
	}
	jsonw_hex(&w, NULL, UINT64_MAX);
	jsonw_bytes(&w, NULL, "\0\xff", 2);
	jsonw_bytes(&w, NULL, "", 0);
	jsonw_end_array(&w);
	has(&b, "[\"a\\\"b\",\"a\\\"b\",\"0xffffffffffffffff\",\"00ff\",\"\"]");
}

static void test_members_of_another_object(void **state)
{
	static const char line[] = "{\"type\":\"end\",\"n\":1}";
	struct strb b = { 0 };
	struct jsonw w = jsonw_to(&b);

	(void)state;
	assert_true(jsonw_is_type(line, "end"));
	assert_false(jsonw_is_type(line, "en"));
	assert_false(jsonw_is_type(line, "ends"));
	assert_false(jsonw_is_type("", ""));
	jsonw_object(&w, NULL);
	jsonw_str(&w, "host", "a");
	jsonw_members(&w, "{}", 2);
	jsonw_members(&w, line, sizeof(line) - 1);
	jsonw_end_object(&w);
	has(&b, "{\"host\":\"a\",\"type\":\"end\",\"n\":1}");
}

static void test_lines(void **state)
{
	struct strb b = { 0 };
	struct jsonw w = jsonw_to(&b);

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		jsonw_object(&w, NULL);
		jsonw_u64(&w, "i", i);
		jsonw_end_object(&w);
		jsonw_line(&w);
	}
	has(&b, "{\"i\":0}\n{\"i\":1}\n");
}

static void nest(struct strb *b, unsigned depth)
{
	struct jsonw w = jsonw_to(b);

	for (unsigned i = 0; i < depth; i++)
		jsonw_array(&w, NULL);
	for (unsigned i = 0; i < depth; i++)
		jsonw_end_array(&w);
}

static void test_depth_has_a_limit(void **state)
{
	struct strb b = { 0 };

	(void)state;
	nest(&b, JSONW_MAX_DEPTH);
	assert_false(b.failed);
	assert_int_equal(b.n, 2 * JSONW_MAX_DEPTH);
	strb_free(&b);
	nest(&b, JSONW_MAX_DEPTH + 1);
	assert_true(b.failed);
	strb_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty_containers),
		cmocka_unit_test(test_commas_stand_between_values),
		cmocka_unit_test(test_strings_and_names_are_escaped),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_strings_in_parts),
		cmocka_unit_test(test_members_of_another_object),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_depth_has_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
