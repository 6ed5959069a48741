/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the parser, shared by parse*.c. After an error `panic` is set. Then nothing more is reported, and the
 * functions return quickly with some harmless node. The loop over clauses or declarations skips to the next place where
 * parsing can go on. */
#ifndef DWELL_LANG_SYNTAX_PARSE_INT_H
#define DWELL_LANG_SYNTAX_PARSE_INT_H
#include "lang/errtag.h"
#include "lang/syntax/lex.h"
#include "lang/types/symtab.h"

struct parser {
	struct lexer lx; /* lx.tok is the current token */
	struct arena *arena;
	const struct compile_env *env;
	bool panic;
	unsigned depth;
	unsigned braces;     /* open { of types and definitions, for skipping after an error */
	bool in_decl;	     /* between clauses, in a declaration */
	struct symtab types; /* names of the typedefs of this text */
	struct symtab tags;  /* (tag, kind) of the structs, unions and enums that it has defined so far */
	unsigned ninstances; /* statements so far in this clause or function: they are numbered */
	unsigned loops;	     /* loops that are open: break and continue may stand here */
	bool in_func;	     /* return may stand here */
};

/* -- errors, in parse.c -- */
/* Reports unless in panic, and starts the panic. NULL when nothing was reported. */
struct diag *parse_fail(struct parser *p, struct span at, const char *tag, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* "syntax error near …" at the current token. */
struct diag *parse_fail_here(struct parser *p);
void parse_hint(struct parser *p, struct diag *g, const char *hint);
/* One level deeper; false (and an error) at DPROG_MAX_DEPTH. Leave only what was entered. */
bool parse_enter(struct parser *p);
void parse_leave(struct parser *p);

/* -- tokens, in parse.c -- */
static inline enum tok parse_cur(const struct parser *p)
{
	return p->lx.tok.kind;
}
static inline bool parse_is(const struct parser *p, enum tok t)
{
	return !p->panic && p->lx.tok.kind == t;
}
void parse_next(struct parser *p);
/* Takes the token if it is t. */
bool parse_accept(struct parser *p, enum tok t);
/* Takes the token t or fails here. */
bool parse_expect(struct parser *p, enum tok t);
/* Takes a name (T_IDENT); NULL after an error. */
const char *parse_name(struct parser *p);
/* The n-th token after the current one (n up to 4), without reading it. */
enum tok parse_peek(const struct parser *p, unsigned n);
/* From the start of a to the end of what was read last. */
struct span parse_span_from(const struct parser *p, struct span a);

/* -- parse_expr.c: never NULL -- */
struct node *parse_expression(struct parser *p);  /* with commas */
struct node *parse_assignment(struct parser *p);  /* one argument */
struct node *parse_conditional(struct parser *p); /* constant expressions */

/* -- parse_type.c -- */
enum storage { SC_NONE, SC_AUTO, SC_EXTERN, SC_REGISTER, SC_SELF, SC_STATIC, SC_THIS, SC_TYPEDEF };

struct specs { /* declaration specifiers */
	enum storage storage;
	struct span storage_at;
	struct tyname base;
	bool have_type;
};

/* Reads specifiers up to the declarator. */
void parse_specs(struct parser *p, bool with_storage, struct specs *ret);
enum declr_kind { DECLR_NAMED, DECLR_ABSTRACT, DECLR_EITHER };
/* Reads a declarator for the base type: a new type, its name (NULL when abstract) in *name. */
struct tyname *parse_declarator(struct parser *p, const struct tyname *base, enum declr_kind kind, const char **name,
				struct span *name_at);
/* A type as in casts. */
struct tyname *parse_type_name(struct parser *p);
/* "( parameters )": the list, after the (; takes the ). */
struct tyname *parse_params(struct parser *p, bool *varargs);
/* Is the current token the start of a type? Words are looked up. */
bool parse_at_type(struct parser *p);
/* Is the word surely a type: a typedef of this text, of D, or of the kernel? */
bool parse_is_typename(struct parser *p, const char *name);
void parse_add_typename(struct parser *p, const char *name);
/* Splits "mod`name" into *module ("" for a leading `) and the name; NULL module without `. */
const char *parse_split_scope(struct parser *p, const char *name, const char **module);

/* -- parse_stmt.c -- */
/* The statements up to the } that ends a clause or function, which is left. */
struct stmt *parse_clause_body(struct parser *p);

/* -- parse_decl.c: each returns one or more declarations, or NULL after an error -- */
struct decl *parse_declaration(struct parser *p);
struct decl *parse_inline(struct parser *p);
struct decl *parse_translator(struct parser *p);
struct decl *parse_provider(struct parser *p);
struct decl *parse_tracker(struct parser *p);
#endif
