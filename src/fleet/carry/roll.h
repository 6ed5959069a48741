/* SPDX-License-Identifier: Apache-2.0 */
/* Adds seconds up to minutes, minutes to ten minutes, and ten minutes to hours; and minutes of all hosts together. It
 * runs in a thread of its own with its own connection, so that rows go on being stored meanwhile. */
#ifndef DWELL_FLEET_CARRY_ROLL_H
#define DWELL_FLEET_CARRY_ROLL_H
#include "engine/listener.h"
#include "fleet/wire/click.h"

#define ROLL_LATE_S 10 /* a minute is added up so long after its end; what comes later, by a repair, … */
#define ROLL_REST 20u  /* … which rests this many times as long as it took: … */
#define ROLL_REST_MIN_NS UINT64_C(5000000000)  /* … at least that … */
#define ROLL_REST_MAX_NS UINT64_C(60000000000) /* … and at most that */
#define ROLL_BACK_S (2 * 3600u)		       /* at the start a host looks so far back */

#define ROLL_STRETCHES 32u
/* Stretches of time, s since 1970: ascending, whole minutes, with gaps between them. All zero: none. */
struct roll_stretches {
	struct roll_stretch {
		uint64_t from, to;
	} v[ROLL_STRETCHES + 1];
	unsigned n;
};
/* Adds the minutes of [from, to). If there are too many stretches, the two that are closest become one. */
void roll_stretch(struct roll_stretches *s, uint64_t from, uint64_t to);

struct roll;
/* Begins. The store's options and the listener live longer. 0 or -errno with *err. */
int roll_start(const struct click_options *store, const struct listener *to, struct roll **ret, struct err *err);
/* The store has rows of these minutes. Minutes that were added up before are added up again, and no others: a host
 * with a clock that is years late costs only the minutes that it sends. From any thread. */
void roll_note(struct roll *r, const struct roll_stretches *stored);
void roll_end(struct roll *r); /* accepts NULL; waits for a statement that runs, CLICK_WAIT_S at most */
#endif
