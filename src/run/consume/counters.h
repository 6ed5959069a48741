/* SPDX-License-Identifier: Apache-2.0 */
/* Counts what a run lost: what the programs counted in the kernel, firings that the kernel's recursion guard
 * skipped, and timer firings that did not happen. Appends ROW_DROPS rows, by program (its first probe) and, for
 * what the programs count, by CPU. Each row holds what was lost since the last such row. */
#ifndef DWELL_RUN_CONSUME_COUNTERS_H
#define DWELL_RUN_CONSUME_COUNTERS_H
#include "load/link.h"
#include "load/load.h"
#include "store/recording.h"

struct counters;

int counters_new(const struct loaded *l, struct counters **ret);
void counters_free(struct counters *c);
/* Takes note of how many firings the timers should have had, and of what kprobes have missed; links: by program, NULL
 * entries are fine. Call once when they are attached, before each counters_report(), and for the last time just before
 * they are detached. */
void counters_note_links(struct counters *c, struct link *const *links);
/* Appends rows for what was lost since the last call. final: nothing is in flight any more. */
int counters_report(struct counters *c, uint64_t now, bool final, struct recording *rec);
#endif
