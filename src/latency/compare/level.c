/* SPDX-License-Identifier: Apache-2.0 */
/* Computes how uncertain a figure of a stretch of time is if its units (seconds) are correlated. The model of a
 * second's level has two parts: noise of that second alone, and a part that decays over a correlation time. (This is an
 * Ornstein-Uhlenbeck process; a machine that switches between regimes has the same covariance.) The correlation time
 * and the strength are not known. So all are tried (log-uniform priors), and weighted by how well they agree with the
 * low frequencies of both stretches. These come from a type II cosine transform; its first ordinate compares the
 * halves. White noise gets nearly Student's t over seconds. A level that wanders gets intervals as wide as its
 * wandering, also as far as it may wander unseen in such a short stretch.
 *
 * Source: Whittle's likelihood (1953) with the cosines of Müller, HAC corrections for strongly autocorrelated time
 * series (2014), and Lazarus, Lewis, Stock, Watson, HAR inference: recommendations for practice (2018); averaged over
 * models with a prior of 1/sigma for each side's scale. */
#include <math.h>
#include "latency/compare/int.h"

void level_make(struct level *l, const double *u, size_t n, double df)
{
	*l = (struct level){ .n = n, .q = n > 1 ? n - 1 : 0, .scale = 1 };
	if (l->q > LEVEL_ORDINATES)
		l->q = LEVEL_ORDINATES;
	for (size_t j = 0; j < l->q; j++) {
		double w = M_PI * (double)(j + 1) / (double)n, two_cos = 2 * cos(w), now = cos(w / 2), before = now,
		       sum = 0;

		/* cos(w (i + 1/2)), each from the two before: cos(-w / 2) = cos(w / 2) */
		for (size_t i = 0; i < n; i++) {
			double next = two_cos * now - before;

			sum += u[i] * now;
			before = now;
			now = next;
		}
		l->x2[j] = 2 * sum * sum / (double)n;
	}
	l->df = df < (double)l->q ? df : (double)l->q;
}

/* Correlation besides the noise of each unit. LATE: noise of events that are counted in the next unit. Aggregations are
 * read about once a second, so one unit has as much more as the one before has less. */
enum { LATE = -1 };

/* Spectrum at frequency w, and variance of the mean of n units, of a process of variance 1: what forgets to rho from
 * unit to unit. */
static double spectrum(double rho, double w)
{
	return rho == LATE ? 2 - 2 * cos(w) : (1 - rho * rho) / (1 - 2 * rho * cos(w) + rho * rho);
}

static double mean_variance(double rho, double n)
{
	if (rho == LATE)
		return 2 / (n * n);
	return ((1 + rho) / (1 - rho) - 2 * rho * (1 - pow(rho, n)) / (n * (1 - rho) * (1 - rho))) / n;
}

/* Computes for one side under a model: the log likelihood, and the variance of its figure. */
static double side_likelihood(const struct level *l, double rho, double ratio, double *ret_variance)
{
	double ss = 0, logs = 0;

	*ret_variance = 0;
	if (!l->q)
		return 0;
	for (size_t j = 0; j < l->q; j++) {
		double s = 1 + ratio * spectrum(rho, M_PI * (double)(j + 1) / (double)l->n);

		ss += l->x2[j] / s;
		logs += log(s);
	}
	if (!(ss > 0))
		return 0;
	*ret_variance = l->scale * ss / (double)l->q * (1 / (double)l->n + ratio * mean_variance(rho, (double)l->n));
	return -l->df / (double)l->q * (logs + (double)l->q * log(ss)) / 2;
}

static void add_model(struct chance *c, const struct level *a, const struct level *b, double rho, double ratio)
{
	double va, vb, logw = side_likelihood(a, rho, ratio, &va) + side_likelihood(b, rho, ratio, &vb);

	va = va > a->floor ? va : a->floor;
	vb = vb > b->floor ? vb : b->floor;
	if (!(va + vb > 0))
		return;
	c->weight[c->n] = logw;
	c->sd[c->n] = sqrt(va + vb);
	/* Source: Welch, 1947 */
	c->df[c->n++] = (va + vb) * (va + vb) / ((va > 0 ? va * va / a->df : 0) + (vb > 0 ? vb * vb / b->df : 0));
}

void chance_make(struct chance *c, const struct level *a, const struct level *b)
{
	size_t longest = a->n > b->n ? a->n : b->n, kept = 0;
	double best = -INFINITY, sum = 0;

	c->n = 0;
	/* Up to twice the stretch: a level that wanders that slowly can be on one side of its mean for the whole
	 * stretch. */
	for (size_t t = 0; t < LEVEL_TAUS && (t == 0 || (size_t)1 << (t - 1) <= 2 * longest); t++) {
		double rho = t ? exp(-1 / (double)((size_t)1 << (t - 1))) : LATE;

		for (int r = 0; r < LEVEL_RATIOS; r++)
			add_model(c, a, b, rho, r ? exp2(r - LEVEL_RATIOS / 2) : 0);
	}
	for (size_t i = 0; i < c->n; i++)
		best = c->weight[i] > best ? c->weight[i] : best;
	for (size_t i = 0; i < c->n; i++) {
		double w = exp(c->weight[i] - best);

		if (w < 1e-6) /* what is so unlikely changes nothing */
			continue;
		c->weight[kept] = w;
		c->sd[kept] = c->sd[i];
		c->df[kept++] = c->df[i];
		sum += w;
	}
	c->n = kept;
	for (size_t i = 0; i < kept; i++)
		c->weight[i] /= sum;
}

/* Two-sided tail of Student's t. Source: Wallace, Bounds on normal approximations to Student's and the chi-square
 * distributions, 1959: to some percent of itself. */
static double t_tail(double t, double df)
{
	double z = (8 * df + 1) / (8 * df + 3) * sqrt(df * log1p(t * t / df));

	return erfc(z / M_SQRT2);
}

double chance_p(const struct chance *c, double d)
{
	double p = 0;

	if (!c->n)
		return d == 0 ? 1 : 0;
	for (size_t i = 0; i < c->n; i++)
		p += c->weight[i] * t_tail(d / c->sd[i], c->df[i]);
	return p;
}

double chance_limit(const struct chance *c, double p)
{
	double low = 0, high = 0;

	if (!c->n)
		return 0;
	for (size_t i = 0; i < c->n; i++)
		high = c->sd[i] > high ? c->sd[i] : high;
	while (chance_p(c, high) > p && isfinite(high))
		high *= 2;
	for (int i = 0; i < 40; i++) {
		double mid = (low + high) / 2;

		if (chance_p(c, mid) > p)
			low = mid;
		else
			high = mid;
	}
	return high;
}
