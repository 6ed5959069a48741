/* SPDX-License-Identifier: Apache-2.0 */
/* Lists memory that a recorded program did not free, and of it the leaks: blocks that nothing pointed to at its end. */
#ifndef DWELL_RETRO_LEAKS_H
#define DWELL_RETRO_LEAKS_H
#include <stdbool.h>
#include <stdio.h>
#include "base/err.h"

/* allocator: names of further functions, "alloc=NAME@N,realloc=NAME,free=NAME@N" (N: argument with the size or the
 * block, 1 if it is left out), or NULL; -EINVAL. Replays the trace in f, which it takes over, up to the end of the
 * command's process, and prints to out. 0, or -errno after an error; -ENODATA: the recording has no such end. */
int leaks_run(FILE *f, const char *allocator, bool json, FILE *out, struct err *e);
#endif
