/* SPDX-License-Identifier: Apache-2.0 */
/* Native stacks: by the unwinding tables of the files, else by frame pointers, as cg/rt/unwind.c does in the kernel.
 * Source: base/unwindfmt.h; struct ucontext of x86-64, asm/ucontext.h. */
#include <errno.h>
#include <string.h>
#include "base/cleanup.h"
#include "core/target.h"

#define WORD 8
/* Registers in a signal's frame: words of its struct ucontext. */
enum { UC_BP = 15, UC_BX = 16, UC_SP = 20, UC_IP = 21 };

struct at {
	uint64_t ip, sp, bp, bx, di;
	bool bp_known, first;
};

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

static uint64_t words(uint64_t base, int64_t n)
{
	return base + (uint64_t)(n * WORD);
}

/* Why a walk ends here. */
static const char no_memory[] = "memory that cannot be read", lost[] = "a function that cannot be unwound",
		  loops[] = "the stack leads back to itself";

/* A function without a table: the caller's frame pointer and the return address are where the frame pointer says. */
static const char *by_frame_pointer(struct core *c, struct at *a)
{
	uint64_t two[2];

	if (!a->bp_known || a->bp < a->sp)
		return lost;
	if (core_read(c, a->bp, two, sizeof(two)) < 0)
		return no_memory;
	a->sp = a->bp + 2 * WORD;
	a->bp = two[0];
	a->ip = two[1];
	return NULL;
}

static const char *by_signal(struct core *c, struct at *a, uint32_t rule)
{
	const uint64_t uc = words(a->sp, UW_RULE_OFF(rule));
	uint64_t regs[UC_IP + 1];

	if (core_read(c, uc, regs, sizeof(regs)) < 0)
		return no_memory;
	a->ip = regs[UC_IP];
	a->sp = regs[UC_SP];
	a->bp = regs[UC_BP];
	a->bx = regs[UC_BX];
	a->bp_known = a->first = true; /* it was interrupted anywhere: no call is before it */
	return NULL;
}

static bool cfa_of(struct core *c, const struct at *a, uint32_t rule, uint64_t *ret)
{
	const int64_t off = UW_RULE_OFF(rule);

	switch (UW_RULE_KIND(rule)) {
	case UW_SP:
	case UW_RA_DI: *ret = words(a->sp, off); return true;
	case UW_BP: *ret = words(a->bp, off); return a->bp_known;
	case UW_BX: *ret = words(a->bx, off); return true;
	case UW_PLT: *ret = a->sp + WORD + ((a->ip & 15) >= (uint64_t)off ? WORD : 0); return true;
	case UW_BP_DEREF: return a->bp_known && core_read(c, words(a->bp, off), ret, WORD) == 0;
	default: return false;
	}
}

static const char *by_rule(struct core *c, struct at *a, uint32_t rule)
{
	const uint32_t bp = UW_RULE_BP(rule), bx = UW_RULE_BX(rule);
	struct at up = *a;
	int r = 0;

	if (!cfa_of(c, a, rule, &up.sp))
		return lost;
	if (UW_RULE_KIND(rule) == UW_RA_DI)
		up.ip = a->di;
	else
		r = core_read(c, up.sp - WORD, &up.ip, WORD);
	if (r == 0 && bp == UW_BP_AT_BP)
		r = core_read(c, a->bp, &up.bp, WORD);
	else if (r == 0 && bp && bp <= UW_BP_MAX)
		r = core_read(c, words(up.sp, -(int64_t)bp), &up.bp, WORD);
	if (bp == UW_BP_GONE)
		up.bp_known = false;
	if (r == 0 && bx && bx <= UW_BX_MAX)
		r = core_read(c, words(up.sp, -(int64_t)bx), &up.bx, WORD);
	if (r < 0)
		return no_memory;
	*a = up;
	return NULL;
}

/* One frame outwards, by its rule. NULL: done; "": there is none; or why not. */
static const char *step(struct core *c, struct at *a, uint32_t rule)
{
	const uint64_t sp = a->sp;
	const bool signal = UW_RULE_KIND(rule) == UW_SIGNAL;
	const char *reason;

	a->first = false;
	switch (UW_RULE_KIND(rule)) {
	case UW_END: return "";
	case UW_SIGNAL: reason = by_signal(c, a, rule); break;
	case UW_LOST: return lost;
	case UW_NONE: reason = by_frame_pointer(c, a); break;
	default: reason = by_rule(c, a, rule);
	}
	if (!reason && !a->ip)
		return "";
	return reason ? reason : a->sp <= sp && !signal ? loops : NULL;
}

int core_walk(struct core *c, const uint64_t regs[CORE_NREGS], unsigned max, core_frames *ret, const char **reason)
{
	struct at a = { regs[CORE_IP], regs[CORE_SP], regs[CORE_BP], regs[CORE_BX], regs[CORE_DI], true, true };

	*reason = NULL;
	while (ret->n < max) {
		const uint32_t rule = rule_at(c, a.first ? a.ip : a.ip - 1);
		const bool by_fp = UW_RULE_KIND(rule) == UW_NONE && a.bp_known;

		if (vec_try_push(ret, ((struct core_frame){ a.ip, a.sp, a.bp, by_fp })) < 0)
			return -ENOMEM;
		*reason = step(c, &a, rule);
		if (*reason) {
			*reason = **reason ? *reason : NULL;
			return 0;
		}
	}
	*reason = "more frames than are shown";
	return 0;
}
