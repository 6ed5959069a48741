/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell latency why`: its options. */
#include <errno.h>
#include <string.h>
#include "base/cleanup.h"
#include "cmd/cmd.h"
#include "cmd/latency.h"
#include "cmd/viewcmd.h"
#include "cmd/words.h"
#include "cmdline/requestopts.h"
#include "engine/front/grouped.h"
#include "live/why.h"

struct why_run {
	struct live_why live;
	const struct optrow *live_only; /* an option that recordings do not have */
};

static int take_by(void *run, const struct optrow *o, const char *arg, struct err *err)
{
	struct live_why *l = run;

	l->view.print.by = !strcmp(arg, "process")  ? WHY_BY_PROCESS
			   : !strcmp(arg, "thread") ? WHY_BY_THREAD
						    : WHY_BY_GROUP;
	if (l->view.print.by == WHY_BY_GROUP && !grouped_knows(arg))
		return err_set(err, -EINVAL, "--%s: '%s' is none of process, thread, " GROUPED_NAMES, o->name, arg);
	l->group = arg;
	return 0;
}

static void on_given(void *run, const struct optrow *o)
{
	struct why_run *w = run;

	if (o->live)
		w->live_only = o;
}

static const struct optrow command_after = { .name = "" }; /* -- */
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
	REQUEST_ROWS_OWNER(struct why_run, live.request, true, "only programs of this user, of this unit of systemd"),
	REQUEST_ROWS_GROUP(struct why_run, live.request, true,
			   "only those in this control group and below it, in this container"),
	{ .name = "by",
	  .kind = OPT_CALL,
	  .take = take_by,
	  .at = offsetof(struct why_run, live),
	  .arg = "process",
	  .help = "a table for each process; or: thread, container, cgroup, unit, user" },
	{ .name = "stacks",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct why_run, live.view.print.stacks),
	  .live = true,
	  .help = "what the program was doing: the stacks of each cause (costs more)" },
	{ .name = "runtime",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct why_run, live.view.print.askers),
	  .live = true,
	  .help = "the functions of JavaScript or Python that asked for the waits of each cause" },
	{ .name = "cost",
	  .kind = OPT_CALL,
	  .take = live_cost_take,
	  .at = offsetof(struct why_run, live.cost),
	  .live = true,
	  .arg = "PERCENT%|1/N",
	  .help = "look at fewer threads, so that tracing takes no more than this of the CPUs" },
	INTERVAL_ROWS(offsetof(struct why_run, live.every_ns), true, "between tables (5s)"),
	{ .name = "for",
	  REQUEST_FOR(struct why_run, live.request),
	  .live = true,
	  .help = "end after this time; else Ctrl-C" },
	REQUEST_RECORD(struct why_run, live.request, "report"),
	REQUEST_OUTPUT(struct why_run, live.request),
	REQUEST_X(struct why_run, live.request, false, "as of dwell: causes=FILE for rules of your own"),
};
static const struct viewjoined joined = {
	.table = {
		.command = "latency why",
		.synopsis = "latency why [options] [-- COMMAND...]\n"
			    "latency why [--from TIME] [--to TIME] [options] FILE|FOLDER|PID...   of recordings",
		.rows = rows,
		.n = ARRAY_SIZE(rows),
		.given = on_given,
	},
	.view = &view_why,
	.state_at = offsetof(struct why_run, live.view),
	.form_at = offsetof(struct why_run, live.form),
};

static int of_recordings(struct why_run *w, const struct optable *options, char *const *words, size_t n)
{
	const struct viewshow show = {
		.view = &view_why, .state = &w->live.view, .form = w->live.form, .causes = w->live.request.opts.causes
	};

	return w->live_only ? cmd_not_recorded(options, w->live_only, words[0])
			    : viewcmd_recorded(&show, options, words, n);
}

static int why_main(int argc, char **argv)
{
	struct why_run w = { .live.every_ns = LIVE_WHY_EVERY_NS, .live.cost.why = true };
	struct why_view *v = &w.live.view;
	struct request *c = &w.live.request;
	struct viewrows all;
	const struct optable options = viewline_join(&joined, &all);
	int e;

	cmd_begin(c);
	view_init(&view_why, v);
	e = cmd_split("latency why", &argc, argv, &c->words);
	if (c->words)
		w.live_only = &command_after;
	if (e == 0)
		e = cmd_options(&options, &w, argc, argv);
	v->print.stacks |= v->print.askers;
	if (e == 0 && optind == argc && (v->asked.from || v->asked.to))
		e = cmd_words(&options, NULL, "--from and --to are for recordings");
	if (e == 0 && optind == argc)
		return cmd_ran(live_why_run(&w.live), 0);
	if (e == 0)
		e = of_recordings(&w, &options, argv + optind, (size_t)(argc - optind));
	request_done(c);
	return e;
}

const struct command latency_why = { "why", "what threads wait for: causes by time, count, maximum", why_main,
				     .joined = &joined };
/* It is asked for first, and has a name of its own. */
const struct command cmd_why = { "why", "what threads wait for (latency why)", why_main, .joined = &joined };
