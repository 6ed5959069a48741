/* SPDX-License-Identifier: Apache-2.0 */
/* Calls functions when a signal ends the process. */
#include "run/os/atend.h"
#include <errno.h>
#include <stddef.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "run/os/signals.h"

static const int ending[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
/* Handlers have nothing but globals. */
static struct {
	void (*volatile f)(void);
	pid_t owner;
} added[ATEND_MAX];
static struct sigaction saved[ARRAY_SIZE(ending)];
static bool installed;

static void call_all(void)
{
	for (unsigned i = 0; i < ATEND_MAX; i++) {
		void (*f)(void) = added[i].f;

		if (f && added[i].owner == getpid())
			f();
	}
}

/* The process ends when the handler returns, since the signal is blocked in it. */
static void on_signal(int sig)
{
	int code = errno;

	call_all();
	signal(sig, SIG_DFL);
	raise(sig);
	errno = code;
}

void atend_hold(sigset_t *before)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_SIZE(ending); i++)
		sigaddset(&set, ending[i]);
	sigprocmask(SIG_BLOCK, &set, before);
}

static void install(void)
{
	const struct sigaction sa = { .sa_handler = on_signal };

	for (size_t i = 0; i < ARRAY_SIZE(ending); i++) {
		sigaction(ending[i], NULL, &saved[i]);
		if (saved[i].sa_handler == SIG_DFL)
			sigaction(ending[i], &sa, NULL);
	}
	signals_at_exit(call_all);
	installed = true;
}

static unsigned find(void (*f)(void))
{
	unsigned i = 0;

	while (i < ATEND_MAX && added[i].f != f)
		i++;
	return i;
}

int atend_add(void (*f)(void))
{
	unsigned i = find(f);

	if (i == ATEND_MAX)
		i = find(NULL);
	if (i == ATEND_MAX)
		return -ENOSPC;
	added[i].owner = getpid();
	added[i].f = f;
	if (!installed)
		install();
	return 0;
}

void atend_drop(void (*f)(void))
{
	unsigned at = find(f);

	if (at == ATEND_MAX)
		return;
	added[at].f = NULL;
	for (unsigned i = 0; i < ATEND_MAX; i++)
		if (added[i].f)
			return;
	for (size_t i = 0; i < ARRAY_SIZE(ending); i++)
		sigaction(ending[i], &saved[i], NULL);
	installed = false;
}
