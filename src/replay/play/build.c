/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of a replayed program: a process of dwell's own is emptied and filled with the recorded mappings. */
#include <asm/unistd.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/rseq.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "replay/tracee/breaks.h"
#include "replay/play/int.h"

#define PAGE 4096ull
#define USER_END 0x7ffffffff000ull /* after the last page that a program can have */
#define PTRACE_OPTIONS \
	(PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL)
#define PATH_AT 256u	/* in the scratch page */
#define RSEQ_SIZES 512u /* bytes: what is registered is not more */

int replay_broken(struct replay *r, int error)
{
	return err_set(r->e, error, "the replay ends after %llu system calls: %s", (unsigned long long)r->result.calls,
		       strerror(-error));
}

static void put_memory(struct memory *m)
{
	if (!m || --m->refs)
		return;
	if (m->mem >= 0)
		close(m->mem);
	breaks_free(m->breaks);
	free(m);
}

static struct memory *new_memory(void)
{
	struct memory *m = calloc(1, sizeof(*m));

	if (m)
		*m = (struct memory){ .refs = 1, .mem = -1 };
	return m;
}

struct rtask *build_alone(uint32_t id)
{
	struct rtask *k = calloc(1, sizeof(*k));

	if (!k)
		return NULL;
	k->t.mem = -1;
	k->id = id;
	k->memory = new_memory();
	if (k->memory)
		return k;
	free(k);
	return NULL;
}

struct rtask *build_task(struct replay *r, uint32_t id)
{
	struct rtask *k = build_alone(id);

	if (!k || vec_try_push(&r->tasks, k) == 0)
		return k;
	put_memory(k->memory);
	free(k);
	return NULL;
}

struct rtask *build_find(struct replay *r, uint32_t id)
{
	if (r->k && r->k->id == id)
		return r->k;
	for (size_t i = 0; i < r->tasks.n; i++)
		if (r->tasks.v[i]->id == id)
			return r->tasks.v[i];
	return NULL;
}

/* Its process, and its part of the memory. */
static void leave(struct rtask *k)
{
	k->t.mem = -1; /* the memory's */
	k->t.breaks = NULL;
	tracee_close(&k->t);
	put_memory(k->memory);
	k->memory = NULL;
}

void build_free(struct rtask *k)
{
	if (!k)
		return;
	leave(k);
	free(k);
}

void build_end(struct replay *r, struct rtask *k)
{
	size_t i = 0;

	while (r->tasks.v[i] != k)
		i++;
	memmove(&r->tasks.v[i], &r->tasks.v[i + 1], (--r->tasks.n - i) * sizeof(struct rtask *));
	if (r->k == k)
		r->k = NULL;
	build_free(k);
}

/* The C library has told the kernel of an area that it writes to at any time: it will not be there. */
static int leave_rseq(void)
{
	char *area = (char *)__builtin_thread_pointer() + __rseq_offset;

	if (!__rseq_size)
		return 0;
	for (unsigned n = sizeof(struct rseq); n <= RSEQ_SIZES; n += 4)
		if (syscall(SYS_rseq, area, n, RSEQ_FLAG_UNREGISTER, RSEQ_SIG) == 0)
			return 0;
	return -1;
}

_Noreturn static void become_empty(void)
{
	if (ptrace(PTRACE_TRACEME, 0, 0, 0) == 0 && leave_rseq() == 0 && prctl(PR_SET_TSC, PR_TSC_SIGSEGV) == 0)
		raise(SIGSTOP);
	_exit(errno);
}

static int first_page(struct replay *r)
{
	static const uint8_t code[] = { 0x0f, 0x05 }; /* syscall */
	const uint64_t args[6] = {
		SCRATCH, SCRATCH_SIZE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, ~0ull, 0
	};
	struct user_regs_struct regs;
	uint8_t here[2] = { 0, 0 };
	int e = tracee_regs(&r->k->t, &regs);

	if (e == 0)
		tracee_read(&r->k->t, regs.rip - 2, here, sizeof(here));
	if (e == 0 && memcmp(here, code, sizeof(code)) != 0)
		e = -EPROTO; /* it does not stand after a system call */
	if (e == 0 && tracee_inject(&r->k->t, regs.rip - 2, __NR_mmap, args, &e) != (long)SCRATCH && e == 0)
		e = -ENOMEM;
	return e < 0 ? e : tracee_write(&r->k->t, SCRATCH, code, sizeof(code));
}

static int start(struct replay *r)
{
	int status, e = 0;

	r->k->t.pid = fork();
	if (r->k->t.pid == 0)
		become_empty();
	if (r->k->t.pid < 0) {
		r->k->t.pid = 0;
		return replay_broken(r, -errno);
	}
	status = tracee_wait(&r->k->t);
	if (status >= 0 && !r->k->t.pid)
		return err_set(
			r->e, -EPERM,
			"ptrace is forbidden here: %s; see /proc/sys/kernel/yama/ptrace_scope, and a container's "
			"seccomp profile and capabilities",
			strerror(WIFEXITED(status) ? WEXITSTATUS(status) : EPERM));
	if (status < 0)
		e = status;
	else if (ptrace(PTRACE_SETOPTIONS, r->k->t.pid, 0, PTRACE_OPTIONS) < 0)
		e = -errno;
	if (e == 0)
		e = tracee_open(&r->k->t);
	r->k->memory->mem = r->k->t.mem;
	if (e == 0)
		e = first_page(r);
	return e < 0 ? replay_broken(r, e) : 0;
}

static long call(struct replay *r, long nr, const uint64_t args[6], int *e)
{
	return tracee_inject(&r->k->t, SCRATCH, nr, args, e);
}

/* Maps the file, whose path is put where the task can read it, in place of its copy; what stacks and names are looked
 * up by. The result, or 0: there is no such file. */
static long map_itself(struct replay *r, const uint64_t copy[6], uint64_t arena, int *e)
{
	uint64_t off = 0, a[6], open[6] = { (uint64_t)AT_FDCWD, SCRATCH + PATH_AT, O_RDONLY | O_CLOEXEC };
	const struct rfile *f = watched_file(r, arena, &off);
	long fd, x;

	if (!f || strlen(f->path) >= SCRATCH_SIZE - PATH_AT)
		return 0;
	*e = tracee_poke(&r->k->t, SCRATCH + PATH_AT, f->path, strlen(f->path) + 1);
	fd = *e == 0 ? call(r, __NR_openat, open, e) : -1;
	if (*e < 0 || fd < 0)
		return 0;
	memcpy(a, copy, sizeof(a));
	a[4] = (uint64_t)fd;
	a[5] = off;
	x = call(r, __NR_mmap, a, e);
	a[0] = (uint64_t)fd;
	if (*e == 0)
		call(r, __NR_close, a, e);
	if (*e == 0 && x == (long)copy[0] && (copy[2] & PROT_EXEC))
		*e = watched_code(r, arena, copy[0], copy[0] + copy[1]);
	return x;
}

static int map_fixed(struct replay *r, const struct ev_map *m)
{
	bool file = m->arena != ARENA_NONE;
	const uint64_t args[6] = { m->start,
				   m->end - m->start,
				   m->prot,
				   MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE | (file ? 0 : MAP_ANONYMOUS),
				   file ? (uint64_t)r->arena : ~0ull,
				   m->arena == ARENA_NOTHING ? ARENA_SIZE
				   : file		     ? m->arena
							     : 0 };
	int e = 0;
	long x = file && m->arena != ARENA_NOTHING ? map_itself(r, args, m->arena, &e) : 0;

	if (x == 0 && e == 0)
		x = call(r, __NR_mmap, args, &e);
	return e < 0 ? e : x == (long)m->start ? 0 : -ENOMEM;
}

/* The stub, as record/buf.c puts it there; it takes calls from the log. */
static int put_stub(struct replay *r)
{
	const struct ev_map code = { STUB_CODE, STUB_STATE, ARENA_NONE, PROT_READ | PROT_EXEC, 0 };
	const struct ev_map data = { STUB_STATE, STUB_END, ARENA_NONE, PROT_READ | PROT_WRITE, 0 };
	const struct stub_state s = { .play = 1 };
	uint8_t jump[5] = { 0xe9 };
	int32_t to = (int32_t)(STUB_BODY + (uint64_t)(stub_enter - stub_begin) - (STUB_CODE + sizeof(jump)));
	int e = map_fixed(r, &code);

	memcpy(jump + 1, &to, sizeof(to));
	if (e == 0)
		e = map_fixed(r, &data);
	if (e == 0)
		e = tracee_write(&r->k->t, STUB_CODE, jump, sizeof(jump));
	if (e == 0)
		e = tracee_write(&r->k->t, STUB_BODY, stub_begin, (size_t)(stub_end - stub_begin));
	return e < 0 ? e : tracee_write(&r->k->t, STUB_STATE, &s, sizeof(s));
}

int build_log(struct replay *r)
{
	uint64_t n[2] = { 0, 0 };
	int e = r->watch ? watched_log(r) : 0;

	_Static_assert(offsetof(struct stub_state, at) == offsetof(struct stub_state, n) + sizeof(*n), "one write");
	if (e || !r->g.log.n)
		return e;
	n[0] = r->g.log.n;
	e = tracee_write(&r->k->t, STUB_LOG, r->g.log.v, r->g.log.n);
	return e < 0 ? e : tracee_write(&r->k->t, STUB_STATE + offsetof(struct stub_state, n), n, sizeof(n));
}

uint64_t build_log_used(struct replay *r)
{
	uint64_t at = 0;

	tracee_read(&r->k->t, STUB_STATE + offsetof(struct stub_state, at), &at, sizeof(at));
	return at;
}

/* Room for displaced instructions, unless the program is there itself. */
static int put_area(struct replay *r)
{
	const struct ev_map area = { WATCH_AREA, WATCH_AREA + (uint64_t)WATCH_SLOTS * WATCH_SLOT, ARENA_NONE,
				     PROT_READ | PROT_EXEC, 0 };
	bool slots = true;
	int e;

	for (size_t i = 0; i < r->g.maps.n; i++)
		slots &= r->g.maps.v[i].start >= area.end || r->g.maps.v[i].end <= area.start;
	e = slots ? map_fixed(r, &area) : 0;
	r->k->t.breaks = r->k->memory->breaks = breaks_new(slots);
	return r->k->t.breaks ? e : -ENOMEM;
}

/* The mapping with the stack pointer, and the one below, which it may grow to. */
static void find_stack(struct replay *r, uint64_t sp)
{
	struct memory *m = r->k->memory;

	for (size_t i = 0; i < r->g.maps.n; i++) {
		const struct ev_map *at = &r->g.maps.v[i], *below = i ? at - 1 : NULL;

		if (sp < at->start || sp >= at->end)
			continue;
		m->top = at->end;
		m->low = below && below->end == at->start && below->arena == ARENA_NONE ? below->start : at->start;
	}
}

int build_program(struct replay *r)
{
	const uint64_t all[6] = { SCRATCH + SCRATCH_SIZE, USER_END - (SCRATCH + SCRATCH_SIZE) };
	struct user_regs_struct regs = r->g.state.regs;
	int e = 0;

	leave(r->k);
	r->k->entered = false;
	r->k->memory = new_memory();
	e = r->k->memory ? start(r) : replay_broken(r, -ENOMEM);
	if (e < 0)
		return e;
	if (call(r, __NR_munmap, all, &e) != 0 && e == 0)
		e = -ENOMEM;
	if (e == 0 && r->watch)
		e = put_area(r);
	for (size_t i = 0; i < r->g.maps.n && e == 0; i++)
		e = map_fixed(r, &r->g.maps.v[i]);
	for (size_t i = 0; i < r->g.mems.n && e == 0; i++)
		e = tracee_write(&r->k->t, r->g.mems.v[i].addr, r->g.bytes.v + r->g.mems.v[i].at, r->g.mems.v[i].size);
	find_stack(r, regs.rsp);
	if (e == 0)
		e = put_stub(r);
	if (e == 0)
		e = tracee_set_vectors(&r->k->t, r->g.vectors.v, r->g.vectors.n);
	regs.orig_rax = ~0ull;
	if (e == 0)
		e = tracee_set_regs(&r->k->t, &regs);
	return e < 0 ? replay_broken(r, e) : 0;
}

/* The process that has just been made by `from`: its first stop. */
static int take_child(struct rtask *from, struct rtask *k, pid_t pid, bool shares)
{
	int status, e;

	k->t.pid = pid;
	status = tracee_wait(&k->t);
	if (status < 0 || !k->t.pid)
		return status < 0 ? status : -ESRCH;
	if (shares) {
		put_memory(k->memory);
		(k->memory = from->memory)->refs++;
		k->t.mem = k->memory->mem;
		k->t.breaks = k->memory->breaks;
		return 0;
	}
	k->memory->heap = from->memory->heap;
	k->memory->low = from->memory->low;
	k->memory->top = from->memory->top;
	e = tracee_open(&k->t);
	k->memory->mem = k->t.mem;
	if (e < 0 || !from->memory->breaks)
		return e;
	k->t.breaks = k->memory->breaks = breaks_copy(from->memory->breaks);
	return k->t.breaks ? 0 : -ENOMEM;
}

int build_child(struct rtask *from, struct rtask *k, bool shares)
{
	/* All are children of dwell itself, so that nobody else has to wait for them. */
	const uint64_t args[6] = { CLONE_PARENT | (shares ? CLONE_VM : 0) };
	struct user_regs_struct regs;
	int e = pages_off(from);
	long pid = 0;

	if (e == 0)
		e = tracee_regs(&from->t, &regs);
	if (e == 0)
		pid = tracee_inject(&from->t, SCRATCH, __NR_clone, args, &e);
	if (e == 0 && pid <= 0)
		e = pid < 0 ? (int)pid : -EPROTO;
	if (e == 0)
		e = take_child(from, k, (pid_t)pid, shares);
	return e == 0 ? tracee_set_regs(&from->t, &regs) : e;
}

int build_fork(struct replay *r)
{
	struct rtask *k;
	int e;

	if (r->tasks.n >= TASKS_MAX || build_find(r, r->g.fork.task))
		return err_set(r->e, -EBADMSG, "the trace makes a task that it cannot make: %u", r->g.fork.task);
	k = build_task(r, r->g.fork.task);
	if (!k)
		return replay_broken(r, -ENOMEM);
	e = build_child(r->k, k, r->g.fork.shares);
	for (size_t i = 0; i < r->g.mems.n && e == 0; i++)
		e = tracee_write(&r->k->t, r->g.mems.v[i].addr, r->g.bytes.v + r->g.mems.v[i].at, r->g.mems.v[i].size);
	return e < 0 ? replay_broken(r, e) : 0;
}

static int move_heap(struct replay *r, uint64_t to, bool *same)
{
	uint64_t old = ROUND_UP(r->k->memory->heap ? r->k->memory->heap : to, PAGE), new = ROUND_UP(to, PAGE);
	const uint64_t less[6] = { new, old - new };
	const struct ev_map more = { old, new, ARENA_NONE, PROT_READ | PROT_WRITE, 0 };
	int e = 0;

	r->k->memory->heap = to;
	*same = true;
	if (new > old)
		return map_fixed(r, &more);
	if (new < old)
		*same = call(r, __NR_munmap, less, &e) == 0;
	return e;
}

static void args_of(const struct replay *r, const struct ev_call *c, uint64_t a[6])
{
	memcpy(a, &c->regs[R_A0], 6 * sizeof(*a));
	if (c->regs[R_NR] == __NR_mremap) {
		a[3] = (uint64_t)c->ret == a[0] ? 0 : MREMAP_MAYMOVE | MREMAP_FIXED;
		a[4] = (uint64_t)c->ret;
	}
	if (c->regs[R_NR] != __NR_mmap)
		return;
	a[0] = (uint64_t)c->ret;
	if (c->arena == ARENA_NONE) {
		a[3] = (a[3] & ~(uint64_t)(MAP_FIXED_NOREPLACE | MAP_POPULATE | MAP_LOCKED)) | MAP_FIXED |
		       MAP_ANONYMOUS;
		a[4] = ~0ull;
	} else {
		a[3] = MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE;
		a[4] = (uint64_t)r->arena;
		a[5] = c->arena;
	}
}

/* Forgets breakpoints and slots at the addresses that a call maps or unmaps. */
static void forget(struct replay *r, const uint64_t a[6])
{
	struct breaks *b = r->k->memory->breaks;

	breaks_forget(b, a[0], a[1]);
	if (a[0] < WATCH_AREA + (uint64_t)WATCH_SLOTS * WATCH_SLOT && a[0] + a[1] > WATCH_AREA)
		breaks_no_slots(b);
}

static long remap(struct replay *r, const struct ev_call *c, const uint64_t a[6], int *e)
{
	long x = 0;

	if (c->regs[R_NR] == __NR_mmap || c->regs[R_NR] == __NR_munmap)
		forget(r, a);
	if (c->regs[R_NR] == __NR_mmap && c->arena != ARENA_NONE)
		x = map_itself(r, a, c->arena, e);
	return x || *e < 0 ? x : call(r, (long)c->regs[R_NR], a, e);
}

int build_map(struct replay *r, const struct ev_call *c, bool *same)
{
	struct user_regs_struct regs;
	uint64_t a[6];
	int e = pages_lift(r->k);

	if (e == 0)
		e = tracee_regs(&r->k->t, &regs);
	if (e == 0 && c->regs[R_NR] == __NR_brk) {
		e = move_heap(r, (uint64_t)c->ret, same);
	} else if (e == 0) {
		args_of(r, c, a);
		*same = remap(r, c, a, &e) == c->ret;
		for (size_t i = 0; i < r->g.maps.n && e == 0 && *same; i++)
			e = map_fixed(r, &r->g.maps.v[i]);
	}
	return e < 0 ? e : tracee_set_regs(&r->k->t, &regs);
}

/* The first page of these that is in use, which the kernel of then has mapped; `end`: none is. */
static uint64_t first_used(const struct rtask *k, uint64_t start, uint64_t end)
{
	const uint64_t used = 3ull << 62; /* present, swapped */
	_cleanup_close_ int fd = -1;
	uint64_t word = 0;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/pagemap", (int)k->t.pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	while (start < end && !(word & used)) {
		if (pread(fd, &word, sizeof(word), (off_t)(start / PAGE * sizeof(word))) != (ssize_t)sizeof(word))
			word = used;
		start += word & used ? 0 : PAGE;
	}
	return start;
}

/* From `low` to `to`, which is the new low end. */
static int move_stack(struct replay *r, uint64_t to)
{
	struct memory *m = r->k->memory;
	const uint64_t less[6] = { m->low, to - m->low };
	const uint64_t more[6] = {
		to, m->low - to, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, ~0ull, 0
	};
	int e = 0;

	if (to > m->low)
		call(r, __NR_munmap, less, &e);
	else if (call(r, __NR_mmap, more, &e) != (long)to) /* the program has something there */
		return e;
	if (e == 0)
		m->low = to;
	return e;
}

int build_stack(struct replay *r, uint64_t limit)
{
	const struct memory *m = r->k->memory;
	uint64_t to = m->top - (limit > TRACE_STACK_MAX ? TRACE_STACK_MAX : limit / PAGE * PAGE);
	struct user_regs_struct regs;
	int e = m->top > TRACE_STACK_MAX ? pages_lift(r->k) : 0;

	if (e < 0 || m->top <= TRACE_STACK_MAX)
		return e;
	if (to > m->low)
		to = first_used(r->k, m->low, to);
	if (to == m->low)
		return 0;
	e = tracee_regs(&r->k->t, &regs);
	if (e == 0)
		e = move_stack(r, to);
	return e < 0 ? e : tracee_set_regs(&r->k->t, &regs);
}
