/* SPDX-License-Identifier: Apache-2.0 */
/* Blocked-by chains: a thread waited for another one, which waited for a third one, and so on. The memory of recent
 * waits is bounded. From one of them links lead to others that explain it, as far as there is evidence.
 *
 * A wait leads on, in this order, to
 *   - what the same thread waited for in it (a system call: the sleep in it; a sleep: the lock, the request);
 *   - what the one was waiting for meanwhile that held the lock, stopped it, or woke it up (the thread with the CPU did
 * not wait);
 *   - on a device: the wait of somebody else for the same device that was there first.
 * Overlap in time is the evidence for all but the first; what rests on it alone is inferred, and says so. The overlap
 * is that with all waits before it in the chain. */
#ifndef DWELL_LATENCY_CHAIN_H
#define DWELL_LATENCY_CHAIN_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/strb.h"

#define CHAIN_MAX_LINKS 8
#define CHAIN_MAX_WAITS 8192 /* remembered; then the oldest are forgotten */
#define CHAIN_WORDS 96
#define CHAIN_OP 64
#define CHAIN_COMM 16
#define CHAIN_OBJECT 40
#define CHAIN_HAD 160
#define CHAIN_DID 80
#define CHAIN_MIN_SHARE 10  /* percent of a wait that another one must overlap to explain it */
#define CHAIN_SAME_SHARE 90 /* percent of a wait that one in it must take to be told with it */

/* The level of a wait. Within a thread only waits of a deeper level explain it. */
enum chain_level { CHAIN_CALL, CHAIN_SLEEP, CHAIN_LOCKED, CHAIN_QUEUED };
/* How somebody else was involved. */
/* RELEASER: a waker that had what was waited for, as far as is known. STOPPER: by a signal, or as its tracer. DOER: did
 * the work that was waited for. */
enum chain_via { CHAIN_NOBODY, CHAIN_HOLDER, CHAIN_WAKER, CHAIN_RUNNING, CHAIN_RELEASER, CHAIN_STOPPER, CHAIN_DOER };

struct chain_wait {
	uint64_t from, to; /* CLOCK_MONOTONIC ns */
	uint32_t tid, pid;
	char comm[CHAIN_COMM];
	enum chain_level level;
	char op[CHAIN_OP];	   /* "fsync(data/base/1)", or "" */
	char words[CHAIN_WORDS];   /* what was waited for: "journal commit (jbd2)" */
	char object[CHAIN_OBJECT]; /* device: what others may have waited for, too; or "" */
	bool inferred;		   /* the words are */
	bool idle;		   /* for something to do, or for time to pass */
	bool condition;		   /* for a sign of another thread: as idle as that one was */
	bool loop;		   /* … which the loop of a worker waits for */
	bool asked;		   /* somebody waits for it, so it is never idle */
	bool general;		   /* the words say no more than those of the sleep: "mutex" */
	enum chain_via via;
	uint32_t by_tid; /* the thread to blame; 0: not known */
	char by_comm[CHAIN_COMM];
	char by_means[CHAIN_COMM]; /* "SIGSTOP", or "" */
	uint32_t cpu;		   /* where it ended */
};

enum chain_how { LINK_FIRST, LINK_SAME, LINK_HOLDER, LINK_WAKER, LINK_STOPPER, LINK_QUEUE, LINK_DOER };
struct chain_link {
	struct chain_wait wait;
	enum chain_how how; /* it explains the one before */
	uint64_t overlap;   /* ns, with all before it */
	bool inferred;	    /* the link is */
};
struct chain {
	struct chain_link links[CHAIN_MAX_LINKS];
	unsigned n;
	bool cycle;   /* the last one waits for a thread that is in the chain: a deadlock, or nearly */
	bool more;    /* it would go on */
	bool passing; /* of the last link, a wait for a CPU: the one who had it last waited itself for most of the time
		       */
	char had[CHAIN_HAD]; /* of the last link, a wait for a CPU: the thread that had it; or "" */
	char did[CHAIN_DID]; /* of the last link: what the thread to blame did meanwhile; or "" */
};

struct chains;

int chains_new(struct chains **ret); /* -ENOMEM */
void chains_free(struct chains *c);
/* Remembers a wait. Texts must be NUL-terminated. */
void chains_add(struct chains *c, const struct chain_wait *w);
/* The chain of a wait, which may be remembered itself. */
void chains_build(const struct chains *c, const struct chain_wait *w, struct chain *ret);
struct flight_rec;
/* Names the holder of the lock that was waited for in place of a waker, if the flight recorder saw it. For a wait not
 * yet remembered. */
void chain_name_holder(struct chain_wait *w, const struct flight_rec *f);
/* Adds links that no slow event tells, from the flight recorder (chain_flight.c): the holder of the last link's lock,
 * what that thread waited for, and so on. */
void chain_complete(struct chain *c, const struct flight_rec *f);
/* Is the wait nothing but one for something to do, as the chain knows? So is a call, a condition that a thread without
 * work signalled, and a worker's wait for work. The exception: the thread that gave the work waited for something
 * meanwhile. */
bool chain_is_idle(const struct chain *c);
/* "postgres 412 waited 41.2 ms in fsync for journal commit (jbd2), …" */
void chain_sentence(const struct chain *c, struct strb *b);
/* The part of the sentence that is the same for similar chains: " in fsync for journal commit (jbd2), ended by jbd2";
 * without times and numbers of threads. */
void chain_reason(const struct chain *c, struct strb *b);
/* The link that a `via` makes between a wait and the wait of the thread to blame. Not for CHAIN_NOBODY and
 * CHAIN_RUNNING.
 */
enum chain_how chain_how_of(enum chain_via via);
const char *chain_how_name(enum chain_how how);
/* The evidence for a link: "same thread", "lock owner", "waker", "tracepoint", "overlap", "work item". */
const char *chain_evidence(const struct chain_link *l);
#endif
