/* SPDX-License-Identifier: Apache-2.0 */
/* Firings of each probe of a program that serves several, counted while somebody asks for them: `dwell -l --stats` of a
 * session that runs (run/session/hits.c). User space makes the elements, so that programs only find and add; while
 * nobody asks it is a load and a comparison. */
#include "cg/gen/entry.h"
#include "cg/gen/fault.h"
#include "cg/gen/map.h"

/* An upper bound on the probes that can fire: the selectors of all clauses. */
static uint32_t nprobes(const struct prog *pr)
{
	size_t n = 0;

	if (!pr->units[0].pts[0]->e.has_selector)
		return (uint32_t)pr->units[0].npts;
	for (size_t i = 0; i < pr->nunits; i++)
		n += pr->units[i].npts;
	return n < ENTRY_MAX_SELECTOR ? (uint32_t)n : ENTRY_MAX_SELECTOR;
}

/* Does the program's own number of runs not tell it already? */
static bool wants(const struct gen *g)
{
	if (g->cg->env->more) /* the map was made for the programs before */
		return false;
	return g->sel >= 0 || (entry_by_cookie(g->e) && g->unit->npts > 1);
}

void gen_hits(struct gen *g)
{
	vreg on, map, key, p, one, high;
	irlabel off;
	struct cache saved;
	bool cold;

	if (!wants(g))
		return;
	g->pr->counts_hits = true;
	on = ir_new(g->f), map = ir_new(g->f), key = ir_new(g->f), p = ir_new(g->f);
	off = ir_label(g->f);
	ir_load(g->f, on, gen_mapval(g, cg_map_state(g->cg), offsetof(struct img_state, hits)), 0, 4);
	saved = gen_region_begin(g);
	ir_jcci(g->f, IRC_EQ, on, 0, off);
	cold = ir_cold(g->f, true);
	high = ir_imm(g->f, (uint64_t)g->pr->index << 32);
	ir_alu(g->f, IRA_OR, high, high, g->sel >= 0 ? g->sel : gen_probe_id(g));
	ir_store_slot(g->f, g->tmp, 0, 8, high);
	gen_map(g, map, cg_map_hits(g->cg, nprobes(g->pr)));
	ir_slot_addr(g->f, key, g->tmp, 0);
	ir_call(g->f, p, BPF_FUNC_map_lookup_elem, IR_ARGS(map, key));
	ir_jcci(g->f, IRC_EQ, p, 0, off);
	one = ir_imm(g->f, 1);
	ir_atomic_add(g->f, p, 0, 8, one);
	ir_cold(g->f, cold);
	ir_place(g->f, off);
	gen_region_end(g, &saved);
}
