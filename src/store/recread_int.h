/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the reader: what recread.c (opening, rows, symbols) and recquery*.c share. */
#ifndef DWELL_STORE_RECREAD_INT_H
#define DWELL_STORE_RECREAD_INT_H
#include "store/recfile_int.h"

struct cached;

struct recread {
	sqlite3 *db;
	sqlite3_stmt *rows, *symbol;
	int version;
	struct arena *a;
	struct rec_schema schema;
	struct recfile_pair *meta, *options, *programs;
	struct cached *cache;
	uint8_t *buf; /* blobs of the row that was given last */
	size_t used, cap;
	uint64_t *frames; /* of the stack that was given last */
};

/* The row that st stands on, checked; its columns are seq, kind, ts, cpu, probe, id, count, data, value,
 * percpu. 0 or -errno. */
int recread_take(struct recread *r, sqlite3_stmt *st, struct row *ret, struct err *err);
#endif
