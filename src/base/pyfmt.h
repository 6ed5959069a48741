/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of CPython in user stacks, as programs record them (cg/rt/python.c) and user space names them
 * (sym/proc/python.c):
 *
 *     63    62    61 … 44              43 … 1                             0
 *     1     0     index in the code    address of the code object / 16    1
 */
#ifndef DWELL_BASE_PYFMT_H
#define DWELL_BASE_PYFMT_H
#include "base/rtfmt.h"

#define PY_INDEX_SHIFT 44
#define PY_INDEX_BITS 18
#define PY_INDEX_MAX ((UINT64_C(1) << PY_INDEX_BITS) - 1) /* before the first instruction */
#define PY_CODE_SHIFT 3 /* objects are aligned to 16 bytes. Source: ALIGNMENT_SHIFT of Objects/obmalloc.c */
#define PY_CODE_MASK (((UINT64_C(1) << PY_INDEX_SHIFT) - 1) & ~UINT64_C(1))

#define PY_FRAME(code, index) \
	(RT_FRAME_SET | ((uint64_t)(index)&PY_INDEX_MAX) << PY_INDEX_SHIFT | \
	 ((uint64_t)(code) >> PY_CODE_SHIFT & PY_CODE_MASK))
#define PY_FRAME_CODE(f) (((f)&PY_CODE_MASK) << PY_CODE_SHIFT)
#define PY_FRAME_INDEX(f) ((uint32_t)((f) >> PY_INDEX_SHIFT & PY_INDEX_MAX))

/* In place of frames, as an index of code object 0. */
enum py_mark {
	PY_MARK_VERSION = 1, /* the interpreter's version is not known */
	PY_MARK_FAULT,	     /* the next frame could not be read */
	PY_MARK_THREAD,	     /* the interpreter does not list the thread */
};

/* One process, for the walk: addresses, and places in the interpreter's structs. */
struct py_proc {
	uint64_t start;		 /* as in struct uw_proc */
	uint64_t eval, eval_len; /* the function that runs Python code */
	uint64_t interp;	 /* address of the pointer to the main interpreter; 0: version not known */
	uint64_t threads;	 /* PyInterpreterState: first thread */
	uint64_t next, tid;	 /* PyThreadState */
	uint64_t has_cframe, cframe, current;
	uint64_t code, instr, previous; /* _PyInterpreterFrame */
	uint64_t boundary, boundary_is; /* byte of the frame, and its value where a call of `eval` begins */
	uint64_t shim;			/* that frame is nobody's code */
	uint64_t code_start;		/* PyCodeObject: the first instruction */
};

#define PY_FRAME_BYTES 80   /* of a frame are read: all of the above lie in it */
#define PY_MAX_THREADS 2048 /* of an interpreter are looked through */
#endif
