/* SPDX-License-Identifier: Apache-2.0 */
/* The first screen fits a small terminal. */
#include "../unit.h"
#include <string.h>
#include "front/screen.h"

static void fits(void **state)
{
	unsigned lines = 0;

	(void)state;
	for (const char *line = screen_text; *line; lines++) {
		size_t n = strcspn(line, "\n");

		assert_in_range(n, 0, SCREEN_COLUMNS);
		assert_int_equal(line[n], '\n');
		line += n + 1;
	}
	assert_in_range(lines, 10, SCREEN_LINES);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(fits) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
