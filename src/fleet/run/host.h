/* SPDX-License-Identifier: Apache-2.0 */
/* A host that takes programs: a process next to the one that sends recordings, with a connection of its own. It listens
 * to the host's subject, checks the signature and what the machine's policy allows, runs programs, and sends their
 * output to the user's dwell. */
#ifndef DWELL_FLEET_RUN_HOST_H
#define DWELL_FLEET_RUN_HOST_H
#include <sys/types.h>
#include "engine/listener.h"
#include "fleet/run/msg.h"

#define RUNHOST_SUBJECT "dwell.run.v1." /* TENANT.SITE.HOST follow */
#define RUNHOST_RUNS_MAX 100u
#define RUNHOST_IDS_MAX 1024u		   /* of runs, that are not taken again */
#define RUNHOST_BEAT_NS (2 * NSEC_PER_SEC) /* how often a host that runs a program says so */
#define RUNHOST_AUDIT_MAX (16u << 20)	   /* bytes of the log; then it becomes NAME.old */
#define RUNHOST_AUDIT "fleet-run.log"	   /* in the daemon's folder */
#define RUNHOST_REFUSALS_MAX 600u	   /* that are answered and noted in a minute; more are not */

struct runhost_options {
	struct bus_options bus;
	const char *tenant, *site, *host, *policy;
	const char *key;   /* file of the seed that signs answers; NULL: bus.credentials has it, or nobody signs */
	const char *audit; /* a file of JSON Lines: users, their runs, and how these ended */
	bool (*stop)(void *ctx);
	void *ctx;
};
/* The subject of a host. 0, or -EINVAL: the names are none. */
int runhost_subject(const char *tenant, const char *site, const char *host, char ret[BUS_SUBJECT_MAX]);
/* Checks the policy and starts the process. 0 or -errno with *err. */
int runhost_start(const struct runhost_options *o, const struct listener *to, pid_t *ret, struct err *err);
/* Ends it, and the programs in order. pid 0: there is none. */
void runhost_end(pid_t pid);
#endif
