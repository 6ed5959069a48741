/* SPDX-License-Identifier: Apache-2.0 */
/* A replay that somebody looks at: where it stands, its memory, breakpoints. The program notices none of it. */
#ifndef DWELL_REPLAY_WATCH_H
#define DWELL_REPLAY_WATCH_H
#include <sys/types.h>
#include <sys/user.h>
#include "replay/replay.h"

/* Where displaced instructions are put: programs are linked above, and ask for nothing below. */
#define WATCH_AREA 0x100000ull
#define WATCH_SLOT 32u
#define WATCH_SLOTS 32768u

enum watch_when {
	WATCH_GROUP,	/* the next group of the trace is there; its task runs now */
	WATCH_CALL,	/* the task has come to the system call that the group has */
	WATCH_LOG_CALL, /* it has come to the next call of the group's log; regs of it as of any call */
	WATCH_LOG_DONE, /* that has returned */
	WATCH_FAULT,	/* the task has come to the instruction whose fault the group has */
	WATCH_DONE,	/* all that the group says has been done */
};
/* A part of a file with code, just mapped by the task. */
struct watch_code {
	uint64_t start, end, off; /* off: in the file */
	uint64_t dev, ino;	  /* as stat(2) has them */
};
struct replay;
/* All return 0; WALK_END to end the replay (base/walk.h); or -errno, which ends it as an error. */
struct replay_watch {
	void *ctx;
	int (*group)(void *ctx, struct replay *r, enum watch_when when);
	int (*code)(void *ctx, struct replay *r, const struct watch_code *c);
	/* A breakpoint: regs->rip is its address, and its instruction has not been executed. */
	int (*hit)(void *ctx, struct replay *r, const struct user_regs_struct *regs, uint64_t tag);
	/* One instruction was executed, as watch_step() wants; or a debug register told (bit n: of register n). Where
	 * debug registers do nothing, also with told 0: another word in the page of a watched one was accessed, which
	 * takes as long. Only for callers of these functions. */
	int (*trap)(void *ctx, struct replay *r, const struct user_regs_struct *regs, bool stepped, unsigned told);
	/* Where a task is, each time when tasks have run for so long; 0: never. */
	uint64_t sample_ns;
	int (*sample)(void *ctx, struct replay *r, const struct user_regs_struct *regs);
};
/* As replay_run(); what the program writes is not written again, and what it maps is the files themselves where they
 * have not changed. */
int replay_watched(FILE *f, const struct replay_watch *w, struct replay_result *ret, struct err *e);
/* The task that runs now: its process in this replay, its number in the trace. */
pid_t watch_pid(const struct replay *r);
uint32_t watch_task(const struct replay *r);
uint64_t watch_ran_ns(const struct replay *r); /* time that tasks have run since the start, in this replay */
size_t watch_read(struct replay *r, uint64_t addr, void *buf, size_t n); /* its memory, without breakpoints */
int watch_registers(struct replay *r, struct user_regs_struct *ret);
/* A breakpoint in the memory of that task, once for each address; its tag is the last that is not 0. 0 or -errno. */
int watch_break(struct replay *r, uint64_t addr, uint64_t tag);
bool watch_breaks_at(const struct replay *r, uint64_t addr);
void watch_step(struct replay *r, bool on); /* the task that runs stops after each instruction */
/* Debug registers of the task that runs now: addresses, and what register 7 is to have; 0: none. Where they do nothing,
 * reads and writes are found by the protection of pages; for the execution of an instruction there is a breakpoint,
 * which would change one that does not begin there. 0 or -errno. */
int watch_debug(struct replay *r, const uint64_t addr[4], uint64_t seven);

/* A task of the program: the processes whose memory is that of the command's. */
struct watch_thread {
	uint32_t task, tid, tgid; /* in the trace; as the program sees them, 0: not known */
	const char *comm;
};
/* The i-th of them, in the order of their making; false: there are no more. */
bool watch_thread(const struct replay *r, size_t i, struct watch_thread *ret);
bool watch_ours(const struct replay *r); /* the task that runs now is one of them */
/* Registers and vector registers (VECTORS_MAX bytes, *n of them) of such a task while it is stopped. 0 or -errno. */
int watch_task_registers(struct replay *r, uint32_t task, struct user_regs_struct *ret, uint8_t *vectors, size_t *n);
size_t watch_task_read(struct replay *r, uint32_t task, uint64_t addr, void *buf, size_t n);
/* The system call, or what else the trace has next for the task that runs now. */
const struct group *watch_group(const struct replay *r);
/* Calls fn with the bytes that the group's call wrote to standard output or standard error (fd). 0, or -errno, also of
 * fn. */
typedef int watch_output_fn(void *ctx, int fd, const void *bytes, size_t n);
int watch_output(struct replay *r, watch_output_fn *fn, void *ctx);
/* A checkpoint: all tasks as they are now, at WATCH_DONE or WATCH_LOG_DONE, in processes that stand. 0 or -errno;
 * -EBUSY: there are too many tasks. Another replay cannot go back to it. */
struct watch_kept;
int watch_keep(struct replay *r, struct watch_kept **ret);
void watch_drop(struct watch_kept *k); /* takes NULL */
/* For certain: nothing wrote to the page of addr, in the memory of the command's process, between these two. */
bool watch_same_page(const struct watch_kept *a, const struct watch_kept *b, uint64_t addr);
/* The callback that calls it returns WALK_END. The replay then goes on from there, and group() is called for that
 * stop again. */
void watch_back(struct replay *r, struct watch_kept *k);
uint64_t watch_calls(const struct replay *r); /* system calls until now */
#endif
