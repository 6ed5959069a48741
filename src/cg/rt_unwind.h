/* SPDX-License-Identifier: Apache-2.0 */
/* The walk of user stacks by unwinding tables (base/unwindfmt.h), as functions of a program. */
#ifndef DWELL_CG_RT_UNWIND_H
#define DWELL_CG_RT_UNWIND_H
#include "base/unwindfmt.h"
#include "cg/ir.h"
#include "types/caps.h"

/* The maps, as indices into image.maps. */
struct rt_unwind_maps {
	uint32_t tables, areas, procs, want;
	uint32_t files;
	uint32_t scratch; /* per-CPU array of RT_UNWIND_SCRATCH bytes: frames, and something behind them */
};

/* Places of members in kernel structs: to ask for the mapping of an address. */
struct rt_unwind_offsets {
	uint32_t vm_start, vm_end, vm_pgoff, vm_file, f_inode, i_ino, i_size, i_sb, s_dev;
};

/* The same for return probes, which put their own address in the place of return addresses. */
struct rt_unwind_returns {
	uint32_t utask, instances, stack, orig, next;
};
#define RT_UNWIND_RETURNS 64 /* return probes of a thread that are looked through */

/* Mappings asked of the kernel in one walk: of a process that is not known yet, of others (new mappings;
 * mostly it is code of no file then). */
#define RT_UNWIND_ASK_NEW 127
#define RT_UNWIND_ASK_OLD 4

/* What the walk returns: frames written | RT_UNWIND_* << 32; negative: nothing is known of the process (it
 * is asked for then), or there are no registers: nothing is written. */
#define RT_UNWIND_CUT	1 /* deeper than the frames wanted */
#define RT_UNWIND_FAULT 2 /* a caller could not be found */

/* Frame pointers that are followed in code without a table: a frame is not larger than this. */
#define RT_UNWIND_MAX_FRAME (1 << 20)

#define RT_UNWIND_MAX_FRAMES 512
#define RT_UNWIND_SCRATCH    (RT_UNWIND_MAX_FRAMES * 8 + sizeof(struct uw_area))

/* (n, tgid, start): walks the current thread's user stack, innermost frame first, into element scratch_key
 * of the scratch map, at most n frames. o NULL: mappings are not asked for; ret NULL: there are no
 * return probes. Emitted into p once; the caller keeps the result. */
struct irfn *rt_unwind_emit(struct irprog *p, const struct caps *caps, const struct rt_unwind_maps *m,
			    const struct rt_unwind_offsets *o, const struct rt_unwind_returns *ret,
			    uint32_t scratch_key);
/* The kernel can: bpf_loop, registers of the user side, and this machine's are known. */
bool rt_unwind_possible(const struct caps *caps);
#endif
