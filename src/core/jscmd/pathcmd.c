/* SPDX-License-Identifier: Apache-2.0 */
/* ::jspath: the way from a root to an object. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "core/cmds.h"
#include "core/jsheap/path.h"

int shell_heap_object(struct shell *s, const struct dcall *d, struct js_heap **h, uint64_t *ret)
{
	int r = shell_heap(s, h);

	if (r < 0)
		return r;
	*ret = shell_object((*h)->js, d->addr);
	if (!*ret)
		return err_set(&s->err, -EBADMSG, "no object of JavaScript begins at %" PRIx64, d->addr);
	return js_heap_alive(*h, *ret)
		       ? 0
		       : err_set(&s->err, -ENOENT, "nothing leads to the object at %" PRIx64 ": it is dead", d->addr);
}

/* An object's constructor, or what else it is. */
static void put_what(const struct js *js, uint64_t object, struct strb *b)
{
	const int type = js_type(js, object);

	if (js_is_receiver(js, type))
		js_constructor(js, object, b);
	if (!b->n)
		strb_adds(b, js_is_receiver(js, type)  ? "object"
			     : js_is_string(js, type)  ? "string"
			     : type == js->o.type_cell ? "global variable"
			     : type >= js->o.type_context_first && type <= js->o.type_context_last
				     ? "variables of closures"
				     : "V8's own");
}

/* An object with its constructor, and how it leads to the next one. w: as JSON. */
static void say_steps(struct shell *s, struct js_heap *h, const struct js_path *p, struct jsonw *w)
{
	for (size_t i = 0; i < p->v.n;) {
		_cleanup_(strb_free) struct strb step = { 0 }, what = { 0 };
		const size_t k = i + 1 < p->v.n ? js_path_step(h, p, i, false, &step) : 1;

		put_what(h->js, p->v.v[i], &what);
		if (w) {
			jsonw_object(w, NULL);
			jsonw_strf(w, "object", "%" PRIx64, p->v.v[i] - V8_TAG);
			jsonw_str(w, "what", strb_str(&what));
			jsonw_str(w, "step", strb_str(&step));
			jsonw_end_object(w);
			i += k;
			continue;
		}
		shell_print(s, "    %" PRIx64 " ", p->v.v[i] - V8_TAG);
		shell_plain(s, strb_str(&what));
		shell_print(s, " ");
		shell_plain(s, strb_str(&step));
		shell_print(s, "\n");
		i += k;
	}
}

static void json_path(struct shell *s, struct js_heap *h, uint64_t object, const struct js_path *p, const char *text,
		      const char *root)
{
	struct jsonw w = jsonw_to(&s->text);

	jsonw_object(&w, NULL);
	jsonw_strf(&w, "object", "%" PRIx64, object - V8_TAG);
	jsonw_str(&w, "path", text);
	if (*root)
		jsonw_str(&w, "root", root);
	jsonw_array(&w, "objects");
	for (size_t i = 0; i < p->v.n; i++)
		jsonw_strf(&w, NULL, "%" PRIx64, p->v.v[i] - V8_TAG);
	jsonw_end_array(&w);
	jsonw_array(&w, "steps");
	say_steps(s, h, p, &w);
	jsonw_end_array(&w);
	jsonw_end_object(&w);
	jsonw_line(&w);
}

static int say_path(struct shell *s, struct js_heap *h, uint64_t object, const struct js_path *p)
{
	_cleanup_(strb_free) struct strb text = { 0 }, root = { 0 };
	int r = js_path_text(h, p, false, &text);

	if (r == 0 && p->v.n && !p->global)
		r = js_path_root(h, p->v.v[0], &root);
	if (r < 0)
		return r;
	if (s->json) {
		json_path(s, h, object, p, strb_str(&text), strb_str(&root));
		return 0;
	}
	shell_print(s, "%" PRIx64 " ", object - V8_TAG);
	shell_plain(s, p->v.n	    ? strb_str(&text)
		       : p->gave_up ? "(no way within the objects that were looked at)"
				    : "(no way from a root: it may lead to itself alone)");
	shell_print(s, "\n");
	if (root.n) {
		shell_print(s, "    root: ");
		shell_plain(s, strb_str(&root));
		shell_print(s, "\n");
	}
	say_steps(s, h, p, NULL);
	return 0;
}

int dcmd_jspath(struct shell *s, const struct dcall *d)
{
	struct js_path p = { .global = false };
	struct js_heap *h;
	uint64_t object = 0;
	int r = d->argc ? shell_refuse(s, "jspath", d->argv[0]) : shell_heap_object(s, d, &h, &object);

	if (r == 0)
		r = js_path_find(h, object, &p);
	if (r == 0 && s->to)
		for (size_t i = 0; i < p.v.n && r == 0; i++)
			r = shell_emit(s, p.v.v[i] - V8_TAG);
	else if (r == 0)
		r = say_path(s, h, object, &p);
	js_path_done(&p);
	return r;
}

/* -- ::jsroots -- */

struct roots {
	struct shell *s;
	struct js_heap *h;
	uint64_t object;
	size_t n;
};

static int say_root(void *ctx, uint64_t addr)
{
	struct roots *x = ctx;
	_cleanup_(strb_free) struct strb text = { 0 };

	x->n++;
	if (x->s->to)
		return shell_emit(x->s, addr);
	js_root_text(x->h, addr, &text);
	if (x->s->json) {
		struct jsonw w = jsonw_to(&x->s->text);

		jsonw_object(&w, NULL);
		jsonw_strf(&w, "object", "%" PRIx64, x->object - V8_TAG);
		jsonw_strf(&w, "address", "%" PRIx64, addr);
		jsonw_str(&w, "root", strb_str(&text));
		jsonw_end_object(&w);
		jsonw_line(&w);
		return 0;
	}
	shell_print(x->s, "%" PRIx64 " referred to by ", x->object - V8_TAG);
	shell_plain(x->s, strb_str(&text));
	shell_print(x->s, "\n");
	return 0;
}

int dcmd_jsroots(struct shell *s, const struct dcall *d)
{
	struct roots x = { .s = s };
	int r = d->argc ? shell_refuse(s, "jsroots", d->argv[0]) : shell_heap_object(s, d, &x.h, &x.object);

	if (r == 0)
		r = js_heap_roots(x.h, x.object, say_root, &x);
	if (r == 0 && !x.n && !s->to && !s->json)
		shell_print(s, "%" PRIx64 " is referred to by nothing outside of V8's heap\n", x.object - V8_TAG);
	return r;
}
