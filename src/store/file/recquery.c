/* SPDX-License-Identifier: Apache-2.0 */
/* Answers queries over a recording: slow events, stacks, spans, processes, costs, rows. query_hist.c has
 * histograms. Checks what the file says on the way. */
#include "store/file/recquery.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/num.h"
#include "base/vec.h"
#include "base/walk.h"
#include "store/file/read_int.h"
#include "store/slow.h"

#define FRAMES_MAX 4096 /* of a stack */
/* Rows are appended in order of time but for what came late. Source: run/consume/order.h, ORDER_SLACK_NS. */
#define ROWS_SLACK_NS RECFILE_SECOND_NS

static int damaged(struct err *err, const char *what)
{
	return err_set(err, -EINVAL, "the recording is damaged: %s", what);
}

static int fail(struct recread *r, struct err *err)
{
	return recfile_error(r->db, "the recording cannot be read", err);
}

static uint64_t u64(sqlite3_stmt *st, int col)
{
	return (uint64_t)sqlite3_column_int64(st, col);
}

static uint32_t u32(sqlite3_stmt *st, int col)
{
	return (uint32_t)sqlite3_column_int64(st, col);
}

static const char *text(sqlite3_stmt *st, int col)
{
	const char *s = (const char *)sqlite3_column_text(st, col);

	return s ? s : "";
}

uint64_t recread_begun(const struct recread *r)
{
	const char *text = recread_meta(r, "begun_monotonic_ns");
	uint64_t begun;

	return text && num_parse_u64(text, &begun) == 0 ? begun : 0;
}

uint64_t recread_wall_off(const struct recread *r)
{
	const char *off = recread_meta(r, "wall_off_ns");
	const char *real = recread_meta(r, "begun_realtime_ns"), *mono = recread_meta(r, "begun_monotonic_ns");
	uint64_t a, b;

	if (off && num_parse_u64(off, &a) == 0)
		return a;
	return real && mono && num_parse_u64(real, &a) == 0 && num_parse_u64(mono, &b) == 0 ? a - b : 0;
}

/* Widens *ret by what two queries of one number say. source: their parameter, if they have one. */
static void widen(struct recread *r, const char *first, const char *last, size_t source, struct rec_range *ret)
{
	const char *const sql[] = { first, last };

	for (int i = 0; i < 2; i++) {
		sqlite3_stmt *st = NULL;

		if (recread_statement(r, sql[i], &st) != SQLITE_OK)
			continue;
		sqlite3_bind_int64(st, 1, (int64_t)source);
		if (sqlite3_step(st) == SQLITE_ROW && sqlite3_column_type(st, 0) == SQLITE_INTEGER) {
			uint64_t t = u64(st, 0);

			if (i == 0 && t < ret->from)
				ret->from = t;
			if (i == 1 && t > ret->to)
				ret->to = t;
		}
		recread_done(r, st);
	}
}

static void widen_by_hist(struct recread *r, struct rec_range *ret)
{
	static const char first[] =
		"SELECT start FROM hist WHERE source = ? AND period = 1000000000 ORDER BY start LIMIT 1";
	static const char last[] = "SELECT start + period FROM hist WHERE source = ? AND period = 1000000000"
				   " ORDER BY start DESC LIMIT 1";

	_Static_assert(RECFILE_SECOND_NS == 1000000000, "the queries have it");
	for (size_t i = 0; r->version >= 2 && i < r->schema.ntrackers + r->schema.naggs; i++)
		widen(r, first, last, i, ret);
}

uint64_t recread_changes(struct recread *r)
{
	sqlite3_stmt *st = NULL;
	uint64_t v = 0;

	if (recread_statement(r, "PRAGMA data_version", &st) == SQLITE_OK && sqlite3_step(st) == SQLITE_ROW)
		v = u64(st, 0);
	recread_done(r, st);
	return v;
}

bool recread_hist_extent(struct recread *r, struct rec_range *ret)
{
	*ret = (struct rec_range){ UINT64_MAX, 0 };
	widen_by_hist(r, ret);
	return ret->from <= ret->to;
}

bool recread_extent(struct recread *r, struct rec_range *ret)
{
	*ret = (struct rec_range){ UINT64_MAX, 0 };
	widen(r, "SELECT ts FROM row WHERE seq > 0 ORDER BY seq LIMIT 1",
	      "SELECT ts FROM row ORDER BY seq DESC LIMIT 1", 0, ret);
	widen_by_hist(r, ret);
	if (r->version >= 2) {
		widen(r, "SELECT min(start) FROM span", "SELECT max(start) FROM span", 0, ret);
		widen(r, "SELECT min(ended) FROM slow", "SELECT max(ended) FROM slow", 0, ret);
	}
	return ret->from <= ret->to;
}

/* -- one query for all -- */

/* Takes a row of a query: calls the user's function. */
typedef int take_fn(struct recread *r, sqlite3_stmt *st, void *fn, void *ctx, struct err *err);

/* Binds p0 … as far as the query has parameters, and gives all rows to take. */
static int each(struct recread *r, const char *sql, const int64_t *p, take_fn *take, void *fn, void *ctx,
		struct err *err)
{
	sqlite3_stmt *st = NULL;
	int rc, e = 0;

	if (r->version < 2)
		return 0;
	if (recread_statement(r, sql, &st) != SQLITE_OK)
		return fail(r, err);
	for (int i = 0; i < sqlite3_bind_parameter_count(st); i++)
		sqlite3_bind_int64(st, i + 1, p[i]);
	while (e == 0 && (rc = sqlite3_step(st)) != SQLITE_DONE)
		e = rc == SQLITE_ROW ? take(r, st, fn, ctx, err) : fail(r, err);
	recread_done(r, st);
	return e;
}

static int in_time(struct recread *r, const char *sql, struct rec_range range, take_fn *take, void *fn, void *ctx,
		   struct err *err)
{
	const int64_t p[] = { (int64_t)range.from, range.to > INT64_MAX ? INT64_MAX : (int64_t)range.to };

	return each(r, sql, p, take, fn, ctx, err);
}

/* Function pointers go through void * here, as POSIX allows. */
static int take_span(struct recread *r, sqlite3_stmt *st, void *fn, void *ctx, struct err *err)
{
	const struct rec_span s = { text(st, 0), text(st, 1), u64(st, 2), u64(st, 3) };

	(void)r;
	(void)err;
	return ((rec_span_fn *)fn)(ctx, &s);
}

int recread_spans(struct recread *r, struct rec_range range, rec_span_fn *fn, void *ctx, struct err *err)
{
	return in_time(r, "SELECT lane, label, start, duration FROM span WHERE start >= ? AND start < ? ORDER BY start",
		       range, take_span, (void *)fn, ctx, err);
}

static int take_proc(struct recread *r, sqlite3_stmt *st, void *fn, void *ctx, struct err *err)
{
	struct rec_proc_row p = { .ts = u64(st, 0),
				  .name = text(st, 7),
				  .p = { .tgid = u32(st, 2),
					 .parent = u32(st, 3),
					 .addr = u64(st, 4),
					 .len = u64(st, 5),
					 .off = u64(st, 6) } };

	(void)r;
	while (p.p.kind < PROC_NKINDS && strcmp(rec_proc_name(p.p.kind), text(st, 1)) != 0)
		p.p.kind++;
	if (p.p.kind == PROC_NKINDS)
		return damaged(err, "an event of processes of unknown kind");
	return ((rec_proc_fn *)fn)(ctx, &p);
}

int recread_procs(struct recread *r, struct rec_range range, rec_proc_fn *fn, void *ctx, struct err *err)
{
	return in_time(r,
		       "SELECT ts, kind, tgid, parent, addr, len, off, name FROM process WHERE ts >= ? AND ts < ?"
		       " ORDER BY ts, id",
		       range, take_proc, (void *)fn, ctx, err);
}

static int take_cost(struct recread *r, sqlite3_stmt *st, void *fn, void *ctx, struct err *err)
{
	const struct rec_cost_row c = { u64(st, 0), u32(st, 1), u32(st, 2), { u64(st, 3), u64(st, 4), u64(st, 5) } };

	(void)r;
	(void)err;
	return ((rec_cost_fn *)fn)(ctx, &c);
}

int recread_costs(struct recread *r, struct rec_range range, rec_cost_fn *fn, void *ctx, struct err *err)
{
	return in_time(r,
		       "SELECT ts, program, probe, run_ns, run_cnt, interval FROM cost WHERE ts >= ? AND ts < ?"
		       " ORDER BY ts, id",
		       range, take_cost, (void *)fn, ctx, err);
}

/* -- slow events -- */

static void take_comm(char to[REC_COMM], const char *from)
{
	snprintf(to, REC_COMM, "%s", from);
}

static int load_attrs(struct recread *r, struct rec_slow_row *s, sqlite3_stmt *st, struct err *err)
{
	int rc;

	sqlite3_bind_int64(st, 1, s->id);
	while ((rc = sqlite3_step(st)) == SQLITE_ROW && s->nattrs < REC_SLOW_ATTRS) {
		struct rec_attr *a = &s->attrs[s->nattrs++];

		/* texts are copied: the statement goes on */
		*a = (struct rec_attr){ .name = strdup(text(st, 0)), .kind = REC_ATTR_INT };
		if (sqlite3_column_type(st, 3) == SQLITE_INTEGER) {
			a->kind = REC_ATTR_STACK;
			a->value = sqlite3_column_int64(st, 3);
		} else if (sqlite3_column_type(st, 1) == SQLITE_INTEGER) {
			a->value = sqlite3_column_int64(st, 1);
		} else {
			a->kind = REC_ATTR_TEXT;
			a->text = strdup(text(st, 2));
		}
		if (!a->name || (a->kind == REC_ATTR_TEXT && !a->text))
			return err_set(err, -ENOMEM, "out of memory");
	}
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? 0 : fail(r, err);
}

static void free_attrs(struct rec_slow_row *s)
{
	for (size_t i = 0; i < s->nattrs; i++) {
		free((char *)s->attrs[i].name);
		free((char *)s->attrs[i].text);
	}
}

struct slow_take {
	rec_slow_fn *fn;
	void *ctx;
	sqlite3_stmt *attrs;
};

static int take_slow(struct recread *r, sqlite3_stmt *st, void *unused, void *ctx, struct err *err)
{
	struct slow_take *t = ctx;
	struct rec_slow_row s = { .id = sqlite3_column_int64(st, 0), .key = text(st, 15) };
	int64_t tracker = sqlite3_column_int64(st, 1);
	int how = slow_how_of((const char *)sqlite3_column_text(st, 4)), e;

	(void)unused;
	if (tracker < 0 || (uint64_t)tracker >= r->schema.ntrackers || how < 0)
		return damaged(err, "a slow event of unknown tracker or ending");
	s.fixed = (struct rec_slow){ .tracker = (uint32_t)tracker,
				     .start = u64(st, 2),
				     .delay = u64(st, 3),
				     .how = (uint32_t)how,
				     .exit_id = u64(st, 5),
				     .cgroup = u64(st, 6),
				     .pid = u32(st, 7),
				     .tid = u32(st, 8),
				     .cpu = u32(st, 9),
				     .end_pid = u32(st, 10),
				     .end_tid = u32(st, 11),
				     .end_cpu = u32(st, 12) };
	take_comm(s.fixed.comm, text(st, 13));
	take_comm(s.fixed.end_comm, text(st, 14));
	e = load_attrs(r, &s, t->attrs, err);
	sqlite3_reset(t->attrs);
	if (e == 0)
		e = t->fn(t->ctx, &s);
	free_attrs(&s);
	return e;
}

int recread_slow(struct recread *r, const struct rec_slow_query *q, rec_slow_fn *fn, void *ctx, struct err *err)
{
	const int64_t p[] = { (int64_t)q->range.from,
			      q->range.to > INT64_MAX ? INT64_MAX : (int64_t)q->range.to,
			      q->tracker,
			      (int64_t)q->min_delay,
			      q->max_delay ? (int64_t)q->max_delay : INT64_MAX,
			      q->which == CONTROL_ONLY,
			      q->limit ? (int64_t)q->limit : -1,
			      q->after };
	const char *no_index = q->after && !q->longest_first ? "+" : "";
	struct slow_take t = { fn, ctx, NULL };
	char sql[640];
	int e;

	if (r->version < 2)
		return 0;
	/* '+': an index of another column is not used. With it each question for what is new read all that is there. */
	snprintf(
		sql, sizeof(sql),
		"SELECT id, tracker, start, delay, how, exit_id, cgroup, pid, tid, cpu, end_pid, end_tid, end_cpu, comm,"
		" end_comm, key FROM slow WHERE %sended >= ?1 AND %sended < ?2 AND (?3 < 0 OR tracker = ?3) AND"
		" %sdelay >= ?4 AND %sdelay <= ?5 AND (how = 'control') = ?6 AND id > ?8 ORDER BY %s LIMIT ?7",
		no_index, no_index, no_index, no_index,
		q->longest_first ? "delay DESC, id"
		: q->after	 ? "id"
				 : "ended, id");
	if (recread_statement(r, "SELECT name, value, text, stack FROM slow_attr WHERE slow = ? ORDER BY pos",
			      &t.attrs) != SQLITE_OK)
		return fail(r, err);
	e = each(r, sql, p, take_slow, NULL, &t, err);
	recread_done(r, t.attrs);
	return e;
}

static int take_stack(struct recread *r, sqlite3_stmt *st, void *unused, void *ctx, struct err *err)
{
	struct rec_stack *s = ctx;
	int64_t space = sqlite3_column_int64(st, 0);
	size_t n = (size_t)sqlite3_column_bytes(st, 4) / sizeof(uint64_t);

	(void)unused;
	if (space < RECFILE_KERNEL || space > RECFILE_USER || n > FRAMES_MAX)
		return damaged(err, "a stack is out of its bounds");
	free(r->frames);
	r->frames = calloc(n + 1, sizeof(*r->frames));
	if (!r->frames)
		return err_set(err, -ENOMEM, "out of memory");
	if (n)
		memcpy(r->frames, sqlite3_column_blob(st, 4), n * sizeof(*r->frames));
	*s = (struct rec_stack){ (enum recfile_space)space, u32(st, 1), u32(st, 3), u64(st, 2), r->frames, n };
	return WALK_END; /* found */
}

int recread_stack(struct recread *r, int64_t id, struct rec_stack *ret, struct err *err)
{
	int e = each(r, "SELECT space, tgid, start, flags, frames FROM stack WHERE id = ?", &id, take_stack, NULL, ret,
		     err);

	if (e == 0)
		return err_set(err, -ENOENT, "there is no stack %lld", (long long)id);
	return walk_ended(e);
}

/* -- rows by time -- */

/* The first row from seq on: its seq and time; false: there is none. */
static bool row_at(sqlite3_stmt *st, int64_t seq, int64_t *ret_seq, uint64_t *ret_ts)
{
	bool found;

	sqlite3_bind_int64(st, 1, seq);
	found = sqlite3_step(st) == SQLITE_ROW;
	if (found) {
		*ret_seq = sqlite3_column_int64(st, 0);
		*ret_ts = u64(st, 1);
	}
	sqlite3_reset(st);
	return found;
}

/* A row before which all are older than t. */
static int first_row(struct recread *r, uint64_t t, int64_t *ret, struct err *err)
{
	sqlite3_stmt *st = NULL;
	int64_t lo = 1, hi = 0, seq;
	uint64_t ts;

	/* Rows below 1 are the state of aggregations before the first row that is left. They belong to the beginning,
	 * whatever their time is. */
	if (!t) {
		*ret = INT64_MIN;
		return 0;
	}

	if (sqlite3_prepare_v2(r->db, "SELECT max(seq) FROM row", -1, &st, NULL) == SQLITE_OK &&
	    sqlite3_step(st) == SQLITE_ROW)
		hi = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	st = NULL;
	if (sqlite3_prepare_v2(r->db, "SELECT seq, ts FROM row WHERE seq >= ? ORDER BY seq LIMIT 1", -1, &st, NULL) !=
	    SQLITE_OK)
		return fail(r, err);
	t = t > ROWS_SLACK_NS ? t - ROWS_SLACK_NS : 0;
	while (t && lo < hi) {
		int64_t mid = lo + (hi - lo) / 2;

		if (row_at(st, mid, &seq, &ts) && ts < t && seq < INT64_MAX)
			lo = seq + 1;
		else
			hi = mid;
	}
	sqlite3_finalize(st);
	*ret = lo;
	return 0;
}

int recread_rows(struct recread *r, unsigned kinds, struct rec_range range, rec_row_fn *fn, void *ctx, struct err *err)
{
	uint64_t end = range.to < UINT64_MAX - ROWS_SLACK_NS ? range.to + ROWS_SLACK_NS : UINT64_MAX;
	sqlite3_stmt *st = NULL;
	struct row row;
	int64_t first = 0;
	int rc, e = first_row(r, range.from, &first, err);

	if (e < 0)
		return e;
	if (sqlite3_prepare_v2(r->db,
			       "SELECT seq, kind, ts, cpu, probe, id, count, data, value, percpu FROM row"
			       " WHERE seq >= ? ORDER BY seq",
			       -1, &st, NULL) != SQLITE_OK)
		return fail(r, err);
	sqlite3_bind_int64(st, 1, first);
	while (e == 0 && (rc = sqlite3_step(st)) != SQLITE_DONE) {
		if (rc != SQLITE_ROW) {
			e = fail(r, err);
			break;
		}
		if (u64(st, 2) >= end)
			break;
		if (u64(st, 2) < range.from || u64(st, 2) >= range.to || u64(st, 1) > ROW_END ||
		    !(kinds & 1u << u64(st, 1)))
			continue;
		e = recread_row(r, st, &row, err);
		if (e == 0)
			e = fn(ctx, &row);
	}
	sqlite3_finalize(st);
	return e;
}
