/* SPDX-License-Identifier: Apache-2.0 */
/* Compares what keeps memory in two cores of a process: by the shortest ways from global variables. Dominators would
 * not do: a stale word on a stack changes them between two cores. */
#include "core/jscmd/keepers.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "core/jscmd/older.h"
#include "core/jsheap/fold.h"
#include "core/jsheap/path.h"

#define WAYS 2u /* times as many rows are looked at, since equal ones become one */

/* The growth of a node. */
struct grown {
	int64_t bytes, more; /* with those below it */
	int64_t own, objects;
	bool said; /* it is a row, or one of those above it is */
};

struct row {
	uint32_t node;
	int64_t bytes, more, objects;
	char *path; /* NULL: not known yet */
};

struct comparing {
	struct shell *s;
	const struct js_fold *now;
	struct grown *v;
	VEC(struct row) rows;
};

/* The graph of a heap by shortest ways, and its nodes. */
static int fold_heap(struct js_heap *h, struct js_graph **g, struct js_fold *f)
{
	int r = js_graph_open(h, g);

	if (r == 0)
		r = js_graph_shortest(*g);
	return r == 0 ? js_fold_make(f, *g) : r;
}

/* The bytes of each node with those below it. */
static int64_t *all_bytes(const struct js_fold *f)
{
	int64_t *v = malloc(f->nodes.n * sizeof(*v));

	for (size_t i = 0; v && i < f->nodes.n; i++)
		v[i] = f->nodes.v[i].bytes;
	for (size_t i = f->nodes.n; v && i-- > 1;)
		v[f->nodes.v[i].up] += v[i];
	return v;
}

static int compare(struct comparing *c, const struct js_fold *then)
{
	const uint32_t n = (uint32_t)c->now->nodes.n;
	_cleanup_free_ int64_t *now = all_bytes(c->now), *old = all_bytes(then);
	_cleanup_free_ uint32_t *same = malloc(n * sizeof(*same));

	c->v = calloc(n, sizeof(*c->v));
	if (!now || !old || !same || !c->v)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		const struct js_fold_node *x = &c->now->nodes.v[i], *was = NULL;

		same[i] = !i ? 0 : same[x->up] == JSFOLD_NONE ? JSFOLD_NONE : js_fold_below(then, same[x->up], x->name);
		if (same[i] != JSFOLD_NONE)
			was = &then->nodes.v[same[i]];
		c->v[i] = (struct grown){ now[i], now[i] - (was ? old[same[i]] : 0), x->bytes - (was ? was->bytes : 0),
					  x->objects - (was ? was->objects : 0), false };
	}
	return 0;
}

/* Rows: the uppermost nodes that have more objects, with all below them; and those above that have grown themselves. */
static int choose(struct comparing *c)
{
	int r = 0;

	for (uint32_t i = 1; i < c->now->nodes.n && r == 0; i++) {
		struct grown *x = &c->v[i];
		struct row w = { i, x->bytes, x->more, x->objects, NULL };

		x->said = c->v[c->now->nodes.v[i].up].said;
		if (x->said)
			continue;
		x->said = x->objects > 0;
		if (!x->said) {
			w.more = x->own;
			w.bytes = c->now->nodes.v[i].bytes;
		}
		if (w.more > 0)
			r = vec_try_push(&c->rows, w);
	}
	return r;
}

static int by_more(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return x->more != y->more ? (x->more < y->more ? 1 : -1) : (x->node > y->node) - (x->node < y->node);
}

static int find_path(const struct comparing *c, struct row *w)
{
	const struct js_fold_node *x = &c->now->nodes.v[w->node];
	_cleanup_(strb_free) struct strb path = { 0 };
	struct js_path p = { .global = false };
	int r = x->sample ? js_path_find(c->now->g->h, js_graph_object(c->now->g, x->sample), &p) : 0;

	if (r == 0)
		r = js_path_text(c->now->g->h, &p, true, &path);
	js_path_done(&p);
	w->path = r == 0 ? strdup(strb_str(&path)) : NULL;
	return r < 0 ? r : w->path ? 0 : -ENOMEM;
}

/* Rows with the same way are one: V8 may have several objects of its own on it. */
static int merge(struct comparing *c, size_t max)
{
	const struct js_fold_node *nodes = c->now->nodes.v;
	size_t n = 0;
	int r = 0;

	if (c->rows.n)
		qsort(c->rows.v, c->rows.n, sizeof(*c->rows.v), by_more);
	c->rows.n = c->rows.n < max ? c->rows.n : max;
	for (size_t i = 0; i < c->rows.n && r == 0; i++)
		r = find_path(c, &c->rows.v[i]);
	for (size_t i = 0; i < c->rows.n && r == 0; i++) {
		struct row *w = &c->rows.v[i];
		size_t k = 0;

		while (k < n && (!*w->path || strcmp(c->rows.v[k].path, w->path) != 0 ||
				 strcmp(nodes[c->rows.v[k].node].name, nodes[w->node].name) != 0))
			k++;
		if (k == n) {
			const struct row first = *w;

			w->path = NULL;
			c->rows.v[n++] = first;
			continue;
		}
		c->rows.v[k].more += w->more;
		c->rows.v[k].bytes += w->bytes;
		c->rows.v[k].objects += w->objects;
		free(w->path);
		w->path = NULL;
	}
	if (r == 0)
		c->rows.n = n;
	if (r == 0 && n)
		qsort(c->rows.v, n, sizeof(*c->rows.v), by_more);
	return r;
}

static int say_row(const struct comparing *c, const struct row *w)
{
	const struct js_fold_node *x = &c->now->nodes.v[w->node];
	const uint64_t object = x->sample ? js_graph_object(c->now->g, x->sample) - V8_TAG : 0;
	struct shell *s = c->s;

	if (s->to)
		return object ? shell_emit(s, object) : 0;
	if (s->json) {
		struct jsonw j = jsonw_to(&s->text);

		jsonw_object(&j, NULL);
		if (object)
			jsonw_strf(&j, "object", "%" PRIx64, object);
		jsonw_i64(&j, "more", w->objects);
		jsonw_i64(&j, "more_bytes", w->more);
		jsonw_i64(&j, "bytes", w->bytes);
		jsonw_str(&j, "constructor", x->name);
		jsonw_str(&j, "path", w->path);
		jsonw_end_object(&j);
		jsonw_line(&j);
		return 0;
	}
	shell_print(s, "%12" PRIx64 " %+9" PRId64 " %10" PRId64 " %+10" PRId64 " ", object, w->objects, w->bytes,
		    w->more);
	shell_plain(s, x->name);
	shell_print(s, ": ");
	shell_plain(s, *w->path ? w->path : "(no way from a root is found)");
	shell_print(s, "\n");
	return 0;
}

int js_keepers(struct shell *s, struct js_heap *h, const char *file, size_t rows)
{
	struct comparing c = { .s = s };
	struct js_fold now = { 0 }, then = { 0 };
	struct js_graph *g = NULL, *old = NULL;
	struct js_older o = { .js = NULL };
	int r = js_older_open(s, file, &o);

	if (r == 0)
		r = fold_heap(o.h, &old, &then);
	if (r == 0)
		r = fold_heap(h, &g, &now);
	c.now = &now;
	if (r == 0)
		r = compare(&c, &then);
	if (r == 0)
		r = choose(&c);
	if (r == 0)
		r = merge(&c, rows * WAYS);
	if (r == 0 && !s->json)
		shell_print(s, "%12s %9s %10s %10s %s\n", "OBJECT", "MORE", "KEPT", "MORE", "CONSTRUCTOR: PATH");
	for (size_t i = 0; i < c.rows.n && i < rows && r == 0 && s->error == 0; i++)
		r = say_row(&c, &c.rows.v[i]);
	for (size_t i = 0; i < c.rows.n; i++)
		free(c.rows.v[i].path);
	vec_free(&c.rows);
	free(c.v);
	js_fold_done(&now);
	js_fold_done(&then);
	js_graph_close(g);
	js_graph_close(old);
	js_older_close(&o);
	return r < 0 && !s->err.code ? err_set(&s->err, r, "%s", strerror(-r)) : r;
}
