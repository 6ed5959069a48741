/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that a recorded program asked for and did not free, and which of it nothing pointed to at its end. */
#ifndef DWELL_RETRO_LEAKS_H
#define DWELL_RETRO_LEAKS_H
#include <stdbool.h>
#include <stdio.h>
#include "base/err.h"

/* Replays the trace in f, which it takes over, up to the end of the command's process, and prints to out. 0, or -errno
 * after an error; -ENODATA: the recording has no such end. */
int leaks_run(FILE *f, bool json, FILE *out, struct err *e);
#endif
