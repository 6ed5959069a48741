/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the task that runs. One at most is outside the kernel, and goes on until it waits there, or its time is over
 * at the end of a system call: so what tasks see of each other is decided by the order of their system calls, which the
 * trace has.
 *
 * state         what it does                                      what comes next
 * TASK_READY    stopped                                           choose() gives it the turn
 * TASK_USER     its own instructions; it has the turn             a system call, a signal
 * TASK_KERNEL   within a system call, with or without the turn    the call's end: ready again
 * TASK_PENDING  stopped while another one is TASK_USER            is looked at when that one stops */
#include <asm/unistd.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "replay/record/int.h"

#define SLICE_NS 3000000ull /* others wait: the next system call ends the turn */
#define YIELDS 32	    /* looks at a task within a system call before the recorder sleeps between them */
#define PAUSE_NS 20000
#define CHAOS_CALLS 4 /* --chaos: one system call in this many ends a turn */

int task_state_of(pid_t pid)
{
	_cleanup_close_ int fd = -1;
	char buf[128];
	const char *p;
	ssize_t n;

	snprintf(buf, sizeof(buf), "/proc/%d/stat", (int)pid);
	fd = open(buf, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, buf, sizeof(buf) - 1);
	if (n <= 0)
		return 0;
	buf[n] = 0;
	p = strrchr(buf, ')'); /* after the name, which may have any characters */
	return p && p[1] == ' ' ? p[2] : 0;
}

static bool waits(const struct task *k)
{
	int state = task_state_of(k->t.pid);

	return state == 'S' || state == 'D' || state == 'I';
}

bool sched_others(const struct rec *r)
{
	for (size_t i = 0; i < r->tasks.n; i++)
		if (r->tasks.v[i] != r->turn &&
		    (r->tasks.v[i]->state == TASK_READY || r->tasks.v[i]->state == TASK_PENDING))
			return true;
	return false;
}

/* xorshift64 */
static uint64_t next_random(struct rec *r)
{
	r->random ^= r->random << 13;
	r->random ^= r->random >> 7;
	return r->random ^= r->random << 17;
}

static struct task *choose(struct rec *r)
{
	size_t n = r->tasks.n, from = r->random ? next_random(r) % n : r->next, best = n;
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	for (size_t i = 0; i < n; i++) {
		const struct task *k = r->tasks.v[(from + i) % n];

		if (k->state == TASK_READY && (best == n || k->spin.until <= now))
			best = (from + i) % n;
		if (best != n && r->tasks.v[best]->spin.until <= now)
			break;
	}
	if (best == n)
		return NULL;
	r->next = (best + 1) % n;
	r->slice = now;
	return r->tasks.v[best];
}

/* Its turn ends at this stop. Not where a signal stops it between two calls: the replay would not find the place. */
static bool is_over(struct rec *r)
{
	if (r->tasks.n < 2 || !r->turn->leaves || !sched_others(r))
		return false;
	if (r->turn->spin.waits)
		return true;
	if (r->random && next_random(r) % CHAOS_CALLS == 0)
		return true;
	if (r->turn->at_exit && r->turn->call.regs[R_NR] == __NR_sched_yield)
		return true;
	/* With chaos no clock decides, so that a seed gives the same again where nothing from outside decides. */
	return !r->random && clock_ns(CLOCK_MONOTONIC) - r->slice > SLICE_NS;
}

static int resume(struct rec *r, struct task *k)
{
	/* A filter stops at the beginning of calls, but not at the end of them. */
	int e = tracee_go(&k->t, r->filtered && !k->inside ? PTRACE_CONT : PTRACE_SYSCALL, k->pass);

	k->pass = 0;
	k->state = k->inside ? TASK_KERNEL : TASK_USER;
	if (e == -ESRCH) { /* killed at its stop: its end is to be waited for */
		k->state = TASK_KERNEL;
		if (r->turn == k)
			r->turn = NULL;
		return 0;
	}
	return e < 0 ? rec_broken(r, e) : 0;
}

/* k has stopped, or ended. */
static int handle(struct rec *r, struct task *k, int status)
{
	pid_t pid = k->t.pid;
	int e;

	r->k = k;
	if (WIFEXITED(status) || WIFSIGNALED(status)) {
		k->t.pid = 0;
		return task_ended(r, status, pid);
	}
	k->state = TASK_READY;
	k->leaves = k->spin.waits = false;
	e = rec_at_stop(r, status);
	k = r->k;
	if (e == -ESRCH && !k->t.pid)
		return task_ended(r, k->status, pid);
	if (e == -ESRCH) {
		k->state = TASK_KERNEL;
		if (r->turn == k)
			r->turn = NULL;
		return 0;
	}
	return e == 0 && k->inside ? resume(r, k) : e;
}

/* Handles the tasks that stopped while another one ran. */
static int handle_pending(struct rec *r)
{
	int e = 0;

	for (size_t i = 0; i < r->tasks.n && e == 0;) {
		struct task *k = r->tasks.v[i];

		if (k->state == TASK_PENDING) {
			e = handle(r, k, k->status);
			i = 0;
		} else {
			i++;
		}
	}
	return e;
}

int sched_stopped(struct rec *r)
{
	struct task *k = r->k;
	int e = handle_pending(r);

	for (size_t i = 0; i < r->tasks.n && e == 0; i++)
		if (r->tasks.v[i] == k) {
			r->k = k;
			return 0;
		}
	return e < 0 ? e : -ESRCH;
}

/* A call that changes the memory of all threads keeps the turn, so that no other one has its result before the trace.
 */
static bool maps(const struct task *k)
{
	return k->state == TASK_KERNEL && k->inside && k->policy.act == POLICY_MAP;
}

/* Whether stops of other tasks have to wait for the next stop of this one. They wait for a system call that does not
 * sleep: it writes its output now. If another task's stop were recorded first, a replay would write the two outputs in
 * the other order. State R: the call runs; t: it has ended, and the stop is not handled yet. No state: the task has
 * executed a program, which lives under the number of another task. */
static bool goes_first(const struct task *k)
{
	int state = k->state == TASK_KERNEL ? task_state_of(k->t.pid) : 0;

	return k->state == TASK_USER || maps(k) || state == 'R' || state == 't';
}

/* Another one runs before the system call of r->turn ends. */
static int leave(struct rec *r)
{
	int e;

	r->k = r->turn;
	r->turn = NULL;
	e = rec_put_enter(r);
	return e < 0 ? e : handle_pending(r);
}

static void give_way(unsigned n)
{
	const struct timespec pause = { 0, PAUSE_NS };

	if (n < YIELDS)
		sched_yield();
	else
		nanosleep(&pause, NULL);
}

/* The next stop. *ret is NULL if r->turn waits within its system call, and others can go on. */
static int wait_stop(struct rec *r, struct task **ret, int *status)
{
	bool look = r->turn && r->turn->state == TASK_KERNEL && r->tasks.n > 1 && sched_others(r) && !maps(r->turn);

	for (unsigned n = 0;; n++) {
		pid_t pid;

		if (look)
			give_way(n);
		pid = waitpid(-1, status, __WALL | (look ? WNOHANG : 0));
		if (pid < 0 && errno != EINTR)
			return rec_broken(r, -errno);
		if (pid < 0)
			spin_watch(r);
		*ret = pid > 0 ? task_find(r, pid) : NULL;
		if (*ret)
			return 0;
		if (pid > 0 && vec_try_push(&r->early, ((struct early){ pid, *status })) < 0)
			return rec_broken(r, -ENOMEM);
		if (pid == 0 && waits(r->turn))
			return 0;
	}
}

static int step(struct rec *r)
{
	struct task *k = NULL;
	int status = 0, e = 0;

	if (!r->turn)
		r->turn = choose(r);
	if (r->turn && r->turn->state == TASK_READY)
		e = resume(r, r->turn);
	if (e == 0)
		e = wait_stop(r, &k, &status);
	if (e < 0)
		return e;
	if (!k)
		return leave(r);
	if (k != r->turn && r->turn && goes_first(r->turn)) {
		k->status = status;
		k->state = TASK_PENDING;
		return 0;
	}
	if (k != r->turn && r->turn)
		e = leave(r);
	if (e == 0)
		e = handle(r, k, status);
	if (e == 0 && (!r->turn || r->turn->state == TASK_READY || r->turn->state == TASK_PENDING))
		e = handle_pending(r);
	if (e == 0 && r->turn && r->turn->state == TASK_READY && is_over(r))
		r->turn = NULL;
	return e;
}

int sched_run(struct rec *r)
{
	int e = resume(r, r->k);

	r->turn = r->k;
	while (e == 0 && r->tasks.n)
		e = step(r);
	return e;
}
