/* SPDX-License-Identifier: Apache-2.0 */
/* The system calls of a trace, in the order in which they happened, without running the program. */
#ifndef DWELL_REPLAY_TRACE_CALLS_H
#define DWELL_REPLAY_TRACE_CALLS_H
#include <stdbool.h>
#include <stdio.h>
#include "base/err.h"
#include "base/step.h"
#include "replay/trace/trace.h"

struct calls_event {
	bool entry;    /* it begins; else it returns */
	uint32_t task; /* in the trace; new tasks never get the number of an old one */
	uint64_t ns;   /* of the monotonic clock when it was recorded */
	uint64_t nr, args[6];
	uint64_t rip, rsp; /* after the instruction; the stack pointer */
	int64_t ret;
	struct ev_name name;
	bool waited; /* a return: others ran meanwhile */
};
/* A task ends, or a signal's handler begins in it. */
struct calls_turn {
	uint32_t task;
	uint64_t ns;	/* of the last call before */
	uint32_t signo; /* 0: it ends */
	struct ev_name name;
};
struct calls;
/* The event; it may ask calls_read(). 0 goes on, WALK_END (base/walk.h) or -errno ends the walk. */
typedef int calls_fn(void *ctx, const struct calls_event *e);

typedef int calls_turn_fn(void *ctx, const struct calls_turn *t);

/* Takes f over. 0, or -errno after an error: see trace_open(). -ENOTSUP: the trace does not name its tasks. */
int calls_open(FILE *f, struct calls **ret, struct err *e);
const struct trace_head *calls_head(const struct calls *c);
/* Turns are told, too, with the ctx of calls. */
void calls_turns_told_to(struct calls *c, calls_turn_fn *fn);
/* 0: to the end, or as fn wished; -errno of fn, or after an error of the trace. */
int calls_walk(struct calls *c, calls_fn *fn, void *ctx, struct err *e);
/* Memory of the task whose event fn has: paths that the call reads, and, when it has returned, what it wrote. As many
 * bytes as are known, n at most. */
size_t calls_read(struct calls *c, uint64_t addr, void *buf, size_t n);
/* For the caller that runs the program meanwhile: one group after the other, and the parts of each when the program is
 * there. Calls that the parts have not told are told by the next group. As calls_fn returned. */
void calls_told_to(struct calls *c, calls_fn *fn, void *ctx);
struct step calls_next(struct calls *c);
int calls_log_begin(struct calls *c); /* the next call of the log */
int calls_log_end(struct calls *c);
int calls_begin(struct calls *c);
int calls_end(struct calls *c);
const struct ev_name *calls_name(const struct calls *c); /* of the task of the group */
uint64_t calls_told_ns(const struct calls *c);		 /* of the last event, or of the start */
uint64_t calls_next_ns(const struct calls *c);		 /* of the next one of this group; 0: there is none */
void calls_close(struct calls *c);			 /* takes NULL */
#endif
