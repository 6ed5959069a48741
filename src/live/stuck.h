/* SPDX-License-Identifier: Apache-2.0 */
/* Runs `dwell latency stuck`: lists the threads that are blocked now, since when, on what, and the thread that has it.
 * The program that looks is dlib/latency/stuck.d, once. The view "stuck" prints. */
#ifndef DWELL_LIVE_STUCK_H
#define DWELL_LIVE_STUCK_H
#include "engine/run/run.h"
#include "engine/run/slowfilter.h"
#include "live/viewrun.h"
#include "view/summary/stuckview.h"

struct live_stuck {
	struct stuck_view view;
	const char *form;	  /* of the view; NULL: text */
	struct request request;	  /* begun by the caller, ended by the run */
	const char *cgroup;	  /* its path, or its number; NULL: any */
	struct slowfilter filter; /* which threads count, in a run */
	struct viewrun run;
};

/* Puts the run into r->request. */
void live_stuck_request(struct live_stuck *r);
/* Takes r->cgroup: of a run, by its path in any tree, and those below it. 0, or -EINVAL with a message. */
int live_stuck_whose(struct live_stuck *r, bool recorded, struct err *err);
/* 0 or -errno, told. */
int live_stuck_run(struct live_stuck *r);
/* The number of a control group of version 2: "/a", "a", "/sys/fs/cgroup/a", or the number itself. 0, or -errno with a
 * message. */
int live_stuck_cgroup(const char *arg, uint64_t *ret, struct err *err);
#endif
