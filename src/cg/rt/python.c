/* SPDX-License-Identifier: Apache-2.0 */
/* The walk of Python's frames. The thread of the interpreter is found by its number in the interpreter's list, so
 * that nothing needs to be known of the C library. Then, one iteration per frame:
 *
 *     in a call of the loop:   out = frame of fp; fp = its caller; leave when it began the call
 *     native frames left:      of the loop, and fp: enter it; else out = the native frame
 *     else:                    what Python has yet, when the native stack was cut
 */
#include "cg/rt/mix_int.h"

#define PY(member) (MX(py) + (int32_t)offsetof(struct rt_python_state, member))
#define PP(member) (PY(p) + (int32_t)offsetof(struct py_proc, member))
#define UPID_BYTES 16 /* struct upid. Source: include/linux/pid.h */

static vreg sum(struct irfn *f, vreg st, int32_t a, int32_t b)
{
	return rt_alu(f, IRA_ADD, rt_ld(f, st, a), rt_ld(f, st, b));
}

/* py_thread(i, &state): is it this thread of the interpreter? Then `in` is 1. */
static struct irfn *emit_thread(struct irprog *p)
{
	struct irfn *f = irfn_new(p, "py_thread", 2);
	vreg st = rt_ld(f, irfn_arg(f, 1), 0), tid = ir_new(f);
	irlabel none = ir_label(f), found = ir_label(f);

	ir_jcci(f, IRC_EQ, rt_ld(f, st, PY(thread)), 0, none);
	mix_user_word(f, st, PY(tmp), sum(f, st, PY(thread), PP(tid)), none);
	ir_ext(f, tid, rt_ld(f, st, PY(tmp)), 4, false);
	ir_jcc(f, IRC_EQ, tid, rt_ld(f, st, PY(tid)), found);
	mix_user_word(f, st, PY(thread), sum(f, st, PY(thread), PP(next)), none);
	ir_reti(f, 0);
	ir_place(f, found);
	ir_storei(f, st, PY(in), 8, 1);
	ir_place(f, none);
	ir_reti(f, 1);
	return f;
}

/* A member of the frame that was read, at a place that the process's version has. */
static vreg frame_word(struct irfn *f, vreg st, int32_t at, unsigned size)
{
	vreg off = rt_ld(f, st, at), v = ir_new(f);
	irlabel ok = ir_label(f);

	ir_jcci(f, IRC_LE, off, PY_FRAME_BYTES - 8, ok);
	ir_movi(f, off, 0); /* never: for the verifier */
	ir_place(f, ok);
	ir_load(f, v, rt_alu(f, IRA_ADD, st, off), PY(frame), size);
	return v;
}

/* PY_FRAME() of the frame that was read. */
static vreg frame_value(struct irfn *f, vreg st)
{
	vreg code = frame_word(f, st, PP(code), 8), at = frame_word(f, st, PP(instr), 8), v;

	at = rt_alu(f, IRA_SUB, rt_alu(f, IRA_SUB, at, code), rt_ld(f, st, PP(code_start)));
	at = rt_alui(f, IRA_AND, rt_alui(f, IRA_SHR, at, 1), PY_INDEX_MAX); /* of instructions, 2 bytes each */
	at = rt_alui(f, IRA_SHL, at, PY_INDEX_SHIFT);
	v = rt_alu(f, IRA_AND, rt_alui(f, IRA_SHR, code, PY_CODE_SHIFT), ir_imm(f, PY_CODE_MASK));
	return rt_alu(f, IRA_OR, rt_alu(f, IRA_OR, v, at), ir_imm(f, RT_FRAME_SET));
}

/* One frame of Python, and its caller. */
static void emit_python(struct irfn *f, vreg st, irlabel cut)
{
	irlabel fault = ir_label(f), shown = ir_label(f), out = ir_label(f), stays = ir_label(f);
	vreg r = ir_new(f), fp = rt_ld(f, st, PY(fp)), last;

	ir_jcci(f, IRC_EQ, fp, 0, out);
	ir_call(f, r, BPF_FUNC_probe_read_user,
		IR_ARGS(rt_alui(f, IRA_ADD, st, PY(frame)), ir_imm(f, PY_FRAME_BYTES), fp));
	ir_jcci(f, IRC_NE, r, 0, fault);
	last = frame_word(f, st, PP(boundary), 1);
	ir_store(f, st, PY(tmp), 8, last);
	ir_jcci(f, IRC_EQ, rt_ld(f, st, PP(shim)), 0, shown);
	ir_jcc(f, IRC_EQ, rt_ld(f, st, PY(tmp)), rt_ld(f, st, PP(boundary_is)), stays);
	ir_place(f, shown);
	mix_out(f, st, frame_value(f, st), cut);
	ir_place(f, stays);
	ir_store(f, st, PY(fp), 8, frame_word(f, st, PP(previous), 8));
	ir_jcc(f, IRC_EQ, rt_ld(f, st, PY(tmp)), rt_ld(f, st, PP(boundary_is)), out);
	ir_reti(f, 0);
	ir_place(f, fault);
	mix_out(f, st, ir_imm(f, PY_FRAME(0, PY_MARK_FAULT)), cut);
	ir_storei(f, st, PY(fp), 8, 0);
	ir_place(f, out);
	ir_storei(f, st, PY(in), 8, 0);
	ir_reti(f, 0);
}

/* py_mix(i, &state). */
static struct irfn *emit_mix(struct irprog *p)
{
	struct irfn *f = irfn_new(p, "py_mix", 2);
	vreg st = rt_ld(f, irfn_arg(f, 1), 0), i, pc;
	irlabel native = ir_label(f), python = ir_label(f), cut = ir_label(f), end = ir_label(f), plain = ir_label(f),
		enter = ir_label(f), rest = ir_label(f);

	ir_jcci(f, IRC_NE, rt_ld(f, st, PY(in)), 0, python);
	i = rt_ld(f, st, MX(i));
	ir_jcc(f, IRC_GE, i, rt_ld(f, st, MX(n)), rest);
	ir_jcci(f, IRC_LT, i, RT_UNWIND_MAX_FRAMES, native);
	ir_place(f, rest);
	ir_jcci(f, IRC_EQ, rt_ld(f, st, PY(fp)), 0, end);
	ir_place(f, enter);
	ir_storei(f, st, PY(in), 8, 1);
	ir_reti(f, 0);
	ir_place(f, native);
	pc = rt_ld(f, rt_alu(f, IRA_ADD, st, rt_alui(f, IRA_SHL, i, 3)), ST(frames));
	ir_store(f, st, MX(i), 8, rt_alui(f, IRA_ADD, i, 1));
	ir_jcc(f, IRC_GE, rt_alu(f, IRA_SUB, pc, rt_ld(f, st, PP(eval))), rt_ld(f, st, PP(eval_len)), plain);
	ir_jcci(f, IRC_NE, rt_ld(f, st, PY(fp)), 0, enter);
	ir_jcci(f, IRC_EQ, rt_ld(f, st, PY(mark)), 0, plain);
	mix_out(f, st, rt_ld(f, st, PY(mark)), cut);
	ir_storei(f, st, PY(mark), 8, 0);
	ir_place(f, plain);
	mix_out(f, st, pc, cut);
	ir_reti(f, 0);
	ir_place(f, python);
	emit_python(f, st, cut);
	ir_place(f, cut);
	ir_storei(f, st, MX(flags), 8, RT_UNWIND_CUT);
	ir_place(f, end);
	ir_reti(f, 1);
	return f;
}

/* The thread's number as the process itself sees it. */
static void emit_tid(struct irfn *f, const struct rt_mix_offsets *o, vreg st)
{
	vreg task = ir_new(f), pid, level = ir_new(f);

	ir_call(f, task, BPF_FUNC_get_current_task_btf, 0, NULL);
	uw_peek(f, st, PY(tmp), 8, task, o->thread_pid);
	pid = rt_ld(f, st, PY(tmp));
	uw_peek(f, st, PY(tmp), 4, pid, o->level);
	ir_load(f, level, st, PY(tmp), 4);
	ir_storei(f, st, PY(tid), 8, 0);
	pid = rt_alu(f, IRA_ADD, pid, rt_alui(f, IRA_MUL, level, UPID_BYTES));
	uw_peek(f, st, PY(tid), 4, pid, o->numbers);
}

/* The innermost frame of this thread of the interpreter, or a mark why there is none. */
static void emit_begin(struct irfn *f, const struct rtgen *g, vreg st, irslot slot, struct irfn *thread)
{
	irlabel none = ir_label(f), direct = ir_label(f), done = ir_label(f), known = ir_label(f), fault = ir_label(f);

	ir_storei(f, st, PY(fp), 8, 0);
	ir_jcci(f, IRC_NE, rt_ld(f, st, PP(interp)), 0, known);
	ir_store(f, st, PY(mark), 8, ir_imm(f, PY_FRAME(0, PY_MARK_VERSION)));
	ir_jmp(f, done);
	ir_place(f, known);
	mix_user_word(f, st, PY(tmp), rt_ld(f, st, PP(interp)), fault);
	mix_user_word(f, st, PY(thread), sum(f, st, PY(tmp), PP(threads)), fault);
	rt_loop(f, g, ir_imm(f, PY_MAX_THREADS), thread, slot);
	ir_jcci(f, IRC_EQ, rt_ld(f, st, PY(in)), 0, none); /* also of a longer list */
	ir_storei(f, st, PY(in), 8, 0);
	ir_store(f, st, PY(tmp), 8, rt_ld(f, st, PY(thread)));
	ir_jcci(f, IRC_EQ, rt_ld(f, st, PP(has_cframe)), 0, direct);
	mix_user_word(f, st, PY(tmp), sum(f, st, PY(tmp), PP(cframe)), fault);
	ir_place(f, direct);
	mix_user_word(f, st, PY(fp), sum(f, st, PY(tmp), PP(current)), fault);
	ir_storei(f, st, PY(mark), 8, 0);
	ir_jmp(f, done);
	ir_place(f, fault);
	ir_store(f, st, PY(mark), 8, ir_imm(f, PY_FRAME(0, PY_MARK_FAULT)));
	ir_storei(f, st, PY(fp), 8, 0);
	ir_jmp(f, done);
	ir_place(f, none);
	ir_store(f, st, PY(mark), 8, ir_imm(f, PY_FRAME(0, PY_MARK_THREAD)));
	ir_place(f, done);
}

struct irfn *rt_python_emit(struct irprog *p, const struct rt_mix_env *e)
{
	const struct rtgen g = { .p = p, .caps = e->caps };
	struct irfn *thread = emit_thread(p), *mix = emit_mix(p), *f = irfn_new(p, "py_walk", MIX_ARGS);
	irslot slot = ir_slot(f, 8);
	irlabel none = ir_label(f);
	vreg st = mix_begin(f, e, PY(p), sizeof(struct py_proc), none);

	ir_storei(f, st, PY(in), 8, 0);
	ir_store_slot(f, slot, 0, 8, st);
	emit_tid(f, &e->o, st);
	emit_begin(f, &g, st, slot, thread);
	/* each call of the loop takes one more to enter, one for a frame that is nobody's */
	rt_loop(f, &g, ir_imm(f, 4 * RT_MIX_MAX_FRAMES), mix, slot);
	mix_end(f, st, none);
	return f;
}
