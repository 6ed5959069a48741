/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/ask/change.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/cleanup.h"
#include "base/units.h"
#include "base/vec.h"
#include "fleet/ask/outlier.h"
#include "latency/compare/compare.h"

static const double looked_at[] = { 0.5, 0.9 };	 /* percentiles in which a step is searched for */
static const double told[] = { 0.99, 0.9, 0.5 }; /* the answer has the first of these that changed */

#define LOW 0.1 /* percentiles of the columns' values */
#define HIGH 0.9

struct rise {
	char *host, *series;
	uint64_t column;
	double octaves;
	bool real;
	struct change change;
};

struct finder {
	struct click *c;
	struct ask_what w;
	uint64_t period, step; /* s: of slots, of columns */
	size_t nslots, ncolumns;
	VEC(char *) series;
	VEC(struct rise) steps;
	const char *now; /* the series that is looked at */
	char host[ASK_WHO_MAX + 1];
	double v[2 * CHANGE_COLUMNS + 2]; /* log2 of this host's percentiles */
	bool any;
	uint64_t pairs; /* hosts and series that were looked at */
	struct histsum *slots;
	struct err *err;
};

static int no_memory(const struct finder *f)
{
	return err_set(f->err, -ENOMEM, "out of memory");
}

/* -- steps -- */

static double mean(const double *v, size_t from, size_t to)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = from; i < to; i++)
		if (!isnan(v[i]))
			sum += v[i], n++;
	return n ? sum / (double)n : NAN;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The value that a share of those that are known does not exceed. */
static double share(const double *v, size_t from, size_t to, double q)
{
	double known[ARRAY_SIZE(((struct finder *)0)->v)];
	size_t n = 0;

	for (size_t i = from; i < to; i++)
		if (!isnan(v[i]))
			known[n++] = v[i];
	qsort(known, n, sizeof(*known), ascending);
	return n ? known[(size_t)(q * (double)(n - 1) + 0.5)] : NAN;
}

/* Tells whether it is a new level, and not one of the usual ups and downs. It lasts, the time before it was as long,
 * and nearly all of it is above nearly all that was before. */
static bool is_level(const struct finder *f, size_t at)
{
	size_t side = f->ncolumns / CHANGE_SIDE;

	return at >= side && f->ncolumns - at >= side && share(f->v, at, f->ncolumns, LOW) > share(f->v, 0, at, HIGH);
}

/* The host whose columns are there. */
static int end_host(struct finder *f)
{
	size_t at = f->any ? outlier_onset(f->v, f->ncolumns) : 0;
	struct rise s = { .column = at };

	f->pairs += f->any;
	f->any = false;
	if (!at || !is_level(f, at))
		return 0;
	s.octaves = mean(f->v, at, f->ncolumns) - mean(f->v, 0, at);
	for (size_t i = 0; i < f->steps.n; i++) { /* by another percentile */
		struct rise *o = &f->steps.v[i];

		if (strcmp(o->host, f->host) != 0 || strcmp(o->series, f->now) != 0)
			continue;
		if (s.octaves > o->octaves) {
			o->octaves = s.octaves;
			o->column = at;
		}
		return 0;
	}
	s.host = strdup(f->host);
	s.series = strdup(f->now);
	if (!s.host || !s.series || vec_try_push(&f->steps, s) < 0) {
		free(s.host);
		free(s.series);
		return no_memory(f);
	}
	return 0;
}

static int on_cell(void *ctx, const struct ask_cell *cell)
{
	struct finder *f = ctx;
	int e = strcmp(f->host, cell->host) != 0 ? end_host(f) : 0;

	if (!f->any) {
		snprintf(f->host, sizeof(f->host), "%s", cell->host);
		for (size_t i = 0; i < f->ncolumns; i++)
			f->v[i] = NAN;
	}
	f->any = true;
	if (cell->column < f->ncolumns && cell->count >= CHANGE_EVENTS_MIN)
		f->v[cell->column] = log2(fmax((double)rechist_middle(&ask_histdesc, (uint32_t)cell->bucket), 1));
	return e;
}

static int on_series(void *ctx, const struct ask_sum *s)
{
	struct finder *f = ctx;
	char *name = strdup(s->series);

	if (!name || vec_try_push(&f->series, name) < 0) {
		free(name);
		return no_memory(f);
	}
	return 0;
}

static int larger(const void *a, const void *b)
{
	const struct rise *x = a, *y = b;

	return (x->octaves < y->octaves) - (x->octaves > y->octaves);
}

static int find_steps(struct finder *f)
{
	int e = ask_sums(f->c, &f->w, false, on_series, f, f->err);

	for (size_t i = 0; e == 0 && i < f->series.n; i++) {
		struct ask_what w = f->w;

		f->now = w.series = f->series.v[i];
		for (size_t q = 0; e == 0 && q < ARRAY_SIZE(looked_at); q++) {
			e = ask_grid(f->c, &w, f->step, looked_at[q], on_cell, NULL, f, f->err);
			if (e == 0)
				e = end_host(f);
		}
	}
	if (f->steps.n)
		qsort(f->steps.v, f->steps.n, sizeof(*f->steps.v), larger);
	return e;
}

/* -- before and after -- */

static int on_slot(void *ctx, uint64_t time, const struct histsum *h)
{
	struct finder *f = ctx;
	uint64_t i = time < f->w.range.from ? UINT64_MAX : (time - f->w.range.from) / f->period;

	return i < f->nslots && histsum_merge(&f->slots[i], h) < 0 ? no_memory(f) : 0;
}

/* The percentile that is told: the highest that changed. */
static bool tell_quantile(const struct cmp_result *r, struct change *ch)
{
	for (size_t i = 0; i < ARRAY_SIZE(told); i++) {
		for (int q = 0; q < CMP_NQUANTILES; q++) {
			if (cmp_quantiles[q] != told[i] || !r->q[q].changed || r->q[q].value < log2(CHANGE_RATIO))
				continue;
			ch->quantile = told[i];
			ch->before = r->qa[q];
			ch->after = r->qb[q];
			return true;
		}
	}
	return false;
}

static int judge(struct finder *f, struct rise *s)
{
	const struct cmp_opts opts = {
		.min_shift = CHANGE_RATIO - 1, .min_rate = 1e6, .alpha = CHANGE_ALPHA, .npairs = f->pairs * f->ncolumns
	};
	struct ask_what w = f->w;
	size_t at = s->column * f->step / f->period;
	const struct cmp_side before = { f->slots, at }, after = { f->slots + at, f->nslots - at };
	struct cmp_result res, *v[] = { &res };
	int e;

	for (size_t i = 0; i < f->nslots; i++)
		histsum_reset(&f->slots[i]);
	w.series = s->series;
	w.nselectors = 1;
	w.selectors[0] = s->host;
	e = ask_slots(f->c, &w, on_slot, f, f->err);
	if (e == 0) {
		e = cmp_run(&ask_histdesc, &before, &after, &opts, &res);
		if (e == 0)
			e = cmp_decide(v, 1, &opts);
		e = e < 0 ? no_memory(f) : 0;
	}
	if (e < 0 || !res.changed || !tell_quantile(&res, &s->change))
		return e;
	s->real = true;
	s->change.at = w.range.from = f->w.range.from + s->column * f->step;
	return ask_blamed(f->c, &w, &s->change.blame, f->err);
}

/* -- telling -- */

static int earlier(const void *a, const void *b)
{
	const struct rise *x = a, *y = b;

	return x->change.at == y->change.at ? strcmp(x->host, y->host)
					    : (x->change.at > y->change.at) - (x->change.at < y->change.at);
}

static void put_sentence(struct change *ch)
{
	time_t t = (time_t)ch->at;
	char at[16] = "", before[UNITS_LEN], after[UNITS_LEN];
	size_t n;
	struct tm tm;

	if (localtime_r(&t, &tm))
		strftime(at, sizeof(at), "%H:%M:%S", &tm);
	units_ns((uint64_t)ch->before, before);
	units_ns((uint64_t)ch->after, after);
	n = (size_t)snprintf(ch->sentence, sizeof(ch->sentence),
			     "%s: %s p%g %.3g × what it was (%s -> %s), since %s%s%s%s%s", ch->host, ch->series,
			     100 * ch->quantile, ch->after / ch->before, before, after, at, *ch->blame.key ? ", " : "",
			     ch->blame.key, *ch->blame.cause ? ", " : "", ch->blame.cause);
	if (ch->together && n < sizeof(ch->sentence))
		n += (size_t)snprintf(ch->sentence + n, sizeof(ch->sentence) - n, "; %u other%s changed then: %s",
				      ch->together, ch->together == 1 ? "" : "s", ch->others);
	if (*ch->changed && n < sizeof(ch->sentence))
		snprintf(ch->sentence + n, sizeof(ch->sentence) - n, "; the host has changed: %s", ch->changed);
}

/* As many as there is room for, whole ones. */
static void note_other(struct change *ch, const struct rise *o)
{
	size_t n = strlen(ch->others), room = sizeof(ch->others) - n;

	if (snprintf(ch->others + n, room, "%s%s %s", n ? ", " : "", o->host, o->series) >= (int)room)
		ch->others[n] = '\0';
	ch->together++;
}

static int tell(struct finder *f, size_t n, change_fn *fn, void *ctx)
{
	struct history history = { 0 };
	int e = history_load(f->c, &f->w, &history, f->err);

	qsort(f->steps.v, n, sizeof(*f->steps.v), earlier);
	for (size_t i = 0; e == 0 && i < n; i++) {
		struct rise *s = &f->steps.v[i];

		if (!s->real)
			continue;
		for (size_t k = 0; k < n; k++) {
			const struct rise *o = &f->steps.v[k];
			uint64_t apart = o->change.at > s->change.at ? o->change.at - s->change.at
								     : s->change.at - o->change.at;

			if (k != i && o->real && apart <= 2 * f->step)
				note_other(&s->change, o);
		}
		s->change.host = s->host;
		s->change.series = s->series;
		history_about(&history, s->host, s->change.at, s->change.changed);
		put_sentence(&s->change);
		e = fn(ctx, &s->change);
	}
	history_free(&history);
	return e;
}

static void finder_free(struct finder *f)
{
	for (size_t i = 0; f->slots && i < f->nslots; i++)
		histsum_free(&f->slots[i]);
	for (size_t i = 0; i < f->series.n; i++)
		free(f->series.v[i]);
	for (size_t i = 0; i < f->steps.n; i++) {
		free(f->steps.v[i].host);
		free(f->steps.v[i].series);
	}
	free(f->slots);
	vec_free(&f->series);
	vec_free(&f->steps);
}

int change_find(struct click *c, const struct ask_what *w, change_fn *fn, void *ctx, struct err *err)
{
	struct finder f = { .c = c, .w = *w, .period = tables_hist[ask_slot(w->range)].period, .err = err };
	uint64_t length = w->range.to - w->range.from;
	size_t n;
	int e;

	f.step = ROUND_UP(length / CHANGE_COLUMNS ? length / CHANGE_COLUMNS : 1, f.period);
	f.nslots = length / f.period;
	f.ncolumns = length / f.step;
	f.slots = calloc(f.nslots + 1, sizeof(*f.slots));
	e = f.slots ? find_steps(&f) : no_memory(&f);
	n = f.steps.n < CHANGE_CANDIDATES ? f.steps.n : CHANGE_CANDIDATES;
	for (size_t i = 0; e == 0 && i < n; i++)
		e = judge(&f, &f.steps.v[i]);
	if (e == 0 && n)
		e = tell(&f, n, fn, ctx);
	finder_free(&f);
	return e;
}
