/* SPDX-License-Identifier: Apache-2.0 */
/* Computes how large the value of an expression can get. Arithmetic is in 64 bits and may exceed its type, so a
 * cast or a store cuts, unless the value fits anyway. */
#include "cg/gen/gen.h"

#define ALL_BITS 64 /* nothing is known */

/* The value lies in [neg ? -2^bits : 0, 2^bits - 1]; all values with 64 bits. */
struct range {
	unsigned bits;
	bool neg;
};

static struct range range_of(struct gen *g, const struct node *n);

static struct range make(unsigned bits, bool neg)
{
	return bits >= ALL_BITS || (neg && bits == ALL_BITS - 1) ? (struct range){ ALL_BITS, true }
								 : (struct range){ bits, neg };
}

static struct range of_type(const struct dtype *ty)
{
	if (ty->is_bool)
		return make(1, false);
	if ((ty->kind != DK_INT && ty->kind != DK_ENUM) || !ty->size)
		return make(ALL_BITS, true);
	return make((unsigned)ty->size * 8 - ty->is_signed, ty->is_signed);
}

static struct range of_const(int64_t v)
{
	unsigned bits = 0;

	for (uint64_t m = (uint64_t)(v < 0 ? ~v : v); m; m >>= 1)
		bits++;
	return make(bits, v < 0);
}

static bool within(struct range r, struct range t)
{
	return t.bits == ALL_BITS || (r.bits <= t.bits && (t.neg || !r.neg));
}

static unsigned wider(struct range a, struct range b)
{
	return a.bits > b.bits ? a.bits : b.bits;
}

static unsigned narrower(struct range a, struct range b)
{
	return a.bits < b.bits ? a.bits : b.bits;
}

static struct range of_and(struct range a, struct range b)
{
	if (a.neg && b.neg)
		return make(wider(a, b), true);
	if (a.neg || b.neg)
		return make(a.neg ? b.bits : a.bits, false);
	return make(narrower(a, b), false);
}

static struct range of_div(const struct node *n, struct range a, struct range b, bool sgn)
{
	if (!a.neg && !b.neg)
		return make(n->op == OP_DIV ? a.bits : narrower(a, b), false);
	if (!sgn) /* a negative operand is a large one */
		return n->op == OP_MOD && !b.neg ? b : make(ALL_BITS, true);
	if (n->op == OP_MOD)
		return make(narrower(a, b), a.neg);
	return make(a.bits + (a.neg && b.neg), true);
}

static struct range of_shift(const struct node *n, struct range a, bool sgn)
{
	int64_t c;

	if (n->op == OP_SHR)
		return a.neg && !sgn ? make(ALL_BITS, true) : a;
	if (!node_const(n->b, &c))
		return make(ALL_BITS, true);
	return make(a.bits + (unsigned)(c & 63), a.neg);
}

static struct range of_binary(struct gen *g, const struct node *n)
{
	const struct dtype *ty = cg_type(g->cg, n);
	struct range a, b;

	if (n->op == OP_COMMA)
		return range_of(g, n->b);
	if (op_class_is_test(n->op))
		return make(1, false);
	a = range_of(g, n->a);
	b = range_of(g, n->b);
	switch (n->op) {
	case OP_ADD: return make(wider(a, b) + 1, a.neg || b.neg);
	case OP_SUB: return make(wider(a, b) + (a.neg || b.neg), true);
	case OP_MUL: return make(a.bits + b.bits + (a.neg && b.neg), a.neg || b.neg);
	case OP_DIV:
	case OP_MOD: return of_div(n, a, b, ty->is_signed);
	case OP_BAND: return of_and(a, b);
	case OP_BOR:
	case OP_BXOR: return make(wider(a, b), a.neg || b.neg);
	default: return of_shift(n, a, ty->is_signed);
	}
}

static struct range of_unary(struct gen *g, const struct node *n)
{
	struct range a;

	if (n->op == OP_LNOT)
		return make(1, false);
	if (n->op != OP_NEG && n->op != OP_BNOT && n->op != OP_PLUS)
		return of_type(cg_type(g->cg, n));
	a = range_of(g, n->a);
	if (n->op == OP_NEG)
		return make(a.bits + a.neg, true);
	return n->op == OP_BNOT ? make(a.bits, true) : a;
}

static struct range range_of(struct gen *g, const struct node *n)
{
	const struct dtype *ty = cg_type(g->cg, n);
	struct range a, b;
	int64_t c;

	if (node_const(n, &c))
		return of_const(c);
	if (ty->kind != DK_INT && ty->kind != DK_ENUM)
		return of_type(ty);
	switch (n->kind) {
	case N_BINARY: return of_binary(g, n);
	case N_UNARY: return of_unary(g, n);
	case N_COND:
		a = range_of(g, n->b);
		b = range_of(g, n->c);
		return make(wider(a, b), a.neg || b.neg);
	case N_CAST:
		a = range_of(g, n->a);
		b = of_type(ty);
		return within(a, b) && !ty->is_bool ? a : b;
	default: /* what is loaded, stored or called has its type's values */ return of_type(ty);
	}
}

bool gen_fits(struct gen *g, const struct node *n, const struct dtype *to)
{
	if (to->is_bool)
		return cg_type(g->cg, n)->is_bool && n->kind != N_BINARY && n->kind != N_UNARY && n->kind != N_COND;
	return within(range_of(g, n), of_type(to));
}

bool gen_is_nonneg(struct gen *g, const struct node *n)
{
	return !range_of(g, n).neg;
}
