/* SPDX-License-Identifier: Apache-2.0 */
/* Clauses and the probes that are found for them later. */
#include "lang/later.h"
#include <string.h>
#include "lang/provdecl.h"

bool later_is(const struct clause_instance *s)
{
	for (size_t i = 0; i < s->probes.n; i++)
		if (s->probes.v[i]->later)
			return true;
	return false;
}

static bool is_args(const struct node *n)
{
	return n->kind == N_INDEX && n->a && n->a->builtin && n->a->builtin->id == BI_ARGS;
}

/* copyinstr(arg0), as which args[0] is a text, too. */
static bool is_text(const struct node *n, uint64_t *ret)
{
	const struct node *arg = n->kind == N_CALL && n->nargs && !strcmp(n->name, "copyinstr") ? n->args : NULL;

	while (arg && arg->kind == N_CAST)
		arg = arg->a;
	if (!arg || arg->kind != N_IDENT || strncmp(arg->name, "arg", 3) != 0 || arg->name[3] < '0' ||
	    arg->name[3] > '9' || arg->name[4])
		return false;
	*ret = (uint64_t)(arg->name[3] - '0');
	return true;
}

static bool look_for_args(void *ctx, const struct node *n)
{
	bool *found = ctx;

	*found |= is_args(n);
	return *found;
}

bool later_wants_args(const struct clause_instance *s)
{
	bool found = false;
	const struct walk w = { .node = look_for_args, .ctx = &found };

	if (!walk_node(&w, s->pred))
		walk_stmts(&w, s->body);
	return found;
}

struct fitting {
	struct arena *a;
	const struct probe *known; /* the clause was checked with its arguments; NULL: with none */
	const struct probe *found;
	const char *reason;
};

static const char *type_of(const struct probe *p, uint64_t i)
{
	return i < p->nargs && p->args[i].ctype ? p->args[i].ctype : "";
}

static bool look_at_arg(void *ctx, const struct node *n)
{
	struct fitting *f = ctx;
	uint64_t i = n->ival;

	if (!is_args(n) && !(is_text(n, &i) && f->known && i < f->known->nargs && f->known->args[i].user_string))
		return false;
	if (i >= f->found->nargs)
		f->reason = arena_printf(f->a, "it has no args[%llu]", (unsigned long long)i);
	else if (f->known && strcmp(type_of(f->known, i), type_of(f->found, i)) != 0)
		f->reason = arena_printf(f->a,
					 "args[%llu] is of type %s, and %s in the probes that were there at the start",
					 (unsigned long long)i, type_of(f->found, i), type_of(f->known, i));
	return f->reason != NULL;
}

/* The first probe that was there at the start. */
static const struct probe *known_probe(const struct clause_instance *s)
{
	for (size_t i = 0; i < s->probes.n; i++)
		if (!s->probes.v[i]->later)
			return s->probes.v[i]->args_known ? s->probes.v[i] : NULL;
	return NULL;
}

const char *later_misfit(struct arena *a, const struct dprog *p, const struct clause_instance *s, struct probe *found)
{
	struct fitting f = { .a = a, .known = known_probe(s), .found = found };
	const struct walk w = { .node = look_at_arg, .ctx = &f };

	if (strlen(found->prov) > LATER_MAX_NAME || strlen(found->mod) > LATER_MAX_FUNC ||
	    strlen(found->name) > LATER_MAX_NAME || strlen(found->func) > LATER_MAX_FUNC)
		return arena_printf(
			a, "a name is too long: provider and name may have %u characters, module and function %u",
			LATER_MAX_NAME, LATER_MAX_FUNC);
	/* The provider block of the program says what the arguments are: the clause has been checked by it. */
	if (p->providers && provdecl_find(p, found->prov, found->name))
		return NULL;
	if (!walk_node(&w, s->pred))
		walk_stmts(&w, s->body);
	return f.reason;
}

const struct dprog *later_program(struct arena *a, const struct dprog *p, const struct probe_list *found)
{
	struct dprog *r = arena_memdup(a, p, sizeof(*p));
	struct clause_instance **tail = &r->instances;

	for (const struct clause_instance *s = p->instances; s; s = s->next) {
		struct clause_instance *t = arena_memdup(a, s, sizeof(*s));

		/* Clauses of ERROR and of latency probes are part of other clauses' programs. */
		if (!s->is_error && !s->event)
			t->probes = found[s->epid - 1];
		*tail = t;
		tail = &t->next;
	}
	*tail = NULL;
	return r;
}
