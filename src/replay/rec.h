/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a program and records it, so that it can be replayed: whatever comes to it from outside goes into a trace. */
#ifndef DWELL_REPLAY_REC_H
#define DWELL_REPLAY_REC_H
#include <stdint.h>
#include "base/err.h"

struct rec_opts {
	const char *trace;		/* the file */
	const char *path;		/* of the program */
	char *const *argv;		/* its arguments */
	unsigned check;			/* a checksum of the memory with every check-th traced call; 0: none */
	uint64_t chaos;			/* seed: chance decides which task runs; 0: it does not */
	void (*note)(const char *text); /* is told what the recording cannot see */
	void (*warn)(const char *text); /* and what the program cannot get out of */
};
struct rec_result {
	int status; /* of the program, as of waitpid(2) */
	uint64_t calls, bytes;
};
/* 0 when the program has ended; else -errno and an error. The trace then has what is recorded until then (if it
 * could be made), and the program is killed. The caller gets SIGINT and SIGQUIT ignored meanwhile, and is moved to
 * one CPU. */
int rec_run(const struct rec_opts *o, struct rec_result *ret, struct err *e);
/* Runs and records it until a run fails, at most `most` times. With chaos each run has the next seed; o->chaos is
 * that of the last one. *ret_runs: how many runs there were. ret->status is 0 if none has failed; no trace is left
 * then. As rec_run(). */
int rec_until_fail(struct rec_opts *o, unsigned most, unsigned *ret_runs, struct rec_result *ret, struct err *e);
#endif
