/* SPDX-License-Identifier: Apache-2.0 */
/* The state of the view "stuck": it collects the threads that dlib/latency/stuck.d met, from a recording or a run, and
 * prints those that are blocked. */
#ifndef DWELL_VIEW_SUMMARY_STUCKVIEW_H
#define DWELL_VIEW_SUMMARY_STUCKVIEW_H
#include "view/summary/stuckprint.h"

#define STUCK_VIEW_OVER_NS 100000000ull

struct stuck_view {
	struct stuck_print print; /* what is asked for; out, json, columns and sym are set when it is shown */
	/* while it is shown */
	struct stuck *threads; /* owned */
	const struct rec_schema *schema;
	struct sym *recorded; /* names of a recording; owned; NULL: of a run */
};
#endif
