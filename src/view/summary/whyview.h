/* SPDX-License-Identifier: Apache-2.0 */
/* The state of the view "why": it adds up what threads waited for, in recordings or in a run, and prints a table of
 * causes. */
#ifndef DWELL_VIEW_SUMMARY_WHYVIEW_H
#define DWELL_VIEW_SUMMARY_WHYVIEW_H
#include "latency/recrange.h"
#include "view/summary/whyprint.h"

#define WHY_VIEW_OVER_NS 10000ull /* shorter waits get no cause */

struct why_view {
	/* asked for */
	struct why_print print; /* out, json and columns are set when it is shown */
	struct latency_range asked;
	const char *comm; /* programs of this name; NULL: all */
	/* while it is shown */
	struct whytab *table; /* owned */
	uint64_t waits;	      /* slow events that were added */
	bool known;	      /* … which say themselves what was waited for: those of a trace */
	struct rec_range met; /* of these: from the first begin to the last end */
	uint64_t ns;	      /* of which the table tells: the stretch of the recordings, or the run up to now */
	/* of a run; CLOCK_MONOTONIC ns */
	const struct rec_schema *schema;
	uint64_t interval; /* when the interval began that the next table is about */
};
#endif
