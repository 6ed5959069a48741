/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts and the rest, without reading the rest's histograms. The minutes of all hosts together are in a table of their
 * own (SLOT_ALL). Histograms can be taken away from each other as exactly as they can be added. But late rows may be in
 * the hosts' table and not yet in the roll-up, and rows may be stored twice. So counts and sums of the hosts' rows are
 * compared with those of the roll-up, and with what is left. Where one differs, this file has no answer. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/num.h"
#include "base/vec.h"
#include "fleet/ask/host.h"
#include "fleet/ask/rows.h"

/* Totals of the hosts' rows of a series and column, without their buckets. */
struct total {
	uint64_t key;
	uint64_t count, sum;				 /* of all hosts */
	uint64_t rows, rest_count, rest_sum, max, flags; /* of the rest */
};
struct part { /* histograms by series and column */
	uint64_t from, step;
	struct ask_groups groups;
};
struct resting {
	struct ask_names names;
	struct part all, selected;
	VEC(struct total) totals;
	struct err *err;
};

static uint64_t key_of(uint32_t series, uint64_t column)
{
	return (uint64_t)series << 32 | (uint32_t)column;
}

static int add_row(void *ctx, const struct ask_row *r)
{
	struct part *p = ctx;

	return ask_groups_add(&p->groups, key_of(r->series, (r->time - p->from) / p->step), r);
}

static void again(void *ctx)
{
	ask_groups_reset(&((struct part *)ctx)->groups);
}

static int read_part(struct click *c, const struct ask_what *w, enum ask_need need, struct resting *x, struct part *p)
{
	const struct ask_rows_sink sink = { p, need, add_row, again };
	int e = ask_rows(c, w, &x->names, &sink, x->err);

	ask_groups_sort(&p->groups);
	return e == -ENOMEM && x->err && !x->err->msg[0] ? err_set(x->err, e, "out of memory") : e;
}

static int on_total(void *ctx, char *const *v, size_t n)
{
	struct resting *x = ctx;
	struct total t = { 0 };
	uint64_t column = 0;
	uint32_t series = 0;
	uint64_t *const numbers[] = {
		&column, &t.count, &t.sum, &t.rows, &t.rest_count, &t.rest_sum, &t.max, &t.flags
	};
	int e;

	if (n != 1 + ARRAY_SIZE(numbers))
		return ask_refuse(x->err);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		if (num_parse_u64(v[1 + i], numbers[i]) < 0)
			return ask_refuse(x->err);
	e = texttab_number(&x->names.series, v[0], strlen(v[0]), &series);
	t.key = key_of(series, column);
	e = e == 0 ? vec_try_push(&x->totals, t) : e;
	return e < 0 ? err_set(x->err, e, "out of memory") : 0;
}

static int by_key(const void *a, const void *b)
{
	const struct total *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

static int read_totals(struct click *c, const struct ask_what *w, const struct ask_what *all, uint64_t step,
		       struct resting *x)
{
	const struct tables_range r = { ask_slot(w->range), w->range.from, w->range.to };
	_cleanup_(strb_free) struct strb sql = { 0 };
	_cleanup_(strb_free) struct strb also = { 0 };
	_cleanup_(strb_free) struct strb here = { 0 };
	struct ask_what rest = *w;
	int e;

	rest.rest = rest.nselectors;
	strb_adds(&here, "1");
	ask_where(&here, &rest, "series");
	ask_where(&also, all, "series");
	tables_totals(&sql, &r, step, strb_str(&also), strb_str(&here));
	if (sql.failed || also.failed || here.failed)
		return err_set(x->err, -ENOMEM, "out of memory");
	e = click_select(c, sql.s, on_total, x, x->err);
	if (x->totals.n)
		qsort(x->totals.v, x->totals.n, sizeof(*x->totals.v), by_key);
	return e;
}

/* False: there is less than that. */
static bool take_away(struct ask_group *from, const struct ask_group *g)
{
	if (from->count < g->count || from->sum < g->sum)
		return false;
	from->count -= g->count;
	from->sum -= g->sum;
	for (uint32_t i = 0; i < g->n; i++) {
		uint32_t at = g->first + i;

		if (!g->v[i])
			continue;
		if (at < from->first || at >= from->first + from->n || from->v[at - from->first] < g->v[i])
			return false;
		from->v[at - from->first] -= g->v[i];
	}
	return true;
}

/* Takes the selected hosts away from all. False: these are not of the same rows. */
static bool leave_rest(struct resting *x)
{
	size_t at = 0;

	if (x->totals.n != x->all.groups.v.n)
		return false;
	for (size_t i = 0; i < x->totals.n; i++) {
		const struct total *t = &x->totals.v[i];
		struct ask_group *g = &x->all.groups.v.v[i];

		if (g->key != t->key || g->count != t->count || g->sum != t->sum)
			return false;
		if (at < x->selected.groups.v.n && x->selected.groups.v.v[at].key == g->key)
			if (!take_away(g, &x->selected.groups.v.v[at++]))
				return false;
		if (g->count != t->rest_count || g->sum != t->rest_sum)
			return false;
		g->max = t->max;
		g->flags = (uint32_t)t->flags;
	}
	return at == x->selected.groups.v.n;
}

static int give(struct resting *x, const struct part *p, ask_series_fn *fn, void *ctx)
{
	struct histsum h = { 0 };
	int e = 0;

	for (size_t i = 0; e == 0 && i < p->groups.v.n; i++) {
		const struct ask_group *g = &p->groups.v.v[i];

		if (p == &x->all && !x->totals.v[i].rows)
			continue; /* there are only selected hosts */
		e = ask_group_hist(g, &h);
		e = e < 0 ? err_set(x->err, e, "out of memory")
			  : fn(ctx, x->names.series.v.v[g->key >> 32], (uint32_t)g->key, &h);
	}
	histsum_free(&h);
	return e;
}

static int ask(struct click *c, const struct ask_what *w, uint64_t step, struct resting *x)
{
	struct ask_what all = *w, selected = *w;
	int e;

	all.nselectors = 0;
	selected.rest = all.rest = false;
	e = read_part(c, &all, ASK_ALL, x, &x->all);
	if (e == 0 && !x->all.groups.v.n)
		return -ESTALE;
	if (e == 0)
		e = read_totals(c, w, &all, step, x);
	if (e == 0 && w->nselectors)
		e = read_part(c, &selected, ASK_SLOTS, x, &x->selected);
	return e == 0 && !leave_rest(x) ? -ESTALE : e;
}

int ask_rest(struct click *c, const struct ask_what *w, uint64_t step, ask_series_fn *fn, ask_series_fn *selected,
	     void *ctx, struct err *err)
{
	struct resting x = { .all = { .from = w->range.from, .step = step },
			     .selected = { .from = w->range.from, .step = step },
			     .err = err };
	int e = -ESTALE;

	if (ask_slot(w->range) != SLOT_SECOND && !w->nexcept)
		e = ask(c, w, step, &x);
	if (e == 0)
		e = give(&x, &x.all, fn, ctx);
	if (e == 0 && w->nselectors)
		e = give(&x, &x.selected, selected, ctx);
	ask_groups_free(&x.all.groups);
	ask_groups_free(&x.selected.groups);
	vec_free(&x.totals);
	ask_names_free(&x.names);
	return e;
}
