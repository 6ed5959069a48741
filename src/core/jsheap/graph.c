/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of objects, and the references between them. Source of what is weak: src/objects/{hash-table,js-weak-refs}.h.
 */
#include "core/jsheap/graph.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "core/jsheap/int.h"

int js_graph_open(struct js_heap *h, struct js_graph **ret)
{
	struct js_graph *g = calloc(1, sizeof(*g));
	uint64_t n = 1;

	if (!g)
		return -ENOMEM;
	g->h = h;
	g->page = calloc(h->pages.n + 1, sizeof(*g->page));
	g->rank = calloc(h->pages.n + 1, sizeof(*g->rank));
	if (!g->page || !g->rank || h->objects >= JSGRAPH_MAX) {
		js_graph_close(g);
		return h->objects >= JSGRAPH_MAX ? -E2BIG : -ENOMEM;
	}
	for (size_t i = 0; i < h->pages.n; i++) {
		const struct js_page *p = &h->pages.v[i];
		const size_t bits = js_page_large(p) ? 1 : js_page_bits(p);
		uint32_t before = 0;

		g->page[i] = (uint32_t)n;
		g->rank[i] = malloc(bits * sizeof(**g->rank));
		if (!g->rank[i]) {
			js_graph_close(g);
			return -ENOMEM;
		}
		for (size_t k = 0; k < bits; k++) {
			g->rank[i][k] = before;
			before += (uint32_t)__builtin_popcountll(p->marks[k]);
		}
		n += before;
	}
	g->page[h->pages.n] = g->n = (uint32_t)n;
	*ret = g;
	return 0;
}

void js_graph_close(struct js_graph *g)
{
	if (!g)
		return;
	for (size_t i = 0; g->rank && i < g->h->pages.n; i++)
		free(g->rank[i]);
	free(g->rank);
	free(g->page);
	free(g->parent);
	js_sums_done(&g->sum);
	free(g);
}

uint32_t js_graph_number(const struct js_graph *g, uint64_t object)
{
	const struct js_page *p = v8_is_object(object) ? js_page_of(g->h, object - V8_TAG) : NULL;
	const uint64_t at = p ? object - V8_TAG - p->start : 1, i = at / JS_WORD;
	const size_t k = p ? (size_t)(p - g->h->pages.v) : 0;

	if (at % JS_WORD || (i && js_page_large(p)) || !js_bit(p->marks, i))
		return 0;
	return g->page[k] + g->rank[k][i / 64] +
	       (uint32_t)__builtin_popcountll(p->marks[i / 64] & ((UINT64_C(1) << (i % 64)) - 1));
}

uint64_t js_graph_object(const struct js_graph *g, uint32_t number)
{
	size_t lo = 0, hi = g->h->pages.n, a = 0, b;
	const struct js_page *p;
	uint64_t bits;

	while (hi - lo > 1) {
		const size_t mid = lo + (hi - lo) / 2;

		if (g->page[mid] <= number)
			lo = mid;
		else
			hi = mid;
	}
	p = &g->h->pages.v[lo];
	number -= g->page[lo];
	for (b = js_page_large(p) ? 1 : js_page_bits(p); b - a > 1;) {
		const size_t mid = a + (b - a) / 2;

		if (g->rank[lo][mid] <= number)
			a = mid;
		else
			b = mid;
	}
	bits = p->marks[a];
	for (uint32_t k = number - g->rank[lo][a]; k; k--)
		bits &= bits - 1;
	return p->start + (a * 64 + (uint64_t)__builtin_ctzll(bits)) * JS_WORD + V8_TAG;
}

/* -- references -- */

struct walking {
	struct js_graph *g;
	js_ref_fn *fn;
	void *ctx;
	uint32_t from;
	uint64_t skip;	  /* a place whose word is weak; 0: none */
	uint64_t entries; /* where the entries of a hash table begin; 0: the object is no table */
	uint32_t key;	  /* of the entry, 0: none */
};

/* Follows an entry of a WeakMap: its value is alive while its key is. */
static int entry(struct walking *k, uint32_t to, uint64_t at)
{
	const bool is_value = (at - k->entries) / JS_WORD % 2;
	const uint32_t key = k->key;

	k->key = is_value ? 0 : to;
	return is_value && key ? k->fn(k->ctx, key, to, at) : 0;
}

static int word(void *ctx, uint64_t w, uint64_t at)
{
	struct walking *k = ctx;
	const uint32_t to = js_graph_number(k->g, w);

	if (k->entries && at >= k->entries)
		return entry(k, to, at);
	return to && at != k->skip ? k->fn(k->ctx, k->from, to, at) : 0;
}

int js_graph_refs(struct js_graph *g, const struct js_object *o, js_ref_fn *fn, void *ctx)
{
	const struct js *js = g->h->js;
	const uint32_t map = js_graph_number(g, o->m->map);
	struct walking k = { .g = g, .fn = fn, .ctx = ctx, .from = js_graph_number(g, o->object) };
	int r = map ? fn(ctx, k.from, map, 0) : 0;

	if (o->type == js->o.type_weakref)
		k.skip = (uint64_t)js->o.weakref_target;
	/* After a map and a length: how many there are, were deleted, fit. */
	if (o->type == js->o.type_ephemerons)
		k.entries = (uint64_t)js->l.array_data + 3 * (uint64_t)JS_WORD;
	return r ? r : js_heap_words(g->h, o, word, &k);
}

struct all {
	struct js_graph *g;
	js_ref_fn *fn;
	void *ctx;
};

static int object(void *ctx, const struct js_object *o)
{
	const struct all *a = ctx;
	int r = 0;

	if (js_heap_rooted(a->g->h, o->object))
		r = a->fn(a->ctx, 0, js_graph_number(a->g, o->object), 0);
	return r ? r : js_graph_refs(a->g, o, a->fn, a->ctx);
}

int js_graph_each(struct js_graph *g, js_ref_fn *fn, void *ctx)
{
	struct all a = { g, fn, ctx };

	return js_heap_each(g->h, object, &a);
}

uint64_t js_graph_own(const struct js_graph *g, const struct js_object *o)
{
	const struct js *js = g->h->js;
	uint64_t store, length;

	if (o->type != js->o.type_buffer || js_word(js, o->object, js->o.buffer_store, &store) < 0 || !store ||
	    js_word(js, o->object, js->o.buffer_length, &length) < 0 || length > JS_MAX_ELEMENTS * JS_WORD ||
	    !core_seg_at(js->core, store))
		return o->size;
	return o->size + length;
}

/* -- dominators -- */

static int take_size(void *ctx, const struct js_object *o)
{
	struct js_graph *g = ctx;
	const uint32_t i = js_graph_number(g, o->object);

	return i ? js_sums_set(&g->sum, i, js_graph_own(g, o)) : 0;
}

int js_graph_sum(struct js_graph *g)
{
	int r = js_sums_make(&g->sum, g->n);

	if (r == 0)
		r = js_heap_each(g->h, take_size, g);
	if (r == 0)
		r = js_sums_add_up(&g->sum, g->parent, g->n);
	if (r != 0) {
		js_sums_done(&g->sum);
		free(g->parent);
		g->parent = NULL;
	}
	return r;
}

static int each_ref(void *graph, js_ref_fn *fn, void *ctx)
{
	return js_graph_each(graph, fn, ctx);
}

int js_graph_dominate(struct js_graph *g)
{
	uint32_t *parent;
	int r;

	if (g->parent)
		return 0;
	parent = malloc((size_t)g->n * sizeof(*parent));
	r = parent ? js_dominators(g->n, each_ref, g, JSGRAPH_MAX, parent) : -ENOMEM;
	if (r != 0) {
		free(parent);
		return r;
	}
	g->parent = parent;
	return js_graph_sum(g);
}
