/* SPDX-License-Identifier: Apache-2.0 */
/* A file is there when it is complete; one that was there stays when writing fails. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "unit.h"
#include "base/columns.h"
#include "base/outfile.h"

static char folder[] = "/tmp/outfile-XXXXXX", path[64];

static void content_is(const char *want)
{
	char text[64] = "";
	FILE *f = fopen(path, "re");

	assert_non_null(f);
	assert_true(fgets(text, sizeof(text), f) || !want[0]);
	fclose(f);
	assert_string_equal(text, want);
}

static void write_text(const char *text, int e, int want)
{
	struct outfile o;
	struct err err = { 0 };

	assert_int_equal(outfile_begin(&o, path, &err), 0);
	fputs(text, o.f);
	assert_int_equal(outfile_end(&o, e, &err), want);
	if (want == 0)
		assert_string_equal(err.msg, "");
	else
		assert_non_null(strstr(err.msg, "failed to write to /tmp/outfile-"));
}

static int nfiles(void)
{
	char cmd[64], n[8] = "";
	FILE *p;

	snprintf(cmd, sizeof(cmd), "ls -A %s | wc -l", folder);
	p = popen(cmd, "r");
	assert_non_null(p);
	assert_non_null(fgets(n, sizeof(n), p));
	pclose(p);
	return atoi(n);
}

static void a_failure_leaves_the_old_file(void **state)
{
	struct stat st;
	mode_t mask = umask(027);

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/out", folder);
	write_text("one", 0, 0);
	content_is("one");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	write_text("two", -ENOSPC, -ENOSPC);
	content_is("one");
	write_text("three", -ECANCELED, -ECANCELED);
	content_is("one");
	write_text("four", 0, 0);
	content_is("four");
	assert_int_equal(nfiles(), 1);
	umask(mask);
}

static void what_cannot_be_made_is_told(void **state)
{
	struct outfile o;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(outfile_begin(&o, "/no/such/file", &err), -ENOENT);
	assert_string_equal(err.msg, "cannot create /no/such/file: No such file or directory");
	assert_int_equal(outfile_end(&o, -EIO, &err), -EIO);
	assert_int_equal(outfile_begin(&o, folder, &err), -EISDIR);
}

static void standard_output_and_devices_are_written_as_they_are(void **state)
{
	struct outfile o;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(outfile_begin(&o, "-", &err), 0);
	assert_ptr_equal(o.f, stdout);
	assert_int_equal(outfile_end(&o, -EPIPE, &err), -EPIPE);
	assert_string_equal(err.msg, "");
	assert_int_equal(outfile_begin(&o, "/dev/null", &err), 0);
	assert_null(o.temp);
	assert_int_equal(outfile_end(&o, 0, &err), 0);
}

static void the_ending_of_a_name_counts(void **state)
{
	(void)state;
	assert_true(outfile_is("a.html", ".html"));
	assert_false(outfile_is(".html", ".html"));
	assert_false(outfile_is("a.svg", ".html"));
	assert_false(outfile_is(NULL, ".html"));
}

static void a_file_has_as_many_columns_as_usual(void **state)
{
	(void)state;
	assert_in_range(columns_of_stdout(), COLUMNS_MIN, COLUMNS_MAX);
	if (!isatty(STDOUT_FILENO))
		assert_int_equal(columns_of_stdout(), COLUMNS_DEFAULT);
}

static int clear(void **state)
{
	char cmd[64];

	(void)state;
	snprintf(cmd, sizeof(cmd), "rm -rf %s", folder);
	return system(cmd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_failure_leaves_the_old_file),
		cmocka_unit_test(what_cannot_be_made_is_told),
		cmocka_unit_test(standard_output_and_devices_are_written_as_they_are),
		cmocka_unit_test(the_ending_of_a_name_counts),
		cmocka_unit_test(a_file_has_as_many_columns_as_usual),
	};

	return cmocka_run_group_tests(tests, NULL, clear);
}
