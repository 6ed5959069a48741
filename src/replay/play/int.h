/* SPDX-License-Identifier: Apache-2.0 */
/* The replayer's state, for the files of this room. */
#ifndef DWELL_REPLAY_PLAY_INT_H
#define DWELL_REPLAY_PLAY_INT_H
#include "replay/trace/group.h"
#include "replay/replay.h"
#include "replay/trace/stub.h"
#include "replay/tracee/tracee.h"
#include "replay/watch.h"

#define DEBUG_REGISTERS 4u
#define ARENA_SIZE (ARENA_MAX + (1ull << 31)) /* what is mapped may end after the last blob */

/* Pages with watched addresses, where debug registers do nothing (pages.c). */
struct page {
	uint64_t at;
	uint32_t had; /* its protection without a watch */
	bool reads;   /* they are watched, too */
};
struct pages {
	uint64_t addr[DEBUG_REGISTERS], seven; /* as debug registers would have them */
	size_t n;
	struct page v[DEBUG_REGISTERS];
	bool on;    /* they are protected now */
	bool known; /* .had is */
	bool armed; /* there are breakpoints where an instruction is to be executed: */
	bool added[DEBUG_REGISTERS];
};
/* Memory that tasks share. */
struct memory {
	unsigned refs;
	int mem;	       /* /proc/PID/mem */
	uint64_t heap;	       /* where brk is; 0: not known */
	uint64_t low, top;     /* of the stack of the first thread */
	struct breaks *breaks; /* NULL: nobody looks at it */
	struct pages pages;
};
struct rtask {
	struct tracee t; /* a process of its own; threads share their memory only */
	uint32_t id;
	bool entered; /* stopped at the beginning of a system call, and compared */
	struct ev_name name;
	struct memory *memory;
};
/* A part of a file that the arena has. */
struct rfile {
	struct ev_file f;
	char *path; /* NULL: it is not the same any more */
	uint64_t dev, ino;
};
/* Where a group is read, for a checkpoint within its log. */
struct before {
	struct trace_place place;
	uint64_t number;
	uint32_t task;
};
struct replay {
	struct before before;		  /* this group */
	uint64_t log_at;		  /* bytes of its log that have been done; 0: it is not in the log */
	bool resumed;			  /* it is the group where a checkpoint was, at log_at */
	const struct replay_watch *watch; /* or NULL */
	VEC(struct rfile) files;
	uint64_t spot;	   /* it is on the way to there; 0: it is not */
	bool exact;	   /* by a debug register */
	uint8_t spot_code; /* what is beneath its breakpoint, without one */
	bool step;	   /* each instruction is a stop */
	uint64_t seven;	   /* of the watch: the debug register 7 */
	uint64_t ran;
	uint64_t sample_at; /* of ran: the next sample */
	VEC(struct rtask *) tasks;
	struct rtask *k; /* the task of the group */
	struct trace_in *in;
	struct group g;
	struct err *e;
	struct watch_kept *back; /* where it goes on; NULL: here */
	int arena;		 /* a file in memory with the blobs; the processes have it, too */
	bool begun;		 /* there was a program */
	struct replay_result result;
};

int replay_broken(struct replay *r, int error); /* ptrace, or memory, failed. Returns it after a message */
int build_program(struct replay *r);		/* by a group of EV_EXEC: a new process for r->k */
/* The task r->k makes another, as EV_FORK says. 0 or -errno after a message. */
int build_fork(struct replay *r);
struct rtask *build_task(struct replay *r, uint32_t id); /* without a process; NULL: no memory */
struct rtask *build_alone(uint32_t id);			 /* which the replay does not have */
void build_free(struct rtask *k);			 /* takes NULL; ends its process */
/* Gives k, which has none, a process like that of `from`, which stands: a copy of its memory, or the same. 0 or -errno.
 */
int build_child(struct rtask *from, struct rtask *k, bool shares);
struct rtask *build_find(struct replay *r, uint32_t id);
void build_end(struct replay *r, struct rtask *k); /* and frees it */
/* Gives r->k the calls that the group has in its log; 0 or -errno. */
int build_log(struct replay *r);
uint64_t build_log_used(struct replay *r); /* bytes of it that it has taken */
/* On to the next system call or fault: its status, or -errno after a message. Signals that others send it now are not
 * part of the recording. */
int replay_go(struct replay *r);
/* All that the program logged itself when it was recorded must have been used: status; else an error. */
int replay_check_log(struct replay *r, int status);
/* The error of a program that stopped elsewhere: status, where it should have. */
int replay_differs(struct replay *r, int status, const char *wanted);
/* watched.c: tells the watch, and returns its result. */
int watched_tell(struct replay *r, enum watch_when when);
int watched_files(struct replay *r); /* which of the group's files are there yet. 0 or -errno */
/* The file of that part of the arena, and where in it; NULL: there is none. */
const struct rfile *watched_file(const struct replay *r, uint64_t arena, uint64_t *ret_off);
/* Code has been mapped. */
int watched_code(struct replay *r, uint64_t arena, uint64_t start, uint64_t end);
/* The task has stopped so: *again if that was a breakpoint, and it can go on; else *status, perhaps another one. */
int watched_stop(struct replay *r, int *status, bool *again);
/* As tracee_wait(), but for samples. */
int watched_wait(struct replay *r);
int keep_restore(struct replay *r); /* to r->back. As watched_tell() */
int watched_log(struct replay *r);  /* the calls of the group's log, which is empty then. As watched_tell() */
void watched_done(struct replay *r);
/* pages.c. Watches these addresses in the memory of k. All: 0 or -errno. */
int pages_set(struct rtask *k, const uint64_t addr[DEBUG_REGISTERS], uint64_t seven);
int pages_on(struct rtask *k);	 /* before k runs: protects them */
int pages_off(struct rtask *k);	 /* before something reads all memory by its protection, or copies it */
int pages_lift(struct rtask *k); /* the same before mappings change */
unsigned pages_place(const struct rtask *k, uint64_t rip); /* registers that want this instruction, as bits */
/* It has stopped so, by an access to such a page: at *ret_addr. */
bool pages_hit(struct rtask *k, int status, uint64_t *ret_addr);
/* Executes that instruction, and tells the watch. As watched_stop() */
int pages_step(struct replay *r, uint64_t at, int *status, bool *again);
int spot_run(struct replay *r);	 /* to where it waits in a loop */
int spot_wait(struct replay *r); /* as tracee_wait(), on the way to there without a debug register */
/* Makes a call of HOW_MAP once more. *same: with the same result. */
int build_map(struct replay *r, const struct ev_call *c, bool *same);
/* The stack of r->k may grow to `limit` bytes from now on. 0 or -errno. */
int build_stack(struct replay *r, uint64_t limit);
#endif
