/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the objects of two cores of a process, group by group. */
#include "core/jscmd/growth.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "core/jscmd/older.h"

struct row {
	const struct js_group *now, *then; /* NULL: there is none */
	int64_t objects, bytes;		   /* that it has become more */
};

static int by_text(const void *a, const void *b)
{
	return js_group_compare(*(struct js_group *const *)a, *(struct js_group *const *)b);
}

/* The groups that others were added to, in the order of their text. */
static struct js_group **sorted(const struct js_groups *g, size_t *ret_n)
{
	struct js_group **v = calloc(g->v.n + 1, sizeof(struct js_group *));
	size_t n = 0;

	for (size_t i = 0; v && i < g->v.n; i++)
		if (g->v.v[i].into == i)
			v[n++] = &g->v.v[i];
	if (n)
		qsort(v, n, sizeof(struct js_group *), by_text);
	*ret_n = n;
	return v;
}

static int by_growth(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return js_group_compare(x->now ? x->now : x->then, y->now ? y->now : y->then);
}

static void add(struct row *rows, size_t *n, const struct js_group *now, const struct js_group *then)
{
	struct row r = { now, then, 0, 0 };

	if (now && !now->wanted)
		return;
	r.objects = (int64_t)(now ? now->n : 0) - (int64_t)(then ? then->n : 0);
	r.bytes = (int64_t)(now ? now->bytes : 0) - (int64_t)(then ? then->bytes : 0);
	if (r.objects || r.bytes)
		rows[(*n)++] = r;
}

static int show(struct shell *s, const struct row *r)
{
	const struct js_group *x = r->now ? r->now : r->then;

	if (s->to)
		return r->now ? shell_emit(s, r->now->first - V8_TAG) : 0;
	if (s->json) {
		struct jsonw w = jsonw_to(&s->text);

		jsonw_object(&w, NULL);
		if (r->now)
			jsonw_strf(&w, "object", "%" PRIx64, r->now->first - V8_TAG);
		jsonw_u64(&w, "count", r->now ? r->now->n : 0);
		jsonw_i64(&w, "more", r->objects);
		jsonw_u64(&w, "bytes", r->now ? r->now->bytes : 0);
		jsonw_i64(&w, "more_bytes", r->bytes);
		jsonw_str(&w, "constructor", x->constructor);
		jsonw_str(&w, "names", x->names);
		jsonw_end_object(&w);
		jsonw_line(&w);
		return 0;
	}
	shell_print(s, "%12" PRIx64 " %8zu %+9" PRId64 " %10" PRIu64 " %+10" PRId64 " ",
		    r->now ? r->now->first - V8_TAG : 0, r->now ? r->now->n : 0, r->objects, r->now ? r->now->bytes : 0,
		    r->bytes);
	js_group_text(s, x);
	return 0;
}

/* all: those that are only in the older core are shown, too. */
static int compare(struct shell *s, const struct js_groups *now, const struct js_groups *then, bool all)
{
	size_t n, m, rows_n = 0, i = 0, k = 0;
	_cleanup_free_ struct js_group **a = sorted(now, &n), **b = sorted(then, &m);
	_cleanup_free_ struct row *rows = calloc(n + m + 1, sizeof(*rows));
	int r = 0;

	if (!a || !b || !rows)
		return -ENOMEM;
	while (i < n || k < m) {
		const int d = i == n ? 1 : k == m ? -1 : js_group_compare(a[i], b[k]);

		if (d > 0 && all)
			add(rows, &rows_n, NULL, b[k]);
		else if (d <= 0)
			add(rows, &rows_n, a[i], d == 0 ? b[k] : NULL);
		i += d <= 0;
		k += d >= 0;
	}
	if (rows_n)
		qsort(rows, rows_n, sizeof(*rows), by_growth);
	if (!s->json)
		shell_print(s, "%12s %8s %9s %10s %10s %s\n", "OBJECT", "#OBJECTS", "MORE", "BYTES", "MORE",
			    "CONSTRUCTOR: PROPERTIES");
	for (i = 0; i < rows_n && r == 0; i++)
		r = show(s, &rows[i]);
	return r;
}

int js_growth(struct shell *s, const struct js_groups *now, const char *file)
{
	struct js_older o = { .js = NULL };
	struct js_groups then = { 0 };
	bool all = true;
	int r = js_older_open(s, file, &o);

	then.h = o.h;
	if (r == 0)
		r = js_groups_make(&then);
	for (size_t i = 0; i < now->v.n; i++)
		all &= now->v.v[i].wanted;
	if (r == 0)
		r = compare(s, now, &then, all);
	js_groups_done(&then);
	js_older_close(&o);
	return r;
}
