/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of names: variables, locals, functions, trackers, declared providers. No expression is checked here. */
#include <string.h>
#include "lang/check/clause.h"
#include "lang/check/decl.h"
#include "lang/check/event.h"
#include "lang/check/expr.h"
#include "lang/provdecl.h"

struct cvar *local_find(const struct checker *c, const char *name)
{
	const struct clocal *l;

	for (l = c->scope.block; l; l = l->next)
		if (strcmp(l->name, name) == 0)
			return l->v;
	return NULL;
}

void local_add(struct checker *c, const char *name, struct cvar *v)
{
	struct clocal *l = arena_new_obj(c->a, struct clocal);

	l->name = name;
	l->v = v;
	l->next = c->scope.block;
	c->scope.block = l;
}

bool func_exists(const struct checker *c, const char *name)
{
	return symtab_get(&c->funcs, name, 0) != NULL;
}

struct cvar *new_local(struct checker *c, const char *name, const struct dtype *ty, struct span at)
{
	struct cvar *v = var_new(c, VS_LOCAL, name, at);

	v->pub.type = ty;
	v->pub.assigned = v->declared = v->known = true;
	c->prog->has_locals = true;
	return v;
}

struct node *assign_local(struct checker *c, struct cvar *v, struct node *value)
{
	struct node *n = new_node(c, N_ASSIGN, value->at);

	n->op = OP_ASSIGN;
	n->a = new_node(c, N_IDENT, value->at);
	n->a->name = v->pub.name;
	n->a->var = &v->pub;
	n->a->lvalue = true;
	set_type(n->a, v->pub.type);
	n->b = convert(c, value, v->pub.type);
	return set_type(n, v->pub.type);
}

const char *var_prefix(enum dscope scope)
{
	return scope == VS_TLS ? "self->" : scope == VS_THIS ? "this->" : "";
}

struct symtab *var_table(struct checker *c, enum dscope scope)
{
	return scope == VS_TLS ? &c->tls : scope == VS_THIS ? &c->locals : &c->globals;
}

struct cvar *var_new(struct checker *c, enum dscope scope, const char *name, struct span at)
{
	struct cvar *v = arena_new_obj(c->a, struct cvar);

	v->pub.id = c->prog->nvars++;
	v->pub.scope = scope;
	v->pub.name = name;
	v->pub.type = basic(c, DT_DYN);
	v->pub.at = at;
	if (scope != VS_LOCAL)
		symtab_put(var_table(c, scope), name, 0, v);
	if (c->lastvar)
		c->lastvar->pub.next = &v->pub;
	else
		c->prog->vars = &v->pub;
	c->lastvar = v;
	if (scope == VS_TLS)
		c->prog->uses_tls = true;
	return v;
}

struct dtracker *tracker_find(const struct checker *c, const char *name)
{
	struct dtracker *t = c->prog->trackers;

	while (t && strcmp(t->name, name) != 0)
		t = t->next;
	return t;
}

const struct dprovider *provider_find(const struct dprog *p, const char *name, size_t len)
{
	for (const struct dprovider *v = p->providers; v; v = v->next)
		if (strlen(v->name) == len && !strncmp(v->name, name, len))
			return v;
	return NULL;
}

const struct dprovprobe *provdecl_find(const struct dprog *p, const char *prov, const char *probe)
{
	size_t n = strlen(prov);
	const struct dprovider *v;
	const struct dprovprobe *b;

	while (n > 0 && ((prov[n - 1] >= '0' && prov[n - 1] <= '9') || prov[n - 1] == '*'))
		n--;
	v = provider_find(p, prov, n);
	for (b = v ? v->probes : NULL; b; b = b->next)
		if (!strcmp(b->name, probe))
			return b;
	return NULL;
}
