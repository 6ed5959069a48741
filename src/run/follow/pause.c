/* SPDX-License-Identifier: Apache-2.0 */
/* Stops one thread of another process by ptrace and resumes it. Source: ptrace(2), "Attaching and detaching",
 * PTRACE_SEIZE and PTRACE_INTERRUPT. */
#include "run/follow/pause.h"
#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include "base/step.h"

#define NAP_NS 20000 /* between two looks */

int pause_thread(struct pauses *p, pid_t tid)
{
	if (p->n >= PAUSE_MAX)
		return -EBUSY;
	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) < 0)
		return -errno;
	if (ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) < 0) /* it ends */
		return -errno;
	return 0;
}

/* Is it stopped? *sig is the signal that came first, to be delivered; our own stop is none (0). -ESRCH: it is gone.
 * Other threads of dwell may have called waitpid() before: that does not matter. */
static struct step look(pid_t tid, int *sig)
{
	siginfo_t si;
	int status;
	pid_t w;

	if (ptrace(PTRACE_GETSIGINFO, tid, NULL, &si) == 0) {
		*sig = si.si_code >> 8 == PTRACE_EVENT_STOP ? 0 : si.si_signo;
		return step_more();
	}
	w = waitpid(tid, &status, __WALL | WNOHANG);
	if (w == tid && WIFSTOPPED(status)) {
		*sig = status >> 16 ? 0 : WSTOPSIG(status);
		return step_more();
	}
	return w == 0 || (w < 0 && errno == EINTR) ? step_end() : step_failed(-ESRCH);
}

/* True when it is over: the thread goes on, or there is none. */
static bool let_go(struct pauses *p, pid_t tid, bool matters)
{
	int sig = 0;
	struct step stopped = look(tid, &sig);

	if (stopped.more)
		ptrace(PTRACE_DETACH, tid, NULL, (void *)(long)sig);
	p->ended += stopped.error < 0 && matters;
	return stopped.more || stopped.error < 0;
}

void pause_end(struct pauses *p, pid_t tid, bool matters)
{
	const struct timespec nap = { .tv_nsec = NAP_NS };

	for (unsigned ns = 0; ns < PAUSE_WAIT_NS; ns += NAP_NS) {
		if (let_go(p, tid, matters))
			return;
		nanosleep(&nap, NULL);
	}
	p->late[p->n++] = (struct pausing){ tid, matters };
}

void pauses_tick(struct pauses *p)
{
	unsigned n = 0;

	for (unsigned i = 0; i < p->n; i++)
		if (!let_go(p, p->late[i].tid, p->late[i].matters))
			p->late[n++] = p->late[i];
	p->n = n;
}
