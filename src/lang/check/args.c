/* SPDX-License-Identifier: Apache-2.0 */
/* args[n]: the typed arguments of the probes of a clause; native ones, or through a translator. */
#include "lang/check/args.h"
#include "lang/check/call.h"
#include "lang/check/clause.h"
#include "lang/check/event.h"
#include "lang/check/expr.h"
#include "lang/check/inline.h"
#include <string.h>

/* n, args[i], becomes copyinstr(arg<i>), unchecked, when that is what all probes of the clause have there. */
static bool derive_user_string(struct checker *c, struct node *n);

/* The value of argument i of p, whose .expr is given; ty: its type. n: where it is used. */
static struct node *derive_arg(struct checker *c, struct node *n, const struct probe *p, unsigned i,
			       const struct dtype *ty);

static struct node *unstable(struct checker *c, struct node *n, uint64_t i)
{
	fail(c, n, D_ARGS_MULTI,
	     "args[ ] may not be referenced because probe description %s matches an unstable set "
	     "of probes",
	     c->stmt->desc_text);
	hint(c, "use arg%lld, or name probes whose arguments have the same types", (long long)i);
	return n;
}

/* The native argument, typed, as the type that the program is promised. */
static struct node *translated(struct checker *c, struct node *n, uint64_t i, const struct dtype *to)
{
	const struct dtype *r = dtype_resolve(c->t, to);
	struct node *k;

	if (types_same(c, to, n->type))
		return set_type(n, to);
	if (dtype_is_scalar(r) && dtype_is_scalar(res(c, n)) && r->kind != DK_PTR)
		return convert(c, n, to);
	k = xlate_make(c, n, to);
	if (k)
		return k;
	return fail(c, n, D_ARGS_XLATOR, "translator for args[%lld] from %s to %s is not defined", (long long)i,
		    tname(c, n), dtype_name(c->t, to));
}

static struct node *typed_arg(struct checker *c, struct node *n, uint64_t i)
{
	const struct probe_list *l = &c->stmt->probes;
	struct arg_view first = { 0 }, other;

	if (!l->n)
		return unstable(c, n, i);
	if (!arg_find(c, l->v[0], i, &first))
		return fail(c, n, D_ARGS_IDX, "index %lld is out of range for %s args[ ]", (long long)i,
			    c->stmt->desc_text);
	/* Probes that are found later have to be like those that are known. */
	for (size_t k = 1; k < l->n; k++)
		if (!l->v[k]->later && (!arg_find(c, l->v[k], i, &other) || !arg_same_view(c, &first, &other)))
			return unstable(c, n, i);
	if (!first.native)
		return fail(c, n, D_ARGS_TYPE, "failed to resolve native type for args[%lld]", (long long)i);
	if (first.unknown)
		return fail(c, n, D_ARGS_TYPE, "failed to resolve translated type for args[%lld]", (long long)i);
	n->lvalue = true;
	n->ival = first.index;
	set_type(n, first.native);
	if (first.expr)
		n = derive_arg(c, n, l->v[0], first.index, first.native);
	return first.to ? translated(c, n, i, first.to) : n;
}

static struct node *array_as_scalar(struct checker *c, struct node *n)
{
	fail(c, n, D_IDENT_BADREF, "associative array '%s' may not be referenced as scalar", n->name);
	foreign_hint(c, FOREIGN_VAR, n->name);
	return n;
}

/* The only index of a built-in array, checked; NULL: n is an error. */
static struct node *check_one_index(struct checker *c, struct node *n)
{
	n->args = check_expr(c, n->args);
	if (is_err(n->args))
		set_err(c, n);
	else if (n->nargs != 1)
		fail(c, n, D_PROTO_LEN, "%s[ ] prototype mismatch: %u args passed, 1 expected", n->a->name, n->nargs);
	else
		return n->args;
	return NULL;
}

/* i, the only index of the built-in array n, is of the wrong kind. */
static struct node *wrong_index(struct checker *c, struct node *n, const char *name, const struct node *i)
{
	return fail(c, n, D_PROTO_ARG,
		    "%s[ ] argument #1 is incompatible with prototype:\n\tprototype: "
		    "integer constant\n\t argument: %s",
		    name, tname(c, i));
}

struct node *check_args_index(struct checker *c, struct node *n)
{
	struct node *i;

	if (n->kind != N_INDEX)
		return array_as_scalar(c, n);
	i = check_one_index(c, n);
	if (!i)
		return n;
	if (i->kind != N_INT)
		return wrong_index(c, n, "args", i);
	if (!c->stmt)
		return fail(c, n, D_ARGS_NONE, "args[ ] may not be referenced outside of a probe clause");
	if (c->stmt->event)
		return event_arg(c, n, i->ival);
	n->a->type = basic(c, DT_VOID);
	n->ival = i->ival;
	if (derive_user_string(c, n))
		return check_call(c, n, false, false);
	return typed_arg(c, n, i->ival);
}

/* -- registers -- */

struct node *check_regs(struct checker *c, struct node *n)
{
	const struct builtin *b = n->kind == N_INDEX ? n->a->builtin : n->builtin;
	struct node *i;

	if (n->kind != N_INDEX)
		return array_as_scalar(c, n);
	i = check_one_index(c, n);
	if (!i)
		return n;
	if (!dtype_is_integer(res(c, i)))
		return wrong_index(c, n, b->name, i);
	n->a->type = basic(c, DT_VOID);
	return set_type(n, basic(c, DT_ULONG));
}

/* -- derived probes -- */

static struct node *check_text(struct checker *c, const struct probe *p, const char *text, const char **reason);

static void become(struct node *n, const struct node *k)
{
	struct node *next = n->next;
	struct span at = n->at;

	*n = *k;
	n->next = next;
	n->at = at;
}

/* n becomes the expression text over the raw arguments of p, as a value of type ty. */
static void become_text(struct checker *c, struct node *n, const struct probe *p, const char *text,
			const struct dtype *ty)
{
	struct node *k = new_node(c, N_CAST, n->at);
	const char *reason = "?";

	k->a = check_text(c, p, text, &reason);
	k->implicit = true;
	if (k->a)
		become(n, set_type(k, ty));
	else
		fail(c, n, D_ARGS_TYPE, "this kernel does not pass the argument, and it cannot be found out: %s",
		     reason);
}

bool derive_raw_arg(struct checker *c, struct node *n)
{
	const struct probe *p = c->raw;
	const struct probe_arg *a;
	unsigned i = 0;

	while (i < p->nraw && (!p->raw[i].name || strcmp(p->raw[i].name, n->name) != 0))
		i++;
	if (i == p->nraw)
		return false;
	a = &p->raw[i];
	if (a->expr) {
		become_text(c, n, p, a->expr, dtype_parse(c->t, a->ctype));
		return true;
	}
	n->kind = N_INDEX;
	n->a = new_node(c, N_IDENT, n->at);
	n->a->builtin = builtin_get(BI_ARGS);
	n->a->type = basic(c, DT_VOID);
	n->ival = i;
	n->raw = true;
	n->lvalue = true;
	set_type(n, dtype_from_ref(c->t, a->ref));
	return true;
}

static struct node *derive_arg(struct checker *c, struct node *n, const struct probe *p, unsigned i,
			       const struct dtype *ty)
{
	const char *reason = "?";
	struct node *k = check_text(c, p, p->args[i].expr, &reason);

	if (!k)
		return fail(c, n, D_ARGS_TYPE, "args[%u] is not passed by this kernel, and cannot be found out: %s", i,
			    reason);
	k->at = n->at;
	k->next = n->next;
	return set_type(k, ty);
}

bool derive_passed_arg(struct checker *c, struct node *n, unsigned i)
{
	const struct probe_source *ps = c->env->probes;
	struct probe *p = c->stmt && !c->stmt->event && c->stmt->probes.n ? c->stmt->probes.v[0] : NULL;

	if (!p || p->derived || !ps || !ps->get_args || (!p->args_known && ps->get_args(ps->ctx, c->a, p) < 0) ||
	    i >= p->nargs || !p->args[i].expr)
		return false;
	become_text(c, n, p, p->args[i].expr, dtype_parse(c->t, "int64_t"));
	return true;
}

static bool derive_user_string(struct checker *c, struct node *n)
{
	const struct probe_source *ps = c->env->probes;
	const struct probe_list *l = &c->stmt->probes;
	struct node *arg;
	size_t i, known = 0;

	if (n->ival > 9)
		return false;
	for (i = 0; i < l->n; i++) {
		struct probe *p = l->v[i];

		if (p->later) /* it has to be like the others */
			continue;
		known++;
		if ((!p->args_known && ps->get_args(ps->ctx, c->a, p) < 0) || n->ival >= p->nargs ||
		    !p->args[n->ival].user_string)
			return false;
	}
	if (!known)
		return false;
	arg = new_node(c, N_IDENT, n->at);
	arg->name = arena_printf(c->a, "arg%u", (unsigned)n->ival);
	n->kind = N_CALL;
	n->name = "copyinstr";
	n->a = NULL;
	n->args = arg;
	n->nargs = 1;
	return true;
}

struct unit *check_parse_text(struct checker *c, const char *name, const char *text)
{
	struct source *src = arena_new_obj(c->a, struct source);
	struct unit *u;

	*src = (struct source){ .name = name, .text = text, .len = strlen(text) };
	return lang_parse(c->a, src, c->env, c->d, &u) < 0 ? NULL : u;
}

/* The expression text, parsed as a predicate. NULL: reported to c->d. */
static struct node *parse_text(struct checker *c, const char *text)
{
	struct unit *u = check_parse_text(c, text, arena_printf(c->a, "BEGIN/%s/{}", text));

	return u ? u->items->clause->pred : NULL;
}

/* True the first time that the text is asked for. */
static bool is_new_support(struct checker *c, const char *text)
{
	const char **v;

	for (size_t i = 0; i < c->nsupport; i++)
		if (!strcmp(c->support[i], text))
			return false;
	v = arena_new_arr(c->a, const char *, c->nsupport + 1);
	if (c->nsupport)
		memcpy(v, c->support, c->nsupport * sizeof(*v));
	v[c->nsupport++] = text;
	c->support = v;
	return true;
}

struct unit *derive_support(struct checker *c, const struct clause_instance *s, bool after)
{
	for (size_t i = 0; i < s->probes.n; i++) {
		const struct probe *p = s->probes.v[i];
		const char *text = after ? p->after : p->before;

		if (p->derived && text && is_new_support(c, text))
			return check_parse_text(c, p->name, text);
	}
	return NULL;
}

/* Checks text over the raw arguments of p. NULL: it has no sense on this kernel; *reason tells. */
static struct node *check_text(struct checker *c, const struct probe *p, const char *text, const char **reason)
{
	const struct probe *outer = c->raw;
	struct cscope scope = c->scope;
	struct diags *real = c->d, trial;
	struct node *n;

	diags_init(&trial, c->a);
	c->d = &trial;
	c->raw = p;
	c->scope = (struct cscope){ .lib = true }; /* the program's names mean nothing here */
	n = parse_text(c, text);
	if (n)
		n = check_expr(c, n);
	c->scope = scope;
	c->raw = outer;
	c->d = real;
	if (!trial.nerrors)
		return n;
	*reason = trial.first->msg;
	return NULL;
}

static bool derive(struct checker *c, struct clause_instance *s, struct probe *p)
{
	struct dderived *dd = arena_new_obj(c->a, struct dderived);
	const char *reason = "?";
	unsigned i;

	dd->probe = p;
	dd->args = arena_new_arr(c->a, struct node *, p->nargs ? p->nargs : 1);
	if (p->cond)
		dd->cond = check_text(c, p, p->cond, &reason);
	if (p->cond && !dd->cond) {
		diag_error(c->d, s->at, D_UNSUP, "probe %s:%s:%s:%s cannot be enabled: %s", p->prov, p->mod, p->func,
			   p->name, reason);
		return false;
	}
	for (i = 0; i < p->nargs; i++)
		if (p->args[i].expr)
			dd->args[i] = check_text(c, p, p->args[i].expr, &reason);
	dd->next = s->derived;
	s->derived = dd;
	return true;
}

bool check_derived(struct checker *c, struct clause_instance *s)
{
	const struct probe_source *ps = c->env->probes;
	bool ok = true;
	size_t i;

	c->stmt = s;
	for (i = 0; i < s->probes.n && ok; i++) {
		struct probe *p = s->probes.v[i];

		if (!p->derived)
			continue;
		if (!p->args_known && ps->get_args)
			ps->get_args(ps->ctx, c->a, p);
		ok = derive(c, s, p);
	}
	c->stmt = NULL;
	return ok;
}
