/* SPDX-License-Identifier: Apache-2.0 */
/* Lexer of D: blanks, comments, control lines, words, signs and probe descriptions. */
#include "lang/syntax/lex.h"
#include <string.h>
#include "base/utf8.h"
#include "lang/errtag.h"
#include "lang/syntax/macro.h"

void lex_init(struct lexer *lx, struct arena *a, const struct source *src, const struct compile_env *env,
	      struct diags *d)
{
	*lx = (struct lexer){ .arena = a, .src = src, .env = env, .diags = d, .bol = true };
	lx->p = src->text + utf8_bom(src->text, src->len);
	lx->end = src->text + src->len;
	lx->mode = LEX_PROBE;
}

struct span lex_span(const struct lexer *lx, const char *from, const char *to)
{
	return (struct span){ lx->src, (uint32_t)(from - lx->src->text), (uint32_t)(to - from), 0 };
}

struct diag *lex_error(struct lexer *lx, struct span at, const char *tag, const char *fmt, ...)
{
	va_list ap;
	char *msg;

	if (lx->quiet)
		return NULL;
	va_start(ap, fmt);
	msg = arena_vprintf(lx->arena, fmt, ap);
	va_end(ap);
	return diag_error(lx->diags, at, tag, "%s", msg);
}

void lex_read_to(const struct lexer *lx, struct diag *g, const char *p)
{
	if (g)
		g->read_to = (uint32_t)(p - lx->src->text);
}

void lex_hint(struct lexer *lx, struct diag *g, const char *hint)
{
	if (g)
		diag_hint(lx->diags, g, "%s", hint);
}

static const struct {
	const char *text;
	enum tok tok;
	enum kw_class class;
} keywords[] = {
#define KW(id, text, class) { text, T_KW_##id, KWC_##class },
#define SIGN(id, text)
#include "lang/syntax/token.def"
#undef KW
#undef SIGN
};

static const struct {
	const char *text;
	unsigned char len;
	enum tok tok;
} signs[] = {
#define KW(id, text, class)
#define SIGN(id, text) { text, sizeof(text) - 1, T_##id },
#include "lang/syntax/token.def"
#undef KW
#undef SIGN
};

enum tok lex_keyword(const char *s, size_t n)
{
	for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++) {
		const char *k = keywords[i].text;

		if (k[0] == s[0] && strlen(k) == n && !memcmp(k, s, n))
			return keywords[i].tok;
	}
	return T_IDENT;
}

enum kw_class lex_kw_class(enum tok t)
{
	for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++)
		if (keywords[i].tok == t)
			return keywords[i].class;
	return KWC_NONE;
}

/* The end of the comment that starts at p, or NULL when it has none. */
static const char *comment_end(const char *p, const char *end)
{
	for (p += 2; p + 1 < end; p++) {
		p = memchr(p, '*', (size_t)(end - p));
		if (!p)
			return NULL;
		if (p + 1 < end && p[1] == '/')
			return p + 2;
	}
	return NULL;
}

/* "// …" up to the end of the line. In a predicate "//" and then a star are its end and a comment. */
static bool line_comment(const struct lexer *lx, const char *p)
{
	return p + 1 < lx->end && p[0] == '/' && p[1] == '/' && !(lx->pred && p + 2 < lx->end && p[2] == '*');
}

static const char *line_end(const struct lexer *lx, const char *p)
{
	const char *nl = memchr(p, '\n', (size_t)(lx->end - p));

	return nl ? nl : lx->end;
}

static void skip_comment(struct lexer *lx)
{
	const char *from = lx->p, *to = comment_end(from, lx->end);

	if (!to) {
		lex_read_to(lx,
			    lex_error(lx, lex_span(lx, from, from + 2), D_SYNTAX,
				      "end-of-file encountered before matching */"),
			    lx->end);
		lx->cut = true;
		lx->p = lx->end;
		return;
	}
	lx->p = to;
	/* DTrace refuses a comment start inside a comment: it is nearly always a forgotten end. */
	for (const char *q = from + 2; q + 1 < to - 2; q++) {
		q = memchr(q, '/', (size_t)(to - 2 - q));
		if (!q)
			return;
		if (q[1] == '*' && q + 2 < to) {
			lex_error(lx, lex_span(lx, q, q + 2), D_SYNTAX, "/* encountered inside a comment");
			return;
		}
	}
}

/* A line that starts with #: "#!…" is skipped, others are control lines. */
static void skip_control(struct lexer *lx)
{
	const char *from = lx->p + 1;
	const char *nl = memchr(from, '\n', (size_t)(lx->end - from));
	const char *to = nl ? nl : lx->end;

	lx->p = to;
	if (from < lx->end && *from == '!')
		return;
	if (!lx->quiet)
		pragma_line(lx, from, to);
}

static void skip_blanks(struct lexer *lx)
{
	while (lx->p < lx->end) {
		char c = *lx->p;

		if (c == '\n') {
			lx->bol = true;
			lx->p++;
		} else if (lex_is_blank(c)) {
			lx->p++;
		} else if (c == '\\' && lx->mode != LEX_PROBE && lx->p + 1 < lx->end && lx->p[1] == '\n') {
			lx->p += 2;
		} else if (c == '/' && lx->p + 1 < lx->end && lx->p[1] == '*') {
			lx->bol = false;
			skip_comment(lx);
		} else if (line_comment(lx, lx->p)) {
			lx->p = line_end(lx, lx->p);
		} else if (c == '#' && lx->bol) {
			skip_control(lx);
		} else {
			return;
		}
	}
}

const char *lex_peek_text(const struct lexer *lx, const char *p)
{
	while (p < lx->end) {
		if (lex_is_blank(*p)) {
			p++;
		} else if (*p == '/' && p + 1 < lx->end && p[1] == '*') {
			p = comment_end(p, lx->end);
			if (!p)
				return lx->end;
		} else if (line_comment(lx, p)) {
			p = line_end(lx, p);
		} else {
			return p;
		}
	}
	return lx->end;
}

static void take(struct lexer *lx, enum tok kind, const char *to)
{
	lx->tok.kind = kind;
	lx->tok.at = lex_span(lx, lx->p, to);
	lx->p = to;
}

static void bad_byte(struct lexer *lx)
{
	struct span at = lex_span(lx, lx->p, lx->p + 1);
	unsigned char c = (unsigned char)*lx->p;

	if (c >= 0x20 && c < 0x7f)
		lex_error(lx, at, D_SYNTAX, "syntax error near \"%c\"", c);
	else
		lex_error(lx, at, D_SYNTAX, "syntax error near \"\\x%02x\"", c);
	take(lx, T_ERROR, lx->p + 1);
}

static void lex_word(struct lexer *lx)
{
	const char *from = lx->p, *to = from;

	while (to < lx->end && lex_is_word(*to))
		to++;
	lx->tok.kind = lx->mode == LEX_MEMBER ? T_IDENT : lex_keyword(from, (size_t)(to - from));
	lx->tok.name = arena_strndup(lx->arena, from, (size_t)(to - from));
	take(lx, lx->tok.kind, to);
}

static void lex_agg(struct lexer *lx)
{
	const char *to = lx->p + 1;

	if (to < lx->end && lex_is_word(*to) && !lex_is_digit(*to))
		while (to < lx->end && lex_is_word(*to) && *to != '`')
			to++;
	lx->tok.name = arena_strndup(lx->arena, lx->p + 1, (size_t)(to - lx->p - 1));
	if (!strcmp(lx->tok.name, "_")) /* DTrace's inner name of the anonymous one */
		lx->tok.name = "";
	take(lx, T_AGG, to);
}

/* The / in a predicate ends it when the end of the text, ; { or / follows, as in dt_lex.l. */
static bool ends_predicate(struct lexer *lx, enum tok *ret)
{
	const char *p = lx->p + 1;

	while (p < lx->end && lex_is_blank(*p))
		p++;
	if (p < lx->end && *p != ';' && *p != '{' && *p != '/')
		return false;
	*ret = T_EPRED;
	if (lx->parens || lx->brackets) {
		lex_read_to(lx,
			    lex_error(lx, lex_span(lx, lx->p, lx->p + 1), D_SYNTAX,
				      "closing %s expected in predicate before /", lx->parens ? ")" : "]"),
			    p);
		*ret = T_ERROR;
	}
	return true;
}

/* Keeps count of ( and [; the closing one too many is an error of its own in DTrace. */
static bool count_pairs(struct lexer *lx, enum tok t)
{
	int *n = t == T_LPAR || t == T_RPAR ? &lx->parens : &lx->brackets;

	if (t == T_LPAR || t == T_LBRACK) {
		++*n;
	} else if (t == T_RPAR || t == T_RBRACK) {
		if (*n == 0) {
			lex_error(lx, lex_span(lx, lx->p, lx->p + 1), D_SYNTAX, "extra %c in input stream", *lx->p);
			return false;
		}
		--*n;
	}
	return true;
}

static void lex_sign(struct lexer *lx)
{
	size_t left = (size_t)(lx->end - lx->p);
	enum tok end;

	if (*lx->p == '/' && lx->pred && (left < 2 || lx->p[1] != '=') && ends_predicate(lx, &end)) {
		take(lx, end, lx->p + 1);
		return;
	}
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		size_t n = signs[i].len;

		if (*lx->p != signs[i].text[0] || n > left || memcmp(lx->p, signs[i].text, n) != 0)
			continue;
		if (!count_pairs(lx, signs[i].tok))
			take(lx, T_ERROR, lx->p + n);
		else
			take(lx, signs[i].tok, lx->p + n);
		return;
	}
	bad_byte(lx);
}

static void next_expr(struct lexer *lx)
{
	char c = *lx->p;
	char c1 = lx->p + 1 < lx->end ? lx->p[1] : 0;

	if (lex_is_digit(c) || (c == '.' && lex_is_digit(c1)))
		lex_number(lx);
	else if (lex_is_word(c))
		lex_word(lx);
	else if (c == '"')
		lex_string(lx);
	else if (c == '\'')
		lex_char(lx);
	else if (c == '@')
		lex_agg(lx);
	else if (c == '$' && lex_is_word(c1))
		macro_token(lx);
	else if (c == '$' && c1 == '$' && lx->p + 2 < lx->end && lex_is_word(lx->p[2]))
		macro_token(lx);
	else
		lex_sign(lx);
}

static bool is_pspec(char c, bool first)
{
	if (lex_is_digit(c) || c == '`')
		return !first;
	return lex_is_word(c) || (c && strchr("-$:.?*\\[]!", c));
}

/* "pid*:/usr/lib/libc.so.6:malloc:entry", also what bpftrace has (uprobe:/bin/bash:readline), which gets a hint: the
 * end of the path, or NULL: to is not where one begins. */
static const char *path_end(const struct lexer *lx, const char *to)
{
	const char *end = to;

	if (to - lx->p < 4 || to[-1] != ':' || *to != '/' ||
	    (memcmp(lx->p, "pid", 3) != 0 && strncmp(lx->p, "uprobe:", 7) != 0 &&
	     strncmp(lx->p, "uretprobe:", 10) != 0 && strncmp(lx->p, "usdt:", 5) != 0) ||
	    memchr(lx->p, ':', (size_t)(to - lx->p)) != to - 1)
		return NULL;
	while (end < lx->end && *end != ':' && !strchr(" \t\r\n{},;\"'", *end))
		end++;
	return end < lx->end && *end == ':' ? end : NULL;
}

/* Between clauses: descriptions, ids, keywords of declarations and , / { ;. */
static void next_probe(struct lexer *lx)
{
	const char *to = lx->p;
	enum tok kw;

	if (lex_is_digit(*lx->p)) {
		lex_number(lx);
		return;
	}
	if (!is_pspec(*to, true) && *to != '`') {
		lex_sign(lx);
		if (lx->tok.kind != T_COMMA && lx->tok.kind != T_DIV && lx->tok.kind != T_LBRACE &&
		    lx->tok.kind != T_SEMI && lx->tok.kind != T_ERROR) {
			lx->p = lx->src->text + lx->tok.at.off;
			bad_byte(lx);
		}
		return;
	}
	/* Names of Go methods have parentheses, lines an @. After a colon only: int f(int a) is a declaration. */
	while (to < lx->end && (is_pspec(*to, false) ||
				((*to == '(' || *to == ')' || *to == '@') && memchr(lx->p, ':', (size_t)(to - lx->p)))))
		to = path_end(lx, to + 1) ? path_end(lx, to + 1) : to + 1;
	kw = lex_keyword(lx->p, (size_t)(to - lx->p));
	lx->tok.name = arena_strndup(lx->arena, lx->p, (size_t)(to - lx->p));
	take(lx, lex_kw_class(kw) == KWC_NONE || lex_kw_class(kw) == KWC_EXPR ? T_PSPEC : kw, to);
}

void lex_next(struct lexer *lx)
{
	lx->tok = (struct token){ .kind = T_EOF };
	skip_blanks(lx);
	lx->bol = false;
	if (lx->p >= lx->end)
		take(lx, T_EOF, lx->p);
	else if (lx->mode == LEX_PROBE)
		next_probe(lx);
	else
		next_expr(lx);
	if (lx->mode == LEX_MEMBER)
		lx->mode = LEX_EXPR;
}
