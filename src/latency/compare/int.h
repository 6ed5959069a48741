/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the inside of the comparison: stretches as dense arrays over the buckets in use, and the uncertainty of
 * their figures. */
#ifndef DWELL_LATENCY_COMPARE_INT_H
#define DWELL_LATENCY_COMPARE_INT_H
#include "latency/compare/compare.h"

/* Axis: log2 of latency. */
struct axis {
	size_t k;	 /* buckets in use */
	uint32_t *index; /* ascending */
	double *lo, *hi; /* values of a bucket: lo <= v < hi */
	double *mid;	 /* log2 of its middle */
};

/* A stretch as sums: cum[i * k + j] is what the first i units had in bucket j. */
struct stretch {
	size_t n, k;
	uint64_t *cum;
	size_t block;  /* units drawn together */
	double spread; /* over how many units the events are spread: those of a burst are few, however long the stretch
			*/
	double seconds;
};

int axis_make(struct axis *x, const struct rec_histdesc *d, const struct cmp_side *a, const struct cmp_side *b);
void axis_free(struct axis *x);
int stretch_make(struct stretch *s, const struct axis *x, const struct cmp_side *side);
void stretch_free(struct stretch *s);
/* Counts of all units. */
void stretch_total(const struct stretch *s, double *ret);
/* Counts of as many units, drawn in blocks that may wrap round. */
void stretch_draw(const struct stretch *s, uint64_t *random, double *ret);
/* The sum over a unit's events of weight[bucket], for each unit; less their mean. */
void stretch_influence(const struct stretch *s, const double *weight, double *ret);

struct measures {
	double q[CMP_NQUANTILES]; /* values; NAN: none */
	double n;
};
struct measures measure(const struct axis *x, const double *count);
/* The share of each bucket's events that are at or below value v. */
void axis_below(const struct axis *x, double v, double *ret);
/* How far a quantile at v may be off because a bucket's values are not known, octaves. */
double axis_resolution(const struct axis *x, const double *count, double n, double v);
double auc_of(const struct axis *x, const double *a, const double *b);
/* Weights of each bucket for the AUC: the share of other's events below it, ties half. */
void auc_weights(const struct axis *x, const double *other, double *ret);
/* The distance of b from a, less that of the origins b0 and a0 (NULL: none). */
double w1_of(const struct axis *x, const double *a, const double *b, const double *a0, const double *b0);

/* -- how sure (level.c) -- */

#define LEVEL_ORDINATES 128 /* lowest frequencies that are looked at */
#define LEVEL_TAUS 16	    /* correlation times: 1, 2, 4 … units; and what is counted late */
#define LEVEL_RATIOS 14	    /* strengths of what hangs together: none, 1/64 … 64 times the noise */
#define LEVEL_CELLS (LEVEL_TAUS * LEVEL_RATIOS)

/* One side of a figure that is a mean over units, or nearly so. */
struct level {
	size_t n, q;		    /* units, ordinates */
	double x2[LEVEL_ORDINATES]; /* squares of its cosine transform */
	double df;		    /* degrees of freedom that its events are good for */
	double scale;		    /* from these units' to the figure's variance */
	double floor;		    /* the figure's variance is at least this */
};
/* u: deviations of n units from their mean. */
void level_make(struct level *l, const double *u, size_t n, double df);

/* Distribution of the difference of two sides' figures by chance: a mixture of Student's t distributions. */
struct chance {
	size_t n;
	double weight[LEVEL_CELLS], sd[LEVEL_CELLS], df[LEVEL_CELLS];
};
void chance_make(struct chance *c, const struct level *a, const struct level *b);
/* The probability of a difference as large as d, or larger, either way. */
double chance_p(const struct chance *c, double d);
/* The difference whose probability is p. */
double chance_limit(const struct chance *c, double p);
#endif
