/* SPDX-License-Identifier: Apache-2.0 */
/* Notes the jumps that leave a clause early: D errors, losses, conditions. fault.c emits the code that they jump to.
 *
 * A cached value (struct cache) may be used only where its computation dominates. Two rules keep that so. The code
 * that places a label restores the cache from before the first jump to it. The next clause starts with
 * the cache from the first jump out of this one. */
#include "cg/gen/fault.h"

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

/* The code that follows may jump to the end of the clause. Keeps the cache at the first such place. */
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

/* A label that leaves the clause with this D error. The caller emits the jump at once: the cache is noted here. */
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

/* Jumps that may leave the clause go through these two: they note what is known there. */
void gen_jcc(struct gen *g, enum ir_cond c, vreg a, vreg b, irlabel l)
{
	if (l == g->l_next)
		gen_note_exit(g);
	ir_jcc(g->f, c, a, b, l);
}

void gen_jcci(struct gen *g, enum ir_cond c, vreg a, int64_t imm, irlabel l)
{
	if (l == g->l_next)
		gen_note_exit(g);
	if (imm >= INT32_MIN && imm <= INT32_MAX) {
		ir_jcci(g->f, c, a, imm, l);
	} else {
		vreg b = ir_imm(g->f, (uint64_t)imm);

		ir_jcc(g->f, c, a, b, l);
	}
}
