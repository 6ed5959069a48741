/* SPDX-License-Identifier: Apache-2.0 */
/* The launcher and a server at the two ends of a socket: which command lines it makes of requests, that a text stays
 * one word, what is refused, and that children end. The launcher executes its own binary: this test, which then prints
 * its words. */
#include "launcher/launch.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../unit.h"

#define WAIT_MS 20000
#define SLEEPS "sleep" /* the program with which a child stays */

static int sock;

/* The program that the launcher starts. */
static int child(int argc, char **argv)
{
	for (int i = 0; i < argc; i++)
		printf("%s[%s]", i ? " " : "", argv[i]);
	fflush(stdout);
	if (!strcmp(argv[argc - 1], SLEEPS))
		for (;;)
			pause();
	return 0;
}

/* Reads a pipe until its end, or n bytes. */
static void read_all(int fd, char *buf, size_t size, size_t n)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	size_t at = 0;
	ssize_t k = 1;

	while (at < n && at < size - 1 && k != 0) {
		if (poll(&p, 1, WAIT_MS) <= 0)
			break;
		k = read(fd, buf + at, size - 1 - at);
		at += k > 0 ? (size_t)k : 0;
	}
	buf[at] = '\0';
}

static int ask(enum serve_kind kind, const char *text, char *ret, size_t size)
{
	struct serve_child c;
	struct err err = { 0 };
	int e = launch_start(&sock, kind, text, strlen(text), &c, &err);

	snprintf(ret, size, "%s", e ? err.msg : "");
	err_done(&err);
	if (e == 0) {
		read_all(c.out, ret, size, size);
		close(c.out);
		close(c.err);
	}
	return e;
}

/* Exit statuses of the server: which check failed. */
#define CHECK(condition) \
	do { \
		if (!(condition)) \
			return __LINE__ - first_line; \
	} while (0)

static int a_text_is_one_word(void)
{
	const int first_line = __LINE__;
	char got[1024];

	CHECK(ask(SERVE_CHECK, "BEGIN { trace(\"a b\"); } -w", got, sizeof(got)) == 0);
	CHECK(!strcmp(got, "[dwell] [--json] [-e] [-x] [confined] [-n] [BEGIN { trace(\"a b\"); } -w]"));
	CHECK(ask(SERVE_PROBES, "--help", got, sizeof(got)) == 0);
	CHECK(!strcmp(got, "[dwell] [--json] [-l] [-x] [confined] [-n] [--help]"));
	return 0;
}

static int runs_are_confined_and_bounded(void)
{
	const int first_line = __LINE__;
	char got[1024];

	CHECK(ask(SERVE_RUN, "BEGIN", got, sizeof(got)) == 0);
	CHECK(strstr(got, "[-x] [confined]") && strstr(got, "[-x] [noself]") && strstr(got, "[-x] [maxcpu=25%]"));
	CHECK(strstr(got, " [-n] [BEGIN]") && !strstr(got, "[-w]"));
	return 0;
}

static int what_is_not_there_is_refused(void)
{
	const int first_line = __LINE__;
	char got[1024];

	CHECK(ask(SERVE_VIEW, "r1\nheat.json\n", got, sizeof(got)) == -ENOENT); /* there are no recordings */
	CHECK(!strcmp(got, "cannot start a tracer: No such file or directory"));
	CHECK(ask(SERVE_VIEW, "r1\nno.json\n", got, sizeof(got)) == -EINVAL);
	CHECK(ask(SERVE_CHECK, "BEGIN", got, sizeof(got)) == 0); /* it goes on */
	return 0;
}

static int a_run_ends_when_it_is_stopped(void)
{
	const int first_line = __LINE__;
	struct serve_child c;
	struct err err = { 0 };
	char got[1024];

	CHECK(launch_start(&sock, SERVE_RUN, SLEEPS, strlen(SLEEPS), &c, &err) == 0);
	read_all(c.out, got, sizeof(got), 1);
	CHECK(strstr(got, "[dwell]"));
	launch_stop(&sock, c.id);
	read_all(c.err, got, sizeof(got), sizeof(got)); /* its end */
	CHECK(poll(&(struct pollfd){ .fd = c.err, .events = POLLIN }, 1, 0) == 1);
	return 0;
}

/* The launcher's end is in this process, as in `dwell serve`; the server is a child. Its exit status is the result. */
static void serve_with(int (*server)(void))
{
	static char *const overview[] = { (char *)"dwell", (char *)"--overview", NULL };
	struct servedir dir = { 0 };
	int pair[2], stop[2];
	sigset_t held;
	pid_t pid;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	assert_int_equal(pipe2(stop, O_CLOEXEC), 0);
	launch_hold_signals(&held);
	fflush(stdout);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		close(pair[0]);
		sock = pair[1];
		_exit(server());
	}
	close(pair[1]);
	assert_int_equal(launch_loop(pair[0], stop[1], pid, overview, &dir, getuid()), 0);
	close(stop[0]);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child is left */
	assert_int_equal(errno, ECHILD);
}

#define CASE(name) \
	static void test_##name(void **state) \
	{ \
		(void)state; \
		serve_with(name); \
	}
CASE(a_text_is_one_word)
CASE(runs_are_confined_and_bounded)
CASE(what_is_not_there_is_refused)
CASE(a_run_ends_when_it_is_stopped)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_text_is_one_word),
		cmocka_unit_test(test_runs_are_confined_and_bounded),
		cmocka_unit_test(test_what_is_not_there_is_refused),
		cmocka_unit_test(test_a_run_ends_when_it_is_stopped),
	};

#if defined(__SANITIZE_ADDRESS__)
	if (argc == 1)
		return skip_all("children have a limit of memory, which the address sanitizer exceeds when it begins");
#endif
	return argc > 1 ? child(argc, argv) : cmocka_run_group_tests(tests, NULL, NULL);
}
