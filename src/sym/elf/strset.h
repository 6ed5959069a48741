/* SPDX-License-Identifier: Apache-2.0 */
/* Stores each string once, for as long as the symboliser lives. */
#ifndef DWELL_SYM_ELF_STRSET_H
#define DWELL_SYM_ELF_STRSET_H
#include <stddef.h>
#include <stdint.h>

struct strset {
	const char **slot; /* open addressing; NULL: free. Owns the table, not the texts */
	size_t nslots, n;
	struct strset_chunk *chunk; /* owns the texts */
	size_t bytes;
};

/* The set's own copy of s, valid until strset_free(); NULL when memory runs out. */
const char *strset_add(struct strset *ss, const char *s);
const char *strset_addn(struct strset *ss, const char *s, size_t n);
void strset_free(struct strset *ss);
#endif
