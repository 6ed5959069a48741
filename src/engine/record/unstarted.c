/* SPDX-License-Identifier: Apache-2.0 */
/* Removes the file of a recording whose run did not begin, also when a signal ends the process. */
#include "engine/record/unstarted.h"
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "run/os/signals.h"

static const int wanted[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
/* The file, and those that SQLite puts next to it. Handlers have nothing but globals. */
static const char *const suffixes[] = { "", "-wal", "-shm", "-journal" };
static char paths[ARRAY_SIZE(suffixes)][PATH_MAX];
static volatile sig_atomic_t guarded;
static pid_t owner; /* a command that is being started has the handler, too, until it executes */
static struct sigaction saved[ARRAY_SIZE(wanted)];
static sigset_t unheld;

static void remove_files(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		unlink(paths[i]);
}

/* For a second signal, while run/os/signals.h keeps the first one. */
static void remove_guarded(void)
{
	if (guarded && getpid() == owner)
		remove_files();
}

/* Ends the process by this signal: when the handler returns, since the signal is blocked in it. */
static void on_signal(int sig)
{
	int code = errno;

	remove_guarded();
	signal(sig, SIG_DFL);
	raise(sig);
	errno = code;
}

void unstarted_begin(void)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		sigaddset(&set, wanted[i]);
	sigprocmask(SIG_BLOCK, &set, &unheld);
}

static void guard(const char *path)
{
	const struct sigaction sa = { .sa_handler = on_signal };

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		if ((size_t)snprintf(paths[i], PATH_MAX, "%s%s", path, suffixes[i]) >= PATH_MAX)
			return;
	owner = getpid();
	guarded = 1;
	signals_at_exit(remove_guarded);
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		sigaction(wanted[i], NULL, &saved[i]);
		if (saved[i].sa_handler == SIG_DFL)
			sigaction(wanted[i], &sa, NULL);
	}
}

void unstarted_set(const char *path)
{
	if (path)
		guard(path);
	sigprocmask(SIG_SETMASK, &unheld, NULL);
}

void unstarted_commit(void)
{
	if (!guarded)
		return;
	guarded = 0;
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		sigaction(wanted[i], &saved[i], NULL);
}

void unstarted_remove(void)
{
	if (guarded)
		remove_files();
	unstarted_commit();
}
