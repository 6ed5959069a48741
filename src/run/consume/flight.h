/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the flight recorder: when an event was slow, copies what happened around it out of the rings that the
 * programs write. */
#ifndef DWELL_RUN_CONSUME_FLIGHT_H
#define DWELL_RUN_CONSUME_FLIGHT_H
#include "load/load.h"
#include "store/recording.h"
#include "store/slow.h"

#define FLIGHT_PER_SECOND 10	/* slow events whose surroundings are taken: further ones are marked as skipped */
#define FLIGHT_CPU_EVENTS 4096	/* taken of a CPU, the last ones */
#define FLIGHT_OTHER_EVENTS 512 /* taken of a CPU that only counts for single threads */
#define FLIGHT_TIDS 16		/* threads that are of interest on all CPUs */
#define FLIGHT_ROUNDS 3		/* so often the rings are read again for threads for which those of interest waited */
#define FLIGHT_FURTHER_SHARE 10 /* percent of the slow event that such a wait takes at least */

struct flight;

/* back: ns before a slow event began; now: CLOCK_MONOTONIC. *ret is NULL when the program has no flight(). -ENOMEM. */
int flight_new(const struct loaded *l, uint64_t back, uint64_t now, struct flight **ret);
void flight_free(struct flight *f); /* accepts NULL */
/* A ROW_FLIGHT, whose data is valid until the next call. 0 or -ENOMEM. */
int flight_collect(struct flight *f, const struct slow_event *e, uint64_t now, struct row *ret);
/* Says what was lost since the last call, as a ROW_DROPS. */
int flight_report(struct flight *f, uint64_t now, struct recording *rec);
#endif
