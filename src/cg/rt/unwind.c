/* SPDX-License-Identifier: Apache-2.0 */
/* The walk of user stacks by unwinding tables. One iteration per frame:
 *
 *     frames[n++] = pc
 *     area = mapping of pc (the last one, or by binary search)     none: frame pointer
 *     rule = row of pc in its table (index by bucket, then binary search)
 *     cfa = by the rule; bp, third, pc = words below it; sp = cfa
 *
 * Searches are unrolled: their steps are few, and a map lookup by index is a few instructions, as the
 * verifier turns it into an array access. The walk and the searches are global functions: the verifier looks
 * at each once, however often a program takes a stack. They take numbers only, so frames and state are in a
 * scratch map, from where the caller copies the frames. */
#include "cg/rt/unwind_int.h"
#include <string.h>

/* Source: arch/x86/include/uapi/asm/{ptrace,sigcontext}.h; struct ucontext has uc_flags, uc_link and uc_stack (40
 * bytes) in front. */
const struct rt_unwind_machine rt_unwind_x86_64 = {
	.bp = 32,
	.third = 40,
	.di = 112,
	.r13 = 16,
	.hotspot = true,
	.pc = 128,
	.sp = 152,
	.uc_bp = 120,
	.uc_third = 128,
	.uc_sp = 160,
	.uc_pc = 168,
	.addr_mask = UINT64_MAX,
};

/* Source: arch/arm64/include/uapi/asm/{ptrace,sigcontext,ucontext}.h: x29, x30, sp, pc; uc_mcontext is at 176. User
 * addresses have 48 bits unless a program asks for more; above them may be a signature (PAuth). */
const struct rt_unwind_machine rt_unwind_arm64 = {
	.bp = 232,
	.third = 240,
	.sp = 248,
	.pc = 256,
	.uc_bp = 416,
	.uc_third = 424,
	.uc_sp = 432,
	.uc_pc = 440,
	.link = true,
	.addr_mask = (UINT64_C(1) << 48) - 1,
};

const struct rt_unwind_machine *rt_unwind_here(const struct caps *caps)
{
#if defined(__x86_64__)
	return caps->bpf_loop && caps->task_pt_regs ? &rt_unwind_x86_64 : NULL;
#elif defined(__aarch64__)
	return caps->bpf_loop && caps->task_pt_regs ? &rt_unwind_arm64 : NULL;
#else
	(void)caps;
	return NULL;
#endif
}

struct irfn *uw_task_fn(struct irprog *p, const struct uw *u, const char *name, unsigned nargs)
{
	struct irfn *f = irfn_new(p, name, nargs + (u->whose != RT_UNWIND_CURRENT));

	if (u->whose == RT_UNWIND_CURRENT)
		ir_global(f);
	return f;
}

vreg uw_task(struct irfn *f, const struct uw *u, unsigned nargs)
{
	vreg task;

	if (u->whose != RT_UNWIND_CURRENT)
		return irfn_arg(f, nargs);
	task = ir_new(f);
	ir_call(f, task, BPF_FUNC_get_current_task_btf, 0, NULL);
	return task;
}

/* It lies after the address of the state. */
vreg uw_frame_task(struct irfn *f, const struct uw *u)
{
	return u->whose == RT_UNWIND_CURRENT ? uw_task(f, u, 0) : rt_ld(f, irfn_arg(f, 1), 8);
}

#define MAX_ARGS 5

void uw_call(struct irfn *f, const struct uw *u, vreg d, struct irfn *callee, unsigned nargs, const vreg *args)
{
	vreg v[MAX_ARGS];

	memcpy(v, args, nargs * sizeof(*args));
	if (u->whose != RT_UNWIND_CURRENT)
		v[nargs++] = uw_frame_task(f, u);
	ir_call_fn(f, d, callee, nargs, v);
}

vreg uw_lookup(struct irfn *f, uint32_t map, irslot key_slot, vreg key, irlabel none)
{
	vreg m = ir_new(f), d = ir_new(f);

	ir_store_slot(f, key_slot, 0, 4, key);
	ir_map(f, m, map);
	ir_call(f, d, BPF_FUNC_map_lookup_elem, IR_ARGS(m, rt_slot_addr(f, key_slot)));
	ir_jcci(f, IRC_EQ, d, 0, none);
	return d;
}

/* Without a branch for the halves: each would double what the verifier has to look at. */
void uw_search_step(struct irfn *f, uint32_t map, irslot key, vreg lo, vreg n, vreg at, int32_t off, unsigned size,
		    irlabel done, irlabel none)
{
	vreg half, e, v = ir_new(f);

	ir_jcci(f, IRC_LE, n, 1, done);
	half = rt_alui(f, IRA_SHR, n, 1);
	e = uw_lookup(f, map, key, rt_alu(f, IRA_ADD, lo, half), none);
	ir_load(f, v, e, off, size);
	ir_alu(f, IRA_SUB, n, n, half);
	ir_alu(f, IRA_SUB, v, at, v);
	ir_alui(f, IRA_SAR, v, v, 63); /* -1: above */
	ir_alui(f, IRA_XOR, v, v, -1);
	ir_alu(f, IRA_AND, v, v, half);
	ir_alu(f, IRA_ADD, lo, lo, v);
}

void uw_peek(struct irfn *f, vreg st, int32_t to, uint32_t n, vreg p, uint32_t off)
{
	ir_call(f, VREG_NONE, BPF_FUNC_probe_read_kernel,
		IR_ARGS(rt_alui(f, IRA_ADD, st, to), ir_imm(f, n), rt_alui(f, IRA_ADD, p, off)));
}

/* A frame in no area may be the address of return probes: the true one takes its place in the next iteration.
 * Jumps to none when it is not that. */
static void emit_return(struct irfn *f, const struct uw *u, vreg st, vreg n, irlabel none)
{
	vreg pc = ir_new(f);

	uw_call(f, u, pc, u->find_return, IR_ARGS(rt_alui(f, IRA_SUB, rt_ld(f, st, ST(sp)), 8)));
	ir_jcci(f, IRC_EQ, pc, 0, none);
	ir_store(f, st, ST(pc), 8, pc);
	ir_store(f, st, ST(n), 8, n);
	ir_reti(f, 0);
}

/* Keeps the frame pointer of the last frame, for code that knows more of it than a table says. */
static void emit_fp(struct irfn *f, vreg st)
{
	vreg last = rt_alui(f, IRA_SUB, rt_ld(f, st, ST(n)), 1);

	ir_alui(f, IRA_AND, last, last, RT_UNWIND_MAX_FRAMES - 1); /* for the verifier */
	ir_store(f, rt_alu(f, IRA_ADD, st, rt_alui(f, IRA_SHL, last, 3)), ST(fps), 8, rt_ld(f, st, ST(bp)));
}

/* frame(i, &state): one frame is written, and its caller looked for. */
static struct irfn *emit_frame(struct irprog *p, const struct uw *u)
{
	struct irfn *f = irfn_new(p, "uw_frame", 2);
	vreg st = rt_ld(f, irfn_arg(f, 1), 0), pc, n, at;
	irlabel stop = ir_label(f), known = ir_label(f), other = ir_label(f), hotspot = ir_label(f),
		by_bp = ir_label(f);
	const struct uw_ways w = { ir_label(f), ir_label(f), ir_label(f), ir_label(f) };

	pc = rt_ld(f, st, ST(pc));
	n = rt_ld(f, st, ST(n));
	ir_jcc(f, IRC_GE, n, rt_ld(f, st, ST(bound)), stop);
	ir_jcci(f, IRC_GE, n, RT_UNWIND_MAX_FRAMES, stop);
	ir_store(f, rt_alu(f, IRA_ADD, st, rt_alui(f, IRA_SHL, n, 3)), ST(frames), 8, pc);
	ir_storei(f, rt_alu(f, IRA_ADD, st, rt_alui(f, IRA_SHL, n, 3)), ST(fps), 8, 0);
	ir_store(f, st, ST(n), 8, rt_alui(f, IRA_ADD, n, 1));
	at = rt_alu(f, IRA_SUB, pc, rt_ld(f, st, ST(back)));
	if (u->hotspot)
		uw_emit_hotspot(f, u, st, at, hotspot);
	ir_jcc(f, IRC_LT, rt_alu(f, IRA_SUB, at, rt_ld(f, st, ST(start))), rt_ld(f, st, ST(len)), known);
	uw_emit_area(f, u, st, at, u->ret ? other : w.none);
	ir_place(f, known);
	uw_emit_rule(f, u, st, rt_alu(f, IRA_SUB, at, rt_ld(f, st, ST(bias))), &w);
	ir_place(f, hotspot);
	if (u->hotspot)
		uw_emit_hotspot_step(f, u, st, at, &w, by_bp);
	ir_place(f, other);
	if (u->ret)
		emit_return(f, u, st, n, w.none);
	ir_place(f, w.none);
	emit_fp(f, st);
	ir_place(f, by_bp);
	uw_emit_by_bp(f, u, st, &w);
	ir_place(f, w.next);
	ir_reti(f, 0);
	ir_place(f, w.fault);
	ir_storei(f, st, ST(flags), 8, RT_UNWIND_FAULT);
	ir_reti(f, 1);
	ir_place(f, w.end);
	ir_storei(f, st, ST(flags), 8, 0);
	ir_place(f, stop);
	ir_reti(f, 1);
	return f;
}

/* Frame pointers only: no mapping is known, and none is asked for. */
static void emit_no_proc(struct irfn *f, vreg st)
{
	ir_storei(f, st, ST(first), 8, 0);
	ir_storei(f, st, ST(count), 8, 0);
	ir_storei(f, st, ST(ask), 8, 0);
}

/* The areas of the process into the state. A process that is not known is asked for. The walk uses the mappings that
 * the kernel tells of. It jumps to none if that is impossible, or nothing is known of the process's code. */
static void emit_proc(struct irfn *f, const struct uw *u, vreg st, irlabel none)
{
	vreg m = ir_new(f), e = ir_new(f), want = ir_new(f), v = ir_new(f), start = irfn_arg(f, 2);
	irslot tgid = ir_slot(f, 8), wish = ir_slot(f, 8);
	irlabel unknown = ir_label(f), known = ir_label(f), out = ir_label(f);

	ir_store_slot(f, tgid, 0, 8, irfn_arg(f, 1));
	ir_map(f, m, u->maps->procs);
	ir_call(f, e, BPF_FUNC_map_lookup_elem, IR_ARGS(m, rt_slot_addr(f, tgid)));
	ir_jcci(f, IRC_EQ, e, 0, unknown);
	ir_load(f, v, e, offsetof(struct uw_proc, start), 8);
	ir_jcci(f, IRC_EQ, v, 0, known);
	ir_jcc(f, IRC_EQ, v, start, known);
	ir_place(f, unknown);
	ir_store_slot(f, wish, 0, 8, start);
	ir_map(f, want, u->maps->want);
	ir_call(f, VREG_NONE, BPF_FUNC_map_update_elem,
		IR_ARGS(want, rt_slot_addr(f, tgid), rt_slot_addr(f, wish), ir_imm(f, BPF_ANY)));
	if (!u->o)
		ir_jmp(f, none);
	ir_storei(f, st, ST(first), 8, 0);
	ir_storei(f, st, ST(count), 8, 0);
	ir_storei(f, st, ST(ask), 8, RT_UNWIND_ASK_NEW);
	ir_jmp(f, out);
	ir_place(f, known);
	ir_load(f, v, e, offsetof(struct uw_proc, first), 4);
	ir_store(f, st, ST(first), 8, v);
	ir_load(f, v, e, offsetof(struct uw_proc, count), 4);
	ir_store(f, st, ST(count), 8, v);
	ir_storei(f, st, ST(ask), 8, RT_UNWIND_ASK_OLD);
	ir_jcci(f, IRC_EQ, v, 0, none);
	ir_place(f, out);
}

#define WALK_ARGS 3 /* of the walk: n, tgid, start */

/* The user side's registers. By a probe read: each typed load would cost the verifier a search through all of
 * the kernel's types. The window is not in use yet. */
static void emit_regs(struct irfn *f, const struct uw *u, vreg st, irlabel none)
{
	const struct {
		uint16_t from;
		int32_t to;
	} regs[] = { { u->m->bp, ST(bp) },
		     { u->m->third, ST(third) },
		     { u->m->sp, ST(sp) },
		     { u->m->pc, ST(pc) },
		     { u->m->r13 ? u->m->r13 : u->m->third, ST(r13) } };
	uint32_t lo = UINT32_MAX, hi = 0;
	vreg task = uw_task(f, u, WALK_ARGS), r = ir_new(f);

	for (unsigned i = 0; i < sizeof(regs) / sizeof(regs[0]); i++) {
		lo = regs[i].from < lo ? regs[i].from : lo;
		hi = regs[i].from > hi ? regs[i].from : hi;
	}
	ir_call(f, r, BPF_FUNC_task_pt_regs, IR_ARGS(task));
	uw_peek(f, st, ST(window), hi + 8 - lo, r, lo);
	for (unsigned i = 0; i < sizeof(regs) / sizeof(regs[0]); i++)
		ir_store(f, st, regs[i].to, 8, rt_ld(f, st, ST(window) + (int32_t)(regs[i].from - lo)));
	ir_jcci(f, IRC_EQ, rt_ld(f, st, ST(pc)), 0, none);
}

struct irfn *rt_unwind_emit(struct irprog *p, const struct caps *caps, const struct rt_unwind_machine *mach,
			    const struct rt_unwind_maps *m, const struct rt_unwind_offsets *o,
			    const struct rt_unwind_returns *ret, uint32_t scratch_key, enum rt_unwind_whose whose)
{
	const struct rtgen g = { .p = p, .caps = caps };
	struct uw u = { .maps = m, .o = o, .ret = ret, .m = mach, .scratch_key = scratch_key, .whose = whose };
	struct irfn *f = uw_task_fn(p, &u, "uw_walk", WALK_ARGS), *frame;
	bool current = whose == RT_UNWIND_CURRENT;
	irslot slot = ir_slot(f, current ? 8 : 16), key = ir_slot(f, 8);
	irlabel none = ir_label(f);
	vreg st, n;

	uw_area_functions(p, &u);
	uw_rule_functions(p, &u);
	u.find_return = ret ? uw_find_return(p, &g, &u) : NULL;
	if (mach->hotspot && whose != RT_UNWIND_OTHER_FP)
		u.hotspot = uw_hotspot_step(p, &u, &g);
	frame = emit_frame(p, &u);
	st = uw_lookup(f, m->scratch, key, ir_imm(f, scratch_key), none);
	ir_store_slot(f, slot, 0, 8, st);
	if (!current)
		ir_store_slot(f, slot, 8, 8, irfn_arg(f, WALK_ARGS));
	if (whose == RT_UNWIND_OTHER_FP)
		emit_no_proc(f, st);
	else
		emit_proc(f, &u, st, none);
	if (u.hotspot)
		uw_emit_hotspot_proc(f, &u, st, irfn_arg(f, 1), irfn_arg(f, 2));
	emit_regs(f, &u, st, none);
	for (int32_t at = ST(back); at <= ST(asked) + (int32_t)sizeof(struct uw_area) - 8; at += 8)
		ir_storei(f, st, at, 8, 0);
	ir_storei(f, st, ST(window_at), 8, 1);
	ir_storei(f, st, ST(n), 8, 0);
	ir_storei(f, st, ST(flags), 8, RT_UNWIND_CUT);
	ir_store(f, st, ST(bound), 8, irfn_arg(f, 0));
	/* twice: return addresses that probes have taken away cost an iteration each */
	rt_loop(f, &g, rt_alui(f, IRA_SHL, irfn_arg(f, 0), 1), frame, slot);
	n = rt_ld(f, st, ST(n));
	ir_alu(f, IRA_OR, n, n, rt_alui(f, IRA_SHL, rt_ld(f, st, ST(flags)), 32));
	ir_ret(f, n);
	ir_place(f, none);
	ir_reti(f, -1);
	return f;
}
