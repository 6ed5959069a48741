/* SPDX-License-Identifier: Apache-2.0 */
/* Translators: how a struct that the kernel does not have is made of kernel data. xlate <T> (e) is no value, but its
 * members are. Each member is the expression that the translator gives for it; the translator's parameter is e. A
 * member that is not asked for costs nothing. */
#include "lang/check/decl.h"
#include "lang/check/expr.h"
#include "lang/check/inline.h"
#include <string.h>

/* -- declarations -- */

/* Where DTrace says that a translator is wrong: at its end. */
static struct span end_of(const struct decl *d)
{
	struct span at = d->at;

	if (at.len > 0)
		at = (struct span){ at.src, at.off + at.len - 1, 1, 0 };
	return at;
}

static bool output_ok(struct checker *c, const struct decl *d, const struct dtype *out)
{
	const struct dtype *r = dtype_resolve(c->t, out);

	if (r->kind == DK_DYN)
		return false;
	if (r->kind == DK_FWD)
		diag_error(c->d, end_of(d), D_XLATE_SOU, "incomplete struct/union/enum %s", dtype_name(c->t, out));
	else if (r->kind != DK_STRUCT && r->kind != DK_UNION)
		diag_error(c->d, end_of(d), D_XLATE_SOU, "translator output type must be a struct or union");
	return r->kind == DK_STRUCT || r->kind == DK_UNION;
}

static bool exact(struct checker *c, const struct cxlator *x, const struct dtype *out, const struct dtype *in)
{
	return types_same(c, x->out, out) && types_same(c, x->in.type, in);
}

/* The value fits its member? Members that are translated themselves have just their type. */
static bool member_fits(struct checker *c, const struct dtype *ty, const struct node *v)
{
	return v->kind == N_XLATE ? types_same(c, ty, v->type) : arg_compat(c, ty, v);
}

static void check_xmember(struct checker *c, struct cxlator *x, const struct tymember *m)
{
	struct cscope outer = c->scope;
	struct dmember dm;
	struct node *v;

	if (!dtype_member(c->t, x->out, m->name, &dm)) {
		diag_error(c->d, end_of(x->decl), D_XLATE_MEMB, "translator member %s is not a member of %s", m->name,
			   dtype_name(c->t, x->out));
		return;
	}
	c->scope = (struct cscope){ &x->in, 1, x->lib, NULL };
	v = check_translated(c, node_copy(c->a, m->value));
	c->scope = outer;
	if (!is_err(v) && !member_fits(c, dm.type, v))
		diag_error(c->d, end_of(x->decl), D_XLATE_INCOMPAT,
			   "translator member %s definition uses incompatible types: \"%s\" = "
			   "\"%s\"",
			   m->name, dtype_name(c->t, dm.type), tname(c, v));
}

void declare_translator(struct checker *c, const struct decl *d)
{
	const struct dtype *out = check_type(c, d->type), *in = check_type(c, d->input);
	const struct tymember *m;
	struct cxlator *x;

	if (!output_ok(c, d, out) || in->kind == DK_DYN)
		return;
	if (!c->scope.lib)
		lib_use_translators(c, out);
	for (x = c->xlators; x && !(c->scope.lib && x->lib); x = x->next) {
		if (!exact(c, x, out, in))
			continue;
		diag_error(c->d, end_of(d), D_XLATE_REDECL, "translator from %s to %s has already been declared",
			   dtype_name(c->t, in), dtype_name(c->t, out));
		return;
	}
	x = arena_new_obj(c->a, struct cxlator);
	x->out = out;
	x->decl = d;
	x->lib = c->scope.lib;
	param_declare(c, &x->in, d->name, in, d->input->at);
	/* Translators of libraries come last and are checked member by member, where they are used. */
	if (x->lib) {
		struct cxlator **tail = &c->xlators;

		while (*tail)
			tail = &(*tail)->next;
		*tail = x;
		return;
	}
	x->next = c->xlators; /* its members may translate to the same type again */
	c->xlators = x;
	for (m = d->members; m; m = m->next)
		check_xmember(c, x, m);
}

/* -- finding one -- */

const struct cxlator *xlator_find(struct checker *c, const struct node *in, const struct dtype *out)
{
	const struct cxlator *x, *fuzzy = NULL;

	lib_use_translators(c, out);
	for (x = c->xlators; x; x = x->next) {
		if (!types_same(c, x->out, out))
			continue;
		if (types_same(c, x->in.type, in->type))
			return x;
		if (!fuzzy && arg_compat(c, x->in.type, in))
			fuzzy = x;
	}
	return fuzzy;
}

static const struct dtype *output_of(struct checker *c, const struct dtype *to)
{
	const struct dtype *r = dtype_resolve(c->t, to);

	return r->kind == DK_PTR ? r->base : to;
}

struct node *xlate_make(struct checker *c, struct node *in, const struct dtype *to)
{
	const struct cxlator *x = xlator_find(c, in, output_of(c, to));
	struct node *n;

	if (!x)
		return NULL;
	n = new_node(c, N_XLATE, in->at);
	n->next = in->next;
	in->next = NULL;
	n->a = in;
	n->xlator = x;
	return set_type(n, to);
}

/* xlate < type > ( expression ) */
struct node *check_xlate(struct checker *c, struct node *n)
{
	const struct dtype *to = check_type(c, n->tyname);
	struct node *k;

	n->a = check_expr(c, n->a);
	if (to->kind == DK_DYN || is_err(n->a))
		return set_err(c, n);
	k = xlate_make(c, n->a, to);
	if (!k)
		return fail(c, n, D_XLATE_NONE, "cannot translate from \"%s\" to \"%s\"", tname(c, n->a),
			    dtype_name(c->t, to));
	k->at = n->at;
	k->next = n->next;
	return k;
}

/* -- members -- */

static const struct tymember *find_member(const struct cxlator *x, const char *name)
{
	const struct tymember *m;

	for (m = x->decl->members; m; m = m->next)
		if (!strcmp(m->name, name))
			return m;
	return NULL;
}

static struct node *no_conversion(struct checker *c, struct node *n, const struct cxlator *x)
{
	const struct tymember *m;
	struct near near;

	fail(c, n, D_XLATE_NOCONV, "translator does not define conversion for member: %s", n->name);
	near_init(&near, n->name);
	for (m = x->decl->members; m; m = m->next)
		near_try(&near, m->name);
	if (near.best && strcmp(near.best, n->name) != 0)
		hint(c, "did you mean %s?", near.best);
	for (m = x->decl->members; m && c->d->latest; m = m->next) {
		struct dmember dm;

		if (dtype_member(c->t, x->out, m->name, &dm))
			diag_choice(c->d, c->d->latest, m->name, dtype_name(c->t, dm.type));
	}
	return n;
}

/* The expression of a member at its use. */
static struct node *expand(struct checker *c, struct node *n, const struct tymember *m, const struct dtype *ty)
{
	const struct cxlator *x = n->a->xlator;
	struct cscope scope = { arena_new_obj(c->a, struct cparam), 1, x->lib, NULL };
	struct node *before = NULL, *k;

	scope.params[0] = x->in;
	param_bind(c, &scope.params[0], n->a->a, &before);
	if (x->lib)
		k = lib_check(c, n, m->value, scope, before);
	else
		k = scope_check(c, n, m->value, scope, before);
	if (!k)
		return no_conversion(c, n, x);
	k->attr = n->a->attr;
	k->attr_from = n->a->attr_from ? n->a->attr_from : n->a->a;
	if (is_err(k) || k->kind == N_XLATE)
		return k;
	if (!member_fits(c, ty, k))
		return fail(c, k, D_XLATE_INCOMPAT,
			    "translator member %s definition uses incompatible types: \"%s\" = "
			    "\"%s\"",
			    m->name, dtype_name(c->t, ty), tname(c, k));
	if (dtype_resolve(c->t, ty)->kind != DK_ARRAY)
		k = convert(c, k, ty);
	k->lvalue = false;
	k->attr = n->a->attr; /* the conversion may have put another node above */
	k->attr_from = n->a->attr_from ? n->a->attr_from : n->a->a;
	return k;
}

struct node *xlate_member(struct checker *c, struct node *n)
{
	const struct cxlator *x = n->a->xlator;
	bool ptr = res(c, n->a)->kind == DK_PTR;
	const struct tymember *m;
	struct dmember dm;

	if (n->arrow && !ptr)
		return fail(c, n, D_OP_PTR, "operator -> must be applied to a pointer");
	if (!n->arrow && ptr)
		return fail(c, n, D_OP_SOU,
			    "operator . cannot be applied to type \"%s\"; must be applied to a "
			    "struct or union",
			    tname(c, n->a));
	m = find_member(x, n->name);
	if (!m || !dtype_member(c->t, x->out, n->name, &dm))
		return no_conversion(c, n, x);
	return expand(c, n, m, dm.type);
}

/* -- whole structs -- */

static struct node *member_of(struct checker *c, struct node *st, const struct tymember *m, const struct dmember *dm)
{
	struct node *n = new_node(c, N_MEMBER, st->at);

	n->a = node_copy(c->a, st);
	n->name = m->name;
	n->member = *dm;
	n->lvalue = true;
	return set_type(n, dm->type);
}

/* One member of the copy; NULL: an error was reported. */
static struct node *copy_member(struct checker *c, struct node *n, struct node *to, const struct tymember *m)
{
	struct node *want = new_node(c, N_MEMBER, n->at), *k;
	struct dmember dm;

	want->a = n;
	want->name = m->name;
	if (!dtype_member(c->t, n->xlator->out, m->name, &dm))
		return NULL;
	k = xlate_value(c, expand(c, want, m, dm.type));
	if (is_err(k))
		return NULL;
	if (dtype_resolve(c->t, dm.type)->kind == DK_ARRAY && !types_same(c, dm.type, k->type)) {
		fail(c, want, D_XLATE_INCOMPAT, "member %s of type %s cannot be copied from %s", m->name,
		     dtype_name(c->t, dm.type), tname(c, k));
		return NULL;
	}
	return assign_node(c, member_of(c, to, m, &dm), k);
}

struct node *xlate_value(struct checker *c, struct node *n)
{
	struct node *to, *zero, *all = NULL;
	struct cparam in;

	if (n->kind != N_XLATE || is_err(n) || res(c, n)->kind == DK_PTR)
		return xlate_whole(c, n);
	in = n->xlator->in;
	param_bind(c, &in, n->a, &all);
	n->a = in.value;
	to = temp_new(c, rvalue_type(c, n->type), n->at);
	zero = set_type(new_node(c, N_INT, n->at), basic(c, DT_INT));
	zero->is_const = true;
	all = comma(c, all, assign_node(c, to, zero));
	for (const struct tymember *m = n->xlator->decl->members; m; m = m->next) {
		struct node *one = copy_member(c, n, to, m);

		if (!one)
			return set_err(c, n);
		all = comma(c, all, one);
	}
	return comma(c, all, node_copy(c->a, to));
}

struct node *xlate_number(struct checker *c, struct node *n)
{
	if (n->kind != N_XLATE || is_err(n) || !n->builtin || res(c, n)->kind != DK_PTR)
		return n;
	n->a->next = n->next;
	return n->a;
}

struct node *xlate_keep(struct checker *c, struct node *n)
{
	const struct cinline *in = NULL;

	if (n->kind == N_XLATE && !is_err(n) && n->builtin && n->builtin->id == BI_CURCPU)
		in = lib_inline(c, "curcpu_kept");
	return in ? use_inline(c, n, in) : n;
}

struct node *xlate_again(struct checker *c, struct node *n)
{
	const struct dtype *r = res(c, n),
			   *st = !is_err(n) && n->var && r->kind == DK_PTR ? dtype_resolve(c->t, r->base) : NULL;
	const struct cinline *in;

	if (!st || st->kind != DK_STRUCT || !st->name || strcmp(st->name, "cpuinfo") != 0)
		return n;
	in = lib_inline(c, "curcpu_again");
	return in && types_same(c, n->type, in->type) ? use_inline_of(c, new_node(c, N_IDENT, n->at), in, n) : n;
}

struct node *xlate_whole(struct checker *c, struct node *n)
{
	if (n->kind != N_XLATE || is_err(n))
		return n;
	fail(c, n, D_CG_DYN, "expression cannot evaluate to result of dynamic type");
	hint(c, "a translated value has no address: use its members");
	return n;
}
