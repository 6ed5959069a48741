/* SPDX-License-Identifier: Apache-2.0 */
/* Run-time errors. */
#include "../unit.h"
#include <errno.h>
#include "base/err.h"

static void set_and_prefix(void **state)
{
	struct err e = { 0 };

	(void)state;
	assert_int_equal(err_set(&e, -EPERM, "no %s", "root"), -EPERM);
	assert_int_equal(e.code, -EPERM);
	err_prefix(&e, "cannot attach %s: ", "syscall::read:entry");
	assert_string_equal(e.msg, "cannot attach syscall::read:entry: no root");
	assert_int_equal(err_set(NULL, -EIO, "ignored"), -EIO);
	err_prefix(NULL, "ignored");
}

static void long_texts_are_cut_at_the_limit(void **state)
{
	struct err e = { 0 };

	(void)state;
	err_set(&e, -1, "%*d", 3 * ERR_MSG_MAX, 1);
	assert_int_equal(strlen(e.msg), ERR_MSG_MAX - 1);
	err_prefix(&e, "front: ");
	assert_int_equal(strlen(e.msg), ERR_MSG_MAX - 1);
	assert_memory_equal(e.msg, "front: ", 7);
	err_prefix(&e, "%*d", 3 * ERR_MSG_MAX, 1);
	assert_int_equal(strlen(e.msg), ERR_MSG_MAX - 1);
	assert_int_equal(e.msg[0], ' ');
}

static void done_frees_the_detail(void **state)
{
	struct err e = { 0 };

	(void)state;
	e.detail = strdup("log");
	err_set(&e, -1, "x");
	assert_string_equal(e.detail, "log");
	err_done(&e);
	assert_null(e.detail);
	assert_int_equal(e.code, 0);
	assert_string_equal(e.msg, "");
	err_done(&e);
	err_done(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(set_and_prefix),
		cmocka_unit_test(long_texts_are_cut_at_the_limit),
		cmocka_unit_test(done_frees_the_detail),
	};

	return cmocka_run_group_tests_name("err", tests, NULL, NULL);
}
