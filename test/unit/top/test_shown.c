/* SPDX-License-Identifier: Apache-2.0 */
/* Slow events and cells of `dwell top`, against groups and counts made by hand. */
#include <stdio.h>
#include "unit.h"
#include "base/units.h"
#include "top/shown.h"

static struct top_data data;

static void add(const char *tracker, uint64_t wall, uint64_t delay, bool idle)
{
	struct top_slow *s = &data.slow[data.nslow++ % TOP_SLOW];

	*s = (struct top_slow){ .wall = wall, .delay = delay, .idle = idle };
	snprintf(s->tracker, sizeof(s->tracker), "%s", tracker);
	snprintf(s->comm, sizeof(s->comm), "sh");
}

static void newest_first_without_idle(void **state)
{
	const struct top_slow *v[TOP_SLOW];

	(void)state;
	data.nslow = 0;
	assert_int_equal(top_slow_shown(&data, true, v), 0);
	for (uint64_t i = 0; i < TOP_SLOW + 3; i++)
		add("block", i * NSEC_PER_SEC, i, i % 2);
	assert_int_equal(top_slow_shown(&data, true, v), TOP_SLOW);
	assert_int_equal(v[0]->delay, TOP_SLOW + 2);
	assert_int_equal(v[TOP_SLOW - 1]->delay, 3);
	assert_int_equal(top_slow_shown(&data, false, v), TOP_SLOW / 2);
	assert_int_equal(v[0]->delay % 2, 0);
}

/* A chain of events, each nine seconds from the next: none may be lost between the groups. */
static void each_event_is_in_one_group(void **state)
{
	const struct top_slow *v[TOP_SLOW];
	struct top_alike g[TOP_SLOW];
	unsigned sum = 0;
	size_t n;

	(void)state;
	data.nslow = 0;
	for (uint64_t i = 0; i < 6; i++)
		add("block", i * 9 * NSEC_PER_SEC, 10 - i, false);
	add("runq", 46 * NSEC_PER_SEC, 1, false);
	n = top_slow_groups(v, top_slow_shown(&data, true, v), g);
	assert_int_equal(n, 4);
	for (size_t i = 0; i < n; i++)
		sum += g[i].n;
	assert_int_equal(sum, 7);
	assert_string_equal(g[0].longest->tracker, "runq");
	assert_int_equal(g[1].n, 2);
	assert_int_equal(g[1].longest->delay, 6); /* the older of the two */
	assert_int_equal(g[3].longest->delay, 10);
}

static void the_fullest_cell_is_a_sum_of_bands(void **state)
{
	struct top_tracker t = { 0 };
	struct top_heat h;

	(void)state;
	assert_false(top_heat_fit(&t, 100, 60, 10, &h));
	t.col[100 % TOP_SECONDS] =
		(struct top_column){ .second = 100, .count = 9, .band = { [4] = 2, [5] = 3, [11] = 4 } };
	assert_true(top_heat_fit(&t, 100, 60, 10, &h));
	assert_int_equal(h.from, 4);
	assert_int_equal(h.to, 11);
	assert_int_equal(h.step, 1);
	assert_int_equal(h.most, 4);
	assert_true(top_heat_fit(&t, 100, 60, 4, &h)); /* eight bands in four rows */
	assert_int_equal(h.step, 2);
	assert_int_equal(h.most, 5);
	assert_int_equal(top_heat_cell(&t, 100, 4, 2), 5);
	assert_int_equal(top_heat_cell(&t, 99, 4, 2), 0);
	assert_true(top_heat_fit(&t, 100, 60, 1, &h));
	assert_int_equal(h.most, 9);
	assert_int_equal(top_heat_cell(&t, 100, TOP_BANDS - 1, 8), 0); /* past the last band */
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(newest_first_without_idle),
		cmocka_unit_test(each_event_is_in_one_group),
		cmocka_unit_test(the_fullest_cell_is_a_sum_of_bands),
	};

	return cmocka_run_group_tests_name("shown", tests, NULL, NULL);
}
