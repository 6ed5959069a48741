/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of a child that asks the store. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "unit.h"
#include "fleet/ask/line.h"

static void the_password_is_in_memory_only(void **state)
{
	char path[] = "/tmp/test_asklineXXXXXX", text[32] = "";
	struct click_options store = { .url = "http://127.0.0.1:1", .user = "me", .password_file = path };
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
	struct err err = { 0 };
	char *const *line;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(askline_make(a, &store, "t", &line, &err), -ENODATA); /* it is empty */
	assert_int_equal(write(fd, "secret", 6), 6);
	close(fd);
	assert_int_equal(askline_make(a, &store, "t", &line, &err), 0);
	assert_string_equal(line[4], "t");
	assert_string_equal(line[8], "me");
	assert_string_equal(line[9], "--store-password");
	assert_ptr_equal(strstr(line[10], "/dev/fd/"), line[10]);
	assert_null(line[11]);
	fd = open(line[10], O_RDONLY);
	assert_int_equal(read(fd, text, sizeof(text)), 6);
	assert_string_equal(text, "secret");
	close(fd);
	unlink(path);
	assert_int_equal(askline_make(a, &store, "t", &line, &err), -ENOENT);
	err_done(&err);
	arena_free(a);
}

static void without_a_user_the_line_is_short(void **state)
{
	struct click_options store = { .url = "http://127.0.0.1:1" };
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
	struct err err = { 0 };
	char *const *line;

	(void)state;
	assert_int_equal(askline_make(a, &store, "default", &line, &err), 0);
	assert_string_equal(line[2], "query");
	assert_null(line[7]);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_password_is_in_memory_only),
		cmocka_unit_test(without_a_user_the_line_is_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
