/* SPDX-License-Identifier: Apache-2.0 */
/* Leaving a clause early: faults (a record, the ERROR clauses), losses (a counter), and what is known
 * about cached values then. The code of these cases is put behind the function, out of the hot path.
 *
 * Cached values (struct cache) are valid where their computation dominates. Two rules keep that so:
 * whoever places a label that was jumped to restores the cache of before the first jump; and what the
 * next clause may rely on is the cache at the first jump out of this one. */
#include "cg/lower/int.h"

struct cache gen_region_begin(struct gen *g)
{
	if (!g->depth++)
		g->outer = g->cache;
	return g->cache;
}

void gen_region_end(struct gen *g, const struct cache *saved)
{
	g->depth--;
	g->cache = *saved;
}

/* From here on the end of the clause can be reached. */
void gen_note_exit(struct gen *g)
{
	if (g->exited)
		return;
	g->exited = true;
	g->exit_cache = g->depth ? g->outer : g->cache;
}

static struct fault_site *new_fault(struct gen *g, enum rec_fault_code code)
{
	struct fault_site *s;

	gen_note_exit(g);
	g->faults = cg_grow(g->cg, g->faults, g->nfaults, &g->faults_cap, sizeof(*g->faults));
	s = &g->faults[g->nfaults++];
	*s = (struct fault_site){
		.l = ir_label(g->f), .code = code, .value = VREG_NONE, .action = g->action, .rec = g->rec
	};
	return s;
}

/* A label to jump to at once: leaves the clause with this D error. */
irlabel gen_fault(struct gen *g, enum rec_fault_code code, vreg value)
{
	struct fault_site *s = new_fault(g, code);

	s->value = value;
	return s->l;
}

irlabel gen_fault_imm(struct gen *g, enum rec_fault_code code, uint64_t value)
{
	struct fault_site *s = new_fault(g, code);

	s->imm = value;
	return s->l;
}

irlabel gen_drop(struct gen *g, enum rec_counter kind, irlabel back)
{
	struct drop_site *s;

	if (back == g->l_next)
		gen_note_exit(g);
	g->drops = cg_grow(g->cg, g->drops, g->ndrops, &g->drops_cap, sizeof(*g->drops));
	s = &g->drops[g->ndrops++];
	*s = (struct drop_site){ .l = ir_label(g->f), .kind = kind, .back = back };
	return s->l;
}

/* counters[this program][kind]++ */
static struct irfn *count_fn(struct prog *pr)
{
	struct gen g;
	vreg map, key, p, v, kind;
	irlabel out;

	if (gen_have_fn(&g, pr, &pr->fn_count, "count", 1))
		return pr->fn_count;
	kind = irfn_arg(g.f, 0);
	map = ir_new(g.f);
	key = ir_new(g.f);
	p = ir_new(g.f);
	v = ir_new(g.f);
	out = ir_label(g.f);
	ir_storei_slot(g.f, g.tmp, 0, 4, (int32_t)pr->index);
	gen_map(&g, map, cg_map_counters(pr->cg));
	ir_slot_addr(g.f, key, g.tmp, 0);
	ir_call(g.f, p, BPF_FUNC_map_lookup_elem, IR_ARGS(map, key));
	ir_jcci(g.f, IRC_EQ, p, 0, out);
	ir_jcci(g.f, IRC_GE, kind, REC_NSLOTS, out);
	ir_alui(g.f, IRA_MUL, kind, kind, 8);
	ir_alu(g.f, IRA_ADD, p, p, kind);
	ir_load(g.f, v, p, 0, 8);
	ir_alui(g.f, IRA_ADD, v, v, 1);
	ir_store(g.f, p, 0, 8, v);
	ir_place(g.f, out);
	ir_reti(g.f, 0);
	return pr->fn_count;
}

void gen_count(struct gen *g, unsigned slot)
{
	vreg k = ir_imm(g->f, slot);

	ir_call_fn(g->f, VREG_NONE, count_fn(g->pr), IR_ARGS(k));
}

/* Room for a record in the ring of this CPU; jumps to fail when there is none. */
vreg gen_reserve(struct gen *g, uint32_t size, irlabel fail)
{
	vreg cpu = gen_cpu(g), map = ir_new(g->f), key = ir_new(g->f), ring = ir_new(g->f);
	vreg n, zero, rec = ir_new(g->f);

	ir_store_slot(g->f, g->tmp, 0, 4, cpu);
	gen_map(g, map, cg_map_rings(g->cg));
	ir_slot_addr(g->f, key, g->tmp, 0);
	ir_call(g->f, ring, BPF_FUNC_map_lookup_elem, IR_ARGS(map, key));
	ir_jcci(g->f, IRC_EQ, ring, 0, fail);
	n = ir_imm(g->f, size);
	zero = ir_imm(g->f, 0);
	ir_call(g->f, rec, BPF_FUNC_ringbuf_reserve, IR_ARGS(ring, n, zero));
	ir_jcci(g->f, IRC_EQ, rec, 0, fail);
	return rec;
}

void gen_submit(struct gen *g, vreg rec, uint64_t flags)
{
	vreg fl = ir_imm(g->f, flags);

	ir_call(g->f, VREG_NONE, BPF_FUNC_ringbuf_submit, IR_ARGS(rec, fl));
}

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

/* fault(): the record, then the ERROR clauses. A fault within these only writes its record. */
static struct irfn *fault_fn(struct prog *pr)
{
	struct cg *c = pr->cg;
	struct gen g;
	vreg a[5];

	if (pr->fn_fault)
		return pr->fn_fault;
	pr->fn_fault = fault_rec_fn(pr);
	if (!c->nerror_units)
		return pr->fn_fault;

	struct irfn *rec_fn = pr->fn_fault, *f = irfn_new(pr->ip, "fault", 5);

	gen_init(&g, pr, f);
	g.in_error = true;
	for (unsigned i = 0; i < 5; i++)
		a[i] = irfn_arg(f, i);
	ir_call_fn(f, VREG_NONE, rec_fn, 5, a);
	error_args(&g);
	gen_this_init(&g);
	for (size_t i = 0; i < c->nerror_units && !pr->failed; i++)
		gen_clause(&g, &c->error_units[i]);
	ir_reti(f, 0);
	pr->fn_fault = f;
	return f;
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
	ir_call_fn(g->f, VREG_NONE, fault_fn(g->pr), IR_ARGS(ctx, probe, o->act, o->code, o->value));
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
