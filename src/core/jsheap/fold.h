/* SPDX-License-Identifier: Apache-2.0 */
/* Folds the objects of V8's heap into a tree. A parent is the object's dominator, or the object before it on a shortest
 * path from a root. Objects are one node if they and their parents, up to the root, have the same constructors. In a
 * linked list, equal constructors in a row count as one. An object that only V8 sees is part of its parent. Private to
 * core/. */
#ifndef DWELL_CORE_JS_FOLD_H
#define DWELL_CORE_JS_FOLD_H
#include "core/jsheap/graph.h"

#define JSFOLD_MAX_NODES 1000000u /* objects of further ones count for what keeps them */
#define JSFOLD_MAX_DEPTH 64u	  /* names of a chain; the same */
#define JSFOLD_NONE UINT32_MAX

struct js_fold_node {
	uint32_t up, depth;
	uint32_t last;	  /* of those below it, the one that was asked for last; 0: none */
	uint32_t sample;  /* the number of one object of this name; 0: none */
	const char *name; /* of struct js_fold; equal ones are at the same address */
	int64_t objects;  /* of this name */
	int64_t bytes;	  /* of its objects themselves */
};

struct js_fold_label;
struct js_fold_name;
struct js_fold_place;
struct js_fold {
	struct js_graph *g;		/* not owned */
	VEC(struct js_fold_node) nodes; /* those above come first; 0: the roots */
	uint32_t *of;			/* of each number: its node */
	struct js_fold_place *places;	/* nodes by the one above and the name */
	struct js_fold_name *names;	/* by text */
	struct js_fold_label *labels;	/* by map */
	struct js_fold_label *label;	/* of the object before */
};

/* Folds g by its parents, which are there. 0 or -ENOMEM; js_fold_done() frees *f also then. */
int js_fold_make(struct js_fold *f, struct js_graph *g);
void js_fold_done(struct js_fold *f);
/* The node of a name below another; JSFOLD_NONE: there is none. */
uint32_t js_fold_below(const struct js_fold *f, uint32_t up, const char *name);
#endif
