/* SPDX-License-Identifier: Apache-2.0 */
/* Finds what keeps an object alive: a path of references to it from a root. Inside of core/. */
#ifndef DWELL_CORE_JS_PATH_H
#define DWELL_CORE_JS_PATH_H
#include "core/jsheap/heap.h"

#define JSPATH_GLOBAL 20000u  /* objects that are looked at for a way from a global variable … */
#define JSPATH_MAX (4u << 20) /* … and for one from any root */

struct js_path {
	VEC(uint64_t) v; /* objects, from the one that a root leads to, to the one that was asked for */
	bool global;	 /* it begins with a global variable */
	bool gave_up;	 /* there may be a way, of more objects than are looked at */
};

/* The shortest way from a global variable, else from another root. Without any, v is empty. 0, -ENOMEM. */
int js_path_find(struct js_heap *h, uint64_t object, struct js_path *ret);
void js_path_done(struct js_path *p);
/* Can a path go through objects of this type? */
bool js_path_way(const struct js *js, int type);
/* As a program would write it: "globalThis.a.list[3]". any: numbers of elements are left out, so that ways that are
 * alike are equal. */
int js_path_text(struct js_heap *h, const struct js_path *p, bool any, struct strb *b);
/* One step: how an object leads to the next one, ".name", "[3]", " (value of its Map)[3]". It may lead there through a
 * store of its own: then the step is to the object after the store. Returns how many objects it passes over. */
size_t js_path_step(struct js_heap *h, const struct js_path *p, size_t i, bool any, struct strb *b);
/* Where a word outside of V8's heap is. */
void js_root_text(struct js_heap *h, uint64_t addr, struct strb *b);
/* Where a root is: the stack of a thread, a variable of the program, other memory. "" none is found. */
int js_path_root(struct js_heap *h, uint64_t object, struct strb *b);
#endif
