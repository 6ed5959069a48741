/* SPDX-License-Identifier: Apache-2.0 */
/* Emits the common part of the walks of language runtimes: beginning, end, and how frames are written. */
#include "cg/rt/mix_int.h"

const rt_mix_emit rt_mix_walks[RUNTIMES] = {
	[RUNTIME_PYTHON] = rt_python_emit, [RUNTIME_V8] = rt_v8_emit, [RUNTIME_HOTSPOT] = rt_hotspot_emit
};

void mix_user_bytes(struct irfn *f, vreg st, int32_t to, uint32_t n, vreg addr, irlabel none)
{
	vreg r = ir_new(f);

	ir_call(f, r, BPF_FUNC_probe_read_user, IR_ARGS(rt_alui(f, IRA_ADD, st, to), ir_imm(f, n), addr));
	ir_jcci(f, IRC_NE, r, 0, none);
}

void mix_user_word(struct irfn *f, vreg st, int32_t to, vreg addr, irlabel none)
{
	mix_user_bytes(f, st, to, 8, addr, none);
}

vreg mix_word_at(struct irfn *f, vreg st, int32_t block, int32_t at, uint32_t bytes, unsigned size)
{
	vreg off = rt_ld(f, st, at), v = ir_new(f);
	irlabel ok = ir_label(f);

	ir_jcci(f, IRC_LE, off, bytes - 8, ok);
	ir_movi(f, off, 0); /* never: for the verifier */
	ir_place(f, ok);
	ir_load(f, v, rt_alu(f, IRA_ADD, st, off), block, size);
	return v;
}

void mix_out(struct irfn *f, vreg st, vreg v, irlabel cut)
{
	vreg n = rt_ld(f, st, MX(nout));

	ir_jcc(f, IRC_GE, n, rt_ld(f, st, MX(max)), cut);
	ir_jcci(f, IRC_GE, n, RT_MIX_MAX_FRAMES, cut);
	ir_store(f, rt_alu(f, IRA_ADD, st, rt_alui(f, IRA_SHL, n, 3)), MX(out), 8, v);
	ir_store(f, st, MX(nout), 8, rt_alui(f, IRA_ADD, n, 1));
}

vreg mix_frame(struct irfn *f, vreg st, vreg word, irlabel plain, irlabel end)
{
	vreg i = rt_ld(f, st, MX(i)), at, fp;

	ir_jcc(f, IRC_GE, i, rt_ld(f, st, MX(n)), end);
	ir_jcci(f, IRC_GE, i, RT_UNWIND_MAX_FRAMES, end);
	ir_store(f, st, MX(i), 8, rt_alui(f, IRA_ADD, i, 1));
	at = rt_alu(f, IRA_ADD, st, rt_alui(f, IRA_SHL, i, 3));
	ir_mov(f, word, rt_ld(f, at, ST(frames)));
	fp = rt_ld(f, at, ST(fps));
	ir_jcci(f, IRC_EQ, fp, 0, plain);
	return fp;
}

void mix_frame_out(struct irfn *f, vreg st, vreg word, irlabel cut, irlabel end)
{
	mix_out(f, st, word, cut);
	ir_reti(f, 0);
	ir_place(f, cut);
	ir_storei(f, st, MX(flags), 8, RT_UNWIND_CUT);
	ir_place(f, end);
	ir_reti(f, 1);
}

vreg mix_begin(struct irfn *f, const struct rt_mix_env *e, int32_t to, uint32_t size, irlabel none)
{
	irslot key = ir_slot(f, 8);
	irlabel known = ir_label(f);
	vreg st, proc;

	ir_global(f);
	proc = uw_lookup(f, e->procs, key, irfn_arg(f, 2), none);
	st = uw_lookup(f, e->scratch, key, ir_imm(f, e->scratch_key), none);
	uw_peek(f, st, to, size, proc, 0);
	ir_jcci(f, IRC_EQ, rt_ld(f, st, to), 0, known);
	ir_jcc(f, IRC_NE, rt_ld(f, st, to), irfn_arg(f, 3), none);
	ir_place(f, known);
	ir_store(f, st, MX(n), 8, irfn_arg(f, 0));
	ir_store(f, st, MX(max), 8, irfn_arg(f, 1));
	ir_storei(f, st, MX(i), 8, 0);
	ir_storei(f, st, MX(nout), 8, 0);
	ir_storei(f, st, MX(flags), 8, 0);
	return st;
}

void mix_end(struct irfn *f, vreg st, irlabel none)
{
	vreg n = rt_ld(f, st, MX(nout));

	ir_alu(f, IRA_OR, n, n, rt_alui(f, IRA_SHL, rt_ld(f, st, MX(flags)), 32));
	ir_ret(f, n);
	ir_place(f, none);
	ir_reti(f, -1);
}
