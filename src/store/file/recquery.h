/* SPDX-License-Identifier: Apache-2.0 */
/* Questions to a recording file, for views: histograms by slot of time, slow events, spans, processes,
 * costs, losses, rows of a stretch of time, stacks. SQLite stays hidden.
 *
 * Callbacks get what is valid until they return; a callback that returns other than 0 ends the query,
 * which returns that. Otherwise: 0, or -EINVAL (damaged), -EIO, -ENOMEM with a message. Files of version 1
 * have none of the tables but rows and losses: queries find nothing there. */
#ifndef DWELL_STORE_RECQUERY_H
#define DWELL_STORE_RECQUERY_H
#include "store/rechist.h"
#include "store/file/recfile.h"

/* A stretch of time, CLOCK_MONOTONIC ns: from <= t < to. */
struct rec_range {
	uint64_t from, to;
};
#define REC_ALL_TIME ((struct rec_range){ 0, INT64_MAX })

/* First and last time of anything in the file, the last included: as a range it is to + 1. False: there is nothing. */
bool recread_extent(struct recread *r, struct rec_range *ret);
/* First begin and last end of the seconds that have histograms; false when there are none. */
bool recread_hist_extent(struct recread *r, struct rec_range *ret);
/* A number that is another one when something was written since; 0: it is not known. */
uint64_t recread_changes(struct recread *r);
/* When the run began, CLOCK_MONOTONIC, ns; 0 when it is not known. */
uint64_t recread_begun(const struct recread *r);
/* CLOCK_REALTIME - CLOCK_MONOTONIC of the run, ns; 0 when it is not known. */
uint64_t recread_wall_off(const struct recread *r);

/* -- histograms by slot: the columns of a heat map -- */

struct rec_column {
	uint32_t source; /* see rec_hist_source() */
	int64_t key;	 /* recread_hist_keys() names it */
	uint64_t start;
	struct rec_hist head; /* period, count, sum, max, flags, nbuckets; no key */
	const struct rec_bucket *buckets;
};
typedef int rec_column_fn(void *ctx, const struct rec_column *c);
/* Slots of length `period` that begin in the range, by time: of one key, or of all (key < 0) one after
 * another. Seconds, minutes and hours are there for everything; other lengths where the program made such. */
int recread_columns(struct recread *r, uint32_t source, uint64_t period, struct rec_range range, int64_t key,
		    rec_column_fn *fn, void *ctx, struct err *err);
/* The shortest length of slots that a source has; a second, where there are none. 0 or -errno with *err. */
int recread_hist_period(struct recread *r, uint32_t source, uint64_t *ret, struct err *err);
/* All of a range added up, from the longest slots that fit. key < 0: all keys. */
int recread_hist(struct recread *r, uint32_t source, struct rec_range range, int64_t key, struct histsum *ret,
		 struct err *err);
/* Keys that a source has histograms of. data: key_size bytes as in the rows, NULL for "other". */
typedef int rec_key_fn(void *ctx, int64_t key, const char *text, const void *data);
int recread_hist_keys(struct recread *r, uint32_t source, rec_key_fn *fn, void *ctx, struct err *err);

/* -- slow events -- */

struct rec_attr {
	const char *name;
	enum { REC_ATTR_INT, REC_ATTR_TEXT, REC_ATTR_STACK } kind;
	int64_t value;	  /* INT; STACK: for recread_stack() */
	const char *text; /* TEXT */
};
struct rec_slow_row {
	int64_t id;
	struct rec_slow fixed; /* tracker is one of the schema */
	const char *key;       /* in words; "" when it has none */
	struct rec_attr attrs[REC_SLOW_ATTRS];
	size_t nattrs;
};
struct rec_slow_query {
	struct rec_range range;			/* of their ends */
	int64_t tracker;			/* -1: any */
	uint64_t min_delay, max_delay;		/* ns; max 0: no limit */
	enum { SLOW_ONLY, CONTROL_ONLY } which; /* control sample, or all but it */
	bool longest_first;			/* else by time */
	int64_t after;				/* not 0: those with a larger id, by id */
	uint64_t limit;				/* 0: none */
};
typedef int rec_slow_fn(void *ctx, const struct rec_slow_row *s);
int recread_slow(struct recread *r, const struct rec_slow_query *q, rec_slow_fn *fn, void *ctx, struct err *err);

struct rec_stack {
	enum recfile_space space;
	uint32_t tgid, flags; /* user: REC_USTACK_* */
	uint64_t start;
	const uint64_t *frames; /* innermost first; live until the next call */
	size_t n;
};
/* A stack by its number: 0, or -ENOENT. Frames are named by recread_symbol(). */
int recread_stack(struct recread *r, int64_t id, struct rec_stack *ret, struct err *err);

/* -- others, by time -- */

struct rec_span {
	const char *lane, *label;
	uint64_t start, duration;
};
typedef int rec_span_fn(void *ctx, const struct rec_span *s);
/* Spans that begin in the range. */
int recread_spans(struct recread *r, struct rec_range range, rec_span_fn *fn, void *ctx, struct err *err);

struct rec_proc_row {
	uint64_t ts;
	const char *name;  /* EXEC, ALIVE, MMAP; "" when it is not known */
	struct rec_proc p; /* without its name */
};
typedef int rec_proc_fn(void *ctx, const struct rec_proc_row *p);
int recread_procs(struct recread *r, struct rec_range range, rec_proc_fn *fn, void *ctx, struct err *err);

struct rec_cost_row {
	uint64_t ts;
	uint32_t program, probe;
	struct rec_cost c;
};
typedef int rec_cost_fn(void *ctx, const struct rec_cost_row *c);
int recread_costs(struct recread *r, struct rec_range range, rec_cost_fn *fn, void *ctx, struct err *err);

/* Rows of the kinds whose bits (1u << kind) are set, in the order of recread_next(). They are found fast, as rows are
 * in order of time but for at most a second. ROW_AGG rows alone do not say what an aggregation was. */
typedef int rec_row_fn(void *ctx, const struct row *row);
int recread_rows(struct recread *r, unsigned kinds, struct rec_range range, rec_row_fn *fn, void *ctx, struct err *err);
/* All that the flight recorder saw: ROW_FLIGHTs, each valid until fn returns. */
int recread_flights(struct recread *r, rec_row_fn *fn, void *ctx, struct err *err);
#endif
