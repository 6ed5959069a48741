/* SPDX-License-Identifier: Apache-2.0 */
/* Signals that ask a command to end, for commands that run no session (run/os/signals.h has those of sessions). */
#ifndef DWELL_BASE_CAUGHT_H
#define DWELL_BASE_CAUGHT_H
#include <signal.h>

/* The last of SIGINT, SIGTERM and SIGHUP since caught_begin(), or 0. */
extern volatile sig_atomic_t caught;

/* From now on they only set `caught`; system calls that wait end with EINTR. A signal that is ignored (nohup) stays
 * ignored. */
void caught_begin(void);
#endif
