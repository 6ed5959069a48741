/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the frames of a stack that are shown. */
#include <string.h>
#include "view/form/kstack.h"
#include "view/text/int.h"

/* The tracing machinery itself, which is on top of the stack of a tracepoint. */
static bool is_machinery(struct text_view *v, uint64_t pc)
{
	struct symbol s = { 0 };

	return v->sym && !v->opts.noresolve && sym_kernel(v->sym, pc, &s) && s.name && kstack_is_tracing(s.name);
}

size_t text_frames(struct text_view *v, const struct recfield *f, const uint8_t *p, size_t *first)
{
	bool top = f->kind != FLD_USTACK;
	size_t n = 0;

	*first = 0;
	if (f->kind == FLD_USTACK)
		p += sizeof(struct rec_ustack_hdr);
	for (; n < f->nframes; n++) {
		uint64_t pc;

		memcpy(&pc, p + 8 * n, sizeof(pc));
		if (!pc)
			break;
		top = top && is_machinery(v, pc);
		*first += top;
	}
	return n;
}
