/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's CPU lists. */
#include "../unit.h"
#include <errno.h>
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_parsed),
		cmocka_unit_test(this_machine_has_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
