/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the comparison: stretches as dense arrays over the buckets that are used at all. */
#ifndef DWELL_LATENCY_COMPARE_INT_H
#define DWELL_LATENCY_COMPARE_INT_H
#include "latency/compare.h"

#define CMP_SCALES 12	/* lengths of which the level's wandering is measured: 2^0 … units */
#define CMP_LONGEST 6	/* … of which so many are looked at */
#define CMP_DRIFT_SURE 2.0 /* standard errors that the wandering may be stronger than measured */
#define CMP_DRIFT_SLOPE (-0.2) /* by which the variance falls at least, from a length to twice it (in octaves): -1 without wandering */

/* Axis: log2 of latency. */
struct axis {
	size_t k;      /* buckets in use */
	uint32_t *index; /* ascending */
	double *lo, *hi; /* values of a bucket: lo <= v < hi */
	double *mid;	 /* log2 of its middle */
};

/* A stretch as sums: cum[i * k + j] is what the first i units had in bucket j. */
struct stretch {
	size_t n, k;
	uint64_t *cum;
	size_t block; /* units drawn together */
	double blocks; /* how many the events are spread over: those of a burst are few, however long the stretch */
	double seconds;
};

int axis_make(struct axis *x, const struct rec_histdesc *d, const struct cmp_side *a, const struct cmp_side *b);
void axis_free(struct axis *x);
int stretch_make(struct stretch *s, const struct axis *x, const struct cmp_side *side);
void stretch_free(struct stretch *s);
/* How many times as far apart two stretches may be as their blocks tell, since their level wanders more slowly than a
 * stretch is long: 1 or more. */
double stretches_drift(const struct axis *x, const struct stretch *a, const struct stretch *b);
/* Counts of all units. */
void stretch_total(const struct stretch *s, double *ret);
/* Counts of as many units, drawn in blocks that may wrap round. */
void stretch_draw(const struct stretch *s, uint64_t *random, double *ret);

struct measures {
	double q[CMP_NQUANTILES]; /* values; NAN: none */
	double n;
};
struct measures measure(const struct axis *x, const double *count);
double auc_of(const struct axis *x, const double *a, const double *b);
/* The distance of b from a, less that of the origins b0 and a0 (NULL: none). */
double w1_of(const struct axis *x, const double *a, const double *b, const double *a0, const double *b0);
#endif
