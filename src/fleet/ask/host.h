/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about single hosts among many: percentiles of each by time, slots of time, slow events, stacks. */
#ifndef DWELL_FLEET_ASK_HOST_H
#define DWELL_FLEET_ASK_HOST_H
#include "fleet/ask/ask.h"

#define ASK_COLUMNS_MAX 2000u /* slots of a grid */

/* A cell of hosts × time: the bucket in which the percentile lies. Hosts come one after the other, times ascend. */
struct ask_cell {
	const char *host;
	uint64_t column, bucket, count;
};
typedef int ask_cell_fn(void *ctx, const struct ask_cell *cell);
/* step: s of a column, a multiple of the slot's; quantile in 0 … 1. After the cells of all hosts, `heat` (or NULL) gets
 * all hosts together out of the same rows: counts by column and bucket, ascending; cell.host is "". 0 or -errno. */
int ask_grid(struct click *c, const struct ask_what *w, uint64_t step, double quantile, ask_cell_fn *fn,
	     ask_cell_fn *heat, void *ctx, struct err *err);

/* A histogram of one slot (ask_slot()) of all hosts together, by time: s since 1970. */
typedef int ask_slot_fn(void *ctx, uint64_t time, const struct histsum *h);
int ask_slots(struct click *c, const struct ask_what *w, ask_slot_fn *fn, void *ctx, struct err *err);

/* The same of each series by itself, as columns of `step` s (a multiple of the slot's) from the range's beginning
 * on. */
typedef int ask_series_fn(void *ctx, const char *series, uint64_t column, const struct histsum *h);
int ask_series(struct click *c, const struct ask_what *w, uint64_t step, ask_series_fn *fn, void *ctx, struct err *err);

/* The same of the hosts that are not selected (without selectors: of all), and of those that are. It needs the roll-up
 * of all hosts, of which it takes the selected ones away. fn gets the rest's columns first, `selected` the others. 0 or
 * -errno; -ESTALE without a message: the roll-up is not exactly what the hosts' rows are, or w is none that can be
 * answered so. Nothing was given then. */
int ask_rest(struct click *c, const struct ask_what *w, uint64_t step, ask_series_fn *fn, ask_series_fn *selected,
	     void *ctx, struct err *err);

struct ask_event {
	const char *tracker, *host, *comm, *key, *cause, *class, *stack, *attrs;
	uint64_t ended, delay; /* ns */
	uint64_t pid, tid;
};
typedef int ask_event_fn(void *ctx, const struct ask_event *e);
/* The longest slow events. */
int ask_events(struct click *c, const struct ask_what *w, unsigned limit, ask_event_fn *fn, void *ctx, struct err *err);

struct ask_blame {
	char key[64], cause[128];
};
/* Finds the key and the cause that most of the time of slow events is due to. ret is empty if there are none. */
int ask_blamed(struct click *c, const struct ask_what *w, struct ask_blame *ret, struct err *err);
#endif
