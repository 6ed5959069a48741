/* SPDX-License-Identifier: Apache-2.0 */
/* The layout of the objects of programs, as a binary tells it: what v8.h has for frames. */
#ifndef DWELL_RUNTIME_V8_OBJECTS_H
#define DWELL_RUNTIME_V8_OBJECTS_H
#include <stddef.h>
#include <stdint.h>

#define V8_NO_TYPE 65535

struct v8_objects {
#define FIELD(name, symbol, ...) int32_t name;
#include "runtime/v8/objects.def"
#undef FIELD
};

/* As v8_layout_begin(), v8_layout_field(), v8_layout_end(). *missing: of -EBADMSG, what the binary does not say. */
void v8_objects_begin(struct v8_objects *o);
int32_t *v8_objects_field(struct v8_objects *o, const char *name, size_t len);
int v8_objects_end(struct v8_objects *o, uint32_t version, const char **missing);
#endif
