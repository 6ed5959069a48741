/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the offsets in V8's objects: reads those that the binary exports for debuggers, and takes the others from a
 * table by version. */
#include <string.h>
#include "base/cleanup.h"
#include "runtime/v8/fields.h"
#include "runtime/v8/v8.h"

static const struct v8_field fields[] = {
#define FIELD(name, symbol, ...) { symbol, #name, offsetof(struct v8_layout, name), { __VA_ARGS__ } },
#include "runtime/v8/field.def"
#undef FIELD
};

#define MAX_VALUE 65535 /* of places and types */

void v8_layout_begin(struct v8_layout *l)
{
	l->version = 0;
	l->nbytecodes = 0;
	v8_fields_begin(fields, ARRAY_SIZE(fields), l);
}

int32_t *v8_layout_field(struct v8_layout *l, const char *name, size_t len)
{
	return v8_fields_find(fields, ARRAY_SIZE(fields), l, name, len);
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
	const char *missing;

	l->version = version;
	return v8_fields_end(fields, ARRAY_SIZE(fields), l, version, MAX_VALUE, &missing);
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
