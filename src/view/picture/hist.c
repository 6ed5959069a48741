/* SPDX-License-Identifier: Apache-2.0 */
/* Computes distributions from histograms: quantiles with their largest error, shares, differences, rows. */
#include "view/picture/hist.h"
#include "view/picture/keycolour.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/aggval.h"
#include "base/cleanup.h"
#include "base/num.h"
#include "base/strb.h"
#include "base/units.h"
#include "view/form/amount.h"
#include "view/picture/histsrc.h"

static const double quantiles[HIST_NQUANTILES] = { 0.5, 0.9, 0.99, 0.999, 1 };

/* -- one distribution -- */

static uint64_t count_of(const struct rec_bucket *b)
{
	return (int64_t)b->count > 0 ? b->count : 0; /* quantize() with an increment may take away */
}

static uint64_t total_of(const struct histsum *s)
{
	uint64_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += count_of(&s->v[i]);
	return n;
}

const char *hist_quantile_name(unsigned i)
{
	static const char *const names[HIST_NQUANTILES] = { "50 %", "90 %", "99 %", "99.9 %", "largest" };

	return names[i];
}

static struct hist_value bucket_value(const struct histsum *s, const struct rec_histdesc *d, uint32_t index)
{
	struct aggval_range b = aggval_bucket_range(d->func, d->param, index);
	struct hist_value v = { .low = b.has_from ? (double)b.from : -INFINITY,
				.high = b.has_to ? (double)b.to : INFINITY };

	if (!(s->flags & HIST_NO_SUM) && v.high > (double)s->max && (double)s->max >= v.low)
		v.high = (double)s->max + 1; /* nothing is larger */
	v.exact = v.high - v.low <= 1;
	v.value = v.exact ? v.low : !b.has_from ? v.high : !b.has_to && isinf(v.high) ? v.low : (v.low + v.high) / 2;
	return v;
}

struct hist_value hist_quantile(const struct histsum *s, const struct rec_histdesc *d, double q)
{
	uint64_t all = total_of(s), seen = 0, want = (uint64_t)ceil(q * (double)all);

	if (!all)
		return (struct hist_value){ .value = NAN, .low = NAN, .high = NAN };
	if (q >= 1 && !(s->flags & HIST_NO_SUM))
		return (struct hist_value){ (double)s->max, (double)s->max, (double)s->max, true };
	for (size_t i = 0; i < s->n; i++) {
		seen += count_of(&s->v[i]);
		if (seen && seen >= want)
			return bucket_value(s, d, s->v[i].index);
	}
	return bucket_value(s, d, s->v[s->n - 1].index);
}

double hist_error(const struct hist_value *v)
{
	if (isnan(v->value) || v->exact)
		return 0;
	if (isinf(v->low) || isinf(v->high))
		return INFINITY;
	return v->value ? (v->high - v->low) / 2 / fabs(v->value) : 0;
}

double hist_share_below(const struct histsum *s, const struct rec_histdesc *d, double x)
{
	double all = (double)total_of(s), below = 0;

	for (size_t i = 0; i < s->n; i++) {
		struct hist_value v = bucket_value(s, d, s->v[i].index);
		double n = (double)count_of(&s->v[i]);

		if (v.high <= x)
			below += n;
		else if (v.low < x && !isinf(v.low) && !isinf(v.high))
			below += n * (x - v.low) / (v.high - v.low);
	}
	return all > 0 ? below / all : 0;
}

/* -- two -- */

static void widest_at(const struct hist_series *a, const struct hist_series *b, const struct hist_series *of,
		      struct hist_diff *ret)
{
	for (size_t i = 0; i < of->sum.n; i++) {
		double x = bucket_value(&of->sum, &of->d, of->sum.v[i].index).high, d;

		if (isinf(x))
			continue;
		d = hist_share_below(&b->sum, &b->d, x) - hist_share_below(&a->sum, &a->d, x);
		if (fabs(d) > fabs(ret->most)) {
			ret->most = d;
			ret->at = x;
		}
	}
}

struct hist_diff hist_compare(const struct hist_series *a, const struct hist_series *b)
{
	struct hist_diff r = { .most = 0 };
	double n = (double)total_of(&a->sum), m = (double)total_of(&b->sum);

	for (unsigned i = 0; i < HIST_NQUANTILES; i++)
		r.ratio[i] = a->q[i].value > 0 && b->q[i].value > 0 ? b->q[i].value / a->q[i].value : NAN;
	widest_at(a, b, a, &r);
	widest_at(a, b, b, &r);
	r.chance = n == 0 || m == 0 || fabs(r.most) < 1.63 * sqrt((n + m) / (n * m));
	return r;
}

/* -- reading -- */

struct keys {
	struct recread *f;
	uint32_t source;
	struct rec_range range;
	struct err *err;
	VEC(struct hist_key) v;
};
struct hist_key {
	int64_t id;
	uint64_t count;
	char *text;
};

static int on_key(void *ctx, int64_t key, const char *text, const void *data)
{
	struct hist_key k = { .id = key, .text = strdup(text ? text : "other") };
	struct keys *keys = ctx;

	(void)data;
	if (!k.text || vec_try_push(&keys->v, k) < 0) {
		free(k.text);
		return -ENOMEM;
	}
	return 0;
}

static int most_first(const void *a, const void *b)
{
	const struct hist_key *x = a, *y = b;

	return x->count > y->count ? -1 : x->count < y->count ? 1 : strcmp(x->text, y->text);
}

static int add_series(struct hist *h, struct keys *k, const struct rec_histdesc *d, int64_t key, const char *prefix,
		      const char *name, struct err *err)
{
	struct hist_series s = { .d = *d };
	int e = recread_hist(k->f, k->source, k->range, key, &s.sum, err);

	if (e == 0 && h->series.n == HIST_MAX_SERIES)
		e = err_set(err, -EINVAL, "more than %u distributions cannot be told apart in one picture",
			    HIST_MAX_SERIES);
	if (e == 0 && (asprintf(&s.name, "%s%s%s", prefix, *prefix && *name ? " · " : "", name) < 0 ||
		       vec_try_push(&h->series, s) < 0))
		e = err_set(err, -ENOMEM, "out of memory");
	if (e < 0) {
		free(s.name);
		histsum_free(&s.sum);
	} else if (*name) {
		h->series.v[h->series.n - 1].key = s.name + strlen(s.name) - strlen(name);
	}
	return e;
}

static int add_keys(struct hist *h, struct keys *k, const struct hist_opts *o, const struct rec_histdesc *d,
		    const char *prefix, struct err *err)
{
	struct histsum sum = { 0 };
	struct strb list = { 0 };
	size_t n = 0;
	int e = recread_hist_keys(k->f, k->source, on_key, k, err);

	for (size_t i = 0; i < k->v.n && e == 0; i++) {
		e = recread_hist(k->f, k->source, k->range, k->v.v[i].id, &sum, err);
		k->v.v[i].count = sum.count;
	}
	histsum_free(&sum);
	if (k->v.n)
		qsort(k->v.v, k->v.n, sizeof(*k->v.v), most_first);
	for (size_t i = 0; i < k->v.n && e == 0; i++) {
		const struct hist_key *x = &k->v.v[i];

		if (i < 10)
			strb_printf(&list, "%s%s", i ? ", " : "", x->text);
		if (!x->count || (o->key && strcmp(o->key, x->text) != 0))
			continue;
		if (!o->key && n >= o->keys) {
			h->left_out++;
			continue;
		}
		e = add_series(h, k, d, x->id, prefix, x->text, err);
		n++;
	}
	if (e == 0 && n == 0 && o->key && k->v.n)
		e = err_set(err, -EINVAL, "there is no key '%s' with values; there are: %s", o->key, strb_str(&list));
	else if (e == 0 && n == 0)
		e = err_set(err, -EINVAL, "it has no keys with values in this time");
	strb_free(&list);
	return e;
}

static int on_loss(void *ctx, const struct row *row)
{
	uint64_t *lost = ctx;

	if (rec_loss(row->id) == REC_LOST)
		*lost += row->count;
	return 0;
}

/* Notes the events that the distribution lacks because they were lost. */
static int note_losses(struct hist *h, struct recread *f, struct rec_range range, const char *prefix, struct err *err)
{
	char n[AMOUNT_MAX];
	uint64_t lost = 0;
	int e = recread_rows(f, 1u << ROW_DROPS, range, on_loss, &lost, err);

	if (e < 0 || !lost)
		return e;
	amount_number(n, lost);
	strb_printf(&h->notes, "%s%s%s%s lost while recording", h->notes.n ? " · " : "", prefix, *prefix ? ": " : "",
		    n);
	return 0;
}

int hist_add(struct hist *h, struct recread *f, const struct hist_opts *o, const char *prefix, struct err *err)
{
	struct keys k = { .f = f, .range = REC_ALL_TIME, .err = err };
	uint64_t begin = recread_begun(f);
	struct rec_histdesc d;
	int e = histsrc_choose(recread_schema(f), o->by, "", &k.source, &d, err);

	if (e < 0)
		return e;
	if (o->from_ns)
		k.range.from = begin + o->from_ns;
	if (o->to_ns)
		k.range.to = begin + o->to_ns;
	if (!h->title[0]) {
		snprintf(h->title, sizeof(h->title), "%s%s", d.is_tracker ? "" : "@", d.name);
		snprintf(h->unit, sizeof(h->unit), "%s", histsrc_unit(&d));
	}
	if (o->key || o->keys)
		e = add_keys(h, &k, o, &d, prefix, err);
	else
		e = add_series(h, &k, &d, -1, prefix, "", err);
	if (e == 0 && !total_of(&h->series.v[h->series.n - 1].sum))
		e = err_set(err, -EINVAL, "nothing was recorded in this time");
	if (e == 0)
		e = note_losses(h, f, k.range, prefix, err);
	for (size_t i = 0; i < k.v.n; i++)
		free(k.v.v[i].text);
	vec_free(&k.v);
	return e;
}

/* -- rows -- */

/* Into how many parts a power of two has to be divided at most: quantize() does not divide it. */
static unsigned finest(const struct hist *h)
{
	for (size_t i = 0; i < h->series.n; i++)
		if (h->series.v[i].d.func != AGG_QUANTIZE)
			return HEAT_MAX_ROWS;
	return 1;
}

/* Leaves every k-th edge of a logarithmic axis, so that powers of two stay. */
static void thin(struct hist *h, unsigned max_rows)
{
	unsigned low = h->edges[0] == 0, k = 1, n = low;
	double octaves = log2(h->edges[h->nrows] / h->edges[low]);
	unsigned parts = (unsigned)lround((h->nrows - low) / octaves), most = finest(h);

	while ((h->nrows - low + k - 1) / k + low > max_rows || parts / k > most)
		k *= 2;
	if (k < parts)
		snprintf(h->per, sizeof(h->per), "1/%u of a power of two", parts / k);
	else if (k == parts)
		snprintf(h->per, sizeof(h->per), "power of two");
	else
		snprintf(h->per, sizeof(h->per), "%u powers of two", k / parts);
	for (unsigned i = low; i < h->nrows; i += k)
		h->edges[n++] = h->edges[i];
	h->edges[n] = h->edges[h->nrows];
	h->nrows = n;
}

static void choose_colours(struct hist *h)
{
	struct keycolours names = { 0 };

	for (size_t i = 0; i < h->series.n; i++)
		if (h->series.v[i].key)
			keycolour_claim(&names, h->series.v[i].key);
	for (size_t i = 0; i < h->series.n; i++) {
		struct hist_series *s = &h->series.v[i];
		const char *name = s->key;

		for (size_t k = 0; k < i && name; k++)
			if (h->series.v[k].key && !strcmp(h->series.v[k].key, s->key))
				name = s->name; /* the same key of another recording */
		s->colour = name ? keycolour(keycolour_of(&names, name)) : keycolour_row(i);
	}
}

void hist_lay_out(struct hist *h, bool linear, unsigned max_rows)
{
	double lo = INFINITY, hi = 1;

	choose_colours(h);
	h->linear = linear;
	if (h->left_out)
		strb_printf(&h->notes, "%s%zu more keys are left out", h->notes.n ? " · " : "", h->left_out);
	for (size_t i = 0; i < h->series.n; i++) {
		struct hist_series *s = &h->series.v[i];

		for (unsigned q = 0; q < HIST_NQUANTILES; q++)
			s->q[q] = hist_quantile(&s->sum, &s->d, quantiles[q]);
		for (size_t k = 0; k < s->sum.n; k++) {
			struct hist_value v = bucket_value(&s->sum, &s->d, s->sum.v[k].index);

			if (!count_of(&s->sum.v[k]))
				continue;
			lo = fmin(lo, isinf(v.low) ? 0 : v.low);
			hi = fmax(hi, isinf(v.high) ? v.low : v.high);
		}
	}
	h->nrows = heat_edges(fmax(lo, 0), hi, linear, linear ? max_rows : 0, h->edges);
	if (linear && h->edges[1] < 1)
		snprintf(h->per, sizeof(h->per), "%.2g%s%s", h->edges[1], h->unit[0] ? " " : "", h->unit);
	else if (linear)
		hist_value_text(h, h->edges[1], h->per, sizeof(h->per));
	else
		thin(h, max_rows);
	for (size_t i = 0; i < h->series.n; i++) {
		struct hist_series *s = &h->series.v[i];
		double all = (double)total_of(&s->sum);

		memset(s->share, 0, sizeof(s->share));
		for (size_t k = 0; k < s->sum.n; k++) {
			struct hist_value v = bucket_value(&s->sum, &s->d, s->sum.v[k].index);
			double low = isinf(v.low) ? v.high : v.low, high = isinf(v.high) ? v.low : v.high;

			if (count_of(&s->sum.v[k]))
				heat_spread(s->share, h->edges, h->nrows, low, high,
					    (double)count_of(&s->sum.v[k]) / all);
		}
	}
}

void hist_done(struct hist *h)
{
	for (size_t i = 0; i < h->series.n; i++) {
		free(h->series.v[i].name);
		histsum_free(&h->series.v[i].sum);
	}
	vec_free(&h->series);
	strb_free(&h->notes);
}

void hist_value_text(const struct hist *h, double v, char *buf, size_t size)
{
	char text[AMOUNT_MAX];

	if (isnan(v)) {
		snprintf(buf, size, "-");
		return;
	}
	if (!h->unit[0] && fabs(v) >= 1e5) {
		snprintf(buf, size, "%s", units_number(v, text));
		return;
	}
	amount_str(text, (uint64_t)llround(fabs(v)), h->unit);
	snprintf(buf, size, "%s%s", v < 0 ? "-" : "", text);
}
