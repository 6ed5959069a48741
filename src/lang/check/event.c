/* SPDX-License-Identifier: Apache-2.0 */
/* Latency probes: what trackers fire. A clause of such a probe is checked where it stands, so that names come
 * into being in order, and once more for every clause that can fire it, in whose program its code is. */
#include "lang/check/int.h"
#include <string.h>
#include "base/flightfmt.h"

#define PROV "latency"
#define PROV_STEM 3 /* letters of it that a pattern must have: *:::slow is about everything else */

/* A clause of latency probes, waiting for those that fire it. */
struct devclause {
	const struct clause *cl;
	const struct clause_instance *s; /* as checked where it stands */
	bool *placed;			 /* by probe of s */
	struct devclause *next;
};

static const struct {
	const char *name, *ctype;
} fields[TF_COUNT_] = {
#define TF(id, name, ctype) [TF_##id] = { name, ctype },
#include "lang/track.def"
};

const char *track_field_name(enum track_field f)
{
	return f < TF_COUNT_ ? fields[f].name : "key";
}

/* -- probes -- */

void track_match(struct arena *a, const struct dprog *p, const struct pdesc *d, struct probe_list *l)
{
	struct probe **v;

	if (!d->id && (!d->prov || strncmp(d->prov, PROV, PROV_STEM) != 0))
		return;
	for (struct dtracker *t = p->trackers; t; t = t->next)
		for (unsigned i = 0; i < TRACK_NPROBES; i++) {
			if (!pdesc_match(d, t->probes[i]))
				continue;
			v = arena_new_arr(a, struct probe *, l->n + 1);
			if (l->n)
				memcpy(v, l->v, l->n * sizeof(*v));
			v[l->n++] = t->probes[i];
			l->v = v;
		}
}

static struct dtracker *tracker_of(const struct probe *p)
{
	return p->id >= TRACK_PROBE_ID && p->id < TRACK_PROBE_ID + TRACK_MAX * TRACK_NPROBES && !strcmp(p->prov, PROV)
		       ? (struct dtracker *)p->priv
		       : NULL;
}

bool event_clause(struct checker *c, struct clause_instance *s, const struct clause *cl)
{
	struct devclause *e;

	s->event = s->probes.n ? tracker_of(s->probes.v[0]) : NULL;
	if (!s->event)
		return false;
	check_clause(c, s);
	for (size_t i = 0; i < s->probes.n; i++) {
		struct dtracker *t = tracker_of(s->probes.v[i]);

		t->timeouts = t->timeouts || s->probes.v[i] == t->probes[TRACK_TIMEOUT];
	}
	e = arena_new_obj(c->a, struct devclause);
	e->cl = cl;
	e->s = s;
	e->placed = arena_new_arr(c->a, bool, s->probes.n);
	if (c->lastevclause)
		c->lastevclause->next = e;
	else
		c->evclauses = e;
	c->lastevclause = e;
	return true;
}

void event_fires(struct checker *c, struct dtracker *t)
{
	struct clause_instance *s = c->stmt;

	if (!s->fires)
		s->fires = arena_new_arr(c->a, bool, TRACK_MAX);
	s->fires[t->id] = true;
}

void event_note(struct checker *c, struct dtracker *t, bool end)
{
	event_fires(c, t);
	if (end && !c->stmt->closes)
		c->stmt->closes = arena_new_arr(c->a, bool, TRACK_MAX);
	if (end)
		c->stmt->closes[t->id] = true;
	t->ends = t->ends || end;
	t->begins = t->begins || !end;
}

/* The clause e for probe p at a clause that fires it. */
static void place_one(struct checker *c, struct clause_instance *at, const struct devclause *e, size_t i,
		      struct clause_instance ***tail)
{
	struct probe *p = e->s->probes.v[i];
	struct clause_instance *s = arena_new_obj(c->a, struct clause_instance), **last = &at->events;

	*s = (struct clause_instance){ .clause = e->cl,
				       .desc = e->s->desc,
				       .desc_text = e->s->desc_text,
				       .at = e->s->at,
				       .is_default = e->s->is_default,
				       .event = tracker_of(p),
				       .event_probe = (enum track_probe)((p->id - TRACK_PROBE_ID) % TRACK_NPROBES),
				       .event_again = e->placed[i] };
	e->placed[i] = true;
	s->probes.v = arena_new_obj(c->a, struct probe *);
	s->probes.v[0] = p;
	s->probes.n = 1;
	check_clause(c, s);
	s->epid = ++c->prog->ninstances;
	while (*last)
		last = &(*last)->enext;
	*last = s;
	**tail = s;
	*tail = &s->next;
}

/* Does a clause of t's probe p belong to the clause `at`, which fires events of t? */
static bool belongs(const struct clause_instance *at, const struct dtracker *t, const struct probe *p)
{
	bool timeout = p == t->probes[TRACK_TIMEOUT];

	if (!at->scan)
		return !timeout;
	/* a timeout fires in the thread that is stuck, and where there is none in the walk over the keys */
	return (timeout && !at->scan_exit) || (t->settings[TS_GC] && (t->store != TRACK_KEYED || at->scan_keys));
}

static void place_clause(struct checker *c, struct clause_instance *at, const struct devclause *e,
			 struct clause_instance ***tail)
{
	for (size_t i = 0; i < e->s->probes.n; i++) {
		struct probe *p = e->s->probes.v[i];
		const struct dtracker *t = tracker_of(p);

		if (t && at->fires[t->id] && belongs(at, t, p))
			place_one(c, at, e, i, tail);
	}
}

/* A probe that cannot fire is a mistake, unless what would fire it is left out. */
static void check_fired(struct checker *c, const struct devclause *e)
{
	for (size_t i = 0; i < e->s->probes.n; i++) {
		const struct dtracker *t = tracker_of(e->s->probes.v[i]);

		if (!t || (t->begins && t->ends) || c->left_out)
			continue;
		diag_error(c->d, e->s->at, D_TRACKER_UNUSED, "%s cannot fire: no clause calls %s(%s%s)",
			   e->s->desc_text, t->begins ? "end" : "begin", t->name, t->nkeys ? ", …" : "");
		return;
	}
}

static void add_scan(struct checker *c, struct dtracker *t, const char *where, const struct clause_instance *as,
		     struct clause_instance ***tail)
{
	struct unit *u = check_parse_text(c, t->name, arena_printf(c->a, "%s{_scan(%s);}", where, t->name));
	struct clause_instance **first = *tail;

	c->scanning = true;
	c->optional = as->scan_exit;
	if (u)
		check_add_clause(c, u->items->clause, tail);
	c->scanning = c->optional = false;
	for (struct clause_instance *s = *first; s; s = s->next) {
		s->scan = t;
		s->scan_keys = as->scan_keys;
		s->scan_exit = as->scan_exit;
	}
}

/* Walks for the timeouts of a tracker, and for what it collects; what threads leave open that end is counted. */
static void add_scans(struct checker *c, struct clause_instance ***tail)
{
	static const struct clause_instance keys = { .scan_keys = true }, ends = { .scan_exit = true }, walk = { 0 };

	for (struct dtracker *t = c->prog->trackers; t; t = t->next) {
		bool keyed = t->store == TRACK_KEYED;

		if (!t->begins)
			continue;
		if (!keyed && t->ends)
			add_scan(c, t, "sdt:sched::sched_process_exit", &ends, tail);
		if (keyed && (t->timeouts || t->settings[TS_GC]))
			add_scan(c, t, "iter:::task", &keys, tail);
		if (keyed && t->timeouts)
			add_scan(c, t, "iter:::task", &walk, tail);
		if (!keyed && (t->timeouts || t->settings[TS_GC]))
			add_scan(c, t,
				 arena_printf(c->a, "iter:::task-%lluns", (unsigned long long)t->settings[TS_SCAN]),
				 &walk, tail);
	}
}

void event_place(struct checker *c, struct clause_instance ***tail)
{
	unsigned n;

	for (const struct devclause *e = c->evclauses; e; e = e->next)
		check_fired(c, e);
	if (c->d->nerrors)
		return;
	add_scans(c, tail);
	n = c->prog->ninstances;
	for (struct clause_instance *s = c->prog->instances; s && n; s = s->next, n--)
		for (const struct devclause *e = c->evclauses; e && s->fires; e = e->next) {
			if (c->prog->ninstances >= DPROG_MAX_CLAUSES) {
				diag_error(c->d, e->s->at, D_LIMIT, "more than %d clauses in one program",
					   DPROG_MAX_CLAUSES);
				return;
			}
			place_clause(c, s, e, tail);
		}
}

/* -- arguments -- */

/* latency_t is known by its members only: what none of them asks for is not kept. */
static const struct dtype *latency_type(struct checker *c)
{
	const struct dtype *ty = dtype_lookup(c->t, DK_TYPEDEF, "D", "latency_t");

	if (!ty)
		ty = dtype_new_typedef(c->t, "latency_t", dtype_new_tagged(c->t, DK_FWD, "latency"));
	return dtype_ptr(c->t, ty);
}

struct node *event_arg(struct checker *c, struct node *n, uint64_t i)
{
	struct dtracker *t = c->stmt->event;

	if (i > t->nkeys)
		return fail(c, n, D_ARGS_IDX, "index %llu is out of range for %s args[ ]", (unsigned long long)i,
			    c->stmt->desc_text);
	n->a = n->args = NULL;
	n->nargs = 0;
	n->tracker = t;
	n->name = i ? arena_printf(c->a, "args[%llu]", (unsigned long long)i) : "args[0]";
	if (!i) {
		n->kind = N_XLATE;
		return set_type(n, latency_type(c));
	}
	n->kind = N_EVENT;
	n->ival = TF_KEY + i - 1;
	t->key_uses |= 1u << (i - 1);
	return set_type(n, t->keys[i - 1]);
}

struct node *event_member(struct checker *c, struct node *n)
{
	struct near near;
	unsigned i = 0;

	if (!n->arrow)
		return fail(c, n, D_OP_SOU,
			    "operator . cannot be applied to type \"%s\"; must be applied to a struct or union",
			    tname(c, n->a));
	while (i < TF_COUNT_ && strcmp(fields[i].name, n->name) != 0)
		i++;
	if (i == TF_COUNT_) {
		fail(c, n, D_TYPE_MEMBER, "%s is not a member of latency_t", n->name);
		near_init(&near, n->name);
		for (i = 0; i < TF_COUNT_; i++)
			near_try(&near, fields[i].name);
		if (near.best)
			hint(c, "did you mean %s?", near.best);
		for (i = 0; c->d->latest && i < TF_COUNT_; i++)
			diag_choice(c->d, c->d->latest, fields[i].name, fields[i].ctype[0] ? fields[i].ctype : "stack");
		return n;
	}
	n->kind = N_EVENT;
	n->tracker = n->a->tracker;
	n->tracker->uses |= 1u << i;
	n->ival = i;
	n->a = NULL;
	if (i == TF_STACK)
		return set_type(n, check_stack_type(c));
	return set_type(n, dtype_parse(c->t, fields[i].ctype));
}

/* -- slow(["name", value]…) -- */

/* Numbers, strings and stacks. */
static bool attr_ok(struct checker *c, struct node *n, struct node **v)
{
	const struct dtype *r;

	*v = check_data(c, *v);
	if (is_err(*v))
		return false;
	if (type_strcompat(c, (*v)->type))
		*v = to_string(c, *v);
	r = res(c, *v);
	if (dtype_is_scalar(r) || r->kind == DK_STRING || r->kind == DK_STACK || r->kind == DK_USTACK ||
	    r->kind == DK_SYM)
		return true;
	fail(c, *v, D_SLOW_ARG, "%s( ) cannot record a value of type %s", n->name, tname(c, *v));
	return false;
}

/* The pairs of a slow(); each name is taken off and kept with its value. */
static bool check_attrs(struct checker *c, struct node *n)
{
	struct node *list = n->args, **tail = &n->args;

	for (n->args = NULL, n->nargs = 0; list; n->nargs++) {
		struct node *name = list, *value = list->next, *rest = value ? value->next : NULL;

		if (name->kind != N_STR || !name->len) {
			fail(c, name, D_SLOW_ARG,
			     "%s( ) argument #%u must be the name of an attribute, a string constant", n->name,
			     2 * n->nargs + 1);
			return false;
		}
		if (!value) {
			fail(c, name, D_SLOW_ARG, "%s( ): attribute \"%s\" has no value", n->name, name->str);
			return false;
		}
		value->next = NULL;
		if (!attr_ok(c, n, &value))
			return false;
		value->attr_name = name->str;
		*tail = value;
		tail = &value->next;
		list = rest;
	}
	return true;
}

struct node *check_slow(struct checker *c, struct node *n)
{
	struct dtracker *t = c->stmt ? c->stmt->event : NULL;

	if (!t) {
		fail(c, n, D_SLOW_PLACE, "%s( ) may only be called in clauses of latency probes", n->name);
		return n;
	}
	if (n->nargs > 2 * REC_SLOW_ATTRS)
		return fail(c, n, D_LIMIT, "%s( ) has more than %d attributes", n->name, REC_SLOW_ATTRS);
	if (!check_attrs(c, n))
		return set_err(c, n);
	t->uses |= 1u << TF_PID | 1u << TF_TID | 1u << TF_COMM | 1u << TF_CGROUP | 1u << TF_CPU | 1u << TF_ID;
	n->tracker = t;
	return set_type(n, basic(c, DT_VOID));
}

/* -- flight("kind", number, number, text) -- */

struct node *check_flight(struct checker *c, struct node *n)
{
	size_t len;

	n = by_proto(c, n);
	if (is_err(n))
		return n;
	len = n->args->len;
	if (!len || len >= FLIGHT_KIND)
		fail(c, n->args, D_FLIGHT, "flight( ) argument #1 must be a name of 1 to %d letters", FLIGHT_KIND - 1);
	else if (c->env->opts && !c->env->opts->flight)
		fail(c, n, D_FLIGHT,
		     "flight( ) without a flight recorder: -x flight=TIME tells how long it looks back");
	else if (c->stmt)
		c->stmt->calls_flight = true;
	return n;
}
