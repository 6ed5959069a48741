/* SPDX-License-Identifier: Apache-2.0 */
/* Stretches of time as arrays, drawing from them, and what is measured of a drawing. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/aggval.h"
#include "base/cleanup.h"
#include "latency/compare_int.h"

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

/* The mean log latency of each unit that has events, into m; how many there are. */
static size_t unit_means(const struct stretch *s, const struct axis *x, double *m)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		double sum = 0, count = 0;

		for (size_t j = 0; j < s->k; j++) {
			double c = (double)(s->cum[(i + 1) * s->k + j] - s->cum[i * s->k + j]);

			sum += c * x->mid[j];
			count += c;
		}
		if (count > 0)
			m[n++] = sum / count;
	}
	return n;
}

/* How many units hang together: twice the integrated autocorrelation time of the mean log latency. */
static size_t hangs_together(const struct stretch *s, const struct axis *x)
{
	_cleanup_free_ double *m = calloc(s->n + 1, sizeof(*m));
	double mean = 0, var = 0, tau = 1;
	size_t n;

	if (!m)
		return 1;
	n = unit_means(s, x, m);
	for (size_t i = 0; i < n; i++)
		mean += m[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		var += (m[i] - mean) * (m[i] - mean);
	for (size_t lag = 1; lag < n / CMP_BLOCKS_MIN && var > 0; lag++) {
		double c = 0;

		for (size_t i = 0; i + lag < n; i++)
			c += (m[i] - mean) * (m[i + lag] - mean);
		if (c <= 0) /* from here on it is noise */
			break;
		tau += 2 * c / var;
	}
	return (size_t)ceil(2 * tau);
}

/* -- drift -- */

/* Variance of the mean of 2^i units, from neighbours' differences; and from how many. Source: Allan, Statistics of atomic
 * frequency standards, 1966. */
struct allan {
	double squares[CMP_SCALES], n[CMP_SCALES];
};

static double mean_of(const double *m, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += m[i];
	return sum / (double)n;
}

static void add_neighbours(struct allan *v, const double *m, size_t n)
{
	for (unsigned i = 0; i < CMP_SCALES && (size_t)2 << i <= n; i++) {
		size_t len = (size_t)1 << i;

		for (size_t at = 0; at + 2 * len <= n; at += len) {
			double d = mean_of(m + at + len, len) - mean_of(m + at, len);

			v->squares[i] += d * d / 2;
			v->n[i]++;
		}
	}
}

/* Variance of the mean of n units by a line through the logarithms of v; NAN: not known. It falls to half from one length to
 * twice that when units have nothing to do with each other, less when the level wanders: it is the longest lengths that tell. */
static double far_variance(const struct allan *v, double n)
{
	double w = 0, x = 0, y = 0, xx = 0, xy = 0, slope, error;
	unsigned end = 0;

	while (end < CMP_SCALES && v->n[end] >= 2 && v->squares[end] > 0)
		end++;
	for (unsigned i = end > CMP_LONGEST ? end - CMP_LONGEST : 0; i < end; i++) {
		double k = v->n[i], ly = log2(v->squares[i] / k);

		w += k;
		x += k * i;
		y += k * ly;
		xx += k * i * i;
		xy += k * i * ly;
	}
	if (!(w > 0) || !(xx * w - x * x > 0))
		return NAN;
	slope = (xy * w - x * y) / (xx * w - x * x);
	/* a logarithm (of base 2) of a variance from k differences is uncertain by 2 / k / ln(2)^2 at least */
	error = sqrt(3 / (xx - x * x / w)) / M_LN2;
	slope += CMP_DRIFT_SURE * error;
	slope = slope < -1 ? -1 : slope > CMP_DRIFT_SLOPE ? CMP_DRIFT_SLOPE : slope;
	return exp2(y / w + slope * (log2(n) - x / w));
}

static double block_variance(const struct stretch *s, const double *m, size_t n)
{
	size_t blocks = n / s->block;
	double mean = 0, var = 0;

	for (size_t i = 0; i < blocks; i++)
		mean += mean_of(m + i * s->block, s->block) / (double)blocks;
	for (size_t i = 0; i < blocks; i++) {
		double d = mean_of(m + i * s->block, s->block) - mean;

		var += d * d;
	}
	return blocks > 1 ? var / (double)(blocks - 1) / (double)blocks : (double)NAN;
}

double stretches_drift(const struct axis *x, const struct stretch *a, const struct stretch *b)
{
	_cleanup_free_ double *ma = calloc(a->n + 1, sizeof(*ma)), *mb = calloc(b->n + 1, sizeof(*mb));
	struct allan v = { 0 };
	size_t na, nb;
	double far, near;

	if (!ma || !mb)
		return 1;
	na = unit_means(a, x, ma);
	nb = unit_means(b, x, mb);
	add_neighbours(&v, ma, na);
	add_neighbours(&v, mb, nb);
	far = far_variance(&v, (double)na) + far_variance(&v, (double)nb);
	near = block_variance(a, ma, na) + block_variance(b, mb, nb);
	return far > near && near > 0 ? sqrt(far / near) : 1;
}

static void choose_block(struct stretch *s, const struct axis *x)
{
	size_t most = s->n / CMP_BLOCKS_MIN, together = s->n >= 3 * CMP_BLOCKS_MIN ? hangs_together(s, x) : 1;

	s->block = (s->n + CMP_BLOCKS - 1) / CMP_BLOCKS;
	if (together > s->block)
		s->block = together;
	if (s->block > most)
		s->block = most;
	if (s->block < 1)
		s->block = 1;
}

/* Kish's effective size: (sum of n)^2 / sum of n^2. */
static double effective_blocks(const struct stretch *s)
{
	double sum = 0, squares = 0;

	for (size_t i = 0; i < s->n; i += s->block) {
		size_t end = i + s->block < s->n ? i + s->block : s->n;
		double n = 0;

		for (size_t j = 0; j < s->k; j++)
			n += (double)(s->cum[end * s->k + j] - s->cum[i * s->k + j]);
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
	choose_block(s, x);
	s->blocks = effective_blocks(s);
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
