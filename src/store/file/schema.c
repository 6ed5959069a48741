/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the tables of a recording file, and writes what does not change during a run: formats, aggregations,
 * probes. */
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include "base/aggval.h"
#include "base/cleanup.h"
#include "base/recnames.h"
#include "store/file/int.h"

/* Pieces of the view `frame`. */
#define FRAMES_SHOWN "255"
#define DIGIT(at, shift) "(instr('123456789ABCDEF', substr(h, " #at ", 1)) << " #shift ")"
#define BYTE(at, shift) "((" DIGIT(at, 4) " | " DIGIT(at + 1, 0) ") << " #shift ")"

/* A line of SQL is a line here. */
/* clang-format off */
const char recfile_tables[] =
	"CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;"
	"CREATE TABLE option(name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;"
	"CREATE TABLE program(id INTEGER PRIMARY KEY, name TEXT, text TEXT);"
	"CREATE TABLE probe(id INTEGER PRIMARY KEY, provider TEXT, module TEXT, function TEXT, name TEXT);"
	"CREATE TABLE format(epid INTEGER PRIMARY KEY, size INTEGER, is_default INTEGER, has_exit INTEGER);"
	"CREATE TABLE action(epid INTEGER, pos INTEGER, kind TEXT, number INTEGER, fmt TEXT,"
	" PRIMARY KEY(epid, pos)) WITHOUT ROWID;"
	"CREATE TABLE aggregation(id INTEGER PRIMARY KEY, name TEXT, function TEXT, p0 INTEGER, p1 INTEGER,"
	" p2 INTEGER, p3 INTEGER, is_signed INTEGER, key_size INTEGER, value_size INTEGER,"
	" slot INTEGER, slot_wall INTEGER);"
	"CREATE TABLE tracker(id INTEGER PRIMARY KEY, name TEXT, threshold INTEGER, timeout INTEGER, key_size INTEGER);"
	/* of an action (owner: epid), or the key of an aggregation (owner: id, action -1) or tracker (action -2) */
	"CREATE TABLE field(owner INTEGER, action INTEGER, pos INTEGER, kind TEXT, off INTEGER, size INTEGER,"
	" is_signed INTEGER, is_char INTEGER, nframes INTEGER, strframes INTEGER, ctype TEXT, type INTEGER,"
	" name TEXT, PRIMARY KEY(owner, action, pos)) WITHOUT ROWID;"
	"CREATE TABLE type(id INTEGER PRIMARY KEY, kind TEXT, name TEXT, size INTEGER, is_signed INTEGER,"
	" is_char INTEGER, elem INTEGER, nelems INTEGER);"
	"CREATE TABLE type_member(type INTEGER, pos INTEGER, name TEXT, part INTEGER, bit_off INTEGER,"
	" bit_size INTEGER, PRIMARY KEY(type, pos)) WITHOUT ROWID;"
	"CREATE TABLE type_value(type INTEGER, pos INTEGER, name TEXT, value INTEGER, PRIMARY KEY(type, pos))"
	" WITHOUT ROWID;"
	"CREATE TABLE action_aggregation(epid INTEGER, action INTEGER, pos INTEGER, aggregation INTEGER,"
	" PRIMARY KEY(epid, action, pos)) WITHOUT ROWID;"
	"CREATE TABLE row(seq INTEGER PRIMARY KEY, kind INTEGER NOT NULL, ts INTEGER NOT NULL, cpu INTEGER,"
	" probe INTEGER, id INTEGER, count INTEGER, data BLOB, value BLOB, percpu BLOB);"
	"CREATE TABLE symbol(space INTEGER, tgid INTEGER, start INTEGER, addr INTEGER, found INTEGER,"
	" module TEXT, name TEXT, offset INTEGER, base INTEGER, path TEXT,"
	" PRIMARY KEY(space, tgid, start, addr)) WITHOUT ROWID;"
	/* pos 0: the innermost function at an address, then those it is inlined into */
	"CREATE TABLE source(tgid INTEGER, start INTEGER, addr INTEGER, pos INTEGER, function TEXT, file TEXT, line INTEGER,"
	" def_file TEXT, def_line INTEGER, PRIMARY KEY(tgid, start, addr, pos)) WITHOUT ROWID;"
	/* histograms of slots of time: source is a tracker's id, or their number and an aggregation's id */
	"CREATE TABLE hist_source(id INTEGER PRIMARY KEY, kind TEXT, name TEXT, function TEXT, p0 INTEGER, p1 INTEGER,"
	" p2 INTEGER, p3 INTEGER);"
	"CREATE TABLE hist_key(id INTEGER PRIMARY KEY, source INTEGER, data BLOB, text TEXT);"
	"CREATE TABLE bucket(source INTEGER, bucket INTEGER, low INTEGER, high INTEGER, PRIMARY KEY(source, bucket))"
	" WITHOUT ROWID;"
	"CREATE TABLE hist(source INTEGER, period INTEGER, start INTEGER, key INTEGER, count INTEGER, sum INTEGER,"
	" max INTEGER, p50 INTEGER, p90 INTEGER, p99 INTEGER, p999 INTEGER, flags INTEGER, buckets TEXT,"
	" PRIMARY KEY(source, period, start, key)) WITHOUT ROWID;"
	"CREATE TABLE slow(id INTEGER PRIMARY KEY, seq INTEGER, tracker INTEGER, start INTEGER, delay INTEGER,"
	" ended INTEGER, how TEXT, exit_id INTEGER, cgroup INTEGER, pid INTEGER, tid INTEGER, cpu INTEGER,"
	" end_pid INTEGER, end_tid INTEGER, end_cpu INTEGER, comm TEXT, end_comm TEXT, key TEXT, key_data BLOB);"
	"CREATE INDEX slow_ended ON slow(ended);"
	"CREATE INDEX slow_delay ON slow(delay);"
	"CREATE TABLE slow_attr(slow INTEGER, pos INTEGER, name TEXT, value INTEGER, text TEXT, stack INTEGER,"
	" PRIMARY KEY(slow, pos)) WITHOUT ROWID;"
	"CREATE TABLE stack(id INTEGER PRIMARY KEY, hash INTEGER, space INTEGER, tgid INTEGER, start INTEGER,"
	" flags INTEGER, frames BLOB);"
	"CREATE INDEX stack_hash ON stack(hash);"
	"CREATE TABLE span(id INTEGER PRIMARY KEY, seq INTEGER, lane TEXT, label TEXT, start INTEGER, duration INTEGER);"
	"CREATE INDEX span_start ON span(start);"
	"CREATE TABLE flight(id INTEGER PRIMARY KEY, seq INTEGER, slow INTEGER, \"from\" INTEGER, \"to\" INTEGER,"
	" covered INTEGER, torn INTEGER, skipped INTEGER);"
	"CREATE INDEX flight_seq ON flight(seq);"
	"CREATE TABLE flight_event(flight INTEGER, pos INTEGER, ts INTEGER, cpu INTEGER, kind TEXT, id INTEGER,"
	" info INTEGER, text TEXT, PRIMARY KEY(flight, pos)) WITHOUT ROWID;"
	"CREATE TABLE process(id INTEGER PRIMARY KEY, ts INTEGER, kind TEXT, tgid INTEGER, parent INTEGER, addr INTEGER,"
	" len INTEGER, off INTEGER, name TEXT);"
	"CREATE TABLE cost(id INTEGER PRIMARY KEY, ts INTEGER, program INTEGER, probe INTEGER, run_ns INTEGER,"
	" run_cnt INTEGER, interval INTEGER);"
	"CREATE VIEW cell AS SELECT hist_source.name AS name, hist.source AS source, period, start, hist_key.text AS key,"
	" low, high, cells.value AS count FROM hist JOIN hist_source ON hist_source.id = hist.source"
	" JOIN hist_key ON hist_key.id = hist.key JOIN json_each(hist.buckets) AS cells"
	" JOIN bucket ON bucket.source = hist.source AND bucket.bucket = CAST(cells.key AS INTEGER);"
	/* stacks function by function, with their names: addresses are 8 bytes of the blob, the least first */
	"CREATE VIEW frame AS WITH RECURSIVE pos(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM pos WHERE n < " FRAMES_SHOWN "),"
	" part(stack, n, space, tgid, start, h) AS (SELECT id, n, space, tgid, start, hex(substr(frames, 8 * n + 1, 8))"
	" FROM stack JOIN pos ON 8 * n < length(frames)),"
	" word(stack, n, space, tgid, start, addr) AS (SELECT stack, n, space, tgid, start, "
	BYTE(1, 0) " | " BYTE(3, 8) " | " BYTE(5, 16) " | " BYTE(7, 24) " | " BYTE(9, 32) " | " BYTE(11, 40) " | "
	BYTE(13, 48) " | " BYTE(15, 56) " FROM part)"
	" SELECT word.stack, word.n AS pos, word.space, word.addr, symbol.module, symbol.name, symbol.offset FROM word"
	" LEFT JOIN symbol ON symbol.space = word.space AND symbol.addr = word.addr AND symbol.tgid = word.tgid * word.space"
	" AND symbol.start = word.start * word.space;"
	"CREATE VIEW event AS SELECT seq, ts, cpu, row.id AS epid, provider, module, function, name, data"
	" FROM row LEFT JOIN probe ON probe.id = row.probe WHERE kind = 0;"
	"CREATE VIEW loss AS SELECT seq, ts, cpu, row.id AS counter, count, provider, module, function, name"
	" FROM row LEFT JOIN probe ON probe.id = row.probe WHERE kind = 3;";
/* clang-format on */

int recfile_exec(sqlite3 *db, const char *sql, const char *types, ...)
{
	sqlite3_stmt *st = NULL;
	va_list ap;
	int rc = sqlite3_prepare_v2(db, sql, -1, &st, NULL);

	va_start(ap, types);
	for (int i = 0; rc == SQLITE_OK && types[i]; i++) {
		const char *s;

		switch (types[i]) {
		case 'i': rc = sqlite3_bind_int64(st, i + 1, va_arg(ap, int64_t)); break;
		case 's':
			s = va_arg(ap, const char *);
			rc = sqlite3_bind_text(st, i + 1, s, -1, SQLITE_STATIC);
			break;
		default: rc = SQLITE_MISUSE;
		}
	}
	va_end(ap);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(st);
	sqlite3_finalize(st);
	return rc == SQLITE_DONE || rc == SQLITE_ROW ? SQLITE_OK : rc;
}

int recfile_error(sqlite3 *db, const char *what, struct err *err)
{
	int rc = sqlite3_errcode(db);
	int code = rc == SQLITE_FULL				 ? -ENOSPC
		   : rc == SQLITE_NOMEM				 ? -ENOMEM
		   : rc == SQLITE_BUSY				 ? -EBUSY
		   : rc == SQLITE_CORRUPT || rc == SQLITE_NOTADB ? -EINVAL
								 : -EIO;

	return err_set(err, code, "%s: %s", what, sqlite3_errmsg(db));
}

char *recfile_text(struct arena *a, sqlite3_stmt *st, int col)
{
	const char *s = (const char *)sqlite3_column_text(st, col);

	return s ? arena_strndup(a, s, (size_t)sqlite3_column_bytes(st, col)) : NULL;
}

/* -- writing -- */

struct writer {
	sqlite3 *db;
	struct rectype_ids *types;
};

static int put_fields(struct writer *w, int64_t owner, int64_t action, const struct recfield *v, size_t n)
{
	int rc = SQLITE_OK;

	for (size_t i = 0; rc == SQLITE_OK && i < n; i++) {
		int64_t type = 0;

		if (v[i].type)
			rc = recfile_put_type(w->db, &w->types, v[i].type, &type);
		if (rc == SQLITE_OK)
			rc = recfile_exec(w->db, "INSERT INTO field VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)", "iiisiiiiiisis",
					  owner, action, (int64_t)i, rec_field_name(v[i].kind), (int64_t)v[i].off,
					  (int64_t)v[i].size, (int64_t)v[i].is_signed, (int64_t)v[i].is_char,
					  (int64_t)v[i].nframes, (int64_t)v[i].strframes, v[i].ctype, type, v[i].name);
	}
	return rc;
}

static int put_action(struct writer *w, int64_t epid, int64_t pos, const struct recact *act)
{
	int rc = recfile_exec(w->db, "INSERT INTO action VALUES(?,?,?,?,?)", "iisis", epid, pos,
			      rec_act_name(act->kind), (int64_t)act->number, act->fmt);

	if (rc == SQLITE_OK)
		rc = put_fields(w, epid, pos, act->fields, act->nfields);
	for (size_t i = 0; rc == SQLITE_OK && i < act->naggs; i++)
		rc = recfile_exec(w->db, "INSERT INTO action_aggregation VALUES(?,?,?,?)", "iiii", epid, pos,
				  (int64_t)i, (int64_t)act->aggs[i]->id);
	return rc;
}

static int put_format(struct writer *w, const struct recfmt *f)
{
	int rc = recfile_exec(w->db, "INSERT INTO format VALUES(?,?,?,?)", "iiii", (int64_t)f->epid, (int64_t)f->size,
			      (int64_t)f->is_default, (int64_t)f->has_exit);

	for (size_t i = 0; rc == SQLITE_OK && i < f->nacts; i++)
		rc = put_action(w, f->epid, (int64_t)i, &f->acts[i]);
	return rc;
}

static int put_aggregation(struct writer *w, const struct aggdesc *a)
{
	int rc = recfile_exec(w->db, "INSERT INTO aggregation VALUES(?,?,?,?,?,?,?,?,?,?,?,?)", "issiiiiiiiii",
			      (int64_t)a->id, a->name, rec_agg_name(a->func), (int64_t)a->param[0],
			      (int64_t)a->param[1], (int64_t)a->param[2], (int64_t)a->param[3], (int64_t)a->is_signed,
			      (int64_t)a->key_size, (int64_t)a->value_size, (int64_t)a->slot_ns, (int64_t)a->slot_wall);

	return rc == SQLITE_OK ? put_fields(w, a->id, RECFILE_AGG_KEY, a->keys, a->nkeys) : rc;
}

static int put_tracker(struct writer *w, const struct rec_tracker *t)
{
	int rc = recfile_exec(w->db, "INSERT INTO tracker VALUES(?,?,?,?,?)", "isiii", (int64_t)t->id, t->name,
			      (int64_t)t->threshold, (int64_t)t->timeout, (int64_t)t->key_size);

	return rc == SQLITE_OK ? put_fields(w, t->id, RECFILE_TRACKER_KEY, t->keys, t->nkeys) : rc;
}

static int put_sources(struct writer *w, const struct rec_schema *s)
{
	struct rec_histdesc d;
	int rc = SQLITE_OK;

	for (uint32_t i = 0; i < s->ntrackers + s->naggs && rc == SQLITE_OK; i++)
		if (rec_hist_source(s, i, &d))
			rc = recfile_exec(w->db, "INSERT INTO hist_source VALUES(?,?,?,?,?,?,?,?)", "isssiiii",
					  (int64_t)i, d.is_tracker ? "tracker" : "aggregation", d.name,
					  rec_agg_name(d.func), (int64_t)d.param[0], (int64_t)d.param[1],
					  (int64_t)d.param[2], (int64_t)d.param[3]);
	return rc;
}

int recfile_put_probes(sqlite3 *db, const struct rec_schema *s)
{
	int rc = SQLITE_OK;

	for (size_t i = 0; rc == SQLITE_OK && i < s->nprobes; i++)
		rc = recfile_exec(db, "INSERT OR IGNORE INTO probe VALUES(?,?,?,?,?)", "issss",
				  (int64_t)s->probes[i].id, s->probes[i].prov, s->probes[i].mod, s->probes[i].func,
				  s->probes[i].name);
	return rc;
}

int recfile_put_schema(sqlite3 *db, const struct rec_schema *s)
{
	struct writer w = { db, NULL };
	int rc = recfile_put_probes(db, s);

	for (size_t i = 0; rc == SQLITE_OK && i < s->naggs; i++)
		rc = put_aggregation(&w, s->aggs[i]);
	for (size_t i = 0; rc == SQLITE_OK && i < s->nfmts; i++)
		rc = put_format(&w, s->fmts[i]);
	for (size_t i = 0; rc == SQLITE_OK && i < s->ntrackers; i++)
		rc = put_tracker(&w, &s->trackers[i]);
	if (rc == SQLITE_OK)
		rc = put_sources(&w, s);
	if (rc == SQLITE_OK) {
		char cpus[16];

		snprintf(cpus, sizeof(cpus), "%u", s->ncpus);
		rc = recfile_exec(db, "INSERT INTO meta VALUES('cpus', ?)", "s", cpus);
	}
	recfile_types_free(&w.types);
	return rc;
}
