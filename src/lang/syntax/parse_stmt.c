/* SPDX-License-Identifier: Apache-2.0 */
/* Parser of statements: actions, declarations of local variables, if, loops. */
#include "lang/syntax/parse_int.h"

static struct stmt *parse_statements(struct parser *p);

/* Skips to the ; or } of this block; a ; is taken. */
static void skip_statement(struct parser *p)
{
	unsigned braces = 0;

	p->panic = false;
	p->lx.mode = LEX_EXPR;
	p->lx.pred = false;
	p->lx.quiet++;
	while (parse_cur(p) != T_EOF) {
		enum tok t = parse_cur(p);

		if (braces == 0 && (t == T_SEMI || t == T_RBRACE))
			break;
		if (t == T_LBRACE)
			braces++;
		else if (t == T_RBRACE)
			braces--;
		parse_next(p);
	}
	p->lx.quiet--;
	p->lx.parens = p->lx.brackets = 0;
	p->braces = 0;
	parse_accept(p, T_SEMI);
}

static struct stmt *new_stmt(struct parser *p, enum stmt_kind kind, struct span at)
{
	struct stmt *s = arena_new_obj(p->arena, struct stmt);

	s->kind = kind;
	s->at = at;
	s->number = ++p->ninstances;
	return s;
}

/* "@a[k] = count()" is an aggregation statement; everything else is an expression. */
static struct stmt *make_stmt(struct parser *p, struct node *e)
{
	struct stmt *s = new_stmt(p, ST_EXPR, e->at);

	s->expr = e;
	if (e->kind == N_ASSIGN && e->op == OP_ASSIGN && !e->parens && e->a->kind == N_AGG && e->b->kind == N_CALL) {
		s->kind = ST_AGG;
		s->expr = e->a;
		s->call = e->b;
	}
	return s;
}

/* A ; or, which may stand without one, the } of the block. */
static void end_statement(struct parser *p)
{
	if (!parse_accept(p, T_SEMI) && !p->panic && !parse_is(p, T_RBRACE))
		parse_fail_here(p);
}

/* "int x", "foo_t *x": two words in a row, or a type, stars and a word. */
static bool at_local(struct parser *p)
{
	unsigned n = 1;

	if (lex_kw_class(parse_cur(p)) == KWC_TYPE)
		return true;
	if (parse_cur(p) != T_IDENT)
		return false;
	if (parse_peek(p, 1) == T_IDENT)
		return parse_at_type(p);
	if (parse_peek(p, 1) != T_MUL || !parse_is_typename(p, p->lx.tok.name))
		return false;
	while (parse_peek(p, n) == T_MUL)
		n++;
	return parse_peek(p, n) == T_IDENT;
}

static struct node *assign_to(struct parser *p, const char *name, struct span at, struct node *value)
{
	struct node *n = arena_new_obj(p->arena, struct node);

	n->kind = N_ASSIGN;
	n->op = OP_ASSIGN;
	n->at = parse_span_from(p, at);
	n->a = arena_new_obj(p->arena, struct node);
	n->a->kind = N_IDENT;
	n->a->name = name;
	n->a->at = at;
	n->b = value;
	n->height = value->height + 1;
	return n;
}

/* local: specifiers declarator [ = assignment ] { , declarator [ = assignment ] } */
static struct stmt *parse_local(struct parser *p)
{
	struct stmt *first = NULL, **tail = &first;
	struct specs specs;

	parse_specs(p, false, &specs);
	do {
		struct stmt *s = new_stmt(p, ST_LOCAL, p->lx.tok.at);
		struct decl *d = arena_new_obj(p->arena, struct decl);
		struct node *value = NULL;

		d->type = parse_declarator(p, &specs.base, DECLR_NAMED, &d->name, &d->at);
		if (parse_accept(p, T_ASSIGN))
			value = parse_assignment(p);
		if (p->panic)
			return NULL;
		s->decl = d;
		s->expr = value ? assign_to(p, d->name, d->at, value) : NULL;
		*tail = s;
		tail = &s->next;
	} while (parse_accept(p, T_COMMA));
	return first;
}

/* "( expression )" */
static struct node *parse_condition(struct parser *p)
{
	struct node *e;

	if (!parse_expect(p, T_LPAR))
		return NULL;
	e = parse_expression(p);
	parse_expect(p, T_RPAR);
	return p->panic ? NULL : e;
}

static struct stmt *parse_one(struct parser *p);

/* The body of if and loops: one statement or a block. */
static struct stmt *parse_nested(struct parser *p)
{
	struct stmt *s = NULL;

	if (p->panic || !parse_enter(p))
		return NULL;
	if (!parse_accept(p, T_SEMI))
		s = parse_one(p);
	parse_leave(p);
	return s;
}

static struct stmt *parse_loop_body(struct parser *p)
{
	struct stmt *s;

	p->loops++;
	s = parse_nested(p);
	p->loops--;
	return s;
}

/* if ( expression ) statement [ else statement ] */
static struct stmt *parse_if(struct parser *p)
{
	struct stmt *s = new_stmt(p, ST_IF, p->lx.tok.at);

	parse_next(p);
	s->expr = parse_condition(p);
	if (s->expr)
		s->at = parse_span_from(p, s->at);
	s->body = parse_nested(p);
	if (parse_accept(p, T_KW_ELSE))
		s->els = parse_nested(p);
	return s;
}

/* while ( expression ) statement */
static struct stmt *parse_while(struct parser *p)
{
	struct stmt *s = new_stmt(p, ST_LOOP, p->lx.tok.at);

	parse_next(p);
	s->expr = parse_condition(p);
	s->body = parse_loop_body(p);
	return s;
}

/* do statement while ( expression ) ; */
static struct stmt *parse_do(struct parser *p)
{
	struct stmt *s = new_stmt(p, ST_LOOP, p->lx.tok.at);

	parse_next(p);
	s->post = true;
	s->body = parse_loop_body(p);
	if (parse_expect(p, T_KW_WHILE))
		s->expr = parse_condition(p);
	end_statement(p);
	return s;
}

/* for ( [ local | expression ] ; [ expression ] ; [ expression ] ) statement */
static struct stmt *parse_for(struct parser *p)
{
	struct stmt *s = new_stmt(p, ST_LOOP, p->lx.tok.at);

	parse_next(p);
	if (!parse_expect(p, T_LPAR))
		return s;
	if (at_local(p))
		s->init = parse_local(p);
	else if (!parse_is(p, T_SEMI))
		s->init = make_stmt(p, parse_expression(p));
	parse_expect(p, T_SEMI);
	if (!p->panic && !parse_is(p, T_SEMI))
		s->expr = parse_expression(p);
	parse_expect(p, T_SEMI);
	if (!p->panic && !parse_is(p, T_RPAR))
		s->step = parse_expression(p);
	parse_expect(p, T_RPAR);
	s->body = parse_loop_body(p);
	return s;
}

/* { statements } */
static struct stmt *parse_block(struct parser *p)
{
	struct stmt *s = new_stmt(p, ST_BLOCK, p->lx.tok.at);

	p->ninstances--; /* does nothing itself */
	if (!parse_enter(p))
		return s;
	parse_next(p);
	s->body = parse_statements(p);
	parse_leave(p);
	parse_expect(p, T_RBRACE);
	return s;
}

/* break ; continue ; */
static struct stmt *parse_jump(struct parser *p, enum stmt_kind kind)
{
	struct stmt *s = new_stmt(p, kind, p->lx.tok.at);

	if (!p->loops)
		parse_hint(p, parse_fail_here(p), "break and continue belong into a loop");
	else
		parse_next(p);
	end_statement(p);
	return s;
}

/* return [ expression ] ; */
static struct stmt *parse_return(struct parser *p)
{
	struct stmt *s = new_stmt(p, ST_RETURN, p->lx.tok.at);

	if (!p->in_func) {
		parse_hint(p, parse_fail_here(p), "return belongs into a function");
		return s;
	}
	parse_next(p);
	if (!parse_is(p, T_SEMI) && !parse_is(p, T_RBRACE))
		s->expr = parse_expression(p);
	end_statement(p);
	return s;
}

/* statement: empty | expression | local | if | loop | block | jump. One, or a list of locals. */
static struct stmt *parse_one(struct parser *p)
{
	enum tok t = parse_cur(p);
	struct stmt *s;

	switch (t) {
	case T_LBRACE: return parse_block(p);
	case T_KW_IF: return parse_if(p);
	case T_KW_WHILE: return parse_while(p);
	case T_KW_DO: return parse_do(p);
	case T_KW_FOR: return parse_for(p);
	case T_KW_BREAK: return parse_jump(p, ST_BREAK);
	case T_KW_CONTINUE: return parse_jump(p, ST_CONTINUE);
	case T_KW_RETURN: return parse_return(p);
	default: break;
	}
	if (at_local(p)) {
		s = parse_local(p);
	} else if (t >= T_KW_AUTO && lex_kw_class(t) == KWC_NONE && t <= T_KW_XLATE) {
		parse_fail_here(p);
		return NULL;
	} else {
		struct node *e = parse_expression(p);

		s = p->panic ? NULL : make_stmt(p, e);
	}
	end_statement(p);
	return s;
}

/* statement_list: { statement | ; }, up to the } which is left. */
static struct stmt *parse_statements(struct parser *p)
{
	struct stmt *first = NULL, **tail = &first;
	unsigned depth = p->depth, loops = p->loops;

	while (parse_cur(p) != T_RBRACE) {
		struct stmt *s;

		if (parse_accept(p, T_SEMI))
			continue;
		s = parse_cur(p) == T_EOF ? (parse_fail_here(p), NULL) : parse_one(p);
		if (p->panic) {
			if (p->lx.diags->nerrors >= DIAG_MAX_ERRORS)
				return first;
			skip_statement(p);
			p->depth = depth;
			p->loops = loops;
			if (parse_cur(p) == T_EOF)
				return first;
			continue;
		}
		for (*tail = s; *tail; tail = &(*tail)->next)
			;
	}
	return first;
}

struct stmt *parse_clause_body(struct parser *p)
{
	struct stmt *s;

	p->ninstances = 0;
	s = parse_statements(p);
	p->loops = p->depth = 0;
	return s;
}
