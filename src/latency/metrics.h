/* SPDX-License-Identifier: Apache-2.0 */
/* Windows as OpenMetrics text, which Prometheus reads. */
#ifndef DWELL_LATENCY_METRICS_H
#define DWELL_LATENCY_METRICS_H
#include "latency/window.h"

/* For each series: its number and sum of events so far (counters), and of the last minute quantiles and maximum
 * (gauges). Delays of trackers in seconds, values of aggregations as they are. Appends to b, which is sticky. 0, or -ENOMEM.
 * Source: OpenMetrics 1.0, section 5 (text format). */
int metrics_put(struct strb *b, struct windows *w, const struct rec_schema *schema, uint64_t now);
#endif
