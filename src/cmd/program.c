/* SPDX-License-Identifier: Apache-2.0 */
/* Ends this process as a program that it ran has ended. */
#include "cmd/program.h"
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>

int program_end_as(int status)
{
	const struct rlimit none = { 0 };

	if (!WIFSIGNALED(status))
		return WEXITSTATUS(status);
	fflush(NULL);
	setrlimit(RLIMIT_CORE, &none); /* one core is enough */
	signal(WTERMSIG(status), SIG_DFL);
	raise(WTERMSIG(status));
	return 128 + WTERMSIG(status); /* a signal that is blocked */
}
