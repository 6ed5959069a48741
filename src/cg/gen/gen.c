/* SPDX-License-Identifier: Apache-2.0 */
/* Provides what every file of the room needs: generators of functions, errors, growing arrays, facts about nodes
 * and types. */
#include "cg/gen/gen.h"

/* Makes room for one more element of an arena array. */
void *cg_grow(struct cg *c, void *v, size_t n, size_t *cap, size_t size)
{
	if (n < *cap)
		return v;
	size_t want = *cap ? *cap * 2 : 8;
	void *w = arena_calloc(c->a, want, size);

	if (n)
		memcpy(w, v, n * size);
	*cap = want;
	return w;
}

void cg_error(struct gen *g, struct span at, const char *tag, const char *fmt, ...)
{
	va_list ap;

	if (g->pr->failed)
		return;
	g->pr->failed = true;
	va_start(ap, fmt);
	diag_error(g->cg->d, at, tag, "%s", arena_vprintf(g->cg->a, fmt, ap));
	va_end(ap);
}

bool cg_typed_args(const struct cg *c)
{
	return c->caps->btf && c->caps->tp_btf && !c->opts->probereads;
}

bool cg_typed(const struct cg *c)
{
	return cg_typed_args(c) && c->caps->task_btf;
}

void gen_init(struct gen *g, struct prog *pr, struct irfn *f)
{
	*g = (struct gen){ .cg = pr->cg, .pr = pr, .f = f, .sel = VREG_NONE, .rec = VREG_NONE };
	memset(&g->cache, 0xff, sizeof(g->cache));
	g->comm = ir_slot(f, 16);
	g->tmp = ir_slot(f, 16);
	g->this_slot = arena_new_arr(pr->cg->a, irslot, pr->cg->p->nvars + 1);
	memset(g->this_slot, 0xff, (pr->cg->p->nvars + 1) * sizeof(irslot));
	g->budget = g->spec = VREG_NONE;
	if (pr->cg->p->has_locals)
		g->locals = arena_new_arr(pr->cg->a, struct gen_local, pr->cg->p->nvars);
}

bool gen_have_fn(struct gen *g, struct prog *pr, struct irfn **slot, const char *name, unsigned nargs)
{
	if (*slot)
		return true;
	*slot = irfn_new(pr->ip, name, nargs);
	gen_init(g, pr, *slot);
	return false;
}

const struct dtype *cg_type(const struct cg *c, const struct node *n)
{
	return dtype_resolve(c->p->types, n->type);
}

bool node_const(const struct node *n, int64_t *ret)
{
	if (n->kind != N_INT)
		return false;
	*ret = (int64_t)n->ival;
	return true;
}

bool type_is_str(const struct cg *c, const struct node *n)
{
	return cg_type(c, n)->kind == DK_STRING;
}

/* d = s cut to ty and extended again. */
void gen_norm(struct gen *g, vreg d, vreg s, const struct dtype *ty)
{
	if (ty->is_bool) {
		irlabel out = ir_label(g->f);
		vreg t = ir_new(g->f);

		ir_mov(g->f, t, s);
		ir_movi(g->f, d, 0);
		ir_jcci(g->f, IRC_EQ, t, 0, out);
		ir_movi(g->f, d, 1);
		ir_place(g->f, out);
	} else if ((ty->kind == DK_INT || ty->kind == DK_ENUM) && ty->size < 8 && ty->size) {
		ir_ext(g->f, d, s, (unsigned)ty->size, ty->is_signed);
	} else if (d != s) {
		ir_mov(g->f, d, s);
	}
}

bool node_is_null(const struct node *n)
{
	int64_t c;

	while (n->kind == N_CAST)
		n = n->a;
	return n->kind == N_STR ? n->is_null : node_const(n, &c) && !c;
}

bool op_class_is_test(enum op op)
{
	return (op >= OP_LT && op <= OP_NE) || op == OP_LAND || op == OP_LOR || op == OP_LXOR || op == OP_LNOT;
}

/* Bytes that adding 1 to this pointer (or array) advances. */
uint32_t ptr_scale(struct gen *g, const struct dtype *ptr)
{
	const struct dtype *b;

	if ((ptr->kind != DK_PTR && ptr->kind != DK_ARRAY) || !ptr->base)
		return 1;
	b = dtype_resolve(g->cg->p->types, ptr->base);
	return b->size ? (uint32_t)b->size : 1;
}
