/* SPDX-License-Identifier: Apache-2.0 */
#include "latency/compare.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "base/cleanup.h"
#include "latency/compare_int.h"

const double cmp_quantiles[CMP_NQUANTILES] = { 0.5, 0.9, 0.99, 0.999 };

#define SEED UINT64_C(0x64776c)
#define SHOWN 0.95 /* of the intervals that are shown */

/* -- distributions -- */

/* Inverted by Newton's method: good to the last digits where erfc() is. */
double cmp_normal_quantile(double p)
{
	double z = 0;

	for (int i = 0; i < 60; i++) {
		double f = erfc(-z / M_SQRT2) / 2 - p, density = exp(-z * z / 2) / sqrt(2 * M_PI), step = f / density;

		step = step > 1 ? 1 : step < -1 ? -1 : step;
		z -= step;
		if (fabs(step) < 1e-12)
			break;
	}
	return z;
}

/* Source: Cornish and Fisher's expansion, Abramowitz and Stegun 26.7.5; to a percent from 5 degrees on. */
double cmp_t_quantile(double p, double df)
{
	double z = cmp_normal_quantile(p), z2 = z * z;

	return z + z * (z2 + 1) / (4 * df) + z * ((5 * z2 + 16) * z2 + 3) / (96 * df * df) +
	       z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / (384 * df * df * df);
}

/* Mean and variance as they come. Source: Welford, 1962. */
struct spread {
	double n, mean, m2;
};

static void spread_add(struct spread *s, double v)
{
	double d = v - s->mean;

	if (!isfinite(v))
		return;
	s->n++;
	s->mean += d / s->n;
	s->m2 += d * (v - s->mean);
}

static double spread_sd(const struct spread *s)
{
	return s->n > 1 ? sqrt(s->m2 / (s->n - 1)) : (double)NAN;
}

/* -- comparison -- */

struct pair {
	struct axis x;
	struct stretch a, b;
	double *a0, *b0; /* counts of all */
	double *a1, *b1; /* of a drawing */
	struct spread q[CMP_NQUANTILES], auc, rate, w1;
	double drift;
};

static double log_ratio(double b, double a)
{
	return b > 0 && a > 0 ? log2(b / a) : (double)NAN;
}

static void draw_all(struct pair *p)
{
	uint64_t random = SEED;

	for (int r = 0; r < CMP_REPLICATES; r++) {
		struct measures ma, mb;

		stretch_draw(&p->a, &random, p->a1);
		stretch_draw(&p->b, &random, p->b1);
		ma = measure(&p->x, p->a1);
		mb = measure(&p->x, p->b1);
		for (int i = 0; i < CMP_NQUANTILES; i++)
			spread_add(&p->q[i], log_ratio(mb.q[i], ma.q[i]));
		spread_add(&p->auc, auc_of(&p->x, p->a1, p->b1));
		spread_add(&p->rate, log_ratio(mb.n / p->b.seconds, ma.n / p->a.seconds));
		/* what the distance would be if there were none: of the drawings' deviations alone */
		spread_add(&p->w1, w1_of(&p->x, p->a1, p->b1, p->a0, p->b0));
	}
}

/* Intervals from a spread: of few blocks they are wider, as Student's. */
struct judge {
	double shown, sure; /* in standard deviations */
	bool enough;
};

static struct judge judge_of(const struct pair *p, const struct cmp_opts *o)
{
	double blocks = p->a.blocks < p->b.blocks ? p->a.blocks : p->b.blocks, small;
	struct judge j = { .enough = p->a.n / p->a.block >= CMP_BLOCKS_MIN && p->b.n / p->b.block >= CMP_BLOCKS_MIN &&
				     blocks >= CMP_SPREAD_MIN };

	if (!j.enough)
		return (struct judge){ NAN, NAN, false };
	small = p->drift * sqrt(blocks / (blocks - 1)); /* drawing from the sample itself makes it too small by so much */
	j.shown = small * cmp_t_quantile(1 - (1 - SHOWN) / 2, blocks - 1);
	j.sure = small * cmp_t_quantile(1 - o->alpha / 2 / CMP_QUESTIONS / (double)(o->npairs ? o->npairs : 1), blocks - 1);
	return j;
}

static struct cmp_stat stat_of(const struct judge *j, double value, const struct spread *s, bool known, double least)
{
	double sd = spread_sd(s);
	struct cmp_stat c = { value, value - j->shown * sd, value + j->shown * sd, known && j->enough && isfinite(value),
			      false };

	c.known = c.known && isfinite(sd);
	c.changed = c.known && fabs(value) >= least && fabs(value) > j->sure * sd;
	return c;
}

static void conclude(const struct pair *p, const struct cmp_opts *o, struct cmp_result *r)
{
	struct measures ma = measure(&p->x, p->a0), mb = measure(&p->x, p->b0);
	double n = ma.n < mb.n ? ma.n : mb.n, least = log2(1 + o->min_shift);
	struct judge j = judge_of(p, o);

	*r = (struct cmp_result){ .na = (uint64_t)ma.n, .nb = (uint64_t)mb.n };
	for (int i = 0; i < CMP_NQUANTILES; i++) {
		bool known = n * (1 - cmp_quantiles[i]) >= CMP_TAIL_MIN;

		r->qa[i] = ma.q[i];
		r->qb[i] = mb.q[i];
		r->q[i] = stat_of(&j, log_ratio(mb.q[i], ma.q[i]), &p->q[i], known, least);
		r->changed |= r->q[i].changed;
	}
	r->auc = stat_of(&j, auc_of(&p->x, p->a0, p->b0), &p->auc, n >= CMP_TAIL_MIN, INFINITY);
	r->rate = stat_of(&j, log_ratio(mb.n / p->b.seconds, ma.n / p->a.seconds), &p->rate, ma.n + mb.n >= CMP_TAIL_MIN,
			  log2(1 + o->min_rate));
	r->w1 = w1_of(&p->x, p->a0, p->b0, NULL, NULL);
	r->w1_noise = p->drift * p->w1.mean + j.sure * spread_sd(&p->w1);
	r->w1_changed = j.enough && n >= CMP_TAIL_MIN && r->w1 >= least && r->w1 > r->w1_noise;
	r->changed |= r->w1_changed;
}

int cmp_run(const struct rec_histdesc *d, const struct cmp_side *a, const struct cmp_side *b,
	    const struct cmp_opts *o, struct cmp_result *ret)
{
	struct pair p = { .drift = 1 };
	int r = axis_make(&p.x, d, a, b);

	if (r == 0)
		r = stretch_make(&p.a, &p.x, a);
	if (r == 0)
		r = stretch_make(&p.b, &p.x, b);
	p.a0 = calloc(4 * (p.x.k + 1), sizeof(*p.a0));
	if (r == 0 && p.a0) {
		p.b0 = p.a0 + p.x.k + 1;
		p.a1 = p.b0 + p.x.k + 1;
		p.b1 = p.a1 + p.x.k + 1;
		stretch_total(&p.a, p.a0);
		stretch_total(&p.b, p.b0);
		p.drift = stretches_drift(&p.x, &p.a, &p.b);
		if (p.a.n && p.b.n)
			draw_all(&p);
		conclude(&p, o, ret);
	}
	r = r == 0 && !p.a0 ? -ENOMEM : r;
	free(p.a0);
	stretch_free(&p.a);
	stretch_free(&p.b);
	axis_free(&p.x);
	return r;
}
