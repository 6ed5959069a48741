/* SPDX-License-Identifier: Apache-2.0 */
/* Recording stacks by the programs of dlib/flame, to be drawn when they have ended. */
#ifndef DWELL_CMD_FLAMELIVE_H
#define DWELL_CMD_FLAMELIVE_H

struct flamelive {
	const char *program;  /* "on-cpu", "off-cpu", "wakeup"; NULL: none is to run */
	const char *how_long; /* "10s", or NULL: until the command or Ctrl-C ends it */
	const char *command, *pid; /* -c, -p, or NULL */
	const char *record;   /* keep the recording here, or NULL */
	char *folder;	      /* where it is when it is not kept; removed by flamelive_done() */
	char *path;	      /* of the recording */
};

/* Runs it. EXIT_* > 0 after a message. */
int flamelive_run(struct flamelive *l);
void flamelive_done(struct flamelive *l);
#endif
