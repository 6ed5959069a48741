/* SPDX-License-Identifier: Apache-2.0 */
/* The commands ::jsretained and ::jsdominators: how much memory an object keeps alive, and what keeps the object. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "core/cmds.h"
#include "core/jsheap/graph.h"
#include "core/jscmd/keepers.h"
#include "core/jsheap/path.h"

#define ROWS 20u /* that are shown, unless -n says how many */
#define MAX_ROWS 100000u

int shell_graph(struct shell *s, struct js_graph **ret)
{
	struct js_heap *h;
	int r = shell_heap(s, &h);

	if (r < 0)
		return r;
	if (s->core->live && !s->core->stopped)
		return err_set(&s->err, -EINVAL,
			       "the process runs, and its references change meanwhile: leave --no-stop out");
	if (!s->graph)
		r = js_graph_open(h, &s->graph);
	if (r == 0)
		r = js_graph_dominate(s->graph);
	if (r == -E2BIG)
		return err_set(&s->err, r, "there are more than %u objects, or references between them", JSGRAPH_MAX);
	*ret = s->graph;
	return r;
}

/* Describes an object in a few words. */
static void describe(const struct js *js, uint64_t object, struct strb *b)
{
	const int type = js_type(js, object);
	const size_t before = b->n;

	if (js_is_function(js, type)) {
		strb_adds(b, "Function ");
		js_function_name(js, object, b);
	} else if (js_is_receiver(js, type)) {
		js_constructor(js, object, b);
	} else if (js_is_string(js, type)) {
		strb_adds(b, "string");
	} else if (type >= js->o.type_context_first && type <= js->o.type_context_last) {
		strb_adds(b, "variables of closures");
	} else if (type == js->o.type_cell) {
		strb_adds(b, "global variable");
	} else {
		strb_adds(b, "V8's own");
	}
	if (b->n == before)
		strb_adds(b, "object without constructor");
}

/* Prints the columns before the last one. */
static void say_columns(struct shell *s, const char *object, const char *retained, const char *bytes)
{
	shell_print(s, "%12s %12s %10s ", object, retained, bytes);
}

#define NUMBER 24 /* of a column's text */

static int say_row(struct shell *s, const struct js_graph *g, uint32_t i)
{
	_cleanup_(strb_free) struct strb what = { 0 };
	char place[NUMBER], retained[NUMBER], bytes[NUMBER];
	uint64_t object;
	struct js_extent e = { 0 };

	if (i == 0) {
		if (s->json)
			return 0;
		snprintf(retained, sizeof(retained), "%" PRIu64, js_graph_retained(g, 0));
		say_columns(s, "-", retained, "-");
		shell_print(s, "all roots\n");
		return 0;
	}
	object = js_graph_object(g, i);
	if (s->to)
		return shell_emit(s, object - V8_TAG);
	describe(g->h->js, object, &what);
	js_heap_extent(g->h, object, &e);
	if (s->json) {
		struct jsonw w = jsonw_to(&s->text);

		jsonw_object(&w, NULL);
		jsonw_strf(&w, "object", "%" PRIx64, object - V8_TAG);
		jsonw_u64(&w, "retained", js_graph_retained(g, i));
		jsonw_u64(&w, "bytes", e.size);
		jsonw_str(&w, "what", strb_str(&what));
		if (g->parent[i])
			jsonw_strf(&w, "dominator", "%" PRIx64, js_graph_object(g, g->parent[i]) - V8_TAG);
		jsonw_end_object(&w);
		jsonw_line(&w);
		return 0;
	}
	snprintf(place, sizeof(place), "%" PRIx64, object - V8_TAG);
	snprintf(retained, sizeof(retained), "%" PRIu64, js_graph_retained(g, i));
	snprintf(bytes, sizeof(bytes), "%" PRIu64, e.size);
	say_columns(s, place, retained, bytes);
	shell_plain(s, strb_str(&what));
	shell_print(s, "\n");
	return 0;
}

static void say_head(struct shell *s)
{
	if (s->json)
		return;
	say_columns(s, "OBJECT", "RETAINED", "BYTES");
	shell_print(s, "WHAT\n");
}

/* The largest numbers, kept as a heap whose first one is the smallest. */
struct largest {
	const struct js_graph *g;
	uint32_t *v;
	size_t n, max;
};

static bool less(const struct js_graph *g, uint32_t a, uint32_t b)
{
	return js_graph_retained(g, a) != js_graph_retained(g, b) ? js_graph_retained(g, a) < js_graph_retained(g, b)
								  : a > b;
}

static void sift(struct largest *l, size_t i)
{
	for (;;) {
		size_t k = 2 * i + 1;

		if (k >= l->n)
			return;
		if (k + 1 < l->n && less(l->g, l->v[k + 1], l->v[k]))
			k++;
		if (!less(l->g, l->v[k], l->v[i]))
			return;
		const uint32_t swap = l->v[i];

		l->v[i] = l->v[k];
		l->v[k] = swap;
		i = k;
	}
}

static void add(struct largest *l, uint32_t i)
{
	if (l->n < l->max) {
		l->v[l->n++] = i;
		for (size_t k = l->n / 2; l->n == l->max && k-- > 0;)
			sift(l, k);
	} else if (l->n && less(l->g, l->v[0], i)) {
		l->v[0] = i;
		sift(l, 0);
	}
}

static int by_retained(const void *a, const void *b, void *graph)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return less(graph, y, x) ? -1 : less(graph, x, y) ? 1 : 0;
}

/* Rows of the largest that `of` dominates directly, or of all. */
static int say_largest(struct shell *s, const struct js_graph *g, uint32_t of, size_t rows)
{
	_cleanup_free_ uint32_t *v = malloc((rows + 1) * sizeof(*v));
	struct largest l = { g, v, 0, rows };
	int r = 0;

	if (!v)
		return -ENOMEM;
	for (uint32_t i = 1; i < g->n; i++)
		if (!of || g->parent[i] == of)
			add(&l, i);
	if (l.n)
		qsort_r(v, l.n, sizeof(*v), by_retained, (void *)(uintptr_t)g);
	for (size_t i = 0; i < l.n && r == 0; i++)
		r = say_row(s, g, v[i]);
	return r;
}

int dcmd_jsretained(struct shell *s, const struct dcall *d)
{
	uint64_t rows = ROWS, object = 0;
	const char *since = NULL;
	struct js_graph *g;
	struct js_heap *h;
	uint32_t of = 0;
	int r = 0;

	for (int i = 0; i < d->argc && r == 0; i++)
		if (!strcmp(d->argv[i], "-s") && i + 1 < d->argc)
			since = d->argv[++i];
		else
			r = !strcmp(d->argv[i], "-n") ? shell_option(s, d, &i, MAX_ROWS, &rows)
						      : shell_refuse(s, "jsretained", d->argv[i]);
	if (r == 0 && since && d->has_addr)
		r = err_set(&s->err, -EINVAL, "-s compares all: it takes no address");
	if (r == 0 && d->has_addr)
		r = shell_heap_object(s, d, &h, &object);
	if (r == 0)
		r = since ? shell_heap(s, &h) : shell_graph(s, &g);
	if (r < 0)
		return r;
	if (since)
		return js_keepers(s, h, since, (size_t)rows);
	say_head(s);
	if (d->has_addr) {
		of = js_graph_number(g, object);
		if (!s->to)
			r = say_row(s, g, of);
	}
	return r < 0 ? r : say_largest(s, g, of, (size_t)rows);
}

int dcmd_jsdominators(struct shell *s, const struct dcall *d)
{
	struct js_graph *g;
	struct js_heap *h;
	uint64_t object;
	int r = d->argc ? shell_refuse(s, "jsdominators", d->argv[0]) : shell_heap_object(s, d, &h, &object);

	if (r == 0)
		r = shell_graph(s, &g);
	if (r < 0)
		return r;
	say_head(s);
	for (uint32_t i = js_graph_number(g, object); r == 0; i = g->parent[i]) {
		r = say_row(s, g, i);
		if (!i)
			break;
	}
	return r;
}
