/* SPDX-License-Identifier: Apache-2.0 */
/* Statements: blocks and their local variables, if, loops. A local variable is known from its
 * declaration to the end of its block. It hides a global variable of its name, but not another local
 * one, nor a built-in one; functions have names of their own. */
#include "lang/check/int.h"
#include <string.h>

/* -- local variables -- */

struct cvar *local_find(const struct checker *c, const char *name)
{
	const struct clocal *l;

	for (l = c->scope.block; l; l = l->next)
		if (strcmp(l->name, name) == 0)
			return l->v;
	return NULL;
}

void local_add(struct checker *c, const char *name, struct cvar *v)
{
	struct clocal *l = arena_new_obj(c->a, struct clocal);

	l->name = name;
	l->v = v;
	l->next = c->scope.block;
	c->scope.block = l;
}

static void check_local(struct checker *c, struct stmt *s)
{
	const struct decl *d = s->decl;
	struct cvar *v = declare_local(c, d);

	if (!v)
		return;
	s->var = &v->pub;
	local_add(c, d->name, v);
	if (s->expr) {
		v->known = false; /* int x = x; reads nothing */
		s->expr = check_expr(c, s->expr);
		if (is_err(s->expr))
			v->poisoned = true;
	}
	v->known = true;
}

/* -- which actions may follow which -- */

struct seen {
	bool committed, speculating, recorded;
};

static struct seen seen_get(const struct checker *c)
{
	return (struct seen){ c->committed, c->speculating, c->recorded };
}

static void seen_set(struct checker *c, struct seen s)
{
	c->committed = s.committed;
	c->speculating = s.speculating;
	c->recorded = s.recorded;
}

static void seen_join(struct checker *c, struct seen s)
{
	c->committed |= s.committed;
	c->speculating |= s.speculating;
	c->recorded |= s.recorded;
}

/* -- statements -- */

/* Puts the value of *slot, when a function records data that it calls, into a local variable in front:
 * adds its statement to *tail. */
static void hoist(struct checker *c, struct node **slot, struct stmt ***tail)
{
	struct node *n = *slot, *next = n->next, **a;
	const struct dtype *ty;
	struct stmt *s;
	struct cvar *v;

	if (!node_records(n))
		return;
	if (res(c, n)->kind == DK_SYM) { /* sym(address): the address can be kept */
		for (a = &n->args; *a; a = &(*a)->next)
			hoist(c, a, tail);
		return;
	}
	ty = rvalue_type(c, n->type);
	if (res(c, n)->kind == DK_PTR && is_user_type(n->type))
		ty = dtype_qual(c->t, ty, DQ_USERLAND);
	v = new_local(c, "", ty, n->at);
	s = arena_new_obj(c->a, struct stmt);
	s->kind = ST_LOCAL;
	s->at = n->at;
	s->var = &v->pub;
	n->next = NULL;
	s->expr = assign_local(c, v, n);
	**tail = s;
	*tail = &s->next;
	*slot = arena_memdup(c->a, s->expr->a, sizeof(**slot));
	(*slot)->lvalue = false;
	(*slot)->user = n->user;
	(*slot)->next = next;
}

/* An action that records data while its arguments do: these come first, in a block of its own. */
static void hoist_args(struct checker *c, struct stmt *s)
{
	struct stmt *before = NULL, **tail = &before, *act;
	struct node **a;

	if (s->expr->kind != N_CALL || !s->expr->builtin)
		return;
	for (a = &s->expr->args; *a; a = &(*a)->next)
		hoist(c, a, &tail);
	if (!before)
		return;
	act = arena_memdup(c->a, s, sizeof(*s));
	act->next = NULL;
	*tail = act;
	*s = (struct stmt){ .kind = ST_BLOCK, .at = s->at, .number = s->number, .body = before, .next = s->next };
	c->prog->has_flow = true;
}

/* "OPT ? printf(…) : 1", "OPT ? @a = count() : 1": the statement is the branch taken. */
static bool take_branch(struct checker *c, struct stmt *s)
{
	struct node *k;
	bool bad;

	while ((k = const_branch(c, s->expr, &bad)))
		s->expr = k;
	if (bad)
		set_err(c, s->expr);
	else if (s->expr->kind == N_ASSIGN && s->expr->op == OP_ASSIGN && s->expr->a->kind == N_AGG &&
		 s->expr->b->kind == N_CALL) {
		s->kind = ST_AGG;
		s->call = s->expr->b;
		s->expr = s->expr->a;
	}
	return !bad;
}

static void check_expr_stmt(struct checker *c, struct stmt *s)
{
	struct node *n;

	if (s->expr->kind == N_COND && !take_branch(c, s))
		return;
	n = s->expr;
	if (s->kind == ST_AGG) {
		check_agg_stmt(c, s);
	} else if (n->kind == N_AGG) {
		fail(c, n, D_AGG_NULL, "expression has null effect: @%s", n->name);
		hint(c, "for example @%s = count()", n->name);
	} else if (n->kind == N_CALL) {
		s->expr = check_call(c, n, false, true);
		if (c->nrecords)
			hoist_args(c, s);
	} else {
		s->expr = check_expr(c, n);
	}
}

static struct node *check_condition(struct checker *c, struct node *n, const char *what)
{
	n = check_expr(c, n);
	if (is_err(n) || is_scalar(c, n))
		return n;
	fail(c, n, D_OP_SCALAR, "condition of %s must be of scalar type", what);
	if (is_str(c, n))
		hint(c, "compare strings: … != \"\"");
	return n;
}

static void check_block(struct checker *c, struct stmt *s)
{
	struct clocal *scope = c->scope.block;

	check_stmts(c, s);
	c->scope.block = scope;
}

static void check_if(struct checker *c, struct stmt *s)
{
	struct seen before, then;

	c->prog->has_flow = true;
	s->expr = check_condition(c, s->expr, "if");
	before = seen_get(c);
	check_block(c, s->body);
	then = seen_get(c);
	seen_set(c, before);
	check_block(c, s->els);
	seen_join(c, then);
}

static void check_loop(struct checker *c, struct stmt *s)
{
	struct clocal *scope = c->scope.block;

	c->prog->has_loops = c->prog->has_flow = true;
	check_stmts(c, s->init);
	c->loops++;
	if (s->expr)
		s->expr = check_condition(c, s->expr, "a loop");
	check_block(c, s->body);
	if (s->step)
		s->step = check_expr(c, s->step);
	c->loops--;
	c->scope.block = scope;
}

static void check_one(struct checker *c, struct stmt *s)
{
	switch (s->kind) {
	case ST_AGG: check_agg_stmt(c, s); break;
	case ST_EXPR: check_expr_stmt(c, s); break;
	case ST_LOCAL: check_local(c, s); break;
	case ST_IF: check_if(c, s); break;
	case ST_LOOP: check_loop(c, s); break;
	case ST_BLOCK: check_block(c, s->body); break;
	case ST_RETURN: check_return(c, s); break;
	case ST_BREAK:
	case ST_CONTINUE:
	case ST_EMPTY: break;
	}
}

void check_stmts(struct checker *c, struct stmt *s)
{
	for (; s; s = s->next) {
		check_one(c, s);
		check_action_value(c);
	}
}
