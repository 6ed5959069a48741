/* SPDX-License-Identifier: Apache-2.0 */
/* References to an object: each word in an object that is alive and leads to it, named as a program would name it;
 * then, if there are none, the words outside of V8's heap. */
#include "core/jsrefs.h"
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "base/cleanup.h"

#define WORD 8
#define MAX_ROOTS 100u /* that are shown */

struct refs {
	struct shell *s;
	struct js_heap *h;
	uint64_t object; /* that is looked for */
	uint64_t holder; /* that is looked at */
	struct strb constructor;
	size_t n;
};

static int say(struct refs *f, const char *how, const char *name, uint64_t index, bool named)
{
	struct shell *s = f->s;

	f->n++;
	if (s->to)
		return shell_emit(s, f->holder - V8_TAG);
	if (s->json) {
		struct jsonw w = jsonw_to(&s->text);

		jsonw_object(&w, NULL);
		jsonw_strf(&w, "object", "%" PRIx64, f->object - V8_TAG);
		jsonw_strf(&w, "holder", "%" PRIx64, f->holder - V8_TAG);
		jsonw_str(&w, "constructor", strb_str(&f->constructor));
		jsonw_str(&w, "kind", how);
		if (named)
			jsonw_str(&w, "name", name);
		else
			jsonw_u64(&w, "index", index);
		jsonw_end_object(&w);
		jsonw_line(&w);
		return 0;
	}
	shell_print(s, "%" PRIx64 " referred to by %" PRIx64, f->object - V8_TAG, f->holder - V8_TAG);
	if (f->constructor.n) {
		shell_print(s, " (");
		shell_plain(s, strb_str(&f->constructor));
		shell_print(s, ")");
	}
	if (named) {
		shell_print(s, ".");
		shell_plain(s, name);
	} else {
		shell_print(s, "[%" PRIu64 "]", index);
	}
	shell_print(s, "%s%s\n", strcmp(how, "property") && strcmp(how, "element") ? " " : "",
		    strcmp(how, "property") && strcmp(how, "element") ? how : "");
	return 0;
}

static int see_property(void *ctx, const struct js_prop *p)
{
	struct refs *f = ctx;
	struct strb name = { 0 };
	int r;

	if (p->is_double || p->value != f->object || (p->key && !p->stored))
		return 0;
	if (!p->key)
		return say(f, "element", NULL, p->index, false);
	if (js_type(f->h->js, p->key) == f->h->js->o.type_symbol)
		strb_adds(&name, "[symbol]");
	else
		js_string_text(f->h->js, p->key, V8_MAX_NAME, &name, NULL);
	r = say(f, "property", strb_str(&name), 0, true);
	strb_free(&name);
	return r;
}

struct entries {
	struct refs *f;
	uint64_t i;
	bool map;
};

static int see_entry(void *ctx, uint64_t key, uint64_t value)
{
	struct entries *e = ctx;
	const uint64_t i = e->i++;
	int r = 0;

	if (key == e->f->object)
		r = say(e->f, e->map ? "key of its Map" : "entry of its Set", NULL, i, false);
	if (r == 0 && e->map && value == e->f->object)
		r = say(e->f, "value of its Map", NULL, i, false);
	return r;
}

/* The name of a variable of a context: the locals of its scope, in their order. */
static void variable_name(const struct js *js, uint64_t context, uint64_t i, struct strb *b)
{
	uint64_t scope, count, name;

	if (js_word(js, context, js->l.array_data + (int64_t)js->o.context_scope * WORD, &scope) < 0 ||
	    !v8_is_object(scope) || js_type(js, scope) != js->l.type_scope ||
	    js_word(js, scope, (1 + (int64_t)js->l.scope_nlocals) * WORD, &count) < 0 || !v8_is_smi(count) ||
	    i >= (uint64_t)v8_smi(count) || (uint64_t)v8_smi(count) >= V8_INLINE_LOCALS ||
	    js_word(js, scope, (1 + (int64_t)js->l.scope_locals + (int64_t)i) * WORD, &name) < 0 ||
	    !v8_is_object(name) || !js_is_string(js, js_type(js, name)))
		return;
	js_string_text(js, name, V8_MAX_NAME, b, NULL);
}

/* Variables that closures share. */
static int see_context(struct refs *f, uint64_t size)
{
	const struct js *js = f->h->js;
	const uint64_t n = (size - (uint64_t)js->l.array_data) / WORD, first = (uint64_t)js->o.context_first;
	int r = 0;

	for (uint64_t i = first; i < n && r == 0; i++) {
		struct strb name = { 0 };
		uint64_t w;

		if (js_word(js, f->holder, js->l.array_data + (int64_t)(i * WORD), &w) < 0 || w != f->object)
			continue;
		variable_name(js, f->holder, i - first, &name);
		r = name.n ? say(f, "variable of closures", strb_str(&name), 0, true)
			   : say(f, "variable of closures", NULL, i - first, false);
		strb_free(&name);
	}
	return r;
}

/* A variable of all scripts, or a property of the global object. */
static int see_cell(struct refs *f)
{
	const struct js *js = f->h->js;
	struct strb name = { 0 };
	uint64_t w, key;
	int r = 0;

	if (js_word(js, f->holder, js->o.cell_value, &w) < 0 || w != f->object ||
	    js_word(js, f->holder, js->o.cell_name, &key) < 0)
		return 0;
	if (v8_is_object(key) && js_is_string(js, js_type(js, key)))
		js_string_text(js, key, V8_MAX_NAME, &name, NULL);
	strb_adds(&f->constructor, "globalThis");
	r = say(f, "property", strb_str(&name), 0, true);
	strb_free(&name);
	return r;
}

/* Whether a word of the object itself leads there, besides its properties: a function's context, a promise's result. */
static int see_words(struct refs *f, const struct js_object *o, size_t before)
{
	struct js_extent e;
	uint64_t w;
	int r = 0;

	if (js_heap_extent(f->h, o->object, &e) < 0 || f->n != before)
		return 0;
	for (uint64_t at = e.first; at < e.end && r == 0; at += WORD)
		if (js_word(f->h->js, o->object, (int64_t)at, &w) == 0 && w == f->object)
			r = say(f, "word of V8's own", NULL, at / WORD, false);
	return r;
}

static int see(void *ctx, const struct js_object *o)
{
	struct refs *f = ctx;
	const struct v8_objects *l = &f->h->js->o;
	struct entries e = { f, 0, o->type == l->type_map_object };
	const size_t before = f->n;
	int r = 0;

	f->holder = o->object;
	strb_reset(&f->constructor);
	if (o->type >= l->type_context_first && o->type <= l->type_context_last)
		return see_context(f, o->size);
	if (o->type == l->type_cell)
		return see_cell(f);
	if (!js_is_receiver(f->h->js, o->type))
		return 0;
	if (js_constructor(f->h->js, o->object, &f->constructor) < 0)
		strb_reset(&f->constructor);
	r = js_properties(f->h->js, o->object, see_property, f);
	if (r >= 0 && (e.map || o->type == l->type_set_object))
		r = js_entries(f->h->js, o->object, e.map, see_entry, &e);
	return r == -ENOMEM ? r : see_words(f, o, before);
}

/* Holders that are no objects of programs; for what no other refers to. */
static int see_internal(void *ctx, const struct js_object *o)
{
	struct refs *f = ctx;

	f->holder = o->object;
	strb_reset(&f->constructor);
	if (js_is_receiver(f->h->js, o->type))
		return 0;
	strb_printf(&f->constructor, "V8's own, of type %d", o->type);
	return see_words(f, o, f->n);
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
	return f->n >= MAX_ROOTS ? 1 : 0;
}

int js_refs(struct shell *s, struct js_heap *h, uint64_t object)
{
	struct refs f = { .s = s, .h = h, .object = object };
	int r = js_heap_each(h, see, &f);

	if (r == 0 && !f.n)
		r = js_heap_each(h, see_internal, &f);
	if (r == 0 && !f.n && !s->to)
		r = js_heap_roots(h, object, see_root, &f);
	if (r >= 0 && !f.n && !s->to && !s->json)
		shell_print(s, "%" PRIx64 " is referred to by nothing that is alive\n", object - V8_TAG);
	strb_free(&f.constructor);
	return r < 0 ? r : 0;
}
