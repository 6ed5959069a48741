/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles aggregations: one value per key and CPU. There are two sets of maps; programs write the one that state.epoch
 * selects, and user space reads the other. Each set has call sites of its own, since the verifier inlines look-ups in
 * constant maps only.
 *
 * A program never interrupts itself, so values that only one program writes need no atomic instructions. Where programs
 * that can nest on a CPU share an aggregation, additions are atomic. Minimum and maximum are not: a nested firing
 * between test and store may be lost. */
#include "base/aggval.h"
#include "cg/gen/fault.h"
#include "cg/gen/load.h"
#include "cg/gen/map.h"
#include "cg/gen/task.h"
#include "cg/lower/act.h"

struct aggctx {
	const struct dagg *a;
	const struct lay_agg *l;
	struct mem key;
	bool keyed, atomic;
	vreg p; /* the value */
	irlabel done;
};

static void lookup(struct gen *g, const struct aggctx *x, unsigned set)
{
	vreg map = ir_new(g->f), k;
	irlabel none = ir_label(g->f);

	if (g->cg->by_shape)
		ir_movi(g->f, x->p, 0);
	k = gen_addr(g, x->key);
	gen_shaped_map(g, map, cg_map_agg(g->cg, x->a, set), none);
	ir_call(g->f, x->p, BPF_FUNC_map_lookup_elem, IR_ARGS(map, k));
	ir_place(g->f, none);
}

/* p = the value in this set; inserted when missing. */
static void find_value(struct gen *g, const struct aggctx *x, unsigned set, irlabel have)
{
	irlabel drop;
	vreg map, k, z, fl;

	lookup(g, x, set);
	ir_jcci(g->f, IRC_NE, x->p, 0, have);
	drop = gen_drop(g, CNT_DROP_AGG, x->done);
	if (x->keyed) {
		map = ir_new(g->f);
		k = gen_addr(g, x->key);
		z = gen_mapval(g, cg_map_rodata(g->cg), ro_zeros(g->cg, x->l->desc->value_size));
		fl = ir_imm(g->f, BPF_NOEXIST);
		gen_shaped_map(g, map, cg_map_agg(g->cg, x->a, set), drop);
		ir_call(g->f, VREG_NONE, BPF_FUNC_map_update_elem, IR_ARGS(map, k, z, fl));
		lookup(g, x, set);
		ir_jcci(g->f, IRC_NE, x->p, 0, have);
	}
	ir_jmp(g->f, drop);
}

static void add(struct gen *g, const struct aggctx *x, vreg base, int32_t off, vreg v, int64_t imm)
{
	vreg t;

	if (x->atomic) {
		if (v < 0)
			v = ir_imm(g->f, (uint64_t)imm);
		ir_atomic_add(g->f, base, off, 8, v);
		return;
	}
	t = ir_new(g->f);
	ir_load(g->f, t, base, off, 8);
	if (v >= 0)
		ir_alu(g->f, IRA_ADD, t, t, v);
	else
		ir_alui(g->f, IRA_ADD, t, t, imm);
	ir_store(g->f, base, off, 8, t);
}

/* Adds to word 1 + bucket; bucket < n is checked for the verifier's sake. */
static void add_bucket(struct gen *g, const struct aggctx *x, vreg bucket, uint64_t n, vreg by)
{
	vreg p = ir_new(g->f), i = ir_new(g->f);

	ir_jcci(g->f, IRC_GE, bucket, (int64_t)n, x->done);
	ir_alui(g->f, IRA_SHL, i, bucket, 3);
	ir_alu(g->f, IRA_ADD, p, x->p, i);
	add(g, x, p, 8, by, 1);
}

static void gen_minmax(struct gen *g, const struct aggctx *x, vreg v)
{
	irlabel store = ir_label(g->f), keep = ir_label(g->f);
	vreg n = ir_new(g->f), old = ir_new(g->f);
	bool min = x->a->func == AGG_MIN, sgn = x->a->is_signed;

	ir_load(g->f, n, x->p, 0, 8);
	ir_jcci(g->f, IRC_EQ, n, 0, store);
	ir_load(g->f, old, x->p, 8, 8);
	ir_jcc(g->f, min ? (sgn ? IRC_SGE : IRC_GE) : (sgn ? IRC_SLE : IRC_LE), v, old, keep);
	ir_place(g->f, store);
	ir_store(g->f, x->p, 8, 8, v);
	ir_place(g->f, keep);
}

/* Bucket of lquantize(base, limit, step): 0 below, the levels, 1 + levels above. */
static vreg lquant_bucket(struct gen *g, const struct dagg *a, vreg v)
{
	const int32_t *par = a->param;
	unsigned levels = aggval_lquantize_levels(par);
	vreg d = ir_new(g->f), t = ir_new(g->f);
	irlabel out = ir_label(g->f);

	ir_movi(g->f, d, 0);
	gen_jcci(g, IRC_SLT, v, par[0], out);
	ir_movi(g->f, d, levels + 1);
	gen_jcci(g, IRC_SGE, v, par[1], out);
	ir_alui(g->f, IRA_SUB, t, v, par[0]);
	ir_alui(g->f, IRA_DIV, t, t, par[2]);
	ir_alui(g->f, IRA_ADD, d, t, 1);
	ir_place(g->f, out);
	return d;
}

static vreg call_bucket(struct gen *g, const struct dagg *agg, vreg v)
{
	vreg d = ir_new(g->f);
	struct irfn *fn;

	if (agg->func == AGG_QUANTIZE || agg->func == AGG_HIST) {
		fn = rt_get(g->pr->ip, agg->func == AGG_HIST ? RT_HIST : RT_QUANTIZE, g->cg->caps);
		if (fn)
			ir_call_fn(g->f, d, fn, IR_ARGS(v));
		return d;
	}
	const int32_t *p = agg->param;
	vreg a = ir_imm(g->f, (uint64_t)p[0]), b = ir_imm(g->f, (uint64_t)p[1]);
	vreg c = ir_imm(g->f, (uint64_t)p[2]), e = ir_imm(g->f, (uint64_t)p[3]);

	fn = rt_get(g->pr->ip, RT_LLQUANTIZE, g->cg->caps);
	if (fn)
		ir_call_fn(g->f, d, fn, IR_ARGS(v, a, b, c, e));
	return d;
}

static void square(struct gen *g, const struct aggctx *x, vreg v)
{
	struct irfn *fn = rt_get(g->pr->ip, RT_ADD128, g->cg->caps);
	vreg p = gen_addr(g, mem_at(x->p, 16));

	if (fn)
		ir_call_fn(g->f, VREG_NONE, fn, IR_ARGS(p, v));
}

/* v: the value (not for count), bucket and increment for the quantize family. */
static void update(struct gen *g, const struct aggctx *x, vreg v, vreg bucket, vreg by)
{
	switch (x->a->func) {
	case AGG_COUNT: break;
	case AGG_SUM:
	case AGG_AVG: add(g, x, x->p, 8, v, 0); break;
	case AGG_STDDEV:
		add(g, x, x->p, 8, v, 0);
		square(g, x, v);
		break;
	case AGG_MIN:
	case AGG_MAX: gen_minmax(g, x, v); break;
	default: add_bucket(g, x, bucket, aggval_nbuckets(x->a->func, x->a->param), by);
	}
	add(g, x, x->p, 0, VREG_NONE, 1);
}

vreg gen_agg_bucket(struct gen *g, const struct dagg *a, vreg v)
{
	if (!aggval_nbuckets(a->func, a->param))
		return VREG_NONE;
	return a->func == AGG_LQUANTIZE ? lquant_bucket(g, a, v) : call_bucket(g, a, v);
}

void gen_aggregate(struct gen *g, const struct dagg *a, const struct agg_values *w)
{
	struct lay_agg *l = &g->cg->aggs[a->id];
	struct aggctx x = { .a = a,
			    .l = l,
			    .key = w->key,
			    .keyed = l->desc->key_size != 0,
			    .p = ir_new(g->f),
			    .done = ir_label(g->f),
			    .atomic = l->nested && l->nwriters > 1 };
	irlabel have = ir_label(g->f), set1 = ir_label(g->f);
	vreg epoch = ir_new(g->f);

	if (x.keyed) {
		if (l->key.extra)
			gen_st(g, mem_add(x.key, (int32_t)l->key.size), 8, gen_cpu(g));
	} else {
		if (l->by_cpu)
			ir_store_slot(g->f, g->tmp, 0, 4, gen_cpu(g));
		else
			ir_storei_slot(g->f, g->tmp, 0, 4, 0);
		x.key = mem_slot(g->tmp, 0);
	}
	ir_load(g->f, epoch, gen_mapval(g, cg_map_state(g->cg), offsetof(struct img_state, epoch)), 0, 4);
	ir_jcci(g->f, IRC_NE, epoch, 0, set1);
	find_value(g, &x, 0, have);
	ir_place(g->f, set1);
	find_value(g, &x, 1, have);
	ir_place(g->f, have);
	update(g, &x, w->value, w->bucket, w->by);
	ir_place(g->f, x.done);
}
