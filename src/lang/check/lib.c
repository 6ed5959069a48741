/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations of the D library, checked when a program uses them. */
#include "lang/check/int.h"
#include <string.h>

/* -- dependencies -- */

static bool have_module(struct checker *c, const char *name)
{
	struct typesrc *ts = c->env->ts;

	for (uint32_t i = 0; ts && i < typesrc_nobjs(ts); i++)
		if (!strcmp(typesrc_obj_name(ts, i), name))
			return true;
	return false;
}

static bool have_provider(struct checker *c, const char *name)
{
	const struct probe_source *ps = c->env->probes;
	struct pdesc d = { .prov = name };
	struct probe_list l = { 0 };
	const char *reason = NULL;

	return ps && ps->match && ps->match(ps->ctx, c->a, &d, &l, &reason) == 0 && l.n > 0;
}

static bool have_probe(struct checker *c, const char *text)
{
	const struct probe_source *ps = c->env->probes;
	struct probe_list l = { 0 };
	const char *reason = NULL;
	struct pdesc d;

	if (!ps || !ps->match || pdesc_parse(c->a, text, strlen(text), &d) < 0 ||
	    ps->match(ps->ctx, c->a, &d, &l, &reason) < 0)
		return false;
	for (size_t i = 0; i < l.n; i++)
		if (!l.v[i]->unavailable)
			return true;
	return false;
}

bool depends_hold(struct checker *c, const struct pragma *p)
{
	for (; p; p = p->next) {
		if (p->kind != PRAGMA_DEPENDS)
			continue;
		if (!strcmp(p->word[0], "module") && !have_module(c, p->word[1]))
			return false;
		if (!strcmp(p->word[0], "provider") && !have_provider(c, p->word[1]))
			return false;
		if (!strcmp(p->word[0], "probe") && !have_probe(c, p->word[1]))
			return false;
	}
	return true;
}

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
