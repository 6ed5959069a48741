/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the dominators of a graph of arcs: nodes get numbers in the order of a search, depth first. */
#include "core/jsheap/flow.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/vec.h"

/* Nodes by number at first, then by order. Arrays that are not needed at the same time are one. */
struct flow {
	uint32_t n;
	uint32_t *at, *to; /* lists: of node i, to[at[i]] … to[at[i + 1] - 1]; arcs out, later those in, by order */
	uint32_t *order;   /* of each node: when it was come to first; UINT32_MAX: not yet */
	uint32_t *semi;	   /* the same array */
	uint32_t *node;	   /* the reverse of order */
	uint32_t *up;	   /* from where it was come to; of a linked one, something above it */
	uint32_t *idom;	   /* before it is known, the next one in a bucket; during the search, where it goes on */
	uint32_t *label, *bucket;
	uint32_t found;
	uint32_t linked; /* those from this one on are */
	VEC(uint32_t) path;
};

static uint32_t *array(uint32_t n)
{
	return malloc(((size_t)n + 1) * sizeof(uint32_t));
}

/* Turns counts into the ends of lists. */
static void add_counts(uint32_t *at, uint32_t n)
{
	for (uint32_t i = 0, sum = 0; i <= n; i++) {
		sum += at[i];
		at[i] = sum;
	}
}

/* Lists of arcs out. */
static int list_out(struct flow *f, const js_arcs *arcs)
{
	f->at = calloc((size_t)f->n + 1, sizeof(*f->at));
	f->to = malloc((arcs->n + 1) * sizeof(*f->to));
	if (!f->at || !f->to)
		return -ENOMEM;
	for (size_t i = 0; i < arcs->n; i++)
		f->at[arcs->v[i].from]++;
	add_counts(f->at, f->n);
	for (size_t i = arcs->n; i-- > 0;)
		f->to[--f->at[arcs->v[i].from]] = arcs->v[i].to;
	return 0;
}

/* Lists of arcs in, by order, in place of those out. */
static int list_in(struct flow *f)
{
	uint32_t *at = calloc((size_t)f->n + 1, sizeof(*at));
	uint32_t *from = malloc(((size_t)f->at[f->n] + 1) * sizeof(*from));

	if (!at || !from) {
		free(at);
		free(from);
		return -ENOMEM;
	}
	for (uint32_t k = 0; k < f->at[f->n]; k++)
		at[f->order[f->to[k]]]++;
	add_counts(at, f->n);
	for (uint32_t i = 0; i < f->n; i++)
		for (uint32_t k = f->at[i]; k < f->at[i + 1]; k++)
			from[--at[f->order[f->to[k]]]] = f->order[i];
	free(f->at);
	free(f->to);
	f->at = at;
	f->to = from;
	return 0;
}

static void come_to(struct flow *f, uint32_t node, uint32_t parent)
{
	f->order[node] = f->found;
	f->node[f->found] = node;
	f->up[f->found++] = parent;
}

/* All that is reached from one. next: where each goes on. */
static void search(struct flow *f, uint32_t from, uint32_t *next)
{
	uint32_t now = from;

	for (;;) {
		if (next[now] < f->at[now + 1]) {
			const uint32_t to = f->to[next[now]++];

			if (f->order[to] == UINT32_MAX) {
				come_to(f, to, f->order[now]);
				now = to;
			}
		} else if (now == from) {
			return;
		} else {
			now = f->node[f->up[f->order[now]]];
		}
	}
}

static void search_from(struct flow *f, uint32_t i, uint32_t *next)
{
	if (f->order[i] == UINT32_MAX) {
		come_to(f, i, 0);
		search(f, i, next);
	}
}

static void search_all(struct flow *f, const uint64_t *held, uint32_t *next)
{
	memcpy(next, f->at, (size_t)f->n * sizeof(*next));
	memset(f->order, 0xff, (size_t)f->n * sizeof(*f->order));
	for (uint32_t i = 0; i < f->n; i++)
		if (!(held[i / 64] >> (i % 64) & 1))
			search_from(f, i, next);
	for (uint32_t i = 0; i < f->n; i++) /* none, if those that hold each other are not in it */
		search_from(f, i, next);
}

/* Shortens the way up from v, so that label is the one of the lowest semi on it. */
static int compress(struct flow *f, uint32_t v)
{
	f->path.n = 0;
	while (f->up[v] >= f->linked) {
		if (vec_try_push(&f->path, v) < 0)
			return -ENOMEM;
		v = f->up[v];
	}
	while (f->path.n) {
		const uint32_t w = f->path.v[--f->path.n], a = f->up[w];

		if (f->semi[f->label[a]] < f->semi[f->label[w]])
			f->label[w] = f->label[a];
		f->up[w] = f->up[a];
	}
	return 0;
}

static uint32_t eval(struct flow *f, uint32_t v, int *r)
{
	if (v < f->linked)
		return v;
	if (compress(f, v) < 0)
		*r = -ENOMEM;
	return f->label[v];
}

static int find_dominators(struct flow *f)
{
	int r = 0;

	for (uint32_t i = 0; i < f->n; i++) {
		f->semi[i] = f->label[i] = i;
		f->bucket[i] = UINT32_MAX;
	}
	f->linked = f->n;
	f->idom[0] = 0;
	for (uint32_t w = f->n - 1; w > 0 && r == 0; w--) {
		const uint32_t p = f->up[w];

		f->semi[w] = p;
		for (uint32_t i = f->at[w]; i < f->at[w + 1]; i++) {
			const uint32_t u = eval(f, f->to[i], &r);

			if (f->semi[u] < f->semi[w])
				f->semi[w] = f->semi[u];
		}
		f->idom[w] = f->bucket[f->semi[w]];
		f->bucket[f->semi[w]] = w;
		f->linked = w;
		for (uint32_t v = f->bucket[p], next; v != UINT32_MAX; v = next) {
			const uint32_t u = eval(f, v, &r);

			next = f->idom[v];
			f->idom[v] = f->semi[u] < f->semi[v] ? u : p;
		}
		f->bucket[p] = UINT32_MAX;
	}
	for (uint32_t w = 1; w < f->n; w++)
		if (f->idom[w] != f->semi[w])
			f->idom[w] = f->idom[f->idom[w]];
	return r;
}

/* Fills order, and lists of arcs in. */
static int order_nodes(struct flow *f, const uint64_t *held)
{
	f->order = array(f->n);
	f->node = array(f->n);
	f->up = array(f->n);
	f->idom = array(f->n);
	if (!f->order || !f->node || !f->up || !f->idom)
		return -ENOMEM;
	search_all(f, held, f->idom);
	return list_in(f);
}

int js_flow_dominators(uint32_t n, js_arcs *arcs, const uint64_t *held, uint32_t **idom)
{
	struct flow f = { .n = n };
	int r = list_out(&f, arcs);

	vec_free(arcs);
	if (r == 0)
		r = order_nodes(&f, held);
	f.label = array(n);
	f.bucket = array(n);
	if (r == 0)
		r = f.label && f.bucket ? 0 : -ENOMEM;
	f.semi = f.order;
	if (r == 0)
		r = find_dominators(&f);
	*idom = r == 0 ? f.label : NULL; /* not needed any more */
	for (uint32_t i = 0; i < n && r == 0; i++)
		(*idom)[f.node[i]] = f.node[f.idom[i]];
	if (r != 0)
		free(f.label);
	free(f.at);
	free(f.to);
	free(f.order);
	free(f.node);
	free(f.up);
	free(f.idom);
	free(f.bucket);
	vec_free(&f.path);
	return r;
}
