/* SPDX-License-Identifier: Apache-2.0 */
/* Reads one BTF blob: header, lazy indices, checked access. Private to src/types. Source: kernel
 * Documentation/bpf/btf.rst, <linux/btf.h>. */
#ifndef DWELL_TYPES_BTF_INT_H
#define DWELL_TYPES_BTF_INT_H
#include <linux/btf.h>
#include "types/typesrc.h"

/* Ids above this are refused: the kernel's own limit is BTF_MAX_TYPE (0xfffff). */
#define BTF_BLOB_MAX_TYPES (1u << 24)
/* Nesting of declarators (pointer to array of const …) and of structs by value in data that does
 * not come from the kernel. */
#define BTF_BLOB_MAX_NEST 64

struct btf_blob {
	const uint8_t *data; /* the whole blob; its maker releases it */
	size_t len;
	const struct btf_blob *base; /* vmlinux for split BTF; it must be indexed */
	const uint8_t *types;
	uint32_t type_len;
	const char *strs; /* ends with NUL, or empty for split BTF */
	uint32_t str_len;
	uint32_t first_id, end_id; /* own ids; end_id is known after btf_blob_index() */
	uint32_t *offs;		   /* offset in types of id first_id + i; NULL: not indexed yet */
	struct btf_names {
		uint32_t *tab; /* open-addressed table of ids by name; NULL: not made yet */
		uint32_t mask;
	} names[2]; /* of types; of functions, which are most of the names and seldom asked for */
};

/* Checks the header and sets up b; the data is not copied. -EBADMSG with a reason. */
int btf_blob_init(struct btf_blob *b, const void *data, size_t len, const struct btf_blob *base, struct err *err);
/* Makes the index of offsets, which proves that every record lies inside the blob. */
int btf_blob_index(struct btf_blob *b);
/* Frees the indices, not the data. */
void btf_blob_done(struct btf_blob *b);
/* The record of an own id of an indexed blob; NULL when there is none. */
const struct btf_type *btf_blob_type(const struct btf_blob *b, uint32_t id);
/* A string of the blob or its base; NULL when the offset is outside. */
const char *btf_blob_str(const struct btf_blob *b, uint32_t off);
/* First own id with this name and a kind in the mask; first_fwd (may be set without success): the first
 * forward declaration when the mask has TK_FWD. -ENOENT. */
int btf_blob_find(struct btf_blob *b, const char *name, uint32_t kinds, uint32_t *ret, uint32_t *first_fwd);
/* Kind of a record as typesrc.h names it; TK_VOID when unknown. */
enum tkind btf_blob_kind(const struct btf_type *t);
/* Decodes; ids in the result are the blob's (own or of the base), in .id with .obj 0. */
int btf_blob_info(const struct btf_blob *b, uint32_t id, struct tinfo *ret);
int btf_blob_member(const struct btf_blob *b, uint32_t id, uint32_t i, struct tmember *ret);
/* Refuses loops and too deep nesting, so that following types ends. -EBADMSG. For foreign data. */
int btf_blob_check(const struct btf_blob *b);
#endif
