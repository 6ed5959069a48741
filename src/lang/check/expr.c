/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions: constants, members, casts, sizeof, symbols; dispatch to the other files of the
 * checker. */
#include "lang/dlib.h"
#include "lang/check/call.h"
#include "lang/check/clause.h"
#include "lang/check/decl.h"
#include "lang/check/event.h"
#include "lang/check/expr.h"
#include "lang/check/inline.h"
#include <string.h>

/* -- constants -- */

/* C's rules: the first of these types that holds the value, from where the suffix starts; decimal
 * constants are never unsigned unless they say so. Source: C17 6.4.4.1. */
static struct node *check_int_const(struct checker *c, struct node *n)
{
	static const enum dbasic types[] = { DT_INT, DT_UINT, DT_LONG, DT_ULONG, DT_LLONG, DT_ULLONG };
	const char *s = n->name ? n->name : "";
	bool u = strchr(s, 'u') || strchr(s, 'U');
	bool decimal = !n->str || n->str[0] != '0' || !n->str[1];
	unsigned i = u, step = decimal || u ? 2 : 1;

	n->is_const = true;
	if (n->is_char_const && n->ival <= UINT32_MAX) { /* of more characters: as any number */
		n->ival = int_wrap(basic(c, DT_INT), n->ival);
		return set_type(n, basic(c, DT_INT));
	}
	for (; *s; s++)
		i += *s == 'l' || *s == 'L' ? 2 : 0;
	for (; i < sizeof(types) / sizeof(types[0]); i += step) {
		const struct dtype *ty = basic(c, types[i]);
		uint64_t max = ty->size == 8 ? UINT64_MAX : UINT32_MAX;

		if (ty->is_signed)
			max >>= 1;
		if (n->ival <= max)
			return set_type(n, ty);
	}
	return fail(c, n, D_INT_OFLOW, "integer constant 0x%llx cannot be represented in any built-in integral type",
		    (unsigned long long)n->ival);
}

static struct node *check_str_const(struct checker *c, struct node *n)
{
	uint32_t bound = n->len < UINT32_MAX ? (uint32_t)n->len + 1 : 0;

	n->is_const = true;
	return set_type(n, dtype_string(c->t, bound));
}

/* -- kernel symbols -- */

static struct node *check_ksym(struct checker *c, struct node *n)
{
	const struct ksym_source *ks = c->env->ksyms;
	const char *mod = n->str;
	struct node *other;
	struct tref ref;

	if (!ks || ks->find(ks->ctx, mod, n->name, &n->ksym_addr) < 0) {
		other = foreign_ksym(c, n);
		if (other)
			return other;
		fail(c, n, D_IDENT_UNDEF, "failed to resolve %s`%s: Unknown symbol name", mod ? mod : "", n->name);
		if (*n->name)
			hint(c, "the symbol table of the kernel does not list it; variables are only "
				"listed by "
				"kernels with CONFIG_KALLSYMS_ALL");
		return n;
	}
	n->lvalue = true;
	if (!c->env->ts || typesrc_find_var(c->env->ts, mod, n->name, &ref) < 0)
		return set_type(n, basic(c, DT_VOID)); /* its address and casts of it are of use */
	return set_type(n, dtype_from_ref(c->t, ref));
}

/* A symbol without type may only be cast, or its address taken. */
static struct node *need_type(struct checker *c, struct node *n)
{
	if (n->kind != N_KSYM || n->type->kind != DK_VOID)
		return n;
	fail(c, n, D_SYM_NOTYPES, "no symbolic type information is available for %s`%s: %s",
	     n->str ? n->str : "vmlinux", n->name, "No type information available for symbol");
	hint(c, "give the type: *(type *)&`%s", n->name);
	return n;
}

/* -- members -- */

#define CHOICES_DEPTH 4 /* anonymous structs in one another whose members are told as choices */

/* Members for completion in an editor, those of anonymous members among them. */
static void choose_member(struct checker *c, const struct dtype *st, unsigned depth)
{
	for (uint32_t i = st->nmembers; c->d->latest && i-- > 0;) {
		const struct dmember *m = &st->members[i];
		const struct dtype *r = dtype_resolve(c->t, m->type);

		if (m->name && m->name[0])
			diag_choice(c->d, c->d->latest, m->name, dtype_name(c->t, m->type));
		else if ((r->kind == DK_STRUCT || r->kind == DK_UNION) && depth < CHOICES_DEPTH)
			choose_member(c, r, depth + 1);
	}
}

static void hint_member(struct checker *c, const struct dtype *st, const char *name)
{
	struct near m;
	uint32_t i;

	near_init(&m, name);
	for (i = 0; i < st->nmembers; i++)
		near_try(&m, st->members[i].name);
	if (m.best)
		hint(c, "did you mean %s?", m.best);
	choose_member(c, st, 0);
}

/* The struct that -> or . is applied to; NULL: reported. */
static const struct dtype *member_base(struct checker *c, struct node *n)
{
	const struct dtype *r = res(c, n->a);
	const char *op = n->arrow ? "->" : ".";

	if (n->arrow && r->kind != DK_PTR && r->kind != DK_ARRAY) {
		fail(c, n, D_OP_PTR, "operator -> must be applied to a pointer");
		if (r->kind == DK_STRUCT || r->kind == DK_UNION)
			hint(c, "use . with a struct");
		return NULL;
	}
	if (n->arrow)
		r = dtype_resolve(c->t, r->base);
	if (r->kind == DK_FWD) {
		fail(c, n, D_OP_INCOMPLETE,
		     "operator %s cannot be applied to a forward declaration: no %s definition is "
		     "available",
		     op, dtype_name(c->t, r));
		return NULL;
	}
	if (r->kind == DK_STRUCT || r->kind == DK_UNION)
		return r;
	if (r->kind == DK_DYN) {
		set_err(c, n);
		return NULL;
	}
	if (n->arrow) {
		fail(c, n, D_OP_SOU,
		     "operator -> cannot be applied to pointer to type \"%s\"; must be applied to "
		     "a "
		     "struct or union pointer",
		     dtype_name(c->t, r));
	} else {
		fail(c, n, D_OP_SOU,
		     "operator . cannot be applied to type \"%s\"; must be applied to a struct or "
		     "union",
		     dtype_name(c->t, r));
		if (r->kind == DK_PTR)
			hint(c, "use -> with a pointer");
	}
	return NULL;
}

/* curcpu->cpu_id is the one member of curcpu that needs no kernel structure. */
static bool is_cpu_id(const struct node *n)
{
	const struct builtin *b = n->a->kind == N_IDENT ? builtin_find(n->a->name) : NULL;

	return n->arrow && b && b->id == BI_CURCPU && !strcmp(n->name, "cpu_id");
}

static struct node *check_member(struct checker *c, struct node *n)
{
	const struct dtype *st, *mt;
	struct node *other;

	if (is_cpu_id(n)) {
		n->kind = N_IDENT;
		n->name = "cpu";
		n->a = NULL;
		return check_ident(c, n, ACC_READ);
	}
	n->a = check_translated(c, n->a);
	if (is_err(n->a))
		return set_err(c, n);
	if (n->arrow)
		n->a = xlate_again(c, n->a);
	if (n->a->kind == N_XLATE)
		return n->a->tracker ? event_member(c, n) : xlate_member(c, n);
	st = member_base(c, n);
	if (!st)
		return n;
	if (!dtype_member(c->t, st, n->name, &n->member)) {
		other = foreign_member(c, n, st);
		if (other)
			return other;
		fail(c, n, D_TYPE_MEMBER, "%s is not a member of %s", n->name, dtype_name(c->t, st));
		hint_member(c, st, n->name);
		return n;
	}
	n->user = n->arrow ? is_user_type(n->a->type) || n->a->user : n->a->user;
	if (n->arrow)
		n->a = decay(c, n->a);
	n->lvalue = n->arrow || n->a->lvalue;
	mt = n->member.type;
	/* A pointer inside of user memory points to user memory. */
	if (n->user && dtype_resolve(c->t, mt)->kind == DK_PTR)
		mt = dtype_qual(c->t, mt, DQ_USERLAND);
	return set_type(n, mt);
}

/* -- sizeof, offsetof, casts -- */

static struct node *size_const(struct checker *c, struct node *n, uint64_t v)
{
	n->kind = N_INT;
	n->ival = v;
	n->is_const = true;
	n->name = "ul";
	n->str = NULL;
	n->a = NULL;
	return set_type(n, dtype_parse(c->t, "size_t"));
}

/* Is sizeof (name) about a value? */
static bool names_value(struct checker *c, const struct node *a)
{
	const struct dtype *ty;
	int64_t v;

	if (a->kind != N_IDENT || strcmp(a->name, "NULL") == 0)
		return true;
	return local_find(c, a->name) || symtab_get(&c->globals, a->name, 0) || symtab_get(&c->inlines, a->name, 0) ||
	       builtin_find(a->name) || dlib_find(c->env->libs, c->env, DLIB_NAME, a->name) ||
	       (!dtype_lookup(c->t, DK_TYPEDEF, NULL, a->name) && dtype_find_enumerator(c->t, a->name, &ty, &v));
}

static struct node *check_sizeof(struct checker *c, struct node *n)
{
	const struct dtype *ty, *r;

	if (n->a && (!n->tyname || names_value(c, n->a))) {
		n->a = check_data(c, n->a);
		if (n->a->kind == N_STR)
			return size_const(c, n, n->a->len + 1);
		if (n->a->kind == N_MEMBER && n->a->member.bit_size)
			return fail(c, n, D_SIZEOF_BITFIELD, "cannot apply sizeof to a bit-field");
		ty = n->a->type;
	} else {
		ty = check_type(c, n->tyname);
	}
	if (ty->kind == DK_DYN)
		return set_err(c, n);
	r = dtype_resolve(c->t, ty);
	if (r->kind == DK_STRING)
		return size_const(c, n, c->env->opts ? c->env->opts->strsize : 256);
	if (!r->size)
		return fail(c, n, D_SIZEOF_TYPE, "cannot apply sizeof to an operand of unknown size");
	return size_const(c, n, r->size);
}

static struct node *check_offsetof(struct checker *c, struct node *n)
{
	const struct dtype *ty = check_type(c, n->tyname), *r = dtype_resolve(c->t, ty);
	struct dmember m;

	if (ty->kind == DK_DYN)
		return set_err(c, n);
	if (r->kind != DK_STRUCT && r->kind != DK_UNION)
		return fail(c, n, D_OFFSETOF_TYPE, "offsetof operand must be a struct or union type");
	if (!dtype_member(c->t, r, n->name, &m)) {
		fail(c, n, D_UNKNOWN, "failed to determine offset of %s: Member name not found", n->name);
		hint_member(c, r, n->name);
		return n;
	}
	if (m.bit_size)
		return fail(c, n, D_OFFSETOF_BITFIELD, "cannot take offset of a bit-field: %s", n->name);
	return size_const(c, n, m.bit_off / 8);
}

static struct node *check_any(struct checker *c, struct node *n, bool data);

static struct node *check_choice(struct checker *c, struct node *n, bool data)
{
	bool bad;
	struct node *k = const_branch(c, n, &bad);

	if (bad)
		return set_err(c, n);
	return k ? check_any(c, k, data) : fold(c, check_cond(c, n));
}

static struct node *check_stringof(struct checker *c, struct node *n, const char *tag)
{
	const struct dtype *r = res(c, n->a);

	if (r->kind == DK_STRING || r->kind == DK_PTR || dtype_is_integer(r) || type_strcompat(c, n->a->type)) {
		struct node *k;

		if (r->kind != DK_STRING && r->kind != DK_ARRAY) {
			n->kind = N_STRINGOF;
			n->user = is_user_type(n->a->type);
			return set_type(n, basic(c, DT_STRING));
		}
		k = to_string(c, n->a);
		k->next = n->next;
		k->implicit = false;
		return k;
	}
	if (tag == D_STRINGOF_TYPE)
		return fail(c, n, tag, "cannot apply stringof to a value of type %s", tname(c, n->a));
	return fail(c, n, tag, "invalid cast expression: \"%s\" to \"string\"", tname(c, n->a));
}

static struct node *check_cast(struct checker *c, struct node *n)
{
	const struct dtype *to = check_type(c, n->tyname), *r = dtype_resolve(c->t, to), *from;

	n->a = check_any(c, n->a, false);
	if (to->kind == DK_DYN || is_err(n->a))
		return set_err(c, n);
	if (dtype_is_integer(r))
		n->a = xlate_number(c, n->a);
	if (n->a->kind == N_XLATE && r->kind != DK_VOID)
		return fail(c, n, D_CAST_INVAL, "invalid cast expression: \"%s\" to \"%s\"", tname(c, n->a),
			    dtype_name(c->t, to));
	n->a = xlate_whole(c, n->a);
	if (is_err(n->a))
		return set_err(c, n);
	if (n->a->kind == N_KSYM && n->a->type->kind == DK_VOID && r->kind != DK_VOID) {
		/* (type)`symbol: the cast gives the type of the untyped symbol */
		n->a->type = to;
		n->a->next = n->next;
		return n->a;
	}
	from = res(c, n->a);
	if (r->kind == DK_STRING)
		return check_stringof(c, n, D_CAST_INVAL);
	if (r->kind == DK_PTR && from->kind == DK_STRING) {
		n->a = string_ptr(c, n->a);
		from = res(c, n->a);
	}
	if (dtype_is_scalar(r) && (from->kind == DK_ARRAY || from->kind == DK_FUNC)) {
		n->a = decay(c, n->a);
		from = res(c, n->a);
	}
	if (r->kind != DK_VOID && !types_same(c, r, from) && !(dtype_is_scalar(r) && dtype_is_scalar(from)))
		return fail(c, n, D_CAST_INVAL, "invalid cast expression: \"%s\" to \"%s\"", tname(c, n->a),
			    dtype_name(c->t, to));
	if (n->a->kind == N_INT && dtype_is_scalar(r)) {
		struct node *k = convert(c, n->a, to);

		k->next = n->next;
		return k;
	}
	if (is_user_type(n->a->type) && r->kind == DK_PTR)
		to = dtype_qual(c->t, to, DQ_USERLAND);
	return set_type(n, to);
}

/* -- all -- */

static struct node *check_kind(struct checker *c, struct node *n, bool data)
{
	switch (n->kind) {
	case N_INT: return check_int_const(c, n);
	case N_STR: return check_str_const(c, n);
	case N_IDENT: return check_ident(c, n, ACC_READ);
	case N_TLS:
	case N_THIS: return check_scoped(c, n, ACC_READ);
	case N_AGG:
		fail(c, n, D_OP_DYN, "aggregation @%s may not be used as a value", n->name);
		hint(c, "aggregations are shown by printa(), and by themselves at the end");
		return n;
	case N_KSYM: return check_ksym(c, n);
	case N_UNARY: return fold(c, check_unary(c, n));
	case N_BINARY: return fold(c, check_binary(c, n));
	case N_COND: return check_choice(c, n, data);
	case N_ASSIGN: return check_assign(c, n);
	case N_CALL: return check_call(c, n, data, false);
	case N_INDEX: return check_index(c, n, ACC_READ);
	case N_MEMBER: return check_member(c, n);
	case N_CAST: return check_cast(c, n);
	case N_SIZEOF: return check_sizeof(c, n);
	case N_OFFSETOF: return check_offsetof(c, n);
	case N_STRINGOF:
		n->a = check_expr(c, n->a);
		return is_err(n->a) ? set_err(c, n) : check_stringof(c, n, D_STRINGOF_TYPE);
	case N_XLATE: return check_xlate(c, n);
	case N_EVENT: return n;
	}
	return set_err(c, n);
}

/* The parser bounds the height of what is written; inlines add to it. */
static struct node *check_any(struct checker *c, struct node *n, bool data)
{
	if (c->depth >= DPROG_MAX_HEIGHT)
		return fail(c, n, D_LIMIT, "expression of more than %d levels", DPROG_MAX_HEIGHT);
	c->depth++;
	n = check_kind(c, n, data);
	c->depth--;
	return n;
}

struct node *check_untyped(struct checker *c, struct node *n)
{
	return xlate_whole(c, check_any(c, n, false));
}

struct node *check_translated(struct checker *c, struct node *n)
{
	n = check_any(c, n, false);
	if (n->kind == N_EVENT && n->type->kind == DK_STACK)
		return fail(c, n, D_CG_EXPR, "a stack may be recorded or be a key of an aggregation, and nothing else");
	return is_err(n) ? n : need_type(c, n);
}

struct node *check_expr(struct checker *c, struct node *n)
{
	return xlate_whole(c, check_translated(c, n));
}

struct node *check_traced(struct checker *c, struct node *n, const char *action)
{
	n = xlate_number(c, check_any(c, n, true));
	if (n->kind == N_XLATE && !is_err(n) && res(c, n)->kind == DK_PTR) {
		fail(c, n, D_TRACE_DYN, "%s( ) may not be applied to a dynamic expression", action);
		hint(c, "a translated value has no address: use its members, or * for all of them");
		return n;
	}
	n = xlate_value(c, n);
	return is_err(n) ? n : need_type(c, n);
}

struct node *check_data(struct checker *c, struct node *n)
{
	n = xlate_value(c, check_any(c, n, true));
	return is_err(n) ? n : need_type(c, n);
}

/* Keys may use the array itself: they are checked before it is looked at. */
void check_key_exprs(struct checker *c, struct node *n)
{
	struct node **slot;

	for (slot = &n->args; *slot; slot = &(*slot)->next) {
		struct node *next = (*slot)->next;

		(*slot)->next = NULL;
		if ((*slot)->kind == N_AGG) {
			fail(c, *slot, D_KEY_TYPE, "aggregation @%s may not be used as a key", (*slot)->name);
			hint(c, "aggregations are shown by printa(), and by themselves at the end");
			(*slot)->next = next;
			continue;
		}
		*slot = n->kind == N_AGG ? check_data(c, *slot) : check_expr(c, *slot);
		(*slot)->next = next;
	}
}
