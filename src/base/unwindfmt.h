/* SPDX-License-Identifier: Apache-2.0 */
/* Tables for unwinding user stacks, as sym/unwind/ehtab.h makes them, run/consume/unwind.h puts them into maps, and
 * generated programs read them. Plain data: it lives in base because cg must not know sym.
 *
 * Four maps, none of which holds a pointer:
 *   tables  array of u64: the tables of all files one after the other. A table is an index (one element
 *           for each UW_BUCKET bytes of code), then rows.
 *   areas   array of struct uw_area: the executable mappings of each process, sorted, one process after
 *           the other
 *   procs   hash u32 tgid -> struct uw_proc: where the areas of a process are
 *   files   hash struct uw_file_key -> struct uw_file
 * and a hash u32 tgid -> u64 start into which programs put the processes that they did not find. */
#ifndef DWELL_BASE_UNWINDFMT_H
#define DWELL_BASE_UNWINDFMT_H
#include <stdint.h>

/* A row: from this address (from the table's base) on, up to the next row's, the rule holds. */
#define UW_ROW(pc, rule) ((uint64_t)(rule) << 32 | (uint32_t)(pc))
#define UW_ROW_PC(row) ((uint32_t)(row))
#define UW_ROW_RULE(row) ((uint32_t)((row) >> 32))

/* An element of the index: rows [first, first + count) hold for its bucket; count is at least 1. */
#define UW_INDEX(first, count) ((uint64_t)(count) << 32 | (uint32_t)(first))
#define UW_INDEX_FIRST(e) ((uint32_t)(e))
#define UW_INDEX_COUNT(e) ((uint32_t)((e) >> 32))
#define UW_BUCKET_SHIFT 8
#define UW_BUCKET (1u << UW_BUCKET_SHIFT) /* rows of one bucket: at most this many and one more */

/* How the canonical frame address (CFA: the caller's stack pointer) is found. off counts words of 8 bytes,
 * except for UW_PLT. The return address is in the word below the CFA. */
enum uw_kind {
	UW_NONE,     /* not described: frame pointers may help */
	UW_LOST,     /* described in a way that a rule cannot express */
	UW_END,	     /* outermost function: there is no caller */
	UW_SP,	     /* stack pointer + off */
	UW_BP,	     /* frame pointer + off */
	UW_BX,	     /* third register (rbx) + off: x86-64 only */
	UW_BP_DEREF, /* word at frame pointer + off */
	UW_PLT,	     /* stack pointer + 8, and 8 more when the low 4 bits of the pc are at least off */
	UW_RA_DI,    /* as UW_SP, but the return address is in register rdi: libc's vfork() */
	UW_SIGNAL,   /* the registers are in a struct ucontext at stack pointer + off */
	UW_SP_DEREF, /* word at stack pointer + off, and 8: OpenSSL's functions, which align their stack */
};

/* A rule: kind, where the caller's frame pointer and third register are, off. */
#define UW_RULE(kind, bp, bx, off) \
	((uint32_t)(kind) | (uint32_t)(bp) << 4 | (uint32_t)(bx) << 11 | (uint32_t)(uint16_t)(int16_t)(off) << 16)
#define UW_RULE_KIND(r) ((r)&15)
#define UW_RULE_BP(r) ((r) >> 4 & 127)
#define UW_RULE_BX(r) ((r) >> 11 & 31)
#define UW_RULE_OFF(r) ((int16_t)((r) >> 16))
/* 0: unchanged; n: in the n-th word below the CFA; or: */
#define UW_BP_MAX 125	/* the largest n */
#define UW_BP_AT_BP 126 /* in the word that the frame pointer points to */
#define UW_BP_GONE 127
#define UW_BX_MAX 30
#define UW_BX_GONE 31
/* arm64 has no third register. Return addresses are in the link register until a function saves it, mostly with the
 * frame pointer in the word below it. So there one field tells where both are. */
#define UW_RULE_LINK(kind, saved, off) \
	((uint32_t)(kind) | (uint32_t)(saved) << 4 | (uint32_t)(uint16_t)(int16_t)(off) << 16)
#define UW_RULE_SAVED(r) ((r) >> 4 & 4095)
/* 0: still in their registers; or the return address in the n-th word below the CFA and the frame pointer: */
#define UW_SAVED_LINK(n) ((n) << 1 | 1)			   /* in its register; n <= UW_LINK_MAX */
#define UW_SAVED_PAIR(n) ((n) << 2)			   /* in the word below that; n <= UW_PAIR_MAX */
#define UW_SAVED_FAR(n, by) ((n) << 5 | ((by)-2) << 2 | 2) /* `by` words below that; n <= UW_FAR_MAX */
#define UW_LINK_MAX 2047
#define UW_PAIR_MAX 1023
#define UW_FAR_MAX 127
#define UW_FAR_MAX_BY 9
#define UW_OFF_MAX INT16_MAX

/* One executable mapping with a table: at address a, bucket (a - bias) >> UW_BUCKET_SHIFT. */
struct uw_area {
	uint64_t start, end; /* [start, end) */
	uint64_t bias;	     /* table address = address - bias */
	uint32_t index;	     /* element of `tables` where the table's index begins */
	uint32_t nindex;
};

struct uw_proc {
	uint64_t start;	       /* of the process, ns since boot; 0: the process that has the number now */
	uint32_t first, count; /* elements of `areas`; count 0: nothing is known of its code */
};

/* A file with a table, for processes that user space has not looked at yet. The program asks the kernel for the mapping
 * of an address, and finds its file here. Only files with one executable segment. */
struct uw_file_key {
	uint64_t ino, size;
	uint32_t dev; /* as the kernel has it: major << 20 | minor */
	uint32_t pad;
};
struct uw_file {
	uint64_t off, end;	/* of the segment in the file, whole pages */
	uint64_t delta;		/* table address = file offset + delta */
	uint32_t index, nindex; /* as in struct uw_area */
};

#define UW_MAX_AREAS 4096 /* of one process: further ones are left out */
#define UW_AREA_STEPS 12  /* 2^12 */
#define UW_ROW_STEPS 9	  /* UW_BUCKET + 1 rows */
#endif
