/* SPDX-License-Identifier: Apache-2.0 */
/* Options that all tools have: what a tool's text allows, what goes into the request, what is left for dtrace(1). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "unit.h"
#include "cmdline/opts.h"
#include "cmdline/toolopts.h"

static const struct listener silent;
static char *rest[32];

static int read_line(struct request *c, const struct toolopts *can, const char *line, bool *ret_help, struct err *err)
{
	static char copy[256];
	char *argv[16], *save = NULL;
	int argc = 0;

	snprintf(copy, sizeof(copy), "%s", line);
	for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save))
		argv[argc++] = w;
	*ret_help = false;
	memset(err, 0, sizeof(*err));
	cmdline_begin(c, "dwell", &silent);
	return toolopts_read(c, "snoop", can, argc, argv, rest, ret_help, err);
}

static void a_text_says_what_is_possible(void **state)
{
	struct toolopts o = toolopts_of("/*\n * wanted printa($top)\n */\nBEGIN {}");

	(void)state;
	assert_int_equal(o.narrow, TOOL_NOT);
	assert_false(o.table || o.top);
	o = toolopts_of("/*\n */\nx /wanted/ { @[group_name, group_id] = count(); } tick-$interval { printa(@); }");
	assert_int_equal(o.narrow, TOOL_ANY);
	assert_true(o.table && o.by && o.interval && !o.top);
	assert_int_equal(toolopts_of("/*\n */\nx /pid == $target/").narrow, TOOL_TARGET);
	assert_int_equal(toolopts_of(NULL).narrow, TOOL_NOT);
}

static void options_go_into_the_request(void **state)
{
	const struct toolopts can = { .narrow = TOOL_ANY, .table = true, .by = true };
	struct request c;
	struct err err;
	bool help;

	(void)state;
	assert_int_equal(
		read_line(&c, &can, "--comm sh --user=root --by unit --top 5 --for 2s -p 3 --depth 2", &help, &err), 4);
	assert_string_equal(c.opts.comm, "sh");
	assert_string_equal(c.opts.user, "root");
	assert_string_equal(c.opts.by, "unit");
	assert_int_equal(c.opts.aggtop, 5);
	assert_int_equal(c.for_ns, 2000000000);
	assert_string_equal(rest[0], "-p");
	assert_string_equal(rest[2], "--depth");
	assert_null(rest[4]);
	assert_false(help);
	request_done(&c);
	assert_int_equal(read_line(&c, &can, "--json -h", &help, &err), 2);
	assert_true(c.opts.columns);
	assert_string_equal(rest[0], "--json");
	assert_string_equal(rest[1], "-h");
	assert_true(help);
	request_done(&c);
	assert_int_equal(read_line(&c, &can, "--top 1000000", &help, &err), 0);
	assert_int_equal(c.opts.aggtop, 1000000);
	request_done(&c);
}

static void what_a_tool_cannot_do_is_refused(void **state)
{
	static const struct {
		struct toolopts can;
		const char *line, *msg;
	} wrong[] = {
		{ { .narrow = TOOL_NOT }, "--comm sh", "snoop shows the whole machine: --comm cannot narrow it" },
		{ { .narrow = TOOL_NOT }, "-p 1", "snoop shows the whole machine: -p cannot narrow it" },
		{ { .narrow = TOOL_TARGET },
		  "--unit=x",
		  "snoop looks into one process: give it with -p or -- COMMAND; --unit=x cannot narrow it" },
		{ { .narrow = TOOL_ANY },
		  "--top 3",
		  "snoop takes no --top: it shows events as they happen: none is the largest" },
		{ { .narrow = TOOL_ANY, .table = true },
		  "--by user",
		  "snoop takes no --by: it has no table by process" },
		{ { .narrow = TOOL_ANY, .table = true },
		  "--interval=2",
		  "snoop takes no --interval=2: it reports once, at the end" },
		{ { .narrow = TOOL_ANY, .table = true }, "--top 0", "run: --top: a number from 1 to 1000000" },
		{ { .narrow = TOOL_ANY, .table = true }, "--top 1000001", "run: --top: a number from 1 to 1000000" },
		{ { .narrow = TOOL_ANY }, "--comm", "run: --comm needs an argument" },
		{ { .narrow = TOOL_ANY }, "--for soon", "--for: 'soon' is no time, like 30s, 1.5ms or 10us" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct request c;
		struct err err;
		bool help;

		assert_int_equal(read_line(&c, &wrong[i].can, wrong[i].line, &help, &err), -EINVAL);
		assert_string_equal(err.msg, wrong[i].msg);
		request_done(&c);
	}
}

static void help_lists_what_is_possible(void **state)
{
	const struct toolopts all = { .narrow = TOOL_ANY, .table = true, .by = true }, none = { .narrow = TOOL_NOT };
	char *text = NULL, *less = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	(void)state;
	toolopts_help(&all, f);
	fclose(f);
	assert_non_null(strstr(text, "  --comm NAME           only processes of this name\n"));
	assert_non_null(strstr(text, "  --top N               lines or"));
	f = open_memstream(&less, &n);
	toolopts_help(&none, f);
	fclose(f);
	assert_null(strstr(less, "--comm"));
	assert_null(strstr(less, "-p PID"));
	assert_non_null(strstr(less, "It shows the whole machine"));
	free(text);
	free(less);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_text_says_what_is_possible),
		cmocka_unit_test(options_go_into_the_request),
		cmocka_unit_test(what_a_tool_cannot_do_is_refused),
		cmocka_unit_test(help_lists_what_is_possible),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
