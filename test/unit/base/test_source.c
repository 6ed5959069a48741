/* SPDX-License-Identifier: Apache-2.0 */
/* Positions and spans, with cpp's line directives. */
#include "../unit.h"
#include "base/cleanup.h"
#include "base/source.h"

static const struct {
	const char *text;
	const char *at; /* the position asked for is that of this text */
	const char *file;
	uint32_t line, col;
	const char *line_text;
} cases[] = {
	{ "x", "x", "s.d", 1, 1, "x" },
	{ "a\nbc x\ng", "x", "s.d", 2, 4, "bc x" },
	{ "a\n\n\nx", "x", "s.d", 4, 1, "x" },
	{ "# 7 \"inc.h\"\nx", "x", "inc.h", 7, 1, "x" },
	{ "# 7 \"inc.h\" 1 3\na\nx", "x", "inc.h", 8, 1, "x" },
	{ " #line 30\nx", "x", "s.d", 30, 1, "x" },
	{ "#line 5 \"f\"\n# 9\nx", "x", "f", 9, 1, "x" },
	{ "#line 5 \"f\n#pragma x", "#p", "s.d", 5, 1, "#pragma x" },
	{ "#pragma D\n#!a\n#line\n#lines 3\nx", "x", "s.d", 5, 1, "x" },
	{ "# 1234567890123 \"y\"\nx", "x", "s.d", 2, 1, "x" },
	{ "# 4\n", "", "s.d", 1, 1, "# 4" }, /* the directive's own line is not changed by it */
};

static void position_of_every_case(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct source s = { .name = "s.d", .text = cases[i].text, .len = strlen(cases[i].text) };
		const char *at = strstr(s.text, cases[i].at);
		struct position p = source_position(&s, (uint32_t)(at - s.text));

		assert_int_equal(p.line, cases[i].line);
		assert_int_equal(p.col, cases[i].col);
		assert_int_equal(p.file_len, strlen(cases[i].file));
		assert_memory_equal(p.file, cases[i].file, p.file_len);
		assert_int_equal(p.line_len, strlen(cases[i].line_text));
		assert_memory_equal(p.line_text, cases[i].line_text, p.line_len);
	}
}

static void offset_past_the_end_is_the_end(void **state)
{
	struct source s = { .name = "s.d", .text = "ab\n", .len = 3 };
	struct position p = source_position(&s, 99);

	(void)state;
	assert_int_equal(p.line, 2);
	assert_int_equal(p.col, 1);
	assert_int_equal(p.line_len, 0);
	assert_ptr_equal(p.file, s.name);
}

static void spans_join_within_a_source(void **state)
{
	struct source s = { .name = "s.d", .text = "abcdef", .len = 6 },
		      other = { .name = "t.d", .text = "x", .len = 1 };
	struct span a = { &s, 1, 2, 0 }, b = { &s, 4, 1, 0 }, j;

	(void)state;
	j = span_join(a, b);
	assert_int_equal(j.off, 1);
	assert_int_equal(j.len, 4);
	j = span_join(b, a);
	assert_int_equal(j.off, 1);
	assert_int_equal(j.len, 4);
	j = span_join(a, (struct span){ &other, 0, 1, 0 });
	assert_ptr_equal(j.src, &s);
	assert_int_equal(j.len, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(position_of_every_case),
		cmocka_unit_test(offset_past_the_end_is_the_end),
		cmocka_unit_test(spans_join_within_a_source),
	};

	return cmocka_run_group_tests_name("source", tests, NULL, NULL);
}
