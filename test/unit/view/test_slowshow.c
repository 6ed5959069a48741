/* SPDX-License-Identifier: Apache-2.0 */
/* Slow events of a recording, as `dwell latency FILE` shows them. */
#include "../unit.h"
#include "../store/recsample.h"
#include "latency/cause/causes.h"
#include "view/summary/slowshow.h"

static char *text;

static void make(void)
{
	struct recfile *f = sample_make(0, 0, 0);

	sample_slow(f, SAMPLE_TRACKER, SEC, 2000000, SLOW_NORMAL, "one");
	sample_slow(f, SAMPLE_TRACKER, 2 * SEC, 5000000, SLOW_NORMAL, "two");
	sample_slow(f, SAMPLE_TRACKER, 3 * SEC, 3000000, SLOW_NORMAL, "three");
	assert_int_equal(recfile_close(f, NULL), 0);
}

static void show(struct slowshow *s)
{
	char *words[] = { sample_path };
	struct recset set;
	struct err err = { 0 };
	size_t len;

	make();
	free(text);
	s->out = open_memstream(&text, &len);
	s->recorded = true;
	s->idle = true;
	s->columns = 80;
	assert_int_equal(causes_new(&s->causes), 0);
	assert_int_equal(recset_open(&set, words, 1, NULL, &err), 0);
	assert_int_equal(slowshow_replay(s, &set, &err), 0);
	recset_close(&set);
	causes_free(s->causes);
	slowshow_done(s);
	fclose(s->out);
}

static bool wants_two(void *ctx, const struct slow_event *e)
{
	(void)ctx;
	return !strcmp(e->fixed.comm, "two");
}

static void each_is_told_in_its_turn(void **state)
{
	struct slowshow s = { 0 };
	const char *one, *two;

	(void)state;
	show(&s);
	one = strstr(text, "one");
	two = strstr(text, "two");
	assert_non_null(one);
	assert_true(one < two && two < strstr(text, "three"));
}

static void the_worst_come_first(void **state)
{
	struct slowshow s = { .worst = 2 };

	(void)state;
	show(&s);
	assert_null(strstr(text, "one"));
	assert_true(strstr(text, "two") < strstr(text, "three"));
}

static void short_ones_and_those_of_others_are_left_out(void **state)
{
	struct slowshow s = { .over_ns = 4000000 };

	(void)state;
	show(&s);
	assert_null(strstr(text, "one"));
	assert_non_null(strstr(text, "two"));
	s = (struct slowshow){ .wants = wants_two };
	show(&s);
	assert_null(strstr(text, "three"));
	assert_int_equal(s.filtered, 2);
}

static void json_is_an_object_for_each(void **state)
{
	struct slowshow s = { .json = true };

	(void)state;
	show(&s);
	assert_int_equal(strncmp(text, "{\"type\":\"latency-slow\",\"version\":1,\"tracker\":", 44), 0);
	assert_non_null(strstr(text, "\"delay_ns\":5000000,"));
	assert_non_null(strstr(text, "\"cycle\":false}\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_is_told_in_its_turn),
		cmocka_unit_test(the_worst_come_first),
		cmocka_unit_test(short_ones_and_those_of_others_are_left_out),
		cmocka_unit_test(json_is_an_object_for_each),
	};
	int r = cmocka_run_group_tests(tests, sample_set_up, sample_tear_down);

	free(text);
	return r;
}
