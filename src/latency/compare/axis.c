/* SPDX-License-Identifier: Apache-2.0 */
/* Turns stretches of time into arrays, draws samples of them, and computes the statistics of a sample. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/aggval.h"
#include "base/cleanup.h"
#include "latency/compare/int.h"

/* -- axis -- */

static void mark(bool *used, const struct cmp_side *s)
{
	for (size_t i = 0; i < s->n; i++)
		for (size_t j = 0; j < s->seconds[i].n; j++)
			used[s->seconds[i].v[j].index] = true;
}

/* Latencies below 1 (ns) are taken for 1. */
static double log_of(double v)
{
	return log2(v < 1 ? 1 : v);
}

int axis_make(struct axis *x, const struct rec_histdesc *d, const struct cmp_side *a, const struct cmp_side *b)
{
	_cleanup_free_ bool *used = calloc(d->nbuckets, sizeof(*used));
	size_t k = 0;

	*x = (struct axis){ 0 };
	if (!used)
		return -ENOMEM;
	mark(used, a);
	mark(used, b);
	for (uint32_t i = 0; i < d->nbuckets; i++)
		k += used[i];
	x->index = calloc(k + 1, sizeof(*x->index));
	x->lo = calloc(k + 1, sizeof(*x->lo));
	x->hi = calloc(k + 1, sizeof(*x->hi));
	x->mid = calloc(k + 1, sizeof(*x->mid));
	if (!x->index || !x->lo || !x->hi || !x->mid)
		return -ENOMEM;
	for (uint32_t i = 0; i < d->nbuckets; i++) {
		struct aggval_range r;

		if (!used[i])
			continue;
		r = aggval_bucket_range(d->func, d->param, i);
		x->lo[x->k] = r.has_from ? (double)r.from : (double)r.to - 1;
		x->hi[x->k] = r.has_to ? (double)r.to : (double)r.from + 1;
		x->mid[x->k] = log_of(rechist_middle(d, i));
		x->index[x->k++] = i;
	}
	return 0;
}

void axis_free(struct axis *x)
{
	free(x->index);
	free(x->lo);
	free(x->hi);
	free(x->mid);
}

/* -- stretches -- */

/* Kish's effective size: (sum of n)^2 / sum of n^2. */
static double effective_units(const struct stretch *s)
{
	double sum = 0, squares = 0;

	for (size_t i = 0; i < s->n; i++) {
		double n = 0;

		for (size_t j = 0; j < s->k; j++)
			n += (double)(s->cum[(i + 1) * s->k + j] - s->cum[i * s->k + j]);
		sum += n;
		squares += n * n;
	}
	return squares > 0 ? sum * sum / squares : 0;
}

int stretch_make(struct stretch *s, const struct axis *x, const struct cmp_side *side)
{
	size_t per = (side->n + CMP_UNITS_MAX - 1) / CMP_UNITS_MAX;

	*s = (struct stretch){ .k = x->k, .seconds = (double)side->n };
	s->n = per ? (side->n + per - 1) / per : 0;
	s->cum = calloc((s->n + 1) * (x->k + 1), sizeof(*s->cum));
	if (!s->cum)
		return -ENOMEM;
	for (size_t i = 0; i < s->n; i++) {
		uint64_t *to = s->cum + (i + 1) * s->k;

		memcpy(to, s->cum + i * s->k, s->k * sizeof(*to));
		for (size_t sec = i * per; sec < (i + 1) * per && sec < side->n; sec++) {
			const struct histsum *h = &side->seconds[sec];

			for (size_t j = 0, b = 0; b < h->n; b++) {
				while (x->index[j] != h->v[b].index)
					j++;
				to[j] += h->v[b].count;
			}
		}
	}
	s->block = s->n > CMP_BLOCKS ? (s->n + CMP_BLOCKS - 1) / CMP_BLOCKS : 1;
	s->spread = effective_units(s);
	return 0;
}

void stretch_free(struct stretch *s)
{
	free(s->cum);
}

static void add_units(const struct stretch *s, size_t from, size_t to, double *ret)
{
	for (size_t j = 0; j < s->k; j++)
		ret[j] += (double)(s->cum[to * s->k + j] - s->cum[from * s->k + j]);
}

void stretch_total(const struct stretch *s, double *ret)
{
	memset(ret, 0, s->k * sizeof(*ret));
	add_units(s, 0, s->n, ret);
}

void stretch_influence(const struct stretch *s, const double *weight, double *ret)
{
	double mean = 0;

	for (size_t i = 0; i < s->n; i++) {
		ret[i] = 0;
		for (size_t j = 0; j < s->k; j++)
			ret[i] += (double)(s->cum[(i + 1) * s->k + j] - s->cum[i * s->k + j]) * weight[j];
		mean += ret[i] / (double)s->n;
	}
	for (size_t i = 0; i < s->n; i++)
		ret[i] -= mean;
}

/* splitmix64. Source: Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

void stretch_draw(const struct stretch *s, uint64_t *random, double *ret)
{
	memset(ret, 0, s->k * sizeof(*ret));
	for (size_t done = 0; done < s->n;) {
		size_t from = (size_t)(next_random(random) % s->n), len = s->block;

		if (len > s->n - done)
			len = s->n - done;
		if (from + len <= s->n) {
			add_units(s, from, from + len, ret);
		} else {
			add_units(s, from, s->n, ret);
			add_units(s, 0, from + len - s->n, ret);
		}
		done += len;
	}
}

/* -- measures -- */

/* Within a bucket values are taken to be spread evenly, so that shifts smaller than one are seen. */
static double quantile(const struct axis *x, const double *count, double n, double q)
{
	double want = q * n, seen = 0;

	for (size_t j = 0; j < x->k; j++) {
		if (count[j] > 0 && seen + count[j] >= want)
			return x->lo[j] + (x->hi[j] - x->lo[j]) * (want - seen) / count[j];
		seen += count[j];
	}
	return NAN;
}

struct measures measure(const struct axis *x, const double *count)
{
	struct measures m = { .n = 0 };

	for (size_t j = 0; j < x->k; j++)
		m.n += count[j];
	for (int i = 0; i < CMP_NQUANTILES; i++)
		m.q[i] = m.n > 0 ? quantile(x, count, m.n, cmp_quantiles[i]) : (double)NAN;
	return m;
}

void axis_below(const struct axis *x, double v, double *ret)
{
	for (size_t j = 0; j < x->k; j++)
		ret[j] = v >= x->hi[j] ? 1 : v <= x->lo[j] ? 0 : (v - x->lo[j]) / (x->hi[j] - x->lo[j]);
}

/* A bucket that has many of all values need not have them spread evenly. */
double axis_resolution(const struct axis *x, const double *count, double n, double v)
{
	for (size_t j = 0; j < x->k; j++)
		if (v >= x->lo[j] && v <= x->hi[j] && count[j] > 0)
			return (log_of(x->hi[j]) - log_of(x->lo[j])) * count[j] / n;
	return 0;
}

static double sum(const double *v, size_t n)
{
	double s = 0;

	for (size_t i = 0; i < n; i++)
		s += v[i];
	return s;
}

double auc_of(const struct axis *x, const double *a, const double *b)
{
	double below = 0, won = 0, n = sum(a, x->k) * sum(b, x->k);

	for (size_t j = 0; j < x->k; j++) {
		won += b[j] * (below + a[j] / 2);
		below += a[j];
	}
	return n > 0 ? won / n : (double)NAN;
}

void auc_weights(const struct axis *x, const double *other, double *ret)
{
	double below = 0, n = sum(other, x->k);

	for (size_t j = 0; j < x->k; j++) {
		ret[j] = n > 0 ? (below + other[j] / 2) / n : 0.5;
		below += other[j];
	}
}

double w1_of(const struct axis *x, const double *a, const double *b, const double *a0, const double *b0)
{
	double na = sum(a, x->k), nb = sum(b, x->k), na0 = a0 ? sum(a0, x->k) : 1, nb0 = b0 ? sum(b0, x->k) : 1;
	double d = 0, w = 0;

	if (!(na > 0) || !(nb > 0) || !(na0 > 0) || !(nb0 > 0))
		return NAN;
	for (size_t j = 0; j + 1 < x->k; j++) {
		d += a[j] / na - b[j] / nb;
		if (a0)
			d -= a0[j] / na0 - b0[j] / nb0;
		w += fabs(d) * (x->mid[j + 1] - x->mid[j]);
	}
	return w;
}
