/* SPDX-License-Identifier: Apache-2.0 */
/* Dominators, beside those found by taking each node away; sums along a tree. */
#include "unit.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "core/jsheap/dom.h"
#include "core/jsheap/flow.h"
#include "core/jsheap/sums.h"

#define MOST 120u
#define ROUNDS 4000u

struct graph {
	uint32_t n;
	js_arcs arcs;
};

static uint32_t seed = 1;

static uint32_t below(uint32_t n)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % n;
}

static void arc(struct graph *g, uint32_t from, uint32_t to)
{
	assert_int_equal(vec_try_push(&g->arcs, ((struct js_arc){ from, to })), 0);
}

static int each(void *graph, js_ref_fn *fn, void *ctx)
{
	const struct graph *g = graph;
	int r = 0;

	for (size_t i = 0; i < g->arcs.n && r == 0; i++)
		r = fn(ctx, g->arcs.v[i].from, g->arcs.v[i].to, 0);
	return r;
}

/* As heaps are: a tree, and `more` arcs of all kinds, of which some lead to few nodes. */
static struct graph make(uint32_t n, uint32_t more, uint32_t roots)
{
	struct graph g = { .n = n };
	const uint32_t stride = 1 + below(3);

	for (uint32_t i = 1; i < n; i++)
		if (below(20))
			arc(&g, below(3) ? i - 1 - below(i < stride ? i : stride) : below(i), i);
	for (uint32_t i = 0; i < more; i++) {
		const uint32_t from = below(n), to = 1 + below(below(2) ? n - 1 : n / 8 + 1);

		arc(&g, from ? from : to, to);
	}
	for (uint32_t i = 0; i < roots; i++)
		arc(&g, 0, 1 + below(n - 1));
	return g;
}

/* Marks the nodes that are reached without one of them; n: without none. */
static void reach(const struct graph *g, uint32_t without, bool *seen)
{
	bool more = without != 0;

	memset(seen, 0, g->n * sizeof(*seen));
	seen[0] = true;
	while (more) {
		more = false;
		for (size_t i = 0; i < g->arcs.n; i++) {
			const struct js_arc a = g->arcs.v[i];

			if (seen[a.from] && !seen[a.to] && a.to != without && a.from != without)
				seen[a.to] = more = true;
		}
	}
}

/* Whether a node is on the way from a node to the root in the tree. */
static bool is_above(const uint32_t *parent, uint32_t above, uint32_t i)
{
	for (unsigned k = 0; i && i != above; k++, i = parent[i])
		assert_true(k < MOST);
	return i == above;
}

static void compare(struct graph *g)
{
	bool all[MOST], seen[MOST], led[MOST] = { false };
	uint32_t parent[MOST];

	assert_int_equal(js_dominators(g->n, each, g, UINT32_MAX, parent), 0);
	assert_int_equal(parent[0], 0);
	for (size_t i = 0; i < g->arcs.n; i++)
		led[g->arcs.v[i].to] |= g->arcs.v[i].from != g->arcs.v[i].to;
	for (uint32_t i = 1; i < g->n; i++)
		if (!led[i])
			arc(g, 0, i);
	reach(g, g->n, all);
	for (uint32_t i = 1; i < g->n; i++) /* of a circle that nothing leads to, one is put below the root */
		if (!all[i] && !parent[i])
			arc(g, 0, i);
	reach(g, g->n, all);
	for (uint32_t i = 0; i < g->n; i++)
		assert_true(all[i] && is_above(parent, 0, i));
	for (uint32_t d = 1; d < g->n; d++) {
		reach(g, d, seen);
		for (uint32_t i = 1; i < g->n; i++)
			assert_int_equal(is_above(parent, d, i), !seen[i]);
	}
	vec_free(&g->arcs);
}

static void test_small(void **state)
{
	static const struct js_arc arcs[] = { { 0, 1 }, { 1, 2 }, { 1, 3 }, { 2, 4 }, { 3, 4 }, { 4, 5 },
					      { 5, 4 }, { 6, 7 }, { 7, 6 }, { 2, 8 }, { 0, 8 }, { 3, 3 } };
	static const uint32_t want[] = { 0, 0, 1, 1, 1, 4, 0, 6, 0 };
	struct graph g = { .n = 9 };
	uint32_t parent[9];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(arcs); i++)
		arc(&g, arcs[i].from, arcs[i].to);
	assert_int_equal(js_dominators(9, each, &g, UINT32_MAX, parent), 0);
	assert_memory_equal(parent, want, sizeof(want));
	vec_free(&g.arcs);
}

static void test_random(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ROUNDS; i++) {
		const uint32_t n = 2 + below(i % 100 ? 24 : MOST - 2);
		struct graph g = make(n, below(below(2) ? n : 3 * n), below(4));

		compare(&g);
	}
}

/* A long list, each node of which leads to one of its own and to a common one, as the table beside it does. */
static void test_long(void **state)
{
	const uint32_t n = 30000;
	struct graph g = { .n = 2 * n + 2 };
	_cleanup_free_ uint32_t *parent = malloc(g.n * sizeof(*parent));

	(void)state;
	assert_non_null(parent);
	for (uint32_t i = 1; i <= n; i++) {
		arc(&g, i - 1, i);
		arc(&g, i, n + i);
		arc(&g, n - i + 1, 2 * n + 1);
		if (i > 1)
			arc(&g, 1, n + i);
	}
	assert_int_equal(js_dominators(g.n, each, &g, UINT32_MAX, parent), 0);
	for (uint32_t i = 1; i <= n; i++) {
		assert_int_equal(parent[i], i - 1);
		assert_int_equal(parent[n + i], 1);
	}
	assert_int_equal(parent[2 * n + 1], 1);
	vec_free(&g.arcs);
}

/* No more arcs are kept than may be. */
static void test_limit(void **state)
{
	struct graph g = { .n = 5 };
	uint32_t parent[5];

	(void)state;
	for (uint32_t i = 1; i < 5; i++)
		for (uint32_t k = 1; k < 5; k++)
			arc(&g, i, k);
	arc(&g, 0, 1);
	assert_int_equal(js_dominators(5, each, &g, 10, parent), 0);
	assert_int_equal(js_dominators(5, each, &g, 9, parent), -E2BIG);
	vec_free(&g.arcs);
}

static void test_sums(void **state)
{
	enum { N = 1000 };
	uint32_t parent[N] = { 0 };
	uint64_t want[N];
	struct js_sums s;

	(void)state;
	assert_int_equal(js_sums_make(&s, N), 0);
	for (uint32_t i = 0; i < N; i++) { /* node 5 has hundreds of children, 400 … are a list downwards */
		parent[i] = i < 6 ? 0 : i < 400 ? 5 : i == N - 1 ? 3 : i + 1;
		want[i] = i % 50    ? 8 * (uint64_t)below(400)
			  : i % 100 ? 12345
				    : 8 * ((uint64_t)JSSUMS_LARGE + i / 50 - 9);
		assert_int_equal(js_sums_set(&s, i, want[i]), 0);
		assert_int_equal(js_sums_get(&s, i), want[i]);
	}
	assert_int_equal(js_sums_set(&s, 7, 8 * (uint64_t)JSSUMS_LARGE), 0);
	assert_int_equal(js_sums_set(&s, 7, want[7]), 0);
	assert_int_equal(js_sums_set(&s, 8, 8 * (uint64_t)(JSSUMS_LARGE - 1)), 0);
	assert_int_equal(js_sums_get(&s, 8), 8 * (uint64_t)(JSSUMS_LARGE - 1));
	assert_int_equal(js_sums_set(&s, 8, want[8]), 0);
	assert_int_equal(js_sums_add_up(&s, parent, N), 0);
	for (uint32_t i = 400; i < N - 1; i++)
		want[i + 1] += want[i];
	want[3] += want[N - 1];
	for (uint32_t i = 6; i < 400; i++)
		want[5] += want[i];
	for (uint32_t i = 1; i < 6; i++)
		want[0] += want[i];
	for (uint32_t i = 0; i < N; i++)
		assert_int_equal(js_sums_get(&s, i), want[i]);
	js_sums_done(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small), cmocka_unit_test(test_random), cmocka_unit_test(test_long),
		cmocka_unit_test(test_limit), cmocka_unit_test(test_sums),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
