/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of processes: a forest laid out from the roots on, and which of its leaves share a row. Both take n log n steps,
 * also where one process has all the others as children. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "view/picture/timeline.h"

#define NONE UINT32_MAX

struct forest {
	struct tl_proc *p;
	uint32_t *first, *next; /* children by time */
	uint32_t *stack;
	uint32_t *mate; /* of a leaf: an earlier one whose row it shares, or NONE */
};

static int by_birth(const void *a, const void *b, void *arg)
{
	const struct tl_proc *p = arg, *x = &p[*(const uint32_t *)a], *y = &p[*(const uint32_t *)b];

	return x->from < y->from ? -1 : x->from > y->from ? 1 : *(const uint32_t *)a < *(const uint32_t *)b ? -1 : 1;
}

/* Processes of one parent and name are together, by birth. */
static int by_family(const void *a, const void *b, void *arg)
{
	const struct tl_proc *p = arg, *x = &p[*(const uint32_t *)a], *y = &p[*(const uint32_t *)b];
	int named = x->parent == y->parent ? strcmp(x->name, y->name) : 0;

	return x->parent != y->parent ? (x->parent < y->parent ? -1 : 1) : named ? named : by_birth(a, b, arg);
}

static bool one_family(const struct tl_proc *x, const struct tl_proc *y)
{
	return x->parent == y->parent && !strcmp(x->name, y->name);
}

struct row_end { /* a row of a family: a heap of these has the one that is free first at its top */
	uint64_t to;
	uint32_t last; /* the process with that row */
};

static void heap_push(struct row_end *h, size_t n, struct row_end x)
{
	for (; n && h[(n - 1) / 2].to > x.to; n = (n - 1) / 2)
		h[n] = h[(n - 1) / 2];
	h[n] = x;
}

static void heap_replace_top(struct row_end *h, size_t n, struct row_end x)
{
	size_t i = 0, k;

	for (; (k = 2 * i + 1) < n; i = k) {
		if (k + 1 < n && h[k + 1].to < h[k].to)
			k++;
		if (h[k].to >= x.to)
			break;
		h[i] = h[k];
	}
	h[i] = x;
}

/* Leaves take the row of another one of their parent and name that has ended. */
static int share_rows(struct forest *f, size_t n)
{
	_cleanup_free_ uint32_t *leaf = malloc((n + 1) * sizeof(*leaf));
	_cleanup_free_ struct row_end *heap = malloc((n + 1) * sizeof(*heap));
	size_t nleaves = 0, nrows = 0;

	if (!leaf || !heap)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		f->mate[i] = NONE;
		if (f->first[i] == NONE && f->p[i].parent != NONE)
			leaf[nleaves++] = (uint32_t)i;
	}
	qsort_r(leaf, nleaves, sizeof(*leaf), by_family, f->p);
	for (size_t i = 0; i < nleaves; i++) {
		const struct tl_proc *me = &f->p[leaf[i]];
		struct row_end x = { me->to, leaf[i] };

		if (i && !one_family(me, &f->p[leaf[i - 1]]))
			nrows = 0;
		if (nrows && heap[0].to <= me->from) {
			f->mate[leaf[i]] = heap[0].last;
			heap_replace_top(heap, nrows, x);
		} else {
			heap_push(heap, nrows++, x);
		}
	}
	return 0;
}

static void link_children(struct forest *f, const uint32_t *sorted, size_t n)
{
	for (size_t i = 0; i < n; i++)
		f->first[i] = f->next[i] = NONE;
	for (size_t i = n; i-- > 0;) {
		uint32_t me = sorted[i], parent = f->p[me].parent;

		if (parent == NONE)
			continue;
		f->next[me] = f->first[parent];
		f->first[parent] = me;
	}
}

/* Rows of a root and all that is below it; returns how many there are then. */
static uint32_t lay_root(const struct forest *f, uint32_t root, uint32_t rows)
{
	size_t depth = 0;

	/* the stack holds the path to the process that is laid out; each has a place of its own, so n are enough */
	f->stack[depth++] = root;
	while (depth) {
		uint32_t me = f->stack[depth - 1];

		f->p[me].depth = (unsigned)depth - 1;
		f->p[me].order = f->mate[me] == NONE ? rows++
						     : f->p[f->mate[me]].order; /* it is older, so it has been here */
		if (f->first[me] != NONE) {
			f->stack[depth++] = f->first[me];
			continue;
		}
		while (depth && f->next[f->stack[depth - 1]] == NONE)
			depth--;
		if (depth)
			f->stack[depth - 1] = f->next[f->stack[depth - 1]];
	}
	return rows;
}

long tl_tree(struct tl_proc *p, size_t n)
{
	_cleanup_free_ uint32_t *mem = malloc((5 * n + 1) * sizeof(*mem));
	struct forest f = { p, mem, mem + n, mem + 2 * n, mem + 3 * n };
	uint32_t *sorted = mem + 4 * n;
	uint32_t rows = 0;

	if (!mem)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		sorted[i] = (uint32_t)i;
	qsort_r(sorted, n, sizeof(*sorted), by_birth, p);
	link_children(&f, sorted, n);
	if (share_rows(&f, n) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (p[sorted[i]].parent == NONE)
			rows = lay_root(&f, sorted[i], rows);
	return rows;
}
