/* SPDX-License-Identifier: Apache-2.0 */
/* What the library does with wrong input and in wrong order, and that nothing is left of a handle. As root it runs on
 * the kernel. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
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
		cmocka_unit_test(test_null),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_without_root),
		cmocka_unit_test(test_bad_program),
		cmocka_unit_test(test_twice),
		cmocka_unit_test(test_snapshot_and_close),
		cmocka_unit_test(test_host_is_untouched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
