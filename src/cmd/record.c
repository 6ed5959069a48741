/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell record`: its options. */
#include "base/cleanup.h"
#include "base/clock.h"
#include "cmd/cmd.h"
#include "cmd/words.h"
#include "cmdline/requestopts.h"
#include "live/onslow.h"
#include "live/start.h"

#define DEFAULT_FILE "record.dwell"

static const struct optrow rows[] = {
	{ .letter = 'o',
	  .kind = OPT_TEXT,
	  .at = offsetof(struct live_onslow, live.record),
	  .arg = "FILE",
	  .help = "write here (" DEFAULT_FILE ")" },
	{ .name = "on-slow",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct live_onslow, tracker),
	  .arg = "TRACKER",
	  .help = "end by itself when this tracker has a slow event: the file has the time before it" },
	{ .name = "over",
	  .kind = OPT_TIME,
	  .value = 1,
	  .at = offsetof(struct live_onslow, over_ns),
	  .arg = "TIME",
	  .help = "with --on-slow: how long it must be (the tracker's threshold)" },
	{ .name = "comm",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct live_onslow, comm),
	  .arg = "NAME",
	  .help = "with --on-slow: of a thread of this name only" },
	{ .name = "before",
	  .kind = OPT_TIME,
	  .value = 1000000000,
	  .at = offsetof(struct live_onslow, before_ns),
	  .arg = "TIME",
	  .help = "keep this stretch of time before (10s; without --on-slow: all, or this last stretch)" },
	{ .name = "after",
	  .kind = OPT_TIME,
	  .value = 1,
	  .at = offsetof(struct live_onslow, after_ns),
	  .arg = "TIME",
	  .help = "go on for this time after it (1s)" },
	{ .name = "start",
	  .kind = OPT_CALL,
	  .take = live_start_take,
	  .at = offsetof(struct live_onslow, start),
	  .arg = "WHEN",
	  .help = "begin then: @15:04:05, +10s, or at the next multiple of a period: /1m" },
	{ .letter = 'c',
	  .kind = OPT_TEXT,
	  .at = offsetof(struct live_onslow, live.command),
	  .arg = "COMMAND, -- COMMAND...",
	  .help = "run it, and record its threads and those of its descendants" },
	{ .letter = 'p',
	  .kind = OPT_CALL,
	  .take = requestopts_pid,
	  .at = offsetof(struct live_onslow, live.pid),
	  .arg = "PID",
	  .help = "the threads of this process and its descendants" },
	{ .name = "for",
	  .kind = OPT_TIME,
	  .value = 1,
	  .at = offsetof(struct live_onslow, live.for_ns),
	  .arg = "TIME",
	  .help = "for this time at most; else until the command ends, or Ctrl-C" },
};
static const struct optable options = {
	.command = "record",
	.synopsis = "record [options] [-- COMMAND...]",
	.notes =
		"Records what the machine does: switches, wake-ups, waits with their stacks, interrupts, samples of the\n"
		"CPUs, system calls, requests to disks, packets. For dwell timeline, flame, latency, heat, export and sql.",
	.rows = rows,
	.n = ARRAY_SIZE(rows),
};

static int record(int argc, char **argv)
{
	struct live_onslow c = { 0 };
	struct request r;
	int e = cmd_live_options(&c.live, &options, &c, &argc, argv);

	if (e == 0 && optind < argc)
		e = cmd_words(&options, argv[optind], NULL);
	if (e == 0 && !c.tracker && (c.over_ns || c.comm || c.after_ns))
		e = cmd_words(&options, NULL, "--over, --comm and --after go with --on-slow");
	if (e == 0 && live_onslow_prepare(&c) < 0)
		e = cmd_wrong("record: --on-slow: '%s' is no tracker for it; 'dwell latency --help' names them",
			      c.tracker);
	if (e == 0) {
		c.live.record = c.live.record ? c.live.record : DEFAULT_FILE;
		cmd_begin(&r);
		e = cmd_outcome(live_onslow_run(&c, &r), 0);
	}
	live_onslow_done(&c);
	return e;
}

const struct command cmd_record = { "record", "records what the machine does, or the time around a slow event", record,
				    .options = &options };
