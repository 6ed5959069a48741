/* SPDX-License-Identifier: Apache-2.0 */
/* The replayer's state, for replay.c and build.c. */
#ifndef DWELL_REPLAY_REPLAY_INT_H
#define DWELL_REPLAY_REPLAY_INT_H
#include "replay/group.h"
#include "replay/replay.h"
#include "replay/stub.h"
#include "replay/tracee.h"

/* Memory that tasks share. */
struct memory {
	unsigned refs;
	int mem;       /* /proc/PID/mem */
	uint64_t heap; /* where brk is; 0: not known */
};
struct rtask {
	struct tracee t; /* a process of its own; threads share their memory only */
	uint32_t id;
	bool entered; /* stopped at the beginning of a system call, and compared */
	struct memory *memory;
};
struct replay {
	VEC(struct rtask *) tasks;
	struct rtask *k; /* whose group it is */
	struct trace_in *in;
	struct group g;
	struct err *e;
	int arena;  /* a file in memory with the blobs; the processes have it, too */
	bool begun; /* there was a program */
	struct replay_result result;
};

int replay_broken(struct replay *r, int error); /* ptrace, or memory, failed. Returns it after a message */
int build_program(struct replay *r);		/* by a group of EV_EXEC: a new process for r->k */
/* The task r->k makes another, as EV_FORK says. 0 or -errno after a message. */
int build_fork(struct replay *r);
struct rtask *build_task(struct replay *r, uint32_t id); /* without a process; NULL: no memory */
struct rtask *build_find(struct replay *r, uint32_t id);
void build_end(struct replay *r, struct rtask *k); /* and frees it */
/* Gives r->k the calls that the group has in its log; 0 or -errno. */
int build_log(struct replay *r);
uint64_t build_log_used(struct replay *r); /* bytes of it that it has taken */
/* On to the next system call or fault: its status, or -errno after a message. What others send it now is not part of
 * the recording. */
int replay_go(struct replay *r);
/* All that the program logged itself when it was recorded must have been used: status; else an error. */
int replay_check_log(struct replay *r, int status);
/* The error of a program that stopped elsewhere: status, where it should have. */
int replay_differs(struct replay *r, int status, const char *wanted);
int spot_run(struct replay *r); /* to where it waits in a loop */
/* Makes a call of HOW_MAP once more. *same: with the same result. */
int build_map(struct replay *r, const struct ev_call *c, bool *same);
#endif
