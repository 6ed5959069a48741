/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles access to open events of trackers: code that finds, opens, closes and copies their records in BPF maps. */
#include "cg/gen/layout.h"
#include "cg/gen/load.h"
#include "cg/gen/map.h"
#include "cg/gen/task.h"
#include "cg/lower/track.h"

int track_word(const struct gen *g, const struct node *n)
{
	const struct arg_loc *l;

	while (n->kind == N_CAST)
		n = n->a;
	if (n->kind != N_INDEX || !n->a || !n->a->builtin || n->a->builtin->id != BI_ARGS)
		return -1;
	if (n->raw)
		return (int)n->ival;
	l = n->ival < g->e->nargs ? &g->e->args[n->ival] : NULL;
	return l && l->kind == ARG_CTX ? (int)(l->off / 8) : -1;
}

vreg track_find(struct gen *g, struct track *k, bool create)
{
	vreg map, key, p;

	if (k->t->store == TRACK_THREAD)
		return create ? gen_tls_write(g, k->done) : gen_tls_read(g);
	if (k->t->store == TRACK_TASK)
		return gen_task_tls(g, k->task, k->word, create, k->done);
	map = ir_new(g->f);
	key = gen_addr(g, k->key);
	p = ir_new(g->f);
	gen_map(g, map, cg_map_track(g->cg, k->t));
	ir_call(g->f, p, BPF_FUNC_map_lookup_elem, IR_ARGS(map, key));
	return p;
}

void track_leave_self_out(struct gen *g, const struct track *k)
{
	vreg v;

	if (!g->cg->opts->noself || !g->cg->env->self_tgid)
		return;
	if (k->t->store == TRACK_TASK) {
		v = gen_field_of(g, k->task, "tgid");
	} else {
		v = ir_new(g->f);
		ir_alui(g->f, IRA_SHR, v, gen_pid_tgid(g), 32);
	}
	ir_jcci(g->f, IRC_EQ, v, g->cg->env->self_tgid, k->done);
}

/* The ids of the thread that opens, read from its task_struct: that is cheaper than a helper. */
static void fill_ids(struct gen *g, struct mem m)
{
	bool direct = cg_typed(g->cg) && !g->cg->caps->in_pidns;

	gen_st(g, m, 4, direct ? gen_task_field(g, "pid") : gen_tid(g));
	gen_st(g, mem_add(m, 4), 4, direct ? gen_task_field(g, "tgid") : gen_pid(g));
}

static void fill_comm(struct gen *g, struct mem m)
{
	uint32_t off, size;
	vreg v = ir_new(g->f);

	if (!cg_typed(g->cg) || !lay_offset(g->cg, "task_struct", "comm", &off, &size) || size != REC_COMM) {
		gen_comm_to(g, m);
		return;
	}
	for (unsigned i = 0; i < REC_COMM; i += 8) {
		ir_load(g->f, v, gen_task(g), (int32_t)(off + i), 8);
		gen_st(g, mem_add(m, (int32_t)i), 8, v);
	}
}

void track_fill(struct gen *g, const struct track *k, struct mem m)
{
	const struct lay_track *l = k->l;
	vreg v;

	if (l->timed && k->t->store == TRACK_KEYED)
		gen_sti(g, mem_add(m, (int32_t)l->timed), 8, 0);
	if (l->cpu)
		gen_st(g, mem_add(m, (int32_t)l->cpu), 8, gen_cpu(g));
	if (l->ids)
		fill_ids(g, mem_add(m, (int32_t)l->ids));
	if (l->comm)
		fill_comm(g, mem_add(m, (int32_t)l->comm));
	if (l->cgroup) {
		v = gen_cgroup(g);
		gen_st(g, mem_add(m, (int32_t)l->cgroup), 8, v);
	}
	gen_st(g, m, 8, gen_ts(g)); /* last: with it the event is open */
}

struct mem track_mem(const struct track *k, vreg p)
{
	return mem_at(p, k->t->store == TRACK_KEYED ? 0 : (int32_t)k->l->off);
}

struct mem track_save(struct gen *g, const struct track *k, struct mem m)
{
	struct mem copy;

	if (k->l->size == 8)
		return m;
	copy = gen_scratch(g, k->l->size);
	gen_copy(g, copy, m, k->l->size);
	return copy;
}

vreg track_insert(struct gen *g, const struct track *k, struct mem value, uint64_t flags)
{
	vreg map = ir_new(g->f), key = gen_addr(g, k->key), p = gen_addr(g, value), fl = ir_imm(g->f, flags);
	vreg r = ir_new(g->f);

	gen_map(g, map, cg_map_track(g->cg, k->t));
	ir_call(g->f, r, BPF_FUNC_map_update_elem, IR_ARGS(map, key, p, fl));
	return r;
}

/* The thread that deletes the key has closed the event; another one goes to done. */
void track_claim(struct gen *g, const struct track *k)
{
	vreg map = ir_new(g->f), key = gen_addr(g, k->key), r = ir_new(g->f);

	gen_map(g, map, cg_map_track(g->cg, k->t));
	ir_call(g->f, r, BPF_FUNC_map_delete_elem, IR_ARGS(map, key));
	ir_jcci(g->f, IRC_NE, r, 0, k->done);
}
