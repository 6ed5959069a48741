/* SPDX-License-Identifier: Apache-2.0 */
/* What `dwell latency` shows slow events with: while it runs (latency_live.c), and of recordings (latency_replay.c). */
#ifndef DWELL_CMD_LATENCY_LIVE_H
#define DWELL_CMD_LATENCY_LIVE_H
#include <stdio.h>
#include "base/vec.h"
#include "cmd/latency_daemon.h"
#include "latency/latencysum.h"
#include "cmd/slowfilter.h"
#include "latency/slowgroup.h"
#include "latency/chain.h"
#include "run/session.h"
#include "store/flight.h"

/* One event of --worst. */
struct kept {
	uint64_t delay;
	uint32_t tracker;
	char *text; /* owned */
};

struct live {
	/* asked for */
	struct latency_args args;
	uint64_t over_ns, every_ns;
	unsigned worst, rate;
	bool all, json, idle, stacks, cost, request, slow_only, as_daemon;
	bool daemon_option; /* one of struct daemon_opts */
	const char *record; /* or NULL */
	struct slowfilter filter;
	struct daemon_opts daemon_opts;
	int columns;
	struct daemon *daemon;	 /* --daemon, or NULL */
	char *const *recordings; /* shown in place of what happens now; NULL: none */
	size_t nrecordings;
	const struct optrow *live_only; /* an option that recordings do not have */
	/* running */
	const struct session *session;
	const struct rec_schema *schema;
	struct sym *sym;
	struct causes *causes;
	struct chains *chains;
	struct latencysum *sum;
	FILE *out;
	int64_t to_wall; /* ns from CLOCK_MONOTONIC to the wall clock */
	uint64_t last;	 /* summary */
	uint64_t idle_left_out, filtered;
	struct flight_rec flight; /* about the event that comes next */
	bool has_flight;
	VEC(struct kept) worst_kept;
	struct slowgroups *groups; /* NULL: each event is shown by itself */
};

/* The slow events of a ROW_EVENT, shown or kept. 1: done; 0: the text view is to show them, too; < 0: an error. */
int live_event(struct live *l, const struct row *row);
/* The ROW_FLIGHT about the event that comes next; row must live until then. ctx: the struct live. */
void live_flight(void *ctx, const struct row *row);
/* latency_text.c: an event as text. */
void live_event_text(const struct live *l, const struct slow_event *e, const struct chain *ch, struct strb *b);
/* 1: the event is to be shown now; 0: it is told later, with others like it, and its text was taken; < 0: an error. */
int live_group(struct live *l, const struct slow_event *e, const struct chain *ch, struct strb *text);
/* Tells what was kept by live_group(), if that is due at this time of the wall clock. */
void live_put_groups(struct live *l, uint64_t wall);
/* Those of --worst, which are forgotten. */
void live_put_worst(struct live *l);
/* l->recordings, with the options that make sense there. Exit status. */
int live_replay(struct live *l);
#endif
