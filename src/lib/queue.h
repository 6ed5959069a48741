/* SPDX-License-Identifier: Apache-2.0 */
/* Queues rows between the session's thread and the caller's. Has no lock: its owner locks. */
#ifndef DWELL_LIB_QUEUE_H
#define DWELL_LIB_QUEUE_H
#include <stdint.h>
#include <dwell.h>
#include "store/recording.h"

#define QUEUE_BYTES_MAX ((size_t)16 << 20)

struct queue_item {
	struct queue_item *next;
	struct dwell_row row; /* values are made when it is read */
	size_t bytes;
	char json[];
};

struct queue {
	struct queue_item *first, **last;
	size_t bytes;
	uint64_t lost; /* since the last row that says so */
};

void queue_init(struct queue *q);
void queue_free(struct queue *q);
/* A line of the view, without its end, made of this row (probe: its own, or NULL). Without room or memory it counts as
 * lost. */
void queue_put(struct queue *q, const struct row *row, const struct rec_probe *probe, const char *line, size_t n);
/* The first, or NULL: now the caller's, which frees it with queue_item_free(). */
struct queue_item *queue_take(struct queue *q);
/* Fills row.values. 0 or -ENOMEM. */
int queue_item_parse(struct queue_item *i);
void queue_item_free(struct queue_item *i); /* accepts NULL */
#endif
