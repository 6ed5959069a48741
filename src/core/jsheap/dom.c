/* SPDX-License-Identifier: Apache-2.0 */
/* Dominators of the heap's objects. Source: T. Lengauer, R. E. Tarjan, A Fast Algorithm for Finding Dominators in a
 * Flowgraph, 1979: the simple form. Arrays have 4 bytes for each object, and 4 for each reference. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/walk.h"
#include "core/jsheap/graph.h"
#include "core/jsheap/int.h"
#include "core/jsheap/path.h"

typedef VEC(uint32_t) numbers;

/* References as lists: those of object i are to[at[i]] … to[at[i + 1] - 1]. */
struct lists {
	uint32_t *at, *to;
};

struct dom {
	struct js_graph *g;
	uint32_t n;	  /* of all */
	struct lists l;	  /* references out, later those in, by order */
	uint32_t *order;  /* of each number: when it was come to first; UINT32_MAX: not yet */
	uint32_t *number; /* the reverse */
	uint32_t *parent; /* these by order: from where it was come to */
	uint32_t *semi, *label, *up, *idom, *bucket, *next;
	uint32_t found;
	bool turned, too_many;
	uint64_t sum;
	numbers path;
};

static int count(void *ctx, uint32_t from, uint32_t to, uint64_t at)
{
	struct dom *d = ctx;

	(void)at;
	d->l.at[1 + (d->turned ? d->order[to] : from)]++;
	if (++d->sum >= JSGRAPH_MAX) {
		d->too_many = true;
		return WALK_END;
	}
	return 0;
}

static int put(void *ctx, uint32_t from, uint32_t to, uint64_t at)
{
	struct dom *d = ctx;
	const uint32_t i = d->turned ? d->order[to] : from;

	(void)at;
	if (d->l.at[i] < d->sum) /* a file that was changed meanwhile may have more */
		d->l.to[d->l.at[i]++] = d->turned ? d->order[from] : to;
	return 0;
}

/* Lists of references out, or, when all have an order, of those in. */
static int make_lists(struct dom *d)
{
	int r;

	free(d->l.at);
	free(d->l.to);
	d->sum = 0;
	d->l = (struct lists){ calloc((size_t)d->n + 2, sizeof(uint32_t)), NULL };
	r = d->l.at ? js_graph_each(d->g, count, d) : -ENOMEM;
	if (d->too_many)
		return -E2BIG;
	if (r == 0) {
		d->l.to = calloc((size_t)(d->sum + 1), sizeof(uint32_t));
		r = d->l.to ? 0 : -ENOMEM;
	}
	if (r < 0)
		return r;
	for (uint32_t i = 0; i < d->n; i++)
		d->l.at[i + 1] += d->l.at[i];
	r = js_graph_each(d->g, put, d);
	memmove(d->l.at + 1, d->l.at, (size_t)d->n * sizeof(uint32_t)); /* put() has moved each to the next one's */
	d->l.at[0] = 0;
	return r;
}

static void come_to(struct dom *d, uint32_t number, uint32_t parent)
{
	d->order[number] = d->found;
	d->number[d->found] = number;
	d->parent[d->found++] = parent;
}

/* All that is reached from one, depth first. next: where each goes on. */
static void search(struct dom *d, uint32_t from, uint32_t *next)
{
	uint32_t now = from;

	for (;;) {
		if (next[now] < d->l.at[now + 1]) {
			const uint32_t to = d->l.to[next[now]++];

			if (d->order[to] == UINT32_MAX) {
				come_to(d, to, d->order[now]);
				now = to;
			}
		} else if (now == from) {
			return;
		} else {
			now = d->number[d->parent[d->order[now]]];
		}
	}
}

static void search_all(struct dom *d, uint32_t *next)
{
	memcpy(next, d->l.at, (size_t)d->n * sizeof(*next));
	memset(d->order, 0xff, (size_t)d->n * sizeof(*d->order));
	come_to(d, 0, 0);
	search(d, 0, next);
	/* An object that only weak references lead to is put below the root. */
	for (uint32_t i = 1; i < d->n; i++) {
		if (d->order[i] == UINT32_MAX) {
			come_to(d, i, 0);
			search(d, i, next);
		}
	}
}

/* Shortens the way up from v, so that label is the one of the lowest semi on it. */
static int compress(struct dom *d, uint32_t v)
{
	d->path.n = 0;
	while (d->up[d->up[v]] != UINT32_MAX) {
		if (vec_try_push(&d->path, v) < 0)
			return -ENOMEM;
		v = d->up[v];
	}
	while (d->path.n) {
		const uint32_t w = d->path.v[--d->path.n], a = d->up[w];

		if (d->semi[d->label[a]] < d->semi[d->label[w]])
			d->label[w] = d->label[a];
		d->up[w] = d->up[a];
	}
	return 0;
}

static uint32_t eval(struct dom *d, uint32_t v, int *r)
{
	if (d->up[v] == UINT32_MAX)
		return v;
	if (compress(d, v) < 0)
		*r = -ENOMEM;
	return d->label[v];
}

static int find_dominators(struct dom *d)
{
	int r = 0;

	for (uint32_t i = 0; i < d->n; i++) {
		d->semi[i] = d->label[i] = i;
		d->up[i] = d->bucket[i] = UINT32_MAX;
		d->idom[i] = 0;
	}
	for (uint32_t w = d->n - 1; w > 0 && r == 0; w--) {
		const uint32_t p = d->parent[w];

		d->semi[w] = p;
		for (uint32_t i = d->l.at[w]; i < d->l.at[w + 1]; i++) {
			const uint32_t u = eval(d, d->l.to[i], &r);

			if (d->semi[u] < d->semi[w])
				d->semi[w] = d->semi[u];
		}
		d->next[w] = d->bucket[d->semi[w]];
		d->bucket[d->semi[w]] = w;
		d->up[w] = p;
		for (uint32_t v = d->bucket[p]; v != UINT32_MAX; v = d->next[v]) {
			const uint32_t u = eval(d, v, &r);

			d->idom[v] = d->semi[u] < d->semi[v] ? u : p;
		}
		d->bucket[p] = UINT32_MAX;
	}
	for (uint32_t w = 1; w < d->n; w++)
		if (d->idom[w] != d->semi[w])
			d->idom[w] = d->idom[d->idom[w]];
	return r;
}

static int take_size(void *ctx, const struct js_object *o)
{
	struct js_graph *g = ctx;
	const uint32_t i = js_graph_number(g, o->object);

	if (i)
		g->retained[i] = js_graph_own(g, o);
	return 0;
}

/* Fills the caller's arrays, by the numbers of objects. */
static int give(struct dom *d)
{
	struct js_graph *g = d->g;
	int r;

	g->parent = malloc((size_t)d->n * sizeof(*g->parent));
	g->retained = calloc(d->n, sizeof(*g->retained));
	r = g->parent && g->retained ? js_heap_each(g->h, take_size, g) : -ENOMEM;
	for (uint32_t i = 0; i < d->n && r == 0; i++)
		g->parent[d->number[i]] = d->number[d->idom[i]];
	for (uint32_t i = d->n - 1; i > 0 && r == 0; i--)
		g->retained[d->number[d->idom[i]]] += g->retained[d->number[i]];
	return r;
}

static uint32_t *array(const struct dom *d)
{
	return malloc(((size_t)d->n + 1) * sizeof(uint32_t));
}

static int run(struct dom *d)
{
	uint32_t *next = array(d);
	int r;

	d->order = array(d);
	d->number = array(d);
	d->parent = array(d);
	r = next && d->order && d->number && d->parent ? make_lists(d) : -ENOMEM;
	if (r == 0)
		search_all(d, next);
	d->next = next;
	d->turned = true;
	if (r == 0)
		r = make_lists(d);
	free(d->order);
	d->order = NULL;
	d->semi = array(d);
	d->label = array(d);
	d->up = array(d);
	d->idom = array(d);
	d->bucket = array(d);
	if (r == 0)
		r = d->semi && d->label && d->up && d->idom && d->bucket ? find_dominators(d) : -ENOMEM;
	return r;
}

int js_graph_dominate(struct js_graph *g)
{
	struct dom d = { .g = g, .n = g->n };
	int r = g->parent ? 0 : run(&d);

	free(d.semi);
	free(d.label);
	free(d.up);
	free(d.bucket);
	free(d.next);
	free(d.parent);
	free(d.l.at);
	free(d.l.to);
	vec_free(&d.path);
	if (r == 0 && !g->parent)
		r = give(&d);
	free(d.order);
	free(d.number);
	free(d.idom);
	return r;
}

/* -- shortest ways -- */

enum { OTHER, WAY, GLOBAL };

struct ways {
	struct dom d;
	uint8_t *kind; /* of each number */
};

static int take_kind(void *ctx, const struct js_object *o)
{
	struct ways *w = ctx;
	const uint32_t i = js_graph_number(w->d.g, o->object);

	if (i)
		w->kind[i] = o->type == w->d.g->h->js->o.type_cell ? GLOBAL
			     : js_path_way(w->d.g->h->js, o->type) ? WAY
								   : OTHER;
	return 0;
}

/* Goes on from all objects that were come to, in their order: to those of a kind from least on. */
static void spread(struct ways *w, uint32_t first, uint8_t least)
{
	struct dom *d = &w->d;

	for (uint32_t k = first; k < d->found; k++) {
		const uint32_t i = d->number[k];

		for (uint32_t at = d->l.at[i]; at < d->l.at[i + 1]; at++)
			if (d->order[d->l.to[at]] == UINT32_MAX && w->kind[d->l.to[at]] >= least)
				come_to(d, d->l.to[at], k);
	}
}

static void find_ways(struct ways *w)
{
	struct dom *d = &w->d;

	memset(d->order, 0xff, (size_t)d->n * sizeof(*d->order));
	come_to(d, 0, 0);
	for (uint32_t i = 1; i < d->n; i++)
		if (w->kind[i] == GLOBAL)
			come_to(d, i, 0);
	spread(w, 1, WAY);
	spread(w, 0, WAY);
	spread(w, 0, OTHER);
	for (uint32_t i = 1; i < d->n; i++) /* only weak references lead there */
		if (d->order[i] == UINT32_MAX)
			come_to(d, i, 0);
}

int js_graph_shortest(struct js_graph *g)
{
	struct ways w = { .d = { .g = g, .n = g->n }, .kind = calloc(g->n, 1) };
	struct dom *d = &w.d;
	int r = w.kind ? js_heap_each(g->h, take_kind, &w) : -ENOMEM;

	d->order = array(d);
	d->number = array(d);
	d->parent = array(d);
	if (r == 0)
		r = d->order && d->number && d->parent ? make_lists(d) : -ENOMEM;
	if (r == 0)
		find_ways(&w);
	d->idom = d->parent;
	if (r == 0)
		r = give(d);
	free(d->l.at);
	free(d->l.to);
	free(d->order);
	free(d->number);
	free(d->parent);
	free(w.kind);
	return r;
}
