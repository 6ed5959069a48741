/* SPDX-License-Identifier: Apache-2.0 */
/* args[n]: the typed arguments of the probes of a clause; native ones, or through a translator. */
#include "lang/check/int.h"
#include <string.h>
#include "base/strb.h"
#include "lang/provdecl.h"

/* What args[n] of one probe is. */
struct arg_view {
	const struct dtype *native; /* NULL: of unknown type */
	unsigned index;		    /* of the native argument */
	const struct dtype *to;	    /* as the program sees it, or NULL: as it is */
	bool unknown;		    /* the provider promises a type that is not known */
	const char *expr;	    /* of a probe that is not derived: probe_arg.expr */
};

static const struct dtype *native_type(struct checker *c, const struct probe *p, unsigned i)
{
	const struct probe_arg *a = &p->args[i];

	if (i >= p->nargs)
		return NULL;
	if (a->ctype)
		return dtype_parse(c->t, a->ctype);
	return a->ref.id ? dtype_from_ref(c->t, a->ref) : NULL;
}

/* Pointers of a process point to its memory. */
static const struct dtype *in_process(struct checker *c, const struct dtype *ty)
{
	return dtype_resolve(c->t, ty)->kind == DK_PTR ? dtype_qual(c->t, ty, DQ_USERLAND) : ty;
}

/* A provider block of the program says what the arguments of a static probe are. */
static bool look_declared(struct checker *c, const struct dprovprobe *d, uint64_t i, struct arg_view *ret)
{
	if (i >= d->nxargs)
		return false;
	ret->index = d->map[i];
	ret->native = in_process(c, d->args[ret->index]);
	ret->to = types_same(c, d->xargs[i], d->args[ret->index]) ? NULL : d->xargs[i];
	return true;
}

/* False: the probe has no such argument. */
static bool look(struct checker *c, struct probe *p, uint64_t i, struct arg_view *ret)
{
	const struct dprovprobe *d = c->prog->providers ? provdecl_find(c->prog, p->prov, p->name) : NULL;
	const struct probe_source *ps = c->env->probes;

	*ret = (struct arg_view){ 0 };
	if (d)
		return look_declared(c, d, i, ret);
	if (!p->args_known && ps->get_args)
		ps->get_args(ps->ctx, c->a, p);
	if (i >= (p->xargs ? p->nxargs : p->nargs))
		return false;
	ret->index = p->xargs ? p->xargs[i].native : (unsigned)i;
	if (p->xargs && p->xargs[i].ctype) {
		ret->to = dtype_parse(c->t, p->xargs[i].ctype);
		ret->unknown = !ret->to;
	}
	ret->native = native_type(c, p, ret->index);
	if (!p->derived && ret->index < p->nargs)
		ret->expr = p->args[ret->index].expr;
	return true;
}

bool args_are_narrow(struct checker *c, const struct probe_list *l, unsigned i)
{
	for (size_t k = 0; k < l->n; k++) {
		struct arg_view v;
		const struct dtype *r;

		if (!look(c, l->v[k], i, &v) || !v.native || v.index != i)
			return false;
		r = dtype_resolve(c->t, v.native);
		if (!dtype_is_integer(r) || r->size > sizeof(uint32_t))
			return false;
	}
	return true;
}

static bool same_view(struct checker *c, const struct arg_view *a, const struct arg_view *b)
{
	if (!a->native || !b->native || a->index != b->index || !a->to != !b->to || !a->expr != !b->expr ||
	    (a->expr && strcmp(a->expr, b->expr) != 0))
		return false;
	return types_same(c, a->native, b->native) && (!a->to || types_same(c, a->to, b->to));
}

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
	if (!look(c, l->v[0], i, &first))
		return fail(c, n, D_ARGS_IDX, "index %lld is out of range for %s args[ ]", (long long)i,
			    c->stmt->desc_text);
	/* Probes that are found later have to be like those that are known. */
	for (size_t k = 1; k < l->n; k++)
		if (!l->v[k]->later && (!look(c, l->v[k], i, &other) || !same_view(c, &first, &other)))
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

struct node *array_as_scalar(struct checker *c, struct node *n)
{
	return fail(c, n, D_IDENT_BADREF, "associative array '%s' may not be referenced as scalar", n->name);
}

struct node *check_one_index(struct checker *c, struct node *n)
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

struct node *check_args_index(struct checker *c, struct node *n)
{
	struct node *i;

	if (n->kind != N_INDEX)
		return array_as_scalar(c, n);
	i = check_one_index(c, n);
	if (!i)
		return n;
	if (i->kind != N_INT)
		return fail(c, n, D_PROTO_ARG,
			    "args[ ] argument #1 is incompatible with prototype:\n\tprototype: "
			    "integer constant\n\t argument: %s",
			    tname(c, i));
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

/* -- print(args) -- */

static struct node *name_node(struct checker *c, struct span at, const char *name)
{
	struct node *k = new_node(c, N_IDENT, at);

	k->name = name;
	return k;
}

/* args[i], or argN of what only a translator would show: its address. */
static struct node *arg_node(struct checker *c, struct span at, uint64_t i, const struct arg_view *v)
{
	struct node *k;

	if (v->to && dtype_resolve(c->t, v->to)->kind == DK_PTR)
		return name_node(c, at, arena_printf(c->a, "arg%u", v->index));
	k = new_node(c, N_INDEX, at);
	k->a = name_node(c, at, "args");
	k->args = new_node(c, N_INT, at);
	k->args->ival = i;
	k->args->name = "";
	k->nargs = 1;
	return k;
}

/* How printf() shows it. */
static const char *conversion(struct checker *c, const struct arg_view *v, bool is_string)
{
	const struct dtype *r = v->to ? dtype_resolve(c->t, v->to) : v->native ? dtype_resolve(c->t, v->native) : NULL;

	if (is_string || (r && r->kind == DK_STRING))
		return "\"%s\"";
	if (!r || !dtype_is_integer(r))
		return "0x%p";
	return r->is_signed ? "%d" : "%u";
}

/* The name of an argument, if all probes of the description call it so. */
static const char *name_of(struct checker *c, uint64_t i, const struct arg_view *v)
{
	const struct probe_list *l = &c->stmt->probes;
	const char *name = NULL;

	for (size_t k = 0; k < l->n; k++) {
		const struct probe *p = l->v[k];
		const char *one = v->index < p->nargs ? p->args[v->index].name : NULL;

		if (!one || (name && strcmp(name, one) != 0))
			return arena_printf(c->a, "args[%llu]", (unsigned long long)i);
		name = one;
	}
	return name;
}

bool args_are_all(const struct node *n)
{
	if (n->kind == N_UNARY && n->op == OP_DEREF)
		n = n->a;
	return n->kind == N_IDENT && n->name && !strcmp(n->name, "args");
}

static bool shown(const char *const *names, unsigned n, const char *name)
{
	for (unsigned i = 0; i < n; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

bool args_print(struct checker *c, struct node *n)
{
	struct strb fmt = { 0 };
	struct node *first = new_node(c, N_STR, n->at), **slot = &first->next;
	const char *names[PROBE_MAX_ARGS];
	unsigned n_names = 0;
	struct arg_view v;
	uint64_t i = 0;

	if (!c->stmt || c->stmt->event || !c->stmt->probes.n) {
		fail(c, n, D_ARGS_NONE, "print(args) needs a probe whose arguments are known");
		if (c->stmt && c->stmt->event)
			hint(c, "print(*args[0]) shows the event");
		return false;
	}
	for (; n_names < PROBE_MAX_ARGS && look(c, c->stmt->probes.v[0], i, &v); i++) {
		const struct probe *p = c->stmt->probes.v[0];
		const char *name = name_of(c, i, &v);

		if (shown(names, n_names, name)) /* the same again: arg0 and arg1 of returns, two views of a thread */
			continue;
		strb_printf(&fmt, "%s%s = %s", n_names ? ", " : "", name,
			    conversion(c, &v, v.index < p->nargs && p->args[v.index].user_string));
		*slot = arg_node(c, n->at, i, &v);
		slot = &(*slot)->next;
		names[n_names++] = name;
	}
	if (!i)
		fail(c, n, D_ARGS_NONE, "print(args): probe %s has no arguments", c->stmt->desc_text);
	strb_addc(&fmt, '\n');
	first->str = arena_strndup(c->a, strb_str(&fmt), fmt.n);
	first->len = fmt.n;
	n->args = first;
	n->nargs = n_names + 1;
	n->name = "printf";
	n->builtin = builtin_get(BI_PRINTF);
	strb_free(&fmt);
	return i > 0;
}
