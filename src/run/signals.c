/* SPDX-License-Identifier: Apache-2.0 */
/* Signals that end a run. A handler instead of signalfd: the second signal must work although the
 * main thread hangs in a write to a blocked pipe. */
#include "run/signals.h"
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static const int wanted[] = { SIGINT, SIGTERM, SIGHUP };
#define NWANTED (sizeof(wanted) / sizeof(wanted[0]))

/* Handlers have nothing but globals. */
static volatile sig_atomic_t arrived, hung_up;
static int event_fd = -1;
static struct sigaction saved[NWANTED];

static void on_signal(int sig)
{
	const uint64_t one = 1;
	int code = errno;

	if (arrived)
		_exit(1);
	arrived = sig;
	if (write(event_fd, &one, sizeof(one)) < 0)
		_exit(1);
	errno = code;
}

/* Interrupts the sleep of the event loop, which then asks. */
static void on_hangup(int sig)
{
	(void)sig;
	hung_up = 1;
}

int signals_install(bool hangup_ends, int *ret_fd)
{
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	struct sigaction hup = { .sa_handler = on_hangup, .sa_flags = SA_RESTART };

	if (event_fd >= 0)
		return -EBUSY;
	event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (event_fd < 0)
		return -errno;
	arrived = hung_up = 0;
	for (unsigned i = 0; i < NWANTED; i++) {
		sigaction(wanted[i], NULL, &saved[i]);
		if (wanted[i] == SIGHUP && !hangup_ends)
			sigaction(SIGHUP, &hup, NULL);
		else if (saved[i].sa_handler != SIG_IGN)
			sigaction(wanted[i], &sa, NULL);
	}
	*ret_fd = event_fd;
	return 0;
}

void signals_restore(void)
{
	if (event_fd < 0)
		return;
	for (unsigned i = 0; i < NWANTED; i++)
		sigaction(wanted[i], &saved[i], NULL);
	close(event_fd);
	event_fd = -1;
}

int signals_pending(void)
{
	return arrived;
}

bool signals_take_hangup(void)
{
	bool was = hung_up != 0;

	hung_up = 0;
	return was;
}
