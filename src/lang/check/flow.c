/* SPDX-License-Identifier: Apache-2.0 */
/* Statements: blocks and their local variables, if, loops. A local variable is known from its
 * declaration to the end of its block. It hides a global variable of its name, but not another local
 * one, nor a built-in one; functions have names of their own. */
#include "lang/check/call.h"
#include "lang/check/decl.h"
#include "lang/check/expr.h"
#include <string.h>

static void check_return(struct checker *c, struct stmt *s);

/* -- local variables -- */

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

static void check_agg_stmt(struct checker *c, struct stmt *s)
{
	struct node **slot;

	if (!agg_begin(c, s))
		return;
	if (!s->call->builtin) {
		check_call(c, s->call, false, true); /* undefined */
		return;
	}
	for (slot = &s->call->args; *slot; slot = &(*slot)->next) {
		struct node *next = (*slot)->next;

		(*slot)->next = NULL;
		*slot = check_expr(c, *slot);
		(*slot)->next = next;
		if (is_err(*slot))
			return;
	}
	if (!agg_function(c, s))
		return;
	check_key_exprs(c, s->expr);
	agg_keys(c, s);
}

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

/* -- functions -- */

#define CHECK_MAX_CALL_DEPTH 32 /* functions that call functions */
#define CHECK_MAX_CALLS 4096	/* calls in one program, those in called functions too */
#define CHECK_MAX_PARAMS 32	/* of one function */

struct cfunc {
	const struct decl *decl;
	const struct dtype *result;
	const struct dtype *params[CHECK_MAX_PARAMS];
	unsigned nparams;
	bool known, bad; /* the types have been looked at; and are wrong */
	bool used, lib;
	struct cfunc *next;
};

/* A call whose body is being checked. */
struct cframe {
	struct cfunc *f;
	struct dcall *call;
	struct cframe *caller;
};

static const struct derive *func_derive(const struct decl *d)
{
	const struct derive *v = d->type->derive;

	while (v && v->next)
		v = v->next;
	return v;
}

/* -- declarations -- */

/* Before anything is checked: functions may be called in front of their definition. */
void func_register(struct checker *c, const struct decl *d, bool lib)
{
	struct cfunc *f;

	if (symtab_get(&c->funcs, d->name, 0) || builtin_find(d->name)) {
		diag_error(c->d, d->at, D_DECL_IDRED, "function redefined: %s", d->name);
		return;
	}
	f = arena_new_obj(c->a, struct cfunc);
	f->decl = d;
	f->lib = lib;
	f->next = c->funclist;
	c->funclist = f;
	symtab_put(&c->funcs, d->name, 0, f);
}

static bool value_ok(struct checker *c, const struct decl *d, const struct dtype *ty, const char *what)
{
	const struct dtype *r = dtype_resolve(c->t, ty);

	if (r->kind == DK_DYN || dtype_is_scalar(r) || r->kind == DK_STRING)
		return r->kind != DK_DYN;
	diag_error(c->d, d->at, D_DECL_PROTO_TYPE,
		   "%s of function %s( ) must be an integer, a pointer or a string, not %s", what, d->name,
		   dtype_name(c->t, ty));
	return false;
}

static bool signature(struct checker *c, struct cfunc *f)
{
	const struct decl *d = f->decl;
	const struct derive *fn = func_derive(d);
	const struct tyname *k;

	if (f->known)
		return !f->bad;
	f->known = f->bad = true;
	if (!params_ok(c, fn->keys, "function", true))
		return false;
	if (fn->varargs) {
		diag_error(c->d, d->at, D_DECL_PROTO_VARARGS, "function may not have variable arguments: %s", d->name);
		return false;
	}
	f->result = type_until(c, d->type, fn);
	if (dtype_resolve(c->t, f->result)->kind != DK_VOID && !value_ok(c, d, f->result, "result"))
		return false;
	for (k = fn->keys; k; k = k->next) {
		const struct dtype *ty = check_type(c, k);

		if (dtype_resolve(c->t, ty)->kind == DK_VOID)
			break;
		if (f->nparams == CHECK_MAX_PARAMS) {
			diag_error(c->d, d->at, D_LIMIT, "more than %d parameters", CHECK_MAX_PARAMS);
			return false;
		}
		if (!value_ok(c, d, ty, "parameter"))
			return false;
		if (!k->param) {
			diag_error(c->d, k->at, D_DECL_PROTO_NAME, "parameter #%u of %s( ) needs a name",
				   f->nparams + 1, d->name);
			return false;
		}
		f->params[f->nparams++] = rvalue_type(c, ty);
	}
	f->bad = false;
	return true;
}

void declare_func(struct checker *c, const struct decl *d)
{
	struct cfunc *f = symtab_get(&c->funcs, d->name, 0);

	if (!f && c->scope.lib) {
		func_register(c, d, true);
		f = symtab_get(&c->funcs, d->name, 0);
	}
	if (symtab_get(&c->globals, d->name, 0) || symtab_get(&c->inlines, d->name, 0))
		diag_error(c->d, d->at, D_DECL_IDRED, "identifier redeclared: %s", d->name);
	else if (f && f->decl == d)
		signature(c, f);
}

/* -- calls -- */

/* A value for a variable of type ty; NULL: reported as what. */
static struct node *fitting(struct checker *c, struct node *value, const struct dtype *ty)
{
	if (dtype_resolve(c->t, ty)->kind == DK_STRING)
		value = null_string(c, value);
	return arg_compat(c, ty, value) ? value : NULL;
}

/* The parameters as local variables; args NULL: the function is checked by itself. */
static bool bind_params(struct checker *c, struct node *n, struct cfunc *f, struct node *args, struct dcall *call,
			struct cvar **vars)
{
	const struct tyname *k = func_derive(f->decl)->keys;
	struct stmt **tail = &call->params;
	unsigned i;

	for (i = 0; i < f->nparams; i++, k = k->next) {
		const struct dtype *ty = f->params[i];
		struct stmt *s = arena_new_obj(c->a, struct stmt);
		struct node *next = args ? args->next : NULL, *v = NULL;

		if (args) {
			args->next = NULL;
			args = check_expr(c, args);
			if (is_err(args))
				return false;
			v = fitting(c, args, ty);
			if (!v) {
				proto_arg(c, n, i, args, dtype_name(c->t, ty));
				return false;
			}
			if (res(c, v)->kind == DK_PTR && is_user_type(v->type))
				ty = dtype_qual(c->t, ty, DQ_USERLAND);
		}
		vars[i] = new_local(c, k->param, ty, k->at);
		s->kind = ST_LOCAL;
		s->at = v ? v->at : k->at;
		s->var = &vars[i]->pub;
		s->expr = v ? assign_local(c, vars[i], v) : NULL;
		*tail = s;
		tail = &s->next;
		args = next;
	}
	return true;
}

static void check_body(struct checker *c, struct cfunc *f, struct dcall *call, struct cvar **vars)
{
	const struct tyname *k = func_derive(f->decl)->keys;
	struct cframe frame = { f, call, c->frame };
	struct cscope scope = c->scope;
	unsigned i;

	c->scope = (struct cscope){ NULL, 0, f->lib, NULL };
	c->frame = &frame;
	for (i = 0; i < f->nparams; i++, k = k->next)
		local_add(c, k->param, vars[i]);
	call->body = stmt_copy(c->a, f->decl->body);
	check_stmts(c, call->body);
	c->frame = frame.caller;
	c->scope = scope;
}

/* Is f being checked already? */
static bool recursive(struct checker *c, struct node *n, const struct cfunc *f)
{
	const struct cframe *fr;

	for (fr = c->frame; fr && fr->f != f; fr = fr->caller)
		;
	if (!fr)
		return false;
	if (fr == c->frame)
		fail(c, n, D_FUNC_RECUR, "function %s( ) calls itself", n->name);
	else
		fail(c, n, D_FUNC_RECUR, "function %s( ) calls itself: %s( ) calls it", n->name,
		     c->frame->f->decl->name);
	hint(c, "functions take the place of their calls: there is no recursion; use a loop");
	return true;
}

static bool too_many(struct checker *c, struct node *n)
{
	const struct cframe *fr;
	unsigned depth = 0;

	for (fr = c->frame; fr; fr = fr->caller)
		depth++;
	if (depth >= CHECK_MAX_CALL_DEPTH)
		fail(c, n, D_LIMIT, "calls of functions are nested more than %d levels deep", CHECK_MAX_CALL_DEPTH);
	else if (++c->ncalls > CHECK_MAX_CALLS)
		fail(c, n, D_LIMIT, "more than %d calls of functions", CHECK_MAX_CALLS);
	else
		return false;
	return true;
}

struct node *check_func_call(struct checker *c, struct node *n)
{
	struct cfunc *f = symtab_get(&c->funcs, n->name, 0);
	struct dcall *call = arena_new_obj(c->a, struct dcall);
	struct cvar *vars[CHECK_MAX_PARAMS];
	unsigned before, records = c->nrecords;

	f->used = true;
	if (recursive(c, n, f) || too_many(c, n))
		return set_err(c, n);
	if (!signature(c, f))
		return set_err(c, n);
	if (proto_len(c, n, f->nparams, f->nparams))
		return n;
	if (!bind_params(c, n, f, n->args, call, vars))
		return set_err(c, n);
	n->args = NULL;
	n->nargs = 0;
	call->name = n->name;
	call->at = f->decl->at;
	if (dtype_resolve(c->t, f->result)->kind != DK_VOID)
		call->result = &new_local(c, n->name, rvalue_type(c, f->result), n->at)->pub;
	c->prog->has_flow = true;
	before = c->d->nerrors;
	check_body(c, f, call, vars);
	if (c->d->nerrors > before)
		return set_err(c, n);
	call->records = c->nrecords > records;
	n->call = call;
	return set_type(n, f->result);
}

static void check_return(struct checker *c, struct stmt *s)
{
	const struct dcall *call = c->frame->call;
	struct node *v;

	if (!s->expr && call->result)
		diag_error(c->d, s->at, D_OP_INCOMPAT, "return without a value in function %s( )",
			   c->frame->f->decl->name);
	if (!s->expr)
		return;
	v = s->expr = check_expr(c, s->expr);
	if (is_err(v))
		return;
	if (!call->result) {
		fail(c, v, D_OP_INCOMPAT, "return with a value in function %s( ), which returns none",
		     c->frame->f->decl->name);
		return;
	}
	v = fitting(c, v, call->result->type);
	if (v)
		s->expr = assign_local(c, (struct cvar *)call->result, v);
	else
		fail(c, s->expr, D_OP_INCOMPAT, "function %s( ) returns incompatible types: \"%s\" = \"%s\"",
		     c->frame->f->decl->name, dtype_name(c->t, call->result->type), tname(c, s->expr));
}

/* In source order. */
static void check_unused(struct checker *c, struct cfunc *f)
{
	struct dcall call = { .name = f->decl->name };
	struct cvar *vars[CHECK_MAX_PARAMS];

	if (f->next)
		check_unused(c, f->next);
	if (f->used || f->lib || !signature(c, f))
		return;
	if (dtype_resolve(c->t, f->result)->kind != DK_VOID)
		call.result = &new_local(c, call.name, rvalue_type(c, f->result), f->decl->at)->pub;
	bind_params(c, NULL, f, NULL, &call, vars);
	c->committed = c->speculating = c->recorded = false;
	check_body(c, f, &call, vars);
}

void check_unused_funcs(struct checker *c)
{
	if (c->funclist)
		check_unused(c, c->funclist);
}
