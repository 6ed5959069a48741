/* SPDX-License-Identifier: Apache-2.0 */
/* Declares struct target, for target.c and run.c. */
#ifndef DWELL_RUN_TARGET_INT_H
#define DWELL_RUN_TARGET_INT_H
#include "run/target.h"

struct target {
	pid_t pid;
	int fd;	      /* pidfd */
	bool child;   /* -c */
	bool stopped; /* -c, until target_go() */
	char *held;   /* -c, before its exec: the command's name for messages */
	int report;   /* … the pipe through which an errno comes when that fails; -1 else */
	bool ended;
	bool known; /* how: */
	int status; /* as of waitpid(2) */
};

/* A command before its exec: lets it come after it. */
int target_exec(struct target *t, struct err *err);
#endif
