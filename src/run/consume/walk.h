/* SPDX-License-Identifier: Apache-2.0 */
/* Walks over all threads, and over the open keys of trackers, with BPF iterators. Each period has a thread of its
 * own, and so has each tracker with keyed timeouts: a walk may have to wait for the memory of a process. Records of the
 * programs go to the rings as usual. */
#ifndef DWELL_RUN_CONSUME_WALK_H
#define DWELL_RUN_CONSUME_WALK_H
#include <stdbool.h>
#include <stdint.h>
#include "base/err.h"
#include "load/link.h"
#include "load/load.h"

/* A walk that takes long must not take the machine: after a walk over open keys the next waits for this many times as
 * long, and for this long at least; but not for longer than so that timeouts are in time, unless it takes half of a
 * CPU. */
#define WALK_PAUSE_FACTOR 3
#define WALK_PAUSE_MIN_NS 1000000ull
#define WALK_PAUSE_LONG_NS 8000000ull
/* No pause if it found something to do: at least one key fired in each such time of CPU. */
#define WALK_FIRED_NS 2000ull
/* At most: then the timeout is looked at again, which may have changed. */
#define WALK_PAUSE_MAX_NS 250000000ull
/* How long walker_stop() waits for walks that are under way. */
#define WALK_STOP_NS 2000000000ull
/* How long a walk waits for the session to look, see walker_looked(). */
#define WALK_LOOK_NS 5000000000ull

struct walker;

/* For the walks of an image, none of them attached yet. period_ns: of entries that have none of their own
 * (iterrate); cpu: on which ENTRY_WALK_DONE programs run, -1: any; asks: walker_looked() will be called. *ret is NULL
 * when the image has no walks. -ENOMEM. */
int walker_new(const struct loaded *l, uint64_t period_ns, int cpu, bool asks, struct walker **ret);
/* From walker_start() on the walks of program prog are made; l stays the caller's. 0 or -errno. */
int walker_add(struct walker *w, uint32_t prog, const struct link *l);
/* The first walks begin at once. Once, after all walker_add(), before the caller gives up its privileges, which drop:
 * so do the threads that walk, once they have their priority. 0 or -errno. */
int walker_start(struct walker *w, bool drop);
/* No further walk by this program; one that is under way is not waited for. */
void walker_drop(struct walker *w, uint32_t prog);
/* Ends all. False: a walk does not end (its thread waits in the kernel), and is left alone; it touches
 * nothing of the session any more. Accepts NULL. */
bool walker_stop(struct walker *w);
/* The session has looked at what programs ask for (unwinding tables). A periodic walk does not begin before that has
 * been done once wholly since the last one, or for WALK_LOOK_NS. So the processes met in one walk are known in the
 * next. */
void walker_looked(struct walker *w);
/* The first failure of a walk since the last call: 0 or -errno. */
int walker_error(struct walker *w);
/* Stops and frees; accepts NULL. */
void walker_free(struct walker *w);
#endif
