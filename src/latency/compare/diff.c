/* SPDX-License-Identifier: Apache-2.0 */
/* Compares recordings series by series and sorts the differences. */
#include "latency/compare/diff.h"
#include <math.h>
#include <stdlib.h>
#include "base/cleanup.h"

#define ROUNDED_NS 10000000 /* that a time may be off which was meant to be a second's */
/* Seconds of a side that are taken at most: a day and a bit. */
#define SECONDS_MAX 100000

/* Histograms are of whole seconds: one that is in the stretch only in part would be of another, too. */
static void whole_seconds(struct diff_side *s)
{
	uint64_t off = s->set.wall_off;

	s->range.from = rechist_slot(s->range.from + RECFILE_SECOND_NS - ROUNDED_NS, RECFILE_SECOND_NS, off);
	s->range.to = rechist_slot(s->range.to + ROUNDED_NS, RECFILE_SECOND_NS, off);
	s->n = s->range.to > s->range.from ? (size_t)((s->range.to - s->range.from) / RECFILE_SECOND_NS) : 0;
}

static int open_side(struct diff_side *s, recset_note_fn *note, struct err *err)
{
	int e = recset_open(&s->set, &s->path, 1, note, err);

	if (e < 0)
		return e;
	e = recset_range(&s->set, &s->asked, true, &s->range, err);
	if (e < 0) {
		err_prefix(err, "%s: nothing to compare: ", s->path);
		return e;
	}
	whole_seconds(s);
	if (!s->n)
		return err_set(err, -ENODATA, "%s: there is no whole second between these times", s->path);
	if (s->n > SECONDS_MAX)
		return err_set(err, -E2BIG, "%s: more than %d s cannot be compared: use --from and --to", s->path,
			       SECONDS_MAX);
	s->seconds = calloc(s->n, sizeof(*s->seconds));
	s->allocated = s->n;
	return s->seconds ? latency_list(&s->set, s->range, RECFILE_HIST_KEYS, &s->list, err) : -ENOMEM;
}

/* For a comparison of a stretch with the rest of its recording: leaves the stretch out of the other side. */
static int leave_out(struct diff_side *s, struct rec_range hole, struct err *err)
{
	s->hole = hole;
	s->n -= (size_t)((hole.to - hole.from) / RECFILE_SECOND_NS);
	return s->n ? 0
		    : err_set(err, -ENODATA, "%s: nothing is left beside these times to compare them with", s->path);
}

static void close_side(struct diff_side *s)
{
	for (size_t i = 0; s->seconds && i < s->allocated; i++)
		histsum_free(&s->seconds[i]);
	free(s->seconds);
	latency_list_free(&s->list);
	recset_close(&s->set);
}

/* Among those of its source, the most first. */
static size_t place(const struct latency_list *l, const struct latency_series *s)
{
	size_t n = 0;

	while (s - n > l->v && (s - n - 1)->rank == s->rank)
		n++;
	return n;
}

/* Keys that are among the first of their source on either side. */
static int make_pairs(struct diff *d)
{
	const struct latency_list *a = &d->side[0].list, *b = &d->side[1].list;
	int e = 0;

	for (size_t i = 0; i < a->n && e == 0; i++) {
		struct diff_pair p = { &a->v[i], latency_find(b, &a->v[i]), { 0 } };

		if (place(a, p.a) < d->keys || (p.b && place(b, p.b) < d->keys))
			e = vec_try_push(&d->pairs, p);
		else
			d->left_out++;
	}
	for (size_t i = 0; i < b->n && e == 0; i++) {
		struct diff_pair p = { NULL, &b->v[i], { 0 } };

		if (latency_find(a, p.b))
			continue;
		if (place(b, p.b) < d->keys)
			e = vec_try_push(&d->pairs, p);
		else
			d->left_out++;
	}
	return e;
}

static int add_second(void *ctx, const struct rec_column *c)
{
	struct diff_side *s = ctx;
	uint64_t i = (c->start - s->range.from) / RECFILE_SECOND_NS;

	if (c->start >= s->hole.from && c->start < s->hole.to)
		return 0;
	if (c->start >= s->hole.to)
		i -= (s->hole.to - s->hole.from) / RECFILE_SECOND_NS;
	return i < s->n ? histsum_add(&s->seconds[i], &c->head, c->buckets) : 0;
}

static int load(struct diff_side *s, const struct latency_series *series, struct err *err)
{
	for (size_t i = 0; i < s->n; i++)
		histsum_reset(&s->seconds[i]);
	return series ? recset_columns(&s->set, series, RECFILE_SECOND_NS, s->range, add_second, s, err) : 0;
}

static int compare_all(struct diff *d, struct err *err)
{
	int e = 0;

	d->opts.npairs = d->pairs.n;
	for (size_t i = 0; i < d->pairs.n && e == 0; i++) {
		struct diff_pair *p = &d->pairs.v[i];
		struct cmp_side a = { d->side[0].seconds, d->side[0].n }, b = { d->side[1].seconds, d->side[1].n };

		e = load(&d->side[0], p->a, err);
		if (e == 0)
			e = load(&d->side[1], p->b, err);
		if (e == 0)
			e = cmp_run(p->a ? &p->a->d : &p->b->d, &a, &b, &d->opts, &p->res);
	}
	return e;
}

bool diff_changed(const struct diff_pair *p)
{
	return p->res.changed || p->res.rate.changed;
}

/* The changed ones, the most first: by latencies, then by rates alone. */
static int by_size(const void *a, const void *b)
{
	const struct diff_pair *x = a, *y = b;
	double dx = isfinite(x->res.w1) ? x->res.w1 : 0, dy = isfinite(y->res.w1) ? y->res.w1 : 0;

	if (diff_changed(x) != diff_changed(y))
		return diff_changed(x) ? -1 : 1;
	if (x->res.changed != y->res.changed)
		return x->res.changed ? -1 : 1;
	if (!x->res.changed && diff_changed(x)) {
		dx = fabs(x->res.rate.value);
		dy = fabs(y->res.rate.value);
	}
	return dx > dy ? -1 : dx < dy;
}

static void count(struct diff_tally *t, const struct diff_pair *p)
{
	t->changed += diff_changed(p);
	if (!diff_changed(p) && (!p->res.na || !p->res.nb))
		t->only[!p->res.na]++;
	if (p->res.unjudged != CMP_JUDGED)
		return;
	t->judged++;
	if (diff_changed(p))
		return;
	t->quiet++;
	if (!t->least || p->res.visible < t->least->res.visible)
		t->least = p;
	if (!t->most || p->res.visible > t->most->res.visible)
		t->most = p;
}

int diff_decide(struct diff *d)
{
	_cleanup_free_ struct cmp_result **all = calloc(d->pairs.n + 1, sizeof(*all));
	int e = all ? 0 : -ENOMEM;

	for (size_t i = 0; i < d->pairs.n && e == 0; i++)
		all[i] = &d->pairs.v[i].res;
	if (e == 0)
		e = cmp_decide(all, d->pairs.n, &d->opts);
	for (size_t i = 0; i < d->pairs.n && d->latencies_only; i++)
		d->pairs.v[i].res.rate.known = d->pairs.v[i].res.rate.changed = false;
	if (e == 0 && d->pairs.n)
		qsort(d->pairs.v, d->pairs.n, sizeof(*d->pairs.v), by_size);
	for (size_t i = 0; i < d->pairs.n && e == 0; i++)
		count(&d->tally, &d->pairs.v[i]);
	return e;
}

int diff_run(struct diff *d, recset_note_fn *note, struct err *err)
{
	int e = 0;

	for (int i = 0; i < 2 && e == 0; i++)
		e = open_side(&d->side[i], note, err);
	if (e == 0 && d->rest)
		e = leave_out(&d->side[0], d->side[1].range, err);
	if (e == 0)
		e = make_pairs(d);
	if (e == 0)
		e = compare_all(d, err);
	if (e == 0)
		e = diff_decide(d);
	return e < 0 && !err->msg[0] ? err_set(err, e, "%s", strerror(-e)) : e;
}

void diff_done(struct diff *d)
{
	close_side(&d->side[0]);
	close_side(&d->side[1]);
	vec_free(&d->pairs);
}
