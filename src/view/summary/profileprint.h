/* SPDX-License-Identifier: Apache-2.0 */
/* How the latencies of recordings were distributed in the last minute, 5 minutes, hour and day, or in one stretch. */
#ifndef DWELL_VIEW_SUMMARY_PROFILEPRINT_H
#define DWELL_VIEW_SUMMARY_PROFILEPRINT_H
#include <stdio.h>
#include "latency/recset.h"

struct profile {
	const struct recset *set;
	FILE *out;
	struct latency_range asked; /* one stretch; else the windows */
	bool json, bars;
	unsigned keys; /* shown of each source */
	/* while it prints */
	struct rec_range all;
	bool chosen;
	int error; /* of writing */
};
/* 0; < 0 with *err, of the recordings; < 0 without a message: out could not be written. */
int profileprint(struct profile *p, struct err *err);
#endif
