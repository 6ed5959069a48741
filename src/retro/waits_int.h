/* SPDX-License-Identifier: Apache-2.0 */
/* Types that waits.c (what ends which wait), waitshow.c (sums of them) and asrec.c (recordings of them) share. */
#ifndef DWELL_RETRO_WAITS_INT_H
#define DWELL_RETRO_WAITS_INT_H
#include <stdio.h>
#include "base/err.h"
#include "retro/waitfds.h"

#define WAIT_MIN_NS 100000u   /* a shorter call in which nobody else ran is no wait */
#define CALL_LONG_NS 1000000u /* a call that no thread of the recording ended is slow from here on */

/* By the call: none that waits; what it waits in. */
enum wait_kind {
	WAITS_NOT,
	WAITS_FUTEX,
	WAITS_READ,
	WAITS_WRITE,
	WAITS_POLL,
	WAITS_SELECT,
	WAITS_EPOLL,
	WAITS_CHILD,
	WAITS_SLEEP,
	WAITS_SIGNAL,
	WAITS_OTHER
};
enum wait_end {
	END_UNKNOWN, /* somebody outside of the recording, or a thing that is not followed */
	END_WAKE,    /* a futex call of another thread */
	END_EXIT,    /* the end of a thread or process */
	END_WRITE,
	END_READ,
	END_CLOSE,
	END_TIME, /* as long as it wanted to wait */
	END_SIGNAL,
	END_OPEN, /* none: the recording ends before */
	END_KINDS
};
enum wait_on { ON_NOTHING, ON_FUTEX, ON_PIPE, ON_SOCKET, ON_EVENT, ON_TIMER, ON_CHILD, ON_KINDS };
struct wait {
	struct doer who;
	uint32_t nr;
	bool waited; /* false: a call that took long, and waits for nobody */
	enum wait_kind kind;
	enum wait_on on;
	enum wait_end end;
	struct doer by; /* of END_WAKE … END_CLOSE, END_SIGNAL; tid 0: nobody of the recording */
	uint32_t signo; /* of END_SIGNAL */
	uint64_t began; /* of the monotonic clock, ns */
	uint64_t took;	/* ns */
	uint64_t late;	/* of it, after what ended it; 0: not known */
};
/* A process begins, is another program now, or has ended. */
enum wait_process { PROCESS_FORKED, PROCESS_EXECED, PROCESS_ENDED };

/* Functions that waits_find() calls. They return 0 or -errno. */
struct wait_sink {
	void *ctx;
	/* Each call returns, a short one, too. */
	int (*call)(void *ctx, const struct wait *x); /* its end is not known yet */
	int (*process)(void *ctx, enum wait_process what, const struct doer *who, uint32_t parent, uint64_t ns);
};
struct waits_found {
	VEC(struct wait) v;
	bool cut; /* the recording ends before its program */
};
/* Reads the trace in f, which it takes over, without running the program. *ret: the waits, in the order of their ends;
 * with a sink, which may be NULL, also calls that took long, and those that were open at the end. ret->v is freed by
 * vec_free(), after an error, too. 0, or -errno after an error. */
int waits_find(FILE *f, const struct wait_sink *sink, struct waits_found *ret, struct err *e);
/* Sorts v. 0 or -errno. */
int waits_show(struct wait *v, size_t n, bool json, FILE *out);
#endif
