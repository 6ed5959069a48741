/* SPDX-License-Identifier: Apache-2.0 */
/* Folds the objects of V8's heap by their chains of parents: makes the tree of names, and counts objects and bytes. */
#include "core/jsheap/fold.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"

/* The name of objects that have a map. */
struct js_fold_label {
	uint64_t map;
	char *name; /* NULL: part of what keeps it */
};

#define HEADS (1u << 18)
#define LABELS (1u << 18)

/* The name of an object's frame. */
static int name_object(const struct js *js, uint64_t object, char **ret)
{
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
	*ret = b.failed ? NULL : strdup(b.s);
	return *ret ? 0 : -ENOMEM;
}

/* The same, once for each map. */
static int label_of(struct js_fold *f, uint32_t i, const char **ret)
{
	const uint64_t object = js_graph_object(f->g, i);
	uint64_t map = 0;
	size_t k;
	int r;

	*ret = NULL;
	if (js_word(f->g->h->js, object, 0, &map) < 0)
		return 0;
	for (k = (size_t)(map * 0x9e3779b97f4a7c15u >> 40) % LABELS; f->labels[k].map; k = (k + 1) % LABELS) {
		if (f->labels[k].map == map) {
			*ret = f->labels[k].name;
			return 0;
		}
	}
	if (f->nlabels == LABELS / 2)
		return 0;
	r = name_object(f->g->h->js, object, &f->labels[k].name);
	f->labels[k].map = map;
	f->nlabels++;
	*ret = f->labels[k].name;
	return r;
}

static size_t hash_of(uint32_t up, const char *name)
{
	uint64_t hash = up * 0x9e3779b97f4a7c15u;

	for (const char *p = name; p && *p; p++)
		hash = (hash ^ (unsigned char)*p) * 0x100000001b3u;
	return (size_t)((hash ^ hash >> 32) % HEADS);
}

uint32_t js_fold_below(const struct js_fold *f, uint32_t up, const char *name)
{
	uint32_t i = f->heads[hash_of(up, name)];

	while (i != JSFOLD_NONE && (f->nodes.v[i].up != up || strcmp(f->nodes.v[i].name, name) != 0))
		i = f->nodes.v[i].next;
	return i;
}

/* The node of that name below another, made where there is none. */
static int node_below(struct js_fold *f, uint32_t up, const char *name, uint32_t *ret)
{
	const size_t hash = hash_of(up, name);
	struct js_fold_node n = { .up = up };

	*ret = up;
	if (up != JSFOLD_NONE &&
	    (!name || !strcmp(f->nodes.v[up].name, name) || f->nodes.v[up].depth + 1 == JSFOLD_MAX_DEPTH))
		return 0;
	*ret = js_fold_below(f, up, name);
	if (*ret != JSFOLD_NONE)
		return 0;
	*ret = up;
	if (f->nodes.n == JSFOLD_MAX_NODES)
		return 0;
	n.depth = up == JSFOLD_NONE ? 0 : f->nodes.v[up].depth + 1;
	n.next = f->heads[hash];
	n.name = strdup(name);
	if (!n.name || vec_try_push(&f->nodes, n) < 0) {
		free(n.name);
		return -ENOMEM;
	}
	*ret = f->heads[hash] = (uint32_t)f->nodes.n - 1;
	return 0;
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
		const char *name;

		i = todo[--n];
		r = label_of(f, i, &name);
		if (r == 0)
			r = node_below(f, f->of[f->g->parent[i]], name, &f->of[i]);
		if (r == 0 && name && !strcmp(f->nodes.v[f->of[i]].name, name))
			take_object(&f->nodes.v[f->of[i]], i);
	}
	return r;
}

int js_fold_make(struct js_fold *f, struct js_graph *g)
{
	const uint32_t n = g->n;
	_cleanup_free_ uint32_t *todo = malloc(n * sizeof(*todo));
	int r;

	f->g = g;
	f->of = malloc(n * sizeof(*f->of));
	f->heads = malloc(HEADS * sizeof(*f->heads));
	f->labels = calloc(LABELS, sizeof(*f->labels));
	if (!todo || !f->of || !f->heads || !f->labels)
		return -ENOMEM;
	memset(f->of, 0xff, n * sizeof(*f->of));
	memset(f->heads, 0xff, HEADS * sizeof(*f->heads));
	r = node_below(f, JSFOLD_NONE, "roots", &f->of[0]);
	for (uint32_t i = 1; i < n && r == 0; i++)
		r = find_node(f, i, todo);
	/* The own bytes of an object: all that it keeps, less all that those keep which it dominates. */
	for (uint32_t i = 0; i < n && r == 0; i++) {
		f->nodes.v[f->of[i]].bytes += (int64_t)f->g->retained[i];
		if (i)
			f->nodes.v[f->of[f->g->parent[i]]].bytes -= (int64_t)f->g->retained[i];
	}
	return r;
}

void js_fold_done(struct js_fold *f)
{
	for (size_t i = 0; i < f->nodes.n; i++)
		free(f->nodes.v[i].name);
	for (size_t i = 0; f->labels && i < LABELS; i++)
		free(f->labels[i].name);
	vec_free(&f->nodes);
	free(f->labels);
	free(f->heads);
	free(f->of);
}
