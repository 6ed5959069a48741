/* SPDX-License-Identifier: Apache-2.0 */
/* Answers whether a process belonged to an ancestor, a control group, a container, a unit or a user at the time of an
 * event. The process may have ended before the event is looked at. Processes that live at the start are read from
 * /proc. From then on a process inherits from its parent when it is forked, until it is moved or its user changes. The
 * side band of perf reports forks, the caller reports the others; both are ordered by time. */
#ifndef DWELL_RUN_FOLLOW_PROCESS_FILTER_H
#define DWELL_RUN_FOLLOW_PROCESS_FILTER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "run/follow/sideband.h"

struct process_filter;

#define PROCESS_FILTER_MAX 65536 /* processes that are remembered; those that have ended are forgotten first */
#define PROCESS_FILTER_DEPTH 64	 /* generations of ancestors that are read from /proc */
/* Forks and ends that are later than the event looked at; above that the oldest count at once. */
#define PROCESS_FILTER_WAITING 65536

/* The conditions: a process must meet all that are set. The texts stay the caller's. */
struct process_filter_want {
	uint32_t root;	       /* process: it and its descendants; 0: any */
	const char *cgroup;    /* path of a control group: it and those below it; NULL: any */
	const char *container; /* part of the path of a control group; NULL: any */
	const char *unit;      /* name of a control group in the path; NULL: any */
	bool of_user;	       /* their real user is uid */
	uint32_t uid;
};

/* Begins to follow; call it before probes are attached. side: false for tests: no forks, nothing of /proc. Without
 * perf, a process that was not alive at the start is looked up when it is met: that is no error. -ENOMEM. */
int process_filter_new(const struct process_filter_want *w, bool side, struct process_filter **ret);
/* Forks and ends up to ts (CLOCK_MONOTONIC, ns) count from now on; ts must not go backwards. Call it often: the side
 * band is small. */
void process_filter_until(struct process_filter *m, uint64_t ts);
/* A fork or end of a process (time: CLOCK_BOOTTIME). For process_filter_until() and tests. */
void process_filter_event(struct process_filter *m, const struct side_event *e);
/* A process has been moved: hierarchy is the number of the control groups' tree, as in /proc/PID/cgroup. */
void process_filter_moved(struct process_filter *m, uint32_t pid, uint32_t hierarchy, const char *path);
/* A process has another real user from now on. */
void process_filter_user(struct process_filter *m, uint32_t pid, uint32_t uid);
/* Re-reads a process that was created in another control group than its parent's, if it lives. */
void process_filter_look(struct process_filter *m, uint32_t pid);
/* Whether the process meets the conditions. An unknown process is looked up in /proc; one that is gone does not. */
bool process_filter_has(struct process_filter *m, uint32_t pid);
/* How many forks were not seen: their children are looked up in /proc. */
uint64_t process_filter_lost(const struct process_filter *m);
void process_filter_free(struct process_filter *m); /* accepts NULL */
#endif
