/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the event loop: sleeps until the next task is due, or until a signal or the end of a target wakes it. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "load/cpus.h"
#include "run/session/int.h"
#include "run/os/signals.h"

/* Reading aggregations unasked may take this part of the time at most: 1 / 16. */
#define AGG_SHARE 16u
/* A pause of this length is told: rings may have overflowed, and rows keyed by the time of reading are late. */
#define PAUSE_MIN_NS 1000000000ull

struct due {
	uint64_t drain, agg, status;
	uint64_t end; /* of the run; UINT64_MAX: no time was given */
};

static uint64_t earliest(const struct session *s, const struct due *d)
{
	uint64_t t = d->drain < d->status ? d->drain : d->status;

	if (s->trackers && trackers_due(s->trackers) < t)
		t = trackers_due(s->trackers);
	if (d->end < t)
		t = d->end;

	return s->schema->naggs && d->agg < t ? d->agg : t;
}

/* Sleeps; true when a signal arrived or all targets have ended. */
static bool wait_until(struct session *s, uint64_t until, struct pollfd *fds, size_t nfds)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), ns = until > now ? until - now : 0;
	struct timespec ts = clock_timespec(ns);
	size_t ended = 0;

	if (ppoll(fds, nfds, &ts, NULL) <= 0)
		return signals_pending() != 0;
	if (s->ctl && fds[1 + s->c.ntargets].revents)
		ctl_serve(s->ctl);
	for (size_t i = 0; i < s->c.ntargets; i++) {
		if (target_ended(s->c.targets[i])) {
			fds[1 + i].fd = -1; /* it stays readable */
			ended++;
		}
	}
	if (s->c.ntargets && ended == s->c.ntargets && s->res.stop == SESSION_RUNNING)
		s->res.stop = SESSION_TARGETS;
	return true;
}

/* Events on each CPU are not on one that comes online later, nor on one that was offline: the kernel takes them off. */
static int look_at_cpus(struct session *s)
{
	_cleanup_(strb_free) struct strb came = { 0 };
	struct cpulist now = { 0 };
	size_t k = 0;

	if (!s->cpus.n || cpulist_online(&now) < 0)
		return 0;
	for (size_t i = 0; i < now.n; i++) {
		while (k < s->cpus.n && s->cpus.v[k] < now.v[i])
			k++;
		if (k == s->cpus.n || s->cpus.v[k] != now.v[i])
			strb_printf(&came, "%s%u", came.n ? ", " : "", now.v[i]);
	}
	cpulist_done(&s->cpus);
	s->cpus = now;
	return came.n ? session_note(
				s,
				"CPU %s came online: probes of timers and events (profile-n, cpc, wp) do not fire there in this run",
				strb_str(&came))
		      : 0;
}

static int look_at_walks(struct session *s)
{
	int e = walker_error(s->walker);

	return e < 0 ? session_note(s, "a walk over threads or keys failed: %s", strerror(-e)) : 0;
}

/* The work that is due once per statusrate: losses, cost. */
static int status(struct session *s)
{
	int r;

	session_set_loads(s);
	hits_tick(s->hits, clock_ns(CLOCK_MONOTONIC));
	counters_note_links(s->counters, s->links);
	r = counters_report(s->counters, clock_ns(CLOCK_MONOTONIC), false, s->c.rec);
	if (r == 0)
		r = cost_report(s->cost, clock_ns(CLOCK_MONOTONIC), s->c.rec);
	if (r == 0 && s->flight)
		r = flight_report(s->flight, clock_ns(CLOCK_MONOTONIC), s->c.rec);
	if (r == 0 && s->governor)
		r = session_govern(s);
	if (r == 0)
		r = look_at_cpus(s);
	if (r == 0 && s->walker)
		r = look_at_walks(s);
	session_consume(s);
	return r;
}

static int work(struct session *s, struct due *d)
{
	const struct dopts *o = s->c.prog->opts;
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	int r = s->dynprobes ? dynprobes_drain(s->dynprobes) : 0;

	load_reap(s->l);

	if (r == 0 && now >= d->drain) {
		r = session_drain(s);
		d->drain = clock_ns(CLOCK_MONOTONIC) + s->poll_ns;
	}
	if (r == 0 && s->schema->naggs && now >= d->agg) {
		uint64_t pause = o->aggrate ? o->aggrate : POLL_MAX_NS, cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);

		r = session_snapshot(s);
		session_consume(s);
		/* Large aggregations must not keep us from the rings. Time of other threads on the CPU does not
		 * count. */
		cpu = (clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu) * AGG_SHARE;
		d->agg = clock_ns(CLOCK_MONOTONIC) + (pause > cpu ? pause : cpu);
	}
	if (r == 0 && s->trackers)
		r = trackers_tick(s->trackers, now, false, s->c.rec);
	if (r == 0 && now >= d->status) {
		r = status(s);
		d->status = clock_ns(CLOCK_MONOTONIC) + (o->statusrate ? o->statusrate : POLL_MAX_NS);
	}
	return r;
}

/* Does what the program asks for in which this one runs. */
static int serve_host(struct session *s)
{
	unsigned asked = s->c.host->asked(s->c.ctx);
	int r = 0;

	if (asked & SESSION_ASK_SNAPSHOT) {
		r = session_drain(s);
		if (r == 0)
			r = session_snapshot(s);
		session_consume(s);
		s->c.host->counted(s->c.ctx);
	}
	if ((asked & SESSION_ASK_STOP) && s->res.stop == SESSION_RUNNING)
		s->res.stop = SESSION_ASKED;
	return r;
}

static void look_for_end(struct session *s, const struct due *d)
{
	const struct img_state *st = s->l->state;
	int sig = s->c.host ? 0 : signals_pending();

	if (s->res.stop != SESSION_RUNNING)
		return;
	if (st && __atomic_load_n(&st->activity, __ATOMIC_ACQUIRE) == IMG_DRAINING) {
		s->res.stop = SESSION_EXIT;
	} else if (s->retention && retention_full(s->retention)) {
		s->res.stop = SESSION_FILLED;
	} else if (sig) {
		s->res.stop = SESSION_SIGNAL;
		s->res.signal = sig;
	} else if (clock_ns(CLOCK_MONOTONIC) >= d->end) {
		s->res.stop = SESSION_TIME;
	}
}

/* The loop sleeps for POLL_MAX_NS at most. Longer times that are not its own work are a pause: it was stopped, others
 * had the CPUs, the machine stood still, or its output blocked. */
static int look_for_pause(struct session *s)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), gone = s->looked ? now - s->looked : 0;
	uint64_t worked = clock_ns(CLOCK_THREAD_CPUTIME_ID), idle;

	idle = gone > worked - s->worked ? gone - (worked - s->worked) : 0;
	s->looked = now;
	s->worked = worked;
	return idle >= PAUSE_MIN_NS + POLL_MAX_NS ? session_note_pause(s, now, idle) : 0;
}

int session_loop(struct session *s, int signal_fd)
{
	_cleanup_free_ struct pollfd *fds = calloc(s->c.ntargets + 6, sizeof(*fds));
	const struct dopts *o = s->c.prog->opts;
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	struct due d = { now, now + o->aggrate, now + o->statusrate, s->c.for_ns ? now + s->c.for_ns : UINT64_MAX };
	int r = 0;

	if (!fds)
		return err_set(s->err, -ENOMEM, "out of memory");
	fds[0] = (struct pollfd){ .fd = signal_fd, .events = POLLIN };
	for (size_t i = 0; i < s->c.ntargets; i++)
		fds[1 + i] = (struct pollfd){ .fd = target_fd(s->c.targets[i]), .events = POLLIN };
	size_t nfds = 1 + s->c.ntargets;

	if (s->ctl)
		fds[nfds++] = (struct pollfd){ .fd = ctl_fd(s->ctl), .events = POLLIN };
	if (s->dynprobes) { /* poll() takes -1 for none */
		fds[nfds++] = (struct pollfd){ .fd = dynprobes_fd(s->dynprobes), .events = POLLIN };
		fds[nfds++] = (struct pollfd){ .fd = dynprobes_module_fd(s->dynprobes), .events = POLLIN };
		fds[nfds++] = (struct pollfd){ .fd = dynprobes_class_fd(s->dynprobes), .events = POLLIN };
		fds[nfds++] = (struct pollfd){ .fd = dynprobes_jvm_fd(s->dynprobes), .events = POLLIN };
	}
	for (;;) {
		if (s->c.hangup && signals_take_hangup())
			s->c.hangup(s->c.ctx);
		look_for_end(s, &d);
		if (s->res.stop != SESSION_RUNNING)
			return 0;
		r = look_for_pause(s);
		if (r == 0 && s->c.host)
			r = serve_host(s);
		if (r == 0)
			r = work(s, &d);
		if (r < 0)
			return s->err && s->err->code ? r : err_set(s->err, r, "%s", strerror(-r));
		look_for_end(s, &d);
		if (s->res.stop == SESSION_RUNNING)
			wait_until(s, earliest(s, &d), fds, nfds);
	}
}
