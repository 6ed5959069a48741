/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of the live view: which programs, and where the recording is kept. */
#include <string.h>
#include "unit.h"
#include "base/arena.h"
#include "launcher/pair.h"

static bool has(char *const *v, const char *word)
{
	for (; *v; v++)
		if (strstr(*v, word))
			return true;
	return false;
}

static void the_default_trackers_and_stacks_run(void **state)
{
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
	struct servedir dir = { 0 };
	char *const *v = pair_overview(a, &dir);

	(void)state;
	assert_string_equal(v[0], "dwell");
	assert_true(has(v, "/latency/wakeup.d"));
	assert_true(has(v, "/latency/overview.d"));
	assert_true(has(v, "maxcpu=25%"));
	assert_false(has(v, "--record"));
	arena_free(a);
}

static void a_folder_keeps_the_recording_small(void **state)
{
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
	char live[] = "/tmp/x/live";
	struct servedir dir = { .live = live };
	char *const *v = pair_overview(a, &dir);
	size_t n = 0;

	(void)state;
	while (v[n])
		n++;
	assert_string_equal(v[n - 6], "--record");
	assert_string_equal(v[n - 5], live);
	assert_string_equal(v[n - 4], "--record-size");
	assert_string_equal(v[n - 2], "--record-age");
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(the_default_trackers_and_stacks_run),
					    cmocka_unit_test(a_folder_keeps_the_recording_small) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
