/* SPDX-License-Identifier: Apache-2.0 */
/* The layout of the objects of programs. */
#include "runtime/v8/objects.h"
#include "base/cleanup.h"
#include "runtime/v8/fields.h"

static const struct v8_field fields[] = {
#define FIELD(name, symbol, ...) { symbol, #name, offsetof(struct v8_objects, name), { __VA_ARGS__ } },
#include "runtime/v8/objects.def"
#undef FIELD
};

void v8_objects_begin(struct v8_objects *o)
{
	v8_fields_begin(fields, ARRAY_SIZE(fields), o);
}

int32_t *v8_objects_field(struct v8_objects *o, const char *name, size_t len)
{
	return v8_fields_find(fields, ARRAY_SIZE(fields), o, name, len);
}

int v8_objects_end(struct v8_objects *o, uint32_t version, const char **missing)
{
	return v8_fields_end(fields, ARRAY_SIZE(fields), o, version, INT32_MAX, missing);
}
