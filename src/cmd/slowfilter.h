/* SPDX-License-Identifier: Apache-2.0 */
/* Whose slow events are wanted: looked up in /proc when an event comes, and remembered. */
#ifndef DWELL_CMD_SLOWFILTER_H
#define DWELL_CMD_SLOWFILTER_H
#include <stdbool.h>
#include <stdint.h>
#include "store/slow.h"

#define SLOWFILTER_MAX_DEPTH 64     /* generations of ancestors */
#define SLOWFILTER_MAX_PROCS 65536  /* processes remembered; then all are looked up again */

struct slowfilter {
	const char *comm, *cgroup, *container; /* NULL: any */
	uint32_t root; /* process: it and its descendants; 0: any */
	struct slowfilter_proc *procs;
};

bool slowfilter_wants(struct slowfilter *f, const struct slow_event *e);
bool slowfilter_any(const struct slowfilter *f); /* is anything left out? */
void slowfilter_done(struct slowfilter *f);
#endif
