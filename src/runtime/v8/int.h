/* SPDX-License-Identifier: Apache-2.0 */
/* Types and functions that the files of runtime/v8 share: reading V8's objects. Objects are given by their tagged
 * pointers. */
#ifndef DWELL_RUNTIME_V8_INT_H
#define DWELL_RUNTIME_V8_INT_H
#include "runtime/v8/v8.h"

/* The layout and the memory by which functions read. */
struct v8 {
	const struct v8_layout *l;
	const struct rt_mem *m;
};

static inline bool v8_is_object(uint64_t v)
{
	return (v & V8_TAG_MASK) == V8_TAG;
}

/* A small integer is in the upper half of a word. Source: SmiValuesAre32Bits(), include/v8-internal.h. */
static inline bool v8_is_smi(uint64_t v)
{
	return !(v & 1);
}

static inline int32_t v8_smi(uint64_t v)
{
	return (int32_t)(uint32_t)(v >> 32);
}

/* n bytes at a place of an object. */
int v8_bytes(const struct v8 *v, uint64_t object, int64_t at, void *buf, size_t n);
int v8_word(const struct v8 *v, uint64_t object, int64_t at, uint64_t *ret);
/* The instance type of an object, or -errno; -EBADMSG for what is none. */
int v8_type(const struct v8 *v, uint64_t object);

/* A string's characters, where they lie; strings that are made of others are followed to the one that has them. */
struct v8_chars {
	uint64_t at;   /* address */
	uint32_t n;    /* characters */
	uint32_t size; /* of one: 1, 2 */
};
/* -EBADMSG: it is no string, or one of several pieces. */
int v8_chars(const struct v8 *v, uint64_t string, struct v8_chars *ret);
/* Adds a string, also of several pieces: at most max characters of each. */
int v8_add_string(const struct v8 *v, struct rt_text *t, uint64_t string, uint32_t max);

/* A function's facts in its scope. */
struct v8_scope {
	uint64_t name, inferred; /* strings, or 0 */
	int64_t start;		 /* where it begins in the source, or -1 */
};
int v8_scope_read(const struct v8 *v, uint64_t scope, struct v8_scope *ret);

/* place.c: where in its source the function of an interpreted or baseline frame is, or -1. data: of its
 * SharedFunctionInfo. */
int64_t v8_function_place(const struct v8 *v, uint64_t data, uint64_t frame);
/* A function of optimised code. */
struct v8_call {
	uint64_t shared;   /* SharedFunctionInfo */
	int64_t place;	   /* in its source, or -1 */
	uint64_t position; /* used while it is read */
};
/* The functions that optimised code is in, the innermost inlined one first, max > 0 at most. Returns how many, or
 * -errno. */
int v8_code_functions(const struct v8 *v, uint64_t code, uint64_t frame, struct v8_call *ret, size_t max);

/* line.c: line and column, from 1, of a place in the source of a script. */
int v8_line(const struct v8 *v, struct v8_lines *k, uint64_t script, int64_t position, int64_t *ret_line,
	    int64_t *ret_column);
#endif
