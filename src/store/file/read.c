/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a recording file. Trusts nothing in it: does not use the database's own views and triggers, checks rows
 * against the schema, and lets SQLite find damaged pages. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/hash_try.h"
#include "base/vec.h"
#include "store/file/fdfile.h"
#include "store/file/packed.h"
#include "store/file/recfile.h"
#include "store/file/read_int.h"
#include "store/file/sparse.h"

#define ARENA_LIMIT ((size_t)1 << 30)
#define PAIRS_MAX 10000
#define BUSY_MS 2000
#define TABLES_V1 14 /* how many tables version 1 has */
#define TABLES_V2 24
#define TABLES_V3 26

#define RECFILE_SOURCE_SINCE 4 /* version */
#define SPACE_SOURCE 2	       /* beside those of enum recfile_space, in the cache */

struct cached { /* a symbol that was looked up */
	struct cached_key {
		uint64_t addr, start;
		uint32_t tgid, space;
	} key;
	bool there;
	struct recfile_symbol s;
	const struct recfile_source *source; /* of SPACE_SOURCE */
	size_t nsource;
	UT_hash_handle hh;
};

/* Only tables of ours may be read: a hostile file could have views of the same names, whose SQL would run. */
static int check_tables(struct recread *r, struct err *err)
{
	static const char *const names[] = { "meta", "option", "program", "probe", "format", "action", "aggregation",
					     "field", "type", "type_member", "type_value", "action_aggregation", "row",
					     "symbol",
					     /* since version 2 */
					     "tracker", "hist_source", "hist_key", "hist", "slow", "slow_attr", "stack",
					     "span", "process", "cost",
					     /* since version 3 */
					     "flight", "flight_event",
					     /* since version 4 */
					     "source" };
	size_t n = r->version >= 4   ? ARRAY_SIZE(names)
		   : r->version == 3 ? TABLES_V3
		   : r->version == 2 ? TABLES_V2
				     : TABLES_V1;

	for (size_t i = 0; i < n; i++) {
		sqlite3_stmt *st = NULL;
		int rc = sqlite3_prepare_v2(r->db, "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?", -1,
					    &st, NULL);

		if (rc == SQLITE_OK) {
			sqlite3_bind_text(st, 1, names[i], -1, SQLITE_STATIC);
			rc = sqlite3_step(st);
		}
		sqlite3_finalize(st);
		if (rc != SQLITE_ROW && rc != SQLITE_DONE)
			return recfile_error(r->db, "no recording of dwell", err);
		if (rc == SQLITE_DONE)
			return err_set(err, -EINVAL, "no recording of dwell: it has no table %s", names[i]);
	}
	return 0;
}

static int64_t pragma(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *st = NULL;
	int64_t v = -1;

	if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) == SQLITE_OK && sqlite3_step(st) == SQLITE_ROW)
		v = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	return v;
}

static int check_version(struct recread *r, struct err *err)
{
	int64_t version;

	if (pragma(r->db, "PRAGMA application_id") != RECFILE_APPLICATION_ID) {
		if (sqlite3_errcode(r->db) != SQLITE_OK && sqlite3_errcode(r->db) != SQLITE_ROW &&
		    sqlite3_errcode(r->db) != SQLITE_DONE)
			return recfile_error(r->db, "no recording of dwell", err);
		return err_set(err, -EINVAL, "no recording of dwell");
	}
	version = pragma(r->db, "PRAGMA user_version");
	if (version < 1 || version > RECFILE_VERSION)
		return err_set(err, -EINVAL, "a recording of version %lld; this dwell reads up to version %d",
			       (long long)version, RECFILE_VERSION);
	r->version = (int)version;
	return check_tables(r, err);
}

static int load_pairs(struct recread *r, const char *sql, struct recfile_pair **ret, struct err *err)
{
	VEC(struct recfile_pair) v = { 0 };
	struct recfile_pair p = { 0 };
	sqlite3_stmt *st = NULL;
	int rc = sqlite3_prepare_v2(r->db, sql, -1, &st, NULL), e = 0;

	while (rc == SQLITE_OK && e == 0 && (rc = sqlite3_step(st)) == SQLITE_ROW && v.n < PAIRS_MAX) {
		p.name = recfile_text(r->a, st, 0);
		p.value = recfile_text(r->a, st, 1);
		if (p.name && p.value)
			e = vec_try_push(&v, p);
		rc = SQLITE_OK;
	}
	if (rc != SQLITE_OK && rc != SQLITE_DONE)
		e = recfile_error(r->db, "the recording cannot be read", err);
	sqlite3_finalize(st);
	*ret = arena_new_arr(r->a, struct recfile_pair, v.n + 1);
	if (v.n)
		memcpy(*ret, v.v, v.n * sizeof(*v.v));
	vec_free(&v);
	return e;
}

static void distrust(sqlite3 *db)
{
	sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 4 * RECFILE_MAX_RECORD);
	sqlite3_exec(db, "PRAGMA cell_size_check = ON", NULL, NULL, NULL);
	sqlite3_busy_timeout(db, BUSY_MS);
}

static int open_db(struct recread *r, const char *path, struct err *err)
{
	char *uri;
	int given;
	bool is_fd = fdfile_is(path, &given);
	struct stat st;

	/* Without opening it: closing it again would take away the locks of other readers in this process. */
	if ((is_fd ? fstat(given, &st) : stat(path, &st)) < 0 || (!is_fd && access(path, R_OK) < 0))
		return err_set(err, -errno, "cannot open %s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return err_set(err, -EINVAL, "cannot open %s: it is no regular file", path);
	if (is_fd) {
		if (fdfile_db(given, &r->db) != SQLITE_OK)
			return err_set(err, -EIO, "cannot open %s", path);
		distrust(r->db);
		return 0;
	}
	if (sqlite3_open_v2(path, &r->db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK) {
		distrust(r->db);
		if (pragma(r->db, "SELECT count(*) FROM sqlite_schema") >= 0)
			return 0;
		if (sqlite3_errcode(r->db) != SQLITE_CANTOPEN && sqlite3_errcode(r->db) != SQLITE_READONLY &&
		    sqlite3_errcode(r->db) != SQLITE_READONLY_DIRECTORY)
			return err_set(err, -EINVAL, "%s is no recording of dwell: %s", path, sqlite3_errmsg(r->db));
	}
	/* The recorder was killed, and its log cannot be taken over in a folder that we cannot write:
	 * what is in the main file is whole, but older. */
	sqlite3_close(r->db);
	r->db = NULL;
	uri = sqlite3_mprintf("file:%s?immutable=1", path);
	if (!uri || strpbrk(path, "?#%") ||
	    sqlite3_open_v2(uri, &r->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL) != SQLITE_OK) {
		sqlite3_free(uri);
		return err_set(err, -EIO, "cannot open %s", path);
	}
	sqlite3_free(uri);
	distrust(r->db);
	return 0;
}

static int read_head(struct recread *r, struct err *err)
{
	int e = check_version(r, err);

	if (e == 0)
		e = load_pairs(r, "SELECT key, value FROM meta", &r->meta, err);
	if (e == 0)
		e = load_pairs(r, "SELECT name, value FROM option", &r->options, err);
	if (e == 0)
		e = load_pairs(r, "SELECT name, text FROM program ORDER BY id", &r->programs, err);
	if (e == 0)
		e = recfile_get_schema(r->db, r->version, r->a, &r->schema, err);
	if (e == 0 && (sqlite3_prepare_v2(r->db,
					  "SELECT seq, kind, ts, cpu, probe, id, count, data, value, percpu FROM row"
					  " WHERE seq > ? ORDER BY seq",
					  -1, &r->rows, NULL) != SQLITE_OK ||
		       sqlite3_prepare_v2(r->db,
					  "SELECT found, module, name, offset, base, path FROM symbol"
					  " WHERE space = ? AND tgid = ? AND start = ? AND addr = ?",
					  -1, &r->symbol, NULL) != SQLITE_OK))
		e = recfile_error(r->db, "the recording cannot be read", err);
	if (e == 0 && r->version >= RECFILE_SOURCE_SINCE && pragma(r->db, "SELECT EXISTS(SELECT 1 FROM source)") > 0 &&
	    sqlite3_prepare_v2(r->db,
			       "SELECT function, file, line, def_file, def_line FROM source"
			       " WHERE tgid = ? AND start = ? AND addr = ? ORDER BY pos LIMIT 32",
			       -1, &r->source, NULL) != SQLITE_OK)
		e = recfile_error(r->db, "the recording cannot be read", err);
	return e;
}

int recread_open(const char *path, struct recread **ret, struct err *err)
{
	struct recread *r = calloc(1, sizeof(*r));
	int e;

	if (!r)
		return err_set(err, -ENOMEM, "out of memory");
	r->a = arena_new(ARENA_LIMIT);
	e = open_db(r, path, err);
	if (e == 0) {
		e = read_head(r, err);
		if (e == 0)
			e = recflight_open(r, err);
		if (e < 0)
			err_prefix(err, "%s: ", path);
	}
	if (e < 0) {
		recread_close(r);
		return e;
	}
	sqlite3_bind_int64(r->rows, 1, INT64_MIN);
	*ret = r;
	return 0;
}

void recread_close(struct recread *r)
{
	if (!r)
		return;
	sqlite3_finalize(r->rows);
	sqlite3_finalize(r->symbol);
	sqlite3_finalize(r->source);
	recflight_done(r);
	recread_forget(r);
	sqlite3_close(r->db);
	HASH_CLEAR(hh, r->cache);
	arena_free(r->a);
	free(r->buf);
	free(r->frames);
	free(r);
}

const struct rec_schema *recread_schema(const struct recread *r)
{
	return &r->schema;
}
const struct recfile_pair *recread_options(const struct recread *r)
{
	return r->options;
}
const struct recfile_pair *recread_programs(const struct recread *r)
{
	return r->programs;
}

const char *recread_meta(const struct recread *r, const char *key)
{
	for (const struct recfile_pair *p = r->meta; p->name; p++)
		if (!strcmp(p->name, key))
			return p->value;
	return NULL;
}

/* Whether a row is what the views expect of its kind. */
static bool row_fits(const struct recread *r, const struct row *row, size_t nvalue, size_t npercpu)
{
	const struct aggdesc *d;

	switch (row->kind) {
	case ROW_EVENT:
		return row->id >= 1 && row->id <= r->schema.nfmts && row->data &&
		       row->len == r->schema.fmts[row->id - 1]->size;
	case ROW_FAULT: return row->data && row->len >= sizeof(struct rec_fault);
	case ROW_AGG:
		if (row->id >= r->schema.naggs)
			return false;
		d = r->schema.aggs[row->id];
		return row->len == d->key_size && (row->data || !d->key_size) && row->value &&
		       nvalue == d->value_size && (!row->percpu || npercpu == nvalue * r->schema.ncpus);
	case ROW_DROPS: return row->id < REC_NLOSSES;
	case ROW_NOTE:
	case ROW_END: return true;
	case ROW_HIST:
	case ROW_PROC:
	case ROW_COST:
	case ROW_FLIGHT:
	case ROW_NKINDS: break;
	}
	return false;
}

/* Copies the blob of a column after what is in the row's buffer, aligned and followed by a NUL. */
static int take_blob(struct recread *r, sqlite3_stmt *st, int col, size_t *ret_off, size_t *ret_n)
{
	const void *p = sqlite3_column_blob(st, col);
	size_t n = (size_t)sqlite3_column_bytes(st, col), need = r->used + ROUND_UP(n + 1, 8);

	*ret_n = n;
	*ret_off = SIZE_MAX;
	if (!p)
		return 0;
	if (vec_reserve_raw((void **)&r->buf, &r->cap, need, 1) < 0)
		return -ENOMEM;
	memcpy(r->buf + r->used, p, n);
	r->buf[r->used + n] = 0;
	*ret_off = r->used;
	r->used = need;
	return 0;
}

/* A record or key of n bytes, packed or not. Before version 5 none was packed, and each has its whole length. */
static int take_packed(struct recread *r, sqlite3_stmt *st, int col, size_t size, size_t *ret_off, size_t *ret_n)
{
	const void *p = sqlite3_column_blob(st, col);
	size_t n = (size_t)sqlite3_column_bytes(st, col), need = r->used + ROUND_UP(size + 1, 8);

	if (!p || n >= size)
		return take_blob(r, st, col, ret_off, ret_n);
	if (vec_reserve_raw((void **)&r->buf, &r->cap, need, 1) < 0)
		return -ENOMEM;
	*ret_off = r->used;
	*ret_n = size;
	if (!unpack_bytes(p, n, r->buf + r->used, size))
		return -EBADMSG;
	r->buf[r->used + size] = 0;
	r->used = need;
	return 0;
}

/* A value, or the values of all CPUs: words as they are, or as text what is not zero in them. */
static int take_words(struct recread *r, sqlite3_stmt *st, int col, size_t words, size_t *ret_off, size_t *ret_n)
{
	size_t need = r->used + words * sizeof(uint64_t);

	if (sqlite3_column_type(st, col) != SQLITE_TEXT)
		return take_blob(r, st, col, ret_off, ret_n);
	*ret_n = words * sizeof(uint64_t);
	*ret_off = r->used;
	if (words > RECFILE_MAX_VALUES / sizeof(uint64_t))
		return -EBADMSG;
	if (vec_reserve_raw((void **)&r->buf, &r->cap, need, 1) < 0)
		return -ENOMEM;
	if (!sparse_get_words((const char *)sqlite3_column_text(st, col), (size_t)sqlite3_column_bytes(st, col),
			      (uint64_t *)(void *)(r->buf + r->used), (uint32_t)words))
		return -EBADMSG;
	r->used = need;
	return 0;
}

static const void *at(const struct recread *r, size_t off)
{
	return off == SIZE_MAX ? NULL : r->buf + off;
}

int recread_row(struct recread *r, sqlite3_stmt *st, struct row *ret, struct err *err)
{
	size_t data = SIZE_MAX, value = SIZE_MAX, percpu = SIZE_MAX, nvalue = 0, npercpu = 0, words = 0, size = 0;
	int64_t kind = sqlite3_column_int64(st, 1), id = sqlite3_column_int64(st, 5);
	int e;

	r->used = 0;
	*ret = (struct row){ .kind = kind >= 0 && kind <= ROW_END ? (enum row_kind)kind : ROW_END,
			     .ts = (uint64_t)sqlite3_column_int64(st, 2),
			     .cpu = (uint32_t)sqlite3_column_int64(st, 3),
			     .probe = (uint32_t)sqlite3_column_int64(st, 4),
			     .id = id >= 0 && id <= UINT32_MAX ? (uint32_t)id : UINT32_MAX,
			     .count = (uint64_t)sqlite3_column_int64(st, 6) };
	if (ret->kind == ROW_AGG && ret->id < r->schema.naggs)
		words = r->schema.aggs[ret->id]->value_size / sizeof(uint64_t);
	if (ret->kind == ROW_AGG && ret->id < r->schema.naggs)
		size = r->schema.aggs[ret->id]->key_size;
	else if (ret->kind == ROW_EVENT && ret->id >= 1 && ret->id <= r->schema.nfmts)
		size = r->schema.fmts[ret->id - 1]->size;
	e = take_packed(r, st, 7, size, &data, &ret->len);
	if (e == 0)
		e = take_words(r, st, 8, words, &value, &nvalue);
	if (e == 0)
		e = take_words(r, st, 9, words * r->schema.ncpus, &percpu, &npercpu);
	if (e == -ENOMEM)
		return err_set(err, e, "out of memory");
	if (e < 0)
		data = value = percpu = SIZE_MAX;
	ret->data = at(r, data);
	ret->value = at(r, value);
	ret->percpu = at(r, percpu);
	if (e < 0 || kind < 0 || kind > ROW_END || !row_fits(r, ret, nvalue, npercpu))
		return err_set(err, -EINVAL, "the recording is damaged: row %lld does not fit its format",
			       (long long)sqlite3_column_int64(st, 0));
	return 0;
}

struct step recread_next(struct recread *r, struct row *ret, struct err *err)
{
	struct step s = recflight_next(r, ret, err);
	int rc, e;

	if (s.more || s.error)
		return s;
	rc = sqlite3_step(r->rows);
	if (rc == SQLITE_DONE)
		return step_end();
	if (rc != SQLITE_ROW)
		return step_failed(recfile_error(r->db, "the recording cannot be read further", err));
	e = recread_row(r, r->rows, ret, err);
	if (e == 0 && ret->kind == ROW_EVENT)
		recflight_after(r, sqlite3_column_int64(r->rows, 0));
	return step_taken(e);
}

static void look_up(struct recread *r, struct cached *c)
{
	sqlite3_stmt *st = r->symbol;

	sqlite3_bind_int(st, 1, (int)c->key.space);
	sqlite3_bind_int64(st, 2, c->key.tgid);
	sqlite3_bind_int64(st, 3, (int64_t)c->key.start);
	sqlite3_bind_int64(st, 4, (int64_t)c->key.addr);
	c->there = sqlite3_step(st) == SQLITE_ROW;
	if (c->there)
		c->s = (struct recfile_symbol){ .found = sqlite3_column_int(st, 0) != 0,
						.module = recfile_text(r->a, st, 1),
						.name = recfile_text(r->a, st, 2),
						.offset = (uint64_t)sqlite3_column_int64(st, 3),
						.base = (uint64_t)sqlite3_column_int64(st, 4),
						.path = recfile_text(r->a, st, 5) };
	sqlite3_reset(st);
}

/* The entry of an address; *fresh: it is new and empty. */
static struct cached *get_cached(struct recread *r, struct cached_key k, bool *fresh)
{
	struct cached *c;

	HASH_FIND(hh, r->cache, &k, sizeof(k), c);
	*fresh = !c;
	if (!c) {
		c = arena_new_obj(r->a, struct cached);
		c->key = k;
		HASH_ADD(hh, r->cache, key, sizeof(c->key), c); /* without memory it is looked up again */
	}
	return c;
}

static void look_up_source(struct recread *r, struct cached *c)
{
	struct recfile_source v[RECFILE_MAX_SOURCE], *copy;
	sqlite3_stmt *st = r->source;
	size_t n = 0;

	sqlite3_bind_int64(st, 1, c->key.tgid);
	sqlite3_bind_int64(st, 2, (int64_t)c->key.start);
	sqlite3_bind_int64(st, 3, (int64_t)c->key.addr);
	while (n < RECFILE_MAX_SOURCE && sqlite3_step(st) == SQLITE_ROW) {
		int64_t line = sqlite3_column_int64(st, 2), def_line = sqlite3_column_int64(st, 4);

		v[n++] = (struct recfile_source){ .function = recfile_text(r->a, st, 0),
						  .file = recfile_text(r->a, st, 1),
						  .line = line < 0 || line > UINT32_MAX ? 0 : (uint32_t)line,
						  .def_file = recfile_text(r->a, st, 3),
						  .def_line = def_line < 0 || def_line > UINT32_MAX
								      ? 0
								      : (uint32_t)def_line };
	}
	sqlite3_reset(st);
	if (!n)
		return;
	copy = arena_new_arr(r->a, struct recfile_source, n);
	memcpy(copy, v, n * sizeof(*v));
	c->source = copy;
	c->nsource = n;
}

size_t recread_source(struct recread *r, uint32_t tgid, uint64_t start, uint64_t addr,
		      const struct recfile_source **ret)
{
	struct cached_key k;
	struct cached *c;
	bool fresh;

	if (!r->source)
		return 0;
	memset(&k, 0, sizeof(k));
	k = (struct cached_key){ addr, start, tgid, SPACE_SOURCE };
	c = get_cached(r, k, &fresh);
	if (fresh)
		look_up_source(r, c);
	*ret = c->source;
	return c->nsource;
}

bool recread_symbol(struct recread *r, enum recfile_space space, uint32_t tgid, uint64_t start, uint64_t addr,
		    struct recfile_symbol *ret)
{
	struct cached_key k;
	struct cached *c;
	bool fresh;

	memset(&k, 0, sizeof(k));
	k.addr = addr;
	k.space = space;
	if (space == RECFILE_USER) {
		k.tgid = tgid;
		k.start = start;
	}
	c = get_cached(r, k, &fresh);
	if (fresh)
		look_up(r, c);
	*ret = c->s;
	ret->space = space;
	ret->tgid = tgid;
	ret->start = start;
	ret->addr = addr;
	return c->there;
}
