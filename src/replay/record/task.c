/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks: threads and processes that the program makes, what they share, and their ends. */
#include <asm/unistd.h>
#include <errno.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <signal.h>
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

#define ROBUST_MAX 2048u /* ROBUST_LIST_LIMIT: locks that the kernel looks at when a thread ends */
#define END_PAUSE 20000	 /* ns between two looks at a thread that ends */
/* Others put the task where its memory or its process numbers are not what the recording knows. */
#define FLAGS_KNOWN \
	(CSIGNAL | CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_PIDFD | CLONE_VFORK | CLONE_PARENT | \
	 CLONE_THREAD | CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID | CLONE_DETACHED | \
	 CLONE_CHILD_SETTID | CLONE_IO | CLONE_CLEAR_SIGHAND)

static void put_space(struct space *s)
{
	if (!s || --s->refs)
		return;
	if (s->mem >= 0)
		close(s->mem);
	vec_free(&s->mapped);
	vec_free(&s->tsc);
	free(s);
}

static struct space *new_space(void)
{
	struct space *s = calloc(1, sizeof(*s));

	if (s)
		*s = (struct space){ .refs = 1, .mem = -1 };
	return s;
}

/* Mappings of files are the same in a copy. */
static struct space *copy_space(const struct space *from)
{
	struct space *s = new_space();
	bool ok = s;

	if (ok) {
		s->stub = from->stub;
		s->off = from->off;
		s->nsites = from->nsites;
		memcpy(s->hot, from->hot, sizeof(s->hot));
	}
	for (size_t i = 0; ok && i < from->mapped.n; i++)
		ok = vec_try_push(&s->mapped, from->mapped.v[i]) == 0;
	for (size_t i = 0; ok && i < from->tsc.n; i++)
		ok = vec_try_push(&s->tsc, from->tsc.v[i]) == 0;
	if (!ok) {
		put_space(s);
		return NULL;
	}
	return s;
}

static struct fds *new_fds(const struct fds *from)
{
	struct fds *f = calloc(1, sizeof(*f));

	if (f && from)
		*f = *from;
	if (f)
		f->refs = 1;
	return f;
}

static void put_fds(struct fds *f)
{
	if (f && --f->refs == 0)
		free(f);
}

struct task *task_new(struct rec *r, pid_t pid, const struct task *from, uint64_t flags)
{
	struct task *k = calloc(1, sizeof(*k));

	if (!k)
		return NULL;
	k->t = (struct tracee){ .pid = pid, .mem = -1 };
	k->id = r->ids++;
	if (from && (flags & CLONE_FILES))
		(k->fds = from->fds)->refs++;
	else
		k->fds = new_fds(from ? from->fds : NULL);
	if (from && (flags & CLONE_VM))
		(k->space = from->space)->refs++;
	else
		k->space = from ? copy_space(from->space) : new_space();
	if (k->space)
		k->t.mem = k->space->mem;
	if (k->space && from && !(flags & CLONE_VM) != !(flags & CLONE_FILES)) {
		k->mixed = true;
		from->space->mixed++;
	}
	if (!k->fds || !k->space || vec_try_push(&r->tasks, k) < 0) {
		put_fds(k->fds);
		put_space(k->space);
		free(k);
		return NULL;
	}
	return k;
}

/* It no longer shares the memory. One that shares descriptors only may do so until the end of all. */
static void leave_mixed(struct task *k)
{
	if (k->mixed && k->space->mixed)
		k->space->mixed--;
	k->mixed = false;
}

void task_free(struct rec *r, struct task *k)
{
	size_t i = 0;

	while (r->tasks.v[i] != k)
		i++;
	memmove(&r->tasks.v[i], &r->tasks.v[i + 1], (--r->tasks.n - i) * sizeof(k));
	if (k->t.pid > 0)
		kill(k->t.pid, SIGKILL);
	if (r->turn == k)
		r->turn = NULL;
	if (r->k == k)
		r->k = NULL;
	leave_mixed(k);
	put_fds(k->fds);
	put_space(k->space);
	free(k);
}

struct task *task_find(struct rec *r, pid_t pid)
{
	if (r->turn && r->turn->t.pid == pid)
		return r->turn;
	for (size_t i = 0; i < r->tasks.n; i++)
		if (r->tasks.v[i]->t.pid == pid)
			return r->tasks.v[i];
	return NULL;
}

static int end_as(struct rec *r, int status, bool other)
{
	struct ev_end end = r->k->end;
	int e;

	end.status = status;
	if (WIFEXITED(status))
		end.flags = 0;
	if (other)
		end.flags |= END_OTHER;
	e = rec_event(r, EV_END, &end, sizeof(end), NULL, 0);
	task_free(r, r->k);
	return e;
}

int task_ended(struct rec *r, int status, pid_t pid)
{
	if (pid == r->first)
		r->result.status = status;
	return end_as(r, status, pid != r->first);
}

static int clone3_args(struct rec *r, struct fork_args *f)
{
	const uint64_t *a = &r->k->call.regs[R_A0];
	struct clone_args c = { 0 };
	size_t n = a[1] < sizeof(c) ? a[1] : sizeof(c);

	if (tracee_read(&r->k->t, a[0], &c, n) != n)
		return 0; /* the call fails */
	if (c.set_tid_size || c.cgroup)
		return rec_stop(r, "clone3 with set_tid or cgroup cannot be recorded");
	*f = (struct fork_args){ c.flags, c.parent_tid, c.child_tid, c.pidfd, c.child_tid };
	return 0;
}

int task_fork_entry(struct rec *r)
{
	const uint64_t *a = &r->k->call.regs[R_A0];
	struct fork_args f = { 0 };
	char buf[32];
	int e = 0;

	switch (r->k->call.regs[R_NR]) {
	case __NR_vfork: f.flags = CLONE_VM | CLONE_VFORK; break;
	case __NR_clone: f = (struct fork_args){ a[0] & UINT32_MAX, a[2], a[3], a[2], a[3] }; break;
	case __NR_clone3: e = clone3_args(r, &f); break;
	default: break;
	}
	if (e == 0 && (f.flags & ~(uint64_t)FLAGS_KNOWN))
		return rec_stop(r, "%s with flags 0x%llx cannot be recorded (known are 0x%llx)",
				policy_name(r->k->call.regs[R_NR], buf), (unsigned long long)f.flags,
				(unsigned long long)FLAGS_KNOWN);
	if (e == 0 && r->tasks.n >= TASKS_MAX)
		return rec_stop(r, "more than %u threads and processes at a time cannot be recorded", TASKS_MAX);
	if (!(f.flags & CLONE_PARENT_SETTID))
		f.parent_tid = 0;
	if (!(f.flags & CLONE_CHILD_SETTID))
		f.child_tid = 0;
	if (!(f.flags & CLONE_PIDFD))
		f.pidfd = 0;
	if (!(f.flags & CLONE_CHILD_CLEARTID))
		f.clear_tid = 0;
	r->k->fork = f;
	if (e == 0 && !(f.flags & CLONE_VM) != !(f.flags & CLONE_FILES))
		e = buf_switch(r, false);
	return e;
}

/* The first stop of the new task: nothing of it has run. Its status, or -errno. */
static int first_stop(struct rec *r, pid_t pid)
{
	int status;

	for (size_t i = 0; i < r->early.n; i++)
		if (r->early.v[i].pid == pid) {
			status = r->early.v[i].status;
			r->early.v[i] = r->early.v[--r->early.n];
			return status;
		}
	while (waitpid(pid, &status, __WALL) < 0)
		if (errno != EINTR)
			return -errno;
	return status;
}

static int put_number(struct rec *r, uint64_t addr)
{
	const struct span s = { addr, sizeof(uint32_t) };

	return addr ? rec_put_mem(r, &s) : 0;
}

/* The state that the new task begins with. */
static int put_start(struct rec *r, int status)
{
	struct task *k = r->k;
	struct ev_state s = { .rip = 0 };
	int e = 0;

	if (WIFEXITED(status) || WIFSIGNALED(status)) {
		pid_t pid = k->t.pid;

		k->t.pid = 0;
		return task_ended(r, status, pid);
	}
	if (k->space->mem < 0) {
		e = tracee_open(&k->t);
		k->space->mem = k->t.mem;
	}
	if (e == 0)
		e = tracee_regs(&k->t, &s.regs);
	if (e < 0)
		return rec_broken(r, e);
	e = put_number(r, k->fork.child_tid);
	if (e == 0)
		e = rec_put_name(r);
	return e < 0 ? e : rec_put_state(r, EV_STATE, &s);
}

int task_forked(struct rec *r)
{
	struct task *parent = r->k, *k;
	unsigned long pid = 0;
	struct ev_fork ev = { .shares = !!(parent->fork.flags & CLONE_VM) };
	int e = rec_put_enter(r), status;

	if (e == 0 && ptrace(PTRACE_GETEVENTMSG, parent->t.pid, 0, &pid) < 0)
		return rec_broken(r, -errno);
	if (e < 0)
		return e;
	status = first_stop(r, (pid_t)pid);
	if (status < 0)
		return rec_broken(r, status);
	k = task_new(r, (pid_t)pid, parent, parent->fork.flags);
	if (!k)
		return rec_broken(r, -ENOMEM);
	k->fork = parent->fork;
	k->clear_tid = parent->fork.clear_tid;
	ev.task = k->id;
	e = put_number(r, parent->fork.parent_tid);
	if (e == 0)
		e = put_number(r, parent->fork.pidfd);
	if (e == 0)
		e = rec_event(r, EV_FORK, &ev, sizeof(ev), NULL, 0);
	r->k = k;
	if (e == 0)
		e = put_start(r, status);
	r->k = parent;
	return e == -ESRCH ? 0 : e;
}

void task_follow(struct task *k)
{
	if (k->call.ret < 0)
		return;
	if (k->call.regs[R_NR] == __NR_set_tid_address)
		k->clear_tid = k->call.regs[R_A0];
	else if (k->call.regs[R_NR] == __NR_set_robust_list)
		k->robust = k->call.regs[R_A0];
}

/* Words that the kernel may write to when the thread ends. */
static void words_at_end(struct task *k, struct spans *ret)
{
	struct robust_list_head h;
	uint64_t at, n = 0;

	ret->failed = k->clear_tid && vec_try_push(&ret->v, ((struct span){ k->clear_tid, 4 })) < 0;
	if (!k->robust || tracee_read(&k->t, k->robust, &h, sizeof(h)) != sizeof(h))
		return;
	at = (uint64_t)(uintptr_t)h.list_op_pending & ~1ull;
	if (at && vec_try_push(&ret->v, ((struct span){ at + (uint64_t)h.futex_offset, 4 })) < 0)
		ret->failed = true;
	for (at = (uint64_t)(uintptr_t)h.list.next & ~1ull; at != k->robust && n < ROBUST_MAX; n++) {
		if (vec_try_push(&ret->v, ((struct span){ at + (uint64_t)h.futex_offset, 4 })) < 0)
			ret->failed = true;
		if (tracee_read(&k->t, at, &at, sizeof(at)) != sizeof(at))
			break;
		at &= ~1ull;
	}
}

/* Until it is gone, though nobody may have waited for it: the first thread of a process is not waited for as long as
 * it has others. */
static void wait_gone(pid_t pid)
{
	const struct timespec pause = { 0, END_PAUSE };
	int state;

	while ((state = task_state_of(pid)) != 'Z' && state != 'X' && state != 0)
		nanosleep(&pause, NULL);
}

/* The end of a thread shows in the memory that others go on with. */
static int exits_shared(struct rec *r)
{
	struct task *k = r->k;
	struct spans s = { 0 };
	int e;

	words_at_end(k, &s);
	e = s.failed ? rec_broken(r, -ENOMEM) : tracee_go(&k->t, PTRACE_CONT, 0);
	if (e == 0)
		wait_gone(k->t.pid);
	for (size_t i = 0; i < s.v.n && e == 0; i++)
		e = rec_put_mem(r, &s.v.v[i]);
	vec_free(&s.v);
	if (e == 0)
		e = rec_event(r, EV_CALL, &k->call, sizeof(k->call), NULL, 0);
	return e < 0 ? e : -ESRCH;
}

int task_exits(struct rec *r)
{
	struct task *k = r->k;

	k->call.how = HOW_ENTRY;
	r->result.calls++;
	if (k->space->refs > 1 && (k->clear_tid || k->robust))
		return exits_shared(r);
	return rec_event(r, EV_CALL, &k->call, sizeof(k->call), NULL, 0);
}

/* Another thread than the first has executed a program: it gets the process's number, and the first one is gone. */
static int take_process(struct rec *r)
{
	struct task *first = r->k, *k;
	unsigned long old = 0;

	if (ptrace(PTRACE_GETEVENTMSG, first->t.pid, 0, &old) < 0 || (pid_t)old == first->t.pid)
		return 0;
	k = task_find(r, (pid_t)old);
	if (!k)
		return rec_broken(r, -ESRCH);
	k->t.pid = first->t.pid;
	first->t.pid = 0;
	if (end_as(r, 0, true) < 0)
		return -EIO;
	r->k = k;
	return 0;
}

int task_executes(struct rec *r)
{
	struct space *s = new_space();
	struct fds *f;
	int e = take_process(r);

	if (e < 0) {
		put_space(s);
		return e;
	}
	f = new_fds(r->k->fds);
	if (!s || !f) {
		put_space(s);
		put_fds(f);
		return rec_broken(r, -ENOMEM);
	}
	r->k->nqueue = 0;
	if (r->k->call.how != HOW_KINDS) {
		r->k->call.how = HOW_ENTRY;
		r->k->call.took = clock_ns(CLOCK_MONOTONIC) - r->head.mono_ns - r->k->call.ns;
		r->result.calls++;
		e = rec_event(r, EV_CALL, &r->k->call, sizeof(r->k->call), NULL, 0);
	}
	leave_mixed(r->k);
	put_space(r->k->space);
	put_fds(r->k->fds);
	r->k->space = s;
	r->k->fds = f;
	r->k->t.mem = -1;
	r->k->clear_tid = r->k->robust = 0;
	r->k->inside = true;
	r->k->call.how = HOW_KINDS;
	return e;
}
