/* SPDX-License-Identifier: Apache-2.0 */
/* C's conversions: promotions, usual arithmetic conversions, decay of arrays, D's strings. */
#include "lang/check_int.h"

const struct dtype *rvalue_type(struct checker *c, const struct dtype *ty)
{
	unsigned keep = ty->quals & DQ_USERLAND;

	return ty->quals & ~DQ_USERLAND ? dtype_qual(c->t, ty->unqual, keep) : ty;
}

uint64_t int_wrap(const struct dtype *r, uint64_t v)
{
	unsigned bits;

	if (r->is_bool)
		return v != 0;
	if (r->kind == DK_PTR || r->size >= 8 || r->size == 0)
		return v;
	bits = 64 - (unsigned)r->size * 8;
	return r->is_signed ? (uint64_t)((int64_t)(v << bits) >> bits) : v << bits >> bits;
}

/* Same bits in a register: no cast is needed. */
static bool same_repr(const struct dtype *a, const struct dtype *b)
{
	if (a == b)
		return true;
	if (a->is_bool || b->is_bool)
		return false;
	if (dtype_is_integer(a) && dtype_is_integer(b))
		return a->size == b->size && a->is_signed == b->is_signed;
	return a->kind == DK_PTR && b->kind == DK_PTR;
}

static struct node *wrap_cast(struct checker *c, struct node *n, const struct dtype *ty)
{
	struct node *k = new_node(c, N_CAST, n->at);

	k->a = n;
	k->next = n->next;
	n->next = NULL;
	k->implicit = true;
	k->user = n->user;
	return set_type(k, ty);
}

struct node *string_ptr(struct checker *c, struct node *n)
{
	if (is_err(n) || res(c, n)->kind != DK_STRING)
		return n;
	n = wrap_cast(c, n, dtype_ptr(c->t, basic(c, DT_CHAR)));
	n->implicit = false; /* what it points to is not the variable's own memory */
	return n;
}

struct node *convert(struct checker *c, struct node *n, const struct dtype *ty)
{
	const struct dtype *from, *to = dtype_resolve(c->t, ty);

	if (is_err(n) || to->kind == DK_DYN)
		return n;
	n = decay(c, n);
	if (to->kind == DK_STRING)
		return to_string(c, n);
	from = res(c, n);
	if (n->kind == N_INT && dtype_is_scalar(to)) {
		n->ival = int_wrap(to, n->ival);
		return set_type(n, ty);
	}
	if (!dtype_is_scalar(from) || !dtype_is_scalar(to))
		return n;
	/* A bit field's value fits, but its representation is that of its type once loaded. */
	if (same_repr(from, to))
		return n;
	return wrap_cast(c, n, ty);
}

struct node *decay(struct checker *c, struct node *n)
{
	const struct dtype *r, *p;

	if (is_err(n))
		return n;
	r = res(c, n);
	if (r->kind == DK_FUNC)
		p = dtype_ptr(c->t, r);
	else if (r->kind == DK_ARRAY)
		p = dtype_ptr(c->t, r->base);
	else
		return n;
	if (n->user)
		p = dtype_qual(c->t, p, DQ_USERLAND);
	n = wrap_cast(c, n, p);
	n->user = false;
	return n;
}

struct node *to_string(struct checker *c, struct node *n)
{
	const struct dtype *r;
	struct node *k;
	uint32_t bound = 0;

	if (is_err(n) || is_str(c, n))
		return n;
	/* An array that decayed is taken as array: its size bounds the string. */
	if (n->kind == N_CAST && n->implicit && res(c, n->a)->kind == DK_ARRAY) {
		n->a->next = n->next;
		n = n->a;
	}
	r = res(c, n);
	if (r->kind == DK_ARRAY && r->nelems < UINT32_MAX)
		bound = (uint32_t)r->nelems + 1;
	if (r->kind == DK_ARRAY && r->nelems == 0)
		bound = 0; /* flexible array member */
	k = new_node(c, N_STRINGOF, n->at);
	k->a = n;
	k->next = n->next;
	n->next = NULL;
	k->implicit = true;
	k->user = n->user || is_user_type(n->type);
	return set_type(k, dtype_string(c->t, bound));
}

/* D takes strings for addresses: 0 is the string that is not there. */
struct node *null_string(struct checker *c, struct node *n)
{
	if (!is_zero(n))
		return n;
	n->kind = N_STR;
	n->str = "";
	n->len = 0;
	n->is_null = true;
	return set_type(n, dtype_string(c->t, 1));
}

const struct dtype *promoted(struct checker *c, const struct node *n)
{
	const struct dtype *r = res(c, n);

	if (n->kind == N_MEMBER && n->member.bit_size) {
		if (n->member.bit_size < 32 || (n->member.bit_size == 32 && r->is_signed))
			return basic(c, DT_INT);
		if (n->member.bit_size == 32)
			return basic(c, DT_UINT);
	}
	if (r->size < 4 || (r->kind == DK_ENUM && r->size == 4))
		return basic(c, DT_INT);
	return r->kind == DK_ENUM ? dtype_int(c->t, (unsigned)r->size, r->is_signed) : r;
}

const struct dtype *arith_type(struct checker *c, const struct node *l, const struct node *r)
{
	const struct dtype *a = promoted(c, l), *b = promoted(c, r);

	if (a->size != b->size)
		return a->size > b->size ? a : b;
	if (a->is_signed != b->is_signed)
		return a->is_signed ? b : a;
	return b == basic(c, DT_LLONG) || b == basic(c, DT_ULLONG) ? b : a;
}
