/* SPDX-License-Identifier: Apache-2.0 */
/* Simplifies a function before register allocation: copies and constants are folded into their uses,
 * jumps to jumps shortened, code without effect removed. Works on registers with a single assignment
 * (most of them); a single assignment dominates its uses, by the rules of ir.h. */
#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include "cg/ir/int.h"
#include "cg/ir/opt.h"

struct opt {
	struct irfn *f;
	struct arena *tmp;
	uint32_t *ndefs; /* by vreg */
	uint32_t *def;	 /* by vreg: index of an instruction that defines it */
	uint32_t *label; /* by label: index + 1 of its place; 0: not placed */
};

/* The only definition of v, or NULL. */
static struct irinsn *single_def(struct opt *o, vreg v)
{
	return v >= 0 && o->ndefs[v] == 1 ? &o->f->insns[o->def[v]] : NULL;
}

static bool const_of(struct opt *o, vreg v, int64_t *ret)
{
	struct irinsn *d = single_def(o, v);

	if (!d || d->op != IRO_MOVI)
		return false;
	*ret = d->imm;
	return true;
}

static vreg copy_source(struct opt *o, vreg v)
{
	struct irinsn *d;

	while ((d = single_def(o, v)) && d->op == IRO_MOV && single_def(o, d->a))
		v = d->a;
	return v;
}

static void find_defs(struct opt *o)
{
	struct irfn *f = o->f;
	uint32_t i;

	o->ndefs = arena_calloc(o->tmp, (size_t)f->nvregs + 1, sizeof(*o->ndefs));
	o->def = arena_calloc(o->tmp, (size_t)f->nvregs + 1, sizeof(*o->def));
	o->label = arena_calloc(o->tmp, f->nlabels + 1, sizeof(*o->label));
	for (i = 0; i < f->n; i++) {
		struct irinsn *in = &f->insns[i];

		if ((ir_op_flags[in->op] & IRF_DEF) && in->d >= 0) {
			o->ndefs[in->d]++;
			o->def[in->d] = i;
		}
		if (in->op != IRO_LABEL)
			continue;
		if (o->label[in->imm])
			irprog_fail(f->prog, -EINVAL, "%s: label placed twice", f->name);
		o->label[in->imm] = i + 1;
	}
}

int64_t ir_eval(enum ir_alu op, int64_t sa, int64_t sb)
{
	uint64_t a = (uint64_t)sa, b = (uint64_t)sb;

	switch (op) {
	case IRA_ADD: return (int64_t)(a + b);
	case IRA_SUB: return (int64_t)(a - b);
	case IRA_MUL: return (int64_t)(a * b);
	case IRA_DIV: return (int64_t)(b ? a / b : 0);
	case IRA_MOD: return (int64_t)(b ? a % b : a);
	case IRA_AND: return (int64_t)(a & b);
	case IRA_OR: return (int64_t)(a | b);
	case IRA_XOR: return (int64_t)(a ^ b);
	case IRA_SHL: return (int64_t)(a << (b & 63));
	case IRA_SHR: return (int64_t)(a >> (b & 63));
	case IRA_SAR: return sa >> (b & 63);
	case IRA_NEG: return (int64_t)(0 - a);
	}
	return 0;
}

bool ir_eval_cond(enum ir_cond c, int64_t sa, int64_t sb)
{
	uint64_t a = (uint64_t)sa, b = (uint64_t)sb;

	switch (c) {
	case IRC_EQ: return a == b;
	case IRC_NE: return a != b;
	case IRC_GT: return a > b;
	case IRC_GE: return a >= b;
	case IRC_LT: return a < b;
	case IRC_LE: return a <= b;
	case IRC_SGT: return sa > sb;
	case IRC_SGE: return sa >= sb;
	case IRC_SLT: return sa < sb;
	case IRC_SLE: return sa <= sb;
	case IRC_SET: return (a & b) != 0;
	}
	return false;
}

static enum ir_cond swapped(enum ir_cond c)
{
	static const uint8_t swap[] = {
		[IRC_EQ] = IRC_EQ,   [IRC_NE] = IRC_NE,	  [IRC_GT] = IRC_LT,   [IRC_GE] = IRC_LE,
		[IRC_LT] = IRC_GT,   [IRC_LE] = IRC_GE,	  [IRC_SGT] = IRC_SLT, [IRC_SGE] = IRC_SLE,
		[IRC_SLT] = IRC_SGT, [IRC_SLE] = IRC_SGE, [IRC_SET] = IRC_SET,
	};

	return swap[c];
}

static bool commutes(enum ir_alu op)
{
	return op == IRA_ADD || op == IRA_MUL || op == IRA_AND || op == IRA_OR || op == IRA_XOR;
}

static bool fits32(int64_t v)
{
	return v == (int32_t)v;
}

/* Operations with the constant that do nothing, or that BPF has no immediate form for. */
static void fold_alui(struct opt *o, struct irinsn *i)
{
	struct irinsn *d;
	int64_t k;

	if (i->sub == IRA_SHL || i->sub == IRA_SHR || i->sub == IRA_SAR)
		i->imm &= 63;
	if (const_of(o, i->a, &k)) {
		*i = (struct irinsn){ .op = IRO_MOVI,
				      .d = i->d,
				      .a = VREG_NONE,
				      .b = VREG_NONE,
				      .c = VREG_NONE,
				      .mark = i->mark,
				      .imm = ir_eval(i->sub, k, i->imm) };
		return;
	}
	d = single_def(o, i->a);
	if (d && d->op == IRO_FPADDR && i->sub == IRA_ADD && fits32(d->off + i->imm) && d->off + i->imm <= 0 &&
	    d->off + i->imm >= -IR_STACK_MAX) {
		i->op = IRO_FPADDR;
		i->off = (int32_t)(d->off + i->imm);
		i->a = VREG_NONE;
		return;
	}
	/* (x + k1) + k2: one addition */
	if (d && d->op == IRO_ALUI && d->sub == IRA_ADD && i->sub == IRA_ADD && single_def(o, d->a) && fits32(d->imm) &&
	    fits32(i->imm) && fits32(d->imm + i->imm)) {
		i->a = d->a;
		i->imm += d->imm;
	}
	if ((i->sub == IRA_DIV || i->sub == IRA_MOD) && i->imm == 0) {
		i->op = i->sub == IRA_DIV ? IRO_MOVI : IRO_MOV;
		return;
	}
	if (i->imm > 1 && !(i->imm & (i->imm - 1)) && (i->sub == IRA_DIV || i->sub == IRA_MUL)) {
		i->sub = i->sub == IRA_DIV ? IRA_SHR : IRA_SHL;
		i->imm = __builtin_ctzll((uint64_t)i->imm);
		return;
	}
	if (i->imm == 0 && i->sub != IRA_MUL && i->sub != IRA_AND && i->sub != IRA_NEG)
		i->op = IRO_MOV;
	if (i->imm == 1 && (i->sub == IRA_MUL || i->sub == IRA_DIV))
		i->op = IRO_MOV;
}

static void fold_alu(struct opt *o, struct irinsn *i)
{
	int64_t k;

	if (commutes(i->sub) && const_of(o, i->a, &k) && !const_of(o, i->b, &k)) {
		vreg t = i->a;

		i->a = i->b;
		i->b = t;
	}
	if (!const_of(o, i->b, &k))
		return;
	i->op = IRO_ALUI;
	i->b = VREG_NONE;
	i->imm = k;
	fold_alui(o, i);
}

/* base register p with p = q + k: uses q and the offset. */
static void fold_base(struct opt *o, struct irinsn *i)
{
	struct irinsn *d = single_def(o, i->a);

	if (d && d->op == IRO_FPADDR && i->op != IRO_XADD && i->op != IRO_CMPXCHG && i->op != IRO_FETCHADD) {
		i->a = IR_FP;
		i->off += d->off;
	} else if (d && d->op == IRO_ALUI && d->sub == IRA_ADD && single_def(o, d->a) && fits32(d->imm) &&
		   i->off + d->imm == (int16_t)(i->off + d->imm)) {
		i->a = d->a;
		i->off += (int32_t)d->imm;
	}
}

static void fold_store(struct opt *o, struct irinsn *i)
{
	int64_t k;

	if (!const_of(o, i->b, &k))
		return;
	if (i->size < 4)
		k &= (1 << 8 * i->size) - 1;
	else if (i->size == 4)
		k = (int32_t)k;
	if (!fits32(k))
		return;
	i->op = IRO_STOREI;
	i->b = VREG_NONE;
	i->imm = k;
}

/* The single definition of v if it is this operation with this constant. */
static const struct irinsn *alui_of(struct opt *o, vreg v, enum ir_alu op, int64_t imm)
{
	const struct irinsn *d = single_def(o, v);

	return d && d->op == IRO_ALUI && d->sub == op && d->imm == imm && single_def(o, d->a) ? d : NULL;
}

/* A byte that was made 0 or 1, ((x & 255) + 255) >> 8, is 0 when it was before. */
static vreg before_bool(struct opt *o, vreg v)
{
	const struct irinsn *shr = alui_of(o, v, IRA_SHR, 8), *add = shr ? alui_of(o, shr->a, IRA_ADD, 255) : NULL;

	return add && alui_of(o, add->a, IRA_AND, 255) ? add->a : v;
}

static void fold_jump(struct opt *o, struct irinsn *i)
{
	int64_t k;

	if (i->op == IRO_JCCI && i->off == 0 && (i->sub == IRC_EQ || i->sub == IRC_NE))
		i->a = before_bool(o, i->a);
	if (i->op == IRO_JCC && const_of(o, i->a, &k) && !const_of(o, i->b, &k)) {
		vreg t = i->a;

		i->a = i->b;
		i->b = t;
		i->sub = swapped(i->sub);
	}
	if (i->op == IRO_JCC && const_of(o, i->b, &k) && fits32(k)) {
		i->op = IRO_JCCI;
		i->b = VREG_NONE;
		i->off = (int32_t)k;
	}
	if (i->op == IRO_JCCI && const_of(o, i->a, &k)) {
		i->op = ir_eval_cond(i->sub, k, i->off) ? IRO_JMP : IRO_NOP;
		i->a = VREG_NONE;
	}
}

static void fold_insn(struct opt *o, struct irinsn *i)
{
	const struct irinsn *d;
	int64_t k;

	switch (i->op) {
	case IRO_MOV:
		d = single_def(o, i->a);
		if (d && (ir_op_flags[d->op] & IRF_CONST)) {
			i->op = d->op;
			i->imm = d->imm;
			i->off = d->off;
			i->a = VREG_NONE;
		}
		break;
	case IRO_ZEXT32:
		if (const_of(o, i->a, &k)) {
			i->op = IRO_MOVI;
			i->imm = (uint32_t)k;
			i->a = VREG_NONE;
		}
		break;
	case IRO_ALU: fold_alu(o, i); break;
	case IRO_ALUI: fold_alui(o, i); break;
	case IRO_STORE:
		fold_store(o, i);
		fold_base(o, i);
		break;
	case IRO_LOAD:
	case IRO_STOREI:
	case IRO_XADD:
	case IRO_FETCHADD:
	case IRO_CMPXCHG: fold_base(o, i); break;
	case IRO_JCC:
	case IRO_JCCI: fold_jump(o, i); break;
	case IRO_RET:
		if (const_of(o, i->a, &k) && fits32(k)) {
			i->op = IRO_RETI;
			i->imm = k;
			i->a = VREG_NONE;
		}
		break;
	}
}

static void fold(struct opt *o)
{
	struct irfn *f = o->f;
	uint32_t n, k;

	for (n = 0; n < f->n; n++) {
		struct irinsn *i = &f->insns[n];
		uint16_t fl = ir_op_flags[i->op];

		if (fl & IRF_USE_A)
			i->a = copy_source(o, i->a);
		if (fl & IRF_USE_B)
			i->b = copy_source(o, i->b);
		if (fl & IRF_USE_C)
			i->c = copy_source(o, i->c);
		for (k = 0; (fl & IRF_ARGS) && k < i->nargs; k++)
			f->args[(uint32_t)i->off + k] = copy_source(o, f->args[(uint32_t)i->off + k]);
		fold_insn(o, i);
	}
}

/* The label where a jump to l ends up, jumps after labels followed. */
static int64_t final_label(struct opt *o, int64_t l)
{
	const struct irfn *f = o->f;
	int hops;

	for (hops = 0; hops < 8; hops++) {
		uint32_t n = o->label[l];

		while (n && n < f->n && (f->insns[n].op == IRO_LABEL || f->insns[n].op == IRO_NOP))
			n++;
		if (!n || n >= f->n || f->insns[n].op != IRO_JMP)
			break;
		l = f->insns[n].imm;
	}
	return l;
}

/* Goes over everything that can be reached; what cannot becomes a NOP. */
static void remove_unreachable(struct opt *o)
{
	struct irfn *f = o->f;
	bool *seen = arena_calloc(o->tmp, f->n + 1, 1);
	uint32_t *todo = arena_calloc(o->tmp, f->nlabels + 1, sizeof(*todo));
	uint32_t ntodo = 0, n;

	todo[ntodo++] = 0;
	while (ntodo) {
		for (n = todo[--ntodo]; n < f->n && !seen[n]; n++) {
			struct irinsn *i = &f->insns[n];

			seen[n] = true;
			if (ir_op_flags[i->op] & IRF_JUMP) {
				uint32_t to;

				i->imm = final_label(o, i->imm);
				to = o->label[i->imm];
				if (!to)
					irprog_fail(f->prog, -EINVAL,
						    "%s: jump to a label that "
						    "is not placed",
						    f->name);
				else if (!seen[to - 1]) {
					/* each label goes in once: its place is seen from now on */
					seen[to - 1] = true;
					todo[ntodo++] = to;
				}
			}
			if (ir_op_flags[i->op] & IRF_END)
				break;
		}
		if (n == f->n)
			irprog_fail(f->prog, -EINVAL, "%s: control reaches the end", f->name);
	}
	for (n = 0; n < f->n; n++) {
		if (!seen[n])
			f->insns[n].op = IRO_NOP;
	}
}

/* The next instruction that is no NOP, or n. */
static uint32_t next_insn(const struct irfn *f, uint32_t n)
{
	do
		n++;
	while (n < f->n && f->insns[n].op == IRO_NOP);
	return n;
}

enum ir_cond ir_inverse(enum ir_cond c)
{
	static const uint8_t inverse[] = {
		[IRC_EQ] = IRC_NE, [IRC_NE] = IRC_EQ,	[IRC_GT] = IRC_LE,   [IRC_LE] = IRC_GT,	  [IRC_GE] = IRC_LT,
		[IRC_LT] = IRC_GE, [IRC_SGT] = IRC_SLE, [IRC_SLE] = IRC_SGT, [IRC_SGE] = IRC_SLT, [IRC_SLT] = IRC_SGE,
	};

	return inverse[c];
}

/* "if c goto a; goto b; a:" becomes "if !c goto b; a:". */
static void invert_jumps(struct irfn *f)
{
	uint32_t n, j, l;

	for (n = 0; n < f->n; n++) {
		struct irinsn *i = &f->insns[n];

		if ((i->op != IRO_JCC && i->op != IRO_JCCI) || i->sub == IRC_SET)
			continue;
		j = next_insn(f, n);
		if (j >= f->n || f->insns[j].op != IRO_JMP)
			continue;
		for (l = next_insn(f, j); l < f->n && f->insns[l].op == IRO_LABEL; l = next_insn(f, l)) {
			if (f->insns[l].imm != i->imm)
				continue;
			i->sub = ir_inverse(i->sub);
			i->imm = f->insns[j].imm;
			f->insns[j].op = IRO_NOP;
			break;
		}
	}
}

/* Jumps to the next instruction, and labels that nobody jumps to. */
static void remove_empty_jumps(struct opt *o)
{
	struct irfn *f = o->f;
	uint32_t *refs = arena_calloc(o->tmp, f->nlabels + 1, sizeof(*refs));
	uint32_t n, k;

	for (n = 0; n < f->n; n++) {
		struct irinsn *i = &f->insns[n];

		if (!(ir_op_flags[i->op] & IRF_JUMP))
			continue;
		for (k = n + 1; k < f->n; k++) {
			if (f->insns[k].op == IRO_LABEL && f->insns[k].imm == i->imm) {
				i->op = IRO_NOP;
				break;
			}
			if (f->insns[k].op != IRO_LABEL && f->insns[k].op != IRO_NOP)
				break;
		}
		if (i->op != IRO_NOP)
			refs[i->imm]++;
	}
	for (n = 0; n < f->n; n++) {
		if (f->insns[n].op == IRO_LABEL && !refs[f->insns[n].imm])
			f->insns[n].op = IRO_NOP;
	}
}

/* Helpers that do nothing but return a value. */
static bool pure_helper(int64_t id)
{
	switch (id) {
	case BPF_FUNC_ktime_get_ns:
	case BPF_FUNC_ktime_get_boot_ns:
	case BPF_FUNC_ktime_get_coarse_ns:
	case BPF_FUNC_get_prandom_u32:
	case BPF_FUNC_get_smp_processor_id:
	case BPF_FUNC_get_numa_node_id:
	case BPF_FUNC_get_current_pid_tgid:
	case BPF_FUNC_get_current_uid_gid:
	case BPF_FUNC_get_current_task:
	case BPF_FUNC_get_current_task_btf:
	case BPF_FUNC_get_current_cgroup_id:
	case BPF_FUNC_map_lookup_elem: return true;
	}
	return false;
}

static void count_uses(struct irfn *f, uint32_t *uses, const struct irinsn *i, int by)
{
	vreg u[8];
	unsigned n = ir_uses(f, i, u);

	while (n)
		uses[u[--n]] += (uint32_t)by;
}

static void remove_unused(struct opt *o)
{
	struct irfn *f = o->f;
	uint32_t *uses = arena_calloc(o->tmp, (size_t)f->nvregs + 1, sizeof(*uses));
	uint32_t n;

	for (n = 0; n < f->n; n++)
		count_uses(f, uses, &f->insns[n], 1);
	for (n = f->n; n-- > 0;) {
		struct irinsn *i = &f->insns[n];
		bool pure = (ir_op_flags[i->op] & IRF_PURE) || (i->op == IRO_CALL && pure_helper(i->imm));

		if (!(ir_op_flags[i->op] & IRF_DEF) || (i->d >= 0 && uses[i->d]))
			continue;
		if (pure) {
			count_uses(f, uses, i, -1);
			i->op = IRO_NOP;
		} else if (i->op != IRO_CMPXCHG && i->op != IRO_FETCHADD) {
			i->d = VREG_NONE;
		}
	}
}

void ir_opt(struct irfn *f, struct arena *tmp)
{
	struct opt o = { .f = f, .tmp = tmp };

	ir_rename(f, tmp);
	find_defs(&o);
	if (f->prog->err)
		return;
	fold(&o);
	remove_unreachable(&o);
	if (f->prog->err)
		return;
	remove_unused(&o);
	invert_jumps(f);
	remove_empty_jumps(&o);
	ir_two_address(f, tmp, o.ndefs, o.def);
}
