/* SPDX-License-Identifier: Apache-2.0 */
/* Have latencies changed? Two stretches of time are compared second by second: with a million events every
 * difference is "significant", so what counts is its size, and whether it is larger than what the seconds
 * of one stretch differ by among themselves. Blocks of neighbouring seconds are drawn again and again
 * (block bootstrap; always the same draws), so that what hangs together in time stays together.
 *
 * Called changed is what is larger than a smallest size of interest, surely (with the number of questions
 * asked taken into account), and known from enough events. Source: background in doc/compare.md. */
#ifndef DWELL_LATENCY_COMPARE_H
#define DWELL_LATENCY_COMPARE_H
#include "store/rechist.h"

enum { CMP_NQUANTILES = 4 };
extern const double cmp_quantiles[CMP_NQUANTILES]; /* 0.5, 0.9, 0.99, 0.999 */

#define CMP_REPLICATES 1000
#define CMP_UNITS_MAX 4096 /* seconds are put together when there are more */
#define CMP_BLOCKS 20	   /* that a stretch is cut into, unless its seconds hang together for longer */
#define CMP_BLOCKS_MIN 8   /* fewer: nothing is called changed */
#define CMP_SPREAD_MIN 6   /* the same for blocks that the events are spread over */
#define CMP_TAIL_MIN 20	   /* events above a quantile, in both, for it to be compared */
#define CMP_QUESTIONS 6	   /* asked of a pair: quantiles, distance, rate */

/* One stretch: a histogram for each of its seconds, empty ones too. */
struct cmp_side {
	const struct histsum *seconds;
	size_t n;
};

struct cmp_opts {
	double min_shift; /* smallest ratio of interest - 1: 0.05 is 5 % */
	double min_rate;  /* the same for rates of events */
	double alpha;	  /* probability to call something changed that is not, in all pairs together */
	size_t npairs;	  /* how many are compared together */
};
#define CMP_DEFAULT ((struct cmp_opts){ .min_shift = 0.05, .min_rate = 0.10, .alpha = 0.02, .npairs = 1 })

struct cmp_stat {
	double value, low, high; /* with its 95 % interval */
	bool known;		 /* from enough events and blocks */
	bool changed;
};

struct cmp_result {
	uint64_t na, nb;
	double qa[CMP_NQUANTILES], qb[CMP_NQUANTILES]; /* NAN: none */
	struct cmp_stat q[CMP_NQUANTILES]; /* log2(b / a), octaves */
	struct cmp_stat auc;  /* P(a value of b is larger than one of a), ties count half; never `changed` by itself */
	struct cmp_stat rate; /* log2 of events per second, b / a */
	double w1;	      /* Wasserstein-1 distance of log2(latency), octaves */
	double w1_noise;      /* what it is at most by chance (at alpha) */
	bool w1_changed;
	bool changed; /* a quantile or the distance; not the rate */
};

/* Compares b with a; d describes the buckets of both. 0, or -ENOMEM. */
int cmp_run(const struct rec_histdesc *d, const struct cmp_side *a, const struct cmp_side *b,
	    const struct cmp_opts *o, struct cmp_result *ret);

/* For tests: quantile of the normal distribution, and of Student's t with df degrees of freedom. */
double cmp_normal_quantile(double p);
double cmp_t_quantile(double p, double df);
#endif
