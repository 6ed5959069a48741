/* SPDX-License-Identifier: Apache-2.0 */
#include "live/why.h"
#include <errno.h>
#include "base/clock.h"
#include "engine/front/needs.h"
#include "types/typesrc.h"

static int on_open(void *ctx, const struct rec_schema *schema, struct sym *sym, struct why *why, FILE *out,
		   struct err *err)
{
	struct live_why *w = ctx;
	struct causes *c;
	int e = why_read(why, &c, err);

	w->schema = schema;
	w->print.out = out;
	if (e < 0)
		return e;
	if (whytab_new(c, sym, &w->table) < 0)
		return err_set(err, -ENOMEM, "out of memory");
	if (w->print.askers)
		whytab_askers(w->table);
	return 0;
}

/* Compiling and loading are no part of what was measured. */
static int on_ready(void *ctx, struct session *s, long target, struct err *err)
{
	struct live_why *w = ctx;

	(void)err;
	(void)s;
	(void)target;
	w->begun = w->interval = clock_ns(CLOCK_MONOTONIC);
	return 0;
}

static int on_row(void *ctx, const struct row *row, bool *ret_text)
{
	struct live_why *w = ctx;
	uint64_t now;
	int e;

	switch (row->kind) {
	case ROW_AGG: return whytab_add(w->table, w->schema, row);
	case ROW_EVENT:
		if (!whytab_is_end(w->schema, row))
			return 0;
		now = row->ts;
		e = whyprint_table(&w->print, w->table, now - w->interval, false);
		w->interval = now;
		whytab_next(w->table);
		return e;
	case ROW_DROPS:
	case ROW_NOTE:
	case ROW_FAULT: *ret_text = true; return 0;
	default: return 0;
	}
}

static int on_finish(void *ctx)
{
	struct live_why *w = ctx;

	return whyprint_table(&w->print, w->table, clock_ns(CLOCK_MONOTONIC) - w->begun, true);
}

/* Does a thread that goes on pass a tracepoint of its own (Linux 6.16)? */
static bool has_exit_tp(void)
{
	struct typesrc *ts = NULL;
	struct tref ref;
	bool has;

	if (typesrc_open_kernel(&ts, NULL) < 0)
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

	if (has_exit_tp())
		return 0;
	e = needs_tracing(false, to);
	if (e < 0)
		return e; /* nothing is known of the kernel */
	if (l->print.stacks)
		return listener_fail(
			to, -EOPNOTSUPP,
			"latency why: --stacks needs Linux 6.16 (tracepoint sched_exit_tp); without it the causes are "
			"there, but not the stacks of programs");
	if (l->print.by == WHY_BY_GROUP)
		return listener_fail(to, -EOPNOTSUPP,
				     "latency why: --by container, cgroup, unit and user need Linux 6.16 (tracepoint "
				     "sched_exit_tp)");
	listener_msg(
		to,
		"before Linux 6.16: waits for locks of the kernel look like waits of those who take them, and threads "
		"that lost the CPU do not count");
	return 0;
}

void live_why_request(struct live_why *l)
{
	static const char *const by[] = { [WHY_BY_PROCESS] = "1", [WHY_BY_THREAD] = "2", [WHY_BY_GROUP] = "3" };
	struct request *c = &l->request;

	if (l->print.json)
		request_option(c, "oformat", "json");
	if (l->print.by == WHY_BY_GROUP)
		request_option(c, "by", l->group);
	if (l->print.by != WHY_BY_NOTHING)
		request_param(c, "by", by[l->print.by]);
	request_param(c, "over", arena_printf(c->arena, "%llu", (unsigned long long)(l->print.over_ns / 1000)));
	request_param(c, "every", arena_printf(c->arena, "%lluns", (unsigned long long)l->every_ns));
	if (l->comm)
		request_param(c, "comm", l->comm);
	if (l->print.stacks) {
		request_param(c, "stacks", "1");
		request_param(c, "names", "1");
	}
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
	whytab_free(l->table);
	return e;
}

int live_why_recorded(const struct whyrec *w, const char *causes_file, char *const *words, size_t n,
		      recset_note_fn *left_out, const struct listener *to, struct err *err)
{
	struct why_rules rules = { 0 };
	struct causes *causes = NULL;
	struct recset set;
	int e = why_rules_open(&rules, causes_file, to, err);

	if (e == 0)
		e = why_read(&rules.why, &causes, err);
	if (e == 0) {
		e = recset_open(&set, words, n, left_out, err);
		if (e == 0)
			e = whyrec_print(w, &set, causes, err);
		recset_close(&set);
	}
	why_rules_done(&rules);
	return e;
}
