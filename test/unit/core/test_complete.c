/* SPDX-License-Identifier: Apache-2.0 */
/* Completion of a line of the debugger. */
#include "unit.h"
#include <string.h>
#include "core/shell/complete.h"
#include "core/madecore.h"

static struct made m;

/* All candidates in a row. */
static void want(const char *line, const char *all)
{
	struct core c;
	struct shell s = { .core = &c };
	complete_words w = { 0 };
	char text[4096] = "";

	made_core(&m);
	assert_int_equal(core_open_memory(m.bytes, m.n, &c, NULL), 0);
	assert_int_equal(shell_complete(&s, line, &w), 0);
	for (size_t i = 0; i < w.n; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i ? " " : "", w.v[i]);
	assert_string_equal(text, all);
	complete_done(&w);
	shell_done(&s);
	core_close(&c);
}

static void commands_are_completed_wherever_they_stand(void **state)
{
	(void)state;
	want("::sta", "::stack ::stacks ::status");
	want("1f::wha", "1f::whatis");
	want("::walk thread | ::sta", "::stack ::stacks ::status");
	want("::walk thread|::wha", "::whatis");
	want("::nothing", "");
	want("sta", "");
	want("", "");
}

static void words_are_those_of_the_command(void **state)
{
	(void)state;
	want("::walk ", "cgroup file mapping module mount socket task thread vma");
	want("::walk ma", "mapping");
	want("::help wh", "whatis");
	want("::jsprint -", "-a -h -d -n -s");
	want("10::jsprint -d 2 -", "-a -h -d -n -s");
	want("::findjsobjects -", "-r -c -p -n -s");
	want("::status -", "");
	want("::findjsobjects -c ", ""); /* there is no V8 */
	want("::findjsobjects x", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commands_are_completed_wherever_they_stand),
		cmocka_unit_test(words_are_those_of_the_command),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
