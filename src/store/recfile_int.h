/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the recording files: the tables, names of kinds, and small tools over SQLite. */
#ifndef DWELL_STORE_RECFILE_INT_H
#define DWELL_STORE_RECFILE_INT_H
#include <sqlite3.h>
#include "base/recfmt.h"
#include "store/recfile.h"

extern const char recfile_tables[]; /* SQL that makes them */

/* Names under which kinds stand in the file: numbers may change between versions of dwell. NULL: none;
 * the other direction gives -1. */
const char *recfile_field_name(enum field_kind k);
int recfile_field_kind(const char *name);
const char *recfile_act_name(enum act_kind k);
int recfile_act_kind(const char *name);
const char *recfile_agg_name(enum agg_func f);
int recfile_agg_func(const char *name);

/* Types of printed values. Writing: ids of those that are in the file already; frees them. */
struct rectype_ids;
int recfile_put_type(sqlite3 *db, struct rectype_ids **ids, const struct rectype *t, int64_t *ret);
void recfile_types_free(struct rectype_ids **ids);
/* Reading: by id - 1. */
struct rectype_table {
	const struct rectype **v;
	uint32_t *expanded; /* parts of a value, parts of parts included */
	uint8_t *depth;
	size_t n;
};
int recfile_get_types(sqlite3 *db, struct arena *a, struct rectype_table *ret, struct err *err);

/* Writes what does not change during a run. SQLite's result code. */
int recfile_put_schema(sqlite3 *db, const struct rec_schema *s);
/* Reads it back, checked; 0 or -EINVAL with the reason. */
int recfile_get_schema(sqlite3 *db, struct arena *a, struct rec_schema *ret, struct err *err);

/* Prepares, binds (types: i int64, s text, b blob of the next size_t), steps once. */
int recfile_exec(sqlite3 *db, const char *sql, const char *types, ...);
/* An SQLite error as ours. */
int recfile_error(sqlite3 *db, const char *what, struct err *err);
/* Column as text in the arena; NULL stays NULL. */
char *recfile_text(struct arena *a, sqlite3_stmt *st, int col);
#endif
