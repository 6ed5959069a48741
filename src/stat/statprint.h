/* SPDX-License-Identifier: Apache-2.0 */
/* Prints counts of `dwell stat` as a table or as JSON. */
#ifndef DWELL_STAT_STATPRINT_H
#define DWELL_STAT_STATPRINT_H
#include <stdio.h>
#include "stat/perfcount.h"

#define STAT_WAITS_MAX 64 /* causes of waits; more are counted together */

/* A cause of waits. */
struct stat_wait {
	char cause[96], class[16];
	uint64_t count, total_ns, max_ns;
};
struct stat_waits {
	struct stat_wait v[STAT_WAITS_MAX];
	size_t n;
	uint64_t short_count, short_ns; /* too short for a cause */
};

/* The result of one run, or of one interval. */
struct stat_run {
	struct count counts[CTR_COUNT];
	uint64_t elapsed_ns;
	bool has_usage; /* of a command: */
	uint64_t user_ns, sys_ns;
	uint64_t max_rss_kb;
	int status;			/* as of wait(2) */
	const struct stat_waits *waits; /* not owned; NULL: not asked for */
};

/* One interval, `at_ns` after the beginning: a line for each event that is counted, with a heading if `first`. 0 or
 * -errno. */
int statprint_interval(const struct stat_run *r, uint64_t at_ns, bool json, bool first, FILE *out);
/* n runs of `title`; of several the mean and the standard deviation. 0 or -errno. */
int statprint_runs(const char *title, const struct stat_run *v, size_t n, bool json, FILE *out);
#endif
