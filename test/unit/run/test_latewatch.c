/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of other processes that are stopped for a moment, and files that are seen when they are mapped: children of
 * this test, on the live kernel. */
#include "../unit.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "run/follow/latewatch.h"
#include "run/follow/pause.h"

#define WAIT_MS 5000

static void nap(void)
{
	const struct timespec ts = { .tv_nsec = 10000000 };

	nanosleep(&ts, NULL);
}

/* The letter of its state in /proc; 0: it is gone. */
static char state_of(pid_t pid)
{
	char path[64], buf[512], *p;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "r");
	if (!f)
		return 0;
	p = fgets(buf, sizeof(buf), f) ? strrchr(buf, ')') : NULL;
	fclose(f);
	return p ? p[2] : 0;
}

static pid_t tracer_of(pid_t pid)
{
	char path[64], line[256];
	int tracer = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f) && sscanf(line, "TracerPid: %d", &tracer) != 1)
		;
	if (f)
		fclose(f);
	return tracer;
}

static bool reaches(pid_t pid, char want)
{
	for (int i = 0; i < WAIT_MS / 10 && state_of(pid) != want; i++)
		nap();
	return state_of(pid) == want;
}

/* A child that ends when it is told, by SIGUSR1 or SIGTERM. */
static pid_t child(void)
{
	sigset_t s;
	pid_t pid;

	sigemptyset(&s);
	sigaddset(&s, SIGUSR1);
	sigprocmask(SIG_BLOCK, &s, NULL);
	pid = fork();
	if (pid == 0) {
		int sig;

		sigwait(&s, &sig);
		_exit(7);
	}
	assert_true(pid > 0);
	nap();
	return pid;
}

static void ends(pid_t pid, int want)
{
	int status;

	do /* the tracer is a thread of ours: its stops may turn up here */
		assert_int_equal(waitpid(pid, &status, 0), pid);
	while (WIFSTOPPED(status));
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), want);
}

static void a_thread_stops_and_goes_on(void **state)
{
	struct pauses p = { 0 };
	pid_t pid = child();

	(void)state;
	assert_int_equal(pause_thread(&p, pid), 0);
	assert_true(reaches(pid, 't'));
	assert_int_equal(kill(pid, SIGUSR1), 0); /* comes when it goes on */
	nap();
	assert_int_equal(state_of(pid), 't');
	pause_end(&p, pid, true);
	assert_int_equal(p.n, 0);
	assert_int_equal(p.ended, 0);
	ends(pid, 7);
}

static void who_ends_instead_is_counted(void **state)
{
	struct pauses p = { 0 };
	pid_t pid = child();

	(void)state;
	assert_int_equal(pause_thread(&p, pid), 0);
	assert_int_equal(kill(pid, SIGKILL), 0);
	nap();
	pause_end(&p, pid, true);
	for (int i = 0; i < WAIT_MS / 10 && p.n; i++, nap())
		pauses_tick(&p);
	assert_int_equal(p.n, 0);
	assert_int_equal(p.ended, 1);
	waitpid(pid, NULL, 0);
	assert_int_equal(pause_thread(&p, pid), -ESRCH);
	p.n = PAUSE_MAX;
	assert_int_equal(pause_thread(&p, getppid()), -EBUSY);
}

static void what_a_debugger_has_runs_on(void **state)
{
	struct pauses p = { 0 };
	pid_t debugger, pid = child();
	int status;

	(void)state;
	debugger = fork();
	if (debugger == 0) {
		ptrace(PTRACE_SEIZE, pid, NULL, NULL);
		pause();
		_exit(0);
	}
	for (int i = 0; i < WAIT_MS / 10 && tracer_of(pid) != debugger; i++)
		nap();
	assert_int_equal(pause_thread(&p, pid), -EPERM);
	kill(debugger, SIGKILL);
	waitpid(debugger, &status, 0);
	kill(pid, SIGUSR1);
	ends(pid, 7);
}

/* A copy of a program, started. Not by system(), which would be told of stops. */
static pid_t start_copy(const char *path)
{
	int in = open("/bin/true", O_RDONLY | O_CLOEXEC),
	    out = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0755);
	pid_t pid;

	assert_true(in >= 0 && out >= 0);
	while (sendfile(out, in, NULL, 1 << 20) > 0)
		;
	close(in);
	close(out);
	pid = fork();
	if (pid == 0) {
		execl(path, path, (char *)NULL);
		_exit(127);
	}
	return pid;
}

/* The file with this path; others are given back. NULL: it does not come. */
static struct latefile *wait_file(struct latewatch *w, const char *path, int ms)
{
	for (struct timespec end, now = { 0 };;) {
		struct pollfd fd = { .fd = latewatch_fd(w), .events = POLLIN };
		struct latefile *f;

		if (now.tv_sec == 0)
			clock_gettime(CLOCK_MONOTONIC, &end);
		poll(&fd, 1, 10);
		while ((f = latewatch_next(w))) {
			if (!strcmp(f->e.path, path))
				return f;
			latewatch_done(w, f);
		}
		clock_gettime(CLOCK_MONOTONIC, &now);
		if ((now.tv_sec - end.tv_sec) * 1000 + (now.tv_nsec - end.tv_nsec) / 1000000 > ms)
			return NULL;
	}
}

/* The child ends well; what it maps until then is looked at. */
static void ends_watched(struct latewatch *w, pid_t pid)
{
	int status;

	for (int i = 0; i < WAIT_MS; i++) {
		struct pollfd fd = { .fd = latewatch_fd(w), .events = POLLIN };
		struct latefile *f;

		poll(&fd, 1, 1);
		while ((f = latewatch_next(w)))
			latewatch_done(w, f);
		if (waitpid(pid, &status, WNOHANG) == pid && WIFEXITED(status)) {
			assert_int_equal(WEXITSTATUS(status), 0);
			return;
		}
	}
	fail_msg("it does not end");
}

static void new_files_are_seen_once(void **state)
{
	static const char *const provs[] = { "some*" };
	char dir[] = "/tmp/latewatchXXXXXX", path[64];
	struct latewatch *w;
	struct latefile *f;
	struct stat st;
	pid_t pid;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/prog", dir);
	assert_int_equal(latewatch_new(provs, 1, &w), 0);
	assert_int_equal(latewatch_start(w, 0), 0);
	pid = start_copy(path);
	f = wait_file(w, path, WAIT_MS);
	assert_non_null(f);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(f->e.ino, st.st_ino);
	assert_int_equal(f->e.tgid, pid);
	assert_int_equal(f->e.tid, pid);
	if (f->paused)
		assert_true(reaches(pid, 't') || state_of(pid) == 'Z');
	latewatch_done(w, f);
	ends_watched(w, pid);
	pid = fork(); /* the same file again */
	if (pid == 0) {
		execl(path, path, (char *)NULL);
		_exit(127);
	}
	assert_null(wait_file(w, path, 200));
	ends_watched(w, pid);
	unlink(path);
	pid = start_copy(path);
	f = wait_file(w, path, WAIT_MS);
	assert_non_null(f);
	ends_watched(w, pid); /* it does not wait for ever */
	latewatch_done(w, f);
	unlink(path);
	/* one that waits when all ends goes on */
	pid = start_copy(path);
	f = wait_file(w, path, WAIT_MS);
	assert_non_null(f);
	free(f);
	latewatch_stop(w);
	ends(pid, 0);
	assert_int_equal(latewatch_losses(w).skipped, 0);
	latewatch_free(w);
	unlink(path);
	rmdir(dir);
}

/* … which we wait for ourselves. */
static void children_of_ours_may_run_on(void **state)
{
	static const char *const provs[] = { "some*" };
	char dir[] = "/tmp/latewatchXXXXXX", path[64];
	struct latewatch *w;
	struct latefile *f;
	pid_t pid;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/prog", dir);
	assert_int_equal(latewatch_new(provs, 1, &w), 0);
	assert_int_equal(latewatch_start(w, LATEWATCH_SPARE_CHILDREN), 0);
	pid = start_copy(path);
	f = wait_file(w, path, WAIT_MS);
	assert_non_null(f);
	assert_false(f->paused);
	latewatch_done(w, f);
	ends_watched(w, pid);
	latewatch_free(w);
	unlink(path);
	rmdir(dir);
}

static void processes_are_named_by_number(void **state)
{
	static const char *const provs[] = { "app12", "other*" };
	struct latewatch *w;

	(void)state;
	assert_int_equal(latewatch_new(provs, 2, &w), 0);
	assert_true(latewatch_is_named(w, 12));
	assert_true(latewatch_is_named(w, 2)); /* provider app1 of process 2 */
	assert_false(latewatch_is_named(w, 1));
	latewatch_free(w);
	latewatch_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thread_stops_and_goes_on),  cmocka_unit_test(who_ends_instead_is_counted),
		cmocka_unit_test(what_a_debugger_has_runs_on), cmocka_unit_test(new_files_are_seen_once),
		cmocka_unit_test(children_of_ours_may_run_on), cmocka_unit_test(processes_are_named_by_number),
	};

	if (geteuid() != 0)
		return skip_all("needs root");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
