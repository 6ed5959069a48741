/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell check`: the first minute on a slow machine. It runs the trackers of dlib/latency and dlib/check/check.d, or
 * reads a recording, and shows the findings. */
#ifndef DWELL_LIVE_CHECK_H
#define DWELL_LIVE_CHECK_H
#include "engine/run/run.h"
#include "engine/run/slowfilter.h"
#include "latency/check.h"
#include "latency/recset.h"

#define LIVE_CHECK_FOR_NS (30 * UINT64_C(1000000000))

struct live_check {
	/* asked for */
	struct request request;	  /* begun by the caller, ended by live_check_done() */
	struct slowfilter filter; /* whose waits */
	const char *unit, *html;  /* NULL: none */
	bool json;
	uint64_t for_ns;
	struct check *before; /* an earlier recording to compare with, or NULL; owned */
	/* the run, or a recording */
	struct check *check;
	const struct rec_schema *schema;
	struct why_rules rules; /* of recordings */
	FILE *out;
	uint64_t begun; /* CLOCK_MONOTONIC ns */
};

/* --unit NAME: units are control groups by their name. */
void live_check_unit(struct live_check *r, const char *name);
/* What is run, put into r->request. */
void live_check_request(struct live_check *r);
/* 0 or -errno, told. */
int live_check_run(struct live_check *r);
/* Reads a recording into *ret: r->check or r->before. 0, or -errno with words in err. */
int live_check_read(struct live_check *r, const char *file, struct check **ret, recset_note_fn *left_out,
		    struct err *err);
/* What was found in the recording. 0; -errno with a message of r->html, without one of r->out. */
int live_check_show(struct live_check *r, const char *file, struct err *err);
void live_check_done(struct live_check *r);
#endif
