/* SPDX-License-Identifier: Apache-2.0 */
/* Conversions: the types of arithmetic, casts, decay of arrays, D's strings. */
#include "lang/check/checker.h"

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

/* May the value be wider than its type? Arithmetic is in 64 bits. */
static bool may_exceed(const struct node *n)
{
	if (n->kind == N_BINARY)
		return op_class(n->op) != OPC_R;
	return n->kind == N_COND || (n->kind == N_UNARY && (n->op == OP_NEG || n->op == OP_BNOT || n->op == OP_PLUS));
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
	if (same_repr(from, to) && !(may_exceed(n) && dtype_is_integer(to) && to->size < 8))
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

const struct dtype *arith_one(struct checker *c, const struct node *n)
{
	const struct dtype *r = res(c, n);

	if (r->is_bool)
		return dtype_int(c->t, 1, false);
	if (r->kind != DK_ENUM)
		return r;
	return r->size == 4 ? basic(c, DT_INT) : dtype_int(c->t, (unsigned)r->size, r->is_signed);
}

/* Rank by which the type of an operation is chosen: the width, then unsigned before signed. */
static unsigned rank(const struct node *n, const struct dtype *ty)
{
	unsigned bits = n->kind == N_MEMBER && n->member.bit_size ? n->member.bit_size : (unsigned)ty->size * 8;

	return bits * 2 + !ty->is_signed;
}

const struct dtype *arith_type(struct checker *c, const struct node *l, const struct node *r)
{
	const struct dtype *a = arith_one(c, l), *b = arith_one(c, r);
	unsigned ra = rank(l, a), rb = rank(r, b);

	if (ra != rb)
		return ra > rb ? a : b;
	return b == basic(c, DT_LLONG) || b == basic(c, DT_ULLONG) ? b : a;
}
