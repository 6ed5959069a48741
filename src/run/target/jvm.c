/* SPDX-License-Identifier: Apache-2.0 */
/* Lets a command run on until it has made a JVM, and holds the thread that made it there: no method of the program has
 * run, and the JVM's other threads run, so that an agent can be loaded. Three places follow each other: the dynamic
 * linker's call after it has mapped a library, until libjvm.so is there; the beginning of JNI_CreateJavaVM; and where
 * that returns to. The launcher calls it in a thread of its own. Source: ptrace(2); OpenJDK 17, java.base/share/
 * native/libjli/java.c (JavaMain). */
#include <elf.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/vec.h"
#include "run/os/signals.h"
#include "run/target/int.h"
#include "sym/sym.h"

#define JVM_WAIT_MS 60000u /* for the JVM to be made: a script may do much before */
#define JVM_STEP_MS 1
#define LIBJVM "libjvm.so"
#define OPTIONS (PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEEXEC)
/* A stop that ptrace alone makes, in the upper half of the status. */
#define EVENT_OF(status) ((status) >> 16)

enum place { LINKER, CREATE, CREATED };

struct hunt {
	struct target *t;
	struct sym *sym;
	VEC(pid_t) tids; /* threads that are traced */
	enum place at;
	struct breakpoint b; /* at that place; addr 0: none */
	uint64_t deadline;
	bool failed; /* JNI_CreateJavaVM has returned an error */
};

/* The registers that are wanted of a thread. */
struct regs {
	uint64_t pc, ret, result; /* ret: where a function that begins here returns to */
};

#if defined(__aarch64__)
static int read_regs(pid_t tid, struct regs *ret)
{
	struct user_regs_struct u;
	struct iovec io = { &u, sizeof(u) };

	if (ptrace(PTRACE_GETREGSET, tid, (void *)(uintptr_t)NT_PRSTATUS, &io) < 0)
		return -errno;
	*ret = (struct regs){ .pc = u.pc, .ret = u.regs[30], .result = u.regs[0] };
	return 0;
}
#else
static int read_regs(pid_t tid, struct regs *ret)
{
	struct user_regs_struct u;

	if (ptrace(PTRACE_GETREGS, tid, NULL, &u) < 0)
		return -errno;
	errno = 0;
	*ret = (struct regs){ .pc = u.rip - 1, /* the trap is after the breakpoint */
			      .ret = (uint64_t)ptrace(PTRACE_PEEKDATA, tid, (void *)(uintptr_t)u.rsp, NULL),
			      .result = u.rax };
	return -errno;
}
#endif

static int set(struct hunt *h, pid_t tid, enum place at, uint64_t addr)
{
	h->at = at;
	return breakpoint_set(tid, addr, &h->b);
}

static void forget(struct hunt *h, pid_t tid)
{
	for (size_t i = 0; i < h->tids.n; i++)
		if (h->tids.v[i] == tid)
			h->tids.v[i--] = h->tids.v[--h->tids.n];
}

static int go_on(pid_t tid, int sig)
{
	return ptrace(PTRACE_CONT, tid, NULL, (void *)(intptr_t)sig) < 0 && errno != ESRCH ? -errno : 0;
}

/* Waits until a thread stops by the signal `wanted`: SIGSTOP that was sent to it, or SIGTRAP after a step. It gets its
 * other signals. -ESRCH: it has ended. */
static int stop_of(pid_t tid, enum __ptrace_request how, int wanted)
{
	int status;

	for (;;) {
		if (waitpid(tid, &status, __WALL) < 0) {
			if (errno == EINTR)
				continue;
			return -ESRCH;
		}
		if (!WIFSTOPPED(status))
			return -ESRCH;
		if (WSTOPSIG(status) == wanted && !EVENT_OF(status))
			return 0;
		if (ptrace(how, tid, NULL, (void *)(intptr_t)(EVENT_OF(status) ? 0 : WSTOPSIG(status))) < 0)
			return -ESRCH;
	}
}

/* Lets all threads but one go on without us. Threads that it makes are not traced. */
static int leave_others(struct hunt *h, pid_t tid)
{
	for (size_t i = 0; i < h->tids.n; i++) {
		pid_t other = h->tids.v[i];

		if (other == tid || syscall(SYS_tgkill, h->t->pid, other, SIGSTOP) < 0)
			continue;
		if (stop_of(other, PTRACE_CONT, SIGSTOP) == 0)
			ptrace(PTRACE_DETACH, other, NULL, NULL);
	}
	h->tids.n = 0; /* there was room for them */
	h->tids.v[h->tids.n++] = tid;
	if (tid != h->t->pid)
		h->tids.v[h->tids.n++] = h->t->pid; /* its end is that of the process */
	return ptrace(PTRACE_SETOPTIONS, tid, NULL, NULL) < 0 ? -errno : 0;
}

/* After a library was mapped, or before. */
static int at_linker(struct hunt *h, pid_t tid)
{
	uint64_t create, linker = h->b.addr;
	int r = target_function(h->t->pid, h->sym, LIBJVM, "JNI_CreateJavaVM", &create);

	if (r == 0)
		return set(h, tid, CREATE, create);
	if (ptrace(PTRACE_SINGLESTEP, tid, NULL, NULL) < 0)
		return -errno;
	r = stop_of(tid, PTRACE_SINGLESTEP, SIGTRAP);
	return r < 0 ? r : set(h, tid, LINKER, linker);
}

/* *ret: the JVM is there. */
static int at_breakpoint(struct hunt *h, pid_t tid, const struct regs *regs, bool *ret)
{
	int r = breakpoint_clear(tid, &h->b);

	if (r < 0)
		return r;
	if (h->at == LINKER) {
		r = at_linker(h, tid);
	} else if (h->at == CREATE) {
		r = leave_others(h, tid);
		if (r == 0)
			r = set(h, tid, CREATED, regs->ret);
	} else {
		h->failed = (int32_t)regs->result != 0;
		h->t->tid = tid;
		*ret = true;
		return 0;
	}
	return r < 0 ? r : go_on(tid, 0);
}

/* A program anew: the process is as after the first exec. */
static int begin(struct hunt *h, pid_t tid)
{
	uint64_t linker;
	int r = target_linker(h->t->pid, h->sym, &linker);

	h->tids.n = 0;
	h->b.addr = 0;
	h->at = LINKER;
	if (vec_try_push(&h->tids, tid) < 0)
		return -ENOMEM;
	if (r == 0)
		r = set(h, tid, LINKER, linker);
	if (r == -ENOENT) /* it cannot load a library, but may execute another program */
		r = 0;
	if (r == 0 && ptrace(PTRACE_SETOPTIONS, tid, NULL, (void *)(uintptr_t)OPTIONS) < 0)
		r = -errno;
	return r;
}

/* A process that was forked has the breakpoint, too. It goes on without us. */
static int at_fork(struct hunt *h, pid_t child)
{
	struct breakpoint copy = h->b;

	if (stop_of(child, PTRACE_CONT, SIGSTOP) < 0)
		return 0;
	if (copy.addr)
		breakpoint_take_out(child, &copy);
	return ptrace(PTRACE_DETACH, child, NULL, NULL) < 0 && errno != ESRCH ? -errno : 0;
}

static int at_event(struct hunt *h, pid_t tid, int event)
{
	unsigned long child = 0;
	int r = 0;

	if (event == PTRACE_EVENT_EXEC) {
		r = begin(h, tid);
	} else if (event == PTRACE_EVENT_CLONE || event == PTRACE_EVENT_FORK) {
		if (ptrace(PTRACE_GETEVENTMSG, tid, NULL, &child) < 0)
			return errno == ESRCH ? 0 : -errno;
		r = event == PTRACE_EVENT_FORK ? at_fork(h, (pid_t)child) : vec_try_push(&h->tids, (pid_t)child);
	}
	return r < 0 ? r : go_on(tid, 0);
}

/* A thread has stopped or ended. -ECHILD: the process has ended. */
static int see(struct hunt *h, pid_t tid, int status, bool *ret)
{
	struct regs regs = { 0 };
	int sig;

	if (!WIFSTOPPED(status)) {
		forget(h, tid);
		if (tid != h->t->pid)
			return 0;
		h->t->stopped = false;
		h->t->ended = h->t->known = true;
		h->t->status = status;
		return -ECHILD;
	}
	sig = WSTOPSIG(status);
	if (EVENT_OF(status))
		return at_event(h, tid, EVENT_OF(status));
	if (sig == SIGTRAP && h->b.addr && read_regs(tid, &regs) == 0 && regs.pc == h->b.addr)
		return at_breakpoint(h, tid, &regs, ret);
	return go_on(tid, sig == SIGSTOP && tid != h->t->pid ? 0 : sig); /* a new thread begins with a stop */
}

static int look_round(struct hunt *h, bool *ret_any, bool *ret)
{
	int r = 0;

	*ret_any = false;
	for (size_t i = 0; i < h->tids.n && r == 0 && !*ret; i++) {
		pid_t tid = h->tids.v[i];
		int status;

		if (waitpid(tid, &status, __WALL | WNOHANG) != tid)
			continue;
		*ret_any = true;
		r = see(h, tid, status, ret);
	}
	return r;
}

static int run(struct hunt *h)
{
	bool any, found = false;
	int r = begin(h, h->t->pid);

	if (r == 0)
		r = go_on(h->t->pid, 0);
	while (r == 0 && !found) {
		r = look_round(h, &any, &found);
		if (r == 0 && !any && !found) {
			if (signals_pending())
				return -EINTR;
			if (clock_ns(CLOCK_MONOTONIC) > h->deadline)
				return -ETIMEDOUT;
			poll(NULL, 0, JVM_STEP_MS);
		}
	}
	return r;
}

/* Threads that are traced are waited for: without that the process does not end. */
static void end(struct hunt *h)
{
	kill(h->t->pid, SIGKILL);
	for (size_t i = 0; i < h->tids.n; i++)
		if (h->tids.v[i] != h->t->pid)
			waitpid(h->tids.v[i], NULL, __WALL);
}

int target_run_to_jvm(struct target *t, struct sym *sym, struct err *err)
{
	struct hunt h = { .t = t, .sym = sym, .deadline = clock_ns(CLOCK_MONOTONIC) + JVM_WAIT_MS * 1000000ull };
	char how[TARGET_HOW_MAX];
	int r = run(&h), pid = (int)t->pid;

	if (r < 0 && r != -ECHILD)
		end(&h);
	vec_free(&h.tids);
	if (r == 0 && h.failed)
		return err_set(err, -ECHILD, "the JVM of process %d does not start", pid);
	if (r == -ECHILD) {
		target_failed(t, how, sizeof(how));
		return err_set(err, r, "process %d has ended before a JVM was there: it %s%s", pid,
			       strncmp(how, "term", 4) ? "" : "was ", how);
	}
	if (r == -ETIMEDOUT)
		return err_set(err, r,
			       "process %d has not become a JVM in %u s: a JVM that it starts as another "
			       "process is none of it (exec java ...)",
			       pid, JVM_WAIT_MS / 1000);
	return r < 0 ? err_set(err, r, "cannot run process %d until it has a JVM: %s", pid, strerror(-r)) : 0;
}
