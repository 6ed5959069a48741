/* SPDX-License-Identifier: Apache-2.0 */
/* V8's heap in a target: its pages, and the objects in them that something leads to.
 *
 * A page begins at a multiple of 256 KiB with a head that has its bounds, or leads to them. Objects in a page need not
 * be alive: V8 leaves dead objects where they are until it needs the room. So objects are found as the collector finds
 * them, from roots. All words outside of V8's pages count as roots (stacks, registers, V8's own tables, memory of
 * malloc). So no object that is alive is missing. An object that died since the last collection may still be there. */
#ifndef DWELL_CORE_JS_HEAP_H
#define DWELL_CORE_JS_HEAP_H
#include "core/js/js.h"
#include "core/jsheap/free.h"

#define JSHEAP_MAX_PAGES (1u << 20)
#define JSHEAP_MAX_MAPS (1u << 17) /* kinds of objects; objects of further ones are left out */

struct js_page {
	uint64_t base, limit; /* its memory is [base, limit); first, as range_at() wants it */
	uint64_t start, end;  /* its objects are in [start, end) */
	uint64_t heap;	      /* V8's heap that it belongs to; of read-only ones 0 */
	bool code;
	uint64_t *marks;  /* a bit for each word: an object begins there that is alive */
	uint64_t *rooted; /* the same: something outside of the pages leads to it, but for what may be stale */
};

/* A map as read, and the size of the objects that have it. */
struct js_map_info {
	uint64_t map; /* tagged; 0: free */
	bool is_map;
	int type;
	uint8_t kind;	/* how the bytes of its objects are found */
	uint8_t words;	/* of objects that are all as large */
	uint32_t group; /* a number for the caller; 0 at first */
	uint64_t first; /* the object of the lowest address, tagged */
	uint64_t n;
	uint64_t bytes; /* with the stores of properties and elements */
};

struct js_near;
struct js_index;
struct js_heap {
	const struct js *js;
	VEC(struct js_page) pages; /* by address */
	uint32_t *table;	   /* the page of each 256 KiB: a hash table of indices from 1 */
	size_t ntable;
	struct js_map_info **maps; /* in pieces of JSHEAP_PIECE, which stay where they are: js_heap_map() */
	uint32_t *slots;	   /* a hash table of their numbers, from 1 on */
	size_t nslots, nmaps, maps_left_out;
	size_t objects;
	uint64_t bytes;
	struct js_free stale; /* memory outside that malloc() has back */
	struct js_near *near; /* where the objects are that refer to others (core/jsheap/near.h) */
};
#define JSHEAP_PIECE 1024u
/* The i-th map of those that were met, in that order; i is below nmaps. */
static inline struct js_map_info *js_heap_map(const struct js_heap *h, size_t i)
{
	return &h->maps[i / JSHEAP_PIECE][i % JSHEAP_PIECE];
}
/* Forgets all maps. */
void js_heap_forget_maps(struct js_heap *h);

/* Finds the pages and what is alive. js_heap_close() frees *ret. -ENOENT: there is no page that fits the version. */
int js_heap_open(const struct js *js, struct js_heap **ret, struct err *err);
/* The same with an index (core/jsheap/index.h), which is taken if it is of use, or kept; NULL: none. */
int js_heap_open_by(const struct js *js, struct js_index *index, struct js_heap **ret, struct err *err);
void js_heap_close(struct js_heap *h); /* accepts NULL */

/* An object that is alive. */
struct js_object {
	uint64_t object; /* tagged */
	struct js_map_info *m;
	int type;
	uint64_t size;	      /* bytes */
	uint64_t first, end;  /* where its words begin and end that may be pointers, from its beginning */
	const uint8_t *bytes; /* of it, `have` of them: the others are to be read */
	uint64_t have;
	const struct js_page *page;
};
/* Other than 0 ends. */
typedef int js_object_fn(void *ctx, const struct js_object *o);
/* All of them, by address. */
int js_heap_each(struct js_heap *h, js_object_fn *fn, void *ctx);
/* Calls fn for the objects that begin in [from, to), which is in one page. */
int js_heap_each_in(struct js_heap *h, uint64_t from, uint64_t to, js_object_fn *fn, void *ctx);
/* Each word of an object that may be a pointer, and its place from the object's beginning. The word of the map is not
 * among them. */
typedef int js_word_fn(void *ctx, uint64_t word, uint64_t at);
int js_heap_words(struct js_heap *h, const struct js_object *o, js_word_fn *fn, void *ctx);
/* The page that objects at an address would be in, or NULL. */
const struct js_page *js_heap_page(const struct js_heap *h, uint64_t addr);
/* Whether an object that is alive begins there, tagged. */
bool js_heap_alive(const struct js_heap *h, uint64_t object);
bool js_heap_rooted(const struct js_heap *h, uint64_t object);
/* Bytes of an object, and where its words begin and end that may be pointers, both from its beginning. */
struct js_extent {
	uint64_t size, first, end;
};
int js_heap_extent(struct js_heap *h, uint64_t object, struct js_extent *ret);
/* Calls fn for each word outside of the pages that is the tagged pointer `object`. */
typedef int js_root_fn(void *ctx, uint64_t addr);
int js_heap_roots(struct js_heap *h, uint64_t object, js_root_fn *fn, void *ctx);
#endif
