/* SPDX-License-Identifier: Apache-2.0 */
/* Names and heads of tools. */
#include "../unit.h"
#include <string.h>
#include "base/cleanup.h"
#include "front/tool.h"

static void names(void **state)
{
	static const struct {
		const char *word, *tool;
		bool other;
	} cases[] = {
		{ "iotop", "iotop", false },
		{ "iotop.d", "iotop", false },
		{ "biotop", "iotop", true },
		{ "opensnoop.bt", "opensnoop", false },
		{ "biolatency-bpfcc", "iolatency", true },
		{ "nosuch", "nosuch", false },
	};
	char name[TOOL_NAME_MAX], longest[TOOL_NAME_MAX + 1];
	bool other;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_true(tool_name(cases[i].word, name, &other));
		assert_string_equal(name, cases[i].tool);
		assert_int_equal(other, cases[i].other);
	}
	assert_string_equal(tool_command("runqslower"), "dwell latency wakeup");
	assert_null(tool_command("iotop"));
	assert_false(tool_name("", name, &other));
	assert_false(tool_name("../x", name, &other));
	assert_false(tool_name("-x", name, &other));
	memset(longest, 'a', sizeof(longest));
	longest[TOOL_NAME_MAX] = '\0';
	assert_false(tool_name(longest, name, &other));
	assert_true(tool_name(longest + 1, name, &other));
}

/* Text that tool_list() writes of three tools; their number in *n. */
static char *list(const char *word, int columns, size_t *n)
{
	static const struct tool_row rows[] = {
		{ "iotop", "who reads and writes", "\n/*\n * iotop.d: x.\n *\n * Topic: Block devices\n */\n" },
		{ "mine", "somebody's own", "BEGIN {}" },
		{ "newproc", "processes", "\n/*\n * newproc.d: x.\n *\n * Topic: Processes\n */\n" },
	};
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	*n = tool_list(rows, 3, word, columns, f);
	fclose(f);
	return text;
}

static void lists(void **state)
{
	static const struct {
		const char *word;
		int columns;
		size_t n;
		const char *text;
	} cases[] = {
		{ NULL, 0, 3,
		  "Processes\n  newproc         processes\n\nBlock devices\n  iotop           who reads and writes\n\nOther\n"
		  "  mine            somebody's own\n" },
		{ "IOT", 0, 1, "iotop           who reads and writes\n" },
		{ "Writes", 0, 1, "iotop           who reads and writes\n" },
		{ "Writes", 30, 1, "iotop           who reads and\n                writes\n" },
		{ "block", 0, 1, "iotop           who reads and writes\n" },
		{ "tcp", 0, 0, "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t n;
		char *text = list(cases[i].word, cases[i].columns, &n);

		assert_int_equal(n, cases[i].n);
		assert_string_equal(text, cases[i].text);
		free(text);
	}
}

static void heads(void **state)
{
	const char *text = "#!x\n/* SPDX */\n/*\n * a.d: it.\n *\n * Usage: a.d\n */\nBEGIN {}\n", *at;
	size_t n;

	(void)state;
	at = tool_head(text, &n);
	assert_non_null(at);
	assert_int_equal(n, strlen(" * a.d: it.\n *\n * Usage: a.d\n"));
	assert_memory_equal(at, " * a.d: it.\n *\n * Usage: a.d\n", n);
	assert_null(tool_head("BEGIN {}", &n));
	assert_null(tool_head("\n/*\n * no end", &n));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(lists),
		cmocka_unit_test(heads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
