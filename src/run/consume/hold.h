/* SPDX-License-Identifier: Apache-2.0 */
/* -x bufpolicy=ring and fill: rows are kept until tracing ends, as many as the buffer of a CPU would hold. ring
 * keeps the last ones; fill keeps the first ones, and says when that is all. */
#ifndef DWELL_RUN_CONSUME_HOLD_H
#define DWELL_RUN_CONSUME_HOLD_H
#include <stdbool.h>
#include "store/recording.h"

struct hold;

/* bytes: room of each CPU. -ENOMEM. */
int hold_new(unsigned ncpus, uint64_t bytes, bool ring, struct hold **ret);
void hold_free(struct hold *h);
/* Copies the row; 0 or -ENOMEM. */
int hold_add(struct hold *h, const struct row *row);
/* fill: a row found no room. */
bool hold_full(const struct hold *h);
/* Takes one row; < 0 ends the flush. */
typedef int hold_take_fn(void *ctx, const struct row *row);
/* Gives what was kept, in the order in which it came, and what was not as ROW_DROPS. Empty afterwards. */
int hold_flush(struct hold *h, hold_take_fn *take, void *ctx);
#endif
