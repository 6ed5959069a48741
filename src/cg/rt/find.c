/* SPDX-License-Identifier: Apache-2.0 */
/* Emits run-time pieces that search strings in strings, cut out and append. They search by bytes: an outer loop
 * looks for the first byte of the needle, an inner one compares the rest. */
#include "cg/rt/int.h"

/* State of searches. */
enum {
	F_HAY = 0,
	F_HBOUND = 8,
	F_NEEDLE = 16,
	F_NBOUND = 24,
	F_RESULT = 32,
	F_AT = 40,    /* hay + place being compared */
	F_ROOM = 48,  /* bytes of hay from there */
	F_SAME = 56,  /* inner loop: the needle is here */
	F_FIRST = 64, /* first byte of the needle */
	F_FROM = 72,
	F_TO = 80,   /* places that count: from <= place <= to (signed) */
	F_LAST = 88, /* look for the last one */
	F_SIZE = 96,
};

/* Inner loop: hay[place + j] against needle[j]. The bounds are checked in each iteration, as the
 * verifier does not know how place and j go together. */
static void compare_cb(struct irfn *f, const struct rtgen *g)
{
	vreg j = irfn_arg(f, 0), st = irfn_arg(f, 1), c, at;
	irlabel same = ir_label(f), end = ir_label(f);

	(void)g;
	ir_jcc(f, IRC_GE, j, rt_ld(f, st, F_NBOUND), same);
	c = rt_ldb(f, rt_ld(f, st, F_NEEDLE), j);
	ir_jcci(f, IRC_EQ, c, 0, same);
	at = rt_alu(f, IRA_ADD, rt_ld(f, st, F_AT), j);
	ir_jcc(f, IRC_GE, at, rt_ld(f, st, F_HBOUND), end);
	ir_jcc(f, IRC_NE, c, rt_ldb(f, rt_ld(f, st, F_HAY), at), end);
	ir_reti(f, 0);
	ir_place(f, same);
	ir_storei(f, st, F_SAME, 8, 1);
	ir_place(f, end);
	ir_reti(f, 1);
}

static void search_cb(struct irfn *f, const struct rtgen *g)
{
	vreg i = irfn_arg(f, 0), st = irfn_arg(f, 1), c, first;
	irlabel end = ir_label(f), next = ir_label(f), match = ir_label(f), compare = ir_label(f);

	ir_jcc(f, IRC_GE, i, rt_ld(f, st, F_HBOUND), end);
	ir_jcc(f, IRC_SGT, i, rt_ld(f, st, F_TO), end);
	c = rt_ldb(f, rt_ld(f, st, F_HAY), i);
	first = rt_ld(f, st, F_FIRST);
	ir_jcci(f, IRC_NE, c, 0, compare);
	ir_jcci(f, IRC_NE, first, 0, end);
	ir_store(f, st, F_RESULT, 8, i); /* the empty needle is at the end, wherever one starts */
	ir_place(f, end);
	ir_reti(f, 1);

	ir_place(f, compare);
	ir_jcc(f, IRC_SLT, i, rt_ld(f, st, F_FROM), next);
	ir_jcci(f, IRC_EQ, first, 0, match);
	ir_jcc(f, IRC_NE, c, first, next);
	ir_store(f, st, F_AT, 8, i);
	ir_storei(f, st, F_SAME, 8, 0);
	rt_vary_at(f, g, st, F_SAME, F_FIRST);
	rt_loop_at(f, g, rt_ld(f, st, F_NBOUND), rt_callback(g, 1, compare_cb), st);
	ir_jcci(f, IRC_EQ, rt_ld(f, st, F_SAME), 0, next);
	ir_place(f, match);
	ir_store(f, st, F_RESULT, 8, i);
	ir_jcci(f, IRC_EQ, rt_ld(f, st, F_LAST), 0, end);
	ir_place(f, next);
	ir_reti(f, 0);
}

/* Arguments hay, hbound, needle, nbound. */
static void search(struct irfn *f, const struct rtgen *g, vreg from, vreg to, bool last)
{
	irslot st = ir_slot(f, F_SIZE);
	vreg first = ir_new(f), r = ir_new(f);
	unsigned k;

	for (k = 0; k < 4; k++)
		ir_store_slot(f, st, (int32_t)(8 * k), 8, irfn_arg(f, k));
	ir_load(f, first, irfn_arg(f, 2), 0, 1);
	ir_store_slot(f, st, F_FIRST, 8, first);
	ir_store_slot(f, st, F_FROM, 8, from);
	ir_store_slot(f, st, F_TO, 8, to);
	ir_storei_slot(f, st, F_LAST, 8, last);
	ir_storei_slot(f, st, F_AT, 8, 0);
	ir_storei_slot(f, st, F_ROOM, 8, 0);
	ir_storei_slot(f, st, F_SAME, 8, 0);
	ir_storei_slot(f, st, F_RESULT, 8, -1);
	rt_vary(f, g, st, F_RESULT, F_FIRST);
	rt_loop(f, g, irfn_arg(f, 1), rt_callback(g, 0, search_cb), st);
	ir_load_slot(f, r, st, F_RESULT, 8);
	ir_ret(f, r);
}

void rt_emit_STRSTR(struct irfn *f, const struct rtgen *g)
{
	search(f, g, ir_imm(f, 0), ir_imm(f, INT64_MAX), false);
}

void rt_emit_STRRSTR(struct irfn *f, const struct rtgen *g)
{
	search(f, g, ir_imm(f, 0), ir_imm(f, INT64_MAX), true);
}

/* The places that count are Perl's: a start before the text is 0 for index(); rindex() then finds only
 * the empty needle, at 0. Source: DTrace, DIF_SUBR_INDEX and DIF_SUBR_RINDEX. */
void rt_emit_INDEX(struct irfn *f, const struct rtgen *g)
{
	search(f, g, irfn_arg(f, 4), ir_imm(f, INT64_MAX), false);
}

void rt_emit_RINDEX(struct irfn *f, const struct rtgen *g)
{
	vreg to = ir_new(f), first = ir_new(f);
	irlabel ok = ir_label(f);

	ir_mov(f, to, irfn_arg(f, 4));
	ir_load(f, first, irfn_arg(f, 2), 0, 1);
	ir_jcci(f, IRC_NE, first, 0, ok);
	ir_jcci(f, IRC_SGE, to, 0, ok);
	ir_movi(f, to, 0);
	ir_place(f, ok);
	search(f, g, ir_imm(f, 0), to, true);
}

/* SUBSTR: index and length as in DTrace: a negative index counts from the end; a negative length
 * leaves that many characters off at the end. Source: DTrace, DIF_SUBR_SUBSTR. */
void rt_emit_SUBSTR(struct irfn *f, const struct rtgen *g)
{
	vreg dst = irfn_arg(f, 0), cap = irfn_arg(f, 1), src = irfn_arg(f, 2);
	vreg bound = irfn_arg(f, 3), il = irfn_arg(f, 4), index = rt_ld(f, il, 0);
	vreg left = rt_ld(f, il, 8), n = ir_new(f), size;
	irlabel from_start = ir_label(f), empty = ir_label(f), cut = ir_label(f), ok = ir_label(f);
	irlabel inside = ir_label(f);

	ir_call_fn(f, n, rt_get(g->p, RT_STRLEN, g->caps), IR_ARGS(src, bound));
	ir_jcci(f, IRC_SGE, index, 0, from_start);
	ir_alu(f, IRA_ADD, index, index, n);
	ir_jcci(f, IRC_SGE, index, 0, from_start);
	/* it begins before the text: what is outside takes from the length */
	ir_alu(f, IRA_ADD, left, left, index);
	ir_jcci(f, IRC_SLE, left, 0, empty);
	ir_movi(f, index, 0);
	ir_place(f, from_start);
	ir_jcc(f, IRC_GE, index, n, empty);
	ir_jcc(f, IRC_LE, index, bound, inside); /* always: tells the verifier */
	ir_jmp(f, empty);
	ir_place(f, inside);
	ir_alu(f, IRA_SUB, n, n, index); /* what there is after index */
	ir_jcci(f, IRC_SGE, left, 0, cut);
	ir_alu(f, IRA_ADD, left, left, n);
	ir_jcci(f, IRC_SLE, left, 0, empty);
	ir_place(f, cut);
	ir_jcc(f, IRC_LE, left, n, ok);
	ir_mov(f, left, n);
	ir_place(f, ok);
	size = rt_min(f, rt_alui(f, IRA_ADD, left, 1), cap);
	ir_jcci(f, IRC_EQ, size, 0, empty);
	ir_call(f, n, BPF_FUNC_probe_read_kernel_str, IR_ARGS(dst, size, rt_alu(f, IRA_ADD, src, index)));
	ir_alui(f, IRA_SUB, n, n, 1);
	ir_jcci(f, IRC_SLT, n, 0, empty);
	ir_ret(f, n);
	ir_place(f, empty);
	ir_storei(f, dst, 0, 1, 0);
	ir_reti(f, 0);
}

/* STRAPPEND: state dst, cap, place, src, bound. */
static void append_cb(struct irfn *f, const struct rtgen *g)
{
	vreg i = irfn_arg(f, 0), st = irfn_arg(f, 1), at, c;
	irlabel end = ir_label(f);

	(void)g;
	ir_jcc(f, IRC_GE, i, rt_ld(f, st, 32), end);
	c = rt_ldb(f, rt_ld(f, st, 24), i);
	ir_jcci(f, IRC_EQ, c, 0, end);
	at = rt_blur(f, rt_ld(f, st, 16), c);
	/* one byte is kept for the NUL */
	ir_jcc(f, IRC_GE, at, rt_alui(f, IRA_SUB, rt_ld(f, st, 8), 1), end);
	ir_store(f, rt_alu(f, IRA_ADD, rt_ld(f, st, 0), at), 0, 1, c);
	ir_alui(f, IRA_ADD, at, at, 1);
	ir_store(f, st, 16, 8, at);
	ir_reti(f, 0);
	ir_place(f, end);
	ir_reti(f, 1);
}

void rt_emit_STRAPPEND(struct irfn *f, const struct rtgen *g)
{
	irslot st = ir_slot(f, 40);
	vreg at = ir_new(f), dst = irfn_arg(f, 0);
	irlabel full = ir_label(f);
	unsigned k;

	for (k = 0; k < 5; k++)
		ir_store_slot(f, st, (int32_t)(8 * k), 8, irfn_arg(f, k));
	rt_vary(f, g, st, 16, 24);
	rt_loop(f, g, irfn_arg(f, 4), rt_callback(g, 0, append_cb), st);
	ir_load_slot(f, at, st, 16, 8);
	ir_jcc(f, IRC_GE, at, irfn_arg(f, 1), full);
	ir_storei(f, rt_alu(f, IRA_ADD, dst, at), 0, 1, 0);
	ir_place(f, full);
	ir_ret(f, at);
}
