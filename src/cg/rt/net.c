/* SPDX-License-Identifier: Apache-2.0 */
/* Emits run-time pieces that print addresses. They make the text in a buffer on the stack and copy it. */
#include "cg/rt/int.h"

enum {
	N_LEN = 0,
	N_RUN = 8,   /* IPv6: first group of the zeros left out; 8: none */
	N_STOP = 16, /* after them */
	N_ADDR = 24, /* 16 bytes */
	N_BUF = 40,
	N_BUFSIZE = 48, /* 39 characters at most */
	N_SIZE = N_BUF + N_BUFSIZE,
};

/* Appends the character imm, or c when imm is 0, to the buffer of the state at st. c: of unknown value
 * in any case. */
static void put_char(struct irfn *f, vreg st, vreg c, int imm)
{
	vreg len = rt_blur(f, rt_ld(f, st, N_LEN), c), p;
	irlabel ok = ir_label(f);

	ir_jcci(f, IRC_LT, len, N_BUFSIZE - 1, ok); /* always: tells the verifier */
	ir_reti(f, 0);
	ir_place(f, ok);
	p = rt_alu(f, IRA_ADD, st, len);
	if (imm)
		ir_storei(f, p, N_BUF, 1, imm);
	else
		ir_store(f, p, N_BUF, 1, c);
	ir_store(f, st, N_LEN, 8, rt_alui(f, IRA_ADD, len, 1));
}

/* Function (state, number): appends a decimal number below 256. Second callback of the piece. */
static void decimal_fn(struct irfn *f, const struct rtgen *g)
{
	vreg st = irfn_arg(f, 0), v = irfn_arg(f, 1);
	irlabel tens = ir_label(f), ones = ir_label(f);

	(void)g;
	ir_jcci(f, IRC_LT, v, 10, ones);
	ir_jcci(f, IRC_LT, v, 100, tens);
	put_char(f, st, rt_alui(f, IRA_ADD, rt_alui(f, IRA_DIV, v, 100), '0'), 0);
	ir_place(f, tens);
	put_char(f, st, rt_alui(f, IRA_ADD, rt_alui(f, IRA_MOD, rt_alui(f, IRA_DIV, v, 10), 10), '0'), 0);
	ir_place(f, ones);
	put_char(f, st, rt_alui(f, IRA_ADD, rt_alui(f, IRA_MOD, v, 10), '0'), 0);
	ir_reti(f, 0);
}

/* Four bytes at st + off as a.b.c.d. */
static void put_dotted(struct irfn *f, const struct rtgen *g, vreg st, int32_t off)
{
	struct irfn *fn = rt_callback(g, 1, decimal_fn);
	int32_t k;

	for (k = 0; k < 4; k++) {
		vreg v = ir_new(f);

		ir_load(f, v, st, off + k, 1);
		if (k)
			put_char(f, st, v, '.');
		ir_call_fn(f, VREG_NONE, fn, IR_ARGS(st, v));
	}
}

static irslot new_state(struct irfn *f)
{
	irslot s = ir_slot(f, N_SIZE);
	int32_t k;

	for (k = 0; k < N_SIZE; k += 8)
		ir_storei_slot(f, s, k, 8, 0);
	return s;
}

/* Returns the text at slot + off in dst. */
static void ret_text(struct irfn *f, irslot slot, int32_t off)
{
	vreg src = ir_new(f), n = ir_new(f);
	irlabel bad = ir_label(f);

	ir_slot_addr(f, src, slot, off);
	ir_call(f, n, BPF_FUNC_probe_read_kernel_str, IR_ARGS(irfn_arg(f, 0), irfn_arg(f, 1), src));
	ir_alui(f, IRA_SUB, n, n, 1);
	ir_jcci(f, IRC_SLT, n, 0, bad);
	ir_ret(f, n);
	ir_place(f, bad);
	ir_reti(f, 0);
}

void rt_emit_INET_NTOA(struct irfn *f, const struct rtgen *g)
{
	irslot slot = new_state(f);

	ir_store_slot(f, slot, N_ADDR, 4, irfn_arg(f, 2));
	put_dotted(f, g, rt_slot_addr(f, slot), N_ADDR);
	ret_text(f, slot, N_BUF);
}

/* The longest run of at least two groups of zeros, the first of equal ones. */
static void find_run(struct irfn *f, irslot slot)
{
	vreg start = ir_imm(f, 8), stop = ir_imm(f, 8), best = ir_imm(f, 1), len = ir_imm(f, 0), w;
	int32_t k;

	for (k = 0; k < 8; k++) {
		irlabel zero = ir_label(f), next = ir_label(f);

		w = ir_new(f);
		ir_load_slot(f, w, slot, N_ADDR + 2 * k, 2);
		ir_jcci(f, IRC_EQ, w, 0, zero);
		ir_movi(f, len, 0);
		ir_jmp(f, next);
		ir_place(f, zero);
		ir_alui(f, IRA_ADD, len, len, 1);
		ir_jcc(f, IRC_LE, len, best, next);
		ir_mov(f, best, len);
		ir_movi(f, stop, (uint64_t)k + 1);
		ir_alu(f, IRA_SUB, start, stop, len);
		ir_place(f, next);
	}
	ir_store_slot(f, slot, N_RUN, 8, rt_blur(f, start, w));
	ir_store_slot(f, slot, N_STOP, 8, rt_blur(f, stop, w));
}

/* One nibble of a group; leading zeros are left out. */
static void put_nibble(struct irfn *f, vreg st, vreg w, unsigned shift)
{
	vreg d = rt_alui(f, IRA_AND, rt_alui(f, IRA_SHR, w, shift), 15);
	irlabel skip = ir_label(f), letter = ir_label(f);

	if (shift)
		ir_jcci(f, IRC_LT, w, 1 << shift, skip);
	ir_alui(f, IRA_ADD, d, d, '0');
	ir_jcci(f, IRC_LE, d, '9', letter);
	ir_alui(f, IRA_ADD, d, d, 'a' - '9' - 1);
	ir_place(f, letter);
	put_char(f, st, d, 0);
	ir_place(f, skip);
}

static void group_cb(struct irfn *f, const struct rtgen *g)
{
	vreg i = irfn_arg(f, 0), st = irfn_arg(f, 1), w = ir_new(f), run = rt_ld(f, st, N_RUN);
	vreg stop = rt_ld(f, st, N_STOP);
	irlabel first = ir_label(f), print = ir_label(f), skip = ir_label(f);

	(void)g;
	ir_jcci(f, IRC_GT, i, 7, skip);
	ir_load(f, w, rt_alu(f, IRA_ADD, st, rt_alui(f, IRA_SHL, i, 1)), N_ADDR, 2);
	ir_bswap(f, w, w, 2);
	ir_jcc(f, IRC_LT, i, run, print);
	ir_jcc(f, IRC_GE, i, stop, print);
	ir_jcc(f, IRC_NE, i, run, skip);
	put_char(f, st, w, ':'); /* the second one comes before the next group, or at the end */
	ir_jcci(f, IRC_NE, stop, 8, skip);
	put_char(f, st, w, ':');
	ir_place(f, skip);
	ir_reti(f, 0);
	ir_place(f, print);
	ir_jcci(f, IRC_EQ, i, 0, first);
	put_char(f, st, w, ':');
	ir_place(f, first);
	put_nibble(f, st, w, 12);
	put_nibble(f, st, w, 8);
	put_nibble(f, st, w, 4);
	put_nibble(f, st, w, 0);
	ir_reti(f, 0);
}

void rt_emit_INET_NTOA6(struct irfn *f, const struct rtgen *g)
{
	irslot slot = new_state(f);
	vreg hi = rt_ld(f, irfn_arg(f, 2), 0), lo = rt_ld(f, irfn_arg(f, 2), 8), st, v4;
	irlabel plain = ir_label(f), done = ir_label(f), dotted = ir_label(f), compatible = ir_label(f);
	static const char mapped[] = "::ffff:";
	unsigned k;

	ir_store_slot(f, slot, N_ADDR, 8, hi);
	ir_store_slot(f, slot, N_ADDR + 8, 8, lo);
	st = rt_slot_addr(f, slot);
	v4 = ir_new(f);
	ir_ext(f, v4, lo, 4, false);
	ir_jcci(f, IRC_NE, hi, 0, plain);
	ir_jcci(f, IRC_EQ, v4, 0, compatible);
	ir_jcc(f, IRC_NE, v4, ir_imm(f, 0xffff0000), plain); /* ::ffff:a.b.c.d */
	ir_jcci(f, IRC_EQ, irfn_arg(f, 3), 0, dotted);
	for (k = 0; mapped[k]; k++)
		put_char(f, st, hi, mapped[k]);
	ir_jmp(f, dotted);
	ir_place(f, compatible); /* ::a.b.c.d, not ::1 */
	ir_load_slot(f, v4, slot, N_ADDR + 12, 2);
	ir_jcci(f, IRC_EQ, v4, 0, plain);
	ir_jcci(f, IRC_EQ, irfn_arg(f, 3), 0, dotted);
	put_char(f, st, hi, ':');
	put_char(f, st, hi, ':');
	ir_place(f, dotted);
	put_dotted(f, g, st, N_ADDR + 12);
	ir_jmp(f, done);
	ir_place(f, plain);
	find_run(f, slot);
	rt_vary(f, g, slot, N_LEN, N_ADDR);
	rt_loop(f, g, ir_imm(f, 8), rt_callback(g, 0, group_cb), slot);
	ir_place(f, done);
	ret_text(f, slot, N_BUF);
}

/* n bytes in hexadecimal with colons. */
static void link_text(struct irfn *f, int32_t n)
{
	irslot buf = ir_slot(f, (uint32_t)(3 * n + 7) & ~7u);

	for (int32_t k = 0; k < 2 * n; k++) {
		vreg b = ir_new(f), d;
		irlabel letter = ir_label(f);

		ir_load(f, b, irfn_arg(f, 2), k / 2, 1);
		d = k & 1 ? rt_alui(f, IRA_AND, b, 15) : rt_alui(f, IRA_SHR, b, 4);
		ir_alui(f, IRA_ADD, d, d, '0');
		ir_jcci(f, IRC_LE, d, '9', letter);
		ir_alui(f, IRA_ADD, d, d, 'a' - '9' - 1);
		ir_place(f, letter);
		ir_store_slot(f, buf, k + k / 2, 1, d);
		if (k & 1)
			ir_storei_slot(f, buf, k + k / 2 + 1, 1, k < 2 * n - 1 ? ':' : 0);
	}
	ret_text(f, buf, 0);
}

void rt_emit_LINK_NTOP(struct irfn *f, const struct rtgen *g)
{
	(void)g;
	link_text(f, 6);
}

void rt_emit_LINK_NTOP20(struct irfn *f, const struct rtgen *g)
{
	(void)g;
	link_text(f, 20);
}
