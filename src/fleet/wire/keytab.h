/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers keys of 64 bits in order of their first use: 0, 1, 2 …; and texts. Sets of such numbers. All zero at first.
 */
#ifndef DWELL_FLEET_WIRE_KEYTAB_H
#define DWELL_FLEET_WIRE_KEYTAB_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/vec.h"

struct keytab {
	struct keytab_slot *slots; /* open addressing: cap is a power of two */
	size_t n, cap;
};
/* The number of a key; *fresh: it had none before. 0 or -ENOMEM. */
int keytab_number(struct keytab *t, uint64_t key, uint32_t *ret, bool *fresh);
void keytab_reset(struct keytab *t);
void keytab_free(struct keytab *t);

struct numset { /* of small numbers: a bit for each */
	uint64_t *v;
	size_t n; /* words */
};
/* *fresh: it was not in the set before. 0 or -ENOMEM. */
int numset_add(struct numset *s, uint32_t number, bool *fresh);
void numset_free(struct numset *s);

struct texttab {
	struct texttab_one *texts; /* by uthash */
	VEC(const char *) v;
};
/* The number of a text of n bytes (cut at a NUL). 0 or -ENOMEM. */
int texttab_number(struct texttab *t, const char *s, size_t n, uint32_t *ret);
bool texttab_has(const struct texttab *t, const char *s, size_t n);
void texttab_free(struct texttab *t);
/* Its texts in order, sorted, which the caller frees, and the place of each number among them. 0 or -ENOMEM. */
int texttab_sort(const struct texttab *t, const char ***sorted, uint32_t **place);
#endif
