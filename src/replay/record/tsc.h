/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the time-stamp counter where it does not fault. */
#ifndef DWELL_REPLAY_RECORD_TSC_H
#define DWELL_REPLAY_RECORD_TSC_H
#include "replay/tracee/args.h"

/* Does it fault when prctl(2) asks for it? */
bool tsc_faults(void);
/* Adds the instructions rdtsc and rdtscp in code of a file, from its byte off on, that a process has at start. Only
 * functions that its unwinding tables describe count. 0 or -errno. */
int tsc_sites(struct tracee *t, const char *path, uint64_t start, uint64_t end, uint64_t off, struct spans *ret);
#endif
