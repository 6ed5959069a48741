/* SPDX-License-Identifier: Apache-2.0 */
/* D types: C's types plus string, stacks and symbolic addresses. Canonical within one compilation:
 * equal unqualified types have equal pointers (structs and unions by definition). Kernel structs
 * come from BTF and get their members when first asked. */
#ifndef DWELL_LANG_DTYPE_H
#define DWELL_LANG_DTYPE_H
#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "types/typesrc.h"

enum dkind {
	DK_VOID,
	DK_INT,	  /* all integers, char and _Bool included: size, is_signed */
	DK_FLOAT, /* can be named, traced as bytes, but not computed with */
	DK_ENUM,  /* size, is_signed */
	DK_PTR,	  /* base */
	DK_ARRAY, /* base, nelems */
	DK_STRUCT,
	DK_UNION,
	DK_FUNC,
	DK_FWD,	    /* incomplete struct or union */
	DK_TYPEDEF, /* base; stripped by dtype_resolve() */
	DK_STRING,  /* D string; see dtype.strbound */
	DK_STACK,   /* stack(): nframes */
	DK_USTACK,
	DK_SYM, /* sym(), func(), mod(), usym() …: symfield tells which */
	DK_AGG, /* an aggregation as argument of printa, clear … */
	DK_DYN, /* unknown until first assignment */
};

struct dtype;

struct dmember {
	const char *name; /* "" for anonymous members (dtype_member() looks through them) */
	const struct dtype *type;
	uint32_t bit_off;  /* from the start of the struct */
	uint32_t bit_size; /* 0: not a bit field */
};

struct denumval {
	const char *name;
	int64_t value;
};

enum { /* qualifiers */
       DQ_CONST = 1,
       DQ_VOLATILE = 2,
       DQ_USERLAND = 4, /* pointer: it points to user memory (D's `userland` keyword, user types) */
};

struct dtype {
	enum dkind kind;
	const char *name; /* tag or typedef or base type name; NULL when anonymous */
	uint64_t size;	  /* bytes; 0 for void, incomplete types, DK_DYN */
	uint32_t align;
	bool is_signed;
	bool is_bool;
	bool is_union;		    /* DK_FWD: declared so */
	bool is_char;		    /* char, signed char, unsigned char */
	unsigned quals;		    /* DQ_* on this type; base types stay canonical */
	const struct dtype *base;   /* pointer target, array element, typedef, function's return */
	const struct dtype *unqual; /* the same type without qualifiers; itself when it has none */
	uint64_t nelems;
	struct tref ref; /* kernel type it stands for; id 0: a D type */
	bool from_kernel;
	/* STRUCT/UNION/ENUM: filled by dtype_complete() */
	const struct dmember *members;
	uint32_t nmembers;
	const struct denumval *enumerators;
	uint32_t nenumerators;
	bool complete;
	uint32_t nframes;   /* DK_STACK, DK_USTACK, DK_SYM of FLD_WHY */
	uint32_t strframes; /* DK_USTACK: string size argument */
	uint32_t symfield;  /* DK_SYM: enum field_kind */
	uint32_t strbound;  /* DK_STRING: static bound in bytes incl. NUL; 0: strsize */
};

/* Table of the types of one compilation; lives in the arena. */
struct dtypes;

enum dbasic {
	DT_VOID,
	DT_CHAR,
	DT_SCHAR,
	DT_UCHAR,
	DT_SHORT,
	DT_USHORT,
	DT_INT,
	DT_UINT,
	DT_LONG,
	DT_ULONG,
	DT_LLONG,
	DT_ULLONG,
	DT_BOOL,
	DT_FLOAT,
	DT_DOUBLE,
	DT_LDOUBLE,
	DT_STRING,
	DT_DYN,
	DT_AGG,
	DT_VOIDPTR,
	DT_NBASIC,
};

struct dtypes *dtypes_new(struct arena *a, struct typesrc *ts /* NULL: no kernel types */);
/* dtype_lookup() calls define() for a name (DK_TYPEDEF or a tag) that the program does not define: before it asks the
 * kernel for typedefs, after it for tags. */
void dtypes_on_miss(struct dtypes *t, void (*define)(void *ctx, enum dkind kind, const char *name), void *ctx);
const struct dtype *dtype_basic(struct dtypes *t, enum dbasic b);
const struct dtype *dtype_int(struct dtypes *t, unsigned size, bool is_signed); /* intN_t */
const struct dtype *dtype_ptr(struct dtypes *t, const struct dtype *base);
const struct dtype *dtype_array(struct dtypes *t, const struct dtype *base, uint64_t n);
const struct dtype *dtype_func(struct dtypes *t, const struct dtype *ret);
const struct dtype *dtype_string(struct dtypes *t, uint32_t bound);
const struct dtype *dtype_stack(struct dtypes *t, enum dkind k, uint32_t nframes, uint32_t strframes);
const struct dtype *dtype_why(struct dtypes *t, uint32_t nframes); /* why(): a DK_SYM that is a stack */
const struct dtype *dtype_sym(struct dtypes *t, uint32_t field_kind);
const struct dtype *dtype_qual(struct dtypes *t, const struct dtype *base, unsigned quals);
/* The D type for a kernel type; never NULL (void on broken references). */
const struct dtype *dtype_from_ref(struct dtypes *t, struct tref ref);
/* New struct, union, enum, typedef of the D program; the checker fills in its members (check/decl.c). */
struct dtype *dtype_new_tagged(struct dtypes *t, enum dkind k, const char *tag);
const struct dtype *dtype_new_typedef(struct dtypes *t, const char *name, const struct dtype *base);
/* Looks a name up: D's own definitions, then the kernel. kind: DK_STRUCT, DK_UNION, DK_ENUM for
 * tags, DK_TYPEDEF for plain names (base types included). module: "mod`struct x" or NULL. NULL: none. */
const struct dtype *dtype_lookup(struct dtypes *t, enum dkind kind, const char *module, const char *name);
/* Names such as size_t, known without the kernel's types; fallbacks (dev_t) may be defined anew. */
bool dtype_is_builtin_typedef(const char *name);
/* The names of these, by number; NULL after the last. */
const char *dtype_builtin_typedef(size_t i);
bool dtype_is_fallback(const char *name);
/* Parses a C type name as providers and builtin.def write it: "const char *", "struct foo *",
 * "`struct task_struct *", "uint64_t", "string:16". NULL: unknown. */
const struct dtype *dtype_parse(struct dtypes *t, const char *text);
/* Through typedefs, without qualifiers; completes kernel structs. */
const struct dtype *dtype_resolve(struct dtypes *t, const struct dtype *ty);
/* The member by name, through anonymous members (then bit_off is relative to ty). False: none. */
bool dtype_member(struct dtypes *t, const struct dtype *ty, const char *name, struct dmember *ret);
/* Enumerator by name anywhere in the kernel or D program. */
bool dtype_find_enumerator(struct dtypes *t, const char *name, const struct dtype **ret, int64_t *val);
/* "struct foo *", "char [16]", "string": in the arena. */
const char *dtype_name(struct dtypes *t, const struct dtype *ty);
/* Declarations of the named types that the program and its libraries define, or (kernel) of those of the kernel
 * that were looked at so far, in this order. */
struct strb;
void dtypes_dump(struct dtypes *t, bool kernel, struct strb *out);
bool dtype_is_scalar(const struct dtype *resolved);  /* integer, enum, pointer */
bool dtype_is_integer(const struct dtype *resolved); /* integer or enum */
#endif
