/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of a replayed program: a process of dwell's own is emptied and filled with the recorded mappings. */
#include <asm/unistd.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/rseq.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "replay/replay_int.h"

#define PAGE 4096ull
#define USER_END 0x7ffffffff000ull /* behind the last page that a program can have */
#define RSEQ_SIZES 512u		   /* bytes: what is registered is not more */

int replay_broken(struct replay *r, int error)
{
	return err_set(r->e, error, "the replay ends after %llu system calls: %s", (unsigned long long)r->result.calls,
		       strerror(-error));
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
	int e = tracee_regs(&r->t, &regs);

	if (e == 0)
		tracee_read(&r->t, regs.rip - 2, here, sizeof(here));
	if (e == 0 && memcmp(here, code, sizeof(code)) != 0)
		e = -EPROTO; /* it does not stand behind a system call */
	if (e == 0 && tracee_inject(&r->t, regs.rip - 2, __NR_mmap, args, &e) != (long)SCRATCH && e == 0)
		e = -ENOMEM;
	return e < 0 ? e : tracee_write(&r->t, SCRATCH, code, sizeof(code));
}

int build_start(struct replay *r)
{
	int status, e = 0;

	r->t.pid = fork();
	if (r->t.pid == 0)
		become_empty();
	if (r->t.pid < 0) {
		r->t.pid = 0;
		return replay_broken(r, -errno);
	}
	status = tracee_wait(&r->t);
	if (status >= 0 && !r->t.pid)
		return err_set(
			r->e, -EPERM,
			"ptrace is forbidden here: %s; see /proc/sys/kernel/yama/ptrace_scope, and a container's "
			"seccomp profile and capabilities",
			strerror(WIFEXITED(status) ? WEXITSTATUS(status) : EPERM));
	if (status < 0)
		e = status;
	else if (ptrace(PTRACE_SETOPTIONS, r->t.pid, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL) < 0)
		e = -errno;
	if (e == 0)
		e = tracee_open(&r->t);
	if (e == 0)
		e = first_page(r);
	return e < 0 ? replay_broken(r, e) : 0;
}

static long call(struct replay *r, long nr, const uint64_t args[6], int *e)
{
	return tracee_inject(&r->t, SCRATCH, nr, args, e);
}

static int map_fixed(struct replay *r, const struct ev_map *m)
{
	bool file = m->arena != ARENA_NONE;
	const uint64_t args[6] = { m->start,
				   m->end - m->start,
				   m->prot,
				   MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE | (file ? 0 : MAP_ANONYMOUS),
				   file ? (uint64_t)r->arena : ~0ull,
				   file ? m->arena : 0 };
	int e = 0;
	long x = call(r, __NR_mmap, args, &e);

	return e < 0 ? e : x == (long)m->start ? 0 : -ENOMEM;
}

int build_program(struct replay *r)
{
	const uint64_t all[6] = { SCRATCH + SCRATCH_SIZE, USER_END - (SCRATCH + SCRATCH_SIZE) };
	struct user_regs_struct regs = r->g.state.regs;
	int e = 0;

	if (call(r, __NR_munmap, all, &e) != 0 && e == 0)
		e = -ENOMEM;
	for (size_t i = 0; i < r->g.maps.n && e == 0; i++)
		e = map_fixed(r, &r->g.maps.v[i]);
	if (e == 0)
		e = tracee_set_vectors(&r->t, r->g.vectors.v, r->g.vectors.n);
	regs.orig_rax = ~0ull;
	if (e == 0)
		e = tracee_set_regs(&r->t, &regs);
	r->heap = 0;
	r->built = true;
	return e < 0 ? replay_broken(r, e) : 0;
}

static int move_heap(struct replay *r, uint64_t to, bool *same)
{
	uint64_t old = ROUND_UP(r->heap ? r->heap : to, PAGE), new = ROUND_UP(to, PAGE);
	const uint64_t less[6] = { new, old - new };
	const struct ev_map more = { old, new, ARENA_NONE, PROT_READ | PROT_WRITE, 0 };
	int e = 0;

	r->heap = to;
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

int build_map(struct replay *r, const struct ev_call *c, bool *same)
{
	struct user_regs_struct regs;
	uint64_t a[6];
	int e = tracee_regs(&r->t, &regs);

	if (e == 0 && c->regs[R_NR] == __NR_brk) {
		e = move_heap(r, (uint64_t)c->ret, same);
	} else if (e == 0) {
		args_of(r, c, a);
		*same = call(r, (long)c->regs[R_NR], a, &e) == c->ret;
	}
	return e < 0 ? e : tracee_set_regs(&r->t, &regs);
}
