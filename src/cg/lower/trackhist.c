/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles the settings of trackers as they are at run time, histograms and counts. */
#include "base/units.h"
#include "cg/gen/fault.h"
#include "cg/gen/map.h"
#include "cg/gen/task.h"
#include "cg/lower/track.h"

/* May CPUs that were not online when this was compiled have no part of their own? */
static bool cpus_share(const struct cg *c)
{
	return cg_online_places(c) < cg_ncpus(c);
}

/* A look-up of this CPU's part; jumps to none when there is none, which does not happen. */
static vreg track_cpu(struct gen *g, const struct dtracker *t, irlabel none)
{
	vreg map = ir_new(g->f), key = ir_new(g->f), p = ir_new(g->f), cpu = gen_cpu(g), place = ir_new(g->f);

	if (cpus_share(g->cg)) {
		ir_alui(g->f, IRA_AND, place, cpu, cg_online_places(g->cg) - 1);
		cpu = place;
	}
	ir_store_slot(g->f, g->tmp, 0, 4, cpu);
	gen_map(g, map, cg_map_hist(g->cg, t));
	ir_slot_addr(g->f, key, g->tmp, 0);
	ir_call(g->f, p, BPF_FUNC_map_lookup_elem, IR_ARGS(map, key));
	ir_jcci(g->f, IRC_EQ, p, 0, none);
	return p;
}

/* Rare, so the add is atomic: another program may interrupt this one. */
void gen_track_count(struct gen *g, const struct dtracker *t, enum track_count what)
{
	irlabel none = ir_label(g->f);
	struct cache saved = gen_region_begin(g);
	vreg p = track_cpu(g, t, none);

	ir_atomic_add(g->f, p, offsetof(struct track_cpu, counts) + 8 * (int32_t)what, 8, ir_imm(g->f, 1));
	ir_place(g->f, none);
	gen_region_end(g, &saved);
}

static void add(struct gen *g, bool atomic, vreg p, int32_t off, unsigned size, vreg v)
{
	vreg old;

	if (atomic) {
		ir_atomic_add(g->f, p, off, size, v);
		return;
	}
	old = ir_new(g->f);
	ir_load(g->f, old, p, off, size);
	ir_alu(g->f, IRA_ADD, old, old, v);
	ir_store(g->f, p, off, size, old);
}

/* The longest delay of this second. */
static void add_max(struct gen *g, vreg p, vreg second, vreg delay)
{
	irlabel newer = ir_label(g->f), done = ir_label(g->f);
	int32_t at = offsetof(struct track_slot, max);
	vreg v = ir_new(g->f);

	ir_load(g->f, v, p, offsetof(struct track_slot, second), 8);
	ir_jcc(g->f, IRC_NE, v, second, newer);
	ir_load(g->f, v, p, at, 8);
	ir_jcc(g->f, IRC_LE, delay, v, done);
	ir_place(g->f, newer);
	ir_store(g->f, p, offsetof(struct track_slot, second), 8, second);
	ir_store(g->f, p, at, 8, delay);
	ir_place(g->f, done);
}

/* The second of a time stamp: CPUs take several times as long to divide. The error of the first factor is less than a
 * second in 30 years. */
static vreg gen_second(struct gen *g, vreg ts)
{
	vreg second = ir_new(g->f), rest = ir_new(g->f), low = ir_imm(g->f, NSEC_PER_SEC - 1);

	ir_alui(g->f, IRA_SHR, second, ts, 28);
	ir_alui(g->f, IRA_MUL, second, second, (1ull << 56) / NSEC_PER_SEC);
	ir_alui(g->f, IRA_SHR, second, second, 28); /* that, or one less */
	ir_alui(g->f, IRA_MUL, rest, second, NSEC_PER_SEC);
	ir_alu(g->f, IRA_SUB, rest, ts, rest);
	ir_alu(g->f, IRA_SUB, rest, low, rest);
	ir_alui(g->f, IRA_SHR, rest, rest, 63);
	ir_alu(g->f, IRA_ADD, second, second, rest);
	return second;
}

/* Adds the delay to the slot of its second. */
void track_hist(struct gen *g, const struct dtracker *t, const struct lay_track *l, vreg delay)
{
	vreg second, slot = ir_new(g->f), bucket, p, q = ir_new(g->f);
	bool atomic = l->nwriters > 1 || cpus_share(g->cg);
	irlabel none = ir_label(g->f);

	p = track_cpu(g, t, none);
	second = gen_second(g, gen_ts(g));
	ir_alui(g->f, IRA_AND, slot, second, TRACK_SLOTS - 1);
	ir_alui(g->f, IRA_MUL, slot, slot, sizeof(struct track_slot));
	ir_alu(g->f, IRA_ADD, p, p, slot);
	ir_alui(g->f, IRA_ADD, p, p, offsetof(struct track_cpu, slots));
	add_max(g, p, second, delay);
	add(g, atomic, p, offsetof(struct track_slot, sum), 8, delay);
	bucket = rt_hist_bucket(g->f, delay);
	ir_jcci(g->f, IRC_GE, bucket, AGG_HIST_NBUCKETS, none); /* never: for the verifier */
	ir_alui(g->f, IRA_SHL, bucket, bucket, 2);
	ir_alu(g->f, IRA_ADD, q, p, bucket);
	add(g, atomic, q, offsetof(struct track_slot, buckets), 4, ir_imm(g->f, 1));
	ir_place(g->f, none);
}

vreg gen_track_at(struct gen *g, const struct lay_track *l, size_t off)
{
	return gen_mapval(g, cg_map_state(g->cg), l->state + (uint32_t)off);
}

vreg gen_track_word(struct gen *g, const struct lay_track *l, size_t off)
{
	vreg v = ir_new(g->f);

	ir_load(g->f, v, gen_track_at(g, l, off), 0, 8);
	return v;
}
