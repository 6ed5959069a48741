/* SPDX-License-Identifier: Apache-2.0 */
/* Emits run-time pieces that convert: numbers to text and back, letters to lower and upper case, tokens. */
#include "cg/rt/int.h"

/* LLTOSTR: digits are written backwards into a buffer on the stack. */
enum {
	L_VALUE = 0,
	L_BASE = 8,
	L_AT = 16, /* place of the first character so far */
	L_BUF = 24,
	L_BUFSIZE = 72, /* 64 binary digits and NUL */
	L_SIZE = L_BUF + L_BUFSIZE,
};

/* Puts the character imm, or c when imm is 0, in front. c: of unknown value in any case. */
static void put_front(struct irfn *f, vreg st, vreg c, int imm)
{
	vreg at = rt_alui(f, IRA_SUB, rt_blur(f, rt_ld(f, st, L_AT), c), 1), p;
	irlabel ok = ir_label(f);

	ir_jcci(f, IRC_LT, at, L_BUFSIZE, ok); /* always: tells the verifier */
	ir_reti(f, 1);
	ir_place(f, ok);
	p = rt_alu(f, IRA_ADD, st, at);
	if (imm)
		ir_storei(f, p, L_BUF, 1, imm);
	else
		ir_store(f, p, L_BUF, 1, c);
	ir_store(f, st, L_AT, 8, at);
}

static void digit_cb(struct irfn *f, const struct rtgen *g)
{
	vreg st = irfn_arg(f, 1), v = rt_ld(f, st, L_VALUE), base = rt_ld(f, st, L_BASE);
	vreg d = rt_alu(f, IRA_MOD, v, base);
	irlabel letter = ir_label(f), more = ir_label(f);

	(void)g;
	ir_alui(f, IRA_ADD, d, d, '0');
	ir_jcci(f, IRC_LE, d, '9', letter);
	ir_alui(f, IRA_ADD, d, d, 'a' - '9' - 1);
	ir_place(f, letter);
	put_front(f, st, d, 0);
	ir_alu(f, IRA_DIV, v, v, base);
	ir_store(f, st, L_VALUE, 8, v);
	ir_jcci(f, IRC_NE, v, 0, more);
	ir_reti(f, 1);
	ir_place(f, more);
	ir_reti(f, 0);
}

/* The prefix: "0" for base 8, "0x" for base 16, "-" for negative decimal numbers. Zero is "0", "0x0".
 * Source: DTrace, DIF_SUBR_LLTOSTR. */
static void put_prefix(struct irfn *f, vreg st, vreg value, vreg base)
{
	irlabel hex = ir_label(f), octal = ir_label(f), end = ir_label(f);

	ir_jcci(f, IRC_EQ, base, 16, hex);
	ir_jcci(f, IRC_EQ, base, 8, octal);
	ir_jcci(f, IRC_NE, base, 10, end);
	ir_jcci(f, IRC_SGE, value, 0, end);
	put_front(f, st, value, '-');
	ir_jmp(f, end);
	ir_place(f, octal);
	ir_jcci(f, IRC_EQ, value, 0, end);
	put_front(f, st, value, '0');
	ir_jmp(f, end);
	ir_place(f, hex);
	put_front(f, st, value, 'x');
	put_front(f, st, value, '0');
	ir_place(f, end);
}

void rt_emit_LLTOSTR(struct irfn *f, const struct rtgen *g)
{
	vreg dst = irfn_arg(f, 0), cap = irfn_arg(f, 1), value = irfn_arg(f, 2);
	vreg base = irfn_arg(f, 3), v = ir_new(f), st, at, n = ir_new(f), src;
	irslot slot = ir_slot(f, L_SIZE);
	irlabel positive = ir_label(f), bad = ir_label(f);
	int32_t k;

	ir_jcci(f, IRC_LT, base, 2, bad);
	ir_mov(f, v, value);
	ir_jcci(f, IRC_NE, base, 10, positive);
	ir_jcci(f, IRC_SGE, v, 0, positive);
	ir_alui(f, IRA_NEG, v, v, 0);
	ir_place(f, positive);
	for (k = 0; k < L_BUFSIZE; k += 8)
		ir_storei_slot(f, slot, L_BUF + k, 8, 0);
	ir_store_slot(f, slot, L_VALUE, 8, v);
	ir_store_slot(f, slot, L_BASE, 8, base);
	ir_store_slot(f, slot, L_AT, 8, ir_imm(f, L_BUFSIZE - 1));
	rt_vary(f, g, slot, L_VALUE, L_BASE);
	rt_vary(f, g, slot, L_AT, L_BUF);
	rt_loop(f, g, ir_imm(f, 64), rt_callback(g, 0, digit_cb), slot);
	st = rt_slot_addr(f, slot);
	put_prefix(f, st, value, base);
	at = rt_ld(f, st, L_AT);
	ir_jcci(f, IRC_GE, at, L_BUFSIZE, bad);
	src = rt_alu(f, IRA_ADD, st, at);
	ir_alui(f, IRA_ADD, src, src, L_BUF);
	ir_call(f, n, BPF_FUNC_probe_read_kernel_str, IR_ARGS(dst, cap, src));
	ir_alui(f, IRA_SUB, n, n, 1);
	ir_jcci(f, IRC_SLT, n, 0, bad);
	ir_ret(f, n);
	ir_place(f, bad);
	ir_storei(f, dst, 0, 1, 0);
	ir_reti(f, 0);
}

/* STRTOLL: what has been read, by state: nothing but blanks; a sign; "0" that may begin "0x"; digits. */
enum {
	S_SRC = 0,
	S_BOUND = 8,
	S_BASE = 16,
	S_STATE = 24,
	S_NEG = 32,
	S_VALUE = 40,
	S_SIZE = 48,
};
enum { ST_BLANK, ST_SIGN, ST_ZERO, ST_DIGITS };

/* Value of a digit character, or something that is no digit in any base. */
static vreg digit_value(struct irfn *f, vreg c)
{
	vreg d = rt_alui(f, IRA_SUB, c, '0'), lower;
	irlabel end = ir_label(f), none = ir_label(f);

	ir_jcci(f, IRC_LE, d, 9, end);
	lower = rt_alui(f, IRA_OR, c, 32);
	ir_alui(f, IRA_SUB, d, lower, 'a');
	ir_jcci(f, IRC_GT, d, 25, none);
	ir_alui(f, IRA_ADD, d, d, 10);
	ir_jmp(f, end);
	ir_place(f, none);
	ir_movi(f, d, 99);
	ir_place(f, end);
	return d;
}

/* The verifier is to see one state for all values: see rt_blur(). */
static void set_state(struct irfn *f, vreg st, int32_t off, int v, vreg c)
{
	ir_store(f, st, off, 8, rt_blur(f, ir_imm(f, (uint64_t)v), c));
}

static void strtoll_cb(struct irfn *f, const struct rtgen *g)
{
	vreg i = irfn_arg(f, 0), st = irfn_arg(f, 1), c, state = rt_ld(f, st, S_STATE), d, v, base;
	irlabel end = ir_label(f), digit = ir_label(f), more = ir_label(f), sign = ir_label(f);
	irlabel minus = ir_label(f), digits = ir_label(f), zero = ir_label(f), no_x = ir_label(f);

	(void)g;
	ir_jcc(f, IRC_GE, i, rt_ld(f, st, S_BOUND), end);
	c = rt_ldb(f, rt_ld(f, st, S_SRC), i);
	base = rt_ld(f, st, S_BASE);
	ir_jcci(f, IRC_EQ, state, ST_DIGITS, digits);
	ir_jcci(f, IRC_EQ, state, ST_ZERO, zero);
	ir_jcci(f, IRC_EQ, state, ST_SIGN, digit);
	ir_jcci(f, IRC_EQ, c, ' ', more);
	ir_jcci(f, IRC_EQ, c, '\t', more);
	ir_jcci(f, IRC_EQ, c, '-', minus);
	ir_jcci(f, IRC_EQ, c, '+', sign);
	ir_place(f, digit); /* the first digit */
	set_state(f, st, S_STATE, ST_DIGITS, c);
	ir_jcci(f, IRC_NE, base, 16, digits);
	ir_jcci(f, IRC_NE, c, '0', digits);
	set_state(f, st, S_STATE, ST_ZERO, c);
	ir_reti(f, 0);

	ir_place(f, minus);
	set_state(f, st, S_NEG, 1, c);
	ir_place(f, sign);
	set_state(f, st, S_STATE, ST_SIGN, c);
	ir_place(f, more);
	ir_reti(f, 0);

	ir_place(f, zero); /* "0" in base 16: an x may follow; "0x" without a digit is 0 as well */
	set_state(f, st, S_STATE, ST_DIGITS, c);
	ir_jcci(f, IRC_NE, rt_alui(f, IRA_OR, c, 32), 'x', no_x);
	ir_reti(f, 0);
	ir_place(f, no_x);
	ir_place(f, digits);
	d = digit_value(f, c);
	ir_jcc(f, IRC_GE, d, base, end);
	v = rt_alu(f, IRA_MUL, rt_ld(f, st, S_VALUE), base);
	ir_store(f, st, S_VALUE, 8, rt_alu(f, IRA_ADD, v, d));
	ir_reti(f, 0);
	ir_place(f, end);
	ir_reti(f, 1);
}

void rt_emit_STRTOLL(struct irfn *f, const struct rtgen *g)
{
	irslot st = ir_slot(f, S_SIZE);
	vreg v = ir_new(f), neg = ir_new(f), any = ir_new(f);
	irlabel positive = ir_label(f);
	int32_t k;

	for (k = 0; k < 3; k++)
		ir_store_slot(f, st, 8 * k, 8, irfn_arg(f, (unsigned)k));
	for (k = S_STATE; k < S_SIZE; k += 8)
		ir_storei_slot(f, st, k, 8, 0);
	/* Were 0 known, then each digit would make new values: too many when the result is tested. The bits of
	 * an address are unknown, while bytes of a constant string are not. */
	ir_bswap(f, any, irfn_arg(f, 0), 8);
	ir_store_slot(f, st, S_VALUE, 8, rt_blur(f, ir_imm(f, 0), any));
	rt_vary(f, g, st, S_STATE, S_SIZE);
	rt_loop(f, g, irfn_arg(f, 1), rt_callback(g, 0, strtoll_cb), st);
	ir_load_slot(f, v, st, S_VALUE, 8);
	ir_load_slot(f, neg, st, S_NEG, 8);
	ir_jcci(f, IRC_EQ, neg, 0, positive);
	ir_alui(f, IRA_NEG, v, v, 0);
	ir_place(f, positive);
	ir_ret(f, v);
}

/* The letters from first to last in a word changed to the other case, all at once. */
static vreg other_case(struct irfn *f, vreg w, char first, char last)
{
	/* bit 7 of each byte: set when first <= letter <= last; bytes over 127 are no letters */
	vreg low7 = rt_alu(f, IRA_AND, w, ir_imm(f, ~RT_HIGHS)), ge, gt, is;

	ge = rt_alu(f, IRA_ADD, low7, ir_imm(f, RT_ONES * (uint64_t)(128 - first)));
	gt = rt_alu(f, IRA_ADD, low7, ir_imm(f, RT_ONES * (uint64_t)(127 - last)));
	is = rt_alu(f, IRA_XOR, ge, gt);
	is = rt_alu(f, IRA_AND, is, rt_alui(f, IRA_XOR, w, -1));
	is = rt_alu(f, IRA_AND, is, ir_imm(f, RT_HIGHS));
	return rt_alu(f, IRA_XOR, w, rt_alui(f, IRA_SHR, is, 2));
}

/* TOLOWER, TOUPPER: the copy is changed in place, by words, then the rest by bytes. State: dst, cap. */
static void case_cb(struct irfn *f, char first, char last)
{
	vreg i = irfn_arg(f, 0), st = irfn_arg(f, 1), cap = rt_ld(f, st, 8), w = ir_new(f), c = ir_new(f), p, k;
	vreg words = rt_alui(f, IRA_SHR, cap, 3);
	irlabel end = ir_label(f), tail = ir_label(f);

	ir_jcc(f, IRC_GE, i, words, tail);
	p = rt_alu(f, IRA_ADD, rt_ld(f, st, 0), rt_alui(f, IRA_SHL, i, 3));
	ir_load(f, w, p, 0, 8);
	ir_jcci(f, IRC_EQ, w, 0, end);
	ir_store(f, p, 0, 8, other_case(f, w, first, last));
	ir_reti(f, 0);

	ir_place(f, tail);
	k = rt_alu(f, IRA_SUB, i, words);
	ir_jcc(f, IRC_GE, k, rt_alui(f, IRA_AND, cap, 7), end);
	k = rt_alu(f, IRA_ADD, k, rt_alui(f, IRA_SHL, words, 3));
	p = rt_alu(f, IRA_ADD, rt_ld(f, st, 0), k);
	ir_load(f, c, p, 0, 1);
	ir_store(f, p, 0, 1, other_case(f, c, first, last));
	ir_reti(f, 0);
	ir_place(f, end);
	ir_reti(f, 1);
}

static void tolower_cb(struct irfn *f, const struct rtgen *g)
{
	(void)g;
	case_cb(f, 'A', 'Z');
}

static void toupper_cb(struct irfn *f, const struct rtgen *g)
{
	(void)g;
	case_cb(f, 'a', 'z');
}

static void change_case(struct irfn *f, const struct rtgen *g, void (*cb)(struct irfn *f, const struct rtgen *g))
{
	vreg dst = irfn_arg(f, 0), cap = irfn_arg(f, 1), n = ir_new(f);
	irslot st = ir_slot(f, 16);

	ir_call_fn(f, n, rt_get(g->p, RT_STRCPY, g->caps), IR_ARGS(dst, cap, irfn_arg(f, 2), irfn_arg(f, 3)));
	ir_store_slot(f, st, 0, 8, dst);
	ir_store_slot(f, st, 8, 8, cap);
	rt_loop(f, g, rt_alu(f, IRA_ADD, rt_alui(f, IRA_SHR, cap, 3), rt_alui(f, IRA_AND, cap, 7)),
		rt_callback(g, 0, cb), st);
	ir_ret(f, n);
}

void rt_emit_TOLOWER(struct irfn *f, const struct rtgen *g)
{
	change_case(f, g, tolower_cb);
}

void rt_emit_TOUPPER(struct irfn *f, const struct rtgen *g)
{
	change_case(f, g, toupper_cb);
}

/* STRTOK: a set of 256 bits says what is a delimiter. */
enum {
	T_TEXT = 0,
	T_CAP = 8,
	T_FROM = 16,
	T_START = 24, /* of the token; -1: not met */
	T_END = 32,
	T_REST = 40, /* where the next call goes on */
	T_DELIM = 48,
	T_DBOUND = 56,
	T_SET = 64,
	T_SIZE = 64 + 32,
};

/* Address of the word of the set that has character c. */
static vreg set_word(struct irfn *f, vreg st, vreg c)
{
	vreg off = rt_alui(f, IRA_SHL, rt_alui(f, IRA_SHR, c, 6), 3);

	return rt_alu(f, IRA_ADD, st, rt_alui(f, IRA_AND, off, 24));
}

static void delim_cb(struct irfn *f, const struct rtgen *g)
{
	vreg i = irfn_arg(f, 0), st = irfn_arg(f, 1), c, p, bit;
	irlabel end = ir_label(f);

	(void)g;
	ir_jcc(f, IRC_GE, i, rt_ld(f, st, T_DBOUND), end);
	c = rt_ldb(f, rt_ld(f, st, T_DELIM), i);
	ir_jcci(f, IRC_EQ, c, 0, end);
	p = set_word(f, st, c);
	bit = rt_alu(f, IRA_SHL, ir_imm(f, 1), rt_alui(f, IRA_AND, c, 63));
	ir_store(f, p, T_SET, 8, rt_alu(f, IRA_OR, rt_ld(f, p, T_SET), bit));
	ir_reti(f, 0);
	ir_place(f, end);
	ir_reti(f, 1);
}

static void token_cb(struct irfn *f, const struct rtgen *g)
{
	vreg i = irfn_arg(f, 0), st = irfn_arg(f, 1), at, c, bits, start;
	irlabel end = ir_label(f), delim = ir_label(f), more = ir_label(f);

	(void)g;
	at = rt_alu(f, IRA_ADD, i, rt_ld(f, st, T_FROM));
	ir_jcc(f, IRC_GE, at, rt_ld(f, st, T_CAP), end);
	c = rt_ldb(f, rt_ld(f, st, T_TEXT), at);
	start = rt_ld(f, st, T_START);
	ir_store(f, st, T_END, 8, at);
	ir_store(f, st, T_REST, 8, at);
	ir_jcci(f, IRC_EQ, c, 0, end);
	bits = rt_alu(f, IRA_SHR, rt_ld(f, set_word(f, st, c), T_SET), rt_alui(f, IRA_AND, c, 63));
	ir_jcci(f, IRC_SET, bits, 1, delim);
	ir_jcci(f, IRC_SGE, start, 0, more);
	ir_store(f, st, T_START, 8, at);
	ir_place(f, more);
	ir_reti(f, 0);
	ir_place(f, delim);
	ir_jcci(f, IRC_SGE, start, 0, end); /* the next call begins with it, as in DTrace */
	ir_reti(f, 0);
	ir_place(f, end);
	ir_reti(f, 1);
}

void rt_emit_STRTOK(struct irfn *f, const struct rtgen *g)
{
	vreg dst = irfn_arg(f, 0), cap = irfn_arg(f, 1), state = irfn_arg(f, 2), r = ir_new(f);
	vreg text = rt_alui(f, IRA_ADD, state, 8), start = ir_new(f), size = ir_new(f);
	irslot st = ir_slot(f, T_SIZE);
	irlabel none = ir_label(f);
	int32_t k;

	ir_store_slot(f, st, T_TEXT, 8, text);
	ir_store_slot(f, st, T_CAP, 8, cap);
	ir_store_slot(f, st, T_FROM, 8, rt_ld(f, state, 0));
	ir_storei_slot(f, st, T_START, 8, -1);
	ir_storei_slot(f, st, T_END, 8, 0);
	ir_store_slot(f, st, T_REST, 8, cap);
	ir_store_slot(f, st, T_DELIM, 8, irfn_arg(f, 3));
	ir_store_slot(f, st, T_DBOUND, 8, irfn_arg(f, 4));
	for (k = 0; k < 32; k += 8)
		ir_storei_slot(f, st, T_SET + k, 8, 0);
	rt_loop(f, g, irfn_arg(f, 4), rt_callback(g, 1, delim_cb), st);
	rt_vary(f, g, st, T_START, T_DELIM);
	rt_loop(f, g, cap, rt_callback(g, 0, token_cb), st);
	ir_load_slot(f, r, st, T_REST, 8);
	ir_store(f, state, 0, 8, r);
	ir_load_slot(f, start, st, T_START, 8);
	ir_jcc(f, IRC_GE, start, cap, none); /* -1 as well */
	ir_load_slot(f, size, st, T_END, 8);
	ir_alu(f, IRA_SUB, size, size, start);
	ir_alui(f, IRA_ADD, size, size, 1);
	size = rt_min(f, size, cap);
	ir_jcci(f, IRC_EQ, size, 0, none);
	ir_call(f, r, BPF_FUNC_probe_read_kernel_str, IR_ARGS(dst, size, rt_alu(f, IRA_ADD, text, start)));
	ir_alui(f, IRA_SUB, r, r, 1);
	ir_jcci(f, IRC_SLT, r, 0, none);
	ir_ret(f, r);
	ir_place(f, none);
	ir_storei(f, dst, 0, 1, 0);
	ir_reti(f, -1);
}
