/* SPDX-License-Identifier: Apache-2.0 */
/* Marks the objects of V8's heap that are alive. It goes from the roots, as V8's collector does, but page by page, so
 * that each page is read few times. It needs three bits for each word of the heap, however the objects lead to each
 * other. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "core/jsheap/int.h"

/* State of a page that is needed only while objects are marked. */
struct todo {
	uint64_t *reached; /* a bit for each word of a page: something leads there */
	uint64_t *left;	   /* the same: and it has not been looked at */
	bool waits;	   /* in the queue */
};

struct marker {
	struct js_heap *h;
	struct todo *todo; /* of each page */
	uint32_t *queue;   /* pages that have something left, a ring */
	size_t head, n;
	uint8_t *buf;
	const struct js_page *now; /* that is looked at */
	uint64_t lowest;	   /* word of it that was reached meanwhile */
	bool roots;		   /* the words come from outside */
};

/* A word that may lead to an object. */
static void reach(struct marker *k, uint64_t w)
{
	struct js_page *p;
	struct todo *t;
	uint64_t i;

	if (!v8_is_object(w) || (w - V8_TAG) % JS_WORD)
		return;
	p = js_page_of(k->h, w - V8_TAG);
	if (!p || p->code)
		return;
	i = (w - V8_TAG - p->start) / JS_WORD;
	if (i && js_page_large(p))
		return;
	if (k->roots)
		js_set_bit(p->rooted, i);
	t = &k->todo[p - k->h->pages.v];
	if (js_bit(t->reached, i))
		return;
	js_set_bit(t->reached, i);
	js_set_bit(t->left, i);
	if (p == k->now && i < k->lowest)
		k->lowest = i;
	if (!t->waits && p != k->now) {
		t->waits = true;
		k->queue[(k->head + k->n++) % k->h->pages.n] = (uint32_t)(p - k->h->pages.v);
	}
}

static int reach_word(void *ctx, uint64_t w, uint64_t at)
{
	(void)at;
	reach(ctx, w);
	return 0;
}

/* An object at word i of the page, whose bytes are there from that word on. */
static void look(struct marker *k, struct js_page *p, uint64_t i, const uint8_t *bytes, uint64_t have)
{
	const uint64_t object = p->start + i * JS_WORD + V8_TAG;
	struct js_map_info *m = NULL;
	struct js_extent e;
	uint64_t map;

	memcpy(&map, bytes, sizeof(map));
	if (v8_is_object(map) && js_page_of(k->h, map - V8_TAG))
		m = js_map_info(k->h, map);
	if (!m || !m->is_map)
		return;
	reach(k, map);
	if (js_extent_of(k->h, object, m, bytes, have, p->end - (object - V8_TAG), &e) < 0)
		return; /* damaged */
	js_set_bit(p->marks, i);
	k->h->objects++;
	k->h->bytes += e.size;
	m->n++;
	js_heap_words(k->h, &(struct js_object){ object, m, m->type, e.size, e.first, e.end, bytes, have, p },
		      reach_word, k);
}

static void look_at_large(struct marker *k, struct js_page *p)
{
	js_fill(k->h, p->start, p->start + JS_BUFFER, k->buf);
	look(k, p, 0, k->buf, JS_BUFFER);
}

static void look_at_page(struct marker *k, struct js_page *p)
{
	struct todo *t = &k->todo[p - k->h->pages.v];
	const size_t n = js_page_bits(p);
	size_t i = 0;

	k->now = p;
	if (js_page_large(p)) {
		t->left[0] = 0;
		look_at_large(k, p);
		return;
	}
	js_fill(k->h, p->start, p->end, k->buf);
	while (i < n) {
		k->lowest = UINT64_MAX;
		while (t->left[i]) {
			const uint64_t at = i * 64 + (uint64_t)__builtin_ctzll(t->left[i]);

			t->left[i] &= t->left[i] - 1;
			look(k, p, at, k->buf + at * JS_WORD, p->end - p->start - at * JS_WORD);
		}
		i = k->lowest / 64 < i ? (size_t)(k->lowest / 64) : i + 1;
	}
}

static void look_at_all(struct marker *k)
{
	while (k->n) {
		const uint32_t i = k->queue[k->head];

		k->head = (k->head + 1) % k->h->pages.n;
		k->n--;
		k->todo[i].waits = false;
		look_at_page(k, &k->h->pages.v[i]);
	}
	k->now = NULL;
}

static int mark_block(void *ctx, uint64_t addr, const uint64_t *words, size_t n)
{
	(void)addr;
	for (size_t i = 0; i < n; i++)
		reach(ctx, words[i]);
	return 0;
}

static int see_handles(void *ctx, uint64_t addr, const uint64_t *words, size_t n)
{
	(void)addr;
	return js_free_handles(ctx, words, n);
}

/* Blocks of handles are malloc()'s, and are in use up to a place that V8 notes. */
static int find_handles(struct js_heap *h)
{
	struct js_free found = { .blocks = h->stale.blocks };
	int r = js_each_block(h, false, see_handles, &found);

	for (size_t i = 0; i < found.free.n && r == 0; i++)
		r = vec_try_push(&h->stale.free, found.free.v[i]);
	vec_free(&found.free);
	js_free_sort(&h->stale);
	return r;
}

static int make(struct marker *k)
{
	const size_t n = k->h->pages.n;

	k->todo = calloc(n, sizeof(*k->todo));
	k->queue = calloc(n, sizeof(*k->queue));
	k->buf = malloc(js_page_buffer(k->h));
	if (!k->todo || !k->queue || !k->buf)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const size_t bits = js_page_bits(&k->h->pages.v[i]);

		k->todo[i].reached = calloc(bits, sizeof(uint64_t));
		k->todo[i].left = calloc(bits, sizeof(uint64_t));
		if (!k->todo[i].reached || !k->todo[i].left)
			return -ENOMEM;
	}
	return 0;
}

int js_mark(struct js_heap *h)
{
	struct marker k = { .h = h, .roots = true };
	int r = find_handles(h);

	if (r == 0)
		r = make(&k);

	for (size_t i = 0; i < h->js->core->threads.n && r == 0; i++)
		r = mark_block(&k, 0, h->js->core->threads.v[i].regs, CORE_NREGS);
	if (r == 0)
		r = js_each_block(h, true, mark_block, &k);
	k.roots = false;
	if (r == 0)
		r = js_each_block(h, false, mark_block, &k);
	if (r == 0)
		look_at_all(&k);
	for (size_t i = 0; k.todo && i < h->pages.n; i++) {
		free(k.todo[i].reached);
		free(k.todo[i].left);
	}
	free(k.todo);
	free(k.queue);
	free(k.buf);
	return r;
}
