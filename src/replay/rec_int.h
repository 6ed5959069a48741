/* SPDX-License-Identifier: Apache-2.0 */
/* The recorder's state, for its files rec*.c. */
#ifndef DWELL_REPLAY_REC_INT_H
#define DWELL_REPLAY_REC_INT_H
#include <signal.h>
#include <stdbool.h>
#include <sys/stat.h>
#include "base/vec.h"
#include "replay/args.h"
#include "replay/policy.h"
#include "replay/rec.h"
#include "replay/trace.h"
#include "replay/tracee.h"

#define REC_FDS 4096u		  /* descriptors that are followed to standard output */
#define REC_SIGNALS 64u		  /* that wait for the next system call */
#define REC_FILE_MAX (1ull << 30) /* bytes of one mapping of a file */
#define REC_FILES_MAX 65536u	  /* contents of files that are remembered */
#define SCRATCH 0x10000ull	  /* the page the replayer needs for itself */
#define SCRATCH_SIZE 0x1000ull
#define ERR_RESTARTSYS 512 /* the kernel's errors inside (include/linux/errno.h): seen by tracers only */
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
struct rec {
	const struct rec_opts *o;
	struct err *e;
	struct tracee t;
	struct trace_out *out;
	struct trace_head head;
	bool inside;  /* of a system call */
	bool skipped; /* it waits until a signal's handler has run */
	int deny;     /* the result that it gets instead of running: -errno */
	struct policy policy;
	const struct call_desc *desc;
	struct ev_call call;
	bool at_exit; /* nothing has run since `last` */
	struct user_regs_struct last;
	siginfo_t queue[REC_SIGNALS];
	unsigned nqueue;
	struct ev_end end;    /* if a signal ends it now */
	uint8_t fds[REC_FDS]; /* 1, 2: standard output, error */
	struct stat std[3];
	uint64_t arena; /* bytes in it */
	VEC(struct rec_file) files;
	VEC(struct span) mapped; /* mappings of files */
	struct rec_result result;
	bool over;
};

/* Ends the recording: the message says why. Returns -ECANCELED. */
int rec_stop(struct rec *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int rec_broken(struct rec *r, int error); /* ptrace, or memory, failed: likewise */
/* An event; 0, or after a message -errno. */
int rec_put(struct rec *r, enum event_kind kind, const void *fixed, size_t nfixed, const void *rest, size_t nrest);
/* What is in the program's memory at s, as EV_MEM. */
int rec_put_mem(struct rec *r, const struct span *s);
int rec_put_state(struct rec *r, enum event_kind kind, const struct ev_state *s); /* and the vector registers */

int rec_entry(struct rec *r); /* recsys.c: at the beginning of a system call */
int rec_exit(struct rec *r);
int rec_own(struct rec *r);	  /* recown.c: calls whose arguments decide; sets deny, or ends the recording */
void rec_follow(struct rec *r);	  /* descriptors, after a call */
int rec_map_entry(struct rec *r); /* recmap.c: mappings */
int rec_map_exit(struct rec *r);
/* Puts bytes of the program's memory into the arena; at: where they are then. */
int rec_blob_memory(struct rec *r, uint64_t addr, uint64_t size, uint64_t *at);
/* Mappings of files end there. */
void rec_unmapped(struct rec *r, uint64_t start, uint64_t size);
int rec_snapshot(struct rec *r);		     /* recsnap.c: a new program */
int rec_signal(struct rec *r, int signo, int *pass); /* recsig.c; pass: the signal that it gets when it goes on */
bool rec_due(struct rec *r);			     /* a signal waits and can be delivered */
int rec_deliver_queued(struct rec *r);
#endif
