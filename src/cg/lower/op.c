/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles operators: arithmetic in 64 bits, comparisons and logic as jumps. */
#include "cg/gen/fault.h"
#include "cg/gen/load.h"
#include "cg/lower/expr.h"
#include "cg/lower/string.h"
#include "cg/lower/var.h"

static bool is_int(const struct dtype *ty)
{
	return ty->kind == DK_INT || ty->kind == DK_ENUM;
}

static bool is_signed(const struct dtype *ty)
{
	return is_int(ty) && ty->is_signed;
}

/* Signed division by a positive constant: the magnitude is divided, then the sign put back. */
static void sdiv_const(struct gen *g, enum op op, vreg d, vreg a, int64_t c)
{
	irlabel neg = ir_label(g->f), out = ir_label(g->f);
	enum ir_alu alu = op == OP_DIV ? IRA_DIV : IRA_MOD;
	vreg t = ir_new(g->f);

	ir_jcci(g->f, IRC_SLT, a, 0, neg);
	ir_alui(g->f, alu, d, a, c);
	ir_jmp(g->f, out);
	ir_place(g->f, neg);
	ir_alu(g->f, IRA_NEG, t, a, VREG_NONE);
	ir_alui(g->f, alu, d, t, c);
	ir_alu(g->f, IRA_NEG, d, d, VREG_NONE);
	ir_place(g->f, out);
}

/* b: divisor as vreg, or VREG_NONE with bn a constant. */
static void gen_div(struct gen *g, enum op op, vreg d, vreg a, vreg b, const struct node *bn, const struct dtype *ty)
{
	enum ir_alu alu = op == OP_DIV ? IRA_DIV : IRA_MOD;
	bool sgn = is_signed(ty);
	int64_t c;

	if (bn && node_const(bn, &c) && c > 0 && c <= INT32_MAX) {
		if (sgn)
			sdiv_const(g, op, d, a, c);
		else
			ir_alui(g->f, alu, d, a, c);
		return;
	}
	if (b < 0)
		b = gen_int(g, bn);
	gen_jcci(g, IRC_EQ, b, 0, gen_fault_imm(g, FAULT_DIVZERO, 0));
	if (!sgn) {
		ir_alu(g->f, alu, d, a, b);
		return;
	}
	struct irfn *fn = rt_get(g->pr->ip, op == OP_DIV ? RT_SDIV : RT_SMOD, g->cg->caps);

	if (fn)
		ir_call_fn(g->f, d, fn, IR_ARGS(a, b));
}

static bool alu_of(enum op op, bool sgn, enum ir_alu *ret)
{
	switch (op) {
	case OP_ADD: *ret = IRA_ADD; return true;
	case OP_SUB: *ret = IRA_SUB; return true;
	case OP_MUL: *ret = IRA_MUL; return true;
	case OP_BAND: *ret = IRA_AND; return true;
	case OP_BOR: *ret = IRA_OR; return true;
	case OP_BXOR: *ret = IRA_XOR; return true;
	case OP_SHL: *ret = IRA_SHL; return true;
	case OP_SHR: *ret = sgn ? IRA_SAR : IRA_SHR; return true;
	default: return false;
	}
}

/* a op b in 64 bits, with the sign of ty; b may be VREG_NONE, then it is the value of bn (bn may be NULL otherwise). */
vreg gen_arith(struct gen *g, enum op op, vreg a, vreg b, const struct node *bn, const struct dtype *ty, struct span at)
{
	vreg d = ir_new(g->f);
	bool shift = op == OP_SHL || op == OP_SHR;
	enum ir_alu alu;
	int64_t c;

	if (op == OP_DIV || op == OP_MOD) {
		gen_div(g, op, d, a, b, bn, ty);
	} else if (!alu_of(op, is_signed(ty), &alu)) {
		cg_error(g, at, "D_INTERNAL", "code generator: operator %d", op);
		return d;
	} else if (b < 0 && node_const(bn, &c) && c >= INT32_MIN && c <= INT32_MAX) {
		ir_alui(g->f, alu, d, a, shift ? c & 63 : c);
	} else {
		if (b < 0)
			b = gen_int(g, bn);
		if (shift) { /* the machine's rule; C leaves larger counts undefined */
			vreg t = ir_new(g->f);

			ir_alui(g->f, IRA_AND, t, b, 63);
			b = t;
		}
		ir_alu(g->f, alu, d, a, b);
	}
	return d;
}

vreg gen_arith_unary(struct gen *g, const struct node *n)
{
	vreg a = gen_int(g, n->a), d = ir_new(g->f);

	switch (n->op) {
	case OP_NEG: ir_alu(g->f, IRA_NEG, d, a, VREG_NONE); break;
	case OP_BNOT: ir_alui(g->f, IRA_XOR, d, a, -1); break;
	default: ir_mov(g->f, d, a);
	}
	return d;
}

/* pointer ± integer, integer + pointer, pointer - pointer */
static vreg gen_ptr_arith(struct gen *g, const struct node *n, const struct dtype *ta, const struct dtype *tb)
{
	bool pa = ta->kind == DK_PTR || ta->kind == DK_ARRAY, pb = tb->kind == DK_PTR || tb->kind == DK_ARRAY;
	uint32_t scale = ptr_scale(g, pa ? ta : tb);
	vreg a = gen_int(g, n->a), b = gen_int(g, n->b), d = ir_new(g->f), t = ir_new(g->f);

	if (pa && pb) {
		ir_alu(g->f, IRA_SUB, t, a, b);
		if (scale == 1)
			return t;
		sdiv_const(g, OP_DIV, d, t, scale);
		return d;
	}
	if (!pa) {
		vreg x = a;

		a = b;
		b = x;
	}
	ir_mov(g->f, t, b);
	if (scale != 1)
		ir_alui(g->f, IRA_MUL, t, t, scale);
	ir_alu(g->f, n->op == OP_SUB ? IRA_SUB : IRA_ADD, d, a, t);
	return d;
}

vreg gen_binary(struct gen *g, const struct node *n)
{
	const struct dtype *ta, *tb, *ty = cg_type(g->cg, n);

	if (n->op == OP_COMMA) {
		gen_effect(g, n->a);
		return gen_int(g, n->b);
	}
	if (op_class_is_test(n->op))
		return gen_truth(g, n);
	ta = cg_type(g->cg, n->a);
	tb = cg_type(g->cg, n->b);
	if ((n->op == OP_ADD || n->op == OP_SUB) && (!is_int(ta) || !is_int(tb)))
		return gen_ptr_arith(g, n, ta, tb);
	if ((n->op == OP_DIV || n->op == OP_MOD) && gen_is_nonneg(g, n->a) && gen_is_nonneg(g, n->b))
		ty = dtype_int(g->cg->p->types, 8, false); /* cheaper, and the same */
	return gen_arith(g, n->op, gen_int(g, n->a), VREG_NONE, n->b, ty, n->at);
}

/* -- truth -- */

static enum ir_cond cond_of(enum op op, bool sgn, bool when)
{
	static const enum ir_cond u[] = { IRC_LT, IRC_LE, IRC_GT, IRC_GE, IRC_EQ, IRC_NE };
	static const enum ir_cond s[] = { IRC_SLT, IRC_SLE, IRC_SGT, IRC_SGE, IRC_EQ, IRC_NE };
	static const enum op inv[] = { OP_GE, OP_GT, OP_LE, OP_LT, OP_NE, OP_EQ };
	enum op o = when ? op : inv[op - OP_LT];

	return sgn ? s[o - OP_LT] : u[o - OP_LT];
}

static enum op swapped(enum op op)
{
	return op == OP_LT ? OP_GT : op == OP_LE ? OP_GE : op == OP_GT ? OP_LT : op == OP_GE ? OP_LE : op;
}

/* string == NULL and the like: was it ever assigned? */
static bool str_null_test(struct gen *g, const struct node *n, irlabel l, bool when)
{
	bool na = node_is_null(n->a), nb = node_is_null(n->b);

	if (na == nb || (n->op != OP_EQ && n->op != OP_NE))
		return false;
	gen_branch(g, na ? n->b : n->a, l, (n->op == OP_NE) == when);
	return true;
}

static void gen_relation(struct gen *g, const struct node *n, irlabel l, bool when)
{
	const struct node *a = n->a, *b = n->b;
	enum op op = n->op;
	struct tref btf;
	int64_t c;
	vreg va, vb;

	if (type_is_str(g->cg, a) || type_is_str(g->cg, b)) {
		if (!str_null_test(g, n, l, when))
			gen_str_branch(g, n, l, when);
		return;
	}
	if (node_const(a, &c) && !node_const(b, &c)) {
		a = n->b;
		b = n->a;
		op = swapped(op);
	}
	bool sgn = is_int(cg_type(g->cg, a)) && !n->cmp_unsigned;

	if (node_const(b, &c)) {
		va = gen_ptr(g, a, &btf);
		if (btf.id && c)
			va = gen_launder(g, va);
		gen_jcci(g, cond_of(op, sgn, when), va, c, l);
		return;
	}
	va = gen_int(g, a);
	vb = gen_int(g, b);
	gen_jcc(g, cond_of(op, sgn, when), va, vb, l);
}

/* a && b, a || b */
static void gen_logical(struct gen *g, const struct node *n, irlabel l, bool when)
{
	bool and = n->op == OP_LAND;

	if (and != when) { /* a && b jumps when false, a || b when true: the same for each operand */
		gen_branch(g, n->a, l, when);
		gen_branch(g, n->b, l, when);
		return;
	}
	irlabel skip = ir_label(g->f);
	struct cache saved = gen_region_begin(g);

	gen_branch(g, n->a, skip, !when);
	gen_branch(g, n->b, l, when);
	gen_region_end(g, &saved);
	ir_place(g->f, skip);
}

/* Jumps to l if the truth of n is `when`; else goes on. */
void gen_branch(struct gen *g, const struct node *n, irlabel l, bool when)
{
	struct tref btf;
	int64_t c;

	if (node_const(n, &c)) {
		if (!c == !when) {
			if (l == g->l_next)
				gen_note_exit(g);
			ir_jmp(g->f, l);
		}
		return;
	}
	if (n->kind == N_UNARY && n->op == OP_LNOT) {
		gen_branch(g, n->a, l, !when);
	} else if (n->kind == N_BINARY && (n->op == OP_LAND || n->op == OP_LOR)) {
		gen_logical(g, n, l, when);
	} else if (n->kind == N_BINARY && n->op == OP_LXOR) {
		vreg a = gen_truth(g, n->a), b = gen_truth(g, n->b);

		gen_jcc(g, when ? IRC_NE : IRC_EQ, a, b, l);
	} else if (n->kind == N_BINARY && n->op >= OP_LT && n->op <= OP_NE) {
		gen_relation(g, n, l, when);
	} else if (n->kind == N_BINARY && n->op == OP_COMMA) {
		gen_effect(g, n->a);
		gen_branch(g, n->b, l, when);
	} else if (type_is_str(g->cg, n)) {
		gen_jcci(g, when ? IRC_NE : IRC_EQ, gen_str_set(g, n), 0, l);
	} else {
		vreg v = gen_ptr(g, n, &btf);

		gen_jcci(g, when ? IRC_NE : IRC_EQ, v, 0, l);
	}
}

vreg gen_truth(struct gen *g, const struct node *n)
{
	irlabel no = ir_label(g->f), out = ir_label(g->f);
	struct cache saved = gen_region_begin(g);
	vreg d = ir_new(g->f);

	gen_branch(g, n, no, false);
	ir_movi(g->f, d, 1);
	ir_jmp(g->f, out);
	ir_place(g->f, no);
	ir_movi(g->f, d, 0);
	ir_place(g->f, out);
	gen_region_end(g, &saved);
	return d;
}

vreg gen_cond_expr(struct gen *g, const struct node *n)
{
	irlabel no = ir_label(g->f), out = ir_label(g->f);
	struct cache saved = gen_region_begin(g);
	vreg d = ir_new(g->f), v;

	gen_branch(g, n->a, no, false);
	v = gen_int(g, n->b);
	ir_mov(g->f, d, v);
	ir_jmp(g->f, out);
	ir_place(g->f, no);
	g->cache = saved;
	v = gen_int(g, n->c);
	ir_mov(g->f, d, v);
	ir_place(g->f, out);
	gen_region_end(g, &saved);
	return d;
}
