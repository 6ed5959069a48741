/* SPDX-License-Identifier: Apache-2.0 */
/* Says where a program finds the goroutine of a thread of Go: user space fills it in (sym/proc/go.c), code of the
 * built-in variable goid reads it (cg/builtin/goid.c). */
#ifndef DWELL_BASE_GOFMT_H
#define DWELL_BASE_GOFMT_H
#include <stdint.h>

/* One process. The word at tls points to the current struct g. The current g may be g0, the goroutine of the
 * scheduler's stack. So the goroutine is g->m->curg, and its m is the same as g->m. */
struct go_proc {
	uint64_t start; /* as in struct uw_proc */
	int64_t tls;	/* from the thread's base of thread-local storage */
	uint64_t m;	/* in struct g */
	uint64_t curg;	/* in struct m; 0: places are not known */
	uint64_t goid;	/* in struct g */
};
#endif
