/* SPDX-License-Identifier: Apache-2.0 */
/* Lists every tracepoint of the kernel. BTF has a typedef btf_trace_NAME for each (pointer to a prototype whose
 * first parameter is private); tracefs has its group where the tracepoint is an event. Source: kernel
 * include/trace/bpf_probe.h, __BPF_DECLARE_TRACE. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/walk.h"
#include "load/reasons.h"
#include "load/tracefs.h"
#include "prov/prov_int.h"

#define PREFIX "btf_trace_"
#define PREFIX_LEN (sizeof(PREFIX) - 1)
#define RESOLVE_MAX 64 /* typedefs and qualifiers of one type */
#define TP_PRIVATE 1   /* parameters before the first real one */

struct group_of {
	const char *event, *group;
};

struct tptab {
	struct tp **builtin; /* by slot */
	size_t nbuiltin;
	struct tp **mods; /* by slot, which is sorted; only after load_modules() */
	size_t nmods;
	bool mods_loaded;
	struct group_of *groups; /* sorted by event name */
	size_t ngroups;
	const char *no_groups; /* why they are not known, or NULL */
};

struct collect {
	struct prov_env *env;
	struct tptab *t;
	struct tp **v;
	size_t n;
};

static int by_event(const void *a, const void *b)
{
	return strcmp(((const struct group_of *)a)->event, ((const struct group_of *)b)->event);
}

/* Splits "group:event" lines in place. Without tracefs there are no groups. */
static void read_groups(struct prov_env *env, struct tptab *t)
{
	int dir = prov_tracefs(env);
	_cleanup_free_ char *text = NULL;
	char *own, *line, *save = NULL;
	struct reason words;
	size_t len, max = 0;
	int r = dir < 0 ? env->tracefs_error : tracefs_read(dir, "available_events", &text, &len);

	t->ngroups = 0;
	t->no_groups = r < 0 ? arena_strdup(env->cache->arena, reason_tracefs(r, &words)) : NULL;
	if (r < 0)
		return;
	own = arena_strndup(env->cache->arena, text, len);
	for (char *s = own; *s; s++)
		max += *s == '\n';
	t->groups = arena_new_arr(env->cache->arena, struct group_of, max + 1);
	for (line = strtok_r(own, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *colon = strchr(line, ':');

		/* System calls have a provider of their own; there are hundreds of them. */
		if (!colon || !strncmp(line, "syscalls:", 9))
			continue;
		*colon = '\0';
		t->groups[t->ngroups++] = (struct group_of){ colon + 1, line };
	}
	if (t->ngroups)
		qsort(t->groups, t->ngroups, sizeof(*t->groups), by_event);
}

static struct tp *tp_new(struct collect *c, struct tref ref, const char *name)
{
	struct arena *a = c->env->cache->arena;
	struct tp *tp = arena_new_obj(a, struct tp);
	struct group_of key = { .event = name + PREFIX_LEN }, *g = NULL;

	tp->name = name + PREFIX_LEN;
	tp->ref = ref;
	if (c->t->ngroups)
		g = bsearch(&key, c->t->groups, c->t->ngroups, sizeof(key), by_event);
	tp->group = g ? g->group : typesrc_obj_name(c->env->ts, ref.obj);
	return tp;
}

static int collect_tp(void *arg, struct tref ref, const char *name)
{
	struct collect *c = arg;

	if ((c->n & (c->n - 1)) == 0) {
		struct tp **v = arena_new_arr(c->env->cache->arena, struct tp *, c->n ? c->n * 2 : 1);

		if (c->n)
			memcpy(v, c->v, c->n * sizeof(*v));
		c->v = v;
	}
	c->v[c->n] = tp_new(c, ref, name);
	c->v[c->n]->slot = (uint32_t)c->n;
	c->n++;
	return c->n >= TPTAB_MAX_BUILTIN;
}

static int get_tab(struct prov_env *env, struct tptab **ret)
{
	struct prov_cache *pc = env->cache;
	struct collect c = { .env = env };
	int r;

	if (!pc->tps) {
		c.t = arena_new_obj(pc->arena, struct tptab);
		read_groups(env, c.t);
		r = typesrc_each_in(env->ts, 0, TK_TYPEDEF, PREFIX, collect_tp, &c);
		if (r < 0)
			return r;
		c.t->builtin = c.v;
		c.t->nbuiltin = c.n;
		pc->tps = c.t;
	}
	*ret = pc->tps;
	return 0;
}

static int by_slot(const void *a, const void *b)
{
	const struct tp *x = *(struct tp *const *)a, *y = *(struct tp *const *)b;

	return x->slot < y->slot ? -1 : x->slot > y->slot;
}

static uint32_t hash_tp(const struct tp *tp)
{
	uint32_t h = 2166136261u; /* FNV-1a */

	for (const char *s = tp->name; *s; s++)
		h = (h ^ (uint8_t)*s) * 16777619u;
	return h ^ h >> 16;
}

/* Modules come and go, so that a rank would not be stable. The slot is a hash of the name, and the next free one for
 * the few that collide. */
static void place_modules(struct collect *c)
{
	const uint32_t nslots = TPTAB_MAX_SLOTS - TPTAB_MAX_BUILTIN;
	_cleanup_free_ uint8_t *used = calloc(nslots, 1);
	size_t out = 0;

	for (size_t i = 0; used && i < c->n && out < nslots; i++) {
		uint32_t s = hash_tp(c->v[i]) % nslots;

		while (used[s])
			s = (s + 1) % nslots;
		used[s] = 1;
		c->v[i]->slot = TPTAB_MAX_BUILTIN + s;
		c->v[out++] = c->v[i];
	}
	c->n = out;
	if (out)
		qsort(c->v, c->n, sizeof(struct tp *), by_slot);
}

static void load_modules(struct prov_env *env, struct tptab *t)
{
	struct collect c = { .env = env, .t = t };

	if (t->mods_loaded)
		return;
	t->mods_loaded = true;
	if (typesrc_nobjs(env->ts) > 1)
		read_groups(env, t);
	for (uint32_t obj = 1; obj < typesrc_nobjs(env->ts); obj++)
		typesrc_each_in(env->ts, obj, TK_TYPEDEF, PREFIX, collect_tp, &c);
	place_modules(&c);
	t->mods = c.v;
	t->nmods = c.n;
}

static size_t match_in(struct tp **v, size_t n, const struct pdesc *d, void (*fn)(void *arg, const struct tp *tp),
		       void *arg)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++) {
		if (!pdesc_glob(d->name, v[i]->name) || !pdesc_glob(d->mod, v[i]->group))
			continue;
		fn(arg, v[i]);
		found++;
	}
	return found;
}

/* Tracepoint names are C identifiers: "tick-1s" need not be looked up. */
static bool may_be_identifier(const char *name)
{
	return !pdesc_is_exact(name) ||
	       strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == strlen(name);
}

int tptab_match(struct prov_env *env, const struct pdesc *d, void (*fn)(void *arg, const struct tp *tp), void *arg,
		const char **reason)
{
	struct tptab *t;
	size_t n;
	int r;

	if (!pdesc_glob(d->func, "") || !may_be_identifier(d->name))
		return 0;
	if (!env->ts) {
		if (reason)
			*reason = prov_no_types(env);
		return 0;
	}
	r = get_tab(env, &t);
	if (r < 0)
		return r;
	n = match_in(t->builtin, t->nbuiltin, d, fn, arg);
	if (n && pdesc_is_exact(d->name))
		return 0;
	load_modules(env, t);
	n += match_in(t->mods, t->nmods, d, fn, arg);
	if (!n && t->no_groups && d->mod && d->mod[0] && reason)
		*reason = arena_printf(env->cache->arena, "which tracepoints are of the group %s is in tracefs: %s",
				       d->mod, t->no_groups);
	return 0;
}

const struct tp *tptab_by_slot(struct prov_env *env, uint32_t slot)
{
	struct tptab *t;

	if (!env->ts || get_tab(env, &t) < 0)
		return NULL;
	if (slot < TPTAB_MAX_BUILTIN)
		return slot < t->nbuiltin ? t->builtin[slot] : NULL;
	load_modules(env, t);
	for (size_t i = 0; i < t->nmods; i++)
		if (t->mods[i]->slot == slot)
			return t->mods[i];
	return NULL;
}

/* Answers of tptab_find_builtin(): hundreds of system calls ask for the same two. */
struct tp_found {
	struct tp_found *next;
	const char *name;
	struct tref ref; /* id 0: not found in the first nobjs objects */
	uint32_t nobjs;
};

static int find_exact(void *arg, struct tref ref, const char *name)
{
	struct tp_found *f = arg;

	if (strcmp(name + PREFIX_LEN, f->name) != 0)
		return 0;
	f->ref = ref;
	return WALK_END;
}

/* Looks at the objects [0, nobjs), which must not shrink for one name. */
static int find_in(struct prov_env *env, const char *name, uint32_t nobjs, struct tref *ret)
{
	struct tp_found *f = env->cache->found;
	int r = 0;

	while (f && strcmp(f->name, name) != 0)
		f = f->next;
	if (!f) {
		f = arena_new_obj(env->cache->arena, struct tp_found);
		f->name = arena_strdup(env->cache->arena, name);
		f->next = env->cache->found;
		env->cache->found = f;
	}
	/* A pass over the typedefs is cheaper than the index of all names. */
	for (; r == 0 && !f->ref.id && f->nobjs < nobjs; f->nobjs++)
		r = walk_ended(typesrc_each_in(env->ts, f->nobjs, TK_TYPEDEF, PREFIX, find_exact, f));
	if (r < 0)
		return r;
	if (!f->ref.id)
		return -ENOENT;
	*ret = f->ref;
	return 0;
}

int tptab_find_builtin(struct prov_env *env, const char *name, struct tref *ret)
{
	return env->ts ? find_in(env, name, 1, ret) : -ENOENT;
}

int tptab_find(struct prov_env *env, const char *name, struct tref *ret)
{
	return env->ts ? find_in(env, name, typesrc_nobjs(env->ts), ret) : -ENOENT;
}

/* Follows typedefs and qualifiers to the type that decides size and sign. */
static int resolve(struct typesrc *ts, struct tref ref, struct tref *ret, struct tinfo *ti)
{
	const uint32_t through = TKM(TK_TYPEDEF) | TKM(TK_CONST) | TKM(TK_VOLATILE) | TKM(TK_RESTRICT) |
				 TKM(TK_TYPE_TAG);

	for (int i = 0; i < RESOLVE_MAX; i++) {
		int r = typesrc_get(ts, ref, ti);

		if (r < 0)
			return r;
		if (!(through & TKM(ti->kind))) {
			*ret = ref;
			return 0;
		}
		ref = ti->target;
	}
	return -EBADMSG;
}

/* typedef -> pointer -> prototype */
static int prototype(struct typesrc *ts, struct tref ref, struct tref *ret, struct tinfo *ti)
{
	int r = resolve(ts, ref, &ref, ti);

	if (r >= 0 && ti->kind != TK_PTR)
		return -EBADMSG;
	if (r >= 0)
		r = resolve(ts, ti->target, ret, ti);
	if (r >= 0 && ti->kind != TK_FUNC_PROTO)
		return -EBADMSG;
	return r;
}

static unsigned count_args(const struct tinfo *proto, unsigned max)
{
	unsigned n = proto->nmembers > TP_PRIVATE ? proto->nmembers - TP_PRIVATE : 0;

	return n < max ? n : max;
}

/* The kernel's own caller function has the names of the parameters. */
static void arg_names(struct prov_env *env, struct arena *a, const struct tp *tp, unsigned nargs,
		      struct probe_arg *args)
{
	struct typesrc *ts = env->ts;
	struct tmember m;
	struct tinfo ti;
	struct tref fn;

	if (typesrc_find(ts, typesrc_obj_name(ts, tp->ref.obj), arena_printf(a, "__traceiter_%s", tp->name),
			 TKM(TK_FUNC), &fn) < 0 ||
	    typesrc_get(ts, fn, &ti) < 0)
		return;
	fn = ti.target;
	if (typesrc_get(ts, fn, &ti) < 0 || ti.nmembers != nargs + TP_PRIVATE)
		return;
	for (unsigned i = 0; i < nargs; i++)
		if (typesrc_member(ts, fn, i + TP_PRIVATE, &m) >= 0 && *m.name)
			args[i].name = m.name;
}

int tptab_args(struct prov_env *env, struct arena *a, const struct tp *tp, struct probe *p)
{
	struct probe_arg *args;
	struct tref proto;
	struct tmember m;
	struct tinfo ti;
	unsigned n;
	int r = prototype(env->ts, tp->ref, &proto, &ti);

	if (r < 0)
		return r;
	n = count_args(&ti, PROBE_MAX_ARGS);
	args = arena_new_arr(a, struct probe_arg, n ? n : 1);
	for (unsigned i = 0; i < n; i++) {
		r = typesrc_member(env->ts, proto, i + TP_PRIVATE, &m);
		if (r < 0)
			return r;
		args[i].ref = m.type;
	}
	arg_names(env, a, tp, n, args);
	p->args = args;
	p->nargs = n;
	p->args_known = true;
	tpform_args(a, tp, p);
	return 0;
}

/* The kernel widens each argument without its sign, so the location says how to narrow it again.
 * Source: kernel include/trace/bpf_probe.h, CAST_TO_U64. */
int tptab_arg_locs(struct prov_env *env, struct tref ref, struct entry *e)
{
	struct tref proto, type;
	struct tmember m;
	struct tinfo ti;
	int r = prototype(env->ts, ref, &proto, &ti);

	if (r < 0)
		return r;
	e->nargs = count_args(&ti, ENTRY_MAX_ARGS);
	for (unsigned i = 0; i < e->nargs; i++) {
		struct arg_loc *l = &e->args[i];

		*l = (struct arg_loc){ .kind = ARG_CTX, .off = i * 8, .size = 8 };
		r = typesrc_member(env->ts, proto, i + TP_PRIVATE, &m);
		if (r >= 0)
			r = resolve(env->ts, m.type, &type, &ti);
		if (r < 0)
			return r;
		if ((ti.kind == TK_INT || ti.kind == TK_ENUM) && ti.size && ti.size < 8) {
			l->size = (uint8_t)ti.size;
			l->is_signed = ti.is_signed;
		}
	}
	return 0;
}
