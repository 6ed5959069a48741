/* SPDX-License-Identifier: Apache-2.0 */
/* Statements of SQL: their file, and where one is wrong. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "unit.h"
#include "base/cleanup.h"
#include "view/summary/sqltext.h"

static char path[] = "/tmp/sqltext-XXXXXX";

static void write_file(const char *text, size_t n, size_t times)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	for (size_t i = 0; i < times; i++)
		assert_int_equal(fwrite(text, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

static void a_file_is_text_of_bounded_length(void **state)
{
	_cleanup_(strb_free) struct strb b = { 0 }, nul = { 0 }, all = { 0 }, more = { 0 };
	struct err err = { 0 };

	(void)state;
	write_file("select 1;\n", 10, 1);
	assert_int_equal(sqltext_read(path, &b, &err), 0);
	assert_string_equal(strb_str(&b), "select 1;\n");
	write_file("a\0b", 3, 1);
	assert_int_equal(sqltext_read(path, &nul, &err), -EILSEQ);
	assert_non_null(strstr(err.msg, "is no text: it has a NUL"));
	write_file(" ", 1, RECSQL_MAX_TEXT);
	assert_int_equal(sqltext_read(path, &all, &err), 0);
	write_file(" ", 1, RECSQL_MAX_TEXT + 1);
	assert_int_equal(sqltext_read(path, &more, &err), -E2BIG);
	assert_int_equal(sqltext_read("/no/such", &b, &err), -ENOENT);
	assert_string_equal(err.msg, "cannot open /no/such: No such file or directory");
}

static void place_is(const char *text, size_t at, const char *file, const char *msg, const char *want_mark)
{
	_cleanup_(strb_free) struct strb mark = { 0 };
	struct err err = { 0 };

	err_set(&err, -EINVAL, "wrong");
	sqltext_place(text, strlen(text), at, file, &err, &mark);
	assert_string_equal(err.msg, msg);
	assert_string_equal(strb_str(&mark), want_mark);
}

static void a_mark_stands_below_the_place(void **state)
{
	char wide[256];

	(void)state;
	place_is("select x", 7, NULL, "line 1, column 8: wrong", "  select x\n         ^\n");
	place_is("a;\n  b;\n", 2, "f.sql", "f.sql: line 2, column 3: wrong", "    b;\n    ^\n");
	place_is("select\n", 7, NULL, "line 1, column 7: wrong", "  select\n        ^\n");
	memset(wide, 'x', sizeof(wide) - 1);
	wide[sizeof(wide) - 1] = '\0';
	place_is(wide, 1, NULL, "line 1, column 2: wrong", "");
}

static void views_are_listed_in_every_form(void **state)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);
	struct sqlout *o = sqlout_new(f, SQLOUT_JSON, 0);
	struct recsql_sink sink = sqlout_sink(o);

	(void)state;
	assert_int_equal(sqltext_views(SQLOUT_JSON, &sink, f), 0);
	fflush(f);
	assert_true(!strncmp(text, "{\"view\":", 8) || strstr(text, "\"view\""));
	assert_int_equal(sqltext_views(SQLOUT_TABLE, &sink, f), 0);
	sqlout_free(o);
	fclose(f);
	assert_non_null(strstr(text, recsql_view(0)->columns));
	free(text);
}

static int make(void **state)
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
		cmocka_unit_test(a_file_is_text_of_bounded_length),
		cmocka_unit_test(a_mark_stands_below_the_place),
		cmocka_unit_test(views_are_listed_in_every_form),
	};

	return cmocka_run_group_tests(tests, make, clear);
}
