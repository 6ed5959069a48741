/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/ask/watch.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/jsonw.h"
#include "base/vec.h"
#include "fleet/ask/change.h"
#include "fleet/ask/notify.h"

#define NAP_MS 200
#define LONG_RANGE_NS (1800 * NSEC_PER_SEC)

struct told {
	char *host, *series;
	uint64_t at; /* s since 1970 */
};
struct watcher {
	struct watch *o;
	const struct listener *to;
	struct notify *notify;
	VEC(struct told) told;
	uint64_t now; /* of this look, CLOCK_REALTIME ns */
	bool failing, unsaved;
	int error; /* of writing */
};

const struct optrow watch_rows[WATCH_NROWS] = {
	{ .name = "every",
	  .kind = OPT_TIME,
	  .at = offsetof(struct watch, every_ns),
	  .arg = "TIME",
	  .help = "how often it looks (1m)",
	  .value = 1 },
	{ .name = "back",
	  .kind = OPT_TIME,
	  .at = offsetof(struct watch, back_ns),
	  .arg = "TIME",
	  .help = "begin with this much of the past (0)" },
	{ .name = "webhook",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct watch, webhook),
	  .arg = "URL|@FILE",
	  .help = "gets each finding as JSON (POST); @FILE: a file with the address" },
	{ .name = "exec",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct watch, program),
	  .arg = "PROGRAM",
	  .help = "gets it on its standard input (no shell)" },
	{ .name = "state",
	  .kind = OPT_TEXT,
	  .at = offsetof(struct watch, state),
	  .arg = "FILE",
	  .help = "what was told, for the next start" },
};

/* -- what was told -- */

static int note_told(struct watcher *w, const char *host, const char *series, uint64_t at)
{
	struct told t = { strdup(host), strdup(series), at };

	if (t.host && t.series && vec_try_push(&w->told, t) == 0)
		return 0;
	free(t.host);
	free(t.series);
	return -ENOMEM;
}

/* The place of a step is an estimate, and moves as the range does: within half a range it is the same one. */
static bool is_told(const struct watcher *w, const struct change *ch)
{
	for (size_t i = 0; i < w->told.n; i++) {
		const struct told *t = &w->told.v[i];

		if (!strcmp(t->host, ch->host) && !strcmp(t->series, ch->series) &&
		    ch->at <= t->at + w->o->show.from_ns / NSEC_PER_SEC / 2)
			return true;
	}
	return false;
}

static void forget_old(struct watcher *w)
{
	uint64_t before = (w->now - 2 * w->o->show.from_ns) / NSEC_PER_SEC;
	size_t n = 0;

	for (size_t i = 0; i < w->told.n; i++) {
		struct told *t = &w->told.v[i];

		if (t->at >= before) {
			w->told.v[n++] = *t;
			continue;
		}
		free(t->host);
		free(t->series);
	}
	w->told.n = n;
}

static void load_state(struct watcher *w)
{
	_cleanup_fclose_ FILE *f = w->o->state ? fopen(w->o->state, "re") : NULL;
	char host[ASK_WHO_MAX + 1], series[BUS_NAME_MAX + 1];
	uint64_t at;

	_Static_assert(ASK_WHO_MAX >= 200 && BUS_NAME_MAX >= 100, "widths below");
	while (f && fscanf(f, "%" SCNu64 " %200s %100s", &at, host, series) == 3 && note_told(w, host, series, at) == 0)
		;
}

static void save_state(struct watcher *w)
{
	char path[4096];
	FILE *f;
	bool ok;

	if (!w->o->state || snprintf(path, sizeof(path), "%s.new", w->o->state) >= (int)sizeof(path))
		return;
	f = fopen(path, "we");
	for (size_t i = 0; f && i < w->told.n; i++)
		fprintf(f, "%" PRIu64 " %s %s\n", w->told.v[i].at, w->told.v[i].host, w->told.v[i].series);
	ok = f && fclose(f) == 0 && rename(path, w->o->state) == 0;
	if (!ok && !w->unsaved)
		listener_msg(w->to, "%s: cannot be written: %s", w->o->state, strerror(errno));
	w->unsaved = !ok;
}

/* -- looks -- */

static int on_change(void *ctx, const struct change *ch)
{
	_cleanup_(strb_free) struct strb b = { 0 };
	struct jsonw j = jsonw_to(&b);
	struct watcher *w = ctx;

	if (is_told(w, ch))
		return 0;
	jsonw_object(&j, NULL);
	jsonw_str(&j, "type", "change");
	jsonw_str(&j, "tenant", w->o->show.what.tenant);
	jsonw_str(&j, "host", ch->host);
	jsonw_str(&j, "tracker", ch->series);
	jsonw_u64(&j, "at", ch->at);
	jsonw_double(&j, "quantile", ch->quantile, 4);
	jsonw_u64(&j, "before", (uint64_t)ch->before);
	jsonw_u64(&j, "after", (uint64_t)ch->after);
	jsonw_str(&j, "key", ch->blame.key);
	jsonw_str(&j, "cause", ch->blame.cause);
	jsonw_u64(&j, "together", ch->together);
	jsonw_str(&j, "others", ch->others);
	jsonw_str(&j, "changed", ch->changed);
	jsonw_str(&j, "sentence", ch->sentence);
	jsonw_end_object(&j);
	if (b.failed || note_told(w, ch->host, ch->series, ch->at) < 0)
		return -ENOMEM;
	notify_add(w->notify, b.s, b.n, w->to);
	if (w->o->show.json)
		fprintf(w->o->show.out, "%s\n", b.s);
	else
		fprintf(w->o->show.out, "%s\n", ch->sentence);
	w->error = fflush(w->o->show.out) ? -errno : w->error;
	return 0;
}

static int look(struct watcher *w, struct err *err)
{
	struct askshow *s = &w->o->show;
	struct click *c = NULL;
	struct askshow at = *s;
	int e;

	at.to_ns = s->from_ns > LONG_RANGE_NS ? WATCH_LAG_LONG_NS : WATCH_LAG_NS;
	at.from_ns = s->from_ns + at.to_ns;
	e = askshow_open(&at, w->now, &c, err);
	if (e == 0)
		e = change_find(c, &at.what, on_change, w, err);
	click_close(c);
	if (e == 0) {
		forget_old(w);
		save_state(w);
	}
	return e;
}

static void tell_failure(struct watcher *w, int e, const struct err *err)
{
	if (e < 0 && !w->failing)
		listener_msg(w->to, "%s; tried again", err->msg[0] ? err->msg : strerror(-e));
	else if (e == 0 && w->failing)
		listener_msg(w->to, "it works again");
	w->failing = e < 0;
}

static void loop(struct watcher *w)
{
	const struct timespec nap = clock_timespec(NAP_MS * NSEC_PER_MSEC);
	uint64_t next = clock_ns(CLOCK_REALTIME) - w->o->back_ns;

	while (!w->o->stop(w->o->ctx) && !w->error) {
		const uint64_t now = clock_ns(CLOCK_REALTIME);
		struct err err = { 0 };

		if (now >= next) {
			const bool past = next + w->o->every_ns < now;

			w->now = w->o->back_ns ? next : now;
			tell_failure(w, look(w, &err), &err);
			next += w->o->every_ns;
			/* If a look took longer than the interval, the looks that it delayed are skipped. */
			if (!w->o->back_ns && next < clock_ns(CLOCK_REALTIME))
				next = clock_ns(CLOCK_REALTIME) + w->o->every_ns / 2;
			if (!past)
				w->o->back_ns = 0;
		} else {
			nanosleep(&nap, NULL);
		}
		(void)notify_turn(w->notify, clock_ns(CLOCK_MONOTONIC), w->to);
	}
}

static void watcher_free(struct watcher *w)
{
	w->now = UINT64_MAX;
	forget_old(w);
	vec_free(&w->told);
	notify_free(w->notify);
}

int watch_run(struct watch *o, const struct listener *to, struct err *err)
{
	struct watcher w = { .o = o, .to = to };
	int e = notify_open(o->webhook, o->program, &w.notify, err);

	if (e < 0)
		return e;
	load_state(&w);
	loop(&w);
	watcher_free(&w);
	return w.error == -EPIPE ? 0 : w.error;
}
