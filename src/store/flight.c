/* SPDX-License-Identifier: Apache-2.0 */
/* Reads events of the flight recorder and follows CPUs and threads through them. */
#include "store/flight.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int flight_open(const void *data, size_t len, struct flight_rec *ret)
{
	if (!data || len < sizeof(ret->h))
		return -EBADMSG;
	memcpy(&ret->h, data, sizeof(ret->h));
	if (ret->h.n > FLIGHT_MAX_EVENTS || len - sizeof(ret->h) < ret->h.n * sizeof(*ret->v))
		return -EBADMSG;
	ret->v = (const void *)((const uint8_t *)data + sizeof(ret->h));
	return 0;
}

struct flight_event flight_event(const struct flight_rec *f, uint32_t i)
{
	struct flight_event e = { 0 };
	struct rec_flight_event r;

	memcpy(&r, f->v + i, sizeof(r));
	e.ts = r.ts;
	e.cpu = r.cpu;
	e.id = r.id;
	e.info = r.info;
	memcpy(e.kind, r.kind, sizeof(r.kind));
	memcpy(e.text, r.text, sizeof(r.text));
	return e;
}

bool flight_is(const struct flight_event *e, const char *kind)
{
	return !strcmp(e->kind, kind);
}

bool flight_kind_has_thread(const char *kind)
{
	static const char *const with[] = { "switch", "wake", "lock", "lock-end" };

	for (size_t i = 0; i < sizeof(with) / sizeof(with[0]); i++)
		if (!strcmp(kind, with[i]))
			return true;
	return false;
}

/* The part of [a, b] that is in [from, to]. */
static uint64_t within(uint64_t a, uint64_t b, uint64_t from, uint64_t to)
{
	a = a > from ? a : from;
	b = b < to ? b : to;
	return b > a ? b - a : 0;
}

/* -- threads on a CPU -- */

#define SHARES 64 /* threads counted; those with the most are told */
struct shares {
	struct flight_share v[SHARES];
	size_t n;
	uint64_t others, known;
};

static void add_share(struct shares *s, const struct flight_event *who, uint64_t ns)
{
	size_t i = 0;

	if (!ns)
		return;
	s->known += ns;
	/* idle has a thread per CPU, all with the number 0 */
	while (i < s->n && s->v[i].tid != who->id)
		i++;
	if (i == s->n && s->n < SHARES) {
		s->v[i].tid = who->id;
		memcpy(s->v[i].comm, who->text, sizeof(s->v[i].comm));
		s->n++;
	}
	if (i < s->n)
		s->v[i].ns += ns;
	else
		s->others += ns;
}

static int most_first(const void *a, const void *b)
{
	const struct flight_share *x = a, *y = b;

	return x->ns < y->ns ? 1 : x->ns > y->ns ? -1 : 0;
}

void flight_shares(const struct flight_rec *f, uint32_t cpu, uint64_t from, uint64_t to, struct flight_shares *ret)
{
	struct flight_event who = { 0 }, irq = { 0 }, soft = { 0 };
	struct shares s = { 0 };
	bool known = false;

	*ret = (struct flight_shares){ 0 };
	for (uint32_t i = 0; i < f->h.n; i++) {
		struct flight_event e = flight_event(f, i);

		if (e.cpu != cpu)
			continue;
		if (flight_is(&e, "switch")) {
			if (known)
				add_share(&s, &who, within(who.ts, e.ts, from, to));
			who = e;
			known = true;
		} else if (flight_is(&e, "irq")) {
			irq = e;
		} else if (flight_is(&e, "irq-end") && irq.ts) {
			/* those that interrupt a soft interrupt are in its time */
			ret->irq += soft.ts ? 0 : within(irq.ts, e.ts, from, to);
			irq.ts = 0;
		} else if (flight_is(&e, "softirq")) {
			soft = e;
		} else if (flight_is(&e, "softirq-end") && soft.ts) {
			ret->irq += within(soft.ts, e.ts, from, to);
			soft.ts = 0;
		}
	}
	if (known)
		add_share(&s, &who, within(who.ts, to, from, to));
	ret->unknown = to > from ? to - from - s.known : 0;
	ret->others = s.others;
	qsort(s.v, s.n, sizeof(s.v[0]), most_first);
	for (size_t i = 0; i < s.n; i++) {
		if (i < FLIGHT_MAX_SHARES)
			ret->v[ret->n++] = s.v[i];
		else
			ret->others += s.v[i].ns;
	}
}

/* -- what a thread did -- */

enum doing { DOING_UNKNOWN, DOING_RAN, DOING_READY, DOING_SLEPT };

void flight_did(const struct flight_rec *f, uint32_t tid, uint64_t from, uint64_t to, struct flight_did *ret)
{
	enum doing now = DOING_UNKNOWN;
	uint64_t since = from, *sums[] = { &ret->unknown, &ret->ran, &ret->ready, &ret->slept };
	uint32_t cpu = 0;

	*ret = (struct flight_did){ 0 };
	for (uint32_t i = 0; i < f->h.n; i++) {
		struct flight_event e = flight_event(f, i);
		enum doing next = now;

		if (flight_is(&e, "switch") && e.id == tid)
			next = DOING_RAN;
		else if (flight_is(&e, "switch") && now == DOING_RAN && e.cpu == cpu)
			next = e.info ? DOING_SLEPT : DOING_READY;
		else if (flight_is(&e, "wake") && e.id == tid && now != DOING_RAN)
			next = DOING_READY;
		if (next == DOING_RAN)
			cpu = e.id == tid ? e.cpu : cpu;
		if (next == now)
			continue;
		*sums[now] += within(since, e.ts, from, to);
		since = e.ts;
		now = next;
	}
	*sums[now] += within(since, to, from, to);
}

long flight_running(const struct flight_rec *f, uint32_t i)
{
	uint32_t cpu = flight_event(f, i).cpu;

	while (i--) {
		struct flight_event e = flight_event(f, i);

		if (e.cpu == cpu && flight_is(&e, "switch"))
			return i;
	}
	return -1;
}

uint64_t flight_until(const struct flight_rec *f, uint32_t i, const char *kind)
{
	const uint32_t cpu = flight_event(f, i).cpu;

	while (++i < f->h.n) {
		struct flight_event e = flight_event(f, i);

		if (e.cpu == cpu && flight_is(&e, kind))
			return e.ts;
	}
	return f->h.to;
}
