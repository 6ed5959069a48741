/* SPDX-License-Identifier: Apache-2.0 */
/* Links of a chain that were not slow themselves: from what the flight recorder saw of CPUs and threads. */
#include <stdio.h>
#include <string.h>
#include "base/units.h"
#include "latency/chain.h"
#include "store/flight.h"

#define NAMED	  3 /* threads that had the CPU */
#define MIN_KNOWN 50 /* percent of a wait of which something must be known */
#define MIN_NAMED 2 /* percent of a wait that is worth a word */

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
	for (size_t i = 0; i < s.n && i < NAMED && (!i || s.v[i].ns > percent(wait, MIN_NAMED)) && at < sizeof(c->had); i++)
		at += (size_t)(s.v[i].tid ? snprintf(c->had + at, sizeof(c->had) - at, "%s%s %u for %s", i ? ", " : "", s.v[i].comm,
						     s.v[i].tid, units_ns(s.v[i].ns, ns)) :
					    snprintf(c->had + at, sizeof(c->had) - at, "%snobody for %s", i ? ", " : "",
						     units_ns(s.v[i].ns, ns)));
}

static void add_part(struct chain *c, const char *before, uint64_t part, const char *behind, uint64_t least)
{
	size_t at = strlen(c->did);
	char ns[UNITS_LEN];

	if (part > least)
		snprintf(c->did + at, sizeof(c->did) - at, "%s%s%s%s", at ? ", " : "which meanwhile ", before, units_ns(part, ns), behind);
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

void chain_complete(struct chain *c, const struct flight_rec *f)
{
	const struct chain_wait *w = &c->links[c->n - 1].wait;

	c->had[0] = c->did[0] = '\0';
	if (f->h.skipped || w->to <= w->from)
		return;
	if (w->via == CHAIN_RUNNING)
		say_had(c, f, w);
	else if (w->via != CHAIN_NOBODY && w->by_tid && w->by_tid != w->tid)
		say_did(c, f, w);
}
