/* SPDX-License-Identifier: Apache-2.0 */
/* The index of a core: what js_heap_open() finds out, in a file beside the core, so that the next start need not.
 *
 * The file has no contents of memory: only which words of V8's pages are objects that are alive, counts by map, and
 * which blocks refer to which. It is little-endian, of words of 64 bits:
 *
 *     struct js_index_head
 *     each page: base, limit, start, end, heap, flags; its marks; what is rooted, if flags say so
 *     each map: map, first object, objects, bytes
 *     pieces of memory that malloc() has back: start, end
 *     blocks: where the list of each begins, the lists (core/jsheap/near.h), both of 32 bits, to a whole word
 *
 * The file may be damaged or hostile. It is of use only if its key is that of the core, and its checksum fits. Each
 * number that leads somewhere is checked, too. */
#ifndef DWELL_CORE_JS_INDEX_H
#define DWELL_CORE_JS_INDEX_H
#include <stdio.h>
#include "core/jsheap/heap.h"

#define JSINDEX_SUFFIX ".dwell-index"
#define JSINDEX_MAGIC UINT64_C(0x7864696c6c657764) /* "dwellidx" */
#define JSINDEX_VERSION 1u /* another one when the file, or what counts as alive, is otherwise */

struct js_index_head {
	uint64_t magic, version, key, sum;
	uint64_t pages, maps, pieces, shift, lists; /* lists: numbers in them; shift 0: there are none */
	uint64_t objects, bytes;
};

struct js_index;
/* The index beside the core file at a path. It is opened now, so that privileges may be given up afterwards. A file of
 * another user than this one or root, or that others can write, is not used. keep: it is written when there is none of
 * use. js_index_close() frees *ret. 0; -EACCES: keep, but the folder cannot be written; -ENOTSUP: the core is no file.
 */
int js_index_open(const struct core *c, const char *path, bool keep, struct js_index **ret, struct err *err);
void js_index_close(struct js_index *i); /* accepts NULL */
/* The reason why the index was not used or not written, or NULL. Each reason is returned once. */
const char *js_index_said(struct js_index *i);

/* Reads the index into a heap that has only its list of pages (js_heap_begin()). For js_heap_open_by(). 0; -ENOENT: no
 * usable index, and the heap is unchanged; -ENOMEM. */
int js_index_take(struct js_index *i, struct js_heap *h);
/* Writes the file, when it is to be kept. */
void js_index_put(struct js_index *i, struct js_heap *h);

/* A stream from or to an index; for tests, too. key: of the core. -EBADMSG: it is damaged, and *h is half filled. */
int js_index_read(FILE *f, uint64_t key, struct js_heap *h);
int js_index_write(FILE *f, uint64_t key, const struct js_heap *h);
/* The checksum of a file: of what comes after the head, n bytes, and of the head without its sum. */
uint64_t js_index_sum(const struct js_index_head *head, const void *p, size_t n);
/* The key of a core: a hash of size and time of its file, its segments, mappings, threads with their registers, the
 * build id of its program, and the version of V8. */
uint64_t js_index_key(const struct js *js);
#endif
