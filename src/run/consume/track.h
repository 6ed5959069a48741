/* SPDX-License-Identifier: Apache-2.0 */
/* Serves trackers during a run. Reads their histograms once a second and appends ROW_HIST rows for the seconds in
 * which events ended. Reports their losses, changes their settings, and moves adaptive thresholds. */
#ifndef DWELL_RUN_CONSUME_TRACK_H
#define DWELL_RUN_CONSUME_TRACK_H
#include <stdbool.h>
#include <stdint.h>
#include "load/load.h"
#include "store/recording.h"

#define TRACK_PERIOD_NS 1000000000ull
/* A second is read this long after its end: by then programs that were in it have written. */
#define TRACK_GRACE_NS 50000000ull

struct trackers;

/* now: CLOCK_MONOTONIC. *ret is NULL when the image has no tracker. 0 or -ENOMEM. */
int trackers_new(const struct loaded *l, uint64_t now, struct trackers **ret);
void trackers_free(struct trackers *t); /* accepts NULL */
/* When trackers_tick() is due next. */
uint64_t trackers_due(const struct trackers *t);
/* Appends what is due; final: all that there is, nothing running any more. 0 or -errno. */
int trackers_tick(struct trackers *t, uint64_t now, bool final, struct recording *rec);

/* Settings that can change, by name ("threshold" …), of a tracker by its name. Times are in ns. 0, -ENOENT (no such
 * tracker), -ENOKEY (no such setting, or it cannot change), -ERANGE. */
int trackers_set(struct trackers *t, const char *tracker, const char *setting, uint64_t value);
int trackers_get(const struct trackers *t, const char *tracker, const char *setting, uint64_t *ret);
/* A threshold of a cgroup by its id, in place of the tracker's own. -ENOKEY: the program gives it none (setting
 * cgroups), -ENOSPC: there are more already. And the i-th of them: -ENOENT after the last. */
int trackers_set_cgroup(struct trackers *t, const char *tracker, uint64_t id, uint64_t value);
int trackers_get_cgroup(const struct trackers *t, const char *tracker, uint32_t i, uint64_t *id, uint64_t *value);
/* An event of tracker id that began at `since` or before is not counted when it ends. UINT64_MAX: none is. */
void trackers_since(struct trackers *t, uint32_t id, uint64_t since);
/* The same, and forgets such keys of a table: their end may never come. */
void trackers_forget(struct trackers *t, uint32_t id, uint64_t since);
/* The i-th setting that can change, NULL after the last; is it a time? */
const char *trackers_setting(unsigned i, bool *is_time);
/* The i-th tracker's name, or NULL. */
const char *trackers_name(const struct trackers *t, unsigned i);
#endif
