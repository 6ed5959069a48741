/* SPDX-License-Identifier: Apache-2.0 */
/* Writes what keeps memory as folded stacks, which `dwell flame` draws: ::jsfolded. A stack is the chain of an object's
 * dominators, by constructor. Equal names that follow each other (a linked list) are one frame, and what only V8 sees
 * is part of the object that keeps it. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "core/cmds.h"
#include "core/jsheap/graph.h"

#define MAX_NODES 1000000u /* frames of all stacks; what is deeper then counts for what keeps it */
#define MAX_DEPTH 64u	   /* frames of a stack; the same */
#define NONE UINT32_MAX

/* A frame below others. */
struct node {
	uint32_t up, depth, next; /* next: in the chain of its hash */
	char *name;
	int64_t bytes;
};

/* The name of objects that have a map. */
struct label {
	uint64_t map;
	char *name; /* NULL: part of what keeps it */
};

struct folding {
	struct js_graph *g;
	VEC(struct node) nodes;
	uint32_t *heads; /* hash table of nodes */
	uint32_t *of;	 /* of each number: its node, NONE: not known yet */
	struct label *labels;
	size_t nlabels;
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
static int label_of(struct folding *f, uint32_t i, const char **ret)
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

/* The frame of that name below another. */
static int node_below(struct folding *f, uint32_t up, const char *name, uint32_t *ret)
{
	uint64_t hash = up * 0x9e3779b97f4a7c15u;
	struct node n = { .up = up };

	*ret = up;
	if (up != NONE && (!name || !strcmp(f->nodes.v[up].name, name) || f->nodes.v[up].depth + 1 == MAX_DEPTH))
		return 0;
	for (const char *p = name; *p; p++)
		hash = (hash ^ (unsigned char)*p) * 0x100000001b3u;
	hash = (hash ^ hash >> 32) % HEADS;
	for (uint32_t i = f->heads[hash]; i != NONE; i = f->nodes.v[i].next) {
		if (f->nodes.v[i].up == up && !strcmp(f->nodes.v[i].name, name)) {
			*ret = i;
			return 0;
		}
	}
	if (f->nodes.n == MAX_NODES)
		return 0;
	n.depth = up == NONE ? 0 : f->nodes.v[up].depth + 1;
	n.next = f->heads[hash];
	n.name = strdup(name);
	if (!n.name || vec_try_push(&f->nodes, n) < 0) {
		free(n.name);
		return -ENOMEM;
	}
	*ret = f->heads[hash] = (uint32_t)f->nodes.n - 1;
	return 0;
}

/* Finds the node of an object: first those of all its dominators that have none yet. todo: room for all numbers. */
static int find_node(struct folding *f, uint32_t i, uint32_t *todo)
{
	uint32_t n = 0;
	int r = 0;

	for (; f->of[i] == NONE && n < f->g->n; i = f->g->parent[i])
		todo[n++] = i;
	while (n && r == 0) {
		const char *name;

		i = todo[--n];
		r = label_of(f, i, &name);
		if (r == 0)
			r = node_below(f, f->of[f->g->parent[i]], name, &f->of[i]);
	}
	return r;
}

static int fold(struct folding *f)
{
	const uint32_t n = f->g->n;
	_cleanup_free_ uint32_t *todo = malloc(n * sizeof(*todo));
	int r;

	f->of = malloc(n * sizeof(*f->of));
	f->heads = malloc(HEADS * sizeof(*f->heads));
	f->labels = calloc(LABELS, sizeof(*f->labels));
	if (!todo || !f->of || !f->heads || !f->labels)
		return -ENOMEM;
	memset(f->of, 0xff, n * sizeof(*f->of));
	memset(f->heads, 0xff, HEADS * sizeof(*f->heads));
	r = node_below(f, NONE, "roots", &f->of[0]);
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

static void show(struct shell *s, const struct folding *f, uint32_t i)
{
	const struct node *stack[MAX_DEPTH];
	const int64_t bytes = f->nodes.v[i].bytes;
	struct jsonw w = jsonw_to(&s->text);
	unsigned n = 0;

	for (; i != NONE && n < MAX_DEPTH; i = f->nodes.v[i].up)
		stack[n++] = &f->nodes.v[i];
	if (!s->json) {
		while (n--) {
			shell_plain(s, stack[n]->name);
			shell_print(s, n ? ";" : " %" PRId64 "\n", bytes);
		}
		return;
	}
	jsonw_object(&w, NULL);
	jsonw_array(&w, "stack");
	while (n--)
		jsonw_str(&w, NULL, stack[n]->name);
	jsonw_end_array(&w);
	jsonw_u64(&w, "bytes", (uint64_t)bytes);
	jsonw_end_object(&w);
	jsonw_line(&w);
}

int dcmd_jsfolded(struct shell *s, const struct dcall *d)
{
	struct folding f = { 0 };
	int r = d->argc ? shell_refuse(s, "jsfolded", d->argv[0]) : shell_graph(s, &f.g);

	if (r < 0)
		return r;
	r = fold(&f);
	for (uint32_t i = 0; i < f.nodes.n && r == 0 && s->error == 0; i++)
		if (f.nodes.v[i].bytes > 0)
			show(s, &f, i);
	for (size_t i = 0; i < f.nodes.n; i++)
		free(f.nodes.v[i].name);
	for (size_t i = 0; f.labels && i < LABELS; i++)
		free(f.labels[i].name);
	vec_free(&f.nodes);
	free(f.labels);
	free(f.heads);
	free(f.of);
	return r < 0 ? err_set(&s->err, r, "%s", strerror(-r)) : 0;
}
