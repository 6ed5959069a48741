/* SPDX-License-Identifier: Apache-2.0 */
/* Processes and mappings as rows of the recording: those that are there, then what the side band tells. */
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
