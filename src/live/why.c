/* SPDX-License-Identifier: Apache-2.0 */
#include "live/why.h"
#include "base/clock.h"
#include "engine/front/needs.h"
#include "types/typesrc.h"

static int on_open(void *ctx, const struct rec_schema *schema, struct sym *sym, struct why *why, FILE *out,
		   struct err *err)
{
	return viewrun_open(&((struct live_why *)ctx)->run, schema, sym, why, out, err);
}

/* Compiling and loading are no part of what was measured. */
static int on_ready(void *ctx, struct session *s, long target, struct err *err)
{
	struct live_why *w = ctx;

	(void)err;
	(void)s;
	(void)target;
	w->begun = w->view.interval = clock_ns(CLOCK_MONOTONIC);
	return 0;
}

static int on_row(void *ctx, const struct row *row, bool *ret_text)
{
	return viewrun_row(&((struct live_why *)ctx)->run, row, ret_text);
}

static int on_finish(void *ctx)
{
	struct live_why *w = ctx;

	const struct why_row *const *rows;

	w->view.ns = clock_ns(CLOCK_MONOTONIC) - w->begun;
	if (w->view.comm && w->view.table && !whytab_rows(w->view.table, false, &rows))
		listener_msg(&w->request.to,
			     "no thread called '%s' has waited: --comm is the name of a thread, of 15 letters at most",
			     w->view.comm);
	return viewrun_finish(&w->run, &w->request.to);
}

/* Does a thread that goes on pass a tracepoint of its own (Linux 6.16)? */
static bool has_exit_tp(const struct live_why *l)
{
	struct typesrc *ts = NULL;
	struct tref ref;
	bool has;

	if (typesrc_open(l->request.opts.btf, &ts, NULL) < 0)
		return true; /* the compiler says what is missing */
	has = typesrc_find(ts, NULL, "btf_trace_sched_exit_tp", TKM(TK_TYPEDEF), &ref) == 0;
	typesrc_free(ts);
	return has;
}

/* Kernels before 6.16 have no tracepoint in the thread that goes on. */
static int check_kernel(const struct live_why *l)
{
	const struct listener *to = &l->request.to;
	int e;

	if (has_exit_tp(l))
		return 0;
	e = needs_tracing(l->request.opts.btf, false, to);
	if (e < 0)
		return e; /* nothing is known of the kernel */
	if (l->view.print.stacks)
		return listener_fail(
			to, -EOPNOTSUPP,
			"latency why: --stacks needs Linux 6.16 (tracepoint sched_exit_tp); without it the causes are "
			"there, but not the stacks of programs");
	if (l->view.print.by == WHY_BY_GROUP)
		return listener_fail(to, -EOPNOTSUPP,
				     "latency why: --by container, cgroup, unit and user need Linux 6.16 (tracepoint "
				     "sched_exit_tp)");
	listener_msg(
		to,
		"before Linux 6.16: waits for locks of the kernel look like waits of the functions that take them, and threads that lost the CPU do not count");
	return 0;
}

void live_why_request(struct live_why *l)
{
	static const char *const by[] = { [WHY_BY_PROCESS] = "1", [WHY_BY_THREAD] = "2", [WHY_BY_GROUP] = "3" };
	struct request *c = &l->request;

	viewrun_begin(&l->run, &view_why, &l->view, l->form, NULL);
	if (viewrun_json(&l->run))
		request_option(c, "oformat", "json");
	if (l->view.print.by == WHY_BY_GROUP)
		request_option(c, "by", l->group);
	if (l->view.print.by != WHY_BY_NOTHING)
		request_param(c, "by", by[l->view.print.by]);
	request_param(c, "over", arena_printf(c->arena, "%llu", (unsigned long long)(l->view.print.over_ns / 1000)));
	request_param(c, "every", arena_printf(c->arena, "%lluns", (unsigned long long)l->every_ns));
	if (l->view.comm)
		request_param(c, "comm", l->view.comm);
	if (l->view.print.stacks) {
		request_param(c, "stacks", "1");
		request_param(c, "names", "1");
	}
	live_cost_choose(&l->cost, false);
	if (l->cost.text[0])
		listener_msg(&c->to, "%s", l->cost.text);
	if (l->cost.one_in)
		request_param(c, "why_one_in", arena_printf(c->arena, "%u", l->cost.one_in));
	l->view.print.one_in = l->cost.one_in;
	request_shipped(c, "latency/why");
}

struct run_observer live_why_observer(struct live_why *l)
{
	return (struct run_observer){
		.ctx = l, .open = on_open, .row = on_row, .finish = on_finish, .ready = on_ready
	};
}

int live_why_run(struct live_why *l)
{
	struct run_observer show = live_why_observer(l);
	int e;

	live_why_request(l);
	e = check_kernel(l);
	if (e == 0)
		e = request_run(&l->request, &show, NULL);
	request_done(&l->request);
	view_why.done(&l->view);
	return e ? e : l->run.failed;
}
