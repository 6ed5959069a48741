/* SPDX-License-Identifier: Apache-2.0 */
/* Server-sent events. A viewer has a place in the output of each run it watches. It gets what comes after it when its
 * connection takes more. A slow client is told that lines were dropped. Source: HTML, 9.2 Server-sent events. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/jsonw.h"
#include "serve/serve_int.h"

#define BLOCK_SIZE (32 << 10) /* bytes that are put together for one write */
#define WATCHED_MAX SERVE_RUNS_MAX
#define KEEP_ALIVE_NS UINT64_C(15000000000)

struct place {
	uint32_t run;
	uint64_t next; /* number of the next line */
	bool ended;    /* the end has been told */
};

struct stream {
	struct server *s;
	struct MHD_Connection *conn;
	struct place at[WATCHED_MAX];
	size_t n;
	struct strb out;
	size_t sent;	/* of out */
	uint64_t wrote; /* ns: when something was last given to it */
	bool waits;
};

/* "id: 1:7,2:9": where to go on after a lost connection. */
static void put_id(struct stream *st)
{
	strb_adds(&st->out, "id: ");
	for (size_t i = 0; i < st->n; i++)
		strb_printf(&st->out, "%s%u:%" PRIu64, i ? "," : "", st->at[i].run, st->at[i].next);
	strb_addc(&st->out, '\n');
}

static void put_event(struct stream *st, const char *name, uint32_t run, const char *json, size_t n)
{
	struct jsonw w = jsonw_to(&st->out);

	strb_printf(&st->out, "event: %s\n", name);
	put_id(st);
	strb_adds(&st->out, "data: ");
	jsonw_object(&w, NULL);
	jsonw_u64(&w, "run", run);
	jsonw_raw(&w, name, json, n);
	jsonw_end_object(&w);
	strb_adds(&st->out, "\n\n");
}

static void put_number(struct stream *st, const char *name, uint32_t run, uint64_t v)
{
	char b[24];

	put_event(st, name, run, b, (size_t)snprintf(b, sizeof(b), "%" PRIu64, v));
}

/* The run is over: what it said on standard error. */
static void put_end(struct stream *st, struct place *p, const struct run *r)
{
	_cleanup_(strb_free) struct strb text = { 0 };
	struct jsonw w = jsonw_to(&text);

	if (r)
		jsonw_strn(&w, NULL, strb_str(&r->messages), r->messages.n);
	else
		jsonw_null(&w, NULL); /* it was forgotten */
	p->ended = true;
	put_event(st, "end", p->run, strb_str(&text), text.n);
}

/* How many lines were forgotten, and the messages among them. */
static void put_forgotten(struct stream *st, struct place *p, const struct run *r)
{
	for (size_t i = 0; i <= r->kept.n; i++) {
		const struct kept *k = i < r->kept.n ? &r->kept.v[i] : NULL;
		uint64_t to = k ? k->number : r->first;

		if (to > p->next) {
			uint64_t lost = to - p->next;

			p->next = to;
			put_number(st, "lost", r->id, lost);
		}
		if (k && k->number == p->next) {
			p->next++;
			put_event(st, "line", r->id, k->l.s, k->l.n);
		}
	}
}

static void fill_from(struct stream *st, struct place *p)
{
	struct run *r = run_find(st->s, p->run);

	if (p->ended)
		return;
	if (!r) {
		put_end(st, p, NULL);
		return;
	}
	if (p->next > r->first + r->lines.n) /* of another server */
		p->next = r->first;
	if (p->next < r->first)
		put_forgotten(st, p, r);
	while (p->next < r->first + r->lines.n && st->out.n < BLOCK_SIZE) {
		const struct line *l = &r->lines.v[p->next - r->first];

		p->next++;
		put_event(st, "line", r->id, l->s, l->n);
	}
	if (r->ended && p->next == r->first + r->lines.n)
		put_end(st, p, r);
}

static bool all_ended(const struct stream *st)
{
	for (size_t i = 0; i < st->n; i++)
		if (!st->at[i].ended)
			return false;
	return true;
}

/* The HTTP library calls this when the connection takes more. */
static ssize_t on_read(void *arg, uint64_t pos, char *buf, size_t max)
{
	struct stream *st = arg;
	size_t n;

	(void)pos;
	if (st->s->ending)
		return MHD_CONTENT_READER_END_OF_STREAM;
	if (st->sent == st->out.n) {
		strb_reset(&st->out);
		st->sent = 0;
		for (size_t i = 0; i < st->n && st->out.n < BLOCK_SIZE; i++)
			fill_from(st, &st->at[i]);
		if (st->out.n == 0 && clock_ns(CLOCK_MONOTONIC) - st->wrote >= KEEP_ALIVE_NS)
			strb_adds(&st->out, ": still here\n\n");
		if (st->out.failed)
			return MHD_CONTENT_READER_END_WITH_ERROR;
	}
	n = st->out.n - st->sent;
	if (n == 0 && all_ended(st))
		return MHD_CONTENT_READER_END_OF_STREAM;
	if (n == 0) {
		st->waits = true;
		mhd.suspend_connection(st->conn);
		return 0;
	}
	n = n < max ? n : max;
	memcpy(buf, st->out.s + st->sent, n);
	st->sent += n;
	st->wrote = clock_ns(CLOCK_MONOTONIC);
	return (ssize_t)n;
}

static void on_free(void *arg)
{
	struct stream *st = arg;
	struct server *s = st->s;

	for (size_t i = 0; i < s->streams.n; i++)
		if (s->streams.v[i] == st)
			s->streams.v[i] = s->streams.v[--s->streams.n];
	strb_free(&st->out);
	free(st);
}

/* Places after what the viewer has had. */
static void take_last(struct stream *st, const char *last)
{
	while (last && *last) {
		char *end;
		unsigned long run = strtoul(last, &end, 10);
		unsigned long long next;

		if (end == last || *end != ':')
			return;
		last = end + 1;
		next = strtoull(last, &end, 10);
		if (end == last)
			return;
		for (size_t i = 0; i < st->n; i++)
			if (st->at[i].run == run)
				st->at[i].next = next;
		last = *end == ',' ? end + 1 : NULL;
	}
}

/* "1,2" → places. False: not of this form, or too many. */
static bool take_runs(struct stream *st, const char *runs)
{
	for (const char *p = runs; p && *p;) {
		char *end;
		unsigned long id = strtoul(p, &end, 10);

		if (end == p || id == 0 || id > UINT32_MAX || st->n == WATCHED_MAX ||
		    (*end && (*end != ',' || !end[1])))
			return false;
		st->at[st->n++].run = (uint32_t)id;
		p = *end ? end + 1 : end;
	}
	return st->n > 0;
}

enum MHD_Result stream_open(struct request *rq, const char *runs, const char *last)
{
	struct stream *st = calloc(1, sizeof(*st));
	struct MHD_Response *r;

	if (!st)
		return http_error(rq, MHD_HTTP_INTERNAL_SERVER_ERROR, "out of memory");
	st->s = rq->s;
	st->conn = rq->conn;
	st->wrote = clock_ns(CLOCK_MONOTONIC);
	if (!take_runs(st, runs)) {
		free(st);
		return http_error(rq, MHD_HTTP_BAD_REQUEST, "runs: numbers of runs, separated by commas");
	}
	take_last(st, last);
	r = mhd.create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK_SIZE, on_read, st, on_free);
	if (!r || vec_try_push(&rq->s->streams, st) < 0) {
		if (r)
			mhd.destroy_response(r); /* frees st */
		else
			free(st);
		return http_error(rq, MHD_HTTP_INTERNAL_SERVER_ERROR, "out of memory");
	}
	mhd.add_response_header(r, "Content-Type", "text/event-stream");
	mhd.set_connection_option(rq->conn, MHD_CONNECTION_OPTION_TIMEOUT, 0u);
	return http_reply(rq, MHD_HTTP_OK, r);
}

static void wake(struct stream *st)
{
	if (!st->waits)
		return;
	st->waits = false;
	mhd.resume_connection(st->conn);
}

static bool watches(const struct stream *st, const struct run *r)
{
	for (size_t i = 0; i < st->n; i++)
		if (st->at[i].run == r->id)
			return true;
	return false;
}

void stream_news(struct server *s, const struct run *r)
{
	for (size_t i = 0; i < s->streams.n; i++)
		if (watches(s->streams.v[i], r))
			wake(s->streams.v[i]);
}

void stream_keep_alive(struct server *s, uint64_t now)
{
	for (size_t i = 0; i < s->streams.n; i++)
		if (now - s->streams.v[i]->wrote >= KEEP_ALIVE_NS)
			wake(s->streams.v[i]);
}

void stream_wake_all(struct server *s)
{
	for (size_t i = 0; i < s->streams.n; i++)
		wake(s->streams.v[i]);
}

bool stream_watched(const struct server *s, const struct run *r)
{
	for (size_t i = 0; i < s->streams.n; i++)
		if (watches(s->streams.v[i], r))
			return true;
	return false;
}
