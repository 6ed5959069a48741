/* SPDX-License-Identifier: Apache-2.0 */
/* The order of aggregation values and keys, as DTrace sorts them.
 * Source: DTrace guide, "Aggregations"; distributions compare by their weighted sum, then by the weight
 * of zero. */
#include <string.h>
#include "base/aggval.h"
#include "store/aggstate.h"
#include "store/aggstate_int.h"

static int cmp_u64(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int cmp_s64(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

static int cmp_word(bool is_signed, uint64_t a, uint64_t b)
{
	return is_signed ? cmp_s64((int64_t)a, (int64_t)b) : cmp_u64(a, b);
}

static int64_t average(bool is_signed, const uint64_t *v)
{
	if (!v[0])
		return 0;
	return is_signed ? (int64_t)v[1] / (int64_t)v[0] : (int64_t)(v[1] / v[0]);
}

/* Square of the standard deviation: the same order. */
static long double variance(bool is_signed, const uint64_t *v)
{
	long double n = (long double)v[0], avg, squares;

	if (!v[0])
		return 0;
	avg = (is_signed ? (long double)(int64_t)v[1] : (long double)v[1]) / n;
	squares = ((long double)v[3] * 18446744073709551616.0L + (long double)v[2]) / n;
	return squares - avg * avg;
}

struct weight {
	long double sum;
	uint64_t zero; /* firings in the bucket of 0 */
};

static void add_bucket(struct weight *w, long double bound, uint64_t n)
{
	w->sum += bound * (long double)n;
	if (bound == 0)
		w->zero += n;
}

static struct weight weight_of(const struct aggdesc *d, const uint64_t *v)
{
	struct weight w = { 0 };
	unsigned n;

	switch (d->func) {
	case AGG_QUANTIZE:
		for (unsigned i = 0; i < AGG_QUANT_NBUCKETS; i++)
			add_bucket(&w, aggval_quantize_bound(i), v[1 + i]);
		break;
	case AGG_LQUANTIZE:
		n = aggval_lquantize_levels(d->param);
		add_bucket(&w, (long double)d->param[0] - 1, v[1]);
		for (unsigned i = 0; i < n; i++)
			add_bucket(&w, d->param[0] + (long double)i * d->param[2], v[2 + i]);
		add_bucket(&w, d->param[0] + (long double)n * d->param[2] + 1, v[2 + n]);
		break;
	case AGG_LLQUANTIZE:
		n = aggval_llquantize_nbuckets(d->param);
		for (unsigned i = 0; i < n; i++)
			if (v[1 + i])
				add_bucket(&w, aggval_llquantize_bound(d->param, i), v[1 + i]);
		break;
	default:
		break;
	}
	return w;
}

int aggstate_value_cmp(const struct aggdesc *d, const uint64_t *a, const uint64_t *b)
{
	struct weight x, y;
	long double s, t;

	switch (d->func) {
	case AGG_COUNT:
		return cmp_u64(a[0], b[0]);
	case AGG_SUM:
	case AGG_MIN:
	case AGG_MAX:
		return cmp_word(d->is_signed, a[1], b[1]);
	case AGG_AVG:
		return cmp_word(d->is_signed, (uint64_t)average(d->is_signed, a),
				(uint64_t)average(d->is_signed, b));
	case AGG_STDDEV:
		s = variance(d->is_signed, a);
		t = variance(d->is_signed, b);
		return s < t ? -1 : s > t;
	default:
		x = weight_of(d, a);
		y = weight_of(d, b);
		if (x.sum != y.sum)
			return x.sum < y.sum ? -1 : 1;
		return cmp_u64(x.zero, y.zero);
	}
}

static uint64_t key_int(const struct recfield *f, const uint8_t *p)
{
	uint64_t u = 0;
	unsigned bits = 64 - 8 * (f->size < 8 ? f->size : 8);

	memcpy(&u, p, f->size < 8 ? f->size : 8);
	return f->is_signed ? (uint64_t)((int64_t)(u << bits) >> bits) : u;
}

int aggstate_key_cmp(const struct aggdesc *d, const uint8_t *a, const uint8_t *b)
{
	for (size_t i = 0; i < d->nkeys; i++) {
		const struct recfield *f = &d->keys[i];
		int r;

		if (f->kind == FLD_INT)
			r = cmp_word(f->is_signed, key_int(f, a + f->off), key_int(f, b + f->off));
		else if (f->kind == FLD_STRING)
			r = strncmp((const char *)a + f->off, (const char *)b + f->off, f->size);
		else
			r = memcmp(a + f->off, b + f->off, f->size);
		if (r)
			return r;
	}
	return 0;
}
