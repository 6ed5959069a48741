/* SPDX-License-Identifier: Apache-2.0 */
/* Follows the calls of malloc() and free() in a replayed program, and keeps the blocks that are not free. */
#ifndef DWELL_RETRO_BLOCKS_H
#define DWELL_RETRO_BLOCKS_H
#include "base/hash_try.h"
#include "base/vec.h"
#include "retro/retro_int.h"

#define BLOCK_FRAMES 24u /* of a stack */

enum lost_by { LOST_UNKNOWN, LOST_STORE, LOST_FREE, LOST_FRAME, LOST_CALL, LOST_REGISTER };
enum held_where { HELD_STATIC, HELD_BLOCK, HELD_STACK };
/* A word that points into a block. */
struct held_word {
	uint64_t at, until;  /* until: the stack pointer is above that; only of HELD_STACK */
	uint64_t addr, size; /* of the block that it points into; only in struct lost */
	enum held_where where;
	bool holds; /* it still does */
	bool late;  /* it got it when what was no stack had lost it: by a register, which may have been left over */
};
struct lost {
	enum lost_by by;
	struct held_word word; /* that held it last */
	uint64_t owner;	       /* of that: the block that it is in, or a place in the function whose frame has it */
	uint64_t frames[BLOCK_FRAMES];
	size_t nframes;
};
/* A stack that asked for blocks: once, though many blocks have it. */
struct block_stack {
	UT_hash_handle hh;
	size_t nframes;
	uint64_t roots, bytes; /* that leaks_show() found, and whether it has shown them, and has their names */
	bool shown, named;
	uint64_t frames[]; /* the key */
};
enum block_kind { BLOCK_UNSEEN, BLOCK_HELD, BLOCK_LEAKED };
struct block {
	UT_hash_handle hh;
	uint64_t addr, size, number; /* number: 1, 2, … of all that were ever given */
	struct block_stack *stack;
	enum block_kind kind;
	uint64_t stop;			/* of struct blocks, when it was given */
	bool target;			/* words that point to it are wanted */
	const struct lost *last, *kept; /* as lost.h has them; NULL: not known */
	bool root, cycle;		/* of those that are leaked: no other one leads to it; but to each other */
};
/* A call of an allocator that has not returned. */
struct asking {
	uint32_t task;
	unsigned fn;
	uint64_t sp, ret, size, old; /* old: of realloc; where posix_memalign writes */
	uint64_t frames[BLOCK_FRAMES];
	size_t nframes;
};
/* A word of a stack that does not count any more as a pointer to that block after that stop: it was left there. */
struct stale_word {
	uint64_t at, number, since;
};
#define BLOCK_OWN 8u /* functions of --allocator */
struct own_function {
	char name[128];
	unsigned form, arg; /* arg: 0, 1, … */
};
struct blocks {
	struct own_function own[BLOCK_OWN];
	unsigned own_n;
	struct block *all;
	struct block_stack *asked; /* all stacks that asked for one */
	uint64_t given, freed;
	VEC(struct asking) asking;
	VEC(uint64_t) pages; /* numbers of pages that had blocks, some of them more than once */
	struct sym *sym;
	struct stacks *stacks;
	VEC(struct stale_word) stale;
	bool unfollowed; /* words of stacks, or others, were given up: lost.h */
	uint64_t begins; /* this stop is a call of free() or realloc() that begins: of this block; else 0 */
	bool returns;	 /* it is a call that returns a block */
	uint64_t stop;	 /* calls of the allocator that began or returned, and stops of the trace, until now */
	/* At each of them, before the block is freed, or after it was given. freed: the block that will be. */
	int (*stopped)(void *ctx, struct replay *p, const struct user_regs_struct *regs, uint64_t freed);
	void *ctx;
};
int blocks_stop(struct blocks *b, struct replay *p, const struct user_regs_struct *regs, uint64_t freed);
int blocks_allocator(struct blocks *b, const char *names);			 /* as leaks_run() has it. 0; -EINVAL */
int blocks_code(struct blocks *b, struct replay *p, const struct watch_code *c); /* breakpoints there. 0 or -errno */
int blocks_hit(struct blocks *b, struct replay *p, const struct user_regs_struct *regs, uint64_t tag);
int blocks_group(struct blocks *b, struct replay *p, enum watch_when when); /* a stop of the trace */
void blocks_forget(struct blocks *b);					    /* there is a new program */
void blocks_free(struct blocks *b);
/* leakscan.c: sets what each of them is. v: all of them, by address. 0 or -errno. */
int leaks_scan(struct blocks *b, struct replay *p, struct block **v, size_t n);
/* Which blocks are held now: fn() is told first without stacks and registers, then with them. words, or NULL: those
 * that point to targets. 0 or -errno. */
typedef VEC(struct held_word) held_words;
int leaks_held(struct blocks *b, struct replay *p, struct block **v, size_t n,
	       void (*fn)(void *ctx, struct block **v, size_t n, bool stacks), void *ctx, held_words *words);
/* The leaked ones in the root's cycle, itself first: fn() of each. 0 or -errno. */
int leaks_members(struct blocks *b, struct replay *p, struct block **v, size_t n, struct block *root,
		  int (*fn)(void *ctx, const struct block *k), void *ctx);
struct block **blocks_list(struct blocks *b, size_t *ret_n);	    /* by address, malloc'ed; NULL: no memory */
struct block *blocks_at(struct block **v, size_t n, uint64_t addr); /* that has this address within; or NULL */
/* leakshow.c */
int leaks_show(struct blocks *b, struct replay *p, struct block **v, size_t n, bool json, FILE *out);
#endif
