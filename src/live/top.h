/* SPDX-License-Identifier: Apache-2.0 */
/* `dwell top`: shows what is slow, which threads, and why, on a terminal. The trackers, the table of causes and the
 * samples are D programs of dlib/latency; the rows they produce are shown by src/top. */
#ifndef DWELL_LIVE_TOP_H
#define DWELL_LIVE_TOP_H
#include "base/optrow.h"
#include "engine/run/run.h"
#include "engine/run/slowfilter.h"
#include "top/screen.h"

#define LIVE_TOP_EVERY_NS 2000000000ull
#define LIVE_TOP_EVERY_NS_MIN 100000000ull

struct live_top {
	/* asked for */
	struct screen_config config;
	struct request request;	    /* begun by live_top_begin(), ended by the run */
	uint64_t over_ns, every_ns; /* over_ns 0: each tracker has its own */
	bool cost;
	struct slowfilter filter; /* of -p and -c */
	char title[64];
	/* the run */
	struct top_model *model;
	struct screen *screen;
	const struct rec_schema *schema;
	bool hangs; /* the screen */
};

/* Defaults, for a request that was begun. */
void live_top_begin(struct live_top *t);
/* Only what slowfilter_only() says: slow events by what is noted of them, samples and causes in the kernel. */
int live_top_only(void *top, const struct optrow *o, const char *name, struct err *err);
/* Puts the run into t->request. */
void live_top_request(struct live_top *t);
/* 0; -errno with a message: a terminal cannot be drawn to; -EINVAL: every_ns. */
int live_top_check(const struct live_top *t, struct err *err);
/* 0 or -errno, told. */
int live_top_run(struct live_top *t);
#endif
