/* SPDX-License-Identifier: Apache-2.0 */
/* The table of D types: base types, derived types, types that the program defines. */
#include "base/recfmt.h"
#include "lang/dtype.h"
#include "base/cleanup.h"
#include "base/num.h"
#include "lang/types/int.h"
#include <string.h>

struct basic_row {
	const char *name;
	enum dkind kind;
	uint32_t size;
	bool is_signed, is_char, is_bool;
};

static const struct basic_row basics[DT_NBASIC] = {
	[DT_VOID] = { "void", DK_VOID, 0, false, false, false },
	[DT_CHAR] = { "char", DK_INT, 1, true, true, false },
	[DT_SCHAR] = { "signed char", DK_INT, 1, true, true, false },
	[DT_UCHAR] = { "unsigned char", DK_INT, 1, false, true, false },
	[DT_SHORT] = { "short", DK_INT, 2, true, false, false },
	[DT_USHORT] = { "unsigned short", DK_INT, 2, false, false, false },
	[DT_INT] = { "int", DK_INT, 4, true, false, false },
	[DT_UINT] = { "unsigned int", DK_INT, 4, false, false, false },
	[DT_LONG] = { "long", DK_INT, 8, true, false, false },
	[DT_ULONG] = { "unsigned long", DK_INT, 8, false, false, false },
	[DT_LLONG] = { "long long", DK_INT, 8, true, false, false },
	[DT_ULLONG] = { "unsigned long long", DK_INT, 8, false, false, false },
	[DT_BOOL] = { "_Bool", DK_INT, 1, false, false, true },
	[DT_FLOAT] = { "float", DK_FLOAT, 4, true, false, false },
	[DT_DOUBLE] = { "double", DK_FLOAT, 8, true, false, false },
	[DT_LDOUBLE] = { "long double", DK_FLOAT, 16, true, false, false },
	[DT_STRING] = { "string", DK_STRING, 0, false, false, false },
	[DT_DYN] = { "dynamic variable", DK_DYN, 0, false, false, false },
	[DT_AGG] = { "aggregation", DK_AGG, 0, false, false, false },
	[DT_VOIDPTR] = { NULL, DK_PTR, 8, false, false, false },
};

struct typedef_row {
	const char *name;
	enum dbasic base;
};

/* Typedefs that D programs may use whether or not the kernel describes its types.
 * Source: DTrace's built-in typedefs of the LP64 data model. */
static const struct typedef_row typedefs[] = {
	{ "int8_t", DT_SCHAR },	  { "int16_t", DT_SHORT },   { "int32_t", DT_INT },	    { "int64_t", DT_LONG },
	{ "intptr_t", DT_LONG },  { "uint8_t", DT_UCHAR },   { "uint16_t", DT_USHORT },	    { "uint32_t", DT_UINT },
	{ "uint64_t", DT_ULONG }, { "uintptr_t", DT_ULONG }, { "uchar_t", DT_UCHAR },	    { "ushort_t", DT_USHORT },
	{ "uint_t", DT_UINT },	  { "ulong_t", DT_ULONG },   { "u_longlong_t", DT_ULLONG }, { "longlong_t", DT_LLONG },
	{ "ptrdiff_t", DT_LONG }, { "size_t", DT_ULONG },    { "ssize_t", DT_LONG },	    { "pid_t", DT_INT },
	{ "uid_t", DT_UINT },	  { "gid_t", DT_UINT },	     { "hrtime_t", DT_LLONG },	    { "processorid_t", DT_INT },
	{ "psetid_t", DT_INT },	  { "taskid_t", DT_INT },    { "projid_t", DT_INT },	    { "zoneid_t", DT_INT },
	{ "off_t", DT_LONG },	  { "uint", DT_UINT },	     { "ushort", DT_USHORT },	    { "ulong", DT_ULONG },
};

/* The same, but the kernel's own definition wins. */
static const struct typedef_row fallbacks[] = {
	{ "dev_t", DT_UINT },	{ "mode_t", DT_UINT },	{ "ino_t", DT_ULONG },	 { "nlink_t", DT_UINT },
	{ "time_t", DT_LONG },	{ "clock_t", DT_LONG }, { "key_t", DT_INT },	 { "loff_t", DT_LLONG },
	{ "caddr_t", DT_CHAR }, { "u8", DT_UCHAR },	{ "u16", DT_USHORT },	 { "u32", DT_UINT },
	{ "u64", DT_ULLONG },	{ "s8", DT_SCHAR },	{ "s16", DT_SHORT },	 { "s32", DT_INT },
	{ "s64", DT_LLONG },	{ "__u8", DT_UCHAR },	{ "__u16", DT_USHORT },	 { "__u32", DT_UINT },
	{ "__u64", DT_ULLONG }, { "__s8", DT_SCHAR },	{ "__s16", DT_SHORT },	 { "__s32", DT_INT },
	{ "__s64", DT_LLONG },	{ "bool", DT_BOOL },	{ "ipaddr_t", DT_UINT }, { "in6_addr_t", DT_VOID },
	{ "id_t", DT_INT },
};

struct dtype *dtype_new(struct dtypes *t, enum dkind kind, const char *name, uint64_t size, uint32_t align)
{
	struct dtype_x *x = arena_new_obj(t->arena, struct dtype_x);

	x->t.kind = kind;
	x->t.name = name;
	x->t.size = size;
	x->t.align = align ? align : 1;
	x->t.unqual = &x->t;
	x->qual[0] = &x->t;
	return &x->t;
}

struct dtypes *dtypes_new(struct arena *a, struct typesrc *ts)
{
	struct dtypes *t = arena_new_obj(a, struct dtypes);
	size_t i;

	t->arena = a;
	t->ts = ts;
	symtab_init(&t->names, a);
	symtab_init(&t->kernel, a);
	symtab_init(&t->refs, a);
	symtab_init(&t->strings, a);
	symtab_init(&t->enumerators, a);
	symtab_init(&t->kenums, a);
	for (i = 0; i < DT_NBASIC; i++) {
		const struct basic_row *r = &basics[i];
		struct dtype *ty;

		if (i == DT_VOIDPTR)
			continue;
		ty = dtype_new(t, r->kind, r->name, r->size, r->size);
		ty->is_signed = r->is_signed;
		ty->is_char = r->is_char;
		ty->is_bool = r->is_bool;
		ty->complete = true;
		t->basic[i] = ty;
	}
	t->basic[DT_VOIDPTR] = (struct dtype *)dtype_ptr(t, t->basic[DT_VOID]);
	return t;
}

const struct dtype *dtype_basic(struct dtypes *t, enum dbasic b)
{
	return t->basic[b];
}

const struct dtype *dtype_int(struct dtypes *t, unsigned size, bool is_signed)
{
	static const enum dbasic by_size[][2] = {
		{ DT_UCHAR, DT_SCHAR }, { DT_USHORT, DT_SHORT }, { DT_UINT, DT_INT }, { DT_ULONG, DT_LONG }
	};
	unsigned i = size <= 1 ? 0 : size <= 2 ? 1 : size <= 4 ? 2 : 3;

	return t->basic[by_size[i][is_signed]];
}

/* Where derived types hang: on the (possibly qualified) base type itself. */
static struct dtype_x *x_of(const struct dtype *ty)
{
	return (struct dtype_x *)ty;
}

const struct dtype *dtype_ptr(struct dtypes *t, const struct dtype *base)
{
	struct dtype_x *x = x_of(base);

	if (!x->ptr) {
		x->ptr = dtype_new(t, DK_PTR, NULL, 8, 8);
		x->ptr->base = base;
		x->ptr->complete = true;
	}
	return x->ptr;
}

const struct dtype *dtype_array(struct dtypes *t, const struct dtype *base, uint64_t n)
{
	struct dtype_x *x;
	const struct dtype *el = dtype_resolve(t, base);
	uint64_t size;

	for (x = x_of(base)->arrays; x; x = x->next_array) {
		if (x->t.nelems == n)
			return &x->t;
	}
	if (__builtin_mul_overflow(el->size, n, &size))
		size = 0;
	x = x_of(dtype_new(t, DK_ARRAY, NULL, size, el->align));
	x->t.base = base;
	x->t.nelems = n;
	x->t.complete = true;
	x->next_array = x_of(base)->arrays;
	x_of(base)->arrays = x;
	return &x->t;
}

const struct dtype *dtype_func(struct dtypes *t, const struct dtype *ret)
{
	struct dtype_x *x = x_of(ret);

	if (!x->func) {
		x->func = dtype_new(t, DK_FUNC, NULL, 0, 1);
		x->func->base = ret;
		x->func->complete = true;
	}
	return x->func;
}

const struct dtype *dtype_string(struct dtypes *t, uint32_t bound)
{
	struct dtype *ty;

	if (!bound)
		return t->basic[DT_STRING];
	ty = symtab_get(&t->strings, NULL, bound);
	if (!ty) {
		ty = dtype_new(t, DK_STRING, "string", 0, 1);
		ty->strbound = bound;
		ty->complete = true;
		symtab_put(&t->strings, NULL, bound, ty);
	}
	return ty;
}

const struct dtype *dtype_stack(struct dtypes *t, enum dkind k, uint32_t nframes, uint32_t strframes)
{
	const char *key = k == DK_STACK ? "stack" : "ustack";
	uint64_t n = (uint64_t)nframes << 32 | strframes;
	struct dtype *ty = symtab_get(&t->strings, key, n);

	if (!ty) {
		ty = dtype_new(t, k, "stack", 0, 8);
		ty->nframes = nframes;
		ty->strframes = strframes;
		ty->complete = true;
		symtab_put(&t->strings, key, n, ty);
	}
	return ty;
}

const struct dtype *dtype_sym(struct dtypes *t, uint32_t field_kind)
{
	struct dtype *ty = symtab_get(&t->strings, "sym", field_kind);

	if (!ty) {
		ty = dtype_new(t, DK_SYM, "symbolic address", 0, 8);
		ty->symfield = field_kind;
		ty->complete = true;
		symtab_put(&t->strings, "sym", field_kind, ty);
	}
	return ty;
}

const struct dtype *dtype_why(struct dtypes *t, uint32_t nframes)
{
	struct dtype *ty = symtab_get(&t->strings, "why", nframes);

	if (!ty) {
		ty = dtype_new(t, DK_SYM, "cause of a wait", 0, 8);
		ty->symfield = FLD_WHY;
		ty->nframes = nframes;
		ty->complete = true;
		symtab_put(&t->strings, "why", nframes, ty);
	}
	return ty;
}

const struct dtype *dtype_qual(struct dtypes *t, const struct dtype *base, unsigned quals)
{
	struct dtype_x *u = x_of(base->unqual);
	unsigned all = (base->quals | quals) & (DTYPE_NQUALS - 1);
	struct dtype *q = u->qual[all];

	if (q)
		return q;
	q = &arena_new_obj(t->arena, struct dtype_x)->t;
	*q = u->t;
	q->quals = all;
	q->unqual = &u->t;
	u->qual[all] = q;
	return q;
}

struct dtype *dtype_new_tagged(struct dtypes *t, enum dkind k, const char *tag)
{
	struct dtype *ty = dtype_new(t, k, tag, 0, 1);

	if (tag)
		symtab_put(&t->names, tag, k, ty);
	return ty;
}

const struct dtype *dtype_new_typedef(struct dtypes *t, const char *name, const struct dtype *base)
{
	struct dtype *ty = dtype_new(t, DK_TYPEDEF, name, base->size, base->align);

	ty->base = base;
	ty->is_signed = base->is_signed;
	ty->complete = true;
	symtab_put(&t->names, name, DK_TYPEDEF, ty);
	return ty;
}

static const struct dtype *find_row(struct dtypes *t, const struct typedef_row *rows, size_t n, const char *name)
{
	size_t i;

	for (i = 0; i < n; i++) {
		const struct dtype *base;

		if (strcmp(rows[i].name, name) != 0)
			continue;
		base = t->basic[rows[i].base];
		if (strcmp(name, "caddr_t") == 0)
			base = dtype_ptr(t, base);
		if (strcmp(name, "in6_addr_t") == 0)
			base = dtype_lookup(t, DK_STRUCT, NULL, "in6_addr");
		if (!base)
			return NULL;
		return dtype_new_typedef(t, rows[i].name, base);
	}
	return NULL;
}

static bool has_row(const struct typedef_row *rows, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(rows[i].name, name))
			return true;
	return false;
}

bool dtype_is_builtin_typedef(const char *name)
{
	return has_row(typedefs, ARRAY_SIZE(typedefs), name) || dtype_is_fallback(name);
}

const char *dtype_builtin_typedef(size_t i)
{
	if (i < ARRAY_SIZE(typedefs))
		return typedefs[i].name;
	i -= ARRAY_SIZE(typedefs);
	return i < ARRAY_SIZE(fallbacks) ? fallbacks[i].name : NULL;
}

bool dtype_is_fallback(const char *name)
{
	return has_row(fallbacks, ARRAY_SIZE(fallbacks), name);
}

/* D's base types and typedefs by name ("unsigned long int", "uint64_t"), or NULL. */
static const struct dtype *dtype_builtin(struct dtypes *t, const char *name)
{
	enum dbasic b = dtype_parse_basic(name, strlen(name));

	if (b != DT_NBASIC)
		return t->basic[b];
	return find_row(t, typedefs, ARRAY_SIZE(typedefs), name);
}

static const struct dtype *lookup_kernel(struct dtypes *t, enum dkind kind, const char *module, const char *name)
{
	uint32_t mask = kind == DK_STRUCT  ? TKM(TK_STRUCT) | TKM(TK_FWD)
			: kind == DK_UNION ? TKM(TK_UNION) | TKM(TK_FWD)
			: kind == DK_ENUM  ? TKM(TK_ENUM)
					   : TKM(TK_TYPEDEF) | TKM(TK_INT) | TKM(TK_FLOAT);
	const struct dtype *ty;
	const char *key;
	struct tref ref;

	if (!t->ts)
		return NULL;
	if (module && !*module)
		module = NULL;
	key = module ? arena_printf(t->arena, "%s`%s", module, name) : name;
	ty = symtab_get(&t->kernel, key, kind);
	if (ty)
		return ty;
	if (typesrc_find(t->ts, module, name, mask, &ref) < 0)
		return NULL;
	ty = dtype_from_ref(t, ref);
	if (ty->kind == DK_FWD && kind == DK_STRUCT && !strcmp(ty->name, name))
		ty = dtype_resolve(t, ty);
	symtab_put(&t->kernel, arena_strdup(t->arena, key), kind, (void *)ty);
	return ty;
}

void dtypes_on_miss(struct dtypes *t, void (*define)(void *ctx, enum dkind kind, const char *name), void *ctx)
{
	t->define = define;
	t->define_ctx = ctx;
}

static const struct dtype *lookup_library(struct dtypes *t, enum dkind kind, const char *name)
{
	if (t->define && kind != DK_FWD)
		t->define(t->define_ctx, kind, name);
	return symtab_get(&t->names, name, kind);
}

const struct dtype *dtype_lookup(struct dtypes *t, enum dkind kind, const char *module, const char *name)
{
	bool own = !module || !strcmp(module, "D") || !strcmp(module, "C");
	const struct dtype *ty = NULL;

	if (own)
		ty = symtab_get(&t->names, name, kind);
	if (!ty && own && kind == DK_TYPEDEF)
		ty = dtype_builtin(t, name);
	if (!ty && !module && kind == DK_TYPEDEF)
		ty = lookup_library(t, kind, name);
	if (!ty && (!own || !module))
		ty = lookup_kernel(t, kind, module, name);
	if (!ty && !module && kind != DK_TYPEDEF)
		ty = lookup_library(t, kind, name);
	if (!ty && own && kind == DK_TYPEDEF)
		ty = find_row(t, fallbacks, ARRAY_SIZE(fallbacks), name);
	return ty;
}

const struct dtype *dtype_resolve(struct dtypes *t, const struct dtype *ty)
{
	unsigned depth;

	for (depth = 0; depth < DTYPE_MAX_DEPTH; depth++) {
		ty = ty->unqual;
		if (ty->kind == DK_FWD) {
			const struct dtype *full = dtype_find_complete(t, ty);

			if (!full)
				return ty;
			ty = full;
		} else if (ty->kind == DK_TYPEDEF) {
			ty = ty->base;
		} else {
			if (!ty->complete)
				dtype_complete(t, ty);
			return ty;
		}
	}
	return t->basic[DT_VOID];
}

bool dtype_is_integer(const struct dtype *r)
{
	return (r->kind == DK_INT || r->kind == DK_ENUM) && r->size >= 1 && r->size <= 8;
}

bool dtype_is_scalar(const struct dtype *r)
{
	return r->kind == DK_PTR || dtype_is_integer(r);
}

static bool member_at(struct dtypes *t, const struct dtype *ty, const char *name, unsigned depth, struct dmember *ret)
{
	uint32_t i;

	ty = dtype_resolve(t, ty);
	if ((ty->kind != DK_STRUCT && ty->kind != DK_UNION) || depth > DTYPE_MAX_DEPTH)
		return false;
	for (i = 0; i < ty->nmembers; i++) {
		const struct dmember *m = &ty->members[i];

		if (*m->name) {
			if (strcmp(m->name, name) != 0)
				continue;
			*ret = *m;
			return true;
		}
		if (member_at(t, m->type, name, depth + 1, ret)) {
			ret->bit_off += m->bit_off;
			return true;
		}
	}
	return false;
}

bool dtype_member(struct dtypes *t, const struct dtype *ty, const char *name, struct dmember *ret)
{
	return member_at(t, ty, name, 0, ret);
}
