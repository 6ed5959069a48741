/* SPDX-License-Identifier: Apache-2.0 */
/* The buffers of the flight recorder: written by generated code, read by run/ while programs go on.
 *
 * Each CPU has a ring of its own, and the oldest entry gives way. A writer takes a place by adding one to head, writes
 * the stamp and the text, and last the word with kind and lap, in one store. An interrupt
 * that writes on the same CPU takes another place. A reader reads head, copies the ring, and reads head again. It drops
 * the places taken in between, and entries with another lap than their place: those are being written, or a fault cut
 * them off. */
#ifndef DWELL_BASE_FLIGHTFMT_H
#define DWELL_BASE_FLIGHTFMT_H
#include <stdint.h>

#define FLIGHT_TEXT 16
#define FLIGHT_KIND 12 /* bytes of a kind's name, with its NUL */
#define FLIGHT_MAX_KINDS 255
#define FLIGHT_LAPS 256 /* laps are counted modulo that */
#define FLIGHT_RATE \
	100000 /* entries per second of a CPU that there is room for unless -x flightsize says otherwise \
		*/
#define FLIGHT_MIN_ENTRIES (1u << 12)
#define FLIGHT_MAX_ENTRIES (1u << 16) /* old kernels take 4 MB for a value of a map */

struct flight_entry {
	uint64_t ts;		/* CLOCK_MONOTONIC ns */
	uint32_t id;		/* the first number: a thread, an interrupt, a sector … */
	uint16_t info;		/* the second */
	uint8_t kind;		/* from 1: index + 1 into the image's kinds; 0: never written */
	uint8_t lap;		/* of the place, modulo FLIGHT_LAPS */
	char text[FLIGHT_TEXT]; /* ends with a NUL where it is shorter */
};

struct flight_cpu {	 /* value of IMG_MAP_FLIGHT */
	uint64_t head;	 /* places taken so far */
	uint64_t missed; /* of the first CPU's: entries of all CPUs that have no ring, since they came online later */
	uint64_t pad[6];
	struct flight_entry v[];
};

/* Entries of a CPU's ring, a power of two. back: ns to look back; bytes: as asked for, or 0. */
static inline uint32_t flight_entries(uint64_t back, uint64_t bytes)
{
	uint64_t want = bytes ? bytes / sizeof(struct flight_entry) : back / 1000 * FLIGHT_RATE / 1000000;
	uint32_t n = bytes ? 1 : FLIGHT_MIN_ENTRIES;

	while (bytes ? 2ull * n <= want : n < want && n < FLIGHT_MAX_ENTRIES)
		n *= 2;
	return n;
}
#endif
