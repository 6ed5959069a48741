/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell check`: the first minute on a slow machine as one command. It runs the trackers of dlib/latency and
 * dlib/check/check.d, or reads a recording, and shows the findings. */
#include <getopt.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/units.h"
#include "cmd/cmd.h"
#include "cmd/latency.h"
#include "cmdline/optable.h"
#include "cmdline/opts.h"
#include "cmd/outfile.h"
#include "engine/run/run.h"
#include "engine/run/slowfilter.h"
#include "view/text/checkprint.h"
#include "view/text/checkrec.h"

#define DEFAULT_FOR_NS (30 * NSEC_PER_SEC)
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

struct check_run {
	struct request request;
	struct slowfilter filter;
	const char *unit, *html, *against, *record, *pid;
	bool json;
	uint64_t for_ns;
	const struct optrow *live_only;
	struct check *check, *before;
	const struct rec_schema *schema;
	struct why why; /* of recordings */
	struct dopts opts;
	FILE *out;
	uint64_t begun;
};

/* -- the page -- */

static const char *title_of(struct check_run *r, const char *file)
{
	struct arena *a = r->request.arena;

	return file		     ? file
	       : r->request.words    ? arena_printf(a, "command %s", r->request.words[0])
	       : r->pid		     ? arena_printf(a, "process %s", r->pid)
	       : r->unit	     ? arena_printf(a, "unit %s", r->unit)
	       : r->filter.cgroup    ? arena_printf(a, "cgroup %s", r->filter.cgroup)
	       : r->filter.container ? arena_printf(a, "container %s", r->filter.container)
				     : "this machine";
}

static int write_html(const struct check_run *r, const struct check_report *report, const struct check_page *page)
{
	struct outfile out;
	int e = outfile_open(&out, r->html);

	return e ? e : outfile_close(&out, checkprint_html(report, page, out.f));
}

/* 0; EXIT_* > 0 after a message; < 0: out cannot be written. */
static int show(struct check_run *r, const char *file)
{
	const struct check_page page = { .title = title_of(r, file), .columns = latency_columns() };
	struct check_report report;
	int e;

	if (check_judge(r->check, r->before, &report) < 0) {
		check_report_done(&report);
		return cmd_fail("out of memory");
	}
	e = r->html ? write_html(r, &report, &page) : 0;
	if (e == 0)
		e = (r->json ? checkprint_json : checkprint_text)(&report, &page, r->out);
	check_report_done(&report);
	return e;
}

/* -- recordings -- */

/* Rules for the causes of what is read from files. */
static struct causes *rules(struct check_run *r)
{
	if (!r->why.opts) {
		dopts_init(&r->opts, r->request.arena);
		if (why_open(&r->why, &r->opts, &cmd_listener))
			return NULL;
	}
	return why_causes(&r->why);
}

static int read_files(struct check_run *r, char *const *words, size_t n, struct check **ret)
{
	struct causes *causes = rules(r);
	struct err err = { 0 };
	struct recset set;
	int e;

	if (!causes)
		return EXIT_ERROR;
	if (check_new(causes, NULL, NULL, ret) < 0)
		return cmd_fail("out of memory");
	e = recset_open(&set, words, n, cmd_left_out, &err);
	if (e == 0)
		e = checkrec_read(*ret, &set, &err);
	recset_close(&set);
	return e < 0 ? cmd_fail("%s", err.msg) : 0;
}

/* -- a run -- */

static bool wants(void *filter, uint32_t pid)
{
	struct slowfilter *f = filter;

	return !f->process_filter || process_filter_has(f->process_filter, pid);
}

static int on_open(void *ctx, const struct rec_schema *schema, struct sym *sym, struct why *why, FILE *out)
{
	struct check_run *r = ctx;
	struct causes *causes = why_causes(why);

	r->out = out;
	r->schema = schema;
	if (!causes)
		return EXIT_ERROR;
	if (check_new(causes, slowfilter_any(&r->filter) || r->pid || r->request.words ? wants : NULL, &r->filter,
		      &r->check) < 0 ||
	    check_begin(r->check, schema, sym) < 0)
		return cmd_fail("out of memory");
	return 0;
}

static int on_ready(void *ctx, struct session *s, long target)
{
	struct check_run *r = ctx;
	char time[UNITS_LEN];

	(void)s;
	r->filter.root = (uint32_t)target;
	r->begun = clock_ns(CLOCK_MONOTONIC);
	if (isatty(STDERR_FILENO) && !r->json)
		cmd_msg("looks for %s; Ctrl-C ends it earlier", units_ns(r->for_ns, time));
	return slowfilter_open(&r->filter, &cmd_listener);
}

static int on_row(void *ctx, const struct row *row)
{
	struct check_run *r = ctx;
	int e;

	if (slowfilter_row(&r->filter, r->schema, row))
		return 1;
	e = check_row(r->check, row);
	return e < 0 ? e : row->kind == ROW_NOTE && note_is_shown(row->id) ? 0 : 1;
}

static int on_finish(void *ctx)
{
	struct check_run *r = ctx;
	int e;

	check_took(r->check, clock_ns(CLOCK_MONOTONIC) - r->begun);
	e = show(r, NULL);
	return e > 0 ? 0 : e;
}

/* -- options -- */

static int take_pid(void *run, const struct optrow *o, const char *arg, struct err *err)
{
	struct check_run *r = run;

	r->pid = arg;
	return latency_pass(&r->request, o, arg, err);
}

static int take_cgroup(void *run, const struct optrow *o, const char *arg, struct err *err)
{
	struct check_run *r = run;

	(void)o;
	(void)err;
	r->filter.cgroup = slowfilter_cgroup(r->request.arena, arg);
	return 0;
}

/* Units are control groups by their name: those of the system are in system.slice. */
static int take_unit(void *run, const struct optrow *o, const char *arg, struct err *err)
{
	struct check_run *r = run;

	(void)o;
	(void)err;
	r->unit = arg;
	r->filter.container = strchr(arg, '.') ? arg : arena_printf(r->request.arena, "%s.service", arg);
	return 0;
}

static void on_given(void *run, const struct optrow *o)
{
	struct check_run *r = run;

	if (o->live)
		r->live_only = o;
}

static const struct optrow rows[] = {
	{ .name = "for",
	  .kind = OPT_TIME,
	  .at = offsetof(struct check_run, for_ns),
	  .value = 1,
	  .live = true,
	  .arg = "TIME",
	  .help = "how long to look (30s)" },
	{ .letter = 'p',
	  .kind = OPT_CALL,
	  .take = take_pid,
	  .live = true,
	  .arg = "PID",
	  .help = "what this process and its descendants wait for" },
	{ .letter = 'c',
	  LATENCY_PASS(struct check_run, request),
	  .live = true,
	  .arg = "COMMAND, -- COMMAND...",
	  .help = "run it, and what it and its descendants wait for" },
	{ .name = "cgroup",
	  .kind = OPT_CALL,
	  .take = take_cgroup,
	  .live = true,
	  .arg = "PATH, --container ID, --unit NAME",
	  .help = "what the processes in it wait for" },
	{ .name = "container",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct check_run, filter.container),
	  .live = true,
	  .arg = "ID" },
	{ .name = "unit", .kind = OPT_CALL, .take = take_unit, .live = true, .arg = "NAME" },
	{ .name = "against",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct check_run, against),
	  .arg = "FILE",
	  .help = "compare with this earlier recording" },
	{ .name = "json", .kind = OPT_FLAG, .at = offsetof(struct check_run, json), .help = "one JSON object" },
	{ .name = "html",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct check_run, html),
	  .arg = "FILE",
	  .help = "a page beside the text: one file that needs no others" },
	{ .name = "record",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct check_run, record),
	  .live = true,
	  .arg = "FILE",
	  .help = "keep what was measured (dwell check FILE)" },
	{ .letter = 'x',
	  LATENCY_PASS(struct check_run, request),
	  .live = true,
	  .arg = "OPTION[=VALUE]",
	  .help = "as of dwell" },
};
static const struct optable options = {
	.command = "check",
	.synopsis =
		"check [options] [-- COMMAND...]\ncheck [--against FILE] [--json] [--html FILE] FILE   of a recording",
	.notes =
		"Looks at CPUs, memory, disks, locks, network and processes, and says what is slow: for whom, and why.",
	.rows = rows,
	.n = ARRAY_SIZE(rows),
	.given = on_given,
};

static void prepare(struct check_run *r)
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
	if (r->record)
		request_option(c, "record", r->record);
	slowfilter_program(&r->filter, c);
}

static int of_recording(struct check_run *r, int n, char **words)
{
	int e = r->live_only ? latency_not_recorded(&options, r->live_only, words[0])
		: n > 1	     ? cmd_words(&options, words[1], NULL)
			     : read_files(r, words, 1, &r->check);

	r->out = stdout;
	if (e == 0)
		e = show(r, words[0]);
	return e > 0 ? e : cmd_written(e);
}

static int check_main(int argc, char **argv)
{
	struct check_run r = { .for_ns = DEFAULT_FOR_NS };
	const struct run_observer how = {
		.ctx = &r, .open = on_open, .row = on_row, .finish = on_finish, .ready = on_ready, .counters = true
	};
	bool ran = false;
	int e;

	cmd_begin(&r.request);
	e = cmd_split("check", &argc, argv, &r.request.words);
	if (e == 0)
		e = cmd_options(&options, &r, argc, argv);
	if (e == 0 && r.against)
		e = read_files(&r, (char *const[]){ (char *)r.against }, 1, &r.before);
	if (e == 0 && optind < argc) {
		e = of_recording(&r, argc - optind, argv + optind);
	} else if (e == 0) {
		prepare(&r);
		ran = true;
		e = cmd_request(&r.request, &how);
	}
	if (!ran)
		request_done(&r.request);
	check_free(r.check);
	check_free(r.before);
	if (r.why.opts)
		why_done(&r.why);
	slowfilter_done(&r.filter, &cmd_listener);
	return e < 0 ? EXIT_OK : e;
}

const struct command cmd_check = { "check", "what is slow, for whom, and why: findings, the most expensive first",
				   check_main };
