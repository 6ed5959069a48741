/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the types that programs can name, for completion: those of the language, of the D library, of the kernel
 * and its modules. */
#ifndef DWELL_LAUNCHER_TYPELIST_H
#define DWELL_LAUNCHER_TYPELIST_H
#include "engine/listener.h"
#include "serve/serve.h"

struct typelist;

/* Knows nothing yet: that costs time and memory, which nobody may want. program: what the user calls dwell; to: gets
 * messages about the library; both outlive it. NULL: out of memory. */
struct typelist *typelist_new(const char *program, const struct listener *to);
void typelist_free(struct typelist *l); /* accepts NULL */
/* serve_config's types(); ctx is the list. The first call reads all of them (some 30 ms). */
size_t typelist_find(void *ctx, const char *kind, const char *prefix, struct serve_type *ret, size_t max,
		     const char **reason);
#endif
