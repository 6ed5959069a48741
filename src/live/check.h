/* SPDX-License-Identifier: Apache-2.0 */
/* Runs `dwell check`, the first minute on a slow machine: the trackers of dlib/latency and dlib/check/check.d measure,
 * the view "check" shows the findings. */
#ifndef DWELL_LIVE_CHECK_H
#define DWELL_LIVE_CHECK_H
#include "engine/run/run.h"
#include "engine/run/slowfilter.h"
#include "live/viewrun.h"
#include "view/summary/checkview.h"

#define LIVE_CHECK_FOR_NS (30 * UINT64_C(1000000000))

struct live_check {
	/* asked for */
	struct request request;	  /* begun by the caller, ended by live_check_done() */
	struct slowfilter filter; /* which waits count */
	const char *html;	  /* NULL: none */
	struct check_view view;
	const char *form; /* of the view; NULL: text */
	uint64_t for_ns;
	recset_note_fn *left_out; /* of view.against */
	/* the run */
	struct viewrun run;
	const struct rec_schema *schema;
	uint64_t begun; /* CLOCK_MONOTONIC ns */
};

/* Puts the run into r->request. */
void live_check_request(struct live_check *r);
/* 0 or -errno, told. */
int live_check_run(struct live_check *r);
void live_check_done(struct live_check *r);
#endif
