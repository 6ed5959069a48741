/* SPDX-License-Identifier: Apache-2.0 */
/* Watches for JVMs that begin: processes that map libjvm.so. A thread waits until the JVM has begun to run its program,
 * and has it load the agent of the provider java. That takes a moment, in which the session does not wait.
 *
 * | who | may call |
 * | the session's thread | all functions |
 * | the watching thread | none: it shares a queue, which has a lock, and whether to stop | */
#ifndef DWELL_RUN_FOLLOW_JVMWATCH_H
#define DWELL_RUN_FOLLOW_JVMWATCH_H
#include <stdbool.h>
#include <stdint.h>
#include "base/err.h"

struct jvmwatch;

#define JVMWATCH_MAX 256u	/* JVMs that are waited for; further ones are left out */
#define JVMWATCH_LOOK_MS 5	/* between looks at those that begin */
#define JVMWATCH_SURE_MS 10000u /* after this a JVM without the thread that tells runs its program */
#define JVMWATCH_TRIES 20u	/* to load the agent, every … */
#define JVMWATCH_AGAIN_MS 100u

/* Has a JVM load the agent: the connection with it, or -errno with words. Called in the watching thread; it gives up
 * soon after *stop. */
typedef int jvm_connect(int pid, const _Atomic bool *stop, struct err *err);

/* JVMs that map their library from now on count. -errno: perf is not available. */
int jvmwatch_new(jvm_connect *connect, struct jvmwatch **ret);
/* One that was there already. Before jvmwatch_start(). */
void jvmwatch_add(struct jvmwatch *w, int pid);
int jvmwatch_start(struct jvmwatch *w);
/* Readable when there is one. */
int jvmwatch_fd(const struct jvmwatch *w);
/* The next JVM that has the agent: *ret_fd is the connection, the caller's; or -errno, with words in err. */
bool jvmwatch_next(struct jvmwatch *w, int *ret_pid, int *ret_fd, struct err *err);
/* Ends the thread. */
void jvmwatch_stop(struct jvmwatch *w);
/* JVMs that were left out, or events that were lost. After the end. */
uint64_t jvmwatch_lost(const struct jvmwatch *w);
void jvmwatch_free(struct jvmwatch *w); /* accepts NULL */
#endif
