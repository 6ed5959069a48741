/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DWELL_CMD_REPORT_H
#define DWELL_CMD_REPORT_H
#include <stdbool.h>
#include "store/recquery.h"

/* Of which rows: a stretch of time, and of slow events how long they took, of which tracker, and how many. */
struct report_filter {
	struct rec_range range;
	uint64_t over, under; /* over <= delay < under; under 0: no limit */
	const char *tracker;  /* NULL: any */
	uint64_t longest;     /* only so many, the longest; 0: all, by time */
};
/* Prints one table of a recording (slow, hist, span …) to standard output. The exit status. */
int report_table(struct recread *r, const char *name, bool json, const struct report_filter *which);
/* What is in it, as one JSON object: where it was made, when, programs, and what views can be made of. The exit status.
 */
int report_contents(struct recread *r);
#endif
