/* SPDX-License-Identifier: Apache-2.0 */
/* Targets: commands that wait after their exec, processes that are not there, ends. */
#include "../unit.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include "run/target.h"

static bool ends_within(struct target *t, int ms)
{
	struct pollfd p = { .fd = target_fd(t), .events = POLLIN };

	return poll(&p, 1, ms) == 1 && target_ended(t);
}

static void read_comm(pid_t pid, char comm[32])
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	f = fopen(path, "r");
	assert_non_null(f);
	assert_non_null(fgets(comm, 32, f));
	fclose(f);
}

static void a_command_waits_until_let_go(void **state)
{
	struct target *t = NULL;
	struct err err = { 0 };
	char comm[32];

	(void)state;
	assert_int_equal(target_command(" true \t x", TARGET_EXEC, &t, &err), 0);
	read_comm(target_pid(t), comm); /* exec has happened */
	assert_string_equal(comm, "true\n");
	assert_false(ends_within(t, 100));
	assert_int_equal(target_go(t, &err), 0);
	assert_true(ends_within(t, 5000));
	assert_int_equal(target_go(t, &err), 0);
	target_free(t);
}

static void a_command_may_wait_before_its_exec(void **state)
{
	struct target *t = NULL;
	struct err err = { 0 };
	char comm[32];

	(void)state;
	for (int on = 0; on < 2; on++) {
		assert_int_equal(target_command("true", TARGET_BEFORE, &t, &err), 0);
		read_comm(target_pid(t), comm);
		assert_string_not_equal(comm, "true\n");
		if (on) {
			assert_int_equal(target_run_to(t, NULL, TARGET_EXEC, &err), 0);
			read_comm(target_pid(t), comm);
			assert_string_equal(comm, "true\n");
		}
		assert_false(ends_within(t, 100));
		assert_int_equal(target_go(t, &err), 0);
		assert_true(ends_within(t, 5000));
		target_free(t);
	}
	for (int on = 0; on < 2; on++) { /* what the exec says is known when it is made */
		assert_int_equal(target_command("/no/such/file x", TARGET_BEFORE, &t, &err), 0);
		assert_int_equal(on ? target_run_to(t, NULL, TARGET_EXEC, &err) : target_go(t, &err), -ENOENT);
		assert_string_equal(err.msg, "failed to execute /no/such/file: No such file or directory");
		target_free(t);
	}
}

static void a_command_is_killed_when_freed(void **state)
{
	struct target *t = NULL;
	struct err err = { 0 };
	pid_t pid;

	(void)state;
	for (int go = 0; go < 2; go++) {
		assert_int_equal(target_command("sleep 100", TARGET_EXEC, &t, &err), 0);
		pid = target_pid(t);
		if (go)
			assert_int_equal(target_go(t, &err), 0);
		target_free(t);
		assert_int_equal(kill(pid, 0), -1);
		assert_int_equal(errno, ESRCH);
	}
}

static void what_cannot_start_says_why(void **state)
{
	struct target *t = NULL;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(target_command("/no/such/file x", TARGET_EXEC, &t, &err), -ENOENT);
	assert_string_equal(err.msg, "failed to execute /no/such/file: No such file or directory");
	assert_int_equal(target_command("/etc", TARGET_EXEC, &t, &err), -EACCES);
	assert_int_equal(target_command(" \t", TARGET_EXEC, &t, &err), -EINVAL);
	assert_null(t);
}

static pid_t pausing_child(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		pause();
		_exit(0);
	}
	return pid;
}

static void processes_are_watched(void **state)
{
	struct target *t = NULL;
	struct err err = { 0 };
	pid_t pid = pausing_child();

	(void)state;
	assert_int_equal(target_process(pid, &t, &err), 0);
	assert_int_equal(target_pid(t), pid);
	assert_false(target_ended(t));
	kill(pid, SIGKILL);
	assert_true(ends_within(t, 5000));
	waitpid(pid, NULL, 0);
	assert_true(target_ended(t));
	target_free(t);
	t = NULL;
	assert_int_equal(target_process(pid, &t, &err), -ESRCH);
	assert_non_null(strstr(err.msg, "failed to grab process"));
	assert_int_equal(target_process(0, &t, &err), -ESRCH);
	assert_int_equal(target_process(-1, &t, &err), -ESRCH);
	assert_null(t);
	target_free(NULL);
}

static void a_process_is_left_alone(void **state)
{
	struct target *t = NULL;
	struct err err = { 0 };
	pid_t pid = pausing_child();

	(void)state;
	assert_int_equal(target_process(pid, &t, &err), 0);
	target_free(t);
	assert_int_equal(kill(pid, 0), 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_command_waits_until_let_go),	  cmocka_unit_test(a_command_may_wait_before_its_exec),
		cmocka_unit_test(a_command_is_killed_when_freed), cmocka_unit_test(what_cannot_start_says_why),
		cmocka_unit_test(processes_are_watched),	  cmocka_unit_test(a_process_is_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
