/* SPDX-License-Identifier: Apache-2.0 */
/* Compares aggregation values and keys in DTrace's order. Source: DTrace guide, "Aggregations"; distributions
 * compare by their weighted sum, then by the weight of zero. */
#include <string.h>
#include "base/aggval.h"
#include "store/aggstate.h"

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

static void add_bucket(struct agg_rank *r, long double bound, uint64_t n)
{
	int64_t weight = (int64_t)n; /* increments may be negative */

	r->first += bound * (long double)weight;
	if (bound == 0)
		r->second += weight;
}

static void rank_buckets(const struct aggdesc *d, const uint64_t *v, struct agg_rank *r)
{
	unsigned n;

	switch (d->func) {
	case AGG_QUANTIZE:
		for (unsigned i = 0; i < AGG_QUANT_NBUCKETS; i++)
			if (v[1 + i])
				add_bucket(r, aggval_quantize_bound(i), v[1 + i]);
		break;
	case AGG_LQUANTIZE:
		n = aggval_lquantize_levels(d->param);
		add_bucket(r, (long double)d->param[0] - 1, v[1]);
		for (unsigned i = 0; i < n; i++)
			if (v[2 + i])
				add_bucket(r, d->param[0] + (long double)i * d->param[2], v[2 + i]);
		add_bucket(r, d->param[0] + (long double)n * d->param[2] + 1, v[2 + n]);
		break;
	case AGG_HIST:
		for (unsigned i = 0; i < AGG_HIST_NBUCKETS; i++)
			if (v[1 + i])
				add_bucket(r, aggval_hist_bound(i), v[1 + i]);
		break;
	default:
		n = aggval_llquantize_nbuckets(d->param);
		for (unsigned i = 0; i < n; i++)
			if (v[1 + i])
				add_bucket(r, aggval_llquantize_bound(d->param, i), v[1 + i]);
	}
}

static long double number(bool is_signed, uint64_t v)
{
	return is_signed ? (long double)(int64_t)v : (long double)v;
}

struct agg_rank aggstate_rank(const struct aggdesc *d, const uint64_t *v)
{
	struct agg_rank r = { 0 };

	/* A long double holds 64-bit numbers exactly. */
	switch (d->func) {
	case AGG_COUNT: r.first = (long double)v[0]; break;
	case AGG_SUM:
	case AGG_MIN:
	case AGG_MAX: r.first = number(d->is_signed, v[1]); break;
	case AGG_AVG: r.first = number(d->is_signed, (uint64_t)average(d->is_signed, v)); break;
	case AGG_STDDEV: r.first = variance(d->is_signed, v); break;
	default: rank_buckets(d, v, &r);
	}
	return r;
}

int aggstate_rank_cmp(const struct agg_rank *a, const struct agg_rank *b)
{
	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	return a->second < b->second ? -1 : a->second > b->second;
}

/* DTrace sorts integer keys without their sign: -1 is after all others. */
static uint64_t key_int(const struct recfield *f, const uint8_t *p)
{
	uint64_t u = 0;

	if (f->size == 8)
		memcpy(&u, p, 8);
	else
		memcpy(&u, p, f->size < 8 ? f->size : 8);
	return u;
}

uint64_t aggstate_key_field_lead(const struct recfield *f, const uint8_t *p)
{
	uint64_t lead = 0;

	if (f->kind == FLD_INT)
		return key_int(f, p);
	for (uint32_t i = 0; i < 8; i++) {
		uint8_t byte = i < f->size ? p[i] : 0;

		if (f->kind == FLD_STRING && !byte)
			return i ? lead << 8 * (8 - i) : 0; /* what is after the end does not count */
		lead = lead << 8 | byte;
	}
	return lead;
}

int aggstate_key_field_cmp(const struct recfield *f, const uint8_t *a, const uint8_t *b)
{
	uint64_t x, y;

	if (f->kind == FLD_STRING)
		return strncmp((const char *)a, (const char *)b, f->size);
	if (f->kind != FLD_INT)
		return memcmp(a, b, f->size);
	x = key_int(f, a);
	y = key_int(f, b);
	return x < y ? -1 : x > y;
}

int aggstate_key_cmp(const struct aggdesc *d, const uint8_t *a, const uint8_t *b)
{
	for (size_t i = 0; i < d->nkeys; i++) {
		const struct recfield *f = &d->keys[i];
		int r = aggstate_key_field_cmp(f, a + f->off, b + f->off);

		if (r)
			return r;
	}
	return 0;
}
