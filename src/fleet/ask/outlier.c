/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/ask/outlier.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/cleanup.h"
#include "base/vec.h"
#include "latency/compare/compare.h"

#define NQ 3
static const double quantiles[NQ] = { 0.5, 0.9, 0.99 };

struct point { /* a host and series */
	char *host, *series;
	double q[NQ]; /* NAN: too few events */
};

struct candidate {
	const struct point *p;
	unsigned q; /* of quantiles */
	double peers, octaves;
};

struct finding {
	struct cmp_result res;
	uint64_t since;
};

struct finder {
	struct click *c;
	const struct ask_what *w;
	VEC(struct point) points; /* by series, then host */
	VEC(struct candidate) found;
	uint64_t period, nslots; /* s */
	struct histsum *all, *own;
	const char *series; /* that all is of */
	struct err *err;
	struct history history;
};

/* -- percentiles of all hosts -- */

static int on_sum(void *ctx, const struct ask_sum *s)
{
	struct finder *f = ctx;
	struct point p = { .host = strdup(s->host), .series = strdup(s->series) };

	for (unsigned i = 0; i < NQ; i++)
		p.q[i] = (double)s->h.count * (1 - quantiles[i]) < OUTLIER_TAIL_MIN
				 ? NAN
				 : fmax(histsum_quantile(&s->h, &ask_histdesc, quantiles[i]), 1);
	if (!p.host || !p.series || vec_try_push(&f->points, p) < 0) {
		free(p.host);
		free(p.series);
		return err_set(f->err, -ENOMEM, "out of memory");
	}
	return 0;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *v, size_t n)
{
	qsort(v, n, sizeof(*v), ascending);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* The hosts of one series: those that are apart in this quantile. */
static int look_at(struct finder *f, size_t from, size_t to, unsigned q, double *v)
{
	double middle, spread;
	size_t n = 0;

	for (size_t i = from; i < to; i++)
		if (!isnan(f->points.v[i].q[q]))
			v[n++] = log2(f->points.v[i].q[q]);
	if (n <= OUTLIER_PEERS_MIN)
		return 0;
	middle = median(v, n);
	for (size_t i = 0; i < n; i++)
		v[i] = fabs(v[i] - middle);
	spread = median(v, n);
	for (size_t i = from; i < to; i++) {
		const struct point *p = &f->points.v[i];
		struct candidate c = { p, q, exp2(middle), log2(p->q[q]) - middle };

		if (isnan(c.octaves) || c.octaves < log2(OUTLIER_RATIO) || c.octaves < OUTLIER_SPREAD * spread)
			continue;
		if (vec_try_push(&f->found, c) < 0)
			return err_set(f->err, -ENOMEM, "out of memory");
	}
	return 0;
}

/* The farthest first; of one host and series the highest percentile that is known. */
static int farther(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->p == y->p)
		return (int)y->q - (int)x->q;
	return x->octaves == y->octaves ? (x->p > y->p) - (x->p < y->p) : x->octaves < y->octaves ? 1 : -1;
}

static void drop_doubles(struct finder *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->found.n; i++) {
		bool there = false;

		for (size_t k = 0; k < n && !there; k++) {
			there = f->found.v[k].p == f->found.v[i].p;
			if (there && f->found.v[i].q > f->found.v[k].q)
				f->found.v[k] = f->found.v[i];
		}
		if (!there)
			f->found.v[n++] = f->found.v[i];
	}
	f->found.n = n < OUTLIER_CANDIDATES ? n : OUTLIER_CANDIDATES;
}

static int find_candidates(struct finder *f)
{
	double *v = calloc(f->points.n + 1, sizeof(*v));
	int e = v ? 0 : err_set(f->err, -ENOMEM, "out of memory");

	for (size_t from = 0, to; e == 0 && from < f->points.n; from = to) {
		for (to = from + 1; to < f->points.n && !strcmp(f->points.v[to].series, f->points.v[from].series); to++)
			;
		for (unsigned q = 0; e == 0 && q < NQ; q++)
			e = look_at(f, from, to, q, v);
	}
	free(v);
	if (e == 0 && f->found.n) {
		qsort(f->found.v, f->found.n, sizeof(*f->found.v), farther);
		drop_doubles(f);
		qsort(f->found.v, f->found.n, sizeof(*f->found.v), farther);
	}
	return e;
}

/* -- second by second -- */

struct filling {
	struct finder *f;
	struct histsum *into;
};

static int on_slot(void *ctx, uint64_t time, const struct histsum *h)
{
	struct filling *x = ctx;
	const struct finder *f = x->f;
	uint64_t i = time < f->w->range.from ? UINT64_MAX : (time - f->w->range.from) / f->period;

	return i < f->nslots && histsum_merge(&x->into[i], h) < 0 ? err_set(f->err, -ENOMEM, "out of memory") : 0;
}

static int fill(struct finder *f, struct histsum *into, const char *series, const char *host)
{
	struct ask_what w = *f->w;
	struct filling x = { f, into };

	for (uint64_t i = 0; i < f->nslots; i++)
		histsum_reset(&into[i]);
	w.series = series;
	if (host) {
		w.nselectors = 1;
		w.selectors[0] = host;
	}
	return ask_slots(f->c, &w, on_slot, &x, f->err);
}

/* Subtracts the host's histogram from the sum of all. This is exact, since its buckets are part of it. */
static void take_out(struct histsum *all, const struct histsum *own)
{
	size_t k = 0, n = 0;

	for (size_t i = 0; i < all->n; i++) {
		struct rec_bucket b = all->v[i];

		if (k < own->n && own->v[k].index == b.index)
			b.count -= own->v[k].count < b.count ? own->v[k].count : b.count, k++;
		if (b.count)
			all->v[n++] = b;
	}
	all->n = n;
	all->count -= own->count < all->count ? own->count : all->count;
	all->sum -= own->sum < all->sum ? own->sum : all->sum;
}

static void put_back(struct histsum *all, const struct histsum *own)
{
	(void)histsum_merge(all, own); /* there was room for it before */
}

size_t outlier_onset(const double *v, size_t n)
{
	double total = 0, before = 0, best = 0;
	size_t known = 0, k = 0, at = 0;

	for (size_t i = 0; i < n; i++)
		if (!isnan(v[i]))
			total += v[i], known++;
	/* The step that leaves least unexplained (least squares): the one that makes most between its sides. */
	for (size_t i = 0; i < n; i++) {
		double left, right, gain;

		if (isnan(v[i]))
			continue;
		if (k && k < known) {
			left = before / (double)k;
			right = (total - before) / (double)(known - k);
			gain = (right - left) * (right - left) * (double)k * (double)(known - k);
			if (right - left >= 1 && gain > best) {
				best = gain;
				at = i;
			}
		}
		before += v[i];
		k++;
	}
	return at;
}

/* When it began, against what its peers have at the same time. */
static uint64_t find_since(const struct finder *f, unsigned q, double peers)
{
	double *v = calloc(f->nslots + 1, sizeof(*v));
	size_t at;

	for (uint64_t i = 0; v && i < f->nslots; i++) {
		double own = histsum_quantile(&f->own[i], &ask_histdesc, quantiles[q]);

		v[i] = isnan(own) ? NAN : log2(fmax(own, 1) / peers);
	}
	at = v ? outlier_onset(v, f->nslots) : 0;
	free(v);
	return at ? f->w->range.from + at * f->period : 0;
}

static int judge(struct finder *f, const struct candidate *c, struct finding *ret)
{
	/* Hosts differ in how often things happen: only latencies are compared. */
	const struct cmp_opts opts = {
		.min_shift = OUTLIER_RATIO - 1, .min_rate = 1e6, .alpha = OUTLIER_ALPHA, .npairs = f->points.n
	};
	struct cmp_result *v[] = { &ret->res };
	int e = f->series && !strcmp(f->series, c->p->series) ? 0 : fill(f, f->all, c->p->series, NULL);

	f->series = e == 0 ? c->p->series : NULL;
	if (e == 0)
		e = fill(f, f->own, c->p->series, c->p->host);
	for (uint64_t i = 0; e == 0 && i < f->nslots; i++)
		take_out(&f->all[i], &f->own[i]);
	if (e == 0) {
		const struct cmp_side others = { f->all, f->nslots }, own = { f->own, f->nslots };

		ret->since = find_since(f, c->q, c->peers);
		e = cmp_run(&ask_histdesc, &others, &own, &opts, &ret->res);
		for (uint64_t i = 0; i < f->nslots; i++)
			put_back(&f->all[i], &f->own[i]);
	}
	return e == 0 ? cmp_decide(v, 1, &opts) : e;
}

/* -- telling -- */

static void put_sentence(struct outlier *o)
{
	time_t t = (time_t)o->since;
	char at[32] = "";
	struct tm tm;
	int n;

	if (o->since && localtime_r(&t, &tm))
		strftime(at, sizeof(at), ", since %H:%M:%S", &tm);
	n = snprintf(o->sentence, sizeof(o->sentence), "%s: %s p%g %.3g × its peers%s", o->host, o->series,
		     100 * o->quantile, o->ratio, at);
	if (*o->blame.key)
		n += snprintf(o->sentence + n, sizeof(o->sentence) - (size_t)n, ", %s%s",
			      !strcmp(o->series, "block") ? "disk " : "", o->blame.key);
	if (*o->blame.cause)
		n += snprintf(o->sentence + n, sizeof(o->sentence) - (size_t)n, ", %s", o->blame.cause);
	if (*o->changed)
		snprintf(o->sentence + n, sizeof(o->sentence) - (size_t)n, "; the host has changed: %s", o->changed);
}

static int tell(struct finder *f, const struct candidate *c, const struct finding *found, outlier_fn *fn, void *ctx)
{
	struct ask_what w = *f->w;
	struct outlier o = { .host = c->p->host,
			     .series = c->p->series,
			     .quantile = quantiles[c->q],
			     .value = c->p->q[c->q],
			     .peers = c->peers,
			     .ratio = exp2(c->octaves),
			     .since = found->since };
	int e;

	/* All of its time is told by how it was since then, not by what was before. */
	if (o.since) {
		struct histsum sum = { 0 };
		double v;

		for (uint64_t i = (o.since - w.range.from) / f->period; i < f->nslots; i++)
			(void)histsum_merge(&sum, &f->own[i]);
		v = histsum_quantile(&sum, &ask_histdesc, o.quantile);
		o.value = isnan(v) ? o.value : v;
		o.ratio = o.value / o.peers;
		w.range.from = o.since;
		histsum_free(&sum);
	}
	w.series = o.series;
	w.nselectors = 1;
	w.selectors[0] = o.host;
	e = ask_blamed(f->c, &w, &o.blame, f->err);
	if (e < 0)
		return e;
	if (o.since)
		history_about(&f->history, o.host, o.since, o.changed);
	put_sentence(&o);
	return fn(ctx, &o);
}

static int make_slots(struct finder *f)
{
	f->period = tables_hist[ask_slot(f->w->range)].period;
	f->nslots = (f->w->range.to - f->w->range.from) / f->period;
	f->all = calloc(f->nslots + 1, sizeof(*f->all));
	f->own = calloc(f->nslots + 1, sizeof(*f->own));
	return f->all && f->own ? 0 : err_set(f->err, -ENOMEM, "out of memory");
}

static void finder_free(struct finder *f)
{
	for (uint64_t i = 0; i < f->nslots; i++) {
		if (f->all)
			histsum_free(&f->all[i]);
		if (f->own)
			histsum_free(&f->own[i]);
	}
	for (size_t i = 0; i < f->points.n; i++) {
		free(f->points.v[i].host);
		free(f->points.v[i].series);
	}
	free(f->all);
	free(f->own);
	vec_free(&f->points);
	vec_free(&f->found);
	history_free(&f->history);
}

int outlier_find(struct click *c, const struct ask_what *w, outlier_fn *fn, void *ctx, struct err *err)
{
	struct finder f = { .c = c, .w = w, .err = err };
	int e = make_slots(&f);

	if (e == 0)
		e = ask_sums(c, w, true, on_sum, &f, err);
	if (e == 0)
		e = find_candidates(&f);
	if (e == 0 && f.found.n)
		e = history_load(c, w, &f.history, err);
	for (size_t i = 0; e == 0 && i < f.found.n; i++) {
		struct finding found = { 0 };

		e = judge(&f, &f.found.v[i], &found);
		if (e == -ENOMEM)
			err_set(err, e, "out of memory");
		if (e == 0 && found.res.changed && (found.res.q[1].value > 0 || found.res.q[2].value > 0))
			e = tell(&f, &f.found.v[i], &found, fn, ctx);
	}
	finder_free(&f);
	return e;
}
