/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell record`: its options. */
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "cmd/cmd.h"
#include "cmd/words.h"
#include "cmdline/requestopts.h"
#include "live/onslow.h"
#include "live/start.h"

#define DEFAULT_FILE "record.dwell"

struct recordcmd {
	struct live_onslow rec;
	uint64_t start; /* CLOCK_REALTIME ns; 0: now */
};

static int take_start(void *member, const struct optrow *o, const char *arg, struct err *err)
{
	(void)o;
	return live_start_parse(arg, clock_ns(CLOCK_REALTIME), member, err);
}

static const struct optrow rows[] = {
	{ .letter = 'o',
	  .kind = OPT_TEXT,
	  .at = offsetof(struct recordcmd, rec.live.record),
	  .arg = "FILE",
	  .help = "write here (" DEFAULT_FILE ")" },
	{ .name = "on-slow",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct recordcmd, rec.tracker),
	  .arg = "TRACKER",
	  .help = "end by itself when this tracker has a slow event: the file has the time before it" },
	{ .name = "over",
	  .kind = OPT_TIME,
	  .value = 1,
	  .at = offsetof(struct recordcmd, rec.over_ns),
	  .arg = "TIME",
	  .help = "with --on-slow: how long it must be (the tracker's threshold)" },
	{ .name = "comm",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct recordcmd, rec.comm),
	  .arg = "NAME",
	  .help = "with --on-slow: of a thread of this name only" },
	{ .name = "before",
	  .kind = OPT_TIME,
	  .value = 1000000000,
	  .at = offsetof(struct recordcmd, rec.before_ns),
	  .arg = "TIME",
	  .help = "keep this stretch of time before (10s; without --on-slow: all, or this last stretch)" },
	{ .name = "after",
	  .kind = OPT_TIME,
	  .value = 1,
	  .at = offsetof(struct recordcmd, rec.after_ns),
	  .arg = "TIME",
	  .help = "go on for this time after it (1s)" },
	{ .name = "start",
	  .kind = OPT_CALL,
	  .take = take_start,
	  .at = offsetof(struct recordcmd, start),
	  .arg = "WHEN",
	  .help = "begin then: @15:04:05, +10s, or at the next multiple of a period: /1m" },
	{ .letter = 'c',
	  .kind = OPT_TEXT,
	  .at = offsetof(struct recordcmd, rec.live.command),
	  .arg = "COMMAND, -- COMMAND...",
	  .help = "run it, and record its threads and those of its descendants" },
	{ .letter = 'p',
	  .kind = OPT_CALL,
	  .take = requestopts_pid,
	  .at = offsetof(struct recordcmd, rec.live.pid),
	  .arg = "PID",
	  .help = "the threads of this process and its descendants" },
	{ .name = "for",
	  .kind = OPT_TIME,
	  .value = 1,
	  .at = offsetof(struct recordcmd, rec.live.for_ns),
	  .arg = "TIME",
	  .help = "so long at most; else until the command ends, or Ctrl-C" },
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

/* A file that is there already is reported before, not after. */
static int await(uint64_t start, const char *file)
{
	if (access(file, F_OK) == 0)
		return cmd_fail("cannot create recording %s: File exists", file);
	return live_start_wait(start) < 0 ? cmd_fail("interrupted before it began") : 0;
}

static int record(int argc, char **argv)
{
	struct recordcmd all = { 0 };
	struct live_onslow *c = &all.rec;
	struct request r;
	int e = cmd_live_options(&c->live, &options, &all, &argc, argv);

	if (e == 0 && optind < argc)
		e = cmd_words(&options, argv[optind], NULL);
	if (e == 0 && !c->tracker && (c->over_ns || c->comm || c->after_ns))
		e = cmd_words(&options, NULL, "--over, --comm and --after go with --on-slow");
	if (e == 0 && live_onslow_prepare(c) < 0)
		e = cmd_wrong("record: --on-slow: '%s' is no tracker for it; 'dwell latency --help' names them",
			      c->tracker);
	c->live.record = c->live.record ? c->live.record : DEFAULT_FILE;
	if (e == 0 && all.start)
		e = await(all.start, c->live.record);
	if (e == 0) {
		cmd_begin(&r);
		e = cmd_outcome(live_onslow_run(c, &r), 0);
	}
	live_onslow_done(c);
	return e;
}

const struct command cmd_record = { "record", "records what the machine does, around a slow event", record,
				    .options = &options };
