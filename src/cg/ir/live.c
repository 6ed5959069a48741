/* SPDX-License-Identifier: Apache-2.0 */
/* Computes liveness: where each virtual register holds a value that is still needed, as ranges of positions. For
 * each register it walks the blocks between uses and definitions backwards, so that the cost is the size of the
 * result, not blocks times registers. */
#include <errno.h>
#include <string.h>
#include "cg/ir/int.h"

struct block {
	uint32_t first, end;	/* instructions [first, end) */
	uint32_t npreds, preds; /* preds: first in live.preds */
	uint32_t nout, out;	/* live at the end: first in live.outs */
};

struct pair {
	uint32_t block;
	uint32_t next; /* index + 1 of the next pair of this vreg; 0: none */
};

struct pairs {
	struct pair *v;
	uint32_t n, cap;
	uint32_t *head; /* by vreg: index + 1 */
};

struct live {
	struct irfn *f;
	struct arena *tmp;
	struct block *blocks;
	uint32_t nblocks;
	uint32_t *label; /* block by label */
	uint32_t *preds;
	struct pairs use, def; /* blocks with a use before any definition; blocks with a definition */
	struct outp {
		uint32_t block;
		vreg v;
	} * outp;
	uint32_t nout, outcap;
	vreg *outs;
};

static void find_blocks(struct live *l)
{
	struct irfn *f = l->f;
	uint32_t n, cap = 0;

	l->label = arena_calloc(l->tmp, f->nlabels + 1, sizeof(*l->label));
	for (n = 0; n < f->n; n++) {
		bool starts = n == 0 || f->insns[n].op == IRO_LABEL ||
			      (ir_op_flags[f->insns[n - 1].op] & (IRF_JUMP | IRF_END));

		if (starts) {
			l->blocks = ir_grow(l->tmp, l->blocks, l->nblocks, &cap, sizeof(*l->blocks));
			l->blocks[l->nblocks++].first = n;
		}
		l->blocks[l->nblocks - 1].end = n + 1;
		if (f->insns[n].op == IRO_LABEL)
			l->label[f->insns[n].imm] = l->nblocks - 1;
	}
}

/* The blocks that follow b: up to two. */
static unsigned successors(const struct live *l, uint32_t b, uint32_t out[2])
{
	const struct irinsn *last = &l->f->insns[l->blocks[b].end - 1];
	uint16_t fl = ir_op_flags[last->op];
	unsigned n = 0;

	if (fl & IRF_JUMP)
		out[n++] = l->label[last->imm];
	if (!(fl & IRF_END) && b + 1 < l->nblocks)
		out[n++] = b + 1;
	return n;
}

static void find_preds(struct live *l)
{
	uint32_t b, total = 0, s[2];
	unsigned n;

	for (b = 0; b < l->nblocks; b++) {
		for (n = successors(l, b, s); n; n--)
			l->blocks[s[n - 1]].npreds++;
	}
	for (b = 0; b < l->nblocks; b++) {
		l->blocks[b].preds = total;
		total += l->blocks[b].npreds;
		l->blocks[b].npreds = 0;
	}
	l->preds = arena_calloc(l->tmp, total + 1, sizeof(*l->preds));
	for (b = 0; b < l->nblocks; b++) {
		for (n = successors(l, b, s); n; n--) {
			struct block *to = &l->blocks[s[n - 1]];

			l->preds[to->preds + to->npreds++] = b;
		}
	}
}

static void pairs_add(struct live *l, struct pairs *p, vreg v, uint32_t block)
{
	if (p->head[v] && p->v[p->head[v] - 1].block == block)
		return;
	p->v = ir_grow(l->tmp, p->v, p->n, &p->cap, sizeof(*p->v));
	p->v[p->n] = (struct pair){ block, p->head[v] };
	p->head[v] = ++p->n;
}

static void find_uses(struct live *l)
{
	struct irfn *f = l->f;
	uint32_t b, n, nv = (uint32_t)f->nvregs + 1;
	vreg u[8];

	l->use.head = arena_calloc(l->tmp, nv, sizeof(uint32_t));
	l->def.head = arena_calloc(l->tmp, nv, sizeof(uint32_t));
	for (b = 0; b < l->nblocks; b++) {
		for (n = l->blocks[b].first; n < l->blocks[b].end; n++) {
			const struct irinsn *i = &f->insns[n];
			unsigned k = ir_uses(f, i, u);

			while (k) {
				vreg v = u[--k];
				uint32_t h = l->def.head[v];

				if (!h || l->def.v[h - 1].block != b)
					pairs_add(l, &l->use, v, b);
			}
			if ((ir_op_flags[i->op] & IRF_DEF) && i->d >= 0)
				pairs_add(l, &l->def, i->d, b);
		}
	}
}

/* Walks back from the blocks that need v at their start to its definitions. */
static int walk_back(struct live *l, vreg v, uint32_t *has_def, uint32_t *is_out, uint32_t *todo)
{
	uint32_t stamp = (uint32_t)v + 1, n = 0, p, k;

	for (p = l->def.head[v]; p; p = l->def.v[p - 1].next)
		has_def[l->def.v[p - 1].block] = stamp;
	for (p = l->use.head[v]; p; p = l->use.v[p - 1].next)
		todo[n++] = l->use.v[p - 1].block;
	while (n) {
		const struct block *b = &l->blocks[todo[--n]];

		if (b->first == 0)
			return irprog_fail(l->f->prog, -EINVAL, "%s: register v%d is used before it has a value",
					   l->f->name, v);
		for (k = 0; k < b->npreds; k++) {
			uint32_t q = l->preds[b->preds + k];

			if (is_out[q] == stamp)
				continue;
			is_out[q] = stamp;
			l->outp = ir_grow(l->tmp, l->outp, l->nout, &l->outcap, sizeof(*l->outp));
			l->outp[l->nout++] = (struct outp){ q, v };
			l->blocks[q].nout++;
			if (has_def[q] != stamp)
				todo[n++] = q;
		}
	}
	return 0;
}

static int find_outs(struct live *l)
{
	/* a block enters todo once as user and once as predecessor */
	uint32_t *todo = arena_calloc(l->tmp, l->nblocks * 2 + 1, sizeof(*todo));
	uint32_t *has_def = arena_calloc(l->tmp, l->nblocks + 1, sizeof(*has_def));
	uint32_t *is_out = arena_calloc(l->tmp, l->nblocks + 1, sizeof(*is_out));
	uint32_t b, n, total = 0;
	vreg v;

	for (v = 0; v < l->f->nvregs; v++) {
		if (l->use.head[v] && walk_back(l, v, has_def, is_out, todo) < 0)
			return l->f->prog->err;
	}
	for (b = 0; b < l->nblocks; b++) {
		l->blocks[b].out = total;
		total += l->blocks[b].nout;
		l->blocks[b].nout = 0;
	}
	l->outs = arena_calloc(l->tmp, total + 1, sizeof(*l->outs));
	for (n = 0; n < l->nout; n++) {
		struct block *o = &l->blocks[l->outp[n].block];

		l->outs[o->out + o->nout++] = l->outp[n].v;
	}
	return 0;
}

/* Puts a range in front; ranges of a register come in descending order. */
static void add_range(struct live *l, struct irrange **head, uint32_t from, uint32_t to)
{
	struct irrange *r = *head;

	if (r && r->from <= to) {
		r->from = from;
		return;
	}
	r = arena_new_obj(l->tmp, struct irrange);
	*r = (struct irrange){ from, to, *head };
	*head = r;
}

static void block_ranges(struct live *l, const struct block *b, struct irrange **range, uint32_t *end, vreg *open)
{
	struct irfn *f = l->f;
	uint32_t n, k, nopen = 0;
	vreg u[8];

	/* end[v]: where the range being built ends; 0: not live */
	for (k = 0; k < b->nout; k++) {
		end[l->outs[b->out + k]] = 2 * b->end;
		open[nopen++] = l->outs[b->out + k];
	}
	for (n = b->end; n-- > b->first;) {
		const struct irinsn *i = &f->insns[n];

		if ((ir_op_flags[i->op] & IRF_DEF) && i->d >= 0) {
			add_range(l, &range[i->d], 2 * n + 1, end[i->d] ? end[i->d] : 2 * n + 2);
			end[i->d] = 0;
		}
		for (k = ir_uses(f, i, u); k; k--) {
			if (!end[u[k - 1]]) {
				end[u[k - 1]] = 2 * n + 1;
				open[nopen++] = u[k - 1];
			}
		}
	}
	while (nopen) {
		vreg v = open[--nopen];

		if (end[v])
			add_range(l, &range[v], 2 * b->first, end[v]);
		end[v] = 0;
	}
}

int ir_live(struct irfn *f, struct arena *tmp, struct irlive *ret)
{
	struct live l = { .f = f, .tmp = tmp };
	uint32_t *end = arena_calloc(tmp, (size_t)f->nvregs + 1, sizeof(*end));
	uint32_t n, max_open = 0, b;
	vreg *open;
	int r;

	find_blocks(&l);
	find_preds(&l);
	find_uses(&l);
	r = find_outs(&l);
	if (r < 0)
		return r;
	for (b = 0; b < l.nblocks; b++) {
		uint32_t want = l.blocks[b].nout + 8 * (l.blocks[b].end - l.blocks[b].first);

		if (want > max_open)
			max_open = want;
	}
	open = arena_calloc(tmp, max_open + 1, sizeof(*open));
	ret->range = arena_calloc(tmp, (size_t)f->nvregs + 1, sizeof(*ret->range));
	for (b = l.nblocks; b-- > 0;)
		block_ranges(&l, &l.blocks[b], ret->range, end, open);
	ret->ncalls = arena_calloc(tmp, f->n + 2, sizeof(*ret->ncalls));
	for (n = 0; n < f->n; n++)
		ret->ncalls[n + 1] = ret->ncalls[n] + !!(ir_op_flags[f->insns[n].op] & IRF_CALL);
	return 0;
}
