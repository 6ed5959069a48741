/* SPDX-License-Identifier: Apache-2.0 */
/* Have latencies changed? Two stretches of time are compared second by second. With a million events every difference
 * is "significant". So its size counts, and whether it is larger than the differences among the seconds of one stretch,
 * also slow ones. Blocks of neighbouring seconds are drawn again and again (block bootstrap; always the same draws) to
 * find how a quantile moves with its events. level.c tells how the seconds hang together.
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
#define CMP_BLOCKS 20	   /* that a stretch is cut into */
#define CMP_SECONDS_MIN 8  /* fewer: nothing is called changed */
#define CMP_SPREAD_MIN 6   /* the same for seconds that the events are spread over */
#define CMP_TAIL_MIN 20	   /* events above a quantile, in both, for it to be compared */
#define CMP_RATE_SHARE 0.2 /* of alpha, for the rates of events; the rest is for latencies */
#define CMP_POWER 0.8	   /* probability to find a change of the size that the output names */

/* One stretch: a histogram for each of its seconds, empty ones too. */
struct cmp_side {
	const struct histsum *seconds;
	size_t n;
};

struct cmp_opts {
	double min_shift; /* smallest ratio of interest - 1: 0.03 is 3 % */
	double min_rate;  /* the same for rates of events */
	double alpha;	  /* probability to call something changed that is not, in all pairs together */
	size_t npairs;	  /* how many are compared together */
};
/* Buckets are 3 % wide: smaller shifts are not those of a recording. */
#define CMP_DEFAULT ((struct cmp_opts){ .min_shift = 0.03, .min_rate = 0.10, .alpha = 0.05, .npairs = 1 })

/* Why a pair is not judged. */
enum cmp_unjudged {
	CMP_JUDGED,
	CMP_FEW_SECONDS, /* a side has fewer than CMP_SECONDS_MIN */
	CMP_FEW_EVENTS,	 /* a side has too few for the median */
	CMP_BURST,	 /* the events of a side are of fewer than CMP_SPREAD_MIN seconds, by weight */
	CMP_NWHY
};

struct cmp_stat {
	double value, low, high; /* with its 95 % interval */
	double p;		 /* probability of such a difference by chance, for this figure alone */
	bool known;		 /* from enough events and seconds */
	bool changed;
};

struct cmp_result {
	uint64_t na, nb;
	enum cmp_unjudged unjudged;		       /* of latencies; the rate may still be known */
	double qa[CMP_NQUANTILES], qb[CMP_NQUANTILES]; /* NAN: none */
	struct cmp_stat q[CMP_NQUANTILES];	       /* log2(b / a), octaves */
	struct cmp_stat auc;			       /* P(a value of b is larger than one of a), ties count half */
	struct cmp_stat rate; /* log2 of events per second, b / a; infinite when a side has none */
	double w1;	      /* Wasserstein-1 distance of log2(latency), octaves */
	double w1_noise;      /* what it hardly exceeds by chance (95 %) */
	double p;	      /* of the latencies together */
	double visible;	      /* octaves: a shift of all latencies by this is found with CMP_POWER; NAN: not judged */
	bool changed;	      /* latencies; not the rate */
};

/* Compares b with a; d describes the buckets of both. Nothing is marked as changed yet. 0, or -ENOMEM. */
int cmp_run(const struct rec_histdesc *d, const struct cmp_side *a, const struct cmp_side *b, const struct cmp_opts *o,
	    struct cmp_result *ret);
/* Calls changed what is, in n results that were compared together: one of them wrongly with probability o->alpha at
 * most. 0, or -ENOMEM. */
int cmp_decide(struct cmp_result *const *v, size_t n, const struct cmp_opts *o);
#endif
