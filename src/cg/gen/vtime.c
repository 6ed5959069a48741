/* SPDX-License-Identifier: Apache-2.0 */
/* vtimestamp: nanoseconds that the thread has run. The scheduler adds them up (se.sum_exec_runtime) at ticks and
 * switches only; what ran since then is the time of the run queue's clock now, less se.exec_start. BPF cannot read that
 * clock. But clock now = time now (CLOCK_MONOTONIC) + the difference of the two clocks. Every firing sees a lower bound
 * of that difference: the queue's last clock value, less the time now. The best bound is kept, and lowered over time by
 * more than the clocks can drift apart; each tick or switch makes it exact again. So the value never goes back, never
 * runs ahead of the scheduler's, and lags by microseconds rather than by a tick. Time stolen from the CPU is left out
 * as the scheduler does. Source: kernel/sched/fair.c update_curr(), kernel/sched/core.c update_rq_clock(). */
#include "cg/gen/layout.h"
#include "cg/gen/map.h"
#include "cg/gen/task.h"

#define DRIFT_SHIFT 10 /* the bound falls by time / 2^10: more than NTP's largest correction, 500 ppm */

/* The queue that the task is on, or was on last: *ret_clock and *ret_task are its two clocks. False: the
 * kernel's types do not tell. */
static bool queue_clocks(struct gen *g, vreg *ret_clock, vreg *ret_task)
{
	uint32_t off, size;

	if (!lay_offset(g->cg, "sched_entity", "cfs_rq", &off, &size) ||
	    !lay_offset(g->cg, "cfs_rq", "rq", &off, &size) || !lay_offset(g->cg, "rq", "clock_task", &off, &size) ||
	    !lay_offset(g->cg, "sched_entity", "exec_start", &off, &size))
		return false;
	*ret_clock = gen_task_field(g, "se.cfs_rq->rq->clock");
	*ret_task = gen_task_field(g, "se.cfs_rq->rq->clock_task");
	return true;
}

/* The best bound of (queue's clock - time) so far, this firing's included. */
static vreg clock_bound(struct gen *g, vreg clock, vreg ts)
{
	vreg p = gen_mapval(g, cg_map_state(g->cg), offsetof(struct img_state, clock_diff));
	vreg d = ir_new(g->f), old = ir_new(g->f), at = ir_new(g->f);
	irlabel keep = ir_label(g->f), out = ir_label(g->f), none = ir_label(g->f);

	ir_alu(g->f, IRA_SUB, d, clock, ts);
	ir_load(g->f, at, p, 8, 8);
	ir_jcci(g->f, IRC_EQ, at, 0, none);
	ir_load(g->f, old, p, 0, 8);
	ir_alu(g->f, IRA_SUB, at, ts, at);
	ir_alui(g->f, IRA_SAR, at, at, DRIFT_SHIFT);
	ir_alu(g->f, IRA_SUB, old, old, at);
	ir_jcc(g->f, IRC_SGE, old, d, keep);
	ir_place(g->f, none);
	ir_store(g->f, p, 0, 8, d);
	ir_store(g->f, p, 8, 8, ts);
	ir_jmp(g->f, out);
	ir_place(g->f, keep);
	ir_mov(g->f, d, old);
	ir_place(g->f, out);
	return d;
}

/* Reads the sum, and the time from which on it is not added up. A tick in between changes both, so the time is read
 * again. */
static void read_sums(struct gen *g, vreg sum, vreg start)
{
	irlabel same = ir_label(g->f);

	ir_mov(g->f, start, gen_task_field(g, "se.exec_start"));
	ir_mov(g->f, sum, gen_task_field(g, "se.sum_exec_runtime"));
	vreg again = gen_task_field(g, "se.exec_start");

	ir_jcc(g->f, IRC_EQ, start, again, same);
	ir_mov(g->f, start, again);
	ir_mov(g->f, sum, gen_task_field(g, "se.sum_exec_runtime"));
	ir_place(g->f, same);
}

vreg gen_vtimestamp(struct gen *g)
{
	vreg sum = ir_new(g->f), clock, task, start = ir_new(g->f), bound, ts;
	irlabel out = ir_label(g->f);

	/* Another thread need not be running: its time is the scheduler's sum. */
	if (gen_walks(g) || !queue_clocks(g, &clock, &task))
		return gen_task_field(g, "se.sum_exec_runtime");
	read_sums(g, sum, start);
	ts = ir_new(g->f); /* not the firing's time, which may be before the clock's */
	ir_call(g->f, ts, BPF_FUNC_ktime_get_ns, 0, NULL);
	bound = clock_bound(g, clock, ts);
	/* now on the task's clock, less the start of what is not added up yet */
	ir_alu(g->f, IRA_ADD, ts, ts, bound);
	ir_alu(g->f, IRA_SUB, clock, clock, task);
	ir_alu(g->f, IRA_SUB, ts, ts, clock);
	ir_alu(g->f, IRA_SUB, ts, ts, start);
	ir_jcci(g->f, IRC_SLE, ts, 0, out);
	ir_alu(g->f, IRA_ADD, sum, sum, ts);
	ir_place(g->f, out);
	return sum;
}

/* The scheduler's clock now, in which it stamps threads (se.exec_start, sched_info): the time, and the
 * difference of the two clocks. The clock value of the running thread's queue is a bound of that difference. */
vreg gen_sched_clock(struct gen *g)
{
	vreg task = ir_new(g->f), ts = ir_new(g->f), clock;
	uint32_t off, size;

	if (!lay_offset(g->cg, "cfs_rq", "rq", &off, &size)) {
		cg_error(g, g->ds->at, TAG_NOSUPP, "this kernel's types do not tell the scheduler's clock");
		return ir_imm(g->f, 0);
	}
	ir_call(g->f, task, cg_typed(g->cg) ? BPF_FUNC_get_current_task_btf : BPF_FUNC_get_current_task, 0, NULL);
	clock = gen_field_of(g, task, "se.cfs_rq->rq->clock");
	ir_call(g->f, ts, BPF_FUNC_ktime_get_ns, 0, NULL);
	ir_alu(g->f, IRA_ADD, ts, ts, clock_bound(g, clock, ts));
	return ts;
}
