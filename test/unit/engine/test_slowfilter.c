/* SPDX-License-Identifier: Apache-2.0 */
/* The choice of slow events by process. */
#include "../unit.h"
#include <errno.h>
#include <unistd.h>
#include "engine/run/slowfilter.h"

static const struct listener to = { 0 };

static void groups_are_named_as_the_kernel_does(void **state)
{
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);

	(void)state;
	assert_string_equal(slowfilter_cgroup(a, "a"), "/a");
	assert_string_equal(slowfilter_cgroup(a, "/a/b"), "/a/b");
	if (access("/sys/fs/cgroup/cgroup.controllers", F_OK) == 0)
		assert_string_equal(slowfilter_cgroup(a, "/sys/fs/cgroup/a"), "/a");
	arena_free(a);
}

static void a_name_filters_by_itself(void **state)
{
	struct slowfilter f = { .comm = "one" };
	struct slow_event e = { .fixed.comm = "one" };

	(void)state;
	assert_true(slowfilter_any(&f));
	assert_int_equal(slowfilter_open(&f, &to, NULL), 0);
	assert_true(slowfilter_matches(&f, &e));
	strcpy(e.fixed.comm, "two");
	assert_false(slowfilter_matches(&f, &e));
	slowfilter_done(&f, &to);
}

static void nothing_asked_for_is_everything(void **state)
{
	struct slowfilter f = { 0 };
	struct slow_event e = { .fixed.comm = "two" };
	struct request c;

	(void)state;
	assert_false(slowfilter_any(&f));
	assert_true(slowfilter_matches(&f, &e));
	request_init(&c, "dwell", &to);
	slowfilter_program(&f, &c);
	assert_int_equal(c.progs.n, 0);
	f.container = "abc";
	slowfilter_program(&f, &c);
	assert_int_equal(c.progs.n, 1);
	assert_non_null(strstr(c.progs.v[0].arg, "/latency/moves.d"));
	request_done(&c);
}

static void one_name_for_each_option(void **state)
{
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
	struct slowfilter f = { .arena = a };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(slowfilter_only(&f, "comm", "one", &err), 0);
	assert_int_equal(slowfilter_only(&f, "unit", "web", &err), 0);
	assert_int_equal(slowfilter_only(&f, "cgroup", "x", &err), 0);
	assert_int_equal(slowfilter_only(&f, "user", "77", &err), 0);
	assert_string_equal(f.comm, "one");
	assert_string_equal(f.unit, "web.service");
	assert_string_equal(f.cgroup, "/x");
	assert_int_equal(f.uid, 77);
	assert_int_equal(slowfilter_only(&f, "unit", "web.slice", &err), 0);
	assert_string_equal(f.unit, "web.slice");
	assert_int_equal(slowfilter_only(&f, "user", "no such user", &err), -EINVAL);
	assert_string_equal(err.msg, "there is no user 'no such user'");
	err_done(&err);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups_are_named_as_the_kernel_does),
		cmocka_unit_test(a_name_filters_by_itself),
		cmocka_unit_test(nothing_asked_for_is_everything),
		cmocka_unit_test(one_name_for_each_option),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
