/* SPDX-License-Identifier: Apache-2.0 */
/* Watches for files that processes map with code and that were not seen before. A thread with real-time priority does
 * nothing else. So the mapping thread is stopped before it runs far, whatever else dwell does. The session looks at the
 * contents of the file.
 *
 * | who | may call |
 * | the session's thread | all functions |
 * | the watching thread | none: it takes events from the side band, stops threads and lets them go on (ptrace knows
 *   threads of the tracer, not processes), and shares nothing but the two queues, which have a lock | */
#ifndef DWELL_RUN_FOLLOW_LATEWATCH_H
#define DWELL_RUN_FOLLOW_LATEWATCH_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "run/follow/sideband.h"

struct latewatch;

#define LATEWATCH_QUEUE 64u   /* files that wait for being looked at, each with a thread that is stopped */
#define LATEWATCH_SEEN 65536u /* files that need not be looked at again; then all are forgotten */
#define LATEWATCH_LOOKS 1000u /* new files in a second: looking at one takes about 0.1 ms */
#define LATEWATCH_WAKES 5000u /* times in a second that the side band wakes it; then it looks every … */
#define LATEWATCH_NAP_MS 25
#define LATEWATCH_HOLD_MS 250	  /* nobody is stopped for longer, even if the session's output blocks */
#define LATEWATCH_LATE_NS 200000u /* a thread that is stopped later than this may have run past a probe */
#define LATEWATCH_PAUSE_BYTES ((uint64_t)64 << 20) /* nobody waits for the symbols of larger code */

/* A file that has been mapped. */
struct latefile {
	struct side_event e; /* MMAP; path points to the text below */
	/* Set by the watching thread: */
	bool paused;	/* the thread waits; else a debugger has it, it is gone, or the code is too large */
	bool late;	/* it was stopped late, or resumed early */
	uint64_t since; /* CLOCK_BOOTTIME, ns */
	/* Set by the session: */
	bool again;			      /* it was not looked at, so it is not known */
	bool wanted;			      /* it has probes */
	struct latefile *next;		      /* in a queue */
	struct latefile *prev_out, *next_out; /* of the watching thread: all that the session has or may take */
	char path[];
};

struct latewatch_losses {
	uint64_t events;   /* that the kernel could not deliver */
	uint64_t skipped;  /* files: too many at a time */
	uint64_t unpaused; /* … with probes, whose process ran on, or was stopped late */
};

/* provs: patterns of providers, which outlive it. A pattern with a number at its end names a process, whose files are
 * looked at each time. -errno: perf is not available. */
int latewatch_new(const char *const *provs, size_t n, struct latewatch **ret);
enum {
	LATEWATCH_DROP = 1, /* the thread gives up privileges, too */
	LATEWATCH_SPARE_CHILDREN =
		2, /* dwell's own children run on: waitpid() elsewhere in dwell would tell of their stops */
};
/* Begins to watch; events since latewatch_new() count. */
int latewatch_start(struct latewatch *w, unsigned flags);
/* Readable when there are files. */
int latewatch_fd(const struct latewatch *w);
/* The next one, NULL: none now. It is given back by latewatch_done(), which lets the thread go on. */
struct latefile *latewatch_next(struct latewatch *w);
void latewatch_done(struct latewatch *w, struct latefile *f);
/* A description names the number of this process. */
bool latewatch_is_named(const struct latewatch *w, uint32_t tgid);
/* Ends the thread; all that are stopped go on. */
void latewatch_stop(struct latewatch *w);
/* After the end. */
struct latewatch_losses latewatch_losses(const struct latewatch *w);
void latewatch_free(struct latewatch *w); /* accepts NULL */
#endif
