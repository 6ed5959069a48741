/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the names of timer probes and checks their limits. Source: DTrace guide, "profile Provider"; limits and
 * units as in Oracle's DTrace for Linux. */
#include "prov/kernel/timer.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/units.h"

#define PERIOD_MAX_NS INT64_MAX /* perf refuses the top bit */

/* The period of value units. NULL, or why it is refused. */
static const char *period_of(const struct timer_family *f, const struct num_unit *u, uint64_t value, uint64_t *ret)
{
	uint64_t ns;

	if (value == 0)
		return f->bad_number;
	if (u->ns == 0)
		ns = NSEC_PER_SEC / value;
	else if (value > PERIOD_MAX_NS / u->ns)
		return f->too_long;
	else
		ns = value * u->ns;
	if (ns < f->min_ns)
		return f->too_fast;
	*ret = ns;
	return NULL;
}

/* The part of the name after the kind; NULL: it is not of this kind. */
static const char *after_kind(const struct timer_family *f, unsigned kind, const char *name)
{
	size_t n = f->kinds[kind] ? strlen(f->kinds[kind]) : 0;

	if (!n)
		return NULL;
	if (f->plain && !strncmp(name, f->kinds[kind], n - 1) && !name[n - 1])
		return name + n - 1; /* "task" of "task-" */
	return strncmp(name, f->kinds[kind], n) ? NULL : name + n;
}

/* Takes "tick-10sec" apart. false: not a timer's name at all; *reason when it is a bad one. */
static bool parse_name(const struct timer_family *f, const char *name, struct timer *t, const char **reason)
{
	const char *p = NULL;
	char *end;

	*reason = NULL;
	*t = (struct timer){ .family = f, .name = name };
	for (unsigned i = 0; !p && i < TIMER_MAX_KINDS; i++) {
		p = after_kind(f, i, name);
		t->kind = i;
	}
	if (!p)
		return false;
	if (!*p && f->plain && name[strlen(name) - 1] != '-')
		return true;
	*reason = f->bad_number;
	if (*p < '0' || *p > '9')
		return true;
	errno = 0;
	t->value = strtoull(p, &end, 10);
	if (errno)
		return true;
	for (size_t i = 0; i < NUM_UNITS; i++) {
		if (!strcasecmp(end, num_units[i].name)) {
			t->unit = &num_units[i];
			*reason = period_of(f, t->unit, t->value, &t->period_ns);
		}
	}
	return true;
}

static const char *canonical(struct arena *a, const struct timer *t)
{
	return arena_printf(a, "%s%llu%s", t->family->kinds[t->kind], (unsigned long long)t->value, t->unit->name);
}

/* Ids of plain names come first. */
static uint32_t first_packed(const struct timer_family *f)
{
	return f->plain ? TIMER_MAX_KINDS : 0;
}

static uint32_t first_hashed(const struct timer_family *f)
{
	return first_packed(f) + f->id_values * NUM_UNITS * TIMER_MAX_KINDS;
}

static bool id_used(const struct timer *list, uint32_t id)
{
	for (; list; list = list->next)
		if (list->id == id)
			return true;
	return false;
}

static uint32_t make_id(const struct timer *known, struct arena *a, const struct timer *t)
{
	const struct timer_family *f = t->family;
	uint32_t unit, h = 2166136261u; /* FNV-1a */

	if (!t->unit)
		return f->id_base + t->kind;
	unit = (uint32_t)(t->unit - num_units);
	if (t->value < f->id_values && !strcmp(t->name, canonical(a, t)))
		return f->id_base + first_packed(f) + (t->kind * NUM_UNITS + unit) * f->id_values + (uint32_t)t->value;
	for (const char *s = t->name; *s; s++)
		h = (h ^ (uint8_t)*s) * 16777619u;
	h %= f->id_count - first_hashed(f);
	while (id_used(known, f->id_base + first_hashed(f) + h))
		h = (h + 1) % (f->id_count - first_hashed(f));
	return f->id_base + first_hashed(f) + h;
}

/* The session's record of a name that parse_name() accepted. */
static const struct timer *intern(struct prov_env *env, const struct timer *t)
{
	struct prov_cache *pc = env->cache;
	struct timer *n;

	for (n = pc->timers; n; n = n->next)
		if (n->family == t->family && !strcmp(n->name, t->name))
			return n;
	n = arena_new_obj(pc->arena, struct timer);
	*n = *t;
	n->name = arena_strdup(pc->arena, t->name);
	n->id = make_id(pc->timers, pc->arena, t);
	n->next = pc->timers;
	pc->timers = n;
	return n;
}

static struct probe *make(struct prov_env *env, struct arena *a, const struct timer *parsed)
{
	const struct timer *t = intern(env, parsed);
	struct probe *p = arena_new_obj(a, struct probe);

	p->id = t->id;
	p->prov = t->family->prov;
	p->mod = p->func = "";
	p->name = t->name;
	p->priv = t;
	return p;
}

int timer_match(struct prov_env *env, struct arena *a, const struct pdesc *d, const struct timer_family *f,
		struct probe_list *out, const char **reason)
{
	size_t first = out->n;
	const char *bad;
	struct timer t;

	if (!pdesc_glob(d->prov, f->prov) || !pdesc_glob(d->mod, "") || !pdesc_glob(d->func, ""))
		return 0;
	if (pdesc_is_exact(d->name)) {
		if (!parse_name(f, d->name, &t, &bad))
			return 0;
		if (bad && reason)
			*reason = bad;
		if (!bad)
			prov_list_add(a, out, make(env, a, &t));
		return 0;
	}
	for (const char *const *l = f->listed; *l; l++)
		if (pdesc_glob(d->name, *l) && parse_name(f, *l, &t, &bad))
			prov_list_add(a, out, make(env, a, &t));
	prov_list_sort(out, first);
	return 0;
}

/* The name that a packed id, or one of a plain name, stands for. */
static const char *name_of_id(struct arena *a, const struct timer_family *f, uint32_t n)
{
	struct timer t = { .family = f };

	if (n < first_packed(f))
		return f->kinds[n] ? arena_strndup(a, f->kinds[n], strlen(f->kinds[n]) - 1) : NULL;
	n -= first_packed(f);
	t.value = n % f->id_values;
	n /= f->id_values;
	t.unit = &num_units[n % NUM_UNITS];
	t.kind = n / NUM_UNITS;
	return f->kinds[t.kind] ? canonical(a, &t) : NULL;
}

int timer_by_id(struct prov_env *env, struct arena *a, uint32_t id, const struct timer_family *f, struct probe **ret)
{
	const char *name, *bad;
	struct timer t;

	if (id - f->id_base < first_hashed(f)) {
		name = name_of_id(a, f, id - f->id_base);
		if (!name || !parse_name(f, name, &t, &bad) || bad)
			return -ENOENT;
		*ret = make(env, a, &t);
		return 0;
	}
	for (const struct timer *k = env->cache->timers; k; k = k->next) {
		if (k->id == id) {
			*ret = make(env, a, k);
			return 0;
		}
	}
	return -ENOENT;
}
