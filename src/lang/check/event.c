/* SPDX-License-Identifier: Apache-2.0 */
/* Matches descriptions of latency probes, which trackers fire, and checks what their clauses use of the event. */
#include "lang/check/call.h"
#include "lang/check/event.h"
#include <string.h>
#include "base/flightfmt.h"

#define PROV "latency"
#define PROV_STEM 3 /* letters of it that a pattern must have: *:::slow is about everything else */

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

struct dtracker *tracker_of_probe(const struct probe *p)
{
	return p->id >= TRACK_PROBE_ID && p->id < TRACK_PROBE_ID + TRACK_MAX * TRACK_NPROBES && !strcmp(p->prov, PROV)
		       ? (struct dtracker *)p->priv
		       : NULL;
}

void event_fires(struct checker *c, struct dtracker *t)
{
	struct clause_instance *s = c->stmt;

	if (!s->fires)
		s->fires = arena_new_arr(c->a, bool, TRACK_MAX);
	s->fires[t->id] = true;
}

void event_clause_calls(struct checker *c, struct dtracker *t, bool end)
{
	event_fires(c, t);
	if (end && !c->stmt->closes)
		c->stmt->closes = arena_new_arr(c->a, bool, TRACK_MAX);
	if (end)
		c->stmt->closes[t->id] = true;
	t->ends = t->ends || end;
	t->begins = t->begins || !end;
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

	if (type_strcompat(c, (*v)->type))
		*v = to_string(c, *v);
	r = res(c, *v);
	if (dtype_is_scalar(r) || r->kind == DK_STRING || r->kind == DK_STACK || r->kind == DK_USTACK ||
	    r->kind == DK_SYM)
		return true;
	fail(c, *v, D_SLOW_ARG, "%s( ) cannot record a value of type %s", n->name, tname(c, *v));
	return false;
}

/* The pairs of a slow(); each name is removed and kept with its value. */
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
	size_t len = n->args->len;

	if (!len || len >= FLIGHT_KIND)
		fail(c, n->args, D_FLIGHT, "flight( ) argument #1 must be a name of 1 to %d letters", FLIGHT_KIND - 1);
	else if (c->env->opts && !c->env->opts->flight)
		fail(c, n, D_FLIGHT,
		     "flight( ) without a flight recorder: -x flight=TIME tells how long it looks back");
	else if (c->stmt)
		c->stmt->calls_flight = true;
	return by_proto(c, n);
}
