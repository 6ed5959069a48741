/* SPDX-License-Identifier: Apache-2.0 */
/* Records of all rings in the order of their time stamps.
 *
 * A record with time stamp t enters its ring a little after t: at the end of its clause. So a drain that
 * begins at time T may show everything up to the horizon T - ORDER_SLACK_NS, and keeps the rest for the
 * next one. Within a ring, records of nested contexts (interrupts) may be slightly out of order. When a
 * ring is blocked by a record that is being written, the horizon stays where it was. A record that is late in spite of
 * that is shown late, and counted. */
#ifndef DWELL_RUN_CONSUME_ORDER_H
#define DWELL_RUN_CONSUME_ORDER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/recfmt.h"
#include "run/consume/ring.h"

/* Longest time from the start of a clause to its record's commit that keeps order exact. */
#define ORDER_SLACK_NS 5000000ull
/* A ring that is blocked longer than this no longer holds the others up. */
#define ORDER_BLOCKED_NS 1000000000ull
/* Records between two releases of ring memory. */
#define ORDER_BATCH 4096

struct order;

/* Reads these rings, index = CPU; they stay the caller's. */
int order_new(struct ring *rings, unsigned n, struct order **ret);
void order_free(struct order *o);

struct order_sink {
	/* Sees each record as it is in the ring, before it is sorted and once (stacks' processes). Or NULL. */
	void (*early)(void *ctx, const void *data, uint32_t len);
	/* Takes one record, in order; len is at least sizeof(struct rec_hdr). <0 stops the drain. */
	int (*record)(void *ctx, unsigned cpu, const void *data, uint32_t len);
	/* At most ORDER_BATCH records were given since: their ring memory has been released. */
	int (*batch)(void *ctx);
	void *ctx;
};

/* Gives all records with ts < horizon to the sink. now: the time, for blocked rings. 0, -ENOMEM, -EBADMSG
 * (a ring is broken) or what the sink returned. */
int order_drain(struct order *o, uint64_t now, uint64_t horizon, const struct order_sink *sink);
/* Records shown after a younger one, records too short to be one. */
uint64_t order_nmisordered(const struct order *o);
uint64_t order_damaged(const struct order *o);
/* True when the last drain left records for the next one. */
bool order_pending(const struct order *o);
#endif
