/* SPDX-License-Identifier: Apache-2.0 */
/* Questions of the page of a core: the lines of commands that they become, and that nothing else becomes one. */
#include "corepage/question.h"
#include <errno.h>
#include "../unit.h"

static void test_lines(void **state)
{
	struct question q;

	(void)state;
	assert_int_equal(question_read("constructors\n", &q), 0);
	assert_string_equal(q.line, "::findjsobjects");
	assert_false(q.dominators);
	assert_int_equal(question_read("properties\nat=1a2b\n", &q), 0);
	assert_string_equal(q.line, "1a2b::jsproperties -n 0t500");
	assert_int_equal(question_read("dominated\nat=ffffffffffffffff\n", &q), 0);
	assert_string_equal(q.line, "ffffffffffffffff::jsretained -n 0t30");
	assert_true(q.dominators);
}

static void test_refused(void **state)
{
	static const char *const wrong[] = {
		"",
		"\n",
		"constructors",
		"heapsnapshot\n",
		"constructors\nat=1\n",
		"properties\n",
		"properties\nat=\n",
		"properties\nat=1\nat=2\n",
		"properties\nat=1",
		"properties\nat=1 ! id\n",
		"properties\nat=1A\n",
		"properties\nat=12345678123456781\n",
		"properties\nto=1\n",
		"a name that is longer than any question has\n",
	};
	struct question q;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_int_equal(question_read(wrong[i], &q), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_lines), cmocka_unit_test(test_refused) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
