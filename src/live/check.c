/* SPDX-License-Identifier: Apache-2.0 */
#include "live/check.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/columns.h"
#include "base/outfile.h"
#include "base/units.h"
#include "view/text/checkprint.h"
#include "view/text/checkrec.h"

#define OVER_US "50"	/* shorter waits get no cause */
#define NO_TABLES "1h"	/* between those that why.d prints */
#define WALK_EVERY "1s" /* over threads that are stuck */
#define RING_BYTES (1u << 20)
#define TABLE_BYTES (4u << 20)

/* In the order in which their clauses run: what check.d reads of them is set before. */
static const char *const programs[] = { "latency/wakeup",  "latency/throttle", "latency/softirq",  "latency/irq",
					"latency/reclaim", "latency/fault",    "latency/block",	   "latency/fsync",
					"latency/futex",   "latency/lock",     "latency/filelock", "latency/mmaplock",
					"latency/connect", "latency/why",      "check/check" };

/* -- the page -- */

static const char *title_of(struct live_check *r, const char *file)
{
	struct arena *a = r->request.arena;

	return file		     ? file
	       : r->request.words    ? arena_printf(a, "command %s", r->request.words[0])
	       : r->request.pids.n   ? arena_printf(a, "process %ld", r->request.pids.v[0])
	       : r->unit	     ? arena_printf(a, "unit %s", r->unit)
	       : r->filter.cgroup    ? arena_printf(a, "cgroup %s", r->filter.cgroup)
	       : r->filter.container ? arena_printf(a, "container %s", r->filter.container)
				     : "this machine";
}

static int write_html(const char *path, const struct check_report *report, const struct check_page *page,
		      struct err *err)
{
	struct outfile out;
	int e = outfile_begin(&out, path, err);

	return e ? e : outfile_end(&out, checkprint_html(report, page, out.f), err);
}

int live_check_show(struct live_check *r, const char *file, struct err *err)
{
	const struct check_page page = { .title = title_of(r, file), .columns = columns_of_stdout() };
	struct check_report report;
	int e = check_judge(r->check, r->before, &report);

	if (e < 0)
		err_set(err, -ENOMEM, "out of memory");
	if (e == 0 && r->html)
		e = write_html(r->html, &report, &page, err);
	if (e == 0)
		e = (r->json ? checkprint_json : checkprint_text)(&report, &page, r->out);
	check_report_done(&report);
	return e;
}

/* -- recordings -- */

int live_check_read(struct live_check *r, const char *file, struct check **ret, recset_note_fn *left_out,
		    struct err *err)
{
	char *words[] = { (char *)(uintptr_t)file };
	struct causes *causes;
	struct recset set;
	int e;

	e = r->rules.arena ? 0 : why_rules_open(&r->rules, NULL, &r->request.to, err);
	if (e == 0)
		e = why_read(&r->rules.why, &causes, err);
	if (e < 0)
		return e;
	if (check_new(causes, NULL, NULL, ret) < 0)
		return err_set(err, -ENOMEM, "out of memory");
	e = recset_open(&set, words, 1, left_out, err);
	if (e == 0)
		e = checkrec_read(*ret, &set, err);
	recset_close(&set);
	return e;
}

/* -- a run -- */

static bool wants(void *filter, uint32_t pid)
{
	struct slowfilter *f = filter;

	return !f->process_filter || process_filter_has(f->process_filter, pid);
}

static int on_open(void *ctx, const struct rec_schema *schema, struct sym *sym, struct why *why, FILE *out,
		   struct err *err)
{
	struct live_check *r = ctx;
	struct causes *causes;
	int e = why_read(why, &causes, err);

	r->out = out;
	r->schema = schema;
	if (e < 0)
		return e;
	if (check_new(causes, slowfilter_any(&r->filter) || r->request.pids.n || r->request.words ? wants : NULL,
		      &r->filter, &r->check) < 0 ||
	    check_begin(r->check, schema, sym) < 0)
		return err_set(err, -ENOMEM, "out of memory");
	return 0;
}

static int on_ready(void *ctx, struct session *s, long target, struct err *err)
{
	struct live_check *r = ctx;
	char time[UNITS_LEN];

	(void)s;
	r->filter.root = (uint32_t)target;
	r->begun = clock_ns(CLOCK_MONOTONIC);
	if (isatty(STDERR_FILENO) && !r->json)
		listener_msg(&r->request.to, "looks for %s; Ctrl-C ends it earlier", units_ns(r->for_ns, time));
	return slowfilter_open(&r->filter, &r->request.to, err);
}

static int on_row(void *ctx, const struct row *row, bool *ret_text)
{
	struct live_check *r = ctx;

	if (slowfilter_row(&r->filter, r->schema, row))
		return 0;
	*ret_text = row->kind == ROW_NOTE && note_is_shown(row->id);
	return check_row(r->check, row);
}

static int on_finish(void *ctx)
{
	struct live_check *r = ctx;
	struct err err = { 0 };
	int e;

	check_took(r->check, clock_ns(CLOCK_MONOTONIC) - r->begun);
	e = live_check_show(r, NULL, &err);
	if (e < 0 && err.msg[0]) {
		listener_msg(&r->request.to, "%s", err.msg);
		return 0;
	}
	return e;
}

/* Units of the system are in system.slice. */
void live_check_unit(struct live_check *r, const char *name)
{
	r->unit = name;
	r->filter.container = strchr(name, '.') ? name : arena_printf(r->request.arena, "%s.service", name);
}

void live_check_request(struct live_check *r)
{
	struct request *c = &r->request;

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

	live_check_request(r);
	return request_run(&r->request, &show, NULL);
}

void live_check_done(struct live_check *r)
{
	request_done(&r->request);
	check_free(r->check);
	check_free(r->before);
	why_rules_done(&r->rules);
	slowfilter_done(&r->filter, &r->request.to);
}
