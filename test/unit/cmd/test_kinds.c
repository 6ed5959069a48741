/* SPDX-License-Identifier: Apache-2.0 */
/* Every class of causes has a kind, and so a colour, of its own in timelines: the views do not know the rules. */
#include <string.h>
#include "latency/cause/causes.h"
#include "unit.h"
#include "view/picture/timeline.h"

static void classes_have_kinds(void **state)
{
	(void)state;
	for (int c = 0; c < CAUSE_NCLASSES; c++) {
		const char *name = cause_class_name((enum cause_class)c);

		assert_string_equal(tl_kind_info(tl_kind_of(name))->name, name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(classes_have_kinds) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
