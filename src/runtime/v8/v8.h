/* SPDX-License-Identifier: Apache-2.0 */
/* Reads V8: the layout of its objects out of a binary, and the text of a frame (function and place) out of a process.
 * All that is read may be hostile. */
#ifndef DWELL_RUNTIME_V8_V8_H
#define DWELL_RUNTIME_V8_V8_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/v8fmt.h"
#include "runtime/runtime.h"

#define V8_VERSION(major, minor) ((uint32_t)(major) << 8 | (uint32_t)(minor))
#define V8_VERSIONS "10.2, 11.3, 12.4 and 13.6 are"

#define V8_SCALES 3	     /* of operands: 1, 2, 4 bytes */
#define V8_MAX_BYTECODES 256 /* a bytecode is a byte */
#define V8_PREFIXES 4	     /* the first bytecodes only say how large the operands of the next one are */

struct v8_layout {
	uint32_t version; /* V8_VERSION() */
#define FIELD(name, symbol, ...) int32_t name;
#include "runtime/v8/field.def"
#undef FIELD
	uint32_t nbytecodes; /* 0: not known */
	uint8_t bytecode_sizes[V8_SCALES][V8_MAX_BYTECODES];
};

/* Begins a layout of which nothing is known. */
void v8_layout_begin(struct v8_layout *l);
/* Whether a symbol's value (4 bytes) is wanted; where it is to be put, or NULL. name: not NUL-terminated. */
int32_t *v8_layout_field(struct v8_layout *l, const char *name, size_t len);
/* Takes n bytes of the table of bytecodes' sizes, kBytecodeSizes. False: it is none. */
bool v8_layout_bytecodes(struct v8_layout *l, const uint8_t *sizes, size_t n);
/* Fills in what the version has and the binary does not say. 0; -ENOTSUP: that version is not known; -EBADMSG: the
 * binary does not say what it should, or nonsense. */
int v8_layout_end(struct v8_layout *l, uint32_t version);
/* The known version that is the last one before a version, else the first one. */
uint32_t v8_nearest(uint32_t version);
/* Where a walk finds frames. */
void v8_layout_walk(const struct v8_layout *l, struct v8_proc *ret);

/* The function of a frame as it was read: equal ones mean that it is still the same. */
struct v8_head {
	uint64_t shared, map, name, script; /* of a Code: it, its map, its instructions, its deoptimisation data */
	int32_t kind;			    /* the instance type: of a SharedFunctionInfo, or of a Code */
	uint32_t unused;
};

/* The compiler that made the code of a frame. */
enum v8_tier { V8_INTERPRETED, V8_BASELINE, V8_MAGLEV, V8_TURBOFAN };

/* Lines of scripts, kept from one frame to the next. */
struct v8_lines;
struct v8_lines *v8_lines_new(void);	/* NULL without memory */
void v8_lines_free(struct v8_lines *k); /* accepts NULL */

#define V8_MAX_NAME 255u     /* characters of a function's name; longer ones are cut */
#define V8_MAX_FILE 511u     /* of a script's */
#define V8_MAX_DEPTH 16u     /* strings made of strings */
#define V8_MAX_PIECES 32u    /* of a name */
#define V8_MAX_LOCALS 65536u /* variables of a scope that are skipped */
#define V8_INLINE_LOCALS 75u /* from this many on they are in a table. Source: kScopeInfoMaxInlinedLocalNamesSize */
#define V8_MAX_POSITIONS (4u << 20) /* bytes of a table of positions, of a function's bytecode */
#define V8_MAX_INLINED 24u	    /* functions in one another */
#define V8_MAX_SOURCE (64u << 20)   /* bytes of a script that is read for its lines */
#define V8_MAX_ENDS (1u << 20)	    /* lines of a script */
#define V8_MAX_SCRIPTS 64u	    /* of which lines are kept */

/* Reads the function of a frame. -ENOENT: it is none (any more); -EBADMSG: the objects are not as the layout says. */
int v8_head_read(const struct v8_layout *l, const struct rt_mem *m, uint64_t frame, struct v8_head *ret);
/* "function at file:line:column" of a frame; without place where it is not known; "function [builtin]". In optimised
 * code, inlined functions come first, with RT_INLINED_INTO between. A character that is not printable is escaped. 0; 1:
 * the place could not be read now; or -errno. */
int v8_frame_text(const struct v8_layout *l, const struct rt_mem *m, struct v8_lines *k, const struct v8_head *h,
		  uint64_t frame, char *buf, size_t size);
enum v8_tier v8_frame_tier(const struct v8_layout *l, const struct rt_mem *m, const struct v8_head *h, uint64_t frame);
/* The place in the source of the last entry at or before `at` of a table of positions, or -1. */
int64_t v8_position(const uint8_t *table, size_t n, uint64_t at);
#endif
