/* SPDX-License-Identifier: Apache-2.0 */
/* Emits run-time pieces for numbers and aggregations. */
#include "base/recfmt.h"
#include "cg/rt/int.h"

void rt_emit_SDIV(struct irfn *f, const struct rtgen *g)
{
	vreg sa, sb, a = rt_umagnitude(f, irfn_arg(f, 0), &sa);
	vreg b = rt_umagnitude(f, irfn_arg(f, 1), &sb), q = rt_alu(f, IRA_DIV, a, b);
	vreg s = rt_alu(f, IRA_XOR, sa, sb);

	(void)g;
	ir_ret(f, rt_alu(f, IRA_SUB, rt_alu(f, IRA_XOR, q, s), s));
}

void rt_emit_SMOD(struct irfn *f, const struct rtgen *g)
{
	vreg sa, sb, a = rt_umagnitude(f, irfn_arg(f, 0), &sa);
	vreg b = rt_umagnitude(f, irfn_arg(f, 1), &sb), m = rt_alu(f, IRA_MOD, a, b);

	(void)g;
	ir_ret(f, rt_alu(f, IRA_SUB, rt_alu(f, IRA_XOR, m, sa), sa));
}

/* One step of the logarithm: when x >= 2^n then x >>= n, log += n; without a branch, as every branch
 * would double the verifier's paths. */
static void log2_step(struct irfn *f, vreg x, vreg log, unsigned n)
{
	unsigned shift = (unsigned)__builtin_ctz(n);
	vreg t = rt_alu(f, IRA_SUB, ir_imm(f, (1ull << n) - 1), x);

	ir_alui(f, IRA_SHR, t, t, 63);
	if (shift)
		ir_alui(f, IRA_SHL, t, t, shift);
	ir_alu(f, IRA_SHR, x, x, t);
	ir_alu(f, IRA_ADD, log, log, t);
}

void rt_emit_QUANTIZE(struct irfn *f, const struct rtgen *g)
{
	vreg s, x = rt_umagnitude(f, irfn_arg(f, 0), &s), n = ir_imm(f, 0);
	irlabel ok = ir_label(f);
	unsigned k;

	(void)g;
	for (k = 32; k; k /= 2)
		log2_step(f, x, n, k);
	ir_alu(f, IRA_ADD, n, n, x);			     /* x is 1, or 0 for the value 0 */
	ir_alu(f, IRA_SUB, n, n, rt_alui(f, IRA_SHR, n, 6)); /* -2^63 goes with -2^62 */
	ir_alu(f, IRA_XOR, n, n, s);
	ir_alu(f, IRA_SUB, n, n, s);
	ir_alui(f, IRA_ADD, n, n, AGG_QUANT_ZERO);
	/* never taken: tells the verifier the range */
	ir_jcci(f, IRC_LT, n, AGG_QUANT_NBUCKETS, ok);
	ir_reti(f, 0);
	ir_place(f, ok);
	ir_ret(f, n);
}

/* v + 1 below 2^AGG_HIST_SUB; above, each octave has 2^AGG_HIST_SUB buckets. */
vreg rt_hist_bucket(struct irfn *f, vreg v)
{
	vreg x = rt_alui(f, IRA_SHR, v, AGG_HIST_SUB), n = ir_imm(f, 0), t;

	for (unsigned k = 32; k; k /= 2)
		log2_step(f, x, n, k);
	ir_alui(f, IRA_AND, n, n, 63); /* no change: shifts want it known */
	t = rt_alu(f, IRA_SHR, v, n);
	ir_alui(f, IRA_SHL, n, n, AGG_HIST_SUB);
	ir_alu(f, IRA_ADD, t, t, n);
	ir_alui(f, IRA_ADD, t, t, 1);
	return t;
}

void rt_emit_HIST(struct irfn *f, const struct rtgen *g)
{
	vreg v = irfn_arg(f, 0), t = rt_hist_bucket(f, v), s = rt_alui(f, IRA_SAR, v, 63);
	irlabel ok = ir_label(f);

	(void)g;
	ir_alui(f, IRA_XOR, s, s, -1);
	ir_alu(f, IRA_AND, t, t, s); /* negative: 0 */
	/* never taken: tells the verifier the range */
	ir_jcci(f, IRC_LT, t, AGG_HIST_NBUCKETS, ok);
	ir_reti(f, 0);
	ir_place(f, ok);
	ir_ret(f, t);
}

/* The parameters are constants to the verifier, so that all but the comparison with the value is
 * computed by it. The same as llquant_distance() in base/aggval.c. */
void rt_emit_LLQUANTIZE(struct irfn *f, const struct rtgen *g)
{
	vreg sign, u = rt_umagnitude(f, irfn_arg(f, 0), &sign), factor = irfn_arg(f, 1);
	vreg low = irfn_arg(f, 2), high = irfn_arg(f, 3), steps = irfn_arg(f, 4);
	vreg fold = rt_alu(f, IRA_DIV, steps, factor), per = rt_alu(f, IRA_SUB, steps, fold);
	vreg top = ir_imm(f, 1), d = ir_imm(f, 0), m = ir_imm(f, 0), zero = ir_new(f);
	irlabel power = ir_label(f), powered = ir_label(f), next = ir_label(f), in = ir_label(f);
	irlabel few = ir_label(f), have = ir_label(f), over = ir_label(f);

	(void)g;
	/* zero = 1 + (high - low + 1) * per */
	ir_alu(f, IRA_SUB, zero, high, low);
	ir_alui(f, IRA_ADD, zero, zero, 1);
	ir_alu(f, IRA_MUL, zero, zero, per);
	ir_alui(f, IRA_ADD, zero, zero, 1);
	ir_place(f, power);
	ir_jcc(f, IRC_GE, m, low, powered);
	ir_alu(f, IRA_MUL, top, top, factor);
	ir_alui(f, IRA_ADD, m, m, 1);
	ir_jmp(f, power);
	ir_place(f, powered);
	ir_jcc(f, IRC_LT, u, top, have);
	ir_movi(f, d, 1);
	ir_place(f, next);
	ir_alu(f, IRA_MUL, top, top, factor);
	ir_jcc(f, IRC_LT, u, top, in);
	ir_alu(f, IRA_ADD, d, d, per);
	ir_alui(f, IRA_ADD, m, m, 1);
	ir_jcc(f, IRC_LE, m, high, next);
	ir_jmp(f, have); /* d == zero */
	ir_place(f, in);
	ir_jcc(f, IRC_LT, top, steps, few);
	ir_alu(f, IRA_DIV, top, top, steps);
	ir_alu(f, IRA_DIV, u, u, top);
	ir_alu(f, IRA_SUB, u, u, fold);
	ir_alu(f, IRA_ADD, d, d, u);
	ir_jmp(f, have);
	ir_place(f, few);
	ir_alui(f, IRA_SUB, u, u, 1);
	ir_alu(f, IRA_MUL, u, u, fold);
	ir_alu(f, IRA_ADD, d, d, u);
	ir_place(f, have);
	ir_alu(f, IRA_XOR, d, d, sign);
	ir_alu(f, IRA_SUB, d, d, sign);
	ir_alu(f, IRA_ADD, d, d, zero);
	/* never taken: tells the verifier the range */
	ir_jcc(f, IRC_GT, d, rt_alui(f, IRA_SHL, zero, 1), over);
	ir_ret(f, d);
	ir_place(f, over);
	ir_reti(f, 0);
}

void rt_emit_ADD128(struct irfn *f, const struct rtgen *g)
{
	vreg p = irfn_arg(f, 0), s, u = rt_umagnitude(f, irfn_arg(f, 1), &s);
	vreg a = rt_alui(f, IRA_SHR, u, 32), b = ir_new(f), lo, hi, ab, bb, old;
	irlabel c1 = ir_label(f), c2 = ir_label(f);

	(void)g;
	ir_ext(f, b, u, 4, false);
	/* (a * 2^32 + b)^2 = aa * 2^64 + ab * 2^33 + bb */
	bb = rt_alu(f, IRA_MUL, b, b);
	ab = rt_alu(f, IRA_MUL, a, b);
	hi = rt_alu(f, IRA_ADD, rt_alu(f, IRA_MUL, a, a), rt_alui(f, IRA_SHR, ab, 31));
	lo = rt_alu(f, IRA_ADD, rt_alui(f, IRA_SHL, ab, 33), bb);
	ir_jcc(f, IRC_GE, lo, bb, c1);
	ir_alui(f, IRA_ADD, hi, hi, 1);
	ir_place(f, c1);
	old = rt_ld(f, p, 0);
	ir_alu(f, IRA_ADD, old, old, lo);
	ir_store(f, p, 0, 8, old);
	ir_jcc(f, IRC_GE, old, lo, c2);
	ir_alui(f, IRA_ADD, hi, hi, 1);
	ir_place(f, c2);
	ir_store(f, p, 8, 8, rt_alu(f, IRA_ADD, rt_ld(f, p, 8), hi));
	ir_reti(f, 0);
}
