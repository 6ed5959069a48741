/* SPDX-License-Identifier: Apache-2.0 */
/* Answers queries for histograms by time slot. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "store/file/recquery.h"
#include "store/file/read_int.h"
#include "store/file/sparse.h"

/* Lengths of slots that everything is added up to, longest first. */
static const uint64_t tiers[] = { RECFILE_HOUR_NS, RECFILE_MINUTE_NS, RECFILE_SECOND_NS };

static int fail(struct recread *r, struct err *err)
{
	return recfile_error(r->db, "the recording cannot be read", err);
}

struct filling {
	struct rec_bucket *v;
	uint32_t n;
	uint64_t count;
};

static bool fill(void *ctx, uint32_t index, uint64_t value)
{
	struct filling *f = ctx;

	if (!value)
		return false;
	f->v[f->n++] = (struct rec_bucket){ .index = index, .count = value };
	f->count += value;
	return true;
}

/* The column that st stands on: key, start, count, sum, max, flags, buckets. */
static int take_column(sqlite3_stmt *st, const struct rec_histdesc *d, struct rec_bucket *v, struct rec_column *c,
		       struct err *err)
{
	struct filling f = { .v = v };
	const char *text = (const char *)sqlite3_column_text(st, 6);

	c->key = sqlite3_column_int64(st, 0);
	c->start = (uint64_t)sqlite3_column_int64(st, 1);
	c->head.count = (uint64_t)sqlite3_column_int64(st, 2);
	c->head.sum = (uint64_t)sqlite3_column_int64(st, 3);
	c->head.max = (uint64_t)sqlite3_column_int64(st, 4);
	c->head.flags = (uint32_t)sqlite3_column_int64(st, 5);
	if (!text || !sparse_parse(text, (size_t)sqlite3_column_bytes(st, 6), d->nbuckets, fill, &f) ||
	    f.count != c->head.count)
		return err_set(err, -EINVAL, "the recording is damaged: a histogram is not what it says");
	c->head.nbuckets = f.n;
	c->buckets = v;
	return 0;
}

int recread_columns(struct recread *r, uint32_t source, uint64_t period, struct rec_range range, int64_t key,
		    rec_column_fn *fn, void *ctx, struct err *err)
{
	static const char sql[] =
		"SELECT key, start, count, sum, max, flags, buckets FROM hist WHERE source = ?1 AND period = ?2"
		" AND start >= ?3 AND start < ?4 AND (?5 < 0 OR key = ?5) ORDER BY start, key";
	const int64_t p[] = { source, (int64_t)period, (int64_t)range.from,
			      range.to > INT64_MAX ? INT64_MAX : (int64_t)range.to, key };
	struct rec_column c = { .source = source, .head.period = period };
	_cleanup_free_ struct rec_bucket *v = NULL;
	sqlite3_stmt *st = NULL;
	struct rec_histdesc d;
	int rc, e = 0;

	if (r->version < 2 || !rec_hist_source(&r->schema, source, &d))
		return 0;
	v = calloc(d.nbuckets, sizeof(*v));
	if (!v)
		return err_set(err, -ENOMEM, "out of memory");
	if (recread_statement(r, sql, &st) != SQLITE_OK)
		return fail(r, err);
	for (int i = 0; i < 5; i++)
		sqlite3_bind_int64(st, i + 1, p[i]);
	while (e == 0 && (rc = sqlite3_step(st)) != SQLITE_DONE) {
		e = rc == SQLITE_ROW ? take_column(st, &d, v, &c, err) : fail(r, err);
		if (e == 0)
			e = fn(ctx, &c);
	}
	recread_done(r, st);
	return e;
}

int recread_hist_period(struct recread *r, uint32_t source, uint64_t *ret, struct err *err)
{
	sqlite3_stmt *st = NULL;
	int64_t shortest = 0;
	int rc;

	*ret = RECFILE_SECOND_NS;
	if (r->version < 2)
		return 0;
	if (recread_statement(r, "SELECT min(period) FROM hist WHERE source = ?", &st) != SQLITE_OK)
		return fail(r, err);
	sqlite3_bind_int64(st, 1, source);
	rc = sqlite3_step(st);
	if (rc == SQLITE_ROW)
		shortest = sqlite3_column_int64(st, 0);
	recread_done(r, st);
	if (shortest > 0)
		*ret = (uint64_t)shortest;
	return rc == SQLITE_ROW ? 0 : fail(r, err);
}

static int add_column(void *ctx, const struct rec_column *c)
{
	if (c->head.flags & HIST_OPEN)
		return 0;
	return histsum_add(ctx, &c->head, c->buckets);
}

/* The slots of tier i that lie wholly in the range and are there; what is before and after them by the next tier. A
 * longer slot may be missing although its seconds are there (the recorder was killed). It may be there although they
 * are not (they were too old). So the longer ones count as far as they reach. One that was not over when it was written
 * does not. */
struct reach {
	uint64_t first, end; /* of the longer slots: first start, end of the last */
};

static int note_reach(void *ctx, const struct rec_column *c)
{
	struct reach *x = ctx;

	if (c->head.flags & HIST_OPEN)
		return 0;
	if (c->start < x->first)
		x->first = c->start;
	if (c->start + c->head.period > x->end)
		x->end = c->start + c->head.period;
	return 0;
}

static int add_tier(struct recread *r, uint32_t source, size_t i, struct rec_range range, int64_t key,
		    struct histsum *sum, struct err *err)
{
	uint64_t period = tiers[i], last = range.to - period;
	struct reach x = { UINT64_MAX, 0 };
	int e = 0;

	if (range.from >= range.to)
		return 0;
	if (i + 1 == ARRAY_SIZE(tiers))
		return recread_columns(r, source, period, range, key, add_column, sum, err);
	if (range.to >= period && range.from <= last) {
		struct rec_range whole = { range.from, last + 1 };

		e = recread_columns(r, source, period, whole, key, note_reach, &x, err);
		if (e == 0 && x.end)
			e = recread_columns(r, source, period, whole, key, add_column, sum, err);
	}
	if (e < 0)
		return e;
	if (!x.end)
		return add_tier(r, source, i + 1, range, key, sum, err);
	e = add_tier(r, source, i + 1, (struct rec_range){ range.from, x.first }, key, sum, err);
	return e < 0 ? e : add_tier(r, source, i + 1, (struct rec_range){ x.end, range.to }, key, sum, err);
}

int recread_hist(struct recread *r, uint32_t source, struct rec_range range, int64_t key, struct histsum *ret,
		 struct err *err)
{
	histsum_reset(ret);
	return add_tier(r, source, 0, range, key, ret, err);
}

int recread_hist_keys(struct recread *r, uint32_t source, rec_key_fn *fn, void *ctx, struct err *err)
{
	sqlite3_stmt *st = NULL;
	struct rec_histdesc d;
	int rc, e = 0;

	if (r->version < 2 || !rec_hist_source(&r->schema, source, &d))
		return 0;
	if (recread_statement(r, "SELECT id, text, data FROM hist_key WHERE source = ? ORDER BY id", &st) != SQLITE_OK)
		return fail(r, err);
	sqlite3_bind_int64(st, 1, source);
	while (e == 0 && (rc = sqlite3_step(st)) != SQLITE_DONE) {
		const char *text = (const char *)sqlite3_column_text(st, 1);
		bool other = sqlite3_column_type(st, 2) == SQLITE_NULL && d.key_size;
		const void *data = sqlite3_column_blob(st, 2);

		if (rc != SQLITE_ROW)
			e = fail(r, err);
		else if (!text || (!other && (size_t)sqlite3_column_bytes(st, 2) != d.key_size))
			e = err_set(err, -EINVAL, "the recording is damaged: a key is not of its size");
		else
			e = fn(ctx, sqlite3_column_int64(st, 0), text, other ? NULL : d.key_size ? data : "");
	}
	recread_done(r, st);
	return e;
}
