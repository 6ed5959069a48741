/* SPDX-License-Identifier: Apache-2.0 */
/* Provides types: BTF of the kernel and its modules, read lazily from memory. The compiler sees the kernel only
 * through this interface and types/caps.h, so tests give it fixtures. */
#ifndef DWELL_TYPES_TYPESRC_H
#define DWELL_TYPES_TYPESRC_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"

struct typesrc;

/* A type: object 0 is vmlinux, 1… are modules and user programs; id 0 is void. Module ids continue
 * vmlinux's. */
struct tref {
	uint32_t obj;
	uint32_t id;
};

enum tkind {
	TK_VOID,
	TK_INT,
	TK_FLOAT,
	TK_PTR,
	TK_ARRAY,
	TK_STRUCT,
	TK_UNION,
	TK_ENUM,
	TK_FWD,
	TK_TYPEDEF,
	TK_CONST,
	TK_VOLATILE,
	TK_RESTRICT,
	TK_FUNC,
	TK_FUNC_PROTO,
	TK_VAR,
	TK_DATASEC,
	TK_TYPE_TAG,
	TK_DECL_TAG,
};
#define TKM(k) (1u << (k))

struct tinfo {
	enum tkind kind;
	const char *name;   /* "" when anonymous; lives as long as the source */
	uint64_t size;	    /* INT, FLOAT, STRUCT, UNION, ENUM: bytes */
	struct tref target; /* PTR, TYPEDEF, CONST…, ARRAY element, FUNC's prototype, prototype's return */
	uint32_t nelems;    /* ARRAY */
	uint32_t nmembers;  /* STRUCT, UNION, ENUM values, FUNC_PROTO parameters */
	bool is_signed;	    /* INT, ENUM */
	bool is_bool, is_char;
	bool fwd_union;
};

struct tmember {
	const char *name;  /* "" for anonymous struct/union members */
	struct tref type;  /* not for enum values */
	uint32_t bit_off;  /* from the start of the struct */
	uint32_t bit_size; /* 0: not a bit field */
	int64_t value;	   /* enum values */
};

/* Opens the running kernel's BTF (/sys/kernel/btf). Modules are opened when first needed.
 * -ENOENT with a reason when the kernel has none. Cost: no full parse; an index of offsets on first
 * use by id, an index of names on first look-up by name. */
int typesrc_open_kernel(struct typesrc **ret, struct err *err);
/* From a file of BTF, for a kernel that has none: no modules. -errno with a reason: what is not BTF, is cut off, or has
 * loops. */
int typesrc_open_file(const char *path, struct typesrc **ret, struct err *err);
/* The file, or the running kernel's when path is NULL or "". */
int typesrc_open(const char *path, struct typesrc **ret, struct err *err);
/* Does the running kernel know its types by the ids of this source? Programs are attached by them. */
bool typesrc_attaches(const struct typesrc *ts);
/* From memory (tests, fixtures, recordings); data is copied. Checks everything it will follow:
 * hostile data gives -EBADMSG. */
int typesrc_open_mem(const char *name, const void *data, size_t len, struct typesrc **ret, struct err *err);
/* Adds split BTF of a module, from memory. */
int typesrc_add_mem(struct typesrc *ts, const char *name, const void *data, size_t len, struct err *err);
/* Adds types of a user program, complete by themselves, from memory; *ret_obj is their object's number.
 * Pointers in them point to user memory. Their names are found after the kernel's. */
int typesrc_add_user(struct typesrc *ts, const char *name, const void *data, size_t len, uint32_t *ret_obj,
		     struct err *err);
bool typesrc_is_user(const struct typesrc *ts, uint32_t obj);
void typesrc_free(struct typesrc *ts);

/* Finds a named type whose kind is in the mask of TKM(); vmlinux first, then modules (only loads
 * them when vmlinux has no such name). module: restrict to this object ("vmlinux", "ext4") or NULL.
 * Prefers complete types over TK_FWD. -ENOENT. */
int typesrc_find(struct typesrc *ts, const char *module, const char *name, uint32_t kinds, struct tref *ret);
/* Calls fn for each type of one kind whose name starts with prefix, in id order, vmlinux then modules;
 * stops when fn returns non-zero and returns that. */
int typesrc_each(struct typesrc *ts, enum tkind kind, const char *prefix,
		 int (*fn)(void *arg, struct tref ref, const char *name), void *arg);
/* The same within one object, without opening any other. */
int typesrc_each_in(struct typesrc *ts, uint32_t obj, enum tkind kind, const char *prefix,
		    int (*fn)(void *arg, struct tref ref, const char *name), void *arg);
int typesrc_get(struct typesrc *ts, struct tref ref, struct tinfo *ret);
int typesrc_member(struct typesrc *ts, struct tref ref, uint32_t i, struct tmember *ret);
/* Index of object by name, its name, and how many are known. */
const char *typesrc_obj_name(struct typesrc *ts, uint32_t obj);
uint32_t typesrc_nobjs(struct typesrc *ts);
/* Kernel variable (`symbol) by name: BTF VAR, -ENOENT when BTF does not describe it. */
int typesrc_find_var(struct typesrc *ts, const char *module, const char *name, struct tref *ret);
#endif
