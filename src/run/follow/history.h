/* SPDX-License-Identifier: Apache-2.0 */
/* Records processes and mappings as rows: those that exist at the start, then those that the side band reports. */
#ifndef DWELL_RUN_FOLLOW_HISTORY_H
#define DWELL_RUN_FOLLOW_HISTORY_H
#include "run/follow/sideband.h"
#include "store/recording.h"

/* CLOCK_MONOTONIC - CLOCK_BOOTTIME, ns: what turns the side band's times into a recording's. Changes only
 * when the machine sleeps. */
int64_t history_clock(void);
/* A row for each process that lives. 0 or -ENOMEM; without /proc there are none. */
int history_alive(struct recording *rec, int64_t clock);
int history_event(struct recording *rec, int64_t clock, const struct side_event *e);
#endif
