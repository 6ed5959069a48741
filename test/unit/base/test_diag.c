/* SPDX-License-Identifier: Apache-2.0 */
/* Diagnostics: the text with its caret, and the cap on their number. */
#include "../unit.h"
#include "base/diag.h"

static char text[4096];

/* The text of one diagnostic about the `len` bytes at `at` in `program`. */
static const char *shown(const char *program, const char *at, uint32_t len, bool tags, const char *hint)
{
	struct source s = { .name = "prog.d", .text = program, .len = strlen(program) };
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
	struct strb b = { 0 };
	struct diags d;
	struct diag *g;

	diags_init(&d, a);
	g = diag_error(&d, (struct span){ &s, (uint32_t)(strstr(program, at) - program), len, 0 }, "D_SYNTAX", "bad %s",
		       at);
	if (hint)
		diag_hint(&d, g, "use %s", hint);
	diag_format(&b, g, tags);
	snprintf(text, sizeof(text), "%s", strb_str(&b));
	strb_free(&b);
	arena_free(a);
	return text;
}

static void text_and_caret(void **state)
{
	(void)state;
	assert_string_equal(shown("BEGIN\n{ foo(1); }", "foo", 3, false, NULL),
			    "line 2: bad foo\n{ foo(1); }\n  ^~~\n");
	assert_string_equal(shown("BEGIN { foo }", "foo", 3, true, "bar"),
			    "[D_SYNTAX] line 1: bad foo\nBEGIN { foo }\n        ^~~\nhint: use bar\n");
	/* tabs stay tabs, a span ends with its line, umlauts take one column */
	assert_string_equal(shown("\t\"\303\244\" foo\nx", "foo", 99, false, NULL),
			    "line 1: bad foo\n\t\"\303\244\" foo\n\t    ^~~\n");
	assert_string_equal(shown("# 3 \"a.h\"\nfoo", "foo", 0, false, NULL), "\"a.h\", line 3: bad foo\nfoo\n^\n");
	assert_string_equal(shown("\033[2J foo", "foo", 1, false, NULL), "line 1: bad foo\n?[2J foo\n     ^\n");
}

static void long_line_is_cut_around_the_place(void **state)
{
	char program[20000];
	const char *s, *line, *caret;

	(void)state;
	memset(program, 'y', sizeof(program) - 1);
	program[sizeof(program) - 1] = '\0';
	memcpy(program + 10000, "foo", 3);
	s = shown(program, "foo", 3, false, NULL);
	assert_true(strlen(s) < 400);
	line = strstr(s, "yy");
	caret = strchr(line, '\n') + 1;
	assert_memory_equal(line + (strchr(caret, '^') - caret), "foo", 3);
	assert_string_equal(strchr(caret, '^'), "^~~\n");
}

static void without_position(void **state)
{
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
	struct strb b = { 0 };
	struct diags d;

	(void)state;
	diags_init(&d, a);
	diag_format(&b, diag_warn(&d, (struct span){ 0 }, "D_PRAGMA_X", "odd"), false);
	assert_string_equal(strb_str(&b), "warning: odd\n");
	assert_int_equal(d.nwarnings, 1);
	assert_int_equal(d.nerrors, 0);
	strb_free(&b);
	arena_free(a);
}

static void further_errors_are_counted_only(void **state)
{
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
	struct diags d;
	int kept = 0;

	(void)state;
	diags_init(&d, a);
	for (int i = 0; i < DIAG_MAX_ERRORS + 5; i++)
		assert_non_null(diag_error(&d, (struct span){ 0 }, "D_X", "%d", i));
	for (struct diag *g = d.first; g; g = g->next)
		assert_int_equal(atoi(g->msg), kept++);
	assert_int_equal(kept, DIAG_MAX_ERRORS);
	assert_int_equal(d.nerrors, DIAG_MAX_ERRORS + 5);
	arena_free(a);
}

static void the_same_is_said_once(void **state)
{
	struct source s = { .name = "prog.d", .text = "foo foo", .len = 7 };
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
	struct diags d;
	struct diag *g;

	(void)state;
	diags_init(&d, a);
	g = diag_error(&d, (struct span){ &s, 0, 3, 0 }, "D_X", "bad");
	assert_ptr_equal(diag_error(&d, (struct span){ &s, 0, 3, 0 }, "D_X", "bad"), g);
	assert_null(d.first->next);
	assert_int_equal(d.nerrors, 2);
	assert_int_equal(d.nsame, 1);
	/* elsewhere, something else, a warning, without a place */
	diag_error(&d, (struct span){ &s, 4, 3, 0 }, "D_X", "bad");
	diag_error(&d, (struct span){ &s, 4, 3, 0 }, "D_X", "worse");
	diag_warn(&d, (struct span){ &s, 4, 3, 0 }, "D_X", "bad");
	diag_error(&d, (struct span){ 0 }, "D_X", "bad");
	diag_error(&d, (struct span){ 0 }, "D_X", "bad");
	assert_int_equal(d.nerrors, 6);
	assert_int_equal(d.nsame, 1);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_and_caret),	 cmocka_unit_test(long_line_is_cut_around_the_place),
		cmocka_unit_test(without_position),	 cmocka_unit_test(further_errors_are_counted_only),
		cmocka_unit_test(the_same_is_said_once),
	};

	return cmocka_run_group_tests_name("diag", tests, NULL, NULL);
}
