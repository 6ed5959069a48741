/* SPDX-License-Identifier: Apache-2.0 */
/* Options that all commands have that draw: where to, what kind of picture, its heading, which stretch of time; those
 * of recording what is then drawn, and those of reading stacks. Rows of tables (optable.h). */
#ifndef DWELL_CMD_PICOPTS_H
#define DWELL_CMD_PICOPTS_H
#include "cmdline/optable.h"
#include "cmd/reclive.h"
#include "view/stack/stacksrc.h"

enum picture { PIC_NONE, PIC_HTML, PIC_SVG, PIC_JSON, PIC_TEXT };

struct picopts {
	const char *output;   /* -o, or NULL */
	const char *title;    /* or NULL */
	enum picture picture; /* what was asked for; PIC_NONE: nothing */
};

int picopts_take_picture(void *picopts, const struct optrow *o, const char *arg, struct err *err);

/* type: struct of the command; pic: its struct picopts. */
#define PICOPT_PICTURE(type, pic, which, option, words) \
	{ \
		.name = option, .kind = OPT_CALL, .at = offsetof(type, pic), .value = which, \
		.take = picopts_take_picture, .help = words \
	}
#define PICOPT_ROWS(type, pic) \
	{ .letter = 'o', \
	  .kind = OPT_TEXT, \
	  .at = offsetof(type, pic.output), \
	  .arg = "FILE", \
	  .help = "write here, not to standard output" }, \
		PICOPT_PICTURE(type, pic, PIC_HTML, "html", "a single HTML page; by itself if FILE ends with .html"), \
		PICOPT_PICTURE(type, pic, PIC_SVG, "svg", "a picture"), \
		PICOPT_PICTURE(type, pic, PIC_JSON, "json", "what the page draws, as one JSON object"), \
	{ \
		.name = "title", .kind = OPT_TEXT, .at = offsetof(type, pic.title), .arg = "TEXT", .help = "heading" \
	}
#define PICOPT_ROWS_TIMES(type, from_member, to_member) \
	{ .name = "from", \
	  .kind = OPT_TIME, \
	  .at = offsetof(type, from_member), \
	  .arg = "TIME", \
	  .help = "only what was recorded from so long after the beginning on (10s, 500ms)" }, \
	{ \
		.name = "to", .kind = OPT_TIME, .at = offsetof(type, to_member), .arg = "TIME", \
		.help = "… and up to there" \
	}
/* live: a struct reclive. */
#define PICOPT_ROWS_LIVE(type, live, c_help, p_help) \
	{ .letter = 'c', .kind = OPT_TEXT, .at = offsetof(type, live.command), .arg = "COMMAND", .help = c_help }, \
		{ .letter = 'p', .kind = OPT_TEXT, .at = offsetof(type, live.pid), .arg = "PID", .help = p_help }, \
		{ .name = "for", \
		  .kind = OPT_TIME, \
		  .value = 1, \
		  .at = offsetof(type, live.for_ns), \
		  .arg = "TIME", \
		  .help = "record now, so long; else until the command ends, or Ctrl-C" }, \
	{ \
		.name = "record", .kind = OPT_TEXT, .at = offsetof(type, live.record), .arg = "FILE", \
		.help = "keep the recording" \
	}
/* Whose events are recorded, by the kernel: options of D. */
#define PICOPT_ROWS_WHOSE(type, live) \
	{ .name = "comm", \
	  .kind = OPT_TEXT, \
	  .at = offsetof(type, live.comm), \
	  .arg = "NAME, --user NAME", \
	  .help = "record now: processes of this name, of this user" }, \
		{ .name = "user", .kind = OPT_TEXT, .at = offsetof(type, live.user), .arg = "NAME" }, \
		{ .name = "cgroup", \
		  .kind = OPT_TEXT, \
		  .at = offsetof(type, live.cgroup), \
		  .arg = "PATH, --container ID", \
		  .help = "record now: those in this control group and below it, in this container" }, \
	{ \
		.name = "container", .kind = OPT_TEXT, .at = offsetof(type, live.container), .arg = "ID" \
	}
#define PICOPT_ROWS_LIVE_TREE(type, live) \
	PICOPT_ROWS_LIVE(type, live, "record now, while it runs: it and its descendants", \
			 "record now: this process and its descendants")
/* src: a struct stacksrc_opts. */
#define PICOPT_ROWS_STACKS(type, src) \
	{ .name = "by", \
	  .kind = OPT_TEXT, \
	  .at = offsetof(type, src.by), \
	  .arg = "NAME", \
	  .help = "recording: which aggregation (@name) or 'events'; perf script: which event" }, \
		{ .name = "per-thread", \
		  .kind = OPT_FLAG, \
		  .at = offsetof(type, src.per_thread), \
		  .help = "threads (all keys of the aggregation) apart" }, \
		{ .name = "addresses", \
		  .kind = OPT_FLAG, \
		  .at = offsetof(type, src.addresses), \
		  .help = "addresses without a name apart" }, \
	{ \
		.name = "no-inlined", .kind = OPT_FLAG, .at = offsetof(type, src.no_inlined), \
		.help = "recording: inlined functions as part of those they are in" \
	}

/* When all options are known: what to draw, never PIC_NONE. alone: what it is without -o and a kind; PIC_NONE: SVG, but
 * not to a terminal. EXIT_* > 0 after a message. */
int picopts_choose(struct picopts *p, enum picture alone);
/* The same of --from and --to: that something is between them. */
int picopts_check_times(uint64_t from, uint64_t to);
#endif
