/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the recording files: the tables, names of kinds, and small tools over SQLite. */
#ifndef DWELL_STORE_RECFILE_INT_H
#define DWELL_STORE_RECFILE_INT_H
#include <sqlite3.h>
#include "base/recfmt.h"
#include "store/recfile.h"

/* field.action of fields that are no action's */
enum { RECFILE_AGG_KEY = -1, RECFILE_TRACKER_KEY = -2 };

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
/* Probes only: those that have come since. */
int recfile_put_probes(sqlite3 *db, const struct rec_schema *s);
/* Reads it back, checked; 0 or -EINVAL with the reason. */
int recfile_get_schema(sqlite3 *db, int version, struct arena *a, struct rec_schema *ret, struct err *err);

/* Histograms of slots of time (recfile_hist.c). SQLite's result codes; a half-made one is freed as well. */
struct histfile;
int histfile_new(sqlite3 *db, const struct rec_schema *schema, uint64_t wall_off, struct histfile **ret);
void histfile_free(struct histfile *h); /* accepts NULL */
int histfile_add(struct histfile *h, const struct row *row); /* a ROW_HIST */
int histfile_agg(struct histfile *h, const struct row *row); /* a ROW_AGG: of interest when it is a distribution */
/* Writes what has changed; end: all of it, else minutes and hours now and then. */
int histfile_flush(struct histfile *h, bool end);

/* Rows with tables of their own (recfile_rows.c). */
struct rowfile;
int rowfile_new(sqlite3 *db, const struct rec_schema *schema, const struct recfile_info *info, struct rowfile **ret);
void rowfile_free(struct rowfile *f); /* accepts NULL */
/* Spans and slow events of a ROW_EVENT that was stored under seq. */
int rowfile_event(struct rowfile *f, const struct row *row, int64_t seq);
int rowfile_proc(struct rowfile *f, const struct row *row);
int rowfile_cost(struct rowfile *f, const struct row *row);
int rowfile_flight(struct rowfile *f, const struct row *row); /* behind its slow event */
/* Forgets which stacks are in the file: some were removed. */
void rowfile_stacks_removed(struct rowfile *f);

/* The limits of size and age (recfile_retire.c): the oldest rows give way. *ret is NULL without limits. */
struct retire;
int retire_new(sqlite3 *db, const struct rec_schema *schema, uint64_t max_bytes, uint64_t max_age_ns,
	       struct retire **ret);
void retire_free(struct retire *r); /* accepts NULL */
int retire_old(struct retire *r, uint64_t now, bool *ret_removed);

/* Prepares, binds (types: i int64, s text, b blob of the next size_t), steps once. */
int recfile_exec(sqlite3 *db, const char *sql, const char *types, ...);
/* An SQLite error as ours. */
int recfile_error(sqlite3 *db, const char *what, struct err *err);
/* Column as text in the arena; NULL stays NULL. */
char *recfile_text(struct arena *a, sqlite3_stmt *st, int col);
#endif
