/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of begin(), end(), pending() and threshold(). */
#include "lang/check/call.h"
#include "lang/check/event.h"

/* begin(NAME, key…), end(NAME, key… [, exit id]), pending(NAME, key…), threshold(NAME) */

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

/* The exit id stands after the keys of end(). */
static bool take_id(struct checker *c, struct node *n, const struct dtracker *t)
{
	struct node **slot = &n->args;

	if (n->builtin->id != BI_END || n->nargs != t->nkeys + 1)
		return true;
	for (unsigned i = 0; i < t->nkeys; i++)
		slot = &(*slot)->next;
	n->c = *slot;
	*slot = NULL;
	n->nargs--;
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

/* threshold(NAME): it has the tracker's, for any key. */
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
		event_clause_calls(c, t, n->builtin->id == BI_END);
	return set_type(n, pending ? dtype_int(c->t, 8, false) : basic(c, DT_VOID));
}
