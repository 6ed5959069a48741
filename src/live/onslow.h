/* SPDX-License-Identifier: Apache-2.0 */
/* Records what the machine does: switches, waits with their stacks, interrupts, samples of the CPUs, system calls,
 * requests to disks, packets, counters of CPUs. With a tracker, the recording ends by itself after a slow event and
 * holds what was before it. */
#ifndef DWELL_LIVE_ONSLOW_H
#define DWELL_LIVE_ONSLOW_H
#include "engine/run/recnow.h"
#include "engine/run/run.h"
#include "live/machine.h"

#define LIVE_ONSLOW_BEFORE_NS 10000000000ull
#define LIVE_ONSLOW_AFTER_NS 1000000000ull
#define LIVE_ONSLOW_PACKET_NS 1000000ull /* from which on a packet is recorded */

struct live_onslow {
	/* asked for */
	struct recnow live;		       /* which threads, for how long, into which file */
	const char *tracker, *comm;	       /* NULL: none; of any thread */
	uint64_t over_ns, before_ns, after_ns; /* 0: the tracker's threshold, the defaults */
	uint64_t start;			       /* when it begins, CLOCK_REALTIME ns; 0: now */
	/* the run */
	struct run_observer show;
	const struct listener *to;
	const struct rec_schema *schema;
	uint64_t due; /* when to end: CLOCK_MONOTONIC; 0: there was no slow event yet */
	bool told;
	char also[256];			 /* the programs besides that of the timeline */
	char machine[LIVE_MACHINE_TEXT]; /* the text of the last of them */
};

/* Defaults, and what is recorded. -EINVAL: this is no tracker whose events can be waited for. */
int live_onslow_prepare(struct live_onslow *c);
struct run_observer live_onslow_observer(struct live_onslow *c);
/* Runs it with an empty request, which it ends. 0 or -errno, told; live_onslow_done() in any case. */
int live_onslow_run(struct live_onslow *c, struct request *r);
void live_onslow_done(struct live_onslow *c);
#endif
