/* SPDX-License-Identifier: Apache-2.0 */
/* Values of 64 bits that a variable of fewer bits would cut. A variable may have its type from a number that was
 * assigned first (self->start = 0). It is then taken for 64 bits wide instead, as on systems where variables always
 * are: the program is checked once more with that type (lang_check()). Where the type was declared or computed there is
 * a warning. */
#include "lang/check/args.h"
#include "lang/check/clause.h"
#include "lang/check/expr.h"

static bool arg_is_narrow(struct checker *c, const struct node *n)
{
	unsigned i = (unsigned)(n->builtin->id - BI_ARG0);

	return c->stmt && c->stmt->probes.n && args_are_narrow(c, &c->stmt->probes, i);
}

/* Do 32 bits hold the value, even if its type is wider? An unknown value is taken to be as wide as its type. */
static bool fits(struct checker *c, const struct node *n)
{
	const struct dtype *r = res(c, n);

	if (!dtype_is_integer(r) || r->size < sizeof(uint64_t))
		return true;
	switch (n->kind) {
	case N_INT: return (int64_t)n->ival >= INT32_MIN && (int64_t)n->ival <= UINT32_MAX;
	case N_CAST: return n->implicit && dtype_is_integer(res(c, n->a)) && fits(c, n->a);
	case N_COND: return fits(c, n->b) && fits(c, n->c);
	case N_UNARY: return n->op != OP_DEREF && fits(c, n->a);
	case N_MEMBER: return n->member.bit_size > 0 && n->member.bit_size <= 32;
	case N_CALL: return n->builtin && n->builtin->id == BI_STRLEN;
	case N_IDENT:
		return n->builtin && n->builtin->id >= BI_ARG0 && n->builtin->id <= BI_ARG9 && arg_is_narrow(c, n);
	case N_BINARY:
		if (n->op == OP_COMMA)
			return fits(c, n->b);
		if (n->op == OP_BAND || n->op == OP_MOD)
			return (n->b->kind == N_INT && n->b->ival <= UINT32_MAX) || fits(c, n->a);
		if (n->op == OP_SHR && n->b->kind == N_INT && n->b->ival >= 32)
			return true;
		if (n->op == OP_SHR || n->op == OP_DIV)
			return fits(c, n->a);
		return fits(c, n->a) && fits(c, n->b);
	default: return false;
	}
}

static struct symtab *wide_table(struct checker *c, enum dscope scope)
{
	return scope == VS_TLS ? &c->wide->tls : scope == VS_THIS ? &c->wide->locals : &c->wide->globals;
}

bool cut_is_wide(struct checker *c, const struct cvar *v)
{
	return v->pub.scope != VS_LOCAL && symtab_get(wide_table(c, v->pub.scope), v->pub.name, 0) != NULL;
}

static void widen(struct checker *c, struct cvar *v)
{
	if (!cut_is_wide(c, v)) {
		symtab_put(wide_table(c, v->pub.scope), v->pub.name, 0, v);
		c->wide->more = true;
	}
}

static const char *bits_of(struct checker *c, const struct cvar *v)
{
	const struct dtype *r = dtype_resolve(c->t, v->pub.type);

	return arena_printf(c->a, "%u", (unsigned)r->size * 8);
}

static void warn_cut(struct checker *c, const struct node *n, const struct cvar *v)
{
	const char *name = arena_printf(c->a, "%s%s%s", var_prefix(v->pub.scope), v->pub.name,
					v->pub.is_assoc ? "[]" : "");
	struct diag *g;

	g = diag_warn(c->d, n->at, D_CUT, "%s keeps %s bits of this value of 64: it is %s %s", name, bits_of(c, v),
		      dtype_name(c->t, v->pub.type), v->declared ? "by its declaration" : "by its first value");
	diag_hint(c->d, g, "declare it as %sint64_t, or cast the value to (%s) if the rest is not wanted",
		  v->pub.scope == VS_TLS    ? "self "
		  : v->pub.scope == VS_THIS ? "this "
					    : "",
		  dtype_name(c->t, v->pub.type));
}

void cut_check(struct checker *c, const struct node *n, const struct node *value)
{
	struct cvar *v = (struct cvar *)n->a->var;
	const struct dtype *r;

	if (!v || (n->a->kind != N_IDENT && n->a->kind != N_TLS && n->a->kind != N_THIS && n->a->kind != N_INDEX))
		return;
	r = dtype_resolve(c->t, v->pub.type);
	if (!dtype_is_integer(r) || r->is_bool || r->size >= sizeof(uint64_t) || n->a->type != v->pub.type ||
	    fits(c, value))
		return;
	if (v->by_number && !c->wide->last)
		widen(c, v);
	else
		warn_cut(c, n, v);
}
