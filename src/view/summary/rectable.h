/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of a recording: a line for each row, as text or as JSON Lines. */
#ifndef DWELL_VIEW_SUMMARY_RECTABLE_H
#define DWELL_VIEW_SUMMARY_RECTABLE_H
#include <stdbool.h>
#include <stdio.h>
#include "store/file/recquery.h"
#include "view/text/text.h"

/* Selects rows: a stretch of time, and for slow events their delays, their tracker, and how many. */
struct rectable_filter {
	struct rec_range range;
	uint64_t over, under; /* over <= delay < under; under 0: no limit */
	const char *tracker;  /* NULL: any */
	uint64_t longest;     /* at most this many, the longest first; 0: all, by time */
};
struct rectable_opts {
	struct rectable_filter which;
	bool json;
	text_why_fn *why; /* causes of stacks; NULL: unknown ones */
	void *why_arg;
};
/* Prints the table of that name: slow, control, hist, span, process, cost, loss. 0; < 0 with *err, of the recording or
 * because there is no such table; < 0 without a message: out could not be written. */
int rectable_put(struct recread *r, const char *name, const struct rectable_opts *o, FILE *out, struct err *err);
#endif
