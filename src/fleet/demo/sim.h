/* SPDX-License-Identifier: Apache-2.0 */
/* Simulated hosts of a fleet, to try it out and to test it. Each host sends the seconds of a recording again and
 * again. It begins at a second of its own, and its delays are a bit shorter or longer than the recorded ones. Some
 * are given faults. */
#ifndef DWELL_FLEET_DEMO_SIM_H
#define DWELL_FLEET_DEMO_SIM_H
#include "engine/listener.h"
#include "fleet/wire/serverrows.h"
#include "latency/cause/causes.h"

#define SIM_HOSTS_MAX 2000u
#define SIM_SECONDS_MAX 120u /* of the recording */
#define SIM_ROWS_MAX 200000u /* … and rows of it */
#define SIM_SLOW_MAX 20u     /* slow events of a second: a machine at its limits has thousands */
#define SIM_LAG_S 2	     /* a second is sent so long after it has begun, as hosts do */
#define SIM_BACK_S 7200u     /* the longest past that is sent at first: collectors look so far back */
#define SIM_NFAULTS 3u

struct sim_options {
	struct bus_options bus;
	const char *recording; /* a file, or the folder of a daemon, of which the last one is taken */
	const char *tenant, *site;
	unsigned hosts, faults; /* how many; faults: SIM_NFAULTS at most */
	uint64_t back_ns;	/* so much of the past is sent at first; the faults begin in the middle of it */
	uint64_t for_ns;	/* how long to run; 0: until stop() */
	struct causes *causes;
	bool (*stop)(void *ctx);
	void *ctx;
};
/* The name of the i-th host: three roles take turns. */
void sim_name(unsigned i, char ret[32]);
/* A fault that is planted: the host, the tracker and how much slower it is. For messages. */
struct sim_fault {
	unsigned host;
	const char *series, *key, *cause, *class, *stack;
	double factor;
};
extern const struct sim_fault sim_faults[SIM_NFAULTS];
/* Options of it (base/optrow.h). */
#define SIM_NROWS 12u
extern const struct optrow sim_rows[SIM_NROWS];
/* Runs. 0, or -errno with *err. */
int sim_run(const struct sim_options *o, const struct listener *to, struct err *err);
#endif
