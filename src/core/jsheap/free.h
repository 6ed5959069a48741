/* SPDX-License-Identifier: Apache-2.0 */
/* Finds memory that was given back to malloc(): words in it are stale, and are no roots. Inside of core/. */
#ifndef DWELL_CORE_JS_FREE_H
#define DWELL_CORE_JS_FREE_H
#include "core/target.h"

#define JSFREE_MAX (4u << 20) /* pieces; further ones count as memory in use */

struct js_free_piece {
	uint64_t start, end;
};
typedef VEC(struct js_free_piece) js_free_pieces;

struct js_free {
	js_free_pieces free;
	js_free_pieces small; /* chunks in use that V8 keeps no roots in: what is in them may be left from before */
	VEC(uint64_t) blocks; /* chunks that may be a block of V8's handles: where the program's part begins */
};
void js_free_done(struct js_free *f);

/* Finds the free chunks of the arenas of glibc's malloc, in the order of their addresses. An arena in which a chunk
 * does not end where the next begins is left out. 0, -ENOMEM. */
int js_free_find(struct core *c, struct js_free *ret);
/* Where those chunks have what js_free_find() goes by: sizes, and the words of chunks that threads keep. */
int js_free_heads(struct core *c, js_free_pieces *ret);
/* For each word but the last of memory in use: with the word after it, it may tell how far a block of handles is in
 * use. The rest of the block becomes free. */
int js_free_handles(struct js_free *f, const uint64_t *words, size_t n);
void js_free_sort(struct js_free *f);
/* Makes the words of [addr, addr + n words) that are free 0. */
void js_free_blank(const js_free_pieces *f, uint64_t addr, uint64_t *words, size_t n);
#endif
