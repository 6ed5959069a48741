/* SPDX-License-Identifier: Apache-2.0 */
/* Lists threads that do not run now. It reads the records of dlib/latency/stuck.d, names the cause of each wait, and
 * links a thread to the one that holds the lock it waits for. */
#ifndef DWELL_LATENCY_STUCK_H
#define DWELL_LATENCY_STUCK_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/recfmt.h"
#include "latency/cause/causes.h"
#include "sym/sym.h"

#define STUCK_MAX_FRAMES 64 /* of a stack */
#define STUCK_MAX_CHAIN 8   /* links: A waits for B waits for C … */

/* Kinds of locks: as BLOCKER_* of dlib/blocker.d. */
enum stuck_kind {
	STUCK_NO_LOCK,
	STUCK_MUTEX,
	STUCK_SEMAPHORE,
	STUCK_RWSEM_READ,
	STUCK_RWSEM_WRITE,
	STUCK_RTMUTEX,
	STUCK_NKINDS
};

struct stuck_thread {
	uint32_t pid, tid;
	const char *name, *process;	 /* of the thread, of its process */
	char state;			 /* R S D T t P I */
	uint64_t off_cpu_ns;		 /* since it ran last; 0: not known */
	enum stuck_kind kind;		 /* of the lock that it waits for */
	uint64_t lock;			 /* its address */
	bool found;			 /* … found by the record on the waiter's stack; else the kernel notes it */
	uint32_t holder_pid, holder_tid; /* the thread that has it; 0: none, or not known */
	const char *holder_name;
	bool shared; /* the holder is the last of several readers that took it; or readers have it that nobody notes */
	uint64_t cgroup;
	const char *container;		/* "" */
	const uint64_t *stack, *ustack; /* innermost first */
	size_t nstack, nustack;
	uint32_t ustack_flags; /* REC_USTACK_* */
	uint64_t start;	       /* of the process, for sym_user() */
	bool futex, user_lock; /* waits for a futex; which is a lock, and no condition */
	struct cause cause;
	const struct stuck_thread *holder; /* in the list, or NULL: it runs, or is not known */
};

struct stuck;

/* causes and sym must outlive it. -ENOMEM. */
int stuck_new(struct causes *causes, struct sym *sym, struct stuck **ret);
void stuck_free(struct stuck *s); /* accepts NULL */
/* Takes a record of a format, if it is about a thread. 0 or -ENOMEM. */
int stuck_add(struct stuck *s, const struct recfmt *f, const void *data);
/* The threads that were added, longest first, with their holders. Valid until the next stuck_add(). */
const struct stuck_thread *const *stuck_list(struct stuck *s, size_t *n);
/* Does the thread wait for something that it should soon get: a lock, a device, memory; or is it stopped? */
bool stuck_is(const struct stuck_thread *t);
/* Follows the holders from t, at most STUCK_MAX_CHAIN of them: how many. *ret_cycle: they wait for each
 * other; a thread that only took a lock last, as one of several, may not have it any more, and is no proof of that. */
size_t stuck_chain(const struct stuck_thread *t, const struct stuck_thread *ret[STUCK_MAX_CHAIN], bool *ret_cycle);
const char *stuck_kind_name(enum stuck_kind kind); /* "mutex"; "" */
#endif
