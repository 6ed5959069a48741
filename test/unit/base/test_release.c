/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's version beside others. */
#include "../unit.h"
#include <stdio.h>
#include <sys/utsname.h>
#include "base/release.h"

static void beside_others(void **state)
{
	unsigned major, minor;
	struct utsname u;
	char text[32];

	(void)state;
	assert_int_equal(uname(&u), 0);
	assert_int_equal(sscanf(u.release, "%u.%u", &major, &minor), 2);
	snprintf(text, sizeof(text), "%u.%u", major, minor);
	assert_true(release_since(text));
	snprintf(text, sizeof(text), "%u.%u", major, minor + 1);
	assert_false(release_since(text));
	snprintf(text, sizeof(text), "%u.%u", major + 1, 0);
	assert_false(release_since(text));
	snprintf(text, sizeof(text), "%u.%u", major - 1, minor + 100);
	assert_true(release_since(text));
	assert_false(release_since(""));
	assert_false(release_since("new"));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(beside_others) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
