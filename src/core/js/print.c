/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a JavaScript value that lies in the heap of a core dump as text, as console.log() would. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/jsonstr.h"
#include "base/v8fmt.h"
#include "core/js/kind.h"

#define MAX_DEPTH 64u /* of objects within each other */
#define INDENT 4
#define WIDTH 72 /* what is shorter is in one line */

struct printer {
	const struct js *js;
	const struct js_print *how;
	uint64_t path[MAX_DEPTH]; /* objects around this one */
	unsigned depth;
	struct strb *b; /* text of the value */
};

/* Members of an object that are printed so far; print_parts() joins them. */
struct parts {
	struct printer *p;
	VEC(char *) v;
	size_t chars, more; /* more: members left out */
	uint64_t next;	    /* element that is expected */
	bool lines;
};

static int print_value(struct printer *p, uint64_t v);

/* -- parts -- */

static int add_part(struct parts *a, struct strb *b)
{
	char *s = b->failed ? NULL : strb_take(b);

	if (!s || vec_try_push(&a->v, s) < 0) {
		free(s);
		return -ENOMEM;
	}
	a->chars += strlen(s) + 2;
	a->lines |= strchr(s, '\n') != NULL;
	return 0;
}

/* Whether there is room for one more. */
static bool room(struct parts *a)
{
	if (a->v.n < a->p->how->elements)
		return true;
	a->more++;
	return false;
}

static int add_empty(struct parts *a, uint64_t until)
{
	struct strb b = { 0 };

	if (until <= a->next || !room(a))
		return 0;
	strb_printf(&b, "<%" PRIu64 " empty>", until - a->next);
	a->next = until;
	return add_part(a, &b);
}

static void print_parts(struct printer *p, struct parts *a, const char *open, const char *close)
{
	struct strb *b = p->b, more = { 0 };
	bool lines;

	if (a->more) {
		strb_printf(&more, "... %zu more", a->more);
		if (add_part(a, &more) < 0)
			b->failed = true;
	}
	lines = a->lines || a->chars + p->depth * INDENT > WIDTH;
	strb_adds(b, open);
	for (size_t i = 0; i < a->v.n; i++) {
		strb_adds(b, i ? "," : "");
		if (lines) {
			strb_addc(b, '\n');
			strb_fill(b, ' ', (p->depth + 1) * INDENT);
		} else {
			strb_addc(b, ' ');
		}
		strb_adds(b, a->v.v[i]);
		free(a->v.v[i]);
	}
	if (a->v.n && lines) {
		strb_addc(b, '\n');
		strb_fill(b, ' ', p->depth * INDENT);
	} else if (a->v.n) {
		strb_addc(b, ' ');
	}
	strb_adds(b, close);
	vec_free(&a->v);
}

/* A value into a buffer of its own. */
static int value_into(struct printer *p, uint64_t v, struct strb *b)
{
	struct strb *before = p->b;
	int r;

	p->b = b;
	p->depth++;
	r = print_value(p, v);
	p->depth--;
	p->b = before;
	return r;
}

static bool is_identifier(const char *s)
{
	if (!*s || (*s >= '0' && *s <= '9'))
		return false;
	for (; *s; s++)
		if (!((*s | 0x20) >= 'a' && (*s | 0x20) <= 'z') && !(*s >= '0' && *s <= '9') && *s != '_' && *s != '$')
			return false;
	return true;
}

static int key_text(struct printer *p, uint64_t key, struct strb *b)
{
	_cleanup_(strb_free) struct strb name = { 0 };
	int r;

	if (js_is_private(p->js, key)) {
		r = js_word(p->js, key, p->js->o.symbol_name, &key);
		return r < 0 ? r : js_string_text(p->js, key, p->how->chars, b, NULL);
	}
	if (js_type(p->js, key) == p->js->o.type_symbol) {
		strb_addc(b, '[');
		r = value_into(p, key, b);
		strb_addc(b, ']');
		return r;
	}
	r = js_string_text(p->js, key, p->how->chars, &name, NULL);
	if (is_identifier(strb_str(&name)))
		strb_adds(b, strb_str(&name));
	else
		jsonstr_add(b, strb_str(&name), name.n);
	return r;
}

static int add_prop(void *ctx, const struct js_prop *q)
{
	struct parts *a = ctx;
	struct strb b = { 0 };
	char number[JS_NUMBER];
	int r = 0;

	if (q->hidden && !a->p->how->all && !(q->key && js_is_private(a->p->js, q->key)))
		return 0;
	if (!q->key) {
		r = add_empty(a, q->index);
		a->next = q->index + 1;
	}
	if (r < 0 || !room(a))
		return r;
	if (q->key) {
		r = key_text(a->p, q->key, &b);
		strb_adds(&b, ": ");
	}
	if (r == 0 && q->accessor) {
		strb_adds(&b, js_accessor_word(a->p->js, q->value));
	} else if (r == 0 && q->is_double) {
		js_number_text(q->number, number);
		strb_adds(&b, number);
	} else if (r == 0) {
		r = value_into(a->p, q->value, &b);
	}
	if (r == 0)
		r = add_part(a, &b);
	strb_free(&b);
	return r;
}

/* Elements of an object that is no array have their number as a name. */
static int add_named(void *ctx, const struct js_prop *q)
{
	struct parts *a = ctx;
	struct js_prop p = *q;
	size_t before = a->v.n;
	char *with;
	int r;

	if (q->key)
		return add_prop(ctx, q);
	a->next = q->index;
	r = add_prop(ctx, &p);
	if (r < 0 || a->v.n == before)
		return r;
	if (asprintf(&with, "%" PRIu64 ": %s", q->index, a->v.v[before]) < 0)
		return -ENOMEM;
	a->chars += 3;
	free(a->v.v[before]);
	a->v.v[before] = with;
	return 0;
}

static int add_entry(void *ctx, uint64_t key, uint64_t value)
{
	struct parts *a = ctx;
	struct strb b = { 0 };
	int r;

	if (!room(a))
		return 0;
	r = value_into(a->p, key, &b);
	if (r == 0 && value) {
		strb_adds(&b, " => ");
		r = value_into(a->p, value, &b);
	}
	if (r == 0)
		r = add_part(a, &b);
	strb_free(&b);
	return r;
}

/* -- kinds of objects -- */

static int print_array(struct printer *p, uint64_t v)
{
	struct parts a = { .p = p };
	uint64_t length;
	int r = js_elements(p->js, v, add_prop, &a, &length);

	if (r == 0)
		r = add_empty(&a, length);
	print_parts(p, &a, "[", "]");
	return r;
}

typedef int entries_fn(const struct js *js, uint64_t object, bool map, js_entry_fn *fn, void *ctx);

static int print_entries(struct printer *p, uint64_t v, entries_fn *entries, bool map, const char *name)
{
	struct parts a = { .p = p };
	struct strb open = { 0 };
	int r = entries(p->js, v, map, add_entry, &a);

	strb_printf(&open, "%s(%zu) {", name, a.v.n + a.more);
	print_parts(p, &a, strb_str(&open), "}");
	strb_free(&open);
	return r;
}

static int print_view(struct printer *p, uint64_t v)
{
	struct parts a = { .p = p };
	struct strb open = { 0 };
	struct js_view view;
	uint8_t byte;
	int r = js_view(p->js, v, &view);

	if (r < 0)
		return r;
	if (!strcmp(view.name, "FastBuffer") || !strcmp(view.name, "Buffer")) {
		strb_adds(p->b, "<Buffer");
		for (uint64_t i = 0; i < view.n && i < p->how->elements && r == 0; i++) {
			r = core_read(p->js->core, view.at + i, &byte, 1);
			strb_printf(p->b, " %02x", byte);
		}
		if (view.n > p->how->elements)
			strb_printf(p->b, " ... %" PRIu64 " more", view.n - p->how->elements);
		strb_addc(p->b, '>');
		return r;
	}
	for (uint64_t i = 0; i < view.n && r == 0; i++) {
		struct strb b = { 0 };

		if (a.v.n == p->how->elements) {
			a.more = (size_t)(view.n - i);
			break;
		}
		r = js_view_text(p->js, &view, i, &b);
		if (r == 0)
			r = add_part(&a, &b);
		strb_free(&b);
	}
	strb_printf(&open, "%s(%" PRIu64 ") [", *view.name ? view.name : view.kind, view.n);
	print_parts(p, &a, strb_str(&open), "]");
	strb_free(&open);
	return r;
}

#define MAX_WAITERS 4u /* that are printed */

struct waiting {
	struct printer *p;
	size_t n;
};

/* A function that will run when a promise is settled. */
static int print_waiter(void *ctx, const struct js_waiter *w)
{
	struct waiting *x = ctx;
	struct printer *p = x->p;
	char text[RT_MAX_TEXT];
	uint64_t place = w->async ? js_async_place(p->js, w->async) : 0, shared;

	if (++x->n > MAX_WAITERS)
		return 0;
	if (!w->async && w->function && js_word(p->js, w->function, p->js->l.function_shared, &shared) == 0)
		place = V8_FRAME(shared, V8_AT_MAX);
	if (place)
		js_frame_text(p->js, place, text);
	strb_printf(p->b, ", <%s%s>",
		    w->async ? "awaited by "
		    : w->all ? "of Promise.all or the like"
			     : "then ",
		    place    ? text
		    : w->all ? ""
			     : "V8's own");
	return 0;
}

static int print_promise(struct printer *p, uint64_t v)
{
	enum js_promise state;
	uint64_t result;
	int r = js_promise(p->js, v, &state, &result);

	if (r < 0)
		return r;
	strb_adds(p->b, state == JS_PENDING    ? "Promise { <pending>"
			: state == JS_REJECTED ? "Promise { <rejected> "
					       : "Promise { ");
	if (state == JS_PENDING) {
		struct waiting w = { p, 0 };

		r = js_waiters(p->js, v, print_waiter, &w);
		if (w.n > MAX_WAITERS)
			strb_printf(p->b, ", ... %zu more", w.n - MAX_WAITERS);
		strb_adds(p->b, " }");
		return r;
	}
	r = value_into(p, result, p->b);
	strb_adds(p->b, " }");
	return r;
}

/* One value of another within brackets. */
static int print_within(struct printer *p, uint64_t v, int64_t at, const char *open, const char *close)
{
	uint64_t inner;
	int r = js_word(p->js, v, at, &inner);

	strb_adds(p->b, open);
	if (r == 0)
		r = value_into(p, inner, p->b);
	strb_adds(p->b, close);
	return r;
}

static int print_error(struct printer *p, uint64_t v, const char *constructor)
{
	struct parts a = { .p = p };
	uint64_t message;
	int r;

	strb_printf(p->b, "[%s", *constructor ? constructor : "Error");
	if (js_own(p->js, v, "message", &message) == 0 && js_is_string(p->js, js_type(p->js, message))) {
		strb_adds(p->b, ": ");
		r = js_string_text(p->js, message, p->how->chars, p->b, NULL);
		if (r < 0)
			return r;
	}
	strb_addc(p->b, ']');
	r = js_properties(p->js, v, add_named, &a);
	if (a.v.n)
		print_parts(p, &a, " {", "}");
	vec_free(&a.v);
	return r;
}

static int print_plain(struct printer *p, uint64_t v, const char *constructor)
{
	struct parts a = { .p = p };
	struct strb open = { 0 };
	int r = js_properties(p->js, v, add_named, &a);

	if (*constructor && strcmp(constructor, "Object") != 0)
		strb_printf(&open, "%s ", constructor);
	strb_addc(&open, '{');
	print_parts(p, &a, strb_str(&open), "}");
	strb_free(&open);
	return r;
}

static int print_by_kind(struct printer *p, uint64_t v, int type, const char *constructor)
{
	const struct v8_objects *o = &p->js->o;
	char date[JS_DATE];
	int r;

	if (type == o->type_jsarray)
		return print_array(p, v);
	if (type == o->type_map_object || type == o->type_set_object)
		return print_entries(p, v, js_entries, type == o->type_map_object,
				     type == o->type_map_object ? "Map" : "Set");
	if (type == o->type_weakmap || type == o->type_weakset)
		return print_entries(p, v, js_weak_entries, type == o->type_weakmap,
				     type == o->type_weakmap ? "WeakMap" : "WeakSet");
	if (type == o->type_typed || type == o->type_buffer)
		return print_view(p, v);
	if (type == o->type_weakref)
		return print_within(p, v, o->weakref_target, "WeakRef(", ")");
	if (type == o->type_promise)
		return print_promise(p, v);
	if (type == o->type_proxy)
		return print_within(p, v, o->proxy_target, "Proxy(", ")");
	if (type == o->type_bound)
		return print_within(p, v, o->bound_target, "bound(", ")");
	if (type == o->type_wrapper)
		return print_within(p, v, o->wrapper_value, "Object(", ")");
	if (type == o->type_regexp)
		return js_regexp_text(p->js, v, p->b);
	if (type == o->type_error)
		return print_error(p, v, constructor);
	if (type == o->type_date) {
		r = js_date_text(p->js, v, date);
		strb_adds(p->b, r == 0 ? date : "");
		return r;
	}
	return print_plain(p, v, constructor);
}

static int print_function(struct printer *p, uint64_t v)
{
	_cleanup_(strb_free) struct strb name = { 0 };
	int r = js_function_name(p->js, v, &name);

	strb_printf(p->b, name.n ? "[Function: %s]" : "[Function]", strb_str(&name));
	return r;
}

static int print_object(struct printer *p, uint64_t v, int type)
{
	_cleanup_(strb_free) struct strb constructor = { 0 };
	int r;

	if (js_is_function(p->js, type))
		return print_function(p, v);
	for (unsigned i = 0; i < p->depth && i < MAX_DEPTH; i++) {
		if (p->path[i] == v) {
			strb_adds(p->b, "[Circular]");
			return 0;
		}
	}
	r = js_constructor(p->js, v, &constructor);
	if (r < 0)
		return r;
	if (p->depth > p->how->depth || p->depth >= MAX_DEPTH) {
		strb_printf(p->b, "[%s %" PRIx64 "]", constructor.n ? strb_str(&constructor) : "Object", v - V8_TAG);
		return 0;
	}
	if (p->how->addresses)
		strb_printf(p->b, "%" PRIx64 ": ", v - V8_TAG);
	p->path[p->depth] = v;
	return print_by_kind(p, v, type, strb_str(&constructor));
}

static int print_string(struct printer *p, uint64_t v)
{
	_cleanup_(strb_free) struct strb text = { 0 };
	uint64_t all;
	int r = js_string_text(p->js, v, p->how->chars, &text, &all);

	if (r < 0)
		return r;
	jsonstr_add(p->b, strb_str(&text), text.n);
	if (all > p->how->chars)
		strb_printf(p->b, "... %" PRIu64 " more", all - p->how->chars);
	return 0;
}

static int print_symbol(struct printer *p, uint64_t v)
{
	uint64_t name;
	int r = js_word(p->js, v, p->js->o.symbol_name, &name);

	strb_adds(p->b, "Symbol(");
	if (r == 0 && js_is_string(p->js, js_type(p->js, name)))
		r = js_string_text(p->js, name, p->how->chars, p->b, NULL);
	strb_addc(p->b, ')');
	return r;
}

/* One that cannot be read is a mark in the text of those around it. */
static int print_whole(struct printer *p, uint64_t v, int type)
{
	char number[JS_NUMBER];
	const char *odd;
	double d;
	int r;

	if (js_is_string(p->js, type))
		return print_string(p, v);
	if (type == p->js->o.type_number) {
		r = v8_bytes(&p->js->v, v, p->js->o.number_value, &d, sizeof(d));
		js_number_text(r == 0 ? d : 0, number);
		strb_adds(p->b, number);
		return r;
	}
	if (type == p->js->o.type_symbol)
		return print_symbol(p, v);
	if (type == p->js->o.type_bigint) {
		r = js_bigint_text(p->js, v, p->b);
		strb_addc(p->b, 'n');
		return r;
	}
	if (js_is_receiver(p->js, type))
		return print_object(p, v, type);
	odd = js_oddball(p->js, v);
	if (odd)
		strb_adds(p->b, odd);
	else
		strb_printf(p->b, "<V8's own, of type %d, %" PRIx64 ">", type, v - V8_TAG);
	return 0;
}

static int print_value(struct printer *p, uint64_t v)
{
	struct strb whole = { 0 }, *before = p->b;
	int type, r;

	if (v8_is_smi(v)) {
		strb_printf(p->b, "%d", v8_smi(v));
		return 0;
	}
	if (!v8_is_object(v)) {
		strb_printf(p->b, "<weak %" PRIx64 ">", v);
		return 0;
	}
	type = js_type(p->js, v);
	p->b = &whole;
	r = type < 0 ? type : print_whole(p, v, type);
	p->b = before;
	if (r == 0)
		strb_add(p->b, strb_str(&whole), whole.n);
	else if (r != -ENOMEM)
		strb_printf(p->b, "<%s %" PRIx64 ">", r == -EFAULT || r == -ENODATA ? "not in the core" : "damaged",
			    v - V8_TAG);
	p->b->failed |= whole.failed;
	strb_free(&whole);
	return r == -ENOMEM ? r : 0;
}

int js_print(const struct js *js, uint64_t value, const struct js_print *how, struct strb *b)
{
	struct printer p = { .js = js, .how = how, .b = b };
	int r = print_value(&p, value);

	return r < 0 ? r : b->failed ? -ENOMEM : 0;
}
