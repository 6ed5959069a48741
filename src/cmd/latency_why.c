/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell latency why`: its options. */
#include <errno.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/columns.h"
#include "cmd/cmd.h"
#include "cmd/latency.h"
#include "cmd/words.h"
#include "cmdline/requestopts.h"
#include "engine/front/grouped.h"
#include "live/why.h"

#define MAX_TOP 10000
#define MAX_OVER_US 3600000000ull

struct why_run {
	struct live_why live;
	/* of recordings */
	struct whyrec rec;
	const struct optrow *live_only; /* an option that recordings do not have */
};

static int take_by(void *run, const struct optrow *o, const char *arg, struct err *err)
{
	struct live_why *l = run;

	l->print.by = !strcmp(arg, "process") ? WHY_BY_PROCESS : !strcmp(arg, "thread") ? WHY_BY_THREAD : WHY_BY_GROUP;
	if (l->print.by == WHY_BY_GROUP && !grouped_knows(arg))
		return err_set(err, -EINVAL, "--%s: '%s' is none of process, thread, " GROUPED_NAMES, o->name, arg);
	l->group = arg;
	return 0;
}

static int take_over(void *ns, const struct optrow *o, const char *arg, struct err *err)
{
	uint64_t *ret = ns;
	int e = optrow_time(o->name, arg, 1, ret, err);

	if (e == 0 && (*ret < 1000 || *ret / 1000 > MAX_OVER_US))
		e = err_set(err, -EINVAL, "--over: from 1us to 1h");
	return e;
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
	  REQUEST_PASS(struct why_run, live.request),
	  .live = true,
	  .arg = "PID",
	  .help = "this process and its descendants only" },
	{ .letter = 'c',
	  REQUEST_PASS(struct why_run, live.request),
	  .live = true,
	  .arg = "COMMAND, -- COMMAND...",
	  .help = "run it, and only it and its descendants" },
	{ .name = "comm",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct why_run, live.comm),
	  .arg = "NAME",
	  .help = "only programs of this name" },
	{ .name = "user",
	  REQUEST_WHOSE(struct why_run, live.request),
	  .live = true,
	  .arg = "NAME, --unit NAME",
	  .help = "only programs of this user, of this unit of systemd" },
	{ .name = "unit", REQUEST_WHOSE(struct why_run, live.request), .live = true, .arg = "NAME" },
	{ .name = "cgroup",
	  REQUEST_WHOSE(struct why_run, live.request),
	  .live = true,
	  .arg = "PATH, --container ID",
	  .help = "only those in this control group and below it, in this container" },
	{ .name = "container", REQUEST_WHOSE(struct why_run, live.request), .live = true, .arg = "ID" },
	{ .name = "by",
	  .kind = OPT_CALL,
	  .take = take_by,
	  .at = offsetof(struct why_run, live),
	  .arg = "process",
	  .help = "a table for each process; or: thread, container, cgroup, unit, user" },
	{ .name = "stacks",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct why_run, live.print.stacks),
	  .live = true,
	  .help = "what the program was doing: the stacks behind each cause (costs more)" },
	{ .name = "runtime",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct why_run, live.print.askers),
	  .live = true,
	  .help = "the functions of JavaScript or Python that asked for the waits of each cause" },
	{ .name = "over",
	  .kind = OPT_CALL,
	  .take = take_over,
	  .at = offsetof(struct why_run, live.print.over_ns),
	  .arg = "TIME",
	  .help = "shorter waits are counted, but get no cause (10us)" },
	{ .name = "idle",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct why_run, live.print.idle),
	  .help = "sleeps and waits for something to do, too" },
	{ .name = "top",
	  .kind = OPT_NUMBER,
	  .at = offsetof(struct why_run, live.print.top),
	  .value = MAX_TOP,
	  .arg = "N",
	  .help = "rows of a table (20)" },
	{ .name = "every",
	  .kind = OPT_TIME,
	  .at = offsetof(struct why_run, live.every_ns),
	  .value = 1,
	  .live = true,
	  .arg = "TIME",
	  .help = "between tables (5s)" },
	{ .name = "for",
	  REQUEST_FOR(struct why_run, live.request),
	  .live = true,
	  .help = "end after this time; else Ctrl-C" },
	{ .name = "json", .kind = OPT_FLAG, .at = offsetof(struct why_run, live.print.json), .help = "JSON Lines" },
	{ .name = "record",
	  REQUEST_PASS(struct why_run, live.request),
	  .live = true,
	  .arg = "FILE",
	  .help = "keep what was measured (dwell report FILE)" },
	{ .letter = 'x',
	  REQUEST_PASS(struct why_run, live.request),
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

static int of_recordings(struct why_run *w, char *const *words, size_t n)
{
	struct err err = { 0 };

	if (w->live_only)
		return cmd_not_recorded(&options, w->live_only, words[0]);
	if (w->live.print.by == WHY_BY_GROUP)
		return cmd_wrong("latency why: a recording does not tell groups: --by process or thread");
	w->live.print.out = stdout;
	w->rec.print = &w->live.print;
	w->rec.comm = w->live.comm;
	return cmd_ended(
		live_why_recorded(&w->rec, w->live.request.opts.causes, words, n, cmd_left_out, &cmd_listener, &err),
		&err);
}

static int why_main(int argc, char **argv)
{
	struct why_run w = {
		.live = { .print = { .top = 20, .over_ns = LIVE_WHY_OVER_NS, .columns = columns_of_stdout() },
			  .every_ns = LIVE_WHY_EVERY_NS }
	};
	struct request *c = &w.live.request;
	int e;

	cmd_begin(c);
	e = cmd_split("latency why", &argc, argv, &c->words);
	if (c->words)
		w.live_only = &command_behind;
	if (e == 0)
		e = cmd_options(&options, &w, argc, argv);
	w.live.print.stacks |= w.live.print.askers;
	if (e == 0 && optind == argc && (w.rec.asked.from || w.rec.asked.to))
		e = cmd_words(&options, NULL, "--from and --to are for recordings");
	if (e == 0 && optind == argc)
		return cmd_ran(live_why_run(&w.live), 0);
	if (e == 0)
		e = of_recordings(&w, argv + optind, (size_t)(argc - optind));
	request_done(c);
	return e;
}

const struct command latency_why = { "why", "what threads wait for: causes by time, count, maximum", why_main,
				     .options = &options };
/* It is asked for first, and has a name of its own. */
const struct command cmd_why = { "why", "what threads wait for (latency why)", why_main, .options = &options };
