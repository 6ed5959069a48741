/* SPDX-License-Identifier: Apache-2.0 */
/* Debug registers are tried in two ways, which agree about this machine. */
#include "../unit.h"
#include <errno.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "load/debugreg.h"

/* Asks a process of its own, since the answer is kept within one. perf: it may open perf events. */
static bool silent(bool perf)
{
	const struct rlimit no_files = { 0 };
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		bool seen;

		if (!perf && (setrlimit(RLIMIT_NOFILE, &no_files) < 0 || debugreg_watch(&seen) != -EMFILE))
			_exit(2);
		_exit(debugreg_silent() != NULL);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) < 2);
	return WEXITSTATUS(status);
}

static void both_ways_find_the_same(void **state)
{
	bool seen;

	(void)state;
	if (debugreg_watch(&seen) < 0)
		skip();
	assert_int_equal(silent(true), !seen);
#ifdef __x86_64__
	assert_int_equal(silent(false), !seen);
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(both_ways_find_the_same) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
