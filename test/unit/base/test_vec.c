/* SPDX-License-Identifier: Apache-2.0 */
/* Growable arrays: growth, and failure without damage. */
#include "../unit.h"
#include <errno.h>
#include "base/vec.h"

static void pushes_keep_the_elements(void **state)
{
	VEC(int) v = { 0 };

	(void)state;
	for (int i = 0; i < 10000; i++) {
		if (i % 2)
			vec_push(&v, i);
		else
			assert_int_equal(vec_try_push(&v, i), 0);
	}
	assert_int_equal(v.n, 10000);
	assert_true(v.cap >= v.n);
	for (int i = 0; i < 10000; i++)
		assert_int_equal(v.v[i], i);
	vec_free(&v);
	assert_null(v.v);
	assert_int_equal(v.n + v.cap, 0);
}

static void reserve_fails_without_a_change(void **state)
{
	void *p = NULL;
	size_t cap = 0;
	void *before;

	(void)state;
	assert_int_equal(vec_reserve_raw(&p, &cap, 3, 8), 0);
	before = p;
	assert_int_equal(vec_reserve_raw(&p, &cap, SIZE_MAX / 4, 8), -ENOMEM);
	assert_ptr_equal(p, before);
	assert_true(cap >= 3 && cap < 100);
	free(p);
}

static void reserve_gives_what_was_asked(void **state)
{
	void *p = NULL;
	size_t cap = 0;

	(void)state;
	vec_reserve_or_die(&p, &cap, 1000, 4);
	assert_true(cap >= 1000);
	memset(p, 1, 4000);
	free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pushes_keep_the_elements),
		cmocka_unit_test(reserve_fails_without_a_change),
		cmocka_unit_test(reserve_gives_what_was_asked),
	};

	return cmocka_run_group_tests_name("vec", tests, NULL, NULL);
}
