/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles uses of built-in functions: computes the arguments, then calls the code function of the row in
 * lang/builtin.def. */
#include "base/flightfmt.h"
#include "cg/builtin/call.h"
#include "cg/gen/fault.h"
#include "cg/gen/load.h"
#include "cg/gen/text.h"
#include "cg/lower/act.h"
#include "cg/lower/expr.h"
#include "cg/lower/string.h"
#include "cg/lower/var.h"

static const struct {
	call_fn *code;
	int par;
} rows[BI_COUNT_] = {
#define BI(id, name, kind, proto, since, flags, bound, check, code, par, doc) [BI_##id] = { code, par },
#include "lang/builtin.def"
#undef BI
};

/* The record takes the arguments as they are. */
void act_fields(struct gen *g, struct call *c)
{
	(void)g;
	(void)c;
}

void no_code(struct gen *g, struct call *c)
{
	cg_error(g, c->n->at, TAG_NOSUPP, "%s%s is not supported yet", c->b->name, c->b->kind == BIK_VAR ? "" : "()");
}

static void make_value(struct gen *g, const struct node *n, struct val *v)
{
	*v = (struct val){ .n = n, .is_str = type_is_str(g->cg, n), .v = VREG_NONE };
	if (v->is_str) {
		gen_str(g, n, &v->s);
		gen_str_real(g, &v->s);
	} else {
		v->is_const = node_const(n, &v->c);
		if (!v->is_const)
			v->v = gen_int(g, n);
	}
}

void call_builtin(struct gen *g, const struct node *n, const struct builtin *b, const struct lay_act *la,
		  struct call *ret)
{
	const struct node *a = n->args;

	ret->n = n;
	ret->b = b;
	ret->par = rows[b->id].par;
	ret->nargs = 0;
	ret->la = la;
	ret->done = 0;
	ret->v = VREG_NONE;
	ret->btf.id = 0;
	ret->s = (struct str){ .is_const = true, .cs = "" };
	if (!(b->flags & BIF_TREE) && rows[b->id].code != act_fields)
		for (; a && ret->nargs < CALL_MAX_ARGS; a = a->next)
			make_value(g, a, &ret->a[ret->nargs++]);
	rows[b->id].code(g, ret);
}

/* arg0 and pid; args[n] and uregs[n]; strlen(s) */
static const struct builtin *builtin_of(const struct node *n)
{
	return n->kind == N_INDEX ? n->a->builtin : n->builtin;
}

vreg gen_builtin_int(struct gen *g, const struct node *n, struct tref *btf)
{
	struct call c;

	call_builtin(g, n, builtin_of(n), NULL, &c);
	*btf = c.btf;
	return c.v >= 0 ? c.v : ir_imm(g->f, 0);
}

void gen_builtin_str(struct gen *g, const struct node *n, struct str *ret)
{
	struct call c;

	call_builtin(g, n, builtin_of(n), NULL, &c);
	*ret = c.s;
}

void gen_builtin_effect(struct gen *g, const struct node *n)
{
	struct call c;

	call_builtin(g, n, n->builtin, NULL, &c);
}

bool act_is_data(const struct node *n, enum act_kind *ret)
{
	const struct builtin *b = n && n->kind == N_CALL ? n->builtin : NULL;

	if (!b || !((b->kind == BIK_ACT && !(b->flags & BIF_KERNEL)) || b->flags & BIF_VALUE))
		return false;
	*ret = (enum act_kind)rows[b->id].par;
	return true;
}

/* -- flight(kind, number, number, text): the text goes where it stays -- */

/* The name of a thread or disk that the verifier lets us load as words: no call. */
static bool direct_text(struct gen *g, const struct node *n, struct place *ret)
{
	const struct dtype *ty;
	struct tref target;

	if (n->kind != N_CAST && n->kind != N_STRINGOF)
		return false;
	n = n->a;
	ty = cg_type(g->cg, n);
	if (ty->kind != DK_ARRAY || ty->nelems < FLIGHT_TEXT || ty->size != ty->nelems)
		return false;
	gen_place(g, n, ret);
	place_flatten(g, ret);
	return ret->kind == PL_KERN && ret->btf.id && ret->off <= INT16_MAX - FLIGHT_TEXT &&
	       btf_direct(g->cg, ret->btf, ret->off, 1, &target);
}

static void put_text(struct gen *g, const struct node *n, const struct place *direct, struct mem dst)
{
	vreg v = ir_new(g->f);

	if (!direct) {
		gen_str_to(g, n, dst, FLIGHT_TEXT);
		return;
	}
	for (int i = 0; i < FLIGHT_TEXT; i += 8) {
		ir_load(g->f, v, direct->addr, (int32_t)direct->off + i, 8);
		gen_st(g, mem_add(dst, i), 8, v);
	}
}

void sub_flight(struct gen *g, struct call *c)
{
	const struct node *kind = c->n->args, *id = kind->next, *info = id->next, *text = info->next;
	struct flight_slot slot;
	struct val v;
	struct place pl;
	bool direct;

	make_value(g, id, &v);
	gen_flight_id(g, kind, &v, &slot);
	make_value(g, info, &v);
	gen_flight_info(g, &v, &slot);
	direct = direct_text(g, text, &pl);
	if (direct) /* some may be NULL */
		gen_jcci(g, IRC_EQ, pl.addr, 0, gen_fault_imm(g, FAULT_BADADDR, 0));
	gen_flight_open(g, &slot);
	put_text(g, text, direct ? &pl : NULL, mem_at(slot.entry, offsetof(struct flight_entry, text)));
	gen_flight_close(g, &slot);
}
