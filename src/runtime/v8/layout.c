/* SPDX-License-Identifier: Apache-2.0 */
/* Places in V8's objects: what the binary exports for debuggers, completed by what is known of its version. */
#include <errno.h>
#include <string.h>
#include "runtime/v8/v8.h"

#define NO (-1)
#define VERSIONS 4

static const uint32_t versions[VERSIONS] = { V8_VERSION(10, 2), V8_VERSION(11, 3), V8_VERSION(12, 4),
					     V8_VERSION(13, 6) };

static const struct field {
	const char *symbol;
	size_t off;
	int32_t by_version[VERSIONS];
} fields[] = {
#define FIELD(name, symbol, ...) { symbol, offsetof(struct v8_layout, name), { __VA_ARGS__ } },
#include "runtime/v8/field.def"
#undef FIELD
};

#define NFIELDS (sizeof(fields) / sizeof(fields[0]))
#define PREFIX "v8dbg_"
#define MAX_VALUE 65535 /* of places and types */

static int32_t *member(struct v8_layout *l, size_t i)
{
	return (int32_t *)(void *)((char *)l + fields[i].off);
}

void v8_layout_begin(struct v8_layout *l)
{
	l->version = 0;
	l->nbytecodes = 0;
	for (size_t i = 0; i < NFIELDS; i++)
		*member(l, i) = NO;
}

int32_t *v8_layout_field(struct v8_layout *l, const char *name, size_t len)
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
			return member(l, i);
	}
	return NULL;
}

bool v8_layout_bytecodes(struct v8_layout *l, const uint8_t *sizes, size_t n)
{
	const size_t each = n / V8_SCALES;

	if (!n || n % V8_SCALES || each > V8_MAX_BYTECODES)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!sizes[i])
			return false; /* a walk over bytecodes would stand still */
		l->bytecode_sizes[i / each][i % each] = sizes[i];
	}
	l->nbytecodes = (uint32_t)each;
	return true;
}

int v8_layout_end(struct v8_layout *l, uint32_t version)
{
	size_t v = 0;

	l->version = version;
	while (v < VERSIONS && versions[v] != version)
		v++;
	if (v == VERSIONS)
		return -ENOTSUP;
	for (size_t i = 0; i < NFIELDS; i++) {
		int32_t *p = member(l, i);

		if (*p == NO)
			*p = fields[i].by_version[v];
		if (*p < 0 || *p > MAX_VALUE)
			return -EBADMSG;
	}
	return 0;
}

void v8_layout_walk(const struct v8_layout *l, struct v8_proc *ret)
{
	const bool inside = l->code_begin > V8_CODE_BYTES - 8; /* the instructions are a part of the object */

	*ret = (struct v8_proc){
		.known = 1,
		.type = (uint64_t)l->map_type,
		.function_first = (uint64_t)l->type_function,
		.function_types = (uint64_t)(l->type_last_function - l->type_function),
		.bytecode_type = (uint64_t)l->type_bytecode,
		.shared = (uint64_t)l->function_shared,
		.code = (uint64_t)l->function_code,
		.table = (uint64_t)l->group_table,
		.handle = (uint64_t)l->function_handle,
		.begin = inside ? 0 : (uint64_t)l->code_begin,
		.inside = inside ? (uint64_t)l->code_begin : 0,
		.size = (uint64_t)l->code_size,
		.flags = (uint64_t)l->code_flags,
		.kinds = (uint64_t)l->kind_mask,
		.baseline = (uint64_t)l->kind_baseline,
	};
}
