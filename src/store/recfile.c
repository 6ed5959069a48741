/* SPDX-License-Identifier: Apache-2.0 */
/* Writing a recording file: rows and symbols through two prepared statements, one transaction per half
 * second. Write-ahead log, so that readers are not in the way and the file is whole after a kill. */
#include "store/recfile.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/cleanup.h"
#include "base/vec.h"
#include "store/recfile_int.h"
#include <uthash.h>

#define CACHE_KB	 "-8000"  /* PRAGMA cache_size: 8 MB */
#define RETIRE_FRACTION	 8	  /* of the rows, when the file has grown too large */
#define RETIRE_MIN_ROWS	 1000
#define RETIRE_ROWS_MAX	 200000	  /* looked at per commit, when they have grown too old */

struct known { /* an address that is in the file */
	struct known_key {
		uint64_t addr, start;
		uint32_t tgid, space;
	} key;
	UT_hash_handle hh;
};

struct recfile {
	sqlite3 *db;
	sqlite3_stmt *row, *symbol;
	const struct rec_schema *schema;
	struct known *known;
	bool open;	   /* a transaction */
	bool dead;	   /* after an error */
	uint64_t committed; /* CLOCK_MONOTONIC ns */
	uint64_t dropped, max_bytes, max_age_ns;
	int64_t retired;   /* what may go has gone up to this row */
	bool *keep;	   /* by epid - 1: its events change aggregations, and so stay */
};

static int fail(struct recfile *f, struct err *err)
{
	int r = recfile_error(f->db, "the recording is not continued", err);

	if (f->open)
		sqlite3_exec(f->db, "ROLLBACK", NULL, NULL, NULL);
	f->open = false;
	f->dead = true;
	return r;
}

static int put_pairs(sqlite3 *db, const char *sql, const struct recfile_pair *p)
{
	int rc = SQLITE_OK;

	for (; rc == SQLITE_OK && p && p->name; p++)
		rc = recfile_exec(db, sql, "ss", p->name, p->value);
	return rc;
}

static int write_head(struct recfile *f, const struct recfile_info *info)
{
	char pragmas[256];
	int rc;

	snprintf(pragmas, sizeof(pragmas),
		 "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA application_id = %d; PRAGMA user_version = %d;"
		 "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = " CACHE_KB ";",
		 RECFILE_APPLICATION_ID, RECFILE_VERSION);
	rc = sqlite3_exec(f->db, pragmas, NULL, NULL, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(f->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(f->db, recfile_tables, NULL, NULL, NULL);
	if (rc == SQLITE_OK)
		rc = put_pairs(f->db, "INSERT OR REPLACE INTO meta VALUES(?, ?)", info->meta);
	if (rc == SQLITE_OK)
		rc = put_pairs(f->db, "INSERT OR REPLACE INTO option VALUES(?, ?)", info->options);
	if (rc == SQLITE_OK)
		rc = put_pairs(f->db, "INSERT INTO program(name, text) VALUES(?, ?)", info->programs);
	if (rc == SQLITE_OK)
		rc = recfile_put_schema(f->db, f->schema);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(f->db, "COMMIT", NULL, NULL, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_prepare_v3(f->db, "INSERT INTO row VALUES(NULL,?,?,?,?,?,?,?,?,?)", -1,
					SQLITE_PREPARE_PERSISTENT, &f->row, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_prepare_v3(f->db, "INSERT OR IGNORE INTO symbol VALUES(?,?,?,?,?,?,?,?,?,?)", -1,
					SQLITE_PREPARE_PERSISTENT, &f->symbol, NULL);
	return rc;
}

/* clear() and the like apply to what came before them: a reader needs all of them. */
static int find_kept(struct recfile *f)
{
	f->keep = calloc(f->schema->nfmts + 1, sizeof(*f->keep));
	if (!f->keep)
		return -ENOMEM;
	for (size_t i = 0; i < f->schema->nfmts; i++)
		for (size_t k = 0; k < f->schema->fmts[i]->nacts; k++)
			if (f->schema->fmts[i]->acts[k].naggs)
				f->keep[i] = true;
	return 0;
}

int recfile_create(const char *path, const struct rec_schema *schema, const struct recfile_info *info,
		   struct recfile **ret, struct err *err)
{
	/* SQLite would open what is there; O_EXCL never follows or takes over a file. */
	_cleanup_close_ int fd = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
	struct recfile *f;
	int r;

	if (fd < 0)
		return err_set(err, -errno, "cannot create recording %s: %s", path, strerror(errno));
	f = calloc(1, sizeof(*f));
	if (!f)
		return err_set(err, -ENOMEM, "out of memory");
	f->schema = schema;
	f->max_bytes = info->max_bytes;
	f->max_age_ns = info->max_age_ns;
	if (find_kept(f) < 0 ||
	    sqlite3_open_v2(path, &f->db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK ||
	    write_head(f, info) != SQLITE_OK) {
		r = f->db ? recfile_error(f->db, path, err) : err_set(err, -ENOMEM, "out of memory");
		recfile_close(f, NULL);
		unlink(path);
		return r;
	}
	*ret = f;
	return 0;
}

static int begin(struct recfile *f)
{
	int rc = SQLITE_OK;

	if (!f->open)
		rc = sqlite3_exec(f->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
	f->open = f->open || rc == SQLITE_OK;
	return rc;
}

static void bind_blob(sqlite3_stmt *st, int i, const void *p, size_t n)
{
	if (p)
		sqlite3_bind_blob64(st, i, p, n, SQLITE_STATIC);
	else
		sqlite3_bind_null(st, i);
}

int recfile_append(struct recfile *f, const struct row *row, struct err *err)
{
	size_t value = 0;

	if (f->dead) {
		f->dropped++;
		return 0;
	}
	if (row->kind == ROW_AGG)
		value = f->schema->aggs[row->id]->value_size;
	sqlite3_bind_int(f->row, 1, (int)row->kind);
	sqlite3_bind_int64(f->row, 2, (int64_t)row->ts);
	sqlite3_bind_int64(f->row, 3, row->cpu);
	sqlite3_bind_int64(f->row, 4, row->probe);
	sqlite3_bind_int64(f->row, 5, row->id);
	sqlite3_bind_int64(f->row, 6, (int64_t)row->count);
	bind_blob(f->row, 7, row->data, row->len);
	bind_blob(f->row, 8, row->value, value);
	bind_blob(f->row, 9, row->percpu, value * f->schema->ncpus);
	if (begin(f) != SQLITE_OK || sqlite3_step(f->row) != SQLITE_DONE) {
		f->dropped++;
		sqlite3_reset(f->row);
		return fail(f, err);
	}
	sqlite3_reset(f->row);
	return 0;
}

static struct known_key key_of(enum recfile_space space, uint32_t tgid, uint64_t start, uint64_t addr)
{
	struct known_key k;

	memset(&k, 0, sizeof(k));
	k = (struct known_key){ addr, space == RECFILE_USER ? start : 0, space == RECFILE_USER ? tgid : 0, space };
	return k;
}

bool recfile_knows(struct recfile *f, enum recfile_space space, uint32_t tgid, uint64_t start, uint64_t addr)
{
	struct known_key k = key_of(space, tgid, start, addr);
	struct known *found;

	HASH_FIND(hh, f->known, &k, sizeof(k), found);
	return found || f->dead;
}

int recfile_add_symbol(struct recfile *f, const struct recfile_symbol *s, struct err *err)
{
	sqlite3_stmt *st = f->symbol;
	struct known *k;

	if (recfile_knows(f, s->space, s->tgid, s->start, s->addr))
		return 0;
	k = calloc(1, sizeof(*k));
	if (!k)
		return err_set(err, -ENOMEM, "out of memory");
	k->key = key_of(s->space, s->tgid, s->start, s->addr);
	HASH_ADD(hh, f->known, key, sizeof(k->key), k);
	sqlite3_bind_int(st, 1, (int)s->space);
	sqlite3_bind_int64(st, 2, k->key.tgid);
	sqlite3_bind_int64(st, 3, (int64_t)k->key.start);
	sqlite3_bind_int64(st, 4, (int64_t)s->addr);
	sqlite3_bind_int(st, 5, s->found);
	sqlite3_bind_text(st, 6, s->module, -1, SQLITE_STATIC);
	sqlite3_bind_text(st, 7, s->name, -1, SQLITE_STATIC);
	sqlite3_bind_int64(st, 8, (int64_t)s->offset);
	sqlite3_bind_int64(st, 9, (int64_t)s->base);
	sqlite3_bind_text(st, 10, s->path, -1, SQLITE_STATIC);
	if (begin(f) != SQLITE_OK || sqlite3_step(st) != SQLITE_DONE) {
		sqlite3_reset(st);
		return fail(f, err);
	}
	sqlite3_reset(st);
	return 0;
}

/* Removes the oldest events (kinds EVENT, FAULT and NOTE) up to a row, but those that change
 * aggregations. Aggregations, losses and the end stay: totals remain right. */
static int retire(struct recfile *f, int64_t last)
{
	sqlite3_stmt *st = NULL;
	int rc = sqlite3_prepare_v2(f->db, "SELECT DISTINCT id FROM row WHERE seq <= ? AND kind = 0", -1, &st, NULL);

	if (rc != SQLITE_OK)
		return rc;
	sqlite3_bind_int64(st, 1, last);
	while ((rc = sqlite3_step(st)) == SQLITE_ROW) {
		int64_t epid = sqlite3_column_int64(st, 0);

		if (epid < 1 || (uint64_t)epid > f->schema->nfmts || f->keep[epid - 1])
			continue;
		if (recfile_exec(f->db, "DELETE FROM row WHERE seq <= ? AND kind = 0 AND id = ?", "ii", last,
				 epid) != SQLITE_OK)
			break;
	}
	sqlite3_finalize(st);
	if (rc == SQLITE_DONE)
		rc = recfile_exec(f->db, "DELETE FROM row WHERE seq <= ? AND kind IN (1, 4)", "i", last);
	if (rc == SQLITE_OK)
		rc = recfile_exec(f->db, "INSERT INTO meta VALUES('retired', ?1) ON CONFLICT(key) DO UPDATE SET value = ?1",
				  "i", last);
	return rc;
}

/* The first column of the first row; -1: none. arg is bound to all parameters there are: at most one. */
static int64_t number(struct recfile *f, const char *sql, int64_t arg)
{
	sqlite3_stmt *st = NULL;
	int64_t n = -1;

	if (sqlite3_prepare_v2(f->db, sql, -1, &st, NULL) == SQLITE_OK) {
		if (sqlite3_bind_parameter_count(st))
			sqlite3_bind_int64(st, 1, arg);
		if (sqlite3_step(st) == SQLITE_ROW)
			n = sqlite3_column_int64(st, 0);
	}
	sqlite3_finalize(st);
	return n;
}

/* The last of the rows next to retire that is older than a time; -1: none is. */
static int64_t last_older(struct recfile *f, uint64_t before)
{
	char sql[160];

	snprintf(sql, sizeof(sql),
		 "SELECT max(seq) FROM (SELECT seq, ts FROM row WHERE seq > %lld ORDER BY seq LIMIT %d) WHERE ts < ?",
		 (long long)f->retired, RETIRE_ROWS_MAX);
	return number(f, sql, (int64_t)before);
}

static int keep_limits(struct recfile *f, uint64_t now)
{
	int64_t last = -1;

	if (f->max_age_ns && now > f->max_age_ns)
		last = last_older(f, now - f->max_age_ns);
	if (f->max_bytes) {
		int64_t used = number(f, "SELECT (page_count - freelist_count) * page_size FROM pragma_page_count,"
				      " pragma_freelist_count, pragma_page_size", 0);
		int64_t rows = number(f, "SELECT max(seq) FROM row", 0) - f->retired;

		if (used > 0 && (uint64_t)used > f->max_bytes && rows > RETIRE_MIN_ROWS &&
		    f->retired + rows / RETIRE_FRACTION > last)
			last = f->retired + rows / RETIRE_FRACTION;
	}
	if (last <= f->retired)
		return SQLITE_OK;
	f->retired = last;
	return retire(f, last);
}

static int commit(struct recfile *f, uint64_t now, struct err *err)
{
	if (!f->open || f->dead)
		return 0;
	if ((f->max_bytes || f->max_age_ns) && now && keep_limits(f, now) != SQLITE_OK)
		return fail(f, err);
	if (sqlite3_exec(f->db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
		return fail(f, err);
	f->open = false;
	f->committed = now;
	return 0;
}

int recfile_tick(struct recfile *f, uint64_t now, struct err *err)
{
	if (now < f->committed + RECFILE_COMMIT_NS)
		return 0;
	return commit(f, now, err);
}

uint64_t recfile_dropped(const struct recfile *f)
{
	return f->dropped;
}

int recfile_close(struct recfile *f, struct err *err)
{
	struct known *k, *next;
	int r = 0;

	if (!f)
		return 0;
	if (f->db)
		r = commit(f, 0, err);
	sqlite3_finalize(f->row);
	sqlite3_finalize(f->symbol);
	/* One file, without a log beside it, when no reader is in the way. */
	if (f->db && !f->dead)
		sqlite3_exec(f->db, "PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE;", NULL, NULL, NULL);
	sqlite3_close(f->db);
	HASH_ITER(hh, f->known, k, next) {
		HASH_DEL(f->known, k);
		free(k);
	}
	free(f->keep);
	free(f);
	return r;
}
