/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/carry/roll.h"
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/clock.h"
#include "base/units.h"
#include "fleet/wire/tables.h"

#define TURN_MS 200

struct roll {
	pthread_t thread;
	pthread_mutex_t lock; /* of what follows, up to end */
	uint64_t rolled;      /* minutes up to here are added up, s since 1970 */
	uint64_t late;	      /* the earliest second that came after that; UINT64_MAX: none */
	bool end;
	/* the thread's own */
	struct click *store;
	const struct listener *to;
	uint64_t repaired; /* when late rows were last added up, s since 1970 */
	bool failing;
};

void roll_note(struct roll *r, uint64_t second)
{
	pthread_mutex_lock(&r->lock);
	if (second < r->rolled && second < r->late)
		r->late = second;
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
	if (e < 0)
		roll_note(r, from); /* by a repair */
	return e;
}

/* Adds up again the minutes that got rows after they had been added up. */
static int repair(struct roll *r, uint64_t now, uint64_t to, struct err *err)
{
	uint64_t late;
	int e = 0;

	pthread_mutex_lock(&r->lock);
	late = r->late;
	r->late = UINT64_MAX;
	pthread_mutex_unlock(&r->lock);
	if (late >= to)
		return 0;
	r->repaired = now;
	for (enum tables_slot slot = SLOT_MINUTE; e >= 0 && slot < TABLES_NSLOTS; slot++)
		e = tables_repair(r->store, slot, late, to, err);
	if (e < 0)
		roll_note(r, late);
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
		uint64_t now = clock_ns(CLOCK_REALTIME) / NSEC_PER_SEC, to = now - ROLL_LATE_S;
		struct err err = { 0 };
		int e;

		to -= to % 60;
		e = add_up(r, to, &err);
		if (e == 0 && now >= r->repaired + ROLL_REPAIR_S)
			e = repair(r, now, to, &err);
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
	*r = (struct roll){ .rolled = now - now % 60, .late = now - ROLL_BACK_S, .to = to };
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
