/* SPDX-License-Identifier: Apache-2.0 */
/* The results of `dwell help WORD`, and their order. */
#include "../unit.h"
#include "base/cleanup.h"
#include "front/search.h"

static const char page[] = "dwell-d(7)\n"
			   "\n"
			   "# SUBROUTINES\n"
			   "\n"
			   "*strlen*(_s_)\n"
			   "\tThe length, as *strlen* of C.\n"
			   "# OTHERS\n"
			   "see strlen\n"
			   "# PARTS\n"
			   "strlenx, mystrlen\n";

static void the_best_first(void **state)
{
	_cleanup_(strb_free) struct strb b = { 0 };
	struct search s = { .word = "strlen" };

	(void)state;
	search_page(&s, "doc/other.md", "# Others\n```\n# use strlen\n```\n# About strlen\ntext");
	search_page(&s, "man/dwell-d.7.scd", page);
	assert_int_equal(s.n, 5);
	assert_int_equal(s.found, 5);
	search_print(&s, &b);
	assert_string_equal(strb_str(&b), "doc/other.md, About strlen\n"
					  "dwell-d(7), SUBROUTINES\n    strlen(s)\n"
					  "doc/other.md, Others\n    use strlen\n"
					  "dwell-d(7), OTHERS\n    see strlen\n"
					  "dwell-d(7), PARTS\n    strlenx, mystrlen\n");
}

static void nothing(void **state)
{
	_cleanup_(strb_free) struct strb b = { 0 };
	struct search s = { .word = "nowhere" };

	(void)state;
	search_page(&s, "man/dwell-d.7.scd", page);
	search_page(&s, "empty", "");
	search_print(&s, &b);
	assert_int_equal(s.found, 0);
	assert_string_equal(strb_str(&b), "");
}

/* At the limits: places, and characters of a line. */
static void many(void **state)
{
	_cleanup_(strb_free) struct strb b = { 0 }, text = { 0 };
	struct search s = { .word = "x" };

	(void)state;
	for (unsigned i = 0; i < SEARCH_PLACES; i++)
		strb_printf(&text, "# h%u\nx\n", i);
	search_page(&s, "a.md", strb_str(&text));
	search_print(&s, &b);
	assert_int_equal(s.n, SEARCH_PLACES);
	assert_null(strstr(strb_str(&b), "more sections"));
	strb_reset(&text);
	strb_adds(&text, "# x ");
	strb_fill(&text, 'y', SEARCH_LINE);
	search_page(&s, "b.md", strb_str(&text));
	strb_reset(&b);
	search_print(&s, &b);
	assert_int_equal(s.n, SEARCH_PLACES);
	assert_non_null(strstr(strb_str(&b), "yyy ...\n"));
	assert_non_null(strstr(strb_str(&b), "and 1 more sections with \"x\"\n"));
	assert_int_equal(strncmp(strb_str(&b), "b.md, x y", 9), 0);
}

/* A long line is shown from some words before the word. */
static void far_in_a_line(void **state)
{
	_cleanup_(strb_free) struct strb b = { 0 }, text = { 0 };
	struct search s = { .word = "needle" };

	(void)state;
	for (unsigned i = 0; i < SEARCH_LINE; i++)
		strb_adds(&text, "hay ");
	strb_adds(&text, "needle end");
	search_page(&s, "a.md", strb_str(&text));
	search_print(&s, &b);
	assert_int_equal(strncmp(strb_str(&b), "a.md\n    ... hay ", 17), 0);
	assert_non_null(strstr(strb_str(&b), "hay needle end\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_best_first),
		cmocka_unit_test(nothing),
		cmocka_unit_test(many),
		cmocka_unit_test(far_in_a_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
