/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of a range's histograms: by series and host, by slot, and as columns of a picture. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "base/cleanup.h"
#include "fleet/ask/host.h"
#include "fleet/ask/rows.h"

struct summing {
	const struct ask_what *w;
	/* The key of a row's sum: two numbers, of which the first may be that of a name. */
	uint64_t (*key)(const struct summing *x, const struct ask_row *r);
	bool sum;      /* of all of the range */
	uint64_t step; /* of a picture's columns */
	struct ask_names names;
	struct ask_groups groups;
	VEC(struct numset) hosts; /* of each series */
	VEC(uint64_t) nhosts;
};

static int add_row(void *ctx, const struct ask_row *r)
{
	struct summing *x = ctx;
	bool fresh = false;
	int e = 0;

	while (e == 0 && x->hosts.n <= r->series) {
		e = vec_try_push(&x->nhosts, UINT64_C(0));
		if (e == 0)
			e = vec_try_push(&x->hosts, ((struct numset){ 0 }));
	}
	if (e == 0)
		e = numset_add(&x->hosts.v[r->series], r->host, &fresh);
	if (e == 0 && fresh)
		x->nhosts.v[r->series]++;
	return e < 0 ? e : ask_groups_add(&x->groups, x->key(x, r), r);
}

static void again(void *ctx)
{
	struct summing *x = ctx;

	ask_groups_reset(&x->groups);
	for (size_t i = 0; i < x->hosts.n; i++)
		numset_free(&x->hosts.v[i]);
	x->hosts.n = x->nhosts.n = 0;
}

static void summing_free(struct summing *x)
{
	again(x);
	ask_names_free(&x->names);
	ask_groups_free(&x->groups);
	vec_free(&x->hosts);
	vec_free(&x->nhosts);
}

static int sum_up(struct click *c, struct summing *x, struct err *err)
{
	const struct ask_rows_sink sink = { x, x->sum ? ASK_SUM : ASK_SLOTS, add_row, again };
	int e = ask_rows(c, x->w, &x->names, &sink, err);

	ask_groups_sort(&x->groups);
	return e;
}

static int no_memory(int e, struct err *err)
{
	return e == -ENOMEM ? err_set(err, e, "out of memory") : e;
}

/* -- by series, and host -- */

static uint64_t key_of_series(const struct summing *x, const struct ask_row *r)
{
	(void)x;
	return (uint64_t)r->series << 32;
}

static uint64_t key_of_both(const struct summing *x, const struct ask_row *r)
{
	(void)x;
	return (uint64_t)r->series << 32 | r->host;
}

/* Sums in the order of the names. */
static int give_sums(struct summing *x, bool by_host, ask_sum_fn *fn, void *ctx)
{
	_cleanup_free_ const char **series = NULL, **hosts = NULL;
	_cleanup_free_ uint32_t *series_at = NULL, *hosts_at = NULL;
	struct ask_sum s = { 0 };
	int e = texttab_sort(&x->names.series, &series, &series_at);

	if (e == 0)
		e = texttab_sort(&x->names.hosts, &hosts, &hosts_at);
	for (size_t i = 0; e == 0 && i < x->groups.v.n; i++) {
		struct ask_group *g = &x->groups.v.v[i];
		uint32_t host = by_host ? hosts_at[(uint32_t)g->key] : 0;

		g->key = (uint64_t)series_at[g->key >> 32] << 32 | host;
	}
	if (e == 0)
		ask_groups_sort(&x->groups);
	for (size_t i = 0; e == 0 && i < x->groups.v.n; i++) {
		const struct ask_group *g = &x->groups.v.v[i];
		uint32_t number = 0;

		s.series = series[g->key >> 32];
		s.host = by_host ? hosts[(uint32_t)g->key] : "";
		while (series_at[number] != g->key >> 32)
			number++;
		s.hosts = by_host ? 1 : x->nhosts.v[number];
		e = ask_group_hist(g, &s.h);
		e = e == 0 ? fn(ctx, &s) : e;
	}
	histsum_free(&s.h);
	return e;
}

int ask_sums(struct click *c, const struct ask_what *w, bool by_host, ask_sum_fn *fn, void *ctx, struct err *err)
{
	struct summing x = { .w = w, .key = by_host ? key_of_both : key_of_series, .sum = true };
	int e = sum_up(c, &x, err);

	if (e == 0)
		e = no_memory(give_sums(&x, by_host, fn, ctx), err);
	summing_free(&x);
	return e;
}

/* -- by time -- */

static uint64_t key_of_time(const struct summing *x, const struct ask_row *r)
{
	(void)x;
	return r->time;
}

int ask_slots(struct click *c, const struct ask_what *w, ask_slot_fn *fn, void *ctx, struct err *err)
{
	struct summing x = { .w = w, .key = key_of_time };
	struct histsum h = { 0 };
	int e = sum_up(c, &x, err);

	for (size_t i = 0; e == 0 && i < x.groups.v.n; i++) {
		e = ask_group_hist(&x.groups.v.v[i], &h);
		e = e == 0 ? fn(ctx, x.groups.v.v[i].key, &h) : no_memory(e, err);
	}
	histsum_free(&h);
	summing_free(&x);
	return e;
}

static uint64_t column_of(const struct summing *x, const struct ask_row *r)
{
	return (r->time - x->w->range.from) / x->step;
}

static uint64_t key_of_series_column(const struct summing *x, const struct ask_row *r)
{
	return (uint64_t)r->series << 32 | column_of(x, r);
}

int ask_series(struct click *c, const struct ask_what *w, uint64_t step, ask_series_fn *fn, void *ctx, struct err *err)
{
	struct summing x = { .w = w, .key = key_of_series_column, .step = step };
	struct histsum h = { 0 };
	int e = sum_up(c, &x, err);

	for (size_t i = 0; e == 0 && i < x.groups.v.n; i++) {
		const struct ask_group *g = &x.groups.v.v[i];

		e = no_memory(ask_group_hist(g, &h), err);
		e = e == 0 ? fn(ctx, x.names.series.v.v[g->key >> 32], (uint32_t)g->key, &h) : e;
	}
	histsum_free(&h);
	summing_free(&x);
	return e;
}

static uint64_t key_of_cell(const struct summing *x, const struct ask_row *r)
{
	return (uint64_t)r->host << 32 | column_of(x, r);
}

/* The bucket below whose end a share of all values is. */
static uint64_t bucket_at(const struct ask_group *g, double quantile, uint64_t *total)
{
	uint64_t sum = 0, below = 0;
	uint32_t i = 0;

	for (uint32_t k = 0; k < g->n; k++)
		sum += g->v[k];
	*total = sum;
	while (i + 1 < g->n && (below += g->v[i]) < (uint64_t)ceil(quantile * (double)sum))
		i++;
	return g->first + i;
}

/* Cells, host by host, in the order of their names. */
static int give_grid(struct summing *x, double quantile, ask_cell_fn *fn, void *ctx)
{
	_cleanup_free_ const char **hosts = NULL;
	_cleanup_free_ uint32_t *at = NULL;
	int e = texttab_sort(&x->names.hosts, &hosts, &at);

	for (size_t i = 0; e == 0 && i < x->groups.v.n; i++) {
		struct ask_group *g = &x->groups.v.v[i];

		g->key = (uint64_t)at[g->key >> 32] << 32 | (uint32_t)g->key;
	}
	if (e == 0)
		ask_groups_sort(&x->groups);
	for (size_t i = 0; e == 0 && i < x->groups.v.n; i++) {
		const struct ask_group *g = &x->groups.v.v[i];
		struct ask_cell cell = { .host = hosts[g->key >> 32], .column = (uint32_t)g->key };

		cell.bucket = bucket_at(g, quantile, &cell.count);
		e = fn(ctx, &cell);
	}
	return e;
}

/* Columns of all hosts together. */
static int give_heat(const struct summing *x, ask_cell_fn *fn, void *ctx)
{
	struct ask_groups all = { 0 };
	int e = 0;

	for (size_t i = 0; e == 0 && i < x->groups.v.n; i++)
		e = ask_groups_merge(&all, (uint32_t)x->groups.v.v[i].key, &x->groups.v.v[i]);
	ask_groups_sort(&all);
	for (size_t i = 0; e == 0 && i < all.v.n; i++) {
		const struct ask_group *g = &all.v.v[i];

		for (uint32_t k = 0; e == 0 && k < g->n; k++) {
			const struct ask_cell cell = { "", g->key, g->first + k, g->v[k] };

			e = g->v[k] ? fn(ctx, &cell) : 0;
		}
	}
	ask_groups_free(&all);
	return e;
}

int ask_grid(struct click *c, const struct ask_what *w, uint64_t step, double quantile, ask_cell_fn *fn,
	     ask_cell_fn *heat, void *ctx, struct err *err)
{
	struct summing x = { .w = w, .key = key_of_cell, .step = step };
	int e = sum_up(c, &x, err);

	if (e == 0)
		e = no_memory(give_grid(&x, quantile, fn, ctx), err);
	if (e == 0 && heat)
		e = no_memory(give_heat(&x, heat, ctx), err);
	summing_free(&x);
	return e;
}
