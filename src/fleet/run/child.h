/* SPDX-License-Identifier: Apache-2.0 */
/* A program of somebody else's, which runs on this machine in a process of its own: `dwell host-agent`, as `dwell
 * --host` has it (hosts/agent.h). Its frames pass through here, are counted, and end it where the policy's limits are
 * reached. No call blocks. */
#ifndef DWELL_FLEET_RUN_CHILD_H
#define DWELL_FLEET_RUN_CHILD_H
#include <sys/types.h>
#include "base/strb.h"
#include "base/units.h"
#include "fleet/run/policy.h"

#define RUNCHILD_PATIENCE_MS 10000u	     /* without a word from the user's dwell it ends */
#define RUNCHILD_GRACE_NS (5 * NSEC_PER_SEC) /* from the interrupt to the kill */
#define RUNCHILD_BYTES_MAX (UINT64_C(256) << 20)
#define RUNCHILD_CPU_S 10u /* of a CPU, to compile; and the policy's share of the time that it may run */

struct runchild {
	pid_t pid;
	int in, out;
	struct strb to, from;
	bool greeted;
	uint64_t rows, bytes, rows_max;
	uint64_t begun, ends, killed; /* CLOCK_MONOTONIC ns; killed: 0, not yet */
	bool interrupted;
	const char *limit; /* that ended it, or NULL */
	int status;	   /* of the run; -1: it has told none */
};
/* 0 or -errno with *err. */
int runchild_start(struct runchild *c, const struct runmsg *m, const struct runpolicy *p, struct err *err);
/* Notes that the user's dwell is still there. */
void runchild_alive(struct runchild *c);
/* In order: what it has is still sent. */
void runchild_interrupt(struct runchild *c);
/* Moves what there is. pieces gets frames, whole ones. 0; -ENODATA: it has ended; -EPROTO, -ENOMEM: as that. */
int runchild_pump(struct runchild *c, void (*piece)(void *ctx, const char *p, size_t n), void *ctx);
/* Ends it at once, if it has not, and waits for it. The CPU time that it used, ns. */
uint64_t runchild_end(struct runchild *c);
#endif
