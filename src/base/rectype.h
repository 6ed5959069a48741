/* SPDX-License-Identifier: Apache-2.0 */
/* Describes C types of values that print() records. The compiler (cg) makes these trees, and views read them to show
 * the values; views do not know the compiler. A pointer is a leaf: what it points to is not described. */
#ifndef DWELL_BASE_RECTYPE_H
#define DWELL_BASE_RECTYPE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rectype_kind {
	RTY_INT,   /* is_signed; is_char: plain char */
	RTY_FLOAT, /* IEEE, 4 or 8 bytes; else opaque */
	RTY_ENUM,  /* enumerators: its enumerators */
	RTY_PTR,
	RTY_ARRAY,  /* elem, nelems */
	RTY_STRUCT, /* members; a union too */
	RTY_STRING, /* NUL-terminated within size */
	RTY_BYTES,  /* of no known structure */
};

struct rectype;

struct rec_member {
	const char *name; /* NULL: anonymous */
	const struct rectype *type;
	uint32_t bit_off;  /* from the start of the struct */
	uint32_t bit_size; /* 0: no bit field */
};
struct rec_enumerator {
	const char *name;
	int64_t value;
};

struct rectype {
	enum rectype_kind kind;
	const char *name; /* as in C: "struct foo", "char [5]", "union" when it has no name */
	uint64_t size;	  /* bytes */
	bool is_signed, is_char;
	const struct rectype *elem;
	uint64_t nelems;
	const struct rec_member *members;
	uint32_t nmembers;
	const struct rec_enumerator *enumerators;
	uint32_t nenumerators;
};

/* Bytes of a value that print() records at most; what is after is not shown. */
#define REC_PRINT_MAX 16384
#endif
