/* SPDX-License-Identifier: Apache-2.0 */
/* Signals that the program sends to its process group: the recorder belongs to it, and goes on. */
#include <asm/unistd.h>
#include <signal.h>
#include "base/cleanup.h"
#include "replay/record/int.h"

static volatile sig_atomic_t awaited; /* 0: none */

/* Its own signals are for the program, as those of a terminal are. Others end the recorder as ever. */
static void on_signal(int signo)
{
	if (signo == awaited)
		return;
	signal(signo, SIG_DFL);
	raise(signo);
}

/* Would it end the recorder? Those of job control stop it, as they stop any process of the group. */
static bool is_ours(int signo)
{
	static const int others[] = { SIGKILL, SIGSTOP, SIGCONT, SIGTSTP,  SIGTTIN, SIGTTOU,
				      SIGCHLD, SIGURG,	SIGALRM, SIGWINCH, SIGINT,  SIGQUIT };

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (others[i] == signo)
			return false;
	return true;
}

/* From one disposition to the other. */
static void change(void (*from)(int), void (*to)(int))
{
	const struct sigaction a = { .sa_handler = to, .sa_flags = SA_RESTART };
	struct sigaction now;

	for (int i = 1; i <= SIGRTMAX; i++)
		if (is_ours(i) && sigaction(i, NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO) &&
		    now.sa_handler == from)
			sigaction(i, &a, NULL);
}

void self_begin(void)
{
	change(SIG_DFL, on_signal);
}

void self_end(void)
{
	change(on_signal, SIG_DFL);
}

/* The recorder gets it before it sees that the call has ended. */
void self_call(const struct rec *r, bool begins)
{
	const uint64_t *a = &r->k->call.regs[R_A0];
	const bool group = begins && r->k->call.regs[R_NR] == __NR_kill && (int32_t)a[0] <= 0;

	awaited = group ? (int)(a[1] & INT32_MAX) : 0;
}
