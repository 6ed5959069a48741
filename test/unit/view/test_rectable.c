/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of a recording, and what is in it. */
#include "../unit.h"
#include "../store/recsample.h"
#include "view/export/contents.h"
#include "view/summary/rectable.h"

static char *text;
static size_t len;
static struct err err;

static void make(void)
{
	struct recfile *f = sample_make(0, 0, 0);

	sample_slow(f, SAMPLE_TRACKER, SEC, 2000000, SLOW_NORMAL, "one");
	sample_slow(f, SAMPLE_TRACKER, 2 * SEC, 5000000, SLOW_NORMAL, "t\"wo");
	sample_span(f, SEC, 1000, "lane", "label");
	assert_int_equal(recfile_close(f, NULL), 0);
}

/* Prints a table; the text is freed by the next call. */
static int table(const char *name, const struct rectable_opts *o)
{
	struct recread *r = sample_open();
	FILE *out;
	int e;

	free(text);
	text = NULL;
	err = (struct err){ 0 };
	out = open_memstream(&text, &len);
	e = rectable_put(r, name, o, out, &err);
	fclose(out);
	recread_close(r);
	return e;
}

static size_t count(const char *what)
{
	size_t n = 0;

	for (const char *at = text; (at = strstr(at, what)); at++)
		n++;
	return n;
}

static void slow_events_are_filtered_by_their_delay(void **state)
{
	struct rectable_opts o = { .which.range = REC_ALL_TIME };

	(void)state;
	make();
	assert_int_equal(table("slow", &o), 0);
	assert_non_null(strstr(text, "one"));
	assert_non_null(strstr(text, "t\"wo"));
	o.which.over = 3000000;
	assert_int_equal(table("slow", &o), 0);
	assert_null(strstr(text, "one"));
	o.which.over = 0;
	o.which.under = 3000000;
	assert_int_equal(table("slow", &o), 0);
	assert_null(strstr(text, "t\"wo"));
}

static void json_is_a_line_for_each_row(void **state)
{
	struct rectable_opts o = { .which = { .range = REC_ALL_TIME, .longest = 1 }, .json = true };

	(void)state;
	make();
	assert_int_equal(table("slow", &o), 0);
	assert_int_equal(count("\n"), 1);
	assert_non_null(strstr(text, "{\"type\":\"slow\""));
	assert_non_null(strstr(text, "\"comm\":\"t\\\"wo\""));
	assert_int_equal(table("span", &o), 0);
	assert_non_null(strstr(text, "\"lane\":\"lane\",\"label\":\"label\""));
}

static void what_is_not_there_is_an_error_in_words(void **state)
{
	struct rectable_opts o = { .which.range = REC_ALL_TIME };

	(void)state;
	make();
	assert_true(table("no-such", &o) < 0);
	assert_string_equal(err.msg,
			    "there is no table \"no-such\"; there are slow, control, hist, span, process, cost, loss");
	o.which.tracker = "nobody";
	assert_true(table("slow", &o) < 0);
	assert_string_equal(err.msg, "there is no tracker \"nobody\" in the recording");
}

static void an_output_that_fails_is_no_message(void **state)
{
	struct rectable_opts o = { .which.range = REC_ALL_TIME };
	FILE *full = fopen("/dev/full", "w");
	struct recread *r;
	char b[8];

	(void)state;
	make();
	assert_non_null(full);
	setvbuf(full, b, _IONBF, 0);
	r = sample_open();
	err = (struct err){ 0 };
	assert_true(rectable_put(r, "slow", &o, full, &err) < 0);
	assert_string_equal(err.msg, "");
	recread_close(r);
	fclose(full);
}

static void contents_tell_how_much_there_is(void **state)
{
	struct recread *r;
	FILE *out;

	(void)state;
	make();
	r = sample_open();
	free(text);
	out = open_memstream(&text, &len);
	err = (struct err){ 0 };
	assert_int_equal(contents_put(r, out, &err), 0);
	fclose(out);
	recread_close(r);
	assert_non_null(strstr(text, "{\"type\":\"recording\""));
	assert_non_null(strstr(text, "\"slow\":2,\"lost\":0,\"left_out\":0,\"timer_idle\":0,\"timer_due\":0}\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slow_events_are_filtered_by_their_delay),
		cmocka_unit_test(json_is_a_line_for_each_row),
		cmocka_unit_test(what_is_not_there_is_an_error_in_words),
		cmocka_unit_test(an_output_that_fails_is_no_message),
		cmocka_unit_test(contents_tell_how_much_there_is),
	};
	int r = cmocka_run_group_tests(tests, sample_set_up, sample_tear_down);

	free(text);
	return r;
}
