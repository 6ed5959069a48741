/* SPDX-License-Identifier: Apache-2.0 */
/* Trackers: their declarations, and calls of begin(), end(), pending() and threshold(). */
#include "lang/check/int.h"
#include <string.h>

static const struct {
	const char *name;
	uint64_t def, min, max;
} settings[TS_COUNT_] = {
#define TS(id, name, def, min, max) [TS_##id] = { name, def, min, max },
#include "lang/track.def"
};

const char *track_setting_name(enum track_setting s)
{
	return settings[s].name;
}

struct dtracker *tracker_find(const struct checker *c, const char *name)
{
	struct dtracker *t = c->prog->trackers;

	while (t && strcmp(t->name, name) != 0)
		t = t->next;
	return t;
}

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

/* What is listed and matched: provider latency, module the tracker's name. */
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

/* -- begin(NAME, key…), end(NAME, key… [, exit id]), pending(NAME, key…), threshold(NAME) -- */

static struct node *unknown_tracker(struct checker *c, struct node *n)
{
	const struct node *name = n->args;
	struct near near;

	if (!name || name->kind != N_IDENT)
		return fail(c, n, D_TRACKER_UNKNOWN, "%s( ) argument #1 must be the name of a tracker", n->name);
	fail(c, n->args, D_TRACKER_UNKNOWN, "there is no tracker %s", name->name);
	near_init(&near, name->name);
	for (const struct dtracker *t = c->prog->trackers; t; t = t->next)
		near_try(&near, t->name);
	if (near.best)
		hint(c, "did you mean %s?", near.best);
	else
		hint(c, "declare it before: tracker %s (types of its keys) { threshold = 10ms; }", name->name);
	return set_err(c, n);
}

/* "(dev_t, uint64_t)" */
static const char *key_list(struct checker *c, const struct dtracker *t)
{
	const char *s = "";

	for (unsigned i = 0; i < t->nkeys; i++)
		s = arena_printf(c->a, "%s%s%s", s, i ? ", " : "", dtype_name(c->t, t->keys[i]));
	return arena_printf(c->a, "(%s)", s);
}

static struct node *check_key(struct checker *c, const struct dtracker *t, unsigned i, struct node *k)
{
	const struct dtype *want = t->keys[i];

	k = check_expr(c, k);
	if (is_err(k))
		return k;
	if (!arg_compat(c, want, k) && !types_same(c, want, k->type))
		return fail(c, k, D_TRACKER_KEYS, "key #%u of tracker %s has type %s, this is %s", i + 1, t->name,
			    dtype_name(c->t, want), tname(c, k));
	if (t->store == TRACK_TASK)
		return k;
	if (dtype_resolve(c->t, want)->kind == DK_STRING)
		return to_string(c, k);
	return convert(c, k, want);
}

static bool check_keys_of(struct checker *c, struct node *n, const struct dtracker *t)
{
	struct node **slot = &n->args;

	for (unsigned i = 0; i < t->nkeys; i++, slot = &(*slot)->next) {
		struct node *next = (*slot)->next, *k;

		(*slot)->next = NULL;
		k = check_key(c, t, i, *slot);
		k->next = next;
		*slot = k;
		if (is_err(k))
			return false;
	}
	return true;
}

/* Where it cannot be: in the clauses that it would fire, and where there is no program of its own. */
static bool place_ok(struct checker *c, struct node *n)
{
	const char *where = !c->stmt		? NULL
			    : c->stmt->event	? "a latency probe"
			    : c->stmt->is_error ? "dtrace:::ERROR"
						: NULL;

	if (n->builtin->id == BI_PENDING || n->builtin->id == BI_THRESHOLD || !where)
		return true;
	fail(c, n, D_TRACKER_PLACE, "%s( ) may not be called in a clause of %s", n->name, where);
	return false;
}

/* The exit id stands behind the keys of end(). */
static bool take_id(struct checker *c, struct node *n, const struct dtracker *t)
{
	struct node **slot = &n->args;

	if (n->builtin->id != BI_END || n->nargs != t->nkeys + 1)
		return true;
	for (unsigned i = 0; i < t->nkeys; i++)
		slot = &(*slot)->next;
	n->c = check_expr(c, *slot);
	*slot = NULL;
	n->nargs--;
	if (is_err(n->c))
		return false;
	if (!dtype_is_integer(res(c, n->c))) {
		fail(c, n->c, D_TRACKER_KEYS, "the exit id of end( ) must be an integer, this is %s", tname(c, n->c));
		return false;
	}
	n->c = convert(c, n->c, dtype_int(c->t, 8, true));
	return true;
}

/* _scan(NAME): in clauses of the checker's own. */
static struct node *check_scan(struct checker *c, struct node *n, struct dtracker *t)
{
	if (!c->scanning)
		return fail(c, n, D_TRACKER_PLACE, "%s( ) is called by dwell itself only", n->name);
	event_fires(c, t);
	return set_type(n, basic(c, DT_VOID));
}

/* threshold(NAME): it has the tracker's, whatever the key. */
static struct node *check_threshold(struct checker *c, struct node *n, const struct dtracker *t)
{
	if (n->nargs)
		return fail(c, n, D_TRACKER_KEYS, "%s( ) wants the name of tracker %s only", n->name, t->name);
	return set_type(n, dtype_int(c->t, 8, false));
}

struct node *check_track_call(struct checker *c, struct node *n)
{
	bool pending = n->builtin->id == BI_PENDING;
	struct dtracker *t;

	if (!c->prog->trackers) {
		fail(c, n, D_TRACKER_UNKNOWN, "%s( ) needs a tracker, and none is declared before it", n->name);
		hint(c, "tracker NAME (types of its keys) { threshold = 10ms; }");
		return n;
	}
	t = n->args && n->args->kind == N_IDENT ? tracker_find(c, n->args->name) : NULL;
	if (!t)
		return unknown_tracker(c, n);
	n->tracker = t;
	n->args = n->args->next;
	n->nargs--;
	if (n->builtin->id == BI_TRACK_SCAN)
		return check_scan(c, n, t);
	if (n->builtin->id == BI_THRESHOLD)
		return check_threshold(c, n, t);
	if (!place_ok(c, n) || !take_id(c, n, t))
		return set_err(c, n);
	if (n->nargs != t->nkeys)
		return fail(c, n, D_TRACKER_KEYS, "tracker %s has %u key%s %s, %s( ) is given %u", t->name, t->nkeys,
			    t->nkeys == 1 ? "" : "s", key_list(c, t), n->name, n->nargs);
	if (!check_keys_of(c, n, t))
		return set_err(c, n);
	if (!pending && c->stmt)
		event_note(c, t, n->builtin->id == BI_END);
	return set_type(n, pending ? dtype_int(c->t, 8, false) : basic(c, DT_VOID));
}
