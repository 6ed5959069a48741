/* SPDX-License-Identifier: Apache-2.0 */
/* The graph of V8's heap, with a number for each object that is alive. Each object has a dominator: the object without
 * which it would be free. Number 0 is the root: all that is outside of V8's pages. */
#ifndef DWELL_CORE_JS_GRAPH_H
#define DWELL_CORE_JS_GRAPH_H
#include "core/jsheap/dom.h"
#include "core/jsheap/heap.h"
#include "core/jsheap/sums.h"

#define JSGRAPH_MAX (1u << 31) /* objects, and references between them */

struct js_graph {
	struct js_heap *h;
	uint32_t n;	    /* numbers: objects and the root */
	uint32_t *page;	    /* of each page: the number of its first object */
	uint32_t **rank;    /* of each 64 words of a page: objects of the page before them */
	uint32_t *parent;   /* its dominator; for the root 0 */
	struct js_sums sum; /* bytes of an object and of all that it dominates (js_graph_retained()) */
};

/* Numbers alone. 0, -E2BIG, -ENOMEM. js_graph_close() frees *ret. */
int js_graph_open(struct js_heap *h, struct js_graph **ret);
void js_graph_close(struct js_graph *g); /* accepts NULL */
/* 0: it is not alive. */
uint32_t js_graph_number(const struct js_graph *g, uint64_t object);
/* The reverse, of numbers other than 0. */
uint64_t js_graph_object(const struct js_graph *g, uint32_t number);

/* Calls fn for each reference of an object that keeps something alive, from and to numbers. From is its own; for an
 * entry of a WeakMap it is that of the key, which refers to the value. The place of an arc is where its word is in the
 * object, bytes; 0: its map, or a root. */
int js_graph_refs(struct js_graph *g, const struct js_object *o, js_ref_fn *fn, void *ctx);
/* Calls fn for the references of all objects, and for those of the root. */
int js_graph_each(struct js_graph *g, js_ref_fn *fn, void *ctx);

/* Fills parent and sum. 0, -E2BIG, -ENOMEM. */
int js_graph_dominate(struct js_graph *g);
/* Fills parent with the object before it on the shortest way from a global variable, or from another root if there
 * is none. Fills sum with the bytes of an object and of all objects that it is on the way to. The same results. */
int js_graph_shortest(struct js_graph *g);
/* Fills sum by parent. 0, -ENOMEM: parent and sum are freed. */
int js_graph_sum(struct js_graph *g);
/* The bytes of sum for one number. */
static inline uint64_t js_graph_retained(const struct js_graph *g, uint32_t number)
{
	return js_sums_get(&g->sum, number);
}
/* Bytes of an object, with those that it has outside of V8's pages (an ArrayBuffer). */
uint64_t js_graph_own(const struct js_graph *g, const struct js_object *o);
#endif
