/* SPDX-License-Identifier: Apache-2.0 */
/* D types of kernel types: made from references into BTF when first asked, members even later. */
#include "lang/types/int.h"
#include <string.h>

static const struct dtype *from_info(struct dtypes *t, struct tref ref, const struct tinfo *in);

static uint64_t ref_key(struct tref ref)
{
	return (uint64_t)ref.obj << 32 | ref.id;
}

const struct dtype *dtype_from_ref(struct dtypes *t, struct tref ref)
{
	const struct dtype *ty;
	struct tinfo in;

	if (!ref.id || !t->ts)
		return t->basic[DT_VOID];
	ty = symtab_get(&t->refs, NULL, ref_key(ref));
	if (ty)
		return ty;
	if (t->depth >= DTYPE_MAX_DEPTH || typesrc_get(t->ts, ref, &in) < 0)
		return t->basic[DT_VOID];
	t->depth++;
	ty = from_info(t, ref, &in);
	t->depth--;
	symtab_put(&t->refs, NULL, ref_key(ref), (void *)ty);
	return ty;
}

static const struct dtype *int_type(struct dtypes *t, const struct tinfo *in)
{
	enum dbasic b = dtype_parse_basic(in->name, strlen(in->name));
	struct dtype *ty;

	if (in->is_bool && in->size == 1)
		return t->basic[DT_BOOL];
	if (b != DT_NBASIC && t->basic[b]->size == in->size &&
	    (t->basic[b]->is_signed == in->is_signed || t->basic[b]->is_char))
		return t->basic[b];
	ty = dtype_new(t, DK_INT, in->name, in->size, in->size ? (uint32_t)in->size : 1);
	ty->is_signed = in->is_signed;
	ty->is_char = in->is_char;
	ty->complete = true;
	return ty;
}

static const struct dtype *float_type(struct dtypes *t, const struct tinfo *in)
{
	return t->basic[in->size == 4 ? DT_FLOAT : in->size == 8 ? DT_DOUBLE : DT_LDOUBLE];
}

/* Pointers to data that the kernel marks __user carry the type tag "user". */
static bool points_to_user(struct dtypes *t, struct tref ref)
{
	struct tinfo in;
	unsigned i;

	for (i = 0; i < DTYPE_MAX_DEPTH && ref.id && !typesrc_get(t->ts, ref, &in); i++) {
		if (in.kind == TK_TYPE_TAG && !strcmp(in.name, "user"))
			return true;
		if (in.kind != TK_TYPE_TAG && in.kind != TK_CONST && in.kind != TK_VOLATILE && in.kind != TK_RESTRICT)
			return false;
		ref = in.target;
	}
	return false;
}

static const struct dtype *ptr_type(struct dtypes *t, struct tref ref, const struct tinfo *in)
{
	const struct dtype *ty = dtype_ptr(t, dtype_from_ref(t, in->target));

	return typesrc_is_user(t->ts, ref.obj) || points_to_user(t, in->target) ? dtype_qual(t, ty, DQ_USERLAND) : ty;
}

static const struct dtype *tagged_type(struct dtypes *t, struct tref ref, enum dkind k, const struct tinfo *in)
{
	uint32_t align = in->size >= 8 ? 8 : in->size >= 4 ? 4 : in->size >= 2 ? 2 : 1;
	struct dtype *ty = dtype_new(t, k, *in->name ? in->name : NULL, in->size, align);

	ty->is_signed = in->is_signed;
	ty->ref = ref;
	ty->from_kernel = true;
	return ty;
}

static const struct dtype *typedef_type(struct dtypes *t, struct tref ref, const struct tinfo *in)
{
	const struct dtype *base = dtype_from_ref(t, in->target);
	struct dtype *ty = dtype_new(t, DK_TYPEDEF, in->name, base->size, base->align);

	ty->base = base;
	ty->is_signed = base->is_signed;
	ty->ref = ref;
	ty->from_kernel = true;
	ty->complete = true;
	return ty;
}

static const struct dtype *from_info(struct dtypes *t, struct tref ref, const struct tinfo *in)
{
	switch (in->kind) {
	case TK_INT: return int_type(t, in);
	case TK_FLOAT: return float_type(t, in);
	case TK_PTR: return ptr_type(t, ref, in);
	case TK_ARRAY: return dtype_array(t, dtype_from_ref(t, in->target), in->nelems);
	case TK_STRUCT: return tagged_type(t, ref, DK_STRUCT, in);
	case TK_UNION: return tagged_type(t, ref, DK_UNION, in);
	case TK_ENUM: return tagged_type(t, ref, DK_ENUM, in);
	case TK_FWD: return tagged_type(t, ref, DK_FWD, in);
	case TK_TYPEDEF: return typedef_type(t, ref, in);
	case TK_CONST: return dtype_qual(t, dtype_from_ref(t, in->target), DQ_CONST);
	case TK_VOLATILE: return dtype_qual(t, dtype_from_ref(t, in->target), DQ_VOLATILE);
	case TK_FUNC_PROTO: return dtype_func(t, dtype_from_ref(t, in->target));
	case TK_RESTRICT:
	case TK_TYPE_TAG:
	case TK_FUNC:
	case TK_VAR: return dtype_from_ref(t, in->target);
	default: return t->basic[DT_VOID];
	}
}

static void complete_members(struct dtypes *t, struct dtype *ty, uint32_t n)
{
	struct dmember *m = arena_new_arr(t->arena, struct dmember, n ? n : 1);
	struct tmember tm;
	uint32_t i, k = 0;

	for (i = 0; i < n; i++) {
		if (typesrc_member(t->ts, ty->ref, i, &tm) < 0)
			continue;
		m[k].name = tm.name;
		m[k].type = dtype_from_ref(t, tm.type);
		m[k].bit_off = tm.bit_off;
		m[k].bit_size = tm.bit_size;
		k++;
	}
	ty->members = m;
	ty->nmembers = k;
}

static void complete_enum(struct dtypes *t, struct dtype *ty, uint32_t n)
{
	struct denumval *v = arena_new_arr(t->arena, struct denumval, n ? n : 1);
	struct tmember tm;
	uint32_t i, k = 0;

	for (i = 0; i < n; i++) {
		if (typesrc_member(t->ts, ty->ref, i, &tm) < 0)
			continue;
		v[k].name = tm.name;
		v[k].value = tm.value;
		k++;
	}
	ty->enumerators = v;
	ty->nenumerators = k;
}

void dtype_complete(struct dtypes *t, const struct dtype *cty)
{
	struct dtype *ty = (struct dtype *)cty;
	struct dtype_x *x = (struct dtype_x *)ty;
	struct tinfo in;

	if (ty->complete || x->completing || !ty->from_kernel || !t->ts)
		return;
	if (typesrc_get(t->ts, ty->ref, &in) < 0)
		return;
	x->completing = true;
	if (ty->kind == DK_ENUM)
		complete_enum(t, ty, in.nmembers);
	else if (ty->kind == DK_STRUCT || ty->kind == DK_UNION)
		complete_members(t, ty, in.nmembers);
	ty->complete = true;
	x->completing = false;
}

const struct dtype *dtype_find_complete(struct dtypes *t, const struct dtype *fwd)
{
	struct dtype *f = (struct dtype *)fwd;
	bool user = t->ts && f->from_kernel && typesrc_is_user(t->ts, f->ref.obj);
	struct tref ref;

	if (f->base)
		return f->base;
	if (!f->name || f->complete)
		return NULL;
	f->base = symtab_get(&t->names, f->name, DK_STRUCT);
	if (!f->base)
		f->base = symtab_get(&t->names, f->name, DK_UNION);
	if (!f->base && t->ts &&
	    !typesrc_find(t->ts, user ? typesrc_obj_name(t->ts, f->ref.obj) : NULL, f->name,
			  TKM(TK_STRUCT) | TKM(TK_UNION), &ref))
		f->base = dtype_from_ref(t, ref);
	if (f->base && f->base->kind == DK_FWD)
		f->base = NULL;
	return f->base;
}

static void add_enumerator(struct dtypes *t, struct symtab *tab, const struct dtype *ty, uint32_t i)
{
	struct dtype_enumerator *e = arena_new_obj(t->arena, struct dtype_enumerator);

	e->type = ty;
	e->value = ty->enumerators[i].value;
	symtab_put(tab, ty->enumerators[i].name, 0, e);
}

void dtype_add_enumerator(struct dtypes *t, const struct dtype *ty, uint32_t i)
{
	add_enumerator(t, &t->enumerators, ty, i);
}

static int index_enum(void *arg, struct tref ref, const char *name)
{
	struct dtypes *t = arg;
	const struct dtype *ty = dtype_from_ref(t, ref);
	uint32_t i;

	(void)name;
	if (ty->kind != DK_ENUM)
		return 0;
	dtype_complete(t, ty);
	for (i = 0; i < ty->nenumerators; i++) {
		if (!symtab_get(&t->kenums, ty->enumerators[i].name, 0))
			add_enumerator(t, &t->kenums, ty, i);
	}
	return 0;
}

bool dtype_find_enumerator(struct dtypes *t, const char *name, const struct dtype **ret, int64_t *val)
{
	const struct dtype_enumerator *e = symtab_get(&t->enumerators, name, 0);

	if (!e && t->ts) {
		if (!t->kenums_done)
			typesrc_each(t->ts, TK_ENUM, "", index_enum, t);
		t->kenums_done = true;
		e = symtab_get(&t->kenums, name, 0);
	}
	if (!e)
		return false;
	*ret = e->type;
	*val = e->value;
	return true;
}
