/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of a replay for observers: files that are mapped themselves, breakpoints. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/walk.h"
#include "replay/tracee/breaks.h"
#include "load/debugreg.h"
#include "replay/play/int.h"

#define PAGE 4096ull
#define PIECE 65536u
#define SAMPLE_MIN 2000u     /* ns until the next sample, at least */
#define SAMPLE_AGAIN 100000u /* ns after the first try, which may come before waitpid() has begun */

int watched_tell(struct replay *r, enum watch_when when)
{
	return r->watch && r->watch->group ? r->watch->group(r->watch->ctx, r, when) : 0;
}

/* Are these bytes of the file still those that were recorded? */
static bool is_same(const struct replay *r, int fd, const struct ev_file *f)
{
	static uint8_t then[PIECE], now[PIECE];

	for (uint64_t at = 0; at < f->size;) {
		size_t n = f->size - at < PIECE ? (size_t)(f->size - at) : PIECE;

		if (pread(fd, now, n, (off_t)(f->off + at)) != (ssize_t)n ||
		    pread(r->arena, then, n, (off_t)(f->at + at)) != (ssize_t)n || memcmp(then, now, n) != 0)
			return false;
		at += n;
	}
	return true;
}

static void look(struct replay *r, const char *path, struct rfile *f)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || !is_same(r, fd, &f->f))
		return;
	f->dev = st.st_dev;
	f->ino = st.st_ino;
	f->path = strdup(path);
}

int watched_files(struct replay *r)
{
	int e = 0;

	for (size_t i = 0; r->watch && i < r->g.files.n && e == 0; i++) {
		struct rfile f = { .f = r->g.files.v[i].f };

		look(r, (const char *)r->g.bytes.v + r->g.files.v[i].path, &f);
		e = vec_try_push(&r->files, f);
		if (e < 0)
			free(f.path);
	}
	return e < 0 ? replay_broken(r, e) : 0;
}

void watched_done(struct replay *r)
{
	for (size_t i = 0; i < r->files.n; i++)
		free(r->files.v[i].path);
	vec_free(&r->files);
}

const struct rfile *watched_file(const struct replay *r, uint64_t arena, uint64_t *ret_off)
{
	for (size_t i = r->files.n; r->watch && i--;) {
		const struct rfile *f = &r->files.v[i];

		if (arena < f->f.at || arena - f->f.at >= ROUND_UP(f->f.size, PAGE))
			continue;
		*ret_off = f->f.off + (arena - f->f.at);
		return f->path ? f : NULL;
	}
	return NULL;
}

int watched_code(struct replay *r, uint64_t arena, uint64_t start, uint64_t end)
{
	struct watch_code c = { .start = start, .end = end };
	const struct rfile *f = watched_file(r, arena, &c.off);

	if (!f || !r->watch->code)
		return 0;
	c.dev = f->dev;
	c.ino = f->ino;
	return r->watch->code(r->watch->ctx, r, &c);
}

/* A fault of a displaced instruction is one of the instruction. */
static int undo_place(struct replay *r, struct user_regs_struct *regs)
{
	uint64_t place = breaks_place(r->k->t.breaks, regs->rip);

	if (place == regs->rip)
		return 0;
	regs->rip = place;
	return tracee_set_regs(&r->k->t, regs);
}

/* By int3, and not by a debug exception. */
static bool is_break(const struct replay *r)
{
	siginfo_t info = { 0 };

	return ptrace(PTRACE_GETSIGINFO, r->k->t.pid, 0, &info) == 0 && info.si_code == SI_KERNEL;
}

/* Reads and clears the bits of the debug registers that were hit. */
static unsigned told(struct replay *r)
{
	const size_t at = offsetof(struct user, u_debugreg) + 6 * sizeof(long);
	long x;

	if (!r->seven || !r->k->t.pid || debugreg_silent())
		return 0;
	x = ptrace(PTRACE_PEEKUSER, r->k->t.pid, at, 0);
	ptrace(PTRACE_POKEUSER, r->k->t.pid, at, 0);
	return (unsigned)x & 15u;
}

static int trap(struct replay *r, const struct user_regs_struct *regs, bool stepped, unsigned registers)
{
	return r->watch->trap(r->watch->ctx, r, regs, stepped, registers);
}

/* SIGTRAP that is no breakpoint: a step, or a debug register. */
static int trapped(struct replay *r, struct user_regs_struct *regs, bool *again)
{
	siginfo_t info = { 0 };
	unsigned registers;

	if (ptrace(PTRACE_GETSIGINFO, r->k->t.pid, 0, &info) < 0)
		return replay_broken(r, -errno);
	if (r->exact && r->spot == regs->rip && info.si_code == TRAP_HWBKPT)
		return 0;
	registers = told(r);
	*again = info.si_code == TRAP_TRACE || registers;
	return *again ? trap(r, regs, info.si_code == TRAP_TRACE, registers) : 0;
}

/* Past a breakpoint. The effect of the instruction on debug registers is seen only if it is executed at its place.
 */
static int pass(struct replay *r, struct user_regs_struct *regs, int *status, bool *again)
{
	bool stepped = r->step || r->seven;
	unsigned registers;
	int next = 0, e = pages_on(r->k);

	if (e == 0)
		e = breaks_pass(r->k->t.breaks, &r->k->t, regs, &next, &stepped);
	if (e < 0)
		return replay_broken(r, e);
	if (next)
		*status = next;
	*again = !next;
	if (next || !stepped || !(r->step || r->seven))
		return 0;
	registers = told(r);
	e = tracee_regs(&r->k->t, regs);
	if (e < 0)
		return replay_broken(r, e);
	return r->step || registers ? trap(r, regs, r->step, registers) : 0;
}

int watched_wait(struct replay *r)
{
	const uint64_t since = clock_ns(CLOCK_MONOTONIC), due = r->sample_at ? r->sample_at : r->watch->sample_ns;
	struct tracee *t = &r->k->t;
	int status, e = 0;

	r->sample_at = due;
	tracee_timer(due > r->ran + SAMPLE_MIN ? due - r->ran : SAMPLE_MIN, SAMPLE_AGAIN);
	while (waitpid(t->pid, &status, __WALL) < 0 && e == 0) {
		e = errno == EINTR ? 0 : -errno;
		if (e < 0 || t->poked || r->ran + (clock_ns(CLOCK_MONOTONIC) - since) < due)
			continue;
		if (waitpid(t->pid, &status, __WALL | WNOHANG) > 0)
			break;
		t->poked = syscall(SYS_tkill, t->pid, SIGSTOP) == 0;
	}
	tracee_timer(0, 0);
	return e < 0 ? e : tracee_waited(t, status);
}

static int sample(struct replay *r, struct user_regs_struct *regs)
{
	r->k->t.poked = false;
	r->sample_at += r->watch->sample_ns;
	if (r->sample_at < r->ran)
		r->sample_at = r->ran + r->watch->sample_ns;
	regs->rip = breaks_place(r->k->t.breaks, regs->rip);
	return r->watch->sample(r->watch->ctx, r, regs);
}

static int stop(struct replay *r, int *status, bool *again)
{
	struct user_regs_struct regs;
	int e = tracee_regs(&r->k->t, &regs);
	unsigned registers;

	if (e < 0)
		return replay_broken(r, e);
	if (tracee_is_poke(&r->k->t, *status)) {
		*again = true;
		return sample(r, &regs);
	}
	if (WSTOPSIG(*status) == SIGTRAP && (r->step || r->seven || r->exact) && !is_break(r)) {
		e = trapped(r, &regs, again);
		if (e || *again)
			return e;
		e = undo_place(r, &regs);
		return e < 0 ? replay_broken(r, e) : 0;
	}
	if (WSTOPSIG(*status) != SIGTRAP || !breaks_at(r->k->t.breaks, regs.rip - 1)) {
		e = undo_place(r, &regs);
		return e < 0 ? replay_broken(r, e) : 0;
	}
	regs.rip--;
	registers = pages_place(r->k, regs.rip);
	e = registers ? trap(r, &regs, false, registers) : 0;
	if (e)
		return e;
	e = r->watch->hit(r->watch->ctx, r, &regs, breaks_tag(r->k->t.breaks, regs.rip));
	if (e)
		return e;
	if (regs.rip == r->spot && !r->exact)
		return 0; /* it has the registers of any stop there */
	return pass(r, &regs, status, again);
}

int watched_stop(struct replay *r, int *status, bool *again)
{
	uint64_t at;
	int e;

	if (!r->k->t.pid || WSTOPSIG(*status) == SYSCALL_STOP)
		return 0;
	e = stop(r, status, again);
	return e == 0 && !*again && pages_hit(r->k, *status, &at) ? pages_step(r, at, status, again) : e;
}

/* Replays a call that was logged. It stops as any other call does, since the log of the task is empty. */
static int logged_call(struct replay *r, const struct stub_call *c)
{
	struct user_regs_struct regs;
	struct stub_data d;
	int status = replay_go(r), e;

	if (status < 0)
		return status;
	if (!r->k->t.pid || WSTOPSIG(status) != SYSCALL_STOP)
		return replay_differs(r, status, "a call that was logged");
	e = tracee_regs(&r->k->t, &regs);
	if (e == 0 &&
	    (regs.orig_rax != c->nr || regs.rdi != c->args[0] || regs.rsi != c->args[1] || regs.rdx != c->args[2]))
		return replay_differs(r, status, "another call, or other arguments");
	if (e == 0)
		e = watched_tell(r, WATCH_LOG_CALL);
	if (e)
		return e == WALK_END ? e : replay_broken(r, e);
	stub_data(c, &d);
	if (d.n)
		e = tracee_write(&r->k->t, d.addr, c + 1, d.n);
	regs.rax = (unsigned long long)c->ret;
	regs.orig_rax = ~0ull;
	if (regs.rip >= STUB_SITES &&
	    regs.rip < STUB_STATE) { /* what the stub leaves there, and programs may pass on */
		regs.rcx = regs.rip - STUB_DONE;
		regs.r11 = regs.rip;
	}
	if (e == 0)
		e = tracee_set_regs(&r->k->t, &regs);
	r->result.calls++;
	return e < 0 ? replay_broken(r, e) : watched_tell(r, WATCH_LOG_DONE);
}

int watched_log(struct replay *r)
{
	size_t at = r->resumed ? r->log_at : 0;
	int e = 0;

	if (r->resumed) {
		r->resumed = false;
		e = watched_tell(r, WATCH_LOG_DONE);
	}
	while (at < r->g.log.n && e == 0) {
		const struct stub_call *c = (const struct stub_call *)(const void *)(r->g.log.v + at);

		r->log_at = at += c->size;
		e = logged_call(r, c);
	}
	r->log_at = r->g.log.n = r->g.logged = 0;
	return e;
}

pid_t watch_pid(const struct replay *r)
{
	return r->k ? r->k->t.pid : 0;
}

uint32_t watch_task(const struct replay *r)
{
	return r->g.task;
}

uint64_t watch_ran_ns(const struct replay *r)
{
	return r->ran;
}

size_t watch_read(struct replay *r, uint64_t addr, void *buf, size_t n)
{
	return r->k && r->k->t.pid ? tracee_read(&r->k->t, addr, buf, n) : 0;
}

int watch_registers(struct replay *r, struct user_regs_struct *ret)
{
	return tracee_regs(&r->k->t, ret);
}

int watch_break(struct replay *r, uint64_t addr, uint64_t tag)
{
	return breaks_add(r->k->t.breaks, &r->k->t, addr, tag);
}

bool watch_breaks_at(const struct replay *r, uint64_t addr)
{
	return breaks_at(r->k->t.breaks, addr);
}

void watch_step(struct replay *r, bool on)
{
	r->step = on;
}

static int watch_pages(struct replay *r, const uint64_t addr[DEBUG_REGISTERS], uint64_t seven)
{
	int e = pages_set(r->k, addr, seven);

	r->seven = e == 0 ? seven : 0;
	return e;
}

int watch_debug(struct replay *r, const uint64_t addr[DEBUG_REGISTERS], uint64_t seven)
{
	const size_t at = offsetof(struct user, u_debugreg);
	long e;

	if (debugreg_silent())
		return watch_pages(r, addr, seven);
	e = ptrace(PTRACE_POKEUSER, r->k->t.pid, at + 7 * sizeof(long), 0);
	for (unsigned i = 0; i < DEBUG_REGISTERS && e == 0 && seven; i++)
		e = ptrace(PTRACE_POKEUSER, r->k->t.pid, at + i * sizeof(long), addr[i]);
	if (e == 0 && seven)
		e = ptrace(PTRACE_POKEUSER, r->k->t.pid, at + 7 * sizeof(long), seven);
	r->seven = e == 0 ? seven : 0;
	return e == 0 ? 0 : -errno;
}

static const struct rtask *command_task(const struct replay *r)
{
	for (size_t i = 0; i < r->tasks.n; i++)
		if (r->tasks.v[i]->id == 0)
			return r->tasks.v[i];
	return NULL;
}

bool watch_ours(const struct replay *r)
{
	const struct rtask *first = command_task(r);

	return first && r->k && r->k->memory == first->memory;
}

bool watch_thread(const struct replay *r, size_t i, struct watch_thread *ret)
{
	const struct rtask *first = command_task(r);

	for (size_t k = 0; first && k < r->tasks.n; k++) {
		const struct rtask *t = r->tasks.v[k];

		if (t->memory != first->memory || i--)
			continue;
		*ret = (struct watch_thread){ t->id, t->name.tid, t->name.tgid, t->name.comm };
		return true;
	}
	return false;
}

static struct rtask *task_of(struct replay *r, uint32_t task)
{
	struct rtask *k = build_find(r, task);

	return k && k->t.pid ? k : NULL;
}

int watch_task_registers(struct replay *r, uint32_t task, struct user_regs_struct *ret, uint8_t *vectors, size_t *n)
{
	struct rtask *k = task_of(r, task);
	int e = k ? tracee_regs(&k->t, ret) : -ESRCH;
	ssize_t got = e == 0 ? tracee_vectors(&k->t, vectors) : e;

	*n = got < 0 ? 0 : (size_t)got;
	return got < 0 ? (int)got : 0;
}

size_t watch_task_read(struct replay *r, uint32_t task, uint64_t addr, void *buf, size_t n)
{
	struct rtask *k = task_of(r, task);

	return k ? tracee_read(&k->t, addr, buf, n) : 0;
}

const struct group *watch_group(const struct replay *r)
{
	return &r->g;
}

uint64_t watch_calls(const struct replay *r)
{
	return r->result.calls;
}
