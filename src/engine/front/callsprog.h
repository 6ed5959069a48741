/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the D program of `dwell calls`. Its aggregations: @calls, @time, @longest and @again (recursive calls) of
 * the function; @callee_calls, @callee_time, @callee_longest by function; @pointer by address; @callers by
 * address. */
#ifndef DWELL_ENGINE_FRONT_CALLSPROG_H
#define DWELL_ENGINE_FRONT_CALLSPROG_H
#include <stdbool.h>
#include "base/strb.h"
#include "prov/callees.h"

struct callsprog_want {
	bool kernel; /* the function is one of the kernel */
	bool some;   /* … and only calls by threads of the variable wanted count: $target's, those of a user … */
};

void callsprog_text(struct strb *b, const struct callees *c, const struct callsprog_want *w);
#endif
