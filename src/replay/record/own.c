/* SPDX-License-Identifier: Apache-2.0 */
/* System calls whose arguments decide whether they can be recorded. Also the descriptors of the standard output: the
 * replay writes again what is written to them. */
#include <asm/prctl.h>
#include <asm/unistd.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "replay/record/int.h"

#define SELECT_MAX 1024u /* descriptors that the table's size of a set has room for */

static bool is_in(uint64_t x, const uint64_t *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == x)
			return true;
	return false;
}

static bool fcntl_known(uint64_t cmd)
{
	static const uint64_t known[] = {
		F_DUPFD,     F_DUPFD_CLOEXEC, F_GETFD,	    F_SETFD,	  F_GETFL,	F_SETFL,     F_GETLK,
		F_SETLK,     F_SETLKW,	      F_OFD_GETLK,  F_OFD_SETLK,  F_OFD_SETLKW, F_GETOWN,    F_SETOWN,
		F_GETOWN_EX, F_SETOWN_EX,     F_GETPIPE_SZ, F_SETPIPE_SZ, F_ADD_SEALS,	F_GET_SEALS,
	};

	return is_in(cmd, known, ARRAY_SIZE(known));
}

static bool prctl_known(uint64_t option)
{
	static const uint64_t known[] = {
		PR_SET_NAME,	    PR_GET_NAME,	 PR_SET_PDEATHSIG,	 PR_GET_DUMPABLE,
		PR_CAPBSET_READ,    PR_SET_NO_NEW_PRIVS, PR_GET_NO_NEW_PRIVS,	 PR_SET_KEEPCAPS,
		PR_SET_TIMERSLACK,  PR_SET_VMA,		 PR_SET_CHILD_SUBREAPER, PR_GET_SECCOMP,
		PR_SET_DUMPABLE,    PR_GET_SECUREBITS,	 PR_SET_SECUREBITS,	 PR_CAPBSET_DROP,
		PR_CAP_AMBIENT,	    PR_GET_TIMERSLACK,	 PR_GET_KEEPCAPS,	 PR_SET_PTRACER,
		PR_SET_THP_DISABLE, PR_GET_THP_DISABLE,	 PR_GET_PDEATHSIG,	 PR_GET_CHILD_SUBREAPER,
	};

	return is_in(option, known, ARRAY_SIZE(known));
}

/* Operations that only wait and wake: the kernel does not write the word. */
static bool futex_known(uint64_t op)
{
	static const uint64_t known[] = { FUTEX_WAIT,	     FUTEX_WAKE,    FUTEX_WAIT_BITSET,
					  FUTEX_WAKE_BITSET, FUTEX_REQUEUE, FUTEX_CMP_REQUEUE };

	return is_in(op & (uint64_t)FUTEX_CMD_MASK, known, ARRAY_SIZE(known));
}

static unsigned std_of(const struct rec *r, uint64_t fd)
{
	fd &= UINT32_MAX;
	return fd < REC_FDS ? r->k->fds->std[fd] : 0;
}

/* A filter of the program's could end it for what the recorder does. Kernels can be without. */
static int own_seccomp(struct rec *r, int error)
{
	if (!r->no_seccomp)
		r->o->note("the program asks for a filter of its system calls (seccomp): it runs without while it is "
			   "recorded");
	r->no_seccomp = true;
	r->k->deny = -error;
	return 0;
}

static int own_prctl(struct rec *r, const uint64_t *a)
{
	if (prctl_known(a[0]))
		return 0;
	if (a[0] == PR_SET_SECCOMP)
		return own_seccomp(r, EINVAL);
	return rec_stop(r, "prctl with option %lld cannot be recorded", (long long)a[0]);
}

/* Data that no memory of the program has cannot be written again: programs copy by themselves then. */
static int own_copy(struct rec *r, uint64_t out)
{
	if (std_of(r, out))
		r->k->deny = -EINVAL;
	return 0;
}

static int own_output(struct rec *r, uint64_t fd)
{
	char buf[32];

	if (!std_of(r, fd) || (std_of(r, fd) == FD_MEMORY && r->k->call.regs[R_NR] == __NR_pwrite64))
		return 0;
	return rec_stop(r, "%s to %s cannot be recorded", policy_name(r->k->call.regs[R_NR], buf),
			std_of(r, fd) == FD_MEMORY ? "/proc/PID/mem" : "the standard output");
}

/* A program of 32 bits is executed as by a kernel that has none. */
static void own_execve(struct rec *r, uint64_t addr)
{
	char path[ARGS_TEXT_MAX + 32];
	uint8_t head[EI_NIDENT] = { 0 };
	_cleanup_close_ int fd = -1;
	int n = snprintf(path, sizeof(path), "/proc/%d/cwd/", (int)r->k->t.pid);
	size_t got = tracee_read(&r->k->t, addr, path + n, ARGS_TEXT_MAX);

	path[(size_t)n + got] = 0;
	fd = open(path[n] == '/' ? path + n : path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd >= 0 && read(fd, head, sizeof(head)) == (ssize_t)sizeof(head) && memcmp(head, ELFMAG, SELFMAG) == 0 &&
	    head[EI_CLASS] == ELFCLASS32)
		r->k->deny = -ENOEXEC;
}

int rec_own(struct rec *r)
{
	const uint64_t *a = &r->k->call.regs[R_A0];

	switch (r->k->call.regs[R_NR]) {
	case __NR_fcntl:
		return fcntl_known(a[1]) ? 0
					 : rec_stop(r, "fcntl with command %lld cannot be recorded", (long long)a[1]);
	case __NR_ioctl:
		if (policy_ioctl(a[1]) == IOCTL_DENIED)
			r->k->deny = -EOPNOTSUPP;
		if (policy_ioctl(a[1]) != IOCTL_UNKNOWN)
			return 0;
		return rec_stop(r, "ioctl with request 0x%llx cannot be recorded", (unsigned long long)a[1]);
	case __NR_prctl: return own_prctl(r, a);
	case __NR_arch_prctl:
		if (a[0] != ARCH_SET_FS && a[0] != ARCH_SET_GS)
			r->k->deny = -EINVAL; /* as kernels that do not know the function */
		return 0;
	case __NR_futex:
		return futex_known(a[1]) ? 0
					 : rec_stop(r, "futex with operation %lld cannot be recorded", (long long)a[1]);
	case __NR_select:
	case __NR_pselect6:
		return a[0] <= SELECT_MAX
			       ? 0
			       : rec_stop(r, "select with more than %u descriptors cannot be recorded", SELECT_MAX);
	case __NR_sendfile: return own_copy(r, a[0]);
	case __NR_tee: return own_copy(r, a[1]);
	case __NR_copy_file_range:
	case __NR_splice: return own_copy(r, a[2]);
	case __NR_sendto: return 0;
	case __NR_seccomp: return own_seccomp(r, ENOSYS);
	case __NR_execve: own_execve(r, a[0]); return 0;
	default: return own_output(r, a[0]);
	}
}

/* The process, if the file is /proc/PID/mem; 0: it is another file. */
static pid_t memory_of(const char *path)
{
	char name[64];
	const ssize_t n = readlink(path, name, sizeof(name) - 1);
	int pid = 0, end = 0;

	name[n < 0 ? 0 : n] = 0;
	if (sscanf(name, "/proc/%d/mem%n", &pid, &end) != 1 || end != n)
		sscanf(name, "/proc/%d/task/%*d/mem%n", &pid, &end);
	return n > 0 && end == n ? pid : 0;
}

/* /dev/stdout and its like open what standard output is once more. */
static uint8_t opened(struct rec *r, int64_t fd)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/fd/%lld", (int)r->k->t.pid, (long long)fd);
	if (stat(path, &st) < 0)
		return 0;
	for (int i = 1; i <= 2; i++)
		if (r->k->fds->std[i] == i && st.st_dev == r->std[i].st_dev && st.st_ino == r->std[i].st_ino &&
		    !S_ISCHR(st.st_mode))
			return (uint8_t)i;
	return S_ISREG(st.st_mode) && st.st_size == 0 && memory_of(path) ? FD_MEMORY : 0;
}

static bool writes_out(uint64_t nr)
{
	return nr == __NR_write || nr == __NR_writev || nr == __NR_sendto || nr == __NR_pwrite64;
}

/* Bytes of the task's own memory, written through the file. */
static int wrote_memory(struct rec *r, uint64_t fd)
{
	const uint64_t *a = &r->k->call.regs[R_A0], n = (uint64_t)r->k->call.ret;
	const uint64_t nr = r->k->call.regs[R_NR];
	_cleanup_fclose_ FILE *f = NULL;
	char path[64], line[128];
	unsigned long long pos = nr == __NR_pwrite64 ? a[3] + n : 0;
	pid_t pid;

	snprintf(path, sizeof(path), "/proc/%d/fd/%u", (int)r->k->t.pid, (unsigned)fd);
	pid = memory_of(path);
	snprintf(path, sizeof(path), "/proc/%d/task/%d", (int)pid, (int)r->k->t.pid);
	if (nr == __NR_writev || n > GROUP_MAX || access(path, F_OK) < 0)
		return rec_stop(r, "a write of %llu bytes to /proc/%d/mem cannot be recorded", (unsigned long long)n,
				(int)pid);
	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%u", (int)r->k->t.pid, (unsigned)fd);
	f = fopen(path, "re");
	while (!pos && f && fgets(line, sizeof(line), f))
		sscanf(line, "pos: %llu", &pos);
	return rec_put_mem(r, &(struct span){ pos - n, n });
}

int rec_output(struct rec *r)
{
	const uint64_t fd = r->k->call.regs[R_A0];
	const unsigned std = writes_out(r->k->call.regs[R_NR]) ? std_of(r, fd) : 0;

	if (std == FD_MEMORY)
		return r->k->call.ret > 0 ? wrote_memory(r, fd) : 0;
	r->k->call.out = (uint8_t)std;
	return 0;
}

static int set(struct rec *r, int64_t fd, unsigned std)
{
	if (fd >= 0 && fd < REC_FDS)
		r->k->fds->std[fd] = (uint8_t)std;
	return fd < REC_FDS || !std ? 0
				    : rec_stop(r, "standard output as descriptor %lld cannot be recorded: at most %u",
					       (long long)fd, REC_FDS - 1);
}

static bool is_dup(uint64_t nr, const uint64_t *a)
{
	return nr == __NR_dup || nr == __NR_dup2 || nr == __NR_dup3 ||
	       (nr == __NR_fcntl && (a[1] == F_DUPFD || a[1] == F_DUPFD_CLOEXEC));
}

static bool is_open(uint64_t nr)
{
	return nr == __NR_open || nr == __NR_openat || nr == __NR_openat2 || nr == __NR_creat;
}

int rec_follow(struct rec *r)
{
	const uint64_t *a = &r->k->call.regs[R_A0];
	uint64_t nr = r->k->call.regs[R_NR];

	if (r->k->call.ret < 0)
		return 0;
	if (is_dup(nr, a))
		return set(r, r->k->call.ret, std_of(r, a[0]));
	if (is_open(nr))
		return set(r, r->k->call.ret, opened(r, r->k->call.ret));
	if (nr == __NR_close)
		return set(r, (int64_t)(a[0] & UINT32_MAX), 0);
	if (nr == __NR_close_range && !(a[2] & CLOSE_RANGE_CLOEXEC))
		for (uint64_t i = a[0]; i <= a[1] && i < REC_FDS; i++)
			r->k->fds->std[i] = 0;
	return r->k->desc->ret == RET_FD ? set(r, r->k->call.ret, 0) : 0;
}
