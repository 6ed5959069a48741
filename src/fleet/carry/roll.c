/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/carry/roll.h"
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/units.h"
#include "fleet/wire/tables.h"

#define TURN_MS 200
#define MINUTE_S UINT64_C(60)

struct roll {
	pthread_t thread;
	pthread_mutex_t lock;	    /* of what follows, up to end */
	uint64_t rolled;	    /* minutes up to here are added up, s since 1970 */
	struct roll_stretches late; /* minutes that got rows after that */
	bool end;
	/* the thread's own */
	struct click *store;
	const struct listener *to;
	uint64_t next; /* late rows are not added up before that, CLOCK_MONOTONIC ns */
	bool failing;
};

/* Two that follow each other become one. */
static void join(struct roll_stretches *s, unsigned i)
{
	if (s->v[i].to < s->v[i + 1].to)
		s->v[i].to = s->v[i + 1].to;
	memmove(&s->v[i + 1], &s->v[i + 2], (s->n - i - 2) * sizeof(*s->v));
	s->n--;
}

void roll_stretch(struct roll_stretches *s, uint64_t from, uint64_t to)
{
	unsigned i = s->n, closest = 0;

	if (from >= to || to > UINT64_MAX - MINUTE_S)
		return;
	from -= from % MINUTE_S;
	to = ROUND_UP(to, MINUTE_S);
	for (; i && s->v[i - 1].from > from; i--)
		s->v[i] = s->v[i - 1];
	s->v[i] = (struct roll_stretch){ from, to };
	s->n++;
	if (i && s->v[i - 1].to >= from)
		join(s, --i);
	while (i + 1 < s->n && s->v[i].to >= s->v[i + 1].from)
		join(s, i);
	if (s->n <= ROLL_STRETCHES)
		return;
	for (i = 1; i + 1 < s->n; i++)
		if (s->v[i + 1].from - s->v[i].to < s->v[closest + 1].from - s->v[closest].to)
			closest = i;
	join(s, closest);
}

void roll_note(struct roll *r, const struct roll_stretches *stored)
{
	pthread_mutex_lock(&r->lock);
	for (unsigned i = 0; i < stored->n; i++)
		roll_stretch(&r->late, stored->v[i].from, stored->v[i].to < r->rolled ? stored->v[i].to : r->rolled);
	pthread_mutex_unlock(&r->lock);
}

/* Minutes, and what is made of them, that are over. A row that comes from now on and is older is late. */
static int add_up(struct roll *r, uint64_t to, struct err *err)
{
	uint64_t from;
	int e = 0;

	pthread_mutex_lock(&r->lock);
	from = r->rolled;
	r->rolled = to > from ? to : from;
	pthread_mutex_unlock(&r->lock);
	if (to <= from)
		return 0;
	for (enum tables_slot slot = SLOT_MINUTE; e == 0 && slot < TABLES_NSLOTS; slot++) {
		uint64_t period = tables_hist[slot].period;

		if (to / period != from / period)
			e = tables_roll(r->store, slot, from - from % period, to - to % period, err);
	}
	if (e < 0) { /* by a repair */
		const struct roll_stretches all = { { { from, to } }, 1 };

		roll_note(r, &all);
	}
	return e;
}

/* Slots of a stretch, which are over at `to`. */
static int repair_stretch(struct roll *r, enum tables_slot slot, const struct roll_stretch *s, uint64_t to,
			  struct err *err)
{
	uint64_t period = tables_hist[slot].period, end = ROUND_UP(s->to, period);

	to -= to % period;
	end = end < to ? end : to;
	return s->from < end ? tables_repair(r->store, slot, s->from, end, err) : 0;
}

/* Adds up again the minutes that got rows after they had been added up. */
static int repair(struct roll *r, uint64_t to, struct err *err)
{
	uint64_t begun = clock_ns(CLOCK_MONOTONIC), rest;
	struct roll_stretches late;
	int e = 0;

	pthread_mutex_lock(&r->lock);
	late = r->late;
	r->late.n = 0;
	pthread_mutex_unlock(&r->lock);
	if (!late.n)
		return 0;
	for (enum tables_slot slot = SLOT_MINUTE; slot < TABLES_NSLOTS; slot++)
		for (unsigned i = 0; e >= 0 && i < late.n; i++)
			e = repair_stretch(r, slot, &late.v[i], to, err);
	if (e < 0)
		roll_note(r, &late);
	rest = (clock_ns(CLOCK_MONOTONIC) - begun) * ROLL_REST;
	rest = rest > ROLL_REST_MIN_NS ? rest : ROLL_REST_MIN_NS;
	r->next = begun + (rest < ROLL_REST_MAX_NS ? rest : ROLL_REST_MAX_NS);
	return e;
}

static bool is_over(void *arg)
{
	struct roll *r = arg;
	bool end;

	pthread_mutex_lock(&r->lock);
	end = r->end;
	pthread_mutex_unlock(&r->lock);
	return end;
}

/* Failures are told once, and when they are over. */
static void tell(struct roll *r, int e, const struct err *err)
{
	if (e == -ECANCELED)
		return; /* the collector ends; a later one repairs what is missing */
	if (e < 0 && !r->failing)
		listener_msg(r->to, "minutes are not added up: %s; tried again until it works", err->msg);
	else if (e >= 0 && r->failing)
		listener_msg(r->to, "minutes are added up again");
	r->failing = e < 0;
}

static void *run(void *arg)
{
	const struct timespec nap = clock_timespec(TURN_MS * NSEC_PER_MSEC);
	struct roll *r = arg;

	while (!is_over(r)) {
		uint64_t to = clock_ns(CLOCK_REALTIME) / NSEC_PER_SEC - ROLL_LATE_S;
		struct err err = { 0 };
		int e;

		to -= to % 60;
		e = add_up(r, to, &err);
		if (e == 0 && clock_ns(CLOCK_MONOTONIC) >= r->next)
			e = repair(r, to, &err);
		tell(r, e, &err);
		nanosleep(&nap, NULL);
	}
	return NULL;
}

int roll_start(const struct click_options *store, const struct listener *to, struct roll **ret, struct err *err)
{
	struct roll *r = calloc(1, sizeof(*r));
	uint64_t now = clock_ns(CLOCK_REALTIME) / NSEC_PER_SEC;
	int e;

	if (!r)
		return err_set(err, -ENOMEM, "out of memory");
	*r = (struct roll){ .rolled = now - now % 60, .to = to };
	roll_stretch(&r->late, now - ROLL_BACK_S, now);
	e = click_open(store, &r->store, err);
	pthread_mutex_init(&r->lock, NULL);
	if (e == 0)
		click_end_when(r->store, is_over, r);
	if (e == 0 && (e = -pthread_create(&r->thread, NULL, run, r)) < 0)
		err_set(err, e, "a thread cannot be started: %s", strerror(-e));
	if (e < 0) {
		click_close(r->store);
		free(r);
		return e;
	}
	*ret = r;
	return 0;
}

void roll_end(struct roll *r)
{
	if (!r)
		return;
	pthread_mutex_lock(&r->lock);
	r->end = true;
	pthread_mutex_unlock(&r->lock);
	pthread_join(r->thread, NULL);
	pthread_mutex_destroy(&r->lock);
	click_close(r->store);
	free(r);
}
