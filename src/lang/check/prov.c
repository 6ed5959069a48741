/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the provider blocks of a program and declares their probes. */
#include <string.h>
#include "lang/check/clause.h"
#include "lang/check/decl.h"
#include "lang/check/inline.h"
#include "lang/provdecl.h"

/* "query__done" in C is the probe query-done. */
static const char *hyphenate(struct checker *c, const char *name)
{
	char *copy = arena_strdup(c->a, name), *to = copy;

	for (const char *p = name; *p;) {
		bool two = p[0] == '_' && p[1] == '_';

		*to++ = two ? '-' : *p;
		p += two ? 2 : 1;
	}
	*to = '\0';
	return copy;
}

static bool name_ok(struct checker *c, const struct decl *d)
{
	size_t n = strlen(d->name);

	if (strchr(d->name, '`'))
		diag_error(c->d, d->at, D_PROV_BADNAME, "provider name may not contain scoping operator: %s", d->name);
	else if (n > PROVDECL_NAME_MAX)
		diag_error(c->d, d->at, D_PROV_BADNAME, "provider name may not exceed %d characters: %s",
			   PROVDECL_NAME_MAX, d->name);
	else if (d->name[n - 1] >= '0' && d->name[n - 1] <= '9')
		diag_error(c->d, d->at, D_PROV_BADNAME, "provider name may not end with a digit: %s", d->name);
	else
		return true;
	return false;
}

static bool probe_name_ok(struct checker *c, const struct tymember *m, const char *name)
{
	if (strchr(name, '`'))
		diag_error(c->d, m->at, D_PROV_BADNAME, "probe name may not contain scoping operator: %s", name);
	else if (strlen(name) > PROVDECL_PROBE_MAX)
		diag_error(c->d, m->at, D_PROV_BADNAME, "probe name may not exceed %d characters: %s",
			   PROVDECL_PROBE_MAX, name);
	else
		return true;
	return false;
}

/* The types of a parameter list; (void) is none. False: reported. */
static bool read_args(struct checker *c, const struct tymember *m, const char *name, const char *what,
		      const struct tyname *list, const struct dtype ***ret, unsigned *ret_n)
{
	const struct tyname *t;
	unsigned n = 0, i = 0;

	if (!params_ok(c, list, arena_printf(c->a, "probe %s", what), true))
		return false;
	for (t = list; t; t = t->next)
		n++;
	if (n > PROVDECL_MAX_ARGS) {
		diag_error(c->d, m->at, D_PROV_PRARGLEN, "probe %s %s prototype exceeds %u parameters: %u params used",
			   name, what, PROVDECL_MAX_ARGS, n);
		return false;
	}
	*ret = arena_new_arr(c->a, const struct dtype *, n ? n : 1);
	for (t = list; t; t = t->next) {
		const struct dtype *ty = check_type(c, t);

		if (dtype_resolve(c->t, ty)->kind != DK_VOID)
			(*ret)[i++] = ty;
	}
	*ret_n = i;
	return true;
}

/* Finds the argument that an output parameter stands for: the one with its name, or the one at its place. */
static bool map_arg(const struct tyname *x, unsigned place, const struct tyname *args, unsigned nargs, uint8_t *ret)
{
	unsigned i = 0;

	for (const struct tyname *a = args; x->param && a; a = a->next, i++) {
		if (!a->param || strcmp(a->param, x->param) != 0)
			continue;
		*ret = (uint8_t)i;
		return true;
	}
	*ret = (uint8_t)place;
	return place < nargs;
}

static bool map_args(struct checker *c, const struct decl *d, struct dprovprobe *p, const struct tyname *x,
		     const struct tyname *args)
{
	struct node in = { .kind = N_IDENT };

	p->map = arena_new_arr(c->a, uint8_t, p->nxargs ? p->nxargs : 1);
	for (unsigned i = 0; i < p->nxargs; i++, x = x->next) {
		const struct dtype *to = p->xargs[i], *r = dtype_resolve(c->t, to);

		if (!map_arg(x, i, args, p->nargs, &p->map[i])) {
			diag_error(c->d, x->at, D_PROV_PRXLATOR, "%s:%s output argument #%u has no input argument",
				   d->name, p->name, i + 1);
			return false;
		}
		in.type = p->args[p->map[i]];
		in.at = x->at;
		if (arg_compat(c, to, &in) || xlator_find(c, &in, r->kind == DK_PTR ? r->base : to))
			continue;
		diag_error(c->d, x->at, D_PROV_PRXLATOR,
			   "translator for %s:%s output argument #%u from %s to %s is not defined", d->name, p->name,
			   i + 1, dtype_name(c->t, in.type), dtype_name(c->t, to));
		return false;
	}
	return true;
}

static void add_probe(struct checker *c, const struct decl *d, struct dprovider *pv, const struct tymember *m)
{
	const struct derive *in = m->type->derive, *out = in->next ? in->next : in;
	struct dprovprobe *p = arena_new_obj(c->a, struct dprovprobe), **tail;

	p->name = hyphenate(c, m->name);
	p->at = m->at;
	for (tail = &pv->probes; *tail; tail = &(*tail)->next) {
		if (strcmp((*tail)->name, p->name) != 0)
			continue;
		diag_error(c->d, m->at, D_PROV_PRDUP, "probe redeclared: %s:%s", d->name, p->name);
		return;
	}
	if (!probe_name_ok(c, m, p->name) || !read_args(c, m, p->name, "input", in->keys, &p->args, &p->nargs) ||
	    !read_args(c, m, p->name, "output", out->keys, &p->xargs, &p->nxargs) ||
	    !map_args(c, d, p, out->keys, in->keys))
		return;
	*tail = p;
}

void declare_provider(struct checker *c, const struct decl *d)
{
	struct dprovider *pv = arena_new_obj(c->a, struct dprovider), **tail = &c->prog->providers;

	if (!name_ok(c, d))
		return;
	if (provider_find(c->prog, d->name, strlen(d->name))) {
		diag_error(c->d, d->at, D_PROV_INCOMPAT, "provider redeclared: %s", d->name);
		return;
	}
	pv->name = d->name;
	pv->at = d->at;
	for (const struct tymember *m = d->members; m; m = m->next)
		add_probe(c, d, pv, m);
	while (*tail)
		tail = &(*tail)->next;
	*tail = pv;
}
