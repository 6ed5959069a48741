/* SPDX-License-Identifier: Apache-2.0 */
/* Hash table in an arena: (text, number) -> pointer. Either part of the key may be unused. */
#ifndef DWELL_LANG_TYPES_SYMTAB_H
#define DWELL_LANG_TYPES_SYMTAB_H
#include "base/arena.h"
#include <stddef.h>
#include <stdint.h>

struct symtab_entry {
	const char *s; /* or NULL; not copied */
	uint64_t n;
	void *val;
	struct symtab_entry *next;  /* in the bucket */
	struct symtab_entry *later; /* in order of insertion */
};

struct symtab {
	struct arena *arena;
	struct symtab_entry **buckets;
	size_t nbuckets, n;
	struct symtab_entry *first, *last;
};

void symtab_init(struct symtab *t, struct arena *a);
/* The value, or NULL. */
void *symtab_get(const struct symtab *t, const char *s, uint64_t n);
/* Adds or replaces. The text must live as long as the table. */
void symtab_put(struct symtab *t, const char *s, uint64_t n, void *val);
#endif
