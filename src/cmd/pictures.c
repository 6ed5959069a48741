/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell flame`, `heat`, `hist` and `timeline`: what each can record itself; the rest is the view's row. */
#include <errno.h>
#include "base/cleanup.h"
#include "cmd/cmd.h"
#include "cmd/viewcmd.h"
#include "live/flames.h"
#include "live/slow.h"

/* -- flame -- */

#define PROGRAM(option, program_name, text_help) \
	{ \
		.name = option, .kind = OPT_SET, .at = offsetof(struct recnow, program), .text = program_name, \
		.help = text_help \
	}
static const struct optrow flame_rows[] = {
	PROGRAM("on-cpu", "flame/on-cpu", "what runs on the CPUs: record it now, or of FILE"),
	PROGRAM("off-cpu", "flame/off-cpu", "where threads wait, and how long: record it now, or of FILE"),
	PROGRAM("wakeup", "flame/wakeup", "where threads sleep, and what wakes them: record it now, or of FILE"),
	RECNOW_ROWS_TREE,
	RECNOW_ROWS_WHOSE,
};
#undef PROGRAM

static const struct viewlive flame_live = { .rows = flame_rows,
					    .nrows = ARRAY_SIZE(flame_rows),
					    .choose = live_flame_choose,
					    .head = live_flame_head,
					    .empty = live_flame_empty,
					    .by = live_flame_by };
static const struct viewcmd flame_view = {
	.command = "flame",
	.view = &view_flame,
	.synopsis =
		"flame [--on-cpu|--off-cpu|--wakeup] [options] [FILE|-]\nflame --differential [options] BEFORE [--from T] [--to T] AFTER\n"
		"flame [--on-cpu|--off-cpu|--wakeup] [-c COMMAND|-p PID] [--for TIME] [options] [-- COMMAND...]",
	.notes = "\tFILE is a recording (--record), folded stacks, or the output of perf script",
	.missing = "a file is missing, or what to record: --on-cpu, --off-cpu or --wakeup",
	.live = &flame_live,
};

const struct command cmd_flame = { "flame", "draws stacks", .view = &flame_view };

/* -- heat and hist -- */

static int choose_values(struct recnow *l, bool *ret_record, struct err *err)
{
	if ((l->text != NULL) + (l->script != NULL) + (l->tracker != NULL) > 1)
		return err_set(err, -EINVAL, "-n, -s and --tracker: choose one");
	if (!l->text && !l->script && !l->tracker && recnow_asked(l))
		l->tracker = "wakeup";
	*ret_record = l->text || l->script || l->tracker;
	return l->tracker ? live_slow_recnow(l, err) : 0;
}

static const struct optrow value_rows[] = {
	{ .name = "tracker",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct recnow, tracker),
	  .arg = "NAME",
	  .help = "record now: delays of this tracker of dwell latency (wakeup)" },
	{ .letter = 'n',
	  .kind = OPT_TEXT,
	  .at = offsetof(struct recnow, text),
	  .arg = "PROGRAM",
	  .help = "record now: this D program" },
	{ .letter = 's',
	  .kind = OPT_TEXT,
	  .at = offsetof(struct recnow, script),
	  .arg = "FILE.d",
	  .help = "record now: the D program in this file" },
	RECNOW_ROWS("while it runs", "with this process as $target; of a tracker: delays of it and its descendants"),
	RECNOW_ROWS_WHOSE,
};

static const struct viewlive values_live = { .rows = value_rows,
					     .nrows = ARRAY_SIZE(value_rows),
					     .choose = choose_values };
#define VALUES_LIVE "[--tracker NAME|-n PROGRAM|-s FILE.d] [-c COMMAND|-p PID] [--for TIME] [options] [-- COMMAND...]"
#define VALUES_MISSING "a recording is missing, or what to record: --for TIME, --tracker, -n or -s"

const struct viewcmd viewcmd_heat = { .command = "heat",
				      .view = &view_heat,
				      .synopsis = "heat [options] RECORDING\nheat " VALUES_LIVE,
				      .missing = VALUES_MISSING,
				      .live = &values_live };

const struct command cmd_heat = { "heat", "draws heat maps", .view = &viewcmd_heat };

const struct viewcmd viewcmd_hist = { .command = "hist",
				      .view = &view_hist,
				      .synopsis = "hist [options] RECORDING...\nhist " VALUES_LIVE,
				      .missing = VALUES_MISSING,
				      .live = &values_live };

const struct command cmd_hist = { "hist", "compares distributions", .view = &viewcmd_hist };

/* -- timeline -- */

static int choose_timeline(struct recnow *l, bool *ret_record, struct err *err)
{
	*ret_record = recnow_asked(l);
	if (l->also && !l->command && !l->pid && !l->words)
		return err_set(err, -EINVAL,
			       "--gc and --java are about one process that is recorded now: -p PID, or -- COMMAND");
	l->program = "timeline/threads";
	l->bursts = true;
	return 0;
}

static const struct optrow timeline_rows[] = {
	{ .name = "gc",
	  .kind = OPT_SET,
	  .at = offsetof(struct recnow, also),
	  .text = "latency/gc latency/safepoint",
	  .help = "record now: with the garbage collections of Node, Java or Python in a lane" },
	{ .name = "java",
	  .kind = OPT_SET,
	  .at = offsetof(struct recnow, also),
	  .text = "latency/gc latency/safepoint latency/monitor latency/park latency/classinit latency/jit",
	  .help = "the same, and lanes of monitors, parked threads, class initialisation, compilation" },
	RECNOW_ROWS_TREE,
	RECNOW_ROWS_WHOSE,
};

static const struct viewlive timeline_live = { .rows = timeline_rows,
					       .nrows = ARRAY_SIZE(timeline_rows),
					       .choose = choose_timeline };
static const struct viewcmd timeline_view = {
	.command = "timeline",
	.view = &view_timeline,
	.synopsis = "timeline [options] RECORDING\ntimeline [-c COMMAND|-p PID] [--for TIME] [options] [-- COMMAND...]",
	.missing = "a recording is missing, or what to record: -c, -p or --for",
	.live = &timeline_live,
};

const struct command cmd_timeline = { "timeline", "draws threads and processes over time", .view = &timeline_view };
