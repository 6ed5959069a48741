/* SPDX-License-Identifier: Apache-2.0 */
/* Follows the calls of malloc() and free() in a replayed program, and keeps the blocks that are not free. */
#ifndef DWELL_RETRO_BLOCKS_H
#define DWELL_RETRO_BLOCKS_H
#include "base/hash_try.h"
#include "base/vec.h"
#include "retro/retro_int.h"

#define BLOCK_FRAMES 24u /* of a stack */

enum block_kind { BLOCK_UNSEEN, BLOCK_HELD, BLOCK_LEAKED };
struct block {
	UT_hash_handle hh;
	uint64_t addr, size, number; /* number: 1, 2, … of all that were ever given */
	uint64_t frames[BLOCK_FRAMES];
	size_t nframes;
	enum block_kind kind;
	bool root, cycle; /* of those that are leaked: no other one leads to it; but to each other */
};
/* A call of an allocator that has not returned. */
struct asking {
	uint32_t task;
	unsigned fn;
	uint64_t sp, ret, size, old; /* old: of realloc; where posix_memalign writes */
	uint64_t frames[BLOCK_FRAMES];
	size_t nframes;
};
struct blocks {
	struct block *all;
	uint64_t given, freed;
	VEC(struct asking) asking;
	VEC(uint64_t) pages; /* numbers of pages that had blocks, some of them more than once */
	struct sym *sym;
	struct stacks *stacks;
};
int blocks_code(struct blocks *b, struct replay *p, const struct watch_code *c); /* breakpoints there. 0 or -errno */
int blocks_hit(struct blocks *b, struct replay *p, const struct user_regs_struct *regs, uint64_t tag);
void blocks_forget(struct blocks *b); /* there is a new program */
void blocks_free(struct blocks *b);
/* leakscan.c: sets what each of them is. v: all of them, by address. 0 or -errno. */
int leaks_scan(struct blocks *b, struct replay *p, struct block **v, size_t n);
/* leakshow.c */
int leaks_show(struct blocks *b, struct replay *p, struct block **v, size_t n, bool json, FILE *out);
#endif
