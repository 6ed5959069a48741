/* SPDX-License-Identifier: Apache-2.0 */
/* The summary of `dwell latency`: for each tracker how many delays there were and how long, since the last one. */
#ifndef DWELL_LATENCY_LATENCYSUM_H
#define DWELL_LATENCY_LATENCYSUM_H
#include <stdbool.h>
#include <stdio.h>
#include "base/jsonw.h"
#include "store/recording.h"

struct latencysum;
/* schema must outlive its use, but not latencysum_free(). -ENOMEM. */
int latencysum_new(const struct rec_schema *schema, struct latencysum **ret);
void latencysum_free(struct latencysum *s);
/* Tracing begins, now: of CLOCK_MONOTONIC, as everywhere here. What dwell needed to get there does not count. */
void latencysum_begin(struct latencysum *s, uint64_t now);
/* A ROW_HIST or ROW_COST; others are left alone. 0 or -ENOMEM. */
int latencysum_add(struct latencysum *s, const struct row *row);
/* A slow event of a tracker that was shown. */
void latencysum_slow(struct latencysum *s, uint32_t tracker);
/* A ROW_DROPS: true when it told of slow events beyond a tracker's limit; they are in the next table. */
bool latencysum_limited(struct latencysum *s, const struct row *row);
/* From which delay on a tracker's events are slow now: for what is written next. */
void latencysum_threshold(struct latencysum *s, uint32_t tracker, uint64_t ns);
/* How long a time what was added since the last call is about: whole seconds while it runs, and what is left at the
 * end. */
uint64_t latencysum_interval(struct latencysum *s, uint64_t now, bool final);
/* Writes a table, or members of the open JSON object: "trackers", "cost". All is zero afterwards. ns: the interval.
 * cost: dwell's own, too. */
void latencysum_text(struct latencysum *s, FILE *out, uint64_t ns, uint64_t now, bool cost);
void latencysum_json(struct latencysum *s, uint64_t now, struct jsonw *w);
#endif
