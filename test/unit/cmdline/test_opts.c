/* SPDX-License-Identifier: Apache-2.0 */
/* dtrace(1)'s command line becomes a request; what is wrong with it, and how that ends. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include "unit.h"
#include "base/cleanup.h"
#include "cmdline/opts.h"

#define WORDS_MAX 32 /* of a command line here, the program's name included */

static const struct listener silent;

static int parse(struct request *c, const char *program, char *const *words, struct err *err)
{
	static char *argv[WORDS_MAX + 1];
	int argc = 0;

	argv[argc++] = (char *)(uintptr_t)program;
	for (; words[argc - 1]; argc++) {
		assert_true(argc < WORDS_MAX);
		argv[argc] = words[argc - 1];
	}
	argv[argc] = NULL;
	memset(err, 0, sizeof(*err));
	cmdline_begin(c, program, &silent);
	optind = 0;
	return cmdline_parse(c, argc, argv, err);
}
#define WORDS(...) \
	(char *const[]) \
	{ \
		__VA_ARGS__, NULL \
	}

static void options_become_a_request(void **state)
{
	struct request c;
	struct err err;

	(void)state;
	assert_int_equal(parse(&c, "dwell",
			       WORDS("-q", "-n", "BEGIN", "first", "-c", "ls -l", "-p", "12", "-x", "bufsize=2m",
				     "--json", "--record=f", "--who", "me", "-o", "out", "--", "-n"),
			       &err),
			 0);
	assert_true(c.opts.quiet);
	assert_int_equal(c.progs.n, 1);
	assert_int_equal(c.progs.v[0].kind, PROG_NAME);
	assert_string_equal(c.progs.v[0].arg, "BEGIN");
	assert_string_equal(c.commands.v[0], "ls -l");
	assert_int_equal(c.pids.v[0], 12);
	assert_int_equal(c.opts.bufsize, 2 << 20);
	assert_string_equal(c.opts.oformat, "json");
	assert_string_equal(c.opts.record, "f");
	assert_string_equal(c.given.v[0].name, "who");
	assert_string_equal(c.given.v[0].value, "me");
	assert_string_equal(c.output, "out");
	assert_int_equal(c.argc, 3);
	assert_string_equal(c.argv[0], "dwell");
	assert_string_equal(c.argv[1], "first");
	assert_string_equal(c.argv[2], "-n");
	request_done(&c);
}

static void what_is_wrong_has_a_code(void **state)
{
	static const struct {
		int code;
		char *words[4];
		const char *msg;
	} wrong[] = {
		{ CMDLINE_USAGE, { (char *)"-q" }, "" },
		{ CMDLINE_USAGE, { (char *)"-?" }, "invalid option -- '?'" },
		{ CMDLINE_USAGE, { (char *)"-n" }, "option requires an argument -- 'n'" },
		{ CMDLINE_USAGE, { (char *)"--zzzzzzz" }, "there is no option --zzzzzzz" },
		{ CMDLINE_REFUSED, { (char *)"-p", (char *)"x" }, "invalid pid: x" },
		{ CMDLINE_REFUSED, { (char *)"-x", (char *)"nosuch" }, "failed to set -x nosuch: Invalid option name" },
		{ CMDLINE_USAGE, { (char *)"-l", (char *)"--for", (char *)"2s" }, "there is no option --for" },
		{ CMDLINE_REFUSED, { (char *)"-a" }, "-a is not supported on Linux" },
		{ CMDLINE_REFUSED, { (char *)"--record" }, "option requires an argument -- '--record'" },
		{ -EINVAL,
		  { (char *)"-l", (char *)"-V" },
		  "only one of the [-GhlV] options can be specified at a time" },
		{ -EINVAL, { (char *)"--jsno", (char *)"1" }, "there is no option --jsno; did you mean --json?" },
		{ -EINVAL, { (char *)"--recrod", (char *)"1" }, "there is no option --recrod; did you mean --record?" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct request c;
		struct err err;

		assert_int_equal(parse(&c, "dwell", wrong[i].words, &err), wrong[i].code);
		assert_string_equal(err.msg, wrong[i].msg);
		request_done(&c);
	}
}

static void some_lines_run_nothing(void **state)
{
	struct request c;
	struct err err;

	(void)state;
	assert_int_equal(parse(&c, "dtrace", WORDS("-V"), &err), CMDLINE_DONE);
	assert_true(c.version);
	assert_true(c.as_dtrace);
	request_done(&c);
	assert_int_equal(parse(&c, "dwell", WORDS("-e"), &err), CMDLINE_DONE);
	request_done(&c);
}

static void options_come_from_the_environment(void **state)
{
	struct request c;
	struct err err;

	(void)state;
	setenv("DTRACE_OPT_BUFSIZE", "3m", 1);
	assert_int_equal(parse(&c, "dwell", WORDS("-l"), &err), 0);
	assert_int_equal(c.opts.bufsize, 3 << 20);
	request_done(&c);
	assert_int_equal(parse(&c, "dwell", WORDS("-l", "-b", "1m"), &err), 0);
	assert_int_equal(c.opts.bufsize, 1 << 20);
	request_done(&c);
	unsetenv("DTRACE_OPT_BUFSIZE");
}

static void a_script_shows_its_parameters(void **state)
{
	struct request c;
	struct err err;
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	(void)state;
	assert_int_equal(
		parse(&c, "dwell",
		      WORDS("-n", "#pragma D param depth int \"frames\" 3\nBEGIN { trace($depth); }", "--help"), &err),
		CMDLINE_DONE);
	assert_true(c.help);
	assert_int_equal(params_help(&c, f), 0);
	fclose(f);
	assert_non_null(strstr(text, "Usage: dwell [options] -n "));
	assert_non_null(strstr(text, "  --depth N             frames (default 3)\n"));
	request_done(&c);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_become_a_request),	 cmocka_unit_test(what_is_wrong_has_a_code),
		cmocka_unit_test(some_lines_run_nothing),	 cmocka_unit_test(options_come_from_the_environment),
		cmocka_unit_test(a_script_shows_its_parameters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
