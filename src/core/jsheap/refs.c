/* SPDX-License-Identifier: Apache-2.0 */
/* References to an object. Each is a word in an object that is alive and leads to it, named as a program would name it.
 * If there are none, the words outside of V8's heap follow. */
#include "core/jsheap/refs.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/walk.h"
#include "core/jsheap/edge.h"
#include "core/jsheap/int.h"
#include "core/jsheap/near.h"

#define MAX_ROOTS 100u /* that are shown */

struct refs {
	struct shell *s;
	struct js_heap *h;
	uint64_t object; /* that is looked for */
	struct strb constructor;
	size_t n, max;
};

static void say_text(struct refs *f, const struct js_edge *e)
{
	struct shell *s = f->s;

	shell_print(s, "%" PRIx64 " referred to by %" PRIx64, f->object - V8_TAG, e->holder - V8_TAG);
	if (f->constructor.n) {
		shell_print(s, " (");
		shell_plain(s, strb_str(&f->constructor));
		shell_print(s, ")");
	}
	if (e->name) {
		shell_print(s, ".");
		shell_plain(s, e->name);
	} else {
		shell_print(s, "[%" PRIu64 "]", e->index);
	}
	if (e->kind != JS_EDGE_PROPERTY && e->kind != JS_EDGE_ELEMENT && e->kind != JS_EDGE_GLOBAL)
		shell_print(s, " %s", js_edge_word(e->kind));
	shell_print(s, "\n");
}

static int say(void *ctx, const struct js_edge *e)
{
	struct refs *f = ctx;
	struct shell *s = f->s;

	if (f->n++ == f->max)
		return WALK_END;
	if (s->to)
		return shell_emit(s, e->holder - V8_TAG);
	if (s->json) {
		struct jsonw w = jsonw_to(&s->text);

		jsonw_object(&w, NULL);
		jsonw_strf(&w, "object", "%" PRIx64, f->object - V8_TAG);
		jsonw_strf(&w, "holder", "%" PRIx64, e->holder - V8_TAG);
		jsonw_str(&w, "constructor", strb_str(&f->constructor));
		jsonw_str(&w, "kind", js_edge_word(e->kind));
		if (e->name)
			jsonw_str(&w, "name", e->name);
		else
			jsonw_u64(&w, "index", e->index);
		jsonw_end_object(&w);
		jsonw_line(&w);
		return 0;
	}
	say_text(f, e);
	return 0;
}

/* Edges of one holder. */
static int see(struct refs *f, uint64_t holder, int type)
{
	strb_reset(&f->constructor);
	if (type == f->h->js->o.type_cell)
		strb_adds(&f->constructor, "globalThis");
	else if (js_is_receiver(f->h->js, type)) {
		if (js_constructor(f->h->js, holder, &f->constructor) < 0)
			strb_reset(&f->constructor);
	} else if (!js_edge_known(f->h->js, type))
		strb_printf(&f->constructor, "V8's own, of type %d", type);
	return js_edges(f->h, holder, f->object, say, f);
}

/* Holders that are no objects of programs; for what no other refers to. */
static int see_internal(void *ctx, const struct js_object *o)
{
	struct refs *f = ctx;

	return js_edge_known(f->h->js, o->type) ? 0 : see(f, o->object, o->type);
}

/* The holders that programs know: an object whose store leads there is found through its store. */
struct holders {
	struct js_heap *h;
	VEC(uint64_t) v, stores;
	unsigned depth;
};

static int add_holder(void *ctx, const struct js_object *o)
{
	struct holders *x = ctx;

	if (js_edge_known(x->h->js, o->type))
		return vec_try_push(&x->v, o->object);
	/* Arrays of words are stores; what leads to other objects of V8's own is none of a program's. */
	if (x->depth || !js_is_store(x->h->js, o->type))
		return 0;
	return vec_try_push(&x->stores, o->object);
}

static int by_address(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* All of them, each once, by address. */
static int find_holders(struct js_heap *h, uint64_t object, struct holders *x)
{
	size_t n = 0;
	int r;

	x->h = h;
	r = js_near_holders(h, object, add_holder, x);
	x->depth = 1;
	for (size_t i = 0; i < x->stores.n && r == 0; i++)
		r = js_near_holders(h, x->stores.v[i], add_holder, x);
	if (x->v.n)
		qsort(x->v.v, x->v.n, sizeof(*x->v.v), by_address);
	for (size_t i = 0; i < x->v.n; i++)
		if (!n || x->v.v[n - 1] != x->v.v[i])
			x->v.v[n++] = x->v.v[i];
	x->v.n = n;
	return r;
}

static int see_holders(struct refs *f, uint64_t object)
{
	struct holders x = { 0 };
	int r = find_holders(f->h, object, &x);

	for (size_t i = 0; i < x.v.n && r == 0; i++)
		r = see(f, x.v.v[i], js_type(f->h->js, x.v.v[i]));
	vec_free(&x.v);
	vec_free(&x.stores);
	return r;
}

static int see_root(void *ctx, uint64_t addr)
{
	struct refs *f = ctx;

	f->n++;
	if (f->s->json) {
		struct jsonw w = jsonw_to(&f->s->text);

		jsonw_object(&w, NULL);
		jsonw_strf(&w, "object", "%" PRIx64, f->object - V8_TAG);
		jsonw_str(&w, "kind", "root");
		jsonw_strf(&w, "address", "%" PRIx64, addr);
		jsonw_end_object(&w);
		jsonw_line(&w);
	} else {
		shell_print(f->s, "%" PRIx64 " referred to by the word at %" PRIx64 " outside of V8's heap\n",
			    f->object - V8_TAG, addr);
	}
	return f->n >= MAX_ROOTS || f->n >= f->max ? WALK_END : 0;
}

int js_refs(struct shell *s, struct js_heap *h, uint64_t object, size_t max)
{
	struct refs f = { .s = s, .h = h, .object = object, .max = max };
	int r = walk_ended(see_holders(&f, object));

	if (r == 0 && !f.n)
		r = walk_ended(js_near_holders(h, object, see_internal, &f));
	if (r == 0 && !f.n && !s->to)
		r = walk_ended(js_heap_roots(h, object, see_root, &f));
	if (r == 0 && !f.n && !s->to && !s->json)
		shell_print(s, "%" PRIx64 " is referred to by nothing that is alive\n", object - V8_TAG);
	strb_free(&f.constructor);
	return r;
}
