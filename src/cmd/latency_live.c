/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell latency`: slow events as they happen, each with its cause and its chain, and every few seconds a summary. The
 * programs that measure are those of dlib/latency, named by the trackers asked for. */
#include <getopt.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/units.h"
#include "base/columns.h"
#include "cmd/cmd.h"
#include "cmd/latency.h"
#include "cmd/latency_daemon.h"
#include "cmd/latency_live.h"
#include "cmd/words.h"
#include "cmdline/requestopts.h"
#include "cmdline/opts.h"
#include "engine/run/run.h"
#include "latency/trackers.h"
#include "load/cpus.h"
#include "run/session.h"

#define SUMMARY_NS 5000000000ull
#define MAX_WORST 1000
#define MAX_RATE 10000
#define REQUESTS_NESTED "8" /* within each other, with ,nested */
#define CONTROL 1024	    /* one of this many ordinary events is kept */
#define CONTROL_NOT_GIVEN (-1)
#define FILTERED_LIMIT 5000 /* slow events of a tracker in a second */

static void list_trackers(FILE *out)
{
	const char *file;

	for (size_t i = 0; (file = trackers_file(i)); i++)
		fprintf(out, "%s%s", i ? " " : "", file);
	fputc('\n', out);
}

/* -- the run -- */

/* As they are now: they may adapt, or be changed by dwell ctl. */
static void note_thresholds(struct latency_view *l)
{
	uint64_t ns;

	for (uint32_t i = 0; l->session && i < l->show.schema->ntrackers; i++)
		if (session_get(l->session, l->show.schema->trackers[i].name, "threshold", &ns) == 0)
			latencysum_threshold(l->show.sum, i, ns);
}

static int summary(struct latency_view *l, uint64_t now, bool final)
{
	note_thresholds(l);
	return slowshow_summary(&l->show, now, final);
}

static bool wants(void *filter, const struct slow_event *e)
{
	return slowfilter_wants(filter, e);
}

static bool wants_flight(void *ctx, const struct slow_event *e)
{
	return slowshow_wants(&((struct latency_view *)ctx)->show, e);
}

static void on_flight(void *ctx, const struct row *row)
{
	slowshow_flight(&((struct latency_view *)ctx)->show, row);
}

static int on_open(void *ctx, const struct rec_schema *schema, struct sym *sym, struct why *why, FILE *out)
{
	struct latency_view *l = ctx;

	l->show.last = clock_ns(CLOCK_MONOTONIC);
	l->show.to_wall = (int64_t)(clock_ns(CLOCK_REALTIME) - l->show.last);
	l->show.sym = sym;
	l->show.out = out;
	l->show.causes = why_causes(why);
	if (!l->show.causes)
		return EXIT_ERROR;
	if (daemon_schema(l->daemon, schema, sym, l->show.causes) < 0)
		return cmd_fail("out of memory");
	return slowshow_begin(&l->show, schema) < 0 ? cmd_fail("out of memory") : 0;
}

/* Who looks at a terminal must not wait for the first event to know that something goes on. */
static void say_begin(const struct latency_view *l)
{
	char every[UNITS_EXACT_LEN];
	size_t n = l->show.schema->ntrackers;

	if (l->show.json || l->daemon || !isatty(fileno(l->show.out) < 0 ? STDOUT_FILENO : fileno(l->show.out)))
		return;
	fprintf(l->show.out, "%zu tracker%s: slow events %s, a summary every %s; Ctrl-C ends\n", n, n == 1 ? "" : "s",
		l->show.worst ? "with the summary" : "as they happen", units_exact_ns(l->every_ns, every));
	fflush(l->show.out);
}

static int on_ready(void *ctx, struct session *s, long target)
{
	struct latency_view *l = ctx;
	int opened;

	l->filter.root = (uint32_t)target;
	l->show.filters = slowfilter_any(&l->filter);
	opened = slowfilter_open(&l->filter, &cmd_listener);
	if (opened)
		return opened;
	l->session = s;
	for (size_t i = 0; i < l->show.schema->ntrackers; i++) {
		const char *name = l->show.schema->trackers[i].name;
		int e = l->show.over_ns ? session_set(s, name, "threshold", l->show.over_ns) : 0;

		/* The limit counts events of others as well, and the worst may come last: here most are left out. */
		if (e == 0 && (slowfilter_any(&l->filter) || l->show.worst))
			e = session_set(s, name, "limit", FILTERED_LIMIT);
		if (e == 0 && l->rate)
			e = session_set(s, name, "rate", l->rate);
		if (e < 0)
			return cmd_fail("tracker %s: cannot be set: %s", name, strerror(-e));
	}
	say_begin(l);
	l->show.last = clock_ns(CLOCK_MONOTONIC);
	latencysum_begin(l->show.sum, l->show.last);
	return 0;
}

static int on_row(void *ctx, const struct row *row)
{
	struct latency_view *l = ctx;
	int r = 1;

	daemon_row(l->daemon, row);
	if (slowfilter_row(&l->filter, l->show.schema, row))
		return 1;
	if (l->daemon && !l->show.json) /* losses are among the metrics; notes are for who looks after it */
		return row->kind != ROW_NOTE && row->kind != ROW_FAULT;
	switch (row->kind) {
	case ROW_EVENT:
		r = slowshow_event(&l->show, row);
		l->show.has_flight = false;
		break;
	case ROW_FLIGHT: break;
	case ROW_DROPS: r = !l->show.json && latencysum_limited(l->show.sum, row); break;
	case ROW_NOTE:
	case ROW_FAULT: r = 0; break;
	default: r = latencysum_add(l->show.sum, row); r = r < 0 ? r : 1;
	}
	return r;
}

/* Also when there is nothing to tell: it is over when it is over. */
static int on_taken(void *ctx)
{
	struct latency_view *l = ctx;
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	slowshow_put_groups(&l->show, now + (uint64_t)l->show.to_wall);
	return (l->daemon && !l->show.json) || now - l->show.last < l->every_ns ? 0 : summary(l, now, false);
}

static int on_finish(void *ctx)
{
	struct latency_view *l = ctx;

	daemon_stopping(l->daemon);
	return l->daemon && !l->show.json ? 0 : summary(l, clock_ns(CLOCK_MONOTONIC), true);
}

static void on_tick(void *ctx, struct recorder *recorder, bool hangup)
{
	struct latency_view *l = ctx;

	daemon_tick(l->daemon, recorder, hangup);
}

/* -- options -- */

/* Beside its slow events a recording has some that are not: what the slow ones have in common says little alone. */
static void add_control(struct latency_view *l)
{
	struct dopts *o = &l->request.opts;

	if (o->control == CONTROL_NOT_GIVEN)
		o->control = (l->record && !l->slow_only) || l->daemon ? CONTROL : 0;
}

/* What can only be a file, a folder or a process. */
static bool is_recording(const char *name)
{
	if (trackers_has_file(name))
		return false;
	return access(name, F_OK) == 0 || strspn(name, "0123456789") == strlen(name);
}

/* A recording can be asked whose delays they were, too. */
static void add_tracker(struct latency_view *l, const char *name)
{
	struct request *c = &l->request;
	const char *by_key = arena_printf(c->arena, "latency/by_key/%s", name);

	request_shipped(c, arena_printf(c->arena, "latency/%s", name));
	if (l->record && !l->slow_only && request_has_shipped(c, by_key))
		request_shipped(c, by_key);
}

static int take_tracker(struct latency_view *l, const char *name)
{
	if (!strcmp(name, "gc") && !l->request.pids.n && !l->request.commands.n && !l->request.words) {
		cmd_msg("latency: gc is about one process: -p PID, or -- COMMAND");
		return EXIT_USAGE;
	}
	if (trackers_has_file(name)) {
		add_tracker(l, name);
		return 0;
	}
	cmd_msg("latency: there is no tracker or command '%s'; trackers are:", name);
	list_trackers(stderr);
	return EXIT_USAGE;
}

/* "BEGIN,END[,arg0][,nested]" */
static int take_request(void *live, const struct optrow *o, const char *arg, struct err *err)
{
	struct latency_view *l = live;
	struct request *c = &l->request;
	const char *end = strchr(arg, ','), *by = end ? strchr(end + 1, ',') : NULL;
	bool numbered = by && !strncmp(by, ",arg0", 5), nested = by && !strcmp(by + (numbered ? 5 : 0), ",nested");

	(void)o;
	if (!end || l->requests || (by && !nested && strcmp(by, ",arg0") != 0))
		return err_set(err, -EINVAL, "--request: %s%s",
			       l->requests ? "may be given once" : "wants two probes: BEGIN,END[,arg0][,nested]; not ",
			       l->requests ? "" : arg);
	l->requests = true;
	request_shipped(c, "latency/usdt");
	request_param(c, "begin", arena_strndup(c->arena, arg, (size_t)(end - arg)));
	request_param(c, "end", arena_strndup(c->arena, end + 1, by ? (size_t)(by - end - 1) : strlen(end + 1)));
	request_param(c, "by", numbered ? "1" : "0");
	request_param(c, "nested", nested ? REQUESTS_NESTED : "1");
	return 0;
}

static bool named_before(char **names, int i)
{
	for (int k = 0; k < i; k++)
		if (!strcmp(names[k], names[i]))
			return true;
	return false;
}

static int take_trackers(struct latency_view *l, int n, char **names)
{
	const char *file;
	int e = 0;

	for (int i = 0; i < n && e == 0; i++)
		e = named_before(names, i) ? 0 : take_tracker(l, names[i]);
	if (n > 0 || l->requests)
		return e;
	l->request.opts.zdepends = true; /* those that this kernel has the probes for */
	for (size_t i = 0; (file = trackers_default(i)); i++)
		add_tracker(l, file);
	return e;
}

/* "N/s" */
static int take_rate(void *rate, const struct optrow *o, const char *arg, struct err *err)
{
	char *copy = strdup(arg), *slash = copy ? strstr(copy, "/s") : NULL;
	int e;

	if (slash && !slash[2])
		*slash = '\0';
	e = copy ? optable_number(o, copy, rate, err) : err_set(err, -ENOMEM, "out of memory");
	free(copy);
	return e;
}

static int take_flight(void *request, const struct optrow *o, const char *arg, struct err *err)
{
	struct request *c = request;
	uint64_t ns;
	int e = optrow_time(o->name, arg, 1, &ns, err);

	if (e == 0 && (ns < OPTIONS_FLIGHT_MIN || ns > OPTIONS_FLIGHT_MAX))
		return err_set(err, -EINVAL,
			       "--flight: '%s' is out of bounds: the flight recorder looks back for 1ms to 60s", arg);
	if (e == 0)
		c->opts.flight = ns;
	return e;
}

static int take_cgroup(void *live, const struct optrow *o, const char *arg, struct err *err)
{
	struct latency_view *l = live;

	(void)o;
	(void)err;
	l->filter.cgroup = slowfilter_cgroup(l->request.arena, arg);
	return 0;
}

static void on_given(void *live, const struct optrow *o)
{
	struct latency_view *l = live;

	if (o->live)
		l->live_only = o;
	l->daemon_option |= o->text == daemon_mark;
}

static void list_words(FILE *out)
{
	fputs("\nTrackers: ", out);
	list_trackers(out);
	fputs("\nOther commands, each with --help:\n", out);
	latency_list_commands(out);
}

static const struct optrow rows[] = {
	{ .name = "over",
	  .kind = OPT_TIME,
	  .at = offsetof(struct latency_view, show.over_ns),
	  .value = 1,
	  .arg = "TIME",
	  .help = "events are slow from here on, for all trackers (each has its own)" },
	{ .name = "worst",
	  .kind = OPT_NUMBER,
	  .at = offsetof(struct latency_view, show.worst),
	  .value = MAX_WORST,
	  .arg = "N",
	  .help = "not each event: with the summary, the N slowest" },
	{ .name = "rate",
	  .kind = OPT_CALL,
	  .take = take_rate,
	  .at = offsetof(struct latency_view, rate),
	  .value = MAX_RATE,
	  .live = true,
	  .arg = "N/s",
	  .help = "thresholds follow, so that about N events a second are slow" },
	{ .name = "request",
	  .kind = OPT_CALL,
	  .take = take_request,
	  .live = true,
	  .arg = "BEGIN,END[,arg0][,nested]",
	  .help = "between two probes of a thread, or with one arg0" },
	{ .letter = 'p',
	  REQUEST_PASS(struct latency_view, request),
	  .live = true,
	  .arg = "PID",
	  .help = "events of this process and its descendants only" },
	{ .letter = 'c',
	  REQUEST_PASS(struct latency_view, request),
	  .live = true,
	  .arg = "COMMAND, -- COMMAND...",
	  .help = "run it, and only events of it and its descendants" },
	{ .name = "comm",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct latency_view, filter.comm),
	  .arg = "NAME, --cgroup PATH, --container ID",
	  .help = "events of these only" },
	{ .name = "cgroup", .kind = OPT_CALL, .take = take_cgroup, .live = true, .arg = "PATH" },
	{ .name = "container",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct latency_view, filter.container),
	  .live = true,
	  .arg = "ID" },
	{ .name = "all",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct latency_view, all),
	  .help = "each event, also where many within a second are alike" },
	{ .name = "idle",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct latency_view, show.idle),
	  .help = "waits for something to do, and sleeps, too" },
	{ .name = "flight",
	  .kind = OPT_CALL,
	  .take = take_flight,
	  .at = offsetof(struct latency_view, request),
	  .live = true,
	  .arg = "TIME",
	  .help = "with what the CPUs did for so long before each, up to its end (all of it: -v)" },
	{ .name = "stacks",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct latency_view, show.stacks),
	  .live = true,
	  .text = " (dwell report has them)",
	  .help = "with what was noted of each event" },
	{ .name = "every",
	  .kind = OPT_TIME,
	  .at = offsetof(struct latency_view, every_ns),
	  .value = 1,
	  .live = true,
	  .arg = "TIME",
	  .help = "between summaries (5s)" },
	{ .name = "for",
	  REQUEST_FOR(struct latency_view, request),
	  .live = true,
	  .help = "end after this time; else Ctrl-C" },
	{ .name = "slow-only",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct latency_view, slow_only),
	  .live = true,
	  .help = "--record keeps slow events and histograms only, which costs less than half" },
	{ .name = "json", .kind = OPT_FLAG, .at = offsetof(struct latency_view, show.json), .help = "JSON Lines" },
	{ .name = "record",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct latency_view, record),
	  .live = true,
	  .arg = "FILE",
	  .help = "keep what was measured (dwell report FILE)" },
	{ .letter = 'v',
	  .kind = OPT_FLAG,
	  .at = offsetof(struct latency_view, show.cost),
	  .help = "with the cost of dwell's own probes" },
	{ .letter = 'x',
	  REQUEST_PASS(struct latency_view, request),
	  .live = true,
	  .arg = "OPTION[=VALUE]",
	  .help = "as of dwell" },
	{ 0 },
	{ .name = "daemon",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct latency_view, as_daemon),
	  .live = true,
	  .help = "record for months: in files that take turns; slow events only with --json" },
	DAEMON_ROWS(struct latency_view, daemon_opts),
};
static const struct optable options = {
	.command = "latency",
	.synopsis =
		"latency [TRACKER...] [options] [-- COMMAND...]\n"
		"latency [--over TIME] [--worst N] [--comm NAME] [--idle] [--all] [--json] FILE|FOLDER|PID...   of recordings",
	.rows = rows,
	.n = ARRAY_SIZE(rows),
	.given = on_given,
	.more = list_words,
};

static int take_recordings(struct latency_view *l, int n, char **names)
{
	l->recordings = names;
	l->nrecordings = (size_t)n;
	return l->live_only ? cmd_not_recorded(&options, l->live_only, names[0]) : 0;
}

/* Rings of 1 MB hold the slow events of seconds, at their limit: memory is for others. Many CPUs have as much together
 * as few, each at least what hundreds of slow events take. */
#define RING_KB_MOST 1024u
#define RING_KB_LEAST 32u
#define RING_CPUS 8u /* that have the most */

/* The kernel takes a table for as many elements as an associative array may have: the shipped trackers keep few in each
 * of many. */
#define DYNVARSIZE (4u << 20)

static uint64_t bufsize(void)
{
	struct cpulist online = { 0 };
	unsigned kb = RING_KB_MOST;

	if (cpulist_online(&online) < 0)
		kb = RING_KB_LEAST;
	for (unsigned n = RING_CPUS; n < online.n && kb > RING_KB_LEAST; n *= 2)
		kb /= 2;
	cpulist_done(&online);
	return (uint64_t)kb << 10;
}

static int check(const struct latency_view *l)
{
	if (l->slow_only && !l->record)
		cmd_msg("latency: --slow-only is about what --record keeps");
	else if (l->as_daemon && l->record)
		cmd_msg("latency: a daemon records into files of its own: --state FOLDER in place of --record");
	else if (l->daemon_option && !l->as_daemon)
		cmd_msg("latency: --state, --rotate-size, --rotate-age, --keep, --keep-size and --metrics go with --daemon");
	else
		return 0;
	return EXIT_USAGE;
}

static int prepare(struct latency_view *l, int argc, char **argv)
{
	struct request *c = &l->request;
	int e;

	c->opts.quiet = true;
	c->opts.bufsize = bufsize();
	c->opts.dynvarsize = DYNVARSIZE;
	c->opts.control = CONTROL_NOT_GIVEN;
	e = cmd_options(&options, l, argc, argv);
	if (e == 0 && optind < argc && is_recording(argv[optind]))
		return take_recordings(l, argc - optind, argv + optind);
	if (e == 0)
		e = check(l);
	if (e == 0)
		e = take_trackers(l, argc - optind, argv + optind);
	if (e)
		return e;
	if (l->as_daemon && !(l->daemon = daemon_new(&l->daemon_opts, &cmd_listener)))
		return cmd_fail("out of memory");
	c->opts.cost |= l->show.cost;
	if (l->show.json)
		request_option(c, "oformat", "json");
	if (l->record)
		request_option(c, "record", l->record);
	slowfilter_program(&l->filter, c);
	add_control(l);
	return daemon_begin(l->daemon, c);
}

static int live_main(int argc, char **argv)
{
	struct latency_view l = { .every_ns = SUMMARY_NS,
				  .show.columns = columns_of_stdout(),
				  .daemon_opts = DAEMON_DEFAULT };
	struct run_observer show = { .ctx = &l,
				     .open = on_open,
				     .row = on_row,
				     .taken = on_taken,
				     .finish = on_finish,
				     .ready = on_ready,
				     .flight = on_flight,
				     .wants_flight = wants_flight };
	bool ran = false;
	int e;

	cmd_begin(&l.request);
	e = cmd_split("latency", &argc, argv, &l.request.words);
	if (e == 0)
		e = prepare(&l, argc, argv);
	if (e == 0 && !l.show.json && !l.show.worst && !l.show.stacks && !l.all && slowgroups_new(&l.show.groups) < 0)
		e = cmd_fail("out of memory");
	l.show.wants = wants;
	l.show.wants_ctx = &l.filter;
	if (e == 0 && l.recordings) {
		e = live_replay(&l);
	} else if (e == 0) {
		ran = true;
		show.tick = l.daemon ? on_tick : NULL;
		show.lasting = l.daemon != NULL;
		e = cmd_request(&l.request, &show);
	}
	if (!ran)
		request_done(&l.request);
	slowshow_done(&l.show);
	slowfilter_done(&l.filter, &cmd_listener);
	daemon_free(l.daemon);
	return e < 0 ? EXIT_OK : e;
}

const struct latency_command latency_live = { NULL, "slow events as they happen, with their causes", live_main };
