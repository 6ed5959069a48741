/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles goid: the goroutine that the thread runs, by what user space knows of its process (base/gofmt.h). A
 * process that user space does not know yet is reported to it. */
#include "base/gofmt.h"
#include "base/unwindfmt.h"
#include "cg/builtin/call.h"
#include "cg/gen/map.h"
#include "cg/gen/task.h"

/* Maps for user stacks, numbered by their roles. */
enum { UW_PROCS = IMG_MAP_UW_PROCS - IMG_MAP_UW_TABLES, UW_WANT = IMG_MAP_UW_WANT - IMG_MAP_UW_TABLES };

/* One goid: its value, and where its code goes on. */
struct goid {
	vreg v;
	irslot word, key;
	irlabel none, unknown;
};

static vreg look_up(struct gen *g, struct goid *o, int map, irlabel missing)
{
	vreg m = ir_new(g->f), e = ir_new(g->f), key = ir_new(g->f);

	gen_map(g, m, map);
	ir_slot_addr(g->f, key, o->key, 0);
	ir_call(g->f, e, BPF_FUNC_map_lookup_elem, IR_ARGS(m, key));
	ir_jcci(g->f, IRC_EQ, e, 0, missing);
	return e;
}

static vreg load(struct gen *g, vreg from, size_t at)
{
	vreg v = ir_new(g->f);

	ir_load(g->f, v, from, (int32_t)at, 8);
	return v;
}

/* A word of the program's memory at base + off; unknown when it cannot be read. */
static vreg word(struct gen *g, struct goid *o, vreg base, vreg off)
{
	vreg at = ir_new(g->f), to = ir_new(g->f), r = ir_new(g->f), v = ir_new(g->f);

	ir_alu(g->f, IRA_ADD, at, base, off);
	ir_slot_addr(g->f, to, o->word, 0);
	gen_read(g, r, to, ir_imm(g->f, 8), at, true);
	ir_jcci(g->f, IRC_NE, r, 0, o->unknown);
	ir_load_slot(g->f, v, o->word, 0, 8);
	return v;
}

/* A process of which user space knows nothing: to be looked at. One that it knows has no Go. */
static void want(struct gen *g, struct goid *o, vreg start, int first)
{
	vreg m = ir_new(g->f), key = ir_new(g->f), value = ir_new(g->f), p;
	irlabel ask = ir_label(g->f);

	p = look_up(g, o, first + UW_PROCS, ask);
	p = load(g, p, offsetof(struct uw_proc, start));
	ir_jcci(g->f, IRC_EQ, p, 0, o->none);
	ir_jcc(g->f, IRC_EQ, p, start, o->none);
	ir_place(g->f, ask);
	ir_store_slot(g->f, o->word, 0, 8, start);
	gen_map(g, m, first + UW_WANT);
	ir_slot_addr(g->f, key, o->key, 0);
	ir_slot_addr(g->f, value, o->word, 0);
	ir_call(g->f, VREG_NONE, BPF_FUNC_map_update_elem, IR_ARGS(m, key, value, ir_imm(g->f, BPF_ANY)));
}

/* Reads g->m->curg->goid. The result is unknown if curg->m is not g->m: then the thread was changing its goroutine, or
 * the places are wrong. */
static void follow(struct gen *g, struct goid *o, vreg p)
{
	vreg m_at = load(g, p, offsetof(struct go_proc, m)), curg_at = load(g, p, offsetof(struct go_proc, curg));
	vreg goid_at = load(g, p, offsetof(struct go_proc, goid)), tls = load(g, p, offsetof(struct go_proc, tls));
	vreg gp, m, cur;

	ir_jcci(g->f, IRC_EQ, curg_at, 0, o->unknown);
	gp = word(g, o, gen_task_field(g, "thread.fsbase"), tls);
	ir_jcci(g->f, IRC_EQ, gp, 0, o->none);
	m = word(g, o, gp, m_at);
	ir_jcci(g->f, IRC_EQ, m, 0, o->none);
	cur = word(g, o, m, curg_at);
	ir_jcci(g->f, IRC_EQ, cur, 0, o->none);
	ir_jcc(g->f, IRC_NE, word(g, o, cur, m_at), m, o->unknown);
	ir_mov(g->f, o->v, word(g, o, cur, goid_at));
}

void var_goid(struct gen *g, struct call *c)
{
	int first = cg_map_unwind(g->cg), procs = cg_map_runtime(g->cg, RUNTIME_GO);
	struct goid o = { ir_new(g->f), ir_slot(g->f, 8), ir_slot(g->f, 8), ir_label(g->f), ir_label(g->f) };
	vreg start = gen_task_field(g, "group_leader->start_boottime"), p, known;
	irlabel out = ir_label(g->f), ask = ir_label(g->f), same = ir_label(g->f);

	c->v = o.v;
	for (int i = 0; i < CG_UNWIND_MAPS; i++)
		gen_map(g, ir_new(g->f), first + i); /* counts them as used */
	ir_store_slot(g->f, o.key, 0, 8, gen_pid(g));
	p = look_up(g, &o, procs, ask);
	known = load(g, p, offsetof(struct go_proc, start));
	ir_jcci(g->f, IRC_EQ, known, 0, same);
	ir_jcc(g->f, IRC_NE, known, start, ask);
	ir_place(g->f, same);
	follow(g, &o, p);
	ir_jmp(g->f, out);
	ir_place(g->f, ask);
	want(g, &o, start, first);
	ir_place(g->f, o.unknown);
	ir_movi(g->f, o.v, -1);
	ir_jmp(g->f, out);
	ir_place(g->f, o.none);
	ir_movi(g->f, o.v, 0);
	ir_place(g->f, out);
}
