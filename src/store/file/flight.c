/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the rows of the flight recorder in the form that the run had. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "store/flight.h"
#include "store/file/int.h"
#include "store/file/recquery.h"
#include "store/file/read_int.h"

/* The columns that a rec_flight is made of: of a flight and its slow event. */
#define COLUMNS \
	"flight.id, \"from\", \"to\", covered, slow.start, slow.tid, slow.cpu, slow.end_tid, slow.end_cpu, torn, skipped"
#define TABLES " FROM flight JOIN slow ON slow.id = flight.slow"

int recflight_open(struct recread *r, struct err *err)
{
	if (r->version < 3)
		return 0;
	if (sqlite3_prepare_v2(r->db, "SELECT " COLUMNS TABLES " WHERE flight.seq = ?", -1, &r->flights, NULL) !=
		    SQLITE_OK ||
	    sqlite3_prepare_v2(r->db,
			       "SELECT ts, cpu, kind, id, info, text FROM flight_event WHERE flight = ? ORDER BY pos",
			       -1, &r->flight_events, NULL) != SQLITE_OK)
		return recfile_error(r->db, "the recording cannot be read", err);
	return 0;
}

void recflight_done(struct recread *r)
{
	sqlite3_finalize(r->flights);
	sqlite3_finalize(r->flight_events);
	free(r->flight);
}

void recflight_after(struct recread *r, int64_t seq)
{
	r->flight_after = seq;
	r->flight_due = r->flights != NULL;
}

static void take_text(char *to, size_t size, sqlite3_stmt *st, int col)
{
	const char *s = (const char *)sqlite3_column_text(st, col);

	memset(to, 0, size);
	if (s)
		memcpy(to, s, strnlen(s, size));
}

static int damaged(struct err *err)
{
	return err_set(err, -EINVAL, "the recording is damaged: a record of the flight recorder is too long");
}

/* The events of a flight after room for its head, into r->flight. */
static int load_events(struct recread *r, int64_t flight, uint32_t *ret, struct err *err)
{
	sqlite3_stmt *st = r->flight_events;
	size_t cap = 0;
	uint32_t n = 0;
	int rc, e = 0;

	free(r->flight);
	r->flight = NULL;
	sqlite3_bind_int64(st, 1, flight);
	do {
		struct rec_flight_event *v;

		if (n >= cap) {
			void *more = realloc(r->flight, sizeof(struct rec_flight) + (cap = 2 * cap + 256) * sizeof(*v));

			if (!more) {
				e = err_set(err, -ENOMEM, "out of memory");
				break;
			}
			r->flight = more;
		}
		rc = sqlite3_step(st);
		if (rc != SQLITE_ROW)
			break;
		v = (struct rec_flight_event *)(void *)((uint8_t *)r->flight + sizeof(struct rec_flight)) + n;
		*v = (struct rec_flight_event){ .ts = (uint64_t)sqlite3_column_int64(st, 0),
						.cpu = (uint32_t)sqlite3_column_int64(st, 1),
						.id = (uint32_t)sqlite3_column_int64(st, 3),
						.info = (uint32_t)sqlite3_column_int64(st, 4) };
		take_text(v->kind, sizeof(v->kind), st, 2);
		take_text(v->text, sizeof(v->text), st, 5);
		if (n++ == FLIGHT_MAX_EVENTS)
			e = damaged(err);
	} while (e == 0);
	if (e == 0 && rc != SQLITE_DONE)
		e = recfile_error(r->db, "the recording cannot be read further", err);
	sqlite3_reset(st);
	*ret = n;
	return e;
}

/* The flight that st stands on. */
static int take_flight(struct recread *r, sqlite3_stmt *st, struct row *ret, struct err *err)
{
	struct rec_flight h = { 0 };
	uint32_t *const words[] = { &h.tid, &h.cpu, &h.end_tid, &h.end_cpu, &h.torn, &h.skipped };
	uint64_t *const times[] = { &h.from, &h.to, &h.covered, &h.start };
	int e = load_events(r, sqlite3_column_int64(st, 0), &h.n, err);

	if (e < 0)
		return e;
	for (int i = 0; i < 4; i++)
		*times[i] = (uint64_t)sqlite3_column_int64(st, 1 + i);
	for (int i = 0; i < 6; i++)
		*words[i] = (uint32_t)sqlite3_column_int64(st, 5 + i);
	memcpy(r->flight, &h, sizeof(h));
	*ret = (struct row){ .kind = ROW_FLIGHT,
			     .ts = h.to,
			     .cpu = h.end_cpu,
			     .data = r->flight,
			     .len = sizeof(h) + h.n * sizeof(struct rec_flight_event) };
	return 0;
}

struct step recflight_next(struct recread *r, struct row *ret, struct err *err)
{
	int rc, e;

	if (!r->flight_due)
		return step_end();
	r->flight_due = false;
	sqlite3_bind_int64(r->flights, 1, r->flight_after);
	rc = sqlite3_step(r->flights);
	e = rc == SQLITE_ROW	? take_flight(r, r->flights, ret, err)
	    : rc == SQLITE_DONE ? 0
				: recfile_error(r->db, "the recording cannot be read further", err);
	sqlite3_reset(r->flights);
	return rc == SQLITE_DONE ? step_end() : step_taken(e);
}

int recread_flights(struct recread *r, rec_row_fn *fn, void *ctx, struct err *err)
{
	sqlite3_stmt *st = NULL;
	struct row row;
	int rc, e = 0;

	if (r->version < 3)
		return 0;
	if (sqlite3_prepare_v2(r->db, "SELECT " COLUMNS TABLES " ORDER BY flight.id", -1, &st, NULL) != SQLITE_OK)
		return recfile_error(r->db, "the recording cannot be read", err);
	while (e == 0 && (rc = sqlite3_step(st)) != SQLITE_DONE) {
		e = rc == SQLITE_ROW ? take_flight(r, st, &row, err)
				     : recfile_error(r->db, "the recording cannot be read", err);
		if (e == 0)
			e = fn(ctx, &row);
	}
	sqlite3_finalize(st);
	return e;
}
