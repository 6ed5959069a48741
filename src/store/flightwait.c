/* SPDX-License-Identifier: Apache-2.0 */
/* Finds out what a thread waited for, as far as the flight recorder saw it: follows the states of the thread
 * through the events. */
#include <string.h>
#include "store/flight.h"

/* Source: LCB_F_*, include/trace/events/lock.h */
#define LOCK_SPIN 0x01u
#define LOCK_READ 0x02u
#define LOCK_WRITE 0x04u
#define LOCK_RT 0x08u
#define LOCK_PERCPU 0x10u
#define LOCK_MUTEX 0x20u

enum state { UNKNOWN, RUNS, READY, ASLEEP };

struct follow {
	const struct flight_rec *f;
	uint32_t tid;
	uint64_t from, to;
	enum state now;
	uint64_t since;
	uint32_t cpu;	/* where it runs */
	long lock;	/* the event of the lock that it waits for, or -1 */
	unsigned spins; /* locks that it spins for meanwhile */
	struct flight_wait best;
};

const char *flight_lock_name(uint32_t flags)
{
	return flags & LOCK_MUTEX		  ? "mutex"
	       : flags & LOCK_SPIN		  ? "spinlock"
	       : flags & LOCK_RT		  ? "rtmutex"
	       : flags & LOCK_PERCPU		  ? "percpu-rwsem"
	       : flags & (LOCK_READ | LOCK_WRITE) ? "rwsem"
						  : "semaphore";
}

long flight_holder(const struct flight_rec *f, uint32_t i)
{
	const struct flight_event lock = flight_event(f, i);

	/* They may be in any order, but are neighbours in time. */
	for (int step = -1; step <= 1; step += 2)
		for (uint32_t k = i + (uint32_t)step; k < f->h.n; k += (uint32_t)step) {
			struct flight_event e = flight_event(f, k);

			if (e.ts != lock.ts)
				break;
			if (e.cpu == lock.cpu && flight_is(&e, "holder"))
				return k;
		}
	return -1;
}

/* Is this the longest wait so far? A lock is the better explanation of the sleep for it. */
static bool offer(struct follow *w, enum flight_waits what, uint64_t begin, uint64_t end)
{
	uint64_t from = begin > w->from ? begin : w->from, to = end < w->to ? end : w->to;
	uint64_t longest = w->best.to - w->best.from;

	if (to <= from || to - from < longest || (to - from == longest && what != FLIGHT_LOCKED))
		return false;
	w->best = (struct flight_wait){ .what = what, .from = from, .to = to };
	return true;
}

static void set_by(struct follow *w, long i)
{
	struct flight_event e;

	if (i < 0)
		return;
	e = flight_event(w->f, (uint32_t)i);
	w->best.by_tid = e.id;
	memcpy(w->best.by_comm, e.text, sizeof(w->best.by_comm));
}

/* i: the event that ends it, or n. */
static void end_sleep(struct follow *w, uint32_t i, uint64_t at)
{
	if (!offer(w, FLIGHT_SLEPT, w->since, at) || i == w->f->h.n)
		return;
	w->best.by_irq = flight_event(w->f, i).info != 0;
	if (!w->best.by_irq)
		set_by(w, flight_running(w->f, i));
}

/* Only for CPUs that were read as a whole is it known which thread had them. */
static void end_ready(struct follow *w, uint32_t cpu, uint64_t at)
{
	struct flight_wait *b = &w->best;
	struct flight_shares s;

	if (!offer(w, FLIGHT_READY, w->since, at))
		return;
	b->cpu = cpu;
	if (cpu != w->f->h.cpu && cpu != w->f->h.end_cpu)
		return;
	flight_shares(w->f, cpu, b->from, b->to, &s);
	if (s.n && s.v[0].ns > (b->to - b->from) / 2) {
		b->by_tid = s.v[0].tid;
		memcpy(b->by_comm, s.v[0].comm, sizeof(b->by_comm));
	}
}

static void end_lock(struct follow *w, uint64_t at)
{
	struct flight_event e = flight_event(w->f, (uint32_t)w->lock);

	if (offer(w, FLIGHT_LOCKED, e.ts, at)) {
		w->best.lock = e.info;
		set_by(w, flight_holder(w->f, (uint32_t)w->lock));
	}
	w->lock = -1;
}

static void on_lock(struct follow *w, uint32_t i, const struct flight_event *e)
{
	if (flight_is(e, "lock-end")) {
		if (w->spins)
			w->spins--;
		else if (w->lock >= 0)
			end_lock(w, e->ts);
	} else if (e->info & LOCK_SPIN && !(e->info & LOCK_MUTEX)) {
		w->spins++;
	} else if (w->lock < 0 || !(e->info & LOCK_MUTEX)) {
		w->lock = i; /* of a mutex several are told: it is spun and slept for in turns */
		w->spins = 0;
	}
}

static void become(struct follow *w, enum state state, uint64_t at)
{
	w->now = state;
	w->since = at;
}

static void on_event(struct follow *w, uint32_t i, const struct flight_event *e)
{
	if (flight_is(e, "switch") && e->id == w->tid) {
		if (w->now == READY)
			end_ready(w, e->cpu, e->ts);
		become(w, RUNS, e->ts);
		w->cpu = e->cpu;
	} else if (flight_is(e, "switch")) {
		if (w->now == RUNS && e->cpu == w->cpu)
			become(w, e->info ? ASLEEP : READY, e->ts);
	} else if (e->id != w->tid) {
		return;
	} else if (flight_is(e, "wake")) {
		if (w->now == UNKNOWN) /* it did nothing before, as far back as is known */
			become(w, ASLEEP, w->f->h.covered);
		if (w->now != ASLEEP)
			return;
		end_sleep(w, i, e->ts);
		become(w, READY, e->ts);
	} else if (flight_is(e, "lock") || flight_is(e, "lock-end")) {
		on_lock(w, i, e);
	}
}

void flight_longest_wait(const struct flight_rec *f, uint32_t tid, uint64_t from, uint64_t to, struct flight_wait *ret)
{
	struct follow w = { .f = f, .tid = tid, .from = from, .to = to, .lock = -1 };

	for (uint32_t i = 0; i < f->h.n; i++) {
		struct flight_event e = flight_event(f, i);

		on_event(&w, i, &e);
	}
	if (w.now == READY)
		end_ready(&w, w.cpu, to);
	else if (w.now == ASLEEP)
		end_sleep(&w, f->h.n, to);
	if (w.lock >= 0)
		end_lock(&w, to);
	*ret = w.best;
}
