/* SPDX-License-Identifier: Apache-2.0 */
/* Emits code that handles return probes, which replace return addresses by their own address. */
#include "cg/rt/unwind_int.h"

/* State of the search through a thread's return probes. */
enum { R_AT = 0, R_WANT = 8, R_FOUND = 16, R_TMP = 24, R_SIZE = 32 };

static struct irfn *emit_return_cb(struct irprog *p, const struct rt_unwind_returns *o)
{
	struct irfn *f = irfn_new(p, "uw_return", 2);
	vreg st = irfn_arg(f, 1), at = rt_ld(f, st, R_AT);
	irlabel end = ir_label(f), next = ir_label(f);

	ir_jcci(f, IRC_EQ, at, 0, end);
	uw_peek(f, st, R_TMP, 8, at, o->stack);
	ir_jcc(f, IRC_NE, rt_ld(f, st, R_TMP), rt_ld(f, st, R_WANT), next);
	uw_peek(f, st, R_FOUND, 8, at, o->orig);
	ir_place(f, end);
	ir_reti(f, 1);
	ir_place(f, next);
	uw_peek(f, st, R_AT, 8, at, o->next);
	ir_reti(f, 0);
	return f;
}

struct irfn *uw_find_return(struct irprog *p, const struct rtgen *g, const struct uw *u)
{
	struct irfn *cb = emit_return_cb(p, u->ret), *f = uw_task_fn(p, u, "uw_find_return", 1);
	irslot st = ir_slot(f, R_SIZE);
	vreg task, v, r = ir_new(f);
	irlabel none = ir_label(f);

	ir_storei_slot(f, st, R_AT, 8, 0);
	ir_storei_slot(f, st, R_FOUND, 8, 0);
	ir_storei_slot(f, st, R_TMP, 8, 0);
	ir_store_slot(f, st, R_WANT, 8, irfn_arg(f, 0));
	task = uw_task(f, u, 1);
	v = rt_slot_addr(f, st);
	uw_peek(f, v, R_AT, 8, task, u->ret->utask);
	ir_jcci(f, IRC_EQ, rt_ld(f, v, R_AT), 0, none);
	uw_peek(f, v, R_AT, 8, rt_ld(f, v, R_AT), u->ret->instances);
	rt_loop(f, g, ir_imm(f, RT_UNWIND_RETURNS), cb, st);
	ir_load_slot(f, r, st, R_FOUND, 8);
	ir_ret(f, r);
	ir_place(f, none);
	ir_reti(f, 0);
	return f;
}
