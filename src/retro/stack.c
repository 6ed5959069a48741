/* SPDX-License-Identifier: Apache-2.0 */
/* User stacks of a stopped process, by the unwinding tables of its files, else by frame pointers.
 * Source: base/unwindfmt.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/vec.h"
#include "retro/retro_int.h"
#include "sym/proc/unwind.h"
#include "sym/unwind/unwalk.h"

struct stacks {
	struct sym *sym;
	VEC(uint64_t) tables;
	struct uw_area *areas; /* of this process */
	size_t n;
	uint64_t *copy; /* of the tables, ncopy elements; NULL: nobody wants one */
	uint32_t ncopy, pid;
	bool stale;
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
	if (s->copy && e == 0 && s->tables.n > s->ncopy)
		e = -ENOSPC;
	if (s->copy && e == 0)
		memcpy(s->copy + at, s->tables.v + at, (s->tables.n - at) * sizeof(*s->copy));
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

void stacks_tables_to(struct stacks *s, uint64_t *tables, uint32_t n)
{
	s->copy = tables;
	s->ncopy = n;
}

static bool see(struct stacks *s, uint32_t pid)
{
	if (s->pid == pid && !s->stale)
		return false;
	s->pid = pid;
	s->stale = false;
	s->n = 0;
	sym_proc_touch(s->sym, pid, 0);
	sym_proc_refresh(s->sym, pid, 0);
	sym_unwind_areas(s->sym, pid, 0, s->areas, UW_MAX_AREAS, &s->n);
	return true;
}

bool stacks_see(struct stacks *s, uint32_t pid, const struct uw_area **ret, size_t *ret_n)
{
	const bool changed = see(s, pid);

	*ret = s->areas;
	*ret_n = s->n;
	return changed;
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

static bool read_process(void *replay, uint64_t addr, void *to, size_t n)
{
	return watch_read(replay, addr, to, n) == n;
}

size_t stacks_walk(struct stacks *s, struct replay *p, pid_t pid, const struct user_regs_struct *regs, uint64_t *frames,
		   uint64_t *sps, size_t max)
{
	struct unwalk w = { regs->rip, regs->rsp, regs->rbp, regs->rbx, regs->rdi, true, true };
	size_t n = 0;

	if (!s)
		return 0;
	see(s, (uint32_t)pid);
	while (n < max) {
		if (sps)
			sps[n] = w.sp;
		frames[n++] = w.ip;
		if (unwalk_step(&w, rule_at(s, unwalk_place(&w)), read_process, p) != UNWALK_ON)
			break;
	}
	return n;
}
