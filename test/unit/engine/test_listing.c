/* SPDX-License-Identifier: Apache-2.0 */
/* Probes of a description for a completion: lines of JSON, no message, no more than wanted. */
#include "../unit.h"
#include "base/strb.h"
#include "engine/run/listing.h"

static void probes_are_lines(void **state)
{
	struct strb b = { 0 };

	(void)state;
	assert_int_equal(listing_probes("dtrace:::", NULL, 1 << 20, &b), 0);
	assert_non_null(strstr(strb_str(&b), "\"name\":\"BEGIN\""));
	assert_non_null(strstr(strb_str(&b), "\"name\":\"END\""));
	strb_free(&b);
}

static void what_matches_nothing_is_empty(void **state)
{
	struct strb b = { 0 };

	(void)state;
	assert_int_equal(listing_probes("dtrace:::NONE", NULL, 1 << 20, &b), 0);
	assert_null(strstr(strb_str(&b), "\"name\""));
	assert_int_equal(listing_probes("no probe {", NULL, 1 << 20, &b), 0);
	assert_null(strstr(strb_str(&b), "\"name\""));
	strb_free(&b);
}

static void it_ends_when_there_is_enough(void **state)
{
	struct strb b = { 0 };

	(void)state;
	assert_int_equal(listing_probes("profile:::", NULL, 1, &b), 0);
	assert_in_range(b.n, 1, 4096);
	strb_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(probes_are_lines),
		cmocka_unit_test(what_matches_nothing_is_empty),
		cmocka_unit_test(it_ends_when_there_is_enough),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
