/* SPDX-License-Identifier: Apache-2.0 */
/* Slots of the histograms of a trace: as short as they may be. */
#include "base/cleanup.h"
#include "retro/asrec.h"
#include "unit.h"

#define MS UINT64_C(1000000)

static void test_slots(void **state)
{
	static const struct {
		uint64_t ns, slot;
	} rows[] = {
		{ 0, MS },
		{ ASREC_SLOTS * MS - 1, MS },
		{ ASREC_SLOTS * MS, 2 * MS },
		{ 2 * ASREC_SLOTS * MS - 1, 2 * MS },
		{ 2 * ASREC_SLOTS * MS, 5 * MS },
		{ 1000 * ASREC_SLOTS * MS - 1, 1000 * MS },
		{ UINT64_MAX, 1000 * MS }, /* never longer: they are added up to seconds */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(asrec_slot(rows[i].ns), rows[i].slot);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_slots) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
