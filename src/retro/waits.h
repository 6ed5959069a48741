/* SPDX-License-Identifier: Apache-2.0 */
/* Lists where the threads of a recorded program waited in system calls, and which task or event ended each wait. */
#ifndef DWELL_RETRO_WAITS_H
#define DWELL_RETRO_WAITS_H
#include <stdbool.h>
#include <stdio.h>
#include "base/err.h"

/* Reads the trace in f, which it takes over, without running the program, and prints to out. 0, or -errno after an
 * error. */
int waits_run(FILE *f, bool json, FILE *out, struct err *e);
#endif
