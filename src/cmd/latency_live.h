/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell latency`: what was asked for, and the run. */
#ifndef DWELL_CMD_LATENCY_LIVE_H
#define DWELL_CMD_LATENCY_LIVE_H
#include "cmd/latency_daemon.h"
#include "engine/run/slowfilter.h"
#include "run/session.h"
#include "view/text/slowshow.h"

struct latency_view {
	struct request request;
	struct slowshow show;
	uint64_t every_ns;
	unsigned rate;
	bool all, requests, slow_only, as_daemon;
	bool daemon_option; /* one of struct daemon_opts */
	const char *record; /* or NULL */
	struct slowfilter filter;
	struct daemon_opts daemon_opts;
	struct daemon *daemon;	 /* --daemon, or NULL */
	char *const *recordings; /* shown in place of what happens now; NULL: none */
	size_t nrecordings;
	const struct optrow *live_only; /* an option that recordings do not have */
	const struct session *session;
};

/* l->recordings, with the options that make sense there. Exit status. */
int live_replay(struct latency_view *l);
#endif
