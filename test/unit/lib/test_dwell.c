/* SPDX-License-Identifier: Apache-2.0 */
/* The library's answers to wrong input and calls in wrong order, and memory after a handle is closed. As root it runs
 * on the kernel. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include <dwell.h>

#define NOBODY 65534

static struct dwell *opened(void)
{
	struct dwell_error err;
	struct dwell *d = NULL;

	assert_int_equal(dwell_open(&d, &err), DWELL_OK);
	assert_non_null(d);
	return d;
}

static void need_root(void)
{
	if (geteuid() != 0)
		skip();
}

static void test_null(void **state)
{
	const struct dwell_row *row;
	struct dwell_snapshot *s;
	struct dwell_error err;
	struct dwell *d;

	(void)state;
	assert_int_equal(dwell_api_version(), DWELL_API_VERSION);
	assert_int_equal(dwell_open(NULL, &err), DWELL_E_CALL);
	assert_int_equal(err.status, DWELL_E_CALL);
	assert_int_equal(dwell_open(NULL, NULL), DWELL_E_CALL);
	assert_int_equal(dwell_option(NULL, "quiet", NULL, &err), DWELL_E_CALL);
	assert_int_equal(dwell_argument(NULL, "a", &err), DWELL_E_CALL);
	assert_int_equal(dwell_compile(NULL, "a", "BEGIN{}", &err), DWELL_E_CALL);
	assert_int_equal(dwell_attach(NULL, &err), DWELL_E_CALL);
	assert_int_equal(dwell_command(NULL, NULL, &err), DWELL_E_CALL);
	assert_int_equal(dwell_process(NULL, 1, &err), DWELL_E_CALL);
	assert_int_equal(dwell_limit(NULL, 1, &err), DWELL_E_CALL);
	assert_int_equal(dwell_record(NULL, "a", &err), DWELL_E_CALL);
	assert_int_equal(dwell_read(NULL, "a", &err), DWELL_E_CALL);
	assert_int_equal(dwell_next(NULL, 0, &row, &err), DWELL_E_CALL);
	assert_int_equal(dwell_snapshot(NULL, "", &s, &err), DWELL_E_CALL);
	assert_int_equal(dwell_diagnostics(NULL), 0);
	assert_int_equal(dwell_diagnostic(NULL, 0, &err), DWELL_E_CALL);
	assert_int_equal(dwell_exit_status(NULL), 0);
	dwell_stop(NULL);
	dwell_close(NULL);
	dwell_snapshot_free(NULL);
	d = opened();
	assert_int_equal(dwell_option(d, NULL, NULL, &err), DWELL_E_CALL);
	assert_int_equal(dwell_option(d, "nosuch", "1", &err), DWELL_E_CALL);
	assert_string_equal(err.text, "dwell_option: there is no option nosuch");
	assert_int_equal(dwell_option(d, "bufsize", "many", &err), DWELL_E_CALL);
	assert_int_equal(dwell_option(d, "record", "/nowhere/x", &err), DWELL_E_CALL);
	assert_int_equal(dwell_argument(d, NULL, NULL), DWELL_E_CALL);
	assert_int_equal(dwell_command(d, NULL, &err), DWELL_E_CALL);
	assert_int_equal(dwell_command(d, (const char *const[]){ NULL }, &err), DWELL_E_CALL);
	assert_int_equal(dwell_process(d, 0, &err), DWELL_E_CALL);
	assert_int_equal(dwell_process(d, (long)INT32_MAX + 1, &err), DWELL_E_CALL);
	assert_int_equal(dwell_record(d, "", &err), DWELL_E_CALL);
	assert_int_equal(dwell_limit(d, 0, &err), DWELL_E_CALL);
	assert_int_equal(dwell_read(d, NULL, &err), DWELL_E_CALL);
	assert_int_equal(dwell_process(d, getpid(), &err), DWELL_OK);
	assert_int_equal(dwell_command(d, (const char *const[]){ "true", NULL }, &err), DWELL_E_CALL);
	assert_int_equal(dwell_compile(d, NULL, "BEGIN{}", &err), DWELL_E_CALL);
	assert_int_equal(dwell_compile(d, "a", NULL, &err), DWELL_E_CALL);
	dwell_close(d);
}

static void test_order(void **state)
{
	struct dwell_error err;
	const struct dwell_row *row;
	struct dwell_snapshot *s;
	struct dwell *d = opened(), *other = NULL;

	(void)state;
	assert_int_equal(dwell_open(&other, &err), DWELL_E_BUSY);
	assert_null(other);
	assert_int_equal(dwell_attach(d, &err), DWELL_E_CALL);
	assert_int_equal(dwell_next(d, 0, &row, &err), DWELL_E_CALL);
	assert_int_equal(dwell_snapshot(d, "", &s, &err), DWELL_E_CALL);
	dwell_stop(d); /* nothing runs: close still works */
	dwell_close(d);
	d = opened();
	dwell_close(d);
}

static void test_bad_program(void **state)
{
	struct dwell_error err;
	struct dwell *d;

	(void)state;
	need_root();
	d = opened();
	assert_int_equal(dwell_compile(d, "a.d", "BEGIN\n{\n\ttrace(nosuch);\n}\n", &err), DWELL_E_PROGRAM);
	assert_int_equal(err.line, 3);
	assert_int_equal(err.column, 8);
	assert_string_equal(err.tag, "D_IDENT_UNDEF");
	assert_true(dwell_diagnostics(d) >= 1);
	assert_int_equal(dwell_diagnostic(d, dwell_diagnostics(d), &err), DWELL_E_CALL);
	assert_int_equal(dwell_diagnostic(d, 0, NULL), DWELL_E_CALL);
	assert_int_equal(dwell_compile(d, "a.d", "BEGIN{}", &err), DWELL_E_CALL);
	assert_int_equal(dwell_attach(d, &err), DWELL_E_CALL);
	dwell_close(d);
	d = opened();
	assert_int_equal(dwell_compile(d, "a.d", "BEGIN { system(\"true\"); }", NULL), DWELL_E_PROGRAM);
	assert_int_equal(dwell_diagnostic(d, 0, &err), DWELL_OK);
	assert_int_equal(err.column, 9);
	dwell_close(d);
}

/* Runs a program to its end; how many rows it had. */
static int run(const char *text, int want_status)
{
	const struct dwell_row *row;
	struct dwell_error err = { 0 };
	struct dwell *d = opened();
	int rows = 0, e;

	if (dwell_compile(d, "a.d", text, &err) || dwell_attach(d, &err))
		fail_msg("%s", err.text);
	while ((e = dwell_next(d, -1, &row, &err)) == DWELL_ROW)
		rows += row->kind == DWELL_ROW_EVENT;
	assert_int_equal(e, DWELL_END);
	assert_int_equal(dwell_next(d, 0, &row, &err), DWELL_END);
	assert_int_equal(dwell_exit_status(d), want_status);
	dwell_close(d);
	return rows;
}

static void test_twice(void **state)
{
	(void)state;
	need_root();
	assert_int_equal(run("BEGIN { trace(1); } BEGIN { exit(3); } END { trace(2); }", 3), 3);
	assert_int_equal(run("BEGIN { trace(1); exit(0); }", 0), 1);
	/* as a script's file: with a mark of its encoding and an interpreter */
	assert_int_equal(run("\xef\xbb\xbf#!/usr/bin/env -S dwell -s\nBEGIN { trace(1); exit(0); }", 0), 1);
}

/* A snapshot while it runs and afterwards; unread rows, and a run that goes on, do not hinder its end. */
static void test_snapshot_and_close(void **state)
{
	const struct dwell_row *row;
	struct dwell_snapshot *s = NULL;
	struct dwell_error err = { 0 };
	struct dwell *d;

	(void)state;
	need_root();
	d = opened();
	if (dwell_argument(d, "left", &err) ||
	    dwell_compile(d, "a.d", "BEGIN { @a[$$1, 5] = sum(7); @b = quantize(3); } tick-10ms { trace(1); }", &err) ||
	    dwell_attach(d, &err))
		fail_msg("%s", err.text);
	assert_int_equal(dwell_snapshot(d, "a", &s, &err), DWELL_OK);
	assert_string_equal(s->function, "sum");
	assert_int_equal(s->nrows, 1);
	assert_int_equal(s->rows[0].nkeys, 2);
	assert_string_equal(s->rows[0].keys[0].text, "left");
	assert_int_equal(s->rows[0].keys[1].number, 5);
	assert_int_equal(s->rows[0].value.number, 7);
	dwell_snapshot_free(s);
	assert_int_equal(dwell_snapshot(d, "nosuch", &s, &err), DWELL_E_CALL);
	assert_int_equal(dwell_next(d, -1, &row, &err), DWELL_ROW);
	dwell_stop(d);
	while (dwell_next(d, -1, &row, &err) == DWELL_ROW)
		;
	assert_int_equal(dwell_snapshot(d, "b", &s, &err), DWELL_OK);
	assert_int_equal(s->rows[0].value.kind, DWELL_JSON);
	assert_string_equal(s->rows[0].value.text, "[{\"from\":2,\"to\":4,\"count\":1}]");
	dwell_snapshot_free(s);
	dwell_close(d);
	d = opened();
	assert_int_equal(dwell_compile(d, "a.d", "tick-1ms { trace(1); }", &err), DWELL_OK);
	assert_int_equal(dwell_attach(d, &err), DWELL_OK);
	dwell_close(d); /* with rows that nobody has read */
}

/* The next row of a kind, whose text in JSON has `part`. False: the end. */
static bool find_row(struct dwell *d, int kind, const char *part)
{
	const struct dwell_row *row;
	struct dwell_error err = { 0 };
	int e;

	while ((e = dwell_next(d, -1, &row, &err)) == DWELL_ROW)
		if (row->kind == kind && strstr(row->json, part))
			return true;
	if (e != DWELL_END)
		fail_msg("%s", err.text);
	return false;
}

/* A command waits until all is attached, ends the run with it, and how it failed is told. */
static void test_command(void **state)
{
	static const char text[] = "syscall::exit_group:entry /pid == $target/ { trace(arg0); }";
	const char *const words[] = { "sh", "-c", "exit \"$1\"", "a b", "7", NULL }, *const sleeps[] = { "sleep", "600",
													 NULL };
	struct dwell_error err = { 0 };
	struct dwell *d;

	(void)state;
	need_root();
	d = opened();
	if (dwell_command(d, words, &err) || dwell_compile(d, "a.d", text, &err) || dwell_attach(d, &err))
		fail_msg("%s", err.text);
	assert_true(find_row(d, DWELL_ROW_EVENT, "\"value\":7"));
	assert_true(find_row(d, DWELL_ROW_MESSAGE, "exited with status 7"));
	assert_false(find_row(d, DWELL_ROW_EVENT, ""));
	dwell_close(d);
	d = opened();
	assert_int_equal(dwell_command(d, (const char *const[]){ "/nowhere/x", NULL }, &err), DWELL_OK);
	assert_int_equal(dwell_compile(d, "a.d", "BEGIN {}", &err), DWELL_E_SYSTEM);
	assert_non_null(strstr(err.text, "failed to execute /nowhere/x"));
	dwell_close(d);
	/* compiled only, or not to its end: nothing is left of the command */
	for (int attached = 0; attached < 2; attached++) {
		d = opened();
		if (dwell_command(d, sleeps, &err) || dwell_compile(d, "a.d", "BEGIN {}", &err) ||
		    (attached && dwell_attach(d, &err)))
			fail_msg("%s", err.text);
		dwell_close(d);
		assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	}
}

/* A process that runs, and an end by time: it stays alive. */
static void test_process_and_limit(void **state)
{
	struct dwell_error err = { 0 };
	struct dwell *d;
	pid_t pid;

	(void)state;
	need_root();
	pid = fork();
	if (pid == 0)
		for (;;)
			pause();
	d = opened();
	if (dwell_process(d, pid, &err) ||
	    dwell_compile(d, "a.d", "BEGIN { trace($target); } END { trace(5); }", &err) ||
	    dwell_limit(d, 20000000, &err) || dwell_attach(d, &err))
		fail_msg("%s", err.text);
	assert_true(find_row(d, DWELL_ROW_EVENT, "\"value\":"));
	assert_true(find_row(d, DWELL_ROW_EVENT, "\"value\":5"));
	assert_false(find_row(d, DWELL_ROW_EVENT, ""));
	dwell_close(d);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	d = opened();
	assert_int_equal(dwell_process(d, pid, &err), DWELL_OK);
	assert_int_equal(dwell_compile(d, "a.d", "BEGIN {}", &err), DWELL_E_SYSTEM);
	assert_non_null(strstr(err.text, "failed to grab process"));
	dwell_close(d);
}

/* A run is recorded; the recording says what the run said. */
static void test_recording(void **state)
{
	char folder[] = "/tmp/dwell-lib.XXXXXX", path[sizeof(folder) + 8];
	struct dwell_snapshot *s = NULL;
	struct dwell_error err = { 0 };
	const struct dwell_row *row;
	struct dwell *d;

	(void)state;
	need_root();
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/run", folder);
	d = opened();
	if (dwell_record(d, path, &err) ||
	    dwell_compile(d, "a.d", "BEGIN { trace(\"left\"); @a[5] = sum(7); exit(3); }", &err) ||
	    dwell_attach(d, &err))
		fail_msg("%s", err.text);
	while (dwell_next(d, -1, &row, &err) == DWELL_ROW)
		;
	dwell_close(d);
	d = opened();
	if (dwell_read(d, path, &err))
		fail_msg("%s", err.text);
	assert_int_equal(dwell_attach(d, &err), DWELL_E_CALL);
	assert_int_equal(dwell_compile(d, "a.d", "BEGIN {}", &err), DWELL_E_CALL);
	assert_int_equal(dwell_next(d, 0, &row, &err), DWELL_ROW);
	assert_int_equal(row->kind, DWELL_ROW_EVENT);
	assert_string_equal(row->name, "BEGIN");
	assert_string_equal(row->values[0].text, "left");
	assert_true(find_row(d, DWELL_ROW_AGGREGATION, "\"a\""));
	assert_false(find_row(d, DWELL_ROW_EVENT, ""));
	assert_int_equal(dwell_next(d, 0, &row, &err), DWELL_END);
	assert_int_equal(dwell_snapshot(d, "a", &s, &err), DWELL_OK);
	assert_int_equal(s->rows[0].keys[0].number, 5);
	assert_int_equal(s->rows[0].value.number, 7);
	dwell_snapshot_free(s);
	assert_int_equal(dwell_snapshot(d, "b", &s, &err), DWELL_E_CALL);
	dwell_close(d);
	/* a file that exists is not overwritten, one of a run that did not begin does not stay, and what is none is
	 * told */
	d = opened();
	if (dwell_record(d, path, &err) || dwell_compile(d, "a.d", "BEGIN {}", &err))
		fail_msg("%s", err.text);
	assert_int_equal(dwell_attach(d, &err), DWELL_E_SYSTEM);
	dwell_close(d);
	assert_int_equal(truncate(path, 100), 0);
	d = opened();
	assert_int_equal(dwell_read(d, path, &err), DWELL_E_SYSTEM);
	assert_int_equal(dwell_next(d, 0, &row, &err), DWELL_E_CALL);
	dwell_close(d);
	d = opened();
	assert_int_equal(dwell_compile(d, "a.d", "#pragma D option record=/nowhere/x\nBEGIN {}", &err),
			 DWELL_E_PROGRAM);
	dwell_close(d);
	unlink(path);
	assert_int_equal(rmdir(folder), 0);
}

/* Signals and privileges stay as the program had them. */
static void test_host_is_untouched(void **state)
{
	struct sigaction before, after;
	struct dwell_error err;
	struct dwell *d;
	char line[256], found[256] = "";
	FILE *f;

	(void)state;
	need_root();
	d = opened();
	sigaction(SIGINT, NULL, &before);
	assert_int_equal(dwell_compile(d, "a.d", "tick-1ms { trace(1); }", &err), DWELL_OK);
	assert_int_equal(dwell_attach(d, &err), DWELL_OK);
	sigaction(SIGINT, NULL, &after);
	assert_ptr_equal(before.sa_handler, after.sa_handler);
	f = fopen("/proc/thread-self/status", "re");
	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, "NoNewPrivs", 10))
			strcpy(found, line);
	fclose(f);
	assert_string_equal(found, "NoNewPrivs:\t0\n");
	dwell_close(d);
}

static void test_without_root(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	need_root();
	pid = fork();
	if (pid == 0) {
		struct dwell_error err = { 0 };
		struct dwell *d;

		if (setgid(NOBODY) || setuid(NOBODY) || dwell_open(&d, &err))
			_exit(1);
		if (dwell_compile(d, "a.d", "BEGIN { exit(0); }", &err) != DWELL_E_SYSTEM || err.line ||
		    !strstr(err.text, "CAP_BPF"))
			_exit(2);
		dwell_close(d);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_null),	     cmocka_unit_test(test_order),
		cmocka_unit_test(test_without_root), cmocka_unit_test(test_bad_program),
		cmocka_unit_test(test_twice),	     cmocka_unit_test(test_snapshot_and_close),
		cmocka_unit_test(test_command),	     cmocka_unit_test(test_process_and_limit),
		cmocka_unit_test(test_recording),    cmocka_unit_test(test_host_is_untouched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
