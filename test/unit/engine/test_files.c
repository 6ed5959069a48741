/* SPDX-License-Identifier: Apache-2.0 */
/* How many files have probes: each counts once, as many as fit, and one more is told. */
#include "../unit.h"
#include "engine/run/files.h"

static void add(struct run_files *f, uint64_t dev, uint64_t ino, uint64_t off)
{
	run_files_add(f, &(struct probe_place){ .dev = dev, .ino = ino, .off = off });
}

static void a_file_counts_once(void **state)
{
	struct run_files f = { .n = 0 };

	(void)state;
	add(&f, 1, 7, 0);
	add(&f, 1, 7, 64); /* another function of it */
	add(&f, 2, 7, 0);  /* another device */
	add(&f, 1, 8, 0);
	assert_int_equal(f.n, 3);
	assert_false(f.more);
}

static void more_than_fit_are_told(void **state)
{
	struct run_files f = { .n = 0 };

	(void)state;
	for (uint64_t i = 0; i < RUN_MAX_FILES; i++)
		add(&f, 1, i, 0);
	add(&f, 1, RUN_MAX_FILES - 1, 8);
	assert_int_equal(f.n, RUN_MAX_FILES);
	assert_false(f.more); /* exactly as many */
	add(&f, 1, RUN_MAX_FILES, 0);
	assert_int_equal(f.n, RUN_MAX_FILES);
	assert_true(f.more);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(a_file_counts_once),
					    cmocka_unit_test(more_than_fit_are_told) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
