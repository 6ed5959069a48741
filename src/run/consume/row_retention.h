/* SPDX-License-Identifier: Apache-2.0 */
/* Implements -x bufpolicy=ring and -x bufpolicy=fill. It keeps rows until tracing ends, as many as the buffer of a
 * CPU would hold. ring keeps the last ones. fill keeps the first ones, and reports when the buffer is full. */
#ifndef DWELL_RUN_CONSUME_ROW_RETENTION_H
#define DWELL_RUN_CONSUME_ROW_RETENTION_H
#include <stdbool.h>
#include "store/recording.h"

struct retention;

/* bytes: room of each CPU. -ENOMEM. */
int retention_new(unsigned ncpus, uint64_t bytes, bool ring, struct retention **ret);
void retention_free(struct retention *h);
/* Copies the row; 0 or -ENOMEM. */
int retention_add(struct retention *h, const struct row *row);
/* fill: a row found no room. */
bool retention_full(const struct retention *h);
/* Takes one row; < 0 ends the flush. */
typedef int retention_take_fn(void *ctx, const struct row *row);
/* Gives what was kept, in the order in which it came, and what was not as ROW_DROPS. Empty afterwards. */
int retention_flush(struct retention *h, retention_take_fn *take, void *ctx);
#endif
