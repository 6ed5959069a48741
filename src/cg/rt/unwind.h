/* SPDX-License-Identifier: Apache-2.0 */
/* Emits the walk of user stacks by unwinding tables (base/unwindfmt.h), as functions of a program. */
#ifndef DWELL_CG_RT_UNWIND_H
#define DWELL_CG_RT_UNWIND_H
#include "base/unwindfmt.h"
#include "cg/ir/ir.h"
#include "cg/rt/mix.h"
#include "types/caps.h"

/* The maps, as indices into image.maps. */
struct rt_unwind_maps {
	uint32_t tables, areas, procs, want;
	uint32_t files;
	uint32_t hotspot; /* processes that have it: struct hs_proc by tgid */
	uint32_t scratch; /* per-CPU array of struct rt_unwind_state */
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

/* Result of the walk: frames written | RT_UNWIND_* << 32. Negative, and nothing written: the process is unknown (it is
 * asked for then), or there are no registers. */
#define RT_UNWIND_CUT 1	  /* deeper than the frames wanted */
#define RT_UNWIND_FAULT 2 /* a caller could not be found */

/* Frame pointers that are followed in code without a table: a frame is not larger than this. */
#define RT_UNWIND_MAX_FRAME (1 << 20)

#define RT_UNWIND_MAX_FRAMES 512

/* The stack is read in aligned pieces of this size, which never cross a page. A piece can be read whole if the wanted
 * word in it can, and one read mostly does for several frames. */
#define RT_UNWIND_WINDOW 512

/* Rules that were found last, by a hash of their address: what is hot needs no search. They never get stale,
 * as tables are only ever added (run/consume/unwind.c). */
#define RT_UNWIND_CACHE_BITS 8
struct rt_unwind_cached {
	uint64_t key; /* 1 + (element where the table begins << 32 | address in it); 0: unused */
	uint64_t rule;
};

/* An element of the scratch map: the frames, and the state of the walk after them. */
struct rt_unwind_state {
	uint64_t frames[RT_UNWIND_MAX_FRAMES];
	struct rt_unwind_cached cache[1 << RT_UNWIND_CACHE_BITS]; /* outlives the walk */
	uint8_t window[RT_UNWIND_WINDOW];
	uint64_t window_at;	    /* address of the piece in the window; odd: none */
	uint64_t pc, sp, bp, third; /* registers of the frame; third: as in struct uw_kind, or the link register */
	uint64_t back;		    /* 1: pc is a return address, after the call; 0: where it goes on */
	uint64_t start, len, bias;  /* the area of the last frame */
	uint64_t index;		    /* index | nindex << 32 */
	struct uw_area asked;	    /* the last one that the kernel told of */
	uint64_t ask;		    /* how often it may be asked yet */
	uint64_t n, flags, bound;   /* frames written, RT_UNWIND_*, frames wanted */
	uint64_t first, count;	    /* of the process's areas */
	/* For a frame that no table describes, such as generated code, its frame pointer, else 0. For a frame of
	 * HotSpot: the value that stands for the frame.
	 */
	uint64_t fps[RT_UNWIND_MAX_FRAMES];
	uint64_t r13;		 /* of the innermost frame: x86-64 only */
	struct rt_mix_state mix; /* of the walks of runtimes, which mix their frames with these */
};

/* Where a machine keeps what a walk needs. */
struct rt_unwind_machine {
	uint16_t pc, sp, bp, third;		/* in struct pt_regs */
	uint16_t uc_pc, uc_sp, uc_bp, uc_third; /* in struct ucontext */
	uint16_t di;				/* rdi in struct pt_regs, for UW_RA_DI */
	uint16_t r13;				/* the same: HotSpot's interpreter has its bytecode there */
	bool hotspot;				/* its frames can be walked here */
	bool link;	    /* third is the link register: return addresses are in it, or where it was saved */
	uint64_t addr_mask; /* of return addresses: what is not a signature */
};
extern const struct rt_unwind_machine rt_unwind_x86_64, rt_unwind_arm64;

/* The thread whose stack is walked. Another thread's memory can be read by sleepable programs only; its frame pointers
 * are followed in code without a table, or (FP) everywhere. */
enum rt_unwind_whose { RT_UNWIND_CURRENT, RT_UNWIND_OTHER, RT_UNWIND_OTHER_FP };

/* (n, tgid, start), of another thread (n, tgid, start, task): walks a user stack, innermost frame first, into
 * element scratch_key of the scratch map, at most n frames. o NULL: mappings are not asked for. ret NULL: there are
 * no return probes. Emitted into p once; the caller keeps the result. */
struct irfn *rt_unwind_emit(struct irprog *p, const struct caps *caps, const struct rt_unwind_machine *mach,
			    const struct rt_unwind_maps *m, const struct rt_unwind_offsets *o,
			    const struct rt_unwind_returns *ret, uint32_t scratch_key, enum rt_unwind_whose whose);
/* This machine, when the kernel can: bpf_loop, registers of the user side; else NULL. */
const struct rt_unwind_machine *rt_unwind_here(const struct caps *caps);
#endif
