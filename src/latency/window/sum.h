/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the summary of `dwell latency`: for each tracker the number of delays and their quantiles, since the last
 * summary. */
#ifndef DWELL_LATENCY_SUM_H
#define DWELL_LATENCY_SUM_H
#include <stdbool.h>
#include <stdint.h>
#include "latency/window/group.h"
#include "store/recording.h"

struct latencysum;
/* schema must outlive its use, but not latencysum_free(). -ENOMEM. */
int latencysum_new(const struct rec_schema *schema, struct latencysum **ret);
void latencysum_free(struct latencysum *s);
/* Tracing begins. now: CLOCK_MONOTONIC, ns, here and below. CPU time that dwell used before does not count. */
void latencysum_begin(struct latencysum *s, uint64_t now);
/* A ROW_HIST, a ROW_COST, or a ROW_AGG of a group's delays; others are left alone. 0 or -ENOMEM. */
int latencysum_add(struct latencysum *s, const struct row *row);
/* For trackers with an aggregation by group, counts only the delays in those groups: they are of the threads that
 * match the filters. */
void latencysum_wanted_only(struct latencysum *s);
/* Since the last latencysum_reset(), sorted. */
const struct latencygroups *latencysum_groups(struct latencysum *s);
/* A slow event of a tracker that was shown. */
void latencysum_slow(struct latencysum *s, uint32_t tracker);
/* A ROW_DROPS: true when it told of slow events beyond a tracker's limit; they are counted. */
bool latencysum_limited(struct latencysum *s, const struct row *row);
/* Sets threshold_ns, which latencysum_tracker() gives from now on. */
void latencysum_threshold(struct latencysum *s, uint32_t tracker, uint64_t ns);
/* The ns since the end of the last interval. They reach up to the end of the newest second of a histogram. They reach
 * up to now when final, or when there was none for two seconds. */
uint64_t latencysum_interval(struct latencysum *s, uint64_t now, bool final);

/* One tracker since the last latencysum_reset(). count 0: percentiles are 0. */
struct latencysum_tracker {
	const char *name; /* the schema's */
	uint64_t count, total_ns, p50_ns, p90_ns, p99_ns, max_ns;
	uint64_t threshold_ns; /* of now */
	uint64_t shown;	       /* slow events */
	uint64_t limited;      /* slow events beyond its limit */
};

/* The cost of the measurement itself since then: its probes, this process. */
struct latencysum_cost {
	uint64_t run_ns, run_count, run_interval_ns;
	uint64_t cpu_ns, cpu_interval_ns;
	uint64_t resident_bytes; /* now; 0: not known */
};

uint32_t latencysum_ntrackers(const struct latencysum *s);
/* i: below latencysum_ntrackers() */
struct latencysum_tracker latencysum_tracker(const struct latencysum *s, uint32_t i);
struct latencysum_cost latencysum_cost(const struct latencysum *s, uint64_t now);
/* All but the thresholds is zero afterwards. */
void latencysum_reset(struct latencysum *s, uint64_t now);
#endif
