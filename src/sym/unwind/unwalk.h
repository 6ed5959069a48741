/* SPDX-License-Identifier: Apache-2.0 */
/* Walks a native stack outwards in user space, as cg/rt/unwind.c does in the kernel. It goes from the registers of a
 * frame and the rule of its place to those of its caller. The caller finds the rule and reads the memory. Source:
 * base/unwindfmt.h; struct ucontext of x86-64, asm/ucontext.h. */
#ifndef DWELL_SYM_UNWIND_UNWALK_H
#define DWELL_SYM_UNWIND_UNWALK_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The registers of a frame. Its rule is that of ip, if it is the first (of a stack, or below a signal), else that of ip
 * - 1. A return address may stand after the end of its function. */
struct unwalk {
	uint64_t ip, sp, bp, bx, di;
	bool bp_known, first;
};

enum unwalk_end {
	UNWALK_ON,     /* the registers are the caller's now */
	UNWALK_END,    /* there is no caller */
	UNWALK_MEMORY, /* memory cannot be read */
	UNWALK_LOST,   /* the function cannot be unwound */
	UNWALK_LOOPS,  /* the stack leads back to itself */
};

/* Reads n bytes at addr. */
typedef bool unwalk_read_fn(void *ctx, uint64_t addr, void *to, size_t n);

static inline uint64_t unwalk_place(const struct unwalk *w)
{
	return w->first ? w->ip : w->ip - 1;
}
/* One frame outwards. rule: UW_* of base/unwindfmt.h; UW_NONE: by the frame pointer. */
enum unwalk_end unwalk_step(struct unwalk *w, uint32_t rule, unwalk_read_fn *read, void *ctx);
#endif
