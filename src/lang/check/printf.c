/* SPDX-License-Identifier: Apache-2.0 */
/* Format strings: does each conversion get an argument of its type? */
#include "base/printfmt.h"
#include "lang/check/call.h"
#include "lang/check/clause.h"
#include <errno.h>
#include <string.h>

#define PROTO_XINT "char, short, int, long, or long long"
#define PROTO_CSI "char, short, or int"
#define PROTO_FP "float, double, or long double"
#define PROTO_ADDR "pointer or integer"
#define PROTO_UADDR "pointer or integer (with -p/-c) or _usymaddr (without -p/-c)"
#define PROTO_CSTR "char [] or string (or use stringof)"
#define PROTO_WSTR "wchar_t []"

/* Describes the argument that a conversion wants, for messages. Size prefixes ask for the exact type. */
static const char *wanted(const struct pfconv *pc)
{
	bool u = pc->class == PFC_UINT && pc->conv != 'x' && pc->conv != 'X';

	switch (pc->class) {
	case PFC_DINT:
	case PFC_UINT:
		if (!strncmp(pc->name, "hh", 2))
			return u ? "unsigned char" : "char";
		if (pc->name[0] == 'h')
			return u ? "unsigned short" : "short";
		if (!strncmp(pc->name, "ll", 2))
			return u ? "unsigned long long" : "long long";
		if (pc->name[0] == 'l')
			return u ? "unsigned long" : "long";
		return pc->name[0] == 'p' ? PROTO_ADDR : PROTO_XINT;
	case PFC_CHAR: return pc->name[1] ? "int" : PROTO_CSI;
	case PFC_ECHR: return PROTO_CSI;
	case PFC_STR: return pc->name[1] ? PROTO_WSTR : PROTO_CSTR;
	case PFC_ESTR: return PROTO_CSTR;
	case PFC_FLOAT: return pc->name[0] == 'L' ? "long double" : PROTO_FP;
	case PFC_ADDR: return PROTO_ADDR;
	case PFC_UADDR: return PROTO_UADDR;
	case PFC_STACK: return "stack";
	default: return "int64_t";
	}
}

/* Integer conversions with a size: DTrace wants that very size (64 bits: either spelling). */
static bool int_fits(const struct pfconv *pc, const struct dtype *r)
{
	if (!dtype_is_integer(r))
		return pc->name[0] == 'p' && (r->kind == DK_PTR || r->kind == DK_ARRAY);
	if (!strncmp(pc->name, "hh", 2))
		return r->size == 1;
	if (pc->name[0] == 'h')
		return r->size == 2;
	if (pc->name[0] == 'l')
		return r->size == 8;
	return true;
}

static bool str_fits(struct checker *c, const struct pfconv *pc, const struct dtype *r)
{
	const struct dtype *el;

	if (pc->class == PFC_STR && pc->name[1]) { /* ls, ws */
		if (r->kind != DK_ARRAY)
			return false;
		el = dtype_resolve(c->t, r->base);
		return el->kind == DK_INT && el->size == 4;
	}
	return r->kind == DK_STRING || (r->kind == DK_ARRAY && type_strcompat(c, r));
}

static bool conv_fits(struct checker *c, const struct pfconv *pc, const struct dtype *r)
{
	bool ptr = r->kind == DK_PTR || r->kind == DK_ARRAY || dtype_is_integer(r);
	const struct macro_env *m = c->env->macros;

	switch (pc->class) {
	case PFC_DINT:
	case PFC_UINT: return int_fits(pc, r);
	case PFC_CHAR:
	case PFC_ECHR: return dtype_is_integer(r) && r->size <= 4;
	case PFC_STR:
	case PFC_ESTR: return str_fits(c, pc, r) || (r->kind == DK_SYM && r->symfield == FLD_WHY);
	case PFC_FLOAT: return r->kind == DK_FLOAT && (pc->name[0] != 'L' || r->size == 16);
	case PFC_ADDR: return ptr || (r->kind == DK_SYM && r->symfield <= FLD_MOD);
	case PFC_UADDR:
		return (r->kind == DK_SYM && r->symfield >= FLD_USYM && r->symfield <= FLD_UADDR) ||
		       (ptr && m && m->target);
	case PFC_STACK: return r->kind == DK_STACK || r->kind == DK_USTACK;
	case PFC_TIME:
	case PFC_TIME822: return dtype_is_integer(r) && r->size == 8;
	default: return true;
	}
}

static void hint_conv(struct checker *c, const struct pfconv *pc, const struct dtype *r)
{
	bool str = pc->class == PFC_STR || pc->class == PFC_ESTR;

	if (str && r->kind == DK_PTR)
		hint(c, "stringof() makes a string of a kernel address, copyinstr() of a user one");
	else if (str && dtype_is_integer(r))
		hint(c, "%%d shows an integer; copyinstr() reads a string from a process");
	else if ((pc->class == PFC_DINT || pc->class == PFC_UINT) && r->kind == DK_STRING)
		hint(c, "%%s shows a string");
	else if ((pc->class == PFC_DINT || pc->class == PFC_UINT) && r->kind == DK_PTR)
		hint(c, "%%p shows a pointer");
}

struct fmtcheck {
	struct checker *c;
	struct node *call;
	const char *func;
	struct pfconv *pc;
	unsigned num;	   /* of the conversion, from 1 */
	struct node *next; /* next argument */
	struct node **slot;
	unsigned used; /* arguments so far, without the format */
};

static void fail_type(struct fmtcheck *f, const char *what, const char *have)
{
	fail(f->c, f->call, D_PRINTF_ARG_TYPE,
	     "%s( ) %s is incompatible with conversion #%u prototype:\n\tconversion: %%%s\n"
	     "\t prototype: %s\n\t  argument: %s",
	     f->func, what, f->num, f->pc->name, wanted(f->pc), have);
}

static bool bad_type(struct fmtcheck *f, const char *what, const struct dtype *ty)
{
	fail_type(f, what, dtype_name(f->c->t, ty));
	hint_conv(f->c, f->pc, dtype_resolve(f->c->t, ty));
	return false;
}

/* The next argument, or NULL. */
static struct node *take_arg(struct fmtcheck *f)
{
	f->used += *f->slot != NULL;
	return *f->slot;
}

static void put_arg(struct fmtcheck *f, struct node *k)
{
	*f->slot = k;
	f->slot = &k->next;
}

static bool dyn_arg(struct fmtcheck *f, const char *what)
{
	struct node *k = take_arg(f);

	if (!k) {
		fail(f->c, f->call, D_PRINTF_DYN_PROTO,
		     "%s( ) prototype mismatch: conversion #%u (%%%s) is missing a corresponding "
		     "\"%s\" argument",
		     f->func, f->num, f->pc->name, what);
		return false;
	}
	if (!is_int(f->c, k)) {
		fail(f->c, f->call, D_PRINTF_DYN_TYPE,
		     "%s( ) argument #%u is incompatible with conversion #%u prototype:\n"
		     "\tconversion: %% %s %s\n\t prototype: int\n\t  argument: %s",
		     f->func, f->used + 1, f->num, what, f->pc->name, tname(f->c, k));
		return false;
	}
	put_arg(f, convert(f->c, k, basic(f->c, DT_INT)));
	return true;
}

/* The same of printa(): a key is the width or precision of what follows it. */
static bool dyn_key(struct fmtcheck *f, const struct dagg *agg, unsigned *key, const char *what)
{
	const struct dtype *ty;

	if (*key >= agg->nkeys) {
		fail(f->c, f->call, D_PRINTF_DYN_PROTO,
		     "%s( ) prototype mismatch: conversion #%u (%%%s) is missing a corresponding \"%s\" argument",
		     f->func, f->num, f->pc->name, what);
		return false;
	}
	ty = agg->keys[(*key)++];
	if (dtype_is_integer(dtype_resolve(f->c->t, ty)))
		return true;
	fail(f->c, f->call, D_PRINTF_DYN_TYPE,
	     "%s( ) argument #%u is incompatible with conversion #%u prototype:\n"
	     "\tconversion: %% %s %s\n\t prototype: int\n\t  argument: %s",
	     f->func, *key + 1, f->num, what, f->pc->name, dtype_name(f->c->t, ty));
	return false;
}

bool is_action_call(struct checker *c, const struct node *n)
{
	const struct builtin *b = n->kind == N_CALL ? find_builtin_func(c, n->name) : NULL;

	return b && b->kind == BIK_ACT && !symtab_get(&c->globals, n->name, 0);
}

static bool value_arg(struct fmtcheck *f)
{
	const struct dtype *r;
	struct node *k;

	if (*f->slot && (*f->slot)->kind == N_AGG) {
		fail_type(f, arena_printf(f->c->a, "argument #%u", f->used + 2), "aggregation");
		hint(f->c, "aggregations are shown by printa(), and by themselves at the end");
		return false;
	}
	if (*f->slot && is_action_call(f->c, *f->slot)) { /* whatever its own arguments are */
		fail_type(f, arena_printf(f->c->a, "argument #%u", f->used + 2), "void");
		return false;
	}
	k = take_arg(f);
	if (!k) {
		fail(f->c, f->call, D_PRINTF_ARG_PROTO,
		     "%s( ) prototype mismatch: conversion #%u (%%%s) is missing a corresponding "
		     "value argument",
		     f->func, f->num, f->pc->name);
		return false;
	}
	r = res(f->c, k);
	if (!conv_fits(f->c, f->pc, r))
		return bad_type(f, arena_printf(f->c->a, "argument #%u", f->used + 1), k->type);
	if (f->pc->class == PFC_STR && f->pc->name[1]) {
		/* wide strings stay arrays */
	} else if (f->pc->class == PFC_STR || f->pc->class == PFC_ESTR) {
		k = to_string(f->c, k);
	} else {
		k = decay(f->c, k);
	}
	put_arg(f, k);
	return true;
}

/* Text that is written as it comes may be wide. */
static bool may_be_wide(const struct checker *c, const struct node *call)
{
	const struct dopts *o = c->env->opts;

	return o && !o->confined && !strcmp(o->oformat, "text") && call->builtin->id == BI_PRINTF;
}

static bool parse_format(struct fmtcheck *f, struct node *fmt, struct pfconv **pc, size_t *n)
{
	struct checker *c = f->c;
	struct node *call = f->call;
	const char *reason;
	int r;

	if (fmt->len == 0 && call->builtin->id != BI_FREOPEN) {
		fail(c, call, D_PRINTF_FMT_EMPTY, "%s( ) format string is empty", call->name);
		return false;
	}
	r = printfmt_parse(c->a, fmt->str, fmt->len, may_be_wide(c, call), pc, n, &reason);
	if (r < 0) {
		fail(c, fmt, r == -ERANGE ? D_PRINTF_WIDTH : D_SYNTAX, "%s", reason);
		return false;
	}
	return true;
}

bool check_format(struct checker *c, struct node *call, struct node *fmt)
{
	struct fmtcheck f = { .c = c, .call = call, .func = call->name, .slot = &fmt->next };
	struct pfconv *pc;
	size_t i, n;

	if (!parse_format(&f, fmt, &pc, &n))
		return false;
	for (i = 0; i < n; i++) {
		f.pc = &pc[i];
		f.num = (unsigned)i + 1;
		if (pc[i].class == PFC_NONE || pc[i].class == PFC_PCT)
			continue;
		if ((pc[i].flags & PF_DYNWIDTH) && !dyn_arg(&f, "*"))
			return false;
		if ((pc[i].flags & PF_DYNPREC) && !dyn_arg(&f, ".*"))
			return false;
		if (pc[i].flags & PF_AGG) {
			fail(c, call, D_PRINTF_AGG_CONV,
			     "%%@ conversion requires an aggregation and is not for use with %s( )", call->name);
			return false;
		}
		if (!value_arg(&f))
			return false;
	}
	if (!*f.slot)
		return true;
	fail(c, call, D_PRINTF_ARG_EXTRA, "%s( ) prototype mismatch: only %u arguments required by this format string",
	     call->name, f.used);
	return false;
}

/* printa("…", @a): conversions take the keys in order, those with @ the value. */
bool check_format_agg(struct checker *c, struct node *call, struct node *fmt, const struct dagg *agg)
{
	struct fmtcheck f = { .c = c, .call = call, .func = call->name };
	const struct dtype *val = basic(c, agg->func == AGG_COUNT ? DT_ULONG : DT_LONG);
	unsigned key = 0;
	struct pfconv *pc;
	size_t i, n;

	if (!parse_format(&f, fmt, &pc, &n))
		return false;
	for (i = 0; i < n; i++) {
		const struct dtype *ty;

		f.pc = &pc[i];
		f.num = (unsigned)i + 1;
		if (pc[i].class == PFC_NONE || pc[i].class == PFC_PCT)
			continue;
		if ((pc[i].flags & PF_DYNWIDTH) && !dyn_key(&f, agg, &key, "*"))
			return false;
		if ((pc[i].flags & PF_DYNPREC) && !dyn_key(&f, agg, &key, ".*"))
			return false;
		if (!(pc[i].flags & PF_AGG) && key >= agg->nkeys) {
			fail(c, call, D_PRINTF_ARG_PROTO,
			     "%s( ) prototype mismatch: conversion #%u (%%%s) is missing a "
			     "corresponding value argument",
			     call->name, f.num, pc[i].name);
			hint(c, "@%s has %u key%s; %%@%s shows its value", agg->name, agg->nkeys,
			     agg->nkeys == 1 ? "" : "s", pc[i].name);
			return false;
		}
		ty = pc[i].flags & PF_AGG ? val : agg->keys[key++];
		if (!conv_fits(c, &pc[i], dtype_resolve(c->t, ty)))
			return bad_type(&f,
					pc[i].flags & PF_AGG ? "aggregating action"
							     : arena_printf(c->a, "argument #%u", key + 1),
					ty);
	}
	return true;
}
