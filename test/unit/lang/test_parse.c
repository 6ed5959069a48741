/* SPDX-License-Identifier: Apache-2.0 */
/* The parser: limits, positions, error counts and what pragmas change. The files in test/lang/parse test the trees. */
#include "../unit.h"
#include <errno.h>
#include "lang/dprog.h"
#include "lang/errtag.h"

struct fixture {
	struct arena *arena;
	struct diags diags;
	struct dopts opts;
	struct compile_env env;
	struct source src;
	struct unit *unit;
	char *text;
};

static int parse_limited(struct fixture *f, const char *text, size_t memory)
{
	*f = (struct fixture){ .arena = arena_new(memory) };
	dopts_init(&f->opts, f->arena);
	diags_init(&f->diags, f->arena);
	f->env.opts = &f->opts;
	f->src = (struct source){ .name = "t.d", .text = text, .len = strlen(text) };
	return lang_parse(f->arena, &f->src, &f->env, &f->diags, &f->unit);
}

static int parse(struct fixture *f, const char *text)
{
	return parse_limited(f, text, ARENA_DEFAULT_LIMIT);
}

static void done(struct fixture *f)
{
	arena_free(f->arena);
	free(f->text);
}

/* "prefix", then n times "part", "middle", n times "close", "suffix". */
static int parse_nested(struct fixture *f, const char *prefix, const char *part, unsigned n, const char *middle,
			const char *close, const char *suffix)
{
	struct strb b = { 0 };
	char *text;
	int r;

	strb_adds(&b, prefix);
	for (unsigned i = 0; i < n; i++)
		strb_adds(&b, part);
	strb_adds(&b, middle);
	for (unsigned i = 0; i < n; i++)
		strb_adds(&b, close);
	strb_adds(&b, suffix);
	text = strb_take(&b);
	r = parse(f, text);
	f->text = text;
	return r;
}

static void nesting_is_limited(void **state)
{
	static const struct {
		const char *prefix, *part, *middle, *close, *suffix;
		unsigned max; /* this number passes, one more does not */
	} cases[] = {
		{ "BEGIN { x = ", "(", "1", ")", "; }", DPROG_MAX_DEPTH - 2 },
		{ "BEGIN { ", "(", "1", ")", "; }", DPROG_MAX_DEPTH - 1 },
		{ "BEGIN { ", "f(", "1", ")", "; }", DPROG_MAX_DEPTH - 1 },
		{ "BEGIN { ", "a[", "1", "]", "; }", DPROG_MAX_DEPTH - 1 },
		{ "BEGIN { ", "- ", "1", "", "; }", DPROG_MAX_DEPTH - 1 },
		{ "BEGIN { ", "(int)", "1", "", "; }", DPROG_MAX_DEPTH - 1 },
		{ "BEGIN { ", "x = ", "1", "", "; }", DPROG_MAX_DEPTH - 1 },
		{ "BEGIN { ", "1 ? 2 : ", "3", "", "; }", DPROG_MAX_DEPTH - 1 },
		{ "a:::b / ", "(", "1", ")", "/ { }", DPROG_MAX_DEPTH - 1 },
		{ "BEGIN { ", "1 + ", "2", "", "; }", DPROG_MAX_HEIGHT - 1 },
		{ "BEGIN { a", "->b", "", "", "; }", DPROG_MAX_HEIGHT - 1 },
		{ "BEGIN { a", "[1]", "", "", "; }", DPROG_MAX_HEIGHT - 1 },
		{ "BEGIN { 1", ", 2", "", "", "; }", DPROG_MAX_HEIGHT - 1 },
		{ "BEGIN { a", "++", "", "", "; }", DPROG_MAX_HEIGHT - 1 },
		{ "int ", "*", "x", "", ";", DPROG_MAX_DEPTH },
		{ "int x", "[1]", "", "", ";", DPROG_MAX_DEPTH },
		{ "int ", "(", "x", ")", ";", DPROG_MAX_DEPTH - 1 },
		{ "struct a { ", "struct {", "int x;", "} y;", "};", DPROG_MAX_DEPTH - 2 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture f;
		int r;

		r = parse_nested(&f, cases[i].prefix, cases[i].part, cases[i].max, cases[i].middle, cases[i].close,
				 cases[i].suffix);
		if (r != 0)
			print_error("%s%s… %u: %s\n", cases[i].prefix, cases[i].part, cases[i].max, f.diags.first->msg);
		assert_int_equal(r, 0);
		done(&f);
		r = parse_nested(&f, cases[i].prefix, cases[i].part, cases[i].max + 1, cases[i].middle, cases[i].close,
				 cases[i].suffix);
		if (r == 0)
			print_error("%s%s… %u passes\n", cases[i].prefix, cases[i].part, cases[i].max + 1);
		assert_int_equal(r, -EINVAL);
		assert_string_equal(f.diags.first->tag, D_LIMIT);
		assert_int_equal(f.diags.nerrors, 1);
		done(&f);
		r = parse_nested(&f, cases[i].prefix, cases[i].part, 10000, cases[i].middle, cases[i].close,
				 cases[i].suffix);
		assert_int_equal(r, -EINVAL);
		assert_string_equal(f.diags.first->tag, D_LIMIT);
		done(&f);
	}
}

static void source_size_is_limited(void **state)
{
	size_t n = DPROG_MAX_SOURCE;
	char *text = malloc(n + 2);
	struct fixture f;

	(void)state;
	assert_non_null(text);
	memset(text, ' ', n + 1);
	memcpy(text, "BEGIN { }", 9);
	text[n] = '\0';
	assert_int_equal(parse(&f, text), 0);
	assert_non_null(f.unit->items);
	done(&f);
	text[n] = ' ';
	text[n + 1] = '\0';
	assert_int_equal(parse(&f, text), -EINVAL);
	assert_string_equal(f.diags.first->tag, D_LIMIT);
	done(&f);
	free(text);
}

static void memory_is_limited(void **state)
{
	struct strb b = { 0 };
	struct fixture f;

	(void)state;
	for (int i = 0; i < 10000; i++)
		strb_adds(&b, "BEGIN { trace(1); }\n");
	assert_int_equal(parse_limited(&f, strb_str(&b), 100000), -EINVAL);
	assert_string_equal(f.diags.last->tag, D_LIMIT);
	done(&f);
	strb_free(&b);
}

static void ten_thousand_clauses_are_parsed(void **state)
{
	struct fixture f;
	unsigned n = 0;

	(void)state;
	assert_int_equal(parse_nested(&f, "", "BEGIN { trace(1); }\n", 10000, "", "", ""), 0);
	for (const struct item *it = f.unit->items; it; it = it->next)
		n += it->clause != NULL;
	assert_int_equal(n, 10000);
	done(&f);
}

static void errors_are_counted_up_to_the_cap(void **state)
{
	struct fixture f;

	(void)state;
	assert_int_equal(parse_nested(&f, "BEGIN {", "1 +;", DIAG_MAX_ERRORS - 1, "", "", "}"), -EINVAL);
	assert_int_equal(f.diags.nerrors, DIAG_MAX_ERRORS - 1);
	done(&f);
	assert_int_equal(parse_nested(&f, "BEGIN {", "1 +;", 1000, "", "", "}"), -EINVAL);
	assert_int_equal(f.diags.nerrors, DIAG_MAX_ERRORS);
	done(&f);
	assert_int_equal(parse_nested(&f, "", "}\n", 1000, "", "", ""), -EINVAL);
	assert_int_equal(f.diags.nerrors, DIAG_MAX_ERRORS);
	done(&f);
}

static void empty_texts_are_errors_unless_allowed(void **state)
{
	static const char *const texts[] = { "", "\n \t", "/* x */", "#!/usr/bin/dwell -s\n" };
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_int_equal(parse(&f, texts[i]), -EINVAL);
		assert_string_equal(f.diags.first->tag, "D_EMPTY");
		f.opts.empty = true;
		f.diags = (struct diags){ .arena = f.arena };
		assert_int_equal(lang_parse(f.arena, &f.src, &f.env, &f.diags, &f.unit), 0);
		assert_null(f.unit->items);
		done(&f);
	}
}

static void expect_span(const struct fixture *f, struct span at, const char *want)
{
	char *got = arena_strndup(f->arena, f->src.text + at.off, at.len);

	assert_ptr_equal(at.src, &f->src);
	assert_string_equal(got, want);
}

static void nodes_know_their_text(void **state)
{
	const char *text = "a:::b, c /x == 1/ { y = f(1, z) + -(w[2]); @q[pid] = sum(v->m); }";
	const struct clause *c;
	const struct stmt *s;
	struct fixture f;

	(void)state;
	assert_int_equal(parse(&f, text), 0);
	c = f.unit->items->clause;
	expect_span(&f, c->at, text);
	expect_span(&f, c->probes->at, "a:::b");
	assert_string_equal(c->probes->next->text, "c");
	expect_span(&f, c->pred->at, "x == 1");
	s = c->body;
	expect_span(&f, s->at, "y = f(1, z) + -(w[2])");
	expect_span(&f, s->expr->b->a->at, "f(1, z)");
	expect_span(&f, s->expr->b->b->at, "-(w[2])");
	s = s->next;
	assert_int_equal(s->kind, ST_AGG);
	assert_int_equal(s->number, 2);
	expect_span(&f, s->at, "@q[pid] = sum(v->m)");
	expect_span(&f, s->expr->at, "@q[pid]");
	expect_span(&f, s->call->args->at, "v->m");
	assert_int_equal(s->call->nargs, 1);
	done(&f);
}

static void pragmas_set_options(void **state)
{
	struct fixture f;

	(void)state;
	assert_int_equal(parse(&f, "#pragma D option quiet\n#pragma D option strsize=1k\nBEGIN { }\n"
				   "#pragma D option switchrate=10hz\n"),
			 0);
	assert_true(f.opts.quiet);
	assert_int_equal(f.opts.strsize, 1024);
	assert_int_equal(f.opts.switchrate, 100000000);
	done(&f);
}

static void messages_are_those_of_dtrace(void **state)
{
	static const struct {
		const char *text, *msg;
	} cases[] = {
		{ "BEGIN { trace(1 +); }", "syntax error near \")\"" },
		{ "BEGIN { trace(1)", "syntax error near end of input" },
		{ "BEGIN { 1)", "extra ) in input stream" },
		{ "BEGIN { 1.5; }", "floating-point constants are not permitted" },
		{ "BEGIN { $x; }", "macro variable $x is not defined" },
		{ "BEGIN { $1; }", "macro argument $1 is not defined" },
		{ "BEGIN { 09; }", "constant 09 contains invalid digit 9" },
		{ "int a", "syntax error near end-of-input" },
		{ "/* ", "end-of-file encountered before matching */" },
		{ "#pragma D option x", "failed to set option 'x': Invalid option name" },
		{ "#pragma D option bufsize=x",
		  "failed to set option 'bufsize' to 'x': Invalid value for specified option" },
		{ "a:b:c:d:e {}", "invalid probe description \"a:b:c:d:e\": Overspecified probe description" },
	};
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(parse(&f, cases[i].text), -EINVAL);
		assert_string_equal(f.diags.first->msg, cases[i].msg);
		done(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nesting_is_limited),
		cmocka_unit_test(source_size_is_limited),
		cmocka_unit_test(memory_is_limited),
		cmocka_unit_test(ten_thousand_clauses_are_parsed),
		cmocka_unit_test(errors_are_counted_up_to_the_cap),
		cmocka_unit_test(empty_texts_are_errors_unless_allowed),
		cmocka_unit_test(nodes_know_their_text),
		cmocka_unit_test(pragmas_set_options),
		cmocka_unit_test(messages_are_those_of_dtrace),
	};

	return cmocka_run_group_tests_name("parse", tests, NULL, NULL);
}
