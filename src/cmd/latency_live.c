/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell latency [TRACKER]...`: options and messages. The run itself is src/live/slow.c. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/columns.h"
#include "cmd/cmd.h"
#include "cmd/latency.h"
#include "cmd/latency_daemon.h"
#include "cmd/viewcmd.h"
#include "cmd/words.h"
#include "cmdline/requestopts.h"
#include "engine/front/grouped.h"
#include "latency/cause/trackers.h"
#include "live/slow.h"

#define MAX_RATE 10000

struct latency_cmd {
	struct live_slow live;
	bool daemon_option;		/* one of struct daemon_opts */
	const struct optrow *live_only; /* an option that recordings do not have */
	const char *form;		/* of the view; NULL: text */
};

/* at: characters before them in the line. */
static void list_trackers(FILE *out, int at)
{
	_cleanup_(strb_free) struct strb b = { 0 };
	const char *file;

	for (size_t i = 0; (file = trackers_file(i)); i++)
		strb_printf(&b, "%s%s", i ? " " : "", file);
	columns_wrap(out, strb_str(&b), at, at, out == stdout ? columns_of_terminal() : 0);
}

/* Can the word only be a file, a folder or a process? */
static bool is_recording(const char *name)
{
	if (trackers_has_file(name))
		return false;
	return access(name, F_OK) == 0 || strspn(name, "0123456789") == strlen(name);
}

static int take_trackers(struct live_slow *l, int n, char **names)
{
	const char *wrong;
	int e = live_slow_add_all(l, names, (size_t)n, &wrong);

	if (e == -EINVAL)
		return cmd_wrong("latency: %s is about one process: -p PID, or -- COMMAND", wrong);
	if (e < 0) {
		cmd_msg("latency: there is no tracker or command '%s'; trackers are:", wrong);
		list_trackers(stderr, 0);
	}
	return e < 0 ? EXIT_USAGE : 0;
}

static int take_request(void *live, const struct optrow *o, const char *arg, struct err *err)
{
	(void)o;
	return live_slow_requests(live, arg, err);
}

static int take_by(void *live, const struct optrow *o, const char *arg, struct err *err)
{
	struct latency_cmd *c = live;

	(void)o;
	if (!grouped_knows(arg))
		return err_set(err, -EINVAL, "--by: '%s' is none of " GROUPED_NAMES, arg);
	c->live.show.by = arg;
	return 0;
}

static void on_given(void *live, const struct optrow *o)
{
	struct latency_cmd *c = live;

	if (o->live)
		c->live_only = o;
	c->daemon_option |= o->text == daemon_mark;
}

static void list_words(FILE *out)
{
	list_trackers(out, fprintf(out, "\nTrackers: ") - 1);
	fputs("\nOther commands, each with --help:\n", out);
	latency_list_commands(out);
}

static const struct optrow rows[] = {
	{ .name = "rate",
	  .kind = OPT_CALL,
	  .take = requestopts_rate,
	  .at = offsetof(struct latency_cmd, live.rate),
	  .value = MAX_RATE,
	  .live = true,
	  .arg = "N/s",
	  .help = "thresholds follow, so that about N events a second are slow" },
	{ .name = "request",
	  .kind = OPT_CALL,
	  .take = take_request,
	  .at = offsetof(struct latency_cmd, live),
	  .live = true,
	  .arg = "BEGIN,END[,arg0][,nested]",
	  .help = "between two probes of a thread, or with one arg0" },
	{ .letter = 'p',
	  REQUEST_PASS(struct latency_cmd, live.request),
	  .live = true,
	  .arg = "PID",
	  .help = "events of this process and its descendants only" },
	{ .letter = 'c',
	  REQUEST_PASS(struct latency_cmd, live.request),
	  .live = true,
	  .arg = "COMMAND, -- COMMAND...",
	  .help = "run it, and only events of it and its descendants" },
	{ .name = "comm",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct latency_cmd, live.filter.comm),
	  .arg = "NAME",
	  .help = "only events of programs of this name" },
	SLOWFILTER_ROWS_OWNER(requestopts_only, offsetof(struct latency_cmd, live.filter),
			      "only those of this user, of this unit of systemd"),
	SLOWFILTER_ROWS_GROUP(requestopts_only, offsetof(struct latency_cmd, live.filter),
			      "only those in this control group and below it, in this container"),
	{ .name = "by",
	  .kind = OPT_CALL,
	  .take = take_by,
	  .arg = "GROUP",
	  .help = "a table for each container, cgroup, unit or user" },
	{ .name = "flight",
	  .kind = OPT_CALL,
	  .take = requestopts_flight,
	  .at = offsetof(struct latency_cmd, live.request),
	  .live = true,
	  .arg = "TIME",
	  .help = "with events of the CPUs from this time before each, up to its end (all: -v)" },
	{ .name = "cost",
	  .kind = OPT_CALL,
	  .take = live_cost_take,
	  .at = offsetof(struct latency_cmd, live.cost),
	  .live = true,
	  .arg = "PERCENT%|1/N",
	  .help = "look at fewer threads, so that tracing takes no more than this of the CPUs" },
	{ .name = "stacks",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct latency_cmd, live.show.stacks),
	  .live = true,
	  .text = " (dwell report has them)",
	  .help = "with the attributes of each event" },
	INTERVAL_ROWS(offsetof(struct latency_cmd, live.every_ns), true, "between summaries (5s)"),
	{ .name = "for",
	  REQUEST_FOR(struct latency_cmd, live.request),
	  .live = true,
	  .help = "end after this time; else Ctrl-C" },
	{ .name = "slow-only",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct latency_cmd, live.slow_only),
	  .live = true,
	  .help = "--record keeps slow events and histograms only, which costs less than half" },
	{ .name = "record",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct latency_cmd, live.record),
	  .live = true,
	  .arg = "FILE",
	  .help = "keep what was measured (dwell report FILE)" },
	REQUEST_OUTPUT(struct latency_cmd, live.request),
	REQUEST_X(struct latency_cmd, live.request, true, "as of dwell"),
	{ 0 },
	{ .name = "daemon",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct latency_cmd, live.as_daemon),
	  .live = true,
	  .help = "record for months: in files that take turns; slow events only with --json" },
	DAEMON_ROWS(struct latency_cmd, live.daemon_opts),
};
const struct viewjoined latency_joined = {
	.table = {
		.command = "latency",
		.synopsis =
			"latency [TRACKER...] [options] [-- COMMAND...]\n"
			"latency [--over TIME] [--worst N] [--comm NAME] [--idle] [--all] [--by GROUP] [--json] FILE|FOLDER|PID...   of recordings",
		.rows = rows,
		.n = ARRAY_SIZE(rows),
		.given = on_given,
		.more = list_words,
	},
	.view = &view_latency,
	.state_at = offsetof(struct latency_cmd, live.show),
	.form_at = offsetof(struct latency_cmd, form),
};

static int check(const struct latency_cmd *c)
{
	if (c->live.slow_only && !c->live.record)
		cmd_msg("latency: --slow-only needs --record");
	else if (c->live.as_daemon && c->live.record)
		cmd_msg("latency: a daemon records into files of its own: --state FOLDER in place of --record");
	else if (c->daemon_option && !c->live.as_daemon)
		cmd_msg("latency: --state, --rotate-size, --rotate-age, --keep, --keep-size and --metrics go with --daemon");
	else if (c->live.as_daemon && c->live.show.by)
		cmd_msg("latency: a daemon's metrics tell containers and units by themselves: no --by");
	else
		return 0;
	return EXIT_USAGE;
}

static int of_recordings(struct latency_cmd *c, const struct optable *options, char *const *words, size_t n)
{
	const struct viewshow show = { .view = &view_latency, .state = &c->live.show, .form = c->form };

	c->live.show.comm = c->live.filter.comm;
	return c->live_only ? cmd_not_recorded(options, c->live_only, words[0])
			    : viewcmd_recorded(&show, options, words, n);
}

int latency_live(int argc, char **argv)
{
	struct latency_cmd c = { .live.show.columns = columns_of_stdout() };
	struct viewrows all;
	const struct optable options = viewline_join(&latency_joined, &all);
	struct err err = { 0 };
	int e;

	cmd_begin(&c.live.request);
	live_slow_begin(&c.live);
	e = cmd_split("latency", &argc, argv, &c.live.request.words);
	if (e == 0)
		e = cmd_options(&options, &c, argc, argv);
	c.live.show.json = c.form != NULL;
	if (e == 0 && optind < argc && is_recording(argv[optind])) {
		e = of_recordings(&c, &options, argv + optind, (size_t)(argc - optind));
	} else if (e == 0) {
		e = check(&c);
		if (e == 0 && !c.live.as_daemon) /* a daemon starts before what it looks at */
			e = cmd_err(slowfilter_exists(&c.live.filter, &err), &err);
		if (e == 0)
			e = cmd_ended(live_slow_group(&c.live, &err), &err);
		if (e == 0)
			e = take_trackers(&c.live, argc - optind, argv + optind);
		if (e == 0)
			e = cmd_ran(live_slow_run(&c.live), 0);
	}
	live_slow_done(&c.live);
	return e;
}
