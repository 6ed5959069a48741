/* SPDX-License-Identifier: Apache-2.0 */
/* Shows what keeps more memory than in an older core: inside of core/. */
#ifndef DWELL_CORE_JSCMD_KEEPERS_H
#define DWELL_CORE_JSCMD_KEEPERS_H
#include "core/jsheap/graph.h"
#include "core/shell.h"

/* Rows of objects that are reached in the same way and have grown since an older core file. They have the way to one of
 * the objects. The rows that grew most come first. In front of a |: that object. 0, or -errno with s->err. */
int js_keepers(struct shell *s, struct js_heap *h, const char *file, size_t rows);
#endif
