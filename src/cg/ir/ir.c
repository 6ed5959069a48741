/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the intermediate representation: appends instructions and checks their operands. */
#include "cg/ir/ir.h"
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include "cg/ir/int.h"

const uint16_t ir_op_flags[] = {
#define IROP(id, flags) [IRO_##id] = (flags),
#include "cg/ir/irop.def"
#undef IROP
};

int irprog_fail(struct irprog *p, int err, const char *fmt, ...)
{
	va_list ap;

	if (p->err)
		return p->err;
	va_start(ap, fmt);
	p->reason = arena_vprintf(p->arena, fmt, ap);
	va_end(ap);
	return p->err = err;
}

void *ir_grow(struct arena *a, void *v, uint32_t n, uint32_t *cap, size_t size)
{
	uint32_t want;
	void *w;

	if (n < *cap)
		return v;
	want = *cap ? *cap * 2 : 32;
	w = arena_calloc(a, want, size);
	if (n)
		memcpy(w, v, n * size);
	*cap = want;
	return w;
}

struct irprog *irprog_new(struct arena *a)
{
	struct irprog *p = arena_new_obj(a, struct irprog);

	p->arena = a;
	return p;
}

struct irfn *irfn_new(struct irprog *p, const char *name, unsigned nargs)
{
	struct irfn *f = arena_new_obj(p->arena, struct irfn);
	unsigned i;

	f->prog = p;
	f->name = arena_strdup(p->arena, name);
	f->index = p->nfns;
	f->nargs = nargs;
	f->chain = -1;
	if (nargs > 5)
		irprog_fail(p, -EINVAL, "%s: more than 5 arguments", name);
	if (p->nfns >= IR_MAX_FUNCS)
		irprog_fail(p, -E2BIG, "more than %d functions in one program", IR_MAX_FUNCS);
	p->fns = ir_grow(p->arena, p->fns, p->nfns, &p->fncap, sizeof(*p->fns));
	p->fns[p->nfns++] = f;
	ir_at(f, 0, (struct span){ 0 });
	for (i = 0; i < nargs; i++) {
		struct irinsn *in = ir_push(f, IRO_ARG);

		in->d = ir_new(f);
		in->imm = i;
	}
	return f;
}

void ir_global(struct irfn *f)
{
	f->global = true;
}

vreg irfn_arg(struct irfn *f, unsigned n)
{
	if (n >= f->nargs) {
		irprog_fail(f->prog, -EINVAL, "%s: has no argument %u", f->name, n);
		return ir_imm(f, 0);
	}
	return (vreg)n;
}

struct irinsn *ir_push(struct irfn *f, enum ir_op op)
{
	struct irinsn *i;

	f->insns = ir_grow(f->prog->arena, f->insns, f->n, &f->cap, sizeof(*f->insns));
	i = &f->insns[f->n++];
	*i = (struct irinsn){
		.op = op, .d = VREG_NONE, .a = VREG_NONE, .b = VREG_NONE, .c = VREG_NONE, .mark = f->mark
	};
	f->prog->ninsns++;
	if (f->prog->ninsns > IR_MAX_INSNS)
		irprog_fail(f->prog, -E2BIG, "more than %d instructions", IR_MAX_INSNS);
	return i;
}

/* v when it is a register of this function; else an error is set and 0 returned. */
static vreg checked(struct irfn *f, vreg v)
{
	if (v >= 0 && v < f->nvregs)
		return v;
	irprog_fail(f->prog, -EINVAL, "%s: no such register: %d", f->name, v);
	return 0;
}

static unsigned checked_size(struct irfn *f, unsigned size)
{
	if (size == 1 || size == 2 || size == 4 || size == 8)
		return size;
	irprog_fail(f->prog, -EINVAL, "%s: no such access size: %u", f->name, size);
	return 8;
}

static int32_t checked_off(struct irfn *f, int32_t off)
{
	if (off >= INT16_MIN && off <= INT16_MAX)
		return off;
	irprog_fail(f->prog, -EINVAL, "%s: offset %d does not fit into 16 bits", f->name, off);
	return 0;
}

static int64_t checked_label(struct irfn *f, irlabel l)
{
	if (l >= 0 && (uint32_t)l < f->nlabels)
		return l;
	irprog_fail(f->prog, -EINVAL, "%s: no such label: %d", f->name, l);
	return 0;
}

vreg ir_new(struct irfn *f)
{
	return f->nvregs++;
}

irlabel ir_label(struct irfn *f)
{
	return (irlabel)f->nlabels++;
}

void ir_place(struct irfn *f, irlabel l)
{
	ir_push(f, IRO_LABEL)->imm = checked_label(f, l);
}

irslot ir_slot(struct irfn *f, uint32_t size)
{
	if (size == 0 || size > IR_STACK_MAX || f->slot_top + size > IR_STACK_MAX) {
		irprog_fail(f->prog, -E2BIG, "%s: more than %d bytes of stack", f->name, IR_STACK_MAX);
		size = 8;
		f->slot_top = 0;
	}
	f->slot_top += (size + 7) & ~7u;
	if (f->slot_top > f->slot_max)
		f->slot_max = f->slot_top;
	f->slots = ir_grow(f->prog->arena, f->slots, f->nslots, &f->slotcap, sizeof(*f->slots));
	f->slots[f->nslots] = (struct irslotinfo){ f->slot_top, size };
	return (irslot)f->nslots++;
}

uint32_t ir_slot_mark(struct irfn *f)
{
	return f->slot_top;
}

void ir_slot_reset(struct irfn *f, uint32_t mark)
{
	if (mark <= f->slot_top)
		f->slot_top = mark;
	else
		irprog_fail(f->prog, -EINVAL, "%s: slot mark is above the top", f->name);
}

/* Offset from r10 of size bytes at off in the slot. */
static int32_t slot_off(struct irfn *f, irslot s, int32_t off, unsigned size)
{
	if (s < 0 || (uint32_t)s >= f->nslots) {
		irprog_fail(f->prog, -EINVAL, "%s: no such slot: %d", f->name, s);
		return -8;
	}
	if (off < 0 || (uint32_t)off + size > f->slots[s].size)
		irprog_fail(f->prog, -EINVAL, "%s: offset %d is outside the slot", f->name, off);
	return off - (int32_t)f->slots[s].pos;
}

void ir_movi(struct irfn *f, vreg d, uint64_t imm)
{
	struct irinsn *i = ir_push(f, IRO_MOVI);

	i->d = checked(f, d);
	i->imm = (int64_t)imm;
}

vreg ir_imm(struct irfn *f, uint64_t imm)
{
	vreg d = ir_new(f);

	ir_movi(f, d, imm);
	return d;
}

void ir_mov(struct irfn *f, vreg d, vreg s)
{
	struct irinsn *i = ir_push(f, IRO_MOV);

	i->d = checked(f, d);
	i->a = checked(f, s);
}

void ir_alu(struct irfn *f, enum ir_alu op, vreg d, vreg a, vreg b)
{
	struct irinsn *i;

	if (op == IRA_NEG) {
		ir_alui(f, op, d, a, 0);
		return;
	}
	i = ir_push(f, IRO_ALU);
	i->sub = op;
	i->d = checked(f, d);
	i->a = checked(f, a);
	i->b = checked(f, b);
}

void ir_alui(struct irfn *f, enum ir_alu op, vreg d, vreg a, int64_t imm)
{
	struct irinsn *i = ir_push(f, IRO_ALUI);

	i->sub = op;
	i->d = checked(f, d);
	i->a = checked(f, a);
	i->imm = op == IRA_NEG ? 0 : imm; /* which has none: a large one would become an operand */
}

void ir_ext(struct irfn *f, vreg d, vreg s, unsigned bytes, bool is_signed)
{
	unsigned bits = 64 - 8 * checked_size(f, bytes);

	if (bytes == 8) {
		ir_mov(f, d, s);
	} else if (is_signed) {
		ir_alui(f, IRA_SHL, d, s, bits);
		ir_alui(f, IRA_SAR, d, d, bits);
	} else if (bytes == 4) {
		struct irinsn *i = ir_push(f, IRO_ZEXT32);

		i->d = checked(f, d);
		i->a = checked(f, s);
	} else {
		ir_alui(f, IRA_AND, d, s, bytes == 1 ? 0xff : 0xffff);
	}
}

void ir_bswap(struct irfn *f, vreg d, vreg s, unsigned bytes)
{
	struct irinsn *i;

	if (checked_size(f, bytes) == 1) {
		ir_mov(f, d, s);
		return;
	}
	i = ir_push(f, IRO_BSWAP);
	i->d = checked(f, d);
	i->a = checked(f, s);
	i->size = checked_size(f, bytes);
}

static void push_load(struct irfn *f, vreg d, vreg base, int32_t off, unsigned size)
{
	struct irinsn *i = ir_push(f, IRO_LOAD);

	i->d = checked(f, d);
	i->a = base;
	i->off = checked_off(f, off);
	i->size = checked_size(f, size);
}

static void push_store(struct irfn *f, vreg base, int32_t off, unsigned size, vreg s)
{
	struct irinsn *i = ir_push(f, IRO_STORE);

	i->a = base;
	i->b = checked(f, s);
	i->off = checked_off(f, off);
	i->size = checked_size(f, size);
}

static void push_storei(struct irfn *f, vreg base, int32_t off, unsigned size, int32_t imm)
{
	struct irinsn *i = ir_push(f, IRO_STOREI);

	i->a = base;
	i->imm = imm;
	i->off = checked_off(f, off);
	i->size = checked_size(f, size);
}

void ir_load(struct irfn *f, vreg d, vreg base, int32_t off, unsigned size)
{
	push_load(f, d, checked(f, base), off, size);
}

void ir_loads(struct irfn *f, vreg d, vreg base, int32_t off, unsigned size)
{
	ir_load(f, d, base, off, size);
	if (size != 8)
		ir_ext(f, d, d, size, true);
}

void ir_store(struct irfn *f, vreg base, int32_t off, unsigned size, vreg s)
{
	push_store(f, checked(f, base), off, size, s);
}

void ir_storei(struct irfn *f, vreg base, int32_t off, unsigned size, int32_t imm)
{
	push_storei(f, checked(f, base), off, size, imm);
}

void ir_load_slot(struct irfn *f, vreg d, irslot s, int32_t off, unsigned size)
{
	push_load(f, d, IR_FP, slot_off(f, s, off, size), size);
}

void ir_store_slot(struct irfn *f, irslot s, int32_t off, unsigned size, vreg v)
{
	push_store(f, IR_FP, slot_off(f, s, off, size), size, v);
}

void ir_storei_slot(struct irfn *f, irslot s, int32_t off, unsigned size, int32_t imm)
{
	push_storei(f, IR_FP, slot_off(f, s, off, size), size, imm);
}

void ir_slot_addr(struct irfn *f, vreg d, irslot s, int32_t off)
{
	struct irinsn *i = ir_push(f, IRO_FPADDR);

	i->d = checked(f, d);
	i->off = slot_off(f, s, off, 0);
}

void ir_atomic_add(struct irfn *f, vreg base, int32_t off, unsigned size, vreg s)
{
	struct irinsn *i = ir_push(f, IRO_XADD);

	if (size != 4 && size != 8)
		irprog_fail(f->prog, -EINVAL, "%s: atomics have 4 or 8 bytes", f->name);
	i->a = checked(f, base);
	i->b = checked(f, s);
	i->off = checked_off(f, off);
	i->size = size;
}

void ir_cmpxchg(struct irfn *f, vreg d, vreg base, int32_t off, unsigned size, vreg expect, vreg val)
{
	struct irinsn *i = ir_push(f, IRO_CMPXCHG);

	if (size != 4 && size != 8)
		irprog_fail(f->prog, -EINVAL, "%s: atomics have 4 or 8 bytes", f->name);
	i->d = checked(f, d);
	i->a = checked(f, base);
	i->b = checked(f, expect);
	i->c = checked(f, val);
	i->off = checked_off(f, off);
	i->size = size;
}

void ir_fetch_add(struct irfn *f, vreg d, vreg base, int32_t off, unsigned size, vreg s)
{
	ir_atomic_add(f, base, off, size, s);
	if (f->n && f->insns[f->n - 1].op == IRO_XADD) {
		f->insns[f->n - 1].op = IRO_FETCHADD;
		f->insns[f->n - 1].d = checked(f, d);
	}
}

void ir_jmp(struct irfn *f, irlabel l)
{
	ir_push(f, IRO_JMP)->imm = checked_label(f, l);
}

void ir_jcc(struct irfn *f, enum ir_cond c, vreg a, vreg b, irlabel l)
{
	struct irinsn *i = ir_push(f, IRO_JCC);

	i->sub = c;
	i->a = checked(f, a);
	i->b = checked(f, b);
	i->imm = checked_label(f, l);
}

void ir_jcci(struct irfn *f, enum ir_cond c, vreg a, int64_t imm, irlabel l)
{
	struct irinsn *i;

	if (imm != (int32_t)imm) {
		ir_jcc(f, c, a, ir_imm(f, (uint64_t)imm), l);
		return;
	}
	i = ir_push(f, IRO_JCCI);
	i->sub = c;
	i->a = checked(f, a);
	i->off = (int32_t)imm;
	i->imm = checked_label(f, l);
}

void ir_may_goto(struct irfn *f, irlabel l)
{
	ir_push(f, IRO_MAYGO)->imm = checked_label(f, l);
}

void ir_ret(struct irfn *f, vreg v)
{
	ir_push(f, IRO_RET)->a = checked(f, v);
}

void ir_reti(struct irfn *f, int32_t imm)
{
	ir_push(f, IRO_RETI)->imm = imm;
}

static void push_call(struct irfn *f, enum ir_op op, vreg d, int64_t what, unsigned nargs, const vreg *args)
{
	struct irinsn *i = ir_push(f, op);
	unsigned n;

	if (nargs > 5) {
		irprog_fail(f->prog, -EINVAL, "%s: call with more than 5 arguments", f->name);
		return;
	}
	i->d = d == VREG_NONE ? d : checked(f, d);
	i->imm = what;
	i->nargs = nargs;
	i->off = (int32_t)f->nargv;
	for (n = 0; n < nargs; n++) {
		f->args = ir_grow(f->prog->arena, f->args, f->nargv, &f->argcap, sizeof(*f->args));
		f->args[f->nargv++] = checked(f, args[n]);
	}
}

void ir_call(struct irfn *f, vreg d, int helper, unsigned nargs, const vreg *args)
{
	push_call(f, IRO_CALL, d, helper, nargs, args);
}

void ir_call_kernel(struct irfn *f, vreg d, uint32_t id, unsigned nargs, const vreg *args)
{
	push_call(f, IRO_CALL, d, IR_KERNEL | id, nargs, args);
}

void ir_call_fn(struct irfn *f, vreg d, struct irfn *callee, unsigned nargs, const vreg *args)
{
	if (!callee) {
		irprog_fail(f->prog, -EINVAL, "%s: call of a function that does not exist", f->name);
		return;
	}
	if (callee->prog != f->prog || callee->index == 0 || callee->nargs != nargs)
		irprog_fail(f->prog, -EINVAL, "%s: wrong call of %s", f->name, callee->name);
	push_call(f, IRO_CALLFN, d, callee->index, nargs, args);
}

void ir_map(struct irfn *f, vreg d, uint32_t map)
{
	struct irinsn *i = ir_push(f, IRO_MAP);

	i->d = checked(f, d);
	i->imm = map;
}

void ir_mapval(struct irfn *f, vreg d, uint32_t map, uint32_t off)
{
	struct irinsn *i = ir_push(f, IRO_MAPVAL);

	i->d = checked(f, d);
	i->imm = map;
	i->off = (int32_t)off;
}

void ir_fnaddr(struct irfn *f, vreg d, struct irfn *callee)
{
	struct irinsn *i = ir_push(f, IRO_FNADDR);

	i->d = checked(f, d);
	if (!callee || callee->prog != f->prog || callee->index == 0)
		irprog_fail(f->prog, -EINVAL, "%s: address of a foreign function", f->name);
	else
		i->imm = callee->index;
}

void ir_label_pc(struct irfn *f, vreg d, irlabel l, uint32_t high)
{
	struct irinsn *i = ir_push(f, IRO_LABELPC);

	i->d = checked(f, d);
	i->imm = l;
	i->off = (int32_t)high;
}

static void push_mark(struct irfn *f, struct irmark m)
{
	f->marks = ir_grow(f->prog->arena, f->marks, f->nmarks, &f->markcap, sizeof(*f->marks));
	f->mark = f->nmarks;
	f->marks[f->nmarks++] = m;
}

void ir_at(struct irfn *f, uint32_t epid, struct span at)
{
	const struct irmark *m = f->nmarks ? &f->marks[f->mark] : NULL;

	if (m && m->epid == epid && m->at.src == at.src && m->at.off == at.off && m->at.len == at.len)
		return;
	push_mark(f, (struct irmark){ epid, at, NULL, m && m->cold });
}

void ir_comment(struct irfn *f, const char *fmt, ...)
{
	struct irmark m = f->marks[f->mark];
	va_list ap;

	va_start(ap, fmt);
	m.text = arena_vprintf(f->prog->arena, fmt, ap);
	va_end(ap);
	push_mark(f, m);
}

bool ir_cold(struct irfn *f, bool cold)
{
	struct irmark m = f->marks[f->mark];
	bool was = m.cold;

	if (was != cold) {
		m.cold = cold;
		m.text = NULL;
		push_mark(f, m);
	}
	return was;
}

int ir_error(const struct irprog *p, const char **reason)
{
	if (reason && p->err)
		*reason = p->reason;
	return p->err;
}

uint32_t ir_ninsns(const struct irprog *p)
{
	return p->ninsns;
}

unsigned ir_uses(const struct irfn *f, const struct irinsn *i, vreg out[8])
{
	uint16_t fl = ir_op_flags[i->op];
	unsigned n = 0, k;

	if (fl & IRF_USE_D)
		out[n++] = i->d;
	if ((fl & IRF_USE_A) && i->a >= 0)
		out[n++] = i->a;
	if (fl & IRF_USE_B)
		out[n++] = i->b;
	if (fl & IRF_USE_C)
		out[n++] = i->c;
	if (fl & IRF_ARGS) {
		for (k = 0; k < i->nargs; k++)
			out[n++] = f->args[(uint32_t)i->off + k];
	}
	return n;
}
