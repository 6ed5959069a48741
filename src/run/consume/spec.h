/* SPDX-License-Identifier: Apache-2.0 */
/* Implements speculations in user space: holds back their records until commit() or discard(), and returns the ids
 * of ended speculations to the kernel. */
#ifndef DWELL_RUN_CONSUME_SPEC_H
#define DWELL_RUN_CONSUME_SPEC_H
#include "load/load.h"
#include "store/recording.h"

struct specs;

/* NULL in *ret: the program has no speculations. All ids become free. -ENOMEM or the kernel's error. */
int specs_new(const struct loaded *l, struct specs **ret);
void specs_free(struct specs *s); /* what was neither committed nor discarded is gone */

/* A record of the speculation `name` (REC_SPEC_SIZE bytes, see ACT_SPECULATE). It is copied, or appended
 * to rec at once when the speculation was committed just before. */
int specs_hold(struct specs *s, uint64_t name, const struct row *row, struct recording *rec);
/* Takes one held record. <0 ends the commit. */
typedef int specs_take_fn(void *ctx, const struct row *row);
/* commit(): gives all held records in order to take. A second one of the same speculation does nothing. */
int specs_commit(struct specs *s, uint64_t name, specs_take_fn *take, void *ctx);
void specs_discard(struct specs *s, uint64_t name);
/* After a drain: gives back the ids of ended speculations. */
void specs_clean(struct specs *s);
#endif
