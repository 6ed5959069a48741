/* SPDX-License-Identifier: Apache-2.0 */
/* Data of `dwell top` as shown: the slow events, similar ones as one, and the cells of a heat map. Draws nothing. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "top/data.h"

/* The slow events that are shown, newest first. idle: idle waits, too. ret has room for TOP_SLOW. Returns how many. */
size_t top_slow_shown(const struct top_data *d, bool idle, const struct top_slow **ret);

struct top_alike {
	const struct top_slow *longest;
	unsigned n; /* events in the group */
};

/* Groups n slow events, newest first: of one tracker and comm, and at most ten seconds older than the newest of their
 * group. Each is in one group. ret has room for n. Returns how many groups. */
size_t top_slow_groups(const struct top_slow *const *v, size_t n, struct top_alike *ret);

struct top_heat {
	unsigned from, to; /* the lowest and the highest band with delays */
	unsigned step;	   /* bands in a row of cells */
	uint64_t most;	   /* delays in the fullest cell */
};

/* Fits the delays of the `cols` seconds up to `last` into `rows` rows of cells. false: there are no delays. */
bool top_heat_fit(const struct top_tracker *t, uint64_t last, int cols, int rows, struct top_heat *ret);
/* The delays of the cell that begins at a band, in a second. */
uint64_t top_heat_cell(const struct top_tracker *t, uint64_t second, unsigned band, unsigned step);
