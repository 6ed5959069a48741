/* SPDX-License-Identifier: Apache-2.0 */
/* The summary of `dwell latency`: for each tracker how many delays there were and how long, since the last one. */
#ifndef DWELL_CMD_LATENCYSUM_H
#define DWELL_CMD_LATENCYSUM_H
#include <stdio.h>
#include "base/strb.h"
#include "store/recording.h"

struct latencysum;
/* schema must outlive its use, but not latencysum_free(). -ENOMEM. */
int latencysum_new(const struct rec_schema *schema, struct latencysum **ret);
void latencysum_free(struct latencysum *s);
/* A ROW_HIST or ROW_COST; others are left alone. 0 or -ENOMEM. */
int latencysum_add(struct latencysum *s, const struct row *row);
/* A slow event of a tracker that was shown. */
void latencysum_slow(struct latencysum *s, uint32_t tracker);
/* Writes a table, or the members of a JSON object: "trackers":[…]. All is zero afterwards. cost: dwell's own, too. */
void latencysum_text(struct latencysum *s, FILE *out, uint64_t ns, bool cost);
void latencysum_json(struct latencysum *s, struct strb *b);
#endif
