/* SPDX-License-Identifier: Apache-2.0 */
/* The state of the views of a recording's rows, which `dwell report` chooses among: all of them share it. */
#ifndef DWELL_VIEW_SUMMARY_REPORTVIEW_H
#define DWELL_VIEW_SUMMARY_REPORTVIEW_H
#include "view/summary/rectable.h"
#include "view/view.h"

struct report_view {
	bool quiet, flowindent, verbose; /* of the text */
	const char *table;		 /* which, of view_table */
	struct rectable_filter which;	 /* range: after the beginning */
	unsigned longest;		 /* which.longest, as an option sets it */
};
#endif
