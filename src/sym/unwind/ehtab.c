/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a table of the functions of .eh_frame: sorts them, merges equal neighbours, and adds an index by address. */
#include "sym/unwind/ehtab.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "sym/unwind/eh_int.h"

struct build {
	const struct ehsec *s;
	const struct ehcie *cie;
	uint64_t base;
	uint64_t from; /* of the function: rows before it are not wanted */
	VEC(uint64_t) rows;
};

static int add_row(struct build *b, uint64_t pc, uint32_t rule)
{
	size_t n = b->rows.n;

	pc -= b->base;
	if (n && UW_ROW_PC(b->rows.v[n - 1]) == pc)
		n = --b->rows.n;
	if (n && UW_ROW_RULE(b->rows.v[n - 1]) == rule)
		return 0;
	return n < EH_MAX_ROWS ? vec_try_push(&b->rows, UW_ROW(pc, rule)) : -EFBIG;
}

static int on_state(void *ctx, uint64_t pc, const struct ehstate *st)
{
	struct build *b = ctx;

	return add_row(b, pc < b->from ? b->from : pc, ehcfa_rule(b->s->arch, b->cie, st));
}

static int by_pc(const void *a, const void *b)
{
	const struct ehfde *x = a, *y = b;

	return x->pc < y->pc ? -1 : x->pc > y->pc;
}

static bool is_code(const struct elf_seg *seg, unsigned n, const struct elf_src *src, const struct ehfde *f)
{
	for (unsigned i = 0; i < n; i++) {
		const struct elf_seg *s = &seg[i];

		if ((s->flags & PF_X) && f->pc >= s->vaddr && f->len <= s->filesz &&
		    f->pc - s->vaddr <= s->filesz - f->len && s->off <= src->size && s->filesz <= src->size - s->off)
			return true;
	}
	return false;
}

/* Sorts, and leaves out what is not code of this file, or too far away. */
static void clean(struct ehsec *s, const struct elf *e, const struct elf_seg *seg, unsigned nseg)
{
	bool sorted = true;
	size_t n = 0;

	for (size_t i = 0; i < s->fdes.n; i++) {
		if (!is_code(seg, nseg, &e->src, &s->fdes.v[i]))
			continue;
		s->fdes.v[n] = s->fdes.v[i];
		sorted &= n == 0 || s->fdes.v[n - 1].pc <= s->fdes.v[n].pc;
		n++;
	}
	s->fdes.n = n;
	if (!sorted)
		qsort(s->fdes.v, n, sizeof(*s->fdes.v), by_pc);
	while (n && s->fdes.v[n - 1].pc + s->fdes.v[n - 1].len - s->fdes.v[0].pc > EH_MAX_SPAN - UW_BUCKET)
		n--;
	s->fdes.n = n;
}

static int build_rows(struct build *b, struct ehsec *s)
{
	uint64_t end = b->base;
	int r = 0;

	/* The first row is at 0, so that every address has one at or before it. */
	if (s->fdes.v[0].pc > b->base)
		r = add_row(b, b->base, UW_RULE(UW_NONE, 0, 0, 0));
	for (size_t i = 0; r == 0 && i < s->fdes.n; i++) {
		const struct ehfde *f = &s->fdes.v[i];
		const struct ehcie *c = &s->cies.v[f->cie];
		struct ehbuf prog = { f->insns, f->insns + f->ninsns, false };
		struct ehstate st = c->init;

		if (f->pc + f->len <= end)
			continue; /* a second description of the same code */
		if (i && f->pc > end && f->pc - end >= EH_MAX_PADDING)
			r = add_row(b, end, UW_RULE(UW_NONE, 0, 0, 0));
		b->cie = c;
		b->from = f->pc > end ? f->pc : end;
		end = f->pc + f->len;
		if (r == 0)
			r = ehcfa_run(s, c, prog, f->pc, end, &st, on_state, b);
	}
	return r < 0 ? r : add_row(b, end, UW_RULE(UW_NONE, 0, 0, 0));
}

static int build_index(const struct build *b, struct ehtab *t)
{
	uint64_t span = UW_ROW_PC(b->rows.v[b->rows.n - 1]);
	uint32_t n = (uint32_t)(span >> UW_BUCKET_SHIFT) + 1, at = 0, next;

	t->index = malloc(n * sizeof(*t->index));
	if (!t->index)
		return -ENOMEM;
	t->nindex = n;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t from = (uint64_t)i << UW_BUCKET_SHIFT;

		while (at + 1 < b->rows.n && UW_ROW_PC(b->rows.v[at + 1]) <= from)
			at++;
		next = at + 1;
		while (next < b->rows.n && UW_ROW_PC(b->rows.v[next]) < from + UW_BUCKET)
			next++;
		t->index[i] = UW_INDEX(at, next - at);
	}
	return 0;
}

int ehtab_load(const struct elf *e, struct ehtab *ret)
{
	_cleanup_free_ struct elf_seg *seg = NULL;
	struct build b = { 0 };
	struct ehsec s;
	unsigned nseg = 0;
	int r = ehsec_load(e, &s);

	*ret = (struct ehtab){ 0 };
	if (r < 0)
		return r;
	r = elf_segments(e, &seg, &nseg);
	if (r == 0) {
		clean(&s, e, seg, nseg);
		r = s.fdes.n ? 0 : -ENOENT;
	}
	if (r == 0) {
		b.s = &s;
		b.base = ret->base = s.fdes.v[0].pc & ~(uint64_t)(UW_BUCKET - 1);
		r = build_rows(&b, &s);
	}
	if (r == 0)
		r = build_index(&b, ret);
	ehsec_done(&s);
	if (r < 0) {
		vec_free(&b.rows);
		ehtab_done(ret);
		return r;
	}
	ret->rows = b.rows.v;
	ret->nrows = (uint32_t)b.rows.n;
	return 0;
}

void ehtab_done(struct ehtab *t)
{
	free(t->rows);
	free(t->index);
	*t = (struct ehtab){ 0 };
}

uint32_t ehtab_at(const struct ehtab *t, uint64_t addr)
{
	uint64_t pc = addr - t->base, e;
	uint32_t lo, n;

	if (addr < t->base || pc >> UW_BUCKET_SHIFT >= t->nindex)
		return UW_RULE(UW_NONE, 0, 0, 0);
	e = t->index[pc >> UW_BUCKET_SHIFT];
	lo = UW_INDEX_FIRST(e);
	n = UW_INDEX_COUNT(e);
	while (n > 1) {
		uint32_t half = n / 2;

		if (UW_ROW_PC(t->rows[lo + half]) <= pc)
			lo += half;
		n -= half;
	}
	return UW_ROW_RULE(t->rows[lo]);
}

int ehtab_functions(const struct elf *e, ehtab_fn fn, void *ctx)
{
	struct ehsec s = { 0 };
	int r = ehsec_load(e, &s);

	for (size_t i = 0; i < s.fdes.n && r == 0; i++)
		r = fn(ctx, s.fdes.v[i].pc, s.fdes.v[i].pc + s.fdes.v[i].len);
	ehsec_done(&s);
	return r;
}
