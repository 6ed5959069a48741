/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts that are slower than their peers. Each host's percentiles are compared with the median host's. Hosts that
 * differ are then compared second by second with all other hosts together (latency/compare/compare.h). How often a
 * quiet fleet has a false one is measured (test/perf/fleetwatch.py). */
#ifndef DWELL_FLEET_ASK_OUTLIER_H
#define DWELL_FLEET_ASK_OUTLIER_H
#include "fleet/ask/history.h"
#include "fleet/ask/host.h"

#define OUTLIER_PEERS_MIN 3u   /* fewer other hosts: nobody is judged */
#define OUTLIER_RATIO 2.0      /* times the median host: less is not told */
#define OUTLIER_SPREAD 6.0     /* median deviations of the hosts' percentiles: less is how they differ anyway */
#define OUTLIER_CANDIDATES 16u /* that are compared, the farthest first */
#define OUTLIER_TAIL_MIN 20u   /* events above a percentile */
#define OUTLIER_ALPHA 0.01     /* false positives of one comparison */

struct outlier {
	const char *host, *series;
	double quantile;     /* of which the values are */
	double value, peers; /* ns; peers: the median of the other hosts */
	double ratio;
	uint64_t since;			 /* s since 1970; 0: all the time of the range */
	struct ask_blame blame;		 /* what its slow events waited for since then */
	char changed[HISTORY_WORDS_MAX]; /* of the host itself about then */
	char sentence[512 + HISTORY_WORDS_MAX];
};
typedef int outlier_fn(void *ctx, const struct outlier *o);
/* Gives those of the range, the farthest first. 0 or -errno. */
int outlier_find(struct click *c, const struct ask_what *w, outlier_fn *fn, void *ctx, struct err *err);

/* For tests: where a step up begins in n values (log2 of a ratio; NAN: none) that are not high all the time: its
 * index; 0: they are high from the first on. */
size_t outlier_onset(const double *v, size_t n);
#endif
