/* SPDX-License-Identifier: Apache-2.0 */
/* Calls: the prototypes of builtin.def. */
#include "lang/check/int.h"
#include <ctype.h>
#include <string.h>

/* -- one argument -- */

/* A NULL constant where a string is wanted: reading it is an error at run time, as in DTrace. */
static struct node *string_at_zero(struct checker *c, struct node *n)
{
	struct node *k = new_node(c, N_STRINGOF, n->at);

	k->a = n;
	k->next = n->next;
	n->next = NULL;
	k->implicit = true;
	return set_type(k, basic(c, DT_STRING));
}

/* A pointer to integers of more than a byte, where an address of bytes is wanted (inet_ntoa6()) is a mistake, as in
 * DTrace. */
static bool no_address(const struct checker *c, const struct dtype *r)
{
	const struct dtype *el = r->kind == DK_PTR || r->kind == DK_ARRAY ? dtype_resolve(c->t, r->base) : NULL;

	return el && dtype_is_integer(el) && el->size > 1;
}

/* Parameters named by a letter. NULL: reported. */
static struct node *class_arg(struct checker *c, struct node *n, unsigned i, const char *par, struct node *arg)
{
	const struct dtype *r = res(c, arg);
	const char *colon = strchr(par, ':'), *shown = colon ? colon + 1 : "pointer or integer";

	switch (*par) {
	case 'A':
	case 'B':
	case 'N':
	case 'P':
		if ((*par == 'P' || *par == 'B') && r->kind == DK_STRING)
			return string_ptr(c, arg);
		if (!(*par == 'A' && no_address(c, r)) && ((dtype_is_integer(r) && (*par != 'P' || is_zero(arg))) ||
							   r->kind == DK_PTR || r->kind == DK_ARRAY))
			return decay(c, arg);
		proto_arg(c, n, i, arg, shown);
		return NULL;
	case 'S':
		if (type_strcompat(c, arg->type))
			return to_string(c, arg);
		if (par[1] == '0' && is_zero(arg))
			return arg;
		if (is_zero(arg))
			return string_at_zero(c, arg);
		proto_arg(c, n, i, arg, "char *");
		if (dtype_is_integer(r))
			hint(c, "copyinstr() reads a string from a process, stringof() one from "
				"the kernel");
		return NULL;
	case 'K':
		if (arg->kind == N_INT)
			return arg;
		proto_arg(c, n, i, arg, "integer constant");
		return NULL;
	case 'Q':
		if (arg->kind == N_STR)
			return arg;
		proto_arg(c, n, i, arg, "string constant");
		return NULL;
	default: return arg;
	}
}

/* Parameters with a C type: addresses may also be given as pointers. */
static struct node *typed_arg(struct checker *c, struct node *n, unsigned i, const char *par, struct node *arg)
{
	const struct dtype *ty = dtype_parse(c->t, par);

	if (!ty)
		return arg;
	if (!strcmp(par, "uintptr_t") && is_ptr(c, arg))
		return convert(c, decay(c, arg), ty);
	if (arg_compat(c, ty, arg))
		return convert(c, arg, ty);
	proto_arg(c, n, i, arg, par);
	return NULL;
}

static struct node *check_param(struct checker *c, struct node *n, unsigned i, const char *par, struct node *arg)
{
	if (*par == 'T' && !par[1] && arg->kind == N_AGG) {
		fail(c, arg, D_TRACE_DYN, "%s( ) may not be applied to a dynamic expression", n->name);
		hint(c, "printa() shows an aggregation");
		return NULL;
	}
	if (*par == 'T' && !par[1]) {
		arg = check_traced(c, arg, n->name);
		if (is_err(arg))
			return NULL;
		if (res(c, arg)->kind == DK_VOID) {
			fail(c, arg, D_TRACE_VOID, "%s( ) may not be applied to a void expression", n->name);
			return NULL;
		}
		return arg;
	}
	arg = check_expr(c, arg);
	if (is_err(arg))
		return NULL;
	return isalpha((unsigned char)par[1]) || *par == '`' ? typed_arg(c, n, i, par, arg)
							     : class_arg(c, n, i, par, arg);
}

/* -- results -- */

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

/* Checks arguments against the row's prototype and sets the type of n. */
struct node *by_proto(struct checker *c, struct node *n)
{
	struct proto pr = proto_of(c, n->builtin);
	struct node **slot;
	unsigned i = 0;

	if (proto_len(c, n, pr.min, pr.max))
		return n;
	for (slot = &n->args; *slot; slot = &(*slot)->next, i++) {
		struct node *next = (*slot)->next, *k;

		(*slot)->next = NULL;
		k = check_param(c, n, i, pr.par[i], *slot);
		if (!k)
			return set_err(c, n);
		k->next = next;
		*slot = k;
	}
	return set_type(n, result_type(c, n, pr.ret));
}

/* alloca(size) and copyin(address, size): does a constant size fit? It is the last argument. */
struct node *check_scratch(struct checker *c, struct node *n)
{
	uint64_t max = c->env->opts ? c->env->opts->scratchsize : UINT64_MAX;
	const struct node *size;

	n = by_proto(c, n);
	if (is_err(n))
		return n;
	size = n->args->next ? n->args->next : n->args;
	if (size->kind == N_INT && size->ival > max)
		return fail(c, n, D_ALLOCA_SIZE, "%s(%s%llu) size larger than scratchsize %llu", n->name,
			    size == n->args ? "" : "..., ", (unsigned long long)size->ival, (unsigned long long)max);
	return n;
}

/* -- rows -- */

static check_fn *const checks[BI_COUNT_] = {
#define BI(id, name, kind, proto, since, flags, bound, check, code, par, doc) [BI_##id] = check,
#include "lang/builtin.def"
#undef BI
};

struct node *check_builtin(struct checker *c, struct node *n, const struct builtin *b)
{
	return checks[b->id](c, n);
}

/* -- which function it is -- */

static struct node *fail_undef_func(struct checker *c, struct node *n)
{
	struct near m;
	int i;

	if (symtab_get(&c->globals, n->name, 0) || symtab_get(&c->inlines, n->name, 0))
		return fail(c, n, D_FUNC_IDKIND, "scalar '%s' may not be referenced as a function", n->name);
	fail(c, n, D_FUNC_UNDEF, "undefined function name: %s", n->name);
	if (foreign_hint(c, FOREIGN_CALL, n->name))
		return n;
	near_init(&m, n->name);
	for (i = BI_NONE + 1; i < BI_COUNT_; i++) {
		if (builtin_get((enum bi_id)i)->kind != BIK_VAR)
			near_try(&m, builtin_get((enum bi_id)i)->name);
	}
	if (m.best)
		hint(c, "did you mean %s()?", m.best);
	return n;
}

/* What other kernels have, or DTrace can do to the kernel and BPF cannot. */
static struct node *not_on_linux(struct checker *c, struct node *n)
{
	struct node *k = by_proto(c, n);

	return is_err(k) ? k : fail(c, n, D_UNSUP, "%s( ) is not supported on Linux", n->name);
}

/* An action where a value is wanted has the type void. What surrounds it may complain of that in better words
 * than check_action_value(). */
static struct node *action_value(struct checker *c, struct node *n)
{
	n = check_builtin(c, n, n->builtin);
	if (is_err(n))
		return n;
	c->action = n;
	c->action_errors = c->d->nerrors;
	return set_type(n, basic(c, DT_VOID));
}

static struct node *fail_action(struct checker *c, struct node *n)
{
	return fail(c, n, D_CG_EXPR,
		    "tracing function %s( ) may not be called from a D expression (D program context required)",
		    n->name);
}

void check_action_value(struct checker *c)
{
	struct node *n = c->action;

	c->action = NULL;
	if (n && c->d->nerrors == c->action_errors)
		fail_action(c, n);
}

static bool is_data_call(const struct builtin *b)
{
	return b->flags & BIF_VALUE;
}

struct node *check_call(struct checker *c, struct node *n, bool data_ok, bool statement)
{
	const struct builtin *b = find_builtin_func(c, n->name);
	bool act;

	if (func_exists(c, n->name) || (!b && lib_function(c, n->name)))
		return check_func_call(c, n);
	if (!b)
		return fail_undef_func(c, n);
	n->builtin = b;
	if (b->flags & BIF_TRACKER)
		return check_builtin(c, n, b);
	if (b->kind == BIK_VAR)
		return fail(c, n, D_FUNC_IDKIND, "scalar '%s' may not be referenced as a function", n->name);
	act = b->kind == BIK_ACT || (is_data_call(b) && !data_ok);
	if (b->kind == BIK_AGG) {
		fail(c, n, D_CG_EXPR,
		     "aggregating function %s( ) may not be called from a D expression (D program context required)",
		     n->name);
		hint(c, "assign it to an aggregation: @name = %s(…)", n->name);
		return n;
	}
	if (act && !statement)
		return b->kind == BIK_ACT ? action_value(c, n) : fail_action(c, n);
	if (statement)
		check_effects(c, n);
	if (b->flags & BIF_ABSENT)
		return not_on_linux(c, n);
	return check_builtin(c, n, b);
}
