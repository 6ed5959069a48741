/* SPDX-License-Identifier: Apache-2.0 */
/* A table of options: what it fills, what it refuses and in which words, its help. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "unit.h"
#include "base/cleanup.h"
#include "cmdline/optable.h"

struct cmd {
	bool all;
	const char *file, *kind, *words[4];
	uint64_t ns;
	unsigned n, taken, nwords, nlive;
};

static int take_twice(void *member, const struct optrow *o, const char *arg, struct err *err)
{
	unsigned *taken = member;

	return ++*taken > 2 ? err_set(err, -EINVAL, "--%s %s: twice at most", o->name, arg) : 0;
}

static int word(void *command, char *w, struct err *err)
{
	struct cmd *c = command;

	if (c->nwords == 2)
		return err_set(err, -E2BIG, "'%s' is one too many", w);
	c->words[c->nwords++] = w;
	return 0;
}

static void given(void *command, const struct optrow *o)
{
	struct cmd *c = command;

	c->nlive += o->live;
}

static const struct optrow rows[] = {
	{ .name = "all", .letter = 'a', .kind = OPT_FLAG, .at = offsetof(struct cmd, all), .help = "all of them" },
	{ .letter = 'o', .kind = OPT_TEXT, .at = offsetof(struct cmd, file), .arg = "FILE", .help = "one\ntwo" },
	{ .name = "page", .kind = OPT_SET, .at = offsetof(struct cmd, kind), .text = "html", .help = "a page" },
	{ .name = "for",
	  .kind = OPT_TIME,
	  .at = offsetof(struct cmd, ns),
	  .value = 10000000,
	  .live = true,
	  .arg = "TIME",
	  .help = "so long" },
	{ .name = "top", .kind = OPT_NUMBER, .at = offsetof(struct cmd, n), .value = 100, .arg = "N", .help = "lines" },
	{ .name = "twice", .kind = OPT_CALL, .at = offsetof(struct cmd, taken), .take = take_twice, .arg = "X" },
};
static const struct optable table = { .command = "show",
				      .synopsis = "show [options] FILE\nshow --all",
				      .rows = rows,
				      .n = sizeof(rows) / sizeof(rows[0]),
				      .given = given };

/* Reads a line that is cut at blanks. */
static int parse(const struct optable *t, const char *line, struct cmd *c, struct err *err)
{
	static char copy[256];
	char *argv[16], *save = NULL;
	int argc = 0;

	snprintf(copy, sizeof(copy), "%s", line);
	for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save))
		argv[argc++] = w;
	argv[argc] = NULL;
	memset(c, 0, sizeof(*c));
	memset(err, 0, sizeof(*err));
	optind = 0;
	return optable_read(t, c, argc, argv, "dwell", err);
}

static void fills_the_struct(void **state)
{
	struct cmd c;
	struct err err;

	(void)state;
	assert_int_equal(parse(&table, "show -a -o out --page --for=2s --top 100 rest", &c, &err), 0);
	assert_true(c.all);
	assert_string_equal(c.file, "out");
	assert_string_equal(c.kind, "html");
	assert_int_equal(c.ns, 2000000000);
	assert_int_equal(c.n, 100);
	assert_int_equal(c.nlive, 1);
	assert_int_equal(parse(&table, "show --all --help", &c, &err), OPTABLE_HELP);
	assert_int_equal(parse(&table, "show -h", &c, &err), OPTABLE_HELP);
}

static void refuses_with_a_message(void **state)
{
	static const struct {
		const char *line, *msg;
	} wrong[] = {
		{ "show --al --tpo 3", "show: there is no option --tpo; did you mean --top?" },
		{ "show --qqqqqqqq", "show: there is no option --qqqqqqqq; 'dwell show --help' lists them" },
		{ "show -z", "show: there is no option -z; 'dwell show --help' lists them" },
		{ "show -o", "show: -o needs an argument; 'dwell show --help' tells more" },
		{ "show --top", "show: --top needs an argument; 'dwell show --help' tells more" },
		{ "show --all=3", "show: --all takes no argument" },
		{ "show --top 101", "--top: '101' is no number from 1 to 100" },
		{ "show --top 0", "--top: '0' is no number from 1 to 100" },
		{ "show --for 9ms", "--for: '9ms' is less than the least, 10ms" },
		{ "show --for soon", "--for: 'soon' is no time, like 30s, 1.5ms or 10us" },
		{ "show --twice 1 --twice 2 --twice 3", "--twice 3: twice at most" },
	};
	struct cmd c;
	struct err err;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		assert_int_equal(parse(&table, wrong[i].line, &c, &err), -EINVAL);
		assert_string_equal(err.msg, wrong[i].msg);
	}
}

static void words_go_where_they_are_wanted(void **state)
{
	struct optable t = table;
	struct cmd c;
	struct err err;

	(void)state;
	t.word = word;
	assert_int_equal(parse(&t, "show one --all two", &c, &err), 0);
	assert_true(c.all);
	assert_string_equal(c.words[0], "one");
	assert_string_equal(c.words[1], "two");
	assert_int_equal(parse(&t, "show one two three", &c, &err), -E2BIG);
	t.word = NULL;
	t.leading = true;
	assert_int_equal(parse(&t, "show ls --all", &c, &err), 0);
	assert_false(c.all);
	assert_int_equal(optind, 1);
}

static void cuts_the_command_off(void **state)
{
	char *argv[] = { (char *)"show", (char *)"-a", (char *)"--", (char *)"ls", (char *)"-l", NULL };
	char *const *words = NULL;
	struct err err = { 0 };
	int argc = 5;

	(void)state;
	assert_int_equal(optable_command("show", &argc, argv, &words, &err), 0);
	assert_int_equal(argc, 2);
	assert_string_equal(words[0], "ls");
	assert_string_equal(words[1], "-l");
	argc = 2;
	assert_int_equal(optable_command("show", &argc, argv, &words, &err), 0);
	assert_null(words);
	argc = 3;
	assert_int_equal(optable_command("show", &argc, argv, &words, &err), -EINVAL);
	assert_string_equal(err.msg, "show: a command is missing after --");
}

static void help_has_all_rows(void **state)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	(void)state;
	optable_help(&table, "dwell", f);
	fclose(f);
	assert_string_equal(text, "Usage: dwell show [options] FILE\n       dwell show --all\n\n"
				  "\t--all             all of them\n"
				  "\t-o FILE           one\n\t                  two\n"
				  "\t--page            a page\n"
				  "\t--for TIME        so long\n"
				  "\t--top N           lines\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fills_the_struct),
		cmocka_unit_test(refuses_with_a_message),
		cmocka_unit_test(words_go_where_they_are_wanted),
		cmocka_unit_test(cuts_the_command_off),
		cmocka_unit_test(help_has_all_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
