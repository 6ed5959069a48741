/* SPDX-License-Identifier: Apache-2.0 */
/* Drains the rings once, turns records into rows, and takes the aggregation snapshots that belong between them. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/strb.h"
#include "run/session/int.h"

/* Rings filled above these shares make the next drain come sooner, or at once. */
#define FILL_SOONER_DIV 4
#define FILL_LATER_DIV 16

void session_consume(struct session *s)
{
	int r;

	if (s->consumer_failed) { /* nobody reads any more: rows must not pile up */
		struct row row;

		while (recording_next(s->c.rec, &row))
			;
		recording_release(s->c.rec);
		return;
	}
	r = s->c.consume ? s->c.consume(s->c.ctx) : 0;
	if (r < 0) {
		s->consumer_failed = true;
		s->res.consumer_error = r;
		if (s->res.stop == SESSION_RUNNING)
			s->res.stop = SESSION_CONSUMER;
	}
}

static int append_note(struct session *s, struct row *row, const char *fmt, va_list ap)
{
	struct strb text = { 0 };
	int r;

	strb_vprintf(&text, fmt, ap);
	row->data = strb_str(&text);
	row->len = strlen(row->data) + 1;
	r = text.failed ? -ENOMEM : recording_append(s->c.rec, row);
	strb_free(&text);
	return r;
}

int session_note(struct session *s, const char *fmt, ...)
{
	struct row row = { .kind = ROW_NOTE, .ts = clock_ns(CLOCK_MONOTONIC) };
	va_list ap;
	int r;

	va_start(ap, fmt);
	r = append_note(s, &row, fmt, ap);
	va_end(ap);
	return r;
}

int session_note_program(struct session *s, const struct row *note, uint32_t i, const char *fmt, ...)
{
	const struct img_prog *p = &s->l->img->progs[i];
	struct row row = { .kind = ROW_NOTE,
			   .ts = note->ts,
			   .id = note->id,
			   .count = note->count,
			   .probe = p->nprobes ? p->probes[0]->id : 0 };
	va_list ap;
	int r;

	va_start(ap, fmt);
	r = append_note(s, &row, fmt, ap);
	va_end(ap);
	return r;
}

int session_note_pause(struct session *s, uint64_t now, uint64_t ns)
{
	struct row row = { .kind = ROW_NOTE, .ts = now, .id = NOTE_PAUSE, .count = ns };
	char text[64];

	row.len = (size_t)snprintf(text, sizeof(text), "paused: it could not run for %.1f s", (double)ns / 1e9) + 1;
	row.data = text;
	return recording_append(s->c.rec, &row);
}

static void see_proc(void *ctx, uint32_t tgid, uint64_t start, size_t nframes, const uint64_t *frames)
{
	struct session *s = ctx;
	struct proc_seen *p = &s->procs[(tgid ^ (uint32_t)(start >> 10)) % PROC_CACHE];

	if (nframes && s->c.sym)
		sym_runtime_learn(s->c.sym, tgid, start, frames, nframes);
	if (p->tgid == tgid && p->start == start && p->drain == s->drains)
		return;
	*p = (struct proc_seen){ start, tgid, s->drains };
	follow_see(s->follow, tgid, start);
	if (s->unwind)
		unwind_learn(s->unwind, tgid, start);
}

static void on_early(void *ctx, const void *data, uint32_t len)
{
	struct session *s = ctx;

	decode_record_procs(&s->decoder, data, len, see_proc, s);
}

static int on_batch(void *ctx)
{
	session_consume(ctx);
	return 0;
}

int session_snapshot(struct session *s)
{
	struct agg_sink sink = { s->c.rec, on_batch, s->procs ? see_proc : NULL, s };

	if (s->follow)
		follow_drain(s->follow);
	if (s->last_done)
		return 0;
	s->last_done = s->phase == PHASE_END;
	return agg_snapshot(s->agg, clock_ns(CLOCK_MONOTONIC),
			    s->phase == PHASE_RUN     ? AGG_RUNNING
			    : s->phase == PHASE_STILL ? AGG_STILL
						      : AGG_LAST,
			    &sink, s->err);
}

/* A row to be shown, now or at the end. */
static int put_row(void *ctx, const struct row *row)
{
	struct session *s = ctx;

	return s->retention && s->phase != PHASE_END ? retention_add(s->retention, row)
						     : recording_append(s->c.rec, row);
}

/* Rows of a commit(); those that show aggregations want them up to date. */
static int on_committed(void *ctx, const struct row *row)
{
	struct session *s = ctx;
	int r = 0;

	if ((s->fmt_flags[row->id - 1] & FMT_NEEDS_AGG) && !s->snapshot_done && !s->retention) {
		r = session_snapshot(s);
		s->snapshot_done = r >= 0;
	}
	return r < 0 ? r : put_row(s, row);
}

static int on_held(void *ctx, const struct row *row)
{
	struct session *s = ctx;
	int r = 0;

	if (row->kind == ROW_EVENT && (s->fmt_flags[row->id - 1] & FMT_NEEDS_AGG) && !s->snapshot_done) {
		r = session_snapshot(s);
		s->snapshot_done = r >= 0;
	}
	return r < 0 ? r : recording_append(s->c.rec, row);
}

int session_flush_retained(struct session *s)
{
	s->snapshot_done = false;
	return retention_flush(s->retention, on_held, s);
}

/* Writes the flight recorder's events, after the first slow event of a record. */
static int put_flight(struct session *s, const struct row *row)
{
	const struct recfmt *f = s->schema->fmts[row->id - 1];
	struct slow_event e;
	struct row flight;
	size_t i = 0;
	int r;

	while (f->acts[i].kind != ACT_SLOW)
		i++;
	e = slow_event(s->schema, &f->acts[i], row->data);
	if (!e.tracker || e.fixed.how == SLOW_CONTROL || (s->c.wants_flight && !s->c.wants_flight(s->c.ctx, &e)))
		return 0;
	r = flight_collect(s->flight, &e, clock_ns(CLOCK_MONOTONIC), &flight);
	return r < 0 ? r : put_row(s, &flight);
}

static int on_record(void *ctx, unsigned cpu, const void *data, uint32_t len)
{
	struct session *s = ctx;
	struct row row;
	unsigned flags;
	int r;

	if (s->exit_shown && s->phase != PHASE_END)
		return 0;
	if (decode_record(&s->decoder, cpu, data, len, &row) < 0) {
		s->damaged++;
		return 0;
	}
	flags = row.kind == ROW_EVENT ? s->fmt_flags[row.id - 1] : 0;
	if ((flags & FMT_NEEDS_AGG) && !s->snapshot_done && (!s->retention || s->phase == PHASE_END)) {
		r = session_snapshot(s);
		if (r < 0)
			return r;
		s->snapshot_done = true;
	}
	if (flags & FMT_EXIT) {
		s->exit_shown = true;
		s->exit_ts = s->phase == PHASE_END ? 0 : row.ts;
	}
	if (s->specs && (flags & FMT_SPEC))
		return specs_record(s->specs, s->schema->fmts[row.id - 1], &row,
				    &(struct specs_sink){ put_row, on_committed, s });
	r = put_row(s, &row);
	return r == 0 && s->flight && (flags & FMT_SLOW) ? put_flight(s, &row) : r;
}

/* The time until the next drain follows the fill level, so that a burst finds room. */
static void adapt(struct session *s, uint64_t longest)
{
	bool sooner = false, later = true;

	for (unsigned i = 0; i < s->nrings; i++) {
		uint32_t used = ring_used(&s->rings[i]), size = s->rings[i].size;

		sooner |= used > size / FILL_SOONER_DIV;
		later &= used < size / FILL_LATER_DIV;
	}
	if (sooner)
		s->poll_ns /= 2;
	else if (later)
		s->poll_ns += s->poll_ns / 2;
	if (s->poll_ns < POLL_MIN_NS)
		s->poll_ns = POLL_MIN_NS;
	if (s->poll_ns > longest)
		s->poll_ns = longest;
}

/* Speculations become free at each drain that -x switchrate asks for, too, as in DTrace. */
static uint64_t clean_every(const struct session *s)
{
	const struct dopts *o = s->c.prog->opts;

	return o->switchrate && o->switchrate < o->cleanrate ? o->switchrate : o->cleanrate;
}

int session_drain(struct session *s)
{
	const struct order_sink sink = { s->procs ? on_early : NULL, on_record, on_batch, s };
	uint64_t now = clock_ns(CLOCK_MONOTONIC), longest = POLL_MAX_NS;
	int r;

	if (!s->order)
		return 0;
	s->drains++;
	s->snapshot_done = false;
	if (s->c.prog->opts->switchrate && s->c.prog->opts->switchrate < longest)
		longest = s->c.prog->opts->switchrate;
	if (s->specs && s->c.prog->opts->cleanrate < longest)
		longest = s->c.prog->opts->cleanrate;
	adapt(s, longest);
	if (s->follow)
		follow_drain(s->follow);
	if (s->side_error < 0)
		return s->side_error;
	if (s->unwind && s->phase == PHASE_RUN) {
		if (!unwind_drain(s->unwind))
			s->poll_ns = POLL_MIN_NS; /* goes on when the rings have been looked at */
		else if (s->walker)
			walker_looked(s->walker);
	}
	r = order_drain(s->order, now, s->phase == PHASE_RUN ? now - ORDER_SLACK_NS : UINT64_MAX, &sink);
	if (s->specs && now >= s->next_clean) {
		specs_clean(s->specs);
		s->next_clean = now + clean_every(s);
	}
	if (r < 0 && s->err && !s->err->code)
		err_set(s->err, r, "cannot read the ring buffers: %s", strerror(-r));
	return r;
}
