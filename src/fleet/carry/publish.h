/* SPDX-License-Identifier: Apache-2.0 */
/* A host of a fleet: sends what the daemon's recordings have. The recordings are the spool. When the network is gone,
 * they wait in the daemon's folder, as long as its limits of size and age keep them. When it is back, they are sent in
 * order. A part that is lost before it could be sent is sent as a gap. Where the sending stands is in the file
 * PUBLISH_CURSOR of the folder; what is sent twice after a crash counts once. */
#ifndef DWELL_FLEET_CARRY_PUBLISH_H
#define DWELL_FLEET_CARRY_PUBLISH_H
#include "engine/listener.h"
#include "fleet/wire/bus.h"
#include "latency/cause/causes.h"

#define PUBLISH_CURSOR "fleet.cursor"
#define PUBLISH_TURN_MS 250
#define PUBLISH_AGAIN_NS (12 * NSEC_PER_SEC) /* seconds of that age are looked at again: events may come late */
#define PUBLISH_LOOK_NS (4 * NSEC_PER_SEC)   /* how often that is done */
#define PUBLISH_STEP_NS (60 * NSEC_PER_SEC)  /* looked at in one turn */
#define PUBLISH_SLOW_MAX 5000u		     /* slow events a turn */
#define PUBLISH_FRAMES_MAX 64u		     /* names of a stack */
#define PUBLISH_HELLO_NS (30 * NSEC_PER_SEC) /* how often a host tells of itself */
#define PUBLISH_LABELS_MAX 32u

struct publish_options {
	struct bus_options bus;
	const char *state;		  /* the daemon's folder */
	const char *tenant, *site, *host; /* names; "" is refused */
	const char *labels[PUBLISH_LABELS_MAX];
	size_t nlabels;
	struct causes *causes; /* rules that give slow events their causes */
	uint64_t for_ns;       /* how long to run; 0: until stop() */
	bool once;	       /* sends what is there, and ends */
	bool (*stop)(void *ctx);
	void *ctx;
};
struct publish_sums {
	uint64_t messages, bytes, histograms, slow, gaps;
};
/* Runs. 0, or -errno with *err: it could not begin. Later errors are told to the listener and tried again. */
int publish_run(const struct publish_options *o, const struct listener *to, struct publish_sums *ret, struct err *err);
#endif
