/* SPDX-License-Identifier: Apache-2.0 */
/* struct, union and enum defined in D: layout as the C compiler of this machine lays them out. */
#include <string.h>
#include "lang/check/int.h"
#include "lang/types/int.h"

static const char *kind_text(enum dkind k)
{
	return k == DK_UNION ? "union" : k == DK_ENUM ? "enum" : "struct";
}

/* State of a layout: where the next member goes. */
struct layout {
	struct dtype *ty;
	uint64_t bits; /* used so far, from the start */
	struct dmember *m;
	uint32_t n;
	uint64_t strsize;
};

#define STRING_MEMBER_ALIGN 8

static uint64_t round_up(uint64_t v, uint64_t to)
{
	return (v + to - 1) / to * to;
}

static void place_bits(struct layout *l, const struct dtype *r, uint32_t width, uint64_t *off)
{
	uint64_t unit = r->size * 8;

	/* A bit field may not straddle a unit of its type; width 0 ends the unit. */
	if (width == 0 || l->bits / unit != (l->bits + width - 1) / unit)
		l->bits = round_up(l->bits, unit);
	*off = l->bits;
	l->bits += width;
}

/* A string member is kept as a string variable is: its text, then whether it was ever assigned. */
static uint64_t member_size(const struct layout *l, const struct dtype *r)
{
	return r->kind == DK_STRING ? l->strsize + STRING_MEMBER_ALIGN : r->size;
}

static void add_member(struct layout *l, const char *name, const struct dtype *type, const struct dtype *r,
		       bool is_bits, uint32_t width)
{
	uint32_t align = r->kind == DK_STRING ? STRING_MEMBER_ALIGN : r->align;
	bool is_union = l->ty->kind == DK_UNION;
	uint64_t start = l->bits, off = 0;

	if (is_union)
		l->bits = 0;
	if (is_bits) {
		place_bits(l, r, width, &off);
	} else {
		off = l->bits = round_up(l->bits, (uint64_t)align * 8);
		l->bits += member_size(l, r) * 8;
	}
	if (is_union && l->bits < start)
		l->bits = start;
	if (name || !is_bits)
		l->m[l->n++] = (struct dmember){ name ? name : "", type, (uint32_t)off, width };
	if (align > l->ty->align && (name || !is_bits))
		l->ty->align = align;
}

/* Kernel types know their members only when complete; their alignment is that of the widest one. */
static const struct dtype *member_type(struct checker *c, const struct tymember *m)
{
	const struct dtype *ty = check_type(c, m->type), *r = dtype_resolve(c->t, ty);
	const char *name = m->name ? m->name : "(anon)";

	if (ty->kind == DK_DYN)
		return NULL;
	if (r->kind == DK_FWD || ((r->kind == DK_STRUCT || r->kind == DK_UNION) && !r->size)) {
		diag_error(c->d, m->at, D_DECL_INCOMPLETE, "incomplete struct/union/enum %s: %s", dtype_name(c->t, ty),
			   name);
		return NULL;
	}
	if (!r->size && r->kind != DK_STRING && r->kind != DK_ARRAY) {
		diag_error(c->d, m->at, D_DECL_VOIDOBJ, "cannot have void member: %s", name);
		return NULL;
	}
	return ty;
}

static bool bit_width(struct checker *c, const struct tymember *m, const struct dtype *r, uint32_t *ret)
{
	const char *name = m->name ? m->name : "(anon)";
	struct node *v;

	if (!const_value(c, m->bits, &v) || (!posconst(c, v) && (m->name || v->ival))) {
		diag_error(c->d, m->bits->at, D_DECL_BFCONST,
			   "positive integral constant expression expected as bit-field size");
		return false;
	}
	if (!dtype_is_integer(r)) {
		diag_error(c->d, m->at, D_DECL_BFTYPE, "invalid type for bit-field: %s", name);
		return false;
	}
	if (v->ival > r->size * 8) {
		diag_error(c->d, m->at, D_DECL_BFSIZE, "bit-field too big for type: %s", name);
		return false;
	}
	*ret = (uint32_t)v->ival;
	return true;
}

static bool one_member(struct checker *c, struct layout *l, const struct tymember *m)
{
	const struct dtype *ty = member_type(c, m), *r;
	uint32_t width = 0;

	if (!ty)
		return false;
	r = dtype_resolve(c->t, ty);
	if (m->bits && !bit_width(c, m, r, &width))
		return false;
	if (!m->name && !m->bits && r->kind != DK_STRUCT && r->kind != DK_UNION) {
		diag_error(c->d, m->at, D_DECL_MNAME, "member declaration requires a name");
		return false;
	}
	add_member(l, m->name, ty, r, m->bits != NULL, width);
	if (l->bits / 8 > CHECK_MAX_MEMBER_SIZE) {
		diag_error(c->d, m->at, D_DECL_ARRBIG, "%s is too big", dtype_name(c->t, l->ty));
		return false;
	}
	return true;
}

static bool same_member_twice(struct checker *c, const struct tydecl *def)
{
	const struct tymember *m;
	struct symtab seen;

	symtab_init(&seen, c->a);
	for (m = def->members; m; m = m->next) {
		if (!m->name)
			continue;
		if (symtab_get(&seen, m->name, 0)) {
			diag_error(c->d, m->at, D_UNKNOWN,
				   "failed to define member '%s': Duplicate member or variable name", m->name);
			return true;
		}
		symtab_put(&seen, m->name, 0, (void *)m);
	}
	return false;
}

static void define_struct(struct checker *c, struct dtype *ty, const struct tydecl *def)
{
	struct layout l = { .ty = ty, .strsize = c->env->opts ? opts_strcap(c->env->opts) : OPTIONS_STRSIZE_DEFAULT };
	const struct tymember *m;
	uint32_t n = 0;

	for (m = def->members; m; m = m->next)
		n++;
	l.m = arena_new_arr(c->a, struct dmember, n ? n : 1);
	if (!same_member_twice(c, def)) {
		for (m = def->members; m; m = m->next) {
			if (!one_member(c, &l, m))
				break;
		}
	}
	ty->members = l.m;
	ty->nmembers = l.n;
	ty->size = round_up(round_up(l.bits, 8) / 8, ty->align);
	ty->complete = true;
}

static bool enum_value(struct checker *c, const struct tymember *m, int64_t *val)
{
	struct node *v;

	if (!m->value)
		return true;
	if (!const_value(c, m->value, &v)) {
		if (v->type->kind != DK_DYN)
			diag_error(c->d, m->value->at, D_DECL_ENCONST,
				   "enumerator '%s' must be assigned to an integral constant "
				   "expression",
				   m->name)
				->read_to = m->read_to;
		return false;
	}
	*val = (int64_t)v->ival;
	return true;
}

static void define_enum(struct checker *c, struct dtype *ty, const struct tydecl *def)
{
	const struct tymember *m;
	struct denumval *v;
	int64_t next = 0;
	uint32_t n = 0;

	for (m = def->members; m; m = m->next)
		n++;
	v = arena_new_arr(c->a, struct denumval, n ? n : 1);
	ty->evals = v;
	ty->size = ty->align = 4;
	ty->is_signed = true;
	ty->complete = true;
	for (m = def->members; m; m = m->next, next++) {
		if (!enum_value(c, m, &next))
			return;
		if (next > INT32_MAX || next < INT32_MIN) {
			diag_error(c->d, m->at, D_DECL_ENOFLOW, "enumerator '%s' value overflows INT_MAX (2147483647)",
				   m->name)
				->read_to = m->read_to;
			return;
		}
		for (unsigned i = 0; i < ty->nevals; i++) {
			if (strcmp(v[i].name, m->name) != 0)
				continue;
			diag_error(c->d, m->at, D_UNKNOWN,
				   "failed to define enumerator '%s': Duplicate member or "
				   "variable name",
				   m->name)
				->read_to = m->read_to;
			return;
		}
		if (symtab_get(&c->globals, m->name, 0) || symtab_get(&c->inlines, m->name, 0) ||
		    symtab_get(&c->t->enumerators, m->name, 0)) {
			diag_error(c->d, m->at, D_DECL_IDRED, "identifier redeclared: %s", m->name);
			return;
		}
		v[ty->nevals] = (struct denumval){ m->name, next };
		dtype_add_enumerator(c->t, ty, ty->nevals++);
	}
}

const struct dtype *check_tydecl(struct checker *c, struct tydecl *def, struct span at)
{
	unsigned before = c->d->nerrors;
	struct dtype *ty;

	if (def->done == c->t)
		return def->type;
	if (def->tag && symtab_get(&c->t->names, def->tag, def->kind)) {
		diag_error(c->d, at, D_DECL_TYPERED, "type redeclared: %s %s", kind_text(def->kind), def->tag);
		def->type = basic(c, DT_DYN);
		def->done = c->t;
		return def->type;
	}
	ty = dtype_new_tagged(c->t, def->kind, def->tag);
	def->type = ty;
	def->done = c->t;
	if (def->kind == DK_ENUM)
		define_enum(c, ty, def);
	else
		define_struct(c, ty, def);
	if (c->d->nerrors > before)
		ty->kind = DK_DYN; /* what uses it stays silent */
	return ty;
}
