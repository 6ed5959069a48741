/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of HotSpot in user stacks, as programs record them (cg/rt/hotspot.c) and user space names them
 * (sym/proc/hotspot.c):
 *
 *     63    62    61    60 … 48          47 … 1                   0
 *     1     0     1     compile id       address in the code      1      in the code cache: compiled code, stubs
 *     1     0     0     index of the     address of the           1      interpreted
 *                       bytecode, 60…45  Method / 8, 44 … 1
 *
 * The address tells all about compiled code: user space finds the code and its tables by it. The lowest bits of the
 * compile id tell whether it is still the same code. */
#ifndef DWELL_BASE_HOTSPOTFMT_H
#define DWELL_BASE_HOTSPOTFMT_H
#include "base/rtfmt.h"

#define HS_COMPILED (UINT64_C(1) << 61)
#define HS_ID_SHIFT 48
#define HS_ID_MASK UINT64_C(0x1fff)
#define HS_PC_MASK ((UINT64_C(1) << 47) - 1)
#define HS_BCI_SHIFT 45
#define HS_BCI_MAX UINT64_C(0xffff) /* not known: a native method, or between two bytecodes */
#define HS_METHOD_MASK (((UINT64_C(1) << HS_BCI_SHIFT) - 1) & ~UINT64_C(1))
#define HS_METHOD_SHIFT 2 /* Methods are aligned to 8 bytes; bit 0 of the frame is taken */

#define HS_FRAME_CODE(pc, id) \
	(RT_FRAME_SET | HS_COMPILED | ((uint64_t)(id)&HS_ID_MASK) << HS_ID_SHIFT | ((uint64_t)(pc)&HS_PC_MASK) << 1)
#define HS_FRAME_METHOD(method, bci) \
	(RT_FRAME_SET | ((uint64_t)(bci)&HS_BCI_MAX) << HS_BCI_SHIFT | \
	 ((uint64_t)(method) >> HS_METHOD_SHIFT & HS_METHOD_MASK))
#define HS_FRAME_PC(f) ((f) >> 1 & HS_PC_MASK)
#define HS_FRAME_ID(f) ((uint32_t)((f) >> HS_ID_SHIFT & HS_ID_MASK))
#define HS_FRAME_AT(f) (((f)&HS_METHOD_MASK) << HS_METHOD_SHIFT)
#define HS_FRAME_BCI(f) ((uint32_t)((f) >> HS_BCI_SHIFT & HS_BCI_MAX))

/* In place of frames, as an index of Method 0. */
enum hs_mark {
	HS_MARK_VERSION = 1, /* the JVM does not say where its structures are, or not what is wanted */
	HS_MARK_FAULT,	     /* the code of a frame could not be read */
};
#define HS_IS_MARK(f) (!((f)&HS_COMPILED) && !((f)&HS_METHOD_MASK))

#define HS_MAX_HEAPS 4u /* of code */

/* A heap of code: blocks of segments, and a byte for each that leads to where its block begins. Source: CodeHeap,
 * share/memory/heap.hpp. */
struct hs_heap {
	uint64_t low, len; /* len 0: there is none */
	uint64_t map;	   /* address of the first segment's byte */
};

/* One process, for the walk: addresses, and places in the JVM's structs. */
struct hs_proc {
	uint64_t start;		     /* as in struct uw_proc */
	uint64_t refused;	     /* its structures are not known: a mark is all */
	uint64_t low, len;	     /* the code cache; len 0: there is none yet */
	uint64_t interp, interp_len; /* the interpreter's code in it */
	struct hs_heap heaps[HS_MAX_HEAPS];
	uint64_t shift; /* of a segment's size */
	uint64_t block; /* bytes in front of a CodeBlob: HeapBlock */
	uint64_t used;	/* place in them: whether there is a blob */
	uint64_t name, frame_size, complete, complete_bytes, code, code_bytes,
		id;	       /* places in a CodeBlob, from the block */
	uint64_t const_method; /* Method */
	uint64_t code_size;    /* ConstMethod: bytes of bytecode */
	uint64_t bytecodes;    /* where after a ConstMethod they are */
};

#define HS_BLOB_BYTES 384 /* of a block are read, from its beginning */
#define HS_BLOB_LEAST 128 /* at least: what all blobs have */
#define HS_SEGMENT_FREE 0xff
#define HS_MAX_HOPS 12 /* from a segment to where its block begins */

/* Bytes that are read of an interpreter's frame, around its frame pointer. Source: cpu/x86/frame_x86.hpp. */
#define HS_FRAME_BELOW 64 /* bytes below it: the bytecode pointer */
#define HS_FRAME_BYTES 80
#define HS_FRAME_BCP 0
#define HS_FRAME_METHOD_AT 40
#define HS_FRAME_SENDER 56 /* the caller's stack pointer */
#define HS_FRAME_BP 64
#define HS_FRAME_RA 72

/* The first 8 bytes of CodeBlobs' names. Source: share/code/codeBlob.cpp, nmethod.cpp, stubRoutines.cpp. */
#define HS_BLOB_COMPILED "nmethod\0"
#define HS_BLOB_NATIVE "native n"
#define HS_BLOB_STUBS "StubRout"

/* Instructions of x86-64 that make and take down a frame, by their first 1 or 3 bytes. Source: Intel SDM, volume 2. */
#define HS_INSN_RET 0xc3
#define HS_INSN_PUSH_BP 0x55
#define HS_INSN_POP_BP 0x5d
#define HS_INSN_SUB_SP 0xec8348 /* sub $imm8,%rsp */
#define HS_INSN_SUB_SP_LEN 4
#define HS_INSN_SUB_SP_FAR 0xec8148 /* sub $imm32,%rsp */
#define HS_INSN_SUB_SP_FAR_LEN 7
#define HS_INSN_CMP_SP 0xa73b49	     /* cmp disp32(%r15),%rsp: the poll before a return */
#define HS_INSN_MOV_BP_SP 0xec8b48   /* mov %rsp,%rbp */
#define HS_INSN_MOV_BP_SP_2 0xe58948 /* the same */
#endif
