/* SPDX-License-Identifier: Apache-2.0 */
/* When a host became slower than its peers. */
#include <math.h>
#include "unit.h"
#include "fleet/ask/outlier.h"

static void a_step_is_found_where_it_is(void **state)
{
	double v[120];

	(void)state;
	for (size_t i = 0; i < 120; i++)
		v[i] = (i < 70 ? 0.1 : 5.2) + 0.05 * (double)(i % 3);
	assert_int_equal(outlier_onset(v, 120), 70);
	for (size_t i = 60; i < 75; i++)
		v[i] = NAN; /* nothing happened then: it is known from the first second that has something */
	assert_int_equal(outlier_onset(v, 120), 75);
}

static void what_is_high_all_the_time_has_no_beginning(void **state)
{
	double v[60];

	(void)state;
	for (size_t i = 0; i < 60; i++)
		v[i] = 4 + 0.2 * (double)(i % 4);
	assert_int_equal(outlier_onset(v, 60), 0);
	for (size_t i = 0; i < 60; i++)
		v[i] = i < 30 ? 5 : 1; /* it went down: no step up */
	assert_int_equal(outlier_onset(v, 60), 0);
}

static void little_or_nothing_has_no_beginning(void **state)
{
	const double none[] = { NAN, NAN, NAN }, one[] = { NAN, 3, NAN };

	(void)state;
	assert_int_equal(outlier_onset(none, 0), 0);
	assert_int_equal(outlier_onset(none, 3), 0);
	assert_int_equal(outlier_onset(one, 3), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_step_is_found_where_it_is),
		cmocka_unit_test(what_is_high_all_the_time_has_no_beginning),
		cmocka_unit_test(little_or_nothing_has_no_beginning),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
