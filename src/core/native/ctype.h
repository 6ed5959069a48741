/* SPDX-License-Identifier: Apache-2.0 */
/* Types of native code: those that the debug information of the target's files describes, and what is at a member's
 * place. */
#ifndef DWELL_CORE_NATIVE_CTYPE_H
#define DWELL_CORE_NATIVE_CTYPE_H
#include "core/shell.h"
#include "types/typesrc.h"

#define CTYPE_MAX_FILES 64u /* of a target, whose types are read */
#define CTYPE_MAX_CHAIN 32u /* typedefs and qualifiers around a type */
#define CTYPE_MAX_NEST 64u  /* structs without a name within each other, pointers to pointers */
#define CTYPE_MAX_DEPTH \
	60u /* structs and arrays within each other that are printed; JSONW_MAX_DEPTH is a little more */
/* Kinds that a name alone may mean. */
#define CTYPE_NAMED (TKM(TK_INT) | TKM(TK_FLOAT) | TKM(TK_STRUCT) | TKM(TK_UNION) | TKM(TK_ENUM) | TKM(TK_TYPEDEF))

/* A type of a file, and pointers to it. */
struct ctype {
	struct typesrc *ts; /* of the file; lives as long as the shell */
	struct tref ref;
	unsigned stars; /* "*" after it: they have no entry in the file */
};

/* A thing in memory. */
struct cplace {
	struct ctype type;
	uint64_t addr;
	unsigned bit_off, bit_size; /* of a bit field, from addr; bit_size 0: none */
};

struct ctypes;
#define CTYPE_MAX_OWN 1000u	    /* names that ::typedef gives */
void ctypes_free(struct ctypes *t); /* accepts NULL */

/* The kinds that a name may have after this keyword of C; 0: it is none. */
uint32_t ctype_kinds(const char *keyword);
/* The type that words name: [FILE`][struct|union|enum|class] NAME ["*"…]. *used: how many of the words. -ENOENT with
 * the reason. */
int ctype_parse(struct shell *s, int n, char **words, int *used, struct ctype *ret);
/* Names that the user gives to types, and that ctype_parse() and ctype_each() know: gives one (-EEXIST, -E2BIG, with
 * s->err), takes it back (-ENOENT), goes through all. */
int ctype_own(struct shell *s, const char *name, const struct ctype *t);
int ctype_disown(struct shell *s, const char *name);
void ctype_each_own(struct shell *s, void (*fn)(void *arg, const char *name, const struct ctype *t), void *arg);
/* The type of a global variable, -ENOENT. */
int ctype_of_variable(struct shell *s, const char *name, struct ctype *ret);
/* Without names and qualifiers around it. false: a chain that is too long, or hostile. */
bool ctype_resolve(const struct ctype *t, struct ctype *ret, struct tinfo *info);
/* The type that a pointer points to, or of an array's elements. */
bool ctype_target(const struct ctype *t, struct ctype *ret);
/* Bytes; 0: not known. */
uint64_t ctype_size(const struct ctype *t);
/* As C writes it. */
void ctype_name(const struct ctype *t, struct strb *to);
/* Calls fn for each type that a word may name after prefix. kinds: TKM() */
int ctype_each(struct shell *s, uint32_t kinds, const char *prefix, void (*fn)(void *arg, const char *name), void *arg);

/* How a path treats pointers. */
enum cplace_pointers {
	CPLACE_READ,   /* goes on where it points to */
	CPLACE_REFUSE, /* ends with an error: there is no offset */
	CPLACE_TYPES,  /* goes on by types alone: addresses are of no use then */
};
/* Follows a path such as "a.b[3].c" or "next->prev" from a thing. 0, or -errno with s->err. */
int cplace_follow(struct shell *s, struct cplace *p, const char *path, enum cplace_pointers pointers);
/* Member m of the struct at an address, which begins `bits` bits after it. */
void cplace_member(const struct ctype *t, uint64_t addr, const struct tmember *m, uint64_t bits, struct cplace *ret);
/* The value of an integer, a pointer, an enumeration or a bit field. */
int cplace_value(struct shell *s, const struct cplace *p, uint64_t *ret);

struct cprint {
	bool addresses;
	unsigned depth; /* structs within each other */
	uint64_t elements;
};
/* Prints a thing, after its name if that is not NULL. */
int cplace_print(struct shell *s, const struct cplace *p, const struct cprint *how, const char *name);
int cplace_json(struct shell *s, const struct cplace *p, const struct cprint *how, struct jsonw *w, const char *name);
#endif
