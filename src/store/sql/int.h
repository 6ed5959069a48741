/* SPDX-License-Identifier: Apache-2.0 */
/* Declares struct recsql, for recsql.c (statements), funcs.c (functions that its views call) and aggs.c (deltas of
 * aggregations). */
#ifndef DWELL_STORE_RECSQL_INT_H
#define DWELL_STORE_RECSQL_INT_H
#include "store/file/read_int.h"
#include "store/sql/recsql.h"

#define RECSQL_AGGS "dwell_aggregations" /* a temporary table, filled when a statement first reads it */

struct recsql {
	struct recread *r;
	struct recsql_words words;
	sqlite3_stmt *row; /* one row by seq */
	uint64_t begun, wall_off;
	bool inside;	/* what runs is dwell's own */
	bool want_aggs; /* the statement reads RECSQL_AGGS */
	bool have_aggs;
	bool refused; /* the statement would do more than read */
	bool stopped; /* stop() said so */
};

int recsql_add_funcs(struct recsql *s, struct err *err);
/* Fills RECSQL_AGGS. 0, -EINTR or -errno with a message. */
int recsql_fill_aggs(struct recsql *s, struct err *err);
#endif
