/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that a signal calls before it ends the process. They remove files and folders that would stay.
 *
 * Signals are those of signals.h, as long as nothing else handles or ignores them. While signals.h keeps the first
 * one, a later one calls the functions (signals_at_exit()). */
#ifndef DWELL_RUN_OS_ATEND_H
#define DWELL_RUN_OS_ATEND_H
#include <signal.h>

#define ATEND_MAX 4 /* functions at a time */

/* Signals wait until the mask is *before again (sigprocmask): for the time in which the file exists, and its function
 * is not added. */
void atend_hold(sigset_t *before);
/* f runs in a handler, and only in the process that added it: a child has the handler, too, until it executes. A
 * function that is there is not added twice. 0, or -ENOSPC: ATEND_MAX are there. */
int atend_add(void (*f)(void));
/* With the last one, signals do what they did before. */
void atend_drop(void (*f)(void));
#endif
