/* SPDX-License-Identifier: Apache-2.0 */
/* Types as text: names for messages, and the reader of the C type names in tables and providers. */
#include "base/num.h"
#include "lang/types/int.h"
#include <ctype.h>
#include <string.h>

/* -- names -- */

static const char *tag_name(struct dtypes *t, const struct dtype *ty)
{
	const char *kw = ty->kind == DK_UNION || ty->is_union ? "union" : ty->kind == DK_ENUM ? "enum" : "struct";

	return arena_printf(t->arena, "%s %s", kw, ty->name ? ty->name : "(anon)");
}

static const char *base_name(struct dtypes *t, const struct dtype *ty)
{
	switch (ty->kind) {
	case DK_STRUCT:
	case DK_UNION:
	case DK_ENUM:
	case DK_FWD: return tag_name(t, ty);
	default: return ty->name ? ty->name : "(anon)";
	}
}

static const char *qual_text(unsigned q)
{
	static const char *const text[] = {
		"",	     "const ",		"volatile ",	      "const volatile ",
		"userland ", "userland const ", "userland volatile ", "userland const volatile "
	};
	return text[q & (DTYPE_NQUALS - 1)];
}

/* The declarator grows around `inner` from the outermost derivation inwards, as in C. */
static const char *derived_name(struct dtypes *t, const struct dtype *ty, const char *inner, unsigned depth)
{
	if (depth > DTYPE_MAX_DEPTH)
		return "…";
	switch (ty->kind) {
	case DK_PTR:
		inner = arena_printf(t->arena, "*%s%s", ty->quals & DQ_CONST ? (*inner ? "const " : "const") : "",
				     inner);
		if (ty->base->kind == DK_ARRAY || ty->base->kind == DK_FUNC)
			inner = arena_printf(t->arena, "(%s)", inner);
		return derived_name(t, ty->base, inner, depth + 1);
	case DK_ARRAY:
		inner = arena_printf(t->arena, "%s[%llu]", inner, (unsigned long long)ty->nelems);
		return derived_name(t, ty->base, inner, depth + 1);
	case DK_FUNC: inner = arena_printf(t->arena, "%s()", inner); return derived_name(t, ty->base, inner, depth + 1);
	default:
		return arena_printf(t->arena, "%s%s%s%s", qual_text(ty->quals), base_name(t, ty), *inner ? " " : "",
				    inner);
	}
}

const char *dtype_declare(struct dtypes *t, const struct dtype *ty, const char *name)
{
	return derived_name(t, ty, name, 0);
}

const char *dtype_name(struct dtypes *t, const struct dtype *ty)
{
	if (ty->kind == DK_PTR && (ty->quals & DQ_USERLAND))
		return arena_printf(t->arena, "userland %s", derived_name(t, ty, "", 0));
	return derived_name(t, ty, "", 0);
}

/* -- reading -- */

struct words {
	unsigned nlong, nshort, nsigned, nunsigned, nint, nchar, nfloat, ndouble, nvoid, nbool, nstr;
};

static bool count_word(struct words *w, const char *s, size_t n)
{
	const struct {
		const char *name;
		unsigned *count;
	} table[] = { { "long", &w->nlong },	     { "short", &w->nshort },	{ "signed", &w->nsigned },
		      { "unsigned", &w->nunsigned }, { "int", &w->nint },	{ "char", &w->nchar },
		      { "float", &w->nfloat },	     { "double", &w->ndouble }, { "void", &w->nvoid },
		      { "_Bool", &w->nbool },	     { "string", &w->nstr } };
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (strlen(table[i].name) == n && !memcmp(table[i].name, s, n)) {
			++*table[i].count;
			return true;
		}
	}
	return false;
}

static enum dbasic int_of_words(const struct words *w)
{
	bool u = w->nunsigned;

	if (w->nchar)
		return u ? DT_UCHAR : w->nsigned ? DT_SCHAR : DT_CHAR;
	if (w->nshort)
		return u ? DT_USHORT : DT_SHORT;
	if (w->nlong >= 2)
		return u ? DT_ULLONG : DT_LLONG;
	if (w->nlong)
		return u ? DT_ULONG : DT_LONG;
	return u ? DT_UINT : DT_INT;
}

enum dbasic dtype_parse_basic(const char *s, size_t len)
{
	const char *end = s + len;
	struct words w = { 0 };

	while (s < end) {
		const char *e = s;

		while (e < end && *e != ' ')
			e++;
		if (e > s && !count_word(&w, s, (size_t)(e - s)))
			return DT_NBASIC;
		s = e + (e < end);
	}
	if (w.nvoid)
		return DT_VOID;
	if (w.nbool)
		return DT_BOOL;
	if (w.nstr)
		return DT_STRING;
	if (w.nfloat)
		return DT_FLOAT;
	if (w.ndouble)
		return w.nlong ? DT_LDOUBLE : DT_DOUBLE;
	if (!(w.nlong + w.nshort + w.nsigned + w.nunsigned + w.nint + w.nchar))
		return DT_NBASIC;
	return int_of_words(&w);
}

struct treader {
	struct dtypes *t;
	const char *p;
	unsigned quals;
	const char *module;
};

static size_t word_len(const char *p)
{
	size_t n = 0;

	while (isalnum((unsigned char)p[n]) || p[n] == '_' || p[n] == ':')
		n++;
	return n;
}

static void skip_space(struct treader *r)
{
	while (*r->p == ' ')
		r->p++;
}

static bool take_word(struct treader *r, const char *w)
{
	size_t n;

	skip_space(r);
	n = word_len(r->p);
	if (n != strlen(w) || strncmp(r->p, w, n) != 0)
		return false;
	r->p += n;
	return true;
}

static bool take_qual(struct treader *r)
{
	if (take_word(r, "const"))
		r->quals |= DQ_CONST;
	else if (take_word(r, "volatile"))
		r->quals |= DQ_VOLATILE;
	else if (take_word(r, "userland") || take_word(r, "__user"))
		r->quals |= DQ_USERLAND;
	else
		return take_word(r, "restrict") || take_word(r, "__restrict") || take_word(r, "__rcu") ||
		       take_word(r, "__percpu");
	return true;
}

/* "`" or "module`" in front of a type */
static void take_module(struct treader *r)
{
	size_t n;

	skip_space(r);
	n = word_len(r->p);
	if (r->p[n] != '`')
		return;
	r->module = arena_strndup(r->t->arena, r->p, n);
	r->p += n + 1;
}

static const struct dtype *read_tagged(struct treader *r, enum dkind k)
{
	const struct dtype *ty;
	const char *name;
	size_t n;

	skip_space(r);
	n = word_len(r->p);
	if (!n)
		return NULL;
	name = arena_strndup(r->t->arena, r->p, n);
	r->p += n;
	ty = dtype_lookup(r->t, k, r->module, name);
	if (ty)
		return ty;
	while (take_qual(r))
		;
	skip_space(r);
	if (*r->p != '*' || k == DK_ENUM)
		return NULL;
	/* Unknown, but only pointed to: opaque. */
	ty = symtab_get(&r->t->names, name, DK_FWD);
	return ty ? ty : dtype_new_tagged(r->t, DK_FWD, name);
}

static const struct dtype *read_plain(struct treader *r)
{
	const char *start = r->p, *last = start;
	struct words w = { 0 };
	uint64_t bound;
	size_t n;

	for (;;) {
		skip_space(r);
		n = word_len(r->p);
		if (!n || !count_word(&w, r->p, n))
			break;
		r->p += n;
		last = r->p;
	}
	r->p = last;
	if (last > start)
		return r->t->basic[dtype_parse_basic(start, (size_t)(last - start))];
	if (!n)
		return NULL;
	skip_space(r);
	start = r->p;
	r->p += n;
	if (n > 7 && !strncmp(start, "string:", 7)) {
		if (num_parse_u64(arena_strndup(r->t->arena, start + 7, n - 7), &bound) < 0)
			return NULL;
		return dtype_string(r->t, (uint32_t)bound);
	}
	return dtype_lookup(r->t, DK_TYPEDEF, r->module, arena_strndup(r->t->arena, start, n));
}

static const struct dtype *read_array(struct treader *r, const struct dtype *ty)
{
	uint64_t n = 0;

	r->p++;
	skip_space(r);
	while (isdigit((unsigned char)*r->p))
		n = n * 10 + (uint64_t)(*r->p++ - '0');
	skip_space(r);
	if (*r->p != ']')
		return NULL;
	r->p++;
	return dtype_array(r->t, ty, n);
}

const struct dtype *dtype_parse(struct dtypes *t, const char *text)
{
	struct treader r = { .t = t, .p = text };
	const struct dtype *ty;

	while (take_qual(&r))
		;
	take_module(&r);
	while (take_qual(&r))
		;
	if (take_word(&r, "struct"))
		ty = read_tagged(&r, DK_STRUCT);
	else if (take_word(&r, "union"))
		ty = read_tagged(&r, DK_UNION);
	else if (take_word(&r, "enum"))
		ty = read_tagged(&r, DK_ENUM);
	else
		ty = read_plain(&r);
	while (ty && take_qual(&r))
		;
	/* userland belongs to the pointer */
	if (ty)
		ty = dtype_qual(t, ty, r.quals & ~(unsigned)DQ_USERLAND);
	while (ty) {
		unsigned user = r.quals & DQ_USERLAND;

		skip_space(&r);
		if (*r.p == '[') {
			ty = read_array(&r, ty);
			continue;
		}
		if (*r.p != '*')
			break;
		r.p++;
		r.quals = 0;
		while (take_qual(&r))
			;
		ty = dtype_qual(t, dtype_ptr(t, ty), r.quals | user);
	}
	skip_space(&r);
	return *r.p ? NULL : ty;
}
