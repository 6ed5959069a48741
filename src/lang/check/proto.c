/* SPDX-License-Identifier: Apache-2.0 */
/* Built-in names that -x version allows; prototypes of functions, taken apart, and what messages say about them. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include "lang/check/call.h"
#include "lang/check/clause.h"

static const char *trim(struct arena *a, const char *s, const char *end)
{
	while (s < end && *s == ' ')
		s++;
	while (end > s && end[-1] == ' ')
		end--;
	return arena_strndup(a, s, (size_t)(end - s));
}

/* "ret(par, [optional])" */
struct proto proto_of(struct checker *c, const struct builtin *b)
{
	const char *text = b->proto, *p = strchr(text, '('), *end = strrchr(text, ')');
	struct proto pr = { 0 };

	pr.ret = trim(c->a, text, p);
	for (p++; p < end && pr.max < PROTO_MAX_PARAMS; p++) {
		const char *e = p, *par;
		bool optional;

		while (e < end && *e != ',')
			e++;
		par = trim(c->a, p, e);
		optional = par[0] == '[';
		if (optional)
			par = trim(c->a, par + 1, strchr(par, ']'));
		p = e;
		if (strstr(par, "...")) {
			pr.more = par;
			continue;
		}
		pr.par[pr.max++] = par;
		if (!optional)
			pr.min = pr.max;
	}
	if (pr.more)
		pr.max = UINT_MAX;
	return pr;
}

struct node *proto_len(struct checker *c, struct node *n, unsigned min, unsigned max)
{
	const char *how = min == max ? "" : n->nargs < min ? "at least " : "at most ";

	if (n->nargs >= min && n->nargs <= max)
		return NULL;
	return fail(c, n, D_PROTO_LEN, "%s( ) prototype mismatch: %u arg%spassed, %s%u expected", n->name, n->nargs,
		    n->nargs == 1 ? " " : "s ", how, n->nargs < min ? min : max);
}

bool act_protos_fit(struct checker *c, struct node *n)
{
	const struct builtin *b = n->kind == N_CALL ? find_builtin_func(c, n->name) : NULL;
	struct proto pr;

	if (!b || b->kind != BIK_ACT || !strchr(b->proto, '('))
		return true;
	pr = proto_of(c, b);
	return proto_len(c, n, pr.min, pr.max) == NULL;
}

/* A type without a name is only "struct " in DTrace's messages. */
static const char *name_as_said(struct checker *c, const struct node *arg)
{
	const char *name = tname(c, arg), *anon = strstr(name, "(anon)");

	return anon ? arena_printf(c->a, "%.*s%s", (int)(anon - name), name, anon + strlen("(anon)")) : name;
}

struct node *proto_arg(struct checker *c, struct node *n, unsigned i, const struct node *arg, const char *want)
{
	return fail(c, n, D_PROTO_ARG,
		    "%s( ) argument #%u is incompatible with prototype:\n\tprototype: %s\n"
		    "\t argument: %s",
		    n->name, i + 1, want, name_as_said(c, arg));
}

bool is_positive_const(struct checker *c, const struct node *n)
{
	return n->kind == N_INT && n->ival && (!res(c, n)->is_signed || (int64_t)n->ival > 0);
}

/* "1.6.3" as a number that grows with versions; UINT32_MAX: none is set, all names are known. */
uint32_t version_number(const char *text)
{
	unsigned major = 0, minor = 0, micro = 0;

	if (!text || sscanf(text, "%u.%u.%u", &major, &minor, &micro) < 1)
		return UINT32_MAX;
	return major << 24 | (minor & 0xfff) << 12 | (micro & 0xfff);
}

static const struct builtin *allowed(struct checker *c, const struct builtin *b)
{
	if (!b || !c->env->opts || !*c->env->opts->version)
		return b;
	return version_number(b->since) > version_number(c->env->opts->version) ? NULL : b;
}

const struct builtin *find_builtin(struct checker *c, const char *name)
{
	return allowed(c, builtin_find(name));
}

const struct builtin *find_builtin_func(struct checker *c, const char *name)
{
	return allowed(c, builtin_find_func(name));
}

static uint32_t bound_of(struct checker *c, const struct node *n)
{
	return n ? res(c, n)->strbound : 0;
}

/* Static bound of a string result, where the row or the arguments tell it; 0: strsize. */
static uint32_t result_bound(struct checker *c, const struct node *n)
{
	const struct node *a = n->args, *b = a ? a->next : NULL;
	uint32_t bound = n->builtin->bound, x = bound_of(c, a), y, least;

	switch (bound) {
	case BIB_SUM: y = bound_of(c, b); return x && y && x < UINT32_MAX / 2 && y < UINT32_MAX / 2 ? x + y - 1 : 0;
	case BIB_DIGITS: return b ? 66 : 22; /* base 2: 64 digits; base 10: 19; sign, NUL */
	case BIB_SIZE: return b && b->kind == N_INT && b->ival && b->ival < UINT16_MAX ? (uint32_t)b->ival + 1 : 0;
	default: break;
	}
	if (bound < BIB_FIRST(0))
		return bound;
	least = bound - BIB_FIRST(0);
	return x && x < least ? least : x;
}

static uint32_t sym_field(enum bi_id id)
{
	switch (id) {
	case BI_SYM: return FLD_SYM;
	case BI_FUNC: return FLD_FUNC;
	case BI_MOD: return FLD_MOD;
	case BI_USYM: return FLD_USYM;
	case BI_UFUNC: return FLD_UFUNC;
	case BI_UMOD: return FLD_UMOD;
	default: return FLD_UADDR;
	}
}

static const struct dtype *result_type(struct checker *c, const struct node *n, const char *ret)
{
	const struct dtype *ty;
	uint32_t bound;

	if (!strcmp(ret, "sym") || !strcmp(ret, "usym"))
		return dtype_sym(c->t, sym_field(n->builtin->id));
	if (!strcmp(ret, "string")) {
		bound = result_bound(c, n);
		if (c->env->opts && bound > opts_strcap(c->env->opts))
			bound = 0;
		return dtype_string(c->t, bound);
	}
	ty = dtype_parse(c->t, ret);
	return ty ? ty : basic(c, DT_VOIDPTR);
}

/* The type that the row says; arguments were checked by check_builtin(). */
struct node *by_proto(struct checker *c, struct node *n)
{
	return set_type(n, result_type(c, n, proto_of(c, n->builtin).ret));
}
