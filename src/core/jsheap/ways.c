/* SPDX-License-Identifier: Apache-2.0 */
/* Shortest ways to the heap's objects. Arrays have 4 bytes for each object, and 4 for each reference. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/walk.h"
#include "core/jsheap/graph.h"
#include "core/jsheap/path.h"

/* References out as lists: those of object i are to[at[i]] … to[at[i + 1] - 1]. */
struct lists {
	uint32_t *at, *to;
};

enum { OTHER, WAY, GLOBAL };

struct ways {
	struct js_graph *g;
	uint32_t n; /* of all */
	struct lists l;
	uint32_t *from;	  /* of each number: from where it was come to first; UINT32_MAX: not yet */
	uint32_t *number; /* in the order in which they were come to */
	uint32_t found;
	uint8_t *kind; /* of each number */
	bool too_many;
	uint64_t sum;
};

static int count(void *ctx, uint32_t from, uint32_t to, uint64_t at)
{
	struct ways *w = ctx;

	(void)to;
	(void)at;
	w->l.at[1 + from]++;
	if (++w->sum >= JSGRAPH_MAX) {
		w->too_many = true;
		return WALK_END;
	}
	return 0;
}

static int put(void *ctx, uint32_t from, uint32_t to, uint64_t at)
{
	struct ways *w = ctx;

	(void)at;
	if (w->l.at[from] < w->sum) /* a file that was changed meanwhile may have more */
		w->l.to[w->l.at[from]++] = to;
	return 0;
}

static int make_lists(struct ways *w)
{
	int r;

	w->l.at = calloc((size_t)w->n + 2, sizeof(uint32_t));
	r = w->l.at ? js_graph_each(w->g, count, w) : -ENOMEM;
	if (w->too_many)
		return -E2BIG;
	if (r == 0) {
		w->l.to = calloc((size_t)(w->sum + 1), sizeof(uint32_t));
		r = w->l.to ? 0 : -ENOMEM;
	}
	if (r < 0)
		return r;
	for (uint32_t i = 0; i < w->n; i++)
		w->l.at[i + 1] += w->l.at[i];
	r = js_graph_each(w->g, put, w);
	memmove(w->l.at + 1, w->l.at, (size_t)w->n * sizeof(uint32_t)); /* put() has moved each to the next one's */
	w->l.at[0] = 0;
	return r;
}

static void come_to(struct ways *w, uint32_t number, uint32_t from)
{
	w->from[number] = from;
	w->number[w->found++] = number;
}

static int take_kind(void *ctx, const struct js_object *o)
{
	struct ways *w = ctx;
	const uint32_t i = js_graph_number(w->g, o->object);

	if (i)
		w->kind[i] = o->type == w->g->h->js->o.type_cell ? GLOBAL
			     : js_path_way(w->g->h->js, o->type) ? WAY
								 : OTHER;
	return 0;
}

/* Goes on from all objects that were come to, in their order: to those of a kind from least on. */
static void spread(struct ways *w, uint32_t first, uint8_t least)
{
	for (uint32_t k = first; k < w->found; k++) {
		const uint32_t i = w->number[k];

		for (uint32_t at = w->l.at[i]; at < w->l.at[i + 1]; at++)
			if (w->from[w->l.to[at]] == UINT32_MAX && w->kind[w->l.to[at]] >= least)
				come_to(w, w->l.to[at], i);
	}
}

static void find_ways(struct ways *w)
{
	memset(w->from, 0xff, (size_t)w->n * sizeof(*w->from));
	come_to(w, 0, 0);
	for (uint32_t i = 1; i < w->n; i++)
		if (w->kind[i] == GLOBAL)
			come_to(w, i, 0);
	spread(w, 1, WAY);
	spread(w, 0, WAY);
	spread(w, 0, OTHER);
	for (uint32_t i = 1; i < w->n; i++) /* only weak references lead there */
		if (w->from[i] == UINT32_MAX)
			come_to(w, i, 0);
}

int js_graph_shortest(struct js_graph *g)
{
	struct ways w = { .g = g, .n = g->n, .kind = calloc(g->n, 1) };
	int r = w.kind ? js_heap_each(g->h, take_kind, &w) : -ENOMEM;

	w.from = malloc((size_t)w.n * sizeof(uint32_t));
	w.number = malloc((size_t)w.n * sizeof(uint32_t));
	if (r == 0)
		r = w.from && w.number ? make_lists(&w) : -ENOMEM;
	if (r == 0)
		find_ways(&w);
	free(w.l.at);
	free(w.l.to);
	free(w.number);
	free(w.kind);
	if (r != 0) {
		free(w.from);
		return r;
	}
	g->parent = w.from;
	return js_graph_sum(g);
}
