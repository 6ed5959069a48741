/* SPDX-License-Identifier: Apache-2.0 */
/* See interp.h. */
#include "interp.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "cg/ir/int.h"
#include "cg/ir/opt.h"

struct machine {
	uint8_t *mem;
	uint8_t stack[IR_MAX_FRAMES][IR_STACK_MAX];
	uint32_t steps;
	int depth;
};

static uint64_t helper(int64_t id, const uint64_t *args, unsigned n)
{
	uint64_t h = (uint64_t)id * 0x9e3779b97f4a7c15u;
	unsigned k;

	for (k = 0; k < n; k++)
		h = (h ^ args[k]) * 0x100000001b3u + (h >> 29);
	return h;
}

/* size bytes at addr, when they are mem or the stack of this frame. */
static uint8_t *at(struct machine *m, uint64_t addr, unsigned size)
{
	uint8_t *p = (uint8_t *)(uintptr_t)addr;
	uint8_t *st = m->stack[m->depth];

	if ((p >= m->mem && p + size <= m->mem + INTERP_MEM) || (p >= st && p + size <= st + IR_STACK_MAX))
		return p;
	return NULL;
}

static uint64_t get(const uint8_t *p, unsigned size)
{
	uint64_t v = 0;

	memcpy(&v, p, size);
	return v;
}

static uint64_t to_be(uint64_t v, unsigned size)
{
	return __builtin_bswap64(v) >> (64 - 8 * size);
}

static int ir_fn(struct machine *m, struct irfn *f, const uint64_t *args, uint64_t *ret);

static int ir_memory(struct machine *m, const struct irinsn *i, uint64_t *v, uint64_t base)
{
	uint8_t *p = at(m, base + (uint64_t)(int64_t)i->off, i->size);
	uint64_t x;

	if (!p)
		return -EFAULT;
	switch (i->op) {
	case IRO_LOAD: v[i->d] = get(p, i->size); break;
	case IRO_STORE: memcpy(p, &v[i->b], i->size); break;
	case IRO_STOREI: memcpy(p, &i->imm, i->size); break;
	case IRO_XADD:
		x = get(p, i->size) + v[i->b];
		memcpy(p, &x, i->size);
		break;
	case IRO_FETCHADD:
		x = get(p, i->size) + v[i->b];
		v[i->d] = get(p, i->size);
		memcpy(p, &x, i->size);
		break;
	default:
		x = get(p, i->size);
		if (x == (i->size == 4 ? (uint32_t)v[i->b] : v[i->b]))
			memcpy(p, &v[i->c], i->size);
		v[i->d] = x;
	}
	return 0;
}

static int ir_call_insn(struct machine *m, struct irfn *f, const struct irinsn *i, uint64_t *v)
{
	uint64_t args[5] = { 0 }, r = 0;
	unsigned k;
	int e = 0;

	for (k = 0; k < i->nargs; k++)
		args[k] = v[f->args[(uint32_t)i->off + k]];
	if (i->op == IRO_CALL) {
		r = helper(i->imm, args, i->nargs);
	} else {
		m->depth++;
		e = m->depth >= IR_MAX_FRAMES ? -ELOOP : ir_fn(m, f->prog->fns[i->imm], args, &r);
		m->depth--;
	}
	if (i->d >= 0)
		v[i->d] = r;
	return e;
}

/* One instruction that does not jump. */
static int ir_plain(struct machine *m, struct irfn *f, const struct irinsn *i, uint64_t *v, const uint64_t *args)
{
	uint64_t fp = (uint64_t)(uintptr_t)(m->stack[m->depth] + IR_STACK_MAX);

	switch (i->op) {
	case IRO_NOP:
	case IRO_LABEL: break;
	case IRO_ARG: v[i->d] = args[i->imm]; break;
	case IRO_MOVI: v[i->d] = (uint64_t)i->imm; break;
	case IRO_FPADDR: v[i->d] = fp + (uint64_t)(int64_t)i->off; break;
	case IRO_MOV: v[i->d] = v[i->a]; break;
	case IRO_ZEXT32: v[i->d] = (uint32_t)v[i->a]; break;
	case IRO_ALU: v[i->d] = (uint64_t)ir_eval(i->sub, (int64_t)v[i->a], (int64_t)v[i->b]); break;
	case IRO_ALUI: v[i->d] = (uint64_t)ir_eval(i->sub, (int64_t)v[i->a], i->imm); break;
	case IRO_BSWAP: v[i->d] = to_be(v[i->a], i->size); break;
	case IRO_CALL:
	case IRO_CALLFN: return ir_call_insn(m, f, i, v);
	case IRO_LOAD:
	case IRO_STORE:
	case IRO_STOREI:
	case IRO_XADD:
	case IRO_FETCHADD:
	case IRO_CMPXCHG: return ir_memory(m, i, v, i->a == IR_FP ? fp : v[i->a]);
	default: return -EINVAL;
	}
	return 0;
}

static int ir_fn(struct machine *m, struct irfn *f, const uint64_t *args, uint64_t *ret)
{
	_cleanup_free_ uint64_t *v = calloc((size_t)f->nvregs + 1, sizeof(*v));
	_cleanup_free_ uint32_t *label = calloc(f->nlabels + 1, sizeof(*label));
	uint32_t n;
	int r;

	for (n = 0; n < f->n; n++) {
		if (f->insns[n].op == IRO_LABEL)
			label[f->insns[n].imm] = n;
	}
	for (n = 0; n < f->n && m->steps++ < INTERP_STEPS; n++) {
		const struct irinsn *i = &f->insns[n];

		switch (i->op) {
		case IRO_JMP: n = label[i->imm]; break;
		case IRO_JCC:
			if (ir_eval_cond(i->sub, (int64_t)v[i->a], (int64_t)v[i->b]))
				n = label[i->imm];
			break;
		case IRO_JCCI:
			if (ir_eval_cond(i->sub, (int64_t)v[i->a], i->off))
				n = label[i->imm];
			break;
		case IRO_RET: return *ret = v[i->a], 0;
		case IRO_RETI: return *ret = (uint64_t)i->imm, 0;
		default:
			r = ir_plain(m, f, i, v, args);
			if (r < 0)
				return r;
		}
	}
	return n == f->n ? -EINVAL : -ELOOP;
}

int interp_ir(struct irprog *p, uint8_t mem[INTERP_MEM], uint64_t *ret)
{
	_cleanup_free_ struct machine *m = calloc(1, sizeof(*m));
	uint64_t arg = (uint64_t)(uintptr_t)mem;

	m->mem = mem;
	return ir_fn(m, p->fns[0], &arg, ret);
}

/* BPF. Registers without a value are tracked: reading one is an error. */
struct cpu {
	struct machine m;
	const struct img_prog *p;
	uint64_t r[11];
	uint32_t known; /* bit per register */
};

static uint64_t rd(struct cpu *c, unsigned reg, int *err)
{
	if (!(c->known >> reg & 1))
		*err = -EINVAL;
	return c->r[reg];
}

static void wr(struct cpu *c, unsigned reg, uint64_t v)
{
	c->r[reg] = v;
	c->known |= 1u << reg;
}

static int bpf_alu(struct cpu *c, const struct bpf_insn *i)
{
	static const uint8_t ops[16] = {
		[BPF_ADD >> 4] = IRA_ADD, [BPF_SUB >> 4] = IRA_SUB, [BPF_MUL >> 4] = IRA_MUL,  [BPF_DIV >> 4] = IRA_DIV,
		[BPF_MOD >> 4] = IRA_MOD, [BPF_AND >> 4] = IRA_AND, [BPF_OR >> 4] = IRA_OR,    [BPF_XOR >> 4] = IRA_XOR,
		[BPF_LSH >> 4] = IRA_SHL, [BPF_RSH >> 4] = IRA_SHR, [BPF_ARSH >> 4] = IRA_SAR, [BPF_NEG >> 4] = IRA_NEG,
	};
	bool wide = BPF_CLASS(i->code) == BPF_ALU64, neg = BPF_OP(i->code) == BPF_NEG;
	uint64_t b = (uint64_t)(int64_t)i->imm, a;
	int err = 0;

	if (BPF_OP(i->code) == BPF_END) {
		wr(c, i->dst_reg, to_be(rd(c, i->dst_reg, &err), (unsigned)i->imm / 8));
		return err;
	}
	if (BPF_SRC(i->code) == BPF_X)
		b = rd(c, i->src_reg, &err);
	if (BPF_OP(i->code) == BPF_MOV) {
		wr(c, i->dst_reg, wide ? b : (uint32_t)b);
		return err;
	}
	if (!wide)
		return -EINVAL;
	a = rd(c, i->dst_reg, &err);
	wr(c, i->dst_reg, (uint64_t)ir_eval(ops[BPF_OP(i->code) >> 4], (int64_t)a, neg ? 0 : (int64_t)b));
	return err;
}

static int bpf_atomic(struct cpu *c, const struct bpf_insn *i, uint8_t *p, unsigned size, int *err)
{
	uint64_t x = get(p, size), s = rd(c, i->src_reg, err);

	if (i->imm == BPF_ADD) {
		x += s;
		memcpy(p, &x, size);
	} else if (i->imm == (BPF_ADD | BPF_FETCH)) {
		uint64_t old = x;

		x += s;
		memcpy(p, &x, size);
		wr(c, i->src_reg, old);
	} else if (i->imm == BPF_CMPXCHG) {
		uint64_t e = rd(c, 0, err);

		if (x == (size == 4 ? (uint32_t)e : e))
			memcpy(p, &s, size);
		wr(c, 0, x);
	} else {
		return -EINVAL;
	}
	return 0;
}

static int bpf_memory(struct cpu *c, const struct bpf_insn *i)
{
	static const uint8_t sizes[] = { [BPF_W >> 3] = 4, [BPF_H >> 3] = 2, [BPF_B >> 3] = 1, [BPF_DW >> 3] = 8 };
	unsigned size = sizes[BPF_SIZE(i->code) >> 3];
	bool load = BPF_CLASS(i->code) == BPF_LDX;
	int err = 0;
	uint64_t base = rd(c, load ? i->src_reg : i->dst_reg, &err), x;
	uint8_t *p = err ? NULL : at(&c->m, base + (uint64_t)(int64_t)i->off, size);

	if (!p)
		return err ? err : -EFAULT;
	if (load) {
		wr(c, i->dst_reg, get(p, size));
	} else if (BPF_MODE(i->code) == BPF_ATOMIC) {
		if (bpf_atomic(c, i, p, size, &err) < 0)
			return -EINVAL;
	} else {
		x = BPF_CLASS(i->code) == BPF_ST ? (uint64_t)(int64_t)i->imm : rd(c, i->src_reg, &err);
		memcpy(p, &x, size);
	}
	return err;
}

static bool bpf_cond(uint8_t op, uint64_t a, uint64_t b)
{
	switch (op) {
	case BPF_JEQ: return a == b;
	case BPF_JNE: return a != b;
	case BPF_JGT: return a > b;
	case BPF_JGE: return a >= b;
	case BPF_JLT: return a < b;
	case BPF_JLE: return a <= b;
	case BPF_JSGT: return (int64_t)a > (int64_t)b;
	case BPF_JSGE: return (int64_t)a >= (int64_t)b;
	case BPF_JSLT: return (int64_t)a < (int64_t)b;
	case BPF_JSLE: return (int64_t)a <= (int64_t)b;
	default: return (a & b) != 0;
	}
}

static int bpf_run(struct cpu *c, uint32_t pc);

static int bpf_call(struct cpu *c, const struct bpf_insn *i, uint32_t pc)
{
	uint64_t saved[4], fp = c->r[10];
	int r = 0, err = 0;

	if (i->src_reg == BPF_PSEUDO_CALL) {
		if (++c->m.depth >= IR_MAX_FRAMES)
			return -ELOOP;
		memcpy(saved, &c->r[6], sizeof(saved));
		c->known &= 0x3e;
		wr(c, 10, (uint64_t)(uintptr_t)(c->m.stack[c->m.depth] + IR_STACK_MAX));
		r = bpf_run(c, pc + 1 + (uint32_t)i->imm);
		c->m.depth--;
		memcpy(&c->r[6], saved, sizeof(saved));
		c->r[10] = fp;
		c->known |= 0x7c0;
	} else {
		/* helper n takes n % 6 arguments in these tests */
		unsigned n = (unsigned)i->imm % 6, k;

		for (k = 1; k <= n; k++)
			rd(c, k, &err);
		c->r[0] = helper(i->imm, &c->r[1], n);
	}
	c->known = (c->known & ~0x3fu) | 1;
	return r ? r : err;
}

static int bpf_run(struct cpu *c, uint32_t pc)
{
	int r = 0;

	while (pc < c->p->ninsns && c->m.steps++ < INTERP_STEPS) {
		const struct bpf_insn *i = &c->p->insns[pc++];

		switch (BPF_CLASS(i->code)) {
		case BPF_ALU:
		case BPF_ALU64: r = bpf_alu(c, i); break;
		case BPF_LDX:
		case BPF_ST:
		case BPF_STX: r = bpf_memory(c, i); break;
		case BPF_LD:
			wr(c, i->dst_reg, (uint32_t)i->imm | (uint64_t)(uint32_t)i[1].imm << 32);
			pc++;
			break;
		case BPF_JMP:
			if (BPF_OP(i->code) == BPF_EXIT)
				return rd(c, 0, &r), r;
			if (BPF_OP(i->code) == BPF_CALL)
				r = bpf_call(c, i, pc - 1);
			else if (BPF_OP(i->code) == BPF_JA ||
				 bpf_cond(BPF_OP(i->code), rd(c, i->dst_reg, &r),
					  BPF_SRC(i->code) == BPF_X ? rd(c, i->src_reg, &r)
								    : (uint64_t)(int64_t)i->imm))
				pc += (uint32_t)(int32_t)i->off;
			break;
		default: return -EINVAL;
		}
		if (r < 0)
			return r;
	}
	return pc < c->p->ninsns ? -ELOOP : -EINVAL;
}

int interp_bpf(const struct img_prog *p, uint8_t mem[INTERP_MEM], uint64_t *ret)
{
	_cleanup_free_ struct cpu *c = calloc(1, sizeof(*c));
	int r;

	c->p = p;
	c->m.mem = mem;
	wr(c, 1, (uint64_t)(uintptr_t)mem);
	wr(c, 10, (uint64_t)(uintptr_t)(c->m.stack[0] + IR_STACK_MAX));
	r = bpf_run(c, 0);
	*ret = c->r[0];
	return r;
}

/* Random programs. */
struct rnd {
	const uint8_t *p, *end;
	struct irfn *f;
	vreg v[64]; /* all have a value everywhere */
	unsigned nv;
	irlabel pending; /* a forward label not placed, or -1 */
	irslot slot;
	struct irfn *callee;
};

static unsigned next(struct rnd *r)
{
	return r->p < r->end ? *r->p++ : 0;
}

static vreg any(struct rnd *r)
{
	return r->v[next(r) % r->nv];
}

static int64_t any_imm(struct rnd *r)
{
	static const int64_t k[] = {
		0,	   1,	      -1,	  8,	     63,	64,	   255,
		INT32_MAX, INT32_MIN, UINT32_MAX, 1ll << 32, INT64_MAX, INT64_MIN, 0x123456789abcdef
	};
	unsigned n = next(r);

	return n < ARRAY_SIZE(k) ? k[n] : (int64_t)(int8_t)n;
}

static void random_memory(struct rnd *r, vreg d, vreg s, unsigned sel)
{
	static const uint8_t sizes[] = { 1, 2, 4, 8 };
	unsigned size = sizes[next(r) % 4], off = next(r) % (INTERP_MEM / 8) * 8;
	vreg base = irfn_arg(r->f, 0), p;

	switch (sel % 9) {
	case 0: ir_load(r->f, d, base, (int32_t)off, size); break;
	case 1: ir_loads(r->f, d, base, (int32_t)off, size); break;
	case 2: ir_store(r->f, base, (int32_t)off, size, s); break;
	case 3: ir_storei(r->f, base, (int32_t)off, size, (int32_t)any_imm(r)); break;
	case 4: ir_atomic_add(r->f, base, (int32_t)off, size < 4 ? 4 : 8, s); break;
	case 5: ir_cmpxchg(r->f, d, base, (int32_t)off, size < 4 ? 4 : 8, any(r), s); break;
	case 6: ir_fetch_add(r->f, d, base, (int32_t)off, size < 4 ? 4 : 8, s); break;
	case 7:
		ir_store_slot(r->f, r->slot, off % 64, 8, s);
		ir_load_slot(r->f, d, r->slot, off % 64, 8);
		break;
	default:
		p = ir_new(r->f);
		ir_slot_addr(r->f, p, r->slot, 8);
		ir_store(r->f, p, 8, 8, s);
		ir_load(r->f, d, p, 8, 8);
	}
}

static void random_jump(struct rnd *r)
{
	if (r->pending >= 0) {
		ir_place(r->f, r->pending);
		r->pending = -1;
		return;
	}
	r->pending = ir_label(r->f);
	if (next(r) & 1)
		ir_jcci(r->f, next(r) % (IRC_SET + 1), any(r), any_imm(r), r->pending);
	else
		ir_jcc(r->f, next(r) % (IRC_SET + 1), any(r), any(r), r->pending);
}

static void random_insn(struct rnd *r)
{
	unsigned op = next(r), sel = next(r);
	vreg d = any(r), a = any(r), b = any(r);
	static const uint8_t sizes[] = { 1, 2, 4, 8 };

	if (sel % 7 == 0)
		ir_cold(r->f, sel % 3 == 0);
	switch (op % 12) {
	case 0: ir_alu(r->f, sel % (IRA_NEG + 1), d, a, b); break;
	case 1: ir_alui(r->f, sel % (IRA_NEG + 1), d, a, any_imm(r)); break;
	case 2: ir_mov(r->f, d, a); break;
	case 3: ir_movi(r->f, d, (uint64_t)any_imm(r)); break;
	case 4: ir_ext(r->f, d, a, sizes[sel % 4], sel & 8); break;
	case 5: ir_bswap(r->f, d, a, sizes[sel % 4]); break;
	case 6:
		ir_call(r->f, d, (int)sel % 36 + 1, (sel % 36 + 1) % 6, (vreg[]){ any(r), a, b, any(r), any(r) });
		break;
	case 7:
		if (r->callee)
			ir_call_fn(r->f, d, r->callee, IR_ARGS(a, b, any(r)));
		else
			ir_alu(r->f, IRA_MUL, d, a, b);
		break;
	case 8:
	case 9: random_jump(r); break;
	case 10:
		if (r->callee) {
			random_memory(r, d, a, sel);
			break;
		}
		/* fallthrough */
	default: /* a new register, assigned once */
		if (r->nv < ARRAY_SIZE(r->v) && r->pending < 0) {
			vreg n = ir_new(r->f);

			if (sel & 1)
				ir_alu(r->f, IRA_ADD, n, a, b);
			else
				ir_movi(r->f, n, sel);
			r->v[r->nv++] = n;
		}
	}
}

static void random_fn(struct rnd *r, unsigned want)
{
	unsigned k;
	vreg sum;

	r->slot = ir_slot(r->f, 72);
	for (k = 0; k < 72; k += 8)
		ir_storei_slot(r->f, r->slot, (int32_t)k, 8, 0);
	for (k = 0; k < want && r->p < r->end; k++)
		random_insn(r);
	ir_cold(r->f, false);
	if (r->pending >= 0)
		ir_place(r->f, r->pending);
	sum = ir_imm(r->f, 0);
	for (k = 0; k < r->nv; k++) {
		ir_alui(r->f, IRA_MUL, sum, sum, 31);
		ir_alu(r->f, IRA_ADD, sum, sum, r->v[k]);
	}
	ir_ret(r->f, sum);
}

struct irprog *interp_random(struct arena *a, const uint8_t *data, size_t len)
{
	struct irprog *p = irprog_new(a);
	struct rnd m = { .f = irfn_new(p, "main", 1), .p = data, .end = data + len, .pending = -1 };
	struct rnd s = { .f = irfn_new(p, "sub", 3), .p = data, .end = data + len / 4, .pending = -1 };
	unsigned k;

	for (k = 0; k < 3; k++)
		s.v[s.nv++] = irfn_arg(s.f, k);
	random_fn(&s, 40);
	m.p = s.p;
	m.callee = s.f;
	m.nv = next(&m) % 24 + 2;
	for (k = 0; k < m.nv; k++)
		m.v[k] = ir_imm(m.f, k * 0x1234567u);
	random_fn(&m, UINT32_MAX);
	return p;
}
