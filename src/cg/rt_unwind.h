/* SPDX-License-Identifier: Apache-2.0 */
/* The walk of user stacks by unwinding tables (base/unwindfmt.h), as functions of a program. */
#ifndef DWELL_CG_RT_UNWIND_H
#define DWELL_CG_RT_UNWIND_H
#include "cg/ir.h"
#include "types/caps.h"

/* The maps, as indices into image.maps. */
struct rt_unwind_maps {
	uint32_t tables, areas, procs, want;
};

/* What the walk returns: frames written | RT_UNWIND_* << 32; negative: nothing is known of the process (it
 * is asked for then), or there are no registers: nothing is written. */
#define RT_UNWIND_CUT	1 /* deeper than the frames wanted */
#define RT_UNWIND_FAULT 2 /* a caller could not be found */

/* Frame pointers that are followed in code without a table: a frame is not larger than this. */
#define RT_UNWIND_MAX_FRAME (1 << 20)

/* (dst, n, tgid, start): walks the current thread's user stack, innermost frame first, into dst (n u64, all
 * writable; n is a constant at each call). Emitted into p once; the caller keeps the result. */
struct irfn *rt_unwind_emit(struct irprog *p, const struct caps *caps, const struct rt_unwind_maps *m);
/* The kernel can: bpf_loop, registers of the user side, and this machine's are known. */
bool rt_unwind_possible(const struct caps *caps);
#endif
