/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the holders of an object fast: a table tells for each block of memory the blocks that refer to it. */
#include "core/jsheap/near.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/walk.h"
#include "core/jsheap/int.h"

struct making {
	struct js_heap *h;
	struct js_near *n;
	uint32_t *stamp;	    /* of each block: the last one that leads to it, and 1 */
	uint32_t *begins;	    /* of each block: where its part of `pairs` begins */
	VEC(uint32_t) pairs;	    /* blocks that are led to, block by block */
	uint32_t now;		    /* block that is gone through */
	const struct js_page *page; /* of it, and of the last word */
	size_t max;
	bool stats, full;
};

static uint32_t block_of(const struct js_heap *h, const struct js_near *n, const struct js_page *p, uint64_t addr)
{
	return n->first[p - h->pages.v] + (uint32_t)((addr - p->start) >> n->shift);
}

static int add_word(void *ctx, uint64_t w, uint64_t at)
{
	struct making *k = ctx;
	const struct js_page *p = js_page_of(k->h, w - V8_TAG);
	uint32_t b;

	(void)at;
	/* A page of read-only objects is skipped: they lead nowhere, and nearly all objects lead to them. */
	if (!p || !p->heap || (w - V8_TAG) % JS_WORD || !js_bit(p->marks, (w - V8_TAG - p->start) / JS_WORD))
		return 0;
	b = block_of(k->h, k->n, p, w - V8_TAG);
	if (k->stamp[b] == k->now + 1)
		return 0;
	k->stamp[b] = k->now + 1;
	if (k->pairs.n >= k->max) {
		k->full = true;
		return WALK_END;
	}
	return vec_try_push(&k->pairs, b);
}

/* Bytes of a store of an object; those in read-only pages are everybody's. */
static uint64_t store_bytes(struct js_heap *h, const struct js_object *o, int64_t at)
{
	const struct js_page *p;
	struct js_map_info *m;
	struct js_extent e;
	uint64_t store, map;

	if ((uint64_t)at + JS_WORD > o->have)
		return 0;
	memcpy(&store, o->bytes + at, sizeof(store));
	p = v8_is_object(store) ? js_page_of(h, store - V8_TAG) : NULL;
	if (!p || !p->heap)
		return 0;
	if (p == o->page && store >= o->object && store - o->object + 4 * JS_WORD <= o->have) { /* its bytes are here */
		memcpy(&map, o->bytes + (store - o->object), sizeof(map));
		m = v8_is_object(map) ? js_map_info(h, map) : NULL;
		if (m && m->is_map &&
		    js_extent_of(h, store, m, o->bytes + (store - o->object), o->have - (store - o->object),
				 p->end - (store - V8_TAG), &e) == 0)
			return e.size;
		return 0;
	}
	return js_heap_extent(h, store, &e) == 0 ? e.size : 0;
}

static void add_up(struct making *k, const struct js_object *o)
{
	const struct v8_objects *l = &k->h->js->o;

	if (!o->m->first)
		o->m->first = o->object;
	o->m->bytes += o->size;
	if (js_is_receiver(k->h->js, o->type))
		o->m->bytes += store_bytes(k->h, o, l->object_properties) + store_bytes(k->h, o, l->object_elements);
}

static int add_object(void *ctx, const struct js_object *o)
{
	struct making *k = ctx;
	const uint32_t b = block_of(k->h, k->n, o->page, o->object - V8_TAG);
	int r;

	if (k->stats)
		add_up(k, o);
	while (k->now < b)
		k->begins[++k->now] = (uint32_t)k->pairs.n;
	r = k->full ? 0 : js_heap_words(k->h, o, add_word, k);
	r = walk_ended(r);
	return r == 0 && k->full && !k->stats ? WALK_END : r;
}

/* Blocks of all pages. */
static int count_blocks(const struct js_heap *h, struct js_near *n)
{
	uint64_t blocks = 0;

	n->first = malloc((h->pages.n + 1) * sizeof(*n->first));
	if (!n->first)
		return -ENOMEM;
	for (size_t i = 0; i < h->pages.n; i++) {
		const struct js_page *p = &h->pages.v[i];

		n->first[i] = (uint32_t)blocks;
		blocks += js_page_large(p) ? 1 : ((p->end - p->start) >> n->shift) + 1;
		if (blocks >= UINT32_MAX)
			return -E2BIG;
	}
	n->nblocks = (size_t)blocks;
	return 0;
}

/* Arrays end with whole words of 64 bits, as in an index. */
static int make_room(struct js_near *n)
{
	n->to = calloc(n->nblocks + 3, sizeof(*n->to));
	n->from = calloc(n->n + 2, sizeof(*n->from));
	return n->to && n->from ? 0 : -ENOMEM;
}

/* Turns "block: those that it leads to" round. */
static int turn_round(struct making *k)
{
	struct js_near *n = k->n;
	uint32_t sum = 0;

	while (k->now + 1 <= n->nblocks)
		k->begins[++k->now] = (uint32_t)k->pairs.n;
	n->n = k->pairs.n;
	if (make_room(n) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < n->n; i++)
		n->to[k->pairs.v[i] + 2]++;
	for (size_t b = 0; b <= n->nblocks + 1; b++) {
		sum += n->to[b];
		n->to[b] = sum;
	}
	for (size_t b = 0; b < n->nblocks; b++)
		for (uint32_t i = k->begins[b]; i < k->begins[b + 1]; i++)
			n->from[n->to[k->pairs.v[i] + 1]++] = (uint32_t)b;
	return 0;
}

static size_t most_numbers(const struct js_heap *h)
{
	return (size_t)(h->bytes / JSNEAR_SHARE > JSNEAR_LEAST ? h->bytes / JSNEAR_SHARE : JSNEAR_LEAST);
}

/* With blocks of one size. 0 or -errno; -E2BIG: it would grow too large. */
static int make(struct js_heap *h, struct js_near *n, bool stats)
{
	struct making k = { .h = h, .n = n, .stats = stats };
	int r = count_blocks(h, n);

	k.max = most_numbers(h);
	if (r == 0) {
		k.stamp = calloc(n->nblocks + 1, sizeof(*k.stamp));
		k.begins = calloc(n->nblocks + 2, sizeof(*k.begins));
		r = k.stamp && k.begins ? 0 : -ENOMEM;
	}
	if (r == 0)
		r = walk_ended(js_heap_each(h, add_object, &k));
	free(k.stamp);
	if (r == 0)
		r = k.full ? -E2BIG : turn_round(&k);
	free(k.begins);
	vec_free(&k.pairs);
	return r;
}

void js_near_free(struct js_near *n)
{
	if (!n)
		return;
	free(n->first);
	free(n->to);
	free(n->from);
	free(n);
}

int js_near_make(struct js_heap *h)
{
	int r = -E2BIG;

	for (unsigned shift = JSNEAR_SHIFT; r == -E2BIG && shift <= JSNEAR_MAX_SHIFT; shift += 2) {
		js_near_free(h->near);
		h->near = calloc(1, sizeof(*h->near));
		if (!h->near)
			return -ENOMEM;
		h->near->shift = shift;
		r = make(h, h->near, shift == JSNEAR_SHIFT);
	}
	if (r != 0) { /* without it, all objects are looked at */
		js_near_free(h->near);
		h->near = NULL;
	}
	return r == -ENOMEM ? r : 0;
}

/* -- kept -- */

int js_near_room(struct js_heap *h, uint64_t shift, uint64_t n, struct js_near **ret)
{
	struct js_near *new;
	int r = -ENOMEM;

	if (shift < JSNEAR_SHIFT || shift > JSNEAR_MAX_SHIFT || n > most_numbers(h))
		return -EBADMSG;
	new = calloc(1, sizeof(*new));
	if (new) {
		new->shift = (unsigned)shift;
		new->n = (size_t)n;
		r = count_blocks(h, new);
	}
	if (r == 0)
		r = make_room(new);
	if (r == 0)
		*ret = new;
	else
		js_near_free(new);
	return r == -E2BIG ? -EBADMSG : r;
}

bool js_near_fits(const struct js_near *n)
{
	bool good = n->to[0] == 0 && n->to[n->nblocks] == n->n;

	for (size_t b = 0; b < n->nblocks; b++)
		good &= n->to[b] <= n->to[b + 1];
	for (size_t i = 0; i < n->n; i++)
		good &= n->from[i] < n->nblocks;
	return good;
}

/* -- holders -- */

struct looking {
	struct js_heap *h;
	uint64_t object;
	js_object_fn *fn;
	void *ctx;
};

static int is_it(void *ctx, uint64_t w, uint64_t at)
{
	(void)at;
	return w == *(const uint64_t *)ctx ? WALK_END : 0;
}

static int look(void *ctx, const struct js_object *o)
{
	struct looking *l = ctx;
	int r = js_heap_words(l->h, o, is_it, &l->object);

	return r == WALK_END ? l->fn(l->ctx, o) : r;
}

/* The part of a page that a block is. */
static void bounds(const struct js_heap *h, uint32_t block, uint64_t *from, uint64_t *to)
{
	const struct js_near *n = h->near;
	size_t lo = 0, hi = h->pages.n;
	const struct js_page *p;

	while (hi - lo > 1) { /* the last page that begins with this block, or before */
		const size_t mid = lo + (hi - lo) / 2;

		if (n->first[mid] <= block)
			lo = mid;
		else
			hi = mid;
	}
	p = &h->pages.v[lo];
	*from = p->start + ((uint64_t)(block - n->first[lo]) << n->shift);
	*to = js_page_large(p) ? p->start + JS_WORD : *from + (UINT64_C(1) << n->shift);
	*to = *to < p->end ? *to : p->end;
}

int js_near_holders(struct js_heap *h, uint64_t object, js_object_fn *fn, void *ctx)
{
	struct looking l = { h, object, fn, ctx };
	const struct js_page *p = js_page_of(h, object - V8_TAG);
	const struct js_near *n = h->near;
	uint32_t b;
	int r = 0;

	if (!n || !p || !p->heap)
		return js_heap_each(h, look, &l);
	b = block_of(h, n, p, object - V8_TAG);
	for (uint32_t i = n->to[b]; i < n->to[b + 1] && r == 0; i++) {
		uint64_t from, to;

		bounds(h, n->from[i], &from, &to);
		r = js_heap_each_in(h, from, to, look, &l);
	}
	return r;
}
