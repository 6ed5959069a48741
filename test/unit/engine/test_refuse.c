/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that compile and must not run; needs of shipped programs; commands and processes that are not there. */
#include "told.h"
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include "engine/front/needs.h"
#include "engine/run/refuse.h"
#include "engine/run/targets.h"

static struct request c;

static int set_up(void **state)
{
	(void)state;
	told_begin(&c);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	request_done(&c);
	return 0;
}

/* Expects the error of refuse_run() for the program. */
static int refuse(const char *text)
{
	struct compile_session w = { 0 };
	int e;

	c.progs.n = 0;
	told[0] = '\0';
	request_prog(&c, PROG_NAME, text);
	assert_int_equal(told_parse(&c, &w), 0);
	assert_int_equal(compile_image(&w, &c, 0), 0);
	e = refuse_run(&c, &w);
	compile_done(&w);
	return e;
}

static void destructive_actions_want_w(void **state)
{
	(void)state;
	assert_int_equal(refuse("BEGIN { stop(); }"), -EPERM);
	told_has("could not enable tracing: Destructive actions not allowed");
	told_has("hint: -w or -x destructive allows them");
	c.opts.destructive = true;
	assert_int_equal(refuse("BEGIN { stop(); }"), 0);
	assert_string_equal(told, "");
}

/* The record of exit() has 8 bytes of data and takes 60, as in DTrace. */
static void a_record_must_fit_its_buffer(void **state)
{
	(void)state;
	c.opts.bufsize = 59;
	assert_int_equal(refuse("BEGIN { exit(0); }"), -ENOSPC);
	assert_string_equal(told, "could not enable tracing: Enabling exceeds size of buffer\n");
	c.opts.bufsize = 60;
	assert_int_equal(refuse("BEGIN { exit(0); }"), 0);
}

static void keys_and_elements_must_fit_theirs(void **state)
{
	(void)state;
	c.opts.aggsize = 23; /* a key, a count and 8 bytes beside them */
	assert_int_equal(refuse("BEGIN { @[1] = count(); }"), -ENOSPC);
	c.opts.aggsize = 24;
	assert_int_equal(refuse("BEGIN { @[1] = count(); }"), 0);
	c.opts.dynvarsize = 19; /* a value and 12 bytes beside it */
	assert_int_equal(refuse("BEGIN { a[1] = 1L; }"), -ENOSPC);
	c.opts.dynvarsize = 20;
	assert_int_equal(refuse("BEGIN { a[1] = 1L; }"), 0);
}

static void probes_must_match_unless_z(void **state)
{
	(void)state;
	request_option(&c, "zdefs", NULL);
	assert_int_equal(refuse("dtrace:::NOTHING { trace(1); }"), 0);
	c.opts.zdefs = false;
	c.progs.n = 0;
	assert_int_equal(told_compile(&c, "dtrace:::NOTHING { trace(1); }"), -EINVAL);
	told_has("dtrace:::NOTHING");
}

/* Parses a program with the kernel's types taken away. */
static int needs_without_types(enum prog_kind kind, const char *arg, const char *text)
{
	struct compile_session w = { 0 };
	struct typesrc *ts;
	int e;

	c.progs.n = 0;
	told[0] = '\0';
	request_prog(&c, kind, arg);
	c.progs.v[0].text = text;
	c.progs.v[0].size = text ? strlen(text) : 0;
	c.list = true; /* parsing alone: its own needs_check() would have the types */
	assert_int_equal(told_parse(&c, &w), 0);
	c.list = false;
	ts = w.ts;
	w.ts = NULL;
	e = needs_check(&w, &c);
	w.ts = ts;
	compile_done(&w);
	return e;
}

static void shipped_programs_need_the_kernels_types(void **state)
{
	const char *shipped = arena_printf(c.arena, "%s/tools/mine.d", libs_dir(c.arena));

	(void)state;
	assert_int_equal(needs_without_types(PROG_SCRIPT, shipped, "BEGIN { trace(1); }"), -EOPNOTSUPP);
	told_has("BTF");
	assert_null(strchr(told, '\n')[1] ? told : NULL); /* one line */
	/* The compiler shows the place in a program of the user's own. */
	assert_int_equal(needs_without_types(PROG_SCRIPT, "/tmp/mine.d", "BEGIN { trace(1); }"), 0);
	assert_int_equal(needs_without_types(PROG_NAME, "BEGIN { trace(1); }", NULL), 0);
	assert_string_equal(told, "");
}

/* In a child without rights; told has its message. The result is that of fn(). */
static int without_rights(int (*fn)(void))
{
	int pipes[2], status;
	pid_t pid;

	assert_int_equal(pipe(pipes), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		const int e = setresgid(65534, 65534, 65534) < 0 || setresuid(65534, 65534, 65534) < 0 ? -EDOM : fn();

		_exit(write(pipes[1], told, strlen(told)) < 0 ? 255 : -e);
	}
	close(pipes[1]);
	memset(told, 0, sizeof(told));
	assert_true(read(pipes[0], told, sizeof(told) - 1) >= 0);
	close(pipes[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return -WEXITSTATUS(status);
}

static int what_tracing_needs(void)
{
	told[0] = '\0';
	return needs_tracing(NULL, true, &c.to);
}

static int what_a_tool_needs(void)
{
	struct typesrc *ts = NULL;
	struct compile_session w = { 0 };
	int e;

	told[0] = '\0';
	typesrc_open(NULL, &ts, NULL);
	w.ts = ts;
	c.progs.n = 0;
	request_prog(&c, PROG_SCRIPT, arena_printf(c.arena, "%s/tools/mine.d", libs_dir(c.arena)));
	w.units = arena_new_arr(c.arena, struct unit *, 1);
	w.units[0] = arena_new_arr(c.arena, struct unit, 1);
	e = needs_check(&w, &c);
	typesrc_free(ts);
	return e;
}

static void what_is_missing_is_told_in_one_line(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(what_tracing_needs(), 0);
	assert_int_equal(what_a_tool_needs(), 0);
	assert_string_equal(told, "");
	assert_int_equal(needs_tracing("/no/such/file", false, &c.to), -EOPNOTSUPP);
	told_has("BTF");
	assert_null(strchr(told, '\n')[1] ? told : NULL);
	assert_int_equal(without_rights(what_tracing_needs), -EPERM);
	told_has("cannot trace: ");
	assert_null(strchr(told, '\n')[1] ? told : NULL);
	assert_int_equal(without_rights(what_a_tool_needs), -EOPNOTSUPP);
	told_has("the kernel's memory cannot be read: ");
	assert_null(strchr(told, '\n')[1] ? told : NULL);
}

static void an_error_about_types_is_explained_once(void **state)
{
	struct compile_session w = { 0 };
	struct diags d;

	(void)state;
	diags_init(&d, c.arena);
	diag_error(&d, (struct span){ 0 }, "D_UNKNOWN", "no such type");
	needs_explain(&w, &c, &d);
	told_has("BTF");
	told[0] = '\0';
	diag_error(&d, (struct span){ 0 }, "D_UNKNOWN", "the kernel has no BTF");
	needs_explain(&w, &c, &d); /* a message tells it already */
	assert_string_equal(told, "");
}

static void what_is_traced_must_be_there(void **state)
{
	struct targets t = { 0 };

	(void)state;
	vec_push(&c.pids, 1L << 30);
	assert_int_equal(targets_open(&t, &c), -ESRCH);
	told_has("1073741824");
	targets_free(&t);
	c.pids.n = 0;
	told[0] = '\0';
	vec_push(&c.commands, "/no/such/command");
	assert_int_equal(targets_open(&t, &c), -ENOENT);
	told_has("/no/such/command");
	targets_free(&t);
	assert_null(t.v);
}

static void a_command_is_the_target_and_does_not_outlive_it(void **state)
{
	struct targets t = { 0 };
	pid_t pid;

	(void)state;
	assert_int_equal(targets_first(&t), 0);
	vec_push(&c.pids, (long)getpid());
	vec_push(&c.commands, "sleep 1000");
	assert_int_equal(targets_open(&t, &c), 0);
	assert_int_equal(t.n, 2);
	pid = (pid_t)targets_first(&t); /* commands come first */
	assert_int_not_equal(pid, getpid());
	assert_int_equal(kill(pid, 0), 0);
	targets_free(&t);
	assert_int_equal(kill(pid, 0), -1);
	assert_int_equal(errno, ESRCH);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(destructive_actions_want_w),
		CASE(a_record_must_fit_its_buffer),
		CASE(keys_and_elements_must_fit_theirs),
		CASE(probes_must_match_unless_z),
		CASE(shipped_programs_need_the_kernels_types),
		CASE(what_is_missing_is_told_in_one_line),
		CASE(an_error_about_types_is_explained_once),
		CASE(what_is_traced_must_be_there),
		CASE(a_command_is_the_target_and_does_not_outlive_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
