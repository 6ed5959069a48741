/* SPDX-License-Identifier: Apache-2.0 */
/* Which processes belong to an ancestor or to a control group, at the time of an event: also of processes that have
 * ended before the event is looked at. Those that live when it begins are read from /proc; from then on a process has
 * what its parent had when it forked, until it is moved. Forks come from the side band of perf, moves from the caller;
 * both count in the order of time. */
#ifndef DWELL_RUN_FOLLOW_PROCESS_FILTER_H
#define DWELL_RUN_FOLLOW_PROCESS_FILTER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "run/follow/sideband.h"

struct process_filter;

#define PROCESS_FILTER_MAX 65536 /* processes that are remembered; those that have ended are forgotten first */
#define PROCESS_FILTER_DEPTH 64	 /* generations of ancestors that are read from /proc */
#define PROCESS_FILTER_WAITING \
	65536 /* forks and ends that are later than the event looked at; then the oldest count at once */

/* What is asked for: all that is set must be so. The texts stay the caller's. */
struct process_filter_want {
	uint32_t root;	       /* process: it and its descendants; 0: any */
	const char *cgroup;    /* path of a control group: it and those below it; NULL: any */
	const char *container; /* part of the path of a control group; NULL: any */
};

/* Begins to follow; before what is measured is attached. side: false for tests: no forks, nothing of /proc. Without
 * perf what was not alive at the beginning is looked up when it is met: *ret is fine all the same. -ENOMEM. */
int process_filter_new(const struct process_filter_want *w, bool side, struct process_filter **ret);
/* All forks and ends up to then (CLOCK_MONOTONIC ns) count from now on; times must not go backwards. Often: the side
 * band is small. */
void process_filter_until(struct process_filter *m, uint64_t ts);
/* A fork or end of a process (time: CLOCK_BOOTTIME). For process_filter_until() and tests. */
void process_filter_event(struct process_filter *m, const struct side_event *e);
/* A process has been moved: hierarchy is the number of the control groups' tree, as in /proc/PID/cgroup. */
void process_filter_moved(struct process_filter *m, uint32_t pid, uint32_t hierarchy, const char *path);
/* Was put into another control group when it was made: it is looked at anew, if it lives. */
void process_filter_look(struct process_filter *m, uint32_t pid);
/* Does it belong? Looked up in /proc if it is not known; one that is gone then does not. */
bool process_filter_has(struct process_filter *m, uint32_t pid);
/* Forks that were not seen: their children are looked up in /proc. */
uint64_t process_filter_lost(const struct process_filter *m);
void process_filter_free(struct process_filter *m); /* accepts NULL */
#endif
