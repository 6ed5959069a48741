/* SPDX-License-Identifier: Apache-2.0 */
/* User stacks of a stopped process, by the unwinding tables of its files, else by frame pointers.
 * Source: base/unwindfmt.h; struct ucontext of x86-64, asm/ucontext.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/vec.h"
#include "retro/retro_int.h"
#include "sym/proc/unwind.h"

#define WORD 8
enum { UC_BP = 15, UC_BX = 16, UC_SP = 20, UC_IP = 21 }; /* words of struct ucontext */

struct stacks {
	struct sym *sym;
	VEC(uint64_t) tables;
	struct uw_area *areas; /* of this process */
	size_t n;
	uint32_t pid;
	bool stale;
};
struct at {
	struct replay *p;
	uint64_t ip, sp, bp, bx, di;
	bool bp_known, first;
};

static int put_table(void *ctx, const struct ehtab *t, uint32_t *ret_place)
{
	struct stacks *s = ctx;
	const uint32_t at = (uint32_t)s->tables.n, rows = at + t->nindex;
	int e = 0;

	for (uint32_t i = 0; i < t->nindex && e == 0; i++)
		e = vec_try_push(&s->tables, UW_INDEX(UW_INDEX_FIRST(t->index[i]) + rows, UW_INDEX_COUNT(t->index[i])));
	for (uint32_t i = 0; i < t->nrows && e == 0; i++)
		e = vec_try_push(&s->tables, t->rows[i]);
	*ret_place = at;
	return e;
}

struct stacks *stacks_new(struct sym *sym)
{
	struct stacks *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->sym = sym;
	s->areas = calloc(UW_MAX_AREAS, sizeof(*s->areas));
	if (!s->areas) {
		free(s);
		return NULL;
	}
	sym_unwind_begin(sym, &(struct sym_unwind_sink){ put_table, NULL, s });
	return s;
}

void stacks_free(struct stacks *s)
{
	if (!s)
		return;
	sym_unwind_begin(s->sym, &(struct sym_unwind_sink){ 0 });
	vec_free(&s->tables);
	free(s->areas);
	free(s);
}

void stacks_changed(struct stacks *s, uint32_t pid)
{
	if (s && s->pid == pid)
		s->stale = true;
}

static void see(struct stacks *s, uint32_t pid)
{
	if (s->pid == pid && !s->stale)
		return;
	s->pid = pid;
	s->stale = false;
	s->n = 0;
	sym_proc_touch(s->sym, pid, 0);
	sym_proc_refresh(s->sym, pid, 0);
	sym_unwind_areas(s->sym, pid, 0, s->areas, UW_MAX_AREAS, &s->n);
}

static uint32_t rule_at(const struct stacks *s, uint64_t ip)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct uw_area *a = &s->areas[i];
		uint64_t at = ip - a->bias, bucket = at >> UW_BUCKET_SHIFT, e;
		uint32_t rule = UW_NONE;

		if (ip < a->start || ip >= a->end)
			continue;
		if (bucket >= a->nindex)
			return UW_NONE;
		e = s->tables.v[a->index + bucket];
		for (uint32_t k = 0; k < UW_INDEX_COUNT(e); k++) {
			uint64_t row = s->tables.v[UW_INDEX_FIRST(e) + k];

			if (UW_ROW_PC(row) > at)
				break;
			rule = UW_ROW_RULE(row);
		}
		return rule;
	}
	return UW_NONE;
}

static bool word(struct replay *p, uint64_t addr, uint64_t *ret)
{
	return watch_read(p, addr, ret, WORD) == WORD;
}

static uint64_t words(uint64_t base, int64_t n)
{
	return base + (uint64_t)(n * WORD);
}

static bool by_frame_pointer(struct at *a)
{
	const uint64_t bp = a->bp;

	if (!a->bp_known || bp < a->sp || !word(a->p, bp, &a->bp) || !word(a->p, bp + WORD, &a->ip))
		return false;
	a->sp = bp + 2 * WORD;
	return true;
}

static bool by_signal(struct at *a, uint32_t rule)
{
	uint64_t uc = words(a->sp, UW_RULE_OFF(rule)), regs[UC_IP + 1];

	if (watch_read(a->p, uc, regs, sizeof(regs)) != sizeof(regs))
		return false;
	a->ip = regs[UC_IP];
	a->sp = regs[UC_SP];
	a->bp = regs[UC_BP];
	a->bx = regs[UC_BX];
	a->bp_known = a->first = true;
	return true;
}

static bool cfa_of(const struct at *a, uint32_t rule, uint64_t *ret)
{
	const int64_t off = UW_RULE_OFF(rule);

	switch (UW_RULE_KIND(rule)) {
	case UW_SP:
	case UW_RA_DI: *ret = words(a->sp, off); return true;
	case UW_BP: *ret = words(a->bp, off); return a->bp_known;
	case UW_BX: *ret = words(a->bx, off); return true;
	case UW_PLT: *ret = a->sp + WORD + ((a->ip & 15) >= (uint64_t)off ? WORD : 0); return true;
	case UW_BP_DEREF: return a->bp_known && word(a->p, words(a->bp, off), ret);
	default: return false;
	}
}

static bool by_rule(struct at *a, uint32_t rule)
{
	const uint32_t bp = UW_RULE_BP(rule), bx = UW_RULE_BX(rule);
	struct at up = *a;
	bool ok = cfa_of(a, rule, &up.sp);

	if (ok && UW_RULE_KIND(rule) == UW_RA_DI)
		up.ip = a->di;
	else
		ok = ok && word(a->p, up.sp - WORD, &up.ip);
	if (ok && bp == UW_BP_AT_BP)
		ok = word(a->p, a->bp, &up.bp);
	else if (ok && bp && bp <= UW_BP_MAX)
		ok = word(a->p, words(up.sp, -(int64_t)bp), &up.bp);
	up.bp_known &= bp != UW_BP_GONE;
	if (ok && bx && bx <= UW_BX_MAX)
		ok = word(a->p, words(up.sp, -(int64_t)bx), &up.bx);
	*a = up;
	return ok;
}

static bool step(struct at *a, uint32_t rule)
{
	const uint64_t sp = a->sp;

	a->first = false;
	switch (UW_RULE_KIND(rule)) {
	case UW_END:
	case UW_LOST: return false;
	case UW_SIGNAL: return by_signal(a, rule);
	case UW_NONE: return by_frame_pointer(a) && a->ip && a->sp > sp;
	default: return by_rule(a, rule) && a->ip && a->sp > sp;
	}
}

size_t stacks_walk(struct stacks *s, struct replay *p, pid_t pid, const struct user_regs_struct *regs, uint64_t *frames,
		   size_t max)
{
	struct at a = { p, regs->rip, regs->rsp, regs->rbp, regs->rbx, regs->rdi, true, true };
	size_t n = 0;

	if (!s)
		return 0;
	see(s, (uint32_t)pid);
	while (n < max) {
		frames[n++] = a.ip;
		if (!step(&a, rule_at(s, a.first ? a.ip : a.ip - 1)))
			break;
	}
	return n;
}
