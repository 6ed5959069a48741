/* SPDX-License-Identifier: Apache-2.0 */
/* Derived probes (lang/probeinfo.h): the condition under which one fires, tested before the predicate,
 * and its arguments, computed where they are used. */
#include "cg/lower/int.h"

/* What the checker made for the probe of this unit; a unit has one probe when it is derived, for it has
 * no selector. NULL: it is none. */
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

vreg gen_derived_arg(struct gen *g, unsigned n)
{
	const struct node *e = arg_node(g, n);

	return e ? gen_int(g, e) : ir_imm(g->f, 0);
}

vreg gen_derived_ptr(struct gen *g, unsigned n, const struct dtype *ty, struct tref *btf)
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
