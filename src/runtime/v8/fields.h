/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of what a binary tells debuggers of V8's objects: field.def, objects.def. The values are int32_t members of a
 * struct. */
#ifndef DWELL_RUNTIME_V8_FIELDS_H
#define DWELL_RUNTIME_V8_FIELDS_H
#include <stddef.h>
#include <stdint.h>

#define NO (-1)
#define V8_NVERSIONS 4

struct v8_field {
	const char *symbol; /* after "v8dbg_"; NULL: no binary says it */
	const char *name;   /* of the member */
	size_t off;
	int32_t by_version[V8_NVERSIONS]; /* where the binary does not say it */
};

/* All values: not said yet. */
void v8_fields_begin(const struct v8_field *v, size_t n, void *values);
/* The value that the symbol name (len bytes) says; NULL: none of these. */
int32_t *v8_fields_find(const struct v8_field *v, size_t n, void *values, const char *name, size_t len);
/* Completes them by the version, and wants them from 0 to max. -ENOTSUP: an unknown version; -EBADMSG: *missing is
 * wrong or was not said. */
int v8_fields_end(const struct v8_field *v, size_t n, void *values, uint32_t version, int32_t max,
		  const char **missing);
#endif
