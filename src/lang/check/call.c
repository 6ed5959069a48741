/* SPDX-License-Identifier: Apache-2.0 */
/* Calls: the prototypes of builtin.def. */
#include "lang/check/args.h"
#include "lang/check/call.h"
#include "lang/check/clause.h"
#include "lang/check/decl.h"
#include "lang/check/expr.h"
#include "lang/check/inline.h"
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

/* Does @name stand where an aggregation is wanted? Other values are checked as data: their own errors are reported
 * first. */
static struct node *agg_arg(struct checker *c, struct node *arg)
{
	const struct builtin *b = arg->kind == N_CALL ? find_builtin_func(c, arg->name) : NULL;

	if (arg->kind == N_AGG)
		return check_agg_ref(c, arg);
	return b && b->kind == BIK_AGG ? arg : check_data(c, arg);
}

static struct node *traced_arg(struct checker *c, struct node *n, struct node *arg)
{
	if (arg->kind == N_AGG) {
		fail(c, arg, D_TRACE_DYN, "%s( ) may not be applied to a dynamic expression", n->name);
		hint(c, "printa() shows an aggregation");
		return arg;
	}
	arg = check_traced(c, arg, n->name);
	if (!is_err(arg) && res(c, arg)->kind == DK_VOID)
		fail(c, arg, D_TRACE_VOID, "%s( ) may not be applied to a void expression", n->name);
	return arg;
}

/* An argument by its class. An argument that a check function must see unchecked stays so. NULL: reported. */
static struct node *check_param(struct checker *c, struct node *n, unsigned i, const char *par, struct node *arg)
{
	bool is_text = arg->kind == N_STR;

	if (isalpha((unsigned char)par[1]) || *par == '`') {
		arg = check_expr(c, arg);
		return is_err(arg) ? NULL : typed_arg(c, n, i, par, arg);
	}
	switch (*par) {
	case 'U': return arg;
	case 'T': arg = traced_arg(c, n, arg); break;
	case 'V': arg = check_traced(c, arg, n->name); break;
	case 'D': arg = check_data(c, arg); break;
	case 'R': arg = arg->kind == N_AGG || is_action_call(c, arg) ? arg : check_data(c, arg); break;
	case 'F': arg = is_text ? check_data(c, arg) : check_expr(c, arg); break;
	case 'X': arg = is_text ? check_data(c, arg) : agg_arg(c, arg); break;
	case '@': arg = agg_arg(c, arg); break;
	default: arg = check_expr(c, arg); return is_err(arg) ? NULL : class_arg(c, n, i, par, arg);
	}
	return arg->type && is_err(arg) ? NULL : arg;
}

/* All arguments, by the prototype of the row. False: n is an error. */
static bool args_fit(struct checker *c, struct node *n, const struct builtin *b)
{
	struct proto pr = proto_of(c, b);
	struct node **slot;
	unsigned i = 0, known = pr.more ? 0 : pr.max;

	while (pr.more && known < PROTO_MAX_PARAMS && pr.par[known])
		known++;
	if (n->nargs < pr.min || n->nargs > pr.max) {
		if (b->flags & BIF_COUNT)
			return true; /* its check function has better words */
		proto_len(c, n, pr.min, pr.max);
		return false;
	}
	for (slot = &n->args; *slot; slot = &(*slot)->next, i++) {
		struct node *next = (*slot)->next, *k;

		(*slot)->next = NULL;
		k = check_param(c, n, i, i < known ? pr.par[i] : pr.more, *slot);
		if (!k) {
			set_err(c, n);
			return false;
		}
		k->next = next;
		*slot = k;
	}
	return true;
}

/* -- rows -- */

static check_fn *const checks[BI_COUNT_] = {
#define BI(id, name, kind, proto, since, flags, bound, check, code, par, doc) [BI_##id] = check,
#include "lang/builtin.def"
#undef BI
};

struct node *check_builtin(struct checker *c, struct node *n, const struct builtin *b)
{
	if (b->id == BI_PRINT && n->nargs == 1 && args_are_all(n->args)) {
		if (!args_print(c, n))
			return n;
		b = n->builtin; /* printf() */
	}
	if (b->kind != BIK_VAR && !args_fit(c, n, b))
		return n;
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

/* Refuses a function that only other kernels have, or that BPF cannot do. */
static struct node *not_on_linux(struct checker *c, struct node *n)
{
	return args_fit(c, n, n->builtin) ? fail(c, n, D_UNSUP, "%s( ) is not supported on Linux", n->name) : n;
}

/* An action where a value is wanted has the type void. The checks around it may report that in better words than
 * check_action_value(). */
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
