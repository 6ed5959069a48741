/* SPDX-License-Identifier: Apache-2.0 */
/* Writing a recording file: rows and symbols through two prepared statements, one transaction per half
 * second. Write-ahead log, so that readers are not in the way and the file is whole after a kill. */
#include "store/recfile.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/vec.h"
#include "store/recfile_int.h"
#include "store/sparse.h"
#include <uthash.h>

#define FOLD_LOG "PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE;"
#define CACHE_KB	 "-8000"  /* PRAGMA cache_size: 8 MB */

struct known { /* an address that is in the file */
	struct known_key {
		uint64_t addr, start;
		uint32_t tgid, space;
	} key;
	UT_hash_handle hh;
};

struct recfile {
	sqlite3 *db;
	sqlite3_stmt *row, *symbol, *source;
	struct histfile *hist;
	struct rowfile *rows;
	struct strb text; /* of a distribution */
	const struct rec_schema *schema;
	struct known *known;
	bool open;	   /* a transaction */
	bool dead;	   /* after an error */
	uint64_t committed; /* CLOCK_MONOTONIC ns */
	uint64_t dropped;
	uint64_t uncommitted; /* rows */
	size_t nprobes;	   /* that are in the file */
	struct retire *retire; /* NULL: no limits */
};

/* rc: of SQLite, or of us: memory. */
static int fail(struct recfile *f, int rc, struct err *err)
{
	int r = rc == SQLITE_NOMEM ? err_set(err, -ENOMEM, "the recording is not continued: out of memory") :
				     recfile_error(f->db, "the recording is not continued", err);

	err_prefix(err, "%s: ", sqlite3_db_filename(f->db, "main"));
	if (f->open)
		sqlite3_exec(f->db, "ROLLBACK", NULL, NULL, NULL);
	f->open = false;
	f->dropped += f->uncommitted;
	f->uncommitted = 0;
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
	char pragmas[256], wall[24];
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
	snprintf(wall, sizeof(wall), "%llu", (unsigned long long)info->wall_off);
	if (rc == SQLITE_OK)
		rc = recfile_exec(f->db, "INSERT INTO meta VALUES('wall_off_ns', ?)", "s", wall);
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
	if (rc == SQLITE_OK)
		rc = sqlite3_prepare_v3(f->db, "INSERT OR IGNORE INTO source VALUES(?,?,?,?,?,?,?,?,?)", -1,
					SQLITE_PREPARE_PERSISTENT, &f->source, NULL);
	if (rc == SQLITE_OK)
		rc = histfile_new(f->db, f->schema, info->wall_off, &f->hist);
	if (rc == SQLITE_OK)
		rc = rowfile_new(f->db, f->schema, info, &f->rows);
	return rc;
}

int recfile_create(const char *path, const struct rec_schema *schema, const struct recfile_info *info,
		   struct recfile **ret, struct err *err)
{
	/* SQLite would open what is there; O_EXCL never follows or takes over a file. */
	int fd = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
	struct recfile *f;
	int r;

	if (fd < 0)
		return err_set(err, -errno, "cannot create recording %s: %s", path, strerror(errno));
	/* Now: closing it later would take away the locks that SQLite has on the file then (fcntl(2)), and the next program to end reading it
	 * would remove the log that is being written. */
	close(fd);
	f = calloc(1, sizeof(*f));
	if (!f)
		return err_set(err, -ENOMEM, "out of memory");
	f->schema = schema;
	f->nprobes = schema->nprobes;
	if (sqlite3_open_v2(path, &f->db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK ||
	    write_head(f, info) != SQLITE_OK ||
	    retire_new(f->db, schema, info->max_bytes, info->max_age_ns, &f->retire) != SQLITE_OK) {
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

/* Values of distributions, as what is not zero in them; others as they are. */
static int bind_value(struct recfile *f, int i, const uint64_t *words, const struct aggdesc *d, size_t n)
{
	if (!words || d->func < AGG_QUANTIZE) {
		bind_blob(f->row, i, words, n * d->value_size);
		return SQLITE_OK;
	}
	strb_reset(&f->text);
	sparse_put_words(&f->text, words, n * d->value_size / sizeof(*words));
	if (f->text.failed)
		return SQLITE_NOMEM;
	return sqlite3_bind_text(f->row, i, strb_str(&f->text), (int)f->text.n, SQLITE_TRANSIENT);
}

/* A row of the table of rows; events go on to the tables that they are for as well. */
static int put_row(struct recfile *f, const struct row *row)
{
	const struct aggdesc *d = row->kind == ROW_AGG ? f->schema->aggs[row->id] : NULL;
	int rc = SQLITE_OK;

	sqlite3_clear_bindings(f->row);
	sqlite3_bind_int(f->row, 1, (int)row->kind);
	sqlite3_bind_int64(f->row, 2, (int64_t)row->ts);
	sqlite3_bind_int64(f->row, 3, row->cpu);
	sqlite3_bind_int64(f->row, 4, row->probe);
	sqlite3_bind_int64(f->row, 5, row->id);
	sqlite3_bind_int64(f->row, 6, (int64_t)row->count);
	bind_blob(f->row, 7, row->data, row->len);
	if (d)
		rc = bind_value(f, 8, row->value, d, 1);
	if (d && rc == SQLITE_OK)
		rc = bind_value(f, 9, row->percpu, d, f->schema->ncpus);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(f->row);
	sqlite3_reset(f->row);
	if (rc != SQLITE_DONE)
		return rc;
	if (d && d->func >= AGG_QUANTIZE)
		return histfile_agg(f->hist, row);
	return row->kind == ROW_EVENT ? rowfile_event(f->rows, row, sqlite3_last_insert_rowid(f->db)) : SQLITE_OK;
}

/* Probes are found while a run goes on. */
static int put_new_probes(struct recfile *f)
{
	int rc = f->nprobes == f->schema->nprobes ? SQLITE_OK : recfile_put_probes(f->db, f->schema);

	if (rc == SQLITE_OK)
		f->nprobes = f->schema->nprobes;
	return rc;
}

int recfile_append(struct recfile *f, const struct row *row, struct err *err)
{
	int rc;

	if (f->dead) {
		f->dropped++;
		return 0;
	}
	rc = begin(f);
	if (rc == SQLITE_OK)
		rc = put_new_probes(f);
	if (rc == SQLITE_OK) {
		switch (row->kind) {
		case ROW_HIST:
			rc = histfile_add(f->hist, row);
			break;
		case ROW_PROC:
			rc = rowfile_proc(f->rows, row);
			break;
		case ROW_COST:
			rc = rowfile_cost(f->rows, row);
			break;
		case ROW_FLIGHT:
			rc = rowfile_flight(f->rows, row);
			break;
		default:
			rc = put_row(f, row);
		}
	}
	f->uncommitted++;
	return rc == SQLITE_OK ? 0 : fail(f, rc, err);
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
		return fail(f, SQLITE_ERROR, err);
	}
	sqlite3_reset(st);
	return 0;
}

int recfile_add_source(struct recfile *f, uint32_t tgid, uint64_t start, uint64_t addr, const struct recfile_source *v, size_t n,
		       struct err *err)
{
	sqlite3_stmt *st = f->source;

	if (f->dead)
		return 0;
	for (size_t i = 0; i < n && i < RECFILE_MAX_SOURCE; i++) {
		sqlite3_bind_int64(st, 1, tgid);
		sqlite3_bind_int64(st, 2, (int64_t)start);
		sqlite3_bind_int64(st, 3, (int64_t)addr);
		sqlite3_bind_int64(st, 4, (int64_t)i);
		sqlite3_bind_text(st, 5, v[i].function, -1, SQLITE_STATIC);
		sqlite3_bind_text(st, 6, v[i].file, -1, SQLITE_STATIC);
		sqlite3_bind_int64(st, 7, v[i].line);
		sqlite3_bind_text(st, 8, v[i].def_file, -1, SQLITE_STATIC);
		sqlite3_bind_int64(st, 9, v[i].def_line);
		if (begin(f) != SQLITE_OK || sqlite3_step(st) != SQLITE_DONE) {
			sqlite3_reset(st);
			return fail(f, SQLITE_ERROR, err);
		}
		sqlite3_reset(st);
	}
	return 0;
}

static int commit(struct recfile *f, uint64_t now, bool end, struct err *err)
{
	bool removed = false;
	int rc;

	if (f->dead)
		return 0;
	rc = end ? begin(f) : SQLITE_OK; /* open minutes and hours */
	if (rc == SQLITE_OK && !f->open)
		return 0;
	if (rc == SQLITE_OK)
		rc = histfile_flush(f->hist, end);
	if (rc == SQLITE_OK && f->retire && now)
		rc = retire_old(f->retire, now, &removed);
	if (removed)
		rowfile_stacks_removed(f->rows);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(f->db, "COMMIT", NULL, NULL, NULL);
	if (rc != SQLITE_OK)
		return fail(f, rc, err);
	f->open = false;
	f->uncommitted = 0;
	f->committed = now;
	return 0;
}

int recfile_tick(struct recfile *f, uint64_t now, struct err *err)
{
	if (now < f->committed + RECFILE_COMMIT_NS)
		return 0;
	return commit(f, now, false, err);
}

int recfile_flush(struct recfile *f, struct err *err)
{
	return commit(f, 0, false, err);
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
	if (f->db && f->rows)
		r = commit(f, 0, true, err);
	histfile_free(f->hist);
	rowfile_free(f->rows);
	retire_free(f->retire);
	strb_free(&f->text);
	sqlite3_finalize(f->row);
	sqlite3_finalize(f->symbol);
	sqlite3_finalize(f->source);
	/* One file, without a log beside it, when no reader is in the way. */
	if (f->db && !f->dead)
		sqlite3_exec(f->db, FOLD_LOG, NULL, NULL, NULL);
	sqlite3_close(f->db);
	HASH_ITER(hh, f->known, k, next) {
		HASH_DEL(f->known, k);
		free(k);
	}
	free(f);
	return r;
}

int recfile_recover(const char *path, struct err *err)
{
	sqlite3 *db = NULL;
	int r = 0;

	if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK ||
	    sqlite3_exec(db, FOLD_LOG, NULL, NULL, NULL) != SQLITE_OK)
		r = db ? recfile_error(db, path, err) : err_set(err, -ENOMEM, "out of memory");
	sqlite3_close(db);
	return r;
}
