/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/ask/diff.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "fleet/ask/host.h"
#include "view/summary/diffprint.h"

#define SIDES 2

/* A series on both sides. */
struct both {
	char *name;
	struct latency_series s; /* of either; d.name is within name */
	struct histsum *slots[SIDES];
	bool there[SIDES];
};

struct comparing {
	VEC(struct both) series;
	size_t n; /* slots of a side */
	int side; /* that is read now */
	struct diff d;
	struct err *err;
};

int askdiff_ranges(struct ask_range asked, uint64_t earlier, uint64_t now, struct ask_range ret[2])
{
	enum tables_slot slot = ask_slot(asked);
	uint64_t period = tables_hist[slot].period, late = slot == SLOT_SECOND ? ASKDIFF_LATE_S : ASK_ADDED_S;
	uint64_t to = asked.to + late < now ? asked.to : now - late;

	ret[1] = (struct ask_range){ ROUND_UP(asked.from, period), to - to % period };
	if (ret[1].to <= ret[1].from)
		return -ENODATA;
	earlier = ROUND_UP(earlier, period);
	if (earlier > ret[1].from)
		return -ENODATA;
	ret[0] = (struct ask_range){ ret[1].from - earlier, ret[1].to - earlier };
	return 0;
}

static int add_series(struct comparing *x, const char *name, struct both **ret)
{
	struct both b = { .name = strdup(name) };
	int e = b.name ? 0 : -ENOMEM;

	for (int i = 0; i < SIDES; i++) {
		b.slots[i] = calloc(x->n, sizeof(*b.slots[i]));
		e = b.slots[i] ? e : -ENOMEM;
	}
	if (e == 0) {
		b.s.d = ask_histdesc;
		b.s.d.is_tracker = b.s.d.is_delay = *name != '@';
		b.s.d.name = b.name + (*name == '@');
		b.s.text = b.name + strlen(name); /* "" */
		e = vec_try_push(&x->series, b);
	}
	if (e < 0) {
		free(b.name);
		free(b.slots[0]);
		free(b.slots[1]);
		return e;
	}
	*ret = &x->series.v[x->series.n - 1];
	return 0;
}

static int on_slot(void *ctx, const char *series, uint64_t column, const struct histsum *h)
{
	struct comparing *x = ctx;
	struct both *b = NULL;
	int e = 0;

	for (size_t i = 0; i < x->series.n && !b; i++)
		if (!strcmp(x->series.v[i].name, series))
			b = &x->series.v[i];
	if (!b)
		e = add_series(x, series, &b);
	if (e == 0 && column < x->n) {
		b->there[x->side] = true;
		e = histsum_merge(&b->slots[x->side][column], h);
	}
	return e < 0 ? err_set(x->err, e, "out of memory") : 0;
}

static int on_rest(void *ctx, const char *series, uint64_t column, const struct histsum *h)
{
	((struct comparing *)ctx)->side = 0;
	return on_slot(ctx, series, column, h);
}

static int on_selected(void *ctx, const char *series, uint64_t column, const struct histsum *h)
{
	((struct comparing *)ctx)->side = 1;
	return on_slot(ctx, series, column, h);
}

static int compare(struct comparing *x)
{
	struct diff *d = &x->d;
	int e = 0;

	d->opts.npairs = x->series.n;
	for (size_t i = 0; e == 0 && i < x->series.n; i++) {
		struct both *b = &x->series.v[i];
		struct diff_pair p = { b->there[0] ? &b->s : NULL, b->there[1] ? &b->s : NULL, { 0 } };
		const struct cmp_side before = { b->slots[0], x->n }, now = { b->slots[1], x->n };

		e = cmp_run(&b->s.d, &before, &now, &d->opts, &p.res);
		if (e == 0)
			e = vec_try_push(&d->pairs, p);
	}
	return e == 0 ? diff_decide(d) : e;
}

static void comparing_free(struct comparing *x)
{
	for (size_t i = 0; i < x->series.n; i++) {
		struct both *b = &x->series.v[i];

		for (size_t k = 0; k < x->n; k++) {
			histsum_free(&b->slots[0][k]);
			histsum_free(&b->slots[1][k]);
		}
		free(b->slots[0]);
		free(b->slots[1]);
		free(b->name);
	}
	vec_free(&x->series);
	vec_free(&x->d.pairs);
}

/* The side `x->side`: all hosts of w; by the roll-up, if that can tell. */
static int read_side(struct click *c, const struct ask_what *w, uint64_t period, struct comparing *x)
{
	int e = w->nselectors ? -ESTALE : ask_rest(c, w, period, on_slot, NULL, x, x->err);

	return e == -ESTALE ? ask_series(c, w, period, on_slot, x, x->err) : e;
}

static int read_sides(struct click *c, const struct askshow *a, struct comparing *x)
{
	struct ask_what w = a->what;
	struct ask_range ranges[SIDES];
	int e = askdiff_ranges(w.range, a->earlier_ns / NSEC_PER_SEC, clock_ns(CLOCK_REALTIME) / NSEC_PER_SEC, ranges);
	uint64_t period = tables_hist[ask_slot(w.range)].period;

	if (e < 0)
		return err_set(x->err, e, "fleet diff: there is no whole slot of %u s in this range", (unsigned)period);
	x->n = (ranges[1].to - ranges[1].from) / period;
	x->d.unit_s = (unsigned)period;
	x->d.latencies_only = !a->earlier_ns;
	x->d.side[0].n = x->d.side[1].n = x->n;
	w.range = ranges[1];
	e = a->earlier_ns ? -ESTALE : ask_rest(c, &w, period, on_rest, on_selected, x, x->err);
	if (e != -ESTALE)
		return e;
	e = 0;
	for (x->side = 0; e == 0 && x->side < SIDES; x->side++) {
		w.range = ranges[x->side];
		w.rest = x->side == 0 && !a->earlier_ns;
		e = read_side(c, &w, period, x);
	}
	return e;
}

int askdiff_show(struct click *c, struct askshow *a, struct err *err)
{
	struct comparing x = { .d.opts = CMP_DEFAULT, .err = err };
	const struct diff_print print = { .out = a->out, .json = a->json, .all = a->all };
	int e;

	if (!a->earlier_ns && !a->what.nselectors)
		return err_set(
			err, -EINVAL,
			"fleet diff: --hosts names hosts, which are compared with the rest; or --earlier gives the time before, with which all are compared");
	if (a->min_percent)
		x.d.opts.min_shift = a->min_percent / 100.0;
	e = read_sides(c, a, &x);
	if (e == 0) {
		e = compare(&x);
		e = e < 0 ? err_set(err, e, "out of memory") : 0;
	}
	if (e == 0 && x.series.n) {
		a->table.begun = true;
		e = diffprint(&x.d, &print);
	}
	comparing_free(&x);
	return e;
}
