/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the prepared statements of an open recording, so that a question that is asked again, as by a sender four times
 * a second, is not parsed again. In: SQL; out: a statement, ready to bind, given back by recread_done(). */
#include <stdlib.h>
#include <string.h>
#include "store/file/read_int.h"

int recread_statement(struct recread *r, const char *sql, sqlite3_stmt **ret)
{
	struct kept *k = NULL;
	int rc;

	for (size_t i = 0; i < KEPT_MAX; i++) {
		struct kept *one = &r->kept[i];

		if (one->st && !one->busy && !strcmp(sqlite3_sql(one->st), sql)) {
			one->busy = true;
			*ret = one->st;
			return SQLITE_OK;
		}
		k = one->st ? k : one;
	}
	rc = sqlite3_prepare_v3(r->db, sql, -1, k ? SQLITE_PREPARE_PERSISTENT : 0, ret, NULL);
	if (rc == SQLITE_OK && k)
		*k = (struct kept){ *ret, true };
	return rc;
}

void recread_done(struct recread *r, sqlite3_stmt *st)
{
	for (size_t i = 0; i < KEPT_MAX; i++) {
		if (st && r->kept[i].st == st) {
			sqlite3_reset(st);
			sqlite3_clear_bindings(st);
			r->kept[i].busy = false;
			return;
		}
	}
	sqlite3_finalize(st);
}

void recread_forget(struct recread *r)
{
	for (size_t i = 0; i < KEPT_MAX; i++) {
		sqlite3_finalize(r->kept[i].st);
		r->kept[i] = (struct kept){ 0 };
	}
}
