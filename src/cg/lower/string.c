/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles expressions that are strings: computes where the string is. */
#include "cg/gen/event.h"
#include "cg/gen/fault.h"
#include "cg/gen/load.h"
#include "cg/gen/task.h"
#include "cg/gen/text.h"
#include "cg/lower/expr.h"
#include "cg/lower/flow.h"
#include "cg/lower/string.h"
#include "cg/lower/var.h"

/* Where the text of a pointer, integer or char array is, and how many bytes it can have. */
struct text_src {
	struct mem m; /* m.slot >= 0 or m.base >= 0: directly readable, perhaps without a NUL */
	bool direct, maybe_null;
	vreg addr;
	bool user;
	uint32_t max; /* bytes incl. NUL; 0: no limit known */
};

static void text_source(struct gen *g, const struct node *n, struct text_src *ret)
{
	const struct dtype *ty = cg_type(g->cg, n);
	struct place pl;

	*ret = (struct text_src){ .user = n->user || (n->type->quals & DQ_USERLAND) };
	if (ty->kind != DK_ARRAY) {
		ret->addr = gen_int(g, n);
		return;
	}
	ret->max = ty->nelems && ty->nelems < INT32_MAX ? (uint32_t)ty->nelems + 1 : 0;
	gen_place(g, n, &pl);
	place_flatten(g, &pl);
	if (pl.kind == PL_MEM) {
		ret->direct = true;
		ret->m = pl.m;
		ret->maybe_null = pl.maybe_null;
		return;
	}
	ret->user = pl.kind == PL_USER;
	ret->addr = pl.btf.id ? gen_launder(g, pl.addr) : pl.addr;
	if (pl.off) {
		vreg d = ir_new(g->f), o = ir_imm(g->f, (uint64_t)pl.off);

		ir_alu(g->f, IRA_ADD, d, ret->addr, o);
		ret->addr = d;
	}
}

/* The text into dst; zero: also the bytes after it. */
static void text_to(struct gen *g, const struct text_src *t, struct mem dst, uint32_t cap, bool zero)
{
	uint32_t n = t->max && t->max < cap ? t->max : cap;

	if (t->direct) {
		irlabel out = ir_label(g->f);

		if (t->maybe_null) {
			gen_zero(g, dst, cap);
			ir_jcci(g->f, IRC_EQ, t->m.base, 0, out);
		}
		gen_copy(g, dst, t->m, n - 1);
		gen_zero(g, mem_add(dst, (int32_t)n - 1), cap - n + 1);
		ir_place(g->f, out);
		return;
	}
	if (zero)
		gen_zero(g, dst, cap);
	gen_read_str(g, dst, n, t->addr, t->user);
}

static void cast_str(struct gen *g, const struct node *n, struct str *ret)
{
	uint32_t cap = (uint32_t)opts_strcap(g->cg->opts);
	struct text_src t;

	if (type_is_str(g->cg, n->a)) {
		gen_str(g, n->a, ret);
		return;
	}
	text_source(g, n->a, &t);
	if (t.max && t.max < cap)
		cap = t.max;
	*ret = (struct str){ .m = gen_scratch(g, ROUND_UP(cap, 8)), .bound = cap };
	text_to(g, &t, ret->m, cap, false);
}

/* One side of ?: to m; set: is there a string? */
static void cond_arm(struct gen *g, const struct node *n, struct mem m, uint32_t cap, vreg set)
{
	struct str s;

	if (!n->var) {
		gen_str_to(g, n, m, cap);
		ir_movi(g->f, set, !node_is_null(n));
		return;
	}
	gen_str(g, n, &s);
	ir_mov(g->f, set, gen_str_is_set(g, &s));
	gen_str_copy(g, &s, m, cap);
}

static void cond_str(struct gen *g, const struct node *n, struct str *ret)
{
	irlabel no = ir_label(g->f), out = ir_label(g->f);
	uint32_t cap = (uint32_t)opts_strcap(g->cg->opts);
	struct mem m = gen_scratch(g, cap);
	struct cache saved = gen_region_begin(g);
	bool nullable = n->b->var || n->c->var || node_is_null(n->b) || node_is_null(n->c);
	vreg set = nullable ? ir_new(g->f) : VREG_NONE;

	gen_branch(g, n->a, no, false);
	if (nullable)
		cond_arm(g, n->b, m, cap, set);
	else
		gen_str_to(g, n->b, m, cap);
	ir_jmp(g->f, out);
	ir_place(g->f, no);
	g->cache = saved;
	if (nullable)
		cond_arm(g, n->c, m, cap, set);
	else
		gen_str_to(g, n->c, m, cap);
	ir_place(g->f, out);
	gen_region_end(g, &saved);
	*ret = (struct str){ .m = m, .bound = cap, .padded = true, .has_set = nullable, .set = set };
}

void gen_str(struct gen *g, const struct node *n, struct str *ret)
{
	*ret = (struct str){ .is_const = true, .cs = "" };
	switch (n->kind) {
	case N_STR: *ret = (struct str){ .is_const = true, .cs = n->str, .cslen = strnlen(n->str, n->len) }; break;
	case N_IDENT:
		if (n->builtin) {
			gen_builtin_str(g, n, ret);
			break;
		}
		gen_var_str(g, n, ret);
		break;
	case N_TLS:
	case N_THIS:
	case N_INDEX:
	case N_MEMBER: gen_var_str(g, n, ret); break;
	case N_ASSIGN: gen_assign_str(g, n, ret); break;
	case N_COND: cond_str(g, n, ret); break;
	case N_EVENT: gen_event_str(g, n, ret); break;
	case N_CALL:
		if (n->call)
			gen_call_str(g, n->call, ret);
		else
			gen_builtin_str(g, n, ret);
		break;
	case N_CAST:
	case N_STRINGOF: cast_str(g, n, ret); break;
	case N_BINARY:
		gen_effect(g, n->a);
		gen_str(g, n->b, ret);
		break;
	default: cg_error(g, n->at, "D_INTERNAL", "code generator: string of kind %d", n->kind);
	}
}

/* A string into memory, zero-padded up to cap: straight there where the source allows it. */
void gen_str_to(struct gen *g, const struct node *n, struct mem dst, uint32_t cap)
{
	struct str s;

	if (n->kind == N_IDENT && n->builtin && n->builtin->id == BI_EXECNAME && cap >= 16) {
		gen_comm_to(g, dst);
		gen_zero(g, mem_add(dst, 16), cap - 16);
		return;
	}
	if ((n->kind == N_CAST || n->kind == N_STRINGOF) && !type_is_str(g->cg, n->a)) {
		struct text_src t;

		text_source(g, n->a, &t);
		text_to(g, &t, dst, cap, true);
		return;
	}
	if ((n->kind == N_CAST || n->kind == N_STRINGOF) && type_is_str(g->cg, n->a)) {
		gen_str_to(g, n->a, dst, cap);
		return;
	}
	gen_str(g, n, &s);
	gen_str_copy(g, &s, dst, cap);
}

/* Jumps to l when the relation of two strings is `when`. */
void gen_str_branch(struct gen *g, const struct node *n, irlabel l, bool when)
{
	static const enum ir_cond conds[] = { IRC_SLT, IRC_SLE, IRC_SGT, IRC_SGE, IRC_EQ, IRC_NE };
	static const enum ir_cond inverse[] = { IRC_SGE, IRC_SGT, IRC_SLE, IRC_SLT, IRC_NE, IRC_EQ };
	bool eq = n->op == OP_EQ || n->op == OP_NE;
	struct str a, b;
	struct irfn *fn;
	vreg r = ir_new(g->f);

	gen_str(g, n->a, &a);
	gen_str(g, n->b, &b);
	if (eq && a.is_const != b.is_const) {
		struct str *s = a.is_const ? &b : &a, *c = a.is_const ? &a : &b;

		gen_str_real(g, s);
		if (gen_str_branch_const(g, s, c, (n->op == OP_EQ) == when, l))
			return;
	}
	gen_str_real(g, &a);
	gen_str_real(g, &b);
	fn = rt_get(g->pr->ip, RT_STRCMP, g->cg->caps);
	vreg pa = gen_addr(g, a.m), na = ir_imm(g->f, a.bound), pb = gen_addr(g, b.m);
	vreg nb = ir_imm(g->f, b.bound);

	if (fn)
		ir_call_fn(g->f, r, fn, IR_ARGS(pa, na, pb, nb));
	gen_jcci(g, (when ? conds : inverse)[n->op - OP_LT], r, 0, l);
}
