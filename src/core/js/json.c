/* SPDX-License-Identifier: Apache-2.0 */
/* Writes values of JavaScript as JSON. JSON has no undefined, NaN, Date or Map, for example: such a value becomes an
 * object with one member, and the member's name begins with $. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/jsonw.h"
#include "core/js/kind.h"

#define MAX_DEPTH 64u /* of objects within each other */

struct writer {
	const struct js *js;
	const struct js_print *how;
	struct jsonw *w;
	uint64_t path[MAX_DEPTH];
	unsigned depth;
};

/* The parts of an object. */
struct members {
	struct writer *x;
	size_t n, more;
	uint64_t next;
	bool pairs;
};

static int write_value(struct writer *x, uint64_t v, const char *name);

static void one_text(struct writer *x, const char *name, const char *member, const char *text)
{
	jsonw_object(x->w, name);
	jsonw_str(x->w, member, text);
	jsonw_end_object(x->w);
}

static void one_count(struct writer *x, const char *name, const char *member, uint64_t n)
{
	jsonw_object(x->w, name);
	jsonw_u64(x->w, member, n);
	jsonw_end_object(x->w);
}

static void write_number(struct writer *x, const char *name, double d)
{
	char text[JS_NUMBER];

	js_number_text(d, text);
	if (isnan(d) || isinf(d))
		one_text(x, name, "$number", text);
	else if (d == 0 && signbit(d))
		jsonw_raw(x->w, name, "-0.0", 4);
	else
		jsonw_raw(x->w, name, text, strlen(text));
}

static bool room(struct members *m)
{
	if (m->n < m->x->how->elements) {
		m->n++;
		return true;
	}
	m->more++;
	return false;
}

static int write_one(struct writer *x, const struct js_prop *p, const char *name)
{
	if (p->accessor)
		one_text(x, name, "$accessor", "");
	else if (p->is_double)
		write_number(x, name, p->number);
	else
		return write_value(x, p->value, name);
	return 0;
}

static int add_element(void *ctx, const struct js_prop *p)
{
	struct members *m = ctx;

	if (p->key)
		return 0;
	if (p->index > m->next && room(m))
		one_count(m->x, NULL, "$empty", p->index - m->next);
	m->next = p->index + 1;
	return room(m) ? write_one(m->x, p, NULL) : 0;
}

static int add_member(void *ctx, const struct js_prop *p)
{
	_cleanup_(strb_free) struct strb name = { 0 };
	struct members *m = ctx;
	uint64_t key = p->key;
	int r = 0;

	if ((p->hidden && !m->x->how->all) || !room(m))
		return 0;
	if (!key) {
		strb_printf(&name, "%" PRIu64, p->index);
	} else {
		if (js_type(m->x->js, key) == m->x->js->o.type_symbol) {
			strb_adds(&name, "$symbol ");
			r = js_word(m->x->js, key, m->x->js->o.symbol_name, &key);
		}
		if (r == 0 && js_is_string(m->x->js, js_type(m->x->js, key)))
			r = js_string_text(m->x->js, key, m->x->how->chars, &name, NULL);
	}
	return r < 0 ? r : write_one(m->x, p, strb_str(&name));
}

static int add_entry(void *ctx, uint64_t key, uint64_t value)
{
	struct members *m = ctx;
	int r;

	if (!room(m))
		return 0;
	if (!m->pairs)
		return write_value(m->x, key, NULL);
	jsonw_array(m->x->w, NULL);
	r = write_value(m->x, key, NULL);
	if (r == 0)
		r = write_value(m->x, value, NULL);
	jsonw_end_array(m->x->w);
	return r;
}

static int write_array(struct writer *x, uint64_t v, const char *name)
{
	struct members m = { .x = x };
	uint64_t length;
	int r;

	jsonw_array(x->w, name);
	r = js_elements(x->js, v, add_element, &m, &length);
	if (r == 0 && length > m.next && room(&m))
		one_count(x, NULL, "$empty", length - m.next);
	if (m.more)
		one_count(x, NULL, "$more", m.more);
	jsonw_end_array(x->w);
	return r;
}

static int write_entries(struct writer *x, uint64_t v, const char *name, bool map)
{
	struct members m = { .x = x, .pairs = map };
	int r;

	jsonw_object(x->w, name);
	jsonw_array(x->w, map ? "$map" : "$set");
	r = js_entries(x->js, v, map, add_entry, &m);
	if (m.more)
		one_count(x, NULL, "$more", m.more);
	jsonw_end_array(x->w);
	jsonw_end_object(x->w);
	return r;
}

/* Bytes, or numbers, of a view: {"$Uint8Array":[1,2]}. */
static int write_view(struct writer *x, uint64_t v, const char *name)
{
	_cleanup_(strb_free) struct strb member = { 0 };
	struct js_view view;
	int r = js_view(x->js, v, &view);

	if (r < 0)
		return r;
	strb_printf(&member, "$%s", *view.name ? view.name : view.kind);
	jsonw_object(x->w, name);
	jsonw_array(x->w, strb_str(&member));
	for (uint64_t i = 0; i < view.n && r == 0; i++) {
		_cleanup_(strb_free) struct strb b = { 0 };

		if (i == x->how->elements) {
			one_count(x, NULL, "$more", view.n - i);
			break;
		}
		r = js_view_text(x->js, &view, i, &b);
		if (strchr(strb_str(&b), 'N') || strchr(strb_str(&b), 'I'))
			one_text(x, NULL, "$number", strb_str(&b));
		else if (r == 0)
			jsonw_raw(x->w, NULL, strb_str(&b), b.n);
	}
	jsonw_end_array(x->w);
	jsonw_end_object(x->w);
	return r;
}

static int write_promise(struct writer *x, uint64_t v, const char *name)
{
	static const char *const members[] = { "$pending", "$fulfilled", "$rejected" };
	enum js_promise state;
	uint64_t result;
	int r = js_promise(x->js, v, &state, &result);

	if (r < 0)
		return r;
	jsonw_object(x->w, name);
	if (state == JS_PENDING)
		jsonw_bool(x->w, members[state], true);
	else
		r = write_value(x, result, members[state]);
	jsonw_end_object(x->w);
	return r;
}

static int write_within(struct writer *x, uint64_t v, int64_t at, const char *name, const char *member)
{
	uint64_t inner;
	int r = js_word(x->js, v, at, &inner);

	if (r < 0)
		return r;
	jsonw_object(x->w, name);
	r = write_value(x, inner, member);
	jsonw_end_object(x->w);
	return r;
}

static int write_members(struct writer *x, uint64_t v, const char *name)
{
	struct members m = { .x = x };
	int r;

	jsonw_object(x->w, name);
	r = js_properties(x->js, v, add_member, &m);
	if (m.more)
		jsonw_u64(x->w, "$more", m.more);
	jsonw_end_object(x->w);
	return r;
}

static int write_error(struct writer *x, uint64_t v, const char *name)
{
	_cleanup_(strb_free) struct strb text = { 0 };
	uint64_t message;
	int r = js_constructor(x->js, v, &text);

	if (r == 0 && js_own(x->js, v, "message", &message) == 0 && js_is_string(x->js, js_type(x->js, message))) {
		strb_adds(&text, ": ");
		r = js_string_text(x->js, message, x->how->chars, &text, NULL);
	}
	if (r == 0)
		one_text(x, name, "$error", strb_str(&text));
	return r;
}

static int write_text(struct writer *x, uint64_t v, const char *name, const char *member,
		      int (*text)(const struct js *, uint64_t, struct strb *))
{
	_cleanup_(strb_free) struct strb b = { 0 };
	int r = text(x->js, v, &b);

	if (r == 0)
		one_text(x, name, member, strb_str(&b));
	return r;
}

static int write_date(struct writer *x, uint64_t v, const char *name)
{
	char date[JS_DATE];
	int r = js_date_text(x->js, v, date);

	if (r == 0)
		one_text(x, name, "$date", date);
	return r;
}

static int write_by_kind(struct writer *x, uint64_t v, int type, const char *name)
{
	const struct v8_objects *o = &x->js->o;

	if (type == o->type_jsarray)
		return write_array(x, v, name);
	if (type == o->type_map_object || type == o->type_set_object)
		return write_entries(x, v, name, type == o->type_map_object);
	if (type == o->type_typed)
		return write_view(x, v, name);
	if (type == o->type_promise)
		return write_promise(x, v, name);
	if (type == o->type_proxy)
		return write_within(x, v, o->proxy_target, name, "$proxy");
	if (type == o->type_bound)
		return write_within(x, v, o->bound_target, name, "$bound");
	if (type == o->type_wrapper)
		return write_within(x, v, o->wrapper_value, name, "$wrapper");
	if (type == o->type_regexp)
		return write_text(x, v, name, "$regexp", js_regexp_text);
	if (type == o->type_error)
		return write_error(x, v, name);
	if (type == o->type_date)
		return write_date(x, v, name);
	return write_members(x, v, name);
}

static int write_object(struct writer *x, uint64_t v, int type, const char *name)
{
	int r;

	if (js_is_function(x->js, type))
		return write_text(x, v, name, "$function", js_function_name);
	for (unsigned i = 0; i < x->depth && i < MAX_DEPTH; i++) {
		if (x->path[i] == v) {
			one_count(x, name, "$circular", x->depth - i);
			return 0;
		}
	}
	if (x->depth > x->how->depth || x->depth >= MAX_DEPTH)
		return write_text(x, v, name, "$object", js_constructor);
	x->path[x->depth++] = v;
	r = write_by_kind(x, v, type, name);
	x->depth--;
	return r;
}

static int write_string(struct writer *x, uint64_t v, const char *name)
{
	_cleanup_(strb_free) struct strb b = { 0 };
	uint64_t all;
	int r = js_string_text(x->js, v, x->how->chars, &b, &all);

	if (r < 0)
		return r;
	if (all > x->how->chars)
		strb_printf(&b, "... %" PRIu64 " more", all - x->how->chars);
	jsonw_strn(x->w, name, strb_str(&b), b.n);
	return 0;
}

static int write_symbol(struct writer *x, uint64_t v, const char *name)
{
	_cleanup_(strb_free) struct strb b = { 0 };
	uint64_t text;
	int r = js_word(x->js, v, x->js->o.symbol_name, &text);

	if (r == 0 && js_is_string(x->js, js_type(x->js, text)))
		r = js_string_text(x->js, text, x->how->chars, &b, NULL);
	if (r == 0)
		one_text(x, name, "$symbol", strb_str(&b));
	return r;
}

static int write_odd(struct writer *x, uint64_t v, const char *name)
{
	const char *odd = js_oddball(x->js, v);

	if (!odd)
		return -EBADMSG;
	if (!strcmp(odd, "undefined")) {
		jsonw_object(x->w, name);
		jsonw_bool(x->w, "$undefined", true);
		jsonw_end_object(x->w);
	} else if (!strcmp(odd, "null")) {
		jsonw_null(x->w, name);
	} else {
		jsonw_bool(x->w, name, *odd == 't');
	}
	return 0;
}

static int write_whole(struct writer *x, uint64_t v, int type, const char *name)
{
	double d;
	int r;

	if (js_is_string(x->js, type))
		return write_string(x, v, name);
	if (type == x->js->o.type_number) {
		r = v8_bytes(&x->js->v, v, x->js->o.number_value, &d, sizeof(d));
		if (r == 0)
			write_number(x, name, d);
		return r;
	}
	if (type == x->js->o.type_symbol)
		return write_symbol(x, v, name);
	if (type == x->js->o.type_bigint)
		return write_text(x, v, name, "$bigint", js_bigint_text);
	return js_is_receiver(x->js, type) ? write_object(x, v, type, name) : write_odd(x, v, name);
}

/* One that cannot be read whole is what could be read, and a mark; into a text of its own, so that it stays well
 * formed. */
static int write_value(struct writer *x, uint64_t v, const char *name)
{
	_cleanup_(strb_free) struct strb b = { 0 };
	struct jsonw *before = x->w, w = jsonw_to(&b);
	int type, r;

	if (v8_is_smi(v)) {
		jsonw_i64(x->w, name, v8_smi(v));
		return 0;
	}
	type = v8_is_object(v) ? js_type(x->js, v) : -EBADMSG;
	x->w = &w;
	r = type < 0 ? type : write_whole(x, v, type, NULL);
	x->w = before;
	if (r == -ENOMEM || b.failed)
		return -ENOMEM;
	if (r == 0)
		jsonw_raw(x->w, name, strb_str(&b), b.n);
	else
		one_text(x, name, r == -EFAULT || r == -ENODATA ? "$missing" : "$damaged", "");
	return 0;
}

int js_json(const struct js *js, uint64_t value, const struct js_print *how, struct jsonw *w, const char *name)
{
	struct writer x = { .js = js, .how = how, .w = w };

	return write_value(&x, value, name);
}
