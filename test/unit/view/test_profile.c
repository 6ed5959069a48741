/* SPDX-License-Identifier: Apache-2.0 */
/* Percentiles of recordings. */
#include "../unit.h"
#include "../store/recsample.h"
#include "view/summary/profileprint.h"

static char *text;
static size_t len;
static struct err err;
static struct recset set;

static void make(void)
{
	struct recfile *f = sample_make(0, 0, 0);
	char *words[] = { sample_path };

	for (uint64_t s = 1; s <= 90; s++)
		sample_hist(f, SAMPLE_TRACKER, s * SEC, 0, 1000, 2);
	sample_slow(f, SAMPLE_TRACKER, SEC, 2000000, SLOW_NORMAL, "one");
	assert_int_equal(recfile_close(f, NULL), 0);
	err = (struct err){ 0 };
	assert_int_equal(recset_open(&set, words, 1, NULL, &err), 0);
	free(text);
	text = NULL;
}

static int profile(struct profile *p)
{
	int e;

	make();
	p->set = &set;
	p->keys = 10;
	p->out = open_memstream(&text, &len);
	e = profileprint(p, &err);
	fclose(p->out);
	recset_close(&set);
	return e;
}

static size_t count(const char *what)
{
	size_t n = 0;

	for (const char *at = text; (at = strstr(at, what)); at++)
		n++;
	return n;
}

static void windows_end_with_the_recording(void **state)
{
	struct profile p = { .json = true };

	(void)state;
	assert_int_equal(profile(&p), 0);
	assert_int_equal(count("\"last\":\"1 min\""), count("\"last\":\"5 min\""));
	assert_true(count("\"last\":\"1 min\"") >= 1);
	assert_int_equal(count("\"last\":\"1 h\""), 0); /* has no more than 5 minutes have */
	assert_non_null(strstr(text, "\"count\":180,"));
}

static void a_stretch_is_one_window(void **state)
{
	struct profile p = { .asked = { .from = "10s", .to = "20s" }, .bars = true };

	(void)state;
	assert_int_equal(profile(&p), 0);
	assert_non_null(strstr(text, "chosen"));
	assert_null(strstr(text, "1 min"));
	assert_non_null(strstr(text, "|@@@@"));
}

static void a_stretch_outside_is_an_error(void **state)
{
	struct profile p = { .asked.from = "2h" };

	(void)state;
	assert_true(profile(&p) < 0);
	assert_true(err.msg[0]);
	assert_string_equal(text, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows_end_with_the_recording),
		cmocka_unit_test(a_stretch_is_one_window),
		cmocka_unit_test(a_stretch_outside_is_an_error),
	};
	int r = cmocka_run_group_tests(tests, sample_set_up, sample_tear_down);

	free(text);
	return r;
}
