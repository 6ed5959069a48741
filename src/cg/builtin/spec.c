/* SPDX-License-Identifier: Apache-2.0 */
/* Speculations: speculation(), speculate(), commit(), discard().
 *
 * A map has an entry for each speculation (struct img_spec) and a stack of the free ids. A record carries the id of its
 * speculation, and the session holds it back. Ids are used again. A generation in the entry tells whether a late record
 * belongs to an earlier speculation of this id. A clause that ends a speculation does so when its record is submitted,
 * so that a fault after commit() leaves nothing half ended. */
#include <errno.h>
#include "cg/builtin/call.h"
#include "cg/gen/fault.h"
#include "cg/gen/load.h"
#include "cg/gen/map.h"

#define SPEC_OFF(member) ((int32_t)offsetof(struct img_spec, member))

static int cg_map_specs(struct cg *c)
{
	uint32_t n = (uint32_t)c->opts->nspec;

	if (c->m_specs < 0) {
		c->m_specs = cg_add_map(c, IMG_MAP_SPECS, "d_specs", BPF_MAP_TYPE_ARRAY, 4, sizeof(struct img_spec),
					n + 1, BPF_F_MMAPABLE);
		c->m_specfree = cg_add_map(c, IMG_MAP_SPECFREE, "d_specfree", BPF_MAP_TYPE_STACK, 0, 4, n ? n : 1, 0);
	}
	return c->m_specs;
}

/* The entry of a speculation, or a jump to none. Clobbers g->tmp. */
static vreg spec_entry(struct gen *g, vreg id, irlabel none)
{
	vreg map = ir_new(g->f), key = ir_new(g->f), p = ir_new(g->f);

	ir_store_slot(g->f, g->tmp, 0, 4, id);
	gen_map(g, map, cg_map_specs(g->cg));
	ir_slot_addr(g->f, key, g->tmp, 0);
	ir_call(g->f, p, BPF_FUNC_map_lookup_elem, IR_ARGS(map, key));
	ir_jcci(g->f, IRC_EQ, p, 0, none);
	return p;
}

/* No free id: is one of them about to become free? Entry 0 tells. */
static void count_failure(struct gen *g, vreg code)
{
	irlabel busy = ir_label(g->f), unavail = ir_label(g->f), out = ir_label(g->f);
	vreg p, state = ir_new(g->f);

	ir_jcci(g->f, IRC_EQ, code, -EBUSY, busy);
	p = spec_entry(g, ir_imm(g->f, 0), unavail);
	ir_load(g->f, state, p, SPEC_OFF(state), 4);
	ir_jcci(g->f, IRC_EQ, state, IMG_SPEC_FREE, unavail);
	ir_place(g->f, busy);
	gen_count(g, CNT_DROP_SPEC_BUSY);
	ir_jmp(g->f, out);
	ir_place(g->f, unavail);
	gen_count(g, CNT_DROP_SPEC_UNAVAIL);
	ir_place(g->f, out);
}

/* The function spec_new: an id, or 0. */
static struct irfn *new_fn(struct prog *pr)
{
	struct gen g;
	vreg map, p, r, v;
	irlabel fail, none;

	if (gen_have_fn(&g, pr, &pr->fn_spec_new, "spec_new", 1))
		return pr->fn_spec_new;
	map = ir_new(g.f);
	p = ir_new(g.f);
	r = ir_new(g.f);
	v = ir_new(g.f);
	fail = ir_label(g.f);
	none = ir_label(g.f);
	cg_map_specs(g.cg);
	gen_map(&g, map, g.cg->m_specfree);
	ir_storei_slot(g.f, g.tmp, 8, 8, 0);
	ir_slot_addr(g.f, p, g.tmp, 8);
	ir_call(g.f, r, BPF_FUNC_map_pop_elem, IR_ARGS(map, p));
	ir_jcci(g.f, IRC_NE, r, 0, fail);
	v = ir_new(g.f);
	ir_load_slot(g.f, v, g.tmp, 8, 4);
	p = spec_entry(&g, v, none);
	ir_load(g.f, r, p, SPEC_OFF(gen), 4);
	ir_alui(g.f, IRA_ADD, r, r, 1);
	ir_store(g.f, p, SPEC_OFF(gen), 4, r);
	ir_storei(g.f, p, SPEC_OFF(bytes), 8, 0);
	ir_storei(g.f, p, SPEC_OFF(state), 4, IMG_SPEC_ACTIVE);
	ir_ret(g.f, v);
	ir_place(g.f, fail);
	count_failure(&g, r);
	ir_place(g.f, none);
	ir_reti(g.f, 0);
	return pr->fn_spec_new;
}

void sub_speculation(struct gen *g, struct call *c)
{
	vreg none = ir_imm(g->f, 0);

	c->v = ir_new(g->f);
	ir_call_fn(g->f, c->v, new_fn(g->pr), IR_ARGS(none));
}

/* generation << 32 | id of an entry */
static void ret_name(struct gen *g, vreg p, vreg id)
{
	vreg v = ir_new(g->f), low = ir_new(g->f);

	ir_load(g->f, v, p, SPEC_OFF(gen), 4);
	ir_alui(g->f, IRA_SHL, v, v, 32);
	ir_ext(g->f, low, id, 4, false);
	ir_alu(g->f, IRA_OR, v, v, low);
	ir_ret(g->f, v);
}

/* spec_find(id, size): the name of an active speculation that takes size bytes more; else 0. */
static struct irfn *find_fn(struct prog *pr)
{
	struct gen g;
	vreg id, size, p, v;
	irlabel none, drop;

	if (gen_have_fn(&g, pr, &pr->fn_spec_find, "spec_find", 2))
		return pr->fn_spec_find;
	id = irfn_arg(g.f, 0);
	size = irfn_arg(g.f, 1);
	v = ir_new(g.f);
	none = ir_label(g.f);
	drop = ir_label(g.f);
	p = spec_entry(&g, id, none);
	ir_load(g.f, v, p, SPEC_OFF(state), 4);
	/* Entry 0 is never active. */
	ir_jcci(g.f, IRC_NE, v, IMG_SPEC_ACTIVE, none);
	ir_load(g.f, v, p, SPEC_OFF(bytes), 8);
	ir_alu(g.f, IRA_ADD, v, v, size);
	ir_jcc(g.f, IRC_GT, v, ir_imm(g.f, g.cg->opts->specsize), drop);
	ir_atomic_add(g.f, p, SPEC_OFF(bytes), 8, size);
	ret_name(&g, p, id);
	ir_place(g.f, drop);
	gen_count(&g, CNT_DROP_SPEC);
	ir_place(g.f, none);
	ir_reti(g.f, 0);
	return pr->fn_spec_find;
}

/* spec_end(name): the speculation takes no more records. */
static struct irfn *end_fn(struct prog *pr)
{
	struct gen g;
	vreg name, p, v, gen;
	irlabel none;

	if (gen_have_fn(&g, pr, &pr->fn_spec_end, "spec_end", 1))
		return pr->fn_spec_end;
	name = irfn_arg(g.f, 0);
	v = ir_new(g.f);
	gen = ir_new(g.f);
	none = ir_label(g.f);
	ir_jcci(g.f, IRC_EQ, name, 0, none);
	p = spec_entry(&g, name, none);
	ir_load(g.f, v, p, SPEC_OFF(state), 4);
	ir_jcci(g.f, IRC_NE, v, IMG_SPEC_ACTIVE, none);
	ir_load(g.f, v, p, SPEC_OFF(gen), 4);
	ir_alui(g.f, IRA_SHR, gen, name, 32);
	ir_jcc(g.f, IRC_NE, v, gen, none);
	ir_storei(g.f, p, SPEC_OFF(state), 4, IMG_SPEC_ENDED);
	p = spec_entry(&g, ir_imm(g.f, 0), none);
	ir_storei(g.f, p, SPEC_OFF(state), 4, IMG_SPEC_ENDED);
	ir_place(g.f, none);
	ir_reti(g.f, 0);
	return pr->fn_spec_end;
}

static vreg find(struct gen *g, vreg id, uint32_t size)
{
	vreg v = ir_new(g->f), n = ir_imm(g->f, size);

	ir_call_fn(g->f, v, find_fn(g->pr), IR_ARGS(id, n));
	return v;
}

/* speculate(id): what follows in the clause is done for an active speculation only. */
void act_speculate(struct gen *g, struct call *c)
{
	vreg rec = g->rec, v;
	irlabel ok = ir_label(g->f);

	v = find(g, call_reg(g, c, 0), g->lay->fmt->size - REC_SPEC_SIZE);
	c->done = 1;
	gen_note_exit(g);
	if (g->spec >= 0)
		ir_mov(g->f, g->spec, v);
	if (rec < 0) { /* the ring is full */
		ir_jcci(g->f, IRC_EQ, v, 0, g->l_next);
		return;
	}
	ir_jcci(g->f, IRC_NE, v, 0, ok);
	vreg fl = ir_imm(g->f, BPF_RB_NO_WAKEUP);

	ir_call(g->f, VREG_NONE, BPF_FUNC_ringbuf_discard, IR_ARGS(rec, fl));
	ir_jmp(g->f, g->l_next);
	ir_place(g->f, ok);
	gen_st(g, mem_at(rec, (int32_t)c->la->fields[0].f.off), REC_SPEC_SIZE, v);
}

void gen_spec_held(struct gen *g, irlabel gone)
{
	const struct recfield *f = &g->lay->acts[0].fields[0].f;
	irlabel ok = ir_label(g->f);
	vreg v, fl;

	gen_st(g, mem_at(g->rec, (int32_t)f->off), REC_SPEC_SIZE, g->spec);
	ir_jcci(g->f, IRC_EQ, g->spec, 0, ok);
	v = find(g, g->spec, g->lay->fmt->size - REC_SPEC_SIZE);
	ir_jcc(g->f, IRC_EQ, v, g->spec, ok);
	fl = ir_imm(g->f, BPF_RB_NO_WAKEUP);
	ir_call(g->f, VREG_NONE, BPF_FUNC_ringbuf_discard, IR_ARGS(g->rec, fl));
	ir_jmp(g->f, gone);
	ir_place(g->f, ok);
}

/* commit(id), discard(id): the record tells the session. Ids that cannot be are a fault, as in DTrace. */
void act_commit(struct gen *g, struct call *c)
{
	vreg id = call_reg(g, c, 0), v;
	irlabel bad = gen_fault_imm(g, FAULT_ILLOP, 0);

	gen_jcci(g, IRC_GT, id, g->cg->opts->nspec, bad);
	v = find(g, id, 0);
	gen_st(g, mem_at(g->rec, (int32_t)c->la->fields[0].f.off), REC_SPEC_SIZE, v);
	c->done = 1;
}

/* Before the record is given away: ends the speculations that it commits or discards. */
void gen_spec_ends(struct gen *g)
{
	const struct lay_clause *l = g->lay;

	for (size_t i = 0; i < l->fmt->nacts; i++) {
		const struct recact *a = &l->fmt->acts[i];
		vreg v;

		if (a->kind != ACT_COMMIT && a->kind != ACT_DISCARD)
			continue;
		v = ir_new(g->f);
		gen_ld(g, v, mem_at(g->rec, (int32_t)a->fields[0].off), REC_SPEC_SIZE, false);
		ir_call_fn(g->f, VREG_NONE, end_fn(g->pr), IR_ARGS(v));
	}
}
