/* SPDX-License-Identifier: Apache-2.0 */
/* Recording by a shipped program, to be drawn when it has ended. */
#ifndef DWELL_CMD_RECLIVE_H
#define DWELL_CMD_RECLIVE_H
#include <stdbool.h>
#include "cmdline/optable.h"
#include "run/session/tmpdir.h"

struct run_observer;

struct reclive {
	const char *program;	   /* in dlib, without ".d": "flame/on-cpu"; NULL: none */
	const char *text, *script; /* instead: a D program, or a file with one; else NULL */
	uint64_t for_ns;	   /* 0: until the command or Ctrl-C ends it */
	const char *command, *pid; /* -c, -p, or NULL */
	char *const *words;	   /* of `command`, which end with NULL; or NULL: it is cut at blanks */
	const char *comm, *user, *cgroup, *container; /* whose events, or NULL */
	const char *record;			      /* keep the recording here, or NULL */
	bool bursts;			 /* events come in tens of thousands at once: with larger rings than usual */
	const char *also;		 /* one more program in dlib, or NULL */
	uint64_t age_ns;		 /* what is older gives way; 0: all is kept */
	const struct run_observer *show; /* sees the rows, or NULL */
	struct tmpdir folder;		 /* where it is when it is not kept; removed by reclive_done() */
	char *path;			 /* of the recording */
	char *joined;			 /* words as one text */
};

/* The options, rows of a struct reclive. */
#define RECLIVE_ROWS(c_help, p_help) \
	{ .letter = 'c', \
	  .kind = OPT_TEXT, \
	  .at = offsetof(struct reclive, command), \
	  .arg = "COMMAND", \
	  .help = c_help }, \
		{ .letter = 'p', \
		  .kind = OPT_TEXT, \
		  .at = offsetof(struct reclive, pid), \
		  .arg = "PID", \
		  .help = p_help }, \
		{ .name = "for", \
		  .kind = OPT_TIME, \
		  .value = 1, \
		  .at = offsetof(struct reclive, for_ns), \
		  .arg = "TIME", \
		  .help = "record now, so long; else until the command ends, or Ctrl-C" }, \
	{ \
		.name = "record", .kind = OPT_TEXT, .at = offsetof(struct reclive, record), .arg = "FILE", \
		.help = "keep the recording" \
	}
#define RECLIVE_ROWS_TREE \
	RECLIVE_ROWS("record now, while it runs: it and its descendants", \
		     "record now: this process and its descendants")
/* Whose events are recorded, by the kernel: options of D. */
#define RECLIVE_ROWS_WHOSE \
	{ .name = "comm", \
	  .kind = OPT_TEXT, \
	  .at = offsetof(struct reclive, comm), \
	  .arg = "NAME, --user NAME", \
	  .help = "record now: processes of this name, of this user" }, \
		{ .name = "user", .kind = OPT_TEXT, .at = offsetof(struct reclive, user), .arg = "NAME" }, \
		{ .name = "cgroup", \
		  .kind = OPT_TEXT, \
		  .at = offsetof(struct reclive, cgroup), \
		  .arg = "PATH, --container ID", \
		  .help = "record now: those in this control group and below it, in this container" }, \
	{ \
		.name = "container", .kind = OPT_TEXT, .at = offsetof(struct reclive, container), .arg = "ID" \
	}

/* Reads the options of t into *command, of which l is a part, and the command behind "--". As optable_read(). */
int reclive_options(struct reclive *l, const struct optable *t, void *command, int *argc, char **argv);

/* Does an option say that something is to be recorded? */
bool reclive_asked(const struct reclive *l);
/* Runs it. EXIT_* > 0 after a message. */
int reclive_run(struct reclive *l);
/* Says a message about the recording; a folder of our own, which the user does not know and which goes, is not in it.
 * EXIT_ERROR. */
int reclive_fail(const struct reclive *l, const char *msg);
void reclive_done(struct reclive *l);
#endif
