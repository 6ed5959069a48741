/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the measurements of a run as OpenMetrics text, the format of Prometheus. */
#ifndef DWELL_LATENCY_METRICS_H
#define DWELL_LATENCY_METRICS_H
#include "latency/window/metricscause.h"
#include "latency/window/window.h"

struct metrics;

/* Bounds of the histogram's buckets: powers of two from about 1 us to 69 s. */
#define METRICS_POWER_FIRST 10
#define METRICS_POWER_LAST 36

/* schema must outlive it. wall_off: CLOCK_REALTIME - CLOCK_MONOTONIC, ns. -ENOMEM. */
int metrics_new(const struct rec_schema *schema, uint64_t wall_off, struct metrics **ret);
void metrics_free(struct metrics *m); /* accepts NULL */
/* The trackers of switches look at one thread in n. */
void metrics_one_in(struct metrics *m, unsigned n);
/* From now on slow events are counted by cause and cgroup, too. 0 or -ENOMEM. */
int metrics_name(struct metrics *m, const struct metrics_names *names);
/* Takes in a row of any kind. 0, or -ENOMEM. */
int metrics_add(struct metrics *m, const struct row *row);
/* Rows that could not be recorded, up to now. */
void metrics_unrecorded(struct metrics *m, uint64_t rows);
/* Delays of trackers in seconds: a histogram of all, and of the last minute quantiles and maximum; slow events; values
 * of aggregations; losses; what dwell itself costs. Appends to b, which is sticky. 0, or -ENOMEM. Source:
 * OpenMetrics 1.0, section 5 (text format). */
int metrics_write(struct strb *b, struct metrics *m, uint64_t now);
#endif
