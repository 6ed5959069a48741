/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the trackers for a while, or reads a recording, and prints the findings. */
#include "live/check.h"
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/release.h"
#include "base/units.h"

#define OVER_US "50"	/* shorter waits get no cause */
#define NO_TABLES "1h"	/* between those that why.d prints */
#define WALK_EVERY "1s" /* over threads that are stuck */
#define RING_BYTES (1u << 20)
#define TABLE_BYTES (4u << 20)

#define LINUX "5.18" /* block_rq_error; kfree_skb has a reason since 5.17 */

/* In the order in which their clauses run: what check.d reads of them is set before. */
static const char *const programs[] = { "latency/wakeup",  "latency/throttle", "latency/softirq",  "latency/irq",
					"latency/reclaim", "latency/fault",    "latency/block",	   "latency/fsync",
					"latency/futex",   "latency/lock",     "latency/filelock", "latency/mmaplock",
					"latency/connect", "latency/why",      "check/check" };

/* The subject of the page. */
static const char *title_of(struct live_check *r)
{
	struct arena *a = r->request.arena;

	return r->request.words	     ? arena_printf(a, "command %s", r->request.words[0])
	       : r->request.pids.n   ? arena_printf(a, "process %ld", r->request.pids.v[0])
	       : r->view.comm	     ? arena_printf(a, "threads called %s", r->view.comm)
	       : r->filter.unit	     ? arena_printf(a, "unit %s", r->filter.unit)
	       : r->filter.user	     ? arena_printf(a, "user %s", r->filter.user)
	       : r->filter.cgroup    ? arena_printf(a, "cgroup %s", r->filter.cgroup)
	       : r->filter.container ? arena_printf(a, "container %s", r->filter.container)
				     : "this machine";
}

static bool wants(void *filter, uint32_t pid)
{
	struct slowfilter *f = filter;

	return !f->process_filter || process_filter_has(f->process_filter, pid);
}

static int on_open(void *ctx, const struct rec_schema *schema, struct sym *sym, struct why *why, FILE *out,
		   struct err *err)
{
	struct live_check *r = ctx;

	r->schema = schema;
	if (slowfilter_any(&r->filter) || r->request.pids.n || r->request.words) {
		r->view.wants = wants;
		r->view.wants_ctx = &r->filter;
	}
	return viewrun_open(&r->run, schema, sym, why, out, err);
}

static int on_ready(void *ctx, struct session *s, long target, struct err *err)
{
	struct live_check *r = ctx;
	char time[UNITS_LEN];

	(void)s;
	r->filter.root = (uint32_t)target;
	r->begun = clock_ns(CLOCK_MONOTONIC);
	if (isatty(STDERR_FILENO) && !viewrun_json(&r->run))
		listener_msg(&r->request.to, "looks for %s; Ctrl-C ends it earlier", units_ns(r->for_ns, time));
	return slowfilter_open(&r->filter, &r->request.to, err);
}

static int on_row(void *ctx, const struct row *row, bool *ret_text)
{
	struct live_check *r = ctx;

	if (slowfilter_row(&r->filter, r->schema, row))
		return 0;
	return viewrun_row(&r->run, row, ret_text);
}

static int on_finish(void *ctx)
{
	struct live_check *r = ctx;

	check_took(r->view.check, clock_ns(CLOCK_MONOTONIC) - r->begun);
	if (r->view.comm && check_is_empty(r->view.check))
		listener_msg(&r->request.to,
			     "no thread called '%s' has waited: --comm is the name of a thread, of 15 letters at most",
			     r->view.comm);
	return viewrun_finish(&r->run, &r->request.to);
}

void live_check_request(struct live_check *r)
{
	struct request *c = &r->request;

	viewrun_begin(&r->run, &view_check, &r->view, r->form, r->left_out);
	r->run.job.title = title_of(r);
	r->run.job.beside = r->html ? view_form(&view_check, "html") : NULL;
	r->run.job.beside_output = r->html;
	c->opts.quiet = true;
	c->opts.zdepends = true; /* those that this kernel has the probes for */
	c->opts.bufsize = RING_BYTES;
	c->opts.dynvarsize = TABLE_BYTES;
	c->opts.cost = true;
	c->own = true;
	request_option(c, "iterrate", WALK_EVERY);
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++)
		request_shipped(c, programs[i]);
	request_param(c, "by", "1");
	request_param(c, "over", OVER_US);
	request_param(c, "every", NO_TABLES);
	c->for_ns = r->for_ns;
	slowfilter_program(&r->filter, c);
}

int live_check_run(struct live_check *r)
{
	const struct run_observer show = {
		.ctx = r, .open = on_open, .row = on_row, .finish = on_finish, .ready = on_ready, .counters = true
	};

	int e;

	if (!release_since(LINUX))
		return listener_fail(&r->request.to, -EOPNOTSUPP,
				     "check: needs Linux " LINUX
				     ", as older kernels do not tell why they drop packets and "
				     "which requests to disks fail; 'dwell latency' works");
	live_check_request(r);
	e = request_run(&r->request, &show, NULL);
	return e ? e : r->run.failed;
}

void live_check_done(struct live_check *r)
{
	request_done(&r->request);
	view_check.done(&r->view);
	slowfilter_done(&r->filter, &r->request.to);
}
