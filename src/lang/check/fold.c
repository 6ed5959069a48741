/* SPDX-License-Identifier: Apache-2.0 */
/* Constant folding in 64 bits, as at run time: the type gives only the sign. */
#include "lang/check/checker.h"
#include <string.h>

static struct node *to_const(struct node *n, uint64_t v)
{
	n->kind = N_INT;
	n->ival = v;
	n->is_const = true;
	n->lvalue = false;
	n->a = n->b = n->c = NULL;
	n->name = "";
	n->str = NULL;
	return n;
}

static bool is_const_int(const struct node *n)
{
	return n && n->kind == N_INT;
}

static struct node *fold_unary(struct node *n, const struct dtype *r)
{
	uint64_t v = n->a->ival;

	switch (n->op) {
	case OP_NEG: return to_const(n, r->is_signed ? -v : int_wrap(r, -v)); /* as -1u is written */
	case OP_PLUS: return to_const(n, v);
	case OP_BNOT: return to_const(n, ~v);
	case OP_LNOT: return to_const(n, !v);
	default: return n;
	}
}

static uint64_t divide(uint64_t l, uint64_t r, bool is_signed, bool mod)
{
	if (!is_signed)
		return mod ? l % r : l / r;
	if (r == UINT64_MAX) /* avoids the overflow of the smallest number by -1 */
		return mod ? 0 : -l;
	return (uint64_t)(mod ? (int64_t)l % (int64_t)r : (int64_t)l / (int64_t)r);
}

static uint64_t shift_right(uint64_t v, unsigned n, bool is_signed)
{
	return is_signed ? (uint64_t)((int64_t)v >> n) : v >> n;
}

static bool compare(enum op op, uint64_t l, uint64_t r, bool is_signed)
{
	int cmp = is_signed ? ((int64_t)l > (int64_t)r) - ((int64_t)l < (int64_t)r) : (l > r) - (l < r);

	switch (op) {
	case OP_LT: return cmp < 0;
	case OP_LE: return cmp <= 0;
	case OP_GT: return cmp > 0;
	case OP_GE: return cmp >= 0;
	case OP_EQ: return cmp == 0;
	default: return cmp != 0;
	}
}

static struct node *fold_binary(struct node *n, const struct dtype *r)
{
	uint64_t l = n->a->ival, v = n->b->ival;
	unsigned count = (unsigned)v & 63;

	switch (n->op) {
	case OP_MUL: return to_const(n, l * v);
	case OP_DIV:
	case OP_MOD: return to_const(n, divide(l, v, r->is_signed, n->op == OP_MOD));
	case OP_ADD: return to_const(n, l + v);
	case OP_SUB: return to_const(n, l - v);
	case OP_SHL: return to_const(n, l << count);
	case OP_SHR: return to_const(n, shift_right(l, count, r->is_signed));
	case OP_BAND: return to_const(n, l & v);
	case OP_BXOR: return to_const(n, l ^ v);
	case OP_BOR: return to_const(n, l | v);
	case OP_LAND: return to_const(n, l && v);
	case OP_LXOR: return to_const(n, !l != !v);
	case OP_LOR: return to_const(n, l || v);
	case OP_COMMA: return to_const(n, v);
	default: return to_const(n, compare(n->op, l, v, !n->cmp_unsigned));
	}
}

/* Relations of two string constants. */
static struct node *fold_strings(struct node *n)
{
	const struct node *x = n->a, *y = n->b;
	size_t len = x->len < y->len ? x->len : y->len;
	int cmp = memcmp(x->str, y->str, len);

	if (cmp == 0)
		cmp = (x->len > y->len) - (x->len < y->len);
	return to_const(n, compare(n->op, (uint64_t)(int64_t)cmp, 0, true));
}

struct node *fold(struct checker *c, struct node *n)
{
	const struct dtype *r, *lt;

	if (is_err(n))
		return n;
	r = res(c, n);
	if (n->kind == N_BINARY && (n->op == OP_DIV || n->op == OP_MOD) && is_zero(n->b))
		return fail(c, n, D_DIV_ZERO, "expression contains division by zero");
	if (n->kind == N_COND && is_const_int(n->a)) {
		struct node *k = n->a->ival ? n->b : n->c;

		k->next = n->next;
		return k;
	}
	if (!dtype_is_scalar(r))
		return n;
	if (n->kind == N_UNARY && is_const_int(n->a))
		return fold_unary(n, r);
	if (n->kind != N_BINARY)
		return n;
	if (op_class(n->op) == OPC_R && n->a->kind == N_STR && n->b->kind == N_STR)
		return fold_strings(n);
	if (is_const_int(n->a) && !is_const_int(n->b) &&
	    ((n->op == OP_LAND && !n->a->ival) || (n->op == OP_LOR && n->a->ival)))
		return to_const(n, n->op == OP_LOR);
	if (!is_const_int(n->a) || !is_const_int(n->b))
		return n;
	lt = res(c, n->a);
	if (r->kind == DK_PTR || lt->kind == DK_PTR)
		return n;
	return fold_binary(n, r);
}
