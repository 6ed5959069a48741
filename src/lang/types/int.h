/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the type table: what the files of lang/types share, and lang/check/decl.c needs. */
#ifndef DWELL_LANG_TYPES_INT_H
#define DWELL_LANG_TYPES_INT_H
#include "lang/dtype.h"
#include "lang/types/symtab.h"

#define DTYPE_NQUALS 8	   /* combinations of DQ_* */
#define DTYPE_MAX_DEPTH 64 /* nesting of derived kernel types that is followed */

/* A type with the types derived from it: derivation is canonical by construction. */
struct dtype_x {
	struct dtype t; /* first: a dtype of this table is a dtype_x */
	struct dtype *ptr, *func;
	struct dtype *qual[DTYPE_NQUALS]; /* by qualifiers; on unqualified types only */
	struct dtype_x *arrays, *next_array;
	bool completing; /* members are being read */
};

struct dtypes {
	struct arena *arena;
	struct typesrc *ts;
	struct dtype *basic[DT_NBASIC];
	struct symtab names;	   /* D's own: (name, dkind) */
	struct symtab kernel;	   /* found by name: ("mod`name", dkind) */
	struct symtab refs;	   /* (NULL, obj << 32 | id) */
	struct symtab strings;	   /* (NULL, bound) and the like: (kind text, parameters) */
	struct symtab enumerators; /* D's own: name -> struct dtype_enumerator */
	struct symtab kenums;	   /* the kernel's; filled at first use */
	bool kenums_done;
	unsigned depth;
	void (*define)(void *ctx, enum dkind kind, const char *name); /* or NULL */
	void *define_ctx;
};

struct dtype_enumerator {
	const struct dtype *type;
	int64_t value;
};

struct dtype *dtype_new(struct dtypes *t, enum dkind kind, const char *name, uint64_t size, uint32_t align);
/* Fills members or enumerators of a kernel type; others stay as they are. */
void dtype_complete(struct dtypes *t, const struct dtype *ty);
/* The complete kernel type of an incomplete one, or NULL. */
const struct dtype *dtype_find_complete(struct dtypes *t, const struct dtype *fwd);
/* "type name" as C declares it. */
const char *dtype_declare(struct dtypes *t, const struct dtype *ty, const char *name);
/* C's spelling of a base type as a basic type; DT_NBASIC: it is none. */
enum dbasic dtype_parse_basic(const char *name, size_t len);
/* Makes enumerator i of a D enum known. */
void dtype_add_enumerator(struct dtypes *t, const struct dtype *ty, uint32_t i);
#endif
