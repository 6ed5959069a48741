/* SPDX-License-Identifier: Apache-2.0 */
/* Format of the delays that programs keep of a tracker: written by generated code, read by run/ while it runs.
 *
 * An event is counted in the slot of its own second, on the CPU that closed it; slots are used again every
 * TRACK_SLOTS seconds. Sums and buckets only ever grow (buckets modulo 2^32). A reader keeps the last values and takes
 * the difference, so nothing is reset. No event is lost or counted twice, if the reader looks at each slot once before
 * it is used again. */
#ifndef DWELL_BASE_TRACKFMT_H
#define DWELL_BASE_TRACKFMT_H
#include <stdint.h>
#include "base/recfmt.h"

#define TRACK_SLOTS 8u /* power of two */

/* Counters of events that were not closed as usual. */
enum track_count {
	TRACK_N_REPLACED,  /* opened again while open */
	TRACK_N_FULL,	   /* not opened: no room */
	TRACK_N_DEEP,	   /* not opened: as many openings of the key as it may have */
	TRACK_N_LIMITED,   /* slow, but more of them in this second than the limit */
	TRACK_N_COLLECTED, /* never closed: removed */
	TRACK_N_EXITED,	   /* open when its thread ended */
	TRACK_NCOUNTS
};

struct track_slot {
	uint64_t second;		     /* CLOCK_MONOTONIC: that max belongs to */
	uint64_t max;			     /* longest delay of it, ns */
	uint64_t sum;			     /* of all delays, ns */
	uint32_t buckets[AGG_HIST_NBUCKETS]; /* aggval_hist_bucket() */
	uint32_t pad;
} __attribute__((aligned(64)));

struct track_cpu { /* value of IMG_MAP_TRACKHIST */
	uint64_t counts[TRACK_NCOUNTS];
	struct track_slot slots[TRACK_SLOTS];
};
#endif
