/* SPDX-License-Identifier: Apache-2.0 */
/* Describes the reference from one object to another in the words of the program, such as a property or a variable:
 * inside of core/. */
#ifndef DWELL_CORE_JS_EDGE_H
#define DWELL_CORE_JS_EDGE_H
#include "core/jsheap/heap.h"

enum js_edge_kind {
	JS_EDGE_PROPERTY,
	JS_EDGE_ELEMENT,
	JS_EDGE_KEY,	  /* of a Map */
	JS_EDGE_VALUE,	  /* of a Map */
	JS_EDGE_ENTRY,	  /* of a Set */
	JS_EDGE_VARIABLE, /* of closures */
	JS_EDGE_GLOBAL,	  /* variable or property of globalThis */
	JS_EDGE_INTERNAL, /* a word that programs do not see */
};
struct js_edge {
	enum js_edge_kind kind;
	uint64_t holder;
	const char *name; /* NULL: index is it */
	uint64_t index;
	uint64_t value; /* tagged */
};
/* "element", "value of its Map", ... */
const char *js_edge_word(enum js_edge_kind k);
/* 0 goes on; WALK_END (base/walk.h) or -errno ends. */
typedef int js_edge_fn(void *ctx, const struct js_edge *e);
/* Calls fn for each edge of the object `holder` to the object `to`; with to = 0 for every edge that a program can see.
 * An object that refers to `to` only in a way that programs cannot see has one edge JS_EDGE_INTERNAL. */
int js_edges(struct js_heap *h, uint64_t holder, uint64_t to, js_edge_fn *fn, void *ctx);
/* Whether programs know objects of that type as holders: objects, scopes of closures, global variables. */
bool js_edge_known(const struct js *js, int type);
/* The name of a variable of a context: the locals of its scope, in their order. */
void js_variable_name(const struct js *js, uint64_t context, uint64_t i, struct strb *b);
/* Variables of a context from the first one on, and how many there are. */
int js_variables(struct js_heap *h, uint64_t context, uint64_t *first, uint64_t *n);
#endif
