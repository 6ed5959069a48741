/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell top`: what is slow, who, and why, on a terminal. The trackers, the table of causes and the samples are D
 * programs of dlib/latency; the rows they produce are shown by src/top. */
#include <getopt.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/units.h"
#include "cmd/cmd.h"
#include "cmd/latency.h"
#include "cmdline/optable.h"
#include "cmdline/opts.h"
#include "engine/run/run.h"
#include "engine/run/slowfilter.h"
#include "run/session.h"
#include "top/screen.h"

#define DEFAULT_EVERY_NS 2000000000ull
#define MIN_EVERY_NS 100000000ull
#define REFRESH_NS 500000000ull
#define PROFILE_HZ 99 /* of dlib/latency/top.d */

struct top_run {
	struct screen_config config;
	struct request request;
	uint64_t over_ns, every_ns;
	bool cost;
	struct slowfilter filter; /* of -p and -c */
	struct top_model *model;
	struct screen *screen;
	const struct rec_schema *schema;
	char title[64];
	bool hangs; /* the screen */
};

/* -- the run -- */

static bool wants(void *ctx, const struct slow_event *e)
{
	struct top_run *t = ctx;

	return slowfilter_wants(&t->filter, e);
}

static int on_open(void *ctx, const struct rec_schema *schema, struct sym *sym, struct why *why, FILE *out)
{
	struct top_run *t = ctx;
	struct top_config c = { .schema = schema,
				.sym = sym,
				.causes = why_causes(why),
				.profile_hz = PROFILE_HZ,
				.hidden = "wait",
				.wants = wants,
				.ctx = t };

	(void)out;
	t->schema = schema;
	if (!c.causes)
		return EXIT_ERROR;
	return top_model_new(&c, &t->model) < 0 ? cmd_fail("out of memory") : 0;
}

static int on_ready(void *ctx, struct session *s, long target)
{
	struct top_run *t = ctx;
	int opened;

	t->filter.root = (uint32_t)target;
	opened = slowfilter_open(&t->filter, &cmd_listener);
	if (opened)
		return opened;
	for (size_t i = 0; t->over_ns && i < t->schema->ntrackers; i++) {
		const char *name = t->schema->trackers[i].name;
		int e = strcmp(name, "wait") ? session_set(s, name, "threshold", t->over_ns) : 0;

		if (e < 0)
			return cmd_fail("tracker %s: cannot be set: %s", name, strerror(-e));
	}
	return 0;
}

/* The thread that draws is started by the first row: all is attached then, and privileges are dropped. */
static int on_row(void *ctx, const struct row *row)
{
	struct top_run *t = ctx;
	int e = 0;

	slowfilter_row(&t->filter, t->schema, row);
	if (!t->screen)
		e = screen_start(&t->config, t->model, &t->screen);
	if (e == 0)
		e = top_model_row(t->model, row);
	return e < 0 ? e : 1;
}

static int on_finish(void *ctx)
{
	struct top_run *t = ctx;

	t->hangs = !screen_stop(take_ptr(t->screen));
	return 0;
}

/* -- options -- */

/* -p, -c */
static int take_target(void *run, const struct optrow *o, const char *arg, struct err *err)
{
	struct top_run *t = run;

	snprintf(t->title, sizeof(t->title), o->letter == 'p' ? "process %s" : "%s", arg);
	return latency_pass(&t->request, o, arg, err);
}

/* Slow events by what is noted of them, samples and causes in the kernel. */
static int take_whose(void *run, const struct optrow *o, const char *arg, struct err *err)
{
	struct top_run *t = run;

	(void)err;
	if (!strcmp(o->name, "comm"))
		t->filter.comm = arg;
	else if (!strcmp(o->name, "cgroup"))
		t->filter.cgroup = slowfilter_cgroup(t->request.arena, arg);
	else
		t->filter.container = arg;
	snprintf(t->title, sizeof(t->title), "%s %s", o->name, arg);
	if (!strcmp(o->name, "comm"))
		request_param(&t->request, "comm", arg);
	request_option(&t->request, o->name, arg);
	return 0;
}

static void put_keys(FILE *out)
{
	fputs("Keys: ? while it runs.\n", out);
}

static const struct optrow rows[] = {
	{ .letter = 'p',
	  .kind = OPT_CALL,
	  .take = take_target,
	  .arg = "PID",
	  .help = "causes and slow events of this process and its descendants only" },
	{ .letter = 'c',
	  .kind = OPT_CALL,
	  .take = take_target,
	  .arg = "COMMAND",
	  .help = "run it, and end with it; causes of it and its descendants only" },
	{ .name = "comm",
	  .kind = OPT_CALL,
	  .take = take_whose,
	  .arg = "NAME, --cgroup PATH, --container ID",
	  .help = "likewise of these only" },
	{ .name = "cgroup", .kind = OPT_CALL, .take = take_whose, .arg = "PATH" },
	{ .name = "container", .kind = OPT_CALL, .take = take_whose, .arg = "ID" },
	{ .name = "over",
	  .kind = OPT_TIME,
	  .at = offsetof(struct top_run, over_ns),
	  .value = 1,
	  .arg = "TIME",
	  .help = "events are slow from here on, for all trackers (each has its own)" },
	{ .name = "every",
	  .kind = OPT_TIME,
	  .at = offsetof(struct top_run, every_ns),
	  .value = 1,
	  .arg = "TIME",
	  .help = "causes and CPUs are of the last so much (2s)" },
	{ .name = "idle",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct top_run, config.idle),
	  .help = "sleeps and waits for something to do, too (key i)" },
	{ .name = "for", LATENCY_FOR(struct top_run, request), .help = "end after this time; else q or Ctrl-C" },
	{ .name = "record", LATENCY_PASS(struct top_run, request), .arg = "FILE", .help = "keep what was measured" },
	{ .letter = 'v',
	  .kind = OPT_FLAG,
	  .at = offsetof(struct top_run, cost),
	  .help = "with the cost of dwell's own probes" },
	{ .letter = 'x', LATENCY_PASS(struct top_run, request), .arg = "OPTION[=VALUE]", .help = "as of dwell" },
};
static const struct optable options = { .command = "top",
					.synopsis = "top [options] [-- COMMAND...]",
					.rows = rows,
					.n = ARRAY_SIZE(rows),
					.more = put_keys };

static int check(const struct top_run *t)
{
	struct err err = { 0 };
	int e;

	if (t->every_ns < MIN_EVERY_NS)
		return cmd_wrong("--every: at least 100ms");
	if (screen_check(&err) == 0)
		return 0;
	e = cmd_fail("top: %s", err.msg);
	err_done(&err);
	return e;
}

static void add_programs(struct request *c)
{
	static const char *const programs[] = { "latency/wakeup",  "latency/offcpu", "latency/block",	"latency/irq",
						"latency/softirq", "latency/lock",   "latency/reclaim", "latency/top" };

	c->opts.zdepends = true;
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++)
		request_shipped(c, programs[i]);
	request_shipped(c, "latency/why");
	request_param(c, "by", "1");
}

static int top_main(int argc, char **argv)
{
	struct top_run t = { .config = { .title = "", .refresh_ns = REFRESH_NS }, .every_ns = DEFAULT_EVERY_NS };
	const struct run_observer show = {
		.ctx = &t, .open = on_open, .row = on_row, .finish = on_finish, .ready = on_ready
	};
	struct request *c = &t.request;
	int e;

	gethostname(t.title, sizeof(t.title) - 1);
	t.config.title = t.title;
	cmd_begin(c);
	c->opts.quiet = true;
	request_option(c, "oformat", "json"); /* nothing is printed: this keeps the line after Ctrl-C away */
	e = cmd_split("top", &argc, argv, &c->words);
	if (e == 0)
		e = cmd_options(&options, &t, argc, argv);
	if (e == 0 && optind < argc)
		e = cmd_words(&options, argv[optind], NULL);
	if (e == 0)
		e = check(&t);
	if (e == 0) {
		request_param(c, "every", arena_printf(c->arena, "%lluns", (unsigned long long)t.every_ns));
		c->opts.cost |= t.cost;
		add_programs(c);
		slowfilter_program(&t.filter, c);
		e = cmd_request(c, &show);
	} else {
		request_done(c);
	}
	if (screen_stop(take_ptr(t.screen)) && !t.hangs)
		top_model_free(t.model);
	slowfilter_done(&t.filter, &cmd_listener);
	return e < 0 ? EXIT_OK : e;
}

const struct command cmd_top = { "top", "what is slow, who, and why, on a terminal", top_main };
