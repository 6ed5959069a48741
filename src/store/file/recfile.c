/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a recording file: rows and symbols through two prepared statements, one transaction per half second. A
 * write-ahead log keeps readers from blocking it, and the file intact after a kill. */
#include "store/file/recfile.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/vec.h"
#include "store/file/packed.h"
#include "store/file/int.h"
#include "store/file/sparse.h"

#define FOLD_LOG "PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE;"
#define CACHE_KB "-8000" /* PRAGMA cache_size: 8 MB */
#define NOTICE_LEN 256
#define ROW_BYTES 40 /* of a row in the file, without its texts */
#define PAGE 4096u   /* bytes of a page of the file and, nearly, of the log; SQLite's default */
#define SOURCES 8    /* lines of source take at most this part of the file: an eighth */
#define KEYS 16	     /* the same of keys of histograms */

/* Messages that come once. */
enum notice { NOTICE_BLOCKED, NOTICE_FULL, NOTICE_KEYS, NOTICE_N };

struct recfile {
	sqlite3 *db;
	sqlite3_stmt *row;
	struct histfile *hist;
	struct rowfile *rows;
	struct symfile *sym;
	struct strb text;      /* of a distribution */
	struct packbuf packed; /* a record or key */
	const struct rec_schema *schema;
	bool open;	    /* a transaction */
	bool dead;	    /* after an error */
	uint64_t committed; /* CLOCK_MONOTONIC ns */
	uint64_t dropped;
	uint64_t uncommitted; /* rows */
	size_t nprobes;	      /* that are in the file */
	/* with limits */
	struct retire *retire; /* NULL: there are none */
	struct rec_room room;
	int64_t seq;		     /* of the last row: numbers are never used again */
	enum sym_user naming;	     /* of the addresses that are named */
	uint64_t now;		     /* the latest that it was told */
	uint64_t bytes;		     /* of the open transaction, about */
	uint64_t sources;	     /* bytes of lines of source */
	uint64_t log;		     /* bytes of the log */
	bool blocked;		     /* the log cannot be emptied: somebody reads what is in it */
	bool full;		     /* nothing more can go, and there is no room */
	uint64_t unrecorded, untold; /* rows; those of which no row tells yet */
	bool told[NOTICE_N], tell;   /* tell: text_told has not been asked for */
	char text_told[NOTICE_LEN];
};

/* rc: of SQLite, or of us: memory. */
static int fail(struct recfile *f, int rc, struct err *err)
{
	int r = rc == SQLITE_NOMEM ? err_set(err, -ENOMEM, "the recording is not continued: out of memory")
				   : recfile_error(f->db, "the recording is not continued", err);

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

	snprintf(
		pragmas, sizeof(pragmas),
		"PRAGMA auto_vacuum = INCREMENTAL; PRAGMA application_id = %d; PRAGMA user_version = %d;"
		"PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY; PRAGMA cache_size = " CACHE_KB
		";",
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
		rc = sqlite3_prepare_v3(f->db, "INSERT INTO row VALUES(?10,?1,?2,?3,?4,?5,?6,?7,?8,?9)", -1,
					SQLITE_PREPARE_PERSISTENT, &f->row, NULL);
	if (rc == SQLITE_OK)
		rc = symfile_new(f->db, &f->sym);
	if (rc == SQLITE_OK)
		rc = histfile_new(f->db, f->schema, info->wall_off, &f->hist);
	if (rc == SQLITE_OK)
		rc = rowfile_new(f->db, f->schema, info, &f->rows);
	return rc;
}

/* After each commit: how long the log has become. Source: sqlite.org/c3ref/wal_hook.html. */
static int on_commit(void *ctx, sqlite3 *db, const char *name, int pages)
{
	struct recfile *f = ctx;

	(void)db;
	(void)name;
	f->log = (uint64_t)pages * PAGE;
	return SQLITE_OK;
}

/* 0: there are none; a limit that is too small for what the recording says of the program is refused. */
static int set_limits(struct recfile *f, const struct recfile_info *info, struct err *err)
{
	const struct retire_of of = { f->db, f->schema, f->hist, f->rows, f->sym };
	uint64_t least = RECFILE_SIZE_MIN;
	char limit[64];

	if (retire_new(&of, info, &f->retire) != SQLITE_OK)
		return recfile_error(f->db, "no limits can be set", err);
	if (!f->retire)
		return 0;
	f->room = retire_room(info->max_bytes ? info->max_bytes : INT64_MAX);
	/* half of the file at least is for what happens */
	if (retire_used(f->retire) * 5 / 2 > least)
		least = retire_used(f->retire) * 5 / 2;
	if (info->max_bytes && info->max_bytes < least)
		return err_set(
			err, -EINVAL,
			"a limit of %llu bytes is too small: the description of the program and its probes takes %llu; "
			"give at least --record-size %llu",
			(unsigned long long)info->max_bytes, (unsigned long long)retire_used(f->retire),
			(unsigned long long)least);
	snprintf(limit, sizeof(limit), "PRAGMA journal_size_limit = %llu", (unsigned long long)f->room.log);
	if (sqlite3_exec(f->db, limit, NULL, NULL, NULL) != SQLITE_OK)
		return recfile_error(f->db, "no limits can be set", err);
	sqlite3_wal_hook(f->db, on_commit, f);
	rowfile_note_stacks(f->rows);
	histfile_limit_keys(f->hist, info->max_bytes ? f->room.file / KEYS : 0);
	return 0;
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
	/* It is closed now. Closing it later would take away the locks that SQLite has on the file then (fcntl(2)). The
	 * next program to end reading it would remove the log that is being written. */
	close(fd);
	f = calloc(1, sizeof(*f));
	if (!f)
		return err_set(err, -ENOMEM, "out of memory");
	f->schema = schema;
	f->nprobes = schema->nprobes;
	if (sqlite3_open_v2(path, &f->db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK ||
	    write_head(f, info) != SQLITE_OK) {
		r = f->db ? recfile_error(f->db, path, err) : err_set(err, -ENOMEM, "out of memory");
	} else {
		r = set_limits(f, info, err);
		if (r < 0)
			err_prefix(err, "%s: ", path);
	}
	if (r < 0) {
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
	const void *data = row->data;
	size_t len = row->len;
	int rc = SQLITE_OK;

	if (d || row->kind == ROW_EVENT)
		data = pack_bytes(&f->packed, row->data, row->len, &len);
	sqlite3_clear_bindings(f->row);
	sqlite3_bind_int(f->row, 1, (int)row->kind);
	sqlite3_bind_int64(f->row, 2, (int64_t)row->ts);
	sqlite3_bind_int64(f->row, 3, row->cpu);
	sqlite3_bind_int64(f->row, 4, row->probe);
	sqlite3_bind_int64(f->row, 5, row->id);
	sqlite3_bind_int64(f->row, 6, (int64_t)row->count);
	bind_blob(f->row, 7, data, len);
	if (d)
		rc = bind_value(f, 8, row->value, d, 1);
	if (d && rc == SQLITE_OK && d->func >= AGG_QUANTIZE)
		f->bytes += f->text.n;
	if (d && rc == SQLITE_OK)
		rc = bind_value(f, 9, row->percpu, d, f->schema->ncpus);
	if (f->retire)
		sqlite3_bind_int64(f->row, 10, f->seq + 1);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(f->row);
	sqlite3_reset(f->row);
	if (rc != SQLITE_DONE)
		return rc;
	f->seq++;
	/* keys as if they were not packed: the names of their stacks take room, too */
	f->bytes += ROW_BYTES + (d ? row->len : len) + (d && d->func < AGG_QUANTIZE ? d->value_size : 0) +
		    (d && row->percpu ? (uint64_t)d->value_size * f->schema->ncpus / (d->func < AGG_QUANTIZE ? 1 : 8)
				      : 0);
	if (d && d->func >= AGG_QUANTIZE)
		return histfile_agg(f->hist, row);
	return row->kind == ROW_EVENT ? rowfile_event(f->rows, row, f->seq) : SQLITE_OK;
}

/* Probes are found while a run goes on. */
static int put_new_probes(struct recfile *f)
{
	int rc = f->nprobes == f->schema->nprobes ? SQLITE_OK : recfile_put_probes(f->db, f->schema);

	if (rc == SQLITE_OK)
		f->nprobes = f->schema->nprobes;
	return rc;
}

static int put(struct recfile *f, const struct row *row)
{
	switch (row->kind) {
	case ROW_HIST: return histfile_add(f->hist, row);
	case ROW_PROC: return rowfile_proc(f->rows, row);
	case ROW_COST: return rowfile_cost(f->rows, row);
	case ROW_FLIGHT: return rowfile_flight(f->rows, row);
	default: return put_row(f, row);
	}
}

/* The same, counted for the limits. */
static int put_counted(struct recfile *f, const struct row *row)
{
	uint64_t bytes = f->bytes, written = rowfile_written(f->rows);
	int rc = put(f, row);

	f->bytes += rowfile_written(f->rows) - written;
	retire_count(f->retire, retire_class(f->retire, row), f->bytes - bytes, row->ts);
	if (row->kind == ROW_EVENT)
		retire_note_event(f->retire, row->ts);
	return rc;
}

/* -- commits -- */

static void give_notice(struct recfile *f, enum notice n)
{
	static const char *const texts[NOTICE_N] = {
		[NOTICE_BLOCKED] =
			"rows are left out of the recording: somebody has been reading it for so long that its log has become as large "
			"as --record-size lets it",
		[NOTICE_FULL] =
			"rows are left out of the recording: --record-size has no room for them, and nothing that is in it can give way",
		[NOTICE_KEYS] =
			"--record-size has no room for all keys of aggregations: those that changed longest ago are not in the recording "
			"any more",
	};
	struct row row = { .kind = ROW_NOTE, .ts = f->now, .id = NOTE_TEXT, .data = texts[n], .len = strlen(texts[n]) };

	if (f->told[n])
		return;
	f->told[n] = f->tell = true;
	snprintf(f->text_told, sizeof(f->text_told), "%s", texts[n]);
	if (begin(f) == SQLITE_OK) /* above the limit, too: it is one row */
		put_counted(f, &row);
}

const char *recfile_notice(struct recfile *f)
{
	if (!f->tell)
		return NULL;
	f->tell = false;
	return f->text_told;
}

/* Brings the log into the file, so that it is written from its beginning again. A log that is too long, since somebody
 * is reading it, shuts the recording until it can be emptied. */
static void empty_log(struct recfile *f)
{
	if (f->log > f->room.log / 2)
		sqlite3_wal_checkpoint_v2(f->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
	if (f->log <= f->room.log) {
		f->blocked = false;
		return;
	}
	f->blocked = sqlite3_wal_checkpoint_v2(f->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL) != SQLITE_OK;
	if (!f->blocked)
		f->log = 0;
}

/* Ends the transaction, if there is one. */
static int end(struct recfile *f)
{
	int rc = f->open ? sqlite3_exec(f->db, "COMMIT", NULL, NULL, NULL) : SQLITE_OK;

	if (rc != SQLITE_OK)
		return rc;
	f->open = false;
	f->uncommitted = 0;
	f->bytes = 0;
	if (f->retire)
		empty_log(f);
	return SQLITE_OK;
}

/* In steps of one commit each: what does not fit any more gives way. */
static int make_room(struct recfile *f)
{
	bool did = true;
	int rc = SQLITE_OK;

	while (rc == SQLITE_OK && did && !f->blocked && retire_wanted(f->retire, f->now)) {
		rc = begin(f);
		if (rc == SQLITE_OK)
			rc = retire_step(f->retire, f->now, &did);
		if (rc == SQLITE_OK)
			rc = end(f);
	}
	f->full = !did;
	if (rc == SQLITE_OK && f->full)
		give_notice(f, NOTICE_FULL);
	if (rc == SQLITE_OK && f->blocked)
		give_notice(f, NOTICE_BLOCKED);
	if (rc == SQLITE_OK && retire_forgotten(f->retire))
		give_notice(f, NOTICE_KEYS);
	return rc == SQLITE_OK ? end(f) : rc;
}

/* How many rows were left out since the last row that told it, and in all. */
static int tell_unrecorded(struct recfile *f)
{
	struct row row = { .kind = ROW_DROPS, .ts = f->now, .id = CNT_UNRECORDED, .count = f->untold };
	char n[24];
	int rc;

	if (!f->untold)
		return SQLITE_OK;
	f->untold = 0;
	snprintf(n, sizeof(n), "%llu", (unsigned long long)f->unrecorded);
	rc = begin(f);
	if (rc == SQLITE_OK)
		rc = put_counted(f, &row);
	return rc == SQLITE_OK
		       ? recfile_exec(f->db, "INSERT OR REPLACE INTO meta VALUES('" RECFILE_UNRECORDED "', ?)", "s", n)
		       : rc;
}

/* Commits what there is, and keeps the limits. */
static int commit_limited(struct recfile *f)
{
	int rc = retire_mark(f->retire, f->seq);

	if (rc == SQLITE_OK)
		rc = end(f);
	return rc == SQLITE_OK ? make_room(f) : rc;
}

static int flush_histograms(struct recfile *f, bool last)
{
	uint64_t written = histfile_written(f->hist), most = f->retire ? f->room.commit : UINT64_MAX;
	bool more = true;
	int rc = SQLITE_OK;

	while (rc == SQLITE_OK && more) {
		more = false;
		rc = begin(f);
		if (rc == SQLITE_OK)
			rc = histfile_flush(f->hist, last, most, &more);
		if (f->retire) {
			retire_count(f->retire, RETIRE_SECONDS, histfile_written(f->hist) - written, 0);
			written = histfile_written(f->hist);
		}
		if (rc == SQLITE_OK && more)
			rc = commit_limited(f);
	}
	return rc;
}

static int commit(struct recfile *f, bool last, struct err *err)
{
	int rc = SQLITE_OK;

	if (f->dead)
		return 0;
	if (f->blocked || f->full) {
		empty_log(f);
		rc = make_room(f);
		if (rc == SQLITE_OK && ((!f->blocked && !f->full) || last))
			rc = tell_unrecorded(f);
	}
	if (rc == SQLITE_OK && (f->open || last) && (!f->blocked || last))
		rc = flush_histograms(f, last); /* with open minutes and hours */
	if (rc == SQLITE_OK)
		rc = f->retire ? commit_limited(f) : end(f);
	return rc == SQLITE_OK ? 0 : fail(f, rc, err);
}

int recfile_tick(struct recfile *f, uint64_t now, struct err *err)
{
	f->now = now > f->now ? now : f->now;
	if (now < f->committed + RECFILE_COMMIT_NS)
		return 0;
	f->committed = now;
	return commit(f, false, err);
}

int recfile_flush(struct recfile *f, struct err *err)
{
	return commit(f, false, err);
}

uint64_t recfile_dropped(const struct recfile *f)
{
	return f->dropped;
}

uint64_t recfile_unrecorded(const struct recfile *f)
{
	return f->unrecorded;
}

/* -- rows and names -- */

/* Whether there is no room for a row within the limits. The end of the run is always told. */
static bool left_out(struct recfile *f, const struct row *row)
{
	bool large = row->len > f->room.log / 2;

	if (row->kind == ROW_END || (!f->blocked && !f->full && !large))
		return false;
	if (large)
		give_notice(f, NOTICE_FULL);
	f->unrecorded++;
	f->untold++;
	return true;
}

int recfile_append(struct recfile *f, const struct row *row, struct err *err)
{
	int rc;

	if (f->dead) {
		f->dropped++;
		return 0;
	}
	if (f->retire && left_out(f, row))
		return 0;
	rc = begin(f);
	if (rc == SQLITE_OK)
		rc = put_new_probes(f);
	if (rc == SQLITE_OK)
		rc = f->retire ? put_counted(f, row) : put(f, row);
	f->uncommitted++;
	if (rc == SQLITE_OK && f->retire && f->bytes >= f->room.commit)
		rc = commit_limited(f);
	return rc == SQLITE_OK ? 0 : fail(f, rc, err);
}

void recfile_name_for(struct recfile *f, const struct row *row)
{
	f->naming = row->kind == ROW_AGG ? SYM_AGGS : SYM_ROWS;
	symfile_use_for(f->sym, f->naming);
}

bool recfile_knows(struct recfile *f, enum recfile_space space, uint32_t tgid, uint64_t start, uint64_t addr)
{
	return symfile_knows(f->sym, space, tgid, start, addr) || f->dead || f->blocked || f->full;
}

int recfile_add_symbol(struct recfile *f, const struct recfile_symbol *s, struct err *err)
{
	uint64_t bytes = 0;
	int rc;

	if (recfile_knows(f, s->space, s->tgid, s->start, s->addr))
		return 0;
	rc = begin(f);
	if (rc == SQLITE_OK)
		rc = symfile_add(f->sym, s, &bytes);
	f->bytes += bytes;
	if (f->retire)
		retire_note_name(f->retire, f->naming, bytes);
	return rc == SQLITE_OK ? 0 : fail(f, rc, err);
}

int recfile_add_source(struct recfile *f, uint32_t tgid, uint64_t start, uint64_t addr, const struct recfile_source *v,
		       size_t n, struct err *err)
{
	uint64_t bytes = 0;
	int rc;

	if (f->dead)
		return 0;
	if (f->retire) {
		/* the names of addresses that calls return to are known by the byte after these */
		if (!symfile_knows(f->sym, RECFILE_USER, tgid, start, addr) &&
		    !symfile_knows(f->sym, RECFILE_USER, tgid, start, addr + 1))
			return 0;
		if (f->blocked || f->full || f->sources > f->room.file / SOURCES)
			return 0;
	}
	rc = begin(f);
	if (rc == SQLITE_OK)
		rc = symfile_add_source(f->sym, tgid, start, addr, v, n, &bytes);
	f->sources += bytes;
	f->bytes += bytes;
	if (rc == SQLITE_OK && f->retire && f->bytes >= f->room.commit)
		rc = commit_limited(f);
	return rc == SQLITE_OK ? 0 : fail(f, rc, err);
}

/* Gives free pages back, some with each commit. */
static int trim(struct recfile *f)
{
	char sql[64];
	int rc = SQLITE_OK;

	snprintf(sql, sizeof(sql), "PRAGMA incremental_vacuum(%llu)", (unsigned long long)(f->room.commit / PAGE));
	for (bool more = true; more && rc == SQLITE_OK;) {
		sqlite3_stmt *st = NULL;

		rc = sqlite3_exec(f->db, sql, NULL, NULL, NULL);
		empty_log(f);
		more = rc == SQLITE_OK && !f->blocked &&
		       sqlite3_prepare_v2(f->db, "PRAGMA freelist_count", -1, &st, NULL) == SQLITE_OK &&
		       sqlite3_step(st) == SQLITE_ROW && sqlite3_column_int64(st, 0) > 0;
		sqlite3_finalize(st);
	}
	return rc;
}

int recfile_close(struct recfile *f, struct err *err)
{
	int r = 0;

	if (!f)
		return 0;
	if (f->db && f->rows) {
		r = commit(f, true, err);
		if (r == 0 && f->retire && !f->dead && trim(f) != SQLITE_OK)
			r = fail(f, SQLITE_ERROR, err);
	}
	histfile_free(f->hist);
	rowfile_free(f->rows);
	retire_free(f->retire);
	symfile_free(f->sym);
	strb_free(&f->text);
	packbuf_free(&f->packed);
	sqlite3_finalize(f->row);
	/* One file, without a log, if no reader prevents that. */
	if (f->db && !f->dead)
		sqlite3_exec(f->db, FOLD_LOG, NULL, NULL, NULL);
	sqlite3_close(f->db);
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
