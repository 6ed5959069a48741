/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles actions that do more than store their arguments in the record. */
#include "cg/builtin/call.h"
#include "cg/gen/load.h"
#include "cg/gen/map.h"

/* exit(): the state says so to all programs; the first status counts. */
void act_exit(struct gen *g, struct call *c)
{
	vreg status = call_reg(g, c, 0), st = gen_mapval(g, cg_map_state(g->cg), 0), v = ir_new(g->f);
	irlabel done = ir_label(g->f);

	if (g->rec >= 0)
		gen_st(g, mem_at(g->rec, (int32_t)c->la->fields[0].f.off), 4, status);
	c->done = 1;
	ir_load(g->f, v, st, offsetof(struct img_state, activity), 4);
	ir_jcci(g->f, IRC_NE, v, IMG_ACTIVE, done);
	ir_store(g->f, st, offsetof(struct img_state, exit_status), 4, status);
	ir_storei(g->f, st, offsetof(struct img_state, activity), 4, IMG_DRAINING);
	ir_place(g->f, done);
}

/* tracemem(address, size, [bytes to show]) */
void act_tracemem(struct gen *g, struct call *c)
{
	const struct lay_field *f = c->la->fields;

	gen_probe_read(g, mem_at(g->rec, (int32_t)f[0].f.off), f[0].f.size, call_reg(g, c, 0), 0, c->a[0].n->user);
	if (c->la->nfields > 1)
		gen_st(g, mem_at(g->rec, (int32_t)f[1].f.off), f[1].f.size, call_reg(g, c, 2));
	c->done = c->la->nfields;
}
