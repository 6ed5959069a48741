/* SPDX-License-Identifier: Apache-2.0 */
/* Stretches of recordings compared: which seconds are taken, which keys, and what is an error. */
#include "../unit.h"
#include "../store/recsample.h"
#include "latency/compare/diff.h"

#define SECONDS 40

static struct err err;

/* Twenty seconds of short delays, then as many of long ones. */
static void make(void)
{
	struct recfile *f = sample_make(0, 0, 0);

	for (uint64_t s = 1; s <= SECONDS; s++)
		sample_hist(f, SAMPLE_TRACKER, s * SEC, 0, s <= SECONDS / 2 ? 1000 + (int64_t)s : 1000000 + (int64_t)s,
			    100);
	assert_int_equal(recfile_close(f, NULL), 0);
}

static struct diff begin(const char *from, const char *to)
{
	struct diff d = { .keys = 50, .opts = CMP_DEFAULT };

	err = (struct err){ 0 };
	for (int i = 0; i < 2; i++)
		d.side[i].path = sample_path;
	d.side[1].asked = (struct latency_range){ .from = from, .to = to };
	return d;
}

static void a_stretch_and_the_rest(void **state)
{
	struct diff d;

	(void)state;
	make();
	d = begin("20s", NULL);
	d.rest = true;
	assert_int_equal(diff_run(&d, NULL, &err), 0);
	assert_in_range(d.side[0].n + d.side[1].n, SECONDS - 2, SECONDS); /* the outermost may be in it in part */
	assert_true(d.pairs.n >= 1);
	assert_true(diff_changed(&d.pairs.v[0]));
	assert_true(d.tally.changed >= 1);
	assert_true(d.pairs.v[0].res.auc.value > 0.9);
	diff_done(&d);
}

static void nothing_differs_from_itself(void **state)
{
	struct diff d;

	(void)state;
	make();
	d = begin(NULL, NULL);
	assert_int_equal(diff_run(&d, NULL, &err), 0);
	assert_int_equal(d.tally.changed, 0);
	assert_int_equal(d.side[0].n, d.side[1].n);
	assert_in_range(d.side[0].n, SECONDS - 2, SECONDS);
	diff_done(&d);
}

static void nothing_left_beside_the_stretch_is_an_error(void **state)
{
	struct diff d;

	(void)state;
	make();
	d = begin(NULL, NULL);
	d.rest = true;
	assert_true(diff_run(&d, NULL, &err) < 0);
	assert_non_null(strstr(err.msg, "nothing is left beside these times to compare them with"));
	diff_done(&d);
}

static void times_outside_of_a_recording_are_an_error(void **state)
{
	struct diff d;

	(void)state;
	make();
	d = begin("1h", NULL);
	assert_true(diff_run(&d, NULL, &err) < 0);
	assert_non_null(strstr(err.msg, ": nothing to compare: "));
	diff_done(&d);
}

static void no_recording_is_an_error(void **state)
{
	struct diff d = begin(NULL, NULL);
	char none[] = "/no/such/recording";

	(void)state;
	d.side[1].path = none;
	make();
	assert_true(diff_run(&d, NULL, &err) < 0);
	assert_true(err.msg[0]);
	diff_done(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stretch_and_the_rest),
		cmocka_unit_test(nothing_differs_from_itself),
		cmocka_unit_test(nothing_left_beside_the_stretch_is_an_error),
		cmocka_unit_test(times_outside_of_a_recording_are_an_error),
		cmocka_unit_test(no_recording_is_an_error),
	};

	return cmocka_run_group_tests(tests, sample_set_up, sample_tear_down);
}
