/* SPDX-License-Identifier: Apache-2.0 */
/* ::jsproperties: lists the properties of an object, each with its address. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/walk.h"
#include "core/cmds.h"
#include "core/js/kind.h"
#include "core/jscmd/parts.h"

#define ROWS 1000u /* unless -n says how many */
#define NAME 1000u /* characters of a name */

struct listing {
	struct shell *s;
	const struct js *js;
	uint64_t n, max, more;
};

/* A row without an address: a number that is in the object itself, or what a function computes. */
static int say_text(struct listing *l, const char *name, const char *text, bool accessor)
{
	struct jsonw w = jsonw_to(&l->s->text);

	if (l->s->to)
		return 0;
	if (!l->s->json) {
		shell_print(l->s, "    ");
		shell_plain(l->s, name);
		shell_print(l->s, ": %s\n", text);
		return 0;
	}
	jsonw_object(&w, NULL);
	jsonw_str(&w, "name", name);
	if (accessor || strpbrk(text, "NI")) { /* NaN, Infinity */
		jsonw_object(&w, "value");
		jsonw_str(&w, accessor ? "$accessor" : "$number", accessor ? "" : text);
		jsonw_end_object(&w);
	} else {
		jsonw_raw(&w, "value", text, strlen(text));
	}
	jsonw_end_object(&w);
	jsonw_line(&w);
	return 0;
}

static bool room(struct listing *l)
{
	if (l->n < l->max) {
		l->n++;
		return true;
	}
	l->more++;
	return false;
}

static int put_name(const struct js *js, const struct js_prop *p, struct strb *name)
{
	uint64_t key = p->key;
	int r = 0;

	if (!key) {
		strb_printf(name, "[%" PRIu64 "]", p->index);
		return 0;
	}
	if (js_type(js, key) == js->o.type_symbol) {
		strb_adds(name, "Symbol ");
		r = js_word(js, key, js->o.symbol_name, &key);
	}
	if (r == 0 && js_is_string(js, js_type(js, key)))
		r = js_string_text(js, key, NAME, name, NULL);
	return r;
}

static int say_property(void *ctx, const struct js_prop *p)
{
	_cleanup_(strb_free) struct strb name = { 0 };
	struct listing *l = ctx;
	char number[JS_NUMBER];
	int r;

	if (!room(l))
		return 0;
	r = put_name(l->js, p, &name);
	if (r < 0)
		return r;
	if (p->accessor)
		return say_text(l, strb_str(&name), js_accessor_word(l->js, p->value), true);
	if (!p->is_double)
		return js_say_value(l->s, l->js, strb_str(&name), p->value);
	js_number_text(p->number, number);
	return say_text(l, strb_str(&name), number, false);
}

static int say_entry(void *ctx, uint64_t key, uint64_t value)
{
	struct listing *l = ctx;
	const uint64_t i = l->n + l->more;
	char name[32];
	int r;

	if (!room(l))
		return 0;
	snprintf(name, sizeof(name), "<key>[%" PRIu64 "]", i);
	r = js_say_value(l->s, l->js, name, key);
	snprintf(name, sizeof(name), "<value>[%" PRIu64 "]", i);
	return r < 0 || !value ? r : js_say_value(l->s, l->js, name, value);
}

static int say_all(struct listing *l, uint64_t object)
{
	const int type = js_type(l->js, object);
	const bool map = type == l->js->o.type_map_object;
	int r = 0;

	if (!js_is_receiver(l->js, type))
		return js_say_value(l->s, l->js, "<itself>", object);
	if (map || type == l->js->o.type_set_object)
		r = js_entries(l->js, object, map, say_entry, l);
	if (r == 0 && (type == l->js->o.type_weakmap || type == l->js->o.type_weakset))
		r = js_weak_entries(l->js, object, type == l->js->o.type_weakmap, say_entry, l);
	return r < 0 ? r : js_properties(l->js, object, say_property, l);
}

int dcmd_jsproperties(struct shell *s, const struct dcall *d)
{
	struct listing l = { .s = s, .max = ROWS };
	uint64_t object;
	struct js *js;
	int r = shell_js(s, &js);

	for (int i = 0; i < d->argc && r == 0; i++)
		r = !strcmp(d->argv[i], "-n") ? shell_option(s, d, &i, JS_MAX_ELEMENTS, &l.max)
					      : shell_refuse(s, "jsproperties", d->argv[i]);
	if (r < 0)
		return r;
	l.js = js;
	object = shell_object(js, d->addr);
	if (!object)
		return err_set(&s->err, -EBADMSG, "no object of JavaScript begins at %" PRIx64, d->addr);
	r = say_all(&l, object);
	if (r == 0 && l.more && s->json && !s->to) {
		struct jsonw w = jsonw_to(&s->text);

		jsonw_object(&w, NULL);
		jsonw_u64(&w, "more", l.more);
		jsonw_end_object(&w);
		jsonw_line(&w);
	} else if (r == 0 && l.more) {
		shell_print(s, "    ... %" PRIu64 " more\n", l.more);
	}
	return r < 0 && !s->err.code ? err_set(&s->err, r, "the object at %" PRIx64 " is damaged", d->addr) : r;
}
