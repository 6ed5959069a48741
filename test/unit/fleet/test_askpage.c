/* SPDX-License-Identifier: Apache-2.0 */
/* Questions of the fleet's page: what is taken, and what is refused. */
#include <errno.h>
#include <string.h>
#include "unit.h"
#include "fleet/ask/page.h"

static struct askpage page;
static char text[8192];
static struct err error;

static int reading(const char *question)
{
	page = (struct askpage){ 0 };
	error = (struct err){ 0 };
	askshow_init(&page.show);
	snprintf(text, sizeof(text), "%s", question);
	return askpage_read(&page, text, &error);
}

static void a_whole_question_is_read(void **state)
{
	(void)state;
	assert_int_equal(reading("grid\ntracker=block\nhosts=web*,role=db\nexcept=web-17\nfrom=1000\nto=1300\nstep=2\n"
				 "quantile=9990\n"),
			 0);
	assert_string_equal(page.question, "grid");
	assert_string_equal(page.show.what.series, "block");
	assert_int_equal(page.show.what.nselectors, 2);
	assert_string_equal(page.show.what.selectors[1], "role=db");
	assert_int_equal(page.show.what.nexcept, 1);
	assert_int_equal(page.show.what.range.to, 1300);
	assert_int_equal(page.step, 2);
	assert_true(page.quantile > 0.998 && page.quantile < 0.9991);
}

static void columns_are_whole_slots_of_the_store(void **state)
{
	(void)state;
	assert_int_equal(reading("grid\nfrom=0\nto=7200\nstep=7"), 0); /* asked of minutes */
	assert_int_equal(page.step, 60);
}

static void limits(void **state)
{
	char many[1024] = "x\nfrom=1\nto=2\nhosts=a";

	(void)state;
	assert_int_equal(reading("grid\nfrom=0\nto=1800\nstep=1"), 0);
	assert_int_equal(reading("grid\nfrom=0\nto=9000000\nstep=3600"), -EINVAL); /* 2,500 columns */
	for (unsigned i = 1; i < ASK_SELECTORS_MAX; i++)
		strcat(many, ",a");
	assert_int_equal(reading(many), 0);
	strcat(many, ",a");
	assert_int_equal(reading(many), -EINVAL);
	assert_int_equal(reading("x\nfrom=0\nto=34560000"), 0); /* ASKPAGE_RANGE_MAX */
	assert_int_equal(reading("x\nfrom=0\nto=34560001"), -EINVAL);
}

static void what_is_no_question_is_refused(void **state)
{
	static const char *const wrong[] = {
		"",
		"x\n",
		"x\nfrom=2\nto=1",
		"x\nfrom=1\nto=1",
		"x\nfrom=-1\nto=2",
		"x\nfrom=1\nto=2\nx",
		"x\nfrom=1\nto=2\ny=1",
		"x\nfrom=1\nto=99999999999",
		"x\nfrom=1\nto=2\nstep=0",
		"x\nfrom=1\nto=2\nquantile=10000",
		"x\nfrom=1\nto=2\nquantile=0",
		"x\nfrom=1\nto=2\ntracker=",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (reading(wrong[i]) != -EINVAL || !*error.msg)
			fail_msg("taken: %s", wrong[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_question_is_read),
		cmocka_unit_test(columns_are_whole_slots_of_the_store),
		cmocka_unit_test(limits),
		cmocka_unit_test(what_is_no_question_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
