/* SPDX-License-Identifier: Apache-2.0 */
/* A share of the CPUs becomes a number of threads and of trackers: what is chosen takes no more, as long as there is
 * something to leave out, and nothing is left out without need. */
#include <errno.h>
#include <string.h>
#include "unit.h"
#include "base/cleanup.h"
#include "live/cost.h"

static const struct optrow row = { .name = "cost" };

static int take(struct live_cost *c, const char *arg)
{
	struct err err = { 0 };

	return live_cost_take(c, &row, arg, &err);
}

static void arguments(void **state)
{
	static const char *const wrong[] = { "",   "%",	  "0%",	 "-1%",	  "101%", "1",	  "1%%",
					     "1/", "1/0", "1/3", "1/128", "1/-2", "1/8x", "x" };
	struct live_cost c = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_int_equal(take(&c, wrong[i]), -EINVAL);
	assert_int_equal(take(&c, "1/16"), 0);
	assert_true(c.one_in == 16 && c.percent == 0);
	assert_int_equal(take(&c, "0.5%"), 0);
	assert_true(c.one_in == 1 && c.percent == 0.5);
}

static void why_has_threads_only(void **state)
{
	struct live_cost c = { .percent = 1, .why = true };

	(void)state;
	assert_true(live_cost_plan(&c, 0.6, false) == 0.6 && c.one_in == 1);
	c.percent = 1;
	assert_true(live_cost_plan(&c, 6.4, false) <= 1 && c.one_in == 64);
	c.percent = 3;
	assert_true(live_cost_plan(&c, 6.4, false) <= 2 && c.one_in == 8);
	assert_int_equal(take(&c, "1/4"), 0);
	assert_true(c.why && c.one_in == 4);
}

static double plan(struct live_cost *c, double percent, double all, bool default_set)
{
	*c = (struct live_cost){ .percent = percent };
	return live_cost_plan(c, all, default_set);
}

static void quiet_machines_leave_nothing_out(void **state)
{
	struct live_cost c;

	(void)state;
	assert_true(plan(&c, 1, 0.5, true) == 0.5);
	assert_true(c.one_in == 1 && c.dropped == 0);
	assert_false(live_cost_drops(&c, "block"));
}

static void threads_go_before_trackers(void **state)
{
	double takes, last = 100;
	struct live_cost c;
	unsigned dropped = 0, one_in = 1;

	(void)state;
	for (double percent = 4; percent > 0.3; percent -= 0.05) {
		takes = plan(&c, percent, 2.5, true);
		assert_true(takes <= last && c.dropped >= dropped && c.one_in >= one_in);
		assert_true(takes <= percent || (c.one_in == 64 && c.dropped == 4));
		assert_true(c.dropped == 0 || c.one_in >= 8);
		assert_true(c.one_in <= 8 || c.dropped == 4);
		last = takes;
		dropped = c.dropped;
		one_in = c.one_in;
	}
	assert_true(dropped == 4 && one_in == 64);
	assert_true(live_cost_drops(&c, "softirq") && live_cost_drops(&c, "irq") && live_cost_drops(&c, "block"));
	assert_false(live_cost_drops(&c, "wakeup") || live_cost_drops(&c, "reclaim") || live_cost_drops(&c, ""));
}

static void named_trackers_stay(void **state)
{
	struct live_cost c;

	(void)state;
	plan(&c, 0.01, 2.5, false);
	assert_true(c.dropped == 0 && c.one_in == 64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arguments),
		cmocka_unit_test(quiet_machines_leave_nothing_out),
		cmocka_unit_test(threads_go_before_trackers),
		cmocka_unit_test(named_trackers_stay),
		cmocka_unit_test(why_has_threads_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
