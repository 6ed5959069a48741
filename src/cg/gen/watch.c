/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles watchpoints: the value that is now at the address, and the value at the firing before, which the
 * program's state keeps. Both are read at the start, so that a predicate misses no firing. */
#include "cg/gen/entry.h"
#include "cg/gen/map.h"

#define KERNEL_HALF (1ull << 63)

void gen_watch(struct gen *g)
{
	const struct arg_loc *w = &g->e->args[2], *o = &g->e->args[3];
	uint32_t off = (uint32_t)offsetof(struct img_state, watch) + 8 * w->off;
	int state = cg_map_state(g->cg);
	vreg p, a, n, d = ir_new(g->f), old = ir_new(g->f);

	((struct img_state *)(uintptr_t)g->cg->maps[state].init)->watch[w->off] = o->value;
	p = ir_new(g->f);
	ir_storei_slot(g->f, g->tmp, 8, 8, 0);
	ir_slot_addr(g->f, p, g->tmp, 8);
	n = ir_imm(g->f, w->size);
	a = ir_imm(g->f, w->value);
	ir_call(g->f, VREG_NONE, w->value >= KERNEL_HALF ? BPF_FUNC_probe_read_kernel : BPF_FUNC_probe_read_user,
		IR_ARGS(p, n, a));
	ir_load_slot(g->f, d, g->tmp, 8, 8);
	p = gen_mapval(g, state, off);
	ir_load(g->f, old, p, 0, 8);
	ir_store(g->f, p, 0, 8, d);
	g->cache.v[CA_ARG0 + 2] = d;
	g->cache.v[CA_ARG0 + 3] = old;
}
