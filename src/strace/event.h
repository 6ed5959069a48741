/* SPDX-License-Identifier: Apache-2.0 */
/* Describes one system call as dlib/strace reports it: registers, and the memory that they point to. */
#ifndef DWELL_STRACE_EVENT_H
#define DWELL_STRACE_EVENT_H
#include <stdbool.h>
#include <stdint.h>
#include "base/strb.h"
#include "strace/call.h"

/* The first number of each record of dlib/strace. After it: */
enum event_record {
	EVENT_RETURN = 0,   /* tid, number, does more follow, result, when it began or 0, six arguments */
	EVENT_DONE = 1,	    /* tid */
	EVENT_PIECE = 2,    /* place, bytes, bytes themselves (none: no memory) */
	EVENT_TEXT = 3,	    /* the same, a text */
	EVENT_COUNT = 4,    /* place, number */
	EVENT_ENTRY = 5,    /* tid, number, six arguments: the call begins */
	EVENT_PATH = 6,	    /* argument, or EVENT_RESULT, path of its descriptor */
	EVENT_IS32 = 9,	    /* tid: a call of a 32-bit program */
	EVENT_SIGNAL = 10,  /* tid, signal, siginfo */
	EVENT_IGNORED = 11, /* process, signal, sleeps it, siginfo */
	EVENT_EXIT = 12,    /* tid, pid, exit code as of wait(2) */
	EVENT_FORK = 13,    /* tid */
	EVENT_SENT = 14,    /* process, signal, siginfo */
	EVENT_RAISED = 15,  /* process, signal, sender, its user */
};
#define EVENT_RESULT CALL_ARGS /* instead of an argument */

/* Places: argument | part << EVENT_PART_SHIFT. Part 0 is what the argument points to. */
#define EVENT_PART_SHIFT 3
#define EVENT_PART_NAME 40 /* of struct msghdr */
#define EVENT_PART_CONTROL 41
#define EVENT_PART_IOV 42
#define EVENT_PARTS 48
#define EVENT_ARGV 33	  /* words of argv that are captured */
#define EVENT_IOVS 16	  /* elements of iovec */
#define EVENT_ENVP 128	  /* variables of the environment that are counted */
#define EVENT_DIRENTS 300 /* entries that are counted */

struct event_part {
	uint32_t off, n; /* in bytes */
	bool there;
};

struct event {
	uint32_t tid, nr;
	const struct call_desc *call; /* NULL: unknown */
	int64_t ret;
	bool over; /* it has returned */
	uint64_t arg[CALL_ARGS];
	uint64_t ts, since; /* ns: when it ended, when it began (0: unknown) */
	struct event_part entry[CALL_ARGS], at[CALL_ARGS];
	struct event_part part[EVENT_PARTS]; /* of the only argument that has any */
	int32_t count[CALL_ARGS];	     /* -1: not counted */
	struct event_part path[CALL_ARGS + 1];
	struct strb bytes;
	struct strb stack; /* lines of -k */
};

void event_reset(struct event *e); /* keeps the memory */
void event_done(struct event *e);
/* Remembers bytes of a place; at_entry: the call begins. */
void event_put(struct event *e, bool at_entry, uint32_t place, const void *p, uint32_t n);
/* Takes what was told when the call began. */
void event_take_entry(struct event *e, const struct event *entry);
/* The memory that an argument points to, if it was read. If the call changes it: as it was before (before) or after the
 * call. */
const uint8_t *event_bytes(const struct event *e, unsigned arg, bool before, uint32_t *n);
const uint8_t *event_part(const struct event *e, unsigned part, uint32_t *n);
/* NULL: none */
const char *event_path(const struct event *e, unsigned arg);
#endif
