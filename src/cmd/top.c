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
#include "cmd/optable.h"
#include "cmd/run.h"
#include "cmd/slowfilter.h"
#include "run/session.h"
#include "top/screen.h"

#define DEFAULT_EVERY "2s"
#define MIN_EVERY_NS 100000000ull
#define REFRESH_NS 500000000ull
#define PROFILE_HZ 99 /* of dlib/latency/top.d */

struct top_run {
	struct screen_config config;
	const char *every;
	uint64_t over_ns;
	struct slowfilter filter; /* of -p and -c */
	struct top_model *model;
	struct screen *screen;
	const struct rec_schema *schema;
	char title[64];
	bool hangs; /* the screen */
};

enum { OPT_OVER = 256, OPT_FOR, OPT_EVERY, OPT_IDLE, OPT_RECORD, OPT_HELP };

static const struct option longs[] = {
	{ "over", required_argument, NULL, OPT_OVER }, { "for", required_argument, NULL, OPT_FOR },
	{ "every", required_argument, NULL, OPT_EVERY }, { "idle", no_argument, NULL, OPT_IDLE },
	{ "record", required_argument, NULL, OPT_RECORD }, { "help", no_argument, NULL, OPT_HELP }, { NULL, 0, NULL, 0 },
};

static int usage(FILE *out)
{
	fprintf(out,
		"Usage: %s top [options]\n\n"
		"\t-p PID            causes and slow events of this process and its descendants only\n"
		"\t-c COMMAND        run it, and end with it; causes of it and its descendants only\n"
		"\t--over TIME       events are slow from here on, for all trackers (each has its own)\n"
		"\t--every TIME      causes and CPUs are of the last so much (" DEFAULT_EVERY ")\n"
		"\t--idle            sleeps and waits for something to do, too (key i)\n"
		"\t--for TIME        end after this time; else q or Ctrl-C\n"
		"\t--record FILE     keep what was measured\n"
		"\t-v                with the cost of dwell's own probes\n"
		"\t-x OPTION[=VALUE] as of dwell\n"
		"Keys: ? while it runs.\n", cmd_name());
	return out == stdout ? EXIT_OK : EXIT_USAGE;
}

/* -- the run -- */

static bool wants(void *ctx, const struct slow_event *e)
{
	struct top_run *t = ctx;

	return slowfilter_wants(&t->filter, e);
}

static int on_open(void *ctx, const struct rec_schema *schema, struct sym *sym, struct why *why, FILE *out)
{
	struct top_run *t = ctx;
	struct top_config c = { .schema = schema, .sym = sym, .causes = why_causes(why), .profile_hz = PROFILE_HZ,
				.hidden = "wait", .wants = wants, .ctx = t };

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
	opened = slowfilter_open(&t->filter);
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

static int take_option(struct latency_args *a, struct top_run *t, int c, const char *arg)
{
	switch (c) {
	case 'p': case 'c': case 'x':
		latency_args_add2(a, c == 'p' ? "-p" : c == 'c' ? "-c" : "-x", arg);
		if (c != 'x')
			snprintf(t->title, sizeof(t->title), c == 'p' ? "process %s" : "%s", arg);
		return 0;
	case 'v':
		latency_args_add2(a, "-x", "cost");
		return 0;
	case OPT_OVER:
		return optable_time("over", arg, 1, &t->over_ns);
	case OPT_FOR:
		return latency_args_for(a, arg);
	case OPT_EVERY:
		t->every = arg;
		return 0;
	case OPT_IDLE:
		t->config.idle = true;
		return 0;
	case OPT_RECORD:
		latency_args_add2(a, "--record", arg);
		return 0;
	case OPT_HELP:
		usage(stdout);
		return -1;
	default:
		return usage(stderr);
	}
}

static int take_every(struct latency_args *a, const char *every)
{
	uint64_t ns;
	int e = optable_time("every", every, 1, &ns);

	if (e)
		return e;
	if (ns < MIN_EVERY_NS) {
		cmd_msg("--every: at least 100ms");
		return EXIT_USAGE;
	}
	latency_args_add2(a, "--every", arena_printf(a->arena, "%lluns", (unsigned long long)ns));
	return 0;
}

static void add_programs(struct latency_args *a)
{
	static const char *const programs[] = { "wakeup", "offcpu", "block", "irq", "softirq", "lock", "reclaim", "top" };

	latency_args_add2(a, "-x", "zdepends");
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++)
		latency_args_program(a, programs[i]);
	latency_args_program(a, "why");
	latency_args_add2(a, "--by", "1");
}

static int top_main(int argc, char **argv)
{
	struct top_run t = { .config = { .title = "", .refresh_ns = REFRESH_NS }, .every = DEFAULT_EVERY };
	const struct run_show show = { .ctx = &t, .open = on_open, .row = on_row, .finish = on_finish, .ready = on_ready };
	struct latency_args a;
	struct err err = { 0 };
	int c, e = 0;

	gethostname(t.title, sizeof(t.title) - 1);
	t.config.title = t.title;
	latency_args_init(&a);
	latency_args_add(&a, "-q");
	latency_args_add(&a, "--json"); /* nothing is printed: this keeps the line after Ctrl-C away */
	while (e == 0 && (c = getopt_long(argc, argv, "p:c:x:v", longs, NULL)) != -1)
		e = take_option(&a, &t, c, optarg);
	if (e == 0 && optind < argc) {
		cmd_msg("top: '%s' is not expected", argv[optind]);
		e = usage(stderr);
	}
	if (e == 0)
		e = take_every(&a, t.every);
	if (e == 0 && screen_check(&err) < 0) {
		e = cmd_fail("top: %s", err.msg);
		err_done(&err);
	}
	if (e == 0) {
		add_programs(&a);
		optind = 1;
		e = run_and_show((int)a.v.n - 1, a.v.v, &show);
	}
	if (screen_stop(take_ptr(t.screen)) && !t.hangs)
		top_model_free(t.model);
	slowfilter_done(&t.filter);
	latency_args_done(&a);
	return e < 0 ? EXIT_OK : e;
}

const struct command cmd_top = { "top", "what is slow, who, and why, on a terminal", top_main };
