/* SPDX-License-Identifier: Apache-2.0 */
/* Places the variables of a clause and of a block. */
#include "cg/gen/load.h"
#include "cg/gen/local.h"
#include "cg/gen/map.h"

/* Bytes of slots in use up to which a local variable gets one; further ones live in scratch memory. */
#define CG_MAX_LOCAL_SLOTS 160

/* Loaded anew for each use: what the verifier learns about one copy it believes of the others too. All 64
 * bits are unknown (the byte swap gives the upper half), so that adding to it leaves no trace. */
vreg gen_opaque_zero(struct gen *g)
{
	vreg d = ir_new(g->f), high = ir_new(g->f);

	ir_load(g->f, d, gen_mapval(g, cg_map_state(g->cg), offsetof(struct img_state, zero)), 0, 4);
	ir_bswap(g->f, high, d, 8);
	ir_alu(g->f, IRA_OR, d, d, high);
	return d;
}

/* Makes a constant unknown to the verifier: v + 0 with a zero from memory. */
vreg gen_loop_opaque(struct gen *g, const struct node *assign, vreg v)
{
	const struct dvar *var = assign->a->var;
	vreg d;

	if (g->budget < 0 || !var || (var->scope != VS_LOCAL && var->scope != VS_THIS))
		return v;
	d = ir_new(g->f);
	ir_alu(g->f, IRA_ADD, d, v, gen_opaque_zero(g));
	gen_norm(g, d, d, cg_type(g->cg, assign->a));
	return d;
}

struct mem gen_local_mem(struct gen *g, const struct dvar *v)
{
	const struct gen_local *l = &g->locals[v->id];

	if (l->slot >= 0)
		return mem_slot(l->slot, 0);
	return mem_at(gen_scratch_base(g), l->off);
}

/* Gives the variable its place, unless it has one: statements may be emitted twice. */
void gen_local_alloc(struct gen *g, const struct dvar *v)
{
	struct gen_local *l = &g->locals[v->id];
	uint32_t size = g->cg->vars[v->id].size;
	bool scalar = dtype_is_scalar(dtype_resolve(g->cg->p->types, v->type));

	if (l->have)
		return;
	*l = (struct gen_local){ .have = true, .slot = -1 };
	if (scalar && ir_slot_mark(g->f) + 8 <= CG_MAX_LOCAL_SLOTS)
		l->slot = ir_slot(g->f, 8);
	else
		l->off = gen_scratch_keep(g, size).off;
}

/* A temporary is given a place each time it is assigned: the statement's places are free at its end. */
void gen_temp_alloc(struct gen *g, const struct dvar *v)
{
	struct gen_local *l = &g->locals[v->id];
	bool scalar = dtype_is_scalar(dtype_resolve(g->cg->p->types, v->type));

	*l = (struct gen_local){ .have = true, .slot = -1 };
	if (scalar && ir_slot_mark(g->f) + 8 <= CG_MAX_LOCAL_SLOTS)
		l->slot = ir_slot(g->f, 8);
	else
		l->off = gen_scratch(g, g->cg->vars[v->id].size).off;
}

static bool note_this(void *ctx, const struct node *n)
{
	bool *used = ctx;

	if (n->kind == N_THIS && n->var)
		used[n->var->id] = true;
	return false;
}

void cg_note_this(const struct cg_unit *u, size_t n, bool *used)
{
	struct walk w = { .node = note_this, .ctx = used };

	for (size_t i = 0; i < n; i++) {
		walk_node(&w, u[i].ds->pred);
		walk_stmts(&w, u[i].ds->body);
		for (const struct clause_instance *e = u[i].ds->events; e; e = e->enext) {
			walk_node(&w, e->pred);
			walk_stmts(&w, e->body);
		}
	}
}

/* Gives the program's clause-local variables their place and clears them: they live for one firing. */
void gen_this_init(struct gen *g)
{
	const struct dprog *p = g->cg->p;
	bool *used = arena_new_arr(g->cg->a, bool, p->nvars + 1);
	const struct cg_unit *u = g->in_error ? g->cg->error_units : g->pr->units;
	size_t n = g->in_error ? g->cg->nerror_units : g->pr->nunits;

	cg_note_this(u, n, used);
	g->pr->scratch_top = g->cg->this_size;
	for (const struct dvar *v = p->vars; v; v = v->next) {
		const struct lay_var *l = &g->cg->vars[v->id];

		if (!used[v->id] || v->scope != VS_THIS || v->is_assoc)
			continue;
		if (l->on_stack) {
			g->this_slot[v->id] = ir_slot(g->f, 8);
			if (p->has_loops) {
				ir_store_slot(g->f, g->this_slot[v->id], 0, 8, gen_opaque_zero(g));
			} else {
				ir_storei_slot(g->f, g->this_slot[v->id], 0, 8, 0);
			}
			continue;
		}
		if (g->pr->scratch_max < g->cg->this_size)
			g->pr->scratch_max = g->cg->this_size;
		gen_zero(g, mem_at(gen_scratch_base(g), (int32_t)l->off), l->size);
	}
}
