/* SPDX-License-Identifier: Apache-2.0 */
/* Edges of V8's heap by name: properties, elements, entries, variables of closures, global variables. */
#include "core/jsheap/edge.h"
#include <errno.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/walk.h"
#include "core/jsheap/int.h"

struct edges {
	struct js_heap *h;
	uint64_t holder, to;
	js_edge_fn *fn;
	void *ctx;
	size_t n;
	uint64_t entry;
	bool map;
};

const char *js_edge_word(enum js_edge_kind k)
{
	static const char *const words[] = { "property",	 "element",	     "key of its Map",
					     "value of its Map", "entry of its Set", "variable of closures",
					     "property",	 "word of V8's own" };

	return words[k];
}

bool js_edge_known(const struct js *js, int type)
{
	const struct v8_objects *l = &js->o;

	return js_is_receiver(js, type) || type == l->type_cell ||
	       (type >= l->type_context_first && type <= l->type_context_last);
}

static int give(struct edges *x, enum js_edge_kind kind, const char *name, uint64_t index, uint64_t value)
{
	x->n++;
	return x->fn(x->ctx, &(struct js_edge){ kind, x->holder, name, index, value });
}

static bool wanted(const struct edges *x, uint64_t value)
{
	return x->to ? value == x->to : v8_is_object(value);
}

static int see_property(void *ctx, const struct js_prop *p)
{
	struct edges *x = ctx;
	const struct js *js = x->h->js;
	_cleanup_(strb_free) struct strb name = { 0 };

	if (p->is_double || !wanted(x, p->value) || (p->key && !p->stored))
		return 0;
	if (!p->key)
		return give(x, JS_EDGE_ELEMENT, NULL, p->index, p->value);
	if (js_type(js, p->key) == js->o.type_symbol)
		strb_adds(&name, "[symbol]");
	else
		js_string_text(js, p->key, V8_MAX_NAME, &name, NULL);
	return give(x, JS_EDGE_PROPERTY, strb_str(&name), 0, p->value);
}

static int see_entry(void *ctx, uint64_t key, uint64_t value)
{
	struct edges *x = ctx;
	const uint64_t i = x->entry++;
	int r = 0;

	if (wanted(x, key))
		r = give(x, x->map ? JS_EDGE_KEY : JS_EDGE_ENTRY, NULL, i, key);
	if (r == 0 && x->map && wanted(x, value))
		r = give(x, JS_EDGE_VALUE, NULL, i, value);
	return r;
}

void js_variable_name(const struct js *js, uint64_t context, uint64_t i, struct strb *b)
{
	uint64_t scope, count, name;

	if (js_word(js, context, js->l.array_data + (int64_t)js->o.context_scope * JS_WORD, &scope) < 0 ||
	    !v8_is_object(scope) || js_type(js, scope) != js->l.type_scope ||
	    js_word(js, scope, (1 + (int64_t)js->l.scope_nlocals) * JS_WORD, &count) < 0 || !v8_is_smi(count) ||
	    i >= (uint64_t)v8_smi(count) || (uint64_t)v8_smi(count) >= V8_INLINE_LOCALS ||
	    js_word(js, scope, (1 + (int64_t)js->l.scope_locals + (int64_t)i) * JS_WORD, &name) < 0 ||
	    !v8_is_object(name) || !js_is_string(js, js_type(js, name)))
		return;
	js_string_text(js, name, V8_MAX_NAME, b, NULL);
}

int js_variables(struct js_heap *h, uint64_t context, uint64_t *first, uint64_t *n)
{
	struct js_extent e;
	int r = js_heap_extent(h, context, &e);

	*first = (uint64_t)h->js->o.context_first;
	if (r == 0)
		*n = (e.size - (uint64_t)h->js->l.array_data) / JS_WORD;
	if (r == 0 && *n < *first)
		*n = *first;
	return r;
}

/* Variables that closures share. */
static int see_context(struct edges *x)
{
	const struct js *js = x->h->js;
	uint64_t first, n;
	int r = js_variables(x->h, x->holder, &first, &n);

	for (uint64_t i = first; r == 0 && i < n; i++) {
		_cleanup_(strb_free) struct strb name = { 0 };
		uint64_t w;

		if (js_word(js, x->holder, js->l.array_data + (int64_t)(i * JS_WORD), &w) < 0 || !wanted(x, w))
			continue;
		js_variable_name(js, x->holder, i - first, &name);
		r = give(x, JS_EDGE_VARIABLE, name.n ? strb_str(&name) : NULL, i - first, w);
	}
	return r;
}

/* A variable of all scripts, or a property of the global object. */
static int see_cell(struct edges *x)
{
	const struct js *js = x->h->js;
	_cleanup_(strb_free) struct strb name = { 0 };
	uint64_t w, key;

	if (js_word(js, x->holder, js->o.cell_value, &w) < 0 || !wanted(x, w) ||
	    js_word(js, x->holder, js->o.cell_name, &key) < 0)
		return 0;
	if (v8_is_object(key) && js_is_string(js, js_type(js, key)))
		js_string_text(js, key, V8_MAX_NAME, &name, NULL);
	return give(x, JS_EDGE_GLOBAL, strb_str(&name), 0, w);
}

/* Does a word of the object itself lead there, apart from its properties: a function's context, a promise's result? */
static int see_words(struct edges *x)
{
	struct js_extent e;
	uint64_t w;
	int r = 0;

	if (!x->to || x->n || js_heap_extent(x->h, x->holder, &e) < 0)
		return 0;
	for (uint64_t at = e.first; at < e.end && r == 0; at += JS_WORD)
		if (js_word(x->h->js, x->holder, (int64_t)at, &w) == 0 && w == x->to)
			r = give(x, JS_EDGE_INTERNAL, NULL, at / JS_WORD, w);
	return r;
}

int js_edges(struct js_heap *h, uint64_t holder, uint64_t to, js_edge_fn *fn, void *ctx)
{
	const struct v8_objects *l = &h->js->o;
	const int type = js_type(h->js, holder);
	struct edges x = {
		.h = h, .holder = holder, .to = to, .fn = fn, .ctx = ctx, .map = type == l->type_map_object
	};
	int r = 0;

	if (type >= l->type_context_first && type <= l->type_context_last)
		r = see_context(&x);
	else if (type == l->type_cell)
		r = see_cell(&x);
	if (js_is_receiver(h->js, type)) {
		r = js_properties_to(h->js, holder, to, see_property, &x);
		if (r != WALK_END && (x.map || type == l->type_set_object))
			r = js_entries(h->js, holder, x.map, see_entry, &x);
	}
	if (r == WALK_END || r == -ENOMEM)
		return r;
	return see_words(&x); /* what is damaged has no further ones */
}
