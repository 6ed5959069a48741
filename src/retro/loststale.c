/* SPDX-License-Identifier: Apache-2.0 */
/* Follows words of a stack through a replay: whether the frame that wrote the pointer there is the one that has the
 * word later. Anything that a function left on the stack lies in the frames of others that do not write there. */
#include "retro/lost.h"

#define TRAPS_MAX 100000u /* 2 s */

static uint64_t frame_return(struct blocks *b, struct replay *p, const struct user_regs_struct *regs, uint64_t at)
{
	uint64_t frames[BLOCK_FRAMES], sps[BLOCK_FRAMES];
	const size_t n = stacks_walk(b->stacks, p, watch_pid(p), regs, frames, sps, BLOCK_FRAMES);

	for (size_t i = 1; i < n; i++)
		if (sps[i] > at)
			return frames[i];
	return 0;
}

static int set_debug(const struct lost_stale *v, size_t n, struct replay *p)
{
	uint64_t addr[LOST_STALE_MAX] = { 0 }, seven = 0;

	for (size_t i = 0; i < n; i++) {
		addr[i] = v[i].at;
		seven |= v[i].traps < TRAPS_MAX ? 1ull << 2 * i | 9ull << (16 + 4 * i) : 0; /* writes of 8 bytes */
	}
	return watch_debug(p, addr, seven);
}

int lost_stale_trap(struct lost_stale *v, size_t n, struct blocks *b, struct replay *p,
		    const struct user_regs_struct *regs, unsigned told)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t x = 0, back;

		if (!(told >> i & 1))
			continue;
		if (++v[i].traps == TRAPS_MAX)
			set_debug(v, n, p);
		if (watch_read(p, v[i].at, &x, sizeof(x)) != sizeof(x) || x - v[i].addr > v[i].size)
			continue;
		v[i].since = 0;
		v[i].alive = true;
		v[i].task = watch_task(p);
		back = frame_return(b, p, regs, v[i].at);
		if (back && !watch_breaks_at(p, back))
			watch_break(p, back, 0); /* where it cannot be, the next stop sees it */
	}
	return 0;
}

/* At each breakpoint and stop. */
void lost_stale_look(struct lost_stale *v, size_t n, struct blocks *b, struct replay *p,
		     const struct user_regs_struct *regs)
{
	for (size_t i = 0; i < n; i++)
		if (v[i].alive && v[i].task == watch_task(p) && regs->rsp > v[i].at) {
			v[i].alive = false;
			v[i].since = b->stop;
		}
}

int lost_stale_arm(const struct lost_stale *v, size_t n, struct replay *p)
{
	return watch_pid(p) && watch_ours(p) ? set_debug(v, n, p) : 0;
}
