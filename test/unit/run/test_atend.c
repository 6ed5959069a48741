/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that a signal calls before it ends the process: in the process that added them, and as many as fit. */
#include "../unit.h"
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include "run/os/atend.h"

static int out; /* a pipe: each function writes its letter */

static void letter(char c)
{
	if (write(out, &c, 1) != 1)
		_exit(99);
}

static void a(void)
{
	letter('a');
}

static void b(void)
{
	letter('b');
}

static void c(void)
{
	letter('c');
}

static void d(void)
{
	letter('d');
}

static void e(void)
{
	letter('e');
}

/* Ends a child that ran begin() by SIGTERM. Puts the letters into got; gives the child's status. */
static int end(void (*begin)(void), char *got, size_t size)
{
	int p[2], status;
	ssize_t n;
	pid_t pid;

	assert_int_equal(pipe(p), 0);
	out = p[1];
	pid = fork();
	if (pid == 0) {
		begin();
		raise(SIGTERM);
		_exit(0);
	}
	close(p[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	n = read(p[0], got, size - 1);
	got[n < 0 ? 0 : n] = '\0';
	close(p[0]);
	return status;
}

static void add_two(void)
{
	atend_add(a);
	atend_add(b);
	atend_add(a);
}

static void drop_one(void)
{
	add_two();
	atend_drop(a);
}

static void drop_all(void)
{
	drop_one();
	atend_drop(b);
	atend_drop(b);
}

/* A child has its parent's handler: it must not remove the parent's files. */
static void in_a_child(void)
{
	add_two();
	if (fork() == 0) {
		raise(SIGTERM);
		_exit(0);
	}
	wait(NULL);
	atend_drop(b);
}

static void while_held(void)
{
	sigset_t before;

	atend_hold(&before);
	raise(SIGTERM); /* waits */
	atend_add(c);
	sigprocmask(SIG_SETMASK, &before, NULL);
	letter('x'); /* never */
}

static void fill(void)
{
	if (atend_add(a) || atend_add(b) || atend_add(c) || atend_add(d) || atend_add(d) || atend_add(e) != -ENOSPC)
		letter('!');
	atend_drop(a);
	if (atend_add(e) != 0)
		letter('?');
}

static void when_ignored(void)
{
	signal(SIGTERM, SIG_IGN);
	add_two();
}

static void the_signal_calls_what_is_added(void **state)
{
	char got[16];

	(void)state;
	assert_int_equal(WTERMSIG(end(add_two, got, sizeof(got))), SIGTERM);
	assert_string_equal(got, "ab");
	assert_int_equal(WTERMSIG(end(drop_one, got, sizeof(got))), SIGTERM);
	assert_string_equal(got, "b");
	assert_int_equal(WTERMSIG(end(drop_all, got, sizeof(got))), SIGTERM);
	assert_string_equal(got, "");
	assert_int_equal(WTERMSIG(end(in_a_child, got, sizeof(got))), SIGTERM);
	assert_string_equal(got, "a");
	assert_int_equal(WTERMSIG(end(while_held, got, sizeof(got))), SIGTERM);
	assert_string_equal(got, "c");
}

static void an_ignored_signal_stays_ignored(void **state)
{
	char got[16];
	int status = end(when_ignored, got, sizeof(got));

	(void)state;
	assert_true(WIFEXITED(status));
	assert_string_equal(got, "");
}

static void no_more_than_fit(void **state)
{
	char got[16];

	(void)state;
	end(fill, got, sizeof(got));
	assert_string_equal(got, "ebcd");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(the_signal_calls_what_is_added),
					    cmocka_unit_test(an_ignored_signal_stays_ignored),
					    cmocka_unit_test(no_more_than_fit) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
