/* SPDX-License-Identifier: Apache-2.0 */
/* Emits run-time pieces for path names: basename, dirname, cleanpath. Results are DTrace's. */
#include "cg/rt/int.h"

/* State of the walk over components. */
enum {
	P_SRC = 0,
	P_BOUND = 8,
	P_IN = 16,    /* inside a component */
	P_START = 24, /* of the last component */
	P_END = 32,   /* after the last component */
	P_PREV = 40,  /* after the component before it; 0: none */
	P_SEEN = 48,  /* a component was met */
	P_SIZE = 56,
};

static void walk_cb(struct irfn *f, const struct rtgen *g)
{
	vreg i = irfn_arg(f, 0), st = irfn_arg(f, 1), c;
	irlabel end = ir_label(f), slash = ir_label(f), in = ir_label(f);

	(void)g;
	ir_jcc(f, IRC_GE, i, rt_ld(f, st, P_BOUND), end);
	c = rt_ldb(f, rt_ld(f, st, P_SRC), i);
	ir_jcci(f, IRC_EQ, c, 0, end);
	ir_jcci(f, IRC_EQ, c, '/', slash);
	ir_jcci(f, IRC_NE, rt_ld(f, st, P_IN), 0, in);
	ir_store(f, st, P_PREV, 8, rt_ld(f, st, P_END));
	ir_store(f, st, P_START, 8, rt_blur(f, i, c));
	ir_storei(f, st, P_SEEN, 8, 1);
	ir_storei(f, st, P_IN, 8, 1);
	ir_place(f, in);
	ir_store(f, st, P_END, 8, rt_blur(f, rt_alui(f, IRA_ADD, i, 1), c));
	ir_reti(f, 0);
	ir_place(f, slash);
	ir_storei(f, st, P_IN, 8, 0);
	ir_reti(f, 0);
	ir_place(f, end);
	ir_reti(f, 1);
}

/* Walks the path in arguments 2 and 3; the state is in the slot returned. */
static irslot walk(struct irfn *f, const struct rtgen *g)
{
	irslot st = ir_slot(f, P_SIZE);
	int32_t k;

	ir_store_slot(f, st, P_SRC, 8, irfn_arg(f, 2));
	ir_store_slot(f, st, P_BOUND, 8, irfn_arg(f, 3));
	for (k = P_IN; k < P_SIZE; k += 8)
		ir_storei_slot(f, st, k, 8, 0);
	rt_vary(f, g, st, P_IN, P_SIZE);
	rt_loop(f, g, irfn_arg(f, 3), rt_callback(g, 0, walk_cb), st);
	return st;
}

static vreg ld_slot(struct irfn *f, irslot st, int32_t off)
{
	vreg d = ir_new(f);

	ir_load_slot(f, d, st, off, 8);
	return d;
}

/* Returns the text of one character c (0: none), cut to cap. */
static void ret_char(struct irfn *f, int c)
{
	vreg dst = irfn_arg(f, 0);
	irlabel cut = ir_label(f);

	ir_jcci(f, IRC_LT, irfn_arg(f, 1), 2, cut);
	ir_storei(f, dst, 0, 1, c);
	ir_storei(f, dst, 1, 1, 0);
	ir_reti(f, 1);
	ir_place(f, cut);
	ir_storei(f, dst, 0, 1, 0);
	ir_reti(f, 0);
}

/* Returns src[start … start + len) in dst. */
static void ret_part(struct irfn *f, vreg start, vreg len)
{
	vreg bound = irfn_arg(f, 3), n = ir_new(f), size;
	irlabel none = ir_label(f);

	ir_jcc(f, IRC_GT, start, bound, none);
	size = rt_min(f, rt_alui(f, IRA_ADD, len, 1), irfn_arg(f, 1));
	ir_jcci(f, IRC_EQ, size, 0, none);
	ir_call(f, n, BPF_FUNC_probe_read_kernel_str,
		IR_ARGS(irfn_arg(f, 0), size, rt_alu(f, IRA_ADD, irfn_arg(f, 2), start)));
	ir_alui(f, IRA_SUB, n, n, 1);
	ir_jcci(f, IRC_SLT, n, 0, none);
	ir_ret(f, n);
	ir_place(f, none);
	ir_storei(f, irfn_arg(f, 0), 0, 1, 0);
	ir_reti(f, 0);
}

/* The result for a path of slashes only, or an empty one: "/" or ".". */
static void ret_slash_or_dot(struct irfn *f)
{
	vreg c = ir_new(f);
	irlabel dot = ir_label(f);

	ir_load(f, c, irfn_arg(f, 2), 0, 1);
	ir_jcci(f, IRC_NE, c, '/', dot);
	ret_char(f, '/');
	ir_place(f, dot);
	ret_char(f, '.');
}

void rt_emit_BASENAME(struct irfn *f, const struct rtgen *g)
{
	irslot st = walk(f, g);
	irlabel some = ir_label(f);
	vreg start;

	ir_jcci(f, IRC_NE, ld_slot(f, st, P_SEEN), 0, some);
	ret_slash_or_dot(f);
	ir_place(f, some);
	start = ld_slot(f, st, P_START);
	ret_part(f, start, rt_alu(f, IRA_SUB, ld_slot(f, st, P_END), start));
}

void rt_emit_DIRNAME(struct irfn *f, const struct rtgen *g)
{
	irslot st = walk(f, g);
	irlabel some = ir_label(f);
	vreg prev = ld_slot(f, st, P_PREV);

	ir_jcci(f, IRC_NE, prev, 0, some);
	ret_slash_or_dot(f);
	ir_place(f, some);
	ret_part(f, ir_imm(f, 0), prev);
}

/* CLEANPATH. State: 0 inside a component; else its first characters that are not yet written: 1 "", 2 ".", 3 "..". */
enum {
	C_SRC = 0,
	C_BOUND = 8,
	C_DST = 16,
	C_CAP = 24,
	C_ROOTED = 32, /* the path begins with a slash */
	C_LEN = 40,
	C_STATE = 48,
	C_DEPTH = 56, /* components written that ".." can remove */
	C_SIZE = 64,
};

/* Goes back to the slash before the last component: the loop of pop. */
static void pop_cb(struct irfn *f, const struct rtgen *g)
{
	vreg st = irfn_arg(f, 1), len = rt_ld(f, st, C_LEN), c;
	irlabel end = ir_label(f);

	(void)g;
	ir_jcci(f, IRC_EQ, len, 0, end);
	ir_alui(f, IRA_SUB, len, len, 1);
	ir_store(f, st, C_LEN, 8, len);
	ir_jcc(f, IRC_GE, len, rt_ld(f, st, C_CAP), end);
	c = rt_ldb(f, rt_ld(f, st, C_DST), len);
	ir_jcci(f, IRC_EQ, c, '/', end);
	ir_reti(f, 0);
	ir_place(f, end);
	ir_reti(f, 1);
}

/* Appends the character imm, or c when imm is 0 (c is any number that the verifier does not know in any case). It ends
 * the loop when dst is full. */
static void put_char(struct irfn *f, vreg st, int imm, vreg c)
{
	vreg len = rt_blur(f, rt_ld(f, st, C_LEN), c), p;
	irlabel ok = ir_label(f);

	ir_jcc(f, IRC_LT, len, rt_alui(f, IRA_SUB, rt_ld(f, st, C_CAP), 1), ok);
	ir_reti(f, 1);
	ir_place(f, ok);
	p = rt_alu(f, IRA_ADD, rt_ld(f, st, C_DST), len);
	if (imm)
		ir_storei(f, p, 0, 1, imm);
	else
		ir_store(f, p, 0, 1, c);
	ir_alui(f, IRA_ADD, len, len, 1);
	ir_store(f, st, C_LEN, 8, len);
}

/* The slash in front of a component; none before the first one of a relative path. */
static void put_slash(struct irfn *f, vreg st, vreg i)
{
	irlabel put = ir_label(f), no = ir_label(f);

	ir_jcci(f, IRC_NE, rt_ld(f, st, C_ROOTED), 0, put);
	ir_jcci(f, IRC_EQ, rt_ld(f, st, C_LEN), 0, no);
	ir_place(f, put);
	put_char(f, st, '/', i);
	ir_place(f, no);
}

/* The end of a component ("", ".", ".." or text). */
static void clean_end(struct irfn *f, const struct rtgen *g, vreg st, vreg i)
{
	irlabel done = ir_label(f), keep = ir_label(f);
	vreg depth = rt_ld(f, st, C_DEPTH);

	ir_jcci(f, IRC_NE, rt_ld(f, st, C_STATE), 3, done);
	ir_jcci(f, IRC_EQ, depth, 0, keep);
	ir_alui(f, IRA_SUB, depth, depth, 1);
	ir_store(f, st, C_DEPTH, 8, rt_blur(f, depth, i));
	rt_loop_at(f, g, rt_ld(f, st, C_CAP), rt_callback(g, 1, pop_cb), st);
	ir_jmp(f, done);
	ir_place(f, keep); /* the root has no parent; a relative path keeps its leading ".." */
	ir_jcci(f, IRC_NE, rt_ld(f, st, C_ROOTED), 0, done);
	put_slash(f, st, i);
	put_char(f, st, '.', i);
	put_char(f, st, '.', i);
	ir_place(f, done);
	ir_storei(f, st, C_STATE, 8, 1);
}

static void clean_cb(struct irfn *f, const struct rtgen *g)
{
	vreg i = irfn_arg(f, 0), st = irfn_arg(f, 1), c, depth, state;
	irlabel end = ir_label(f), slash = ir_label(f), last = ir_label(f), plain = ir_label(f), text = ir_label(f);
	irlabel dots = ir_label(f), slash_done = ir_label(f), s1 = ir_label(f), s2 = ir_label(f);

	ir_jcc(f, IRC_GE, i, rt_ld(f, st, C_BOUND), end);
	c = rt_ldb(f, rt_ld(f, st, C_SRC), i);
	ir_jcci(f, IRC_EQ, c, 0, last);
	ir_jcci(f, IRC_EQ, c, '/', slash);
	state = rt_ld(f, st, C_STATE);
	ir_jcci(f, IRC_EQ, state, 0, plain);
	ir_jcci(f, IRC_NE, c, '.', text);
	ir_jcci(f, IRC_NE, state, 3, dots);

	ir_place(f, text); /* a component that is no dots: it begins with those that were seen */
	depth = rt_ld(f, st, C_DEPTH);
	ir_alui(f, IRA_ADD, depth, depth, 1);
	ir_store(f, st, C_DEPTH, 8, rt_blur(f, depth, i));
	put_slash(f, st, i);
	ir_storei(f, st, C_STATE, 8, 0);
	ir_jcci(f, IRC_EQ, state, 1, s1);
	ir_jcci(f, IRC_EQ, state, 2, s2);
	put_char(f, st, '.', i);
	ir_place(f, s2);
	put_char(f, st, '.', i);
	ir_place(f, s1);
	ir_place(f, plain);
	put_char(f, st, 0, c);
	ir_reti(f, 0);

	ir_place(f, dots);
	ir_alui(f, IRA_ADD, state, state, 1);
	ir_store(f, st, C_STATE, 8, rt_blur(f, state, i));
	ir_reti(f, 0);

	ir_place(f, slash);
	clean_end(f, g, st, i);
	ir_jcci(f, IRC_NE, i, 0, slash_done);
	ir_storei(f, st, C_ROOTED, 8, 1);
	ir_place(f, slash_done);
	ir_reti(f, 0);

	ir_place(f, last);
	clean_end(f, g, st, i);
	ir_place(f, end);
	ir_reti(f, 1);
}

void rt_emit_CLEANPATH(struct irfn *f, const struct rtgen *g)
{
	irslot st = ir_slot(f, C_SIZE);
	vreg dst = irfn_arg(f, 0), cap = irfn_arg(f, 1), len = ir_new(f), first;
	irlabel none = ir_label(f), some = ir_label(f), dot = ir_label(f);

	ir_store_slot(f, st, C_SRC, 8, irfn_arg(f, 2));
	ir_store_slot(f, st, C_BOUND, 8, irfn_arg(f, 3));
	ir_store_slot(f, st, C_DST, 8, dst);
	ir_store_slot(f, st, C_CAP, 8, cap);
	ir_storei_slot(f, st, C_ROOTED, 8, 0);
	ir_storei_slot(f, st, C_LEN, 8, 0);
	ir_storei_slot(f, st, C_STATE, 8, 1);
	ir_storei_slot(f, st, C_DEPTH, 8, 0);
	rt_vary(f, g, st, C_ROOTED, C_SIZE);
	rt_loop(f, g, irfn_arg(f, 3), rt_callback(g, 0, clean_cb), st);
	ir_load_slot(f, len, st, C_LEN, 8);
	ir_jcci(f, IRC_NE, len, 0, some);
	ir_jcci(f, IRC_LT, cap, 2, none);
	ir_jcci(f, IRC_LT, irfn_arg(f, 3), 1, none);
	first = ir_new(f);
	ir_load(f, first, irfn_arg(f, 2), 0, 1);
	ir_jcci(f, IRC_EQ, first, 0, some); /* "" stays */
	ir_movi(f, len, 1);
	ir_jcci(f, IRC_NE, first, '/', dot);
	ir_storei(f, dst, 0, 1, '/');
	ir_jmp(f, some);
	ir_place(f, dot);
	ir_storei(f, dst, 0, 1, '.');
	ir_place(f, some);
	ir_jcc(f, IRC_GE, len, cap, none);
	ir_storei(f, rt_alu(f, IRA_ADD, dst, len), 0, 1, 0);
	ir_ret(f, len);
	ir_place(f, none);
	ir_reti(f, 0);
}
