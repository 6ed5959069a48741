/* SPDX-License-Identifier: Apache-2.0 */
/* Emits the walks of language runtimes (base/rtfmt.h) as functions of a program. Each takes the native frames that
 * the walk by unwinding tables left in the scratch map, and replaces those of the runtime by the runtime's own
 * frames. */
#ifndef DWELL_CG_RT_MIX_H
#define DWELL_CG_RT_MIX_H
#include "base/hotspotfmt.h"
#include "base/pyfmt.h"
#include "base/v8fmt.h"
#include "cg/ir/ir.h"
#include "types/caps.h"

#define RT_MIX_MAX_FRAMES 512

/* State of Python's walk (python.c). */
struct rt_python_state {
	struct py_proc p;
	uint8_t frame[PY_FRAME_BYTES];
	uint64_t tid;	 /* as the process has it: in its own pid namespace */
	uint64_t thread; /* PyThreadState; 0: the end of the list */
	uint64_t fp;	 /* _PyInterpreterFrame; 0: no more */
	uint64_t in;	 /* 1: in frames of one call of the loop; before: the thread was found */
	uint64_t mark;	 /* a frame of enum py_mark, which the walk records once; 0: none */
	uint64_t tmp;
};

#define RT_V8_WINDOW 512

/* State of V8's walk (v8.c). */
struct rt_v8_state {
	struct v8_proc p;
	uint8_t window[RT_V8_WINDOW]; /* of the stack: one read does for several frames */
	uint64_t window_at;	      /* its address; odd: none */
	uint8_t frame[V8_FRAME_BYTES];
	uint8_t function[V8_FUNCTION_BYTES];
	uint8_t code[V8_CODE_BYTES];
	uint64_t function_map, array_map; /* the last ones that were seen to be maps of that type; 0: none */
	uint64_t table;			  /* of functions' code, as read; 0: not yet */
	uint64_t interpreter;		  /* where the interpreter goes on, as seen in a frame before; 0: none */
	uint64_t tmp;
};

#define HS_INSN_BYTES 40
#define HS_INSN_BEFORE 32 /* of them before the pc */

/* State of HotSpot's walk (hotspot.c), which is a part of the native one. */
struct rt_hotspot_state {
	struct hs_proc p;
	uint8_t blob[HS_BLOB_BYTES]; /* the block of code that was found last */
	uint64_t blob_at, blob_len;  /* its address and bytes; 0 bytes: none */
	uint8_t frame[HS_FRAME_BYTES];
	uint8_t insn[HS_INSN_BYTES]; /* code around the pc of the innermost frame */
	uint64_t compiled;	     /* address of a name that only compiled code has; 0: not seen yet */
	uint64_t const_method;	     /* of the frame's Method */
	uint64_t code_size;	     /* its bytes of bytecode */
	uint64_t pushes;	     /* 1: only Java code calls the code, which may push words within its frame */
	uint64_t tmp;
};

/* After struct rt_unwind_state. */
struct rt_mix_state {
	uint64_t out[RT_MIX_MAX_FRAMES]; /* the mixed stack */
	uint64_t i, n, nout, max;	 /* native frames: read, all; mixed ones: written, wanted */
	uint64_t flags;			 /* RT_UNWIND_CUT: deeper than wanted */
	struct rt_python_state py;
	struct rt_v8_state v8;
	struct rt_hotspot_state hs;
};

/* Places of members in kernel structs: to know a thread's number in its pid namespace. */
struct rt_mix_offsets {
	uint32_t thread_pid, level, numbers;
};

/* The input of a runtime's walk: element scratch_key of map scratch, and the map of processes that have the runtime. */
struct rt_mix_env {
	const struct caps *caps;
	uint32_t scratch, scratch_key, procs;
	struct rt_mix_offsets o;
};

/* (n, max, tgid, start): n native frames are in the scratch element; at most max mixed ones go to mix.out. Returns
 * their number | RT_UNWIND_CUT << 32; negative: the process has no such runtime, and the native ones are all. */
typedef struct irfn *(*rt_mix_emit)(struct irprog *p, const struct rt_mix_env *e);
extern const rt_mix_emit rt_mix_walks[RUNTIMES]; /* by enum runtime; NULL: its frames are native ones */
struct irfn *rt_python_emit(struct irprog *p, const struct rt_mix_env *e);
struct irfn *rt_v8_emit(struct irprog *p, const struct rt_mix_env *e);
struct irfn *rt_hotspot_emit(struct irprog *p, const struct rt_mix_env *e);
#endif
