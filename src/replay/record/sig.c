/* SPDX-License-Identifier: Apache-2.0 */
/* Signals, and the time-stamp counter, whose reading is a signal. A handler begins where the replay can find the place:
 * at a system call, or at an instruction that faults. The frame that the kernel puts on the stack is recorded as it
 * is. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/ucontext.h>
#include <sys/wait.h>
#include <x86intrin.h>
#include "base/cleanup.h"
#include "replay/record/int.h"

#define TRAP_FLAG 0x100ull   /* TF */
#define FP_MAGIC 0x46505853u /* FP_XSTATE_MAGIC1: extended_size is there */
#define FP_SIZE 512u	     /* without it */
#define FP_SOFTWARE 464u     /* where struct _fpx_sw_bytes is (asm/sigcontext.h) */

static bool is_fault(int signo, const siginfo_t *info)
{
	return info->si_code > 0 &&
	       (signo == SIGSEGV || signo == SIGBUS || signo == SIGFPE || signo == SIGILL || signo == SIGTRAP);
}

/* Bytes of the instruction that was there before it was made to fault; 0: it was not. */
static unsigned tsc_at(const struct rec *r, uint64_t addr)
{
	for (size_t i = 0; i < r->k->space->tsc.n; i++)
		if (r->k->space->tsc.v[i].addr == addr)
			return (unsigned)r->k->space->tsc.v[i].size;
	return 0;
}

/* 0 or an error. True in *done if it was rdtsc or rdtscp. */
static int try_tsc(struct rec *r, bool *done)
{
	struct user_regs_struct regs;
	uint8_t code[3] = { 0 };
	struct ev_tsc ev;
	unsigned aux, patched;
	int e = tracee_regs(&r->k->t, &regs);

	*done = false;
	if (e < 0)
		return rec_broken(r, e);
	tracee_read(&r->k->t, regs.rip, code, sizeof(code));
	patched = tsc_at(r, regs.rip);
	if (!patched && (code[0] != 0x0f || (code[1] != 0x31 && (code[1] != 0x01 || code[2] != 0xf9))))
		return 0;
	ev = (struct ev_tsc){ .rip = regs.rip,
			      .value = __rdtscp(&aux),
			      .size = patched		? patched
				      : code[1] == 0x31 ? 2
							: 3 };
	ev.aux = aux;
	e = buf_flush(r);
	if (e < 0)
		return e;
	regs.rax = (uint32_t)ev.value;
	regs.rdx = ev.value >> 32;
	if (ev.size == 3)
		regs.rcx = ev.aux;
	regs.rip += ev.size;
	ev.size |= patched ? TSC_BY_CODE : 0;
	*done = true;
	e = tracee_set_regs(&r->k->t, &regs);
	return e < 0 ? rec_broken(r, e) : rec_event(r, EV_TSC, &ev, sizeof(ev), NULL, 0);
}

/* Is the signal in the program's mask, by the kernel's /proc/PID/status? */
static bool in_mask(struct rec *r, const char *mask, int signo)
{
	_cleanup_fclose_ FILE *f = NULL;
	char line[128], name[16];
	uint64_t set;

	snprintf(line, sizeof(line), "/proc/%d/status", (int)r->k->t.pid);
	f = fopen(line, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%15[A-Za-z]: %" SCNx64, name, &set) == 2 && !strcmp(name, mask))
			return set >> (signo - 1) & 1;
	return false;
}

/* Without a handler nothing comes of it, or of its being stopped: a recording is not stopped. */
static bool is_harmless(int signo)
{
	return signo == SIGCHLD || signo == SIGCONT || signo == SIGURG || signo == SIGWINCH || signo == SIGSTOP ||
	       signo == SIGTSTP || signo == SIGTTIN || signo == SIGTTOU;
}

/* Where the frame of a handler ends that begins at sp: after the vector registers that it keeps. */
static uint64_t frame_end(struct rec *r, uint64_t sp)
{
	uint64_t at = sp + sizeof(uint64_t) + offsetof(ucontext_t, uc_mcontext.fpregs), fp = 0;
	uint32_t software[2] = { 0, 0 };

	tracee_read(&r->k->t, at, &fp, sizeof(fp));
	if (fp < sp)
		return sp + FP_SIZE * 2;
	tracee_read(&r->k->t, fp + FP_SOFTWARE, software, sizeof(software));
	return fp + (software[0] == FP_MAGIC && software[1] <= VECTORS_MAX ? software[1] : FP_SIZE);
}

/* SIGSEGV ends the task, as there is no room for a handler's frame. */
static int end_here(struct rec *r, int signo, bool fault, uint64_t rip)
{
	int e = tracee_go(&r->k->t, PTRACE_CONT, SIGSEGV), status;

	if (e < 0)
		return rec_broken(r, e);
	status = tracee_wait(&r->k->t);
	if (status < 0)
		return rec_broken(r, status);
	if (r->k->t.pid)
		return rec_stop(r, "a handler of signal %d did not begin", signo);
	r->k->end = (struct ev_end){ .flags = fault && signo == SIGSEGV ? END_FAULT : 0, .rip = rip };
	r->k->status = status;
	return -ESRCH;
}

/* The task gets the signal, and makes one step: into the handler, or not at all. Its status, or -errno. If there is
 * no room for the frame, the kernel sends SIGSEGV; *given: what the task got last. */
static int step_in(struct rec *r, int *given)
{
	for (;;) {
		const int e = tracee_go(&r->k->t, PTRACE_SINGLESTEP, *given),
			  status = e < 0 ? e : tracee_wait(&r->k->t);

		if (status < 0 || !r->k->t.pid || WSTOPSIG(status) != SIGSEGV || *given == SIGSEGV ||
		    !in_mask(r, "SigCgt", SIGSEGV))
			return status;
		*given = SIGSEGV;
	}
}

/* The handler's first instruction: the step ends before it. */
static int deliver(struct rec *r, int signo, bool fault)
{
	struct ev_state s = { .signo = (uint32_t)signo, .fault = fault };
	struct span frame;
	int e = tracee_regs(&r->k->t, &s.regs), status, given = signo;

	s.rip = s.regs.rip;
	r->k->at_exit = false;
	if (e == 0)
		e = buf_flush(r);
	if (e == -ECANCELED)
		return e;
	status = e < 0 ? e : step_in(r, &given);
	if (status < 0)
		return rec_broken(r, status);
	if (r->k->t.pid && WSTOPSIG(status) == SIGSEGV)
		return end_here(r, signo, fault, s.rip);
	if (!r->k->t.pid) { /* no room for the frame */
		r->k->end = (struct ev_end){ .flags = fault ? END_FAULT : 0, .rip = s.rip };
		r->k->status = status;
		return -ESRCH;
	}
	if (WSTOPSIG(status) != SIGTRAP || tracee_regs(&r->k->t, &s.regs) < 0)
		return rec_stop(r, "a handler of signal %d did not begin", signo);
	frame.addr = s.regs.rsp;
	frame.size = frame_end(r, s.regs.rsp) - s.regs.rsp;
	e = rec_put_mem(r, &frame);
	return e < 0 ? e : rec_put_state(r, EV_STATE, &s);
}

static bool same_place(const struct user_regs_struct *a, const struct user_regs_struct *b)
{
	return a->rip == b->rip && a->rsp == b->rsp && a->rcx == b->rcx && a->rax == b->rax && a->r11 == b->r11 &&
	       a->rdi == b->rdi && a->rsi == b->rsi && a->rdx == b->rdx && a->rbx == b->rbx && a->rbp == b->rbp;
}

static int caught(struct rec *r, int signo, const siginfo_t *info)
{
	struct user_regs_struct regs;
	int e;

	if (is_fault(signo, info))
		return deliver(r, signo, true);
	e = tracee_regs(&r->k->t, &regs);
	if (e < 0)
		return rec_broken(r, e);
	if (r->k->at_exit && same_place(&regs, &r->k->last))
		return deliver(r, signo, false);
	for (unsigned i = 0; i < r->k->nqueue && signo < SIGRTMIN; i++)
		if (r->k->queue[i].si_signo == signo)
			return 0; /* as the kernel does with one that waits already */
	if (r->k->nqueue == REC_SIGNALS)
		return rec_stop(r, "more than %u signals wait for a system call of the program", REC_SIGNALS);
	r->k->queue[r->k->nqueue++] = *info;
	return buf_switch(r, false); /* the next call is to be traced */
}

/* The trap flag of the recorder's own steps has stayed with the task, and it has stopped once more: none of the
 * program's. */
static bool is_left_step(struct rec *r, int signo, const siginfo_t *info)
{
	struct user_regs_struct regs;

	if (signo != SIGTRAP || info->si_code != TRAP_TRACE || !r->k->spin.stepped ||
	    tracee_regs(&r->k->t, &regs) < 0 || !(regs.eflags & TRAP_FLAG))
		return false;
	regs.eflags &= ~TRAP_FLAG;
	r->k->spin.stepped = r->k->at_exit = r->k->leaves = false;
	return tracee_set_regs(&r->k->t, &regs) == 0;
}

int rec_signal(struct rec *r, int signo, int *pass)
{
	struct user_regs_struct regs;
	siginfo_t info;
	bool done = false;
	int e = 0;

	if (ptrace(PTRACE_GETSIGINFO, r->k->t.pid, 0, &info) < 0)
		return errno == EINVAL ? 0 : rec_broken(r, -errno); /* EINVAL: it has been stopped as a group */
	if (is_left_step(r, signo, &info))
		return 0;
	if ((signo == SIGSEGV || signo == SIGILL) && is_fault(signo, &info))
		e = try_tsc(r, &done);
	r->k->leaves = done;
	if (e < 0 || done)
		return e;
	if (in_mask(r, "SigCgt", signo))
		return caught(r, signo, &info);
	if (!is_fault(signo, &info) && (in_mask(r, "SigIgn", signo) || is_harmless(signo)))
		return 0;
	e = tracee_regs(&r->k->t, &regs);
	if (e < 0)
		return rec_broken(r, e);
	r->k->end.flags = is_fault(signo, &info) ? END_FAULT : 0;
	r->k->end.rip = regs.rip;
	*pass = signo;
	return r->k->end.flags & END_FAULT ? buf_flush(r) : 0;
}

/* The place of a signal in the queue that is not blocked; -1: none. */
static int find_due(struct rec *r)
{
	uint64_t blocked = 0;

	if (!r->k->nqueue || ptrace(PTRACE_GETSIGMASK, r->k->t.pid, sizeof(blocked), &blocked) < 0)
		return -1;
	for (unsigned i = 0; i < r->k->nqueue; i++)
		if (!(blocked >> (r->k->queue[i].si_signo - 1) & 1))
			return (int)i;
	return -1;
}

bool rec_due(struct rec *r)
{
	return find_due(r) >= 0;
}

static bool take_due(struct rec *r, siginfo_t *ret)
{
	int i = find_due(r);

	if (i < 0)
		return false;
	*ret = r->k->queue[i];
	memmove(&r->k->queue[i], &r->k->queue[i + 1], (--r->k->nqueue - (unsigned)i) * sizeof(*ret));
	return true;
}

int rec_deliver_here(struct rec *r)
{
	siginfo_t info;

	if (!take_due(r, &info))
		return 0;
	if (ptrace(PTRACE_SETSIGINFO, r->k->t.pid, 0, &info) < 0)
		return rec_broken(r, -errno);
	return deliver(r, info.si_signo, false);
}

int rec_deliver_queued(struct rec *r)
{
	int e, status;
	siginfo_t info;

	if (!take_due(r, &info))
		return rec_stop(r, "a signal that waited is blocked now");
	e = tracee_go(&r->k->t, PTRACE_SYSCALL, info.si_signo);
	if (e < 0)
		return rec_broken(r, e);
	status = tracee_wait(&r->k->t);
	if (status >= 0 && r->k->t.pid && r->k->spin.poked && WSTOPSIG(status) == SIGSTOP) { /* the recorder's own */
		r->k->spin.poked = false;
		e = tracee_go(&r->k->t, PTRACE_SYSCALL, 0);
		if (e < 0)
			return rec_broken(r, e);
		status = tracee_wait(&r->k->t);
	}
	if (status < 0)
		return rec_broken(r, status);
	if (!r->k->t.pid) {
		r->k->status = status;
		return -ESRCH;
	}
	if (WSTOPSIG(status) != info.si_signo) /* another one came between */
		return rec_stop(r, "signal %d came while signal %d was delivered", WSTOPSIG(status), info.si_signo);
	if (ptrace(PTRACE_SETSIGINFO, r->k->t.pid, 0, &info) < 0)
		return rec_broken(r, -errno);
	return deliver(r, info.si_signo, false);
}
