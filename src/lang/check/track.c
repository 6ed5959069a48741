/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the declarations of trackers: names, limits, types of keys. */
#include "lang/check/decl.h"
#include "lang/check/event.h"
#include <string.h>

static const struct {
	const char *name;
	uint64_t def, min, max;
} settings[TS_COUNT_] = {
#define TS(id, name, def, min, max) [TS_##id] = { name, def, min, max },
#include "lang/track.def"
};

/* -- declarations -- */

static void unknown_setting(struct checker *c, const struct decl *d, const struct tymember *m)
{
	struct near near;

	diag_error(c->d, m->at, D_TRACKER_SETTING, "tracker %s: unknown setting %s", d->name, m->name);
	near_init(&near, m->name);
	for (unsigned i = 0; i < TS_COUNT_; i++)
		near_try(&near, settings[i].name);
	if (near.best)
		hint(c, "did you mean %s?", near.best);
	else
		hint(c, "threshold, timeout, size and others: see dwell(1), TRACKERS");
}

/* name = value; */
static void set_one(struct checker *c, const struct decl *d, struct dtracker *t, const struct tymember *m)
{
	unsigned i = 0;
	struct node *v;

	while (i < TS_COUNT_ && strcmp(settings[i].name, m->name) != 0)
		i++;
	if (i == TS_COUNT_) {
		unknown_setting(c, d, m);
		return;
	}
	if (!const_value(c, m->value, &v)) {
		if (!is_err(v))
			diag_error(c->d, m->value->at, D_TRACKER_SETTING, "tracker %s: %s must be an integer constant",
				   d->name, m->name);
		return;
	}
	if (v->ival < settings[i].min || v->ival > settings[i].max) {
		diag_error(c->d, m->value->at, D_TRACKER_SETTING, "tracker %s: %s must be between %llu and %llu",
			   d->name, m->name, (unsigned long long)settings[i].min, (unsigned long long)settings[i].max);
		return;
	}
	t->settings[i] = v->ival;
}

static bool is_task(struct checker *c, const struct dtype *ty)
{
	const struct dtype *r = dtype_resolve(c->t, ty), *to;

	if (r->kind != DK_PTR)
		return false;
	to = dtype_resolve(c->t, r->base);
	return (to->kind == DK_STRUCT || to->kind == DK_FWD) && to->name && !strcmp(to->name, "task_struct");
}

static bool key_type_ok(struct checker *c, const struct decl *d, const struct tyname *k, const struct dtype *ty)
{
	const struct dtype *r = dtype_resolve(c->t, ty);

	if (r->kind == DK_DYN)
		return false;
	if (r->kind == DK_STRING || (r->size && r->size <= UINT32_MAX && r->kind != DK_FLOAT))
		return true;
	diag_error(c->d, k->at, D_TRACKER_TYPE, "tracker %s: a key cannot have type %s", d->name, dtype_name(c->t, ty));
	return false;
}

static bool read_keys(struct checker *c, const struct decl *d, struct dtracker *t)
{
	const struct tyname *k;

	for (k = d->input; k; k = k->next)
		t->nkeys++;
	/* (void) is no key, as with functions */
	if (t->nkeys == 1 && check_type(c, d->input)->kind == DK_VOID)
		t->nkeys = 0;
	if (t->nkeys > TRACK_MAX_KEYS) {
		diag_error(c->d, d->at, D_LIMIT, "tracker %s has more than %d keys", d->name, TRACK_MAX_KEYS);
		return false;
	}
	t->keys = arena_new_arr(c->a, const struct dtype *, t->nkeys + 1);
	k = d->input;
	for (unsigned i = 0; i < t->nkeys; i++, k = k->next) {
		t->keys[i] = rvalue_type(c, check_type(c, k));
		if (!key_type_ok(c, d, k, t->keys[i]))
			return false;
	}
	t->store = !t->nkeys ? TRACK_THREAD : t->nkeys == 1 && is_task(c, t->keys[0]) ? TRACK_TASK : TRACK_KEYED;
	return true;
}

/* Makes the tracker's probes as they are listed and matched: provider latency, module the tracker's name. */
static void make_probes(struct checker *c, struct dtracker *t)
{
	static const char *const names[TRACK_NPROBES] = {
		[TRACK_SLOW] = "slow", [TRACK_ALL] = "all", [TRACK_TIMEOUT] = "timeout"
	};
	struct probe_arg *args = arena_new_arr(c->a, struct probe_arg, t->nkeys + 1);

	args[0].ctype = "latency_t *";
	for (unsigned i = 0; i < t->nkeys; i++)
		args[1 + i].ctype = dtype_name(c->t, t->keys[i]);
	for (unsigned i = 0; i < TRACK_NPROBES; i++) {
		struct probe *p = arena_new_obj(c->a, struct probe);

		*p = (struct probe){ .id = TRACK_PROBE_ID + t->id * TRACK_NPROBES + i,
				     .prov = "latency",
				     .mod = t->name,
				     .func = "",
				     .name = names[i],
				     .args = args,
				     .nargs = t->nkeys + 1,
				     .args_known = true,
				     .priv = t };
		t->probes[i] = p;
	}
}

void declare_tracker(struct checker *c, const struct decl *d)
{
	struct dtracker *t = arena_new_obj(c->a, struct dtracker), **tail = &c->prog->trackers;

	if (tracker_find(c, d->name)) {
		diag_error(c->d, d->at, D_TRACKER_REDECL, "tracker redeclared: %s", d->name);
		return;
	}
	if (c->prog->ntrackers >= TRACK_MAX) {
		diag_error(c->d, d->at, D_LIMIT, "more than %d trackers", TRACK_MAX);
		return;
	}
	t->name = d->name;
	t->at = d->at;
	t->id = c->prog->ntrackers;
	for (unsigned i = 0; i < TS_COUNT_; i++)
		t->settings[i] = settings[i].def;
	if (c->env->opts)
		t->settings[TS_CONTROL] = c->env->opts->control;
	for (const struct tymember *m = d->members; m; m = m->next)
		set_one(c, d, t, m);
	if (!read_keys(c, d, t))
		return;
	make_probes(c, t);
	c->prog->ntrackers++;
	while (*tail)
		tail = &(*tail)->next;
	*tail = t;
}
