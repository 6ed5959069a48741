/* SPDX-License-Identifier: Apache-2.0 */
/* Built-in names that -x version allows; prototypes of functions, taken apart, and what messages say about them. */
#include <stdio.h>
#include <string.h>
#include "lang/check/int.h"

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
	const char *text = b->proto;
	const char *p = strchr(text, '('), *end = strrchr(text, ')');
	struct proto pr = { 0 };

	pr.ret = trim(c->a, text, p);
	for (p++; p < end && pr.max < PROTO_MAX_PARAMS; p++) {
		const char *e = p;
		bool optional;

		while (e < end && *e != ',')
			e++;
		pr.par[pr.max] = trim(c->a, p, e);
		optional = pr.par[pr.max][0] == '[';
		if (optional)
			pr.par[pr.max] = trim(c->a, pr.par[pr.max] + 1, strchr(pr.par[pr.max], ']'));
		pr.max++;
		if (!optional)
			pr.min = pr.max;
		p = e;
	}
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

bool posconst(struct checker *c, const struct node *n)
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
