/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a demo: engines, collector, this machine, simulated hosts and the page, each as a process of its own. */
#ifndef DWELL_FLEET_DEMO_RUN_H
#define DWELL_FLEET_DEMO_RUN_H
#include <stdint.h>
#include <stdio.h>
#include "base/optrow.h"
#include "engine/listener.h"
#include "fleet/demo/demo.h"

struct demo_run {
	struct demo d;	       /* begun by demo_begin() */
	unsigned hosts;	       /* simulated ones */
	uint64_t for_ns;       /* how long; 0: until it is to stop */
	const char *recording; /* which simulated hosts send, or NULL: that of this machine, which takes root */
	const struct listener *to;
	char page[200]; /* filled: a line with the page's address */
};

/* Options of it (base/optrow.h). */
#define DEMORUN_NROWS 2u
extern const struct optrow demorun_rows[DEMORUN_NROWS];
/* Starts all parts, writes the addresses and the planted faults to `out`, and waits. 0 or -errno with *err; -EINTR: it
 * is to stop. The caller ends the parts by demo_end(). */
int demorun_parts(struct demo_run *c, FILE *out, struct err *err);
#endif
