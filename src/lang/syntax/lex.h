/* SPDX-License-Identifier: Apache-2.0 */
/* Lexer of D. The parser says in which of DTrace's start conditions the next token is to be read.
 * A struct lexer may be copied to look ahead and copied back; raise `quiet` meanwhile. */
#ifndef DWELL_LANG_SYNTAX_LEX_H
#define DWELL_LANG_SYNTAX_LEX_H
#include "lang/dprog.h"
#include "lang/syntax/token.h"

enum lex_mode {
	LEX_EXPR,   /* declarations, predicates, clauses (DTrace's S0) */
	LEX_PROBE,  /* between clauses: probe descriptions (S2) */
	LEX_MEMBER, /* after . and ->: words are never keywords (SIDENT); back to LEX_EXPR after it */
};

struct lexer {
	struct arena *arena;
	const struct source *src;
	const struct compile_env *env;
	struct diags *diags;
	const char *p, *end;
	enum lex_mode mode;
	bool bol;   /* only blanks since the start of the line */
	bool pred;  /* in a predicate: / may end it */
	bool times; /* numbers may have a unit of time: 10ms is 10000000 */
	bool cut;   /* the text ends inside a comment or string: said already */
	int parens, brackets;
	struct pragma **pragmas; /* where the next lasting control line goes; NULL: nowhere */
	unsigned quiet;		 /* > 0: report nothing and obey no control lines */
	struct token tok;
};

void lex_init(struct lexer *lx, struct arena *a, const struct source *src, const struct compile_env *env,
	      struct diags *d);
/* Reads the next token into lx->tok. At the end T_EOF, again and again. */
void lex_next(struct lexer *lx);
/* The first byte that is neither blank nor comment, from lx->p on; 0 at the end. The lexer does not move. */
const char *lex_peek_text(const struct lexer *lx, const char *p);
/* Reports unless quiet; returns the diagnostic or NULL. */
struct diag *lex_error(struct lexer *lx, struct span at, const char *tag, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Sets a hint; g may be NULL. */
void lex_hint(struct lexer *lx, struct diag *g, const char *hint);
void lex_read_to(const struct lexer *lx, struct diag *g, const char *p); /* DTrace names that line */
struct span lex_span(const struct lexer *lx, const char *from, const char *to);

/* The word's keyword, or T_IDENT; its class and the text of any token kind for messages. */
enum tok lex_keyword(const char *s, size_t n);
enum kw_class lex_kw_class(enum tok t);

/* -- parts, in lex_const.c -- */
void lex_number(struct lexer *lx);
void lex_string(struct lexer *lx);
void lex_char(struct lexer *lx);
/* Reads digits and suffix from text that is exactly one integer constant: 0, -EINVAL (no constant),
 * -ERANGE, -EDOM (digit not of the base, *bad is it). */
int lex_parse_int(const char *s, size_t n, uint64_t *ret, const char **suffix, char *bad);
/* Decodes C escapes; ends at the first NUL it makes, as DTrace's strings do. In the arena. */
char *lex_unescape(struct arena *a, const char *s, size_t n, size_t *ret_len);

/* -- pragma.c: a control line from after its # to its end -- */
void pragma_line(struct lexer *lx, const char *p, const char *end);

/* ASCII only, in any locale. */
static inline bool lex_is_digit(char c)
{
	return c >= '0' && c <= '9';
}
static inline bool lex_is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '`' || lex_is_digit(c);
}
static inline bool lex_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}
#endif
