/* SPDX-License-Identifier: Apache-2.0 */
/* Register allocation. Every virtual register gets one of r0-r9 for all of its life, or is spilled to an 8-byte stack
 * slot. Then regalloc_spill.c rewrites the code, and the allocation starts again with tiny registers around each
 * access. Occupation is a bitmap over positions per register, so that the cost is near-linear. Registers that live over
 * a call are served first (only r6-r9 are theirs), those used most per length in front; the others in order of their
 * start. Copies and call arguments are coalesced by preferring the register of the other side. */
#include "cg/ir/regalloc.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define REG_COUNT 10
#define FIRST_SAVED 6 /* r6-r9 survive calls */
#define MAX_ROUNDS 24 /* of spilling; then everything that is left is spilled at once */
#define LOOP_WEIGHT 8

struct cand {
	vreg v;
	bool crosses; /* lives over a call */
	uint32_t start, len;
	uint64_t weight; /* uses and definitions */
};

struct alloc {
	struct irfn *f;
	struct arena *tmp;
	struct irlive live;
	uint64_t *busy[REG_COUNT];
	int8_t *reg;	  /* by vreg */
	int8_t *hint;	  /* by vreg: register wanted by calls, -1: none */
	vreg *friend[2];  /* by vreg: copied from or to */
	uint64_t *weight; /* by vreg */
	const struct ra_spill *spill;
};

/* Sets bits [from, to), or tests whether one is set. */
static bool bits_range(uint64_t *w, uint32_t from, uint32_t to, bool set)
{
	uint32_t i = from / 64, last = (to - 1) / 64;

	for (; i <= last; i++) {
		uint64_t m = ~0ull;

		if (i == from / 64)
			m &= ~0ull << (from % 64);
		if (i == last && to % 64)
			m &= ~(~0ull << (to % 64));
		if (set)
			w[i] |= m;
		else if (w[i] & m)
			return true;
	}
	return false;
}

bool ra_bits_test(const uint64_t *w, const struct irrange *r)
{
	for (; r; r = r->next) {
		if (bits_range((uint64_t *)w, r->from, r->to, false))
			return true;
	}
	return false;
}

void ra_bits_set(uint64_t *w, const struct irrange *r)
{
	for (; r; r = r->next)
		bits_range(w, r->from, r->to, true);
}

static bool crosses_call(const struct alloc *a, const struct irrange *r)
{
	for (; r; r = r->next) {
		uint32_t lo = (r->from + 1) / 2, hi;

		if (r->to < 2)
			continue;
		hi = (r->to - 2) / 2 + 1; /* calls [lo, hi) are inside */
		if (hi > lo && a->live.ncalls[hi] > a->live.ncalls[lo])
			return true;
	}
	return false;
}

static void befriend(struct alloc *a, vreg x, vreg y)
{
	if (a->friend[0][x] == VREG_NONE)
		a->friend[0][x] = y;
	else
		a->friend[1][x] = y;
}

static void find_hints_of(struct alloc *a, const struct irinsn *i)
{
	unsigned k;

	switch (i->op) {
	case IRO_MOV:
	case IRO_ZEXT32:
		befriend(a, i->d, i->a);
		befriend(a, i->a, i->d);
		break;
	case IRO_ARG: a->hint[i->d] = (int8_t)(i->imm + 1); break;
	case IRO_RET: a->hint[i->a] = 0; break;
	case IRO_CALL:
	case IRO_CALLFN:
		for (k = 0; k < i->nargs; k++) {
			vreg v = a->f->args[(uint32_t)i->off + k];

			if (a->hint[v] < 0)
				a->hint[v] = (int8_t)(k + 1);
		}
		if (i->d >= 0 && a->hint[i->d] < 0)
			a->hint[i->d] = 0;
		break;
	}
}

/* Counts accesses; those in loops count more. */
static void find_weights(struct alloc *a)
{
	struct irfn *f = a->f;
	uint32_t *label = arena_calloc(a->tmp, f->nlabels + 1, sizeof(*label));
	int32_t *depth = arena_calloc(a->tmp, f->n + 1, sizeof(*depth));
	uint32_t n, w = 1;
	int32_t d = 0;
	vreg u[8];

	for (n = 0; n < f->n; n++) {
		if (f->insns[n].op == IRO_LABEL)
			label[f->insns[n].imm] = n + 1;
		if ((ir_op_flags[f->insns[n].op] & IRF_JUMP) && label[f->insns[n].imm]) {
			depth[label[f->insns[n].imm] - 1]++;
			depth[n + 1]--;
		}
	}
	for (n = 0; n < f->n; n++) {
		const struct irinsn *i = &f->insns[n];
		unsigned k = ir_uses(f, i, u);

		d += depth[n];
		w = d > 0 ? LOOP_WEIGHT : 1;
		while (k)
			a->weight[u[--k]] += w;
		/* constants cost nothing to make again */
		if ((ir_op_flags[i->op] & (IRF_DEF | IRF_CONST)) == IRF_DEF && i->d >= 0)
			a->weight[i->d] += w;
		find_hints_of(a, i);
	}
}

/* Registers that instructions need for themselves: incoming arguments not yet taken, r0 of cmpxchg and fetch_add. */
static void block_fixed(struct alloc *a)
{
	struct irfn *f = a->f;
	uint32_t n;

	for (n = 0; n < f->n; n++) {
		const struct irinsn *i = &f->insns[n];

		if (i->op == IRO_ARG)
			bits_range(a->busy[i->imm + 1], 0, 2 * n + 1, true);
		else if (i->op == IRO_CMPXCHG || i->op == IRO_FETCHADD)
			bits_range(a->busy[0], 2 * n, 2 * n + 2, true);
	}
}

static bool try_reg(struct alloc *a, const struct cand *c, int r)
{
	const struct irrange *rg = a->live.range[c->v];

	if (r < 0 || (c->crosses && r < FIRST_SAVED) || ra_bits_test(a->busy[r], rg))
		return false;
	ra_bits_set(a->busy[r], rg);
	a->reg[c->v] = (int8_t)r;
	return true;
}

static bool assign(struct alloc *a, const struct cand *c)
{
	static const int8_t any[] = { 0, 5, 4, 3, 2, 1, 6, 7, 8, 9 };
	unsigned k;

	if (try_reg(a, c, a->hint[c->v]))
		return true;
	for (k = 0; k < 2; k++) {
		vreg o = a->friend[k][c->v];

		if (o != VREG_NONE && try_reg(a, c, a->reg[o] >= 0 ? a->reg[o] : a->hint[o]))
			return true;
	}
	for (k = c->crosses ? 6 : 0; k < REG_COUNT; k++) {
		if (try_reg(a, c, any[k]))
			return true;
	}
	return false;
}

/* Most important first. */
static int cand_cmp(const void *pa, const void *pb)
{
	const struct cand *a = pa, *b = pb;
	uint64_t wa, wb;

	if (a->crosses != b->crosses)
		return a->crosses ? -1 : 1;
	if (a->crosses) {
		wa = a->weight * b->len;
		wb = b->weight * a->len;
		if (wa != wb)
			return wa > wb ? -1 : 1;
	}
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->v < b->v ? -1 : a->v > b->v;
}

static uint32_t range_len(const struct irrange *r)
{
	uint32_t n = 0;

	for (; r; r = r->next)
		n += r->to - r->from;
	return n;
}

/* Candidates in order; those that may not be spilled first. */
static struct cand *find_cands(struct alloc *a, uint32_t *ret_n)
{
	uint32_t n = 0, nfirst = 0;
	struct cand *c = arena_calloc(a->tmp, (size_t)a->f->nvregs + 1, sizeof(*c));
	int pass;
	vreg v;

	for (pass = 0; pass < 2; pass++) {
		for (v = 0; v < a->f->nvregs; v++) {
			const struct irrange *r = a->live.range[v];

			if (!r || ra_is_temp(a->spill, v) != (pass == 0))
				continue;
			c[n++] = (struct cand){ v, crosses_call(a, r), r->from, range_len(r), a->weight[v] };
		}
		if (pass == 0) {
			nfirst = n;
			qsort(c, nfirst, sizeof(*c), cand_cmp);
		}
	}
	qsort(c + nfirst, n - nfirst, sizeof(*c), cand_cmp);
	*ret_n = n;
	return c;
}

static void alloc_init(struct alloc *a)
{
	size_t nv = (size_t)a->f->nvregs + 1, words = ((size_t)a->f->n * 2 + 2) / 64 + 1;
	unsigned k;

	for (k = 0; k < REG_COUNT; k++)
		a->busy[k] = arena_calloc(a->tmp, words, sizeof(uint64_t));
	a->reg = arena_alloc(a->tmp, nv);
	a->hint = arena_alloc(a->tmp, nv);
	memset(a->reg, -1, nv);
	memset(a->hint, -1, nv);
	for (k = 0; k < 2; k++) {
		a->friend[k] = arena_calloc(a->tmp, nv, sizeof(vreg));
		memset(a->friend[k], 0xff, nv * sizeof(vreg));
	}
	a->weight = arena_calloc(a->tmp, nv, sizeof(uint64_t));
}

/* One round. *ret_nspills registers found no place: they are in spills. */
static int alloc_round(struct alloc *a, bool spill_all, vreg **ret_spills, uint32_t *ret_nspills)
{
	uint32_t n, k, ns = 0;
	struct cand *c;
	int r;

	r = ir_live(a->f, a->tmp, &a->live);
	if (r < 0)
		return r;
	alloc_init(a);
	find_weights(a);
	block_fixed(a);
	c = find_cands(a, &n);
	*ret_spills = arena_calloc(a->tmp, (size_t)n + 1, sizeof(vreg));
	for (k = 0; k < n; k++) {
		bool temp = ra_is_temp(a->spill, c[k].v);

		if ((!spill_all || temp) && assign(a, &c[k]))
			continue;
		if (temp)
			return -EAGAIN;
		(*ret_spills)[ns++] = c[k].v;
	}
	*ret_nspills = ns;
	return 0;
}

static int alloc_rounds(struct irfn *f, struct arena *tmp, struct ra_spill *s, int8_t **ret_reg)
{
	struct alloc a = { .f = f, .tmp = tmp, .spill = s };
	uint32_t n;
	vreg *spills;
	int round, r;

	for (round = 0;; round++) {
		r = alloc_round(&a, round >= MAX_ROUNDS, &spills, &n);
		if (r < 0)
			return r;
		if (n == 0)
			break;
		ra_spill(f, tmp, s, &a.live, spills, n);
	}
	*ret_reg = a.reg;
	return 0;
}

int ir_regalloc(struct irfn *f, struct arena *tmp, int8_t **ret_reg)
{
	struct ra_spill s = { .window = RA_WINDOW };
	struct irfn saved = *f;
	vreg *args = f->nargv ? arena_memdup(tmp, f->args, f->nargv * sizeof(vreg)) : NULL;
	int r;

	f->frame = f->slot_max;
	r = alloc_rounds(f, tmp, &s, ret_reg);
	if (r == -EAGAIN) {
		/* Too many reloaded values kept at once: reload each time instead. */
		*f = saved;
		f->args = args;
		f->frame = f->slot_max;
		s = (struct ra_spill){ .window = 0 };
		r = alloc_rounds(f, tmp, &s, ret_reg);
		if (r == -EAGAIN)
			r = irprog_fail(f->prog, -EINVAL, "%s: no registers left", f->name);
	}
	return r;
}
