/* SPDX-License-Identifier: Apache-2.0 */
/* Where the objects are that refer to others: for each block of V8's heap, the blocks whose objects lead into it. So
 * the holders of an object are looked for in few blocks, and all of it takes a fraction of the heap's size. */
#ifndef DWELL_CORE_JS_NEAR_H
#define DWELL_CORE_JS_NEAR_H
#include "core/jsheap/heap.h"

#define JSNEAR_SHIFT 12u /* blocks of 4 KiB, or larger ones if it would grow too large */
#define JSNEAR_MAX_SHIFT 18u
#define JSNEAR_SHARE 64u     /* bytes of the heap for each number that it has, at least … */
#define JSNEAR_LEAST 262144u /* … or these */

struct js_near {
	unsigned shift; /* of blocks */
	size_t nblocks;
	uint32_t *first; /* of each page: its first block */
	uint32_t *to;	 /* of each block: where its list begins; one more for the end */
	uint32_t *from;	 /* blocks */
	size_t n;
};

/* Goes through all objects: makes h->near, and adds up what js_map_info has. 0, -ENOMEM. */
int js_near_make(struct js_heap *h);
void js_near_free(struct js_near *n); /* accepts NULL */
/* Makes room for what a kept one has: `to`, and lists of n numbers, up to whole words of 64 bits. 0; -EBADMSG: there
 * cannot be as many, or blocks are not as large; -ENOMEM. */
int js_near_room(struct js_heap *h, uint64_t shift, uint64_t n, struct js_near **ret);
/* Whether all numbers of a kept one are such. */
bool js_near_fits(const struct js_near *n);
/* Calls fn for each object that has a word that is the tagged pointer `object`; as of a walk (base/walk.h). */
int js_near_holders(struct js_heap *h, uint64_t object, js_object_fn *fn, void *ctx);
#endif
