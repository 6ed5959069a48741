/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of V8 in user stacks, as programs record them (cg/rt/v8.c) and user space names them (sym/proc/v8.c):
 *
 *     63    62    61         60 … 45     44 … 1                   0
 *     1     0     compiled   position    address of object / 8    1
 *
 * Interpreted code: the object is the SharedFunctionInfo, the position that of the bytecode, as the frame has it.
 * Compiled code: the position is that of the return address in the code. The object of baseline code is the
 * SharedFunctionInfo, too. The object of optimised code is the Code, which tells what was inlined. */
#ifndef DWELL_BASE_V8FMT_H
#define DWELL_BASE_V8FMT_H
#include "base/rtfmt.h"

#define V8_AT_SHIFT 45
#define V8_AT_MAX UINT64_C(0xffff) /* not known, or after this many bytes */
#define V8_COMPILED (UINT64_C(1) << 61)
#define V8_OBJECT_MASK (((UINT64_C(1) << V8_AT_SHIFT) - 1) & ~UINT64_C(1))
#define V8_OBJECT_SHIFT 2 /* objects are aligned to 8 bytes; bit 0 of the frame is taken */
#define V8_TAG 1 /* of a pointer to an object in its lowest bits. Source: kHeapObjectTag, include/v8-internal.h */
#define V8_TAG_MASK 3

#define V8_FRAME(object, at) \
	(RT_FRAME_SET | ((uint64_t)(at)&V8_AT_MAX) << V8_AT_SHIFT | \
	 ((uint64_t)(object) >> V8_OBJECT_SHIFT & V8_OBJECT_MASK))
/* Tagged, as V8 has it. */
#define V8_FRAME_OBJECT(f) (((f)&V8_OBJECT_MASK) << V8_OBJECT_SHIFT | V8_TAG)
#define V8_FRAME_AT(f) ((uint32_t)((f) >> V8_AT_SHIFT & V8_AT_MAX))

/* In place of frames, as a position in object 0. */
enum v8_mark {
	V8_MARK_VERSION = 1, /* V8's version is not known */
	V8_MARK_FAULT,	     /* the function of a frame could not be read */
};
#define V8_IS_MARK(f) (!((f)&V8_OBJECT_MASK))

/* One process, for the walk: places in V8's objects, from their beginning. */
struct v8_proc {
	uint64_t start;				 /* as in struct uw_proc */
	uint64_t known;				 /* 0: version not known */
	uint64_t type;				 /* Map: instance type, 2 bytes */
	uint64_t function_first, function_types; /* instance types of functions */
	uint64_t bytecode_type;			 /* of a BytecodeArray */
	uint64_t shared;			 /* JSFunction */
	uint64_t code;				 /* the same: Code; 0: it has none */
	uint64_t begin, size, flags;		 /* Code: address of its instructions, their bytes (4), kind (4) */
	uint64_t group, table;	  /* 0; or address of a pointer, and where after it a table's address is … */
	uint64_t handle;	  /* … in which the function's Code is: JSFunction: its index there */
	uint64_t inside;	  /* 0; or where in a Code its instructions are */
	uint64_t kinds, baseline; /* mask of the kind in flags, and its value; optimised code has larger ones */
};

/* The bytes of a frame that are read below its frame pointer: where its function is and so on. */
#define V8_FRAME_BYTES 40
#define V8_FRAME_AT_BYTECODE 0	/* offset; Source: src/execution/frame-constants.h, v8dbg_off_fp_* */
#define V8_FRAME_AT_ARRAY 8	/* BytecodeArray */
#define V8_FRAME_AT_FUNCTION 24 /* JSFunction */
#define V8_FRAME_AT_CONTEXT 32	/* Context, or the type of a frame of another kind */

#define V8_FUNCTION_BYTES 56 /* of a JSFunction are read */
#define V8_CODE_BYTES 64     /* of a Code */
#define V8_HANDLE_SHIFT \
	8 /* of a handle; the bits above are its index. Source: kJSDispatchHandleShift, include/v8-internal.h */
#endif
