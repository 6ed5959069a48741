/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the options of `dwell stat`: counts of a command, or of running processes, as perf stat shows them. The
 * kernel counts, without BPF. */
#include "base/caught.h"
#include "base/cleanup.h"
#include "cmd/cmd.h"
#include "cmd/program.h"
#include "cmd/words.h"
#include "cmdline/requestopts.h"
#include "stat/statrun.h"

#define INTERVAL_MS_MIN 10 /* -I */

static const struct optrow rows[] = {
	{ .letter = 'p',
	  .kind = OPT_TEXT,
	  .at = offsetof(struct statrun, pid),
	  .arg = "PID",
	  .help = "this process, until it ends, Ctrl-C or --for" },
	{ .name = "comm",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct statrun, only.comm),
	  .arg = "NAME",
	  .help = "the processes of this name" },
	SLOWFILTER_ROWS_OWNER(requestopts_only, offsetof(struct statrun, only),
			      "of this user, of this unit of systemd"),
	SLOWFILTER_ROWS_GROUP(requestopts_only, offsetof(struct statrun, only),
			      "in this control group and below it, in this container"),
	{ .name = "for",
	  .kind = OPT_TIME,
	  .value = 1,
	  .at = offsetof(struct statrun, for_ns),
	  .arg = "TIME",
	  .help = "end after this time (10s, 500ms); a command gets SIGTERM" },
	{ .letter = 'r',
	  .kind = OPT_NUMBER,
	  .value = STATRUN_REPEAT_MAX,
	  .at = offsetof(struct statrun, repeat),
	  .arg = "N",
	  .help = "run the command N times: mean and standard deviation" },
	{ .name = "interval",
	  .letter = 'I',
	  .kind = OPT_TIME,
	  .value = INTERVAL_MS_MIN * 1000000,
	  .at = offsetof(struct statrun, interval_ns),
	  .arg = "TIME",
	  .help = "a line for each stretch of this length" },
	{ .name = "waits",
	  .kind = OPT_FLAG,
	  .at = offsetof(struct statrun, waits),
	  .help = "time off the CPU, by cause of the wait (traces: needs root)" },
	{ .name = "json", .kind = OPT_FLAG, .at = offsetof(struct statrun, json), .help = "JSON Lines" },
	{ .letter = 'o',
	  .kind = OPT_TEXT,
	  .at = offsetof(struct statrun, output),
	  .arg = "FILE",
	  .help = "write here, not to standard error" },
};
static const struct optable options = {
	.command = "stat",
	.synopsis = "stat [options] [--] COMMAND [ARGUMENT...]\nstat [options] -p PID|--comm NAME|--container ID|…",
	.notes = "Counts CPU time, switches, faults and the CPU's own events. Ends as the command does.",
	.rows = rows,
	.n = ARRAY_SIZE(rows),
	.leading = true,
};

static int stat_main(int argc, char **argv)
{
	struct statrun *c = calloc(1, sizeof(*c));
	struct err err = { 0 };
	int e, status = 0;

	if (!c)
		return cmd_fail("out of memory");
	cmd_begin(&c->request);
	c->only.arena = c->request.arena;
	e = cmd_options(&options, c, argc, argv);
	if (e == 0) {
		c->words = optind < argc ? argv + optind : NULL;
		e = cmd_err(statrun_check(c, cmd_name(), &err), &err);
	}
	if (e == 0) {
		caught_begin();
		e = cmd_outcome(statrun_run(c, &status), 0);
		if (e == EXIT_OK && c->words)
			e = program_end_as(status);
	}
	statrun_done(c);
	free(c);
	return e;
}

const struct command cmd_stat = { "stat", "counts CPU time, switches, faults of a command", stat_main,
				  .options = &options };
