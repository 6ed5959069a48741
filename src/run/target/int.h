/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a target, for target.c and run.c. */
#ifndef DWELL_RUN_TARGET_INT_H
#define DWELL_RUN_TARGET_INT_H
#include "run/target.h"

struct target {
	pid_t pid;
	int fd;	      /* pidfd */
	bool child;   /* -c */
	bool stopped; /* -c, until target_go() */
	bool ended;
	bool known; /* how: */
	int status; /* as of waitpid(2) */
};
#endif
