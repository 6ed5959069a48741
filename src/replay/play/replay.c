/* SPDX-License-Identifier: Apache-2.0 */
/* The program runs by itself between two stops; at each it is compared with the recording, and gets what came from
 * outside. */
#include <asm/unistd.h>
#include <errno.h>
#include <stdlib.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/walk.h"
#include "base/writeall.h"
#include "replay/tracee/args.h"
#include "replay/trace/features.h"
#include "replay/tracee/memory.h"
#include "replay/tracee/policy.h"
#include "replay/play/int.h"

#define PIECE 65536u
#define ERR_RESTART_BLOCK 516

static const char *const reg_names[CALL_REGS] = {
	[R_NR] = "the number",
	[R_A0] = "rdi",
	[R_A1] = "rsi",
	[R_A2] = "rdx",
	[R_A3] = "r10",
	[R_A4] = "r8",
	[R_A5] = "r9",
	[R_RIP] = "rip",
	[R_RSP] = "rsp",
	[R_RBX] = "rbx",
	[R_RBP] = "rbp",
	[R_R12] = "r12",
	[R_R13] = "r13",
	[R_R14] = "r14",
	[R_R15] = "r15",
	[R_FLAGS] = "rflags",
	[R_FS] = "the base of fs",
	[R_GS] = "the base of gs",
};

static int put_blob(void *ctx, uint64_t at, const void *bytes, size_t n)
{
	struct replay *r = ctx;
	const uint8_t *b = bytes;

	while (n) {
		ssize_t k = pwrite(r->arena, b, n, (off_t)at);

		if (k <= 0)
			return k < 0 ? -errno : -EIO;
		b += k;
		at += (uint64_t)k;
		n -= (size_t)k;
	}
	return 0;
}

/* The error of all differences: where, what, why perhaps. */
#define DIFFERS "the program does not do what it did at system call %llu"
#define HINT "; it got something from outside that is not recorded, perhaps a random number of the processor (rdrand)"

int replay_differs(struct replay *r, int status, const char *wanted)
{
	struct user_regs_struct regs = { 0 };

	if (!r->k->t.pid)
		return err_set(r->e, -EBADE, DIFFERS ": it has ended (%s%d), recorded: %s" HINT,
			       (unsigned long long)r->result.calls + 1, WIFEXITED(status) ? "" : "signal ",
			       WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status), wanted);
	tracee_regs(&r->k->t, &regs);
	if (WSTOPSIG(status) == SYSCALL_STOP) {
		char buf[32];

		return err_set(r->e, -EBADE, DIFFERS ": it calls %s, recorded: %s" HINT,
			       (unsigned long long)r->result.calls + 1, policy_name(regs.orig_rax, buf), wanted);
	}
	return err_set(r->e, -EBADE, DIFFERS ": signal %d at 0x%llx, recorded: %s" HINT,
		       (unsigned long long)r->result.calls + 1, WSTOPSIG(status), (unsigned long long)regs.rip, wanted);
}

static bool is_fault(struct replay *r)
{
	siginfo_t info;

	return ptrace(PTRACE_GETSIGINFO, r->k->t.pid, 0, &info) == 0 && info.si_code > 0 &&
	       (info.si_signo == SIGSEGV || info.si_signo == SIGBUS || info.si_signo == SIGFPE ||
		info.si_signo == SIGILL || info.si_signo == SIGTRAP);
}

/* Another call than the log has next, or none. */
static int differs_log(struct replay *r, uint64_t used)
{
	struct user_regs_struct regs = { 0 };
	struct stub_call c = { 0 };
	char buf[32], other[32];

	for (uint64_t at = 0; at <= used && at < r->g.log.n; at += c.size, r->result.calls++)
		memcpy(&c, r->g.log.v + at, sizeof(c));
	if (r->k->t.pid)
		tracee_regs(&r->k->t, &regs);
	return err_set(r->e, -EBADE, DIFFERS ": it calls %s, recorded: %s, perhaps with other arguments" HINT,
		       (unsigned long long)r->result.calls, policy_name(regs.orig_rax, buf), policy_name(c.nr, other));
}

int replay_check_log(struct replay *r, int status)
{
	uint64_t used;

	if (!r->g.log.n || !r->k->t.pid)
		return status;
	used = build_log_used(r);
	if (used != r->g.log.n)
		return differs_log(r, used);
	r->result.calls += r->g.logged;
	return status;
}

static int go(struct replay *r)
{
	int e = pages_on(r->k);

	return e < 0 ? e : tracee_go(&r->k->t, r->step ? PTRACE_SYSEMU_SINGLESTEP : PTRACE_SYSEMU, 0);
}

int replay_go(struct replay *r)
{
	for (;;) {
		uint64_t since = r->watch ? clock_ns(CLOCK_MONOTONIC) : 0;
		int e = go(r), status = e < 0				  ? e
					: r->watch && r->watch->sample_ns ? watched_wait(r)
					: r->spot && !r->exact		  ? spot_wait(r)
									  : tracee_wait(&r->k->t);
		bool again = false;

		if (status < 0)
			return replay_broken(r, status);
		if (r->watch) {
			r->ran += clock_ns(CLOCK_MONOTONIC) - since;
			e = watched_stop(r, &status, &again);
		}
		if (e < 0)
			return e;
		if (again)
			continue;
		if (!r->k->t.pid || WSTOPSIG(status) == SYSCALL_STOP || is_fault(r))
			return status;
	}
}

/* On to the next system call or fault: its status. */
static int run(struct replay *r)
{
	int x = build_log(r);

	if (x)
		return r->watch ? x : replay_broken(r, x);
	x = replay_go(r);
	return x < 0 ? x : replay_check_log(r, x);
}

static int compare(struct replay *r, const struct user_regs_struct *regs)
{
	const struct ev_call *c = &r->g.call;
	unsigned long long n = r->result.calls + 1;
	uint64_t now[CALL_REGS];
	char buf[32], other[32];
	uint32_t crc;

	tracee_call_regs(regs, now);
	if (now[R_NR] != c->regs[R_NR])
		return err_set(r->e, -EBADE, DIFFERS ": it calls %s, recorded: %s" HINT, n, policy_name(now[R_NR], buf),
			       policy_name(c->regs[R_NR], other));
	for (int i = 0; i < CALL_REGS; i++)
		if (i == R_FLAGS ? (now[i] ^ c->regs[i]) & ~TRACEE_FLAGS : now[i] != c->regs[i])
			return err_set(r->e, -EBADE, DIFFERS " (%s): %s is 0x%llx, recorded 0x%llx" HINT, n,
				       policy_name(now[R_NR], buf), reg_names[i], (unsigned long long)now[i],
				       (unsigned long long)c->regs[i]);
	crc = args_read(&r->k->t, policy_call(now[R_NR]), &now[R_A0]);
	if (crc != c->in_crc)
		return err_set(r->e, -EBADE,
			       DIFFERS " (%s): what its arguments point to has the checksum %08x, recorded %08x" HINT,
			       n, policy_name(now[R_NR], buf), crc, c->in_crc);
	return 0;
}

/* --check: all memory of the task, if the recording has a checksum of it. */
static int check_memory(struct replay *r)
{
	uint64_t sum = 0;
	char buf[32];
	int e;

	if (!r->g.summed)
		return 0;
	e = pages_off(r->k);
	if (e == 0)
		e = memory_sum(&r->k->t, &sum);
	if (e < 0)
		return replay_broken(r, e);
	r->result.sums++;
	if (sum == r->g.sum)
		return 0;
	return err_set(
		r->e, -EBADE,
		DIFFERS
		" (%s): its memory has the checksum %016llx, recorded %016llx; the calls before had the same effects, so it has changed since the last one that was checked" HINT,
		(unsigned long long)r->result.calls + 1, policy_name(r->g.call.regs[R_NR], buf),
		(unsigned long long)sum, (unsigned long long)r->g.sum);
}

int watch_output(struct replay *r, watch_output_fn *fn, void *ctx)
{
	static uint8_t buf[PIECE];
	const struct ev_call *c = &r->g.call;
	uint64_t left = c->ret > 0 ? (uint64_t)c->ret : 0;
	struct spans s = { 0 };
	int e = 0;

	args_data(&r->k->t, policy_call(c->regs[R_NR]), &c->regs[R_A0], &s);
	for (size_t i = 0; i < s.v.n && left && e == 0; i++)
		for (uint64_t at = 0; at < s.v.v[i].size && left && e == 0;) {
			uint64_t n = s.v.v[i].size - at < PIECE ? s.v.v[i].size - at : PIECE;

			n = n < left ? n : left;
			if (tracee_read(&r->k->t, s.v.v[i].addr + at, buf, n) != n)
				e = -EFAULT;
			else
				e = fn(ctx, c->out == 2 ? STDERR_FILENO : STDOUT_FILENO, buf, n);
			at += n;
			left -= n;
		}
	if (s.failed)
		e = -ENOMEM;
	vec_free(&s.v);
	return e;
}

static int put_out(void *ctx, int fd, const void *bytes, size_t n)
{
	(void)ctx;
	return write_all(fd, bytes, n);
}

/* Writes the program's output again, out of its own memory, which has just been compared. */
static int emit(struct replay *r)
{
	int e = watch_output(r, put_out, NULL);

	return e < 0 ? err_set(r->e, e, "cannot write what the program wrote: %s", strerror(-e)) : 0;
}

static int put_mems(struct replay *r)
{
	for (size_t i = 0; i < r->g.mems.n; i++) {
		const struct group_mem *m = &r->g.mems.v[i];
		int e = tracee_write(&r->k->t, m->addr, r->g.bytes.v + m->at, m->size);

		if (e < 0)
			return replay_broken(r, e);
	}
	return 0;
}

static int finish_map(struct replay *r)
{
	bool same = false;
	char buf[32];
	int e = build_map(r, &r->g.call, &same);

	if (e < 0)
		return replay_broken(r, e);
	if (!same)
		return err_set(r->e, -EBADE, DIFFERS " (%s): the kernel gives it another result, recorded 0x%llx" HINT,
			       (unsigned long long)r->result.calls + 1, policy_name(r->g.call.regs[R_NR], buf),
			       (unsigned long long)r->g.call.ret);
	return 0;
}

/* To the beginning of the system call that the group has. */
static int to_call(struct replay *r, struct user_regs_struct *regs)
{
	int status = run(r), e;
	char buf[32];

	if (status < 0)
		return status;
	if (!r->k->t.pid || WSTOPSIG(status) != SYSCALL_STOP)
		return replay_differs(r, status, policy_name(r->g.call.regs[R_NR], buf));
	e = tracee_regs(&r->k->t, regs);
	if (e == 0 && regs->rip >= STUB_SITES && regs->rip < STUB_STATE) /* as if made at its place */
		tracee_read(&r->k->t, regs->rip - STUB_DONE + offsetof(struct stub_site, back), &regs->rip,
			    sizeof(regs->rip));
	e = e < 0 ? replay_broken(r, e) : compare(r, regs);
	return e < 0 ? e : check_memory(r);
}

static int at_enter(struct replay *r)
{
	struct user_regs_struct regs;
	int e = to_call(r, &regs);

	if (e == 0)
		e = watched_tell(r, WATCH_CALL);
	if (e == 0)
		e = put_mems(r);
	if (e == 0 && (e = tracee_set_regs(&r->k->t, &regs)) < 0)
		e = replay_broken(r, e);
	r->k->entered = e == 0;
	return e;
}

/* At its beginning it has been compared. */
static int entered_before(struct replay *r, struct user_regs_struct *regs)
{
	int e = tracee_regs(&r->k->t, regs);

	r->k->entered = false;
	if (e < 0)
		return replay_broken(r, e);
	return regs->orig_rax == r->g.call.regs[R_NR]
		       ? 0
		       : err_set(r->e, -EBADMSG, "the trace ends another system call than it began");
}

/* Where the new limit of the process's own stack is, if the call sets one; 0: it does not. */
static uint64_t stack_limit(const struct replay *r, const struct ev_call *c)
{
	const uint64_t *a = &c->regs[R_A0];
	uint32_t pid = (uint32_t)a[0];

	if (c->how != HOW_RESULT || c->ret != 0)
		return 0;
	if (c->regs[R_NR] == __NR_setrlimit)
		return (uint32_t)a[0] == RLIMIT_STACK ? a[1] : 0;
	if (c->regs[R_NR] == __NR_prlimit64 && (uint32_t)a[1] == RLIMIT_STACK && (!pid || pid == r->k->name.tgid))
		return a[2];
	return 0;
}

static int follow_limit(struct replay *r)
{
	uint64_t at = stack_limit(r, &r->g.call), limit = 0;
	int e = at && tracee_read(&r->k->t, at, &limit, sizeof(limit)) == sizeof(limit) ? build_stack(r, limit) : 0;

	return e < 0 ? replay_broken(r, e) : 0;
}

static int at_call(struct replay *r)
{
	const struct ev_call *c = &r->g.call;
	struct user_regs_struct regs;
	int e = c->entered ? entered_before(r, &regs) : to_call(r, &regs);

	if (e == 0 && c->out && !r->watch)
		e = emit(r);
	if (e == 0 && !c->entered)
		e = watched_tell(r, WATCH_CALL);
	if (e == 0 && c->how == HOW_MAP)
		e = finish_map(r);
	if (e == 0)
		e = follow_limit(r);
	if (e == 0)
		e = put_mems(r);
	r->result.calls += e == 0;
	if (e || c->how == HOW_ENTRY)
		return e;
	regs.rax = (unsigned long long)c->ret;
	regs.orig_rax = ~0ull;
	regs.fs_base = c->fs;
	regs.gs_base = c->gs;
	if (c->how == HOW_RESTART) {
		regs.rip -= 2;
		regs.rax = c->ret == -ERR_RESTART_BLOCK ? __NR_restart_syscall : c->regs[R_NR];
	}
	e = tracee_set_regs(&r->k->t, &regs);
	return e < 0 ? replay_broken(r, e) : 0;
}

/* Runs to the fault that was recorded. */
static int to_fault(struct replay *r, int signo, uint64_t rip, struct user_regs_struct *regs)
{
	int status = run(r), e;

	if (status < 0)
		return status;
	e = r->k->t.pid ? tracee_regs(&r->k->t, regs) : 0;
	if (e < 0)
		return replay_broken(r, e);
	if (!r->k->t.pid || WSTOPSIG(status) != signo || regs->rip != rip)
		return replay_differs(r, status, strsignal(signo));
	return watched_tell(r, WATCH_FAULT);
}

static int at_state(struct replay *r)
{
	struct user_regs_struct regs = r->g.state.regs, now;
	int e = 0;

	if (r->g.state.fault)
		e = to_fault(r, (int)r->g.state.signo, r->g.state.rip, &now);
	else
		r->result.calls += r->g.logged; /* of what is not run, since all that it changed is recorded */
	if (e == 0)
		e = put_mems(r);
	if (e)
		return e;
	regs.orig_rax = ~0ull;
	e = tracee_set_vectors(&r->k->t, r->g.vectors.v, r->g.vectors.n);
	if (e == 0)
		e = tracee_set_regs(&r->k->t, &regs);
	return e < 0 ? replay_broken(r, e) : 0;
}

static int at_tsc(struct replay *r)
{
	struct user_regs_struct regs;
	uint32_t size = r->g.tsc.size & ~TSC_BY_CODE;
	int e = to_fault(r, size == r->g.tsc.size ? SIGSEGV : SIGILL, r->g.tsc.rip, &regs);

	if (e)
		return e;
	regs.rax = (uint32_t)r->g.tsc.value;
	regs.rdx = r->g.tsc.value >> 32;
	if (size == 3)
		regs.rcx = r->g.tsc.aux;
	regs.rip += size;
	regs.orig_rax = ~0ull;
	e = tracee_set_regs(&r->k->t, &regs);
	return e < 0 ? replay_broken(r, e) : 0;
}

static int at_end(struct replay *r)
{
	struct user_regs_struct regs;
	int e = 0;

	if (r->g.end.flags & END_FAULT)
		e = to_fault(r, WTERMSIG(r->g.end.status), r->g.end.rip, &regs);
	if (e)
		return e;
	if (!(r->g.end.flags & END_OTHER))
		r->result.status = r->g.end.status;
	build_end(r, r->k);
	r->result.ended = r->tasks.n == 0;
	return 0;
}

/* Can the task do this now: within a system call, outside of one, or before it has a program? */
static bool makes_sense(const struct replay *r)
{
	const struct group *g = &r->g;

	switch (g->kind) {
	case EV_FORK: return r->k->entered;
	case EV_CALL: return r->k->entered == !!g->call.entered;
	case EV_END:
	case EV_EXEC: return true;
	default: return !r->k->entered;
	}
}

static int at_group(struct replay *r)
{
	int e;

	r->k = build_find(r, r->g.task);
	if (!r->k && !r->begun && r->g.kind == EV_EXEC && !(r->k = build_task(r, r->g.task)))
		return replay_broken(r, -ENOMEM);
	if (!r->k)
		return err_set(r->e, -EBADMSG,
			       r->begun ? "the trace has a task that nobody made: %u"
					: "the trace does not begin with a program",
			       r->g.task);
	r->begun = true;
	if (r->g.named)
		r->k->name = r->g.name;
	e = r->resumed ? 0 : watched_tell(r, WATCH_GROUP);
	if (e)
		return e;
	if (!makes_sense(r))
		return err_set(r->e, -EBADMSG, "the trace is damaged");
	switch (r->g.kind) {
	case EV_CALL: return at_call(r);
	case EV_ENTER: return at_enter(r);
	case EV_FORK: return build_fork(r);
	case EV_STATE: return at_state(r);
	case EV_SPOT: return spot_run(r);
	case EV_EXEC: return build_program(r);
	case EV_TSC: return at_tsc(r);
	case EV_END: return at_end(r);
	default: return err_set(r->e, -EBADMSG, "the trace is damaged");
	}
}

static int whole_group(struct replay *r)
{
	int e = r->resumed ? 0 : watched_files(r);

	if (e == 0)
		e = at_group(r);
	return e == 0 ? watched_tell(r, WATCH_DONE) : e;
}

static int prepare(struct replay *r, FILE *f)
{
	uint32_t features[TRACE_FEATURES];
	cpu_set_t one;
	int e = trace_open(f, &r->in);

	if (e < 0)
		return err_set(r->e, e, "%s", trace_words(e));
	features_get(features);
	if (memcmp(features, trace_head(r->in)->features, sizeof(features)) != 0)
		return err_set(
			r->e, -ENOTSUP,
			"the recording was made on another kind of processor: the program chose its instructions "
			"by what cpuid told there");
	CPU_ZERO(&one);
	if (trace_head(r->in)->cpu < CPU_SETSIZE)
		CPU_SET(trace_head(r->in)->cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one) < 0) { /* that CPU is not there: any, but the same for both */
		CPU_ZERO(&one);
		CPU_SET(sched_getcpu() < 0 ? 0 : sched_getcpu(), &one);
		sched_setaffinity(0, sizeof(one), &one);
	}
	r->arena = memfd_create("dwell-replay", 0);
	if (r->arena < 0 || ftruncate(r->arena, (off_t)ARENA_SIZE) < 0)
		return replay_broken(r, -errno);
	return 0;
}

int replay_watched(FILE *f, const struct replay_watch *w, struct replay_result *ret, struct err *e)
{
	struct replay r = { .watch = w, .arena = -1, .e = e };
	int x = prepare(&r, f);

	while (x == 0 && !r.result.ended) {
		struct step s;

		r.before = (struct before){ trace_tell(r.in), r.g.number, r.g.task };
		s = group_next(&r.g, r.in, put_blob, &r);
		if (s.error)
			x = err_set(e, s.error, "the recording cannot be used: %s",
				    s.error == -EBADMSG ? "what it says makes no sense" : strerror(-s.error));
		if (!s.more)
			break;
		x = whole_group(&r);
		while (r.back && x == WALK_END)
			x = keep_restore(&r);
	}
	x = w ? walk_ended(x) : x;
	if (x == 0 && !r.result.ended && trace_ended_by(r.in) == TRACE_DAMAGED)
		x = err_set(e, -EBADMSG, "the recording is damaged: replayed are the %llu system calls before",
			    (unsigned long long)r.result.calls);
	while (r.tasks.n)
		build_end(&r, r.tasks.v[r.tasks.n - 1]);
	vec_free(&r.tasks);
	if (r.arena >= 0)
		close(r.arena);
	trace_done(r.in);
	group_free(&r.g);
	watched_done(&r);
	*ret = r.result;
	return x;
}

int replay_run(FILE *f, struct replay_result *ret, struct err *e)
{
	return replay_watched(f, NULL, ret, e);
}
