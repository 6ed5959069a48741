/* SPDX-License-Identifier: Apache-2.0 */
/* Heat maps out of a recording, in two passes: what there is (time, values, keys), then the cells. Values come from the
 * histograms by slot, which the tracer keyed by the events' own time; places in a period from the events' times. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/aggval.h"
#include "base/cleanup.h"
#include "base/num.h"
#include "base/strb.h"
#include "base/hash_try.h"
#include "view/form/amount.h"
#include "view/form/fieldtext.h"
#include "view/picture/heat.h"
#include "view/picture/histsrc.h"
#include "view/form/recsym.h"
#include "view/picture/timeline.h"

#define LANES_SHOWN 500 /* bytes of names in a message */

struct met { /* a key */
	UT_hash_handle hh;
	int64_t id; /* of values; else the text is what it is found by */
	char *text;
	double total;
	bool rest; /* of all keys that have none of their own in the recording */
	bool out;  /* is not drawn */
	bool chosen;
	uint32_t plane; /* of the map */
};

struct reading {
	struct recread *f;
	const struct heat_opts *opts;
	struct heat *h;
	uint32_t source;
	struct rec_histdesc desc;
	struct rec_range range;
	uint64_t wall;	      /* CLOCK_REALTIME - CLOCK_MONOTONIC */
	uint64_t step;	      /* of a column */
	uint64_t shortest;    /* slots of less than a second that the source has; or a second */
	uint64_t first, last; /* wall time of columns */
	double lo, hi;	      /* values */
	struct met *keys;
	bool found[HEAT_MAX_KEYS]; /* of the chosen ones */
	struct sym *sym;
	struct timeline *states; /* for rows of CPUs */
	struct strb text, lanes; /* lanes: names that there are */
	bool has_lane;
	struct histsum sum; /* of the column that is being read */
	uint64_t sum_at;
	bool second; /* pass */
};

static int no_memory(struct err *err)
{
	return err_set(err, -ENOMEM, "out of memory");
}

/* Whether it is drawn, and in a colour of its own. */
static void choose_key(struct reading *r, struct met *m)
{
	const struct heat_opts *o = r->opts;
	bool chosen = false;

	for (size_t i = 0; i < o->nchosen; i++)
		if (!strcmp(o->chosen[i], m->text))
			chosen = r->found[i] = true;
	m->out = (o->select == HEAT_ISOLATE && !chosen) || (o->select == HEAT_EXCLUDE && chosen);
	m->chosen = o->by_key ||
		    (chosen && (o->select == HEAT_HIGHLIGHT || (o->select == HEAT_ISOLATE && o->nchosen > 1)));
}

/* By its text, or (NULL) by its number. */
static struct met *key_of(struct reading *r, int64_t id, const char *text)
{
	struct met *m = NULL;

	if (text)
		HASH_FIND_STR(r->keys, text, m);
	else
		HASH_FIND(hh, r->keys, &id, sizeof(id), m);
	if (m)
		return m;
	m = calloc(1, sizeof(*m));
	if (!m)
		return NULL;
	m->id = id;
	m->text = strdup(text ? text : "");
	if (m->text && text)
		HASH_ADD_KEYPTR(hh, r->keys, m->text, strlen(m->text), m);
	else if (m->text)
		HASH_ADD(hh, r->keys, id, sizeof(m->id), m);
	if (!m->text || !m->hh.tbl) {
		free(m->text);
		free(m);
		return NULL;
	}
	choose_key(r, m);
	return m;
}

static void note_time(struct reading *r, uint64_t wall)
{
	r->first = wall < r->first ? wall : r->first;
	r->last = wall > r->last ? wall : r->last;
}

/* The column of a wall time; -1: outside. */
static long column_of(const struct reading *r, uint64_t wall)
{
	uint64_t c = wall >= r->h->begin_wall_ns ? (wall - r->h->begin_wall_ns) / r->h->column_ns : UINT64_MAX;

	return c < r->h->ncolumns ? (long)c : -1;
}

/* Where a time is within its period. */
static unsigned row_of(const struct reading *r, uint64_t wall)
{
	uint64_t period = r->opts->period_ns, row = (uint64_t)((double)(wall % period) / (double)period * r->h->nrows);

	return row < r->h->nrows ? (unsigned)row : r->h->nrows - 1;
}

static float *cells_of(struct reading *r, const struct met *m, long column)
{
	return r->h->keys[m->plane].cells + (size_t)column * r->h->nrows;
}

/* -- values -- */

static void bounds(const struct reading *r, uint32_t index, double *lo, double *hi)
{
	struct aggval_range b = aggval_bucket_range(r->desc.func, r->desc.param, index);

	*lo = b.has_from ? (double)b.from : b.has_to ? (double)b.to : 0;
	*hi = b.has_to ? (double)b.to : *lo;
}

/* Exact, or (of aggregations) by the middles of the buckets. */
static double average(const struct reading *r)
{
	double sum = 0;

	if (!(r->sum.flags & HIST_NO_SUM))
		return (double)r->sum.sum / (double)r->sum.count;
	for (size_t i = 0; i < r->sum.n; i++)
		sum += rechist_middle(&r->desc, r->sum.v[i].index) * (double)(int64_t)r->sum.v[i].count;
	return sum / (double)r->sum.count;
}

static void end_column(struct reading *r)
{
	long c = r->sum.count ? column_of(r, r->sum_at) : -1;
	struct heat_column *col;

	if (c >= 0) {
		col = &r->h->columns[c];
		col->p50 = histsum_quantile(&r->sum, &r->desc, 0.5);
		col->p90 = histsum_quantile(&r->sum, &r->desc, 0.9);
		col->p99 = histsum_quantile(&r->sum, &r->desc, 0.99);
		col->avg = average(r);
		r->h->by_read |= (r->sum.flags & HIST_BY_READ) != 0;
	}
	histsum_reset(&r->sum);
}

static int on_column(void *ctx, const struct rec_column *c)
{
	struct reading *r = ctx;
	uint64_t wall = c->start + r->wall;
	struct met *m = key_of(r, c->key, NULL);
	long column;
	double lo, hi;

	if (!m)
		return -ENOMEM;
	if (m->out)
		return 0;
	if (!r->second) {
		note_time(r, wall);
		m->total += (double)c->head.count;
	}
	for (uint32_t i = 0; i < c->head.nbuckets; i++) {
		bounds(r, c->buckets[i].index, &lo, &hi);
		if (!r->second) {
			r->lo = lo < r->lo ? lo : r->lo;
			r->hi = hi > r->hi ? hi : r->hi;
		} else if ((column = column_of(r, wall)) >= 0 && (int64_t)c->buckets[i].count > 0) {
			heat_spread(cells_of(r, m, column), r->h->edges, r->h->nrows, lo, hi,
				    (double)c->buckets[i].count);
		}
	}
	if (!r->second)
		return 0;
	if (column_of(r, wall) != column_of(r, r->sum_at))
		end_column(r);
	r->sum_at = wall;
	return histsum_add(&r->sum, &c->head, c->buckets);
}

static int on_key(void *ctx, int64_t key, const char *text, const void *data)
{
	struct reading *r = ctx;
	struct met *m = key_of(r, key, NULL);
	char *copy = strdup(text ? text : "other");

	if (!m || !copy) {
		free(copy);
		return -ENOMEM;
	}
	free(m->text);
	m->text = copy;
	m->rest = !data;
	choose_key(r, m);
	return 0;
}

static int choose_source(struct reading *r, struct err *err)
{
	return histsrc_choose(recread_schema(r->f), r->opts->by, "; or give --offset for the times of events",
			      &r->source, &r->desc, err);
}

static int read_values(struct reading *r, struct err *err)
{
	return recread_columns(r->f, r->source,
			       r->step < RECFILE_SECOND_NS   ? r->shortest
			       : r->step < RECFILE_MINUTE_NS ? RECFILE_SECOND_NS
			       : r->step < RECFILE_HOUR_NS   ? RECFILE_MINUTE_NS
							     : RECFILE_HOUR_NS,
			       r->range, -1, on_column, r, err);
}

/* -- places in a period -- */

/* The key of an event: the first text that it traced, or its probe. */
static const char *event_key(struct reading *r, const struct row *row)
{
	const struct rec_schema *s = recread_schema(r->f);
	const struct recfmt *fmt = s->fmts[row->id - 1];
	const struct rec_probe *p = rec_schema_probe(s, row->probe);

	strb_reset(&r->text);
	for (size_t i = 0; i < fmt->nacts; i++)
		for (size_t k = 0; k < fmt->acts[i].nfields; k++)
			if (fmt->acts[i].fields[k].kind == FLD_STRING) {
				fieldtext_add(&r->text, r->sym, &fmt->acts[i].fields[k],
					      (const uint8_t *)row->data + fmt->acts[i].fields[k].off);
				return strb_str(&r->text);
			}
	strb_printf(&r->text, "%s:%s:%s", p ? p->prov : "", p ? p->func : "", p ? p->name : "");
	return strb_str(&r->text);
}

static int on_event(void *ctx, const struct row *row)
{
	struct reading *r = ctx;
	uint64_t wall = row->ts + r->wall;
	const struct rec_probe *p = rec_schema_probe(recread_schema(r->f), row->probe);
	struct met *m;
	long c;

	if (p && !strcmp(p->prov, "dtrace")) /* BEGIN and END are not what is looked at */
		return 0;
	m = key_of(r, 0, event_key(r, row));
	if (!m)
		return -ENOMEM;
	if (m->out)
		return 0;
	if (!r->second) {
		note_time(r, wall);
		m->total++;
		return 0;
	}
	c = column_of(r, wall);
	if (c >= 0)
		cells_of(r, m, c)[row_of(r, wall)] += 1;
	return 0;
}

/* Where in each period a row ends. */
static uint64_t row_end(const struct reading *r, unsigned row)
{
	return (uint64_t)ceil((double)(row + 1) * (double)r->opts->period_ns / r->h->nrows);
}

/* n whole periods of a column. */
static void paint_periods(struct reading *r, const struct met *m, long column, uint64_t n)
{
	uint64_t begin = 0;

	for (unsigned row = 0; row < r->h->nrows; begin = row_end(r, row++))
		cells_of(r, m, column)[row] += (float)(n * (row_end(r, row) - begin));
}

/* The part of a period that is in one cell, or all whole periods that are in one column: where it ends. */
static uint64_t paint_some(struct reading *r, const struct met *m, uint64_t at, uint64_t to)
{
	uint64_t period = r->opts->period_ns, in = at % period, end, whole;
	long c = column_of(r, at);

	if (c < 0) /* after the last */
		return to;
	end = r->h->begin_wall_ns + (uint64_t)(c + 1) * r->h->column_ns;
	whole = in ? 0 : ((end < to ? end : to) - at) / period;
	if (whole) {
		paint_periods(r, m, c, whole);
		return at + whole * period;
	}
	end = at - in + row_end(r, row_of(r, at));
	end = end <= at ? at + 1 : end < to ? end : to;
	cells_of(r, m, c)[row_of(r, at)] += (float)(end - at);
	return end;
}

/* Paints a key's time from `from` to `to` over all the cells between. Wall time. */
static int paint(struct reading *r, const char *key, uint64_t from, uint64_t to)
{
	struct met *m = key_of(r, 0, key);

	if (!m)
		return -ENOMEM;
	if (m->out || to <= from)
		return 0;
	if (!r->second) {
		note_time(r, from);
		note_time(r, to - 1);
		m->total += (double)(to - from);
		return 0;
	}
	for (uint64_t at = from; at < to;)
		at = paint_some(r, m, at, to);
	return 0;
}

static int on_span(void *ctx, const struct rec_span *s)
{
	struct reading *r = ctx;

	if (!r->second && r->lanes.n < LANES_SHOWN && !strstr(strb_str(&r->lanes), s->lane))
		strb_printf(&r->lanes, "%s%s", r->lanes.n ? ", " : "", s->lane);
	if (strcmp(s->lane, r->opts->by) != 0)
		return 0;
	r->has_lane = true;
	return paint(r, s->label, (s->start > r->range.from ? s->start : r->range.from) + r->wall,
		     s->start + s->duration + r->wall);
}

/* Rows of CPUs of a recording of `dwell timeline`. */
static int paint_cpu(struct reading *r)
{
	int e = 0;

	for (size_t k = 0; r->states && k < r->states->rows.n && e == 0; k++) {
		const struct tl_row *row = &r->states->rows.v[k];

		if (row->group != TL_GROUP_CPUS)
			continue;
		if (!r->second)
			strb_printf(&r->lanes, "%s%s", r->lanes.n ? ", " : "", row->label);
		if (strcmp(row->label, r->opts->by) != 0)
			continue;
		r->has_lane = true;
		for (size_t i = 0; i < row->items.n && e == 0; i++)
			e = paint(r, r->states->texts.v[row->items.v[i].text].words, row->items.v[i].from + r->wall,
				  row->items.v[i].to + r->wall);
	}
	return e;
}

static int read_lane(struct reading *r, struct err *err)
{
	struct tl_opts all = { .from_ns = r->opts->from_ns, .to_ns = r->opts->to_ns };
	int e = recread_spans(r->f, (struct rec_range){ 0, r->range.to }, on_span, r, err);

	if (e == 0 && !r->second) {
		e = timeline_make(r->f, &all, &r->states, err);
		if (e == -EINVAL) { /* no states are recorded */
			err_done(err);
			e = 0;
		}
	}
	if (e == 0)
		e = paint_cpu(r);
	if (e == 0 && !r->has_lane)
		e = err_set(err, -EINVAL, "there is no lane '%s' of span()s in it, and no such CPU; there are: %s",
			    r->opts->by, r->lanes.n ? r->lanes.s : "none");
	return e;
}

static int read_pass(struct reading *r, struct err *err)
{
	int e = !r->opts->period_ns ? read_values(r, err)
		: r->opts->by	    ? read_lane(r, err)
				    : recread_rows(r->f, 1u << ROW_EVENT, r->range, on_event, r, err);

	return e == -ENOMEM && !err->msg[0] ? no_memory(err) : e;
}

/* -- both -- */

/* A program is back: what the note is of that told of its end ends here. False: there is none. */
static bool on_back(struct reading *r, const struct row *row)
{
	long last = column_of(r, row->ts + r->wall);

	for (long i = 0; i <= last; i++) {
		struct heat_column *c = &r->h->columns[i];

		if (c->detached != row->probe + 1)
			continue;
		c->noted = (unsigned)(last - i) + 1;
		c->detached = 0;
		return true;
	}
	return false;
}

/* A note is of the columns of its time; that a program was detached, of all that follow until it is reattached. */
static int on_note(struct reading *r, const struct row *row)
{
	uint64_t to = row->ts + r->wall, from = row->count < to ? to - row->count : 0;
	long first = column_of(r, from < r->h->begin_wall_ns ? r->h->begin_wall_ns : from), last = column_of(r, to);
	bool detached = note_is_detached(row);
	struct heat_column *c;

	if (row->id == NOTE_REATTACHED && on_back(r, row))
		return 0;
	while (detached && first >= 0 && first + 1 < (long)r->h->ncolumns && r->h->columns[first].note)
		first++; /* several are detached at once */
	c = first < 0 ? NULL : &r->h->columns[first];
	if (!c || to < r->h->begin_wall_ns || c->note)
		return 0;
	if (last < 0 || detached)
		last = (long)r->h->ncolumns - 1;
	c->note = strndup(row->data ? row->data : "", row->len);
	c->noted = (unsigned)(last - first) + 1;
	c->detached = row->id == NOTE_DETACHED ? row->probe + 1 : 0;
	return c->note ? 0 : -ENOMEM;
}

static int on_loss(void *ctx, const struct row *row)
{
	struct reading *r = ctx;
	uint64_t wall = row->ts + r->wall;
	long c = column_of(r, wall);

	if (row->kind == ROW_NOTE && row->id == NOTE_COUNTERS)
		return 0;
	if (row->kind == ROW_NOTE)
		return on_note(r, row);
	if (c < 0) /* what was counted later is of the time before */
		c = wall < r->h->begin_wall_ns ? 0 : (long)r->h->ncolumns - 1;
	if (row->kind == ROW_DROPS && rec_loss(row->id) == REC_LOST)
		r->h->columns[c].lost += row->count;
	return 0;
}

/* Chosen ones first: they are to have a plane of their own. The rest is where those are that have none. */
static int most_first(const struct met *x, const struct met *y)
{
	if (x->rest != y->rest)
		return x->rest ? 1 : -1;
	if (x->chosen != y->chosen)
		return x->chosen ? -1 : 1;
	return x->total > y->total ? -1 : x->total < y->total ? 1 : strcmp(x->text, y->text);
}

/* Gives the keys with most events planes of their own, the others one together. */
static int make_planes(struct reading *r)
{
	struct heat *h = r->h;
	size_t n = 0, i = 0, cells = (size_t)h->ncolumns * h->nrows;

	HASH_SORT(r->keys, most_first);
	for (const struct met *m = r->keys; m; m = m->hh.next)
		n += m->total > 0;
	h->nkeys = n > HEAT_MAX_KEYS ? HEAT_MAX_KEYS + 1 : n;
	h->keys = calloc(h->nkeys + 1, sizeof(*h->keys));
	if (!h->keys)
		return -ENOMEM;
	for (struct met *m = r->keys; m; m = m->hh.next) {
		struct heat_key *k = &h->keys[i < HEAT_MAX_KEYS ? i : HEAT_MAX_KEYS];

		if (!(m->total > 0))
			continue;
		m->plane = (uint32_t)(k - h->keys);
		k->total += m->total;
		k->chosen = m->chosen && i < HEAT_MAX_KEYS;
		h->total += m->total;
		if (!k->text)
			k->text = strdup(i < HEAT_MAX_KEYS ? m->text : "other");
		if (!k->cells)
			k->cells = calloc(cells, sizeof(*k->cells));
		if (!k->text || !k->cells)
			return -ENOMEM;
		i++;
	}
	return 0;
}

/* Seconds. */
static const uint64_t steps[] = { 1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14400, 43200, 86400 };

/* The first round length of columns, of whole slots of this length, with which `span` fits. */
static uint64_t fitting_step(uint64_t slot, uint64_t span)
{
	static const uint64_t shorter[] = { 2, 5, 10, 20, 50, 100, 200, 500 }; /* ms */
	uint64_t ns = slot;

	for (size_t i = 0; span / ns >= HEAT_MAX_COLUMNS && i < ARRAY_SIZE(shorter) + ARRAY_SIZE(steps); i++) {
		const uint64_t next = i < ARRAY_SIZE(shorter) ? shorter[i] * (RECFILE_SECOND_NS / 1000)
							      : steps[i - ARRAY_SIZE(shorter)] * RECFILE_SECOND_NS;

		if (next > slot && next % slot == 0)
			ns = next;
	}
	return ns;
}

/* The length of columns, and how many. */
static int lay_columns(struct reading *r, struct err *err)
{
	struct heat *h = r->h;
	uint64_t span = r->last - r->first, n;

	h->column_ns = r->step;
	if (!r->opts->step_ns && !r->opts->period_ns)
		h->column_ns = fitting_step(r->step, span);
	for (size_t i = 1; !r->opts->step_ns && r->opts->period_ns && i < ARRAY_SIZE(steps) &&
			   span / h->column_ns >= HEAT_MAX_COLUMNS;
	     i++)
		h->column_ns = steps[i] * r->opts->period_ns;
	h->begin_wall_ns = r->first / h->column_ns * h->column_ns;
	n = (r->last - h->begin_wall_ns) / h->column_ns + 1;
	if (n > HEAT_MAX_COLUMNS)
		return err_set(
			err, -EINVAL,
			"%llu columns are too many (%u): a longer --step or --offset, or less time with --from and --to",
			(unsigned long long)n, HEAT_MAX_COLUMNS);
	h->ncolumns = (unsigned)n;
	h->columns = calloc(n, sizeof(*h->columns));
	if (!h->columns)
		return no_memory(err);
	for (size_t i = 0; i < n; i++)
		h->columns[i] = (struct heat_column){ .avg = NAN, .p50 = NAN, .p90 = NAN, .p99 = NAN };
	return 0;
}

/* Buckets of quantize() are powers of two: finer rows would only tear values apart. */
static unsigned rows_of(const struct reading *r)
{
	return !r->opts->rows && !r->opts->linear && !r->desc.is_tracker && r->desc.func == AGG_QUANTIZE
		       ? 1
		       : r->opts->rows;
}

static void lay_rows(struct reading *r)
{
	struct heat *h = r->h;
	char period[AMOUNT_MAX];

	if (r->opts->period_ns) {
		h->nrows = r->opts->rows ? r->opts->rows : 100;
		h->nrows = h->nrows > HEAT_MAX_ROWS ? HEAT_MAX_ROWS : h->nrows;
		for (unsigned i = 0; i <= h->nrows; i++)
			h->edges[i] = (double)r->opts->period_ns * i / h->nrows;
		snprintf(h->unit, sizeof(h->unit), "ns");
		amount_str(period, r->opts->period_ns, "ns");
		if (r->opts->by)
			snprintf(h->title, sizeof(h->title), "%s in each %s", r->opts->by, period);
		else
			snprintf(h->title, sizeof(h->title), "When in each %s events were", period);
		return;
	}
	h->nrows = heat_edges(r->lo, r->hi, r->opts->linear, rows_of(r), h->edges);
	snprintf(h->unit, sizeof(h->unit), "%s", histsrc_unit(&r->desc));
	snprintf(h->title, sizeof(h->title), "%s%s", r->desc.is_tracker ? "" : "@", r->desc.name);
}

/* A key that was asked for and is not there. */
static int check_chosen(const struct reading *r, struct err *err)
{
	struct strb list = { 0 };
	int e = 0;

	for (const struct met *m = r->keys; m && list.n < LANES_SHOWN; m = m->hh.next)
		strb_printf(&list, "%s%s", list.n ? "; " : "", m->text[0] ? m->text : "(none)");
	for (size_t i = 0; i < r->opts->nchosen && e == 0; i++)
		if (!r->found[i])
			e = err_set(err, -EINVAL, "there is no key '%s'; there are: %s%s", r->opts->chosen[i],
				    strb_str(&list), list.n < LANES_SHOWN ? "" : " …");
	strb_free(&list);
	return e;
}

static int make(struct reading *r, struct err *err)
{
	int e = r->opts->period_ns ? recsym_new(r->f, &r->sym, err) : choose_source(r, err);

	if (e == 0 && !r->opts->period_ns)
		e = recread_hist_keys(r->f, r->source, on_key, r, err);
	if (e == 0 && !r->opts->period_ns)
		e = recread_hist_period(r->f, r->source, &r->shortest, err);
	if (e == 0 && !r->opts->period_ns && !r->opts->step_ns && r->shortest < r->step)
		r->step = r->shortest;
	if (e == 0)
		e = read_pass(r, err);
	/* Without any seconds it has minutes, or hours: a fleet's, or what is left of an old recording. */
	while (e == 0 && r->first > r->last && !r->opts->period_ns && !r->opts->step_ns && r->step < RECFILE_HOUR_NS) {
		r->step = r->step < RECFILE_SECOND_NS ? RECFILE_SECOND_NS
						      : r->step * (RECFILE_MINUTE_NS / RECFILE_SECOND_NS);
		e = read_pass(r, err);
	}
	if (e == 0)
		e = check_chosen(r, err);
	if (e == 0 && r->first > r->last)
		e = err_set(err, -EINVAL, "nothing was recorded in this time");
	if (e == 0)
		e = lay_columns(r, err);
	if (e < 0)
		return e;
	lay_rows(r);
	if (make_planes(r) < 0)
		return no_memory(err);
	r->second = true;
	e = read_pass(r, err);
	if (e == 0) {
		end_column(r);
		e = recread_rows(r->f, 1u << ROW_DROPS | 1u << ROW_NOTE, r->range, on_loss, r, err);
	}
	return e;
}

static void free_keys(struct met **all)
{
	struct met *m, *next;

	HASH_ITER (hh, *all, m, next) {
		HASH_DEL(*all, m);
		free(m->text);
		free(m);
	}
}

int heat_make(struct recread *f, const struct heat_opts *opts, struct heat **ret, struct err *err)
{
	struct reading r = { .f = f,
			     .opts = opts,
			     .range = REC_ALL_TIME,
			     .first = UINT64_MAX,
			     .lo = INFINITY,
			     .step = opts->step_ns     ? opts->step_ns
				     : opts->period_ns ? opts->period_ns
						       : RECFILE_SECOND_NS };
	uint64_t begin = recread_begun(f);
	int e;

	r.h = calloc(1, sizeof(*r.h));
	if (!r.h)
		return no_memory(err);
	r.h->counted = opts->period_ns && opts->by ? "ns" : "";
	r.h->period_ns = opts->period_ns;
	r.wall = recread_wall_off(f);
	if (opts->from_ns)
		r.range.from = begin + opts->from_ns;
	if (opts->to_ns)
		r.range.to = begin + opts->to_ns;
	e = make(&r, err);
	free_keys(&r.keys);
	timeline_free(r.states);
	strb_free(&r.text);
	strb_free(&r.lanes);
	histsum_free(&r.sum);
	sym_free(r.sym);
	if (e < 0)
		heat_free(r.h);
	else
		*ret = r.h;
	return e;
}
