/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that map a file of the name libjvm.so: those that get the thread that a JVM begins last are connected with,
 * again if they refuse at first; those that end before are not. */
#include "../unit.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "run/follow/jvmwatch.h"

#define WAIT_MS 5000

static _Atomic int tries, refusals, last;

static int connect_with(int pid, const _Atomic bool *stop, struct err *err)
{
	(void)stop;
	tries++;
	last = pid;
	if (refusals-- > 0)
		return err_set(err, -EPERM, "not yet");
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static void nap(int ms)
{
	poll(NULL, 0, ms);
}

static const char *library(void)
{
	static char path[64];
	char folder[32];
	int fd;

	snprintf(folder, sizeof(folder), "/tmp/jvmwatch-%d", (int)getpid());
	mkdir(folder, 0700);
	snprintf(path, sizeof(path), "%s/libjvm.so", folder);
	fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0700);
	assert_true(fd >= 0 && ftruncate(fd, 4096) == 0);
	close(fd);
	return path;
}

/* A process that maps it; ready: it gets that thread, as the name of its only one. */
static pid_t jvm(const char *path, bool ready)
{
	pid_t pid = fork();

	if (pid == 0) {
		int fd = open(path, O_RDONLY);

		if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED)
			_exit(1);
		nap(50);
		if (ready)
			prctl(PR_SET_NAME, "VM Periodic Task Thread");
		else
			_exit(0);
		for (;;)
			pause();
	}
	assert_true(pid > 0);
	return pid;
}

static bool next(struct jvmwatch *w, int *pid, int *fd, struct err *err)
{
	struct pollfd p = { .fd = jvmwatch_fd(w), .events = POLLIN };

	return poll(&p, 1, WAIT_MS) > 0 && jvmwatch_next(w, pid, fd, err);
}

static struct jvmwatch *begin(int nrefusals)
{
	struct jvmwatch *w;

	tries = last = 0;
	refusals = nrefusals;
	assert_int_equal(jvmwatch_new(connect_with, &w), 0);
	return w;
}

static void end(struct jvmwatch *w, pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	jvmwatch_stop(w);
	jvmwatch_free(w);
}

static void one_that_begins_is_connected_with(void **state)
{
	const char *path = library();
	struct jvmwatch *w = begin(0);
	struct err err = { 0 };
	int got = 0, fd = -1;
	pid_t pid;

	(void)state;
	assert_int_equal(jvmwatch_start(w), 0);
	pid = jvm(path, true);
	assert_true(next(w, &got, &fd, &err));
	assert_int_equal(got, pid);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(tries, 1);
	assert_false(jvmwatch_next(w, &got, &fd, &err));
	end(w, pid);
}

static void one_that_refuses_is_asked_again(void **state)
{
	const char *path = library();
	struct jvmwatch *w = begin(2);
	struct err err = { 0 };
	int got = 0, fd = -1;
	pid_t pid = jvm(path, true);

	(void)state;
	jvmwatch_add(w, (int)pid); /* it was there before */
	jvmwatch_add(w, (int)pid);
	assert_int_equal(jvmwatch_start(w), 0);
	assert_true(next(w, &got, &fd, &err));
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(tries, 3);
	end(w, pid);
}

static void it_is_given_up_with_words(void **state)
{
	const char *path = library();
	struct jvmwatch *w = begin(1000);
	struct err err = { 0 };
	int got = 0, fd = 0;
	pid_t pid = jvm(path, true);

	(void)state;
	assert_int_equal(jvmwatch_start(w), 0);
	assert_true(next(w, &got, &fd, &err));
	assert_int_equal(fd, -EPERM);
	assert_string_equal(err.msg, "not yet");
	assert_int_equal(tries, JVMWATCH_TRIES);
	err_done(&err);
	end(w, pid);
}

static void one_that_ends_is_forgotten(void **state)
{
	const char *path = library();
	struct jvmwatch *w = begin(0);
	struct err err = { 0 };
	int got, fd;
	pid_t pid;

	(void)state;
	assert_int_equal(jvmwatch_start(w), 0);
	pid = jvm(path, false);
	waitpid(pid, NULL, 0);
	pid = jvm(path, true); /* the next one is seen */
	assert_true(next(w, &got, &fd, &err));
	assert_int_equal(got, pid);
	assert_int_equal(last, pid);
	close(fd);
	assert_int_equal(jvmwatch_lost(w), 0);
	end(w, pid);
}

static int remove_library(void **state)
{
	const char *path = library();
	char folder[64];

	(void)state;
	unlink(path);
	snprintf(folder, sizeof(folder), "/tmp/jvmwatch-%d", (int)getpid());
	rmdir(folder);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_that_begins_is_connected_with),
		cmocka_unit_test(one_that_refuses_is_asked_again),
		cmocka_unit_test(it_is_given_up_with_words),
		cmocka_unit_test(one_that_ends_is_forgotten),
	};

	if (geteuid() != 0)
		return skip_all("needs root");
	return cmocka_run_group_tests(tests, NULL, remove_library);
}
