/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the program. A call is checked as what it becomes: the body, put in its place, with
 * parameters, locals and result as local variables of their own. So there is no recursion; probe
 * arguments and built-in variables are those of the clause that calls. What no clause calls is checked
 * by itself at the end. */
#include "lang/check/int.h"
#include <string.h>

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

struct node *assign_local(struct checker *c, struct cvar *v, struct node *value)
{
	struct node *n = new_node(c, N_ASSIGN, value->at);

	n->op = OP_ASSIGN;
	n->a = new_node(c, N_IDENT, value->at);
	n->a->name = v->pub.name;
	n->a->var = &v->pub;
	n->a->lvalue = true;
	set_type(n->a, v->pub.type);
	n->b = convert(c, value, v->pub.type);
	return set_type(n, v->pub.type);
}

struct cvar *new_local(struct checker *c, const char *name, const struct dtype *ty, struct span at)
{
	struct cvar *v = var_new(c, VS_LOCAL, name, at);

	v->pub.type = ty;
	v->pub.assigned = v->declared = v->known = true;
	c->prog->has_locals = true;
	return v;
}

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

bool func_exists(const struct checker *c, const char *name)
{
	return symtab_get(&c->funcs, name, 0) != NULL;
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

void check_return(struct checker *c, struct stmt *s)
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
