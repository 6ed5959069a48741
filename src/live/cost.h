/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses what `dwell latency` and `latency why` look at, by what that may cost (--cost). The input is what all takes
 * in a second. */
#ifndef DWELL_LIVE_COST_H
#define DWELL_LIVE_COST_H
#include <stdbool.h>
#include "base/optrow.h"

#define LIVE_COST_TEXT 240

struct live_cost {
	double percent;	  /* of the time of all CPUs, at most; 0: not asked for */
	unsigned one_in;  /* one thread in this number is looked at: a power of two; 0: nothing was asked for */
	bool why;	  /* for `latency why`, which has one tracker and takes more of each thread */
	unsigned dropped; /* trackers of the default set that are left out */
	char text[LIVE_COST_TEXT]; /* what was chosen and why, in words */
};

/* Takes the argument of --cost: "1%", or "1/8": one thread in 8. -EINVAL with a message. */
int live_cost_take(void *cost, const struct optrow *o, const char *arg, struct err *err);
/* Chooses, if all threads and trackers take this percentage. First it takes fewer threads, down to one in 8. Then it
 * takes fewer trackers, if this is the default set; then fewer threads again. Returns the percentage that this takes:
 * more than was asked for when nothing is left to leave out. */
double live_cost_plan(struct live_cost *c, double all, bool default_set);
/* Is this tracker of the default set left out? */
bool live_cost_drops(const struct live_cost *c, const char *tracker);
/* When a percentage was asked for: measures all for a second, in a process of its own, and chooses. One in 8 if that
 * fails.
 */
void live_cost_choose(struct live_cost *c, bool default_set);
#endif
