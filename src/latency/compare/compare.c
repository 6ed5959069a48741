/* SPDX-License-Identifier: Apache-2.0 */
/* Compares two stretches of time by block bootstrap, and decides whether a latency has changed. */
#include "latency/compare/compare.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "latency/compare/int.h"

const double cmp_quantiles[CMP_NQUANTILES] = { 0.5, 0.9, 0.99, 0.999 };

#define SEED UINT64_C(0x64776c)
#define SHOWN 0.95		     /* of the intervals that are shown */
#define FIGURES (CMP_NQUANTILES + 1) /* of the latencies: with the AUC */

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

static double spread_variance(const struct spread *s)
{
	return s->n > 1 ? s->m2 / (s->n - 1) : 0;
}

/* -- comparison -- */

struct part {
	struct stretch s;
	double *all, *drawn; /* counts by bucket */
	double *weight;	     /* of buckets */
	double *u;	     /* of units */
	struct measures m;
	struct spread q[CMP_NQUANTILES]; /* log2 of the quantiles of drawings */
};

struct pair {
	struct axis x;
	struct part a, b;
	struct spread w1;
};

static double log_ratio(double b, double a)
{
	return b > 0 && a > 0 ? log2(b / a) : (double)NAN;
}

static void draw(const struct axis *x, struct part *p, uint64_t *random)
{
	struct measures m;

	stretch_draw(&p->s, random, p->drawn);
	m = measure(x, p->drawn);
	for (int i = 0; i < CMP_NQUANTILES; i++)
		spread_add(&p->q[i], log_ratio(m.q[i], 1));
}

static void draw_all(struct pair *p)
{
	uint64_t random = SEED;

	for (int r = 0; r < CMP_REPLICATES; r++) {
		draw(&p->x, &p->a, &random);
		draw(&p->x, &p->b, &random);
		/* what the distance would be if there were none: of the drawings' deviations alone */
		spread_add(&p->w1, w1_of(&p->x, p->a.drawn, p->b.drawn, p->a.all, p->b.all));
	}
}

/* -- chance -- */

/* Variance of the mean of u over drawings as stretch_draw() makes them. Source: Künsch, The jackknife and the bootstrap
 * for general stationary observations, 1989; circular: Politis and Romano, 1992. */
static double drawn_variance(const struct stretch *s, const double *u)
{
	double sum = 0, squares = 0;

	for (size_t i = 0; i < s->block; i++)
		sum += u[i % s->n];
	for (size_t i = 0; i < s->n; i++) {
		squares += sum * sum;
		sum += u[(i + s->block) % s->n] - u[i];
	}
	return squares / (double)s->n / (double)s->block / (double)s->n;
}

static void side_level(const struct part *p, struct level *l)
{
	stretch_influence(&p->s, p->weight, p->u);
	level_make(l, p->u, p->s.n, p->s.spread - 1);
}

/* A quantile moves with the events below it, by as much as the drawings say. */
static void quantile_level(const struct axis *x, const struct part *p, int i, struct level *l)
{
	double near;

	axis_below(x, p->m.q[i], p->weight);
	for (size_t j = 0; j < x->k; j++)
		p->weight[j] -= cmp_quantiles[i];
	side_level(p, l);
	near = drawn_variance(&p->s, p->u);
	l->scale = near > 0 ? spread_variance(&p->q[i]) / near : 0;
}

static void auc_level(const struct axis *x, const struct part *p, const struct part *other, struct level *l)
{
	double per = p->m.n / (double)p->s.n, mean = 0;

	auc_weights(x, other->all, p->weight);
	for (size_t j = 0; j < x->k; j++)
		mean += p->weight[j] * p->all[j] / p->m.n;
	for (size_t j = 0; j < x->k; j++)
		p->weight[j] -= mean;
	side_level(p, l);
	l->scale = 1 / (per * per);
}

/* Counts vary at least as those of events that know nothing of each other (Poisson), also where there are none. */
static void rate_level(const struct axis *x, const struct part *p, struct level *l)
{
	double per = p->s.seconds / (double)p->s.n;

	for (size_t j = 0; j < x->k; j++)
		p->weight[j] = 1;
	side_level(p, l);
	if (l->df < 1)
		l->df = p->m.n > 0 || !l->q ? 1 : (double)l->q;
	l->scale = 1 / (per * per);
	l->floor = (p->m.n > 1 ? p->m.n : 1) / (p->s.seconds * p->s.seconds);
}

static struct cmp_stat stat_of(const struct chance *c, double value, double zero)
{
	double wide = chance_limit(c, 1 - SHOWN);

	return (struct cmp_stat){
		value, value - wide, value + wide, chance_p(c, value - zero), isfinite(value), false
	};
}

/* Relative to the mean of both rates, an interval around 0 to 2 is one of ratios from 1 to infinity. */
static double of_difference(double d, double mean)
{
	double x = d / mean / 2;

	return x <= -1 ? (double)-INFINITY : x >= 1 ? (double)INFINITY : log2((1 + x) / (1 - x));
}

static void conclude_rate(struct pair *p, struct cmp_result *r)
{
	double a = p->a.m.n / p->a.s.seconds, b = p->b.m.n / p->b.s.seconds, wide;
	struct level la, lb;
	struct chance c;

	r->rate = (struct cmp_stat){ NAN, NAN, NAN, 1, false, false };
	if (p->a.s.n < CMP_SECONDS_MIN || p->b.s.n < CMP_SECONDS_MIN || p->a.m.n + p->b.m.n < CMP_TAIL_MIN)
		return;
	rate_level(&p->x, &p->a, &la);
	rate_level(&p->x, &p->b, &lb);
	chance_make(&c, &la, &lb);
	wide = chance_limit(&c, 1 - SHOWN);
	r->rate.value = of_difference(b - a, (a + b) / 2);
	r->rate.low = of_difference(b - a - wide, (a + b) / 2);
	r->rate.high = of_difference(b - a + wide, (a + b) / 2);
	r->rate.p = chance_p(&c, b - a);
	r->rate.known = true;
}

static enum cmp_unjudged unjudged_for(const struct pair *p)
{
	double n = p->a.m.n < p->b.m.n ? p->a.m.n : p->b.m.n,
	       spread = p->a.s.spread < p->b.s.spread ? p->a.s.spread : p->b.s.spread;

	return p->a.s.n < CMP_SECONDS_MIN || p->b.s.n < CMP_SECONDS_MIN ? CMP_FEW_SECONDS
	       : n * (1 - cmp_quantiles[0]) < CMP_TAIL_MIN		? CMP_FEW_EVENTS
	       : spread < CMP_SPREAD_MIN				? CMP_BURST
									: CMP_JUDGED;
}

/* Source: Simes, An improved Bonferroni procedure, 1986: for figures that depend on each other as these do. */
static double together(const struct cmp_result *r)
{
	double p[FIGURES], least = 1;
	int n = 0;

	for (int i = 0; i < FIGURES; i++) {
		const struct cmp_stat *s = i < CMP_NQUANTILES ? &r->q[i] : &r->auc;
		int at = n;

		if (!s->known)
			continue;
		for (; at > 0 && p[at - 1] > s->p; at--)
			p[at] = p[at - 1];
		p[at] = s->p;
		n++;
	}
	for (int i = 0; i < n; i++)
		least = fmin(least, p[i] * n / (i + 1));
	return least;
}

static int known_figures(const struct cmp_result *r)
{
	int n = r->auc.known;

	for (int i = 0; i < CMP_NQUANTILES; i++)
		n += r->q[i].known;
	return n;
}

static void conclude_auc(struct pair *p, struct cmp_result *r)
{
	struct level la, lb;
	struct chance c;
	double near;

	auc_level(&p->x, &p->a, &p->b, &la);
	near = la.scale * drawn_variance(&p->a.s, p->a.u);
	auc_level(&p->x, &p->b, &p->a, &lb);
	near += lb.scale * drawn_variance(&p->b.s, p->b.u);
	chance_make(&c, &la, &lb);
	r->auc = stat_of(&c, r->auc.value, 0.5);
	/* drawings know nothing of what hangs together for longer than a block */
	near = near > 0 ? chance_limit(&c, 1 - erf(M_SQRT1_2)) / sqrt(near) : 1;
	r->w1_noise = fmax(near, 1) * (p->w1.mean + 1.645 * sqrt(spread_variance(&p->w1)));
}

/* The smallest shift of all latencies that the most certain quantile shows. */
static double visible(const struct chance *c, const struct cmp_result *r, const struct cmp_opts *o)
{
	double level = o->alpha * (1 - CMP_RATE_SHARE) / (double)(o->npairs ? o->npairs : 1) / known_figures(r),
	       best = INFINITY;

	for (int i = 0; i < CMP_NQUANTILES; i++)
		if (r->q[i].known)
			best = fmin(best, chance_limit(&c[i], level) + chance_limit(&c[i], 2 * (1 - CMP_POWER)));
	return fmax(best, log2(1 + o->min_shift));
}

static void conclude(struct pair *p, const struct cmp_opts *o, struct cmp_result *r)
{
	double n = p->a.m.n < p->b.m.n ? p->a.m.n : p->b.m.n;
	struct chance c[CMP_NQUANTILES];

	*r = (struct cmp_result){ .na = (uint64_t)p->a.m.n,
				  .nb = (uint64_t)p->b.m.n,
				  .unjudged = unjudged_for(p),
				  .w1_noise = NAN,
				  .p = 1,
				  .visible = NAN };
	r->w1 = w1_of(&p->x, p->a.all, p->b.all, NULL, NULL);
	r->auc = (struct cmp_stat){ auc_of(&p->x, p->a.all, p->b.all), NAN, NAN, 1, false, false };
	for (int i = 0; i < CMP_NQUANTILES; i++) {
		struct level la, lb;

		r->qa[i] = p->a.m.q[i];
		r->qb[i] = p->b.m.q[i];
		r->q[i] = (struct cmp_stat){ log_ratio(r->qb[i], r->qa[i]), NAN, NAN, 1, false, false };
		if (r->unjudged != CMP_JUDGED || n * (1 - cmp_quantiles[i]) < CMP_TAIL_MIN)
			continue;
		quantile_level(&p->x, &p->a, i, &la);
		quantile_level(&p->x, &p->b, i, &lb);
		chance_make(&c[i], &la, &lb);
		r->q[i] = stat_of(&c[i], r->q[i].value, 0);
		/* a shift that may be of where the values are within a bucket is none */
		if (fabs(r->q[i].value) <= fmax(axis_resolution(&p->x, p->a.all, p->a.m.n, r->qa[i]),
						axis_resolution(&p->x, p->b.all, p->b.m.n, r->qb[i])))
			r->q[i].p = 1;
	}
	conclude_rate(p, r);
	if (r->unjudged != CMP_JUDGED)
		return;
	conclude_auc(p, r);
	r->p = together(r);
	r->visible = visible(c, r, o);
}

static int part_make(struct part *p, const struct axis *x, const struct cmp_side *side)
{
	int r = stretch_make(&p->s, x, side);

	if (r < 0)
		return r;
	p->all = calloc(3 * (x->k + 1), sizeof(*p->all));
	p->u = calloc(p->s.n + 1, sizeof(*p->u));
	if (!p->all || !p->u)
		return -ENOMEM;
	p->drawn = p->all + x->k + 1;
	p->weight = p->drawn + x->k + 1;
	stretch_total(&p->s, p->all);
	p->m = measure(x, p->all);
	return 0;
}

static void part_free(struct part *p)
{
	free(p->all);
	free(p->u);
	stretch_free(&p->s);
}

int cmp_run(const struct rec_histdesc *d, const struct cmp_side *a, const struct cmp_side *b, const struct cmp_opts *o,
	    struct cmp_result *ret)
{
	struct pair p = { 0 };
	int r = axis_make(&p.x, d, a, b);

	if (r == 0)
		r = part_make(&p.a, &p.x, a);
	if (r == 0)
		r = part_make(&p.b, &p.x, b);
	if (r == 0) {
		if (unjudged_for(&p) == CMP_JUDGED)
			draw_all(&p);
		conclude(&p, o, ret);
	}
	part_free(&p.a);
	part_free(&p.b);
	axis_free(&p.x);
	return r;
}

/* -- decision -- */

static int by_p(const void *a, const void *b)
{
	const struct cmp_result *x = *(struct cmp_result *const *)a, *y = *(struct cmp_result *const *)b;

	return x->p < y->p ? -1 : x->p > y->p;
}

static int by_rate_p(const void *a, const void *b)
{
	const struct cmp_result *x = *(struct cmp_result *const *)a, *y = *(struct cmp_result *const *)b;

	return x->rate.p < y->rate.p ? -1 : x->rate.p > y->rate.p;
}

/* The figures of a pair that differ, at a level for all of them: as Simes judged them together (Benjamini and Hochberg,
 * 1995). */
static void mark(struct cmp_result *r, double level, const struct cmp_opts *o)
{
	double least = log2(1 + o->min_shift), limit = -1;
	int n = known_figures(r);

	for (int i = 0; i < FIGURES; i++) {
		const struct cmp_stat *s = i < CMP_NQUANTILES ? &r->q[i] : &r->auc;
		int rank = r->auc.known && r->auc.p <= s->p;

		for (int k = 0; k < CMP_NQUANTILES; k++)
			rank += r->q[k].known && r->q[k].p <= s->p;
		if (s->known && s->p <= level * rank / n)
			limit = fmax(limit, s->p);
	}
	for (int i = 0; i < CMP_NQUANTILES; i++) {
		r->q[i].changed = r->q[i].known && r->q[i].p <= limit && fabs(r->q[i].value) >= least;
		r->changed |= r->q[i].changed;
	}
	r->auc.changed = r->auc.p <= limit && r->w1 >= least;
	r->changed |= r->auc.changed;
}

/* Source: Holm, A simple sequentially rejective multiple test procedure, 1979. */
int cmp_decide(struct cmp_result *const *v, size_t n, const struct cmp_opts *o)
{
	_cleanup_free_ struct cmp_result **s = calloc(n + 1, sizeof(*s));
	size_t judged = 0, rates = 0;

	if (!s)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (v[i]->unjudged == CMP_JUDGED)
			s[judged++] = v[i];
	qsort(s, judged, sizeof(struct cmp_result *), by_p);
	for (size_t i = 0; i < judged; i++) {
		double level = o->alpha * (1 - CMP_RATE_SHARE) / (double)(judged - i);

		if (s[i]->p > level)
			break;
		mark(s[i], level, o);
	}
	for (size_t i = 0; i < n; i++)
		if (v[i]->rate.known)
			s[rates++] = v[i];
	qsort(s, rates, sizeof(struct cmp_result *), by_rate_p);
	for (size_t i = 0; i < rates && s[i]->rate.p <= o->alpha * CMP_RATE_SHARE / (double)(rates - i); i++)
		s[i]->rate.changed = fabs(s[i]->rate.value) >= log2(1 + o->min_rate);
	return 0;
}
