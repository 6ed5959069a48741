/* SPDX-License-Identifier: Apache-2.0 */
/* Names of what is in V8's heap: inside of core/. */
#ifndef DWELL_CORE_JS_FIND_H
#define DWELL_CORE_JS_FIND_H
#include <stdbool.h>
#include "core/shell.h"

/* Calls fn for constructors, or for names of properties; a name may come more than once. It calls nothing if there is
 * no heap. */
void js_names(struct shell *s, bool properties, void (*fn)(void *ctx, const char *name), void *ctx);
#endif
