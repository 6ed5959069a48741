/* SPDX-License-Identifier: Apache-2.0 */
/* Runs `dwell latency why`: prints a table of what threads wait for every few seconds, and one of all at the end. The
 * program that measures is dlib/latency/why.d; its printa() ends an interval. The view "why" prints. */
#ifndef DWELL_LIVE_WHY_H
#define DWELL_LIVE_WHY_H
#include "engine/run/run.h"
#include "live/cost.h"
#include "live/viewrun.h"
#include "view/summary/whyview.h"

#define LIVE_WHY_EVERY_NS 5000000000ull

struct live_why {
	/* asked for */
	struct request request; /* processes, options of D; begun by the caller, ended by the run */
	struct why_view view;
	const char *form;  /* of the view; NULL: text */
	const char *group; /* with WHY_BY_GROUP: "container", "cgroup", "unit", "user" */
	uint64_t every_ns; /* between tables */
	struct live_cost cost;
	/* the run being shown */
	struct viewrun run;
	uint64_t begun; /* CLOCK_MONOTONIC ns */
};

/* Puts the run into l->request. */
void live_why_request(struct live_why *l);
struct run_observer live_why_observer(struct live_why *l);
/* 0 or -errno, told. */
int live_why_run(struct live_why *l);
#endif
