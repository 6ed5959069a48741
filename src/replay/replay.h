/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a recorded program again, out of its trace only: no file of it is needed, none is changed. Its output is written
 * to standard output and standard error. */
#ifndef DWELL_REPLAY_REPLAY_H
#define DWELL_REPLAY_REPLAY_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "base/err.h"

struct replay_result {
	int status; /* of the recorded program, as of waitpid(2) */
	uint64_t calls;
	uint64_t sums; /* checksums of the memory that were equal, of --check */
	bool ended;    /* false: the trace ends before the program */
};
/* Takes f over. 0 when all that the trace has has been replayed; else -errno and an error: -EBADE, the program does not
 * do what it did; -EBADMSG, -EPROTO, -EINVAL: the trace, see trace_open(). The caller is moved to one CPU. */
int replay_run(FILE *f, struct replay_result *ret, struct err *e);
#endif
