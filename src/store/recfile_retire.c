/* SPDX-License-Identifier: Apache-2.0 */
/* The limits of a recording's size and age. The oldest give way: events with what was made of them, then
 * histograms, processes and costs of the same time. Aggregations, what changes them, losses, and minutes
 * and hours as long as they can stay, so that totals remain right. */
#include <stdio.h>
#include <stdlib.h>
#include "store/recfile_int.h"

#define RETIRE_FRACTION 8 /* of the rows, when the file has grown too large */
#define RETIRE_MIN_ROWS 1000
#define RETIRE_ROWS_MAX 200000 /* looked at per commit, when they have grown too old */
#define RETIRE_CUT_NS	10000000000u /* how often is looked for histograms and the like that are too old */

struct retire {
	sqlite3 *db;
	size_t nfmts;
	uint64_t max_bytes, max_age_ns;
	int64_t retired; /* what may go has gone up to this row */
	uint64_t cut;	 /* when was looked for others that are too old */
	bool *keep;	 /* by epid - 1: its events change aggregations, and so stay */
};

int retire_new(sqlite3 *db, const struct rec_schema *schema, uint64_t max_bytes, uint64_t max_age_ns,
	       struct retire **ret)
{
	struct retire *r;

	*ret = NULL;
	if (!max_bytes && !max_age_ns)
		return SQLITE_OK;
	r = calloc(1, sizeof(*r));
	if (!r)
		return SQLITE_NOMEM;
	*ret = r;
	*r = (struct retire){ .db = db, .nfmts = schema->nfmts, .max_bytes = max_bytes, .max_age_ns = max_age_ns };
	r->keep = calloc(schema->nfmts + 1, sizeof(*r->keep));
	if (!r->keep)
		return SQLITE_NOMEM;
	/* clear() and the like apply to what came before them: a reader needs all of them. */
	for (size_t i = 0; i < schema->nfmts; i++)
		for (size_t k = 0; k < schema->fmts[i]->nacts; k++)
			if (schema->fmts[i]->acts[k].naggs)
				r->keep[i] = true;
	return SQLITE_OK;
}

void retire_free(struct retire *r)
{
	if (r)
		free(r->keep);
	free(r);
}

/* The first column of the first row; -1: none, or NULL. arg is bound to the parameter, if there is one. */
static int64_t number(struct retire *r, const char *sql, int64_t arg)
{
	sqlite3_stmt *st = NULL;
	int64_t n = -1;

	if (sqlite3_prepare_v2(r->db, sql, -1, &st, NULL) == SQLITE_OK) {
		if (sqlite3_bind_parameter_count(st))
			sqlite3_bind_int64(st, 1, arg);
		if (sqlite3_step(st) == SQLITE_ROW && sqlite3_column_type(st, 0) != SQLITE_NULL)
			n = sqlite3_column_int64(st, 0);
	}
	sqlite3_finalize(st);
	return n;
}

/* Removes the oldest events (kinds EVENT, FAULT and NOTE) up to a row, and what was made of them. */
static int remove_rows(struct retire *r, int64_t last)
{
	static const char *const others[] = {
		"DELETE FROM row WHERE seq <= ? AND kind IN (1, 4)",
		"DELETE FROM flight_event WHERE flight IN (SELECT id FROM flight WHERE seq <= ?)",
		"DELETE FROM flight WHERE seq <= ?",
		"DELETE FROM slow_attr WHERE slow IN (SELECT id FROM slow WHERE seq <= ?)",
		"DELETE FROM slow WHERE seq <= ?",
		"DELETE FROM span WHERE seq <= ?",
		"INSERT INTO meta VALUES('retired', ?1) ON CONFLICT(key) DO UPDATE SET value = ?1",
	};
	sqlite3_stmt *st = NULL;
	int rc = sqlite3_prepare_v2(r->db, "SELECT DISTINCT id FROM row WHERE seq <= ? AND kind = 0", -1, &st, NULL);

	if (rc != SQLITE_OK)
		return rc;
	sqlite3_bind_int64(st, 1, last);
	while ((rc = sqlite3_step(st)) == SQLITE_ROW) {
		int64_t epid = sqlite3_column_int64(st, 0);

		if (epid < 1 || (uint64_t)epid > r->nfmts || r->keep[epid - 1])
			continue;
		if (recfile_exec(r->db, "DELETE FROM row WHERE seq <= ? AND kind = 0 AND id = ?", "ii", last,
				 epid) != SQLITE_OK)
			break;
	}
	sqlite3_finalize(st);
	rc = rc == SQLITE_DONE ? SQLITE_OK : rc;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]) && rc == SQLITE_OK; i++)
		rc = recfile_exec(r->db, others[i], "i", last);
	r->retired = last;
	return rc;
}

/* The last of the rows next to retire that is older than a time; -1: none is. */
static int64_t last_older(struct retire *r, uint64_t before)
{
	char sql[160];

	snprintf(sql, sizeof(sql),
		 "SELECT max(seq) FROM (SELECT seq, ts FROM row WHERE seq > %lld ORDER BY seq LIMIT %d) WHERE ts < ?",
		 (long long)r->retired, RETIRE_ROWS_MAX);
	return number(r, sql, (int64_t)before);
}

static bool too_large(struct retire *r)
{
	int64_t used = number(r, "SELECT (page_count - freelist_count) * page_size FROM pragma_page_count,"
				 " pragma_freelist_count, pragma_page_size", 0);

	return r->max_bytes && used > 0 && (uint64_t)used > r->max_bytes;
}

/* Removes what is timed and no row: histograms up to a length of slot, processes, costs. */
static int remove_before(struct retire *r, uint64_t period, int64_t before)
{
	int rc = recfile_exec(r->db, "DELETE FROM hist WHERE period <= ? AND start < ?", "ii", (int64_t)period, before);

	if (rc == SQLITE_OK)
		rc = recfile_exec(r->db, "DELETE FROM process WHERE ts < ?", "i", before);
	if (rc == SQLITE_OK)
		rc = recfile_exec(r->db, "DELETE FROM cost WHERE ts < ?", "i", before);
	return rc;
}

static int keep_age(struct retire *r, uint64_t now)
{
	static const struct {
		uint64_t period, age;
	} tiers[] = { { RECFILE_MINUTE_NS - 1, 0 },
		      { RECFILE_HOUR_NS - 1, RECFILE_MINUTES_AGE_NS },
		      { INT64_MAX, RECFILE_HOURS_AGE_NS } };
	int64_t last;
	int rc = SQLITE_OK;

	if (!r->max_age_ns || now <= r->max_age_ns)
		return SQLITE_OK;
	last = last_older(r, now - r->max_age_ns);
	if (last > r->retired)
		rc = remove_rows(r, last);
	if (now < r->cut + RETIRE_CUT_NS)
		return rc;
	r->cut = now;
	for (size_t i = 0; i < sizeof(tiers) / sizeof(tiers[0]) && rc == SQLITE_OK; i++) {
		uint64_t age = r->max_age_ns > tiers[i].age ? r->max_age_ns : tiers[i].age;

		if (now > age)
			rc = remove_before(r, tiers[i].period, (int64_t)(now - age));
	}
	return rc;
}

/* A part of the oldest: rows, and what is as old as they; where there are few rows, of the shortest slots. */
static int keep_size(struct retire *r, bool *removed)
{
	static const uint64_t tiers[] = { RECFILE_MINUTE_NS - 1, RECFILE_HOUR_NS - 1, INT64_MAX };
	int64_t rows = number(r, "SELECT max(seq) FROM row", 0) - r->retired;
	int rc;

	if (!too_large(r))
		return SQLITE_OK;
	*removed = true;
	if (rows > RETIRE_MIN_ROWS) {
		int64_t last = r->retired + rows / RETIRE_FRACTION;
		int64_t ts = number(r, "SELECT ts FROM row WHERE seq >= ? ORDER BY seq LIMIT 1", last);

		rc = remove_rows(r, last);
		return rc == SQLITE_OK && ts >= 0 ? remove_before(r, tiers[0], ts) : rc;
	}
	for (size_t i = 0; i < sizeof(tiers) / sizeof(tiers[0]); i++) {
		int64_t oldest = number(r, "SELECT min(start) FROM hist WHERE period <= ?", (int64_t)tiers[i]);
		int64_t newest = number(r, "SELECT max(start) FROM hist WHERE period <= ?", (int64_t)tiers[i]);

		if (oldest >= 0 && newest > oldest)
			return remove_before(r, tiers[i], oldest + (newest - oldest + RETIRE_FRACTION - 1) / RETIRE_FRACTION);
	}
	return SQLITE_OK;
}

int retire_old(struct retire *r, uint64_t now, bool *ret_removed)
{
	int64_t before = r->retired;
	int rc = keep_age(r, now);

	*ret_removed = false;
	if (rc == SQLITE_OK)
		rc = keep_size(r, ret_removed);
	*ret_removed |= r->retired != before;
	if (rc == SQLITE_OK && *ret_removed)
		rc = recfile_exec(r->db, "DELETE FROM stack WHERE id NOT IN (SELECT stack FROM slow_attr WHERE stack"
					 " NOT NULL)", "");
	return rc;
}
