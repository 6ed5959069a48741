/* SPDX-License-Identifier: Apache-2.0 */
/* -x maxcpu=N%: measures the run time of our programs and names those that have to go, and that may come back. */
#ifndef DWELL_RUN_SESSION_GOVERNOR_H
#define DWELL_RUN_SESSION_GOVERNOR_H
#include "load/load.h"

struct governor;

/* text: "5%" or "5": percent of all online CPUs' time. "" gives *ret = NULL: no governor. -EINVAL. */
int governor_new(const struct loaded *l, unsigned online_cpus, const char *text, struct governor **ret,
		 struct err *err);
void governor_free(struct governor *g);

struct governor_victim {
	uint32_t prog;
	double percent; /* what it used since the last look */
};

/* Looks at what has been used since the last call (at least GOVERNOR_PERIOD_NS apart). When all attached
 * programs together used more than the limit, gives the costliest ones that have to be detached so that
 * the others stay within it: their number, 0 for none. live: by program. victims: room for all. */
uint32_t governor_look(struct governor *g, uint64_t now, const bool *live, struct governor_victim *victims);
/* The program was taken off, or put back. What had to go again before it had stayed for as long as it was away stays
 * away for twice as long, up to GOVERNOR_AWAY_MAX_NS. governor_returned() gives for how long it was off. */
void governor_taken(struct governor *g, uint32_t prog, uint64_t now);
uint64_t governor_returned(struct governor *g, uint32_t prog, uint64_t now);
bool governor_is_off(const struct governor *g, uint32_t prog);
/* The next program to put back, one for each look: its time is over, and the others are within the limit. -1: none.
 * What cannot be put back is told by governor_taken(). */
int64_t governor_next(struct governor *g, uint64_t now);
double governor_limit(const struct governor *g);
#define GOVERNOR_PERIOD_NS 1000000000ull
#define GOVERNOR_AWAY_NS 10000000000ull
#define GOVERNOR_AWAY_MAX_NS 640000000000ull
#endif
