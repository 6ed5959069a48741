/* SPDX-License-Identifier: Apache-2.0 */
/* Probe descriptions of programs written for illumos, FreeBSD and macOS. Their system calls have the name that Linux
 * has for the same call. A module that stands for their kernel means the kernel. A probe that is known by name but
 * cannot fire here is left out with a warning, as long as the program has other probes. Scripts name the calls of
 * several systems side by side. Also: system calls of Linux that programs hardly make. */
#include "lang/check/clause.h"
#include <string.h>

struct call {
	const char *name, *here, *instead;
};

static const struct call calls[] = {
#define CALL(name, here, instead) { name, here, instead },
#include "lang/check/foreign.def"
#undef CALL
};

static const struct silent {
	const char *name, *instead, *pattern;
} silents[] = {
#define SILENT(name, instead, pattern) { name, instead, pattern },
#include "lang/check/silent.def"
#undef SILENT
};

static const struct word {
	enum foreign_kind kind;
	const char *name, *here;
} words[] = {
#define VAR(name, here) { FOREIGN_VAR, name, here },
#define CALL(name, here) { FOREIGN_CALL, name, here },
#define PROVIDER(name, here) { FOREIGN_PROVIDER, name, here },
#include "lang/check/bpftrace.def"
#undef VAR
#undef CALL
#undef PROVIDER
};

bool foreign_hint(struct checker *c, enum foreign_kind kind, const char *name)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (words[i].kind != kind || strcmp(words[i].name, name) != 0)
			continue;
		hint(c, "%s is bpftrace's; in D: %s", name, words[i].here);
		return true;
	}
	return false;
}

/* The first part of a description that is given: where bpftrace has its providers. */
static const char *first_part(const struct pdesc *d)
{
	const char *const parts[] = { d->prov, d->mod, d->func, d->name };

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (parts[i] && parts[i][0])
			return parts[i];
	return "";
}

bool foreign_desc_hint(struct checker *c, const struct pdesc *d)
{
	if (d->prov && !strcmp(d->prov, "pid0")) {
		hint(c, "$target is 0: -p PID or -c COMMAND is missing");
		return true;
	}
	return foreign_hint(c, FOREIGN_PROVIDER, first_part(d));
}

static bool is_syscall(const struct pdesc *d)
{
	return pdesc_is_exact(d->prov) && !strcmp(d->prov, "syscall") && pdesc_is_exact(d->func);
}

static const struct call *find_call(const struct pdesc *d)
{
	for (size_t i = 0; is_syscall(d) && i < sizeof(calls) / sizeof(calls[0]); i++)
		if (!strcmp(calls[i].name, d->func))
			return &calls[i];
	return NULL;
}

static const struct pdesc_node *next_desc(const struct item **it, const struct pdesc_node *pd)
{
	if (pd && pd->next)
		return pd->next;
	for (*it = pd ? (*it)->next : *it; *it; *it = (*it)->next)
		if ((*it)->clause && (*it)->clause->probes)
			return (*it)->clause->probes;
	return NULL;
}

/* Is a description of the program about the system call `name`, by that name or by a pattern? A description of all
 * calls does not count. */
static bool is_named(const struct checker *c, const char *name)
{
	for (size_t i = 0; i < c->nunits; i++) {
		const struct item *it = c->units[i]->items;
		const struct pdesc_node *pd = NULL;

		while (it && (pd = next_desc(&it, pd)))
			if (pd->desc.func && pdesc_glob(pd->desc.prov, "syscall") && pdesc_glob(pd->desc.func, name))
				return true;
	}
	return false;
}

/* The Linux name that goes for the call. If the program names that, too, or another system's name for it, the
 * same call is not to be counted twice: NULL. */
static const char *alias(struct checker *c, const struct call *call)
{
	const char *taken;

	if (!call->here || is_named(c, call->here))
		return NULL;
	taken = symtab_get(&c->aliases, call->here, 0);
	if (!taken)
		symtab_put(&c->aliases, call->here, 0, (void *)call->name);
	return !taken || !strcmp(taken, call->name) ? call->here : NULL;
}

static bool try_match(struct checker *c, const struct pdesc *d, struct probe_list *l)
{
	const char *reason = NULL;

	if (!c->env->probes || !c->env->probes->match)
		return false;
	if (c->env->probes->match(c->env->probes->ctx, c->a, d, l, &reason) < 0)
		l->n = 0;
	return l->n > 0;
}

bool foreign_match(struct checker *c, const struct pdesc *d, struct probe_list *l)
{
	const struct call *call = find_call(d);
	struct pdesc k = *d;

	if (d->id)
		return false;
	if (pdesc_kernel_elsewhere(d->mod))
		k.mod = NULL;
	else if (!call)
		return false;
	if (call && alias(c, call))
		k.func = alias(c, call);
	else if (call)
		return false;
	if (try_match(c, &k, l))
		return true;
	/* The function is one of that kernel, too. */
	if (!pdesc_kernel_elsewhere(d->mod) || !k.func || is_syscall(&k))
		return false;
	k.func = NULL;
	return pdesc_is_exact(d->prov) && strcmp(d->prov, "fbt") != 0 && try_match(c, &k, l);
}

bool foreign_known(const struct pdesc *d)
{
	return !d->id && find_call(d) != NULL;
}

void foreign_leave(struct checker *c, const struct pdesc_node *pd, const char *reason)
{
	struct left *l = arena_new_obj(c->a, struct left);

	l->pd = pd;
	l->reason = reason;
	*(c->lastleft ? &c->lastleft->next : &c->left) = l;
	c->lastleft = l;
}

/* Does a clause wait for more than time to pass? */
static bool has_events(const struct dprog *p)
{
	for (const struct clause_instance *s = p->instances; s; s = s->next)
		for (size_t i = 0; i < s->probes.n; i++)
			if (strcmp(s->probes.v[i]->prov, "dtrace") != 0 && strcmp(s->probes.v[i]->prov, "profile") != 0)
				return true;
	return false;
}

static void warn_left(struct checker *c, const struct left *l)
{
	const struct call *call = find_call(&l->pd->desc);
	const char *taken = call && call->here ? symtab_get(&c->aliases, call->here, 0) : NULL;
	struct diag *g;

	if (!call) {
		diag_warn(c->d, l->pd->at, D_PDESC_ZERO, "left out: %s: %s", l->pd->text, l->reason);
		return;
	}
	if (call->here && !taken)
		taken = call->here;
	if (taken) /* the other name of the call is in the program */
		return;
	g = diag_warn(c->d, l->pd->at, D_PDESC_ZERO, "left out: Linux has no system call %s", call->name);
	if (call->instead)
		diag_hint(c->d, g, "programs call %s", call->instead);
}

void foreign_finish(struct checker *c)
{
	if (!c->left)
		return;
	if (!has_events(c->prog) && !c->d->nerrors) {
		report_zero(c, c->left->pd, c->left->reason, NULL);
		return;
	}
	for (const struct left *l = c->left; l; l = l->next)
		warn_left(c, l);
}

/* -- system calls that programs hardly make -- */

void silent_warn(struct checker *c, const struct pdesc_node *pd, const struct probe_list *l)
{
	const char *func = l->n == 1 ? l->v[0]->func : NULL;

	if (!func || strcmp(l->v[0]->prov, "syscall") != 0 || pd->desc.id || !pdesc_is_exact(pd->desc.func))
		return;
	for (size_t i = 0; i < sizeof(silents) / sizeof(silents[0]); i++) {
		if (strcmp(silents[i].name, func) != 0 || is_named(c, silents[i].pattern) ||
		    symtab_get(&c->silent, func, 0))
			continue;
		symtab_put(&c->silent, func, 0, (void *)func);
		diag_warn(c->d, pd->at, D_SILENT, "syscall::%s: fires rarely on Linux: programs make %s", func,
			  silents[i].instead);
	}
}
