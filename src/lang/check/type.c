/* SPDX-License-Identifier: Apache-2.0 */
/* Predicates on the types of expressions (is it a number, a string, a pointer …), and the errors when they fail. */
#include "lang/check/checker.h"
#include <stdarg.h>

const struct dtype *res(struct checker *c, const struct node *n)
{
	return dtype_resolve(c->t, n->type);
}

const struct dtype *basic(struct checker *c, enum dbasic b)
{
	return dtype_basic(c->t, b);
}

bool is_err(const struct node *n)
{
	return n->type->kind == DK_DYN;
}

struct node *set_err(struct checker *c, struct node *n)
{
	n->type = basic(c, DT_DYN);
	n->lvalue = false;
	return n;
}

struct node *set_type(struct node *n, const struct dtype *ty)
{
	n->type = ty;
	return n;
}

const char *tname(struct checker *c, const struct node *n)
{
	if (n->kind == N_XLATE)
		return res(c, n)->kind == DK_PTR ? "pointer to translated data" : "translated data";
	return dtype_name(c->t, n->type);
}

bool is_int(struct checker *c, const struct node *n)
{
	return dtype_is_integer(res(c, n));
}

bool is_scalar(struct checker *c, const struct node *n)
{
	return dtype_is_scalar(res(c, n));
}

bool is_ptr(struct checker *c, const struct node *n)
{
	const struct dtype *r = res(c, n);

	return r->kind == DK_PTR || r->kind == DK_ARRAY;
}

bool is_str(struct checker *c, const struct node *n)
{
	return res(c, n)->kind == DK_STRING;
}

bool is_zero(const struct node *n)
{
	return n->kind == N_INT && n->ival == 0;
}

bool is_user_type(const struct dtype *ty)
{
	for (; ty; ty = ty->kind == DK_TYPEDEF ? ty->base : NULL) {
		if (ty->quals & DQ_USERLAND)
			return true;
	}
	return false;
}

bool type_strcompat(struct checker *c, const struct dtype *ty)
{
	const struct dtype *r = dtype_resolve(c->t, ty);

	if (r->kind == DK_STRING)
		return true;
	return (r->kind == DK_PTR || r->kind == DK_ARRAY) && dtype_resolve(c->t, r->base)->is_char;
}

bool type_is_vfptr(struct checker *c, const struct dtype *ty)
{
	const struct dtype *r = dtype_resolve(c->t, ty);

	if (r->kind != DK_PTR)
		return false;
	r = dtype_resolve(c->t, r->base);
	return r->kind == DK_VOID || r->kind == DK_FUNC;
}

/* The type that a pointer or array points to, resolved; or NULL. */
static const struct dtype *pointee(struct checker *c, const struct dtype *r)
{
	return r->kind == DK_PTR || r->kind == DK_ARRAY ? dtype_resolve(c->t, r->base) : NULL;
}

/* Kernel types may have twins in modules: same tag, same size. */
static bool same_tagged(const struct dtype *a, const struct dtype *b)
{
	return a->kind == b->kind && a->from_kernel && b->from_kernel && a->name && b->name && a->size == b->size &&
	       __builtin_strcmp(a->name, b->name) == 0;
}

bool types_same(struct checker *c, const struct dtype *a, const struct dtype *b)
{
	unsigned depth;

	for (depth = 0; depth < DPROG_MAX_DEPTH; depth++) {
		a = dtype_resolve(c->t, a);
		b = dtype_resolve(c->t, b);
		if (a == b)
			return true;
		if (a->kind == DK_INT && b->kind == DK_INT)
			return a->size == b->size && a->is_signed == b->is_signed && a->is_bool == b->is_bool;
		if (a->kind != b->kind)
			return false;
		if (a->kind == DK_ARRAY && a->nelems != b->nelems)
			return false;
		if (a->kind != DK_PTR && a->kind != DK_ARRAY && a->kind != DK_FUNC)
			return a->kind == DK_STRING || same_tagged(a, b);
		a = a->base;
		b = b->base;
	}
	return false;
}

/* The types that pointers must share: void * goes with all, plain char with signed char. */
static bool refs_compat(struct checker *c, const struct dtype *l, const struct dtype *r)
{
	if (l->kind == DK_VOID || r->kind == DK_VOID)
		return true;
	if (l->is_char && r->is_char)
		return true;
	if (l->kind == DK_FWD && r->kind == DK_FWD)
		return l == r || (l->name && r->name && !__builtin_strcmp(l->name, r->name));
	return types_same(c, l, r);
}

bool ptr_compat(struct checker *c, const struct node *l, const struct node *r)
{
	const struct dtype *lt = res(c, l), *rt = res(c, r);
	const struct dtype *lp = pointee(c, lt), *rp = pointee(c, rt);

	if (lp && dtype_is_integer(rt))
		return is_zero(r);
	if (rp && dtype_is_integer(lt))
		return is_zero(l);
	if (!lp || !rp)
		return false;
	if ((is_user_type(l->type) || l->user) != (is_user_type(r->type) || r->user) &&
	    (lt->kind == DK_PTR || l->user) && (rt->kind == DK_PTR || r->user))
		return false;
	return refs_compat(c, lp, rp);
}

bool arg_compat(struct checker *c, const struct dtype *l, const struct node *r)
{
	const struct dtype *lt = dtype_resolve(c->t, l), *rt = res(c, r);
	struct node fake = { .kind = N_IDENT, .type = l };

	if (dtype_is_integer(lt) && dtype_is_integer(rt))
		return true;
	if (lt->kind == DK_STRING)
		return type_strcompat(c, r->type);
	if (lt->kind == DK_STACK || lt->kind == DK_USTACK)
		return rt->kind == lt->kind && rt->nframes == lt->nframes;
	if (lt->kind == DK_SYM)
		return rt == lt;
	if (lt->kind == DK_STRUCT || lt->kind == DK_UNION || lt->kind == DK_FUNC)
		return types_same(c, lt, rt);
	return ptr_compat(c, &fake, r);
}

struct node *fail(struct checker *c, struct node *n, const char *tag, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	diag_error(c->d, n->at, tag, "%s", arena_vprintf(c->a, fmt, ap));
	va_end(ap);
	return set_err(c, n);
}

void hint(struct checker *c, const char *fmt, ...)
{
	va_list ap;

	if (!c->d->latest || c->d->latest->hint)
		return;
	va_start(ap, fmt);
	diag_hint(c->d, c->d->latest, "%s", arena_vprintf(c->a, fmt, ap));
	va_end(ap);
}

struct node *new_node(struct checker *c, enum node_kind k, struct span at)
{
	struct node *n = arena_new_obj(c->a, struct node);

	n->kind = k;
	n->at = at;
	return n;
}
