/* SPDX-License-Identifier: Apache-2.0 */
/* Counting a command: its status, its lines, and what does not go together. Events of the CPU may be missing. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "unit.h"
#include "base/cleanup.h"
#include "stat/statrun.h"
#include "stat/statwaits.h"

static char told[1024], path[] = "/tmp/statrun-XXXXXX";

static void keep(void *ctx, const char *text)
{
	(void)ctx;
	snprintf(told, sizeof(told), "%s", text);
}

static const struct listener to = { .message = keep };

static struct statrun *begin(char *const *words)
{
	struct statrun *c = calloc(1, sizeof(*c));

	assert_non_null(c);
	request_init(&c->request, "dwell", &to);
	c->words = words;
	c->output = path;
	return c;
}

static void finish(struct statrun *c)
{
	statrun_done(c);
	free(c);
}

static char *output(void)
{
	static char text[8192];
	FILE *f = fopen(path, "re");
	size_t n;

	assert_non_null(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	fclose(f);
	return text;
}

static void a_command_ends_with_its_status(void **state)
{
	char *words[] = { (char *)"sh", (char *)"-c", (char *)"exit 3", NULL };
	struct statrun *c = begin(words);
	struct err err = { 0 };
	int status = 0;

	(void)state;
	assert_int_equal(statrun_check(c, "dwell", &err), 0);
	assert_int_equal(c->repeat, 1);
	assert_int_equal(statrun_run(c, &status), 0);
	assert_int_equal(WEXITSTATUS(status), 3);
	assert_true(c->runs[0].has_usage);
	assert_true(c->runs[0].elapsed_ns > 0);
	finish(c);
	assert_non_null(strstr(output(), "command sh -c exit 3"));
}

static void a_command_runs_several_times(void **state)
{
	char *words[] = { (char *)"true", NULL };
	struct statrun *c = begin(words);
	int status = 0;

	(void)state;
	c->repeat = 3;
	c->json = true;
	assert_int_equal(statrun_run(c, &status), 0);
	assert_true(c->runs[2].elapsed_ns > 0);
	assert_int_equal(c->runs[3].elapsed_ns, 0);
	finish(c);
	assert_int_equal(output()[0], '{');
}

static void what_cannot_run_is_told(void **state)
{
	char *words[] = { (char *)"/no/such/program", NULL };
	struct statrun *c = begin(words);
	int status = 0;

	(void)state;
	c->repeat = 1;
	assert_int_equal(statrun_run(c, &status), -ENOENT);
	assert_string_equal(told, "stat: cannot run /no/such/program: No such file or directory");
	finish(c);
	c = begin(NULL);
	c->repeat = 1;
	c->pid = "2147483647";
	assert_int_equal(statrun_run(c, &status), -ESRCH);
	assert_string_equal(told, "stat: there is no process 2147483647");
	finish(c);
}

static void a_process_is_watched_for_a_time(void **state)
{
	struct statrun *c = begin(NULL);
	char pid[16];
	int status = 0;

	(void)state;
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	c->pid = pid;
	c->repeat = 1;
	c->for_ns = 20000000;
	assert_int_equal(statrun_run(c, &status), 0);
	assert_true(c->runs[0].elapsed_ns >= 20000000);
	assert_false(c->runs[0].has_usage);
	finish(c);
	assert_non_null(strstr(output(), "process "));
}

static void some_wishes_exclude_each_other(void **state)
{
	char *words[] = { (char *)"true", NULL };
	struct statrun *c = begin(words);
	struct err err = { 0 };

	(void)state;
	c->pid = "1";
	assert_int_equal(statrun_check(c, "dwell", &err), -EINVAL);
	c->pid = NULL;
	c->repeat = 2;
	c->interval_ns = 1;
	assert_int_equal(statrun_check(c, "dwell", &err), -EINVAL);
	assert_string_equal(err.msg, "stat: -r and -I: choose one");
	c->interval_ns = 0;
	c->waits = true;
	assert_int_equal(statrun_check(c, "dwell", &err), -EINVAL);
	finish(c);
}

static void waits_are_asked_of_why(void **state)
{
	struct request c;

	(void)state;
	request_init(&c, "dwell", &to);
	statwaits_request(&c, 12);
	assert_int_equal(c.pids.v[0], 12);
	assert_non_null(strstr(c.progs.v[0].arg, "/latency/why.d"));
	assert_string_equal(c.given.v[0].name, "every");
	request_done(&c);
}

static int make_path(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int clear(void **state)
{
	(void)state;
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_command_ends_with_its_status), cmocka_unit_test(a_command_runs_several_times),
		cmocka_unit_test(what_cannot_run_is_told),	  cmocka_unit_test(a_process_is_watched_for_a_time),
		cmocka_unit_test(some_wishes_exclude_each_other), cmocka_unit_test(waits_are_asked_of_why),
	};

	return cmocka_run_group_tests(tests, make_path, clear);
}
