/* SPDX-License-Identifier: Apache-2.0 */
/* The replayer's state, for replay.c and build.c. */
#ifndef DWELL_REPLAY_REPLAY_INT_H
#define DWELL_REPLAY_REPLAY_INT_H
#include "replay/group.h"
#include "replay/replay.h"
#include "replay/tracee.h"

struct replay {
	struct tracee t;
	struct trace_in *in;
	struct group g;
	struct err *e;
	int arena;     /* a file in memory with the blobs; the process has it, too */
	uint64_t heap; /* where brk is; 0: not known */
	bool built;    /* there is a program */
	struct replay_result result;
};

/* The page with the instruction by which the process makes system calls for the replayer. */
#define SCRATCH 0x10000ull
#define SCRATCH_SIZE 0x1000ull

int replay_broken(struct replay *r, int error); /* ptrace, or memory, failed. Returns it after a message */
int build_start(struct replay *r);		/* the process, empty. 0 or -errno after a message */
int build_program(struct replay *r);		/* by a group of EV_EXEC */
/* Makes a call of HOW_MAP once more. *same: with the same result. */
int build_map(struct replay *r, const struct ev_call *c, bool *same);
#endif
