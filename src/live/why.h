/* SPDX-License-Identifier: Apache-2.0 */
/* What threads wait for, as tables: each few seconds, and at the end of all. The program that measures is
 * dlib/latency/why.d; its printa() tells when an interval is over. */
#ifndef DWELL_LIVE_WHY_H
#define DWELL_LIVE_WHY_H
#include "engine/run/run.h"
#include "latency/recset.h"
#include "view/text/whyprint.h"
#include "view/text/whyrec.h"

#define LIVE_WHY_EVERY_NS 5000000000ull
#define LIVE_WHY_OVER_NS 10000ull /* shorter waits get no cause */

struct live_why {
	/* asked for */
	struct request request; /* whose waits, options of D; begun by the caller, ended by the run */
	struct why_print print;
	const char *group; /* with WHY_BY_GROUP: "container", "cgroup", "unit", "user" */
	const char *comm;  /* programs of this name; NULL: all */
	uint64_t every_ns; /* between tables */
	/* the run being shown */
	struct whytab *table;
	const struct rec_schema *schema;
	uint64_t begun, interval; /* CLOCK_MONOTONIC ns */
};

/* What is run, put into l->request. */
void live_why_request(struct live_why *l);
struct run_observer live_why_observer(struct live_why *l);
/* 0 or -errno, told. */
int live_why_run(struct live_why *l);
/* The same of recordings: what words name. causes: a file of rules, or NULL. 0; -errno with words in err,
 * or without: the output could not be written. */
int live_why_recorded(const struct whyrec *w, const char *causes, char *const *words, size_t n,
		      recset_note_fn *left_out, const struct listener *to, struct err *err);
#endif
