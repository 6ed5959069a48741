/* SPDX-License-Identifier: Apache-2.0 */
/* The checkpoints of a replay, and the choice of the one from which to go somewhere. */
#ifndef DWELL_GDB_KEPT_H
#define DWELL_GDB_KEPT_H
#include "replay/watch.h"

#define KEPT_MAX 128u		 /* each has a process; when there are as many, every other one is dropped */
#define KEPT_EVERY_NS 100000000u /* of the replay's time, at first */

struct kept {
	struct watch_kept *state;
	uint64_t seq;	   /* stop of the trace, WATCH_DONE or WATCH_LOG_DONE */
	uint64_t call_seq; /* the last call that began before, 0: none */
	enum watch_when call_when;
	uint32_t call_task;
	unsigned stops; /* faults and new code before it */
};
struct kept_all {
	size_t n;
	struct kept v[KEPT_MAX]; /* by seq */
	uint64_t since, every;	 /* ns of watch_ran_ns() */
};
/* Makes one at k->seq if it is time to; k->state is set here. Where it cannot be made there is none. */
void kept_add(struct kept_all *a, struct replay *r, const struct kept *k);
/* The last one from where one gets to stop `seq` (with: it may be at that stop). Its last call is of that task, unless
 * it is the first one. NULL: it is from the start only. */
const struct kept *kept_find(const struct kept_all *a, uint64_t seq, bool with, uint32_t task);
void kept_free(struct kept_all *a); /* before another replay begins */
#endif
