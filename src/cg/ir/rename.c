/* SPDX-License-Identifier: Apache-2.0 */
/* Gives every value that does not leave its block a register of its own: "v = v + 1; v = v * 2" becomes
 * "t = v + 1; v = t * 2". Registers with one assignment are what the other passes understand. */
#include <string.h>
#include "cg/ir/int.h"
#include "cg/ir/opt.h"

struct rename {
	struct irfn *f;
	uint32_t nold;
	uint32_t *seen; /* by vreg: block in which it was met, + 1 */
	vreg *name;	/* by vreg: what it is called now; valid when seen in this block */
	bool *killed;	/* by instruction: its result is overwritten later in the same block */
};

static bool ends_block(const struct irfn *f, uint32_t n)
{
	return n + 1 == f->n || f->insns[n + 1].op == IRO_LABEL || (ir_op_flags[f->insns[n].op] & (IRF_JUMP | IRF_END));
}

static void find_killed(struct rename *r)
{
	const struct irfn *f = r->f;
	uint32_t n, block = 1;

	for (n = f->n; n-- > 0;) {
		const struct irinsn *i = &f->insns[n];

		if (ends_block(f, n))
			block++;
		if (!(ir_op_flags[i->op] & IRF_DEF) || i->d < 0)
			continue;
		r->killed[n] = r->seen[i->d] == block;
		r->seen[i->d] = block;
	}
}

static void use(const struct rename *r, vreg *v, uint32_t block)
{
	if (*v >= 0 && (uint32_t)*v < r->nold && r->seen[*v] == block)
		*v = r->name[*v];
}

static void rename_insn(struct rename *r, struct irinsn *i, bool killed, uint32_t block)
{
	uint16_t fl = ir_op_flags[i->op];
	unsigned k;

	if (fl & IRF_USE_A)
		use(r, &i->a, block);
	if (fl & IRF_USE_B)
		use(r, &i->b, block);
	if (fl & IRF_USE_C)
		use(r, &i->c, block);
	for (k = 0; (fl & IRF_ARGS) && k < i->nargs; k++)
		use(r, &r->f->args[(uint32_t)i->off + k], block);
	if (!(fl & IRF_DEF) || i->d < 0)
		return;
	r->seen[i->d] = block;
	r->name[i->d] = killed ? ir_new(r->f) : i->d;
	i->d = r->name[i->d];
}

void ir_rename(struct irfn *f, struct arena *tmp)
{
	size_t nv = (size_t)f->nvregs + 1;
	struct rename r = { .f = f, .nold = (uint32_t)f->nvregs };
	uint32_t n, block = 1;

	r.seen = arena_calloc(tmp, nv, sizeof(*r.seen));
	r.name = arena_calloc(tmp, nv, sizeof(*r.name));
	r.killed = arena_calloc(tmp, f->n + 1, sizeof(*r.killed));
	find_killed(&r);
	memset(r.seen, 0, nv * sizeof(*r.seen));
	for (n = 0; n < f->n; n++) {
		bool last = ends_block(f, n);

		rename_insn(&r, &f->insns[n], r.killed[n], block);
		if (last)
			block++;
	}
}
