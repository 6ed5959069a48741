/* SPDX-License-Identifier: Apache-2.0 */
/* Changes between recordings, as a table with sentences, or as JSON Lines. */
#ifndef DWELL_VIEW_SUMMARY_DIFFPRINT_H
#define DWELL_VIEW_SUMMARY_DIFFPRINT_H
#include <stdio.h>
#include "latency/compare/diff.h"

#define DIFF_PERCENT_MAX 10000 /* changes are shown up to here */

struct diff_print {
	FILE *out;
	bool json, all; /* all: what has not changed, too */
};
/* 0, or -errno of writing. */
int diffprint(const struct diff *d, const struct diff_print *o);
#endif
