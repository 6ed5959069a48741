/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens of D as the lexer hands them to the parser. */
#ifndef DWELL_LANG_SYNTAX_TOKEN_H
#define DWELL_LANG_SYNTAX_TOKEN_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/source.h"

enum tok {
	T_EOF,
	T_ERROR, /* something that is no token; already reported */
	T_INT,	 /* ival, suffix, spelling; is_char; negative ($1 given as "-5") */
	T_STR,	 /* str, len: decoded */
	T_IDENT, /* name; may contain ` */
	T_AGG,	 /* name without @; "" for the anonymous one */
	T_PSPEC, /* name: a probe description as written */
	T_EPRED, /* the / that ends a predicate */
#define KW(id, text, class) T_KW_##id,
#define SIGN(id, text) T_##id,
#include "lang/syntax/token.def"
#undef KW
#undef SIGN
};

/* How the word class of a keyword is asked for. */
enum kw_class { KWC_NONE, KWC_TYPE, KWC_CLASS, KWC_EXPR, KWC_DEF };

struct token {
	enum tok kind;
	struct span at;
	const char *name;
	const char *str; /* also the spelling of T_INT */
	size_t len;
	uint64_t ival;
	const char *suffix; /* "", "u", "l", "ul", "ll", "ull" */
	bool is_char, negative;
};
#endif
