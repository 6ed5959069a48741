/* SPDX-License-Identifier: Apache-2.0 */
/* D programs over a recording of `dwell rec`: the programs that would run in the kernel run here, for each of its
 * system calls, with the times of then. */
#ifndef DWELL_RETRO_RETRO_H
#define DWELL_RETRO_RETRO_H
#include <stdio.h>
#include "engine/request.h"

/* Compiles the request's programs and runs them over the trace in f, which it takes over. Text goes to standard
 * output, which is not flushed. name: of the trace, for messages. 0 or -errno, told; *ret_status: what exit() was
 * given. No privileges are needed. */
int retro_run(struct request *c, const char *name, FILE *f, int *ret_status);
#endif
