/* SPDX-License-Identifier: Apache-2.0 */
/* HotSpot: the layout of its structures as libjvm tells debuggers, and the text of a frame. All that is read may be
 * hostile. */
#ifndef DWELL_RUNTIME_HOTSPOT_HOTSPOT_H
#define DWELL_RUNTIME_HOTSPOT_HOTSPOT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/hotspotfmt.h"
#include "runtime/runtime.h"

enum hs_symbol {
#define SYMBOL(name, symbol) HS_SYMBOL_##name,
#include "runtime/hotspot/symbols.def"
#undef SYMBOL
	HS_SYMBOLS
};
/* The symbol of a name (not NUL-terminated); HS_SYMBOLS: none. */
enum hs_symbol hs_symbol_of(const char *name, size_t len);

struct hs_layout {
	uint32_t java; /* version of the JVM, as 17 */
	uint8_t complete_bytes, code_bytes;
#define FIELD(member, ...) uint64_t member;
#define STATIC(member, ...) uint64_t member;
#define SIZE(member, ...) uint64_t size_##member;
#define ALIAS(...)
#include "runtime/hotspot/field.def"
#undef ALIAS
#undef SIZE
#undef STATIC
#undef FIELD
	const char *missing; /* what the JVM does not say; NULL: nothing */
};
#define HS_NONE UINT64_MAX /* a place that is not said */

#define HS_OLDEST 11u
#define HS_EXCESS 20u	      /* the version since which no byte of a compressed number is 0 */
#define HS_LEVEL_C2 4u	      /* Source: CompLevel_full_optimization, share/compiler/compilerDefinitions.hpp */
#define HS_MAX_ENTRIES 16384u /* of one of the JVM's tables */
#define HS_MAX_PLACE 65535u   /* of a member in its struct */
#define HS_MAX_SHIFT 16u      /* of a segment's size */
#define HS_MAX_NAME 255u      /* bytes of a name; longer ones are cut */
#define HS_MAX_INLINED 32u    /* functions in one another */
#define HS_MAX_LINES 65536u   /* bytes of a table of lines that are read */
#define HS_MAX_PCS (1u << 20) /* entries of a table of places in code */
#define HS_MAX_METADATA 65536u

/* Reads the layout of a process. symbols: addresses, 0: the file does not have it. 0; -EAGAIN: the JVM is only just
 * beginning; -EBADMSG: l->missing; or what the reader says. */
int hs_layout_read(const struct rt_mem *m, const uint64_t symbols[HS_SYMBOLS], struct hs_layout *ret);
/* Where a walk finds frames: the heaps of code as they are now. */
int hs_layout_walk(const struct hs_layout *l, const struct rt_mem *m, struct hs_proc *ret);

enum hs_tier { HS_INTERPRETED, HS_C1, HS_C2, HS_NATIVE, HS_STUB };

/* A frame's function as it was read: equal ones mean that it is still the same. */
struct hs_head {
	uint64_t method, const_method, constants, holder; /* 0: a stub */
	uint64_t blob, name;				  /* of code: the CodeBlob, its name; 0: interpreted */
	uint32_t id;					  /* compile id */
	uint32_t level;					  /* of the compiler */
};

/* Reads the function of a frame. -ENOENT: it is none (any more); -EBADMSG: the structures are not as the layout says.
 */
int hs_head_read(const struct hs_layout *l, const struct hs_proc *p, const struct rt_mem *m, uint64_t frame,
		 struct hs_head *ret);
/* "class.method at file:line" of a frame; without line where it is not known; "class.method [native]"; "name [stub]".
 * In compiled code, inlined functions come first, with RT_INLINED_INTO between. A character that is not printable is
 * escaped. 0 or -errno. */
int hs_frame_text(const struct hs_layout *l, const struct rt_mem *m, const struct hs_head *h, uint64_t frame, char *buf,
		  size_t size);
enum hs_tier hs_frame_tier(const struct hs_layout *l, const struct rt_mem *m, const struct hs_head *h);
/* The line of a bytecode by a table of lines of n bytes; 0: none. */
uint32_t hs_line(const struct hs_layout *l, const uint8_t *table, size_t n, uint32_t bci);
#endif
