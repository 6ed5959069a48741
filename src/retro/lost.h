/* SPDX-License-Identifier: Apache-2.0 */
/* Where the last pointer to a leaked block was lost: by further replays, between two stops of which the first has a
 * pointer and the second has none. */
#ifndef DWELL_RETRO_LOST_H
#define DWELL_RETRO_LOST_H
#include "retro/blocks.h"

#define LOST_ROOTS 16u /* blocks that it looks for */
/* Without debug registers: accesses to other words in the pages of those that are followed, in one replay. With more it
 * gives up, which blocks.unfollowed says; about 12 s. */
#define LOST_OTHERS_MAX 100000u

/* One replay of the trace with these callbacks; w->ctx belongs to the caller. 0 or -errno. */
typedef int lost_replay_fn(void *ctx, const struct replay_watch *w);
/* The leaked block, and those of its cycle with it, by their numbers. */
struct lost_root {
	uint64_t number, stop; /* stop: when it was given */
	VEC(uint64_t) members;
	struct lost last, kept; /* kept: the last that was no local variable; LOST_UNKNOWN: the same, or none */
};
/* Finds last and kept of each; b is empty, and its stops have the numbers 1 … end. 0 or -errno. */
int lost_find(struct blocks *b, struct lost_root *v, size_t n, uint64_t end, lost_replay_fn *replay, void *ctx);
/* lostwatch.c: looks at the memory between two stops, step by step at first. */
struct lost_watch;
struct lost_watch *lost_watch_new(struct blocks *b); /* NULL: no memory */
void lost_watch_free(struct lost_watch *w);	     /* takes NULL */
/* From this stop on: the holders of the blocks that have target set, v by address. regs: of the task. freed: the block
 * that is about to be freed here, or 0. */
int lost_watch_begin(struct lost_watch *w, struct replay *p, struct block **v, size_t n,
		     const struct user_regs_struct *regs, uint64_t freed);
int lost_watch_trap(struct lost_watch *w, struct replay *p, const struct user_regs_struct *regs, bool stepped,
		    unsigned told);
/* Until this one. */
void lost_watch_end(struct lost_watch *w, struct replay *p, const struct user_regs_struct *regs, struct lost *ret);
/* loststale.c. A word of a stack that points into a block. */
#define LOST_STALE_MAX 4u
struct lost_stale {
	uint64_t at, addr, size; /* the block's */
	uint64_t since;		 /* the stop before which the frame that wrote it ended; 0: it never wrote it */
	uint32_t task;
	unsigned traps;
	bool alive; /* the frame has not ended */
};
int lost_stale_arm(const struct lost_stale *v, size_t n, struct replay *p); /* debug registers. 0 or -errno */
int lost_stale_trap(struct lost_stale *v, size_t n, struct blocks *b, struct replay *p,
		    const struct user_regs_struct *regs, unsigned told);
void lost_stale_look(struct lost_stale *v, size_t n, struct blocks *b, struct replay *p,
		     const struct user_regs_struct *regs);
/* lostaddr.c: the memory that the instruction with these bytes reads or writes by an operand. False: it has none. */
bool lost_operand(const uint8_t *code, size_t n, const struct user_regs_struct *regs, uint64_t *ret);
#endif
