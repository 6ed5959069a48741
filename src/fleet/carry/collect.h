/* SPDX-License-Identifier: Apache-2.0 */
/* A collector: takes batches from NATS and puts their rows into ClickHouse. It keeps nothing: killed at any moment,
 * what it had not acknowledged goes to another one, and rows that are stored twice count once. As many may run as are
 * needed. */
#ifndef DWELL_FLEET_CARRY_COLLECT_H
#define DWELL_FLEET_CARRY_COLLECT_H
#include "engine/listener.h"
#include "fleet/wire/bus.h"
#include "fleet/wire/click.h"

#define COLLECT_MESSAGES_MAX 4000u /* in one block of rows */
#define COLLECT_BYTES_MAX (64u << 20)
#define COLLECT_BLOCK_MS 250  /* a block takes messages for so long; longer, and fuller, if more wait than it took */
#define COLLECT_RETRY_MS 1000 /* after an error of the store */

struct collect_options {
	struct bus_options bus;
	struct click_options store;
	const char *tenant; /* only its messages; NULL: all */
	uint64_t for_ns;    /* how long to run; 0: until stop() */
	bool (*stop)(void *ctx);
	void *ctx;
};
/* Its counters, for its last line. */
struct collect_sums {
	uint64_t messages, rows, blocks, refused;
};
/* Runs. 0, or -errno with *err: it could not begin. Later errors are told to the listener and tried again. */
int collect_run(const struct collect_options *o, const struct listener *to, struct collect_sums *ret, struct err *err);
#endif
