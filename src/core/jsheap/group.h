/* SPDX-License-Identifier: Apache-2.0 */
/* The objects in V8's heap, in groups that look the same to a program: inside of core/. */
#ifndef DWELL_CORE_JS_GROUP_H
#define DWELL_CORE_JS_GROUP_H
#include "core/jsheap/heap.h"
#include "core/shell.h"

/* Objects with one constructor and the same names of properties; first of one map, then of all maps that are so. */
struct js_group {
	char *constructor, *names;
	uint64_t first; /* an object, tagged */
	uint64_t map;
	size_t n, properties;
	uint64_t bytes;
	size_t into; /* the group that this one has been added to, or itself */
	bool wanted; /* the caller's */
};

struct js_groups {
	struct js_heap *h;	/* the caller's: set before */
	VEC(struct js_group) v; /* by the number of a map (js_map_info.group), less 1 */
};

/* Fills v; those of maps that look the same are added up. 0 or -ENOMEM; js_groups_done() in any case. */
int js_groups_make(struct js_groups *g);
void js_groups_done(struct js_groups *g);
/* The order of constructor and names; 0: they look the same. */
int js_group_compare(const struct js_group *x, const struct js_group *y);
/* "Constructor: a, b, c", cut. */
void js_group_text(struct shell *s, const struct js_group *x);
#endif
