/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell stat`: a command is run, or processes that run are watched, while the kernel counts; then it is shown. */
#ifndef DWELL_STAT_STATRUN_H
#define DWELL_STAT_STATRUN_H
#include "base/err.h"
#include "base/strb.h"
#include "engine/request.h"
#include "engine/run/slowfilter.h"
#include "stat/statprint.h"

#define STATRUN_REPEAT_MAX 1000 /* -r */

struct statrun {
	/* asked for */
	struct request request;	      /* begun by the caller, ended by statrun_done(): of --waits, and its listener */
	char *const *words;	      /* of the command; NULL: processes that run */
	const char *pid;	      /* if there is no command: this one, or */
	struct slowfilter only;	      /* those that meet all of it; its arena is the request's */
	uint64_t for_ns, interval_ns; /* 0: until it ends; no lines of intervals */
	unsigned repeat;	      /* runs of the command, from 1 */
	bool json, waits;
	const char *output; /* NULL: standard error */
	/* the run */
	struct strb title;
	struct stat_run runs[STATRUN_REPEAT_MAX];
	struct stat_waits seen; /* of waits */
	FILE *out;
	uint64_t begun, due; /* CLOCK_MONOTONIC ns: the first interval, the next end of one */
	bool headed;
};

/* -EINVAL with a message: what is asked for does not go together. repeat 0 becomes 1. program: what the user calls
 * dwell. */
int statrun_check(struct statrun *c, const char *program, struct err *err);
/* 0 or -errno, told; *ret_status: of the command's last run, as of waitpid(2). Signals that base/caught.h
 * has caught end it. */
int statrun_run(struct statrun *c, int *ret_status);
void statrun_done(struct statrun *c);
#endif
