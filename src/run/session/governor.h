/* SPDX-License-Identifier: Apache-2.0 */
/* Implements -x maxcpu=N%: measures the run time of dwell's programs, and decides which to detach and when to
 * reattach them. */
#ifndef DWELL_RUN_SESSION_GOVERNOR_H
#define DWELL_RUN_SESSION_GOVERNOR_H
#include "load/load.h"

struct governor;

/* text: "5%" or "5": percent of all online CPUs' time. "" gives *ret = NULL: no governor. -EINVAL. */
int governor_new(const struct loaded *l, unsigned online_cpus, const char *text, struct governor **ret,
		 struct err *err);
void governor_free(struct governor *g);

struct governor_costly {
	uint32_t prog;
	double percent; /* what it used since the last look */
};

/* Looks at what has been used since the last call (at least GOVERNOR_PERIOD_NS apart). When all attached programs
 * together used more than the limit, gives the costliest ones, which have to be detached so that the others stay
 * within it. Returns their number, 0 for none. live: by program. costly: room for all. */
uint32_t governor_measure(struct governor *g, uint64_t now, const bool *live, struct governor_costly *costly);
/* The program was detached, or reattached. A program may have to be detached again before it was attached for as
 * long as it had been detached. Then it stays detached for twice that time, up to GOVERNOR_DETACHED_MAX_NS.
 * governor_reattached() gives for how long it was detached, in ns. */
void governor_detached(struct governor *g, uint32_t prog, uint64_t now);
uint64_t governor_reattached(struct governor *g, uint32_t prog, uint64_t now);
bool governor_is_detached(const struct governor *g, uint32_t prog);
/* The next program to reattach, one for each look: its time is over, and the others are within the limit. -1: none.
 * If it cannot be reattached, the caller calls governor_detached() again. */
int64_t governor_next(struct governor *g, uint64_t now);
double governor_limit(const struct governor *g);
#define GOVERNOR_PERIOD_NS 1000000000ull
#define GOVERNOR_DETACHED_NS 10000000000ull
#define GOVERNOR_DETACHED_MAX_NS 640000000000ull
#endif
