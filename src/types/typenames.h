/* SPDX-License-Identifier: Apache-2.0 */
/* Finds names of types by their beginning, in alphabetical order, for completion. */
#ifndef DWELL_TYPES_TYPENAMES_H
#define DWELL_TYPES_TYPENAMES_H
#include "types/typesrc.h"

#define TYPENAMES_MAX (1u << 18) /* types; the kernel and all its modules have some 40,000 */
#define TYPENAMES_LEN 256	 /* bytes of a name with its NUL; longer ones nobody writes are left out */

struct typenames;

struct typename_row {
	const char *name, *from; /* the module, or as the caller of add calls it */
	enum tkind kind;
	uint64_t size; /* bytes; 0: unknown */
};

/* NULL: out of memory. Its owner frees it. */
struct typenames *typenames_new(void);
void typenames_free(struct typenames *t); /* accepts NULL */
/* Adds one; name is copied, from is not. If a name and kind is added again, the first one counts. -E2BIG:
 * TYPENAMES_MAX; -ENOMEM. */
int typenames_add(struct typenames *t, const struct typename_row *row);
/* Adds structs, unions, enums, typedefs and base types of all objects. It leaves out types that are only declared and
 * names of types that programs cannot write (btf_trace_…). ts may be freed afterwards. */
int typenames_add_all(struct typenames *t, struct typesrc *ts);
/* Names that begin with prefix, of kinds in the mask of TKM(), the first max of them in ret. How many there are. */
size_t typenames_find(struct typenames *t, const char *prefix, uint32_t kinds, struct typename_row *ret, size_t max);
#endif
