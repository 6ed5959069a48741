/* SPDX-License-Identifier: Apache-2.0 */
/* The choice of slow events by process. */
#include "../unit.h"
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups_are_named_as_the_kernel_does),
		cmocka_unit_test(a_name_filters_by_itself),
		cmocka_unit_test(nothing_asked_for_is_everything),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
