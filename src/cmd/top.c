/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell top`: its options. */
#include "base/cleanup.h"
#include "cmd/cmd.h"
#include "cmd/words.h"
#include "cmdline/requestopts.h"
#include "live/top.h"

/* -p, -c */
static int take_target(void *run, const struct optrow *o, const char *arg, struct err *err)
{
	struct live_top *t = run;

	snprintf(t->title, sizeof(t->title), o->letter == 'p' ? "process %s" : "%s", arg);
	return requestopts_pass(&t->request, o, arg, err);
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
	  .take = live_top_only,
	  .arg = "NAME",
	  .help = "causes of programs of this name only" },
	SLOWFILTER_ROWS_OWNER(live_top_only, 0, "causes of this user, of this unit of systemd only"),
	SLOWFILTER_ROWS_GROUP(live_top_only, 0,
			      "causes of those in this control group and below it, in this container only"),
	{ .name = "over",
	  .kind = OPT_TIME,
	  .at = offsetof(struct live_top, over_ns),
	  .value = 1,
	  .arg = "TIME",
	  .help = "events are slow from here on, for all trackers (each has its own)" },
	INTERVAL_ROWS(offsetof(struct live_top, every_ns), false, "how far back causes and CPUs go (2s)"),
	{ .name = "idle",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct live_top, config.idle),
	  .help = "sleeps and waits for something to do, too (key i)" },
	{ .name = "for", REQUEST_FOR(struct live_top, request), .help = "end after this time; else q or Ctrl-C" },
	{ .name = "record", REQUEST_PASS(struct live_top, request), .arg = "FILE", .help = "keep what was measured" },
	{ .letter = 'v',
	  .kind = OPT_FLAG,
	  .at = offsetof(struct live_top, cost),
	  .help = "with the cost of dwell's own probes" },
	REQUEST_X(struct live_top, request, false, "as of dwell"),
};
static const struct optable options = { .command = "top",
					.synopsis = "top [options] [-- COMMAND...]",
					.rows = rows,
					.n = ARRAY_SIZE(rows),
					.more = put_keys };

static int top_main(int argc, char **argv)
{
	struct live_top t = { 0 };
	struct err err = { 0 };
	int e;

	cmd_begin(&t.request);
	live_top_begin(&t);
	e = cmd_split("top", &argc, argv, &t.request.words);
	if (e == 0)
		e = cmd_options(&options, &t, argc, argv);
	if (e == 0 && optind < argc)
		e = cmd_words(&options, argv[optind], NULL);
	if (e == 0)
		e = cmd_err(live_top_check(&t, &err), &err);
	if (e == 0)
		return cmd_ran(live_top_run(&t), 0);
	request_done(&t.request);
	return e;
}

const struct command cmd_top = { "top", "what is slow, who, and why, on a terminal", top_main, .options = &options };
