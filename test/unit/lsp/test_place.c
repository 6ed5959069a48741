/* SPDX-License-Identifier: Apache-2.0 */
/* Places of editors, and what may stand where: | is the cursor. */
#include "lsp/place.h"
#include "base/cleanup.h"
#include "unit.h"

static void test_utf16(void **state)
{
	/* e with acute: 2 bytes, 1 unit; a face: 4 bytes, 2 units; a byte that is no character: 1 and 1. */
	static const char text[] = "a\n\xc3\xa9\xf0\x9f\x98\x80z\n\xffq";
	static const struct {
		size_t off;
		struct place p;
	} rows[] = { { 0, { 0, 0 } }, { 1, { 0, 1 } }, { 2, { 1, 0 } },	 { 4, { 1, 1 } },
		     { 8, { 1, 3 } }, { 9, { 1, 4 } }, { 10, { 2, 0 } }, { 11, { 2, 1 } } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct place p = place_of(text, sizeof(text) - 1, rows[i].off);

		assert_int_equal(p.line, rows[i].p.line);
		assert_int_equal(p.character, rows[i].p.character);
		assert_int_equal(place_offset(text, sizeof(text) - 1, rows[i].p), rows[i].off);
	}
	assert_int_equal(place_offset(text, sizeof(text) - 1, (struct place){ 0, 99 }), 1);   /* the end of the line */
	assert_int_equal(place_offset(text, sizeof(text) - 1, (struct place){ 99, 99 }), 12); /* of the text */
	assert_int_equal(place_of(text, sizeof(text) - 1, 99).line, 2);
}

static void test_context(void **state)
{
	static const struct {
		const char *text;
		enum place_kind kind;
		const char *word, *closers;
	} rows[] = {
		{ "sysc|", PLACE_PROBE, "sysc", "" },
		{ "BEGIN, syscall::re|", PLACE_PROBE, "syscall::re", "" },
		{ "BEGIN {}\n\nio:|", PLACE_PROBE, "io:", "" },
		{ "inline int a = ex|", PLACE_WORD, "ex", ";" },
		{ "BEGIN { ex|", PLACE_WORD, "ex", ";}" },
		{ "BEGIN { trace(args[0]->pr|", PLACE_MEMBER, "pr", ");}" },
		{ "BEGIN { trace((args[0]).|", PLACE_MEMBER, "", ");}" },
		{ "BEGIN { @a[x[curthread -> |", PLACE_MEMBER, "", "]];}" },
		{ "BEGIN { if (1) { a = 1.|", PLACE_MEMBER, "", ";};}" },
		{ "BEGIN /exec|", PLACE_WORD, "exec", "/{}" },
		{ "BEGIN /(a / b|", PLACE_WORD, "b", ")/{}" },
		{ "BEGIN /a/ { b|", PLACE_WORD, "b", ";}" },
		{ "BEGIN /a/ {} END /c|", PLACE_WORD, "c", "/{}" },
		{ "/* BEGIN { a|", PLACE_NOTHING, "a", "" },
		{ "BEGIN { \"} /* a|", PLACE_NOTHING, "a", ";}" },
		{ "BEGIN { \"a\\\"|", PLACE_NOTHING, "", ";}" },
		{ "/* } \" */ BEGIN { a|", PLACE_WORD, "a", ";}" },
		{ "#pragma D option qu|", PLACE_OPTION, "qu", "" },
		{ "#pragma D depends|", PLACE_NOTHING, "depends", "" },
		{ "#pragma D option quiet\ntick|", PLACE_PROBE, "tick", "" },
		{ "}}})]/|", PLACE_WORD, "", "/{}" },
		{ "|", PLACE_PROBE, "", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		size_t off = (size_t)(strchr(rows[i].text, '|') - rows[i].text);
		struct place_context c;

		place_context(rows[i].text, off, &c);
		if (c.kind != rows[i].kind || strcmp(strb_str(&c.closers), rows[i].closers) != 0 ||
		    off - c.word != strlen(rows[i].word) ||
		    memcmp(rows[i].text + c.word, rows[i].word, off - c.word) != 0)
			fail_msg("%s: kind %d, word '%.*s', closers '%s'", rows[i].text, (int)c.kind,
				 (int)(off - c.word), rows[i].text + c.word, strb_str(&c.closers));
		strb_free(&c.closers);
	}
}

static void test_depth(void **state)
{
	struct place_context c;
	char text[1000];

	(void)state;
	memset(text, '(', sizeof(text)); /* more than are closed */
	place_context(text, sizeof(text), &c);
	assert_int_equal(c.closers.n, 256);
	strb_free(&c.closers);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_utf16), cmocka_unit_test(test_context),
					    cmocka_unit_test(test_depth) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
