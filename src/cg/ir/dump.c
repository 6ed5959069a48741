/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the intermediate representation as it is before ir_finish(). */
#include "cg/ir/ir.h"
#include "cg/ir/int.h"

const char *const ir_op_names[] = {
#define IROP(id, flags) [IRO_##id] = #id,
#include "cg/ir/irop.def"
#undef IROP
};

static const char *const alu_names[] = {
	[IRA_ADD] = "+", [IRA_SUB] = "-", [IRA_MUL] = "*",  [IRA_DIV] = "/",  [IRA_MOD] = "%",	 [IRA_AND] = "&",
	[IRA_OR] = "|",	 [IRA_XOR] = "^", [IRA_SHL] = "<<", [IRA_SHR] = ">>", [IRA_SAR] = "s>>", [IRA_NEG] = "neg",
};

static const char *const cond_names[] = {
	[IRC_EQ] = "==",  [IRC_NE] = "!=",   [IRC_GT] = ">",   [IRC_GE] = ">=",	  [IRC_LT] = "<",  [IRC_LE] = "<=",
	[IRC_SGT] = "s>", [IRC_SGE] = "s>=", [IRC_SLT] = "s<", [IRC_SLE] = "s<=", [IRC_SET] = "&",
};

static void put_base(struct strb *out, const struct irinsn *i)
{
	if (i->a == IR_FP)
		strb_printf(out, "*(u%u *)(fp %+d)", 8u * i->size, i->off);
	else
		strb_printf(out, "*(u%u *)(v%d %+d)", 8u * i->size, i->a, i->off);
}

static void put_call(struct strb *out, const struct irprog *p, const struct irfn *f, const struct irinsn *i)
{
	unsigned k;

	if (i->d >= 0)
		strb_printf(out, "v%d = ", i->d);
	if (i->op == IRO_CALLFN)
		strb_printf(out, "%s(", p->fns[i->imm]->name);
	else
		strb_printf(out, "%s %d(", i->imm & IR_KERNEL ? "kernel" : "helper", (int)i->imm);
	for (k = 0; k < i->nargs; k++)
		strb_printf(out, "%sv%d", k ? ", " : "", f->args[(uint32_t)i->off + k]);
	strb_adds(out, ")");
}

/* Memory is changed, and its old value taken. */
static void put_exchange(struct strb *out, const struct irinsn *i)
{
	bool add = i->op == IRO_FETCHADD;

	strb_printf(out, "v%d = %s ", i->d, add ? "fetch_add" : "cmpxchg");
	put_base(out, i);
	strb_printf(out, ", v%d", i->b);
	if (!add)
		strb_printf(out, ", v%d", i->c);
}

static void put_insn(struct strb *out, const struct irprog *p, const struct irfn *f, const struct irinsn *i)
{
	switch (i->op) {
	case IRO_MOVI: strb_printf(out, "v%d = %lld", i->d, (long long)i->imm); break;
	case IRO_FPADDR: strb_printf(out, "v%d = fp %+d", i->d, i->off); break;
	case IRO_MAP: strb_printf(out, "v%d = map %d", i->d, (int)i->imm); break;
	case IRO_MAPVAL: strb_printf(out, "v%d = value of map %d + %d", i->d, (int)i->imm, i->off); break;
	case IRO_FNADDR: strb_printf(out, "v%d = &%s", i->d, p->fns[i->imm]->name); break;
	case IRO_LABELPC: strb_printf(out, "v%d = %d, pc of jump to L%d", i->d, i->off, (int)i->imm); break;
	case IRO_ARG: strb_printf(out, "v%d = arg%d", i->d, (int)i->imm); break;
	case IRO_MOV: strb_printf(out, "v%d = v%d", i->d, i->a); break;
	case IRO_ZEXT32: strb_printf(out, "v%d = (u32)v%d", i->d, i->a); break;
	case IRO_BSWAP: strb_printf(out, "v%d = be%u v%d", i->d, 8u * i->size, i->a); break;
	case IRO_ALU: strb_printf(out, "v%d = v%d %s v%d", i->d, i->a, alu_names[i->sub], i->b); break;
	case IRO_ALUI: strb_printf(out, "v%d = v%d %s %lld", i->d, i->a, alu_names[i->sub], (long long)i->imm); break;
	case IRO_LOAD:
		strb_printf(out, "v%d = ", i->d);
		put_base(out, i);
		break;
	case IRO_STORE:
	case IRO_XADD:
		put_base(out, i);
		strb_printf(out, " %s v%d", i->op == IRO_XADD ? "lock +=" : "=", i->b);
		break;
	case IRO_STOREI:
		put_base(out, i);
		strb_printf(out, " = %d", (int)i->imm);
		break;
	case IRO_CMPXCHG:
	case IRO_FETCHADD: put_exchange(out, i); break;
	case IRO_JMP: strb_printf(out, "goto L%d", (int)i->imm); break;
	case IRO_MAYGO: strb_printf(out, "may_goto L%d", (int)i->imm); break;
	case IRO_JCC: strb_printf(out, "if v%d %s v%d goto L%d", i->a, cond_names[i->sub], i->b, (int)i->imm); break;
	case IRO_JCCI: strb_printf(out, "if v%d %s %d goto L%d", i->a, cond_names[i->sub], i->off, (int)i->imm); break;
	case IRO_RET: strb_printf(out, "return v%d", i->a); break;
	case IRO_RETI: strb_printf(out, "return %d", (int)i->imm); break;
	case IRO_CALL:
	case IRO_CALLFN: put_call(out, p, f, i); break;
	default: strb_adds(out, ir_op_names[i->op]);
	}
}

static void dump_fn(struct strb *out, const struct irprog *p, const struct irfn *f)
{
	uint32_t n, k, mark = 0;

	strb_printf(out, "%s(%u):\n", f->name, f->nargs);
	for (n = 0; n < f->n; n++) {
		const struct irinsn *i = &f->insns[n];

		for (k = mark + 1; k <= i->mark; k++) {
			if (f->marks[k].text)
				strb_printf(out, "\t; %s\n", f->marks[k].text);
		}
		mark = i->mark;
		if (i->op == IRO_LABEL) {
			strb_printf(out, "L%d:\n", (int)i->imm);
			continue;
		}
		strb_addc(out, '\t');
		put_insn(out, p, f, i);
		strb_addc(out, '\n');
	}
}

void ir_dump(struct strb *out, const struct irprog *p)
{
	uint32_t k;

	for (k = 0; k < p->nfns; k++)
		dump_fn(out, p, p->fns[k]);
}
