/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles reserving and submitting of records in the rings, and the counters of programs. */
#include "cg/gen/fault.h"
#include "cg/gen/map.h"
#include "cg/gen/task.h"

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
