/* SPDX-License-Identifier: Apache-2.0 */
/* Groups the objects in V8's heap by constructor and names of properties. */
#include "core/jsheap/group.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/plain.h"

#define MAX_NAMES 1000u /* characters of the names of properties by which objects are told apart */
#define SHOWN 60u	/* of them that are shown */

void js_groups_done(struct js_groups *g)
{
	for (size_t i = 0; i < g->v.n; i++) {
		free(g->v.v[i].constructor);
		free(g->v.v[i].names);
	}
	vec_free(&g->v);
}

/* A group of each map that objects of programs have. */
static int count(struct js_groups *g)
{
	for (size_t i = 0; i < g->h->nmaps; i++) {
		struct js_map_info *m = js_heap_map(g->h, i);

		m->group = 0;
		if (!m->first || !js_is_receiver(g->h->js, m->type))
			continue;
		if (vec_try_push(&g->v, ((struct js_group){
						.first = m->first, .map = m->map, .n = m->n, .bytes = m->bytes })) < 0)
			return -ENOMEM;
		m->group = (uint32_t)g->v.n;
	}
	return 0;
}

struct naming {
	const struct js *js;
	struct strb *b;
	size_t n;
};

static int add_name(void *ctx, const struct js_prop *p)
{
	struct naming *a = ctx;

	if (!p->key || p->hidden)
		return 0;
	a->n++;
	if (a->b->n >= MAX_NAMES || !js_is_string(a->js, js_type(a->js, p->key)))
		return 0;
	strb_adds(a->b, a->b->n ? ", " : "");
	return js_string_text(a->js, p->key, V8_MAX_NAME, a->b, NULL);
}

/* Describes a group by its first object: all objects of a map have the same constructor and names. */
static int describe(struct js_groups *g, struct js_group *x)
{
	struct strb constructor = { 0 }, names = { 0 };
	struct naming a = { g->h->js, &names, 0 };

	js_constructor(g->h->js, x->first, &constructor); /* what cannot be read is left out */
	js_properties(g->h->js, x->first, add_name, &a);
	x->properties = a.n;
	x->constructor = strb_take(&constructor);
	x->names = strb_take(&names);
	return x->constructor && x->names ? 0 : -ENOMEM;
}

int js_group_compare(const struct js_group *x, const struct js_group *y)
{
	int d = strcmp(x->constructor, y->constructor);

	return d ? d : strcmp(x->names, y->names);
}

static int by_text(const void *a, const void *b, void *groups)
{
	const struct js_group *v = groups, *x = &v[*(const size_t *)a], *y = &v[*(const size_t *)b];
	int d = js_group_compare(x, y);

	return d ? d : x->first < y->first ? -1 : x->first > y->first;
}

/* Adds up groups that look the same. */
static int merge(struct js_groups *g)
{
	_cleanup_free_ size_t *order = malloc((g->v.n + 1) * sizeof(*order));
	struct js_group *v = g->v.v;
	size_t last = 0;

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < g->v.n; i++)
		order[i] = i;
	if (g->v.n)
		qsort_r(order, g->v.n, sizeof(*order), by_text, v);
	for (size_t i = 0; i < g->v.n; i++) {
		struct js_group *x = &v[order[i]];

		x->into = order[i];
		if (i && js_group_compare(&v[last], x) == 0) {
			x->into = last;
			v[last].n += x->n;
			v[last].bytes += x->bytes;
		} else {
			last = order[i];
		}
	}
	return 0;
}

int js_groups_make(struct js_groups *g)
{
	int r = count(g);

	for (size_t i = 0; i < g->v.n && r == 0; i++)
		r = describe(g, &g->v.v[i]);
	return r == 0 ? merge(g) : r;
}

void js_group_text(struct shell *s, const struct js_group *x)
{
	shell_plain(s, *x->constructor ? x->constructor : "<no constructor>");
	if (*x->names) {
		shell_print(s, ": ");
		if (!s->to)
			plain_part(&s->text, x->names, strnlen(x->names, SHOWN), false, true);
		shell_print(s, "%s", strlen(x->names) > SHOWN ? "..." : "");
	}
	shell_print(s, "\n");
}
