/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a tree of changed stacks: takes each stack out of one tree, changes it, and adds it to another. */
#include "view/stack/stackxform.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"

struct xform {
	const struct stacktree *from;
	uint32_t *map; /* frame of `from` to frame of the new trees, plus one; 0: not yet */
	uint32_t path[STACKTREE_MAX_DEPTH];
};

static uint32_t map_frame(struct xform *x, struct stacktree *to, uint32_t frame)
{
	if (!x->map[frame]) {
		struct stack_frame f = stacktree_get_frame(x->from, frame);

		x->map[frame] = stacktree_frame_of(to, &f) + 1;
	}
	return x->map[frame] - 1;
}

static void turn(uint32_t *v, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		uint32_t x = v[i];

		v[i] = v[n - 1 - i];
		v[n - 1 - i] = x;
	}
}

static bool has_self(const struct stacktree *t, uint32_t node)
{
	for (unsigned w = 0; w < stacktree_nweights(t); w++)
		if (stacktree_self(t, node, w))
			return true;
	return false;
}

/* Puts n frames of the old tree into the new one with the weights of an old node. */
static void put(struct xform *x, struct stacktree *to, const uint32_t *path, size_t n, uint32_t node)
{
	uint32_t at = stacktree_stack(to, path, n);

	for (unsigned w = 0; w < stacktree_nweights(to); w++)
		stacktree_add(to, at, w, stacktree_self(x->from, node, w));
}

static int begin(struct xform **ret, const struct stacktree *t)
{
	struct xform *x = calloc(1, sizeof(*x));

	if (x)
		x->map = calloc(stacktree_nframes(t) + 1, sizeof(*x->map));
	if (!x || !x->map) {
		free(x);
		return -ENOMEM;
	}
	x->from = t;
	*ret = x;
	return 0;
}

static void end(struct xform *x)
{
	free(x->map);
	free(x);
}

static int give(struct stacktree *t, struct stacktree **ret)
{
	int e = stacktree_error(t);

	if (e < 0)
		stacktree_free(t);
	else
		*ret = t;
	return e;
}

int stackxform_reverse(const struct stacktree *t, struct stacktree **ret)
{
	struct stacktree *to;
	struct xform *x;
	int e = stacktree_new(stacktree_nweights(t), &to);

	if (e == 0 && (e = begin(&x, t)) < 0)
		stacktree_free(to);
	if (e < 0)
		return e;
	for (size_t i = 0; i < stacktree_nnodes(t); i++) {
		size_t n;

		if (!has_self(t, (uint32_t)i))
			continue;
		n = stacktree_path(t, (uint32_t)i, x->path);
		for (size_t k = 0; k < n; k++)
			x->path[k] = map_frame(x, to, x->path[k]);
		turn(x->path, n);
		put(x, to, x->path, n, (uint32_t)i);
	}
	end(x);
	return give(to, ret);
}

static void sandwich_node(struct xform *x, const char *function, struct stacktree *callers, struct stacktree *callees,
			  uint32_t node)
{
	size_t n = stacktree_path(x->from, node, x->path), at = 0;

	while (at < n && strcmp(stacktree_get_frame(x->from, x->path[at]).name, function) != 0)
		at++;
	if (at == n)
		return;
	/* Both trees get the same frames in the same order, so that one map serves them. */
	for (size_t k = 0; k < n; k++) {
		struct stack_frame f = stacktree_get_frame(x->from, x->path[k]);
		bool known = x->map[x->path[k]] != 0;

		x->path[k] = map_frame(x, callers, x->path[k]);
		if (!known)
			stacktree_frame_of(callees, &f);
	}
	put(x, callees, x->path + at, n - at, node);
	turn(x->path, at + 1);
	put(x, callers, x->path, at + 1, node);
}

int stackxform_sandwich(const struct stacktree *t, const char *function, struct stacktree **ret_callers,
			struct stacktree **ret_callees)
{
	struct stacktree *callers = NULL, *callees = NULL;
	struct xform *x = NULL;
	int e = begin(&x, t);

	if (e == 0)
		e = stacktree_new(stacktree_nweights(t), &callers);
	if (e == 0)
		e = stacktree_new(stacktree_nweights(t), &callees);
	for (size_t i = 0; e == 0 && i < stacktree_nnodes(t); i++)
		if (has_self(t, (uint32_t)i))
			sandwich_node(x, function, callers, callees, (uint32_t)i);
	if (e == 0)
		e = stacktree_error(callers) ? stacktree_error(callers) : stacktree_error(callees);
	if (e == 0 && stacktree_nnodes(callees) == 1)
		e = -ENOENT;
	if (x)
		end(x);
	if (e < 0) {
		stacktree_free(callers);
		stacktree_free(callees);
		return e;
	}
	*ret_callers = callers;
	*ret_callees = callees;
	return 0;
}
