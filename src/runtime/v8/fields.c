/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/v8/fields.h"
#include <errno.h>
#include <string.h>
#include "runtime/v8/v8.h"

#define PREFIX "v8dbg_"

static const uint32_t versions[V8_NVERSIONS] = { V8_VERSION(10, 2), V8_VERSION(11, 3), V8_VERSION(12, 4),
						 V8_VERSION(13, 6) };

static int32_t *member(const struct v8_field *f, void *values)
{
	return (int32_t *)(void *)((char *)values + f->off);
}

void v8_fields_begin(const struct v8_field *v, size_t n, void *values)
{
	for (size_t i = 0; i < n; i++)
		*member(&v[i], values) = NO;
}

int32_t *v8_fields_find(const struct v8_field *v, size_t n, void *values, const char *name, size_t len)
{
	const size_t prefix = sizeof(PREFIX) - 1;

	if (len < prefix || memcmp(name, PREFIX, prefix) != 0)
		return NULL;
	name += prefix;
	len -= prefix;
	for (size_t i = 0; i < n; i++) {
		const char *s = v[i].symbol;
		const size_t k = s ? strlen(s) : 0;

		/* A class's member may be followed by its type. */
		if (s && len >= k && !memcmp(s, name, k) && (len == k || !memcmp(s, "class_", 6)))
			return member(&v[i], values);
	}
	return NULL;
}

uint32_t v8_nearest(uint32_t version)
{
	size_t at = 0;

	while (at + 1 < V8_NVERSIONS && versions[at + 1] <= version)
		at++;
	return versions[at];
}

int v8_fields_end(const struct v8_field *v, size_t n, void *values, uint32_t version, int32_t max, const char **missing)
{
	size_t at = 0;

	while (at < V8_NVERSIONS && versions[at] != version)
		at++;
	if (at == V8_NVERSIONS)
		return -ENOTSUP;
	for (size_t i = 0; i < n; i++) {
		int32_t *p = member(&v[i], values);

		if (*p == NO)
			*p = v[i].by_version[at];
		*missing = v[i].symbol ? v[i].symbol : v[i].name;
		if (*p < 0 || *p > max)
			return -EBADMSG;
	}
	return 0;
}
