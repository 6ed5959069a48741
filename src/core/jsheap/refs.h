/* SPDX-License-Identifier: Apache-2.0 */
/* The objects that refer to an object: inside of core/. */
#ifndef DWELL_CORE_JS_REFS_H
#define DWELL_CORE_JS_REFS_H
#include "core/jsheap/heap.h"
#include "core/shell.h"

/* Prints the references to an object, at most max; the holders go to the next command. */
int js_refs(struct shell *s, struct js_heap *h, uint64_t object, size_t max);
#endif
