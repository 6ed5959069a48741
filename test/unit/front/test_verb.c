/* SPDX-License-Identifier: Apache-2.0 */
/* Guesses what a word means that is no command. */
#include "../unit.h"
#include "base/cleanup.h"
#include "front/verb.h"

static void dtrace_lines(void **state)
{
	static const struct {
		const char *argv[6];
		bool is;
	} cases[] = {
		{ { "dwell", "-n" }, true },
		{ { "dwell", "arg", "-n", "BEGIN" }, true },
		{ { "dwell", "arg", "-qn", "BEGIN" }, true },
		{ { "dwell", "arg", "-l" }, true },
		{ { "dwell", "latancy" }, false },
		{ { "dwell", "flmae", "--on-cpu" }, false },
		{ { "dwell", "flmae", "-p", "1", "-o", "names" }, false },
		{ { "dwell", "flmae", "-onames" }, false },
		{ { "dwell", "timelin", "--", "ls", "-l" }, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		int n = 0;

		while (n < 6 && cases[i].argv[n])
			n++;
		assert_int_equal(verb_is_dtrace(n, (char *const *)cases[i].argv), cases[i].is);
	}
}

static void words(void **state)
{
	static const char *const commands[] = { "flame", "latency", "top", "why" };
	static const struct {
		const char *word, *says, *tool;
	} cases[] = {
		{ "latancy", "there is no command 'latancy'; did you mean latency?", NULL },
		{ "flmae", "there is no command 'flmae'; did you mean flame?", NULL },
		{ "tpo", "there is no command 'tpo'; did you mean top?", NULL },
		{ "xylophone", "there is no command 'xylophone'; 'dwell help' shows what there is", NULL },
		{ "opensnop", "there is no command 'opensnop'; did you mean the tool opensnoop: dwell run opensnoop?",
		  "opensnoop" },
		{ "syscall::read:entry", "a probe is given with -n: dwell -n 'syscall::read:entry'", NULL },
		{ "x.d", "a program in a file is run with -s: dwell -s x.d", NULL },
		{ "", "there is no command ''; 'dwell help' shows what there is", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strb b = { 0 };

		verb_explain(&b, cases[i].word, commands, ARRAY_SIZE(commands), cases[i].tool);
		assert_string_equal(strb_str(&b), cases[i].says);
		strb_free(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(dtrace_lines), cmocka_unit_test(words) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
