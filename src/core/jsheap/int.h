/* SPDX-License-Identifier: Apache-2.0 */
/* Types and functions that the files of V8's heap share: inside of core/. */
#ifndef DWELL_CORE_JS_INT_H
#define DWELL_CORE_JS_INT_H
#include "core/jsheap/heap.h"

#define JS_WORD 8u
#define JS_UNIT_SHIFT 18u	  /* pages begin at multiples of 256 KiB */
#define JS_BUFFER (512u << 10)	  /* bytes that are read at once; a larger page has one object */
#define JS_MAX_UNKNOWN (1u << 20) /* bytes of an object whose size is not known: it ends at the next one */

/* -- heap.c -- */

/* The page whose objects an address is in, or NULL. */
static inline struct js_page *js_page_of(const struct js_heap *h, uint64_t addr)
{
	const uint64_t unit = addr >> JS_UNIT_SHIFT;
	size_t i = (size_t)(unit * 0x9e3779b97f4a7c15u >> 32) & (h->ntable - 1);

	for (; h->table[i]; i = (i + 1) & (h->ntable - 1)) {
		struct js_page *p = &h->pages.v[h->table[i] - 1];

		if (addr >= p->base && addr < p->limit)
			return addr >= p->start && addr < p->end ? p : NULL;
	}
	return NULL;
}
static inline bool js_bit(const uint64_t *bits, uint64_t i)
{
	return bits[i / 64] >> (i % 64) & 1;
}
static inline void js_set_bit(uint64_t *bits, uint64_t i)
{
	bits[i / 64] |= UINT64_C(1) << (i % 64);
}
/* Words of 64 bits of a page's bits. */
static inline size_t js_page_bits(const struct js_page *p)
{
	return (size_t)((p->end - p->start) / JS_WORD / 64 + 1);
}
/* Whether a page has one object, at its start. */
static inline bool js_page_large(const struct js_page *p)
{
	return p->end - p->start > JS_BUFFER;
}
/* Bytes of a buffer for what is read of a page at once: of the largest page there is. */
static inline size_t js_page_buffer(const struct js_heap *h)
{
	size_t most = JS_WORD;

	for (size_t i = 0; i < h->pages.n; i++)
		if (h->pages.v[i].end - h->pages.v[i].start > most)
			most = (size_t)(h->pages.v[i].end - h->pages.v[i].start);
	return most < JS_BUFFER ? most : JS_BUFFER;
}
/* Opens a heap and lists its pages, without searching them. Errors as of js_heap_open(). */
int js_heap_begin(const struct js *js, struct js_heap **ret, struct err *err);
/* The map that is the first word of an object, or NULL. */
struct js_map_info *js_map_info(struct js_heap *h, uint64_t map);
/* The extent of an object whose first `have` bytes are there, `room` bytes before the end of its page. */
int js_extent_of(struct js_heap *h, uint64_t object, const struct js_map_info *m, const uint8_t *bytes, uint64_t have,
		 uint64_t room, struct js_extent *ret);

/* Whether the layout says how large objects of a map are. */
bool js_extent_told(const struct js_map_info *m);
/* Whether objects of that type are arrays of words: stores of elements and properties, tables. */
bool js_is_store(const struct js *js, int type);

/* -- scan.c -- */

/* Memory of [from, to) into buf; what is not there is 0, which is no object. */
void js_fill(struct js_heap *h, uint64_t from, uint64_t to, uint8_t *buf);
/* Calls fn for each block of memory that can be written. Left out are V8's pages, unused parts of stacks, and free
 * blocks. sure: without small pieces of malloc(), too. */
typedef int js_block_fn(void *ctx, uint64_t addr, const uint64_t *words, size_t n);
int js_each_block(struct js_heap *h, bool sure, js_block_fn *fn, void *ctx);

/* -- mark.c -- */

/* Marks what is alive. 0 or -ENOMEM. */
int js_mark(struct js_heap *h);
#endif
