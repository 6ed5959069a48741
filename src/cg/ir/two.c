/* SPDX-License-Identifier: Apache-2.0 */
/* Brings a function into BPF's two-address form: d = a op b becomes d = a; d op= b. Constants that are
 * call arguments are made again right before the call, where they go straight into r1-r5. */
#include <string.h>
#include "cg/ir/int.h"
#include "cg/ir/opt.h"

struct two {
	struct irfn *f;
	struct irinsn *out;
	uint32_t n, cap;
	uint32_t mark;
	struct arena *tmp;
};

static struct irinsn *put(struct two *t, enum ir_op op)
{
	struct irinsn *i;

	t->out = ir_grow(t->tmp, t->out, t->n, &t->cap, sizeof(*t->out));
	i = &t->out[t->n++];
	*i = (struct irinsn){
		.op = op, .d = VREG_NONE, .a = VREG_NONE, .b = VREG_NONE, .c = VREG_NONE, .mark = t->mark
	};
	return i;
}

static void put_mov(struct two *t, vreg d, vreg s)
{
	struct irinsn *i;

	if (d == s)
		return;
	i = put(t, IRO_MOV);
	i->d = d;
	i->a = s;
}

static vreg put_const(struct two *t, int64_t k)
{
	struct irinsn *i = put(t, IRO_MOVI);

	i->d = ir_new(t->f);
	i->imm = k;
	return i->d;
}

static void put_alu2(struct two *t, const struct irinsn *from, vreg b)
{
	struct irinsn *i = put(t, IRO_ALU2);

	i->sub = from->sub;
	i->d = from->d;
	i->b = b;
}

static void two_alu(struct two *t, const struct irinsn *i)
{
	bool swap = i->sub == IRA_ADD || i->sub == IRA_MUL || i->sub == IRA_AND || i->sub == IRA_OR ||
		    i->sub == IRA_XOR;
	vreg b = i->b;

	if (i->d == i->b && i->d != i->a) {
		if (swap) {
			put_alu2(t, i, i->a);
			return;
		}
		b = ir_new(t->f);
		put_mov(t, b, i->b);
	}
	put_mov(t, i->d, i->a);
	put_alu2(t, i, b);
}

static void two_alui(struct two *t, const struct irinsn *i)
{
	struct irinsn *o;

	if (i->imm != (int32_t)i->imm) {
		vreg k = put_const(t, i->imm);

		put_mov(t, i->d, i->a);
		put_alu2(t, i, k);
		return;
	}
	put_mov(t, i->d, i->a);
	o = put(t, IRO_ALU2I);
	o->sub = i->sub;
	o->d = i->d;
	o->imm = i->imm;
}

/* Arguments with a constant as only definition get a register of their own at the call. */
static void two_call(struct two *t, const struct irinsn *i, const uint32_t *ndefs, const uint32_t *def, uint32_t nold)
{
	struct irfn *f = t->f;
	unsigned k;

	for (k = 0; k < i->nargs; k++) {
		vreg *arg = &f->args[(uint32_t)i->off + k];
		const struct irinsn *d;
		struct irinsn *o;

		if ((uint32_t)*arg >= nold || ndefs[*arg] != 1)
			continue;
		d = &f->insns[def[*arg]];
		if (!(ir_op_flags[d->op] & IRF_CONST))
			continue;
		o = put(t, d->op);
		o->imm = d->imm;
		o->off = d->off;
		o->d = *arg = ir_new(f);
	}
	*put(t, i->op) = *i;
}

/* Constants whose uses have all gone into calls. */
static void drop_unused_consts(struct two *t)
{
	struct irfn *f = t->f;
	uint32_t *uses = arena_calloc(t->tmp, (size_t)f->nvregs + 1, sizeof(*uses));
	uint32_t n, k = 0;
	vreg u[8];

	for (n = 0; n < t->n; n++) {
		unsigned nu = ir_uses(f, &t->out[n], u);

		while (nu)
			uses[u[--nu]]++;
	}
	for (n = 0; n < t->n; n++) {
		struct irinsn *i = &t->out[n];

		if ((ir_op_flags[i->op] & IRF_CONST) && !uses[i->d])
			continue;
		t->out[k++] = *i;
	}
	t->n = k;
}

void ir_two_address(struct irfn *f, struct arena *tmp, const uint32_t *ndefs, const uint32_t *def)
{
	struct two t = { .f = f, .tmp = tmp };
	uint32_t n, nold = (uint32_t)f->nvregs;

	for (n = 0; n < f->n; n++) {
		const struct irinsn *i = &f->insns[n];

		t.mark = i->mark;
		switch (i->op) {
		case IRO_NOP: break;
		case IRO_MOV: put_mov(&t, i->d, i->a); break;
		case IRO_ALU: two_alu(&t, i); break;
		case IRO_ALUI: two_alui(&t, i); break;
		case IRO_BSWAP:
			put_mov(&t, i->d, i->a);
			{
				struct irinsn *o = put(&t, IRO_BSWAP2);

				o->d = i->d;
				o->size = i->size;
			}
			break;
		case IRO_CALL:
		case IRO_CALLFN: two_call(&t, i, ndefs, def, nold); break;
		default: *put(&t, i->op) = *i;
		}
	}
	drop_unused_consts(&t);
	f->insns = t.out;
	f->n = f->cap = t.n;
}
