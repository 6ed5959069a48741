/* SPDX-License-Identifier: Apache-2.0 */
/* Emits run-time pieces for strings: length, copy, comparison, search. Strings may have any alignment and bound;
 * whole words of 8 bytes come first, then the rest by bytes. In loops, states are words on the stack of the piece. */
#include "cg/rt/int.h"

/* Where iteration i looks: words first, then the bytes after. Continues at *ret_tail for a byte. */
struct spot {
	vreg off;     /* bytes from the start */
	irlabel tail; /* off is then another register: */
	vreg tail_off;
	vreg words;
};

/* Emits the split for iteration i of a string of `bound` bytes; the word part follows. */
static struct spot begin_word(struct irfn *f, vreg i, vreg bound)
{
	struct spot s = { .words = rt_alui(f, IRA_SHR, bound, 3), .tail = ir_label(f) };

	ir_jcc(f, IRC_GE, i, s.words, s.tail);
	s.off = rt_alui(f, IRA_SHL, i, 3);
	return s;
}

static void begin_tail(struct irfn *f, struct spot *s, vreg i, vreg bound)
{
	irlabel ok = ir_label(f);
	vreg k;

	ir_place(f, s->tail);
	k = rt_alu(f, IRA_SUB, i, s->words);
	ir_jcc(f, IRC_LT, k, rt_alui(f, IRA_AND, bound, 7), ok);
	ir_reti(f, 1);
	ir_place(f, ok);
	s->tail_off = rt_alu(f, IRA_ADD, rt_alui(f, IRA_SHL, s->words, 3), k);
}

/* Iterations for words and rest. */
static vreg word_loops(struct irfn *f, vreg bound)
{
	return rt_alu(f, IRA_ADD, rt_alui(f, IRA_SHR, bound, 3), rt_alui(f, IRA_AND, bound, 7));
}

static vreg ld_at(struct irfn *f, vreg base, vreg off, unsigned size)
{
	vreg p = rt_alu(f, IRA_ADD, base, off), d = ir_new(f);

	ir_load(f, d, p, 0, size);
	return d;
}

/* STRLEN: state s, bound, result. */
static void strlen_cb(struct irfn *f, const struct rtgen *g)
{
	vreg i = irfn_arg(f, 0), st = irfn_arg(f, 1);
	vreg s = rt_ld(f, st, 0), bound = rt_ld(f, st, 8), z;
	irlabel found = ir_label(f), more = ir_label(f);
	struct spot sp = begin_word(f, i, bound);

	(void)g;
	z = rt_zero_byte(f, ld_at(f, s, sp.off, 8));
	ir_jcci(f, IRC_NE, z, 0, found);
	ir_reti(f, 0);
	ir_place(f, found);
	ir_store(f, st, 16, 8, rt_alu(f, IRA_ADD, sp.off, rt_byte_index(f, z)));
	ir_reti(f, 1);

	begin_tail(f, &sp, i, bound);
	ir_jcci(f, IRC_NE, ld_at(f, s, sp.tail_off, 1), 0, more);
	ir_store(f, st, 16, 8, sp.tail_off);
	ir_reti(f, 1);
	ir_place(f, more);
	ir_reti(f, 0);
}

void rt_emit_STRLEN(struct irfn *f, const struct rtgen *g)
{
	vreg s = irfn_arg(f, 0), bound = irfn_arg(f, 1), r = ir_new(f);
	irslot st = ir_slot(f, 24);

	ir_store_slot(f, st, 0, 8, s);
	ir_store_slot(f, st, 8, 8, bound);
	ir_store_slot(f, st, 16, 8, bound); /* no NUL: as strnlen() */
	rt_vary(f, g, st, 16, 24);
	rt_loop(f, g, word_loops(f, bound), rt_callback(g, 0, strlen_cb), st);
	ir_load_slot(f, r, st, 16, 8);
	ir_ret(f, r);
}

/* probe_read_kernel with an address that cannot be read fills the destination with zeros.
 * Source: kernel, bpf_probe_read_kernel_common(): "memset(dst, 0, size)" on failure. */
static void zero_fill(struct irfn *f, vreg dst, vreg size)
{
	ir_call(f, VREG_NONE, BPF_FUNC_probe_read_kernel, IR_ARGS(dst, size, ir_imm(f, 0)));
}

/* dst = at most size - 1 bytes of the string at src; length in the result. */
static vreg copy_str(struct irfn *f, vreg dst, vreg size, vreg src)
{
	vreg n = ir_new(f);
	irlabel ok = ir_label(f);

	ir_call(f, n, BPF_FUNC_probe_read_kernel_str, IR_ARGS(dst, size, src));
	ir_alui(f, IRA_SUB, n, n, 1);
	ir_jcci(f, IRC_SGE, n, 0, ok);
	ir_movi(f, n, 0);
	ir_place(f, ok);
	return n;
}

void rt_emit_STRCPY(struct irfn *f, const struct rtgen *g)
{
	vreg dst = irfn_arg(f, 0), cap = irfn_arg(f, 1), src = irfn_arg(f, 2);
	vreg size = rt_min(f, cap, irfn_arg(f, 3)), n = ir_new(f);
	irlabel same = ir_label(f), empty = ir_label(f);

	(void)g;
	ir_jcci(f, IRC_EQ, size, 0, empty);
	ir_jcc(f, IRC_EQ, dst, src, same);
	zero_fill(f, dst, cap);
	ir_place(f, same);
	ir_mov(f, n, copy_str(f, dst, size, src));
	ir_ret(f, n);
	ir_place(f, empty);
	ir_reti(f, 0);
}

/* STRCMP: state a, b, bound, result. */
static void strcmp_cb(struct irfn *f, const struct rtgen *g)
{
	vreg i = irfn_arg(f, 0), st = irfn_arg(f, 1), a = rt_ld(f, st, 0), b = rt_ld(f, st, 8);
	vreg bound = rt_ld(f, st, 16), x, y, z, d, bx = ir_new(f), by = ir_new(f), zl, dl;
	irlabel differ = ir_label(f), order = ir_label(f), less = ir_label(f), end = ir_label(f);
	irlabel more = ir_label(f);
	struct spot sp = begin_word(f, i, bound);

	(void)g;
	x = ld_at(f, a, sp.off, 8);
	y = ld_at(f, b, sp.off, 8);
	z = rt_zero_byte(f, x);
	ir_jcc(f, IRC_NE, x, y, differ);
	ir_jcci(f, IRC_NE, z, 0, end);
	ir_reti(f, 0);

	/* the NUL of a counts only when it is before the first difference */
	ir_place(f, differ);
	ir_jcci(f, IRC_EQ, z, 0, order);
	d = rt_alu(f, IRA_XOR, x, y);
	zl = rt_alu(f, IRA_AND, z, rt_alui(f, IRA_NEG, z, 0));
	dl = rt_alu(f, IRA_AND, d, rt_alui(f, IRA_NEG, d, 0));
	ir_jcc(f, IRC_LT, zl, dl, end);
	ir_place(f, order);
	ir_bswap(f, bx, x, 8);
	ir_bswap(f, by, y, 8);
	ir_jcc(f, IRC_LT, bx, by, less);
	ir_storei(f, st, 24, 8, 1);
	ir_reti(f, 1);
	ir_place(f, less);
	ir_storei(f, st, 24, 8, -1);
	ir_reti(f, 1);

	begin_tail(f, &sp, i, bound);
	x = ld_at(f, a, sp.tail_off, 1);
	y = ld_at(f, b, sp.tail_off, 1);
	d = rt_alu(f, IRA_SUB, x, y);
	ir_store(f, st, 24, 8, d);
	ir_jcci(f, IRC_NE, d, 0, end);
	ir_jcci(f, IRC_NE, x, 0, more);
	ir_place(f, end);
	ir_reti(f, 1);
	ir_place(f, more);
	ir_reti(f, 0);
}

void rt_emit_STRCMP(struct irfn *f, const struct rtgen *g)
{
	vreg n = rt_min(f, irfn_arg(f, 1), irfn_arg(f, 3)), r = ir_new(f);
	irslot st = ir_slot(f, 32);

	ir_store_slot(f, st, 0, 8, irfn_arg(f, 0));
	ir_store_slot(f, st, 8, 8, irfn_arg(f, 2));
	ir_store_slot(f, st, 16, 8, n);
	ir_storei_slot(f, st, 24, 8, 0);
	rt_vary(f, g, st, 24, 32);
	rt_loop(f, g, word_loops(f, n), rt_callback(g, 0, strcmp_cb), st);
	ir_load_slot(f, r, st, 24, 8);
	ir_ret(f, r);
}

/* STRCHR: state s, bound, the character in all bytes, result. */
static void strchr_cb(struct irfn *f, const struct rtgen *g)
{
	vreg i = irfn_arg(f, 0), st = irfn_arg(f, 1), s = rt_ld(f, st, 0), bound = rt_ld(f, st, 8);
	vreg pat = rt_ld(f, st, 16), w, z, c, zl, cl;
	irlabel some = ir_label(f), end = ir_label(f), found = ir_label(f), hit = ir_label(f);
	irlabel more = ir_label(f);
	struct spot sp = begin_word(f, i, bound);

	(void)g;
	w = ld_at(f, s, sp.off, 8);
	z = rt_zero_byte(f, w);
	c = rt_zero_byte(f, rt_alu(f, IRA_XOR, w, pat));
	ir_jcci(f, IRC_NE, c, 0, some);
	ir_jcci(f, IRC_NE, z, 0, end);
	ir_reti(f, 0);
	ir_place(f, some);
	ir_jcci(f, IRC_EQ, z, 0, found);
	zl = rt_alu(f, IRA_AND, z, rt_alui(f, IRA_NEG, z, 0));
	cl = rt_alu(f, IRA_AND, c, rt_alui(f, IRA_NEG, c, 0));
	ir_jcc(f, IRC_GT, cl, zl, end);
	ir_place(f, found);
	ir_store(f, st, 24, 8, rt_alu(f, IRA_ADD, sp.off, rt_byte_index(f, c)));
	ir_reti(f, 1);

	begin_tail(f, &sp, i, bound);
	w = ld_at(f, s, sp.tail_off, 1);
	ir_jcc(f, IRC_EQ, w, rt_alui(f, IRA_AND, pat, 255), hit);
	ir_jcci(f, IRC_NE, w, 0, more);
	ir_place(f, end);
	ir_reti(f, 1);
	ir_place(f, hit);
	ir_store(f, st, 24, 8, sp.tail_off);
	ir_reti(f, 1);
	ir_place(f, more);
	ir_reti(f, 0);
}

void rt_emit_STRCHR(struct irfn *f, const struct rtgen *g)
{
	vreg bound = irfn_arg(f, 1), c = rt_alui(f, IRA_AND, irfn_arg(f, 2), 255), r = ir_new(f);
	irslot st = ir_slot(f, 32);

	ir_store_slot(f, st, 0, 8, irfn_arg(f, 0));
	ir_store_slot(f, st, 8, 8, bound);
	ir_store_slot(f, st, 16, 8, rt_alu(f, IRA_MUL, c, ir_imm(f, RT_ONES)));
	ir_storei_slot(f, st, 24, 8, -1);
	rt_vary(f, g, st, 24, 32);
	rt_loop(f, g, word_loops(f, bound), rt_callback(g, 0, strchr_cb), st);
	ir_load_slot(f, r, st, 24, 8);
	ir_ret(f, r);
}

/* STRRCHR, by bytes: state s, bound, character, result. */
static void strrchr_cb(struct irfn *f, const struct rtgen *g)
{
	vreg i = irfn_arg(f, 0), st = irfn_arg(f, 1), c;
	irlabel end = ir_label(f), other = ir_label(f);

	(void)g;
	ir_jcc(f, IRC_GE, i, rt_ld(f, st, 8), end);
	c = ld_at(f, rt_ld(f, st, 0), i, 1);
	ir_jcc(f, IRC_NE, c, rt_ld(f, st, 16), other);
	ir_store(f, st, 24, 8, i);
	ir_place(f, other);
	ir_jcci(f, IRC_EQ, c, 0, end);
	ir_reti(f, 0);
	ir_place(f, end);
	ir_reti(f, 1);
}

void rt_emit_STRRCHR(struct irfn *f, const struct rtgen *g)
{
	vreg bound = irfn_arg(f, 1), r = ir_new(f);
	irslot st = ir_slot(f, 32);

	ir_store_slot(f, st, 0, 8, irfn_arg(f, 0));
	ir_store_slot(f, st, 8, 8, bound);
	ir_store_slot(f, st, 16, 8, rt_alui(f, IRA_AND, irfn_arg(f, 2), 255));
	ir_storei_slot(f, st, 24, 8, -1);
	rt_vary(f, g, st, 24, 32);
	rt_loop(f, g, bound, rt_callback(g, 0, strrchr_cb), st);
	ir_load_slot(f, r, st, 24, 8);
	ir_ret(f, r);
}
