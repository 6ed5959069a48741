/* SPDX-License-Identifier: Apache-2.0 */
/* Handlers instead of signalfd: they must work although the thread that prints hangs in a write to a blocked pipe. A
 * timer of that thread looks at the outputs once a signal has come.
 *
 * Handlers have nothing but globals, and call what is async-signal-safe only. Source: signal-safety(7),
 * timer_create(2), proc_pid_io(5). */
#include "run/os/signals.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"

static const int wanted[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
#define NWANTED ARRAY_SIZE(wanted)
#define LOOK_NS 50000000ull /* so often are the outputs looked at */
#define SIG_LOOK (SIGRTMIN + 2)
#define FIRST_FD(i) ((i) == 0 ? STDOUT_FILENO : (i) == 1 ? STDERR_FILENO : watched_fd)
#define NOUTPUTS 3

static volatile sig_atomic_t arrived, hung_up, cut;
static volatile uint64_t first_ns, cut_ns;   /* written before the flags that tell of them */
static volatile sig_atomic_t waiting, early; /* signals_early() has set handlers; the signal that came since */
static volatile uint64_t early_ns;
static int event_fd = -1, null_fd = -1, io_fd = -1, watched_fd = -1;
static void (*at_exit[SIGNALS_AT_EXIT_MAX])(void);
static timer_t timer;
static bool have_timer;
static struct sigaction saved[NWANTED], saved_look;
static uint64_t written,
	written_ns;	    /* what the thread had written when it was looked at, and since when it has been so much */
static uint64_t records_ns; /* CPU time of the thread when signals_overdue() was asked first; 0: not yet */

static void look_again(uint64_t ns)
{
	const struct itimerspec every = { clock_timespec(ns), clock_timespec(ns) };

	if (have_timer)
		timer_settime(timer, 0, &every, NULL);
}

/* Bytes that the thread has handed to write(2), in sockets, files and pipes; 0: not known. */
static uint64_t bytes_written(void)
{
	char text[256], *p;
	ssize_t n = io_fd < 0 ? -1 : pread(io_fd, text, sizeof(text) - 1, 0);
	uint64_t u = 0;

	if (n <= 0)
		return 0;
	text[n] = '\0';
	p = strstr(text, "wchar: ");
	for (p = p ? p + 7 : text + n; *p >= '0' && *p <= '9'; p++)
		u = u * 10 + (uint64_t)(*p - '0');
	return u;
}

static bool takes_nothing(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	return fd >= 0 && poll(&p, 1, 0) == 0;
}

static void on_look(int sig);

/* With `restart`, what the thread waits for goes on after a look. */
static void handle_looks(bool restart)
{
	const struct sigaction sa = { .sa_handler = on_look, .sa_flags = restart ? SA_RESTART : 0 };

	sigaction(SIG_LOOK, &sa, NULL);
}

/* Redirects to /dev/null the standard output, the watched output, and others that are blocked. The thread leaves the
 * write it is in. */
static void give_up(enum signals_cut by, uint64_t now)
{
	for (int i = 0; i < NOUTPUTS; i++) {
		int fd = FIRST_FD(i);

		if (fd >= 0 && null_fd >= 0 && (fd != STDERR_FILENO || takes_nothing(fd)))
			dup2(null_fd, fd);
	}
	cut_ns = now;
	cut = by;
	handle_looks(false);
	look_again(LOOK_NS / 10);
}

/* Ends the process; in a handler. */
static void leave(void)
{
	for (unsigned i = 0; i < SIGNALS_AT_EXIT_MAX && at_exit[i]; i++)
		at_exit[i]();
	_exit(1);
}

static void say(const char *text)
{
	const char *name = program_invocation_short_name;

	if (!takes_nothing(STDERR_FILENO) && write(STDERR_FILENO, name, strlen(name)) > 0 &&
	    write(STDERR_FILENO, text, strlen(text)) < 0)
		return;
}

static void say_ended(void)
{
	say(": ended by a second signal before all was read and printed: the rest is lost\n");
}

/* By the timer, in the thread that prints. */
static void on_look(int sig)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), bytes;
	bool blocked = false;
	int code = errno;

	(void)sig;
	if (cut) {
		handle_looks(true); /* once is enough: the next write does not block */
		if (cut == SIGNALS_AGAIN && now - cut_ns > SIGNALS_END_NS) {
			say_ended();
			leave();
		}
		look_again(LOOK_NS);
	} else if (arrived) {
		for (int i = 0; i < NOUTPUTS; i++)
			blocked |= takes_nothing(FIRST_FD(i));
		bytes = bytes_written();
		if (!blocked || bytes != written || !written_ns) {
			written = bytes;
			written_ns = now;
		} else if (now - written_ns > SIGNALS_BLOCKED_NS) {
			give_up(SIGNALS_BLOCKED, now);
		}
	}
	errno = code;
}

static void on_signal(int sig)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	const uint64_t one = 1;
	int code = errno;

	if (!arrived) {
		first_ns = now;
		arrived = sig;
		look_again(LOOK_NS);
		if (write(event_fd, &one, sizeof(one)) < 0)
			leave();
	} else if (cut == SIGNALS_AGAIN) {
		if (now - cut_ns > SIGNALS_SAME_NS) {
			say_ended();
			leave();
		}
	} else if (now - first_ns > SIGNALS_SAME_NS) {
		give_up(SIGNALS_AGAIN, now);
	}
	errno = code;
}

/* Before there is a run. The second one ends the process, by that signal. */
static void on_early(int sig)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	int code = errno;

	if (!early) {
		early_ns = now;
		early = sig;
		say(": ends as soon as it has started; a second signal ends it at once\n");
	} else if (now - early_ns > SIGNALS_SAME_NS) {
		for (unsigned i = 0; i < SIGNALS_AT_EXIT_MAX && at_exit[i]; i++)
			at_exit[i]();
		signal(sig, SIG_DFL);
		raise(sig);
	}
	errno = code;
}

/* Interrupts the sleep of the event loop, which then asks. */
static void on_hangup(int sig)
{
	(void)sig;
	hung_up = 1;
}

/* Without a timer (no memory for it) a blocked output is given up by the second signal. */
static void make_timer(void)
{
	struct sigevent ev = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIG_LOOK };
	char path[64];

	ev._sigev_un._tid = gettid();
	sigaction(SIG_LOOK, NULL, &saved_look);
	handle_looks(true);
	have_timer = timer_create(CLOCK_MONOTONIC, &ev, &timer) == 0;
	snprintf(path, sizeof(path), "/proc/self/task/%d/io", (int)gettid());
	io_fd = open(path, O_RDONLY | O_CLOEXEC);
	null_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
}

void signals_early(bool hangup_ends)
{
	struct sigaction sa = { .sa_handler = on_early, .sa_flags = SA_RESTART };
	const struct sigaction hup = { .sa_handler = on_hangup, .sa_flags = SA_RESTART };

	if (waiting || event_fd >= 0)
		return;
	early = 0;
	for (unsigned i = 0; i < NWANTED; i++)
		sigaddset(&sa.sa_mask, wanted[i]);
	for (unsigned i = 0; i < NWANTED; i++) {
		sigaction(wanted[i], NULL, &saved[i]);
		if (saved[i].sa_handler == SIG_DFL)
			sigaction(wanted[i], wanted[i] == SIGHUP && !hangup_ends ? &hup : &sa, NULL);
	}
	waiting = 1;
}

void signals_late(void)
{
	if (!waiting)
		return;
	waiting = 0;
	for (unsigned i = 0; i < NWANTED; i++)
		sigaction(wanted[i], &saved[i], NULL);
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
	arrived = hung_up = cut = 0;
	written_ns = records_ns = 0;
	make_timer();
	for (unsigned i = 0; i < NWANTED; i++)
		sigaddset(&sa.sa_mask, wanted[i]);
	for (unsigned i = 0; i < NWANTED; i++) {
		if (!waiting)
			sigaction(wanted[i], NULL, &saved[i]);
		if (wanted[i] == SIGHUP && !hangup_ends)
			sigaction(SIGHUP, &hup, NULL);
		else if (saved[i].sa_handler != SIG_IGN)
			sigaction(wanted[i], &sa, NULL);
	}
	*ret_fd = event_fd;
	waiting = 0;
	if (early)
		on_signal(early);
	early = 0;
	return 0;
}

void signals_restore(void)
{
	if (event_fd < 0)
		return;
	for (unsigned i = 0; i < NWANTED; i++)
		sigaction(wanted[i], &saved[i], NULL);
	if (have_timer)
		timer_delete(timer);
	have_timer = false;
	sigaction(SIG_LOOK, &saved_look, NULL);
	closep(&event_fd);
	closep(&io_fd);
	closep(&null_fd);
	event_fd = io_fd = null_fd = watched_fd = -1;
}

void signals_watch(int fd)
{
	watched_fd = fd;
}

void signals_at_exit(void (*f)(void))
{
	for (unsigned i = 0; i < SIGNALS_AT_EXIT_MAX; i++)
		if (!at_exit[i] || at_exit[i] == f) {
			at_exit[i] = f;
			return;
		}
}

int signals_pending(void)
{
	return arrived;
}

enum signals_cut signals_cut(void)
{
	return (enum signals_cut)cut;
}

bool signals_overdue(void)
{
	uint64_t now;

	if (!arrived)
		return false;
	now = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	if (!records_ns)
		records_ns = now;
	return cut || now - records_ns > SIGNALS_RECORDS_NS;
}

bool signals_take_hangup(void)
{
	bool was = hung_up != 0;

	hung_up = 0;
	return was;
}
