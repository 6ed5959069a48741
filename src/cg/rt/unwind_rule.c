/* SPDX-License-Identifier: Apache-2.0 */
/* Emits code that goes from a frame to its caller, by the row of a table or by the frame pointer. */
#include "cg/rt/unwind_int.h"

/* Words of the stack lie at multiples of this. */
#define WORD 8
#define HASH_FACTOR 0x9e3779b97f4a7c15 /* 2^64 by the golden ratio */
#define CACHED(member) ((int32_t)(offsetof(struct rt_unwind_state, cache) + offsetof(struct rt_unwind_cached, member)))

/* find_rule(off, index | nindex << 32): the rule at an address of a table, which reaches that far. */
static struct irfn *emit_find_rule(struct irprog *p, const struct uw *u)
{
	struct irfn *f = irfn_new(p, "uw_rule", 2);
	vreg off = irfn_arg(f, 0), where = irfn_arg(f, 1), lo = ir_new(f), n, e, b, rule = ir_new(f);
	irlabel none = ir_label(f), done = ir_label(f);
	irslot key = ir_slot(f, 8);

	ir_global(f);
	b = rt_alui(f, IRA_SHR, off, UW_BUCKET_SHIFT);
	e = rt_ld(f, uw_lookup(f, u->maps->tables, key, rt_alu(f, IRA_ADD, b, where), none), 0);
	ir_ext(f, lo, e, 4, false);
	n = rt_alui(f, IRA_SHR, e, 32);
	for (unsigned i = 0; i < UW_ROW_STEPS; i++)
		uw_search_step(f, u->maps->tables, key, lo, n, off, 0, 4, done, none);
	ir_place(f, done);
	ir_load(f, rule, uw_lookup(f, u->maps->tables, key, lo, none), 4, 4);
	ir_ret(f, rule);
	ir_place(f, none);
	ir_reti(f, UW_NONE);
	return f;
}

/* The rule at an address of the last area's table; jumps to none where the table does not reach. */
static vreg emit_lookup(struct irfn *f, const struct uw *u, vreg st, vreg off, irlabel none)
{
	vreg where = rt_ld(f, st, ST(index)), key, at, rule = ir_new(f);
	irlabel miss = ir_label(f), out = ir_label(f);

	ir_jcc(f, IRC_GE, rt_alui(f, IRA_SHR, off, UW_BUCKET_SHIFT), rt_alui(f, IRA_SHR, where, 32), none);
	key = rt_alui(f, IRA_ADD, rt_alu(f, IRA_OR, rt_alui(f, IRA_SHL, where, 32), off), 1);
	at = rt_alu(f, IRA_MUL, off, ir_imm(f, HASH_FACTOR));
	ir_alui(f, IRA_SHR, at, at, 64 - RT_UNWIND_CACHE_BITS);
	ir_alui(f, IRA_MUL, at, at, sizeof(struct rt_unwind_cached));
	ir_alu(f, IRA_ADD, at, at, st);
	ir_jcc(f, IRC_NE, rt_ld(f, at, CACHED(key)), key, miss);
	ir_load(f, rule, at, CACHED(rule), 8);
	ir_jmp(f, out);
	ir_place(f, miss);
	ir_call_fn(f, rule, u->find_rule, IR_ARGS(off, where));
	ir_store(f, at, CACHED(key), 8, key);
	ir_store(f, at, CACHED(rule), 8, rule);
	ir_place(f, out);
	return rule;
}

/* fill(state, addr): the piece of the stack with address addr into the window. Negative: it cannot be read. */
static struct irfn *emit_fill(struct irprog *p, const struct uw *u)
{
	bool current = u->whose == RT_UNWIND_CURRENT;
	struct irfn *f = irfn_new(p, "uw_fill", current ? 2 : 3);
	vreg st = irfn_arg(f, 0), r = ir_new(f), dst, size;
	vreg base = rt_alui(f, IRA_AND, irfn_arg(f, 1), ~(int64_t)(RT_UNWIND_WINDOW - 1));
	irlabel bad = ir_label(f);

	ir_storei(f, st, ST(window_at), 8, 1);
	ir_jcci(f, IRC_NE, rt_alui(f, IRA_AND, irfn_arg(f, 1), WORD - 1), 0, bad);
	dst = rt_alui(f, IRA_ADD, st, ST(window));
	size = ir_imm(f, RT_UNWIND_WINDOW);
	if (current)
		ir_call(f, r, BPF_FUNC_probe_read_user, IR_ARGS(dst, size, base));
	else
		ir_call(f, r, BPF_FUNC_copy_from_user_task, IR_ARGS(dst, size, base, irfn_arg(f, 2), ir_imm(f, 0)));
	ir_jcci(f, IRC_SLT, r, 0, bad);
	ir_store(f, st, ST(window_at), 8, base);
	ir_reti(f, 0);
	ir_place(f, bad);
	ir_reti(f, -1);
	return f;
}

vreg uw_stack_word(struct irfn *f, const struct uw *u, vreg st, vreg addr, irlabel fault)
{
	vreg x = rt_alu(f, IRA_XOR, addr, rt_ld(f, st, ST(window_at))), r = ir_new(f), v = ir_new(f);
	irlabel have = ir_label(f);

	ir_alui(f, IRA_AND, x, x, ~(int64_t)(RT_UNWIND_WINDOW - WORD));
	ir_jcci(f, IRC_EQ, x, 0, have);
	uw_call(f, u, r, u->fill, IR_ARGS(st, addr));
	ir_jcci(f, IRC_NE, r, 0, fault);
	ir_place(f, have);
	ir_load(f, v, rt_alu(f, IRA_ADD, st, rt_alui(f, IRA_AND, addr, RT_UNWIND_WINDOW - WORD)), ST(window), 8);
	return v;
}

/* The same into a register of the state; 0, which is no address of the stack, when it cannot be read. */
static void saved_word(struct irfn *f, const struct uw *u, vreg st, int32_t reg, vreg addr)
{
	irlabel fault = ir_label(f), out = ir_label(f);

	ir_store(f, st, reg, 8, uw_stack_word(f, u, st, addr, fault));
	ir_jmp(f, out);
	ir_place(f, fault);
	ir_storei(f, st, reg, 8, 0);
	ir_place(f, out);
}

/* The address n words below the CFA. */
static vreg below(struct irfn *f, vreg cfa, vreg n)
{
	return rt_alu(f, IRA_SUB, cfa, rt_alui(f, IRA_SHL, n, 3));
}

void uw_set_caller(struct irfn *f, const struct uw *u, vreg st, vreg sp, vreg pc, const struct uw_ways *w)
{
	if (~u->m->addr_mask)
		ir_alu(f, IRA_AND, pc, pc, ir_imm(f, u->m->addr_mask));
	ir_store(f, st, ST(pc), 8, pc);
	ir_store(f, st, ST(sp), 8, sp);
	ir_storei(f, st, ST(back), 8, 1);
	ir_jcci(f, IRC_EQ, pc, 0, w->end); /* the bottom of a thread's stack */
	ir_jmp(f, w->next);
}

void uw_emit_by_bp(struct irfn *f, const struct uw *u, vreg st, const struct uw_ways *w)
{
	vreg bp = rt_ld(f, st, ST(bp)), size, pc;

	ir_jcci(f, IRC_EQ, bp, 0, w->end); /* what the ABI asks of the outermost frame */
	size = rt_alu(f, IRA_SUB, bp, rt_ld(f, st, ST(sp)));
	ir_jcci(f, IRC_GT, size, RT_UNWIND_MAX_FRAME, w->fault);
	ir_store(f, st, ST(bp), 8, uw_stack_word(f, u, st, bp, w->fault));
	pc = uw_stack_word(f, u, st, rt_alui(f, IRA_ADD, bp, WORD), w->fault);
	uw_set_caller(f, u, st, rt_alui(f, IRA_ADD, bp, 2 * WORD), pc, w);
}

/* The registers from a struct ucontext at sp + off words. */
static void emit_signal(struct irfn *f, const struct uw *u, vreg st, vreg off, const struct uw_ways *w)
{
	const struct {
		uint16_t from;
		int32_t to;
	} regs[] = {
		{ u->m->uc_bp, ST(bp) }, { u->m->uc_third, ST(third) }, { u->m->uc_pc, ST(pc) }, { u->m->uc_sp, ST(sp) }
	};
	vreg at = rt_alu(f, IRA_ADD, rt_ld(f, st, ST(sp)), off);

	for (unsigned i = 0; i < sizeof(regs) / sizeof(regs[0]); i++)
		ir_store(f, st, regs[i].to, 8,
			 uw_stack_word(f, u, st, rt_alui(f, IRA_ADD, at, regs[i].from), w->fault));
	ir_storei(f, st, ST(back), 8, 0);
	ir_jmp(f, w->next);
}

/* vfork(): the return address is in a register, which only the innermost frame still has. */
static void emit_ra_di(struct irfn *f, const struct uw *u, vreg st, vreg off, const struct uw_ways *w)
{
	vreg task, r = ir_new(f);

	ir_jcci(f, IRC_NE, rt_ld(f, st, ST(n)), 1, w->fault);
	task = uw_frame_task(f, u);
	ir_call(f, r, BPF_FUNC_task_pt_regs, IR_ARGS(task));
	uw_peek(f, st, ST(pc), 8, r, u->m->di);
	uw_set_caller(f, u, st, rt_alu(f, IRA_ADD, rt_ld(f, st, ST(sp)), off), rt_ld(f, st, ST(pc)), w);
}

/* CFA of the entries of a procedure linkage table: they push a word in their second half. */
static void emit_plt(struct irfn *f, vreg st, vreg cfa, vreg off)
{
	vreg low = rt_alui(f, IRA_AND, rt_ld(f, st, ST(pc)), 15);
	irlabel one = ir_label(f);

	ir_movi(f, cfa, 2 * WORD);
	ir_jcc(f, IRC_SGE, low, off, one);
	ir_movi(f, cfa, WORD);
	ir_place(f, one);
	ir_alu(f, IRA_ADD, cfa, cfa, rt_ld(f, st, ST(sp)));
}

/* cfa by the rule. Signal frames and vfork() have their caller at once. The commonest kinds first. */
static vreg emit_cfa(struct irfn *f, const struct uw *u, vreg st, vreg rule, const struct uw_ways *w)
{
	vreg kind = rt_alui(f, IRA_AND, rule, 15), cfa = ir_new(f), off = ir_new(f), words = ir_new(f);
	irlabel have = ir_label(f), l_bp = ir_label(f), l_bx = ir_label(f), l_deref = ir_label(f);
	irlabel l_plt = ir_label(f), l_signal = ir_label(f), l_di = ir_label(f), l_sp_deref = ir_label(f);

	ir_alui(f, IRA_SHL, off, rule, 32);
	ir_alui(f, IRA_SAR, off, off, 48);
	ir_alui(f, IRA_SHL, words, off, 3);
	ir_jcci(f, IRC_NE, kind, UW_SP, l_bp);
	ir_alu(f, IRA_ADD, cfa, words, rt_ld(f, st, ST(sp)));
	ir_jmp(f, have);
	ir_place(f, l_bp);
	ir_jcci(f, IRC_NE, kind, UW_BP, l_bx);
	ir_alu(f, IRA_ADD, cfa, words, rt_ld(f, st, ST(bp)));
	ir_jmp(f, have);
	ir_place(f, l_bx);
	ir_jcci(f, IRC_EQ, kind, UW_NONE, w->none);
	ir_jcci(f, IRC_EQ, kind, UW_END, w->end);
	ir_jcci(f, IRC_NE, kind, UW_BX, l_deref);
	ir_alu(f, IRA_ADD, cfa, words, rt_ld(f, st, ST(third)));
	ir_jmp(f, have);
	ir_place(f, l_deref);
	ir_jcci(f, IRC_NE, kind, UW_BP_DEREF, l_plt);
	ir_mov(f, cfa, uw_stack_word(f, u, st, rt_alu(f, IRA_ADD, words, rt_ld(f, st, ST(bp))), w->fault));
	ir_jmp(f, have);
	ir_place(f, l_plt);
	ir_jcci(f, IRC_NE, kind, UW_PLT, l_signal);
	emit_plt(f, st, cfa, off);
	ir_jmp(f, have);
	ir_place(f, l_signal);
	ir_jcci(f, IRC_NE, kind, UW_SIGNAL, l_sp_deref);
	emit_signal(f, u, st, words, w);
	ir_place(f, l_sp_deref);
	ir_jcci(f, IRC_NE, kind, UW_SP_DEREF, l_di);
	ir_mov(f, cfa, uw_stack_word(f, u, st, rt_alu(f, IRA_ADD, words, rt_ld(f, st, ST(sp))), w->fault));
	ir_alui(f, IRA_ADD, cfa, cfa, WORD);
	ir_jmp(f, have);
	ir_place(f, l_di);
	ir_jcci(f, IRC_NE, kind, UW_RA_DI, w->fault);
	emit_ra_di(f, u, st, words, w);
	ir_place(f, have);
	return cfa;
}

/* Where the caller's frame pointer and third register are: n words below the CFA. In the order of their
 * addresses, as compilers push them. */
static void emit_saved(struct irfn *f, const struct uw *u, vreg st, vreg rule, vreg cfa)
{
	vreg nbp = rt_alui(f, IRA_AND, rt_alui(f, IRA_SHR, rule, 4), 127);
	vreg nbx = rt_alui(f, IRA_AND, rt_alui(f, IRA_SHR, rule, 11), 31);
	irlabel bp = ir_label(f), out = ir_label(f), mem = ir_label(f), gone = ir_label(f), bx_mem = ir_label(f);

	ir_jcci(f, IRC_EQ, rt_alui(f, IRA_AND, rule, 0xfff0), 0, out);
	ir_jcci(f, IRC_EQ, nbx, 0, bp);
	ir_jcci(f, IRC_LE, nbx, UW_BX_MAX, bx_mem);
	ir_storei(f, st, ST(third), 8, 0);
	ir_jmp(f, bp);
	ir_place(f, bx_mem);
	saved_word(f, u, st, ST(third), below(f, cfa, nbx));
	ir_place(f, bp);
	ir_jcci(f, IRC_EQ, nbp, 0, out);
	ir_jcci(f, IRC_LE, nbp, UW_BP_MAX, mem);
	ir_jcci(f, IRC_NE, nbp, UW_BP_AT_BP, gone);
	saved_word(f, u, st, ST(bp), rt_ld(f, st, ST(bp)));
	ir_jmp(f, out);
	ir_place(f, gone);
	ir_storei(f, st, ST(bp), 8, 0);
	ir_jmp(f, out);
	ir_place(f, mem);
	saved_word(f, u, st, ST(bp), below(f, cfa, nbp));
	ir_place(f, out);
}

/* The caller where return addresses are in a link register until they are saved. Only the innermost function, or
 * one that a signal interrupted, still has it there. */
static void emit_link(struct irfn *f, const struct uw *u, vreg st, vreg rule, vreg cfa, const struct uw_ways *w)
{
	vreg saved = rt_alui(f, IRA_AND, rt_alui(f, IRA_SHR, rule, 4), 4095), pc = ir_new(f), n = ir_new(f),
	     by = ir_new(f);
	irlabel mem = ir_label(f), have = ir_label(f), word = ir_label(f), far = ir_label(f), bp = ir_label(f);

	ir_jcci(f, IRC_NE, saved, 0, mem);
	ir_mov(f, pc, rt_ld(f, st, ST(third)));
	ir_jcci(f, IRC_EQ, pc, 0, w->fault);
	ir_jmp(f, have);
	ir_place(f, mem);
	ir_jcc(f, IRC_LE, cfa, rt_ld(f, st, ST(sp)), w->fault);
	ir_alui(f, IRA_SHR, n, saved, 1);
	ir_jcci(f, IRC_SET, saved, 1, word);
	ir_movi(f, by, 1);
	ir_alui(f, IRA_SHR, n, saved, 2);
	ir_jcci(f, IRC_SET, saved, 2, far);
	ir_jmp(f, bp);
	ir_place(f, far);
	ir_alui(f, IRA_AND, by, n, 7);
	ir_alui(f, IRA_ADD, by, by, 2);
	ir_alui(f, IRA_SHR, n, saved, 5);
	ir_place(f, bp);
	ir_store(f, st, ST(bp), 8, uw_stack_word(f, u, st, below(f, cfa, rt_alu(f, IRA_ADD, n, by)), w->fault));
	ir_place(f, word);
	ir_mov(f, pc, uw_stack_word(f, u, st, below(f, cfa, n), w->fault));
	ir_place(f, have);
	ir_storei(f, st, ST(third), 8, 0);
	uw_set_caller(f, u, st, cfa, pc, w);
}

void uw_emit_rule(struct irfn *f, const struct uw *u, vreg st, vreg at, const struct uw_ways *w)
{
	vreg rule = emit_lookup(f, u, st, at, w->none), cfa = emit_cfa(f, u, st, rule, w);

	if (u->m->link) {
		ir_jcc(f, IRC_LT, cfa, rt_ld(f, st, ST(sp)), w->fault);
		emit_link(f, u, st, rule, cfa, w);
		return;
	}
	ir_jcc(f, IRC_LE, cfa, rt_ld(f, st, ST(sp)), w->fault);
	emit_saved(f, u, st, rule, cfa);
	uw_set_caller(f, u, st, cfa, uw_stack_word(f, u, st, rt_alui(f, IRA_SUB, cfa, WORD), w->fault), w);
}

void uw_rule_functions(struct irprog *p, struct uw *u)
{
	u->find_rule = emit_find_rule(p, u);
	u->fill = emit_fill(p, u);
}
