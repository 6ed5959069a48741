/* SPDX-License-Identifier: Apache-2.0 */
/* Ways to an object, looked for from the object outwards. */
#include "core/jsheap/path.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/walk.h"
#include "core/jsheap/edge.h"
#include "core/jsheap/int.h"
#include "core/jsheap/near.h"

/* An object that was come to, and the one that it leads to. */
struct node {
	uint64_t object; /* 0: free */
	uint64_t next;
};

struct search {
	struct js_heap *h;
	struct node *table; /* by a hash of the object */
	size_t cap, n;	    /* a power of two */
	VEC(uint64_t) queue;
	uint64_t now, global, rooted, rooted_object; /* the first ones that were found */
	bool any;				     /* a root that is no global variable will do */
};

static struct node *slot(const struct search *s, uint64_t object)
{
	size_t i = (size_t)((object >> 3) * 0x9e3779b97f4a7c15u >> 30) & (s->cap - 1);

	while (s->table[i].object && s->table[i].object != object)
		i = (i + 1) & (s->cap - 1);
	return &s->table[i];
}

static int grow(struct search *s)
{
	struct search bigger = { .cap = s->cap ? 2 * s->cap : 1024 };

	bigger.table = calloc(bigger.cap, sizeof(*bigger.table));
	if (!bigger.table)
		return -ENOMEM;
	for (size_t i = 0; i < s->cap; i++)
		if (s->table[i].object)
			*slot(&bigger, s->table[i].object) = s->table[i];
	free(s->table);
	s->table = bigger.table;
	s->cap = bigger.cap;
	return 0;
}

/* WALK_END: it is the end of the search. */
static int visit(struct search *s, uint64_t object, int type, uint64_t next)
{
	struct node *n;
	int r = s->n * 2 >= s->cap ? grow(s) : 0;

	if (r < 0)
		return r;
	n = slot(s, object);
	if (n->object)
		return 0;
	*n = (struct node){ object, next };
	s->n++;
	if (type == s->h->js->o.type_cell) {
		s->global = object;
		return WALK_END;
	}
	if (!s->rooted && js_heap_rooted(s->h, object)) {
		s->rooted = object;
		if (s->any)
			return WALK_END;
	}
	return vec_try_push(&s->queue, object);
}

/* V8's own ones (shapes, code, feedback) lead to nearly everything. */
bool js_path_way(const struct js *js, int type)
{
	return js_edge_known(js, type) || js_is_store(js, type) || js_is_string(js, type);
}

static int see_holder(void *ctx, const struct js_object *o)
{
	struct search *s = ctx;

	if (!s->any && !js_path_way(s->h->js, o->type))
		return 0;
	return visit(s, o->object, o->type, s->now);
}

static int search(struct search *s, uint64_t object, size_t max)
{
	int r = visit(s, object, js_type(s->h->js, object), 0);

	for (size_t i = 0; i < s->queue.n && r == 0 && s->n < max; i++) {
		s->now = s->queue.v[i];
		r = js_near_holders(s->h, s->now, see_holder, s);
	}
	return walk_ended(r);
}

static void search_done(struct search *s)
{
	free(s->table);
	vec_free(&s->queue);
}

static int take(const struct search *s, uint64_t from, struct js_path *ret)
{
	for (size_t left = s->n; from && left; left--) {
		if (vec_try_push(&ret->v, from) < 0)
			return -ENOMEM;
		from = slot(s, from)->next;
	}
	return 0;
}

int js_path_find(struct js_heap *h, uint64_t object, struct js_path *ret)
{
	struct search s = { .h = h };
	int r;

	*ret = (struct js_path){ .global = true };
	r = search(&s, object, JSPATH_GLOBAL);
	if (r == 0 && s.global)
		r = take(&s, s.global, ret);
	search_done(&s);
	if (r < 0 || ret->v.n)
		return r;
	s = (struct search){ .h = h, .any = true };
	ret->global = false;
	r = search(&s, object, JSPATH_MAX);
	if (r == 0 && (s.rooted || s.global))
		r = take(&s, s.rooted ? s.rooted : s.global, ret);
	ret->global = !s.rooted && s.global;
	ret->gave_up = !ret->v.n && s.n >= JSPATH_MAX;
	search_done(&s);
	return r;
}

void js_path_done(struct js_path *p)
{
	vec_free(&p->v);
}

/* -- text -- */

struct step {
	struct strb *b;
	bool any, found;
};

static int say_edge(void *ctx, const struct js_edge *e)
{
	struct step *t = ctx;

	if (e->kind == JS_EDGE_INTERNAL)
		return 0;
	t->found = true;
	if (e->kind == JS_EDGE_GLOBAL) {
		strb_printf(t->b, "globalThis.%s", e->name);
		return WALK_END;
	}
	if (e->kind == JS_EDGE_VARIABLE)
		strb_adds(t->b, ":");
	else if (e->kind != JS_EDGE_PROPERTY && e->kind != JS_EDGE_ELEMENT)
		strb_printf(t->b, "<%s>",
			    e->kind == JS_EDGE_KEY     ? "key"
			    : e->kind == JS_EDGE_VALUE ? "value"
						       : "entry");
	if (e->name)
		strb_printf(t->b, "%s%s", e->kind == JS_EDGE_VARIABLE ? "" : ".", e->name);
	else if (t->any)
		strb_adds(t->b, "[]");
	else
		strb_printf(t->b, "[%" PRIu64 "]", e->index);
	return WALK_END;
}

size_t js_path_step(struct js_heap *h, const struct js_path *p, size_t i, bool any, struct strb *b)
{
	const int type = js_type(h->js, p->v.v[i]);
	struct step t = { b, any, false };

	if (!js_edge_known(h->js, type)) {
		strb_adds(b, js_is_string(h->js, type) ? "<part>" : "<V8>");
		return 1;
	}
	for (size_t k = 1; k <= 2 && i + k < p->v.n; k++) {
		js_edges(h, p->v.v[i], p->v.v[i + k], say_edge, &t);
		if (t.found)
			return k;
		if (!js_is_store(h->js, js_type(h->js, p->v.v[i + k])))
			break; /* it does not lead through a store */
	}
	strb_adds(b, js_is_function(h->js, type) && i + 1 < p->v.n &&
				     js_edge_known(h->js, js_type(h->js, p->v.v[i + 1])) &&
				     !js_is_receiver(h->js, js_type(h->js, p->v.v[i + 1]))
			     ? "<closure>"
			     : "<V8>");
	return 1;
}

/* Appends the text of the path's first object. */
static void begin_text(struct js_heap *h, uint64_t object, struct strb *b)
{
	const int type = js_type(h->js, object);

	if (type == h->js->o.type_cell)
		return;
	if (js_is_receiver(h->js, type)) {
		const size_t before = b->n;

		js_constructor(h->js, object, b);
		if (b->n == before)
			strb_adds(b, "object");
	} else {
		strb_adds(b, js_edge_known(h->js, type) ? "closure" : js_is_string(h->js, type) ? "string" : "V8");
	}
}

int js_path_text(struct js_heap *h, const struct js_path *p, bool any, struct strb *b)
{
	if (!p->v.n)
		return 0;
	begin_text(h, p->v.v[0], b);
	for (size_t i = 0; i + 1 < p->v.n;)
		i += js_path_step(h, p, i, any, b);
	return b->failed ? -ENOMEM : 0;
}

/* -- roots -- */

struct roots {
	struct js_heap *h;
	struct strb *b;
};

void js_root_text(struct js_heap *h, uint64_t addr, struct strb *b)
{
	struct core *c = h->js->core;
	const struct core_seg *s = core_seg_at(c, addr);
	struct core_symbol y;

	for (size_t i = 0; i < c->threads.n; i++) {
		const struct core_thread *t = &c->threads.v[i];

		if (s && t->has_regs && t->regs[CORE_SP] >= s->start && t->regs[CORE_SP] <= addr && addr < s->end) {
			strb_printf(b, "the stack of thread %d, at %" PRIx64, (int)t->tid, addr);
			return;
		}
	}
	if (core_name(c, addr, &y) && y.name)
		strb_printf(b, "the variable %s, at %" PRIx64, y.name, addr);
	else
		strb_printf(b, "the word at %" PRIx64 " outside of V8's heap", addr);
}

static int say_root(void *ctx, uint64_t addr)
{
	const struct roots *x = ctx;

	js_root_text(x->h, addr, x->b);
	return WALK_END;
}

int js_path_root(struct js_heap *h, uint64_t object, struct strb *b)
{
	struct roots x = { h, b };
	const struct core *c = h->js->core;
	int r = js_heap_roots(h, object, say_root, &x);

	for (size_t i = 0; i < c->threads.n && r == 0; i++)
		for (unsigned k = 0; k < CORE_NREGS && r == 0; k++)
			if (c->threads.v[i].has_regs && c->threads.v[i].regs[k] == object) {
				strb_printf(b, "a register of thread %d", (int)c->threads.v[i].tid);
				r = WALK_END;
			}
	r = walk_ended(r);
	return r < 0 ? r : b->failed ? -ENOMEM : 0;
}
