/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/askhost.h"
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/num.h"

/* The rows of histograms as one row for each bucket, with its column. */
static int put_buckets(struct strb *sql, const struct ask_what *w, uint64_t step)
{
	_cleanup_(strb_free) struct strb also = { 0 };

	ask_where(&also, w);
	strb_printf(sql, "SELECT host, intDiv(toUInt32(time) - %" PRIu64 ", %" PRIu64 ") AS col, slice, amount FROM (",
		    w->range.from, step);
	tables_newest(sql, ask_slot(w->range), w->range.from, w->range.to, strb_str(&also));
	strb_adds(sql, ") ARRAY JOIN b AS slice, k AS amount");
	return also.failed || sql->failed ? -ENOMEM : 0;
}

struct cells {
	ask_cell_fn *fn;
	void *ctx;
	struct err *err;
};

static int on_cell(void *ctx, char *const *v, size_t n)
{
	struct cells *x = ctx;
	struct ask_cell a = { .host = v[0] };

	if (n != 4 || num_parse_u64(v[1], &a.column) < 0 || num_parse_u64(v[2], &a.bucket) < 0 ||
	    num_parse_u64(v[3], &a.count) < 0)
		return ask_refuse(x->err);
	return x->fn(x->ctx, &a);
}

static int ask(struct click *c, const struct strb *sql, int e, struct cells *x)
{
	return e < 0 || sql->failed ? err_set(x->err, -ENOMEM, "out of memory")
				    : click_select(c, sql->s, on_cell, x, x->err);
}

int ask_grid(struct click *c, const struct ask_what *w, uint64_t step, double quantile, ask_cell_fn *fn, void *ctx,
	     struct err *err)
{
	_cleanup_(strb_free) struct strb sql = { 0 };
	struct cells x = { fn, ctx, err };
	int e;

	strb_printf(&sql, "SELECT host, col, quantileExactWeighted(%.4f)(slice, amount), sum(amount) FROM (", quantile);
	e = put_buckets(&sql, w, step);
	strb_adds(&sql, ") GROUP BY host, col ORDER BY host, col");
	return ask(c, &sql, e, &x);
}

int ask_heat(struct click *c, const struct ask_what *w, uint64_t step, ask_cell_fn *fn, void *ctx, struct err *err)
{
	_cleanup_(strb_free) struct strb sql = { 0 };
	struct cells x = { fn, ctx, err };
	int e;

	strb_adds(&sql, "SELECT '', col, slice, sum(amount) FROM (");
	e = put_buckets(&sql, w, step);
	strb_adds(&sql, ") GROUP BY col, slice ORDER BY col, slice");
	return ask(c, &sql, e, &x);
}

struct slots {
	ask_slot_fn *fn;
	void *ctx;
	struct histsum h;
	struct err *err;
};

static int on_slot(void *ctx, char *const *v, size_t n)
{
	struct slots *x = ctx;
	uint64_t time;

	if (n != 8 || num_parse_u64(v[1], &time) < 0 || ask_parse_hist(v + 2, &x->h) < 0)
		return ask_refuse(x->err);
	return x->fn(x->ctx, v[0], time, &x->h);
}

int ask_slots(struct click *c, const struct ask_what *w, bool by_host, ask_slot_fn *fn, void *ctx, struct err *err)
{
	_cleanup_(strb_free) struct strb sql = { 0 };
	_cleanup_(strb_free) struct strb also = { 0 };
	struct slots x = { fn, ctx, { 0 }, err };
	int e;

	ask_where(&also, w);
	strb_printf(&sql, "SELECT %s AS who, toUInt32(time) AS at, " ASK_ADDED " FROM (", by_host ? "host" : "''");
	tables_newest(&sql, ask_slot(w->range), w->range.from, w->range.to, strb_str(&also));
	strb_adds(&sql, ") GROUP BY who, at ORDER BY who, at");
	e = also.failed || sql.failed ? err_set(err, -ENOMEM, "out of memory")
				      : click_select(c, sql.s, on_slot, &x, err);
	histsum_free(&x.h);
	return e;
}

struct events {
	ask_event_fn *fn;
	void *ctx;
	struct err *err;
};

static int on_event(void *ctx, char *const *v, size_t n)
{
	struct events *x = ctx;
	struct ask_event e = { .tracker = v[0] };

	if (n != 12 || num_parse_u64(v[2], &e.delay) < 0 || num_parse_u64(v[3], &e.ended) < 0 ||
	    num_parse_u64(v[4], &e.pid) < 0 || num_parse_u64(v[5], &e.tid) < 0)
		return ask_refuse(x->err);
	e.host = v[1];
	e.comm = v[6];
	e.key = v[7];
	e.cause = v[8];
	e.class = v[9];
	e.stack = v[10];
	e.attrs = v[11];
	return x->fn(x->ctx, &e);
}

int ask_events(struct click *c, const struct ask_what *w, unsigned limit, ask_event_fn *fn, void *ctx, struct err *err)
{
	_cleanup_(strb_free) struct strb sql = { 0 };
	struct events x = { fn, ctx, err };

	strb_adds(&sql, "SELECT tracker, host, delay_ns, end_ns, p, t, co, ke, ca, cl, st, at FROM (");
	ask_slow_events(&sql, w,
			"any(ended) AS end_ns, any(pid) AS p, any(tid) AS t, any(comm) AS co, any(key) AS ke,"
			" any(cause) AS ca, any(class) AS cl, any(stack) AS st, any(attrs) AS at");
	strb_printf(&sql, ") ORDER BY delay_ns DESC, end_ns DESC, host LIMIT %u", limit);
	return sql.failed ? err_set(err, -ENOMEM, "out of memory") : click_select(c, sql.s, on_event, &x, err);
}

static int on_blame(void *ctx, char *const *v, size_t n)
{
	struct ask_blame *b = ctx;

	if (n != 2)
		return -EINVAL;
	snprintf(b->key, sizeof(b->key), "%s", v[0]);
	snprintf(b->cause, sizeof(b->cause), "%s", v[1]);
	return 0;
}

int ask_blamed(struct click *c, const struct ask_what *w, struct ask_blame *ret, struct err *err)
{
	_cleanup_(strb_free) struct strb sql = { 0 };

	*ret = (struct ask_blame){ 0 };
	strb_adds(&sql, "SELECT ke, ca FROM (");
	ask_slow_events(&sql, w, "any(key) AS ke, any(cause) AS ca");
	strb_adds(&sql, ") GROUP BY ke, ca ORDER BY sum(delay_ns) DESC, ke, ca LIMIT 1");
	return sql.failed ? err_set(err, -ENOMEM, "out of memory") : click_select(c, sql.s, on_blame, ret, err);
}
