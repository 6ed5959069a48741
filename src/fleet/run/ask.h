/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a D program on machines of a fleet. It asks each host by a signed request, shows what they print, and adds their
 * aggregations up as they come (hosts/merge.h). Then it ends the runs. */
#ifndef DWELL_FLEET_RUN_ASK_H
#define DWELL_FLEET_RUN_ASK_H
#include "base/optrow.h"
#include "base/units.h"
#include "engine/listener.h"
#include "fleet/run/msg.h"
#include "fleet/ask/show.h"
#include "view/text/text.h"

#define RUNASK_HOSTS_MAX 1000u
#define RUNASK_FOR_NS (10 * NSEC_PER_SEC)
#define RUNASK_ANSWER_NS (5 * NSEC_PER_SEC)  /* a host that has not answered by then does not */
#define RUNASK_SILENT_NS (10 * NSEC_PER_SEC) /* a host that runs and is not heard of is given up */
#define RUNASK_BEAT_NS (2 * NSEC_PER_SEC)    /* how often hosts are told that this end is there */
#define RUNASK_HELD_MAX (UINT64_C(64) << 20) /* bytes of a host that are no whole frame */

struct runask {
	struct askshow show; /* which hosts: of the store, if it has one; else the names are taken as they are */
	struct bus_options bus;
	const char *key;     /* file of the seed; NULL: bus.credentials has it */
	const char *access;  /* file of the hosts' keys (fleet/run/access.h), whose answers alone count; NULL: nobody
				looks */
	const char *program; /* text; or NULL: */
	const char *script;  /* a file */
	uint64_t for_ns;
	bool write, quiet, by_host;
	struct text_opts text;
	FILE *out;
	bool (*stop)(void *ctx);
	void *ctx;
};
struct runask_result {
	int status;		/* the largest exit status */
	unsigned ran;		/* hosts that ran it and told how it ended */
	unsigned lost;		/* hosts that did not */
	unsigned forged, again; /* answers that the host has not signed; that came a second time */
};
/* Options of it that are no others' (base/optrow.h). */
#define RUNASK_NROWS 8u
extern const struct optrow runask_rows[RUNASK_NROWS];
/* 0, even if hosts failed; -errno with *err. */
int runask(struct runask *o, const struct listener *to, struct runask_result *ret, struct err *err);
#endif
