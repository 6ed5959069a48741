/* SPDX-License-Identifier: Apache-2.0 */
/* Declares the threads that are followed, and the lines about them. Private to src/strace. */
#ifndef DWELL_STRACE_TRAIL_INT_H
#define DWELL_STRACE_TRAIL_INT_H
#include <signal.h>
#include "strace/trail.h"

#define TRAIL_BUCKETS 1024

struct thread {
	uint32_t tid;
	struct thread *next;
	struct event entry; /* of the call that has begun */
	bool began;
	bool holds;	  /* a call that is to be restarted: whether that is its end is not known yet */
	struct strb held; /* its line, up to the result */
	int64_t held_ret;
	uint64_t held_since, held_ts;
	int sent;	     /* a signal that may end the process, not delivered yet; or 0 */
	siginfo_t info;	     /* of it */
	struct strb signals; /* those that are told after the call that it is in, each ended by a NUL */
};

struct cpu {
	struct event event;
	bool busy;
};

struct trail {
	const struct trail_opts *o;
	FILE *out;
	const struct rec_schema *schema;
	struct sym *sym;
	int64_t wall;  /* real time less monotonic time, ns */
	uint64_t last; /* of -r */
	struct cpu *cpus;
	uint32_t ncpus;
	struct thread *threads[TRAIL_BUCKETS];
	int nthreads; /* alive, as far as is known */
	uint32_t command;
	int status;
	bool status_known;
	uint64_t nlost, nis32;
	struct strb line;
};

struct thread *trail_thread(struct trail *f, uint32_t tid); /* NULL: out of memory */
/* Lines. < 0: out cannot be written. */
int trail_call(struct trail *f, struct thread *t, struct event *e);
int trail_unfinished(struct trail *f, struct thread *t); /* it never returns */
/* later: after the call that the thread is in. */
int trail_signal(struct trail *f, struct thread *t, int sig, const uint8_t *info, size_t n, bool later, uint64_t ts);
int trail_end(struct trail *f, struct thread *t, int code, uint64_t ts);
int trail_flush(struct trail *f, struct thread *t);
int trail_lost(struct trail *f, uint64_t n);
int trail_tell(struct trail *f);
void trail_stack(struct trail *f, struct event *e, const struct recfield *field, const uint8_t *data);
#endif
