/* SPDX-License-Identifier: Apache-2.0 */
/* Names in expressions: variables and how they come into being, built-in variables, inlines,
 * enumerators, associative arrays. */
#include "lang/check/args.h"
#include "lang/check/call.h"
#include "lang/check/clause.h"
#include "lang/check/decl.h"
#include "lang/check/expr.h"
#include "lang/check/inline.h"
#include <string.h>

static struct node *fail_undef(struct checker *c, struct node *n, enum dscope scope)
{
	c->stop_undef = true;
	return fail(c, n, D_VAR_UNDEF, "%s%s has not yet been declared or assigned", var_prefix(scope), n->name);
}

static void try_table(struct near *m, const struct symtab *t)
{
	const struct symtab_entry *e;

	for (e = t->first; e; e = e->later)
		near_try(m, e->s);
}

/* A name that is nothing. */
static struct node *fail_ident(struct checker *c, struct node *n)
{
	struct near m;
	int i;

	if (c->updating)
		return fail_undef(c, n, VS_GLOBAL);
	c->stop_undef = true;
	fail(c, n, D_IDENT_UNDEF, "failed to resolve %s: Unknown variable name", n->name);
	if (foreign_hint(c, FOREIGN_VAR, n->name))
		return n;
	near_init(&m, n->name);
	try_table(&m, &c->globals);
	try_table(&m, &c->inlines);
	for (i = BI_NONE + 1; i < BI_COUNT_; i++) {
		if (builtin_get((enum bi_id)i)->kind == BIK_VAR)
			near_try(&m, builtin_get((enum bi_id)i)->name);
	}
	if (m.best)
		hint(c, "did you mean %s?", m.best);
	else if (symtab_get(&c->tls, n->name, 0))
		hint(c, "there is a thread-local variable self->%s", n->name);
	else if (symtab_get(&c->locals, n->name, 0))
		hint(c, "there is a clause-local variable this->%s", n->name);
	return n;
}

static const char *kind_name(enum bi_kind k)
{
	static const char *const names[] = { [BIK_VAR] = "scalar",
					     [BIK_ACT] = "tracing function",
					     [BIK_SUB] = "function",
					     [BIK_AGG] = "aggregating function" };
	return names[k];
}

/* -- built-in variables -- */

static const char *probe_part(const struct probe *p, enum bi_id id)
{
	switch (id) {
	case BI_PROBEPROV: return p->prov;
	case BI_PROBEMOD: return p->mod;
	case BI_PROBEFUNC: return p->func;
	default: return p->name;
	}
}

static struct node *call(struct checker *c, struct span at, const char *name, struct node *args)
{
	struct node *n = arena_new_obj(c->a, struct node);

	*n = (struct node){ .kind = N_CALL, .at = at, .name = name, .args = args };
	for (struct node *a = args; a; a = a->next)
		n->nargs++;
	return n;
}

/* "myapp*" of probes in every process: strjoin("myapp", lltostr(pid)). */
static struct node *process_prov(struct checker *c, struct node *n, struct node *stem)
{
	struct node *pid = arena_new_obj(c->a, struct node);

	*pid = (struct node){ .kind = N_IDENT, .at = n->at, .name = "pid" };
	stem->next = call(c, n->at, "lltostr", pid);
	return check_expr(c, call(c, n->at, "strjoin", stem));
}

static struct node *stem_of(struct checker *c, struct span at, const char *prov)
{
	struct node *stem = arena_new_obj(c->a, struct node);

	*stem = (struct node){ .kind = N_STR, .at = at, .str = prov, .len = strlen(prov) - 1 };
	return stem;
}

/* The same where it depends on the probe: substr(probeprov, 0, -1). */
static struct node *stem_of_any(struct checker *c, struct span at)
{
	struct node *v = arena_new_arr(c->a, struct node, 4);

	v[0] = (struct node){ .kind = N_IDENT, .at = at, .name = "probeprov", .next = &v[1] };
	v[1] = (struct node){ .kind = N_INT, .at = at, .name = "", .next = &v[2] };
	v[2] = (struct node){ .kind = N_UNARY, .at = at, .op = OP_NEG, .a = &v[3] };
	v[3] = (struct node){ .kind = N_INT, .at = at, .name = "", .ival = 1 };
	return call(c, at, "substr", v);
}

static struct node *any_process_prov(struct checker *c, struct node *n)
{
	struct node *r;

	c->bare_prov = true;
	r = process_prov(c, n, stem_of_any(c, n->at));
	c->bare_prov = false;
	return r;
}

/* Bounds this part of the names of probes that are found later: it is exactly as the description says, or any name up
 * to a length. */
static bool later_part(const struct probe *p, enum bi_id id, size_t *max)
{
	size_t bound = id == BI_PROBEFUNC || id == BI_PROBEMOD ? LATER_MAX_FUNC : LATER_MAX_NAME;
	const char *s = probe_part(p, id);

	if (!p->later || pdesc_is_exact(s))
		return false;
	if (bound > *max)
		*max = bound;
	return true;
}

/* probeprov …: a constant when all probes of the clause agree; else bounded by the longest name. */
static struct node *probe_name(struct checker *c, struct node *n, enum bi_id id)
{
	const struct probe_list *l = c->stmt ? &c->stmt->probes : NULL;
	const char *first = l && l->n ? probe_part(l->v[0], id) : NULL;
	bool same = first != NULL, everywhere = id == BI_PROBEPROV && same;
	size_t i, max = 0;

	for (i = 0; l && i < l->n; i++) {
		const char *s = probe_part(l->v[i], id);

		if (strlen(s) > max)
			max = strlen(s);
		same = !later_part(l->v[i], id, &max) && same && strcmp(s, first) == 0;
		everywhere = everywhere && l->v[i]->every_process;
	}
	if (everywhere && same)
		return process_prov(c, n, stem_of(c, n->at, first));
	if (everywhere && !c->bare_prov)
		return any_process_prov(c, n);
	if (same) {
		n->kind = N_STR;
		n->str = first;
		n->len = max;
		n->is_const = true;
		n->lvalue = false;
		n->builtin = NULL;
	}
	return set_type(n, dtype_string(c->t, (uint32_t)max + 1));
}

struct node *check_probe_name(struct checker *c, struct node *n)
{
	return probe_name(c, n, n->builtin->id);
}

/* A built-in variable with the type that its row has. */
struct node *by_type(struct checker *c, struct node *n)
{
	const struct builtin *b = n->builtin;

	n->type = dtype_parse(c->t, b->proto);
	if (!n->type) {
		fail(c, n, D_TYPE_ERR, "failed to resolve type %s for identifier %s: %s", b->proto, b->name,
		     "Unknown type name");
		hint(c, "the kernel has no BTF type information (/sys/kernel/btf/vmlinux)");
	}
	return n;
}

/* arg0 … */
struct node *check_passed_arg(struct checker *c, struct node *n)
{
	return derive_passed_arg(c, n, (unsigned)(n->builtin->id - BI_ARG0)) ? n : by_type(c, n);
}

/* An inline of dlib/sched.d, which needs the kernel's types. */
struct node *check_curcpu(struct checker *c, struct node *n)
{
	const struct builtin *b = n->builtin;
	const struct cinline *in = lib_inline(c, b->name);
	struct node *k;

	if (!in)
		return fail(c, n, D_UNSUP, "built-in variable %s is not yet supported", b->name);
	n->builtin = NULL;
	k = use_inline(c, n, in);
	k->builtin = k->kind == N_XLATE ? b : k->builtin; /* for xlate_number() */
	return k;
}

struct node *check_vmregs(struct checker *c, struct node *n)
{
	return fail(c, n, D_UNSUP, "vmregs[ ] is not supported on Linux");
}

static struct node *builtin_var(struct checker *c, struct node *n, const struct builtin *b)
{
	n->builtin = b;
	n->lvalue = true;
	return check_builtin(c, n, b);
}

/* -- scalars -- */

/* The rules of the first use; false: reported. */
static bool var_access(struct checker *c, struct node *n, struct cvar *v, enum access acc)
{
	if (!v->known && acc == ACC_READ) {
		if (v->poisoned)
			set_err(c, n);
		else
			fail_undef(c, n, v->pub.scope);
		return false;
	}
	if (!v->known && (acc == ACC_INC || acc == ACC_UNARY)) {
		v->pub.type = dtype_parse(c->t, "int64_t");
		v->known = true;
	}
	if (acc == ACC_WRITE || acc == ACC_INC)
		v->pub.assigned = true;
	return true;
}

static struct node *use_var(struct checker *c, struct node *n, struct cvar *v, enum access acc)
{
	if (v->pub.is_assoc)
		return fail(c, n, D_IDENT_BADREF, "associative array '%s%s' may not be referenced as scalar",
			    var_prefix(v->pub.scope), n->name);
	if (!var_access(c, n, v, acc))
		return n;
	n->var = &v->pub;
	v->pub.unnamed = false;
	n->lvalue = true;
	n->user = false;
	return set_type(n, v->pub.type); /* DK_DYN when it is new: the assignment decides */
}

/* An enumerator of the program, of the library, or of the kernel; NULL. */
static struct node *constant(struct checker *c, struct node *n)
{
	const struct dtype *ety = basic(c, DT_INT);
	int64_t val = 0;

	if (strcmp(n->name, "NULL") != 0 && !dtype_find_enumerator(c->t, n->name, &ety, &val))
		return NULL;
	n->kind = N_INT;
	n->is_const = true;
	n->ival = (uint64_t)val;
	n->name = "";
	return set_type(n, ety);
}

/* A name that is neither variable nor inline of the program, nor built in. */
static struct node *other_ident(struct checker *c, struct node *n)
{
	bool null = strcmp(n->name, "NULL") == 0;
	const struct cinline *in = null ? NULL : lib_inline(c, n->name);
	const struct cvar *v = in || null ? NULL : symtab_get(&c->globals, n->name, 0);
	struct node *k;

	if (in)
		return use_inline(c, n, in);
	if (v) /* the library has declared it just now */
		return use_var(c, n, (struct cvar *)v, ACC_READ);
	k = constant(c, n);
	return k ? k : fail_ident(c, n);
}

struct node *check_ident(struct checker *c, struct node *n, enum access acc)
{
	const struct builtin *b = find_builtin(c, n->name);
	struct cvar *v = symtab_get(&c->globals, n->name, 0), *local = local_find(c, n->name);
	const struct cinline *in = symtab_get(&c->inlines, n->name, 0);
	struct node *k = c->scope.nparams ? param_use(c, n) : NULL;

	if (c->raw && derive_raw_arg(c, n))
		return n;
	if (k)
		return k;
	if (local)
		return use_var(c, n, local, acc);
	if (c->scope.lib) /* its own names come first: programs cannot change what it means */
		in = lib_inline(c, n->name);
	if (in && c->scope.lib)
		return use_inline(c, n, in);
	if (v)
		return use_var(c, n, v, acc);
	if (in)
		return use_inline(c, n, in);
	if (b && b->kind == BIK_VAR)
		return builtin_var(c, n, b);
	if (b) {
		fail(c, n, D_IDENT_BADREF, "%s '%s' may not be referenced as scalar", kind_name(b->kind), n->name);
		foreign_hint(c, FOREIGN_VAR, n->name);
		return n;
	}
	if (acc != ACC_READ)
		return use_var(c, n, var_new(c, VS_GLOBAL, n->name, n->at), acc);
	return other_ident(c, n);
}

struct node *check_scoped(struct checker *c, struct node *n, enum access acc)
{
	enum dscope scope = n->kind == N_TLS ? VS_TLS : VS_THIS;
	struct cvar *v = symtab_get(var_table(c, scope), n->name, 0);
	struct near m;

	if (v)
		return use_var(c, n, v, acc);
	if (acc != ACC_READ)
		return use_var(c, n, var_new(c, scope, n->name, n->at), acc);
	fail_undef(c, n, scope);
	near_init(&m, n->name);
	try_table(&m, var_table(c, scope));
	if (m.best)
		hint(c, "did you mean %s%s?", var_prefix(scope), m.best);
	return n;
}

/* -- associative arrays -- */

/* args[], and arrays in memory, are not meant: the array variable that n indexes, made when it is
 * new and may be so; NULL: something else is indexed. */
static struct cvar *assoc_of(struct checker *c, const struct node *n)
{
	const struct node *a = n->a;
	enum dscope scope = a->kind == N_TLS ? VS_TLS : a->kind == N_THIS ? VS_THIS : VS_GLOBAL;
	struct cvar *v;

	if (a->kind != N_IDENT && a->kind != N_TLS && a->kind != N_THIS)
		return NULL;
	if (a->kind == N_IDENT && local_find(c, a->name))
		return NULL;
	v = symtab_get(var_table(c, scope), a->name, 0);
	if (v)
		return v->pub.is_assoc || !v->known ? v : NULL;
	if (scope == VS_GLOBAL && (find_builtin(c, a->name) || symtab_get(&c->inlines, a->name, 0)))
		return NULL;
	return var_new(c, scope, a->name, a->at);
}

/* The built-in cpu, whole. */
static bool is_cpu(struct checker *c, const struct node *k)
{
	while (k->kind == N_CAST && res(c, k)->size >= sizeof(uint32_t))
		k = k->a;
	return k->builtin && k->builtin->id == BI_CPU;
}

static struct node *check_assoc(struct checker *c, struct node *n, struct cvar *v, enum access acc)
{
	const char *what = arena_printf(c->a, "%s%s[ ]", var_prefix(v->pub.scope), v->pub.name);

	if (v->pub.scope == VS_THIS)
		return fail(c, n, D_ARR_LOCAL, "local variables may not be used as associative arrays: %s",
			    v->pub.name);
	v->pub.is_assoc = true;
	n->name = v->pub.name;
	check_key_exprs(c, n);
	if (!check_keys(c, n, what, &v->pub.keys, &v->pub.nkeys, &v->uses))
		return set_err(c, n);
	v->pub.non_cpu_index |= n->nargs != 1 || !is_cpu(c, n->args);
	if (!var_access(c, n, v, acc))
		return n;
	n->var = &v->pub;
	v->pub.unnamed = false;
	n->lvalue = true;
	return set_type(n, v->pub.type);
}

/* a[i] of a pointer or array */
static struct node *index_memory(struct checker *c, struct node *n)
{
	const struct dtype *ar, *el;
	struct node *i;

	n->a = check_expr(c, n->a);
	i = n->args = check_expr(c, n->args);
	if (is_err(n->a) || is_err(i))
		return set_err(c, n);
	if (n->nargs != 1)
		return fail(c, n, D_ARR_BADREF, "cannot access %s%s as an associative array",
			    n->a->kind == N_IDENT ? "scalar " : "", n->a->name ? n->a->name : "expression");
	n->a = string_ptr(c, n->a);
	ar = res(c, n->a);
	if (ar->kind != DK_PTR && ar->kind != DK_ARRAY)
		return fail(c, n, D_DEREF_NONPTR, "cannot dereference non-pointer type");
	if (!is_int(c, i))
		return fail(c, n, D_OP_INCOMPAT, "operands have incompatible types: \"%s\" + \"%s\"", tname(c, n->a),
			    tname(c, i));
	if (ar->kind == DK_ARRAY && ar->nelems && i->kind == N_INT && i->ival >= ar->nelems)
		return fail(c, n, D_ARR_BOUNDS, "index outside array bounds: %lld, max is %llu", (long long)i->ival,
			    (unsigned long long)ar->nelems);
	el = dtype_resolve(c->t, ar->base);
	if (el->kind == DK_VOID)
		return fail(c, n, D_DEREF_VOID, "cannot dereference pointer to void");
	if (el->kind == DK_FUNC)
		return fail(c, n, D_DEREF_FUNC, "cannot dereference pointer to function");
	n->user = n->a->user || is_user_type(n->a->type);
	n->a = decay(c, n->a);
	n->args = convert(c, i, basic(c, DT_LONG));
	n->lvalue = true;
	return set_type(n, ar->base);
}

static bool is_param(const struct checker *c, const char *name)
{
	for (unsigned i = 0; i < c->scope.nparams; i++)
		if (c->scope.params[i].name && !strcmp(c->scope.params[i].name, name))
			return true;
	return false;
}

/* The inline array of that name. The library is asked only when a new array would be read. */
static const struct cinline *array_inline(struct checker *c, const char *name, const struct builtin *b, enum access acc)
{
	const struct cinline *in = symtab_get(&c->inlines, name, 0);

	if (c->scope.lib || (!in && !b && (acc == ACC_READ || acc == ACC_UNARY)))
		in = lib_inline(c, name);
	return in && in->is_array ? in : NULL;
}

struct node *check_index(struct checker *c, struct node *n, enum access acc)
{
	const char *name = n->a->kind == N_IDENT ? n->a->name : NULL;
	const struct cinline *in;
	struct cvar *v;

	if (name && is_param(c, name))
		return index_memory(c, n);
	/* As in check_ident(): in a library its own names come first. */
	if (name && !local_find(c, name) && (c->scope.lib || !symtab_get(&c->globals, name, 0))) {
		const struct builtin *b = find_builtin(c, name);

		if (b && b->flags & BIF_ARRAY) {
			n->a->builtin = b;
			return check_builtin(c, n, b);
		}
		in = array_inline(c, name, b, acc);
		if (in)
			return use_inline_array(c, n, in);
	}
	in = n->a->kind == N_KSYM ? foreign_ksym_array(c, n->a) : NULL;
	if (in)
		return use_inline_array(c, n, in);
	v = assoc_of(c, n);
	return v ? check_assoc(c, n, v, acc) : index_memory(c, n);
}

struct node *check_target(struct checker *c, struct node *n, enum access acc)
{
	switch (n->kind) {
	case N_IDENT: return check_ident(c, n, acc);
	case N_TLS:
	case N_THIS: return check_scoped(c, n, acc);
	case N_INDEX: return check_index(c, n, acc);
	default: return check_expr(c, n);
	}
}

/* May the program change the value of lvalue n? It may if n is (in) a variable of its own, or is reached through a
 * pointer that it holds; cg checks at run time that this points to scratch memory */
bool is_writable(const struct node *n)
{
	for (;;) {
		if (n->var)
			return true;
		if (n->kind == N_CAST && n->a->type->kind == DK_STRING)
			return false; /* a string is assigned as a whole */
		if (n->kind == N_MEMBER || n->kind == N_INDEX || n->kind == N_CAST ||
		    (n->kind == N_UNARY && n->op == OP_DEREF) ||
		    (n->kind == N_BINARY && (n->op == OP_ADD || n->op == OP_SUB)))
			n = n->a;
		else
			return n->kind == N_CALL; /* *alloca(8), copyin(…) */
	}
}
