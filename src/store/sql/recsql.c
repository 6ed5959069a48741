/* SPDX-License-Identifier: Apache-2.0 */
/* Runs SQL statements over a recording: opens it, limits what a statement may do, gives back the rows. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/near.h"
#include "base/num.h"
#include "store/file/recquery.h"
#include "store/sql/int.h"

#define STOP_EVERY 10000 /* instructions of SQLite's machine: some tenths of a millisecond */
#define NAME_MAX_BYTES 64

/* PRAGMAs that tell of tables and change nothing. */
static bool is_harmless_pragma(const char *name)
{
	static const char *const names[] = { "table_info", "table_xinfo", "table_list", "index_list", "index_info" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!sqlite3_stricmp(name, names[i]))
			return true;
	return false;
}

/* Source: sqlite3.h, sqlite3_set_authorizer(). */
static int authorize(void *ctx, int action, const char *a, const char *b, const char *db, const char *via)
{
	struct recsql *s = ctx;

	(void)db;
	(void)via;
	if (s->inside)
		return SQLITE_OK;
	switch (action) {
	case SQLITE_READ: s->want_aggs |= a && !strcmp(a, RECSQL_AGGS); return SQLITE_OK;
	case SQLITE_SELECT:
	case SQLITE_RECURSIVE: return SQLITE_OK;
	case SQLITE_FUNCTION:
		if (b && sqlite3_stricmp(b, "load_extension") != 0)
			return SQLITE_OK;
		break;
	case SQLITE_PRAGMA:
		if (a && is_harmless_pragma(a))
			return SQLITE_OK;
		break;
	}
	s->refused = true;
	return SQLITE_DENY;
}

static int on_progress(void *ctx)
{
	struct recsql *s = ctx;

	s->stopped |= s->words.stop && s->words.stop(s->words.ctx);
	return s->stopped;
}

/* Views of ours stand in front of the file's, which would not be used. */
static int add_views(struct recsql *s, struct err *err)
{
	_cleanup_(strb_free) struct strb b = { 0 };
	const struct recsql_view *v;
	const char *from = strstr(recfile_tables, "CREATE VIEW "), *next;

	strb_adds(&b, "CREATE TEMP TABLE " RECSQL_AGGS "(name TEXT, function TEXT, key TEXT, keys_json TEXT, value,"
		      " events INTEGER, sum INTEGER, buckets_json TEXT, kernel_stack TEXT, user_stack TEXT,"
		      " rest TEXT);");
	for (; from; from = next) {
		from += strlen("CREATE VIEW ");
		next = strstr(from, "CREATE VIEW ");
		strb_adds(&b, "CREATE TEMP VIEW ");
		strb_add(&b, from, next ? (size_t)(next - from) : strlen(from));
	}
	for (size_t i = 0; (v = recsql_view(i)); i++)
		strb_printf(&b, "CREATE TEMP VIEW %s(%s) AS %s;", v->name, v->columns, v->sql);
	if (b.failed)
		return err_set(err, -ENOMEM, "out of memory");
	if (sqlite3_exec(s->r->db, strb_str(&b), NULL, NULL, NULL) != SQLITE_OK)
		return recfile_error(s->r->db, "the views cannot be made", err);
	return 0;
}

static int prepare(struct recsql *s, struct err *err)
{
	sqlite3 *db = s->r->db;
	int e;

	s->begun = recread_begun(s->r);
	s->wall_off = recread_wall_off(s->r);
	sqlite3_hard_heap_limit64(RECSQL_MAX_MEMORY);
	sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, RECSQL_MAX_TEXT);
	sqlite3_limit(db, SQLITE_LIMIT_LENGTH, RECSQL_MAX_VALUE);
	sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
	if (sqlite3_prepare_v2(db,
			       "SELECT seq, kind, ts, cpu, probe, id, count, data, value, percpu FROM main.row"
			       " WHERE seq = ?",
			       -1, &s->row, NULL) != SQLITE_OK)
		return recfile_error(db, "the recording cannot be read", err);
	e = recsql_add_funcs(s, err);
	if (e == 0)
		e = add_views(s, err);
	/* Table functions declare their columns when they are first used, which looks like CREATE TABLE. */
	sqlite3_exec(
		db,
		"SELECT 1 FROM json_each('[]'), json_tree('[]'), pragma_table_info('row'), pragma_table_list('row')",
		NULL, NULL, NULL);
	if (e == 0) {
		sqlite3_set_authorizer(db, authorize, s);
		sqlite3_progress_handler(db, STOP_EVERY, on_progress, s);
	}
	return e;
}

int recsql_open(const char *path, struct recsql **ret, struct err *err)
{
	struct recsql *s = calloc(1, sizeof(*s));
	int e;

	if (!s)
		return err_set(err, -ENOMEM, "out of memory");
	e = recread_open(path, &s->r, err);
	if (e == 0)
		e = prepare(s, err);
	if (e < 0) {
		recsql_close(s);
		return e;
	}
	*ret = s;
	return 0;
}

void recsql_close(struct recsql *s)
{
	if (!s)
		return;
	sqlite3_finalize(s->row);
	recread_close(s->r);
	free(s);
}

struct recread *recsql_reader(struct recsql *s)
{
	return s->r;
}

void recsql_set_words(struct recsql *s, const struct recsql_words *words)
{
	s->words = *words;
}

/* -- running -- */

/* The name in "no such table: main.x", or NULL. */
static const char *unknown_table(const char *msg)
{
	static const char head[] = "no such table: ";
	const char *name = !strncmp(msg, head, strlen(head)) ? msg + strlen(head) : NULL;

	return name && strrchr(name, '.') ? strrchr(name, '.') + 1 : name;
}

/* Adds a hint: the nearest view, or where names are listed. */
static void suggest(struct err *err)
{
	const char *name = unknown_table(err->msg);
	char want[NAME_MAX_BYTES];
	size_t n = strlen(err->msg);
	struct near m;

	if (!name && strncmp(err->msg, "no such column: ", 16) != 0)
		return;
	snprintf(want, sizeof(want), "%s", name ? name : "");
	near_init(&m, want);
	for (size_t i = 0; name && recsql_view(i); i++)
		near_try(&m, recsql_view(i)->name);
	if (name && m.best)
		snprintf(err->msg + n, sizeof(err->msg) - n, "; did you mean %s?", m.best);
	else
		snprintf(err->msg + n, sizeof(err->msg) - n, "; --views lists the views and their columns");
}

/* Where in the statement: SQLite does not say it of tables, and of texts that end too early. */
static size_t error_at(struct recsql *s, const char *statement)
{
	const char *msg = sqlite3_errmsg(s->r->db), *name = unknown_table(msg),
		   *at = name ? strcasestr(statement, name) : NULL;
	int offset = sqlite3_error_offset(s->r->db);

	return offset > 0			  ? (size_t)offset
	       : at				  ? (size_t)(at - statement)
	       : !strcmp(msg, "incomplete input") ? strlen(statement)
						  : 0;
}

static int fail(struct recsql *s, const char *statement, const char *text, size_t *ret_at, struct err *err)
{
	int rc = sqlite3_errcode(s->r->db);

	*ret_at = (size_t)(statement - text) + error_at(s, statement);
	if (s->stopped)
		return err_set(err, -EINTR, "interrupted");
	if (rc == SQLITE_AUTH || s->refused)
		return err_set(err, -EPERM, "only SELECT is possible: a recording is read, and never changed");
	if (rc == SQLITE_NOMEM)
		return err_set(err, -ENOMEM, "the statement needs more memory than the %u MB it may use",
			       RECSQL_MAX_MEMORY >> 20);
	if (rc == SQLITE_TOOBIG && strlen(statement) <= RECSQL_MAX_TEXT)
		return err_set(err, -E2BIG, "a value is larger than %u MB", RECSQL_MAX_VALUE >> 20);
	if (rc == SQLITE_TOOBIG)
		return err_set(err, -E2BIG, "the statement is longer than %u bytes", RECSQL_MAX_TEXT);
	err_set(err, -EINVAL, "%s", sqlite3_errmsg(s->r->db));
	suggest(err);
	return -EINVAL;
}

static struct recsql_value value_of(sqlite3_stmt *st, int col)
{
	struct recsql_value v = { 0 };

	switch (sqlite3_column_type(st, col)) {
	case SQLITE_INTEGER:
		v.kind = RECSQL_INT;
		v.i = sqlite3_column_int64(st, col);
		break;
	case SQLITE_FLOAT:
		v.kind = RECSQL_REAL;
		v.d = sqlite3_column_double(st, col);
		break;
	case SQLITE_TEXT:
		v.kind = RECSQL_TEXT;
		v.p = (const char *)sqlite3_column_text(st, col);
		break;
	case SQLITE_BLOB:
		v.kind = RECSQL_BLOB;
		v.p = sqlite3_column_blob(st, col);
		break;
	}
	v.n = v.p ? (size_t)sqlite3_column_bytes(st, col) : 0;
	return v;
}

/* All rows of a statement. 0, or what the sink said; *ret_failed: SQLite has the reason. */
static int step_all(sqlite3_stmt *st, const struct recsql_sink *sink, bool *ret_failed)
{
	size_t n = (size_t)sqlite3_column_count(st);
	_cleanup_free_ struct recsql_value *v = calloc(n + 1, sizeof(*v));
	_cleanup_free_ const char **names = calloc(n + 1, sizeof(*names));
	int rc, e;

	if (!v || !names)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		names[i] = sqlite3_column_name(st, (int)i);
	e = sink->head(sink->ctx, names, n);
	while (e == 0 && (rc = sqlite3_step(st)) != SQLITE_DONE) {
		if (rc != SQLITE_ROW) {
			*ret_failed = true;
			return -EIO;
		}
		for (size_t i = 0; i < n; i++)
			v[i] = value_of(st, (int)i);
		e = sink->row(sink->ctx, v, n);
	}
	return e ? e : sink->end(sink->ctx);
}

static int run_one(struct recsql *s, const char *text, const char **at, const struct recsql_sink *sink, size_t *ret_at,
		   struct err *err)
{
	sqlite3_stmt *st = NULL;
	const char *statement = *at;
	bool failed = false;
	int e = 0;

	s->want_aggs = s->refused = s->stopped = false;
	if (sqlite3_prepare_v2(s->r->db, statement, -1, &st, at) != SQLITE_OK)
		return fail(s, statement, text, ret_at, err);
	/* For a comment, or white space, there is no statement. */
	if (st && s->want_aggs && !s->have_aggs)
		e = recsql_fill_aggs(s, err);
	*ret_at = (size_t)(statement - text);
	if (st && e == 0)
		e = step_all(st, sink, &failed);
	if (failed)
		e = fail(s, statement, text, ret_at, err);
	else if (e < 0 && !err->msg[0])
		err_set(err, e, "%s", strerror(-e));
	sqlite3_finalize(st);
	return e;
}

int recsql_run(struct recsql *s, const char *text, const struct recsql_sink *sink, size_t *ret_at, struct err *err)
{
	const char *at = text;
	int e = 0;

	while (e == 0 && *at)
		e = run_one(s, text, &at, sink, ret_at, err);
	return e;
}
