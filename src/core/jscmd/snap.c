/* SPDX-License-Identifier: Apache-2.0 */
/* ::heapsnapshot: writes what is alive in V8's heap as a heap snapshot, the format that Chromium's DevTools read.
 * Source: src/profiler/heap-snapshot-generator.cc of V8 (HeapSnapshotJSONSerializer). */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/hash_try.h"
#include "core/cmds.h"
#include "core/jsheap/edge.h"
#include "core/jsheap/graph.h"

#define NODE_FIELDS 7
#define MAX_TEXT 1024u			/* units of a string, as V8 cuts them */
#define NO_COUNT "                   0" /* COUNT_LEN bytes */
#define COUNT_LEN 20
#define FLUSH (1u << 20) /* bytes of JSON that wait to be written */

/* Types of nodes and edges by their number in the format. */
static const char *const node_types[] = { "hidden",
					  "array",
					  "string",
					  "object",
					  "code",
					  "closure",
					  "regexp",
					  "number",
					  "native",
					  "synthetic",
					  "concatenated string",
					  "sliced string",
					  "symbol",
					  "bigint",
					  "object shape" };
enum { NODE_HIDDEN = 0, NODE_STRING = 2, NODE_OBJECT = 3, NODE_CLOSURE = 5, NODE_SYNTHETIC = 9 };
static const char *const edge_types[] = { "context", "element", "property", "internal", "hidden", "shortcut", "weak" };
enum { EDGE_CONTEXT = 0, EDGE_ELEMENT = 1, EDGE_PROPERTY = 2, EDGE_INTERNAL = 3, EDGE_HIDDEN = 4 };

struct edge {
	uint32_t type, to;
	uint64_t name; /* of elements and hidden ones their index, of others the number of a string */
};

/* A text has a number, the same wherever it stands. */
struct text {
	uint32_t number;
	UT_hash_handle hh;
	char s[];
};

/* The value of an entry of a WeakMap is kept by its key. */
struct pair {
	uint32_t key, value;
};

struct snap {
	struct js_graph *g;
	FILE *out;
	int error;
	struct strb json;
	struct jsonw w;
	struct text *texts;
	VEC(const struct text *) strings; /* by number */
	VEC(struct edge) edges;		  /* of one object */
	VEC(struct pair) pairs;		  /* by key */
	uint64_t nedges;
	long count_at;	 /* where that is in the file */
	bool counts;	 /* the pass that writes the nodes; else it is that of the edges */
	uint32_t number; /* of the object that is looked at */
	size_t named;	 /* its edges that programs see */
};

static void flush(struct snap *s, size_t at_least)
{
	if (s->json.n < at_least)
		return;
	if (s->json.failed)
		s->error = s->error ? s->error : -ENOMEM;
	if (!s->error && fwrite(strb_str(&s->json), 1, s->json.n, s->out) != s->json.n)
		s->error = -errno;
	strb_reset(&s->json);
}

/* The number of a text; 0 is "". */
static uint32_t number_of(struct snap *s, const char *str)
{
	struct text *t;

	HASH_FIND_STR(s->texts, str, t);
	if (t)
		return t->number;
	t = malloc(sizeof(*t) + strlen(str) + 1);
	if (t) {
		strcpy(t->s, str);
		t->number = (uint32_t)s->strings.n;
		HASH_ADD_STR(s->texts, s, t);
		if (t->hh.tbl && vec_try_push(&s->strings, t) == 0)
			return t->number;
	}
	s->error = -ENOMEM;
	return 0;
}

/* -- edges -- */

static int add(struct snap *s, unsigned type, uint64_t name, uint32_t to)
{
	const struct edge e = { type, to, name };

	return vec_try_push(&s->edges, e);
}

static int on_edge(void *ctx, const struct js_edge *e)
{
	struct snap *s = ctx;
	const uint32_t to = js_graph_number(s->g, e->value);

	if (!to)
		return 0;
	switch (e->kind) {
	case JS_EDGE_ELEMENT: return add(s, EDGE_ELEMENT, e->index, to);
	case JS_EDGE_KEY:
	case JS_EDGE_VALUE:
	case JS_EDGE_ENTRY: return add(s, EDGE_INTERNAL, number_of(s, js_edge_word(e->kind)), to);
	case JS_EDGE_VARIABLE: return add(s, EDGE_CONTEXT, number_of(s, e->name ? e->name : ""), to);
	case JS_EDGE_INTERNAL: return 0;
	default: return e->name ? add(s, EDGE_PROPERTY, number_of(s, e->name), to) : add(s, EDGE_ELEMENT, e->index, to);
	}
}

static bool is_named(const struct snap *s, uint32_t to)
{
	for (size_t i = 0; i < s->named; i++)
		if (s->edges.v[i].to == to)
			return true;
	return false;
}

/* Adds the references that programs do not see. */
static int on_ref(void *ctx, uint32_t from, uint32_t to, uint64_t at)
{
	struct snap *s = ctx;

	return from == s->number && !is_named(s, to) ? add(s, EDGE_HIDDEN, at / 8, to) : 0;
}

static int on_pair(void *ctx, uint32_t from, uint32_t to, uint64_t at)
{
	struct snap *s = ctx;
	const struct pair p = { from, to };

	(void)at;
	return from != s->number ? vec_try_push(&s->pairs, p) : 0;
}

static int by_key(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	return x->key < y->key ? -1 : x->key > y->key;
}

static int add_pairs(struct snap *s, uint32_t key)
{
	size_t lo = 0, hi = s->pairs.n;
	int r = 0;

	while (lo < hi) {
		const size_t mid = lo + (hi - lo) / 2;

		if (s->pairs.v[mid].key < key)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < s->pairs.n && s->pairs.v[lo].key == key && r == 0; lo++)
		r = add(s, EDGE_INTERNAL, number_of(s, "value of a WeakMap"), s->pairs.v[lo].value);
	return r;
}

/* All edges of an object: those that programs see, then the others. */
static int edges_of(struct snap *s, const struct js_object *o)
{
	int r = 0;

	s->edges.n = 0;
	if (js_edge_known(s->g->h->js, o->type))
		r = js_edges(s->g->h, o->object, 0, on_edge, s);
	s->named = s->edges.n;
	if (r == 0)
		r = js_graph_refs(s->g, o, on_ref, s);
	return r ? r : add_pairs(s, s->number);
}

/* -- nodes -- */

/* The type of a node, and its name. */
static unsigned describe(struct snap *s, const struct js_object *o, struct strb *name)
{
	const struct js *js = s->g->h->js;
	uint64_t all;

	if (js_is_function(js, o->type)) {
		js_function_name(js, o->object, name);
		return NODE_CLOSURE;
	}
	if (js_is_receiver(js, o->type)) {
		js_constructor(js, o->object, name);
		return NODE_OBJECT;
	}
	if (js_is_string(js, o->type)) {
		js_string_text(js, o->object, MAX_TEXT, name, &all);
		return NODE_STRING;
	}
	if (o->type >= js->o.type_context_first && o->type <= js->o.type_context_last) {
		strb_adds(name, "system / Context");
		return NODE_OBJECT;
	}
	strb_adds(name, "system");
	return NODE_HIDDEN;
}

static void put_node(struct snap *s, unsigned type, uint32_t name, uint32_t number, uint64_t size)
{
	const uint64_t fields[NODE_FIELDS] = { type, name, 2ull * number + 1, size, s->edges.n, 0, 0 };

	for (unsigned i = 0; i < NODE_FIELDS; i++)
		jsonw_u64(&s->w, NULL, fields[i]);
	s->nedges += s->edges.n;
	flush(s, FLUSH);
}

static void put_edges(struct snap *s)
{
	for (size_t i = 0; i < s->edges.n; i++) {
		jsonw_u64(&s->w, NULL, s->edges.v[i].type);
		jsonw_u64(&s->w, NULL, s->edges.v[i].name);
		jsonw_u64(&s->w, NULL, (uint64_t)s->edges.v[i].to * NODE_FIELDS);
	}
	flush(s, FLUSH);
}

static int on_object(void *ctx, const struct js_object *o)
{
	struct snap *s = ctx;
	struct strb name = { 0 };
	unsigned type;
	int r;

	s->number = js_graph_number(s->g, o->object);
	r = edges_of(s, o);
	if (r == 0 && s->counts) {
		type = describe(s, o, &name);
		put_node(s, type, number_of(s, strb_str(&name)), s->number, js_graph_own(s->g, o));
	} else if (r == 0) {
		put_edges(s);
	}
	strb_free(&name);
	return r ? r : s->error;
}

static int find_pairs(void *ctx, const struct js_object *o)
{
	struct snap *s = ctx;

	s->number = js_graph_number(s->g, o->object);
	return o->type == s->g->h->js->o.type_ephemerons ? js_graph_refs(s->g, o, on_pair, s) : 0;
}

static int on_root(void *ctx, const struct js_object *o)
{
	struct snap *s = ctx;

	return js_heap_rooted(s->g->h, o->object) ? add(s, EDGE_ELEMENT, s->edges.n, js_graph_number(s->g, o->object))
						  : 0;
}

/* One pass: the root, then all objects by their numbers. */
static int pass(struct snap *s, const char *name, bool counts)
{
	int r;

	s->counts = counts;
	s->edges.n = 0;
	jsonw_array(&s->w, name);
	r = js_heap_each(s->g->h, on_root, s);
	if (r == 0 && counts)
		put_node(s, NODE_SYNTHETIC, number_of(s, "(roots)"), 0, 0);
	else if (r == 0)
		put_edges(s);
	if (r == 0)
		r = js_heap_each(s->g->h, on_object, s);
	jsonw_end_array(&s->w);
	return r ? r : s->error;
}

/* -- the file -- */

static void put_types(struct jsonw *w, const char *name, const char *const *types, size_t n, const char *const *rest,
		      size_t nrest)
{
	jsonw_array(w, name);
	jsonw_array(w, NULL);
	for (size_t i = 0; i < n; i++)
		jsonw_str(w, NULL, types[i]);
	jsonw_end_array(w);
	for (size_t i = 0; i < nrest; i++)
		jsonw_str(w, NULL, rest[i]);
	jsonw_end_array(w);
}

static void put_words(struct jsonw *w, const char *name, const char *const *words, size_t n)
{
	jsonw_array(w, name);
	for (size_t i = 0; i < n; i++)
		jsonw_str(w, NULL, words[i]);
	jsonw_end_array(w);
}

/* The number of edges is known at the end: room is left for it, as JSON lets a number have blanks before it. */
static void put_head(struct snap *s)
{
	static const char *const nodes[] = { "type",	   "name",	    "id",	   "self_size",
					     "edge_count", "trace_node_id", "detachedness" };
	static const char *const of_nodes[] = { "string", "number", "number", "number", "number", "number" };
	static const char *const edges[] = { "type", "name_or_index", "to_node" };
	static const char *const of_edges[] = { "string_or_number", "node" };
	static const char *const places[] = { "object_index", "script_id", "line", "column" };
	struct jsonw *w = &s->w;

	jsonw_object(w, NULL);
	jsonw_object(w, "snapshot");
	jsonw_object(w, "meta");
	put_words(w, "node_fields", nodes, ARRAY_SIZE(nodes));
	put_types(w, "node_types", node_types, ARRAY_SIZE(node_types), of_nodes, ARRAY_SIZE(of_nodes));
	put_words(w, "edge_fields", edges, ARRAY_SIZE(edges));
	put_types(w, "edge_types", edge_types, ARRAY_SIZE(edge_types), of_edges, ARRAY_SIZE(of_edges));
	put_words(w, "trace_function_info_fields", NULL, 0);
	put_words(w, "trace_node_fields", NULL, 0);
	put_words(w, "sample_fields", NULL, 0);
	put_words(w, "location_fields", places, ARRAY_SIZE(places));
	jsonw_end_object(w);
	jsonw_u64(w, "node_count", s->g->n);
	jsonw_raw(w, "edge_count", NO_COUNT, COUNT_LEN);
	s->count_at = (long)s->json.n - COUNT_LEN;
	jsonw_u64(w, "trace_function_count", 0);
	jsonw_end_object(w);
}

static int write_all(struct snap *s)
{
	static const char *const empty[] = { "trace_function_infos", "trace_tree", "samples", "locations" };
	int r;

	r = js_heap_each(s->g->h, find_pairs, s);
	if (r == 0 && s->pairs.n)
		qsort(s->pairs.v, s->pairs.n, sizeof(*s->pairs.v), by_key);
	number_of(s, "");
	put_head(s);
	if (r == 0)
		r = pass(s, "nodes", true);
	if (r == 0)
		r = pass(s, "edges", false);
	for (size_t i = 0; i < ARRAY_SIZE(empty); i++)
		put_words(&s->w, empty[i], NULL, 0);
	jsonw_array(&s->w, "strings");
	for (size_t i = 0; i < s->strings.n && r == 0; i++) {
		jsonw_str(&s->w, NULL, s->strings.v[i]->s);
		flush(s, FLUSH);
	}
	jsonw_end_array(&s->w);
	jsonw_end_object(&s->w);
	flush(s, 0);
	r = r ? r : s->error;
	if (r == 0 &&
	    (fseek(s->out, s->count_at, SEEK_SET) < 0 || fprintf(s->out, "%*" PRIu64, COUNT_LEN, s->nedges) < 0))
		r = -errno;
	return r;
}

static void snap_done(struct snap *s)
{
	HASH_CLEAR(hh, s->texts);
	for (size_t i = 0; i < s->strings.n; i++)
		free((struct text *)s->strings.v[i]);
	vec_free(&s->strings);
	vec_free(&s->edges);
	vec_free(&s->pairs);
	strb_free(&s->json);
}

static void say_written(struct shell *s, const struct snap *n, const char *file)
{
	struct jsonw w = jsonw_to(&s->text);

	if (!s->json) {
		shell_print(s, "wrote %s (%" PRIu32 " objects, %" PRIu64 " references)\n", file, n->g->n - 1,
			    n->nedges);
		return;
	}
	jsonw_object(&w, NULL);
	jsonw_str(&w, "written", file);
	jsonw_u64(&w, "objects", n->g->n - 1);
	jsonw_u64(&w, "references", n->nedges);
	jsonw_end_object(&w);
	jsonw_line(&w);
}

int dcmd_heapsnapshot(struct shell *s, const struct dcall *d)
{
	struct snap n = { 0 };
	int r, fd;

	if (d->argc != 1)
		return err_set(&s->err, -EINVAL, "::heapsnapshot wants the name of a file (::help heapsnapshot)");
	r = shell_graph(s, &n.g);
	if (r < 0)
		return r;
	fd = open(d->argv[0], O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
	n.out = fd < 0 ? NULL : fdopen(fd, "w");
	if (!n.out)
		return err_set(&s->err, -errno, "%s cannot be written: %s", d->argv[0], strerror(errno));
	n.w = jsonw_to(&n.json);
	r = write_all(&n);
	if (fclose(n.out) != 0 && r == 0)
		r = -errno;
	if (r < 0) {
		unlink(d->argv[0]);
		err_set(&s->err, r, "%s cannot be written: %s", d->argv[0], strerror(-r));
	} else {
		say_written(s, &n, d->argv[0]);
	}
	snap_done(&n);
	return r;
}
