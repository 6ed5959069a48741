/* SPDX-License-Identifier: Apache-2.0 */
/* The walk of user stacks by unwinding tables. One iteration of bpf_loop() per frame:
 *
 *     dst[i] = pc
 *     area = mapping of pc (the last one, or by binary search)     none: frame pointer
 *     rule = row of pc in its table (index by bucket, then binary search)
 *     cfa = by the rule; bp, bx, pc = words below it; sp = cfa
 *
 * Searches are unrolled: their steps are few, and a map lookup by index is a few instructions, as the
 * verifier turns it into an array access. The walk and the searches are global functions: the verifier looks
 * at each once, however often a program takes a stack. They take numbers only, so the frames are left in
 * a scratch map, from where who called copies them. */
#include "cg/rt_unwind.h"
#include "base/unwindfmt.h"
#include "cg/rt_int.h"

/* User registers as the kernel saves them. Source: arch/x86/include/uapi/asm/ptrace.h, x86-64. */
enum { REGS_BP = 32, REGS_BX = 40, REGS_DI = 112, REGS_IP = 128, REGS_SP = 152 };
/* The same in struct ucontext. Source: arch/x86/include/uapi/asm/sigcontext.h, behind uc_flags, uc_link and
 * uc_stack (40 bytes). */
enum { UC_BP = 120, UC_BX = 128, UC_SP = 160, UC_IP = 168 };

/* State of a walk. BX and BP of a caller are read only when a rule needs them: often none does. BP and PC lie
 * as they do on the stack, so that one read gets both. */
enum {
	U_DST = 0, U_FIRST = 8, U_COUNT = 16, /* of areas */
	U_BX = 24, U_BP = 32, U_PC = 40, U_SP = 48,
	U_EXACT = 56, /* 1: pc is where it goes on; 0: a return address, behind the call */
	U_START = 64, U_LEN = 72, U_BIAS = 80, U_INDEX = 88, /* the last area; INDEX: index | nindex << 32 */
	U_N = 96, U_FLAGS = 104, U_ASK = 112,
	U_BX_AT = 120, U_BP_AT = 128, /* where the register was saved, or 0: its value is in U_BX, U_BP */
	U_BOUND = 136, /* frames wanted */
	U_SIZE = 144,
};

struct uw {
	const struct rt_unwind_maps *maps;
	const struct rt_unwind_offsets *o;
	const struct rt_unwind_returns *ret;
	uint32_t scratch_key;
	struct irfn *find_return;
	struct irfn *find_area, *find_rule, *find_vma, *by_bp, *apply;
};

bool rt_unwind_possible(const struct caps *caps)
{
#if defined(__x86_64__)
	return caps->bpf_loop && caps->task_pt_regs;
#else
	(void)caps;
	return false; /* the rows are made for arm64, too; the walk is not */
#endif
}

/* map[key] of an array: a pointer, or a jump to none. */
static vreg lookup(struct irfn *f, uint32_t map, irslot key_slot, vreg key, irlabel none)
{
	vreg m = ir_new(f), d = ir_new(f);

	ir_store_slot(f, key_slot, 0, 4, key);
	ir_map(f, m, map);
	ir_call(f, d, BPF_FUNC_map_lookup_elem, IR_ARGS(m, rt_slot_addr(f, key_slot)));
	ir_jcci(f, IRC_EQ, d, 0, none);
	return d;
}

/* n bytes of user memory into the state at off; r < 0: it cannot be read (off is 0 then). */
static vreg read_user(struct irfn *f, vreg st, int32_t off, uint32_t n, vreg addr)
{
	vreg r = ir_new(f);

	ir_call(f, r, BPF_FUNC_probe_read_user,
		IR_ARGS(rt_alui(f, IRA_ADD, st, off), ir_imm(f, n), addr));
	return r;
}

/* One step of a binary search in [lo, lo + n): the right half when the word of size bytes at off of its first
 * element is not above at. Jumps to done when one element is left. Without a branch for the halves: each
 * would double what the verifier has to look at. */
static void search_step(struct irfn *f, uint32_t map, irslot key, vreg lo, vreg n, vreg at, int32_t off,
			unsigned size, irlabel done, irlabel none)
{
	vreg half, e, v = ir_new(f);

	ir_jcci(f, IRC_LE, n, 1, done);
	half = rt_alui(f, IRA_SHR, n, 1);
	e = lookup(f, map, key, rt_alu(f, IRA_ADD, lo, half), none);
	ir_load(f, v, e, off, size);
	ir_alu(f, IRA_SUB, n, n, half);
	ir_alu(f, IRA_SUB, v, at, v);
	ir_alui(f, IRA_SAR, v, v, 63); /* -1: above */
	ir_alui(f, IRA_XOR, v, v, -1);
	ir_alu(f, IRA_AND, v, v, half);
	ir_alu(f, IRA_ADD, lo, lo, v);
}

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
		search_step(f, u->maps->areas, key, lo, n, irfn_arg(f, 2),
			    offsetof(struct uw_area, start), 8, done, done);
	ir_place(f, done);
	ir_ret(f, lo);
	return f;
}

/* Behind the frames in the scratch map: a struct uw_area. */
#define SCRATCH(member) ((int32_t)(RT_UNWIND_MAX_FRAMES * 8 + offsetof(struct uw_area, member)))

/* What the kernel says of a mapping. */
enum { V_START = 0, V_END = 8, V_OFF = 16, V_KEY = 24, V_SIZE = V_KEY + sizeof(struct uw_file_key) };

/* n bytes of kernel memory at p + off to st + to. */
static void peek(struct irfn *f, vreg st, int32_t to, uint32_t n, vreg p, uint32_t off)
{
	ir_call(f, VREG_NONE, BPF_FUNC_probe_read_kernel,
		IR_ARGS(rt_alui(f, IRA_ADD, st, to), ir_imm(f, n), rt_alui(f, IRA_ADD, p, off)));
}

/* Callback of bpf_find_vma(task, vma, v): by probe reads, as emit_regs(). */
static struct irfn *emit_vma(struct irprog *p, const struct rt_unwind_offsets *o)
{
	struct irfn *f = irfn_new(p, "uw_vma", 3);
	vreg vma = irfn_arg(f, 1), v = irfn_arg(f, 2), inode;
	const int32_t key = V_KEY;
	irlabel none = ir_label(f);

	peek(f, v, key, 8, vma, o->vm_file);
	ir_jcci(f, IRC_EQ, rt_ld(f, v, key), 0, none);
	peek(f, v, key, 8, rt_ld(f, v, key), o->f_inode);
	inode = rt_ld(f, v, key);
	peek(f, v, key + (int32_t)offsetof(struct uw_file_key, size), 8, inode, o->i_size);
	peek(f, v, V_OFF, 8, inode, o->i_sb);
	peek(f, v, key + (int32_t)offsetof(struct uw_file_key, dev), 4, rt_ld(f, v, V_OFF), o->s_dev);
	peek(f, v, key, 8, inode, o->i_ino);
	peek(f, v, V_START, 8, vma, o->vm_start);
	peek(f, v, V_END, 8, vma, o->vm_end);
	peek(f, v, V_OFF, 8, vma, o->vm_pgoff);
	ir_store(f, v, V_OFF, 8, rt_alui(f, IRA_SHL, rt_ld(f, v, V_OFF), 12));
	ir_place(f, none);
	ir_reti(f, 0);
	return f;
}

/* find_vma(at): the same from the kernel, for mappings that user space has not told of. 1: found, and the
 * area is behind the frames in the scratch map. */
static struct irfn *emit_find_vma(struct irprog *p, const struct uw *u)
{
	struct irfn *cb = emit_vma(p, u->o), *f = irfn_new(p, "uw_find_vma", 1);
	vreg at = irfn_arg(f, 0), fn = ir_new(f), r = ir_new(f), m = ir_new(f), e = ir_new(f), a;
	vreg task = ir_new(f), v, from, shift, off;
	irslot vs = ir_slot(f, V_SIZE), key = ir_slot(f, 8);
	irlabel none = ir_label(f);

	ir_global(f);
	for (int32_t i = 0; i < V_SIZE; i += 8)
		ir_storei_slot(f, vs, i, 8, 0);
	v = rt_slot_addr(f, vs);
	ir_call(f, task, BPF_FUNC_get_current_task_btf, 0, NULL);
	ir_fnaddr(f, fn, cb);
	ir_call(f, r, BPF_FUNC_find_vma, IR_ARGS(task, at, fn, v, ir_imm(f, 0)));
	ir_jcci(f, IRC_NE, r, 0, none);
	ir_map(f, m, u->maps->files);
	ir_call(f, e, BPF_FUNC_map_lookup_elem, IR_ARGS(m, rt_alui(f, IRA_ADD, rt_slot_addr(f, vs), V_KEY)));
	ir_jcci(f, IRC_EQ, e, 0, none);
	a = lookup(f, u->maps->scratch, key, ir_imm(f, u->scratch_key), none);
	v = rt_slot_addr(f, vs);
	from = rt_ld(f, v, V_START);
	shift = rt_alu(f, IRA_SUB, rt_ld(f, v, V_OFF), from);
	off = rt_alu(f, IRA_ADD, at, shift);
	ir_jcc(f, IRC_LT, off, rt_ld(f, e, offsetof(struct uw_file, off)), none);
	ir_jcc(f, IRC_GE, off, rt_ld(f, e, offsetof(struct uw_file, end)), none);
	ir_store(f, a, SCRATCH(start), 8, from);
	ir_store(f, a, SCRATCH(end), 8, rt_ld(f, v, V_END));
	shift = rt_alu(f, IRA_ADD, shift, rt_ld(f, e, offsetof(struct uw_file, delta)));
	ir_store(f, a, SCRATCH(bias), 8, rt_alui(f, IRA_NEG, shift, 0));
	ir_store(f, a, SCRATCH(index), 8, rt_ld(f, e, offsetof(struct uw_file, index)));
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

	ir_store(f, st, U_START, 8, from);
	ir_store(f, st, U_LEN, 8, rt_alu(f, IRA_SUB, end, from));
	ir_store(f, st, U_BIAS, 8, rt_ld(f, e, off + (int32_t)offsetof(struct uw_area, bias)));
	ir_store(f, st, U_INDEX, 8, rt_ld(f, e, off + (int32_t)offsetof(struct uw_area, index)));
}

/* Asks the kernel for the area of address at, while that is allowed, and unless it is the one that was last
 * asked for: with interrupts off the kernel answers once only. */
static void ask_area(struct irfn *f, const struct uw *u, vreg st, vreg at, irlabel none)
{
	vreg ask, r = ir_new(f), scratch = rt_ld(f, st, U_DST), from = rt_ld(f, scratch, SCRATCH(start));
	irlabel take = ir_label(f);

	ir_jcc(f, IRC_LT, rt_alu(f, IRA_SUB, at, from),
	       rt_alu(f, IRA_SUB, rt_ld(f, scratch, SCRATCH(end)), from), take);
	ask = rt_ld(f, st, U_ASK);
	ir_jcci(f, IRC_EQ, ask, 0, none);
	/* unknown to the verifier: it would walk all the numbers */
	ir_store(f, st, U_ASK, 8, rt_blur(f, rt_alui(f, IRA_SUB, ask, 1), at));
	ir_call_fn(f, r, u->find_vma, IR_ARGS(at));
	ir_jcci(f, IRC_EQ, r, 0, none);
	ir_place(f, take);
	take_area(f, st, rt_ld(f, st, U_DST), SCRATCH(start));
}

/* The area of address at into the state; jumps to none when it is in none. */
static void emit_area(struct irfn *f, const struct uw *u, vreg st, vreg at, irslot key, irlabel none)
{
	vreg lo = ir_new(f), e;
	irlabel out = ir_label(f), ask = ir_label(f);

	ir_jcci(f, IRC_EQ, rt_ld(f, st, U_COUNT), 0, ask);
	ir_call_fn(f, lo, u->find_area, IR_ARGS(rt_ld(f, st, U_FIRST), rt_ld(f, st, U_COUNT), at));
	e = lookup(f, u->maps->areas, key, lo, ask);
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

/* find_rule(off, index | nindex << 32): the rule at an address of a table. */
static struct irfn *emit_find_rule(struct irprog *p, const struct uw *u)
{
	struct irfn *f = irfn_new(p, "uw_rule", 2);
	vreg off = irfn_arg(f, 0), where = irfn_arg(f, 1), lo = ir_new(f), n, e, b, rule = ir_new(f);
	irlabel none = ir_label(f), done = ir_label(f);
	irslot key = ir_slot(f, 8);

	ir_global(f);
	b = rt_alui(f, IRA_SHR, off, UW_BUCKET_SHIFT);
	ir_jcc(f, IRC_GE, b, rt_alui(f, IRA_SHR, where, 32), none);
	e = rt_ld(f, lookup(f, u->maps->tables, key, rt_alu(f, IRA_ADD, b, where), none), 0);
	ir_ext(f, lo, e, 4, false);
	n = rt_alui(f, IRA_SHR, e, 32);
	for (unsigned i = 0; i < UW_ROW_STEPS; i++)
		search_step(f, u->maps->tables, key, lo, n, off, 0, 4, done, none);
	ir_place(f, done);
	ir_load(f, rule, lookup(f, u->maps->tables, key, lo, none), 4, 4);
	ir_ret(f, rule);
	ir_place(f, none);
	ir_reti(f, UW_NONE);
	return f;
}

/* The value of a register that may have been saved. A read that fails gives 0, which is not taken for an
 * address of the stack. */
static vreg saved_reg(struct irfn *f, vreg st, int32_t val, int32_t at)
{
	vreg addr = rt_ld(f, st, at);
	irlabel have = ir_label(f);

	ir_jcci(f, IRC_EQ, addr, 0, have);
	read_user(f, st, val, 8, addr);
	ir_storei(f, st, at, 8, 0);
	ir_place(f, have);
	return rt_ld(f, st, val);
}

/* by_bp(state): the caller by the frame pointer. 0, or 1: the walk ends here, with U_FLAGS. */
static struct irfn *emit_by_bp(struct irprog *p)
{
	struct irfn *f = irfn_new(p, "uw_by_bp", 1);
	vreg st = irfn_arg(f, 0), bp, size, r;
	irlabel fault = ir_label(f), end = ir_label(f);

	bp = saved_reg(f, st, U_BP, U_BP_AT);
	ir_jcci(f, IRC_EQ, bp, 0, end); /* what the ABI asks of the outermost frame */
	ir_jcci(f, IRC_NE, rt_alui(f, IRA_AND, bp, 7), 0, fault);
	size = rt_alu(f, IRA_SUB, bp, rt_ld(f, st, U_SP));
	ir_jcci(f, IRC_GT, size, RT_UNWIND_MAX_FRAME, fault);
	r = read_user(f, st, U_BP, 16, bp);
	ir_jcci(f, IRC_SLT, r, 0, fault);
	ir_store(f, st, U_SP, 8, rt_alui(f, IRA_ADD, bp, 16));
	ir_storei(f, st, U_EXACT, 8, 0);
	ir_reti(f, 0);
	ir_place(f, fault);
	ir_storei(f, st, U_FLAGS, 8, RT_UNWIND_FAULT);
	ir_reti(f, 1);
	ir_place(f, end);
	ir_storei(f, st, U_FLAGS, 8, 0);
	ir_reti(f, 1);
	return f;
}

/* The registers from a struct ucontext at sp + off. */
static void emit_signal(struct irfn *f, vreg st, vreg off, irlabel fault)
{
	static const struct {
		int32_t from, to;
	} regs[] = { { UC_BP, U_BP }, { UC_BX, U_BX }, { UC_IP, U_PC }, { UC_SP, U_SP } };
	vreg at = rt_alu(f, IRA_ADD, rt_ld(f, st, U_SP), off);

	for (unsigned i = 0; i < sizeof(regs) / sizeof(regs[0]); i++)
		ir_jcci(f, IRC_SLT, read_user(f, st, regs[i].to, 8, rt_alui(f, IRA_ADD, at, regs[i].from)),
			0, fault);
	ir_storei(f, st, U_BP_AT, 8, 0);
	ir_storei(f, st, U_BX_AT, 8, 0);
	ir_storei(f, st, U_EXACT, 8, 1);
	ir_reti(f, 0);
}

/* vfork(): the return address is in a register, which only the innermost frame still has. */
static void emit_ra_di(struct irfn *f, vreg st, vreg off, irlabel fault)
{
	vreg task = ir_new(f), r = ir_new(f), e = ir_new(f), p;

	ir_jcci(f, IRC_NE, rt_ld(f, st, U_N), 1, fault);
	ir_store(f, st, U_SP, 8, rt_alu(f, IRA_ADD, rt_ld(f, st, U_SP), off));
	ir_call(f, task, BPF_FUNC_get_current_task_btf, 0, NULL);
	ir_call(f, r, BPF_FUNC_task_pt_regs, IR_ARGS(task));
	p = rt_alui(f, IRA_ADD, st, U_PC);
	ir_call(f, e, BPF_FUNC_probe_read_kernel, IR_ARGS(p, ir_imm(f, 8), rt_alui(f, IRA_ADD, r, REGS_DI)));
	ir_jcci(f, IRC_SLT, e, 0, fault);
	ir_storei(f, st, U_EXACT, 8, 0);
	ir_reti(f, 0);
}

/* cfa by the rule; jumps to fault, and to end for the outermost function. Signal frames and vfork() return. */
static vreg emit_cfa(struct irfn *f, vreg st, vreg rule, irlabel fault, irlabel end)
{
	vreg kind = rt_alui(f, IRA_AND, rule, 15), cfa = ir_new(f), off = ir_new(f), low;
	irlabel have = ir_label(f), l_sp = ir_label(f), l_bp = ir_label(f), l_bx = ir_label(f);
	irlabel l_deref = ir_label(f), l_signal = ir_label(f), plt8 = ir_label(f);
	irlabel l_di = ir_label(f);

	ir_alui(f, IRA_SHL, off, rule, 32);
	ir_alui(f, IRA_SAR, off, off, 48);
	ir_jcci(f, IRC_EQ, kind, UW_END, end);
	low = rt_alui(f, IRA_AND, rt_ld(f, st, U_PC), 15);
	ir_movi(f, cfa, 16);
	ir_jcci(f, IRC_NE, kind, UW_PLT, l_sp);
	ir_jcc(f, IRC_SGE, low, off, plt8);
	ir_movi(f, cfa, 8);
	ir_place(f, plt8);
	ir_alu(f, IRA_ADD, cfa, cfa, rt_ld(f, st, U_SP));
	ir_jmp(f, have);
	ir_place(f, l_sp);
	ir_alui(f, IRA_SHL, off, off, 3);
	ir_jcci(f, IRC_NE, kind, UW_SP, l_bp);
	ir_alu(f, IRA_ADD, cfa, off, rt_ld(f, st, U_SP));
	ir_jmp(f, have);
	ir_place(f, l_bp);
	ir_jcci(f, IRC_NE, kind, UW_BP, l_bx);
	ir_alu(f, IRA_ADD, cfa, off, saved_reg(f, st, U_BP, U_BP_AT));
	ir_jmp(f, have);
	ir_place(f, l_bx);
	ir_jcci(f, IRC_NE, kind, UW_BX, l_deref);
	ir_alu(f, IRA_ADD, cfa, off, saved_reg(f, st, U_BX, U_BX_AT));
	ir_jmp(f, have);
	ir_place(f, l_deref);
	ir_jcci(f, IRC_NE, kind, UW_BP_DEREF, l_signal);
	/* into U_PC, which is read anew from the stack anyway */
	ir_alu(f, IRA_ADD, off, off, saved_reg(f, st, U_BP, U_BP_AT));
	ir_jcci(f, IRC_SLT, read_user(f, st, U_PC, 8, off), 0, fault);
	ir_load(f, cfa, st, U_PC, 8);
	ir_jmp(f, have);
	ir_place(f, l_signal);
	ir_jcci(f, IRC_NE, kind, UW_SIGNAL, l_di);
	emit_signal(f, st, off, fault);
	ir_place(f, l_di);
	ir_jcci(f, IRC_NE, kind, UW_RA_DI, fault);
	emit_ra_di(f, st, off, fault);
	ir_place(f, have);
	ir_jcc(f, IRC_LE, cfa, rt_ld(f, st, U_SP), fault);
	return cfa;
}

/* The address n words below the CFA. */
static vreg below(struct irfn *f, vreg cfa, vreg n)
{
	return rt_alu(f, IRA_SUB, cfa, rt_alui(f, IRA_SHL, n, 3));
}

/* Where the caller's frame pointer and third register are: n words below the CFA. */
static void emit_saved(struct irfn *f, vreg st, vreg rule, vreg cfa)
{
	vreg nbp = rt_alui(f, IRA_AND, rt_alui(f, IRA_SHR, rule, 4), 127);
	vreg nbx = rt_alui(f, IRA_AND, rt_alui(f, IRA_SHR, rule, 11), 31);
	irlabel bx = ir_label(f), out = ir_label(f), mem = ir_label(f), not_at = ir_label(f);
	irlabel bx_mem = ir_label(f);

	ir_jcci(f, IRC_EQ, nbp, 0, bx);
	ir_jcci(f, IRC_LE, nbp, UW_BP_MAX, mem);
	ir_jcci(f, IRC_NE, nbp, UW_BP_AT_BP, not_at);
	ir_store(f, st, U_BP_AT, 8, saved_reg(f, st, U_BP, U_BP_AT));
	ir_jmp(f, bx);
	ir_place(f, not_at);
	ir_storei(f, st, U_BP_AT, 8, 0);
	ir_storei(f, st, U_BP, 8, 0);
	ir_jmp(f, bx);
	ir_place(f, mem);
	ir_store(f, st, U_BP_AT, 8, below(f, cfa, nbp));
	ir_place(f, bx);
	ir_jcci(f, IRC_EQ, nbx, 0, out);
	ir_jcci(f, IRC_LE, nbx, UW_BX_MAX, bx_mem);
	ir_storei(f, st, U_BX_AT, 8, 0);
	ir_storei(f, st, U_BX, 8, 0);
	ir_jmp(f, out);
	ir_place(f, bx_mem);
	ir_store(f, st, U_BX_AT, 8, below(f, cfa, nbx));
	ir_place(f, out);
}

/* apply(state, rule): the caller by a rule. 0, or 1: the walk ends here, with U_FLAGS. */
static struct irfn *emit_apply(struct irprog *p)
{
	struct irfn *f = irfn_new(p, "uw_apply", 2);
	vreg st = irfn_arg(f, 0), rule = irfn_arg(f, 1), cfa;
	irlabel fault = ir_label(f), end = ir_label(f);

	cfa = emit_cfa(f, st, rule, fault, end);
	emit_saved(f, st, rule, cfa);
	ir_jcci(f, IRC_SLT, read_user(f, st, U_PC, 8, rt_alui(f, IRA_SUB, cfa, 8)), 0, fault);
	ir_store(f, st, U_SP, 8, cfa);
	ir_storei(f, st, U_EXACT, 8, 0);
	ir_reti(f, 0);
	ir_place(f, fault);
	ir_storei(f, st, U_FLAGS, 8, RT_UNWIND_FAULT);
	ir_reti(f, 1);
	ir_place(f, end);
	ir_storei(f, st, U_FLAGS, 8, 0);
	ir_reti(f, 1);
	return f;
}

/* State of the search through a thread's return probes. */
enum { R_AT = 0, R_WANT = 8, R_FOUND = 16, R_TMP = 24, R_SIZE = 32 };

static struct irfn *emit_return_cb(struct irprog *p, const struct rt_unwind_returns *o)
{
	struct irfn *f = irfn_new(p, "uw_return", 2);
	vreg st = irfn_arg(f, 1), at = rt_ld(f, st, R_AT);
	irlabel end = ir_label(f), next = ir_label(f);

	ir_jcci(f, IRC_EQ, at, 0, end);
	peek(f, st, R_TMP, 8, at, o->stack);
	ir_jcc(f, IRC_NE, rt_ld(f, st, R_TMP), rt_ld(f, st, R_WANT), next);
	peek(f, st, R_FOUND, 8, at, o->orig);
	ir_place(f, end);
	ir_reti(f, 1);
	ir_place(f, next);
	peek(f, st, R_AT, 8, at, o->next);
	ir_reti(f, 0);
	return f;
}

/* find_return(at): the return address that a return probe has taken away from address at of the stack; 0:
 * none has. */
static struct irfn *emit_find_return(struct irprog *p, const struct rtgen *g, const struct rt_unwind_returns *o)
{
	struct irfn *cb = emit_return_cb(p, o), *f = irfn_new(p, "uw_find_return", 1);
	irslot st = ir_slot(f, R_SIZE);
	vreg task = ir_new(f), v, r = ir_new(f);
	irlabel none = ir_label(f);

	ir_global(f);
	ir_storei_slot(f, st, R_AT, 8, 0);
	ir_storei_slot(f, st, R_FOUND, 8, 0);
	ir_storei_slot(f, st, R_TMP, 8, 0);
	ir_store_slot(f, st, R_WANT, 8, irfn_arg(f, 0));
	ir_call(f, task, BPF_FUNC_get_current_task_btf, 0, NULL);
	v = rt_slot_addr(f, st);
	peek(f, v, R_AT, 8, task, o->utask);
	ir_jcci(f, IRC_EQ, rt_ld(f, v, R_AT), 0, none);
	peek(f, v, R_AT, 8, rt_ld(f, v, R_AT), o->instances);
	rt_loop(f, g, ir_imm(f, RT_UNWIND_RETURNS), cb, st);
	ir_load_slot(f, r, st, R_FOUND, 8);
	ir_ret(f, r);
	ir_place(f, none);
	ir_reti(f, 0);
	return f;
}

/* A frame in no area may be the address of return probes: the true one takes its place in the next iteration.
 * Jumps to none when it is not that. */
static void emit_return(struct irfn *f, const struct uw *u, vreg st, vreg n, irlabel none)
{
	vreg pc = ir_new(f);

	ir_call_fn(f, pc, u->find_return, IR_ARGS(rt_alui(f, IRA_SUB, rt_ld(f, st, U_SP), 8)));
	ir_jcci(f, IRC_EQ, pc, 0, none);
	ir_store(f, st, U_PC, 8, pc);
	ir_store(f, st, U_N, 8, n);
	ir_reti(f, 0);
}

/* One frame: written, and its caller looked for. */
static struct irfn *emit_frame(struct irprog *p, const struct uw *u)
{
	struct irfn *f = irfn_new(p, "uw_frame", 2);
	vreg st = irfn_arg(f, 1), pc, n, at = ir_new(f), rule = ir_new(f), r = ir_new(f), dst;
	irlabel stop = ir_label(f), known = ir_label(f), by_bp = ir_label(f), next = ir_label(f);
	irlabel other = ir_label(f);
	irslot key = ir_slot(f, 8);

	pc = rt_ld(f, st, U_PC);
	n = rt_blur(f, rt_ld(f, st, U_N), pc);
	ir_jcc(f, IRC_GE, n, rt_ld(f, st, U_BOUND), stop);
	ir_jcci(f, IRC_GE, n, RT_UNWIND_MAX_FRAMES, stop);
	dst = rt_alu(f, IRA_ADD, rt_ld(f, st, U_DST), rt_alui(f, IRA_SHL, n, 3));
	ir_store(f, dst, 0, 8, pc);
	ir_store(f, st, U_N, 8, rt_alui(f, IRA_ADD, n, 1));
	ir_alui(f, IRA_SUB, at, rt_alu(f, IRA_ADD, pc, rt_ld(f, st, U_EXACT)), 1);
	ir_jcc(f, IRC_LT, rt_alu(f, IRA_SUB, at, rt_ld(f, st, U_START)), rt_ld(f, st, U_LEN), known);
	emit_area(f, u, st, at, key, u->ret ? other : by_bp);
	ir_place(f, known);
	ir_call_fn(f, rule, u->find_rule,
		   IR_ARGS(rt_alu(f, IRA_SUB, at, rt_ld(f, st, U_BIAS)), rt_ld(f, st, U_INDEX)));
	ir_jcci(f, IRC_EQ, rt_alui(f, IRA_AND, rule, 15), UW_NONE, by_bp);
	ir_call_fn(f, r, u->apply, IR_ARGS(st, rule));
	ir_jmp(f, next);
	ir_place(f, other);
	if (u->ret)
		emit_return(f, u, st, n, by_bp);
	ir_place(f, by_bp);
	ir_call_fn(f, r, u->by_bp, IR_ARGS(st));
	ir_place(f, next);
	ir_jcci(f, IRC_NE, r, 0, stop);
	ir_storei(f, st, U_FLAGS, 8, 0);
	ir_jcci(f, IRC_EQ, rt_ld(f, st, U_PC), 0, stop); /* the bottom of a thread's stack */
	ir_storei(f, st, U_FLAGS, 8, RT_UNWIND_CUT);
	ir_reti(f, 0);
	ir_place(f, stop);
	ir_reti(f, 1);
	return f;
}

/* The areas of the process into the state. A process that is not known is asked for, and gets by with the
 * mappings that the kernel tells of; jumps to none when that cannot be, or nothing is known of its code. */
static void emit_proc(struct irfn *f, const struct uw *u, irslot st, irlabel none)
{
	vreg m = ir_new(f), e = ir_new(f), want = ir_new(f), v = ir_new(f), tgid = irfn_arg(f, 1);
	vreg key = ir_new(f), start = ir_new(f);
	irlabel unknown = ir_label(f), known = ir_label(f), out = ir_label(f);

	ir_store_slot(f, st, U_N, 8, tgid); /* their places are not in use yet */
	ir_store_slot(f, st, U_FLAGS, 8, irfn_arg(f, 2));
	ir_slot_addr(f, key, st, U_N);
	ir_slot_addr(f, start, st, U_FLAGS);
	ir_map(f, m, u->maps->procs);
	ir_call(f, e, BPF_FUNC_map_lookup_elem, IR_ARGS(m, key));
	ir_jcci(f, IRC_EQ, e, 0, unknown);
	ir_load(f, v, e, offsetof(struct uw_proc, start), 8);
	ir_jcci(f, IRC_EQ, v, 0, known);
	ir_jcc(f, IRC_EQ, v, irfn_arg(f, 2), known);
	ir_place(f, unknown);
	ir_map(f, want, u->maps->want);
	ir_call(f, VREG_NONE, BPF_FUNC_map_update_elem,
		IR_ARGS(want, key, start, ir_imm(f, BPF_ANY)));
	if (!u->o)
		ir_jmp(f, none);
	ir_storei_slot(f, st, U_FIRST, 8, 0);
	ir_storei_slot(f, st, U_COUNT, 8, 0);
	ir_storei_slot(f, st, U_ASK, 8, RT_UNWIND_ASK_NEW);
	ir_jmp(f, out);
	ir_place(f, known);
	ir_load(f, v, e, offsetof(struct uw_proc, first), 4);
	ir_store_slot(f, st, U_FIRST, 8, v);
	ir_load(f, v, e, offsetof(struct uw_proc, count), 4);
	ir_store_slot(f, st, U_COUNT, 8, v);
	ir_storei_slot(f, st, U_ASK, 8, RT_UNWIND_ASK_OLD);
	ir_jcci(f, IRC_EQ, v, 0, none);
	ir_place(f, out);
}

/* The user side's registers. By probe reads: each typed load would cost the verifier a search through all
 * of the kernel's types. The state's words from U_START on are not in use yet. */
static void emit_regs(struct irfn *f, irslot st, irlabel none)
{
	vreg task = ir_new(f), r = ir_new(f), p = ir_new(f), v = ir_new(f);

	ir_call(f, task, BPF_FUNC_get_current_task_btf, 0, NULL);
	ir_call(f, r, BPF_FUNC_task_pt_regs, IR_ARGS(task));
	ir_slot_addr(f, p, st, U_START);
	ir_call(f, VREG_NONE, BPF_FUNC_probe_read_kernel,
		IR_ARGS(p, ir_imm(f, 16), rt_alui(f, IRA_ADD, r, REGS_BP)));
	ir_load_slot(f, v, st, U_START, 8);
	ir_store_slot(f, st, U_BP, 8, v);
	ir_load_slot(f, v, st, U_START + REGS_BX - REGS_BP, 8);
	ir_store_slot(f, st, U_BX, 8, v);
	ir_slot_addr(f, p, st, U_START);
	ir_call(f, VREG_NONE, BPF_FUNC_probe_read_kernel,
		IR_ARGS(p, ir_imm(f, REGS_SP + 8 - REGS_IP), rt_alui(f, IRA_ADD, r, REGS_IP)));
	ir_load_slot(f, v, st, U_START + REGS_SP - REGS_IP, 8);
	ir_store_slot(f, st, U_SP, 8, v);
	ir_load_slot(f, v, st, U_START, 8);
	ir_store_slot(f, st, U_PC, 8, v);
	ir_jcci(f, IRC_EQ, v, 0, none);
}

struct irfn *rt_unwind_emit(struct irprog *p, const struct caps *caps, const struct rt_unwind_maps *m,
			    const struct rt_unwind_offsets *o, const struct rt_unwind_returns *ret,
			    uint32_t scratch_key)
{
	const struct rtgen g = { .p = p, .caps = caps };
	struct uw u = { .maps = m, .o = o, .ret = ret, .scratch_key = scratch_key };
	struct irfn *f = irfn_new(p, "uw_walk", 3), *frame;
	irslot st = ir_slot(f, U_SIZE), key = ir_slot(f, 8);
	irlabel none = ir_label(f);
	vreg n = ir_new(f), flags = ir_new(f), dst;

	ir_global(f);
	u.find_area = emit_find_area(p, &u);
	u.find_rule = emit_find_rule(p, &u);
	u.find_vma = o ? emit_find_vma(p, &u) : NULL;
	u.find_return = ret ? emit_find_return(p, &g, ret) : NULL;
	u.by_bp = emit_by_bp(p);
	u.apply = emit_apply(p);
	frame = emit_frame(p, &u);
	emit_proc(f, &u, st, none);
	dst = lookup(f, m->scratch, key, ir_imm(f, scratch_key), none);
	ir_store_slot(f, st, U_DST, 8, dst);
	ir_storei(f, dst, SCRATCH(start), 8, 0);
	ir_storei(f, dst, SCRATCH(end), 8, 0);
	emit_regs(f, st, none);
	ir_storei_slot(f, st, U_EXACT, 8, 1);
	for (int32_t at = U_START; at < U_SIZE; at += 8)
		if (at != U_ASK)
			ir_storei_slot(f, st, at, 8, 0);
	ir_store_slot(f, st, U_BOUND, 8, irfn_arg(f, 0));
	rt_vary(f, &g, st, U_BX, U_SIZE);
	/* twice: return addresses that probes have taken away cost an iteration each */
	rt_loop(f, &g, rt_alui(f, IRA_SHL, irfn_arg(f, 0), 1), frame, st);
	ir_load_slot(f, n, st, U_N, 8);
	ir_load_slot(f, flags, st, U_FLAGS, 8);
	ir_alui(f, IRA_SHL, flags, flags, 32);
	ir_alu(f, IRA_OR, n, n, flags);
	ir_ret(f, n);
	ir_place(f, none);
	ir_reti(f, -1);
	return f;
}
