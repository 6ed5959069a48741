/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps a number of 64 bits for each object of a heap, such as its size. A multiple of 8 below 524,280 takes two bytes,
 * any other number 24 to 48 more. Private to core/. */
#ifndef DWELL_CORE_JS_SUMS_H
#define DWELL_CORE_JS_SUMS_H
#include <stddef.h>
#include <stdint.h>

#define JSSUMS_LARGE UINT16_MAX /* such a number of words, and larger ones, are in the table */

struct js_sums_slot {
	uint32_t i; /* and 1; 0: free */
	uint64_t value;
};
struct js_sums {
	uint16_t *small;	    /* in words of 8 bytes; JSSUMS_LARGE: it is in the table */
	struct js_sums_slot *slots; /* a hash table */
	size_t used, nslots;
};

/* n zeros; js_sums_done() frees them, also after an error. 0 or -ENOMEM. */
int js_sums_make(struct js_sums *s, uint32_t n);
void js_sums_done(struct js_sums *s);
uint64_t js_sums_get(const struct js_sums *s, uint32_t i);
/* 0 or -ENOMEM. */
int js_sums_set(struct js_sums *s, uint32_t i, uint64_t value);

/* Adds to each node of a tree the numbers of all that are below it. parent: of each of n nodes; 0 is the root, and its
 * own parent. It takes a byte for each node meanwhile. 0 or -ENOMEM. */
int js_sums_add_up(struct js_sums *s, const uint32_t *parent, uint32_t n);
#endif
