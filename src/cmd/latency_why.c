/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell latency why`: what threads wait for, as a table: each few seconds, and at the end of all. The program
 * that measures is dlib/latency/why.d; its printa() tells when an interval is over. */
#include <getopt.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "cmd/cmd.h"
#include "cmd/latency.h"
#include "engine/why.h"
#include "engine/front/needs.h"
#include "cmdline/optable.h"
#include "cmdline/opts.h"
#include "engine/run/run.h"
#include "view/text/whyprint.h"
#include "view/text/whyrec.h"

#define DEFAULT_EVERY_NS 5000000000ull
#define MAX_TOP 10000
#define MAX_OVER_US 3600000000ull

/* The run being shown. */
struct why_run {
	struct why_print print;
	struct request request;
	struct whytab *table;
	const struct rec_schema *schema;
	uint64_t begun, interval; /* CLOCK_MONOTONIC ns */
	uint64_t every_ns;
	/* of recordings */
	struct whyrec rec;
	const char *causes;		/* -x causes, or NULL */
	const struct optrow *live_only; /* an option that recordings do not have */
};

/* -- rows of the run -- */

static int on_open(void *ctx, const struct rec_schema *schema, struct sym *sym, struct why *why, FILE *out)
{
	struct why_run *w = ctx;
	struct causes *c = why_causes(why);

	w->schema = schema;
	w->print.out = out;
	if (!c || whytab_new(c, sym, &w->table) < 0)
		return c ? cmd_fail("out of memory") : EXIT_ERROR;
	return 0;
}

/* Compiling and loading are no part of what was measured. */
static int on_ready(void *ctx, struct session *s, long target)
{
	struct why_run *w = ctx;

	(void)s;
	(void)target;
	w->begun = w->interval = clock_ns(CLOCK_MONOTONIC);
	return 0;
}

static int on_row(void *ctx, const struct row *row)
{
	struct why_run *w = ctx;
	uint64_t now;
	int e = 1;

	switch (row->kind) {
	case ROW_AGG: e = whytab_add(w->table, w->schema, row); return e < 0 ? e : 1;
	case ROW_EVENT:
		if (!whytab_is_end(w->schema, row))
			return 1;
		now = row->ts;
		e = whyprint_table(&w->print, w->table, now - w->interval, false);
		w->interval = now;
		whytab_next(w->table);
		return e < 0 ? e : 1;
	case ROW_DROPS:
	case ROW_NOTE:
	case ROW_FAULT: return 0;
	default: return 1;
	}
}

static int on_finish(void *ctx)
{
	struct why_run *w = ctx;

	return whyprint_table(&w->print, w->table, clock_ns(CLOCK_MONOTONIC) - w->begun, true);
}

/* -- options -- */

static int take_by(void *run, const struct optrow *o, const char *arg, struct err *err)
{
	struct why_run *w = run;
	enum why_by *by = &w->print.by;

	(void)o;
	(void)err;
	*by = !strcmp(arg, "process") ? WHY_BY_PROCESS : !strcmp(arg, "thread") ? WHY_BY_THREAD : WHY_BY_GROUP;
	if (*by == WHY_BY_GROUP)
		request_option(&w->request, "by", arg);
	request_param(&w->request, "by", *by == WHY_BY_GROUP ? "3" : *by == WHY_BY_THREAD ? "2" : "1");
	return 0;
}

static int take_over(void *run, const struct optrow *o, const char *arg, struct err *err)
{
	struct why_run *w = run;
	uint64_t *ns = &w->print.over_ns;
	int e = optrow_time(o->name, arg, 1, ns, err);

	if (e)
		return e;
	if (*ns < 1000 || *ns / 1000 > MAX_OVER_US)
		return err_set(err, -EINVAL, "--over: from 1us to 1h");
	request_param(&w->request, "over", arena_printf(w->request.arena, "%llu", (unsigned long long)(*ns / 1000)));
	return 0;
}

static int take_comm(void *run, const struct optrow *o, const char *arg, struct err *err)
{
	struct why_run *w = run;

	w->rec.comm = arg;
	return latency_pass(&w->request, o, arg, err);
}

static int take_x(void *run, const struct optrow *o, const char *arg, struct err *err)
{
	struct why_run *w = run;

	if (!strncmp(arg, "causes=", 7))
		w->causes = arg + 7;
	return latency_pass(&w->request, o, arg, err);
}

static void on_given(void *run, const struct optrow *o)
{
	struct why_run *w = run;

	if (o->live)
		w->live_only = o;
}

static const struct optrow command_behind = { .name = "" }; /* -- */
static const struct optrow rows[] = {
	{ .letter = 'p',
	  LATENCY_PASS(struct why_run, request),
	  .live = true,
	  .arg = "PID",
	  .help = "this process and its descendants only" },
	{ .letter = 'c',
	  LATENCY_PASS(struct why_run, request),
	  .live = true,
	  .arg = "COMMAND, -- COMMAND...",
	  .help = "run it, and only it and its descendants" },
	{ .name = "comm", .kind = OPT_CALL, .take = take_comm, .arg = "NAME", .help = "only programs of this name" },
	{ .name = "user",
	  LATENCY_WHOSE(struct why_run, request),
	  .live = true,
	  .arg = "NAME, --unit NAME",
	  .help = "only programs of this user, of this unit of systemd" },
	{ .name = "unit", LATENCY_WHOSE(struct why_run, request), .live = true, .arg = "NAME" },
	{ .name = "cgroup",
	  LATENCY_WHOSE(struct why_run, request),
	  .live = true,
	  .arg = "PATH, --container ID",
	  .help = "only those in this control group and below it, in this container" },
	{ .name = "container", LATENCY_WHOSE(struct why_run, request), .live = true, .arg = "ID" },
	{ .name = "by",
	  .kind = OPT_CALL,
	  .take = take_by,
	  .arg = "process",
	  .help = "a table for each process; or: thread, container, cgroup, unit, user" },
	{ .name = "stacks",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct why_run, print.stacks),
	  .live = true,
	  .help = "what the program was doing: the stacks behind each cause (costs more)" },
	{ .name = "over",
	  .kind = OPT_CALL,
	  .take = take_over,
	  .arg = "TIME",
	  .help = "shorter waits are counted, but get no cause (10us)" },
	{ .name = "idle",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct why_run, print.idle),
	  .help = "sleeps and waits for something to do, too" },
	{ .name = "top",
	  .kind = OPT_NUMBER,
	  .at = offsetof(struct why_run, print.top),
	  .value = MAX_TOP,
	  .arg = "N",
	  .help = "rows of a table (20)" },
	{ .name = "every",
	  .kind = OPT_TIME,
	  .at = offsetof(struct why_run, every_ns),
	  .value = 1,
	  .live = true,
	  .arg = "TIME",
	  .help = "between tables (5s)" },
	{ .name = "for",
	  LATENCY_FOR(struct why_run, request),
	  .live = true,
	  .help = "end after this time; else Ctrl-C" },
	{ .name = "json", .kind = OPT_FLAG, .at = offsetof(struct why_run, print.json), .help = "JSON Lines" },
	{ .name = "record",
	  LATENCY_PASS(struct why_run, request),
	  .live = true,
	  .arg = "FILE",
	  .help = "keep what was measured (dwell report FILE)" },
	{ .letter = 'x',
	  .kind = OPT_CALL,
	  .take = take_x,
	  .arg = "OPTION[=VALUE]",
	  .help = "as of dwell: causes=FILE for rules of your own" },
	{ .name = "from", .kind = OPT_TEXT, .at = offsetof(struct why_run, rec.asked.from), .arg = "TIME" },
	{ .name = "to", .kind = OPT_TEXT, .at = offsetof(struct why_run, rec.asked.to), .arg = "TIME" },
};
static const struct optable options = {
	.command = "latency why",
	.synopsis = "latency why [options] [-- COMMAND...]\n"
		    "latency why [--from TIME] [--to TIME] [options] FILE|FOLDER|PID...   of recordings",
	.rows = rows,
	.n = ARRAY_SIZE(rows),
	.given = on_given,
};

/* Kernels before 6.16 have no tracepoint in the thread that goes on. */
static int choose_program(struct why_run *w)
{
	bool exit_tp = latency_has_exit_tp(), stacks = w->print.stacks;

	if (!exit_tp && needs_tracing(false, &cmd_listener))
		return EXIT_ERROR; /* nothing is known of the kernel */
	if (!exit_tp && stacks)
		return cmd_fail(
			"latency why: --stacks needs Linux 6.16 (tracepoint sched_exit_tp); without it the causes are "
			"there, but not the stacks of programs");
	if (!exit_tp && w->print.by == WHY_BY_GROUP)
		return cmd_fail(
			"latency why: --by container, cgroup, unit and user need Linux 6.16 (tracepoint sched_exit_tp)");
	if (!exit_tp)
		cmd_msg("before Linux 6.16: waits for locks of the kernel look like waits of those who take them, and threads "
			"that lost the CPU do not count");
	request_shipped(&w->request, "latency/why");
	if (stacks)
		request_param(&w->request, "stacks", "1");
	return 0;
}

/* words: recordings, folders, processes. Exit status, said. */
static int latency_why_recordings(const struct whyrec *w, const char *causes_file, char *const *words, size_t n)
{
	struct recset set;
	struct err err = { 0 };
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
	struct dopts opts;
	struct why why;
	struct causes *causes;
	int e;

	dopts_init(&opts, a);
	if (causes_file)
		dopts_set(&opts, "causes", causes_file, NULL);
	e = why_open(&why, &opts, &cmd_listener);
	causes = e ? NULL : why_causes(&why);
	if (e == 0 && !causes)
		e = EXIT_ERROR;
	if (e == 0) {
		e = recset_open(&set, words, n, cmd_left_out, &err);
		if (e == 0)
			e = whyrec_print(w, &set, causes, &err);
		e = e < 0 && err.msg[0] ? cmd_fail("%s", err.msg) : cmd_written(e);
		recset_close(&set);
	}
	why_done(&why);
	arena_free(a);
	return e;
}

static int of_recordings(struct why_run *w, char *const *words, size_t n)
{
	if (w->live_only)
		return latency_not_recorded(&options, w->live_only, words[0]);
	if (w->print.by == WHY_BY_GROUP)
		return cmd_wrong("latency why: a recording does not tell groups: --by process or thread");
	w->print.out = stdout;
	w->rec.print = &w->print;
	return latency_why_recordings(&w->rec, w->causes, words, n);
}

static int why_main(int argc, char **argv)
{
	struct why_run w = { .print = { .top = 20, .over_ns = 10000, .columns = latency_columns() },
			     .every_ns = DEFAULT_EVERY_NS };
	const struct run_observer show = {
		.ctx = &w, .open = on_open, .row = on_row, .finish = on_finish, .ready = on_ready
	};
	struct request *c = &w.request;
	int e;

	cmd_begin(c);
	e = cmd_split("latency why", &argc, argv, &c->words);
	if (c->words)
		w.live_only = &command_behind;
	if (e == 0)
		e = cmd_options(&options, &w, argc, argv);
	if (e == 0 && optind < argc) {
		e = of_recordings(&w, argv + optind, (size_t)(argc - optind));
		request_done(c);
		return e;
	}
	if (e == 0 && (w.rec.asked.from || w.rec.asked.to))
		e = cmd_words(&options, NULL, "--from and --to are for recordings");
	if (e == 0) {
		if (w.print.json)
			request_option(c, "oformat", "json");
		request_param(c, "every", arena_printf(c->arena, "%lluns", (unsigned long long)w.every_ns));
		e = choose_program(&w);
	}
	if (e == 0)
		e = cmd_request(c, &show);
	else
		request_done(c);
	whytab_free(w.table);
	return e < 0 ? EXIT_OK : e;
}

const struct latency_command latency_why = { "why", "what threads wait for: causes by time, count, maximum", why_main };
