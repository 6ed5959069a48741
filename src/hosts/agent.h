/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the far end of `dwell --host`: does what standard input asks for, and sends the results to standard output. */
#ifndef DWELL_HOSTS_AGENT_H
#define DWELL_HOSTS_AGENT_H
#include "base/err.h"
#include "hosts/wire.h"

/* Runs what is asked for, in a process of its own, with standard input at its end. record: where to record, or NULL;
 * aggs: where WIRE_AGGS go, each after its length as a size_t, or -1. The exit status. */
typedef int agent_fn(const struct wire_request *r, const char *record, int aggs);
/* Runs until the run has ended. The run is interrupted when the other end asks for it, has gone, or has been silent for
 * too long. 0, or -errno with what is wrong. */
int agent(agent_fn *run, struct err *err);
#endif
