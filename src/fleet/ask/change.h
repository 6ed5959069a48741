/* SPDX-License-Identifier: Apache-2.0 */
/* When hosts became slower than they were. Looks at the percentiles of each host and series, column by column, for one
 * step up. The values before and after it are then compared slot by slot (latency/compare/compare.h). How often a quiet
 * fleet has a false one is measured (test/perf/fleetwatch.py). */
#ifndef DWELL_FLEET_ASK_CHANGE_H
#define DWELL_FLEET_ASK_CHANGE_H
#include "fleet/ask/history.h"
#include "fleet/ask/host.h"

#define CHANGE_COLUMNS 60u    /* that a range is cut into */
#define CHANGE_EVENTS_MIN 4u  /* of a column: fewer are none */
#define CHANGE_RATIO 2.0      /* times what it was: less is not told */
#define CHANGE_SIDE 5u	      /* a fifth of the range at least is before a step, and after it */
#define CHANGE_CANDIDATES 32u /* that are compared, the largest steps first */
#define CHANGE_ALPHA 0.01     /* false positives of one comparison */

struct change {
	const char *host, *series;
	uint64_t at; /* s since 1970, the beginning of a column; the change is within two columns of it */
	double quantile, before, after;	 /* ns */
	struct ask_blame blame;		 /* what its slow events waited for since then */
	unsigned together;		 /* changes of other hosts and series within two columns */
	char others[160];		 /* the first of them: "web-3 block, db-1 lock" */
	char changed[HISTORY_WORDS_MAX]; /* of the host itself about then */
	char sentence[512 + HISTORY_WORDS_MAX];
};
typedef int change_fn(void *ctx, const struct change *ch);
/* Gives those of the range, in order of time. 0 or -errno. */
int change_find(struct click *c, const struct ask_what *w, change_fn *fn, void *ctx, struct err *err);
#endif
