/* SPDX-License-Identifier: Apache-2.0 */
/* Describes D types as plain data (base/rectype.h), for values that print() shows. */
#include "cg/gen/layout.h"
#include "cg/lower/lower.h"

/* By-value nesting of C types that is followed; deeper values are bytes. */
#define MAX_NESTING 64

struct type_memo {
	const struct dtype *ty;
	const struct rectype *rt;
	struct type_memo *next;
};

static const struct rectype *describe(struct cg *c, const struct dtype *ty, unsigned depth);

static const char *name_of(struct cg *c, const struct dtype *ty)
{
	if (!ty->name && ty->kind == DK_STRUCT)
		return "struct";
	if (!ty->name && ty->kind == DK_UNION)
		return "union";
	if (!ty->name && ty->kind == DK_ENUM)
		return "enum";
	if (ty->kind == DK_ARRAY) { /* C's word order: the element's name first */
		const struct dtype *e = ty->base;

		while (e->kind == DK_ARRAY)
			e = e->base;
		if (!e->name && (e->kind == DK_STRUCT || e->kind == DK_UNION))
			return arena_printf(c->a, "%s [%llu]", name_of(c, e), (unsigned long long)ty->nelems);
	}
	return dtype_name(c->p->types, ty);
}

static void describe_members(struct cg *c, const struct dtype *r, struct rectype *rt, unsigned depth)
{
	struct rec_member *m = arena_new_arr(c->a, struct rec_member, r->nmembers + 1);

	for (uint32_t i = 0; i < r->nmembers; i++) {
		const struct dmember *d = &r->members[i];

		m[i] = (struct rec_member){ .name = d->name && *d->name ? d->name : NULL,
					    .type = describe(c, d->type, depth + 1),
					    .bit_off = d->bit_off,
					    .bit_size = d->bit_size };
	}
	rt->members = m;
	rt->nmembers = r->nmembers;
}

static void describe_enum(struct cg *c, const struct dtype *r, struct rectype *rt)
{
	struct rec_enumerator *e = arena_new_arr(c->a, struct rec_enumerator, r->nenumerators + 1);

	for (uint32_t i = 0; i < r->nenumerators; i++)
		e[i] = (struct rec_enumerator){ r->enumerators[i].name, r->enumerators[i].value };
	rt->enumerators = e;
	rt->nenumerators = r->nenumerators;
}

static void describe_as(struct cg *c, const struct dtype *r, struct rectype *rt, unsigned depth)
{
	switch (r->kind) {
	case DK_INT:
		rt->kind = RTY_INT;
		rt->is_char = r->is_char && r->name && !strcmp(r->name, "char");
		break;
	case DK_FLOAT: rt->kind = RTY_FLOAT; break;
	case DK_ENUM:
		rt->kind = RTY_ENUM;
		describe_enum(c, r, rt);
		break;
	case DK_PTR:
	case DK_FUNC:
		rt->kind = RTY_PTR;
		rt->size = 8;
		break;
	case DK_STRING:
		rt->kind = RTY_STRING;
		rt->size = lay_str_bound(c, r);
		break;
	case DK_ARRAY:
		rt->kind = RTY_ARRAY;
		rt->elem = describe(c, r->base, depth + 1);
		rt->nelems = r->nelems;
		break;
	case DK_STRUCT:
	case DK_UNION:
		rt->kind = RTY_STRUCT;
		describe_members(c, r, rt, depth);
		break;
	default: break;
	}
}

static const struct rectype *describe(struct cg *c, const struct dtype *ty, unsigned depth)
{
	const struct dtype *r = dtype_resolve(c->p->types, ty);
	struct rectype *rt;
	struct type_memo *m;

	for (m = c->type_memos; m; m = m->next)
		if (m->ty == ty)
			return m->rt;
	rt = arena_new_obj(c->a, struct rectype);
	*rt = (struct rectype){ .kind = RTY_BYTES, .name = name_of(c, ty), .size = r->size, .is_signed = r->is_signed };
	m = arena_new_obj(c->a, struct type_memo);
	*m = (struct type_memo){ ty, rt, c->type_memos };
	c->type_memos = m;
	if (depth < MAX_NESTING)
		describe_as(c, r, rt, depth);
	return rt;
}

static const struct rectype *lay_rectype(struct cg *c, const struct dtype *ty)
{
	return describe(c, ty, 0);
}

/* print(x): the value; of a pointer the address, then what it points to. */
size_t lay_print(struct cg *c, const struct node *call, struct lay_field *fl)
{
	const struct node *n = call->args;
	const struct dtype *r = cg_type(c, n);

	fl[0].n = n;
	fl[0].f = lay_field_of(c, n->type);
	fl[0].f.type = lay_rectype(c, n->type);
	if (fl[0].f.kind == FLD_BYTES && fl[0].f.size > REC_PRINT_MAX)
		fl[0].f.size = REC_PRINT_MAX;
	if (r->kind != DK_PTR)
		return 1;
	fl[1].n = n;
	fl[1].f = (struct recfield){ .kind = FLD_BYTES, .type = lay_rectype(c, r->base) };
	fl[1].f.ctype = fl[1].f.type->name;
	fl[1].f.size = fl[1].f.type->size < REC_PRINT_MAX ? (uint32_t)fl[1].f.type->size : REC_PRINT_MAX;
	return 2;
}
