/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations: variables, typedefs; types as written. */
#include "lang/types/int.h"
#include "lang/check/call.h"
#include "lang/check/clause.h"
#include "lang/check/decl.h"
#include "lang/check/expr.h"
#include "lang/check/inline.h"
#include <string.h>

static const struct dtype *check_tydecl(struct checker *c, struct tydecl *def, struct span at);

static const struct dtype *type_error(struct checker *c)
{
	return basic(c, DT_DYN);
}

/* A fold of a copy; what is no constant is no error here. */
bool const_value(struct checker *c, const struct node *n, struct node **ret)
{
	*ret = check_expr(c, node_copy(c->a, n));
	return (*ret)->kind == N_INT && !is_err(*ret);
}

/* -- types as written -- */

static const char *tag_text(enum dkind k)
{
	return k == DK_STRUCT ? "struct " : k == DK_UNION ? "union " : k == DK_ENUM ? "enum " : "";
}

static const struct dtype *unknown_type(struct checker *c, const struct tyname *t)
{
	const char *mod = t->module ? t->module : "";

	/* A tag that nothing defines is an incomplete type, of use as the target of a pointer. */
	if ((t->tag == DK_STRUCT || t->tag == DK_UNION) && t->name && !t->module) {
		const struct dtype *known = dtype_lookup(c->t, DK_FWD, "D", t->name);
		struct dtype *fwd;

		if (known)
			return known;
		fwd = dtype_new_tagged(c->t, DK_FWD, t->name);
		fwd->is_union = t->tag == DK_UNION;
		return fwd;
	}
	diag_error(c->d, t->at, D_TYPE_ERR, "failed to resolve type %s%s%s%s: Unknown type name", mod,
		   t->module ? "`" : "", tag_text(t->tag), t->name ? t->name : "");
	if (!c->env->ts)
		hint(c, "the types of the kernel are not known: it has no BTF");
	return type_error(c);
}

static const struct dtype *base_type(struct checker *c, const struct tyname *t)
{
	const struct dtype *ty;

	if (t->def)
		return check_tydecl(c, t->def, t->at);
	ty = t->name ? dtype_lookup(c->t, t->tag, t->module, t->name) : NULL;
	return ty ? ty : unknown_type(c, t);
}

static const struct dtype *array_of(struct checker *c, const struct tyname *t, const struct dtype *el,
				    const struct node *size)
{
	const struct dtype *r = dtype_resolve(c->t, el);
	struct node *v;
	uint64_t bytes;

	if (r->kind == DK_VOID) {
		diag_error(c->d, t->at, D_DECL_VOIDOBJ, "cannot declare array of void");
		return type_error(c);
	}
	if (!size)
		return dtype_array(c->t, el, 0);
	if (!const_value(c, size, &v) || !is_positive_const(c, v)) {
		if (v->type->kind != DK_DYN)
			diag_error(c->d, size->at, D_DECL_ARRSUB,
				   "positive integral constant expression or tuple signature expected "
				   "as array declaration subscript");
		return type_error(c);
	}
	if (v->ival > UINT32_MAX || __builtin_mul_overflow(r->size, v->ival, &bytes) || bytes > CHECK_MAX_MEMBER_SIZE) {
		diag_error(c->d, size->at, D_DECL_ARRBIG, "array dimension too big");
		return type_error(c);
	}
	return dtype_array(c->t, el, v->ival);
}

/* Is this the derivation that makes an associative array: keys, and no constant of that name? A
 * name that is neither constant nor type is taken for a size, and refused as such. */
static bool is_assoc(struct checker *c, const struct derive *d)
{
	const struct dtype *ty;
	int64_t v;

	if (d->kind != DK_ARRAY || !d->keys)
		return false;
	if (!d->nelems || d->nelems->kind != N_IDENT)
		return true;
	return !symtab_get(&c->inlines, d->nelems->name, 0) && dtype_lookup(c->t, DK_TYPEDEF, NULL, d->nelems->name) &&
	       !dtype_find_enumerator(c->t, d->nelems->name, &ty, &v);
}

static bool bad_param(struct checker *c, const struct tyname *k, const char *tag, const char *text)
{
	diag_error(c->d, k->at, tag, "%s", text);
	return false;
}

bool params_ok(struct checker *c, const struct tyname *list, const char *kind, bool void_ok)
{
	const struct tyname *k, *o;
	unsigned i = 1;

	for (k = list; k; k = k->next, i++) {
		if (k->derive && is_assoc(c, k->derive))
			return bad_param(c, k, D_DECL_PROTO_TYPE,
					 arena_printf(c->a,
						      "%s prototype may not use parameter of type dynamic variable: "
						      "%s, parameter #%u",
						      kind, k->param ? k->param : "(anonymous)", i));
		const struct dtype *ty = check_type(c, k), *r = dtype_resolve(c->t, ty);
		const char *name = k->param ? k->param : "(anonymous)";

		if (ty->kind == DK_DYN)
			return false;
		if (r->kind == DK_VOID && !void_ok)
			return bad_param(c, k, D_DECL_PROTO_TYPE,
					 arena_printf(c->a,
						      "%s prototype may not use parameter of "
						      "type %s: %s, parameter #%u",
						      kind, dtype_name(c->t, ty), name, i));
		if (r->kind == DK_VOID && k->param)
			return bad_param(c, k, D_DECL_PROTO_NAME,
					 arena_printf(c->a, "void parameter may not have a name: %s", name));
		if (r->kind == DK_VOID && list->next)
			return bad_param(c, k, D_DECL_PROTO_VOID, "void must be sole parameter");
		for (o = list; k->param && o != k; o = o->next) {
			if (o->param && !__builtin_strcmp(o->param, k->param))
				return bad_param(c, k, D_DECL_PROTO_FORM,
						 arena_printf(c->a,
							      "parameter is already declared in "
							      "%s prototype: %s, parameter #%u",
							      kind, name, i));
		}
	}
	return true;
}

static const struct dtype *derived(struct checker *c, const struct tyname *t, const struct dtype *ty,
				   const struct derive *d)
{
	if (ty->kind == DK_DYN)
		return ty;
	if (d->kind == DK_PTR)
		return dtype_qual(c->t, dtype_ptr(c->t, ty), d->quals);
	if (d->kind == DK_FUNC)
		return params_ok(c, d->keys, "function", true) ? dtype_func(c->t, ty) : type_error(c);
	if (is_assoc(c, d)) {
		diag_error(c->d, t->at, D_DECL_DYNOBJ, "cannot declare array of associative arrays");
		return type_error(c);
	}
	return array_of(c, t, ty, d->nelems);
}

const struct dtype *type_until(struct checker *c, const struct tyname *t, const struct derive *stop)
{
	const struct dtype *ty = base_type(c, t);
	unsigned user = t->quals & DQ_USERLAND;
	const struct derive *d;

	if (ty->kind == DK_DYN)
		return ty;
	ty = dtype_qual(c->t, ty, t->quals & ~(unsigned)DQ_USERLAND);
	for (d = t->derive; d && d != stop; d = d->next) {
		ty = derived(c, t, ty, d);
		if (ty->kind == DK_PTR)
			ty = dtype_qual(c->t, ty, user);
	}
	return ty;
}

const struct dtype *check_type(struct checker *c, const struct tyname *t)
{
	return type_until(c, t, NULL);
}

/* -- variables -- */

static bool redeclared(struct checker *c, const struct decl *d, const struct dtype *ty, bool assoc)
{
	enum dscope scope = d->scope == DS_TLS ? VS_TLS : d->scope == DS_THIS ? VS_THIS : VS_GLOBAL;
	struct cvar *v = symtab_get(var_table(c, scope), d->name, 0);

	if (scope == VS_GLOBAL && find_builtin(c, d->name)) {
		diag_error(c->d, d->at, D_DECL_IDRED, "built-in identifier redeclared: %s", d->name);
		return true;
	}
	if (scope == VS_GLOBAL && symtab_get(&c->inlines, d->name, 0)) {
		diag_error(c->d, d->at, D_DECL_IDRED, "identifier redeclared: %s", d->name);
		return true;
	}
	if (!v && scope == VS_GLOBAL && func_exists(c, d->name)) {
		diag_error(c->d, d->at, D_DECL_IDRED, "identifier redeclared: %s", d->name);
		return true;
	}
	if (!v)
		return false;
	if (v->pub.is_assoc == assoc && v->known && types_same(c, v->pub.type, ty))
		return true;
	diag_error(c->d, d->at, D_DECL_IDRED, "identifier redeclared: %s\n\t current: %s %s\n\tprevious: %s %s",
		   d->name, assoc ? "associative array" : "scalar", dtype_name(c->t, ty),
		   v->pub.is_assoc ? "associative array" : "scalar", dtype_name(c->t, v->pub.type));
	return true;
}

/* Can a variable have this type? */
static bool object_ok(struct checker *c, const struct decl *d, const struct dtype *ty)
{
	const struct dtype *r = dtype_resolve(c->t, ty);

	if (r->kind == DK_DYN)
		return false;
	if (r->kind == DK_VOID || r->kind == DK_FUNC) {
		diag_error(c->d, d->at, D_DECL_VOIDOBJ, "cannot have void object: %s", d->name);
		return false;
	}
	if (r->kind == DK_ARRAY && !r->nelems && !d->is_extern) {
		diag_error(c->d, d->at, D_DECL_ARRNULL,
			   "array declaration requires array dimension or tuple signature: %s", d->name);
		return false;
	}
	if (r->kind == DK_ARRAY && !r->nelems)
		return false; /* extern int a[]: of no use */
	if (r->kind == DK_FWD || (r->kind != DK_STRING && !r->size)) {
		diag_error(c->d, d->at, D_DECL_INCOMPLETE, "incomplete struct/union/enum %s: %s", dtype_name(c->t, ty),
			   d->name);
		return false;
	}
	return true;
}

const struct derive *assoc_derive(struct checker *c, const struct decl *d)
{
	const struct derive *v = d->type->derive;

	while (v && v->next)
		v = v->next;
	return v && is_assoc(c, v) ? v : NULL;
}

static bool declare_keys(struct checker *c, struct cvar *v, const struct decl *d, const struct derive *as)
{
	const struct tyname *k;
	unsigned n = 0;

	for (k = as->keys; k; k = k->next)
		n++;
	if (n > CHECK_MAX_KEYS) {
		diag_error(c->d, d->at, D_LIMIT, "more than %d keys", CHECK_MAX_KEYS);
		return false;
	}
	v->pub.keys = arena_new_arr(c->a, const struct dtype *, n ? n : 1);
	v->pub.nkeys = n;
	while (n > 0)
		v->pub.keys[--n] = type_error(c);
	if (!params_ok(c, as->keys, "array", false))
		return false;
	for (k = as->keys; k; k = k->next, n++) {
		const struct dtype *ty = check_type(c, k), *r = dtype_resolve(c->t, ty);

		v->pub.keys[n] = ty;
		if (ty->kind == DK_DYN)
			return false;
		if (r->kind != DK_FUNC && r->kind != DK_FWD)
			continue;
		diag_error(c->d, k->at, D_DECL_PROTO_TYPE,
			   "array prototype may not use parameter of type %s: %s, parameter #%u", dtype_name(c->t, ty),
			   k->param ? k->param : "(anonymous)", n + 1);
		return false;
	}
	return true;
}

static void declare_var(struct checker *c, const struct decl *d)
{
	const struct derive *as = assoc_derive(c, d);
	const struct dtype *ty = type_until(c, d->type, as);
	enum dscope scope = d->scope == DS_TLS ? VS_TLS : d->scope == DS_THIS ? VS_THIS : VS_GLOBAL;
	struct cvar *v;

	/* The prototype of a kernel function is accepted, and of no use. */
	if (ty->kind == DK_DYN || dtype_resolve(c->t, ty)->kind == DK_FUNC)
		return;
	if (as && scope == VS_THIS) {
		diag_error(c->d, d->at, D_DECL_LOCASSC, "associative arrays may not be declared as local variables: %s",
			   d->name);
		return;
	}
	if (!object_ok(c, d, ty) || redeclared(c, d, ty, as != NULL))
		return;
	v = var_new(c, scope, d->name, d->at);
	v->pub.type = rvalue_type(c, ty);
	v->pub.is_assoc = as != NULL;
	v->pub.unnamed = d->is_extern;
	v->declared = v->known = true;
	if (as && !declare_keys(c, v, d, as))
		v->poisoned = true;
}

struct cvar *declare_local(struct checker *c, const struct decl *d)
{
	const struct derive *as = assoc_derive(c, d);
	const struct dtype *ty = type_until(c, d->type, as);
	const struct builtin *b = builtin_find(d->name);
	struct cvar *v;

	if (ty->kind == DK_DYN)
		return NULL;
	if (as) {
		diag_error(c->d, d->at, D_DECL_LOCASSC, "associative arrays may not be declared as local variables: %s",
			   d->name);
		return NULL;
	}
	if (b && b->kind == BIK_VAR) {
		diag_error(c->d, d->at, D_DECL_IDRED, "built-in identifier redeclared: %s", d->name);
		return NULL;
	}
	if (local_find(c, d->name)) {
		diag_error(c->d, d->at, D_DECL_IDRED, "local variable redeclared: %s", d->name);
		return NULL;
	}
	if (!object_ok(c, d, ty))
		return NULL;
	c->prog->has_locals = true;
	v = var_new(c, VS_LOCAL, d->name, d->at);
	v->pub.type = rvalue_type(c, ty);
	v->pub.assigned = v->declared = v->known = true;
	return v;
}

/* -- typedef -- */

static void declare_typedef(struct checker *c, const struct decl *d)
{
	const struct dtype *ty = check_type(c, d->type), *old;

	if (ty->kind == DK_DYN)
		return;
	if (symtab_get(&c->globals, d->name, 0) || builtin_find(d->name)) {
		diag_error(c->d, d->at, D_DECL_IDRED, "global variable identifier redeclared: %s", d->name);
		return;
	}
	old = dtype_lookup(c->t, DK_TYPEDEF, "D", d->name);
	if (old && types_same(c, old, ty))
		return;
	if (old && !dtype_is_fallback(d->name)) {
		diag_error(c->d, d->at, D_DECL_IDRED, "typedef redeclared: %s", d->name);
		return;
	}
	dtype_new_typedef(c->t, d->name, ty);
}

void check_decl(struct checker *c, const struct decl *d)
{
	switch (d->kind) {
	case DECL_VAR: declare_var(c, d); break;
	case DECL_FUNC: declare_func(c, d); break;
	case DECL_TYPEDEF: declare_typedef(c, d); break;
	case DECL_TYPE: check_type(c, d->type); break;
	case DECL_INLINE: declare_inline(c, d); break;
	case DECL_TRANSLATOR: declare_translator(c, d); break;
	case DECL_PROVIDER:
	case DECL_TRACKER: break; /* check.c: the library has none */
	}
}

/* -- struct, union and enum defined in D: layout as the C compiler of this machine lays them out -- */

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

	if (!const_value(c, m->bits, &v) || (!is_positive_const(c, v) && (m->name || v->ival))) {
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
	ty->enumerators = v;
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
		for (unsigned i = 0; i < ty->nenumerators; i++) {
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
		v[ty->nenumerators] = (struct denumval){ m->name, next };
		dtype_add_enumerator(c->t, ty, ty->nenumerators++);
	}
}

static const struct dtype *check_tydecl(struct checker *c, struct tydecl *def, struct span at)
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
