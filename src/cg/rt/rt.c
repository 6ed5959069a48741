/* SPDX-License-Identifier: Apache-2.0 */
/* Emits run-time pieces: the table, loops, and helpers to emit them. */
#include "cg/rt/rt.h"
#include "cg/rt/int.h"

static const struct {
	const char *name;
	unsigned nargs;
	void (*emit)(struct irfn *f, const struct rtgen *g);
} pieces[] = {
#define RT(id, nargs) [RT_##id] = { "rt_" #id, nargs, rt_emit_##id },
#include "cg/ir/rt.def"
#undef RT
};

struct irfn *rt_get(struct irprog *p, enum rt_id id, const struct caps *caps)
{
	struct rtgen g = { p, caps, id };

	if (!p->rt[id]) {
		p->rt[id] = irfn_new(p, pieces[id].name, pieces[id].nargs);
		pieces[id].emit(p->rt[id], &g);
	}
	return p->rt[id];
}

struct irfn *rt_callback(const struct rtgen *g, unsigned which, void (*emit)(struct irfn *f, const struct rtgen *g))
{
	struct irfn **cb = &g->p->rt_aux[2 * g->id + which];

	if (!*cb) {
		*cb = irfn_new(g->p, which ? "rt_inner_loop" : "rt_loop", 2);
		emit(*cb, g);
	}
	return *cb;
}

void rt_loop(struct irfn *f, const struct rtgen *g, vreg n, struct irfn *cb, irslot state)
{
	rt_loop_at(f, g, n, cb, rt_slot_addr(f, state));
}

void rt_loop_at(struct irfn *f, const struct rtgen *g, vreg n, struct irfn *cb, vreg st)
{
	vreg i, r;
	irlabel top, end;

	if (g->caps->bpf_loop) {
		vreg fn = ir_new(f);

		ir_fnaddr(f, fn, cb);
		ir_call(f, VREG_NONE, BPF_FUNC_loop, IR_ARGS(n, fn, st, ir_imm(f, 0)));
		return;
	}
	i = ir_imm(f, 0);
	r = ir_new(f);
	top = ir_label(f);
	end = ir_label(f);
	ir_place(f, top);
	ir_jcc(f, IRC_GE, i, n, end);
	ir_call_fn(f, r, cb, IR_ARGS(i, st));
	ir_alui(f, IRA_ADD, i, i, 1);
	ir_jcci(f, IRC_EQ, r, 0, top);
	ir_place(f, end);
}

vreg rt_ld(struct irfn *f, vreg base, int32_t off)
{
	vreg d = ir_new(f);

	ir_load(f, d, base, off, 8);
	return d;
}

vreg rt_ldb(struct irfn *f, vreg base, vreg off)
{
	vreg p = rt_alu(f, IRA_ADD, base, off), d = ir_new(f);

	ir_load(f, d, p, 0, 1);
	return d;
}

vreg rt_alu(struct irfn *f, enum ir_alu op, vreg a, vreg b)
{
	vreg d = ir_new(f);

	ir_alu(f, op, d, a, b);
	return d;
}

vreg rt_alui(struct irfn *f, enum ir_alu op, vreg a, int64_t imm)
{
	vreg d = ir_new(f);

	ir_alui(f, op, d, a, imm);
	return d;
}

vreg rt_slot_addr(struct irfn *f, irslot s)
{
	vreg d = ir_new(f);

	ir_slot_addr(f, d, s, 0);
	return d;
}

vreg rt_min(struct irfn *f, vreg a, vreg b)
{
	vreg d = ir_new(f);
	irlabel l = ir_label(f);

	ir_mov(f, d, a);
	ir_jcc(f, IRC_LE, a, b, l);
	ir_mov(f, d, b);
	ir_place(f, l);
	return d;
}

vreg rt_umagnitude(struct irfn *f, vreg v, vreg *ret_sign)
{
	vreg s = rt_alui(f, IRA_SAR, v, 63);

	*ret_sign = s;
	return rt_alu(f, IRA_SUB, rt_alu(f, IRA_XOR, v, s), s);
}

vreg rt_blur(struct irfn *f, vreg v, vreg c)
{
	vreg t = rt_alu(f, IRA_MUL, c, ir_imm(f, RT_ONES)), u = ir_new(f);

	ir_mov(f, u, t);
	ir_alu(f, IRA_XOR, u, u, t); /* 0; the verifier takes it for any number */
	return rt_alu(f, IRA_XOR, v, u);
}

void rt_vary_at(struct irfn *f, const struct rtgen *g, vreg st, int32_t from, int32_t to)
{
	vreg c;
	int32_t k;

	if (!g->caps->bpf_loop || !g->caps->bpf_loop_once)
		return;
	c = ir_new(f);
	ir_call(f, c, BPF_FUNC_ktime_get_ns, 0, NULL); /* any number that the verifier cannot know */
	for (k = from; k < to; k += 8)
		ir_store(f, st, k, 8, rt_blur(f, rt_ld(f, st, k), c));
}

void rt_vary(struct irfn *f, const struct rtgen *g, irslot state, int32_t from, int32_t to)
{
	if (g->caps->bpf_loop && g->caps->bpf_loop_once)
		rt_vary_at(f, g, rt_slot_addr(f, state), from, to);
}

vreg rt_zero_byte(struct irfn *f, vreg word)
{
	/* (w - 0x01…) & ~w & 0x80…: exact for the lowest byte that is 0 */
	vreg t = rt_alu(f, IRA_SUB, word, ir_imm(f, RT_ONES));
	vreg n = rt_alui(f, IRA_XOR, word, -1);

	t = rt_alu(f, IRA_AND, t, n);
	return rt_alu(f, IRA_AND, t, ir_imm(f, RT_HIGHS));
}

vreg rt_byte_index(struct irfn *f, vreg bits)
{
	/* ones below the lowest set bit: a 1 in each byte up to it; their sum is index + 1 */
	vreg low = rt_alu(f, IRA_AND, bits, rt_alui(f, IRA_NEG, bits, 0));
	vreg ones = ir_imm(f, RT_ONES);

	low = rt_alui(f, IRA_SUB, low, 1);
	low = rt_alu(f, IRA_AND, low, ones);
	low = rt_alu(f, IRA_MUL, low, ones);
	low = rt_alui(f, IRA_SHR, low, 56);
	return rt_alui(f, IRA_SUB, low, 1);
}
