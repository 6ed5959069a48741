/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about slow events: causes, threads, stacks. The store may have an event twice. Grouping events by their
 * keys takes ten times as long as adding them up. So the first statement adds them up as they are, and counts those
 * that are stored twice. If there are any, a second statement groups by key. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/num.h"
#include "fleet/ask/host.h"
#include "latency/cause/causes.h"

/* Seconds of a stretch in which events stored twice are counted: the hashes of a day do not fit into a cache. */
#define TWICE_S "60"

/* Columns of an event, beside delay_ns. */
enum { KEY, COMM, CAUSE, STACK, ENDED, PID, TID, CLASS, ATTRS, NCOLUMNS };
static const char *const columns[NCOLUMNS][2] = { { "key", "ke" },   { "comm", "co" },	{ "cause", "ca" },
						  { "stack", "st" }, { "ended", "en" }, { "pid", "pi" },
						  { "tid", "ti" },   { "class", "cl" }, { "attrs", "at" } };

static void put_conditions(struct strb *sql, const struct ask_what *w)
{
	strb_printf(sql,
		    " FROM slow WHERE day >= toDate(toDateTime(%" PRIu64 ")) AND day <= toDate(toDateTime(%" PRIu64
		    ")) AND time >= toDateTime(%" PRIu64 ") AND time < toDateTime(%" PRIu64 ")",
		    w->range.from, w->range.to, w->range.from, w->range.to);
	ask_where(sql, w, "tracker");
	for (unsigned i = 0; i < CAUSE_NCLASSES && !w->idle; i++)
		if (cause_is_idle(i))
			strb_printf(sql, " AND class != '%s'", cause_class_name(i));
}

struct asking {
	const struct ask_what *w;
	unsigned columns; /* of an event, as bits */
	unsigned by;	  /* of enum ask_by */
	unsigned limit;	  /* rows; 0: none */
	bool merged;	  /* an event that is there twice counts once */
	/* A SELECT with the column "0 AS tag" first, and all other columns named. */
	void (*put)(struct strb *sql, const struct asking *a);
	const char *none;  /* the other columns, without a value, but for "twice": how many are there twice */
	const char *order; /* of the rows, and no two have the same */
	click_row_fn *row; /* without the tag */
	void *ctx;
	bool twice;
	struct err *err;
};

/* A SELECT of tracker, site, host, delay_ns and the columns. */
static void put_events(struct strb *sql, const struct asking *a)
{
	strb_printf(sql, "SELECT tracker, site, host, %s AS delay_ns", a->merged ? "any(delay)" : "delay");
	for (unsigned i = 0; i < NCOLUMNS; i++)
		if (a->columns & 1u << i)
			strb_printf(sql, a->merged ? ", any(%s) AS %s" : ", %s AS %s", columns[i][0], columns[i][1]);
	put_conditions(sql, a->w);
	strb_adds(sql, a->merged ? " GROUP BY tracker, site, host, recording, id" : "");
}

static void put_statement(struct strb *sql, const struct asking *a)
{
	strb_adds(sql, "SELECT * FROM (");
	a->put(sql, a);
	if (!a->merged) {
		strb_printf(sql,
			    " UNION ALL SELECT toUInt8(1) AS tag, %s FROM (SELECT toUInt64(sum(n) - sum(u)) AS"
			    " twice FROM (SELECT intDiv(toUInt32(time), " TWICE_S ") AS slot, count() AS n,"
			    " uniqExact(cityHash64(tracker, site, host, recording, id)) AS u",
			    a->none);
		put_conditions(sql, a->w);
		strb_adds(sql, " GROUP BY slot))");
	}
	strb_printf(sql, ") ORDER BY tag DESC, %s", a->order);
	if (a->limit)
		strb_printf(sql, " LIMIT %u", a->limit + !a->merged);
}

/* The row with the tag 1 is the first. Its last column is how many events are there twice. */
static int on_row(void *ctx, char *const *v, size_t n)
{
	struct asking *a = ctx;

	if (n < 2 || (a->merged && strcmp(v[0], "0") != 0))
		return ask_refuse(a->err);
	if (!strcmp(v[0], "0"))
		return a->row(a->ctx, v + 1, n - 1);
	a->twice = strcmp(v[n - 1], "0") != 0;
	return a->twice ? -EAGAIN : 0;
}

static int ask_all(struct click *c, struct asking *a)
{
	int e;

	do {
		_cleanup_(strb_free) struct strb sql = { 0 };

		a->merged = a->twice;
		a->twice = false;
		put_statement(&sql, a);
		e = sql.failed ? err_set(a->err, -ENOMEM, "out of memory") : click_select(c, sql.s, on_row, a, a->err);
	} while (a->twice);
	return e;
}

/* -- by cause -- */

struct causes {
	ask_cause_fn *fn;
	void *ctx;
	struct err *err;
};

static int on_cause(void *ctx, char *const *v, size_t n)
{
	struct causes *x = ctx;
	struct ask_cause a = { .tracker = v[0], .cause = n > 1 ? v[1] : "" };

	if (n != 6 || num_parse_u64(v[2], &a.hosts) < 0 || num_parse_u64(v[3], &a.total) < 0 ||
	    num_parse_u64(v[4], &a.max) < 0 || num_parse_u64(v[5], &a.events) < 0)
		return ask_refuse(x->err);
	return x->fn(x->ctx, &a);
}

static void put_causes(struct strb *sql, const struct asking *a)
{
	strb_adds(sql, "SELECT toUInt8(0) AS tag, tracker, ca, uniqExact(site, host) AS nhosts, sum(delay_ns) AS total,"
		       " max(delay_ns) AS most, count() AS n FROM (");
	put_events(sql, a);
	strb_adds(sql, ") GROUP BY tracker, ca");
}

int ask_causes(struct click *c, const struct ask_what *w, unsigned limit, ask_cause_fn *fn, void *ctx, struct err *err)
{
	struct causes x = { fn, ctx, err };
	struct asking a = { .w = w,
			    .columns = 1u << CAUSE,
			    .limit = limit,
			    .put = put_causes,
			    .none = "'' AS tracker, '' AS ca, toUInt64(0) AS nhosts, toUInt64(0) AS total,"
				    " toUInt64(0) AS most, twice AS n",
			    .order = "total DESC, tracker, ca",
			    .row = on_cause,
			    .ctx = &x,
			    .err = err };

	return ask_all(c, &a);
}

/* -- by several columns -- */

const char *const ask_by_names[ASK_NBY] = { "host", "tracker", "key", "comm", "cause" };

struct shares {
	ask_share_fn *fn;
	void *ctx;
	unsigned by;
	struct err *err;
};

static int on_share(void *ctx, char *const *v, size_t n)
{
	struct shares *x = ctx;
	struct ask_share s = { 0 };
	size_t at = 0;

	for (unsigned i = 0; i < ASK_NBY; i++)
		if (x->by & 1u << i && at < n)
			s.by[i] = v[at++];
	if (n != at + 4 || num_parse_u64(v[at + 1], &s.total) < 0 || num_parse_u64(v[at + 2], &s.max) < 0 ||
	    num_parse_u64(v[at + 3], &s.events) < 0)
		return ask_refuse(x->err);
	s.cause = v[at];
	return x->fn(x->ctx, &s);
}

/* How each of enum ask_by is called: in events, and in the answer. */
static const char *const by_events[ASK_NBY] = { "site, host", "tracker", "ke", "co", "ca" },
			 *const by_answer[ASK_NBY] = { "who", "tracker", "ke", "co", "ca" };

static void put_list(struct strb *sql, unsigned by, const char *const names[ASK_NBY])
{
	bool first = true;

	for (unsigned i = 0; i < ASK_NBY; i++) {
		if (!(by & 1u << i))
			continue;
		strb_printf(sql, "%s%s", first ? "" : ", ", names[i]);
		first = false;
	}
}

/* By these columns and by cause, and of those the cause that most of the time went to. */
static void put_shares(struct strb *sql, const struct asking *a)
{
	static const char *const shown[ASK_NBY] = { TABLES_WHO " AS who", "tracker", "ke", "co", "ca" };

	strb_adds(sql, "SELECT toUInt8(0) AS tag, ");
	put_list(sql, a->by, shown);
	strb_adds(sql, ", argMax(ca_, t_) AS why, sum(t_) AS total, max(m_) AS most, sum(n_) AS n FROM (SELECT ");
	put_list(sql, a->by, by_events);
	strb_adds(sql, ", ca AS ca_, count() AS n_, sum(delay_ns) AS t_, max(delay_ns) AS m_ FROM (");
	put_events(sql, a);
	strb_adds(sql, ") GROUP BY ");
	put_list(sql, a->by, by_events);
	strb_adds(sql, a->by & 1u << ASK_CAUSE ? "" : ", ca");
	strb_adds(sql, ") GROUP BY ");
	put_list(sql, a->by, by_answer);
}

int ask_shares(struct click *c, const struct ask_what *w, unsigned by, unsigned limit, ask_share_fn *fn, void *ctx,
	       struct err *err)
{
	static const char *const empty[ASK_NBY] = { "'' AS who", "'' AS tracker", "'' AS ke", "'' AS co", "'' AS ca" };
	_cleanup_(strb_free) struct strb none = { 0 };
	_cleanup_(strb_free) struct strb order = { 0 };
	struct shares x = { fn, ctx, by, err };
	struct asking a = { .w = w,
			    .columns = 1u << KEY | 1u << COMM | 1u << CAUSE,
			    .by = by,
			    .limit = limit,
			    .put = put_shares,
			    .row = on_share,
			    .ctx = &x,
			    .err = err };

	put_list(&none, by, empty);
	strb_adds(&none, ", '' AS why, toUInt64(0) AS total, toUInt64(0) AS most, twice AS n");
	strb_adds(&order, "total DESC, ");
	put_list(&order, by, by_answer);
	a.none = strb_str(&none);
	a.order = strb_str(&order);
	return none.failed || order.failed ? err_set(err, -ENOMEM, "out of memory") : ask_all(c, &a);
}

/* -- by stack -- */

struct stacks {
	ask_stack_fn *fn;
	void *ctx;
	struct err *err;
};

static int on_stack(void *ctx, char *const *v, size_t n)
{
	struct stacks *x = ctx;
	uint64_t ns = 0;

	if (n != 2 || num_parse_u64(v[1], &ns) < 0)
		return ask_refuse(x->err);
	return x->fn(x->ctx, v[0], ns);
}

/* Stacks are turned round when they are added up. */
static void put_stacks(struct strb *sql, const struct asking *a)
{
	strb_adds(sql,
		  "SELECT toUInt8(0) AS tag, arrayStringConcat(arrayReverse(splitByChar(';', concat(st, ';', co))),"
		  " ';') AS folded, sum(t_) AS total FROM (SELECT st, co, sum(delay_ns) AS t_ FROM (");
	put_events(sql, a);
	strb_adds(sql, ") GROUP BY st, co) GROUP BY folded");
}

int ask_stacks(struct click *c, const struct ask_what *w, ask_stack_fn *fn, void *ctx, struct err *err)
{
	struct stacks x = { fn, ctx, err };
	struct asking a = { .w = w,
			    .columns = 1u << STACK | 1u << COMM,
			    .put = put_stacks,
			    .none = "'' AS folded, twice AS total",
			    .order = "folded",
			    .row = on_stack,
			    .ctx = &x,
			    .err = err };

	return ask_all(c, &a);
}

/* -- single ones -- */

struct events {
	ask_event_fn *fn;
	void *ctx;
	struct err *err;
};

static int on_event(void *ctx, char *const *v, size_t n)
{
	struct events *x = ctx;
	struct ask_event e = { .tracker = v[0] };

	if (n != 12 || num_parse_u64(v[2], &e.ended) < 0 || num_parse_u64(v[3], &e.pid) < 0 ||
	    num_parse_u64(v[4], &e.tid) < 0 || num_parse_u64(v[11], &e.delay) < 0)
		return ask_refuse(x->err);
	e.host = v[1];
	e.comm = v[5];
	e.key = v[6];
	e.cause = v[7];
	e.class = v[8];
	e.stack = v[9];
	e.attrs = v[10];
	return x->fn(x->ctx, &e);
}

/* Without the first condition the server would read the stacks of all events. */
static void put_longest(struct strb *sql, const struct asking *a)
{
	strb_adds(sql, "SELECT toUInt8(0) AS tag, tracker, " TABLES_WHO
		       " AS who, en, pi, ti, co, ke, ca, cl, st, at, delay_ns FROM (");
	put_events(sql, a);
	if (!a->merged) {
		strb_adds(sql, " AND delay >= (SELECT min(d) FROM (SELECT delay AS d");
		put_conditions(sql, a->w);
		strb_printf(sql, " ORDER BY d DESC LIMIT %u))", a->limit);
	}
	strb_addc(sql, ')');
}

int ask_events(struct click *c, const struct ask_what *w, unsigned limit, ask_event_fn *fn, void *ctx, struct err *err)
{
	struct events x = { fn, ctx, err };
	struct asking a = { .w = w,
			    .columns = (1u << NCOLUMNS) - 1,
			    .limit = limit,
			    .put = put_longest,
			    .none = "'' AS tracker, '' AS who, toUInt64(0) AS en, toUInt32(0) AS pi, toUInt32(0) AS ti,"
				    " '' AS co, '' AS ke, '' AS ca, '' AS cl, '' AS st, '' AS at, twice AS delay_ns",
			    .order = "delay_ns DESC, en DESC, who",
			    .row = on_event,
			    .ctx = &x,
			    .err = err };

	return ask_all(c, &a);
}

static int on_blame(void *ctx, char *const *v, size_t n)
{
	struct ask_blame *b = ctx;

	if (n != 3)
		return -EINVAL;
	snprintf(b->key, sizeof(b->key), "%s", v[0]);
	snprintf(b->cause, sizeof(b->cause), "%s", v[1]);
	return 0;
}

static void put_blame(struct strb *sql, const struct asking *a)
{
	strb_adds(sql, "SELECT toUInt8(0) AS tag, ke, ca, sum(delay_ns) AS total FROM (");
	put_events(sql, a);
	strb_adds(sql, ") GROUP BY ke, ca");
}

int ask_blamed(struct click *c, const struct ask_what *w, struct ask_blame *ret, struct err *err)
{
	struct asking a = { .w = w,
			    .columns = 1u << KEY | 1u << CAUSE,
			    .limit = 1,
			    .put = put_blame,
			    .none = "'' AS ke, '' AS ca, twice AS total",
			    .order = "total DESC, ke, ca",
			    .row = on_blame,
			    .ctx = ret,
			    .err = err };

	*ret = (struct ask_blame){ 0 };
	return ask_all(c, &a);
}
