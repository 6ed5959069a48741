/* SPDX-License-Identifier: Apache-2.0 */
/* The layout of the objects of programs. */
#include "runtime/v8/objects.h"
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include "runtime/v8/v8.h"

#define NO (-1)
#define VERSIONS 4
#define PREFIX "v8dbg_"

static const uint32_t versions[VERSIONS] = { V8_VERSION(10, 2), V8_VERSION(11, 3), V8_VERSION(12, 4),
					     V8_VERSION(13, 6) };

static const struct field {
	const char *symbol, *name;
	size_t off;
	int32_t by_version[VERSIONS];
} fields[] = {
#define FIELD(name, symbol, ...) { symbol, #name, offsetof(struct v8_objects, name), { __VA_ARGS__ } },
#include "runtime/v8/objects.def"
#undef FIELD
};

#define NFIELDS (sizeof(fields) / sizeof(fields[0]))

static int32_t *member(struct v8_objects *o, size_t i)
{
	return (int32_t *)(void *)((char *)o + fields[i].off);
}

void v8_objects_begin(struct v8_objects *o)
{
	for (size_t i = 0; i < NFIELDS; i++)
		*member(o, i) = NO;
}

int32_t *v8_objects_field(struct v8_objects *o, const char *name, size_t len)
{
	const size_t prefix = sizeof(PREFIX) - 1;

	if (len < prefix || memcmp(name, PREFIX, prefix) != 0)
		return NULL;
	name += prefix;
	len -= prefix;
	for (size_t i = 0; i < NFIELDS; i++) {
		const char *s = fields[i].symbol;
		const size_t n = s ? strlen(s) : 0;

		/* A class's member may be followed by its type. */
		if (s && len >= n && !memcmp(s, name, n) && (len == n || !memcmp(s, "class_", 6)))
			return member(o, i);
	}
	return NULL;
}

int v8_objects_end(struct v8_objects *o, uint32_t version, const char **missing)
{
	size_t v = 0;

	while (v < VERSIONS && versions[v] != version)
		v++;
	if (v == VERSIONS)
		return -ENOTSUP;
	for (size_t i = 0; i < NFIELDS; i++) {
		int32_t *p = member(o, i);

		if (*p == NO)
			*p = fields[i].by_version[v];
		*missing = fields[i].symbol ? fields[i].symbol : fields[i].name;
		if (*p < 0)
			return -EBADMSG;
	}
	return 0;
}
