/* SPDX-License-Identifier: Apache-2.0 */
/* The walk of Python's frames (base/pyfmt.h), as a function of a program: it takes the native frames that the walk by
 * unwinding tables left in the scratch map, and puts Python's in the place of those of the interpreter's loop. */
#ifndef DWELL_CG_RT_PYTHON_H
#define DWELL_CG_RT_PYTHON_H
#include "base/pyfmt.h"
#include "cg/ir/ir.h"
#include "types/caps.h"

#define RT_PYTHON_MAX_FRAMES 512

/* Behind struct rt_unwind_state. */
struct rt_python_state {
	uint64_t out[RT_PYTHON_MAX_FRAMES]; /* the mixed stack */
	struct py_proc p;
	uint8_t frame[PY_FRAME_BYTES];
	uint64_t tid;		  /* as the process has it: in its own pid namespace */
	uint64_t thread;	  /* PyThreadState; 0: not in the list */
	uint64_t fp;		  /* _PyInterpreterFrame; 0: no more */
	uint64_t in;		  /* 1: in frames of one call of the loop */
	uint64_t i, n, nout, max; /* native frames: read, all; mixed ones: written, wanted */
	uint64_t flags;		  /* RT_UNWIND_CUT: deeper than wanted */
	uint64_t mark;		  /* enum py_mark that is told once, or 0 */
	uint64_t tmp;
};

/* Places of members in kernel structs: to know a thread's number in its pid namespace. */
struct rt_python_offsets {
	uint32_t thread_pid, level, numbers;
};

/* (n, max, tgid, start): n native frames are in element scratch_key; at most max mixed ones go to py.out. Returns
 * their number | RT_UNWIND_CUT << 32; negative: no Python is known in the process, and the native ones are all. */
struct irfn *rt_python_emit(struct irprog *p, const struct caps *caps, uint32_t scratch, uint32_t procs,
			    const struct rt_python_offsets *o, uint32_t scratch_key);
#endif
