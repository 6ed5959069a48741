/* SPDX-License-Identifier: Apache-2.0 */
/* Provider profile: profile-N fires on every CPU, tick-N on one, N times per second or every N units.
 * A few are listed; any other rate within the limits exists when it is named.
 * Source: DTrace guide, "profile Provider"; limits and units as in Oracle's DTrace for Linux. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/cleanup.h"
#include "prov/prov_int.h"

#define NSEC		  1000000000ull
#define PERIOD_MIN_NS	  200000ull	/* 5000 Hz */
#define PERIOD_MAX_NS	  INT64_MAX	/* perf refuses the top bit */
#define ONLINE_FILE	  "/sys/devices/system/cpu/online"

static const struct unit {
	const char *name;
	uint64_t ns; /* 0: per second */
} units[] = {
	{"", 0},	    {"hz", 0},
	{"ns", 1},	    {"nsec", 1},
	{"us", 1000},	    {"usec", 1000},
	{"ms", 1000000},    {"msec", 1000000},
	{"s", NSEC},	    {"sec", NSEC},
	{"m", 60 * NSEC},   {"min", 60 * NSEC},
	{"h", 3600 * NSEC}, {"hour", 3600 * NSEC},
	{"d", 86400 * NSEC}, {"day", 86400 * NSEC},
};

static const struct kind {
	const char *prefix;
	bool every_cpu;
} kinds[] = {{"profile-", true}, {"tick-", false}};

static const char *const listed[] = {
	"profile-97",	"profile-199", "profile-499", "profile-997", "profile-1999",
	"profile-4001", "profile-4999", "tick-1",     "tick-10",     "tick-100",
	"tick-500",	"tick-1000",   "tick-5000",
};

/* A name taken apart. Kept for the session, since the id of a long name does not tell the name. */
struct dyn_timer {
	struct dyn_timer *next;
	const char *name;
	const struct kind *kind;
	const struct unit *unit;
	uint64_t value, period_ns;
	uint32_t id;
};

/* Ids: names in canonical spelling with a small value are packed, so that an id gives back the name;
 * the others get a hash in the rest of the range. */
enum {
	ID_VALUES = 10000,
	ID_PACKED = ID_VALUES * (int)(ARRAY_SIZE(units) * ARRAY_SIZE(kinds)),
	ID_HASHED = PROV_N_PROFILE - ID_PACKED,
};
_Static_assert(ID_HASHED > 1000, "the packed ids fill the range");

static const char too_fast[] = "profile and tick fire at most 5000 times per second: the interval must be "
			       "200 microseconds or more";
static const char too_long[] = "the interval of the profile or tick probe is too long";
static const char bad_number[] = "profile and tick take a positive number and one of the units hz, ns, us, "
				 "ms, s, m, h, d";

/* The period of value units. NULL, or why it is refused. */
static const char *period_of(const struct unit *u, uint64_t value, uint64_t *ret)
{
	uint64_t ns;

	if (value == 0)
		return bad_number;
	if (u->ns == 0)
		ns = NSEC / value;
	else if (value > PERIOD_MAX_NS / u->ns)
		return too_long;
	else
		ns = value * u->ns;
	if (ns < PERIOD_MIN_NS)
		return too_fast;
	*ret = ns;
	return NULL;
}

/* Takes "tick-10sec" apart. false: not a timer's name at all; *why when it is a bad one. */
static bool parse_name(const char *name, struct dyn_timer *t, const char **why)
{
	const char *p = NULL;
	char *end;

	*why = NULL;
	for (size_t i = 0; !p && i < ARRAY_SIZE(kinds); i++) {
		if (!strncmp(name, kinds[i].prefix, strlen(kinds[i].prefix))) {
			t->kind = &kinds[i];
			p = name + strlen(kinds[i].prefix);
		}
	}
	if (!p)
		return false;
	*why = bad_number;
	if (*p < '0' || *p > '9')
		return true;
	errno = 0;
	t->value = strtoull(p, &end, 10);
	if (errno)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (!strcasecmp(end, units[i].name)) {
			t->unit = &units[i];
			*why = period_of(t->unit, t->value, &t->period_ns);
		}
	}
	t->name = name;
	return true;
}

static const char *canonical(struct arena *a, const struct dyn_timer *t)
{
	return arena_printf(a, "%s%llu%s", t->kind->prefix, (unsigned long long)t->value,
			    t->unit->name);
}

static bool id_used(const struct dyn_timer *list, uint32_t id)
{
	for (; list; list = list->next)
		if (list->id == id)
			return true;
	return false;
}

static uint32_t make_id(const struct dyn_timer *known, struct arena *a, const struct dyn_timer *t)
{
	size_t kind = (size_t)(t->kind - kinds), unit = (size_t)(t->unit - units);
	uint32_t h = 2166136261u; /* FNV-1a */

	if (t->value < ID_VALUES && !strcmp(t->name, canonical(a, t)))
		return (uint32_t)(PROV_ID_PROFILE + (kind * ARRAY_SIZE(units) + unit) * ID_VALUES +
				  t->value);
	for (const char *s = t->name; *s; s++)
		h = (h ^ (uint8_t)*s) * 16777619u;
	h %= ID_HASHED;
	while (id_used(known, PROV_ID_PROFILE + ID_PACKED + h))
		h = (h + 1) % ID_HASHED;
	return PROV_ID_PROFILE + ID_PACKED + h;
}

/* The session's record of a name that parse_name() accepted. */
static const struct dyn_timer *intern(struct prov_env *env, const struct dyn_timer *t)
{
	struct prov_cache *pc = env->cache;
	struct dyn_timer *n;

	for (n = pc->timers; n; n = n->next)
		if (!strcmp(n->name, t->name))
			return n;
	n = arena_new_obj(pc->arena, struct dyn_timer);
	*n = *t;
	n->name = arena_strdup(pc->arena, t->name);
	n->id = make_id(pc->timers, pc->arena, t);
	n->next = pc->timers;
	pc->timers = n;
	return n;
}

static struct probe *make(struct prov_env *env, struct arena *a, const struct dyn_timer *parsed)
{
	const struct dyn_timer *t = intern(env, parsed);
	struct probe *p = arena_new_obj(a, struct probe);

	p->id = t->id;
	p->prov = "profile";
	p->mod = p->func = "";
	p->name = t->name;
	p->priv = t;
	return p;
}

static int by_id_order(const void *a, const void *b)
{
	const struct probe *x = *(struct probe *const *)a, *y = *(struct probe *const *)b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static int profile_match(struct prov_env *env, struct arena *a, const struct pdesc *d,
			 struct probe_list *out, const char **why)
{
	struct dyn_timer t = {0};
	const char *bad;
	size_t first = out->n;

	if (!prov_glob(d->prov, "profile") || !prov_glob(d->mod, "") || !prov_glob(d->func, ""))
		return 0;
	if (prov_is_exact(d->name)) {
		if (!parse_name(d->name, &t, &bad))
			return 0;
		if (bad && why)
			*why = bad;
		if (!bad)
			prov_list_add(a, out, make(env, a, &t));
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(listed); i++)
		if (prov_glob(d->name, listed[i]) && parse_name(listed[i], &t, &bad))
			prov_list_add(a, out, make(env, a, &t));
	if (out->n > first)
		qsort(out->v + first, out->n - first, sizeof(*out->v), by_id_order);
	return 0;
}

static int profile_by_id(struct prov_env *env, struct arena *a, uint32_t id, struct probe **ret)
{
	uint32_t n = id - PROV_ID_PROFILE;
	struct dyn_timer t = {0};
	const char *bad;

	if (n < ID_PACKED) {
		t.value = n % ID_VALUES;
		n /= ID_VALUES;
		t.unit = &units[n % ARRAY_SIZE(units)];
		t.kind = &kinds[n / ARRAY_SIZE(units)];
		if (!parse_name(canonical(a, &t), &t, &bad) || bad)
			return -ENOENT;
		*ret = make(env, a, &t);
		return 0;
	}
	for (const struct dyn_timer *k = env->cache->timers; k; k = k->next) {
		if (k->id == id) {
			*ret = make(env, a, k);
			return 0;
		}
	}
	return -ENOENT;
}

/* DTrace does not type them. */
static int profile_args(struct prov_env *env, struct arena *a, struct probe *p)
{
	(void)env;
	(void)a;
	p->args_known = true;
	return 0;
}

/* tick-n fires on one CPU: the first that is online. */
static int first_online_cpu(void)
{
	_cleanup_close_ int fd = open(ONLINE_FILE, O_RDONLY | O_CLOEXEC);
	char buf[16] = "";

	if (fd < 0 || read(fd, buf, sizeof(buf) - 1) <= 0)
		return 0;
	return atoi(buf);
}

static int profile_entry(struct prov_env *env, struct arena *a, const struct probe *p,
			 struct entry *ret, const char **why)
{
	const struct dyn_timer *t = p->priv;

	(void)env;
	(void)a;
	(void)why;
	*ret = (struct entry){
		.kind = ENTRY_PERF_EVENT,
		.target = t->kind->every_cpu ? "profile" : "tick",
		.period_ns = t->period_ns,
		.cpu = t->kind->every_cpu ? -1 : first_online_cpu(),
		.nargs = 2,
		.args = {{.kind = ARG_PC_KERNEL}, {.kind = ARG_PC_USER}},
	};
	return 0;
}

const struct provider prov_profile = {
	.name = "profile",
	.id_base = PROV_ID_PROFILE,
	.id_count = PROV_N_PROFILE,
	.match = profile_match,
	.by_id = profile_by_id,
	.args = profile_args,
	.entry = profile_entry,
};
