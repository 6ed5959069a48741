/* SPDX-License-Identifier: Apache-2.0 */
/* Clauses of latency probes. One is checked where it stands, so that names come into being in order. It is checked once
 * more for every clause that can fire it, since its code is in that clause's program. */
#include "lang/check/args.h"
#include "lang/check/clause.h"
#include "lang/check/event.h"

/* A clause of latency probes, waiting for those that fire it. */
struct devclause {
	const struct clause *cl;
	const struct clause_instance *s; /* as checked where it stands */
	bool *placed;			 /* by probe of s */
	struct devclause *next;
};

bool event_clause(struct checker *c, struct clause_instance *s, const struct clause *cl)
{
	struct devclause *e;

	s->event = s->probes.n ? tracker_of_probe(s->probes.v[0]) : NULL;
	if (!s->event)
		return false;
	check_clause(c, s);
	for (size_t i = 0; i < s->probes.n; i++) {
		struct dtracker *t = tracker_of_probe(s->probes.v[i]);

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
				       .event = tracker_of_probe(p),
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
		const struct dtracker *t = tracker_of_probe(p);

		if (t && at->fires[t->id] && belongs(at, t, p))
			place_one(c, at, e, i, tail);
	}
}

/* A probe that cannot fire is a mistake, unless what would fire it is left out. */
static void check_fired(struct checker *c, const struct devclause *e)
{
	for (size_t i = 0; i < e->s->probes.n; i++) {
		const struct dtracker *t = tracker_of_probe(e->s->probes.v[i]);

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
