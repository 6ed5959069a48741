/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the type of args[n] of a probe: native, or through a translator. Also expands print(args). */
#include <string.h>
#include "base/strb.h"
#include "lang/check/args.h"
#include "lang/provdecl.h"

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
bool arg_find(struct checker *c, struct probe *p, uint64_t i, struct arg_view *ret)
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

		if (!arg_find(c, l->v[k], i, &v) || !v.native || v.index != i)
			return false;
		r = dtype_resolve(c->t, v.native);
		if (!dtype_is_integer(r) || r->size > sizeof(uint32_t))
			return false;
	}
	return true;
}

bool arg_same_view(struct checker *c, const struct arg_view *a, const struct arg_view *b)
{
	if (!a->native || !b->native || a->index != b->index || !a->to != !b->to || !a->expr != !b->expr ||
	    (a->expr && strcmp(a->expr, b->expr) != 0))
		return false;
	return types_same(c, a->native, b->native) && (!a->to || types_same(c, a->to, b->to));
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
	for (; n_names < PROBE_MAX_ARGS && arg_find(c, c->stmt->probes.v[0], i, &v); i++) {
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
