/* SPDX-License-Identifier: Apache-2.0 */
/* More than a pipe takes at once, with signals in between; what cannot be written. */
#include "../unit.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/writeall.h"

#define BYTES (1u << 20)

static char sent[BYTES];

static void on_alarm(int sig)
{
	(void)sig;
}

/* The reader sleeps between its reads, so that write() is interrupted after a part. */
static _Noreturn void reader(int fd)
{
	static char buf[8192];
	size_t n = 0;
	ssize_t k;

	while ((k = read(fd, buf, sizeof(buf))) > 0) {
		for (ssize_t i = 0; i < k; i++)
			if (buf[i] != (char)((n + (size_t)i) % 251))
				_exit(2);
		n += (size_t)k;
		usleep(500);
	}
	_exit(n == BYTES ? 0 : 1);
}

static void all_of_it(void **state)
{
	const struct itimerval often = { { 0, 1000 }, { 0, 1000 } }, never = { 0 };
	const struct sigaction sa = { .sa_handler = on_alarm }; /* no SA_RESTART */
	struct sigaction before;
	int p[2], status;
	pid_t pid;

	(void)state;
	for (size_t i = 0; i < BYTES; i++)
		sent[i] = (char)(i % 251);
	assert_int_equal(pipe(p), 0);
	pid = fork();
	if (pid == 0) {
		close(p[1]);
		reader(p[0]);
	}
	close(p[0]);
	sigaction(SIGALRM, &sa, &before);
	setitimer(ITIMER_REAL, &often, NULL);
	assert_int_equal(write_all(p[1], sent, BYTES), 0);
	setitimer(ITIMER_REAL, &never, NULL);
	sigaction(SIGALRM, &before, NULL);
	close(p[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void errors(void **state)
{
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC);

	(void)state;
	assert_true(full >= 0);
	assert_int_equal(write_all(full, "x", 1), -ENOSPC);
	assert_int_equal(write_all(full, "x", 0), 0);
	close(full);
	assert_int_equal(write_all(-1, "x", 1), -EBADF);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(all_of_it), cmocka_unit_test(errors) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
