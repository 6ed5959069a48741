/* SPDX-License-Identifier: Apache-2.0 */
/* Runs `dwell latency`: prints each slow event with its cause and its chain, and a summary every few seconds. The same
 * as a daemon. The view `latency` shows recordings (view/text). The D programs that measure are dlib/latency/TRACKER.d.
 */
#ifndef DWELL_LIVE_SLOW_H
#define DWELL_LIVE_SLOW_H
#include "daemon/daemon.h"
#include "engine/run/recnow.h"
#include "engine/run/run.h"
#include "engine/run/slowfilter.h"
#include "live/cost.h"
#include "view/summary/slowshow.h"

#define LIVE_SLOW_EVERY_NS 5000000000ull

struct live_slow {
	/* asked for */
	struct request request;	  /* processes, options of D; begun by the caller, ended by live_slow_done() */
	struct slowshow show;	  /* over_ns, worst, json, idle, stacks, cost, all, columns */
	struct slowfilter filter; /* which events count */
	uint64_t every_ns;	  /* between summaries */
	unsigned rate; /* thresholds follow, so that about this many events a second are slow; 0: they do not */
	struct live_cost cost;
	VEC(const char *) sampled; /* the added trackers that may look at a part of the threads */
	bool requests;		   /* live_slow_requests() was called */
	bool slow_only;		   /* the recording keeps slow events and histograms only */
	const char *record;	   /* or NULL */
	bool as_daemon;
	struct daemon_opts daemon_opts;
	/* the run */
	struct daemon *daemon; /* or NULL */
	const struct session *session;
};

/* Defaults, for a request that was begun. */
void live_slow_begin(struct live_slow *l);
/* Called before trackers are added. Where the kernel can tell, the summary has only what the filters and the
 * processes of the request choose. It has a table by group, if show.by says so. -EINVAL with a message. */
int live_slow_group(struct live_slow *l, struct err *err);
/* Adds a tracker of latency/cause/trackers.h. -ENOENT: there is none of that name; -EINVAL: it is about one process,
 * and none is given. */
int live_slow_add(struct live_slow *l, const char *name);
/* Adds those that run by themselves. */
void live_slow_add_default(struct live_slow *l);
/* Adds the named ones, each once; without names and requests the default ones. As live_slow_add(); then *ret_wrong is
 * the name. */
int live_slow_add_all(struct live_slow *l, char *const *names, size_t n, const char **ret_wrong);
/* Between two probes of a program: "BEGIN,END[,arg0][,nested]". -EINVAL with a message. */
int live_slow_requests(struct live_slow *l, const char *arg, struct err *err);
/* Puts the run into l->request, without the trackers. 0 or -errno, told. */
int live_slow_request(struct live_slow *l);
/* 0 or -errno, told. */
int live_slow_run(struct live_slow *l);
/* Puts l->tracker into what is recorded for a picture: of some processes, as the kernel counts it for tables by group.
 * -EINVAL with a message. */
int live_slow_recnow(struct recnow *l, struct err *err);
void live_slow_done(struct live_slow *l);
#endif
