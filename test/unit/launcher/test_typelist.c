/* SPDX-License-Identifier: Apache-2.0 */
/* Types for completion: the language's are there on every machine. */
#include <string.h>
#include "unit.h"
#include "launcher/typelist.h"

static const struct listener silent;

static void types_of_the_language_are_found(void **state)
{
	struct typelist *l = typelist_new("dwell", &silent);
	const char *reason = NULL;
	struct serve_type v[8];
	size_t n;

	(void)state;
	assert_non_null(l);
	n = typelist_find(l, NULL, "uint8", v, 8, &reason);
	assert_true(n >= 1);
	assert_string_equal(v[0].name, "uint8_t");
	assert_string_equal(v[0].kind, "typedef");
	assert_int_equal(typelist_find(l, "struct", "uint8_t", v, 8, &reason), 0);
	assert_int_equal(typelist_find(l, NULL, "no_such_type_at_all", v, 8, &reason), 0);
	typelist_free(l);
	typelist_free(NULL);
}

static void no_more_than_there_is_room_for(void **state)
{
	struct typelist *l = typelist_new("dwell", &silent);
	const char *reason = NULL;
	struct serve_type v[2] = { 0 };

	(void)state;
	assert_true(typelist_find(l, NULL, "u", v, 1, &reason) > 1);
	assert_non_null(v[0].name);
	assert_null(v[1].name);
	typelist_free(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(types_of_the_language_are_found),
					    cmocka_unit_test(no_more_than_there_is_room_for) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
