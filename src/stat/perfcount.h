/* SPDX-License-Identifier: Apache-2.0 */
/* Counts events of threads with perf events, and those of the threads that they start. */
#ifndef DWELL_STAT_PERFCOUNT_H
#define DWELL_STAT_PERFCOUNT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PERFCOUNT_MAX_THREADS 4096 /* that are counted at the beginning; those that they start are counted, too */

enum counter {
#define COUNTER(id, name, type, config) CTR_##id,
#include "stat/counter.def"
#undef COUNTER
	CTR_COUNT
};

struct perfcount;
int perfcount_new(struct perfcount **ret);
void perfcount_close(struct perfcount *c); /* accepts NULL */
/* Counts a thread: from now on, or (at_exec) from its next exec on. 0; -ESRCH: it is gone; -E2BIG: more than
 * PERFCOUNT_MAX_THREADS; other errors are of all events, which then have a reason. */
int perfcount_add(struct perfcount *c, pid_t tid, bool at_exec);

struct count {
	uint64_t n;	    /* ns of task-clock */
	bool counted;	    /* else reason */
	bool user_only;	    /* the kernel's part may not be counted */
	double share;	    /* of the time in which it had a counter of the CPU: below 1 n is an estimate */
	const char *reason; /* a constant; NULL: counted */
};
/* Reads the counts up to now. */
void perfcount_read(const struct perfcount *c, struct count ret[CTR_COUNT]);
const char *perfcount_name(enum counter k);
#endif
