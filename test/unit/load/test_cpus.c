/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's CPU lists. */
#include "../unit.h"
#include <errno.h>
#include <stdlib.h>
#include "load/cpus.h"

static const struct {
	const char *text;
	int code;
	size_t n;
	unsigned first, last;
} cases[] = {
	{ "0\n", 0, 1, 0, 0 },
	{ "0-3", 0, 4, 0, 3 },
	{ "0-1,8,10-11\n", 0, 5, 0, 11 },
	{ "65535", 0, 1, 65535, 65535 },
	{ "65536", -EINVAL, 0, 0, 0 },
	{ "", -EINVAL, 0, 0, 0 },
	{ "\n", -EINVAL, 0, 0, 0 },
	{ "3-1", -EINVAL, 0, 0, 0 },
	{ "1,", -EINVAL, 0, 0, 0 },
	{ "1-", -EINVAL, 0, 0, 0 },
	{ "0-2,1", -EINVAL, 0, 0, 0 },
	{ "x", -EINVAL, 0, 0, 0 },
	{ "-1", -EINVAL, 0, 0, 0 },
	{ "99999999999999999999", -EINVAL, 0, 0, 0 },
};

static void lists_are_parsed(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cpulist l = { 0 };

		assert_int_equal(cpulist_parse(cases[i].text, &l), cases[i].code);
		assert_int_equal(l.n, cases[i].n);
		if (l.n) {
			assert_int_equal(l.v[0], cases[i].first);
			assert_int_equal(l.v[l.n - 1], cases[i].last);
		}
		cpulist_done(&l);
	}
}

static void this_machine_has_cpus(void **state)
{
	struct cpulist l = { 0 };

	(void)state;
	assert_int_equal(cpulist_online(&l), 0);
	assert_true(l.n >= 1);
	cpulist_done(&l);
	cpulist_done(&l);
}

static void idle_times_are_read(void **state)
{
	static const char text[] = "cpu  10 0 20 300 5 0 0 0 0 0\n"
				   "cpu0 4 0 8 100 3 0 0 0 0 0\n"
				   "cpu10 6 0 12 200 2 0 0 0 0 0\n"
				   "intr 1 2 3\n";
	uint64_t ns = 0;
	char *now;

	(void)state;
	assert_int_equal(cpus_parse_idle(text, 0, 100, &ns), 0);
	assert_int_equal(ns, 1030000000);
	assert_int_equal(cpus_parse_idle(text, 10, 100, &ns), 0);
	assert_int_equal(ns, 2020000000);
	assert_int_equal(cpus_parse_idle(text, -1, 1000, &ns), 0);
	assert_int_equal(ns, 305000000);
	assert_int_equal(cpus_parse_idle(text, 1, 100, &ns), -ENOENT);
	assert_int_equal(cpus_parse_idle("cpu", -1, 100, &ns), -ENOENT);
	assert_int_equal(cpus_parse_idle("", -1, 100, &ns), -ENOENT);
	now = cpus_read_stat();
	assert_non_null(now);
	assert_int_equal(cpus_parse_idle(now, -1, 100, &ns), 0);
	free(now);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_parsed),
		cmocka_unit_test(this_machine_has_cpus),
		cmocka_unit_test(idle_times_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
