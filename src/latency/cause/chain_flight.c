/* SPDX-License-Identifier: Apache-2.0 */
/* Adds links to a chain that were not slow events themselves, from the flight recorder's rows of CPUs and threads. */
#include <stdio.h>
#include <string.h>
#include "base/units.h"
#include "latency/cause/chain.h"
#include "store/flight.h"

#define NAMED 3	     /* threads that had the CPU */
#define MIN_KNOWN 50 /* percent of a wait of which something must be known */
#define MIN_NAMED 2  /* percent of a wait that is worth a word */
#define MIN_LINK 50  /* percent of a wait that a single wait of somebody else takes to be a link */

static uint64_t percent(uint64_t ns, unsigned n)
{
	return ns / 100 * n;
}

/* "while CPU 1 was held by hog 12 for 28.1 ms, kworker/1:1 7 for 2.00 ms" */
static void say_had(struct chain *c, const struct flight_rec *f, const struct chain_wait *w)
{
	const uint64_t wait = w->to - w->from;
	struct flight_shares s;
	char ns[UNITS_LEN];
	size_t at;

	flight_shares(f, w->cpu, w->from, w->to, &s);
	if (!s.n || s.unknown > wait - percent(wait, MIN_KNOWN))
		return;
	at = (size_t)snprintf(c->had, sizeof(c->had), "while CPU %u was held by ", w->cpu);
	for (size_t i = 0; i < s.n && i < NAMED && (!i || s.v[i].ns > percent(wait, MIN_NAMED)) && at < sizeof(c->had);
	     i++)
		at += (size_t)(s.v[i].tid ? snprintf(c->had + at, sizeof(c->had) - at, "%s%s %u for %s", i ? ", " : "",
						     s.v[i].comm, s.v[i].tid, units_ns(s.v[i].ns, ns))
					  : snprintf(c->had + at, sizeof(c->had) - at, "%snobody for %s", i ? ", " : "",
						     units_ns(s.v[i].ns, ns)));
}

static void add_part(struct chain *c, const char *before, uint64_t part, const char *after, uint64_t least)
{
	size_t at = strlen(c->did);
	char ns[UNITS_LEN];

	if (part > least)
		snprintf(c->did + at, sizeof(c->did) - at, "%s%s%s%s", at ? ", " : "which meanwhile ", before,
			 units_ns(part, ns), after);
}

/* "which meanwhile ran for 10.1 ms, waited 25.0 ms for a CPU, slept for 5.02 ms" */
static void say_did(struct chain *c, const struct flight_rec *f, const struct chain_wait *w)
{
	const uint64_t wait = w->to - w->from, least = percent(wait, MIN_NAMED);
	struct flight_did d;

	flight_did(f, w->by_tid, w->from, w->to, &d);
	if (d.unknown > wait - percent(wait, MIN_KNOWN))
		return;
	add_part(c, "ran for ", d.ran, "", least);
	add_part(c, "waited ", d.ready, " for a CPU", least);
	add_part(c, "slept for ", d.slept, "", least);
}

/* For a lock, the owner that the kernel notes counts more than the waker. */
void chain_name_holder(struct chain_wait *w, const struct flight_rec *f)
{
	struct flight_wait x;

	if (f->h.skipped || w->to <= w->from || w->via == CHAIN_HOLDER || w->via == CHAIN_RUNNING)
		return;
	flight_longest_wait(f, w->tid, w->from, w->to, &x);
	if (x.what != FLIGHT_LOCKED || !x.by_tid || x.to - x.from < percent(w->to - w->from, MIN_LINK))
		return;
	w->via = CHAIN_HOLDER;
	w->by_tid = x.by_tid;
	snprintf(w->by_comm, sizeof(w->by_comm), "%s", x.by_comm);
}

static bool is_in(const struct chain *c, uint32_t tid)
{
	for (unsigned i = 0; i < c->n; i++)
		if (c->links[i].wait.tid == tid)
			return true;
	return false;
}

/* Adds the wait of the thread to blame, if it waited for most of the time. */
static bool add_wait(struct chain *c, const struct flight_rec *f)
{
	static const enum chain_via via[] = { CHAIN_NOBODY, CHAIN_RUNNING, CHAIN_WAKER, CHAIN_HOLDER };
	const struct chain_wait *w = &c->links[c->n - 1].wait;
	struct chain_link *l = &c->links[c->n];
	struct flight_wait x;

	flight_longest_wait(f, w->by_tid, w->from, w->to, &x);
	if (x.what == FLIGHT_NO_WAIT || x.to - x.from < percent(w->to - w->from, MIN_LINK))
		return false;
	if (c->n == CHAIN_MAX_LINKS) {
		c->more = true;
		return false;
	}
	*l = (struct chain_link){ .how = chain_how_of(w->via),
				  .overlap = x.to - x.from,
				  .inferred = w->via != CHAIN_HOLDER };
	l->wait = (struct chain_wait){ .from = x.from,
				       .to = x.to,
				       .tid = w->by_tid,
				       .level = CHAIN_SLEEP,
				       .cpu = x.cpu,
				       .via = x.by_tid ? via[x.what] : CHAIN_NOBODY,
				       .by_tid = x.by_tid };
	memcpy(l->wait.comm, w->by_comm, sizeof(l->wait.comm));
	snprintf(l->wait.by_comm, sizeof(l->wait.by_comm), "%s", x.by_comm);
	snprintf(l->wait.words, sizeof(l->wait.words), "%s",
		 x.what == FLIGHT_LOCKED  ? flight_lock_name(x.lock)
		 : x.what == FLIGHT_READY ? "a CPU"
		 : x.by_irq		  ? "an interrupt"
					  : "an event");
	c->n++;
	return true;
}

void chain_complete(struct chain *c, const struct flight_rec *f)
{
	c->had[0] = c->did[0] = '\0';
	while (!f->h.skipped && !c->cycle) {
		struct chain_wait *w = &c->links[c->n - 1].wait;

		if (w->to <= w->from)
			return;
		chain_name_holder(w, f);
		if (w->via == CHAIN_RUNNING) {
			say_had(c, f, w);
			return;
		}
		if (w->via == CHAIN_NOBODY || !w->by_tid || w->by_tid == w->tid)
			return;
		if (is_in(c, w->by_tid)) {
			c->cycle = w->via == CHAIN_HOLDER;
			return;
		}
		if (!add_wait(c, f)) {
			say_did(c, f, w);
			return;
		}
	}
}
