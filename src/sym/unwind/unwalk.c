/* SPDX-License-Identifier: Apache-2.0 */
#include "sym/unwind/unwalk.h"
#include "base/unwindfmt.h"

#define WORD 8
/* Registers in a signal's frame: words of its struct ucontext. */
enum { UC_BP = 15, UC_BX = 16, UC_SP = 20, UC_IP = 21 };

struct memory {
	unwalk_read_fn *read;
	void *ctx;
};

static bool word(const struct memory *m, uint64_t addr, uint64_t *ret)
{
	return m->read(m->ctx, addr, ret, WORD);
}

static uint64_t words(uint64_t base, int64_t n)
{
	return base + (uint64_t)(n * WORD);
}

/* A function without a table: the caller's frame pointer and the return address are where the frame pointer says. */
static enum unwalk_end by_frame_pointer(const struct memory *m, struct unwalk *w)
{
	uint64_t two[2];

	if (!w->bp_known || w->bp < w->sp)
		return UNWALK_LOST;
	if (!m->read(m->ctx, w->bp, two, sizeof(two)))
		return UNWALK_MEMORY;
	w->sp = w->bp + 2 * WORD;
	w->bp = two[0];
	w->ip = two[1];
	return UNWALK_ON;
}

static enum unwalk_end by_signal(const struct memory *m, struct unwalk *w, uint32_t rule)
{
	uint64_t regs[UC_IP + 1];

	if (!m->read(m->ctx, words(w->sp, UW_RULE_OFF(rule)), regs, sizeof(regs)))
		return UNWALK_MEMORY;
	w->ip = regs[UC_IP];
	w->sp = regs[UC_SP];
	w->bp = regs[UC_BP];
	w->bx = regs[UC_BX];
	w->bp_known = w->first = true; /* it was interrupted anywhere: no call is before it */
	return UNWALK_ON;
}

static enum unwalk_end cfa_of(const struct memory *m, const struct unwalk *w, uint32_t rule, uint64_t *ret)
{
	const int64_t off = UW_RULE_OFF(rule);

	switch (UW_RULE_KIND(rule)) {
	case UW_SP:
	case UW_RA_DI: *ret = words(w->sp, off); return UNWALK_ON;
	case UW_BP: *ret = words(w->bp, off); return w->bp_known ? UNWALK_ON : UNWALK_LOST;
	case UW_BX: *ret = words(w->bx, off); return UNWALK_ON;
	case UW_PLT: *ret = w->sp + WORD + ((w->ip & 15) >= (uint64_t)off ? WORD : 0); return UNWALK_ON;
	case UW_BP_DEREF:
		if (!w->bp_known)
			return UNWALK_LOST;
		return word(m, words(w->bp, off), ret) ? UNWALK_ON : UNWALK_MEMORY;
	case UW_SP_DEREF:
		if (!word(m, words(w->sp, off), ret))
			return UNWALK_MEMORY;
		*ret += WORD;
		return UNWALK_ON;
	default: return UNWALK_LOST;
	}
}

static enum unwalk_end by_rule(const struct memory *m, struct unwalk *w, uint32_t rule)
{
	const uint32_t bp = UW_RULE_BP(rule), bx = UW_RULE_BX(rule);
	struct unwalk up = *w;
	enum unwalk_end end = cfa_of(m, w, rule, &up.sp);
	bool ok = true;

	if (end != UNWALK_ON)
		return end;
	if (UW_RULE_KIND(rule) == UW_RA_DI)
		up.ip = w->di;
	else
		ok = word(m, up.sp - WORD, &up.ip);
	if (ok && bp == UW_BP_AT_BP)
		ok = word(m, w->bp, &up.bp);
	else if (ok && bp && bp <= UW_BP_MAX)
		ok = word(m, words(up.sp, -(int64_t)bp), &up.bp);
	if (bp == UW_BP_GONE)
		up.bp_known = false;
	if (ok && bx && bx <= UW_BX_MAX)
		ok = word(m, words(up.sp, -(int64_t)bx), &up.bx);
	if (!ok)
		return UNWALK_MEMORY;
	*w = up;
	return UNWALK_ON;
}

enum unwalk_end unwalk_step(struct unwalk *w, uint32_t rule, unwalk_read_fn *read, void *ctx)
{
	const struct memory m = { read, ctx };
	const uint64_t sp = w->sp;
	enum unwalk_end end;

	w->first = false;
	switch (UW_RULE_KIND(rule)) {
	case UW_END: return UNWALK_END;
	case UW_LOST: return UNWALK_LOST;
	case UW_SIGNAL: end = by_signal(&m, w, rule); break;
	case UW_NONE: end = by_frame_pointer(&m, w); break;
	default: end = by_rule(&m, w, rule);
	}
	if (end != UNWALK_ON)
		return end;
	if (!w->ip)
		return UNWALK_END;
	/* A handler may have a stack of its own. */
	return w->sp <= sp && UW_RULE_KIND(rule) != UW_SIGNAL ? UNWALK_LOOPS : UNWALK_ON;
}
