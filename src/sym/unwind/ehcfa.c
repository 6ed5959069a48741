/* SPDX-License-Identifier: Apache-2.0 */
/* Runs programs of call frame information: once for each function, they give the rule for each address. Follows
 * only what unwinding of stacks needs: the CFA, the frame pointer, a third register and the return address.
 * Source: DWARF 5, chapter 6.4.2 and 7.24. */
#include <string.h>
#include "sym/unwind/eh_int.h"

enum {
	CFA_ADVANCE = 0x40,
	CFA_OFFSET = 0x80,
	CFA_RESTORE = 0xc0,
	CFA_LOW = 0x3f,
	CFA_NOP = 0,
	CFA_SET_LOC,
	CFA_ADVANCE1,
	CFA_ADVANCE2,
	CFA_ADVANCE4,
	CFA_OFFSET_EXTENDED,
	CFA_RESTORE_EXTENDED,
	CFA_UNDEFINED,
	CFA_SAME,
	CFA_REGISTER,
	CFA_REMEMBER,
	CFA_RESTORE_STATE,
	CFA_DEF_CFA,
	CFA_DEF_REGISTER,
	CFA_DEF_OFFSET,
	CFA_DEF_EXPRESSION,
	CFA_EXPRESSION,
	CFA_OFFSET_SF,
	CFA_DEF_CFA_SF,
	CFA_DEF_OFFSET_SF,
	CFA_VAL_OFFSET,
	CFA_VAL_OFFSET_SF,
	CFA_VAL_EXPRESSION,
	CFA_AARCH64_NEGATE_RA = 0x2d,
	CFA_GNU_ARGS_SIZE = 0x2e,
	CFA_GNU_NEGATIVE_OFFSET = 0x2f,
};
/* Operations of expressions that are known. */
enum {
	OP_DEREF = 0x06,
	OP_AND = 0x1a,
	OP_PLUS = 0x22,
	OP_PLUS_UCONST = 0x23,
	OP_SHL = 0x24,
	OP_GE = 0x2a,
	OP_LIT0 = 0x30,
	OP_LIT31 = 0x4f,
	OP_BREG0 = 0x70,
	OP_BREG31 = 0x8f,
};

struct run {
	const struct ehsec *s;
	const struct ehcie *cie; /* NULL: this is its own program */
	uint64_t code_align;
	int64_t data_align;
	struct ehstate *st;
	struct ehstate saved[EH_MAX_STATES];
	unsigned nsaved;
	bool lost; /* something that cannot be understood */
};

/* A register plus a constant: "breg7 +160". */
static bool read_breg(struct ehbuf *b, uint64_t *reg, int64_t *off)
{
	uint8_t op = (uint8_t)eh_fixed(b, 1);

	if (b->bad || op < OP_BREG0 || op > OP_BREG31)
		return false;
	*reg = op - OP_BREG0;
	*off = eh_sleb(b);
	return !b->bad;
}

/* The linker's expression for procedure linkage tables: sp + 8 + ((pc & 15) >= N ? 8 : 0). */
static bool is_plt(const struct eharch *a, const uint8_t *p, size_t n, int64_t *ret)
{
	static const uint8_t text[] = { 0, 8, 0, 0, OP_LIT0 + 15, OP_AND, 0, OP_GE, OP_LIT0 + 3, OP_SHL, OP_PLUS };

	if (n != sizeof(text) || p[0] != OP_BREG0 + a->sp || p[2] != OP_BREG0 + a->ra || p[6] < OP_LIT0 ||
	    p[6] > OP_LIT0 + 15)
		return false;
	for (size_t i = 1; i < n; i++)
		if (i != 2 && i != 6 && p[i] != text[i])
			return false;
	*ret = p[6] - OP_LIT0;
	return true;
}

static void set_cfa_expr(struct run *r, struct ehbuf e)
{
	struct ehstate *st = r->st;
	size_t n = (size_t)(e.end - e.p);

	st->cfa = EHC_OTHER;
	if (is_plt(r->s->arch, e.p, n, &st->off))
		st->cfa = EHC_PLT;
	else if (read_breg(&e, &st->reg, &st->off) && eh_fixed(&e, 1) == OP_DEREF)
		st->cfa = e.p == e.end								  ? EHC_DEREF
			  : eh_fixed(&e, 1) == OP_PLUS_UCONST && eh_uleb(&e) == 8 && e.p == e.end ? EHC_DEREF_8
												  : EHC_OTHER;
}

/* The place of a register's value in memory. */
static struct ehreg reg_expr(const struct run *r, struct ehbuf e)
{
	uint64_t reg;
	int64_t off;

	if (read_breg(&e, &reg, &off) && e.p == e.end && reg == r->s->arch->fp)
		return (struct ehreg){ EHR_AT_FP, off };
	return (struct ehreg){ EHR_OTHER, 0 };
}

static struct ehbuf read_block(struct ehbuf *b)
{
	uint64_t len = eh_uleb(b);
	struct ehbuf e = { b->p, b->p, false };

	eh_skip(b, len);
	e.end = b->p;
	return e;
}

static void set_reg(struct run *r, uint64_t reg, struct ehreg v)
{
	const struct eharch *a = r->s->arch;

	if (reg == a->fp)
		r->st->fp = v;
	if (reg == a->third)
		r->st->third = v;
	if (reg == a->ra)
		r->st->ra = v;
}

static void restore_reg(struct run *r, uint64_t reg)
{
	const struct eharch *a = r->s->arch;

	if (!r->cie)
		return;
	if (reg == a->fp)
		r->st->fp = r->cie->init.fp;
	if (reg == a->third)
		r->st->third = r->cie->init.third;
	if (reg == a->ra)
		r->st->ra = r->cie->init.ra;
}

static void def_cfa(struct run *r, uint64_t reg, int64_t off)
{
	r->st->cfa = EHC_REG;
	r->st->reg = reg;
	r->st->off = off;
}

/* Changes of one half of the CFA need the other. */
static void change_cfa(struct run *r, bool reg, uint64_t v)
{
	if (r->st->cfa != EHC_REG)
		r->lost = true;
	else if (reg)
		r->st->reg = v;
	else
		r->st->off = (int64_t)v;
}

static int64_t scaled(const struct run *r, uint64_t v)
{
	return (int64_t)(v * (uint64_t)r->data_align);
}

static void state_stack(struct run *r, bool push)
{
	if (push && r->nsaved < EH_MAX_STATES)
		r->saved[r->nsaved++] = *r->st;
	else if (!push && r->nsaved)
		*r->st = r->saved[--r->nsaved];
	else
		r->lost = true;
}

/* Instructions that say where a register is. False: it is another kind of instruction. */
static bool reg_insn(struct run *r, uint8_t op, struct ehbuf *b)
{
	uint64_t reg;

	switch (op) {
	case CFA_OFFSET_EXTENDED:
		reg = eh_uleb(b);
		set_reg(r, reg, (struct ehreg){ EHR_OFF, scaled(r, eh_uleb(b)) });
		return true;
	case CFA_OFFSET_SF:
		reg = eh_uleb(b);
		set_reg(r, reg, (struct ehreg){ EHR_OFF, scaled(r, (uint64_t)eh_sleb(b)) });
		return true;
	case CFA_GNU_NEGATIVE_OFFSET:
		reg = eh_uleb(b);
		set_reg(r, reg, (struct ehreg){ EHR_OFF, -scaled(r, eh_uleb(b)) });
		return true;
	case CFA_RESTORE_EXTENDED: restore_reg(r, eh_uleb(b)); return true;
	case CFA_UNDEFINED: set_reg(r, eh_uleb(b), (struct ehreg){ EHR_UNDEF, 0 }); return true;
	case CFA_SAME: set_reg(r, eh_uleb(b), (struct ehreg){ EHR_SAME, 0 }); return true;
	case CFA_EXPRESSION:
		reg = eh_uleb(b);
		set_reg(r, reg, reg_expr(r, read_block(b)));
		return true;
	case CFA_VAL_EXPRESSION:
		reg = eh_uleb(b);
		read_block(b);
		set_reg(r, reg, (struct ehreg){ EHR_OTHER, 0 });
		return true;
	case CFA_REGISTER:
		reg = eh_uleb(b);
		set_reg(r, reg, (struct ehreg){ EHR_REG, (int64_t)eh_uleb(b) });
		return true;
	case CFA_VAL_OFFSET:
	case CFA_VAL_OFFSET_SF:
		reg = eh_uleb(b);
		eh_uleb(b);
		set_reg(r, reg, (struct ehreg){ EHR_OTHER, 0 });
		return true;
	default: return false;
	}
}

/* Instructions about the CFA and the rest. */
static void cfa_insn(struct run *r, uint8_t op, struct ehbuf *b)
{
	uint64_t reg;

	switch (op) {
	case CFA_NOP:
	case CFA_AARCH64_NEGATE_RA: /* the symboliser gets signed addresses then */ break;
	case CFA_REMEMBER:
	case CFA_RESTORE_STATE: state_stack(r, op == CFA_REMEMBER); break;
	case CFA_DEF_CFA:
		reg = eh_uleb(b);
		def_cfa(r, reg, (int64_t)eh_uleb(b));
		break;
	case CFA_DEF_CFA_SF:
		reg = eh_uleb(b);
		def_cfa(r, reg, scaled(r, (uint64_t)eh_sleb(b)));
		break;
	case CFA_DEF_REGISTER: change_cfa(r, true, eh_uleb(b)); break;
	case CFA_DEF_OFFSET: change_cfa(r, false, eh_uleb(b)); break;
	case CFA_DEF_OFFSET_SF: change_cfa(r, false, (uint64_t)scaled(r, (uint64_t)eh_sleb(b))); break;
	case CFA_DEF_EXPRESSION: set_cfa_expr(r, read_block(b)); break;
	case CFA_GNU_ARGS_SIZE: eh_uleb(b); break;
	default: r->lost = true;
	}
}

/* True: an address follows from which on the state so far ends; *delta bytes of code on. */
static bool advance(const struct run *r, uint8_t op, struct ehbuf *b, uint64_t *delta)
{
	if ((op & 0xc0) == CFA_ADVANCE)
		*delta = op & CFA_LOW;
	else if (op == CFA_ADVANCE1 || op == CFA_ADVANCE2 || op == CFA_ADVANCE4)
		*delta = eh_fixed(b, op == CFA_ADVANCE1 ? 1 : op == CFA_ADVANCE2 ? 2 : 4);
	else
		return false;
	*delta *= r->code_align;
	return true;
}

static void insn(struct run *r, uint8_t op, struct ehbuf *b)
{
	if ((op & 0xc0) == CFA_OFFSET)
		set_reg(r, op & CFA_LOW, (struct ehreg){ EHR_OFF, scaled(r, eh_uleb(b)) });
	else if ((op & 0xc0) == CFA_RESTORE)
		restore_reg(r, op & CFA_LOW);
	else if (!reg_insn(r, op, b))
		cfa_insn(r, op, b);
}

/* The CIE whose own program runs is in ctx: its factors are needed already. */
int ehcfa_run(const struct ehsec *s, const struct ehcie *cie, struct ehbuf b, uint64_t pc, uint64_t end,
	      struct ehstate *st, ehrow_fn fn, void *ctx)
{
	const struct ehcie *own = cie ? cie : ctx;
	struct run r = { .s = s, .cie = cie, .code_align = own->code_align, .data_align = own->data_align, .st = st };
	int e = 0;

	while (b.p < b.end && !r.lost && e == 0) {
		uint8_t op = (uint8_t)eh_fixed(&b, 1);
		uint64_t delta;

		if (!advance(&r, op, &b, &delta)) {
			insn(&r, op, &b);
			r.lost |= b.bad;
			continue;
		}
		if (b.bad || delta > end - pc || !cie) {
			r.lost = true;
			break;
		}
		if (delta && fn)
			e = fn(ctx, pc, st);
		pc += delta;
	}
	if (r.lost)
		st->cfa = EHC_OTHER;
	if (e == 0 && fn && pc < end)
		e = fn(ctx, pc, st);
	return e;
}

/* n of a register's place below the CFA; gone: none that can be expressed. */
static uint32_t place(const struct ehreg *g, uint32_t max, uint32_t gone)
{
	if (g->kind == EHR_SAME)
		return 0;
	if (g->kind != EHR_OFF || g->off >= 0 || g->off % 8 || g->off < -8 * (int64_t)max)
		return gone;
	return (uint32_t)(-g->off / 8);
}

static enum uw_kind kind_of(const struct eharch *a, const struct ehcie *cie, const struct ehstate *st, int64_t *off)
{
	*off = st->off;
	if (st->ra.kind == EHR_UNDEF)
		return UW_END;
	if (cie->signal && a->sig_uc) {
		*off = a->sig_uc;
		return UW_SIGNAL;
	}
	if (cie->signal && st->cfa == EHC_DEREF && st->reg == a->sp && a->sig_cfa) {
		*off -= a->sig_cfa;
		return UW_SIGNAL;
	}
	if (a->ra_reg && st->ra.kind == EHR_REG && st->ra.off == a->ra_reg && st->cfa == EHC_REG && st->reg == a->sp)
		return UW_RA_DI;
	if (a->ra_on_stack && (st->ra.kind != EHR_OFF || st->ra.off != -8))
		return UW_LOST;
	switch (st->cfa) {
	case EHC_PLT: return UW_PLT;
	case EHC_DEREF: return st->reg == a->fp ? UW_BP_DEREF : UW_LOST;
	case EHC_DEREF_8: return st->reg == a->sp && a->ra_on_stack ? UW_SP_DEREF : UW_LOST;
	case EHC_REG:
		return st->reg == a->sp ? UW_SP : st->reg == a->fp ? UW_BP : st->reg == a->third ? UW_BX : UW_LOST;
	default: return UW_LOST;
	}
}

/* Where frame pointer and return address are on a machine with a link register. */
static bool link_place(const struct ehstate *st, uint32_t *ret)
{
	uint32_t bp = place(&st->fp, UW_LINK_MAX, UINT32_MAX), ra = place(&st->third, UW_LINK_MAX, UINT32_MAX);

	if (bp == UINT32_MAX || ra == UINT32_MAX || (bp && bp <= ra))
		return false;
	*ret = !bp ? (ra ? UW_SAVED_LINK(ra) : 0) : bp == ra + 1 ? UW_SAVED_PAIR(ra) : UW_SAVED_FAR(ra, bp - ra);
	return !bp || (ra && (bp == ra + 1 ? ra <= UW_PAIR_MAX : ra <= UW_FAR_MAX && bp - ra <= UW_FAR_MAX_BY));
}

uint32_t ehcfa_rule(const struct eharch *a, const struct ehcie *cie, const struct ehstate *st)
{
	int64_t off;
	enum uw_kind kind = kind_of(a, cie, st, &off);
	uint32_t bp, bx, saved;

	if (kind <= UW_END)
		return UW_RULE(kind, 0, 0, 0);
	if (kind != UW_PLT) {
		if (off % 8 || off / 8 > UW_OFF_MAX || off / 8 < -UW_OFF_MAX)
			return UW_RULE(UW_LOST, 0, 0, 0);
		off /= 8;
	}
	if (kind == UW_SIGNAL)
		return UW_RULE(kind, 0, 0, off);
	if (a->link)
		return link_place(st, &saved) ? UW_RULE_LINK(kind, saved, off) : UW_RULE(UW_LOST, 0, 0, 0);
	bp = st->fp.kind == EHR_AT_FP && st->fp.off == 0 ? UW_BP_AT_BP : place(&st->fp, UW_BP_MAX, UW_BP_GONE);
	bx = place(&st->third, UW_BX_MAX, UW_BX_GONE);
	return UW_RULE(kind, bp, bx, off);
}
