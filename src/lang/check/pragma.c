/* SPDX-License-Identifier: Apache-2.0 */
/* Checks #pragma D lines about names: depends_on, attributes, binding. */
#include <stdio.h>
#include <string.h>
#include "lang/attr.h"
#include "lang/check/call.h"
#include "lang/check/clause.h"
#include "lang/check/inline.h"

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

static bool have_one(struct checker *c, const char *text, size_t len)
{
	const struct probe_source *ps = c->env->probes;
	struct probe_list l = { 0 };
	const char *reason = NULL;
	struct pdesc d;

	if (!ps || !ps->match || pdesc_parse(c->a, text, len, &d) < 0 || ps->match(ps->ctx, c->a, &d, &l, &reason) < 0)
		return false;
	for (size_t i = 0; i < l.n; i++)
		if (!l.v[i]->unavailable)
			return true;
	return false;
}

/* One of several with commas between them. */
static bool have_probe(struct checker *c, const char *text)
{
	for (size_t n;; text += n + 1) {
		n = strcspn(text, ",");
		if (have_one(c, text, n))
			return true;
		if (!text[n])
			return false;
	}
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

/* -- finding them -- */

struct search {
	enum pragma_kind kind;
	const char *name;
	const struct pragma *found; /* the last one */
};

static void match_pragma(void *arg, const struct pragma *p)
{
	struct search *s = arg;

	if (p->kind == s->kind && p->kind != PRAGMA_DEPENDS && !p->word[2] && !strcmp(p->word[1], s->name))
		s->found = p;
}

static const struct pragma *search(struct checker *c, enum pragma_kind kind, const char *name, bool lib)
{
	struct search s = { .kind = kind, .name = name };

	for (size_t i = 0; i < c->nunits && !lib; i++)
		for (const struct pragma *p = c->units[i]->pragmas; p; p = p->next)
			match_pragma(&s, p);
	if (lib)
		dlib_each_pragma(c->env->libs, match_pragma, &s);
	return s.found;
}

const struct dattr *pragma_attr(struct checker *c, const char *name, bool lib)
{
	const struct pragma *p = search(c, PRAGMA_ATTRIBUTES, name, lib);
	struct dattr at;

	if (!p || attr_parse(p->word[0], &at) < 0)
		return NULL;
	return arena_memdup(c->a, &at, sizeof(at));
}

bool pragma_too_new(struct checker *c, const char *name)
{
	const struct pragma *p;

	if (!c->env->opts || !*c->env->opts->version)
		return false;
	p = search(c, PRAGMA_BINDING, name, true);
	return p && version_number(p->word[0]) > version_number(c->env->opts->version);
}

/* -- of the program -- */

/* False: the program's clauses are left out: they would only repeat it. */
static bool check_depends(struct checker *c, const struct pragma *p)
{
	bool optional = c->env->opts && c->env->opts->zdepends;
	struct pragma one = *p;
	const char *what;

	one.next = NULL;
	if (!strcmp(p->word[0], "library")) {
		diag_error(c->d, p->at, D_PRAGMA_DEPEND, "main program may not explicitly depend on a library");
		return true;
	}
	if (depends_hold(c, &one))
		return true;
	what = p->word[2] ? arena_printf(c->a, "program requires %s: this kernel has no %s %s", p->word[2], p->word[0],
					 p->word[1])
			  : arena_printf(c->a, "program requires %s %s", p->word[0], p->word[1]);
	if (optional)
		diag_warn(c->d, p->at, D_PRAGMA_DEPEND, "left out: %s", what);
	else
		diag_error(c->d, p->at, D_PRAGMA_DEPEND, "%s", what);
	return false;
}

/* #pragma D attributes A/B/C provider NAME PART */
static void provider_attributes(struct checker *c, const struct pragma *p)
{
	struct provattr *x, **tail = &c->prog->provattrs;
	enum attr_part part = attr_find_part(p->word[3]);

	if (part == PART_COUNT_) {
		diag_error(c->d, p->at, D_PRAGMA_INVAL, "invalid component \"%s\" in attribute #pragma for provider %s",
			   p->word[3], p->word[2]);
		return;
	}
	x = arena_new_obj(c->a, struct provattr);
	x->provider = p->word[2];
	x->text = p->word[0];
	x->part = part;
	while (*tail)
		tail = &(*tail)->next;
	*tail = x;
}

static const char *pragma_word(const struct pragma *p)
{
	return p->kind == PRAGMA_ATTRIBUTES ? "attributes" : "binding";
}

static void check_name_pragma(struct checker *c, const struct pragma *p)
{
	if (p->kind == PRAGMA_ATTRIBUTES && !strcmp(p->word[1], "provider") && p->word[2] && p->word[3])
		provider_attributes(c, p);
	else if (builtin_find(p->word[1]))
		diag_error(c->d, p->at, D_PRAGMA_SCOPE, "#pragma %s cannot modify entity defined outside program scope",
			   pragma_word(p));
}

bool check_pragmas(struct checker *c, const struct unit *u)
{
	bool ok = true;

	for (const struct pragma *p = u->pragmas; p; p = p->next) {
		if (p->kind != PRAGMA_DEPENDS)
			check_name_pragma(c, p);
		else if (ok)
			ok = check_depends(c, p);
	}
	return ok;
}

/* Is the name one that the program defined? "translator" stands for the one that follows. */
static bool defined(struct checker *c, const char *name)
{
	return !strcmp(name, "provider") || !strcmp(name, "translator") || symtab_get(&c->globals, name, 0) ||
	       symtab_get(&c->inlines, name, 0) || symtab_get(&c->aggs, name, 0) || builtin_find(name) ||
	       dtype_lookup(c->t, DK_TYPEDEF, "D", name);
}

void check_pragmas_used(struct checker *c, struct unit *const *units, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (const struct pragma *p = units[i]->pragmas; p; p = p->next)
			if (p->kind != PRAGMA_DEPENDS && !defined(c, p->word[1]))
				diag_error(c->d, p->at, D_PRAGMA_UNUSED, "unused #pragma %s", pragma_word(p));
}

/* -- -x amin -- */

static const char *node_text(struct checker *c, const struct node *n)
{
	if (n->kind == N_CALL)
		return arena_printf(c->a, "%s( )", n->name ? n->name : "function");
	if (n->kind == N_INDEX && n->a->builtin)
		return arena_printf(c->a, "%s[ ]", n->a->builtin->name);
	if (n->kind == N_CAST)
		return arena_printf(c->a, "type %s", tname(c, n));
	return n->name ? arena_printf(c->a, "%s%s", n->kind == N_KSYM ? "`" : "scalar ", n->name) : "expression";
}

static void too_unstable(struct checker *c, struct span at, const char *what, struct dattr a)
{
	diag_error(c->d, at, D_ATTR_MIN, "attributes for %s (%s) are less than predefined minimum", what,
		   attr_text(c->a, a));
}

static bool least_allowed(struct checker *c, struct dattr *ret)
{
	const struct dopts *o = c->env->opts;

	return o && *o->amin && attr_parse(o->amin, ret) == 0;
}

bool check_amin_desc(struct checker *c, const struct clause_instance *s)
{
	struct dattr min, a;
	struct span at = s->clause->at;

	if (!least_allowed(c, &min))
		return true;
	a = attr_desc(c->prog, &s->desc);
	if (!attr_less(a, min))
		return true;
	/* DTrace gives the line where the clause ends. */
	if (at.len > 0)
		at = (struct span){ at.src, at.off + at.len - 1, 1, 0 };
	too_unstable(c, at, "clause", a);
	return false;
}

void check_amin(struct checker *c)
{
	struct dattr min;

	if (!least_allowed(c, &min))
		return;
	for (const struct clause_instance *s = c->prog->instances; s; s = s->next) {
		const struct node *worst;
		struct dattr a = attr_clause(c->prog, s, &min, &worst);

		if (worst)
			too_unstable(c, worst->at, node_text(c, worst), a);
	}
}
