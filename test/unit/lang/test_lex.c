/* SPDX-License-Identifier: Apache-2.0 */
/* The lexer: each text gives these tokens, or this error. */
#include "../unit.h"
#include "lang/errtag.h"
#include "lang/syntax/lex.h"

struct fixture {
	struct arena *arena;
	struct diags diags;
	struct dopts opts;
	struct macro_env macros;
	bool used[3];
	struct compile_env env;
	struct source src;
	struct lexer lx;
};

static const char *const args[] = { "script.d", "-5", "18446744073709551616" };

static void start(struct fixture *f, const char *text, enum lex_mode mode)
{
	*f = (struct fixture){ .arena = arena_new(ARENA_DEFAULT_LIMIT) };
	dopts_init(&f->opts, f->arena);
	diags_init(&f->diags, f->arena);
	f->macros = (struct macro_env){ .pid = -1, .target = 99, .argv = args, .argc = 3 };
	f->macros.used = f->used;
	f->env = (struct compile_env){ .opts = &f->opts, .macros = &f->macros };
	f->src = (struct source){ .name = "t.d", .text = text, .len = strlen(text) };
	lex_init(&f->lx, f->arena, &f->src, &f->env, &f->diags);
	f->lx.mode = mode;
}

static void print_token(struct strb *out, const struct token *t)
{
	switch (t->kind) {
	case T_INT:
		strb_printf(out, "%s%s%llu%s ", t->is_char ? "c" : "", t->negative ? "-" : "",
			    (unsigned long long)t->ival, t->suffix);
		break;
	case T_STR: strb_printf(out, "\"%.*s\" ", (int)t->len, t->str); break;
	case T_IDENT: strb_printf(out, "%s ", t->name); break;
	case T_AGG: strb_printf(out, "@%s ", t->name); break;
	case T_PSPEC: strb_printf(out, "<%s> ", t->name); break;
	case T_EPRED: strb_adds(out, "EPRED "); break;
	case T_ERROR: strb_adds(out, "ERROR "); break;
	default: strb_printf(out, "'%.*s' ", (int)t->at.len, t->at.src->text + t->at.off);
	}
}

static void expect_tokens(const char *text, enum lex_mode mode, bool pred, const char *want)
{
	struct strb out = { 0 };
	struct fixture f;

	start(&f, text, mode);
	f.lx.pred = pred;
	for (lex_next(&f.lx); f.lx.tok.kind != T_EOF; lex_next(&f.lx))
		print_token(&out, &f.lx.tok);
	if (strcmp(strb_str(&out), want) != 0)
		print_error("text: %s\n", text);
	assert_string_equal(strb_str(&out), want);
	assert_int_equal(f.diags.nerrors, 0);
	strb_free(&out);
	arena_free(f.arena);
}

static void texts_become_tokens(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "", "" },
		{ " \t\f\v\r\n", "" },
		{ "a _b c9 mod`sym `x", "a _b c9 mod`sym `x " },
		{ "self selfish this int", "'self' selfish 'this' 'int' " },
		{ "0 7 010 0x1f 0XFF 12u 1L 1ul 1ULL 1lu", "0 7 8 31 255 12u 1l 1ul 1ull 1ul " },
		{ "18446744073709551615", "18446744073709551615 " },
		{ "10goo 0x", "10 goo 0 x " },
		{ "'a' '\\n' 'ab' '\\0' '\\''", "c97 c10 c24930 c0 c23591 " },
		{ "'abcdefgh'", "c7017280452245743464 " },
		{ "\"\" \"a b\" \"\\\"\" \"\\x41\\102\\t\"", "\"\" \"a b\" \"\"\" \"AB\t\" " },
		{ "\"x\\0y\" \"\\q\"", "\"x\" \"\\q\" " },
		{ "@ @a @_ @a1[", "@ @a @ @a1 '[' " },
		{ "a+++b", "a '++' '+' b " },
		{ "a<<=b>>=c<=d>=e<f>g", "a '<<=' b '>>=' c '<=' d '>=' e '<' f '>' g " },
		{ "a^^b^c^=d", "a '^^' b '^' c '^=' d " },
		{ "x->y.z...", "x '->' y '.' z '...' " },
		{ "a/b /c/*d*/ /= e", "a '/' b '/' c '/=' e " },
		{ "a /* x\ny */ b /**/ c /***/ d", "a b c d " },
		{ "a \\\n b", "a b " },
		{ "#!/bin/x -s\na\n#!b\nc", "a c " },
		{ "$pid $$pid $target $0 $1", "18446744073709551615 \"4294967295\" 99 \"script.d\" -5 " },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect_tokens(cases[i].text, LEX_EXPR, false, cases[i].want);
}

static void descriptions_have_their_own_rules(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "BEGIN", "<BEGIN> " },
		{ "syscall::read*:entry,io:::start", "<syscall::read*:entry> ',' <io:::start> " },
		{ "a-b.c$1:[x-z]?!\\*:n/", "<a-b.c$1:[x-z]?!\\*:n> '/' " },
		{ "profile-997{", "<profile-997> '{' " },
		{ "12, 34", "12 ',' 34 " },
		{ "int x", "'int' <x> " },
		{ "int*", "<int*> " },
		{ "int:::x while sizeof", "<int:::x> <while> <sizeof> " },
		{ "struct inline self;", "'struct' 'inline' 'self' ';' " },
		{ "x /* c */ y", "<x> <y> " },
		{ "::", "<::> " },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect_tokens(cases[i].text, LEX_PROBE, false, cases[i].want);
}

/* dt_lex.l: a / ends the predicate when the end, ; { or / follows it. */
static void slash_ends_predicates(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "x/", "x EPRED " },
		{ "x/ {", "x EPRED '{' " },
		{ "x / y/\n\t{", "x '/' y EPRED '{' " },
		{ "x/ ;", "x EPRED ';' " },
		{ "x/ /*c*/ {", "x EPRED '{' " },
		{ "x/ y", "x '/' y " },
		{ "(x/ y) / {", "'(' x '/' y ')' EPRED '{' " },
		{ "x /= 3/", "x '/=' 3 EPRED " },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect_tokens(cases[i].text, LEX_EXPR, true, cases[i].want);
}

static void members_may_be_keywords(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, "int int", LEX_MEMBER);
	lex_next(&f.lx);
	assert_int_equal(f.lx.tok.kind, T_IDENT);
	lex_next(&f.lx);
	assert_int_equal(f.lx.tok.kind, T_KW_INT);
	arena_free(f.arena);
}

static void errors_have_tag_and_place(void **state)
{
	static const struct {
		const char *text, *tag;
		unsigned off, len;
	} cases[] = {
		{ "x 089", D_INT_DIGIT, 2, 3 },
		{ "18446744073709551616", D_INT_OFLOW, 0, 20 },
		{ "0x10000000000000000", D_INT_OFLOW, 0, 19 },
		{ "1.5", D_SYNTAX, 0, 3 },
		{ "x .5e+3f", D_SYNTAX, 2, 6 },
		{ "\"ab\n", D_STR_NL, 0, 3 },
		{ "\"ab\\\n", D_STR_NL, 0, 4 },
		{ "\"ab", D_SYNTAX, 0, 3 },
		{ "'a\n", D_CHR_NL, 0, 2 },
		{ "''", D_CHR_NULL, 0, 2 },
		{ "'123456789'", D_CHR_OFLOW, 0, 11 },
		{ "a /* b", D_SYNTAX, 2, 2 },
		{ "a /* /* */", D_SYNTAX, 5, 2 },
		{ "a )", D_SYNTAX, 2, 1 },
		{ "(a ])", D_SYNTAX, 3, 1 },
		{ "a # b", D_SYNTAX, 2, 1 },
		{ "\\", D_SYNTAX, 0, 1 },
		{ "\x80", D_SYNTAX, 0, 1 },
		{ "$nope", D_MACRO_UNDEF, 0, 5 },
		{ "$$nope", D_MACRO_UNDEF, 0, 6 },
		{ "a $3", D_MACRO_UNDEF, 2, 2 },
		{ "$2", D_MACRO_OFLOW, 0, 2 },
		{ "#foo", D_PRAGCTL_INVAL, 1, 3 },
		{ "$", D_SYNTAX, 0, 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture f;

		start(&f, cases[i].text, LEX_EXPR);
		for (lex_next(&f.lx); f.lx.tok.kind != T_EOF; lex_next(&f.lx))
			;
		if (f.diags.nerrors != 1 || strcmp(f.diags.first->tag, cases[i].tag) != 0)
			print_error("text: %s\n", cases[i].text);
		assert_int_equal(f.diags.nerrors, 1);
		assert_string_equal(f.diags.first->tag, cases[i].tag);
		assert_int_equal(f.diags.first->at.off, cases[i].off);
		assert_int_equal(f.diags.first->at.len, cases[i].len);
		arena_free(f.arena);
	}
}

static void nothing_is_said_while_looking_ahead(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, "089 $nope '' \n#pragma D option quiet\n#foo\n", LEX_EXPR);
	f.lx.quiet++;
	for (lex_next(&f.lx); f.lx.tok.kind != T_EOF; lex_next(&f.lx))
		;
	assert_int_equal(f.diags.nerrors, 0);
	assert_false(f.opts.quiet);
	arena_free(f.arena);
}

static void arguments_are_marked_as_used(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, "$1", LEX_EXPR);
	lex_next(&f.lx);
	assert_true(f.used[1]);
	assert_false(f.used[0]);
	assert_false(f.used[2]);
	arena_free(f.arena);
}

static void defaultargs_gives_missing_arguments(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, "$3 $$3", LEX_EXPR);
	f.opts.defaultargs = true;
	lex_next(&f.lx);
	assert_int_equal(f.lx.tok.kind, T_INT);
	assert_int_equal(f.lx.tok.ival, 0);
	lex_next(&f.lx);
	assert_int_equal(f.lx.tok.kind, T_STR);
	assert_int_equal(f.lx.tok.len, 0);
	assert_int_equal(f.diags.nerrors, 0);
	arena_free(f.arena);
}

static void every_keyword_is_found(void **state)
{
	static const struct {
		const char *text;
		enum tok tok;
	} words[] = {
#define KW(id, text, class) { text, T_KW_##id },
#define SIGN(id, text)
#include "lang/syntax/token.def"
#undef KW
#undef SIGN
	};

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		assert_int_equal(lex_keyword(words[i].text, strlen(words[i].text)), words[i].tok);
	assert_int_equal(lex_keyword("in", 2), T_IDENT);
	assert_int_equal(lex_keyword("integer", 7), T_IDENT);
}

static void tags_are_unique_and_known(void **state)
{
	size_t n;
	const struct errtag *t = errtag_all(&n);

	(void)state;
	assert_true(n > 150);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(strncmp(t[i].tag, "D_", 2), 0);
		assert_ptr_equal(errtag_find(t[i].tag), &t[i]);
	}
	assert_null(errtag_find("D_NOSUCH"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_become_tokens),		cmocka_unit_test(descriptions_have_their_own_rules),
		cmocka_unit_test(slash_ends_predicates),	cmocka_unit_test(members_may_be_keywords),
		cmocka_unit_test(errors_have_tag_and_place),	cmocka_unit_test(nothing_is_said_while_looking_ahead),
		cmocka_unit_test(arguments_are_marked_as_used), cmocka_unit_test(defaultargs_gives_missing_arguments),
		cmocka_unit_test(every_keyword_is_found),	cmocka_unit_test(tags_are_unique_and_known),
	};

	return cmocka_run_group_tests_name("lex", tests, NULL, NULL);
}
