/* SPDX-License-Identifier: Apache-2.0 */
/* Records what the machine does. With a tracker, until it reports a slow event, and a little longer. */
#include "live/onslow.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/plain.h"
#include "base/strb.h"
#include "base/units.h"
#include "latency/cause/trackers.h"
#include "live/start.h"
#include "run/session.h"
#include "shelf/shelf.h"

#define COMM_SIZE 64 /* a name with its control characters written out */

static int on_open(void *ctx, const struct rec_schema *schema, struct sym *sym, struct why *why, FILE *out,
		   struct err *err)
{
	struct live_onslow *c = ctx;

	(void)err;
	(void)sym;
	(void)why;
	(void)out;
	c->schema = schema;
	return 0;
}

/* Trackers of packets, which belong to no process while they are under way. */
static const char *const packets[] = { "netrx", "nettx" };

/* Is no process chosen? Then packets are recorded, too. */
static bool is_whole(const struct live_onslow *c)
{
	return !c->live.command && !c->live.pid && !recnow_chooses(&c->live);
}

static int on_ready(void *ctx, struct session *s, long target, struct err *err)
{
	struct live_onslow *c = ctx;
	const char *name = c->tracker;
	int e = c->over_ns ? session_set(s, name, "threshold", c->over_ns) : 0;

	(void)target;
	for (size_t i = 0; i < ARRAY_SIZE(packets) && e == 0 && is_whole(c); i++) {
		name = packets[i];
		if (!c->tracker || strcmp(name, c->tracker) != 0)
			e = session_set(s, name, "threshold", LIVE_ONSLOW_PACKET_NS);
	}
	return e < 0 ? err_set(err, e, "tracker %s: cannot be set: %s", name, strerror(-e)) : 0;
}

/* The event that is waited for, or of no interest. */
static void look(struct live_onslow *c, const struct slow_event *e)
{
	char time[UNITS_LEN], name[COMM_SIZE];

	if (c->due || !e->tracker || strcmp(e->tracker->name, c->tracker) != 0 || e->fixed.how != SLOW_NORMAL ||
	    (c->comm && strcmp(e->fixed.comm, c->comm) != 0))
		return;
	c->due = clock_ns(CLOCK_MONOTONIC) + c->after_ns;
	printf("%s: %s %u, %s\n", c->tracker, plain_name(e->fixed.comm, name, sizeof(name)), e->fixed.tid,
	       units_ns(e->fixed.delay, time));
}

static int on_row(void *ctx, const struct row *row, bool *ret_text)
{
	struct live_onslow *c = ctx;
	const struct recfmt *f = row->kind == ROW_EVENT && row->id >= 1 && row->id <= c->schema->nfmts
					 ? c->schema->fmts[row->id - 1]
					 : NULL;

	for (size_t i = 0; c->tracker && f && i < f->nacts; i++)
		if (f->acts[i].kind == ACT_SLOW) {
			struct slow_event e = slow_event(c->schema, &f->acts[i], row->data);

			look(c, &e);
		}
	*ret_text = row->kind == ROW_DROPS || row->kind == ROW_NOTE || row->kind == ROW_FAULT;
	return 0;
}

static void on_tick(void *ctx, struct recorder *recorder, bool hangup)
{
	struct live_onslow *c = ctx;

	(void)recorder;
	(void)hangup;
	if (c->due && !c->told && clock_ns(CLOCK_MONOTONIC) >= c->due) {
		c->told = true;
		raise(SIGINT); /* as Ctrl-C would end it */
	}
}

static int on_finish(void *ctx)
{
	(void)ctx;
	return 0;
}

#define TIMELINE "timeline/threads"

/* Does a shipped program have this tracker? */
static bool has_tracker(const char *program, const char *name)
{
	_cleanup_(strb_free) struct strb path = { 0 }, line = { 0 };

	strb_printf(&path, "%s.d", program);
	strb_printf(&line, "\ntracker %s ", name);
	for (size_t i = 0; i < shelf_nfiles; i++)
		if (!strcmp(shelf_files[i].path, strb_str(&path)))
			return strstr(shelf_files[i].text, strb_str(&line)) != NULL;
	return false;
}

static void also(struct live_onslow *c, const char *folder, const char *name)
{
	size_t n = strlen(c->also);

	snprintf(c->also + n, sizeof(c->also) - n, "%s%s/%s", n ? " " : "", folder, name);
}

/* Samples, system calls, requests to disks, packets, and what CPUs count. A tracker of these that is waited for is that
 * of dwell latency, with its threshold and its attributes. */
static void add_rest(struct live_onslow *c)
{
	static const struct {
		const char *file, *tracker;
	} rest[] = { { "samples", "" }, { "calls", "syscall" }, { "requests", "block" } };
	char counters[128];
	size_t n;

	for (size_t i = 0; i < ARRAY_SIZE(rest); i++)
		if (!c->tracker || strcmp(rest[i].tracker, c->tracker) != 0)
			also(c, "timeline", rest[i].file);
	for (size_t i = 0; i < ARRAY_SIZE(packets) && is_whole(c); i++)
		if (!c->tracker || strcmp(packets[i], c->tracker) != 0)
			also(c, "latency", packets[i]);
	if (c->tracker)
		also(c, "latency", c->tracker);
	live_machine(counters, sizeof(counters), c->machine);
	n = strlen(c->also);
	snprintf(c->also + n, sizeof(c->also) - n, "%s%s %s", counters[0] ? " " : "", counters, LIVE_MACHINE_NAME);
	c->live.also = c->also;
	c->live.also_text = c->machine;
}

int live_onslow_prepare(struct live_onslow *c)
{
	/* A tracker that the timeline has already cannot be added again. */
	if (c->tracker && (!trackers_has_file(c->tracker) || has_tracker(TIMELINE, c->tracker)))
		return -EINVAL;
	c->after_ns = c->after_ns ? c->after_ns : LIVE_ONSLOW_AFTER_NS;
	if (c->tracker && !c->before_ns)
		c->before_ns = LIVE_ONSLOW_BEFORE_NS;
	c->live.program = TIMELINE;
	c->live.bursts = true;
	c->live.age_ns = c->before_ns ? c->before_ns + (c->tracker ? c->after_ns : 0) : 0;
	add_rest(c);
	return 0;
}

struct run_observer live_onslow_observer(struct live_onslow *c)
{
	return (struct run_observer){
		.ctx = c, .open = on_open, .row = on_row, .finish = on_finish, .ready = on_ready, .tick = on_tick
	};
}

int live_onslow_run(struct live_onslow *c, struct request *r)
{
	struct err err = { 0 };
	int e = c->start ? live_start_await(c->start, c->live.record, &err) : 0;

	if (e < 0) {
		e = listener_fail(&r->to, e, "%s", err.msg);
		request_done(r);
		return e;
	}
	c->show = live_onslow_observer(c);
	c->to = &r->to;
	c->live.show = &c->show;
	e = recnow_run(&c->live, r, NULL);
	if (e == 0 && c->tracker && !c->due)
		printf("%s: no slow event of %s; the file has the end of the run\n", c->live.record, c->tracker);
	return e;
}

void live_onslow_done(struct live_onslow *c)
{
	recnow_done(&c->live);
}
