/* SPDX-License-Identifier: Apache-2.0 */
/* Dominators of a large graph. It goes through all arcs four times: to find the holder of each node, where joint nodes
 * are led to, the arcs of the core, and the joint nodes outside of it. */
#include "core/jsheap/dom.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/vec.h"
#include "core/jsheap/flow.h"
#include "core/jsheap/int.h"

#define NONE UINT32_MAX
#define BACK_STEPS 16u /* that are gone upwards to see whether a holder is held by what it leads to */

/* A set of nodes, with numbers in their order. */
struct subset {
	uint64_t *bits;
	uint32_t *rank; /* of each 64 nodes: how many are before them */
	uint32_t n;
};

struct dom {
	uint32_t n, max;
	js_refs_fn *each;
	void *graph;
	uint32_t *parent; /* the only holder, or the first one of a joint node; at last the dominator */
	uint64_t *rooted; /* the root leads there, so nothing else matters */
	uint64_t *joint;
	struct subset leads; /* those that lead to a joint node, themselves or through what they alone hold */
	struct subset core;
	js_arcs arcs;		/* of the core */
	uint32_t *depth, *jump; /* of `leads`, by number: arcs from the root; a node further above */
	VEC(uint32_t) path;
};

static uint32_t rank_of(const struct subset *s, uint32_t i)
{
	const uint64_t before = s->bits[i / 64] & ((UINT64_C(1) << (i % 64)) - 1);

	return s->rank[i / 64] + (uint32_t)__builtin_popcountll(before);
}

static size_t words_of(const struct dom *d)
{
	return (size_t)d->n / 64 + 1;
}

static int make_rank(const struct dom *d, struct subset *s)
{
	s->rank = malloc(words_of(d) * sizeof(*s->rank));
	if (!s->rank)
		return -ENOMEM;
	for (size_t k = 0; k < words_of(d); k++) {
		s->rank[k] = s->n;
		s->n += (uint32_t)__builtin_popcountll(s->bits[k]);
	}
	return 0;
}

/* -- holders -- */

static int see_holder(void *ctx, uint32_t from, uint32_t to, uint64_t at)
{
	struct dom *d = ctx;

	(void)at;
	if (!from) {
		js_set_bit(d->rooted, to);
		d->parent[to] = 0;
	} else if (from != to && !js_bit(d->rooted, to)) {
		if (d->parent[to] == NONE)
			d->parent[to] = from;
		else if (d->parent[to] != from)
			js_set_bit(d->joint, to);
	}
	return 0;
}

static void put_below_root(struct dom *d, uint32_t i)
{
	d->parent[i] = 0;
	js_set_bit(d->rooted, i);
}

static bool goes_on(const struct dom *d, const uint64_t *seen, uint32_t i)
{
	return i && !js_bit(d->joint, i) && !js_bit(seen, i);
}

/* Nodes that hold each other, and that nothing else holds: the lowest one is put below the root. */
static void break_circle(struct dom *d, uint32_t i)
{
	uint32_t lowest = i;

	for (uint32_t k = d->parent[i]; k != i; k = d->parent[k])
		lowest = k < lowest ? k : lowest;
	put_below_root(d, lowest);
}

/* After this the way from a node to its holder, and so on, ends at a joint node or at the root. */
static int break_circles(struct dom *d)
{
	uint64_t *seen = calloc(words_of(d), sizeof(*seen)), *done = calloc(words_of(d), sizeof(*done));

	for (uint32_t i = 1; i < d->n && seen && done; i++) {
		uint32_t end = i;

		for (; goes_on(d, seen, end); end = d->parent[end])
			js_set_bit(seen, end);
		const bool circle = goes_on(d, done, end);

		for (uint32_t k = i; goes_on(d, done, k); k = d->parent[k])
			js_set_bit(done, k);
		if (circle)
			break_circle(d, end);
	}
	const int r = seen && done ? 0 : -ENOMEM;

	free(seen);
	free(done);
	return r;
}

static int find_holders(struct dom *d)
{
	int r;

	memset(d->parent, 0xff, (size_t)d->n * sizeof(*d->parent));
	d->parent[0] = 0;
	r = d->each(d->graph, see_holder, d);
	if (r != 0)
		return r;
	d->parent[0] = 0;
	for (size_t k = 0; k < words_of(d); k++)
		d->joint[k] &= ~d->rooted[k];
	d->joint[0] &= ~UINT64_C(1);
	for (uint32_t i = 1; i < d->n; i++)
		if (d->parent[i] == NONE)
			put_below_root(d, i);
	return break_circles(d);
}

/* -- the core -- */

/* Whether a holder is held by the joint node that it leads to: then it does not matter. */
static bool leads_back(const struct dom *d, uint32_t from, uint32_t to)
{
	for (unsigned k = 0; k < BACK_STEPS && from != to; k++) {
		if (!from || js_bit(d->joint, from))
			return false;
		from = d->parent[from];
	}
	return from == to;
}

/* Adds a node and those that hold it, up to a joint one, to a set. The root is in all sets. */
static void add_upwards(const struct dom *d, uint64_t *bits, uint32_t i)
{
	while (!js_bit(bits, i)) {
		js_set_bit(bits, i);
		if (js_bit(d->joint, i))
			return;
		i = d->parent[i];
	}
}

static int see_joint(void *ctx, uint32_t from, uint32_t to, uint64_t at)
{
	struct dom *d = ctx;

	(void)at;
	if (js_bit(d->joint, to) && !leads_back(d, from, to))
		add_upwards(d, d->leads.bits, from);
	return 0;
}

static int keep_arc(void *ctx, uint32_t from, uint32_t to, uint64_t at)
{
	struct dom *d = ctx;

	(void)at;
	/* A file that was changed meanwhile may have arcs that were not there before. */
	if (!js_bit(d->joint, to) || !js_bit(d->leads.bits, to) || !js_bit(d->leads.bits, from) ||
	    leads_back(d, from, to))
		return 0;
	if (d->arcs.n >= d->max)
		return -E2BIG;
	add_upwards(d, d->core.bits, from);
	return vec_try_push(&d->arcs, ((struct js_arc){ from, to }));
}

/* The node of a set after node i; d->n: there is none. */
static uint32_t next_in(const struct dom *d, const struct subset *s, uint32_t i)
{
	for (i++; i < d->n; i = (i / 64 + 1) * 64) {
		const uint64_t bits = s->bits[i / 64] >> (i % 64);

		if (bits)
			return i + (uint32_t)__builtin_ctzll(bits);
	}
	return d->n;
}

/* Arcs by numbers of the core, and those from the only holders; bits for what has one. */
static int number_arcs(struct dom *d, uint64_t *held)
{
	for (size_t k = 0; k < d->arcs.n; k++) {
		d->arcs.v[k].from = rank_of(&d->core, d->arcs.v[k].from);
		d->arcs.v[k].to = rank_of(&d->core, d->arcs.v[k].to);
	}
	for (uint32_t i = next_in(d, &d->core, 0); i < d->n; i = next_in(d, &d->core, i)) {
		const struct js_arc a = { rank_of(&d->core, d->parent[i]), rank_of(&d->core, i) };

		if (js_bit(d->joint, i))
			continue;
		js_set_bit(held, a.to);
		if (d->arcs.n >= d->max)
			return -E2BIG;
		if (vec_try_push(&d->arcs, a) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* Makes the dominators of the core's nodes, by their numbers, those of all nodes. */
static int take_dominators(struct dom *d, const uint32_t *idom)
{
	uint32_t *node = malloc(d->core.n * sizeof(*node)), k = 0;

	if (!node)
		return -ENOMEM;
	for (uint32_t i = 0; i < d->n; i = next_in(d, &d->core, i))
		node[k++] = i;
	for (k = 1; k < d->core.n; k++)
		d->parent[node[k]] = node[idom[k]];
	free(node);
	return 0;
}

static int solve_core(struct dom *d)
{
	uint64_t *held = calloc(words_of(d), sizeof(*held));
	uint32_t *idom = NULL;
	int r = held ? make_rank(d, &d->core) : -ENOMEM;

	if (r == 0)
		r = number_arcs(d, held);
	if (r == 0)
		r = js_flow_dominators(d->core.n, &d->arcs, held, &idom);
	if (r == 0)
		r = take_dominators(d, idom);
	free(held);
	free(idom);
	return r;
}

static int find_core(struct dom *d)
{
	int r;

	js_set_bit(d->leads.bits, 0);
	js_set_bit(d->core.bits, 0);
	r = d->each(d->graph, see_joint, d);
	for (size_t k = 0; k < words_of(d); k++)
		d->core.bits[k] |= d->leads.bits[k] & d->joint[k];
	if (r == 0)
		r = d->each(d->graph, keep_arc, d);
	return r ? r : solve_core(d);
}

/* -- the others -- */

/* Depths, and for each node one further above, so that many steps are few. Source: E. W. Myers, An applicative
 * random-access stack, 1983. */
static int set_depth(struct dom *d, uint32_t i)
{
	const struct subset *s = &d->leads;

	d->path.n = 0;
	for (; d->depth[rank_of(s, i)] == NONE; i = d->parent[i])
		if (vec_try_push(&d->path, i) < 0)
			return -ENOMEM;
	while (d->path.n) {
		const uint32_t v = rank_of(s, d->path.v[--d->path.n]), up = d->parent[d->path.v[d->path.n]];
		const uint32_t p = rank_of(s, up), j = rank_of(s, d->jump[p]), jj = rank_of(s, d->jump[j]);
		const bool twice = d->depth[p] - d->depth[j] == d->depth[j] - d->depth[jj];

		d->depth[v] = d->depth[p] + 1;
		d->jump[v] = twice ? d->jump[j] : up;
	}
	return 0;
}

static int set_depths(struct dom *d)
{
	int r = make_rank(d, &d->leads);

	if (r == 0) {
		d->depth = malloc(d->leads.n * sizeof(*d->depth));
		d->jump = calloc(d->leads.n, sizeof(*d->jump));
		r = d->depth && d->jump ? 0 : -ENOMEM;
	}
	if (r < 0)
		return r;
	memset(d->depth, 0xff, d->leads.n * sizeof(*d->depth));
	d->depth[0] = 0;
	for (uint32_t i = next_in(d, &d->leads, 0); i < d->n && r == 0; i = next_in(d, &d->leads, i))
		r = set_depth(d, i);
	return r;
}

static uint32_t depth_of(const struct dom *d, uint32_t i)
{
	return d->depth[rank_of(&d->leads, i)];
}

/* The lowest node above both, or one of them. */
static uint32_t above_both(const struct dom *d, uint32_t a, uint32_t b)
{
	if (depth_of(d, a) < depth_of(d, b)) {
		const uint32_t swap = a;

		a = b;
		b = swap;
	}
	for (const uint32_t to = depth_of(d, b); depth_of(d, a) > to;) {
		const uint32_t j = d->jump[rank_of(&d->leads, a)];

		a = depth_of(d, j) < to ? d->parent[a] : j;
	}
	while (a != b) {
		const uint32_t ja = d->jump[rank_of(&d->leads, a)], jb = d->jump[rank_of(&d->leads, b)];

		a = ja == jb ? d->parent[a] : ja;
		b = ja == jb ? d->parent[b] : jb;
	}
	return a;
}

static int see_end(void *ctx, uint32_t from, uint32_t to, uint64_t at)
{
	struct dom *d = ctx;

	(void)at;
	if (!js_bit(d->joint, to) || js_bit(d->leads.bits, to) || !js_bit(d->leads.bits, from) ||
	    leads_back(d, from, to))
		return 0;
	d->parent[to] = d->parent[to] == NONE ? from : above_both(d, d->parent[to], from);
	return 0;
}

static int find_others(struct dom *d)
{
	int r = set_depths(d);

	for (uint32_t i = 1; i < d->n && r == 0; i++)
		if (js_bit(d->joint, i) && !js_bit(d->leads.bits, i))
			d->parent[i] = NONE;
	if (r == 0)
		r = d->each(d->graph, see_end, d);
	for (uint32_t i = 1; i < d->n && r == 0; i++)
		if (d->parent[i] == NONE)
			d->parent[i] = 0;
	return r;
}

int js_dominators(uint32_t n, js_refs_fn *each, void *graph, uint32_t max, uint32_t *parent)
{
	struct dom d = { .n = n, .max = max, .each = each, .graph = graph, .parent = parent };
	uint64_t **const bits[] = { &d.rooted, &d.joint, &d.leads.bits, &d.core.bits };
	int r = 0;

	for (size_t i = 0; i < sizeof(bits) / sizeof(*bits); i++) {
		*bits[i] = calloc(words_of(&d), sizeof(uint64_t));
		r = *bits[i] ? r : -ENOMEM;
	}
	if (r == 0)
		r = find_holders(&d);
	if (r == 0)
		r = find_core(&d);
	if (r == 0)
		r = find_others(&d);
	for (size_t i = 0; i < sizeof(bits) / sizeof(*bits); i++)
		free(*bits[i]);
	free(d.leads.rank);
	free(d.core.rank);
	free(d.depth);
	free(d.jump);
	vec_free(&d.arcs);
	vec_free(&d.path);
	return r;
}
