/* SPDX-License-Identifier: Apache-2.0 */
/* Slow events as `dwell latency` shows them, each with its cause and its chain, and a summary: while a run goes on, and
 * of recordings. */
#ifndef DWELL_VIEW_SUMMARY_SLOWSHOW_H
#define DWELL_VIEW_SUMMARY_SLOWSHOW_H
#include <stdio.h>
#include "base/vec.h"
#include "latency/cause/chain.h"
#include "latency/window/sum.h"
#include "latency/recset.h"
#include "latency/window/slowgroup.h"
#include "store/flight.h"
#include "store/recording.h"
#include "store/slow.h"
#include "sym/sym.h"

/* One event of the worst. */
struct kept {
	uint64_t delay;
	uint32_t tracker;
	char *text; /* owned */
};

struct slowshow {
	/* asked for */
	uint64_t over_ns; /* of recordings: shorter ones are left out */
	unsigned worst;	  /* the number of events shown with each summary; 0: each event is shown as it comes */
	bool json, idle, stacks, cost;
	bool all;	  /* each event by itself, also where many are alike */
	const char *comm; /* of recordings: those of this program; NULL: all */
	bool recorded;	  /* shown of recordings */
	unsigned one_in;  /* trackers wakeup and offcpu look at one thread in this number; 0: at all */
	bool filters;	  /* wants() may say no */
	bool (*wants)(void *ctx, const struct slow_event *e); /* NULL: all */
	void *wants_ctx;
	bool wanted_only; /* the summary has those of the filters only */
	const char *by;	  /* with a table by group: "container" …; NULL: none */
	int columns;
	struct slowgroups *groups; /* NULL: each event is shown by itself; owned */
	struct causes *causes;
	FILE *out;
	/* while it runs */
	const struct rec_schema *schema;
	struct sym *sym;
	struct chains *chains;
	struct latencysum *sum;
	int64_t to_wall; /* ns from CLOCK_MONOTONIC to the wall clock */
	uint64_t last;	 /* summary */
	uint64_t idle_left_out, filtered;
	uint64_t met;		  /* events, also those that are not shown */
	struct flight_rec flight; /* about the event that comes next */
	bool has_flight;
	VEC(struct kept) worst_kept;
};

/* When all is known that is asked for. 0 or -ENOMEM. */
int slowshow_prepare(struct slowshow *l);
/* Before the first row: 0 or -ENOMEM. slowshow_end() before the schema goes. */
int slowshow_begin(struct slowshow *l, const struct rec_schema *schema);
void slowshow_end(struct slowshow *l);
void slowshow_done(struct slowshow *l);
/* The slow events of a ROW_EVENT, shown or kept. *ret_text, of one that is shown: the text view is to show it, too. 0
 * or -errno. */
int slowshow_event(struct slowshow *l, const struct row *row, bool *ret_text);
/* The ROW_FLIGHT about the event that comes next; row must live until then. */
void slowshow_flight(struct slowshow *l, const struct row *row);
/* Whether it is shown, so that what went on around it is wanted. */
bool slowshow_wants(struct slowshow *l, const struct slow_event *e);
/* Tells what was kept to be told alike, if that is due at this time of the wall clock. */
void slowshow_put_groups(struct slowshow *l, uint64_t wall);
/* The worst, which are forgotten. */
void slowshow_put_worst(struct slowshow *l);
/* Prints the interval since the last summary; now: CLOCK_MONOTONIC. 0, or -errno of writing. */
int slowshow_summary(struct slowshow *l, uint64_t now, bool final);
/* slowreplay.c: those of recordings, whose names and trackers are their own. 0; < 0 with *err. */
int slowshow_replay(struct slowshow *l, const struct recset *set, struct err *err);
#endif
