/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the code that leaves a clause early, where exit.c has noted it: faults (a record, the ERROR clauses),
 * losses (a counter). It stands after the function, out of the hot path. */
#include "cg/gen/entry.h"
#include "cg/gen/fault.h"
#include "cg/gen/local.h"
#include "cg/gen/task.h"

/* fault_rec(ctx, probe, epid << 32 | action, code << 32 | pc, value): writes struct rec_fault. */
static struct irfn *fault_rec_fn(struct prog *pr)
{
	struct gen g;
	irlabel drop;
	vreg rec, ts, hi;

	gen_init(&g, pr, irfn_new(pr->ip, "fault_rec", 5));
	drop = ir_label(g.f);
	hi = ir_new(g.f);
	ts = gen_ts(&g);
	rec = gen_reserve(&g, sizeof(struct rec_fault), drop);
	ir_store(g.f, rec, offsetof(struct rec_fault, hdr.ts), 8, ts);
	ir_storei(g.f, rec, offsetof(struct rec_fault, hdr.fmt), 4, REC_FMT_FAULT);
	ir_store(g.f, rec, offsetof(struct rec_fault, hdr.probe), 4, irfn_arg(g.f, 1));
	ir_alui(g.f, IRA_SHR, hi, irfn_arg(g.f, 2), 32);
	ir_store(g.f, rec, offsetof(struct rec_fault, epid), 4, hi);
	ir_store(g.f, rec, offsetof(struct rec_fault, action), 4, irfn_arg(g.f, 2));
	ir_alui(g.f, IRA_SHR, hi, irfn_arg(g.f, 3), 32);
	ir_store(g.f, rec, offsetof(struct rec_fault, code), 4, hi);
	ir_store(g.f, rec, offsetof(struct rec_fault, pc), 4, irfn_arg(g.f, 3));
	ir_store(g.f, rec, offsetof(struct rec_fault, value), 8, irfn_arg(g.f, 4));
	gen_submit(&g, rec, BPF_RB_NO_WAKEUP);
	ir_reti(g.f, 0);
	ir_place(g.f, drop);
	gen_count(&g, CNT_DROP_PRINCIPAL);
	ir_reti(g.f, 0);
	return g.f;
}

/* Arguments of ERROR, as DTrace on Linux has them since 2.0.2: 1 id of the probe, 2 clause from 0 on, 3 offset, 4 fault
 * code, 5 value. Before, 1 was the clause and 2 the action; messages still have these. */
static void error_args(struct gen *g)
{
	for (unsigned i = 0; i < 6; i++)
		g->err[i] = ir_new(g->f);
	ir_movi(g->f, g->err[0], 0);
	ir_mov(g->f, g->err[1], irfn_arg(g->f, 1));
	ir_alui(g->f, IRA_SHR, g->err[2], irfn_arg(g->f, 2), 32);
	ir_alui(g->f, IRA_SUB, g->err[2], g->err[2], 1);
	ir_ext(g->f, g->err[3], irfn_arg(g->f, 3), 4, false);
	ir_alui(g->f, IRA_SHR, g->err[4], irfn_arg(g->f, 3), 32);
	ir_mov(g->f, g->err[5], irfn_arg(g->f, 4));
}

/* fault(): the record, then the ERROR clauses, which the driver makes (gen_error_start()). A fault within these only
 * writes its record. */
static struct irfn *fault_fn(struct prog *pr)
{
	if (!pr->fn_fault_rec)
		pr->fn_fault_rec = fault_rec_fn(pr);
	if (!pr->cg->nerror_units)
		return pr->fn_fault_rec;
	if (!pr->fn_fault)
		pr->fn_fault = irfn_new(pr->ip, "fault", 5);
	return pr->fn_fault;
}

bool gen_error_start(struct gen *g, struct prog *pr)
{
	vreg a[5];

	if (!pr->fn_fault)
		return false;
	gen_init(g, pr, pr->fn_fault);
	g->in_error = true;
	for (unsigned i = 0; i < 5; i++)
		a[i] = irfn_arg(g->f, i);
	ir_call_fn(g->f, VREG_NONE, pr->fn_fault_rec, 5, a);
	error_args(g);
	gen_this_init(g);
	return true;
}

/* The stubs of the faults since the last ones. */
static void fault_stubs(struct gen *g)
{
	struct fault_out *o = &g->fault_out;
	uint64_t epid = (uint64_t)g->ds->epid << 32;
	bool several = !g->lay->fmt->size; /* records: which one is in a register */

	if (!o->begun && g->nfaults)
		*o = (struct fault_out){ .begun = true,
					 .act = ir_new(g->f),
					 .code = ir_new(g->f),
					 .value = ir_new(g->f),
					 .rec = VREG_NONE,
					 .with_rec = ir_label(g->f),
					 .common = ir_label(g->f) };
	for (size_t i = 0; i < g->nfaults; i++) {
		const struct fault_site *s = &g->faults[i];

		ir_place(g->f, s->l);
		if (s->value >= 0)
			ir_mov(g->f, o->value, s->value);
		else
			ir_movi(g->f, o->value, s->imm);
		ir_movi(g->f, o->act, epid | s->action);
		ir_label_pc(g->f, o->code, s->l, s->code);
		if (s->rec >= 0 && o->rec < 0)
			o->rec = several ? ir_new(g->f) : s->rec;
		if (several && s->rec >= 0)
			ir_mov(g->f, o->rec, s->rec);
		ir_jmp(g->f, s->rec >= 0 ? o->with_rec : o->common);
	}
	g->nfaults = 0;
}

/* Where all of them lead: the record is discarded, the fault reported. */
static void fault_exit(struct gen *g)
{
	const struct fault_out *o = &g->fault_out;
	vreg ctx, probe;

	if (o->rec >= 0) {
		ir_place(g->f, o->with_rec);

		vreg fl = ir_imm(g->f, BPF_RB_NO_WAKEUP);

		ir_call(g->f, VREG_NONE, BPF_FUNC_ringbuf_discard, IR_ARGS(o->rec, fl));
	}
	ir_place(g->f, o->common);
	ctx = ir_ctx(g->f);
	g->cache = g->exit_cache;
	g->rec = VREG_NONE;
	probe = gen_probe_id(g);
	ir_call_fn(g->f, VREG_NONE, g->in_error ? g->pr->fn_fault_rec : fault_fn(g->pr),
		   IR_ARGS(ctx, probe, o->act, o->code, o->value));
	ir_jmp(g->f, g->l_next);
}

static void drop_stubs(struct gen *g)
{
	for (size_t i = 0; i < g->ndrops; i++) {
		ir_place(g->f, g->drops[i].l);
		gen_count(g, g->drops[i].kind);
		ir_jmp(g->f, g->drops[i].back);
	}
	g->ndrops = 0;
}

void gen_cold_stubs_between(struct gen *g)
{
	irlabel over;
	bool was;

	if (ir_ninsns(g->pr->ip) - g->stubs_at < CG_STUBS_EVERY)
		return;
	over = ir_label(g->f);
	ir_jmp(g->f, over);
	was = ir_cold(g->f, true);
	drop_stubs(g);
	fault_stubs(g);
	ir_cold(g->f, was);
	ir_place(g->f, over);
	g->stubs_at = ir_ninsns(g->pr->ip);
}

/* Emits what gen_fault() and gen_drop() promised. The clause's hot path has jumped to l_next. */
void gen_cold_stubs(struct gen *g)
{
	bool was = ir_cold(g->f, true);

	drop_stubs(g);
	fault_stubs(g);
	if (g->fault_out.begun)
		fault_exit(g);
	ir_cold(g->f, was);
}
