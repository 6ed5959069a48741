/* SPDX-License-Identifier: Apache-2.0 */
/* The commands ::findjsobjects and ::jsfunctions: list the objects in V8's heap, in groups. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/walk.h"
#include "core/cmds.h"
#include "core/jscmd/find.h"
#include "core/jsheap/group.h"
#include "core/jscmd/growth.h"
#include "core/jsheap/heap.h"
#include "core/jsheap/refs.h"

/* -- the table -- */

static int by_bytes(const void *a, const void *b, void *groups)
{
	const struct js_group *v = groups, *x = &v[*(const size_t *)a], *y = &v[*(const size_t *)b];

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return js_group_compare(x, y);
}

static void say_group(struct shell *s, const struct js_group *x)
{
	if (s->json) {
		struct jsonw w = jsonw_to(&s->text);

		jsonw_object(&w, NULL);
		jsonw_strf(&w, "object", "%" PRIx64, x->first - V8_TAG);
		jsonw_u64(&w, "count", x->n);
		jsonw_u64(&w, "bytes", x->bytes);
		jsonw_u64(&w, "properties", x->properties);
		jsonw_str(&w, "constructor", x->constructor);
		jsonw_str(&w, "names", x->names);
		jsonw_end_object(&w);
		jsonw_line(&w);
		return;
	}
	shell_print(s, "%12" PRIx64 " %8zu %10" PRIu64 " %6zu ", x->first - V8_TAG, x->n, x->bytes, x->properties);
	js_group_text(s, x);
}

static int say_table(struct shell *s, struct js_groups *g)
{
	_cleanup_free_ size_t *order = malloc((g->v.n + 1) * sizeof(*order));
	size_t n = 0;
	int r = 0;

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < g->v.n; i++)
		if (g->v.v[i].into == i && g->v.v[i].wanted)
			order[n++] = i;
	if (n)
		qsort_r(order, n, sizeof(*order), by_bytes, g->v.v);
	if (!s->json)
		shell_print(s, "%12s %8s %10s %6s %s\n", "OBJECT", "#OBJECTS", "BYTES", "#PROPS",
			    "CONSTRUCTOR: PROPERTIES");
	for (size_t i = 0; i < n && r == 0; i++) {
		if (!s->to)
			say_group(s, &g->v.v[order[i]]);
		r = shell_emit(s, g->v.v[order[i]].first - V8_TAG);
	}
	if (g->h->maps_left_out && !s->json)
		shell_print(s, "more than %u maps: objects are left out\n", JSHEAP_MAX_MAPS);
	return r;
}

struct listing {
	struct shell *s;
	const struct js_groups *g;
	uint64_t left; /* objects that may still be listed */
};

static int list_one(void *ctx, const struct js_object *o)
{
	struct listing *l = ctx;

	if (!o->m->group || !l->g->v.v[l->g->v.v[o->m->group - 1].into].wanted)
		return 0;
	return l->left-- ? shell_address(l->s, o->object - V8_TAG) : WALK_END;
}

/* -- ::findjsobjects -- */

struct wants {
	const char *constructor, *property, *since;
	bool refs;
	uint64_t rows; /* objects, references */
};

static int read_wants(struct shell *s, const struct dcall *d, struct wants *w)
{
	int r = 0;

	for (int i = 0; i < d->argc && r == 0; i++) {
		if (!strcmp(d->argv[i], "-r"))
			w->refs = true;
		else if (!strcmp(d->argv[i], "-c") && i + 1 < d->argc)
			w->constructor = d->argv[++i];
		else if (!strcmp(d->argv[i], "-p") && i + 1 < d->argc)
			w->property = d->argv[++i];
		else if (!strcmp(d->argv[i], "-s") && i + 1 < d->argc)
			w->since = d->argv[++i];
		else if (!strcmp(d->argv[i], "-n"))
			r = shell_option(s, d, &i, UINT64_MAX, &w->rows);
		else
			r = shell_refuse(s, "findjsobjects", d->argv[i]);
	}
	if (r == 0 && w->refs && !d->has_addr)
		return err_set(&s->err, -EINVAL, "-r wants an address: ADDRESS::findjsobjects -r");
	if (r == 0 && d->has_addr && (w->constructor || w->property))
		return err_set(&s->err, -EINVAL, "either an address, or -c and -p");
	if (r == 0 && w->since && (d->has_addr || w->refs))
		return err_set(&s->err, -EINVAL, "-s compares all objects, or those of -c and -p");
	return r;
}

static void choose(struct js_groups *g, const struct wants *w, uint64_t like)
{
	uint64_t value, map = 0;
	size_t into = SIZE_MAX;

	if (like && js_word(g->h->js, like, 0, &map) == 0)
		for (size_t i = 0; i < g->v.n; i++)
			if (g->v.v[i].map == map)
				into = g->v.v[i].into;
	for (size_t i = 0; i < g->v.n; i++) {
		struct js_group *x = &g->v.v[i];

		x->wanted = like ? i == into
				 : (!w->constructor || !strcmp(x->constructor, w->constructor)) &&
					    (!w->property || js_own(g->h->js, x->first, w->property, &value) == 0);
	}
}

int dcmd_findjsobjects(struct shell *s, const struct dcall *d)
{
	struct wants w = { .rows = UINT64_MAX };
	struct js_groups g = { 0 };
	uint64_t like = 0;
	int r = read_wants(s, d, &w);

	if (r == 0)
		r = shell_heap(s, &g.h);
	if (r < 0)
		return r;
	if (d->has_addr) {
		like = shell_object(g.h->js, d->addr);
		if (!like)
			return err_set(&s->err, -EBADMSG, "no object of JavaScript begins at %" PRIx64, d->addr);
	}
	if (w.refs)
		return js_refs(s, g.h, like, w.rows);
	r = js_groups_make(&g);
	if (r == 0)
		choose(&g, &w, like);
	if (r == 0 && w.since) {
		r = js_growth(s, &g, w.since);
	} else if (r == 0 && (like || (s->to && (w.constructor || w.property)))) {
		struct listing l = { s, &g, w.rows };

		r = walk_ended(js_heap_each(g.h, list_one, &l));
	} else if (r == 0) {
		r = say_table(s, &g);
	}
	js_groups_done(&g);
	return r;
}

void js_names(struct shell *s, bool properties, void (*fn)(void *ctx, const char *name), void *ctx)
{
	struct js_groups g = { 0 };

	if (shell_heap(s, &g.h) == 0 && js_groups_make(&g) == 0) {
		for (size_t i = 0; i < g.v.n; i++) {
			char *rest = g.v.v[i].names, *name;

			if (!properties)
				fn(ctx, g.v.v[i].constructor);
			while (properties && (name = strsep(&rest, ",")))
				fn(ctx, name + (*name == ' '));
		}
	}
	js_groups_done(&g);
	err_done(&s->err); /* nobody asked */
}

/* -- ::jsfunctions -- */

struct function {
	uint64_t shared, first;
	size_t n;
};

struct functions {
	struct js_heap *h;
	VEC(struct function) v;
};

static int add_function(void *ctx, const struct js_object *o)
{
	struct functions *f = ctx;
	uint64_t shared;

	if (!js_is_function(f->h->js, o->type) ||
	    js_word(f->h->js, o->object, f->h->js->l.function_shared, &shared) < 0)
		return 0;
	return vec_try_push(&f->v, ((struct function){ shared, o->object, 1 }));
}

static int by_shared(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->shared != y->shared)
		return x->shared < y->shared ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

static int by_count(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	return x->n != y->n ? (x->n < y->n ? 1 : -1) : by_shared(a, b);
}

static void add_up(struct functions *f)
{
	size_t n = 0;

	if (f->v.n)
		qsort(f->v.v, f->v.n, sizeof(*f->v.v), by_shared);
	for (size_t i = 0; i < f->v.n; i++) {
		if (n && f->v.v[n - 1].shared == f->v.v[i].shared)
			f->v.v[n - 1].n++;
		else
			f->v.v[n++] = f->v.v[i];
	}
	f->v.n = n;
	if (n)
		qsort(f->v.v, n, sizeof(*f->v.v), by_count);
}

static int say_function(struct shell *s, const struct js *js, const struct function *f, const char *name)
{
	_cleanup_(strb_free) struct strb own = { 0 };
	char text[RT_MAX_TEXT];

	js_function_name(js, f->first, &own);
	if (name && strcmp(name, strb_str(&own)) != 0)
		return 0;
	if (s->to)
		return shell_emit(s, f->first - V8_TAG);
	js_frame_text(js, V8_FRAME(f->shared, V8_AT_MAX), text);
	if (s->json) {
		struct jsonw w = jsonw_to(&s->text);

		jsonw_object(&w, NULL);
		jsonw_strf(&w, "function", "%" PRIx64, f->first - V8_TAG);
		jsonw_u64(&w, "closures", f->n);
		jsonw_str(&w, "name", strb_str(&own));
		jsonw_str(&w, "text", text);
		jsonw_end_object(&w);
		jsonw_line(&w);
	} else {
		shell_print(s, "%12" PRIx64 " %8zu %s\n", f->first - V8_TAG, f->n, text);
	}
	return 0;
}

int dcmd_jsfunctions(struct shell *s, const struct dcall *d)
{
	const char *name = d->argc == 2 && !strcmp(d->argv[0], "-c") ? d->argv[1] : NULL;
	struct functions f = { 0 };
	int r = 0;

	if (d->argc && !name)
		return shell_refuse(s, "jsfunctions", d->argv[0]);
	r = shell_heap(s, &f.h);
	if (r == 0)
		r = js_heap_each(f.h, add_function, &f);
	if (r == 0)
		add_up(&f);
	if (r == 0 && !s->json)
		shell_print(s, "%12s %8s %s\n", "FUNCTION", "CLOSURES", "NAME AND PLACE");
	for (size_t i = 0; i < f.v.n && r == 0; i++)
		r = say_function(s, f.h->js, &f.v.v[i], name);
	vec_free(&f.v);
	return r;
}
