/* SPDX-License-Identifier: Apache-2.0 */
/* Emits code that finds the mapping of an address: among those that user space has stored for the process, or by
 * asking the kernel. */
#include "cg/rt/unwind_int.h"

/* find_area(first, count, at): the last area that begins at or before at, or the first. */
static struct irfn *emit_find_area(struct irprog *p, const struct uw *u)
{
	struct irfn *f = irfn_new(p, "uw_area", 3);
	vreg lo = ir_new(f), n = ir_new(f);
	irlabel done = ir_label(f);
	irslot key = ir_slot(f, 8);

	ir_global(f);
	ir_mov(f, lo, irfn_arg(f, 0));
	ir_mov(f, n, irfn_arg(f, 1));
	for (unsigned i = 0; i < UW_AREA_STEPS; i++)
		uw_search_step(f, u->maps->areas, key, lo, n, irfn_arg(f, 2), offsetof(struct uw_area, start), 8, done,
			       done);
	ir_place(f, done);
	ir_ret(f, lo);
	return f;
}

/* Places in the last answer of the kernel. */
#define ASKED(member) ((int32_t)(offsetof(struct rt_unwind_state, asked) + offsetof(struct uw_area, member)))

/* The mapping as the kernel describes it. */
enum { V_START = 0, V_END = 8, V_OFF = 16, V_KEY = 24, V_SIZE = V_KEY + sizeof(struct uw_file_key) };

/* Callback of bpf_find_vma(task, vma, v): by probe reads, as emit_regs() of unwind.c. */
static struct irfn *emit_vma(struct irprog *p, const struct rt_unwind_offsets *o)
{
	struct irfn *f = irfn_new(p, "uw_vma", 3);
	vreg vma = irfn_arg(f, 1), v = irfn_arg(f, 2), inode;
	const int32_t key = V_KEY;
	irlabel none = ir_label(f);

	uw_peek(f, v, key, 8, vma, o->vm_file);
	ir_jcci(f, IRC_EQ, rt_ld(f, v, key), 0, none);
	uw_peek(f, v, key, 8, rt_ld(f, v, key), o->f_inode);
	inode = rt_ld(f, v, key);
	uw_peek(f, v, key + (int32_t)offsetof(struct uw_file_key, size), 8, inode, o->i_size);
	uw_peek(f, v, V_OFF, 8, inode, o->i_sb);
	uw_peek(f, v, key + (int32_t)offsetof(struct uw_file_key, dev), 4, rt_ld(f, v, V_OFF), o->s_dev);
	uw_peek(f, v, key, 8, inode, o->i_ino);
	uw_peek(f, v, V_START, 8, vma, o->vm_start);
	uw_peek(f, v, V_END, 8, vma, o->vm_end);
	uw_peek(f, v, V_OFF, 8, vma, o->vm_pgoff);
	ir_store(f, v, V_OFF, 8, rt_alui(f, IRA_SHL, rt_ld(f, v, V_OFF), 12));
	ir_place(f, none);
	ir_reti(f, 0);
	return f;
}

/* find_vma(at): the same from the kernel, for mappings that user space has not told of. 1: found, and the
 * area is after the frames in the scratch map. */
static struct irfn *emit_find_vma(struct irprog *p, const struct uw *u)
{
	struct irfn *cb = emit_vma(p, u->o), *f = uw_task_fn(p, u, "uw_find_vma", 1);
	vreg at = irfn_arg(f, 0), fn = ir_new(f), r = ir_new(f), m = ir_new(f), e = ir_new(f), a;
	vreg v, from, shift, off;
	irslot vs = ir_slot(f, V_SIZE), key = ir_slot(f, 8);
	irlabel none = ir_label(f);

	for (int32_t i = 0; i < V_SIZE; i += 8)
		ir_storei_slot(f, vs, i, 8, 0);
	v = rt_slot_addr(f, vs);
	vreg task = uw_task(f, u, 1);

	ir_fnaddr(f, fn, cb);
	ir_call(f, r, BPF_FUNC_find_vma, IR_ARGS(task, at, fn, v, ir_imm(f, 0)));
	ir_jcci(f, IRC_NE, r, 0, none);
	ir_map(f, m, u->maps->files);
	ir_call(f, e, BPF_FUNC_map_lookup_elem, IR_ARGS(m, rt_alui(f, IRA_ADD, rt_slot_addr(f, vs), V_KEY)));
	ir_jcci(f, IRC_EQ, e, 0, none);
	a = uw_lookup(f, u->maps->scratch, key, ir_imm(f, u->scratch_key), none);
	v = rt_slot_addr(f, vs);
	from = rt_ld(f, v, V_START);
	shift = rt_alu(f, IRA_SUB, rt_ld(f, v, V_OFF), from);
	off = rt_alu(f, IRA_ADD, at, shift);
	ir_jcc(f, IRC_LT, off, rt_ld(f, e, offsetof(struct uw_file, off)), none);
	ir_jcc(f, IRC_GE, off, rt_ld(f, e, offsetof(struct uw_file, end)), none);
	ir_store(f, a, ASKED(start), 8, from);
	ir_store(f, a, ASKED(end), 8, rt_ld(f, v, V_END));
	shift = rt_alu(f, IRA_ADD, shift, rt_ld(f, e, offsetof(struct uw_file, delta)));
	ir_store(f, a, ASKED(bias), 8, rt_alui(f, IRA_NEG, shift, 0));
	ir_store(f, a, ASKED(index), 8, rt_ld(f, e, offsetof(struct uw_file, index)));
	ir_reti(f, 1);
	ir_place(f, none);
	ir_reti(f, 0);
	return f;
}

/* An area in memory into the state. */
static void take_area(struct irfn *f, vreg st, vreg e, int32_t off)
{
	vreg from = rt_ld(f, e, off + (int32_t)offsetof(struct uw_area, start));
	vreg end = rt_ld(f, e, off + (int32_t)offsetof(struct uw_area, end));

	ir_store(f, st, ST(start), 8, from);
	ir_store(f, st, ST(len), 8, rt_alu(f, IRA_SUB, end, from));
	ir_store(f, st, ST(bias), 8, rt_ld(f, e, off + (int32_t)offsetof(struct uw_area, bias)));
	ir_store(f, st, ST(index), 8, rt_ld(f, e, off + (int32_t)offsetof(struct uw_area, index)));
}

/* Asks the kernel for the area of address at, while that is allowed, and unless it is the one that was last asked for.
 * With interrupts off the kernel answers once only. */
static void ask_area(struct irfn *f, const struct uw *u, vreg st, vreg at, irlabel none)
{
	vreg ask, r = ir_new(f), from = rt_ld(f, st, ASKED(start));
	irlabel take = ir_label(f);

	ir_jcc(f, IRC_LT, rt_alu(f, IRA_SUB, at, from), rt_alu(f, IRA_SUB, rt_ld(f, st, ASKED(end)), from), take);
	ask = rt_ld(f, st, ST(ask));
	ir_jcci(f, IRC_EQ, ask, 0, none);
	ir_store(f, st, ST(ask), 8, rt_alui(f, IRA_SUB, ask, 1));
	uw_call(f, u, r, u->find_vma, IR_ARGS(at));
	ir_jcci(f, IRC_EQ, r, 0, none);
	ir_place(f, take);
	take_area(f, st, st, ST(asked));
}

void uw_emit_area(struct irfn *f, const struct uw *u, vreg st, vreg at, irlabel none)
{
	vreg lo = ir_new(f), e;
	irlabel out = ir_label(f), ask = ir_label(f);
	irslot key = ir_slot(f, 8);

	ir_jcci(f, IRC_EQ, rt_ld(f, st, ST(count)), 0, ask);
	ir_call_fn(f, lo, u->find_area, IR_ARGS(rt_ld(f, st, ST(first)), rt_ld(f, st, ST(count)), at));
	e = uw_lookup(f, u->maps->areas, key, lo, ask);
	ir_jcc(f, IRC_LT, at, rt_ld(f, e, offsetof(struct uw_area, start)), ask);
	ir_jcc(f, IRC_GE, at, rt_ld(f, e, offsetof(struct uw_area, end)), ask);
	take_area(f, st, e, 0);
	ir_jmp(f, out);
	ir_place(f, ask);
	if (u->o)
		ask_area(f, u, st, at, none);
	else
		ir_jmp(f, none);
	ir_place(f, out);
}

void uw_area_functions(struct irprog *p, struct uw *u)
{
	u->find_area = emit_find_area(p, u);
	u->find_vma = u->o ? emit_find_vma(p, u) : NULL;
}
