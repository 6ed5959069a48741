/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of `dwell latency why`, as text and as JSON Lines. */
#ifndef DWELL_VIEW_SUMMARY_WHYPRINT_H
#define DWELL_VIEW_SUMMARY_WHYPRINT_H
#include <stdio.h>
#include "latency/cause/whytab.h"

enum why_by { WHY_BY_NOTHING, WHY_BY_PROCESS, WHY_BY_THREAD, WHY_BY_GROUP };

struct why_print {
	FILE *out; /* not owned */
	enum why_by by;
	bool stacks, idle, json;
	bool askers; /* with stacks: the rows of whytab_askers() */
	unsigned top;
	uint64_t over_ns; /* shorter waits have no cause */
	uint64_t run_ns;  /* what the probes took up to now; 0: not known (-x cost) */
	unsigned one_in;  /* one thread in this number was looked at; 0: all */
	int columns;
};

/* Prints the waits since whytab_next(), or all of them (final). ns: the time that they cover. 0 or -errno: out cannot
 * be written. */
int whyprint_table(const struct why_print *p, struct whytab *t, uint64_t ns, bool final);
#endif
