/* SPDX-License-Identifier: Apache-2.0 */
/* Inlines: names and arrays that stand for an expression. The expression is checked anew at every use,
 * with its parameters bound to the arguments there. */
#include "lang/check/clause.h"
#include "lang/check/decl.h"
#include "lang/check/expr.h"
#include "lang/check/inline.h"
#include <string.h>

/* -- parameters -- */

/* Evaluating it again costs next to nothing and gives the same: it may stand wherever its parameter
 * does. The code generator then still knows what a pointer points to. */
static bool is_simple(const struct node *n)
{
	for (;;) {
		if (n->var && n->var->is_assoc)
			return false;
		switch (n->kind) {
		case N_INT:
		case N_STR:
		case N_KSYM: return true;
		case N_IDENT:
		case N_TLS:
		case N_THIS: return n->type->kind != DK_STRING;
		case N_INDEX: return n->a->builtin && n->a->builtin->id == BI_ARGS;
		case N_CAST:
		case N_MEMBER: n = n->a; break;
		case N_UNARY:
			if (n->op != OP_DEREF && n->op != OP_ADDR)
				return false;
			n = n->a;
			break;
		default: return false;
		}
	}
}

/* A local variable that no program can name. */
static struct cvar *new_temporary(struct checker *c, const struct dtype *ty, struct span at)
{
	struct cvar *v = var_new(c, VS_LOCAL, arena_printf(c->a, "(temporary %u)", ++c->ntemps), at);

	v->pub.type = ty;
	v->pub.is_temp = v->pub.assigned = v->declared = v->known = true;
	c->prog->has_locals = true;
	return v;
}

struct node *temp_new(struct checker *c, const struct dtype *ty, struct span at)
{
	struct cvar *v = new_temporary(c, ty, at);
	struct node *n = new_node(c, N_IDENT, at);

	n->name = v->pub.name;
	n->var = &v->pub;
	n->lvalue = true;
	return set_type(n, ty);
}

struct node *assign_node(struct checker *c, struct node *to, struct node *value)
{
	struct node *n = new_node(c, N_ASSIGN, value->at);

	n->op = OP_ASSIGN;
	n->a = to;
	n->b = value;
	return set_type(n, to->type);
}

struct node *comma(struct checker *c, struct node *a, struct node *b)
{
	struct node *n = new_node(c, N_BINARY, b->at);

	if (!a)
		return b;
	n->op = OP_COMMA;
	n->a = a;
	n->b = b;
	n->user = b->user;
	n->next = b->next;
	b->next = NULL;
	return set_type(n, b->type);
}

void param_bind(struct checker *c, struct cparam *p, struct node *value, struct node **before)
{
	const struct dtype *ty = rvalue_type(c, p->type), *r;
	struct node *k;

	k = convert(c, value, ty);
	k->next = NULL;
	r = res(c, k);
	if (r->kind == DK_PTR && !types_same(c, k->type, ty)) {
		struct node *cast = new_node(c, N_CAST, k->at);

		cast->a = k;
		cast->implicit = true;
		k = set_type(cast, is_user_type(k->type) ? dtype_qual(c->t, ty, DQ_USERLAND) : ty);
	}
	p->value = k;
	if (is_simple(k) || !(dtype_is_scalar(r) || r->kind == DK_STRING))
		return;
	p->value = temp_new(c, r->kind == DK_STRING ? basic(c, DT_STRING) : k->type, k->at);
	*before = comma(c, *before, assign_node(c, p->value, k));
}

struct node *param_use(struct checker *c, struct node *n)
{
	for (unsigned i = 0; i < c->scope.nparams; i++) {
		const struct cparam *p = &c->scope.params[i];
		struct node *k;

		if (!p->name || strcmp(p->name, n->name) != 0)
			continue;
		k = node_copy(c->a, p->value);
		k->next = n->next;
		k->at = n->at;
		return k;
	}
	return NULL;
}

/* -- declarations -- */

static bool name_free(struct checker *c, const struct decl *d)
{
	const char *what = NULL;

	if (c->scope.lib) /* the library has a space of its own */
		return !symtab_get(&c->libinlines, d->name, 0);
	if (symtab_get(&c->globals, d->name, 0))
		what = "scalar";
	else if (symtab_get(&c->inlines, d->name, 0))
		what = "scalar inline";
	else if (find_builtin(c, d->name)) /* DTrace leaves room for a type */
		what = find_builtin(c, d->name)->kind == BIK_VAR ? "scalar" : "function ";
	if (what)
		diag_error(c->d, d->at, D_DECL_IDRED,
			   "identifier redefined: %s\n\t current: inline definition\n\tprevious: %s", d->name, what);
	return !what;
}

static struct cscope inline_scope(const struct cinline *in)
{
	return (struct cscope){ in->params, in->nparams, in->lib, NULL };
}

/* The parameters, bound to something of their types that stands for all arguments. */
static bool declare_params(struct checker *c, struct cinline *in, const struct derive *as)
{
	const struct tyname *k;
	unsigned n = 0;

	if (!params_ok(c, as->keys, "inline", false))
		return false;
	for (k = as->keys; k; k = k->next)
		n++;
	if (n > CHECK_MAX_KEYS) {
		diag_error(c->d, as->keys->at, D_LIMIT, "more than %d keys", CHECK_MAX_KEYS);
		return false;
	}
	in->params = arena_new_arr(c->a, struct cparam, n);
	in->nparams = n;
	n = 0;
	for (k = as->keys; k; k = k->next, n++) {
		if (!k->param) {
			diag_error(c->d, k->at, D_DECL_PROTO_FORM, "inline parameter #%u has no name", n + 1);
			return false;
		}
		param_declare(c, &in->params[n], k->param, check_type(c, k), k->at);
	}
	return true;
}

void param_declare(struct checker *c, struct cparam *p, const char *name, const struct dtype *ty, struct span at)
{
	p->name = name;
	p->type = ty;
	p->value = new_node(c, N_IDENT, at);
	p->value->name = name;
	p->value->lvalue = true;
	set_type(p->value, ty);
}

/* A value of the inline's type? A translated one is of no type but its own. */
static bool value_fits(struct checker *c, const struct dtype *ty, const struct node *v)
{
	return v->kind == N_XLATE ? types_same(c, ty, v->type) : arg_compat(c, ty, v);
}

static bool inline_type_ok(struct checker *c, const struct decl *d, const struct dtype *ty)
{
	const struct dtype *r = dtype_resolve(c->t, ty);

	if (r->kind == DK_VOID) {
		diag_error(c->d, d->at, D_DECL_VOIDOBJ, "cannot declare void inline: %s", d->name);
		return false;
	}
	if (r->kind == DK_FWD) {
		diag_error(c->d, d->at, D_DECL_INCOMPLETE, "incomplete struct/union/enum %s: %s", dtype_name(c->t, ty),
			   d->name);
		return false;
	}
	return r->kind != DK_DYN;
}

void declare_inline(struct checker *c, const struct decl *d)
{
	const struct derive *as = assoc_derive(c, d);
	const struct dtype *ty = type_until(c, d->type, as);
	struct cinline *in = arena_new_obj(c->a, struct cinline);
	struct cscope outer = c->scope;
	struct node *v;

	if (ty->kind == DK_DYN || !name_free(c, d) || !inline_type_ok(c, d, ty))
		return;
	in->name = d->name;
	in->type = ty;
	in->value = d->value;
	in->lib = outer.lib;
	in->is_array = as != NULL;
	in->attr = pragma_attr(c, d->name, in->lib);
	if (as && !declare_params(c, in, as))
		return;
	c->scope = inline_scope(in);
	v = check_translated(c, node_copy(c->a, d->value));
	c->scope = outer;
	if (is_err(v))
		return;
	if (!value_fits(c, ty, v)) {
		diag_error(c->d, d->at, D_OP_INCOMPAT, "inline %s definition uses incompatible types: \"%s\" = \"%s\"",
			   d->name, dtype_name(c->t, ty), tname(c, v));
		return;
	}
	in->is_int = v->kind == N_INT;
	symtab_put(in->lib ? &c->libinlines : &c->inlines, d->name, 0, in);
}

/* -- uses -- */

static bool enter_inline(struct checker *c, struct node *n)
{
	if (c->inline_depth >= CHECK_MAX_INLINE_DEPTH) {
		fail(c, n, D_LIMIT, "inline %s is nested too deep", n->name);
		return false;
	}
	if (++c->ninlines > CHECK_MAX_INLINES) {
		fail(c, n, D_LIMIT, "more than %d uses of inlines", CHECK_MAX_INLINES);
		return false;
	}
	c->inline_depth++;
	return true;
}

struct node *scope_check(struct checker *c, struct node *n, const struct node *body, struct cscope scope,
			 struct node *before)
{
	struct cscope outer = c->scope;
	struct node *k;

	if (!enter_inline(c, n))
		return n;
	c->scope = scope;
	k = check_translated(c, node_copy(c->a, body));
	c->scope = outer;
	c->inline_depth--;
	k->next = NULL;
	if (is_err(k))
		k = set_err(c, n);
	else if (k->kind == N_XLATE && before)
		k->a = comma(c, before, k->a);
	else
		k = comma(c, before, k);
	k->next = n->next;
	k->at = n->at;
	return k;
}

static struct node *finish_use(struct checker *c, struct node *k, const struct cinline *in)
{
	if (!is_err(k) && k->kind != N_XLATE) {
		k = convert(c, k, in->type);
		k->lvalue = false;
	}
	if (in->attr)
		k->attr = in->attr;
	return k;
}

struct node *use_inline(struct checker *c, struct node *n, const struct cinline *in)
{
	if (in->is_array)
		return fail(c, n, D_IDENT_BADREF, "associative array '%s' may not be referenced as scalar", n->name);
	return finish_use(c, scope_check(c, n, in->value, inline_scope(in), NULL), in);
}

/* f[args]: the arguments are those of the place of use, so they are checked before the scope changes. */
struct node *use_inline_array(struct checker *c, struct node *n, const struct cinline *in)
{
	struct cscope scope = { arena_new_arr(c->a, struct cparam, in->nparams + 1), in->nparams, in->lib, NULL };
	struct node *arg, *next, *before = NULL;
	unsigned i = 0;

	n->name = in->name;
	if (n->nargs != in->nparams)
		return fail(c, n, D_PROTO_LEN, "%s[ ] prototype mismatch: %u arg%s passed, %u expected", in->name,
			    n->nargs, n->nargs == 1 ? "" : "s", in->nparams);
	for (arg = n->args; arg; arg = next, i++) {
		struct cparam *p = &scope.params[i];

		next = arg->next;
		*p = in->params[i];
		arg = check_expr(c, arg);
		if (is_err(arg))
			return set_err(c, n);
		if (!arg_compat(c, p->type, arg))
			return fail(c, n, D_PROTO_ARG,
				    "%s[ ] argument #%u is incompatible with prototype:\n"
				    "\tprototype: %s\n\t argument: %s",
				    in->name, i + 1, dtype_name(c->t, p->type), tname(c, arg));
		param_bind(c, p, arg, &before);
	}
	return finish_use(c, scope_check(c, n, in->value, scope, before), in);
}

struct node *use_inline_of(struct checker *c, struct node *n, const struct cinline *in, struct node *value)
{
	struct cscope scope = { arena_memdup(c->a, in->params, sizeof(*in->params)), 1, in->lib, NULL };
	struct node *before = NULL;

	param_bind(c, scope.params, value, &before);
	return finish_use(c, scope_check(c, n, in->value, scope, before), in);
}

/* -- variables and members that this kernel does not have: inlines of the library -- */

static const struct cinline *others(struct checker *c, const char *name)
{
	const struct cinline *in = lib_inline(c, name);

	return in && in->lib ? in : NULL;
}

struct node *foreign_ksym(struct checker *c, struct node *n)
{
	const struct cinline *in = others(c, arena_printf(c->a, "__ksym_%s", n->name));

	return in && !in->is_array ? use_inline(c, n, in) : NULL;
}

const struct cinline *foreign_ksym_array(struct checker *c, const struct node *n)
{
	const struct ksym_source *ks = c->env->ksyms;
	const struct cinline *in;
	uint64_t at;

	if (ks && ks->find(ks->ctx, n->str, n->name, &at) == 0)
		return NULL;
	in = others(c, arena_printf(c->a, "__ksym_%s", n->name));
	return in && in->is_array ? in : NULL;
}

/* The address of the struct that n is a member of. */
static struct node *address_of(struct checker *c, struct node *n)
{
	struct node *k;

	if (n->arrow)
		return decay(c, n->a);
	if (n->a->kind == N_UNARY && n->a->op == OP_DEREF)
		return n->a->a;
	if (!n->a->lvalue)
		return NULL;
	k = new_node(c, N_UNARY, n->at);
	k->op = OP_ADDR;
	k->a = n->a;
	return set_type(k, dtype_ptr(c->t, n->a->type));
}

struct node *foreign_member(struct checker *c, struct node *n, const struct dtype *st)
{
	const struct cinline *in;
	struct node *value;

	if (!st->name || !st->name[0] || n->a->user || is_user_type(n->a->type))
		return NULL;
	in = others(c, arena_printf(c->a, "__member_%s_%s", st->name, n->name));
	if (!in || !in->is_array || in->nparams != 1)
		return NULL;
	value = address_of(c, n);
	return value ? use_inline_of(c, n, in, value) : NULL;
}

/* -- the D library, checked when a program uses it -- */

/* A text whose module or provider is not here does not exist. */
static bool applies(struct checker *c, struct dlib_file *f)
{
	if (f->depends == DLIB_NEW) {
		f->depends = DLIB_GOOD; /* asking for providers may come back to here */
		f->depends = depends_hold(c, f->unit->pragmas) ? DLIB_GOOD : DLIB_BAD;
	}
	return f->depends == DLIB_GOOD;
}

/* -- use -- */

struct lib_hold { /* what belongs to the program while a library's text is checked */
	struct diags *d;
	struct clause_instance *stmt;
	struct cscope scope;
	bool stop_undef;
};

static struct lib_hold lib_enter(struct checker *c, struct diags *own)
{
	struct lib_hold h = { c->d, c->stmt, c->scope, c->stop_undef };

	diags_init(own, c->a);
	c->d = own;
	return h;
}

static bool lib_leave(struct checker *c, const struct lib_hold *h, const struct diags *own)
{
	c->d = h->d;
	c->stmt = h->stmt;
	c->scope = h->scope;
	c->stop_undef = h->stop_undef;
	return own->nerrors == 0;
}

/* Checks the declaration if it was not yet. False: it is of no use, for the reasons in *own. */
static bool use_item(struct checker *c, struct dlib_item *it, struct diags *own)
{
	struct lib_hold h;

	if (it->state != DLIB_NEW)
		return it->state == DLIB_GOOD;
	if (!applies(c, it->file)) {
		it->state = DLIB_BAD;
		return false;
	}
	it->state = DLIB_BUSY;
	h = lib_enter(c, own);
	c->stmt = NULL;
	c->scope = (struct cscope){ .lib = true };
	check_decl(c, it->decl);
	it->state = lib_leave(c, &h, own) ? DLIB_GOOD : DLIB_BAD;
	return it->state == DLIB_GOOD;
}

/* The first declaration of the name that can be used; when there is none, the complaints about the first
 * are what the user reads. */
static void use_name(struct checker *c, enum dlib_space sp, const char *name)
{
	struct dlib_item *it = dlib_find(c->env->libs, c->env, sp, name), *a;
	struct diags first, own;

	diags_init(&first, c->a);
	diags_init(&own, c->a);
	for (a = it; a; a = a->alt)
		if (use_item(c, a, a == it ? &first : &own))
			return;
	if (first.nerrors)
		dlib_warn(c->env->libs, &first);
}

const struct cinline *lib_inline(struct checker *c, const char *name)
{
	const struct cinline *in = symtab_get(&c->libinlines, name, 0);

	if (!c->env->libs)
		return NULL;
	if (!c->scope.lib && dlib_find(c->env->libs, c->env, DLIB_NAME, name) && pragma_too_new(c, name))
		return NULL;
	if (in)
		return in;
	use_name(c, DLIB_NAME, name); /* an enumerator or a variable perhaps */
	return symtab_get(&c->libinlines, name, 0);
}

bool lib_function(struct checker *c, const char *name)
{
	if (c->env->libs)
		use_name(c, DLIB_NAME, name);
	return func_exists(c, name);
}

/* The type table asks for a name that the program does not define. */
void lib_define_type(void *ctx, enum dkind kind, const char *name)
{
	struct checker *c = ctx;

	use_name(c, kind == DK_TYPEDEF ? DLIB_TYPE : DLIB_TAG, name);
}

/* Translators to a type that is known by now: another one they cannot be about. */
void lib_use_translators(struct checker *c, const struct dtype *out)
{
	struct dlib_item *it;
	struct diags own;

	diags_init(&own, c->a);
	for (it = dlib_translators(c->env->libs); it; it = it->next) {
		const struct tyname *t = it->decl->type;
		const struct dtype *ty;

		if (it->state != DLIB_NEW || !t->name)
			continue;
		ty = dtype_lookup(c->t, t->tag, "D", t->name);
		if (ty && types_same(c, ty, out) && !use_item(c, it, &own) && own.nerrors)
			dlib_warn(c->env->libs, &own);
	}
}

struct node *lib_check(struct checker *c, struct node *n, const struct node *body, struct cscope scope,
		       struct node *before)
{
	struct diags own;
	struct lib_hold h = lib_enter(c, &own);
	struct node *k = scope_check(c, n, body, scope, before);

	if (lib_leave(c, &h, &own))
		return k;
	dlib_warn(c->env->libs, &own);
	return NULL;
}
