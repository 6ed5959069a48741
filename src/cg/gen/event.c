/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles what clauses of latency probes read of their event: args[0], the keys, stacks, arg0 …. gen_fire() in
 * track.c places these clauses where the event ends: inside the program and the clause that close it. */
#include "cg/gen/event.h"
#include "cg/gen/fault.h"
#include "cg/gen/layout.h"
#include "cg/gen/load.h"
#include "cg/gen/stack.h"
#include "cg/gen/task.h"

/* -- fields of the event -- */

static vreg detail(struct gen *g, uint32_t off, unsigned size, bool sgn)
{
	vreg d = ir_new(g->f);

	gen_ld(g, d, mem_add(g->ev->details, (int32_t)off), size, sgn);
	return d;
}

/* The id of the process (tid: of the thread) whose delay it is. opener: of the one that called begin(). */
static vreg who(struct gen *g, bool opener, bool tid)
{
	const struct gen_event *ev = g->ev;

	if (ev->l->ids && (opener || ev->t->store == TRACK_KEYED))
		return detail(g, ev->l->ids + (tid ? 0 : 4), 4, true);
	if (ev->t->store == TRACK_TASK)
		return gen_pid_of(g, ev->task, tid);
	return tid ? gen_tid(g) : gen_pid(g);
}

vreg gen_event_cgroup(struct gen *g)
{
	const struct gen_event *ev = g->ev;

	if (ev->t->store == TRACK_KEYED)
		return detail(g, ev->l->cgroup, 8, false);
	if (ev->t->store == TRACK_TASK)
		return gen_field_of(g, ev->task, "cgroups->dfl_cgrp->kn->id");
	return gen_cgroup(g);
}

void gen_event_place(struct gen *g, const struct node *n, struct place *ret)
{
	unsigned key = (unsigned)n->ival - TF_KEY;

	*ret = (struct place){ .kind = PL_MEM, .m = mem_add(g->ev->key, (int32_t)g->ev->l->key.fields[key].off) };
}

vreg gen_event_int(struct gen *g, const struct node *n, struct tref *btf)
{
	const struct gen_event *ev = g->ev;
	struct place pl;

	switch (n->ival) {
	case TF_PID:
	case TF_TID: return who(g, false, n->ival == TF_TID);
	case TF_OPENER_PID:
	case TF_OPENER_TID: return who(g, true, n->ival == TF_OPENER_TID);
	case TF_CGROUP: return gen_event_cgroup(g);
	case TF_CPU: return detail(g, ev->l->cpu, 8, false);
	case TF_START: return ev->start;
	case TF_DELAY: return ev->delay;
	case TF_ID: return ev->id >= 0 ? ev->id : ir_imm(g->f, 0);
	case TF_HOW: return ev->sampled >= 0 ? ev->sampled : ir_imm(g->f, ev->how);
	default: break;
	}
	if (ev->t->store == TRACK_TASK) {
		*btf = ev->task_type;
		return ev->task;
	}
	gen_event_place(g, n, &pl);
	return gen_load_place(g, &pl, cg_type(g->cg, n), btf);
}

void gen_event_str(struct gen *g, const struct node *n, struct str *ret)
{
	const struct gen_event *ev = g->ev;
	bool opener = n->ival == TF_OPENER_COMM;
	uint32_t off, size;
	struct place pl;

	*ret = (struct str){ .bound = 16, .padded = true };
	if (n->ival >= TF_KEY) {
		gen_event_place(g, n, &pl);
		ret->m = pl.m;
		ret->bound = lay_str_bound(g->cg, cg_type(g->cg, n));
	} else if (ev->l->comm && (opener || ev->t->store == TRACK_KEYED)) {
		ret->m = mem_add(ev->details, (int32_t)ev->l->comm);
	} else if (ev->t->store == TRACK_TASK && lay_offset(g->cg, "task_struct", "comm", &off, &size)) {
		ret->m = gen_scratch(g, 16);
		gen_probe_read(g, ret->m, 16, gen_launder(g, ev->task), off, false);
	} else {
		ret->m = gen_scratch(g, 16);
		gen_comm_to(g, ret->m);
	}
}

/* The kernel stack of the thread that opened a key, which is looked up by its id (bpf_task_from_pid()). All zero when
 * that thread has ended, or runs on another CPU. */
static void opener_stack_by_tid(struct gen *g, struct mem dst, const struct recfield *f)
{
	vreg task = ir_new(g->f), tid = who(g, true, true);
	irlabel none = ir_label(g->f), other = ir_label(g->f), release = ir_label(g->f);
	vreg self = gen_task(g), outer = g->pr->opener;
	struct cache saved;

	gen_zero(g, dst, f->size);
	gen_scratch_base(
		g); /* looked up now: a jump to the end of the clause below would keep the reference to the task */
	ir_call_kernel(g->f, task, g->cg->task_from_pid, IR_ARGS(tid));
	saved = gen_region_begin(g);
	ir_jcci(g->f, IRC_EQ, task, 0, none);
	ir_jcc(g->f, IRC_NE, task, self, other);
	ir_call_kernel(g->f, VREG_NONE, g->cg->task_release, IR_ARGS(task));
	gen_stack_to(g, dst, f);
	ir_jmp(g->f, none);
	ir_place(g->f, other);
	g->cache = saved;
	ir_jcci(g->f, IRC_NE, gen_field_of(g, task, "on_cpu"), 0, release);
	g->pr->opener = task;
	g->cache.v[CA_TASK] = task;
	gen_stack_to(g, dst, f);
	g->pr->opener = outer;
	ir_place(g->f, release);
	ir_call_kernel(g->f, VREG_NONE, g->cg->task_release, IR_ARGS(task));
	ir_place(g->f, none);
	gen_region_end(g, &saved);
}

void gen_event_stack(struct gen *g, struct mem dst, const struct recfield *f)
{
	/* a walk is in the thread that opened the key */
	if (g->ev->t->store == TRACK_THREAD || (g->ev->how == SLOW_TIMEOUT && gen_walks(g)))
		gen_stack_to(g, dst, f);
	else if (g->ev->t->store == TRACK_TASK && !cg_typed_args(g->cg)) /* the helper wants a task, not its address */
		gen_zero(g, dst, f->size);
	else if (g->ev->t->store == TRACK_TASK)
		gen_task_stack_to(g, g->ev->task, dst, f);
	else if (gen_finds_tasks(g))
		opener_stack_by_tid(g, dst, f);
	else
		gen_zero(g, dst, f->size);
}

/* arg0: the delay; arg1 …: the keys as numbers. */
vreg gen_event_arg(struct gen *g, unsigned i)
{
	const struct dtracker *t = g->ev->t;
	struct node n = { .kind = N_EVENT, .ival = i ? TF_KEY + i - 1 : TF_DELAY };
	struct tref btf = { 0 };
	vreg v;

	if (i) {
		n.type = t->keys[i - 1];
		if (!dtype_is_scalar(dtype_resolve(g->cg->p->types, n.type)))
			return ir_imm(g->f, 0);
	}
	v = gen_event_int(g, &n, &btf);
	return btf.id ? gen_launder(g, v) : v;
}
