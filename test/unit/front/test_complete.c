/* SPDX-License-Identifier: Apache-2.0 */
/* Completion: options and values as they stand in help texts. */
#include "../unit.h"
#include <string.h>
#include "base/cleanup.h"
#include "front/complete.h"

static const char help[] = "Usage: dwell x [options]\n\n"
			   "\t-o FILE           write here\n"
			   "\t-p PID, --comm NAME, --all   events of these only\n"
			   "\t--format FORMAT   folded: stacks, a line each\n"
			   "\t                  csv: a table\n"
			   "\t                  without a value\n"
			   "\t-32 generate 32-bit programs\n"
			   "\t-c COMMAND, -- COMMAND...   run it\n"
			   "\t--exactly-17 ABCD one blank only\n"
			   "\t--last";

static void expect(const char *prefix, const char *wanted)
{
	_cleanup_(strb_free) struct strb out = { 0 };

	complete_options(help, prefix, &out);
	assert_string_equal(strb_str(&out), wanted);
}

static void options(void **state)
{
	(void)state;
	expect("--a", "--all\tevents of these only\n");
	expect("-p", "-p\tevents of these only\n");
	expect("-3", "-32\tgenerate 32-bit programs\n");
	expect("--e", "--exactly-17\tone blank only\n");
	expect("--l", "--last\t\n");
	expect("--no", "");
	expect("-c", "-c\trun it\n");
}

static void arguments(void **state)
{
	size_t n;
	const char *arg = complete_argument(help, "-p", &n);

	(void)state;
	assert_int_equal(n, 3);
	assert_memory_equal(arg, "PID", 3);
	assert_memory_equal(complete_argument(help, "--comm", &n), "NAME", 4);
	assert_null(complete_argument(help, "--all", &n));
	assert_null(complete_argument(help, "--al", &n));
	assert_null(complete_argument(help, "-32", &n));
}

static void values(void **state)
{
	_cleanup_(strb_free) struct strb out = { 0 };

	(void)state;
	complete_values(help, "--format", "", &out);
	assert_string_equal(strb_str(&out), "folded\tstacks, a line each\ncsv\ta table\n");
	strb_reset(&out);
	complete_values(help, "--format", "c", &out);
	assert_string_equal(strb_str(&out), "csv\ta table\n");
	strb_reset(&out);
	complete_values(help, "-o", "", &out);
	complete_values(help, "--nosuch", "", &out);
	assert_string_equal(strb_str(&out), "");
}

/* The last of as many words as are looked at is completed; with one word more nothing is. */
static void words_have_a_limit(void **state)
{
	const struct complete_env env = { .command = NULL };
	const char *words[COMPLETE_WORDS_MAX + 1];
	_cleanup_(strb_free) struct strb out = { 0 };

	(void)state;
	for (size_t n = COMPLETE_WORDS_MAX; n <= COMPLETE_WORDS_MAX + 1; n++) {
		for (size_t k = 0; k < n; k++)
			words[k] = k == 0 ? "run" : k == n - 2 ? "--by" : "us";
		strb_reset(&out);
		complete(&env, n, words, &out);
		assert_string_equal(strb_str(&out), n == COMPLETE_WORDS_MAX ? "user\t\n" : "");
	}
}

/* Texts that are no help. */
static void damaged(void **state)
{
	static const char *const texts[] = { "",	"\t-",	    "\t--",   "\t-,",	"\t--a ",
					     "\t--a  ", "\t-a ,-b", "\n\n\t", "\t--x [" };
	_cleanup_(strb_free) struct strb out = { 0 };
	size_t n;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		complete_options(texts[i], "-", &out);
		complete_values(texts[i], "--a", "", &out);
		complete_argument(texts[i], "--x", &n);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(options), cmocka_unit_test(arguments),
					    cmocka_unit_test(values), cmocka_unit_test(words_have_a_limit),
					    cmocka_unit_test(damaged) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
