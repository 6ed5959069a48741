/* SPDX-License-Identifier: Apache-2.0 */
/* Ends of walks. A function that is called for each thing of a walk, or whenever a replay stops, has an int as others
 * do (base/step.h). 0 goes on, -errno ends the walk as an error. It gives WALK_END when it has seen enough: the walk
 * ends, and the caller of the walk takes that for done:
 *
 *     return walk_ended(js_near_holders(h, object, say_holder, &x)); */
#ifndef DWELL_BASE_WALK_H
#define DWELL_BASE_WALK_H
#include <errno.h>

#define WALK_END (-ECANCELED)

/* The result of a walk for its caller: 0 or -errno. */
static inline int walk_ended(int e)
{
	return e == WALK_END ? 0 : e;
}
#endif
