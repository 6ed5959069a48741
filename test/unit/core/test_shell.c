/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of the debugger: addresses, pipelines, programs, what is refused; every command has help. */
#include "unit.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "core/madecore.h"
#include "core/shell.h"

static struct made m;
static struct core c;

/* Runs a line and returns what it prints; r: the expected result, words: a part of its message. */
static char *run(const char *line, int r, const char *words)
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);
	struct shell s = { .core = &c, .out = out };

	assert_int_equal(shell_line(&s, line), r);
	if (words)
		assert_non_null(strstr(s.err.msg, words));
	assert_int_equal(s.error, 0);
	fclose(out);
	shell_done(&s);
	return text;
}

static void want(const char *line, const char *text)
{
	char *got = run(line, 0, NULL);

	assert_non_null(strstr(got, text));
	free(got);
}

static void refuse(const char *line, const char *words)
{
	free(run(line, -EINVAL, words));
}

static void addresses_are_hexadecimal_or_decimal_after_0t(void **state)
{
	uint64_t v;

	(void)state;
	assert_true(shell_number("1f", &v) && v == 0x1f);
	assert_true(shell_number("0x1F", &v) && v == 0x1f);
	assert_true(shell_number("0t10", &v) && v == 10);
	assert_true(shell_number("ffffffffffffffff", &v) && v == UINT64_MAX);
	assert_false(shell_number("10000000000000000", &v));
	assert_false(shell_number("", &v));
	assert_false(shell_number("0x", &v));
	assert_false(shell_number("0t1a", &v));
	assert_false(shell_number("1g", &v));
}

static void pipelines_hand_addresses_on(void **state)
{
	(void)state;
	want("::walk mapping | ::whatis",
	     "20000 is program+0x0, in the part 20000-21000, which the core does not have");
	want("::walk mapping|::whatis", "10000 is in memory of no file");
	want("::walk thread | ::stack -n 1", "thread 4e (78)");
	want(" 10010 ::whatis", "10010 is ");
	want("0t65552::whatis", "10010 is ");
	want("::help   \"status\"", "::status - ");
}

static void a_program_gets_the_text(void **state)
{
	char *out;

	(void)state;
	out = run("::dcmds ! grep -q whatis", 0, NULL);
	assert_string_equal(out, ""); /* it was the program's */
	free(out);
	free(run("::dcmds ! exit 3", -EIO, "status 3"));
	free(run("::dcmds ! true", 0, NULL)); /* that does not read */
}

static void mistakes_are_named(void **state)
{
	char *line = calloc(1, SHELL_MAX_LINE + 2);

	(void)state;
	refuse("status", "begins with '::'");
	refuse("::", "begins with '::'");
	refuse("::statsu", "did you mean ::status?");
	refuse("zz::whatis", "'zz' is no address");
	refuse("::whatis", "wants an address");
	refuse("::walk nothing", "nothing is called nothing");
	refuse("::status |", "begins with '::'");
	refuse("::help 'status", "quotation mark");
	refuse("::status more", "unexpected 'more'");
	free(run("0::whatis", -EFAULT, "nothing is mapped at 0"));
	free(run("5::stack", -ESRCH, "no thread 5"));
	free(run("# ::nothing", 0, NULL));
	memset(line, 'x', SHELL_MAX_LINE + 1);
	free(run(line, -E2BIG, "bytes"));
	free(line);
}

static void lines_have_limits(void **state)
{
	struct strb b = { 0 };

	(void)state;
	strb_adds(&b, "::help");
	for (unsigned i = 0; i <= SHELL_MAX_WORDS; i++)
		strb_adds(&b, " x");
	free(run(strb_str(&b), -E2BIG, "words"));
	strb_reset(&b);
	for (unsigned i = 0; i < SHELL_MAX_STAGES; i++)
		strb_adds(&b, i ? " | ::whatis" : "10000::whatis");
	want(strb_str(&b), "10000 is ");
	strb_adds(&b, " | ::whatis");
	free(run(strb_str(&b), -E2BIG, "commands"));
	strb_free(&b);
}

static void every_command_has_help(void **state)
{
	char line[64];

	(void)state;
	for (const struct dcmd *d = dcmds; d->name; d++) {
		snprintf(line, sizeof(line), "::help %s", d->name);
		want(line, d->summary);
		assert_true(d->help[strlen(d->help) - 1] == '\n');
		assert_non_null(d->example);				   /* live tests run it */
		assert_true(!d[1].name || strcmp(d->name, d[1].name) < 0); /* in order */
	}
	for (const struct walker *w = walkers; w->name; w++) {
		snprintf(line, sizeof(line), "::walk %s", w->name);
		free(run(line, w->kernel ? -EINVAL : 0, w->kernel ? "dwell core -k" : NULL));
	}
}

static int open_it(void **state)
{
	(void)state;
	made_core(&m);
	return core_open_memory(m.bytes, m.n, &c, NULL);
}

static int close_it(void **state)
{
	(void)state;
	core_close(&c);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_are_hexadecimal_or_decimal_after_0t),
		cmocka_unit_test(pipelines_hand_addresses_on),
		cmocka_unit_test(a_program_gets_the_text),
		cmocka_unit_test(mistakes_are_named),
		cmocka_unit_test(lines_have_limits),
		cmocka_unit_test(every_command_has_help),
	};

	return cmocka_run_group_tests(tests, open_it, close_it);
}
