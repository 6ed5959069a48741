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
