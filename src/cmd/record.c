/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell record`: what threads do, into a file; with --on-slow it ends by itself behind a slow event, with what was
 * before it. */
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/plain.h"
#include "base/units.h"
#include "cmd/cmd.h"
#include "cmd/reclive.h"
#include "engine/run/run.h"
#include "run/session.h"
#include "shelf/shelf.h"
#include "store/slow.h"

#define DEFAULT_FILE "record.dwell"
#define DEFAULT_BEFORE_NS 10000000000ull /* --before, with --on-slow */
#define DEFAULT_AFTER_NS 1000000000ull	 /* --after */
#define COMM_SIZE 64			 /* a name with its control characters written out */

struct record_cmd {
	struct reclive live;
	struct run_observer show;
	const char *tracker, *comm;
	uint64_t over_ns, before_ns, after_ns;
	const struct rec_schema *schema;
	uint64_t due; /* when to end: CLOCK_MONOTONIC; 0: there was no slow event yet */
	bool told;
	char shipped[64];
};

static const struct optrow rows[] = {
	{ .letter = 'o',
	  .kind = OPT_TEXT,
	  .at = offsetof(struct record_cmd, live.record),
	  .arg = "FILE",
	  .help = "write here (" DEFAULT_FILE ")" },
	{ .name = "on-slow",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct record_cmd, tracker),
	  .arg = "TRACKER",
	  .help = "end by itself when this tracker has a slow event: the file has what was before it" },
	{ .name = "over",
	  .kind = OPT_TIME,
	  .value = 1,
	  .at = offsetof(struct record_cmd, over_ns),
	  .arg = "TIME",
	  .help = "with --on-slow: how long it must be (the tracker's threshold)" },
	{ .name = "comm",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct record_cmd, comm),
	  .arg = "NAME",
	  .help = "with --on-slow: of a thread of this name only" },
	{ .name = "before",
	  .kind = OPT_TIME,
	  .value = 1000000000,
	  .at = offsetof(struct record_cmd, before_ns),
	  .arg = "TIME",
	  .help = "keep so much of what was before (10s; without --on-slow: all, or this last stretch)" },
	{ .name = "after",
	  .kind = OPT_TIME,
	  .value = 1,
	  .at = offsetof(struct record_cmd, after_ns),
	  .arg = "TIME",
	  .help = "go on for so long behind it (1s)" },
	{ .letter = 'c',
	  .kind = OPT_TEXT,
	  .at = offsetof(struct record_cmd, live.command),
	  .arg = "COMMAND, -- COMMAND...",
	  .help = "run it, and record its threads and those of its descendants" },
	{ .letter = 'p',
	  .kind = OPT_TEXT,
	  .at = offsetof(struct record_cmd, live.pid),
	  .arg = "PID",
	  .help = "the threads of this process and its descendants" },
	{ .name = "for",
	  .kind = OPT_TIME,
	  .value = 1,
	  .at = offsetof(struct record_cmd, live.for_ns),
	  .arg = "TIME",
	  .help = "so long at most; else until the command ends, or Ctrl-C" },
};
static const struct optable options = {
	.command = "record",
	.synopsis = "record [options] [-- COMMAND...]",
	.notes = "Records what threads do, for dwell timeline, latency, export and sql.",
	.rows = rows,
	.n = ARRAY_SIZE(rows),
};

static int on_open(void *ctx, const struct rec_schema *schema, struct sym *sym, struct why *why, FILE *out)
{
	struct record_cmd *c = ctx;

	(void)sym;
	(void)why;
	(void)out;
	c->schema = schema;
	return 0;
}

static int on_ready(void *ctx, struct session *s, long target)
{
	struct record_cmd *c = ctx;
	int e = c->over_ns ? session_set(s, c->tracker, "threshold", c->over_ns) : 0;

	(void)target;
	return e < 0 ? cmd_fail("tracker %s: cannot be set: %s", c->tracker, strerror(-e)) : 0;
}

/* The event that is waited for, or of no interest. */
static void look(struct record_cmd *c, const struct slow_event *e)
{
	char time[UNITS_LEN], name[COMM_SIZE];

	if (c->due || !e->tracker || strcmp(e->tracker->name, c->tracker) != 0 || e->fixed.how != SLOW_NORMAL ||
	    (c->comm && strcmp(e->fixed.comm, c->comm) != 0))
		return;
	c->due = clock_ns(CLOCK_MONOTONIC) + c->after_ns;
	printf("%s: %s %u, %s\n", c->tracker, plain_name(e->fixed.comm, name, sizeof(name)), e->fixed.tid,
	       units_ns(e->fixed.delay, time));
}

static int on_row(void *ctx, const struct row *row)
{
	struct record_cmd *c = ctx;
	const struct recfmt *f = row->kind == ROW_EVENT && row->id >= 1 && row->id <= c->schema->nfmts
					 ? c->schema->fmts[row->id - 1]
					 : NULL;

	for (size_t i = 0; c->tracker && f && i < f->nacts; i++)
		if (f->acts[i].kind == ACT_SLOW) {
			struct slow_event e = slow_event(c->schema, &f->acts[i], row->data);

			look(c, &e);
		}
	return row->kind != ROW_DROPS && row->kind != ROW_NOTE && row->kind != ROW_FAULT;
}

static void on_tick(void *ctx, struct recorder *recorder, bool hangup)
{
	struct record_cmd *c = ctx;

	(void)recorder;
	(void)hangup;
	if (c->due && !c->told && clock_ns(CLOCK_MONOTONIC) >= c->due) {
		c->told = true;
		raise(SIGINT); /* as Ctrl-C would end it */
	}
}

static int on_finish(void *ctx)
{
	(void)ctx;
	return 0;
}

static bool is_tracker(const char *name)
{
	char path[64];

	if (!name[0] || strlen(name) > 32 || strchr(name, '/'))
		return false;
	snprintf(path, sizeof(path), "latency/%s.d", name);
	for (size_t i = 0; i < shelf_nfiles; i++)
		if (!strcmp(shelf_files[i].path, path))
			return strstr(shelf_files[i].text, "\ntracker ") != NULL;
	return false;
}

/* EXIT_USAGE after a message. */
static int check_options(struct record_cmd *c)
{
	if (!c->tracker && (c->over_ns || c->comm || c->after_ns))
		return cmd_words(&options, NULL, "--over, --comm and --after go with --on-slow");
	if (c->tracker && (!is_tracker(c->tracker) || !strcmp(c->tracker, "irq") || !strcmp(c->tracker, "softirq")))
		return cmd_wrong("record: --on-slow: '%s' is no tracker for it; 'dwell latency --help' names them",
				 c->tracker);
	c->after_ns = c->after_ns ? c->after_ns : DEFAULT_AFTER_NS;
	if (c->tracker && !c->before_ns)
		c->before_ns = DEFAULT_BEFORE_NS;
	return 0;
}

static int record(int argc, char **argv)
{
	struct record_cmd c = { .live = { .program = "timeline/threads", .bursts = true } };
	int e = reclive_options(&c.live, &options, &c, &argc, argv);

	if (e == 0 && optind < argc)
		e = cmd_words(&options, argv[optind], NULL);
	if (e == 0)
		e = check_options(&c);
	if (e)
		return e < 0 ? EXIT_OK : e;
	c.show = (struct run_observer){
		.ctx = &c, .open = on_open, .row = on_row, .finish = on_finish, .ready = on_ready, .tick = on_tick
	};
	c.live.show = &c.show;
	c.live.record = c.live.record ? c.live.record : DEFAULT_FILE;
	c.live.age_ns = c.before_ns ? c.before_ns + (c.tracker ? c.after_ns : 0) : 0;
	if (c.tracker) {
		snprintf(c.shipped, sizeof(c.shipped), "latency/%s", c.tracker);
		c.live.also = c.shipped;
	}
	e = reclive_run(&c.live);
	if (e == 0 && c.tracker && !c.due)
		printf("%s: no slow event of %s; the file has the end of the run\n", c.live.record, c.tracker);
	reclive_done(&c.live);
	return e;
}

const struct command cmd_record = { "record", "records what threads do, around a slow event", record };
