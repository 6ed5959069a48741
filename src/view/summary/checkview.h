/* SPDX-License-Identifier: Apache-2.0 */
/* The state of the view "check": it judges recordings or a run by the rules of latency/check/check.h and prints the
 * findings.
 */
#ifndef DWELL_VIEW_SUMMARY_CHECKVIEW_H
#define DWELL_VIEW_SUMMARY_CHECKVIEW_H
#include "latency/check/check.h"

struct check_view {
	/* asked for */
	const char *against;   /* an earlier recording to compare with; NULL: none */
	const char *comm;      /* threads of this name count; NULL: all */
	check_wants_fn *wants; /* of a run: the processes that count; NULL: all */
	void *wants_ctx;
	/* while it is shown */
	struct check *check, *before; /* owned; before: of `against`, or NULL */
};
#endif
