/* SPDX-License-Identifier: Apache-2.0 */
/* Opens an older core, the values in it and their heap, and closes them in the other order. */
#include "core/jscmd/older.h"
#include <stdio.h>

int js_older_open(struct shell *s, const char *file, struct js_older *o)
{
	char reason[256];
	int r = core_open(file, NULL, &o->core, &s->err);

	if (r == 0)
		r = js_open(&o->core, &o->js, &s->err);
	if (r == 0)
		r = js_heap_open(o->js, &o->h, &s->err);
	if (r < 0 && s->err.code) {
		snprintf(reason, sizeof(reason), "%s", s->err.msg);
		err_set(&s->err, r, "%s: %s", file, reason);
	}
	return r;
}

void js_older_close(struct js_older *o)
{
	js_heap_close(o->h);
	js_close(o->js);
	core_close(&o->core);
}
