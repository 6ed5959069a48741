/* SPDX-License-Identifier: Apache-2.0 */
/* Starts the program and looks after it until it ends. PTRACE_SYSCALL stops it at each system call's beginning and end.
 * Every call is recorded, so a seccomp filter would spare no stop, and would take the program's privileges to execute
 * others. */
#include "replay/record/int.h"
#include <errno.h>
#include <stdlib.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "replay/trace/features.h"

int rec_stop(struct rec *r, const char *fmt, ...)
{
	char text[ERR_MSG_MAX / 2];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return err_set(r->e, -ECANCELED, "%s (after %llu system calls); the program is killed", text,
		       (unsigned long long)r->result.calls);
}

int rec_broken(struct rec *r, int error)
{
	if (error == -ESRCH) /* killed meanwhile: its end is to be waited for */
		return error;
	return err_set(r->e, error, "the recording ends after %llu system calls: %s",
		       (unsigned long long)r->result.calls, strerror(-error));
}

/* An event of the task r->k. */
static int put_event(struct rec *r, enum event_kind kind, const void *fixed, size_t nfixed, const void *rest,
		     size_t nrest)
{
	const struct ev_switch to = { r->k->id, 0 };
	int e = 0;

	if (to.task != r->told)
		e = trace_append(r->out, EV_SWITCH, &to, sizeof(to), NULL, 0);
	r->told = to.task;
	return e < 0 ? e : trace_append(r->out, kind, fixed, nfixed, rest, nrest);
}

int rec_event(struct rec *r, enum event_kind kind, const void *fixed, size_t nfixed, const void *rest, size_t nrest)
{
	int e = put_event(r, kind, fixed, nfixed, rest, nrest);

	if (e < 0)
		err_set(r->e, e,
			"cannot write to %s: %s; the program is killed after %llu system calls, those before can be "
			"replayed",
			r->o->trace, strerror(-e), (unsigned long long)r->result.calls);
	return e;
}

int rec_put_mem(struct rec *r, const struct span *s)
{
	static uint8_t buf[TRACE_EVENT_MAX - sizeof(struct ev_mem)];
	int e = 0;

	for (uint64_t at = 0, n; at < s->size && e == 0; at += n) {
		const struct ev_mem m = { s->addr + at };

		n = s->size - at < sizeof(buf) ? s->size - at : sizeof(buf);
		n = tracee_read(&r->k->t, m.addr, buf, n);
		if (n == 0)
			break;
		e = rec_event(r, EV_MEM, &m, sizeof(m), buf, n);
	}
	return e;
}

int rec_put_name(struct rec *r)
{
	_cleanup_fclose_ FILE *f = NULL;
	struct ev_name name = { .tgid = (uint32_t)r->k->t.pid, .tid = (uint32_t)r->k->t.pid };
	char line[128];

	snprintf(line, sizeof(line), "/proc/%d/status", (int)r->k->t.pid);
	f = fopen(line, "re");
	while (f && fgets(line, sizeof(line), f)) {
		sscanf(line, "Tgid: %u", &name.tgid);
		sscanf(line, "PPid: %u", &name.ppid);
		sscanf(line, "Uid: %u", &name.uid);
		sscanf(line, "Gid: %u", &name.gid);
	}
	if (f)
		fclose(f);
	snprintf(line, sizeof(line), "/proc/%d/comm", (int)r->k->t.pid);
	f = fopen(line, "re");
	if (f && fgets(line, sizeof(line), f))
		snprintf(name.comm, sizeof(name.comm), "%.*s", (int)strcspn(line, "\n"), line);
	return rec_event(r, EV_NAME, &name, sizeof(name), NULL, 0);
}

int rec_put_state(struct rec *r, enum event_kind kind, const struct ev_state *s)
{
	static uint8_t vectors[VECTORS_MAX];
	ssize_t n = tracee_vectors(&r->k->t, vectors);

	return n < 0 ? rec_broken(r, (int)n) : rec_event(r, kind, s, sizeof(*s), vectors, (size_t)n);
}

/* In the new process. It writes what failed into the pipe. */
_Noreturn static void become(const struct rec_opts *o, int pipe)
{
	int fail[2] = { 0, 0 };

	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	if (personality(ADDR_NO_RANDOMIZE) < 0 || ptrace(PTRACE_TRACEME, 0, 0, 0) < 0) {
		fail[0] = errno;
	} else {
		fail[1] = 1;
		raise(SIGSTOP);
		buf_filter();			   /* without it calls cost more */
		prctl(PR_SET_TSC, PR_TSC_SIGSEGV); /* last: it is kept by exec, and rdtsc faults from here on */
		execv(o->path, o->argv);
		fail[0] = errno;
	}
	if (write(pipe, fail, sizeof(fail)) < 0)
		_exit(126);
	_exit(127);
}

static int say_failed(struct rec *r, const int fail[2])
{
	if (fail[1])
		return err_set(r->e, -fail[0], "cannot execute %s: %s", r->o->path, strerror(fail[0]));
	return err_set(r->e, -fail[0],
		       "ptrace is forbidden here: %s; see /proc/sys/kernel/yama/ptrace_scope, and a container's "
		       "seccomp profile and capabilities",
		       strerror(fail[0]));
}

/* Until the new process has executed the program. */
static int first_stops(struct tracee *t, bool *filtered)
{
	const long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
			     PTRACE_O_TRACECLONE | PTRACE_O_TRACESECCOMP | PTRACE_O_EXITKILL;
	int status = tracee_wait(t);

	if (status >= 0 && t->pid && ptrace(PTRACE_SETOPTIONS, t->pid, 0, options) < 0)
		return -errno;
	if (status >= 0 && t->pid && tracee_go(t, PTRACE_CONT, 0) == 0)
		status = tracee_wait(t);
	while (status >= 0 && t->pid && status >> 8 == (SIGTRAP | PTRACE_EVENT_SECCOMP << 8)) {
		*filtered = true;
		status = tracee_go(t, PTRACE_CONT, 0);
		status = status == 0 ? tracee_wait(t) : status;
	}
	if (status < 0)
		return status;
	return t->pid && status >> 8 == (SIGTRAP | PTRACE_EVENT_EXEC << 8) ? 0 : -EIO;
}

static int start(struct rec *r)
{
	int pipes[2], fail[2] = { 0, 0 }, e = 0;
	ssize_t n = 0;
	pid_t pid;

	if (pipe2(pipes, O_CLOEXEC) < 0)
		return rec_broken(r, -errno);
	pid = fork();
	if (pid == 0)
		become(r->o, pipes[1]);
	close(pipes[1]);
	if (pid < 0)
		e = -errno;
	else if (!(r->k = task_new(r, pid, NULL, 0)))
		e = -ENOMEM;
	if (e == 0)
		e = first_stops(&r->k->t, &r->filtered);
	if (r->k && !r->k->t.pid)
		n = read(pipes[0], fail, sizeof(fail));
	close(pipes[0]);
	if (n == sizeof(fail))
		return say_failed(r, fail);
	if (e < 0)
		return rec_broken(r, e == -ESRCH ? -EIO : e);
	r->first = pid;
	for (int i = 1; i <= 2; i++)
		if (fstat(i, &r->std[i]) == 0)
			r->k->fds->std[i] = (uint8_t)i;
	r->k->inside = true; /* of execve */
	r->k->call.how = HOW_KINDS;
	return 0;
}

int rec_at_stop(struct rec *r, int status)
{
	struct task *k = r->k;

	if (status >> 8 == SIGSTOP && k->spin.poked)
		return spin_stopped(r);
	k->spin.since = 0;
	switch (status >> 16) {
	case PTRACE_EVENT_EXEC: return task_executes(r);
	case PTRACE_EVENT_SECCOMP: return rec_entry(r);
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
	case PTRACE_EVENT_CLONE: return task_forked(r);
	default: break;
	}
	if (WSTOPSIG(status) != SYSCALL_STOP)
		return rec_signal(r, WSTOPSIG(status), &k->pass);
	if (!k->inside)
		return rec_entry(r);
	return k->call.how == HOW_KINDS ? rec_snapshot(r) : rec_exit(r);
}

static int prepare(struct rec *r)
{
	cpu_set_t one;
	int cpu = sched_getcpu(), e;

	CPU_ZERO(&one);
	CPU_SET(cpu < 0 ? 0 : cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one) < 0)
		return err_set(r->e, -errno, "cannot stay on one CPU: %s", strerror(errno));
	r->head.cpu = cpu < 0 ? 0 : (uint32_t)cpu;
	features_get(r->head.features);
	r->head.real_ns = clock_ns(CLOCK_REALTIME);
	r->head.mono_ns = clock_ns(CLOCK_MONOTONIC);
	e = trace_create(r->o->trace, &r->head, &r->out);
	return e < 0 ? err_set(r->e, e, "cannot write to %s: %s", r->o->trace, strerror(-e)) : 0;
}

int rec_run(const struct rec_opts *o, struct rec_result *ret, struct err *e)
{
	struct rec *r = calloc(1, sizeof(*r));
	int x, y;

	if (!r)
		return err_set(e, -ENOMEM, "out of memory");
	r->o = o;
	r->random = o->chaos * 0x9e3779b97f4a7c15u; /* neighbours differ from the first choice on */
	r->e = e;
	x = prepare(r);
	r->tsc_by_code = x == 0 && !tsc_faults();
	if (r->tsc_by_code)
		o->note("reading the time-stamp counter does not fault on this machine: those of code that is made at run time, or "
			"that unwinding tables do not describe, are not recorded");
	if (x == 0) {
		o->note("cpuid is not trapped: random numbers that the processor makes (rdrand, rdseed) are not recorded; "
			"a program that uses them diverges in the replay, which says so");
		signal(SIGINT, SIG_IGN);
		signal(SIGQUIT, SIG_IGN);
		self_begin();
		x = start(r);
	}
	spin_start();
	if (x == 0)
		x = sched_run(r);
	spin_end();
	self_end();
	while (r->tasks.n)
		task_free(r, r->tasks.v[r->tasks.n - 1]);
	while (waitpid(-1, NULL, __WALL) > 0 || errno == EINTR)
		;
	y = r->out ? trace_flush(r->out) : 0;
	if (x == 0 && y < 0)
		x = err_set(e, y, "cannot write to %s: %s", o->trace, strerror(-y));
	if (r->out)
		r->result.bytes = trace_size(r->out);
	trace_close(r->out);
	*ret = r->result;
	vec_free(&r->files);
	rec_tsc_done(r);
	vec_free(&r->tasks);
	vec_free(&r->early);
	buf_done(r);
	free(r);
	return x;
}
