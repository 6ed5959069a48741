/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/carry/collect.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/units.h"
#include "fleet/wire/batch.h"
#include "fleet/carry/roll.h"
#include "fleet/wire/tables.h"

#define DAY_S UINT64_C(86400)

enum table { TABLE_HIST, TABLE_SLOW, TABLE_HOST, TABLE_HISTORY, TABLE_GAP, TABLE_AUDIT, NTABLES };

static const char *const inserts[NTABLES] = {
	[TABLE_HIST] = "INSERT INTO hist (" TABLES_HIST_COLUMNS ") FORMAT TabSeparated",
	[TABLE_SLOW] =
		("INSERT INTO slow (day, tenant, site, host, tracker, time, ended, delay, how, pid, tid, cpu, comm, key,"
		 " cause, class, stack, attrs, recording, id) FORMAT TabSeparated"),
	[TABLE_HOST] =
		"INSERT INTO host (day, tenant, site, host, seen, sent, dwell, kernel, labels) FORMAT TabSeparated",
	[TABLE_HISTORY] =
		("INSERT INTO host_history (day, tenant, site, host, slot, since, early, dwell, kernel, labels)"
		 " FORMAT TabSeparated"),
	[TABLE_GAP] = "INSERT INTO gap (day, tenant, site, host, since, until, what) FORMAT TabSeparated",
	[TABLE_AUDIT] =
		("INSERT INTO audit (day, tenant, site, host, time, ns, event, user, key, id, reason, program, seconds, write,"
		 " status, rows, bytes, cpu) FORMAT TabSeparated"),
};

struct collector {
	const struct collect_options *o;
	const struct listener *to;
	struct bus *bus;
	struct click *store;
	struct bus_message messages[COLLECT_MESSAGES_MAX];
	unsigned n;
	struct strb rows[NTABLES]; /* of the block that is being made */
	struct bus_subject from;   /* of the message that is being read */
	uint64_t now_s;
	uint64_t day;		       /* since 1970, … */
	char day_text[16];	       /* "YYYY-MM-DD" of it; "": not yet */
	uint64_t minute;	       /* of the histogram before, s since 1970; 0: there is none */
	struct roll_stretches minutes; /* of the block's histograms */
	struct roll *roll;
	struct collect_sums sums;
	bool checked, subscribed; /* the store has tables; messages come */
	bool failing;		  /* it has been told that something fails */
};

/* -- rows -- */

static const char *day_of(struct collector *c, uint64_t s)
{
	time_t t = (time_t)s;
	struct tm tm;

	if (!*c->day_text || c->day != s / DAY_S) {
		c->day = s / DAY_S;
		snprintf(c->day_text, sizeof(c->day_text), "1970-01-01");
		if (gmtime_r(&t, &tm))
			strftime(c->day_text, sizeof(c->day_text), "%Y-%m-%d", &tm);
	}
	return c->day_text;
}

/* "day, tenant, site, host": how each row begins. */
static void put_who(struct collector *c, struct strb *b, uint64_t s)
{
	const char *const who[] = { c->from.tenant, c->from.site, c->from.host };

	strb_adds(b, day_of(c, s));
	for (size_t i = 0; i < ARRAY_SIZE(who); i++) {
		strb_addc(b, '\t');
		click_put_text(b, who[i]);
	}
}

static void put_numbers(struct strb *b, const uint64_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		strb_addc(b, '\t');
		click_put_number(b, v[i]);
	}
}

static void put_texts(struct strb *b, const char *const *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		strb_addc(b, '\t');
		click_put_text(b, v[i]);
	}
}

/* As the table has them: few, many_bucket, many. */
static void put_counts(struct strb *b, const struct rec_bucket *v, uint32_t n)
{
	const uint64_t few_max = tables_hist[SLOT_SECOND].few_max;
	const char *before;

	strb_adds(b, "\t[");
	for (uint32_t i = 0; i < n; i++) {
		strb_adds(b, i ? "," : "");
		click_put_number(b, v[i].count < few_max ? v[i].count : few_max);
	}
	for (int buckets = 1; buckets >= 0; buckets--) {
		strb_adds(b, "]\t[");
		before = "";
		for (uint32_t i = 0; i < n; i++) {
			if (v[i].count <= few_max)
				continue;
			strb_adds(b, before);
			click_put_number(b, buckets ? v[i].index : v[i].count - few_max);
			before = ",";
		}
	}
	strb_adds(b, "]\n");
}

static int put_hist(void *ctx, const struct batch_hist *h)
{
	struct collector *c = ctx;
	struct strb *b = &c->rows[TABLE_HIST];
	const char *const texts[] = { h->series, h->key };
	const uint64_t numbers[] = { h->start, h->count, h->sum, h->max, h->flags };

	if (h->period != tables_hist[SLOT_SECOND].period)
		return 0; /* the store adds up by itself */
	if (!c->minute || h->start - h->start % 60 != c->minute) {
		c->minute = h->start - h->start % 60;
		roll_stretch(&c->minutes, c->minute, c->minute + 60);
	}
	put_who(c, b, h->start);
	put_texts(b, texts, ARRAY_SIZE(texts));
	put_numbers(b, numbers, ARRAY_SIZE(numbers));
	for (uint32_t i = 0; i < h->nbuckets; i++) {
		strb_adds(b, i ? "," : "\t[");
		click_put_number(b, h->buckets[i].index);
	}
	strb_adds(b, h->nbuckets ? "]" : "\t[]");
	put_counts(b, h->buckets, h->nbuckets);
	c->sums.rows++;
	return 0;
}

static int put_slow(void *ctx, const struct batch_slow *s)
{
	struct collector *c = ctx;
	struct strb *b = &c->rows[TABLE_SLOW];
	const char *const words[] = { s->comm, s->key, s->cause, s->class, s->stack, s->attrs, s->recording };
	uint64_t ended = s->ended / NSEC_PER_SEC;
	const uint64_t times[] = { ended < UINT32_MAX ? ended : UINT32_MAX, s->ended, s->delay };
	const uint64_t ids[] = { s->pid, s->tid, s->cpu };

	put_who(c, b, ended);
	put_texts(b, &s->tracker, 1);
	put_numbers(b, times, ARRAY_SIZE(times));
	put_texts(b, &s->how, 1);
	put_numbers(b, ids, ARRAY_SIZE(ids));
	put_texts(b, words, ARRAY_SIZE(words));
	put_numbers(b, &s->id, 1);
	strb_addc(b, '\n');
	c->sums.rows++;
	return 0;
}

static int put_host(void *ctx, const struct batch_host *h)
{
	struct collector *c = ctx;
	struct strb *b = &c->rows[TABLE_HOST];
	const char *const words[] = { h->dwell, h->kernel, h->labels };
	const uint64_t sent = h->sent / NSEC_PER_SEC, since = sent < UINT32_MAX ? sent : UINT32_MAX;
	const uint64_t history[] = { since - since % TABLES_HISTORY_S, since, UINT32_MAX - since };

	put_who(c, b, c->now_s);
	strb_printf(b, "\t%" PRIu64 "\t%" PRIu64, clock_ns(CLOCK_REALTIME), h->sent);
	put_texts(b, words, ARRAY_SIZE(words));
	strb_addc(b, '\n');
	b = &c->rows[TABLE_HISTORY];
	put_who(c, b, c->now_s);
	put_numbers(b, history, ARRAY_SIZE(history));
	put_texts(b, words, ARRAY_SIZE(words));
	strb_addc(b, '\n');
	return 0;
}

static int put_gap(void *ctx, const struct batch_gap *g)
{
	struct collector *c = ctx;
	struct strb *b = &c->rows[TABLE_GAP];

	put_who(c, b, g->from);
	strb_printf(b, "\t%" PRIu64 "\t%" PRIu64, g->from, g->to);
	put_texts(b, &g->what, 1);
	strb_addc(b, '\n');
	c->sums.rows++;
	return 0;
}

static int put_audit(void *ctx, const struct batch_audit *a)
{
	struct collector *c = ctx;
	struct strb *b = &c->rows[TABLE_AUDIT];
	const char *const words[] = { a->event, a->user, a->key, a->id, a->reason, a->program };
	const uint64_t numbers[] = { a->seconds, a->write, a->status, a->rows, a->bytes, a->cpu };
	uint64_t s = a->time / NSEC_PER_SEC;

	if (s > UINT32_MAX)
		return -EINVAL;
	put_who(c, b, s);
	strb_printf(b, "\t%" PRIu64 "\t%" PRIu64, s, a->time);
	put_texts(b, words, ARRAY_SIZE(words));
	put_numbers(b, numbers, ARRAY_SIZE(numbers));
	strb_addc(b, '\n');
	c->sums.rows++;
	return 0;
}

/* -- blocks -- */

/* A message that nobody can read would come again for ever: it is counted, and done with. */
static void read_message(struct collector *c, const struct bus_message *m)
{
	const struct batch_sink sink = { c, put_hist, put_slow, put_host, put_gap, put_audit };
	uint64_t rows = c->sums.rows;
	size_t before[NTABLES];
	struct err err = { 0 };
	int e;

	for (size_t i = 0; i < NTABLES; i++)
		before[i] = c->rows[i].n;
	c->sums.messages++;
	e = bus_parse(m->subject, &c->from) ? batch_read(m->data, m->n, &sink, &err)
					    : err_set(&err, -EINVAL, "the subject is not one of dwell's");
	if (e == 0)
		return;
	for (size_t i = 0; i < NTABLES; i++) /* all of it, or nothing */
		c->rows[i].n = before[i];
	c->sums.rows = rows;
	if (!c->sums.refused++)
		listener_msg(c->to, "%s: %s (further ones are only counted)", m->subject, err.msg);
}

static size_t bytes(const struct collector *c)
{
	size_t n = 0;

	for (size_t i = 0; i < NTABLES; i++)
		n += c->rows[i].n;
	return n;
}

/* Takes messages until a block is full, or its time is over and none waits. */
static int gather(struct collector *c, struct err *err)
{
	uint64_t end = 0;
	bool more = false; /* as many came as were asked for */

	while (c->n < COLLECT_MESSAGES_MAX && bytes(c) < COLLECT_BYTES_MAX) {
		uint64_t now = clock_ns(CLOCK_MONOTONIC);
		uint64_t left = !end ? COLLECT_BLOCK_MS : end > now ? (end - now) / NSEC_PER_MSEC : 0;
		unsigned room = COLLECT_MESSAGES_MAX - c->n;
		int n;

		if (!left && !more)
			break;
		room = room < BUS_TAKE_MAX ? room : BUS_TAKE_MAX;
		n = bus_receive(c->bus, c->messages + c->n, room, (int64_t)(left ? left : 1), err);
		if (n <= 0)
			return n;
		if (!end)
			end = now + COLLECT_BLOCK_MS * NSEC_PER_MSEC;
		for (int i = 0; i < n; i++)
			read_message(c, &c->messages[c->n + (unsigned)i]);
		c->n += (unsigned)n;
		more = (unsigned)n == room;
	}
	return 0;
}

static int store(struct collector *c, struct err *err)
{
	int e = 0;

	for (size_t i = 0; e == 0 && i < NTABLES; i++)
		e = click_insert(c->store, inserts[i], &c->rows[i], err);
	return e;
}

static void finish_block(struct collector *c, bool done)
{
	bus_give(c->messages, c->n, done);
	c->n = 0;
	c->minute = c->minutes.n = 0;
	for (size_t i = 0; i < NTABLES; i++)
		strb_reset(&c->rows[i]);
}

static void pause_a_moment(void)
{
	const struct timespec t = clock_timespec(COLLECT_RETRY_MS * NSEC_PER_MSEC);

	nanosleep(&t, NULL);
}

/* Failures of the store are told once, and when they are over. */
static void tell(struct collector *c, int e, const struct err *err)
{
	if (e < 0 && !c->failing)
		listener_msg(c->to, "%s; tried again until it works", err->msg);
	else if (e >= 0 && c->failing)
		listener_msg(c->to, "it works again");
	c->failing = e < 0;
}

/* One block. */
static void turn(struct collector *c)
{
	struct err err = { 0 };
	int e = gather(c, &err);

	c->now_s = clock_ns(CLOCK_REALTIME) / NSEC_PER_SEC;
	if (e == 0)
		e = store(c, &err);
	if (e == 0 && c->n)
		c->sums.blocks++;
	if (e == 0)
		roll_note(c->roll, &c->minutes);
	finish_block(c, e == 0);
	tell(c, e, &err);
	if (e < 0)
		pause_a_moment();
}

/* Connects what is not connected. -ENOENT, -EINVAL, -ENOMEM: it will not help to try again. */
static int get_ready(struct collector *c, struct err *err)
{
	int e = c->checked ? 0 : tables_check(c->store, err);

	c->checked = e == 0;
	if (e == 0 && !c->roll)
		e = roll_start(&c->o->store, c->to, &c->roll, err);
	if (e == 0 && !c->bus)
		e = bus_connect(&c->o->bus, &c->bus, err);
	if (e == 0 && !c->subscribed)
		e = bus_subscribe(c->bus, c->o->tenant, err);
	c->subscribed = e == 0;
	return e;
}

/* Until it is to end, or cannot begin. */
static int loop(struct collector *c, struct err *err)
{
	uint64_t end = c->o->for_ns ? clock_ns(CLOCK_MONOTONIC) + c->o->for_ns : UINT64_MAX;

	while (!c->o->stop(c->o->ctx) && clock_ns(CLOCK_MONOTONIC) < end) {
		struct err reason = { 0 };
		int e = c->subscribed ? 0 : get_ready(c, &reason);

		if (e == -ENOENT || e == -EINVAL || e == -ENOMEM)
			return err_set(err, e, "%s", reason.msg);
		if (e < 0) {
			tell(c, e, &reason);
			pause_a_moment();
		} else {
			turn(c);
		}
	}
	return 0;
}

int collect_run(const struct collect_options *o, const struct listener *to, struct collect_sums *ret, struct err *err)
{
	_cleanup_free_ struct collector *c = calloc(1, sizeof(*c));
	int e;

	if (!c)
		return err_set(err, -ENOMEM, "out of memory");
	c->o = o;
	c->to = to;
	c->now_s = clock_ns(CLOCK_REALTIME) / NSEC_PER_SEC;
	e = click_open(&o->store, &c->store, err);
	if (e == 0)
		e = loop(c, err);
	roll_end(c->roll);
	*ret = c->sums;
	for (size_t i = 0; i < NTABLES; i++)
		strb_free(&c->rows[i]);
	bus_close(c->bus);
	click_close(c->store);
	return e;
}
