/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles numeric expressions; the result is in a virtual register of 64 bits. */
#include "cg/builtin/call.h"
#include "cg/gen/entry.h"
#include "cg/gen/event.h"
#include "cg/gen/load.h"
#include "cg/gen/stack.h"
#include "cg/gen/task.h"
#include "cg/gen/text.h"
#include "cg/lower/expr.h"
#include "cg/lower/flow.h"
#include "cg/lower/string.h"
#include "cg/lower/var.h"

/* As argument of type ty (resolved). *btf: as gen_ptr(). */
static vreg gen_derived_ptr(struct gen *g, unsigned n, const struct dtype *ty, struct tref *btf);

static vreg gen_derived_arg(struct gen *g, unsigned n);

vreg gen_cut(struct gen *g, const struct node *n, vreg s, const struct dtype *ty)
{
	vreg d;

	if (gen_fits(g, n, ty))
		return s;
	d = ir_new(g->f);
	gen_norm(g, d, s, ty);
	return d;
}

/* The address of what a node designates, as a number. */
static vreg place_addr(struct gen *g, struct place *pl)
{
	vreg a, d;

	place_flatten(g, pl);
	if (pl->kind == PL_MEM && pl->maybe_null) {
		irlabel out = ir_label(g->f);

		d = ir_new(g->f);
		ir_movi(g->f, d, 0);
		ir_jcci(g->f, IRC_EQ, pl->m.base, 0, out);
		ir_mov(g->f, d, gen_launder(g, gen_addr(g, pl->m)));
		ir_place(g->f, out);
		return d;
	}
	if (pl->kind == PL_MEM)
		return gen_launder(g, gen_addr(g, pl->m));
	a = pl->btf.id ? gen_launder(g, pl->addr) : pl->addr;
	if (!pl->off)
		return a;
	d = ir_new(g->f);
	if (pl->off >= INT32_MIN && pl->off <= INT32_MAX) {
		ir_alui(g->f, IRA_ADD, d, a, pl->off);
	} else {
		ir_movi(g->f, d, (uint64_t)pl->off);
		ir_alu(g->f, IRA_ADD, d, d, a);
	}
	return d;
}

/* &n as a number */
static vreg gen_addr_of(struct gen *g, const struct node *n)
{
	struct place pl;

	gen_place(g, n, &pl);
	return place_addr(g, &pl);
}

/* A string as a number: its address; as a condition see gen_branch(). */
static vreg str_addr(struct gen *g, const struct node *n)
{
	struct str s;

	gen_str(g, n, &s);
	gen_str_real(g, &s);
	return gen_launder(g, gen_addr(g, s.m));
}

/* A string as a pointer: NULL when it is none. */
static vreg str_pointer(struct gen *g, const struct node *n)
{
	irlabel have = ir_label(g->f);
	struct str s;
	vreg d;

	gen_str(g, n, &s);
	if (n->var)
		s.set = gen_str_is_set(g, &s);
	else if (!s.has_set)
		s.set = ir_imm(g->f, 1);
	gen_str_real(g, &s);
	d = ir_new(g->f);
	ir_mov(g->f, d, gen_launder(g, gen_addr(g, s.m)));
	ir_jcci(g->f, IRC_NE, s.set, 0, have);
	ir_movi(g->f, d, 0);
	ir_place(g->f, have);
	return d;
}

static vreg place_value(struct gen *g, const struct node *n, struct tref *btf)
{
	const struct dtype *ty = cg_type(g->cg, n);
	struct place pl;

	if (ty->kind == DK_STRING)
		return str_addr(g, n);
	gen_place(g, n, &pl);
	if (ty->kind == DK_ARRAY || ty->kind == DK_STRUCT || ty->kind == DK_UNION || ty->kind == DK_FUNC)
		return place_addr(g, &pl);
	return gen_load_place(g, &pl, ty, btf);
}

static vreg gen_cast(struct gen *g, const struct node *n, struct tref *btf)
{
	const struct dtype *to = cg_type(g->cg, n), *from = cg_type(g->cg, n->a);
	vreg v;

	if (to->kind == DK_VOID) {
		gen_effect(g, n->a);
		return ir_imm(g->f, 0);
	}
	if (from->kind == DK_STRING)
		return to->kind == DK_PTR ? str_pointer(g, n->a) : str_addr(g, n->a);
	v = gen_ptr(g, n->a, btf);
	if (to->kind == DK_PTR)
		return v;
	if (btf->id) {
		v = gen_launder(g, v);
		btf->id = 0;
	}
	return gen_cut(g, n->a, v, to);
}

/* args[n] */
static vreg probe_arg(struct gen *g, const struct node *n, struct tref *btf)
{
	unsigned i = (unsigned)n->ival;
	const struct dtype *ty = cg_type(g->cg, n);
	const struct arg_loc *l = i < g->e->nargs && i < ENTRY_MAX_ARGS ? &g->e->args[i] : NULL;
	struct arg_loc raw = { .kind = ARG_CTX, .off = i * 8 };
	vreg v, d;

	if (n->raw) {
		l = &raw;
		raw.size = (uint8_t)(ty->kind == DK_INT || ty->kind == DK_ENUM ? ty->size : 8);
		raw.is_signed = ty->is_signed;
	}
	if (l && l->kind == ARG_DERIVED)
		return gen_derived_ptr(g, i, ty, btf);
	if (l && l->kind == ARG_THREAD)
		return gen_curthread(g, btf);
	if (l && ty->kind == DK_PTR && l->kind == ARG_CTX && entry_arg_struct(g, l->off, btf)) {
		d = ir_new(g->f);
		ir_load(g->f, d, ir_ctx(g->f), (int32_t)l->off, 8);
		return d;
	}
	v = n->raw ? gen_arg_loc(g, &raw) : gen_arg(g, i);
	if ((ty->kind != DK_INT && ty->kind != DK_ENUM) || ty->size >= 8)
		return v;
	l = n->raw ? &raw : l;
	if (l && l->size == ty->size && l->is_signed == ty->is_signed && !ty->is_bool)
		return v; /* it is already */
	d = ir_new(g->f);
	if (l && l->size == 1 && !l->is_signed && ty->is_bool) { /* 0 … 255 to 0 or 1, without a branch */
		ir_alui(g->f, IRA_ADD, d, v, 255);
		ir_alui(g->f, IRA_SHR, d, d, 8);
		return d;
	}
	gen_norm(g, d, v, ty);
	return d;
}

void var_args(struct gen *g, struct call *c)
{
	c->v = probe_arg(g, c->n, &c->btf);
}

/* arg0 …; of a derived probe it is an expression. */
void var_arg(struct gen *g, struct call *c)
{
	unsigned i = (unsigned)c->par;

	if (i >= g->e->nargs || g->e->args[i].kind != ARG_DERIVED) {
		c->v = gen_arg(g, i);
		return;
	}
	if (g->cache.v[CA_ARG0 + i] < 0)
		g->cache.v[CA_ARG0 + i] = gen_derived_arg(g, i);
	c->v = g->cache.v[CA_ARG0 + i];
}

static vreg gen_unary_any(struct gen *g, const struct node *n, struct tref *btf)
{
	switch (n->op) {
	case OP_DEREF: return place_value(g, n, btf);
	case OP_ADDR: return gen_addr_of(g, n->a);
	case OP_PREINC:
	case OP_PREDEC:
	case OP_POSTINC:
	case OP_POSTDEC: return gen_incdec(g, n, true);
	case OP_LNOT: return gen_truth(g, n);
	default: return gen_arith_unary(g, n);
	}
}

vreg gen_ptr(struct gen *g, const struct node *n, struct tref *btf)
{
	btf->id = 0;
	switch (n->kind) {
	case N_INT:
	case N_SIZEOF:
	case N_OFFSETOF: return ir_imm(g->f, n->ival);
	case N_STR:
	case N_STRINGOF: return str_addr(g, n);
	case N_IDENT:
		if (n->builtin)
			return type_is_str(g->cg, n) ? str_addr(g, n) : gen_builtin_int(g, n, btf);
		return place_value(g, n, btf);
	case N_INDEX:
		return n->a && n->a->builtin && n->a->builtin->flags & BIF_ARRAY ? gen_builtin_int(g, n, btf)
										 : place_value(g, n, btf);
	case N_TLS:
	case N_THIS:
	case N_KSYM:
	case N_MEMBER: return place_value(g, n, btf);
	case N_UNARY: return gen_unary_any(g, n, btf);
	case N_BINARY: return gen_binary(g, n);
	case N_COND: return type_is_str(g->cg, n) ? str_addr(g, n) : gen_cond_expr(g, n);
	case N_ASSIGN: return gen_assign(g, n, true);
	case N_CALL:
		if (type_is_str(g->cg, n))
			return str_addr(g, n);
		return n->call ? gen_call_int(g, n->call) : gen_builtin_int(g, n, btf);
	case N_CAST: return gen_cast(g, n, btf);
	case N_EVENT: return type_is_str(g->cg, n) ? str_addr(g, n) : gen_event_int(g, n, btf);
	default:
		cg_error(g, n->at, "D_INTERNAL", "code generator: expression of kind %d", n->kind);
		return ir_imm(g->f, 0);
	}
}

vreg gen_int(struct gen *g, const struct node *n)
{
	struct tref btf;
	vreg v = gen_ptr(g, n, &btf);

	return btf.id ? gen_launder(g, v) : v;
}

void gen_effect(struct gen *g, const struct node *n)
{
	const struct dtype *ty = cg_type(g->cg, n);
	struct place pl;
	struct str s;

	if (n->kind == N_ASSIGN)
		gen_assign(g, n, false);
	else if (n->kind == N_UNARY &&
		 (n->op == OP_PREINC || n->op == OP_PREDEC || n->op == OP_POSTINC || n->op == OP_POSTDEC))
		gen_incdec(g, n, false);
	else if (n->kind == N_BINARY && n->op == OP_COMMA)
		gen_effect(g, n->a), gen_effect(g, n->b);
	else if (n->kind == N_CAST && ty->kind == DK_VOID)
		gen_effect(g, n->a);
	else if (n->kind == N_CALL && !type_is_str(g->cg, n))
		n->call ? (void)gen_call_int(g, n->call) : gen_builtin_effect(g, n);
	else if (ty->kind == DK_STRING)
		gen_str(g, n, &s);
	else if (ty->kind == DK_STRUCT || ty->kind == DK_UNION || ty->kind == DK_ARRAY)
		gen_place(g, n, &pl);
	else if (ty->kind != DK_VOID)
		gen_int(g, n);
}

void gen_value_to(struct gen *g, const struct node *n, struct mem dst, const struct recfield *f)
{
	struct recfield stack;
	int64_t c;

	switch (f->kind) {
	case FLD_INT:
		if (node_const(n, &c) && c >= INT32_MIN && c <= INT32_MAX)
			gen_sti(g, dst, f->size, (int32_t)c);
		else
			gen_st(g, dst, f->size, gen_int(g, n));
		break;
	case FLD_STRING: gen_str_to(g, n, dst, f->size); break;
	case FLD_BYTES: gen_bytes_to(g, n, dst, f->size); break;
	case FLD_WHY: /* frames, as the argument gives them */
		stack = *f;
		stack.kind = FLD_STACK;
		gen_value_to(g, n->args, dst, &stack);
		break;
	case FLD_STACK:
		if (n->kind == N_EVENT)
			gen_event_stack(g, dst, f);
		else
			gen_stack_to(g, dst, f);
		break;
	case FLD_USTACK: gen_ustack_to(g, dst, f); break;
	case FLD_SYM:
	case FLD_FUNC:
	case FLD_MOD: gen_st(g, dst, 8, gen_int(g, n->args)); break;
	default: gen_uaddr_to(g, gen_int(g, n->args), dst);
	}
}

/* The derived probe that the checker made for this unit's probe. A derived probe has no selector, so its unit has one
 * probe. NULL: it is none. */
static const struct dderived *derived_of(const struct gen *g)
{
	const struct dderived *dd = g->ds->derived;

	if (g->in_error)
		return NULL;
	while (dd && dd->probe->id != g->unit->pts[0]->probe->id)
		dd = dd->next;
	return dd;
}

void gen_derived_cond(struct gen *g)
{
	const struct dderived *dd = derived_of(g);

	if (!dd || !dd->cond)
		return;
	gen_branch(g, dd->cond, g->l_next, false);
	g->pr->scratch_top = g->pr->scratch_keep;
}

static const struct node *arg_node(const struct gen *g, unsigned n)
{
	const struct dderived *dd = derived_of(g);

	return dd && n < dd->probe->nargs ? dd->args[n] : NULL;
}

static vreg gen_derived_arg(struct gen *g, unsigned n)
{
	const struct node *e = arg_node(g, n);

	return e ? gen_int(g, e) : ir_imm(g->f, 0);
}

static vreg gen_derived_ptr(struct gen *g, unsigned n, const struct dtype *ty, struct tref *btf)
{
	const struct node *e = arg_node(g, n);
	vreg v, d;

	btf->id = 0;
	if (!e)
		return ir_imm(g->f, 0);
	if (ty->kind == DK_PTR)
		return gen_ptr(g, e, btf);
	v = gen_int(g, e);
	if (ty->kind != DK_INT && ty->kind != DK_ENUM)
		return v;
	d = ir_new(g->f);
	gen_norm(g, d, v, ty);
	return d;
}
