/* SPDX-License-Identifier: Apache-2.0 */
/* Computes what aggregations gained over the run, however often the program cleared, truncated or printed them.
 * Fills a temporary table, since that takes a walk over all rows. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include "base/aggval.h"
#include "base/cleanup.h"
#include "base/jsonw.h"
#include "base/recnames.h"
#include "store/aggstate.h"
#include "store/file/keytext.h"
#include "store/sql/int.h"

#define STOP_ROWS 1024 /* between two questions whether to stop */

/* Columns of RECSQL_AGGS, from 1. */
enum { NAME = 1, FUNCTION, KEY, KEYS, VALUE, EVENTS, SUM, BUCKETS, KSTACK, USTACK, REST, NCOLUMNS = REST };

static void bind(sqlite3_stmt *st, int col, const struct strb *b)
{
	if (b->n)
		sqlite3_bind_text(st, col, b->s, (int)b->n, SQLITE_TRANSIENT);
}

static void put_key(struct recsql *s, sqlite3_stmt *st, const struct aggdesc *d, const uint8_t *key)
{
	_cleanup_(strb_free) struct strb all = { 0 }, json = { 0 }, rest = { 0 }, one = { 0 };
	struct jsonw w = jsonw_to(&json);

	jsonw_array(&w, NULL);
	for (size_t i = 0; i < d->nkeys; i++) {
		const struct recfield *f = &d->keys[i];
		bool is_stack = f->kind == FLD_STACK || f->kind == FLD_USTACK;
		struct strb *also[] = { &all, is_stack ? NULL : &rest };

		strb_reset(&one);
		if (s->words.field)
			s->words.field(s->words.ctx, &one, f, key + f->off);
		else
			keytext_value(&one, f, key + f->off);
		for (size_t k = 0; k < ARRAY_SIZE(also); k++)
			if (also[k])
				strb_printf(also[k], "%s%s", also[k]->n ? ", " : "", strb_str(&one));
		if (f->kind == FLD_INT && f->is_signed)
			jsonw_i64(&w, NULL, (int64_t)recfield_u64(f, key + f->off));
		else if (f->kind == FLD_INT)
			jsonw_u64(&w, NULL, recfield_u64(f, key + f->off));
		else
			jsonw_strn(&w, NULL, strb_str(&one), one.n);
		if (is_stack)
			bind(st, f->kind == FLD_STACK ? KSTACK : USTACK, &one);
	}
	jsonw_end_array(&w);
	bind(st, KEY, &all);
	bind(st, KEYS, &json);
	bind(st, REST, &rest);
}

/* Square root of the variance, of 128-bit sums. */
static double deviation(const struct aggdesc *d, const uint64_t *v)
{
	long double n = (long double)v[0], sum = d->is_signed ? (long double)(int64_t)v[1] : (long double)v[1];
	long double squares = (long double)v[3] * 0x1p64L + (long double)v[2], mean = sum / n;

	return (double)sqrtl(fmaxl(squares / n - mean * mean, 0));
}

/* [[from, to, how many], …] of the buckets that have some; null: no bound. */
static void put_buckets(sqlite3_stmt *st, const struct aggdesc *d, const uint64_t *v)
{
	_cleanup_(strb_free) struct strb b = { 0 };
	struct jsonw w = jsonw_to(&b);
	unsigned n = aggval_nbuckets(d->func, d->param);

	jsonw_array(&w, NULL);
	for (unsigned i = 0; i < n && (i + 2) * sizeof(*v) <= d->value_size; i++) {
		struct aggval_range r = aggval_bucket_range(d->func, d->param, i);

		if (!v[1 + i])
			continue;
		jsonw_array(&w, NULL);
		if (r.has_from)
			jsonw_i64(&w, NULL, r.from);
		else
			jsonw_null(&w, NULL);
		if (r.has_to)
			jsonw_i64(&w, NULL, r.to);
		else
			jsonw_null(&w, NULL);
		jsonw_i64(&w, NULL, (int64_t)v[1 + i]);
		jsonw_end_array(&w);
	}
	jsonw_end_array(&w);
	bind(st, BUCKETS, &b);
}

static void put_value(sqlite3_stmt *st, const struct aggdesc *d, const uint64_t *v)
{
	bool has_sum = d->func == AGG_SUM || d->func == AGG_AVG || d->func == AGG_STDDEV;

	sqlite3_bind_int64(st, EVENTS, (int64_t)v[0]);
	if (has_sum)
		sqlite3_bind_int64(st, SUM, (int64_t)v[1]);
	switch (d->func) {
	case AGG_COUNT: sqlite3_bind_int64(st, VALUE, (int64_t)v[0]); break;
	case AGG_SUM:
	case AGG_MIN:
	case AGG_MAX: sqlite3_bind_int64(st, VALUE, (int64_t)v[1]); break;
	case AGG_AVG:
		sqlite3_bind_double(st, VALUE, (d->is_signed ? (double)(int64_t)v[1] : (double)v[1]) / (double)v[0]);
		break;
	case AGG_STDDEV: sqlite3_bind_double(st, VALUE, deviation(d, v)); break;
	default: put_buckets(st, d, v); break;
	}
}

static int put_all(struct recsql *s, struct aggstate *state, struct err *err)
{
	const struct rec_schema *schema = &s->r->schema;
	const struct agg_entry *v;
	sqlite3_stmt *st = NULL;
	int rc = sqlite3_prepare_v2(s->r->db, "INSERT INTO temp." RECSQL_AGGS " VALUES(?,?,?,?,?,?,?,?,?,?,?)", -1, &st,
				    NULL);

	for (size_t a = 0; a < schema->naggs && rc == SQLITE_OK; a++) {
		const struct aggdesc *d = schema->aggs[a];
		size_t n = aggstate_entries(state, (uint32_t)a, &v);

		for (size_t i = 0; i < n && rc == SQLITE_OK; i++) {
			if (!v[i].value[0])
				continue;
			sqlite3_reset(st);
			sqlite3_clear_bindings(st);
			sqlite3_bind_text(st, NAME, d->name, -1, SQLITE_STATIC);
			sqlite3_bind_text(st, FUNCTION, rec_agg_name(d->func), -1, SQLITE_STATIC);
			put_key(s, st, d, v[i].key);
			put_value(st, d, v[i].value);
			rc = sqlite3_step(st) == SQLITE_DONE ? SQLITE_OK : SQLITE_ERROR;
		}
	}
	rc = rc == SQLITE_OK ? 0
	     : s->stopped    ? err_set(err, -EINTR, "interrupted")
			     : recfile_error(s->r->db, "aggregations cannot be put together", err);
	sqlite3_finalize(st);
	return rc;
}

static int gather(struct recsql *s, struct aggstate *state, struct err *err)
{
	struct row row;
	unsigned n = 0;
	struct step step;

	while ((step = recread_next(s->r, &row, err)).more) {
		if (++n % STOP_ROWS == 0 && s->words.stop && s->words.stop(s->words.ctx))
			return err_set(err, -EINTR, "interrupted");
		if (row.kind == ROW_AGG && aggstate_apply(state, &row) < 0)
			return err_set(err, -ENOMEM, "out of memory");
	}
	return step.error;
}

int recsql_fill_aggs(struct recsql *s, struct err *err)
{
	struct aggstate *state = NULL;
	int e;

	if (!s->r->schema.naggs)
		return 0;
	if (aggstate_new(&s->r->schema, &state) < 0)
		return err_set(err, -ENOMEM, "out of memory");
	s->inside = true;
	sqlite3_exec(s->r->db, "DELETE FROM temp." RECSQL_AGGS, NULL, NULL, NULL); /* after an interrupted statement */
	sqlite3_reset(s->r->rows);
	e = gather(s, state, err);
	if (e == 0)
		e = put_all(s, state, err);
	s->inside = false;
	s->have_aggs = e == 0;
	aggstate_free(state);
	return e;
}
