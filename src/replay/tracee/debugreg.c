/* SPDX-License-Identifier: Apache-2.0 */
#include "replay/tracee/debugreg.h"
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define WRITES_OF_8 (1ul | 9ul << 16) /* in register 7: of the address in register 0 */

static volatile uint64_t word;

static void child(void)
{
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
		_exit(1);
	raise(SIGSTOP);
	word = 1;
	_exit(0);
}

static bool set(pid_t pid, unsigned n, unsigned long value)
{
	return ptrace(PTRACE_POKEUSER, pid, offsetof(struct user, u_debugreg) + n * sizeof(value), value) == 0;
}

static int next_stop(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, __WALL) < 0)
		if (errno != EINTR)
			return -errno;
	return status;
}

/* The child has stopped: is the write to the word seen? True, too, if it cannot be tried. */
static bool fires(pid_t pid)
{
	int status;

	if (!set(pid, 0, (unsigned long)&word) || !set(pid, 7, WRITES_OF_8) || ptrace(PTRACE_CONT, pid, NULL, NULL) < 0)
		return true;
	status = next_stop(pid);
	return status < 0 || !WIFEXITED(status);
}

static bool try(void)
{
	const pid_t pid = fork();
	bool r;
	int status;

	if (pid == 0)
		child();
	if (pid < 0)
		return true;
	status = next_stop(pid);
	if (status < 0 || !WIFSTOPPED(status))
		return true; /* ptrace is forbidden: what is to be traced says so */
	r = fires(pid);
	if (r && kill(pid, SIGKILL) == 0) /* else it has ended, and its number may be another's */
		next_stop(pid);
	return r;
}

bool debugreg_silent(void)
{
	static int known; /* 1: they work; 2: not */

	if (!known)
		known = try() ? 1 : 2;
	return known == 2;
}
