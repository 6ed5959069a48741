/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell latency stuck`: its options. */
#include "base/cleanup.h"
#include "base/columns.h"
#include "cmd/cmd.h"
#include "cmd/latency.h"
#include "cmd/words.h"
#include "cmdline/requestopts.h"
#include "live/stuck.h"

#define MAX_PID (1u << 22) /* PID_MAX_LIMIT */

static int take_cgroup(void *id, const struct optrow *o, const char *arg, struct err *err)
{
	(void)o;
	return live_stuck_cgroup(arg, id, err);
}

static const struct optrow rows[] = {
	{ .letter = 'p',
	  .kind = OPT_NUMBER,
	  .at = offsetof(struct live_stuck, print.pid),
	  .value = MAX_PID,
	  .arg = "PID",
	  .help = "this process only; and its threads that only sleep, too" },
	{ .name = "comm",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct live_stuck, print.comm),
	  .arg = "NAME",
	  .help = "threads and processes of this name, likewise" },
	{ .name = "cgroup",
	  .kind = OPT_CALL,
	  .at = offsetof(struct live_stuck, print.cgroup),
	  .take = take_cgroup,
	  .arg = "PATH",
	  .help = "those of this cgroup (version 2), likewise; or its number" },
	{ .name = "container",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct live_stuck, print.container),
	  .arg = "ID",
	  .help = "those of this container, likewise; or the beginning of its id" },
	{ .name = "over",
	  .kind = OPT_TIME,
	  .at = offsetof(struct live_stuck, print.over_ns),
	  .value = 1,
	  .arg = "TIME",
	  .help = "those that have not run for this long (100ms)" },
	{ .name = "all",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct live_stuck, print.all),
	  .help = "threads that only sleep, too" },
	{ .name = "json", .kind = OPT_FLAG, .at = offsetof(struct live_stuck, print.json), .help = "JSON Lines" },
	{ .letter = 'x',
	  REQUEST_PASS(struct live_stuck, request),
	  .arg = "OPTION[=VALUE]",
	  .help = "as of dwell: causes=FILE for rules of your own" },
};
static const struct optable options = {
	.command = "latency stuck", .synopsis = "latency stuck [options]", .rows = rows, .n = ARRAY_SIZE(rows)
};

static int stuck_main(int argc, char **argv)
{
	struct live_stuck r = { .print = { .over_ns = LIVE_STUCK_OVER_NS, .columns = columns_of_stdout() } };
	int e;

	cmd_begin(&r.request);
	e = cmd_options(&options, &r, argc, argv);
	if (e == 0 && optind < argc)
		e = cmd_words(&options, argv[optind], NULL);
	if (e == 0)
		return cmd_ran(live_stuck_run(&r), 0);
	request_done(&r.request);
	return e;
}

const struct command latency_stuck = { "stuck", "who is blocked right now, since when, on what, held by whom",
				       stuck_main, .options = &options };
/* It is asked for first, and has a name of its own. */
const struct command cmd_stuck = { "stuck", "who is blocked right now (latency stuck)", stuck_main,
				   .options = &options };
