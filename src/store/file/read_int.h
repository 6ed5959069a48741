/* SPDX-License-Identifier: Apache-2.0 */
/* Declares struct recread, the reader of recording files, for read.c (opening, rows, symbols), recquery.c and
 * query_hist.c. */
#ifndef DWELL_STORE_RECREAD_INT_H
#define DWELL_STORE_RECREAD_INT_H
#include "store/file/int.h"

struct cached;

#define KEPT_MAX 16 /* statements */

struct kept {
	sqlite3_stmt *st;
	bool busy;
};

struct recread {
	sqlite3 *db;
	sqlite3_stmt *rows, *symbol, *source; /* source NULL: it has no lines */
	int version;
	struct arena *a;
	struct rec_schema schema;
	struct recfile_pair *meta, *options, *programs;
	struct cached *cache;
	struct kept kept[KEPT_MAX]; /* kept.c */
	uint8_t *buf;		    /* blobs of the row that was given last */
	size_t used, cap;
	uint64_t *frames;		       /* of the stack that was given last */
	sqlite3_stmt *flights, *flight_events; /* flight.c; NULL: the file has none */
	int64_t flight_after;		       /* the row that was given last may have one */
	bool flight_due;
	void *flight; /* that was given last */
};

/* The row that st stands on, checked; its columns are seq, kind, ts, cpu, probe, id, count, data, value,
 * percpu. 0 or -errno. */
int recread_row(struct recread *r, sqlite3_stmt *st, struct row *ret, struct err *err);
/* kept.c: a statement, ready to bind; recread_done() gives it back. SQLite's result. */
int recread_statement(struct recread *r, const char *sql, sqlite3_stmt **ret);
void recread_done(struct recread *r, sqlite3_stmt *st);
void recread_forget(struct recread *r);
/* flight.c: what the flight recorder saw around the slow event of row seq comes after it. */
int recflight_open(struct recread *r, struct err *err);
void recflight_done(struct recread *r);
void recflight_after(struct recread *r, int64_t seq);
struct step recflight_next(struct recread *r, struct row *ret, struct err *err);
#endif
