/* SPDX-License-Identifier: Apache-2.0 */
/* Spills registers: gives registers without a place a stack slot; each access goes through a new short-lived
 * register. A constant needs no slot: it is made again where it is used. Registers with disjoint live ranges share a
 * slot. */
#include <string.h>
#include "cg/ir/regalloc.h"

struct rewrite {
	struct irfn *f;
	struct arena *tmp;
	struct ra_spill *s;
	struct irinsn *out;
	uint32_t n, cap;
	int32_t *slot;		     /* by vreg: offset from r10; 0: not spilled; 1: constant */
	const struct irinsn **konst; /* by vreg: the constant */
	vreg *cached;		     /* by vreg: register that holds its value now, or VREG_NONE */
	uint32_t *cached_at;	     /* by vreg: instruction (old index) of the reload */
	uint32_t *cached_epoch;	     /* by vreg: valid only in the same epoch (no call or label since) */
	uint32_t epoch, now, nold;
};

/* The only definition when it is a constant, by vreg. */
static void find_consts(struct rewrite *w)
{
	struct irfn *f = w->f;
	uint8_t *ndefs = arena_calloc(w->tmp, w->nold + 1, 1);
	uint32_t n;

	for (n = 0; n < f->n; n++) {
		const struct irinsn *i = &f->insns[n];

		if (!(ir_op_flags[i->op] & IRF_DEF) || i->d < 0)
			continue;
		if (ndefs[i->d]++ || !(ir_op_flags[i->op] & IRF_CONST)) {
			ndefs[i->d] = 2;
			w->konst[i->d] = NULL;
		} else {
			w->konst[i->d] = i;
		}
	}
}

static void give_slots(struct rewrite *w, const struct irlive *live, const vreg *spills, uint32_t n)
{
	size_t words = ((size_t)w->f->n * 2 + 2) / 64 + 1;
	uint32_t k, b, nbits = 0, cap = 0;
	uint64_t **bits = NULL;
	uint32_t base = w->f->frame;

	for (k = 0; k < n; k++) {
		if (w->konst[spills[k]]) {
			w->slot[spills[k]] = 1;
			continue;
		}
		for (b = 0; b < nbits && ra_bits_test(bits[b], live->range[spills[k]]); b++)
			;
		if (b == nbits) {
			bits = ir_grow(w->tmp, bits, nbits, &cap, sizeof(*bits));
			bits[nbits++] = arena_calloc(w->tmp, words, sizeof(uint64_t));
			w->f->frame += 8;
		}
		ra_bits_set(bits[b], live->range[spills[k]]);
		w->slot[spills[k]] = -(int32_t)(base + 8 * (b + 1));
	}
}

static struct irinsn *put(struct rewrite *w, enum ir_op op, uint32_t mark)
{
	struct irinsn *i;

	w->out = ir_grow(w->tmp, w->out, w->n, &w->cap, sizeof(*w->out));
	i = &w->out[w->n++];
	*i = (struct irinsn){ .op = op, .d = VREG_NONE, .a = VREG_NONE, .b = VREG_NONE, .c = VREG_NONE, .mark = mark };
	return i;
}

static vreg new_temp(struct rewrite *w)
{
	vreg v = ir_new(w->f);

	if ((uint32_t)v >= w->s->ntemp) {
		uint32_t cap = (uint32_t)v * 2 + 64;
		bool *t = arena_calloc(w->tmp, cap, sizeof(bool));

		if (w->s->ntemp)
			memcpy(t, w->s->temp, w->s->ntemp);
		w->s->temp = t;
		w->s->ntemp = cap;
	}
	w->s->temp[v] = true;
	return v;
}

static bool spilled(const struct rewrite *w, vreg v)
{
	return v >= 0 && (uint32_t)v < w->nold && w->slot[v] != 0;
}

static void cache(struct rewrite *w, vreg v, vreg t)
{
	w->cached[v] = t;
	w->cached_at[v] = w->now;
	w->cached_epoch[v] = w->epoch;
}

/* A register with the value of v, for reading. */
static vreg reload(struct rewrite *w, vreg v, uint32_t mark)
{
	struct irinsn *i;

	if (!spilled(w, v))
		return v;
	if (w->cached[v] != VREG_NONE && w->cached_epoch[v] == w->epoch && w->now - w->cached_at[v] <= w->s->window &&
	    (w->s->window || w->cached_at[v] == w->now))
		return w->cached[v];
	i = put(w, IRO_LOAD, mark);
	if (w->slot[v] == 1) {
		const struct irinsn *k = w->konst[v];

		i->op = k->op;
		i->imm = k->imm;
		i->off = k->off;
	} else {
		i->a = IR_FP;
		i->off = w->slot[v];
		i->size = 8;
	}
	i->d = new_temp(w);
	cache(w, v, i->d);
	return i->d;
}

static void save(struct rewrite *w, vreg v, vreg t, uint32_t mark)
{
	struct irinsn *i = put(w, IRO_STORE, mark);

	i->a = IR_FP;
	i->off = w->slot[v];
	i->size = 8;
	i->b = t;
}

/* Copies from and to a slot need no further register. */
static bool rewrite_mov(struct rewrite *w, const struct irinsn *i)
{
	if (i->op != IRO_MOV || spilled(w, i->d) == spilled(w, i->a))
		return false;
	if (spilled(w, i->d)) {
		save(w, i->d, i->a, i->mark);
		w->cached[i->d] = VREG_NONE;
		return true;
	}
	if (w->slot[i->a] == 1)
		return false;
	{
		struct irinsn *o = put(w, IRO_LOAD, i->mark);

		o->d = i->d;
		o->a = IR_FP;
		o->off = w->slot[i->a];
		o->size = 8;
	}
	return true;
}

static void rewrite_insn(struct rewrite *w, struct irinsn i)
{
	uint16_t fl = ir_op_flags[i.op];
	vreg d = i.d;
	unsigned k;

	if ((fl & IRF_DEF) && spilled(w, d) && w->slot[d] == 1)
		return; /* a constant: made where it is used */
	if (rewrite_mov(w, &i))
		return;
	if ((fl & IRF_USE_A) && i.a >= 0)
		i.a = reload(w, i.a, i.mark);
	if (fl & IRF_USE_B)
		i.b = reload(w, i.b, i.mark);
	if (fl & IRF_USE_C)
		i.c = reload(w, i.c, i.mark);
	for (k = 0; (fl & IRF_ARGS) && k < i.nargs; k++) {
		vreg *arg = &w->f->args[(uint32_t)i.off + k];

		*arg = reload(w, *arg, i.mark);
	}
	if ((fl & IRF_DEF) && spilled(w, d)) {
		/* the old value is read from the slot into a register of its own */
		w->cached[d] = VREG_NONE;
		i.d = fl & IRF_USE_D ? reload(w, d, i.mark) : new_temp(w);
	}
	*put(w, i.op, i.mark) = i;
	if (fl & (IRF_CALL | IRF_JUMP | IRF_END) || i.op == IRO_LABEL)
		w->epoch++;
	if (i.d != d) {
		save(w, d, i.d, i.mark);
		cache(w, d, i.d);
	}
}

void ra_spill(struct irfn *f, struct arena *tmp, struct ra_spill *s, const struct irlive *live, const vreg *spills,
	      uint32_t n)
{
	uint32_t k, nv = (uint32_t)f->nvregs;
	struct rewrite w = { .f = f, .tmp = tmp, .s = s, .nold = nv };

	w.slot = arena_calloc(tmp, nv + 1, sizeof(*w.slot));
	w.konst = arena_calloc(tmp, nv + 1, sizeof(*w.konst));
	w.cached = arena_calloc(tmp, nv + 1, sizeof(*w.cached));
	memset(w.cached, 0xff, (nv + 1) * sizeof(*w.cached));
	w.cached_at = arena_calloc(tmp, nv + 1, sizeof(*w.cached_at));
	w.cached_epoch = arena_calloc(tmp, nv + 1, sizeof(*w.cached_epoch));
	find_consts(&w);
	give_slots(&w, live, spills, n);
	for (k = 0; k < f->n; k++) {
		w.now = k;
		rewrite_insn(&w, f->insns[k]);
	}
	f->insns = w.out;
	f->n = w.n;
	f->cap = w.cap;
}
