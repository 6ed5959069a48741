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

static int print_options(struct shell *s, const struct dcall *d, struct js_print *how)
{
	int r = 0;

	*how = (struct js_print){ DEPTH, ELEMENTS, CHARS, false, false };
	for (int i = 0; i < d->argc && r == 0; i++) {
		uint64_t n = 0;

		if (!strcmp(d->argv[i], "-a"))
			how->addresses = true;
		else if (!strcmp(d->argv[i], "-h"))
			how->all = true;
		else if (!strcmp(d->argv[i], "-d") && (r = shell_option(s, d, &i, 60, &n)) <= 0)
			how->depth = (unsigned)n;
		else if (!strcmp(d->argv[i], "-n") && (r = shell_option(s, d, &i, JS_MAX_ELEMENTS, &n)) <= 0)
			how->elements = (size_t)n;
		else if (!strcmp(d->argv[i], "-s") && (r = shell_option(s, d, &i, JS_MAX_STRING, &n)) <= 0)
			how->chars = (size_t)n;
		else
			r = shell_refuse(s, "jsprint", d->argv[i]);
	}
	return r;
}

int dcmd_jsprint(struct shell *s, const struct dcall *d)
{
	_cleanup_(strb_free) struct strb b = { 0 };
	struct js_print how;
	struct js *js;
	uint64_t object;
	int r = shell_js(s, &js);

	if (r == 0)
		r = print_options(s, d, &how);
	if (r < 0)
		return r;
	object = shell_object(js, d->addr);
	if (!object)
		return err_set(&s->err, -EBADMSG, "no object of JavaScript begins at %" PRIx64, d->addr);
	if (s->json && !s->to) {
		struct jsonw w = jsonw_to(&s->text);

		if (js_is_receiver(js, js_type(js, object)))
			js_constructor(js, object, &b);
		jsonw_object(&w, NULL);
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
