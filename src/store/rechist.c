/* SPDX-License-Identifier: Apache-2.0 */
/* Makes, checks and adds up histograms of time slots. */
#include "store/rechist.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/aggval.h"
#include "base/cleanup.h"
#include "base/units.h"
#include "base/vec.h"

bool rechist_fits(const struct rec_histdesc *d, const void *data, size_t len)
{
	const struct rec_hist *h = data;
	const struct rec_bucket *b;
	uint64_t sum = 0;

	if (len < sizeof(*h) || h->key_size > len || h->key_size != (h->flags & HIST_OTHER ? 0 : d->key_size) ||
	    !h->period || h->nbuckets > d->nbuckets || len != rechist_head(h->key_size) + h->nbuckets * sizeof(*b))
		return false;
	b = rechist_buckets(h);
	for (uint32_t i = 0; i < h->nbuckets; i++) {
		if (b[i].index >= d->nbuckets || (i && b[i].index <= b[i - 1].index) || !b[i].count)
			return false;
		sum += b[i].count;
	}
	return sum == h->count;
}

int rechist_make(struct rechist_buf *b, const struct rec_hist *head, const void *key, const uint64_t *words,
		 uint32_t nbuckets)
{
	size_t at = rechist_head(head->key_size), used = 0;
	struct rec_hist *h;

	for (uint32_t i = 0; i < nbuckets; i++)
		used += words[i] != 0;
	b->n = at + used * sizeof(struct rec_bucket);
	if (vec_reserve_raw((void **)&b->v, &b->cap, b->n, 1) < 0)
		return -ENOMEM;
	memset(b->v, 0, at);
	h = (struct rec_hist *)(void *)b->v;
	*h = *head;
	h->count = 0;
	h->nbuckets = (uint32_t)used;
	if (head->key_size)
		memcpy(h + 1, key, head->key_size);
	for (uint32_t i = 0; i < nbuckets; i++) {
		struct rec_bucket bucket = { .index = i, .count = words[i] };

		if (!words[i])
			continue;
		memcpy(b->v + at, &bucket, sizeof(bucket));
		at += sizeof(bucket);
		h->count += words[i];
	}
	return 0;
}

void rechist_buf_free(struct rechist_buf *b)
{
	free(b->v);
	*b = (struct rechist_buf){ 0 };
}

uint64_t rechist_slot(uint64_t ts, uint64_t period, uint64_t wall_off)
{
	return ts - (ts + wall_off) % period;
}

struct step rechist_of_agg(struct rechist_buf *b, const struct rec_schema *s, const struct row *row,
			   uint64_t read_before, uint64_t wall_off, struct row *ret)
{
	uint32_t source = rec_hist_of_agg(s, row->id);
	struct rec_hist head = { .period = NSEC_PER_SEC, .flags = HIST_NO_SUM | HIST_BY_READ };
	struct rec_histdesc d;
	uint64_t number, start = row->ts;

	if (!rec_hist_source(s, source, &d))
		return step_end();
	head.key_size = d.key_size;
	if (d.slot_ns) {
		if (row->len < sizeof(number))
			return step_end();
		memcpy(&number, row->data, sizeof(number));
		if (number > UINT64_MAX / d.slot_ns) /* no time */
			return step_end();
		start = number * d.slot_ns - (d.slot_wall ? wall_off : 0);
		head.period = d.slot_ns;
		head.flags = HIST_NO_SUM;
	} else {
		if (read_before && read_before < row->ts)
			start = read_before + (row->ts - read_before) / 2;
		start = rechist_slot(start, head.period, wall_off);
	}
	if (rechist_make(b, &head, row->data, row->value + 1, d.nbuckets) < 0)
		return step_failed(-ENOMEM);
	if (d.slot_ns) /* the rest of the key is the histogram's */
		memset(b->v + sizeof(head), 0, sizeof(number));
	*ret = (struct row){ .kind = ROW_HIST, .ts = start, .id = source, .data = b->v, .len = b->n };
	return step_more();
}

/* Merges from the end, so that the old buckets need no second place. */
int histsum_add(struct histsum *s, const struct rec_hist *h, const struct rec_bucket *b)
{
	size_t i = s->n, k = h->nbuckets, at, total = s->n;

	for (size_t x = 0, y = 0; y < h->nbuckets; y++) { /* how many are new */
		while (x < s->n && s->v[x].index < b[y].index)
			x++;
		total += x == s->n || s->v[x].index != b[y].index;
	}
	if (vec_reserve_raw((void **)&s->v, &s->cap, total, sizeof(*s->v)) < 0)
		return -ENOMEM;
	for (at = total; at > 0; at--) {
		struct rec_bucket *to = &s->v[at - 1];

		if (k && i && s->v[i - 1].index == b[k - 1].index) {
			*to = (struct rec_bucket){ b[k - 1].index, 0, s->v[i - 1].count + b[k - 1].count };
			i--;
			k--;
		} else if (k && (!i || s->v[i - 1].index < b[k - 1].index)) {
			*to = b[--k];
		} else {
			*to = s->v[--i];
		}
	}
	s->n = total;
	s->count += h->count;
	s->sum += h->sum;
	s->max = h->max > s->max ? h->max : s->max;
	s->flags |= h->flags;
	return 0;
}

int histsum_merge(struct histsum *s, const struct histsum *other)
{
	const struct rec_hist h = { .count = other->count,
				    .sum = other->sum,
				    .max = other->max,
				    .flags = other->flags,
				    .nbuckets = (uint32_t)other->n };

	return histsum_add(s, &h, other->v);
}

void histsum_reset(struct histsum *s)
{
	s->n = 0;
	s->count = s->sum = s->max = 0;
	s->flags = 0;
}

void histsum_free(struct histsum *s)
{
	free(s->v);
	*s = (struct histsum){ 0 };
}

double rechist_middle(const struct rec_histdesc *d, uint32_t bucket)
{
	struct aggval_range r = aggval_bucket_range(d->func, d->param, bucket);

	if (r.has_from && r.has_to)
		return ((double)r.from + (double)r.to - 1) / 2; /* whole numbers: to is not in it */
	return r.has_from ? (double)r.from : (double)r.to - 1;
}

double histsum_quantile(const struct histsum *s, const struct rec_histdesc *d, double q)
{
	/* 0.07 * 100 is a little more than 7 in binary */
	double want = ceil(q * (double)s->count * (1 - 1e-14)), seen = 0, v = NAN;

	for (size_t i = 0; i < s->n; i++) {
		seen += (double)(int64_t)s->v[i].count;
		v = rechist_middle(d, s->v[i].index);
		if (seen >= want)
			break;
	}
	return !(s->flags & HIST_NO_SUM) && v > (double)s->max ? (double)s->max : v;
}

uint64_t histsum_quantile_ns(const struct histsum *s, const struct rec_histdesc *d, double q)
{
	double v = histsum_quantile(s, d, q);

	return isfinite(v) && v > 0 ? (uint64_t)v : 0;
}
