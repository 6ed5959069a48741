/* SPDX-License-Identifier: Apache-2.0 */
/* Measures what the BPF programs of a run cost. Reads run time and number of runs from the kernel, and appends
 * them as rows of the recording. The measurement itself costs about 20 ns per run of a program. Source:
 * BPF_ENABLE_STATS in bpf(2). */
#ifndef DWELL_RUN_CONSUME_COST_H
#define DWELL_RUN_CONSUME_COST_H
#include "load/load.h"
#include "store/recording.h"

struct cost;

/* Begins to measure. */
int cost_new(const struct loaded *l, uint64_t now, struct cost **ret, struct err *err);
void cost_free(struct cost *c); /* accepts NULL */
/* Appends a row for each program that ran since the last call. Accepts NULL. */
int cost_report(struct cost *c, uint64_t now, struct recording *rec);
#endif
