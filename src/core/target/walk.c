/* SPDX-License-Identifier: Apache-2.0 */
/* Native stacks: by the unwinding tables of the files, else by frame pointers, as cg/rt/unwind.c does in the kernel.
 * Source: base/unwindfmt.h. */
#include <errno.h>
#include <string.h>
#include "base/cleanup.h"
#include "core/target.h"
#include "sym/unwind/unwalk.h"

/* The rule for a place; UW_NONE: no file describes it. */
static uint32_t rule_at(struct core *c, uint64_t ip)
{
	const struct core_map *m = core_map_at(c, ip);
	struct core_file *f;
	uint64_t at;

	if (!m)
		return UW_NONE;
	f = core_file(c, m->file);
	if (f->state != CORE_FILE_GOOD && f->state != CORE_FILE_GUESS)
		return UW_NONE;
	if (!f->unwound) {
		f->unwound = true;
		if (ehtab_load(&f->elf, &f->rows) < 0)
			f->rows = (struct ehtab){ 0 };
	}
	if (!f->rows.nrows || !elf_seg_vaddr(f->seg, f->nseg, m->off + (ip - m->start), true, &at))
		return UW_NONE;
	return ehtab_at(&f->rows, at);
}

static bool read_core(void *core, uint64_t addr, void *to, size_t n)
{
	return core_read(core, addr, to, n) == 0;
}

/* Why a walk ends here; NULL: it is at its end. */
static const char *const reasons[] = {
	[UNWALK_MEMORY] = "memory that cannot be read",
	[UNWALK_LOST] = "a function that cannot be unwound",
	[UNWALK_LOOPS] = "the stack leads back to itself",
};

/* One frame outwards. *by_fp: no table describes the frame's code. */
static enum unwalk_end step(struct core *c, const struct core_walker *by, struct unwalk *w, bool *by_fp)
{
	enum unwalk_end end;
	uint32_t rule;

	*by_fp = false;
	if (by->step && by->step(by->ctx, w, &end))
		return end;
	rule = rule_at(c, unwalk_place(w));
	*by_fp = UW_RULE_KIND(rule) == UW_NONE && w->bp_known;
	return unwalk_step(w, rule, read_core, c);
}

int core_walk_by(struct core *c, const uint64_t regs[CORE_NREGS], unsigned max, const struct core_walker *by,
		 const char **reason)
{
	struct unwalk w = { regs[CORE_IP], regs[CORE_SP], regs[CORE_BP], regs[CORE_BX], regs[CORE_DI], true, true };

	for (unsigned n = 0; n < max; n++) {
		struct core_frame f = { w.ip, w.sp, w.bp, false };
		const enum unwalk_end end = step(c, by, &w, &f.by_fp);
		const int r = by->take(by->ctx, &f);

		*reason = end == UNWALK_ON || end == UNWALK_END ? NULL : reasons[end];
		if (r < 0 || end != UNWALK_ON)
			return r;
	}
	*reason = "more frames than are shown";
	return 0;
}

static int take(void *ctx, const struct core_frame *f)
{
	core_frames *to = ctx;

	return vec_try_push(to, *f);
}

int core_walk(struct core *c, const uint64_t regs[CORE_NREGS], unsigned max, core_frames *ret, const char **reason)
{
	const struct core_walker by = { NULL, take, ret };

	return core_walk_by(c, regs, max, &by, reason);
}
