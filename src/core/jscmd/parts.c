/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of objects: variables of closures, elements of arrays, constructors, bytes of Buffers. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/plain.h"
#include "base/walk.h"
#include "core/cmds.h"
#include "core/jscmd/parts.h"
#include "core/jsheap/edge.h"
#include "core/js/kind.h"

#define CHARS 100  /* of a string that is printed */
#define ELEMENTS 6 /* of an object that is printed */
#define BUFFER 256 /* bytes of a Buffer, unless -n says how many */
#define ROW 16	   /* of them in a line */
#define MAX_BUFFER (64u << 20)
#define MAX_SCOPES 256u /* around a function */

/* The object of a command's address, of a kind. */
static int object_of(struct shell *s, const struct dcall *d, struct js **js, uint64_t *ret)
{
	int r = shell_js(s, js);

	if (r < 0)
		return r;
	*ret = shell_object(*js, d->addr);
	return *ret ? 0 : err_set(&s->err, -EBADMSG, "no object of JavaScript begins at %" PRIx64, d->addr);
}

int js_say_value(struct shell *s, const struct js *js, const char *name, uint64_t v)
{
	const struct js_print how = { 0, ELEMENTS, CHARS, false, true };
	_cleanup_(strb_free) struct strb b = { 0 };
	int r;

	if (s->to)
		return v8_is_object(v) ? shell_emit(s, v - V8_TAG) : 0;
	if (s->json) {
		struct jsonw w = jsonw_to(&s->text);

		jsonw_object(&w, NULL);
		jsonw_str(&w, "name", name);
		if (v8_is_object(v))
			jsonw_strf(&w, "address", "%" PRIx64, v - V8_TAG);
		r = js_json(js, v, &how, &w, "value");
		jsonw_end_object(&w);
		jsonw_line(&w);
		return r;
	}
	r = js_print(js, v, &how, &b);
	shell_print(s, "    ");
	shell_plain(s, name);
	shell_print(s, ": ");
	plain_part(&s->text, strb_str(&b), b.n, true, true);
	shell_print(s, "\n");
	return r;
}

/* -- ::jsclosure -- */

static bool is_context(const struct js *js, uint64_t v)
{
	const int type = v8_is_object(v) ? js_type(js, v) : -1;

	return type >= js->o.type_context_first && type <= js->o.type_context_last;
}

/* Variables of one scope that have a name. */
static int say_scope(struct shell *s, const struct js *js, uint64_t context, size_t *said)
{
	uint64_t w, n;
	int r = js_word(js, context, js->l.array_length, &w);

	if (r == 0 && (!v8_is_smi(w) || v8_smi(w) < js->o.context_first || v8_smi(w) > (int32_t)V8_MAX_LOCALS))
		return 0; /* of the whole program: its variables are those of globalThis */
	n = r == 0 ? (uint64_t)v8_smi(w) : 0;
	for (uint64_t i = (uint64_t)js->o.context_first; r == 0 && i < n; i++) {
		_cleanup_(strb_free) struct strb name = { 0 };

		r = js_word(js, context, js->l.array_data + (int64_t)(i * 8), &w);
		if (r == 0)
			js_variable_name(js, context, i - (uint64_t)js->o.context_first, &name);
		if (r < 0 || !name.n || js_is_hole(js, w)) /* a variable that is not initialised yet has no value */
			continue;
		++*said;
		r = js_say_value(s, js, strb_str(&name), w);
	}
	return r;
}

int dcmd_jsclosure(struct shell *s, const struct dcall *d)
{
	uint64_t function = 0, context = 0;
	size_t said = 0;
	struct js *js;
	int r = d->argc ? shell_refuse(s, "jsclosure", d->argv[0]) : object_of(s, d, &js, &function);

	if (r < 0)
		return r;
	if (is_context(js, function))
		context = function;
	else if (!js_is_function(js, js_type(js, function)))
		return err_set(&s->err, -EBADMSG, "no function of JavaScript begins at %" PRIx64, d->addr);
	else
		r = js_word(js, function, js->o.function_context, &context);
	for (unsigned i = 0; i < MAX_SCOPES && r == 0 && is_context(js, context); i++) {
		r = say_scope(s, js, context, &said);
		if (r == 0)
			r = js_word(js, context, js->l.array_data + (int64_t)js->o.context_previous * 8, &context);
	}
	if (r < 0 && !s->err.code)
		return err_set(&s->err, r, "the variables of the function at %" PRIx64 " are not whole in memory",
			       d->addr);
	if (r == 0 && !said && !s->json)
		shell_print(s, "    (it has no variables of functions around it)\n");
	return r;
}

/* -- ::jsarray -- */

struct elements {
	struct shell *s;
	const struct js *js;
	uint64_t from, n, more;
};

static int say_element(void *ctx, const struct js_prop *p)
{
	struct elements *e = ctx;
	char name[32], number[JS_NUMBER];

	if (p->key || p->index < e->from)
		return p->key ? WALK_END : 0;
	if (!e->n) {
		e->more++;
		return 0;
	}
	e->n--;
	snprintf(name, sizeof(name), "[%" PRIu64 "]", p->index);
	if (!p->is_double)
		return js_say_value(e->s, e->js, name, p->value);
	js_number_text(p->number, number);
	if (e->s->json && !e->s->to) {
		struct jsonw w = jsonw_to(&e->s->text);

		jsonw_object(&w, NULL);
		jsonw_str(&w, "name", name);
		jsonw_double(&w, "value", p->number, 17);
		jsonw_end_object(&w);
		jsonw_line(&w);
	} else {
		shell_print(e->s, "    %s: %s\n", name, number);
	}
	return 0;
}

int dcmd_jsarray(struct shell *s, const struct dcall *d)
{
	struct elements e = { .s = s, .n = UINT64_MAX };
	uint64_t array = 0, length;
	struct js *js;
	int r = object_of(s, d, &js, &array);

	for (int i = 0; i < d->argc && r == 0; i++) {
		if (!strcmp(d->argv[i], "-i"))
			r = shell_option(s, d, &i, JS_MAX_ELEMENTS, &e.from);
		else if (!strcmp(d->argv[i], "-n"))
			r = shell_option(s, d, &i, JS_MAX_ELEMENTS, &e.n);
		else
			r = shell_refuse(s, "jsarray", d->argv[i]);
	}
	if (r < 0)
		return r;
	if (!js_is_receiver(js, js_type(js, array)))
		return err_set(&s->err, -EBADMSG,
			       "the object at %" PRIx64 " has no elements: it is no object of a program", d->addr);
	e.js = js;
	r = walk_ended(js_elements(js, array, say_element, &e, &length));
	if (r < 0)
		return err_set(&s->err, r, "the elements of %" PRIx64 " are not whole in memory", d->addr);
	if (e.more && !s->json)
		shell_print(s, "    ... %" PRIu64 " more\n", e.more);
	return 0;
}

/* -- ::jsconstructor -- */

int dcmd_jsconstructor(struct shell *s, const struct dcall *d)
{
	_cleanup_(strb_free) struct strb name = { 0 };
	uint64_t object = 0, function = 0, shared;
	char place[RT_MAX_TEXT] = "";
	struct js *js;
	int r = d->argc ? shell_refuse(s, "jsconstructor", d->argv[0]) : object_of(s, d, &js, &object);

	if (r < 0)
		return r;
	if (!js_is_receiver(js, js_type(js, object)))
		return err_set(&s->err, -EBADMSG,
			       "what is at %" PRIx64 " has no constructor: it is no object of a program", d->addr);
	r = js_constructor_function(js, object, &function);
	if (r < 0)
		return r == -ENOENT ? err_set(&s->err, r, "the object at %" PRIx64 " has no constructor", d->addr)
				    : err_set(&s->err, r, "the constructor of %" PRIx64 " is not in memory", d->addr);
	if (s->to)
		return shell_emit(s, function - V8_TAG);
	js_function_name(js, function, &name);
	if (js_word(js, function, js->l.function_shared, &shared) == 0)
		js_frame_text(js, V8_FRAME(shared, V8_AT_MAX), place);
	if (s->json) {
		struct jsonw w = jsonw_to(&s->text);

		jsonw_object(&w, NULL);
		jsonw_strf(&w, "object", "%" PRIx64, object - V8_TAG);
		jsonw_strf(&w, "function", "%" PRIx64, function - V8_TAG);
		jsonw_str(&w, "name", strb_str(&name));
		jsonw_str(&w, "text", place);
		jsonw_end_object(&w);
		jsonw_line(&w);
		return 0;
	}
	shell_print(s, "%" PRIx64 " ", function - V8_TAG);
	shell_plain(s, place);
	shell_print(s, "\n");
	return 0;
}

/* -- ::nodebuffer -- */

static void say_bytes(struct shell *s, uint64_t at, const uint8_t *p, size_t n)
{
	shell_print(s, "%12" PRIx64 " ", at);
	for (size_t i = 0; i < ROW; i++)
		shell_print(s, i < n ? " %02x" : "   ", i < n ? p[i] : 0);
	shell_print(s, "  ");
	for (size_t i = 0; i < n; i++)
		shell_print(s, "%c", p[i] >= 0x20 && p[i] < 0x7f ? p[i] : '.');
	shell_print(s, "\n");
}

static int say_buffer(struct shell *s, const struct js *js, const struct js_view *v, uint64_t n)
{
	const uint64_t all = v->n * v->size, some = n < all ? n : all;
	uint8_t row[ROW];
	int r = 0;

	for (uint64_t i = 0; i < some && r == 0; i += ROW) {
		const size_t k = some - i < ROW ? (size_t)(some - i) : ROW;

		r = core_read(js->core, v->at + i, row, k);
		if (r == 0)
			say_bytes(s, v->at + i, row, k);
	}
	if (r == 0 && all > some)
		shell_print(s, "%12s  ... %" PRIu64 " more bytes (-n)\n", "", all - some);
	return r;
}

static int json_buffer(struct shell *s, const struct js *js, uint64_t object, const struct js_view *v, uint64_t n)
{
	const uint64_t all = v->n * v->size, some = n < all ? n : all;
	_cleanup_free_ uint8_t *bytes = malloc((size_t)some + 1);
	struct jsonw w = jsonw_to(&s->text);
	int r = bytes ? core_read(js->core, v->at, bytes, (size_t)some) : -ENOMEM;

	if (r < 0)
		return r;
	jsonw_object(&w, NULL);
	jsonw_strf(&w, "object", "%" PRIx64, object - V8_TAG);
	jsonw_strf(&w, "address", "%" PRIx64, v->at);
	jsonw_u64(&w, "length", all);
	jsonw_bytes(&w, "bytes", bytes, (size_t)some);
	jsonw_end_object(&w);
	jsonw_line(&w);
	return 0;
}

int dcmd_nodebuffer(struct shell *s, const struct dcall *d)
{
	uint64_t object = 0, n = BUFFER;
	struct js_view v;
	struct js *js;
	int r = object_of(s, d, &js, &object);

	for (int i = 0; i < d->argc && r == 0; i++)
		r = !strcmp(d->argv[i], "-n") ? shell_option(s, d, &i, MAX_BUFFER, &n)
					      : shell_refuse(s, "nodebuffer", d->argv[i]);
	if (r < 0)
		return r;
	if ((js_type(js, object) != js->o.type_typed && js_type(js, object) != js->o.type_buffer) ||
	    js_view(js, object, &v) < 0)
		return err_set(&s->err, -EBADMSG, "no Buffer, typed array or ArrayBuffer begins at %" PRIx64, d->addr);
	if (s->to)
		return shell_emit(s, v.at);
	r = s->json ? json_buffer(s, js, object, &v, n) : say_buffer(s, js, &v, n);
	return r < 0 && r != -ENOMEM
		       ? err_set(&s->err, r, "the bytes of the Buffer at %" PRIx64 " are not in the core", d->addr)
		       : r;
}
