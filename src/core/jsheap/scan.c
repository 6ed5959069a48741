/* SPDX-License-Identifier: Apache-2.0 */
/* Goes through V8's heap: calls a function for each object that is alive, by address, for each word of an object, and
 * for memory outside. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "core/jsheap/int.h"
#include "core/range.h"

#define CHUNK 65536u	 /* bytes that are read at once outside of pages, and of large objects */
#define HOLES (1u << 20) /* bytes: smaller holes of a core are read */
#define SMALL 4096u	 /* the same where part of them is missing */
#define RED_ZONE 128u	 /* bytes below the stack pointer that are used. Source: System V ABI of x86-64, 3.2.2 */

void js_fill(struct js_heap *h, uint64_t from, uint64_t to, uint8_t *buf)
{
	if (core_read_direct(h->js->core, from, buf, (size_t)(to - from)) == 0)
		return;
	while (from < to) {
		const uint64_t next = (from / SMALL + 1) * SMALL;
		const size_t n = (size_t)((next < to ? next : to) - from);

		if (core_read_direct(h->js->core, from, buf, n) < 0)
			memset(buf, 0, n);
		buf += n;
		from += n;
	}
}

/* -- words -- */

static int words_in(const uint8_t *bytes, uint64_t from, uint64_t to, uint64_t base, js_word_fn *fn, void *ctx)
{
	int r = 0;

	for (uint64_t at = from; at + JS_WORD <= to && r == 0; at += JS_WORD) {
		uint64_t w;

		memcpy(&w, bytes + (at - base), sizeof(w));
		r = v8_is_object(w) ? fn(ctx, w, at) : 0;
	}
	return r;
}

int js_heap_words(struct js_heap *h, const struct js_object *o, js_word_fn *fn, void *ctx)
{
	const uint64_t inside = o->have / JS_WORD * JS_WORD, end = o->end < inside ? o->end : inside;
	_cleanup_free_ uint8_t *buf = NULL;
	int r = o->first < end ? words_in(o->bytes, o->first, end, 0, fn, ctx) : 0;

	if (o->end <= inside || o->first >= o->end || r != 0)
		return r;
	buf = malloc(CHUNK);
	if (!buf)
		return -ENOMEM;
	for (uint64_t at = inside < o->first ? o->first : inside; at < o->end && r == 0;) {
		const uint64_t n = o->end - at < CHUNK ? o->end - at : CHUNK;

		js_fill(h, o->object - V8_TAG + at, o->object - V8_TAG + at + n, buf);
		r = words_in(buf, at, at + n, at, fn, ctx);
		at += n;
	}
	return r;
}

/* -- objects -- */

/* Calls fn for the objects in [from, to) of a page. buf has `have` of their bytes, from `from` on. */
static int each_in(struct js_heap *h, const struct js_page *p, uint64_t from, uint64_t to, const uint8_t *buf,
		   uint64_t have, js_object_fn *fn, void *ctx)
{
	const uint64_t last = (to - p->start) / JS_WORD;
	int r = 0;

	for (uint64_t i = (from - p->start) / JS_WORD; i < last && r == 0; i++) {
		const uint64_t bits = p->marks[i / 64] >> (i % 64), object = p->start + i * JS_WORD + V8_TAG;
		const uint64_t at = object - V8_TAG - from;
		struct js_map_info *m;
		struct js_extent e;
		uint64_t map;

		if (!bits) {
			i |= 63;
			continue;
		}
		if (!(bits & 1) || at + JS_WORD > have)
			continue;
		memcpy(&map, buf + at, sizeof(map));
		m = v8_is_object(map) ? js_map_info(h, map) : NULL;
		if (m && m->is_map &&
		    js_extent_of(h, object, m, buf + at, have - at, p->end - (object - V8_TAG), &e) == 0)
			r = fn(ctx, &(struct js_object){ object, m, m->type, e.size, e.first, e.end, buf + at,
							 have - at, p });
	}
	return r;
}

int js_heap_each(struct js_heap *h, js_object_fn *fn, void *ctx)
{
	_cleanup_free_ uint8_t *buf = malloc(js_page_buffer(h));
	int r = buf ? 0 : -ENOMEM;

	for (size_t i = 0; i < h->pages.n && r == 0; i++) {
		const struct js_page *p = &h->pages.v[i];
		const uint64_t n = js_page_large(p) ? JS_BUFFER : p->end - p->start;
		size_t k = 0;

		while (k < js_page_bits(p) && !p->marks[k])
			k++;
		if (k == js_page_bits(p))
			continue;
		js_fill(h, p->start, p->start + n, buf);
		r = each_in(h, p, p->start, p->start + n, buf, n, fn, ctx);
	}
	return r;
}

int js_heap_each_in(struct js_heap *h, uint64_t from, uint64_t to, js_object_fn *fn, void *ctx)
{
	const struct js_page *p = js_page_of(h, from);
	_cleanup_free_ uint8_t *buf = NULL;
	uint64_t n;

	if (!p || to > p->end || from >= to)
		return 0;
	n = p->end - from < JS_BUFFER ? p->end - from : JS_BUFFER;
	n = n < (to - from) + SMALL ? n : (to - from) + SMALL; /* and what the last one may have after it */
	buf = malloc((size_t)n);
	if (!buf)
		return -ENOMEM;
	js_fill(h, from, from + n, buf);
	return each_in(h, p, from, to, buf, n, fn, ctx);
}

/* -- outside of the pages -- */

/* Whether a segment is the stack of a thread: below it nothing is mapped, or what nobody may touch. */
static bool is_stack(const struct core *c, size_t i)
{
	const struct core_seg *s = &c->segs.v[i];

	return !i || c->segs.v[i - 1].end < s->start || !(c->segs.v[i - 1].flags & (PF_R | PF_W | PF_X));
}

/* Where the part of a segment begins that may hold roots: a stack has garbage below its stack pointer. */
static uint64_t used_from(const struct core *c, size_t i)
{
	const struct core_seg *s = &c->segs.v[i];
	uint64_t lowest = UINT64_MAX;

	for (size_t k = 0; k < c->threads.n; k++) {
		const struct core_thread *t = &c->threads.v[k];
		const uint64_t sp = t->regs[CORE_SP];

		if (t->has_regs && sp >= s->start + RED_ZONE && sp < s->end && sp < lowest)
			lowest = sp;
	}
	return lowest == UINT64_MAX || !is_stack(c, i) ? s->start : (lowest - RED_ZONE) & ~(uint64_t)(JS_WORD - 1);
}

int js_each_block(struct js_heap *h, bool sure, js_block_fn *fn, void *ctx)
{
	const struct core *c = h->js->core;
	_cleanup_free_ uint64_t *words = malloc(CHUNK);
	int r = words ? 0 : -ENOMEM;

	for (size_t i = 0; i < c->segs.n && r == 0; i++) {
		const struct core_seg *s = &c->segs.v[i];
		const uint64_t end = s->start + s->bytes;

		for (uint64_t at = s->flags & PF_W ? used_from(c, i) : end; at < end && r == 0;) {
			const struct js_page *p = range_at(h->pages.v, h->pages.n, sizeof(*h->pages.v), at);
			size_t n = end - at < CHUNK ? (size_t)(end - at) : CHUNK;

			if (p) {
				at = p->limit;
				continue;
			}
			if (at % HOLES == 0 && core_data_from(c, at, end) - at >= HOLES) {
				at = core_data_from(c, at, end) & ~(uint64_t)(HOLES - 1);
				continue;
			}
			n = n < CHUNK - at % CHUNK ? n : CHUNK - (size_t)(at % CHUNK); /* pages begin at multiples */
			if (core_read_direct(h->js->core, at, words, n) == 0) {
				js_free_blank(&h->stale.free, at, words, n / JS_WORD);
				if (sure)
					js_free_blank(&h->stale.small, at, words, n / JS_WORD);
				r = fn(ctx, at, words, n / JS_WORD);
			}
			at += n;
		}
	}
	return r;
}

struct finding_roots {
	uint64_t object;
	js_root_fn *fn;
	void *ctx;
};

static int find_root(void *ctx, uint64_t addr, const uint64_t *words, size_t n)
{
	const struct finding_roots *f = ctx;
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++)
		if (words[i] == f->object)
			r = f->fn(f->ctx, addr + i * JS_WORD);
	return r;
}

int js_heap_roots(struct js_heap *h, uint64_t object, js_root_fn *fn, void *ctx)
{
	struct finding_roots f = { object, fn, ctx };

	return js_each_block(h, false, find_root, &f);
}
