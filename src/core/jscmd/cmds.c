/* SPDX-License-Identifier: Apache-2.0 */
/* Commands on JavaScript's objects. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/plain.h"
#include "core/cmds.h"
#include "core/js/js.h"
#include "core/jsheap/heap.h"
#include "core/jscmd/find.h"
#include "core/jscmd/follow.h"

#define DEPTH 2
#define ELEMENTS 100
#define CHARS 1000

int shell_js(struct shell *s, struct js **ret)
{
	int r = 0;

	if (!s->js)
		r = js_open(s->core, &s->js, &s->err);
	if (r == 0)
		*ret = s->js;
	return r;
}

int shell_heap(struct shell *s, struct js_heap **ret)
{
	struct js *js;
	int r = shell_js(s, &js);

	if (r == 0 && !s->heap)
		r = js_heap_open_by(js, s->index, &s->heap, &s->err);
	if (r == 0)
		*ret = s->heap;
	return r;
}

uint64_t shell_object(const struct js *js, uint64_t addr)
{
	const uint64_t object = (addr & ~(uint64_t)V8_TAG_MASK) | V8_TAG;
	uint64_t map;

	return addr % 8 <= V8_TAG && js_word(js, object, 0, &map) == 0 && js_is_map(js, map) ? object : 0;
}

static int print_options(struct shell *s, const struct dcall *d, struct js_print *how, const char **path)
{
	int r = 0;

	*path = NULL;
	*how = (struct js_print){ DEPTH, ELEMENTS, CHARS, false, false };
	for (int i = 0; i < d->argc && r == 0; i++) {
		const char *w = d->argv[i];
		uint64_t n = 0;

		if (w[0] == '-' && w[1] && w[1 + strspn(w + 1, "ah")] == '\0') {
			how->addresses |= strchr(w, 'a') != NULL;
			how->all |= strchr(w, 'h') != NULL;
		} else if (!strcmp(w, "-d") && (r = shell_option(s, d, &i, 60, &n)) <= 0) {
			how->depth = (unsigned)n;
		} else if (!strcmp(w, "-n") && (r = shell_option(s, d, &i, JS_MAX_ELEMENTS, &n)) <= 0) {
			how->elements = (size_t)n;
		} else if (!strcmp(w, "-s") && (r = shell_option(s, d, &i, JS_MAX_STRING, &n)) <= 0) {
			how->chars = (size_t)n;
		} else if (w[0] == '-') {
			r = shell_refuse(s, "jsprint", w);
		} else {
			*path = w;
		}
	}
	return r;
}

/* A number that is in the object itself. */
static int say_double(struct shell *s, double number)
{
	struct jsonw w = jsonw_to(&s->text);
	char text[JS_NUMBER];

	if (s->to)
		return 0;
	js_number_text(number, text);
	if (!s->json) {
		shell_print(s, "%s\n", text);
		return 0;
	}
	jsonw_object(&w, NULL);
	jsonw_double(&w, "value", number, 17);
	jsonw_end_object(&w);
	jsonw_line(&w);
	return 0;
}

int dcmd_jsprint(struct shell *s, const struct dcall *d)
{
	_cleanup_(strb_free) struct strb b = { 0 };
	const char *path = NULL;
	struct js_print how;
	struct js *js;
	uint64_t object;
	int r = shell_js(s, &js);

	if (r == 0)
		r = print_options(s, d, &how, &path);
	if (r < 0)
		return r;
	object = shell_object(js, d->addr);
	if (!object)
		return err_set(&s->err, -EBADMSG, "no object of JavaScript begins at %" PRIx64, d->addr);
	if (path) {
		struct js_member m;

		r = js_follow(s, js, object, path, &m);
		if (r < 0)
			return r;
		if (m.is_double)
			return say_double(s, m.number);
		if (s->to)
			return v8_is_object(m.value) ? shell_emit(s, m.value - V8_TAG) : 0;
		object = m.value;
	}
	if (s->json && !s->to) {
		struct jsonw w = jsonw_to(&s->text);

		if (v8_is_object(object) && js_is_receiver(js, js_type(js, object)))
			js_constructor(js, object, &b);
		jsonw_object(&w, NULL);
		if (v8_is_object(object))
			jsonw_strf(&w, "address", "%" PRIx64, object - V8_TAG);
		jsonw_str(&w, "constructor", strb_str(&b));
		r = js_json(js, object, &how, &w, "value");
		jsonw_end_object(&w);
		jsonw_line(&w);
		return r;
	}
	r = js_print(js, object, &how, &b);
	if (r == 0 && !s->to)
		plain_part(&s->text, strb_str(&b), b.n, true, true);
	shell_print(s, "\n");
	return r < 0 ? r : shell_emit(s, object - V8_TAG);
}

/* Offers the members of an object; without an address all names of properties that there are. */
void complete_jsprint(struct shell *s, const struct dcall *d, const char *word, shell_offer *offer, void *to)
{
	if (d->has_addr)
		js_follow_complete(s, d->addr, word, offer, to);
	else
		js_names(s, true, offer, to);
	err_done(&s->err);
}
