/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the tables of recording files, names of kinds, and helpers over SQLite. Private to the recording files. */
#ifndef DWELL_STORE_RECFILE_INT_H
#define DWELL_STORE_RECFILE_INT_H
#include <sqlite3.h>
#include "base/recfmt.h"
#include "store/file/recfile.h"

/* field.action of fields that are no action's */
enum { RECFILE_AGG_KEY = -1, RECFILE_TRACKER_KEY = -2 };

extern const char recfile_tables[]; /* SQL that makes them */

/* Types of printed values. Writing: ids of types that the file has already; frees them. */
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

/* Histograms of slots of time (hist.c). SQLite's result codes; a half-made one is freed as well. */
struct histfile;
enum hist_tier {
	HIST_SECONDS,
	HIST_MINUTES,
	HIST_HOURS,
	HIST_TIERS
}; /* slots shorter than a minute; than an hour; others */
int histfile_new(sqlite3 *db, const struct rec_schema *schema, uint64_t wall_off, struct histfile **ret);
void histfile_free(struct histfile *h);			     /* accepts NULL */
int histfile_add(struct histfile *h, const struct row *row); /* a ROW_HIST */
int histfile_agg(struct histfile *h, const struct row *row); /* a ROW_AGG: of interest when it is a distribution */
/* Writes what has changed; end: all of it, else minutes and hours now and then. After max_bytes it stops, and *ret_more
 * tells that there is more (it is not touched otherwise). */
int histfile_flush(struct histfile *h, bool end, uint64_t max_bytes, bool *ret_more);
/* Keys take so much of the file at most: values of further ones go to "other". */
void histfile_limit_keys(struct histfile *h, uint64_t bytes);
uint64_t histfile_bytes(const struct histfile *h, enum hist_tier tier); /* that are in the file, about */
uint64_t histfile_written(const struct histfile *h);			/* that were ever put there, of seconds */
/* Slots that begin before a time. */
int histfile_remove(struct histfile *h, enum hist_tier tier, uint64_t before);
/* The oldest part of the time that there are slots of; *ret_did is set when something has gone. */
int histfile_thin(struct histfile *h, enum hist_tier tier, unsigned part, bool *ret_did);

/* Rows with tables of their own (rows.c). */
struct rowfile;
struct rec_ids { /* the last number of each table; seq: of the table of rows */
	int64_t seq, slow, span, flight, process, cost;
};
int rowfile_new(sqlite3 *db, const struct rec_schema *schema, const struct recfile_info *info, struct rowfile **ret);
void rowfile_free(struct rowfile *f); /* accepts NULL */
/* Spans and slow events of a ROW_EVENT that was stored under seq. */
int rowfile_event(struct rowfile *f, const struct row *row, int64_t seq);
int rowfile_proc(struct rowfile *f, const struct row *row);
int rowfile_cost(struct rowfile *f, const struct row *row);
int rowfile_flight(struct rowfile *f, const struct row *row);	/* after its slow event */
void rowfile_ids(const struct rowfile *f, struct rec_ids *ret); /* all but seq */
uint64_t rowfile_written(const struct rowfile *f);		/* bytes, about */
/* From now on the file notes which slow event had a stack last. The second function removes stacks, once they are many,
 * that only slow events up to this one had. */
void rowfile_note_stacks(struct rowfile *f);
int rowfile_sweep(struct rowfile *f, int64_t slow);

/* Names of addresses and lines of source (sym.c). */
struct symfile;
int symfile_new(sqlite3 *db, struct symfile **ret);
void symfile_free(struct symfile *f); /* accepts NULL */
bool symfile_knows(struct symfile *f, enum recfile_space space, uint32_t tgid, uint64_t start, uint64_t addr);
int symfile_add(struct symfile *f, const struct recfile_symbol *s, uint64_t *ret_bytes); /* one that it does not know */
int symfile_add_source(struct symfile *f, uint32_t tgid, uint64_t start, uint64_t addr, const struct recfile_source *v,
		       size_t n, uint64_t *ret_bytes);
/* Names that are asked for or added from now on are used by rows of this mark, by the user set last. */
enum sym_user { SYM_ROWS, SYM_AGGS, SYM_USERS }; /* events; aggregations */
void symfile_mark(struct symfile *f, uint64_t mark);
void symfile_use_for(struct symfile *f, enum sym_user user);
/* Removes names that no row has any more: gone: by user, up to which mark its rows have gone. About max_bytes at once:
 * *ret_more is set when there are others. */
int symfile_sweep(struct symfile *f, const uint64_t *gone, uint64_t max_bytes, bool *ret_more);

/* The state of aggregations at the rows that have been removed (fold.c). keep: by epid - 1, which events show or change
 * them. */
struct fold;
int fold_new(sqlite3 *db, const struct rec_schema *schema, const bool *keep, uint64_t wall_off, uint64_t max_bytes,
	     struct fold **ret);
void fold_free(struct fold *f); /* accepts NULL */
/* Takes in and removes the rows (first exclusive) of aggregations. ts: the time of the last. */
int fold_rows(struct fold *f, int64_t after, int64_t last, uint64_t ts);
int fold_forget(struct fold *f); /* a quarter of the keys, those that changed longest ago */
uint64_t fold_bytes(const struct fold *f);
uint64_t fold_forgotten(const struct fold *f); /* keys that were given up */
void fold_addresses(struct fold *f, recfile_address_fn *fn, void *ctx);

/* The limits of size and age (retire.c): the oldest give way. *ret is NULL without limits. */
#define RETIRE_LOG_MIN (4u << 20) /* of an eighth of the limit, for the log beside the file; but a quarter at most */
#define RETIRE_LOG_MAX (32u << 20)
struct rec_room {
	uint64_t log;	 /* bytes of the log at most */
	uint64_t file;	 /* of the file */
	uint64_t commit; /* that one commit may add */
};
struct rec_room retire_room(uint64_t max_bytes);

struct retire;
struct retire_of { /* what is kept small; all live longer */
	sqlite3 *db;
	const struct rec_schema *schema;
	struct histfile *hist;
	struct rowfile *rows;
	struct symfile *sym;
};
/* The classes of rows that are counted between marks, in the order in which they are removed: events never stay longer
 * than the rows that change aggregations. */
enum retire_class { RETIRE_AGGS, RETIRE_ROWS, RETIRE_PROCS, RETIRE_SECONDS, RETIRE_N };
int retire_new(const struct retire_of *of, const struct recfile_info *info, struct retire **ret);
void retire_free(struct retire *r); /* accepts NULL */
enum retire_class retire_class(struct retire *r, const struct row *row);
/* Counts n bytes that were written for a row of this time. */
void retire_count(struct retire *r, enum retire_class class, uint64_t bytes, uint64_t ts);
/* An event of this time is among them. */
void retire_note_event(struct retire *r, uint64_t ts);
void retire_note_name(struct retire *r, enum sym_user user, uint64_t bytes);
int retire_mark(struct retire *r, int64_t seq); /* with each commit; seq: of the last row */
/* Whether something must go; then a step, in a transaction: *ret_did false: nothing more can. */
bool retire_wanted(struct retire *r, uint64_t now);
int retire_step(struct retire *r, uint64_t now, bool *ret_did);
bool retire_full(struct retire *r);	/* no room for one more commit */
uint64_t retire_used(struct retire *r); /* bytes of the file, without free pages */
uint64_t retire_forgotten(const struct retire *r);

/* Prepares, binds (types: i int64, s text, b blob of the next size_t), steps once. */
int recfile_exec(sqlite3 *db, const char *sql, const char *types, ...);
/* An SQLite error as ours. */
int recfile_error(sqlite3 *db, const char *what, struct err *err);
/* Column as text in the arena; NULL stays NULL. */
char *recfile_text(struct arena *a, sqlite3_stmt *st, int col);
#endif
