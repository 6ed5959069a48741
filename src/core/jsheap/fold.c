/* SPDX-License-Identifier: Apache-2.0 */
/* Folds the objects of V8's heap by their chains of parents: makes the tree of names, and counts objects and bytes. */
#include "core/jsheap/fold.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/hash_try.h"

/* The name of objects that have a map. */
struct js_fold_label {
	UT_hash_handle hh;
	uint64_t map;
	const struct js_fold_name *name; /* NULL: part of what keeps it */
};

/* A text once, so that equal names have one number. */
struct js_fold_name {
	UT_hash_handle hh;
	uint32_t number;
	char text[];
};

/* Where the node of a name below another is. */
struct js_fold_place {
	UT_hash_handle hh;
	struct place {
		uint32_t up, name;
	} at;
	uint32_t node;
};

/* The one name with this text. */
static int intern(struct js_fold *f, const char *text, const struct js_fold_name **ret)
{
	const size_t n = strlen(text);
	struct js_fold_name *name;

	HASH_FIND(hh, f->names, text, n, name);
	*ret = name;
	if (name)
		return 0;
	name = calloc(1, sizeof(*name) + n + 1);
	if (!name)
		return -ENOMEM;
	name->number = HASH_COUNT(f->names);
	memcpy(name->text, text, n + 1);
	HASH_ADD(hh, f->names, text, n, name);
	if (!name->hh.tbl) {
		free(name);
		return -ENOMEM;
	}
	*ret = name;
	return 0;
}

/* The name of an object's frame. */
static int name_object(struct js_fold *f, uint64_t object, const struct js_fold_name **ret)
{
	const struct js *js = f->g->h->js;
	_cleanup_(strb_free) struct strb b = { 0 };
	const int type = js_type(js, object);

	*ret = NULL;
	if (js_is_function(js, type))
		strb_adds(&b, "Function");
	else if (js_is_receiver(js, type))
		js_constructor(js, object, &b);
	else if (js_is_string(js, type))
		strb_adds(&b, "string");
	else if (type >= js->o.type_context_first && type <= js->o.type_context_last)
		strb_adds(&b, "variables of closures");
	else if (type == js->o.type_cell)
		strb_adds(&b, "global variable");
	else
		return 0;
	if (!b.n)
		strb_adds(&b, "object without constructor");
	for (char *p = b.s; p && *p; p++) /* as folded stacks want it */
		*p = *p == ';' || (unsigned char)*p < ' ' ? '_' : *p;
	return b.failed ? -ENOMEM : intern(f, b.s, ret);
}

/* The same, once for each map. */
static int label_of(struct js_fold *f, uint32_t i, const struct js_fold_name **ret)
{
	const uint64_t object = js_graph_object(f->g, i);
	struct js_fold_label *label;
	uint64_t map = 0;
	int r;

	*ret = NULL;
	if (js_word(f->g->h->js, object, 0, &map) < 0)
		return 0;
	label = f->label; /* neighbours are often of one kind */
	if (!label || label->map != map)
		HASH_FIND(hh, f->labels, &map, sizeof(map), label);
	if (label) {
		*ret = label->name;
		f->label = label;
		return 0;
	}
	r = name_object(f, object, ret);
	label = r == 0 ? calloc(1, sizeof(*label)) : NULL;
	if (!label)
		return r < 0 ? r : -ENOMEM;
	label->map = map;
	label->name = *ret;
	HASH_ADD(hh, f->labels, map, sizeof(map), label);
	if (label->hh.tbl)
		return 0;
	free(label);
	return -ENOMEM;
}

static struct js_fold_place *place_of(const struct js_fold *f, uint32_t up, uint32_t name)
{
	const struct place at = { up, name };
	struct js_fold_place *p;

	HASH_FIND(hh, f->places, &at, sizeof(at), p);
	return p;
}

uint32_t js_fold_below(const struct js_fold *f, uint32_t up, const char *name)
{
	const struct js_fold_name *n;
	const struct js_fold_place *p = NULL;

	HASH_FIND_STR(f->names, name, n);
	if (n)
		p = place_of(f, up, n->number);
	return p ? p->node : JSFOLD_NONE;
}

static int add_node(struct js_fold *f, uint32_t up, const struct js_fold_name *name, uint32_t *ret)
{
	const struct js_fold_node n = { .up = up,
					.depth = up == JSFOLD_NONE ? 0 : f->nodes.v[up].depth + 1,
					.name = name->text };
	struct js_fold_place *p = calloc(1, sizeof(*p));

	if (!p || vec_try_push(&f->nodes, n) < 0) {
		free(p);
		return -ENOMEM;
	}
	p->at = (struct place){ up, name->number };
	p->node = *ret = (uint32_t)f->nodes.n - 1;
	HASH_ADD(hh, f->places, at, sizeof(p->at), p);
	if (p->hh.tbl)
		return 0;
	free(p);
	return -ENOMEM;
}

/* The node of that name below another, made where there is none. */
static int node_below(struct js_fold *f, uint32_t up, const struct js_fold_name *name, uint32_t *ret)
{
	const struct js_fold_place *p;

	*ret = up;
	if (up != JSFOLD_NONE &&
	    (!name || f->nodes.v[up].name == name->text || f->nodes.v[up].depth + 1 == JSFOLD_MAX_DEPTH))
		return 0;
	if (up != JSFOLD_NONE && f->nodes.v[up].last && f->nodes.v[f->nodes.v[up].last].name == name->text) {
		*ret = f->nodes.v[up].last;
		return 0;
	}
	p = place_of(f, up, name->number);
	if (p)
		*ret = p->node;
	if (p && up != JSFOLD_NONE)
		f->nodes.v[up].last = *ret;
	return p || f->nodes.n == JSFOLD_MAX_NODES ? 0 : add_node(f, up, name, ret);
}

static void take_object(struct js_fold_node *n, uint32_t i)
{
	n->sample = i;
	n->objects++;
}

/* Finds the node of an object: first those of all its dominators that have none yet. todo: room for all numbers. */
static int find_node(struct js_fold *f, uint32_t i, uint32_t *todo)
{
	uint32_t n = 0;
	int r = 0;

	for (; f->of[i] == JSFOLD_NONE && n < f->g->n; i = f->g->parent[i])
		todo[n++] = i;
	while (n && r == 0) {
		const struct js_fold_name *name;

		i = todo[--n];
		r = label_of(f, i, &name);
		if (r == 0)
			r = node_below(f, f->of[f->g->parent[i]], name, &f->of[i]);
		if (r == 0 && name && f->nodes.v[f->of[i]].name == name->text)
			take_object(&f->nodes.v[f->of[i]], i);
	}
	return r;
}

int js_fold_make(struct js_fold *f, struct js_graph *g)
{
	const uint32_t n = g->n;
	_cleanup_free_ uint32_t *todo = malloc(n * sizeof(*todo));
	const struct js_fold_name *roots;
	int r;

	f->g = g;
	f->of = malloc(n * sizeof(*f->of));
	if (!todo || !f->of)
		return -ENOMEM;
	memset(f->of, 0xff, n * sizeof(*f->of));
	r = intern(f, "roots", &roots);
	if (r == 0)
		r = node_below(f, JSFOLD_NONE, roots, &f->of[0]);
	for (uint32_t i = 1; i < n && r == 0; i++)
		r = find_node(f, i, todo);
	/* The own bytes of an object: all that it keeps, less all that those keep which it dominates. */
	for (uint32_t i = 0; i < n && r == 0; i++) {
		f->nodes.v[f->of[i]].bytes += (int64_t)js_graph_retained(f->g, i);
		if (i)
			f->nodes.v[f->of[f->g->parent[i]]].bytes -= (int64_t)js_graph_retained(f->g, i);
	}
	return r;
}

void js_fold_done(struct js_fold *f)
{
	struct js_fold_label *l, *next_label;
	struct js_fold_place *p, *next_place;
	struct js_fold_name *n, *next_name;

	HASH_ITER (hh, f->places, p, next_place) {
		HASH_DEL(f->places, p);
		free(p);
	}
	HASH_ITER (hh, f->labels, l, next_label) {
		HASH_DEL(f->labels, l);
		free(l);
	}
	HASH_ITER (hh, f->names, n, next_name) {
		HASH_DEL(f->names, n);
		free(n);
	}
	vec_free(&f->nodes);
	free(f->of);
}
