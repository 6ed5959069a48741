/* SPDX-License-Identifier: Apache-2.0 */
/* Opens an older core of a process, which commands compare with the one that is open: inside of core/. */
#ifndef DWELL_CORE_JSCMD_OLDER_H
#define DWELL_CORE_JSCMD_OLDER_H
#include "core/jsheap/heap.h"
#include "core/shell.h"

struct js_older {
	struct core core;
	struct js *js;
	struct js_heap *h;
};

/* 0, or -errno with s->err, which begins with the name of the file. js_older_close() frees *o also then. */
int js_older_open(struct shell *s, const char *file, struct js_older *o);
void js_older_close(struct js_older *o);
#endif
