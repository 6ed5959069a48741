/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers keys of 64 bits in order of their first use: 0, 1, 2 …; and texts. All zero at first. */
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
/* One key of two numbers: as good as none has another's. */
uint64_t keytab_mix(uint64_t a, uint64_t b);

struct texttab {
	struct texttab_one *texts; /* by uthash */
	VEC(const char *) v;
};
/* The number of a text of n bytes (cut at a NUL). 0 or -ENOMEM. */
int texttab_number(struct texttab *t, const char *s, size_t n, uint32_t *ret);
void texttab_free(struct texttab *t);
/* Its texts in order, sorted, which the caller frees, and the place of each number among them. 0 or -ENOMEM. */
int texttab_sort(const struct texttab *t, const char ***sorted, uint32_t **place);
#endif
