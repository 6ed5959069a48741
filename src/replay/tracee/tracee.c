/* SPDX-License-Identifier: Apache-2.0 */
#include "replay/tracee/tracee.h"
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/clock.h"
#include "replay/tracee/breaks.h"

int tracee_open(struct tracee *t)
{
	char path[32];

	if (t->mem >= 0)
		close(t->mem);
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)t->pid);
	t->mem = open(path, O_RDWR | O_CLOEXEC);
	return t->mem < 0 ? -errno : 0;
}

void tracee_close(struct tracee *t)
{
	if (t->mem >= 0)
		close(t->mem);
	t->mem = -1;
	if (t->pid > 0) {
		kill(t->pid, SIGKILL);
		while (waitpid(t->pid, NULL, __WALL) < 0 && errno == EINTR)
			;
	}
	t->pid = 0;
}

int tracee_go(struct tracee *t, int request, int signo)
{
	t->request = request;
	return ptrace((enum __ptrace_request)request, t->pid, 0, signo) < 0 ? -errno : 0;
}

static void on_timer(int signo)
{
	(void)signo; /* it interrupts waitpid() */
}

static struct timeval timeval_of(uint64_t ns)
{
	return (struct timeval){ (time_t)(ns / NSEC_PER_SEC), (suseconds_t)(ns % NSEC_PER_SEC / 1000) };
}

void tracee_timer(uint64_t first, uint64_t again)
{
	const struct sigaction a = { .sa_handler = on_timer };
	const struct itimerval t = { timeval_of(again), timeval_of(first) };

	sigaction(SIGALRM, &a, NULL);
	setitimer(ITIMER_REAL, &t, NULL);
}

bool tracee_is_poke(const struct tracee *t, int status)
{
	return t->poked && WIFSTOPPED(status) && status >> 8 == SIGSTOP;
}

int tracee_waited(struct tracee *t, int status)
{
	if (WIFEXITED(status) || WIFSIGNALED(status))
		t->pid = 0;
	return status;
}

int tracee_wait(struct tracee *t)
{
	int status;

	for (;;) {
		if (waitpid(t->pid, &status, __WALL) < 0) {
			if (errno != EINTR)
				return -errno;
			continue;
		}
		if (!tracee_is_poke(t, status))
			break;
		t->poked = false;
		if (tracee_go(t, t->request, 0) < 0)
			return -errno;
	}
	return tracee_waited(t, status);
}

int tracee_regs(struct tracee *t, struct user_regs_struct *ret)
{
	return ptrace(PTRACE_GETREGS, t->pid, 0, ret) < 0 ? -errno : 0;
}

int tracee_set_regs(struct tracee *t, const struct user_regs_struct *r)
{
	return ptrace(PTRACE_SETREGS, t->pid, 0, r) < 0 ? -errno : 0;
}

bool tracee_same_regs(const struct user_regs_struct *a, const struct user_regs_struct *b)
{
	struct user_regs_struct x = *a, y = *b;

	x.orig_rax = y.orig_rax;
	x.eflags &= ~TRACEE_FLAGS;
	y.eflags &= ~TRACEE_FLAGS;
	return memcmp(&x, &y, sizeof(x)) == 0;
}

ssize_t tracee_vectors(struct tracee *t, uint8_t buf[VECTORS_MAX])
{
	struct iovec v = { buf, VECTORS_MAX };

	return ptrace(PTRACE_GETREGSET, t->pid, NT_X86_XSTATE, &v) < 0 ? -errno : (ssize_t)v.iov_len;
}

int tracee_set_vectors(struct tracee *t, const void *bytes, size_t n)
{
	struct iovec v = { (void *)(uintptr_t)bytes, n };

	return ptrace(PTRACE_SETREGSET, t->pid, NT_X86_XSTATE, &v) < 0 ? -errno : 0;
}

size_t tracee_peek(struct tracee *t, uint64_t addr, void *buf, size_t n)
{
	size_t done = 0;

	while (done < n && addr + done <= INT64_MAX) {
		ssize_t r = pread(t->mem, (char *)buf + done, n - done, (off_t)(addr + done));

		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0)
			break;
		done += (size_t)r;
	}
	return done;
}

size_t tracee_read(struct tracee *t, uint64_t addr, void *buf, size_t n)
{
	n = tracee_peek(t, addr, buf, n);
	breaks_hide(t->breaks, addr, buf, n);
	return n;
}

int tracee_poke(struct tracee *t, uint64_t addr, const void *buf, size_t n)
{
	size_t done = 0;

	if (addr > INT64_MAX)
		return -EFAULT;
	while (done < n) {
		ssize_t r = pwrite(t->mem, (const char *)buf + done, n - done, (off_t)(addr + done));

		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0)
			return r < 0 ? -errno : -EFAULT;
		done += (size_t)r;
	}
	return 0;
}

int tracee_write(struct tracee *t, uint64_t addr, const void *buf, size_t n)
{
	int e = tracee_poke(t, addr, buf, n);

	return e < 0 ? e : breaks_written(t->breaks, t, addr, n);
}

#define INJECT_STOPS 8 /* more than these are between it and its result: something else happens to the process */

static int set_call(struct tracee *t, uint64_t at, long nr, const uint64_t args[6])
{
	struct user_regs_struct r;
	int e = tracee_regs(t, &r);

	r.rip = at;
	r.rax = (unsigned long long)nr;
	r.orig_rax = ~0ull; /* no system call that would begin anew */
	r.rdi = args[0];
	r.rsi = args[1];
	r.rdx = args[2];
	r.r10 = args[3];
	r.r8 = args[4];
	r.r9 = args[5];
	return e == 0 ? tracee_set_regs(t, &r) : e;
}

long tracee_inject_quick(struct tracee *t, uint64_t at, long nr, const uint64_t args[6], int *error)
{
	struct user_regs_struct r;

	*error = set_call(t, at, nr, args);
	for (int i = 0; i < INJECT_STOPS && *error == 0; i++) {
		int status;

		*error = tracee_go(t, PTRACE_SINGLESTEP, 0);
		status = *error == 0 ? tracee_wait(t) : *error;
		if (status < 0 || !t->pid) {
			*error = status < 0 ? status : -ESRCH;
			continue;
		}
		*error = tracee_regs(t, &r);
		if (r.rip == at + 2)
			return (long)r.rax;
	}
	if (*error == 0)
		*error = -EIO;
	return -1;
}

long tracee_inject(struct tracee *t, uint64_t at, long nr, const uint64_t args[6], int *error)
{
	struct user_regs_struct r;
	bool inside = false;

	*error = set_call(t, at, nr, args);
	for (int i = 0; i < INJECT_STOPS && *error == 0; i++) {
		int status;

		*error = tracee_go(t, PTRACE_SYSCALL, 0);
		status = *error == 0 ? tracee_wait(t) : *error;
		if (status < 0 || !t->pid) {
			*error = status < 0 ? status : -ESRCH;
		} else if (WSTOPSIG(status) == SYSCALL_STOP) {
			*error = tracee_regs(t, &r);
			if (inside)
				return (long)r.rax;
			inside = r.rip == at + 2; /* else: the end of the call before */
		}
	}
	if (*error == 0)
		*error = -EIO;
	return -1;
}

void tracee_call_regs(const struct user_regs_struct *r, uint64_t ret[CALL_REGS])
{
	const uint64_t all[CALL_REGS] = {
		[R_NR] = r->orig_rax,  [R_A0] = r->rdi,	    [R_A1] = r->rsi,	 [R_A2] = r->rdx,  [R_A3] = r->r10,
		[R_A4] = r->r8,	       [R_A5] = r->r9,	    [R_RIP] = r->rip,	 [R_RSP] = r->rsp, [R_RBX] = r->rbx,
		[R_RBP] = r->rbp,      [R_R12] = r->r12,    [R_R13] = r->r13,	 [R_R14] = r->r14, [R_R15] = r->r15,
		[R_FLAGS] = r->eflags, [R_FS] = r->fs_base, [R_GS] = r->gs_base,
	};

	for (int i = 0; i < CALL_REGS; i++)
		ret[i] = all[i];
}
