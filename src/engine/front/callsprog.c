/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the D program of `dwell calls` for a function and its callees. */
#include "engine/front/callsprog.h"

/* self->in: depth of calls of the function. self->d: depth of calls of its callees, so that calls among themselves do
 * not count as calls by it. */
static void function(struct strb *b, const struct callees *c, const struct callsprog_want *w)
{
	const char *prov = w->kernel ? "fbt" : "pid$target", *mod = c->mod, *f = c->func;
	const char *filter = w->kernel && w->some ? "/wanted/ " : "";
	const char *caller = w->kernel ? "sym(caller)" : "usym(*(uintptr_t *)copyin(uregs[R_SP], sizeof(uintptr_t)))";

	strb_printf(b, "%s:%s:%s:entry /self->in/ { @again = count(); }\n", prov, mod, f);
	strb_printf(b, "%s:%s:%s:entry %s{ self->in++; }\n", prov, mod, f, filter);
	strb_printf(b, "%s:%s:%s:entry /self->in == 1/ { self->t = timestamp; self->d = 0; @callers[%s] = count(); }\n",
		    prov, mod, f, caller);
	strb_printf(b,
		    "%s:%s:%s:return /self->in == 1/ { this->e = timestamp - self->t; @calls = count(); "
		    "@time = sum(this->e); @longest = max(this->e); }\n",
		    prov, mod, f);
	strb_printf(b, "%s:%s:%s:return /self->in/ { self->in--; }\n", prov, mod, f);
}

/* The probes of one name of all callees that have any; false: there are none. */
static bool callees(struct strb *b, const struct callees *c, bool kernel, const char *name)
{
	bool any = false;

	for (size_t i = 0; i < c->n; i++) {
		if (c->v[i].reason)
			continue;
		strb_printf(b, "%s%s:%s:%s:%s", any ? ",\n" : "", kernel ? "fbt" : "pid$target", c->v[i].mod,
			    c->v[i].func, name);
		any = true;
	}
	return any;
}

void callsprog_text(struct strb *b, const struct callees *c, const struct callsprog_want *w)
{
	strb_adds(b, "self int in, d; self uint64_t t, c; this uint64_t e;\n");
	function(b, c, w);
	if (callees(b, c, w->kernel, "entry")) {
		strb_adds(b, "\n/self->in/ { self->d++; }\n");
		callees(b, c, w->kernel, "entry");
		strb_adds(b, "\n/self->in && self->d == 1/ { self->c = timestamp; }\n");
		callees(b, c, w->kernel, "return");
		strb_adds(b, "\n/self->in && self->d == 1/ { this->e = timestamp - self->c; "
			     "@callee_calls[probefunc] = count(); @callee_time[probefunc] = sum(this->e); "
			     "@callee_longest[probefunc] = max(this->e); }\n");
		callees(b, c, w->kernel, "return");
		strb_adds(b, "\n/self->d/ { self->d--; }\n");
	}
	for (size_t i = 0; i < c->nsites; i++)
		strb_printf(b, "%s:%s:%s:%s /self->in/ { @pointer[%s[%d])] = count(); }\n",
			    w->kernel ? "instr" : "pid$target", c->mod, c->func, c->sites[i].name,
			    w->kernel ? "sym(kregs" : "usym(uregs", c->sites[i].reg);
}
