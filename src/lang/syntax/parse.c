/* SPDX-License-Identifier: Apache-2.0 */
/* Parser of D: the program and clauses, and getting on after errors. */
#include <errno.h>
#include <string.h>
#include "lang/syntax/macro.h"
#include "lang/syntax/parse_int.h"

/* How far ahead of a word at top level the text is looked at to tell "foo_t *x;" from a probe. */
#define PARSE_DECL_SCAN 512
/* Texts in "syntax error near" are cut here. */
#define PARSE_NEAR_MAX 64

/* -- errors -- */

struct diag *parse_fail(struct parser *p, struct span at, const char *tag, const char *fmt, ...)
{
	struct diag *g = NULL;
	va_list ap;

	if (!p->panic && !p->lx.quiet) {
		va_start(ap, fmt);
		g = diag_error(p->lx.diags, at, tag, "%s", arena_vprintf(p->arena, fmt, ap));
		va_end(ap);
	}
	p->panic = true;
	return g;
}

struct diag *parse_fail_here(struct parser *p)
{
	const struct token *t = &p->lx.tok;
	const char *text = p->lx.src->text + t->at.off;
	size_t n = t->at.len < PARSE_NEAR_MAX ? t->at.len : PARSE_NEAR_MAX;
	const char *nl = memchr(text, '\n', n);

	if (t->kind == T_ERROR || (t->kind == T_EOF && p->lx.cut)) { /* the lexer has said it */
		p->panic = true;
		return NULL;
	}
	if (t->kind == T_EOF) /* in declarations it is DTrace's lexer that says so, elsewhere its grammar */
		return parse_fail(p, t->at, D_SYNTAX, "syntax error near end%sinput", p->in_decl ? "-of-" : " of ");
	if (nl)
		n = (size_t)(nl - text);
	return parse_fail(p, t->at, D_SYNTAX, "syntax error near \"%.*s\"", (int)n, text);
}

void parse_hint(struct parser *p, struct diag *g, const char *hint)
{
	lex_hint(&p->lx, g, hint);
}

bool parse_enter(struct parser *p)
{
	if (p->depth >= DPROG_MAX_DEPTH) {
		parse_fail(p, p->lx.tok.at, D_LIMIT, "nested more than %d levels deep", DPROG_MAX_DEPTH);
		return false;
	}
	p->depth++;
	return true;
}

void parse_leave(struct parser *p)
{
	p->depth--;
}

/* -- tokens -- */

void parse_next(struct parser *p)
{
	lex_next(&p->lx);
}

bool parse_accept(struct parser *p, enum tok t)
{
	if (!parse_is(p, t))
		return false;
	parse_next(p);
	return true;
}

bool parse_expect(struct parser *p, enum tok t)
{
	if (parse_accept(p, t))
		return true;
	parse_fail_here(p);
	return false;
}

const char *parse_name(struct parser *p)
{
	const char *name = p->lx.tok.name;

	return parse_expect(p, T_IDENT) ? name : NULL;
}

enum tok parse_peek(const struct parser *p, unsigned n)
{
	struct lexer lx = p->lx;

	lx.quiet++;
	while (n--)
		lex_next(&lx);
	return lx.tok.kind;
}

struct span parse_span_from(const struct parser *p, struct span a)
{
	const char *end = p->lx.src->text + p->lx.tok.at.off;
	const char *from = p->lx.src->text + a.off;

	/* The current token is the first that does not belong to it. */
	while (end > from && lex_is_blank(end[-1]))
		end--;
	a.len = (uint32_t)(end - from);
	return a;
}

/* -- getting on after an error -- */

/* Skips to the { of the clause whose predicate is broken; false: there is none. */
static bool skip_predicate(struct parser *p)
{
	p->panic = false;
	p->lx.pred = false;
	p->lx.mode = LEX_EXPR;
	p->lx.quiet++;
	while (parse_cur(p) != T_EOF && parse_cur(p) != T_LBRACE && parse_cur(p) != T_RBRACE && parse_cur(p) != T_SEMI)
		parse_next(p);
	p->lx.quiet--;
	p->lx.parens = p->lx.brackets = 0;
	p->braces = p->depth = 0;
	return parse_cur(p) == T_LBRACE;
}

/* Skips after the next ; or block at top level. */
static void skip_item(struct parser *p)
{
	unsigned braces = p->braces;

	p->panic = false;
	p->lx.pred = false;
	p->lx.mode = LEX_EXPR;
	p->lx.quiet++;
	while (parse_cur(p) != T_EOF) {
		enum tok t = parse_cur(p);

		if (t == T_LBRACE)
			braces++;
		else if (t == T_RBRACE && braces > 0)
			braces--;
		if (braces == 0 && (t == T_SEMI || t == T_RBRACE))
			break;
		parse_next(p);
	}
	p->lx.quiet--;
	p->lx.parens = p->lx.brackets = 0;
	p->braces = p->depth = 0;
	p->lx.mode = LEX_PROBE;
	if (parse_cur(p) != T_EOF)
		parse_next(p);
	parse_accept(p, T_SEMI); /* of "struct s { … };" */
}

/* -- clauses -- */

static void desc_from_id(struct parser *p, struct pdesc_node *n)
{
	const struct token *t = &p->lx.tok;

	if (t->ival > UINT32_MAX || t->ival == 0)
		parse_fail(p, t->at, D_PDESC_INVAL,
			   t->ival ? "identifier %s exceeds maximum probe id"
				   : "invalid probe identifier %s: Unknown probe identifier",
			   t->str);
	n->desc.id = (uint32_t)t->ival;
}

static void desc_from_name(struct parser *p, struct pdesc_node *n)
{
	const struct token *t = &p->lx.tok;
	const char *text, *bad;

	if (macro_expand_desc(p->arena, p->env, t->name, strlen(t->name), &text, &bad) < 0)
		parse_hint(p,
			   parse_fail(p, t->at, D_PDESC_INVAL,
				      "invalid probe description \"%s\": Undefined macro variable in "
				      "probe description",
				      t->name),
			   arena_printf(p->arena, "%s is not defined", bad));
	else if (pdesc_parse(p->arena, text, strlen(text), &n->desc) < 0)
		parse_hint(p,
			   parse_fail(p, t->at, D_PDESC_INVAL,
				      "invalid probe description \"%s\": Overspecified probe "
				      "description",
				      t->name),
			   "a description has four parts: provider:module:function:name");
}

/* probe_specifier: PSPEC | INT */
static struct pdesc_node *parse_desc(struct parser *p)
{
	struct pdesc_node *n = arena_new_obj(p->arena, struct pdesc_node);
	const struct token *t = &p->lx.tok;

	n->at = t->at;
	n->text = arena_strndup(p->arena, t->at.src->text + t->at.off, t->at.len);
	if (t->kind == T_INT)
		desc_from_id(p, n);
	else if (t->kind == T_PSPEC)
		desc_from_name(p, n);
	else
		parse_fail_here(p);
	if (!p->panic)
		parse_next(p);
	return n;
}

/* "/ expression EPRED"; the current token is the first /. NULL after an error. */
static struct node *parse_predicate(struct parser *p)
{
	struct node *e;

	p->lx.mode = LEX_EXPR;
	p->lx.pred = true;
	parse_next(p);
	e = parse_expression(p);
	p->lx.pred = false;
	p->lx.mode = LEX_PROBE;
	if (parse_is(p, T_EPRED)) {
		p->lx.parens = p->lx.brackets = 0;
		parse_next(p);
		return e;
	}
	if (parse_is(p, T_LBRACE))
		parse_hint(p, parse_fail_here(p), "the predicate must end with / before {");
	parse_fail_here(p);
	return NULL;
}

/* probe_definition: probe_specifier { , probe_specifier } [ / expression / ] [ { statement_list } | ; ]; in a file
 * something must follow. */
static struct clause *parse_clause(struct parser *p)
{
	struct clause *c = arena_new_obj(p->arena, struct clause);
	struct pdesc_node **tail = &c->probes;

	c->at = p->lx.tok.at;
	do {
		*tail = parse_desc(p);
		tail = &(*tail)->next;
	} while (parse_accept(p, T_COMMA));
	if (p->panic)
		return NULL;
	if (parse_is(p, T_DIV)) {
		c->pred = parse_predicate(p);
		if (!c->pred && !skip_predicate(p)) {
			p->panic = true;
			return NULL;
		}
	}
	if (parse_is(p, T_LBRACE)) {
		c->has_body = true;
		p->lx.mode = LEX_EXPR;
		parse_next(p);
		c->body = parse_clause_body(p);
		p->lx.mode = LEX_PROBE;
		parse_accept(p, T_RBRACE);
	} else if (!parse_accept(p, T_SEMI) && !c->pred && p->env && p->env->script) {
		parse_hint(
			p,
			parse_fail(p, c->at, D_SYNTAX, "expected predicate and/or actions following probe description"),
			"{} or ; gives it the default action");
	}
	c->at = parse_span_from(p, c->at);
	return p->panic ? NULL : c;
}

/* -- the program -- */

/* "int*x" at the end of a text is no pattern of probes. */
static bool starts_with_type(struct parser *p, const char *word)
{
	size_t n = 0;

	while (word + n < p->lx.end && lex_is_word(word[n]))
		n++;
	return lex_kw_class(lex_keyword(word, n)) == KWC_TYPE || parse_is_typename(p, arena_strndup(p->arena, word, n));
}

/* At a word between clauses: is it the type of a declaration ("foo_t *x, y[4];") or a probe description? DTrace asks
 * the type tables; here the text decides. A type is followed by a declarator and at last a semicolon, with no : { or
 * / outside brackets. */
static bool at_declaration(struct parser *p)
{
	const char *word = p->lx.src->text + p->lx.tok.at.off, *q = word, *stop;
	const struct compile_env *env = p->env;
	int depth = 0;
	char last = 0;

	if ((env && env->opts && env->opts->pspec) || parse_cur(p) != T_PSPEC)
		return false;
	while (q < p->lx.end && lex_is_word(*q))
		q++;
	if (q == word || !strcmp(p->lx.tok.name, "BEGIN") || !strcmp(p->lx.tok.name, "END") ||
	    !strcmp(p->lx.tok.name, "ERROR"))
		return false;
	q = lex_peek_text(&p->lx, q);
	if (q >= p->lx.end || !(lex_is_word(*q) || *q == '*' || *q == '('))
		return false;
	stop = q + PARSE_DECL_SCAN < p->lx.end ? q + PARSE_DECL_SCAN : p->lx.end;
	for (bool name = false; q < stop; q = lex_peek_text(&p->lx, q + 1)) {
		name |= lex_is_word(*q);
		if (*q == '{' && last == ')' && depth == 0) /* a function */
			return name;
		last = *q;
		if (*q == ';' || *q == '=')
			return name;
		if (*q == '(' || *q == '[')
			depth++;
		else if (*q == ')' || *q == ']')
			depth--;
		else if (depth < 0 || *q == '{' || (depth == 0 && !lex_is_word(*q) && *q != '*' && *q != ','))
			return false;
	}
	return env && env->script && last && stop == p->lx.end && starts_with_type(p, word);
}

/* "tracker NAME (" or "tracker NAME {": the word is none of D's, so a type of that name wins. */
static bool at_tracker(struct parser *p)
{
	const char *q = p->lx.src->text + p->lx.tok.at.off, *name;

	if (parse_cur(p) != T_PSPEC || p->lx.end - q < 8 || strncmp(q, "tracker", 7) != 0 || lex_is_word(q[7]) ||
	    symtab_get(&p->types, "tracker", 0))
		return false;
	name = q = lex_peek_text(&p->lx, q + 7);
	while (q < p->lx.end && lex_is_word(*q))
		q++;
	if (q == name)
		return false;
	q = lex_peek_text(&p->lx, q);
	return q < p->lx.end && (*q == '(' || *q == '{');
}

static void add_item(struct parser *p, struct item ***tail, struct decl *d, struct clause *c)
{
	struct item *it = arena_new_obj(p->arena, struct item);

	it->decl = d;
	it->clause = c;
	**tail = it;
	*tail = &it->next;
}

/* Each declaration becomes an item of its own. */
static void add_decls(struct parser *p, struct item ***tail, struct decl *d)
{
	while (d) {
		struct decl *next = d->next;

		d->next = NULL;
		add_item(p, tail, d, NULL);
		d = next;
	}
}

/* Declarations are read in LEX_EXPR from their first word on. */
static struct decl *parse_decl_item(struct parser *p)
{
	static const struct {
		enum tok tok;
		struct decl *(*parse)(struct parser *p);
	} kinds[] = {
		{ T_KW_INLINE, parse_inline },
		{ T_KW_TRANSLATOR, parse_translator },
		{ T_KW_PROVIDER, parse_provider },
	};
	bool tracker = at_tracker(p);

	p->lx.mode = LEX_EXPR;
	p->lx.p = p->lx.src->text + p->lx.tok.at.off;
	parse_next(p);
	if (tracker)
		return parse_tracker(p);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (parse_is(p, kinds[i].tok))
			return kinds[i].parse(p);
	return parse_declaration(p);
}

/* external_declaration: inline | translator | provider | tracker | declaration | probe_definition */
static void parse_item(struct parser *p, struct item ***tail)
{
	enum kw_class class = lex_kw_class(parse_cur(p));

	if (class != KWC_NONE || at_tracker(p) || at_declaration(p)) {
		struct decl *d;

		p->in_decl = true;
		d = parse_decl_item(p);

		/* Its ; is the current token: what follows is read as between clauses again. */
		p->lx.mode = LEX_PROBE;
		if (!p->panic) {
			bool block = d && (d->kind == DECL_FUNC || d->kind == DECL_TRACKER);

			parse_expect(p, block ? T_RBRACE : T_SEMI);
			if (block)
				parse_accept(p, T_SEMI);
			add_decls(p, tail, d);
		}
		p->in_decl = false;
	} else if (parse_is(p, T_PSPEC) || parse_is(p, T_INT)) {
		struct clause *c = parse_clause(p);

		if (c)
			add_item(p, tail, NULL, c);
	} else {
		char c = p->lx.src->text[p->lx.tok.at.off];

		parse_fail_here(p);
		if (c == '}' || c == ';') { /* one too many: what follows is a new item */
			p->panic = false;
			parse_next(p);
			if (c == '}')
				parse_accept(p, T_SEMI);
			return;
		}
	}
	if (p->panic)
		skip_item(p);
}

static bool too_large(struct parser *p, const struct source *src)
{
	if (src->len <= DPROG_MAX_SOURCE)
		return false;
	parse_fail(p, (struct span){ src, 0, 0, 0 }, D_LIMIT,
		   "the program has %zu bytes, the largest that is taken has %u", src->len, DPROG_MAX_SOURCE);
	return true;
}

int lang_parse(struct arena *a, const struct source *src, const struct compile_env *env, struct diags *d,
	       struct unit **ret)
{
	struct parser p = { .arena = a, .env = env };
	struct unit *u = arena_new_obj(a, struct unit);
	struct item **tail = &u->items, **good = tail; /* good: after what stands before the first error */
	unsigned before = d->nerrors;
	bool others_zdefs = env && env->opts && env->opts->zdefs; /* of texts in front of this one */

	if (others_zdefs)
		env->opts->zdefs = false;
	u->src = src;
	symtab_init(&p.types, a);
	symtab_init(&p.tags, a);
	lex_init(&p.lx, a, src, env, d);
	p.lx.pragmas = &u->pragmas;
	if (!too_large(&p, src)) {
		parse_next(&p);
		while (parse_cur(&p) != T_EOF && d->nerrors < DIAG_MAX_ERRORS) {
			parse_item(&p, &tail);
			if (d->nerrors == before)
				good = tail;
			if (arena_exhausted(a)) {
				parse_fail(&p, p.lx.tok.at, D_LIMIT, "the program needs too much memory");
				break;
			}
		}
	}
	u->zdefs = env && env->opts && env->opts->zdefs;
	if (others_zdefs)
		env->opts->zdefs = true;
	if (d->nerrors == before && !u->items && !(env && env->opts && env->opts->empty))
		parse_fail(&p, p.lx.tok.at, D_EMPTY, "empty D program translation unit");
	*ret = u;
	if (d->nerrors == before)
		return 0;
	*good = NULL;
	return -EINVAL;
}
