/* SPDX-License-Identifier: Apache-2.0 */
/* The recorder's state, for its files rec*.c. */
#ifndef DWELL_REPLAY_RECORD_INT_H
#define DWELL_REPLAY_RECORD_INT_H
#include <signal.h>
#include <stdbool.h>
#include <sys/stat.h>
#include "base/vec.h"
#include "replay/tracee/args.h"
#include "replay/tracee/policy.h"
#include "replay/rec.h"
#include "replay/record/tsc.h"
#include "replay/trace/stub.h"
#include "replay/trace/trace.h"
#include "replay/tracee/tracee.h"

#define FD_MEMORY 3u		  /* /proc/PID/mem */
#define REC_FDS 16384u		  /* descriptors that are followed to standard output */
#define REC_SIGNALS 64u		  /* that wait for the next system call */
#define REC_FILE_MAX (1ull << 30) /* bytes of one mapping of a file */
#define REC_FILES_MAX 65536u	  /* contents of files that are remembered */
#define CODE_FILES_MAX 64u	  /* of which the ends of functions are known */
#define SPACE_HOT 512u		  /* places with system calls that are counted */
#define ERR_RESTARTSYS 512	  /* the kernel's errors inside (include/linux/errno.h): seen by tracers only */
#define ERR_RESTARTNOINTR 513
#define ERR_RESTARTNOHAND 514
#define ERR_RESTART_BLOCK 516

/* Contents of a file that the trace has. */
struct rec_file {
	dev_t dev;
	ino_t ino;
	struct timespec changed;
	uint64_t from, to; /* bytes of the file */
	uint64_t at;	   /* in the arena */
};
/* Descriptors and memory, which tasks may share. */
struct fds {
	unsigned refs;
	uint8_t std[REC_FDS]; /* 1, 2: standard output, error; FD_MEMORY */
};
struct space {
	unsigned refs;
	int mem;		 /* /proc/PID/mem */
	VEC(struct span) mapped; /* mappings of files */
	VEC(struct span) tsc;	 /* instructions that read the time-stamp counter, made to fault */
	bool stub;		 /* calls may be logged there, buf.c */
	bool off;		 /* but not now */
	unsigned mixed;		 /* tasks that share it, but not the descriptors, or the other way round */
	unsigned nsites;
	struct hot {
		uint64_t site;
		unsigned calls;
	} hot[SPACE_HOT];
};
enum task_state {
	TASK_READY,   /* stopped; it can go on */
	TASK_USER,    /* its own instructions run: one at most */
	TASK_KERNEL,  /* within a system call */
	TASK_PENDING, /* stopped, and not looked at yet: status */
};
/* A call that makes a task: addresses are 0 if nothing is to be written there. */
struct fork_args {
	uint64_t flags; /* CLONE_* */
	uint64_t parent_tid, child_tid, pidfd, clear_tid;
};
/* Stopped before its maker told of it. */
struct early {
	pid_t pid;
	int status;
};
/* State of the watch over a thread without system calls, spin.c. */
struct spin {
	uint64_t since; /* CPU time of the thread at the first tick after its last stop, ns; 0: none was */
	uint64_t look;	/* it is looked at when it has run so much longer */
	uint64_t until; /* others come first, ns of the monotonic clock */
	unsigned delays;
	bool poked;   /* a SIGSTOP of the recorder is on its way to it */
	bool waits;   /* it waits for others, which run first */
	bool stepped; /* instruction by instruction, by the recorder */
	bool told;
};
/* A thread. */
struct task {
	struct tracee t;
	uint32_t id; /* in the trace */
	enum task_state state;
	int status;   /* TASK_PENDING: as of waitpid(2) */
	int pass;     /* the signal that it gets when it goes on */
	bool inside;  /* of a system call */
	bool leaves;  /* it is stopped at the end of one: others may run now */
	bool skipped; /* it waits until a signal's handler has run */
	int deny;     /* the result that it gets instead of running: -errno */
	bool mixed;   /* see struct space */
	struct fork_args fork;
	struct policy policy;
	const struct call_desc *desc;
	struct {
		const struct call_desc *desc; /* NULL: nothing */
		uint64_t args[CALL_ARGS];
	} again; /* what restart_syscall(2) goes on with */
	struct ev_call call;
	bool at_exit; /* nothing has run since `last` */
	struct user_regs_struct last;
	siginfo_t queue[REC_SIGNALS];
	unsigned nqueue;
	struct ev_end end; /* if a signal ends it now */
	struct spin spin;
	uint64_t clear_tid, robust;
	struct fds *fds;
	struct space *space;
};
/* A file with code: where its functions end, as link addresses, ascending. */
struct code_file {
	dev_t dev;
	ino_t ino;
	VEC(uint64_t) ends;
	struct elf_seg *seg;
	unsigned nseg;
};
/* Instructions in a part of a file that read the time-stamp counter. */
struct rec_tsc {
	dev_t dev;
	ino_t ino;
	struct timespec changed;
	uint64_t off, size;	/* of the part */
	VEC(struct span) sites; /* addr: from its beginning */
};
struct rec {
	const struct rec_opts *o;
	struct err *e;
	struct trace_out *out;
	struct trace_head head;
	VEC(struct task *) tasks;
	VEC(struct early) early;
	struct task *k;	   /* what happens is of this one */
	struct task *turn; /* this one runs; NULL: to be chosen */
	uint64_t slice;	   /* since when, ns */
	size_t next;	   /* of tasks: first to be looked at for the next turn */
	uint32_t told;	   /* the task of the last event */
	uint32_t ids;
	pid_t first;	  /* the process whose status counts */
	uint64_t random;  /* state of --chaos */
	uint64_t begun;	  /* traced calls, for --check */
	bool no_seccomp;  /* a message told it */
	bool tsc_by_code; /* the processor does not make them fault */
	bool filtered;	  /* calls of the stub are not traced */
	struct stat std[3];
	uint64_t arena; /* bytes in it */
	VEC(struct rec_file) files;
	VEC(struct code_file) code;
	VEC(struct rec_tsc) tsc; /* where the processor does not make them fault */
	struct rec_result result;
};

/* Ends the recording: the message says why. Returns -ECANCELED. */
int rec_stop(struct rec *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int rec_broken(struct rec *r, int error); /* ptrace or memory failed; ends the recording, too */
/* An event; 0, or after a message -errno. */
int rec_event(struct rec *r, enum event_kind kind, const void *fixed, size_t nfixed, const void *rest, size_t nrest);
/* Writes the program's memory at s, as EV_MEM. */
int rec_put_mem(struct rec *r, const struct span *s);
int rec_put_state(struct rec *r, enum event_kind kind, const struct ev_state *s); /* and the vector registers */

int rec_put_name(struct rec *r); /* rec.c: the name of r->k now */

int rec_entry(struct rec *r); /* sys.c: at the beginning of a system call */
int rec_exit(struct rec *r);
/* The beginning of a call that others may run before the end of: into the trace, if it is not there. */
int rec_put_enter(struct rec *r);
int rec_own(struct rec *r);    /* own.c: do the arguments forbid the call? Sets deny, or ends the recording */
int rec_follow(struct rec *r); /* descriptors, after a call */
/* After a call that writes to a descriptor: ev_call.out, and what it wrote into the program's own memory. */
int rec_output(struct rec *r);
int rec_map_entry(struct rec *r); /* map.c: mappings */
int rec_map_exit(struct rec *r);
/* Puts bytes of the program's memory into the arena; at: where they are then. */
int rec_blob_memory(struct rec *r, uint64_t addr, uint64_t size, uint64_t *at);
/* The same with the bytes from … to of an open file at path, which begin at a page. The trace may have a part of it
 * already: that is used again, if it is old enough that a change would show. */
int rec_blob_file(struct rec *r, int fd, const char *path, uint64_t from, uint64_t to, uint64_t *at);
/* New code of a file, from byte off of it on: reading the time-stamp counter is made to fault there if the processor
 * does not do it. 0, or an error after a message. rec_tsc_done() frees what is kept for that. */
int rec_tsc_code(struct rec *r, const char *path, uint64_t start, uint64_t end, uint64_t off);
void rec_tsc_done(struct rec *r);
/* Mappings of files end there. */
void rec_unmapped(struct rec *r, uint64_t start, uint64_t size);
/* task.c. A new task, which shares what flags of clone(2) say with `from` (NULL: none); NULL: no memory. */
struct task *task_new(struct rec *r, pid_t pid, const struct task *from, uint64_t flags);
void task_free(struct rec *r, struct task *k); /* kills it, if it still is there */
struct task *task_find(struct rec *r, pid_t pid);
int task_ended(struct rec *r, int status, pid_t pid); /* r->k, which was pid: it is gone afterwards */
int task_fork_entry(struct rec *r);		      /* r->k begins clone(2) or its like */
int task_forked(struct rec *r);			      /* it has made the task */
void task_follow(struct task *k);		      /* addresses that the kernel writes to at its end, after a call */
int task_exits(struct rec *r);			      /* it begins exit(2) or exit_group(2) */
int task_executes(struct rec *r); /* execve(2) has succeeded; r->k may be another thread than began it */
int task_state_of(pid_t pid);	  /* sched.c: as /proc/PID/stat has it; 0: there is none */
/* buf.c, stub.h: calls that the program logs itself. In a new process: all others are traced. 0 or -errno */
int buf_filter(void);
int buf_map(struct rec *r, const struct user_regs_struct *regs); /* at the first instruction of a program */
int buf_flush(struct rec *r);		/* what r->k has logged; at a stop whose event comes next */
int buf_switch(struct rec *r, bool on); /* log calls, or let all be traced */
int buf_entry(struct rec *r, struct user_regs_struct *regs, bool *moved); /* a traced call: as if made at its place */
int buf_site(struct rec *r);   /* its place is to go to the stub, if it is called often */
int buf_follow(struct rec *r); /* descriptors, after a call */
void buf_done(struct rec *r);
/* self.c: from here to there the program's signals to its process group do not end the recorder. */
void self_begin(void);
void self_end(void);
void self_call(const struct rec *r, bool begins); /* r->k begins a call, or has ended one */
int sched_run(struct rec *r);			  /* until all tasks have ended */
/* Takes in the tasks that stopped while r->k ran: what they did comes before its event. -ESRCH: it is gone. */
int sched_stopped(struct rec *r);
bool sched_others(const struct rec *r);		     /* others than r->turn could run */
int rec_at_stop(struct rec *r, int status);	     /* rec.c: r->k has stopped */
int rec_snapshot(struct rec *r);		     /* snap.c: a new program */
int rec_signal(struct rec *r, int signo, int *pass); /* sig.c; pass: the signal that it gets when it goes on */
bool rec_due(struct rec *r);			     /* a signal waits and can be delivered */
int rec_deliver_queued(struct rec *r);
int rec_deliver_here(struct rec *r); /* in the middle of the instructions */
/* spin.c: loops and computations without a system call. The timer that makes the recorder look at them */
void spin_start(void);
void spin_end(void);
void spin_watch(struct rec *r);	 /* stops r->turn if it is time */
int spin_stopped(struct rec *r); /* it has stopped for that */
#endif
