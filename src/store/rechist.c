/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms of slots of time. */
#include "store/rechist.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/vec.h"

bool rechist_fits(const struct rec_histdesc *d, const void *data, size_t len)
{
	const struct rec_hist *h = data;
	const struct rec_bucket *b;
	uint64_t sum = 0;

	if (len < sizeof(*h) || h->key_size > len || h->key_size != (h->flags & HIST_OTHER ? 0 : d->key_size) ||
	    !h->period || h->nbuckets > d->nbuckets ||
	    len != rechist_head(h->key_size) + h->nbuckets * sizeof(*b))
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
