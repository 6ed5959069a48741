/* SPDX-License-Identifier: Apache-2.0 */
/* Printing aggregations: sorting as DTrace sorts (by value, then key; -x aggsort… options), one or
 * several aggregations joined by their keys, default form or format. */
#include <string.h>
#include "base/cleanup.h"
#include "view/text/int.h"

/* One row to be printed: a key and its value in each aggregation (NULL: none there). */
struct agg_row {
	const uint8_t *key;
	const uint64_t **values; /* naggs of them */
	const uint64_t **percpu; /* the same by CPU, with -x aggpercpu; or NULL */
	struct agg_rank *ranks;	 /* naggs of them */
	uint64_t lead;		 /* of the key that sorts first: decides most comparisons without the keys */
};

struct agg_table {
	struct text_view *v;
	const struct aggdesc *const *aggs;
	size_t naggs;
	struct agg_row *rows;
	const uint64_t **values; /* memory of all rows' values, and of percpu after them */
	struct agg_rank *ranks;
	size_t nrows;
};

/* The key that sorts first: -x aggsortkeypos. */
static size_t first_key(const struct agg_table *t)
{
	int64_t pos = t->v->opts.aggsortkeypos;

	return pos > 0 && (uint64_t)pos < t->aggs[0]->nkeys ? (size_t)pos : 0;
}

static int key_cmp(const struct agg_table *t, const struct agg_row *ra, const struct agg_row *rb)
{
	const struct aggdesc *d = t->aggs[0];
	const uint8_t *a = ra->key, *b = rb->key;
	size_t first = first_key(t);

	if (ra->lead != rb->lead)
		return ra->lead < rb->lead ? -1 : 1;
	for (size_t i = 0; i < d->nkeys; i++) {
		const struct recfield *f = &d->keys[(first + i) % d->nkeys];
		int c = aggstate_key_field_cmp(f, a + f->off, b + f->off);

		if (c)
			return c;
	}
	return 0;
}

static int value_cmp(const struct agg_row *a, const struct agg_row *b, size_t n)
{
	if (!a->values[n] || !b->values[n])
		return a->values[n] ? 1 : b->values[n] ? -1 : 0;
	return aggstate_rank_cmp(&a->ranks[n], &b->ranks[n]);
}

/* Values first, beginning with the aggregation of -x aggsortpos; keys break ties, or lead. */
static int row_cmp(const void *pa, const void *pb, void *arg)
{
	const struct agg_row *a = pa, *b = pb;
	const struct agg_table *t = arg;
	const struct text_opts *o = &t->v->opts;
	int64_t pos = o->aggsortpos;
	size_t first = pos > 0 && (uint64_t)pos < t->naggs ? (size_t)pos : 0;
	int c = o->aggsortkey ? key_cmp(t, a, b) : 0;

	for (size_t i = 0; i < t->naggs && c == 0; i++) {
		size_t n = i == 0 ? first : i <= first ? i - 1 : i;

		c = value_cmp(a, b, n);
	}
	if (c == 0)
		c = key_cmp(t, a, b);
	return o->aggsortrev ? -c : c;
}

static int cmp_keys_only(const void *pa, const void *pb, void *arg)
{
	const struct agg_row *a = pa, *b = pb;
	const struct agg_table *t = arg;

	return memcmp(a->key, b->key, t->aggs[0]->key_size);
}

/* Rows with equal keys (of different aggregations) become one. */
static void join_rows(struct agg_table *t)
{
	size_t n = 0;

	qsort_r(t->rows, t->nrows, sizeof(*t->rows), cmp_keys_only, t);
	for (size_t i = 0; i < t->nrows; i++) {
		if (n && cmp_keys_only(&t->rows[n - 1], &t->rows[i], t) == 0) {
			for (size_t k = 0; k < t->naggs; k++)
				if (t->rows[i].values[k]) {
					t->rows[n - 1].values[k] = t->rows[i].values[k];
					t->rows[n - 1].percpu[k] = t->rows[i].percpu[k];
				}
		} else {
			t->rows[n++] = t->rows[i];
		}
	}
	t->nrows = n;
}

/* -x aggtop: those that sort last, or first where the order is turned. */
static void keep_top(struct agg_table *t)
{
	const struct text_opts *o = &t->v->opts;
	size_t left_out;

	if (o->aggtop <= 0 || (uint64_t)o->aggtop >= t->nrows)
		return;
	left_out = t->nrows - (size_t)o->aggtop;
	if (!o->aggsortrev)
		memmove(t->rows, t->rows + left_out, (size_t)o->aggtop * sizeof(*t->rows));
	t->nrows = (size_t)o->aggtop;
}

static int table_fill(struct agg_table *t)
{
	size_t total = 0, n = 0;

	for (size_t k = 0; k < t->naggs; k++) {
		const struct agg_entry *e;

		total += aggstate_entries(t->v->aggs, t->aggs[k]->id, &e);
	}
	t->rows = calloc(total + 1, sizeof(*t->rows));
	t->values = calloc(2 * total * t->naggs + 1, sizeof(*t->values));
	t->ranks = calloc(total * t->naggs + 1, sizeof(*t->ranks));
	if (!t->rows || !t->values || !t->ranks)
		return -ENOMEM;
	for (size_t k = 0; k < t->naggs; k++) {
		const struct agg_entry *e;
		size_t ne = aggstate_entries(t->v->aggs, t->aggs[k]->id, &e);

		for (size_t i = 0; i < ne && n < total; i++, n++) {
			t->rows[n].key = e[i].key;
			t->rows[n].values = t->values + n * t->naggs;
			t->rows[n].ranks = t->ranks + n * t->naggs;
			t->rows[n].values[k] = e[i].value;
			t->rows[n].percpu = t->values + (total + n) * t->naggs;
			t->rows[n].percpu[k] = e[i].percpu;
		}
	}
	t->nrows = n;
	if (t->naggs > 1)
		join_rows(t);
	for (size_t i = 0; i < t->nrows; i++) {
		if (t->aggs[0]->nkeys) {
			const struct recfield *f = &t->aggs[0]->keys[first_key(t)];

			t->rows[i].lead = aggstate_key_field_lead(f, t->rows[i].key + f->off);
		}
		for (size_t k = 0; k < t->naggs; k++)
			if (t->rows[i].values[k])
				t->rows[i].ranks[k] = aggstate_rank(t->aggs[k], t->rows[i].values[k]);
	}
	qsort_r(t->rows, t->nrows, sizeof(*t->rows), row_cmp, t);
	keep_top(t);
	return 0;
}

/* -x aggpercpu: a line for each CPU. Layout: DTrace for Linux. */
static void cpu_values(const struct agg_table *t, const struct agg_row *row, size_t k, int64_t normal)
{
	const struct aggdesc *d = t->aggs[k];

	for (unsigned cpu = 0; row->percpu[k] && cpu < t->v->schema->ncpus; cpu++) {
		text_printf(t->v, "\n    [CPU %u]", cpu);
		text_aggvalue(t->v, d, row->percpu[k] + cpu * (d->value_size / sizeof(uint64_t)), normal);
	}
}

static void row_default(const struct agg_table *t, const struct agg_row *row)
{
	const struct aggdesc *d = t->aggs[0];

	for (size_t i = 0; i < d->nkeys; i++)
		text_datum_key(t->v, &d->keys[i], row->key + d->keys[i].off);
	for (size_t k = 0; k < t->naggs; k++) {
		int64_t normal = aggstate_normal(t->v->aggs, t->aggs[k]->id);

		text_aggvalue(t->v, t->aggs[k], row->values[k], normal);
		if (t->v->opts.aggpercpu)
			cpu_values(t, row, k, normal);
	}
	text_printf(t->v, "\n");
}

static void row_format(const struct agg_table *t, const struct agg_row *row, const char *fmt, size_t len)
{
	const struct aggdesc *d = t->aggs[0];
	_cleanup_free_ struct datum *data = calloc(d->nkeys + 1, sizeof(*data));
	_cleanup_free_ struct aggval *vals = calloc(t->naggs, sizeof(*vals));

	if (!data || !vals)
		return;
	for (size_t i = 0; i < d->nkeys; i++)
		data[i] = (struct datum){ &d->keys[i], row->key + d->keys[i].off };
	for (size_t k = 0; k < t->naggs; k++)
		vals[k] = (struct aggval){ t->aggs[k], row->values[k], aggstate_normal(t->v->aggs, t->aggs[k]->id) };
	text_format(t->v, fmt, len, data, d->nkeys, vals, t->naggs);
}

/* False when nothing more is to be printed: row i and all others are lost. */
static bool go_on(const struct agg_table *t, size_t i)
{
	if (!text_is_cut(t->v))
		return true;
	t->v->agg_lost[t->aggs[0]->id] += t->nrows - i;
	return false;
}

static void print_packed(const struct agg_table *t)
{
	_cleanup_free_ struct packed_row *rows = calloc(t->nrows + 1, sizeof(*rows));

	for (size_t i = 0; rows && i < t->nrows; i++)
		rows[i] = (struct packed_row){ t->rows[i].key, t->rows[i].values[0] };
	if (rows && go_on(t, 0))
		text_packed(t->v, t->aggs[0], rows, t->nrows, aggstate_normal(t->v->aggs, t->aggs[0]->id));
}

static void table_done(struct agg_table *t)
{
	free(t->rows);
	free(t->values);
	free(t->ranks);
}

void text_agg_rows(struct text_view *v, const struct aggdesc *const *aggs, size_t naggs, text_row_fn *fn, void *ctx)
{
	struct agg_table t = { .v = v, .aggs = aggs, .naggs = naggs };

	if (naggs && table_fill(&t) < 0)
		text_msg(v, "out of memory while printing aggregations");
	else
		for (size_t i = 0; i < t.nrows && go_on(&t, i); i++)
			fn(ctx, t.rows[i].key, (const uint64_t *const *)t.rows[i].values);
	table_done(&t);
}

static void print_table(struct text_view *v, const struct aggdesc *const *aggs, size_t naggs, const char *fmt,
			size_t len)
{
	struct agg_table t = { .v = v, .aggs = aggs, .naggs = naggs };

	if (table_fill(&t) < 0) {
		text_msg(v, "out of memory while printing aggregations");
	} else if (!fmt && naggs == 1 && text_is_packed(v, aggs[0])) {
		print_packed(&t);
	} else {
		for (size_t i = 0; i < t.nrows && go_on(&t, i); i++) {
			if (fmt)
				row_format(&t, &t.rows[i], fmt, len);
			else
				row_default(&t, &t.rows[i]);
		}
	}
	table_done(&t);
}

void text_mark_printed(struct text_view *v, const struct recact *act)
{
	const struct agg_entry *e;
	bool any = false; /* what is empty now is still printed at the end, as in DTrace */

	for (size_t k = 0; k < act->naggs; k++)
		any |= aggstate_entries(v->aggs, act->aggs[k]->id, &e) > 0;
	for (size_t k = 0; k < act->naggs && any; k++)
		v->agg_printed[act->aggs[k]->id] = true;
}

void text_printa(struct text_view *v, const struct recact *act)
{
	if (act->naggs == 0)
		return;
	text_mark_printed(v, act);
	if (text_send_aggs(v, act->aggs, act->naggs, act))
		return;
	if (!act->fmt)
		text_printf(v, "\n");
	print_table(v, act->aggs, act->naggs, act->fmt, act->fmt_len);
}

void text_print_unprinted(struct text_view *v)
{
	size_t n = v->schema->naggs;

	for (size_t k = 0; k < n; k++) { /* -x aggsortrev: they too, as they are part of what is sorted */
		size_t i = v->opts.aggsortrev ? n - 1 - k : k;

		if (!v->agg_printed[i] && !text_send_aggs(v, &v->schema->aggs[i], 1, NULL))
			print_table(v, &v->schema->aggs[i], 1, NULL, 0);
	}
}
