/* SPDX-License-Identifier: Apache-2.0 */
/* Stops one thread of another process for a moment, by ptrace: without a signal, and unseen by its parent. If
 * dwell dies meanwhile, the thread resumes. One thread of dwell must make all calls, since stopped threads resume
 * when it ends. */
#ifndef DWELL_RUN_FOLLOW_PAUSE_H
#define DWELL_RUN_FOLLOW_PAUSE_H
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define PAUSE_MAX 64u	       /* threads at a time that have not stopped yet when they could go on */
#define PAUSE_WAIT_NS 1000000u /* a thread is waited for so long, then looked after again by pauses_tick() */

struct pauses {
	struct pausing {
		pid_t tid;
		bool matters;
	} late[PAUSE_MAX]; /* told to stop, and to be resumed as soon as they have */
	unsigned n;
	uint64_t ended; /* that mattered and ended without having stopped: they ran on */
};

/* 0, or -errno: it runs on (a debugger has it, it is gone …). */
int pause_thread(struct pauses *p, pid_t tid);
/* Lets it go on. matters: it is counted when it has not stopped at all. */
void pause_end(struct pauses *p, pid_t tid, bool matters);
/* Lets those go on that stopped late. Call often while p->n. */
void pauses_tick(struct pauses *p);
#endif
