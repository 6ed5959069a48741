/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the list of functions that a function calls. */
#include "prov/callees.h"
#include <string.h>

void callees_add(struct arena *a, struct callees *c, const char *mod, const char *func, const char *reason)
{
	size_t with_probes = 0;

	for (size_t i = 0; i < c->n; i++) {
		if (!strcmp(c->v[i].func, func) && !strcmp(c->v[i].mod, mod))
			return;
		with_probes += !c->v[i].reason;
	}
	if ((c->n & (c->n - 1)) == 0) {
		struct callee *v = arena_new_arr(a, struct callee, c->n ? 2 * c->n : 1);

		if (c->n)
			memcpy(v, c->v, c->n * sizeof(*v));
		c->v = v;
	}
	if (!reason && with_probes >= CALLEES_MAX)
		reason = arena_printf(a, "%d functions are looked at, and it is one more", CALLEES_MAX);
	c->v[c->n++] = (struct callee){ arena_strdup(a, mod), arena_strdup(a, func), reason };
}
