/* SPDX-License-Identifier: Apache-2.0 */
/* Comparison of profiles: figures computed by hand, and how often it is right about data whose seconds hang together. */
#include "../unit.h"
#include <math.h>
#include "base/aggval.h"
#include "base/cleanup.h"
#include "latency/compare.h"

#define MAX_SECONDS 200

static const struct rec_histdesc desc = { .name = "t", .func = AGG_HIST, .param = (const int32_t[4]){ 0 },
					  .nbuckets = AGG_HIST_NBUCKETS };

static void near(double got, double want, double by)
{
	if (!(fabs(got - want) <= by))
		fail_msg("%.6f is not within %.6f of %.6f", got, by, want);
}

static void add(struct histsum *s, uint64_t v, uint64_t n)
{
	struct rec_bucket b = { .index = aggval_hist_bucket((int64_t)v), .count = n };
	struct rec_hist h = { .count = n, .sum = n * v, .max = v, .nbuckets = 1 };

	assert_int_equal(histsum_add(s, &h, &b), 0);
}

static void free_all(struct histsum *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		histsum_free(&s[i]);
}

static void distributions_are_those_of_the_tables(void **state)
{
	(void)state;
	near(cmp_normal_quantile(0.5), 0, 1e-9);
	near(cmp_normal_quantile(0.975), 1.959964, 1e-6);
	near(cmp_normal_quantile(0.0001), -3.719016, 1e-5);
	near(cmp_t_quantile(0.975, 10), 2.228, 0.002);
	near(cmp_t_quantile(0.995, 19), 2.861, 0.002);
	near(cmp_t_quantile(0.975, 7), 2.365, 0.005);
}

/* Each of 40 seconds has 100 events of 16 (a) or 32 (b): one octave, everything larger. */
static void figures_by_hand(void **state)
{
	struct histsum a[40] = { 0 }, b[40] = { 0 }, c[40] = { 0 };
	struct cmp_side sa = { a, 40 }, sb = { b, 40 }, sc = { c, 40 };
	struct cmp_opts o = CMP_DEFAULT;
	struct cmp_result r;

	(void)state;
	for (int i = 0; i < 40; i++) {
		add(&a[i], 16, 100);
		add(&b[i], 32, 100);
		add(&c[i], 16, 150); /* half of these as a, half as b, 3 times as many */
		add(&c[i], 32, 150);
	}
	assert_int_equal(cmp_run(&desc, &sa, &sb, &o, &r), 0);
	assert_int_equal(r.na, 4000);
	near(r.w1, 1, 1e-9);
	near(r.auc.value, 1, 1e-9);
	near(r.rate.value, 0, 1e-9);
	near(r.q[0].value, log2(32.5 / 16.5), 1e-9); /* the medians are in the middle of buckets 1 wide */
	assert_true(r.changed && r.q[0].changed && r.q[2].changed && r.w1_changed && !r.rate.changed);
	assert_false(r.q[3].known); /* 4 events above the 99.9th percentile */
	assert_int_equal(cmp_run(&desc, &sa, &sc, &o, &r), 0);
	near(r.w1, 0.5, 1e-9);
	near(r.auc.value, 0.75, 1e-9);
	near(r.rate.value, log2(3), 1e-9);
	assert_true(r.rate.changed);
	assert_int_equal(cmp_run(&desc, &sa, &sa, &o, &r), 0);
	near(r.w1, 0, 0);
	near(r.auc.value, 0.5, 1e-12);
	assert_false(r.changed || r.rate.changed);
	free_all(a, 40);
	free_all(b, 40);
	free_all(c, 40);
}

static void too_little_is_not_judged(void **state)
{
	struct histsum a[7] = { 0 }, b[7] = { 0 };
	struct cmp_side sa = { a, 7 }, sb = { b, 7 }, none = { NULL, 0 };
	struct cmp_opts o = CMP_DEFAULT;
	struct cmp_result r;

	(void)state;
	for (int i = 0; i < 7; i++) {
		add(&a[i], 16, 100);
		add(&b[i], 64, 100);
	}
	assert_int_equal(cmp_run(&desc, &sa, &sb, &o, &r), 0); /* 7 seconds are 7 blocks */
	near(r.w1, log2(64.5 / 16), 1e-9);
	assert_false(r.changed || r.q[0].known);
	assert_int_equal(cmp_run(&desc, &sa, &none, &o, &r), 0);
	assert_false(r.changed || r.rate.changed);
	assert_true(isnan(r.qb[0]) && isnan(r.w1));
	assert_int_equal(cmp_run(&desc, &none, &none, &o, &r), 0);
	assert_false(r.changed || r.rate.changed);
	free_all(a, 7);
	free_all(b, 7);
}

/* All events of one second: nothing tells how much seconds differ, however sharp the figures are. */
static void a_burst_is_not_judged(void **state)
{
	struct histsum a[60] = { 0 }, b[60] = { 0 };
	struct cmp_side sa = { a, 60 }, sb = { b, 60 };
	struct cmp_opts o = CMP_DEFAULT;
	struct cmp_result r;

	(void)state;
	add(&a[10], 1000, 100000);
	add(&b[40], 2000, 100000);
	assert_int_equal(cmp_run(&desc, &sa, &sb, &o, &r), 0);
	near(r.w1, 1, 0.02);
	assert_false(r.changed || r.q[0].known);
	free_all(a, 60);
	free_all(b, 60);
}

static uint64_t seed = 7;

static double uniform(void)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return ((double)(seed >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

/* Seconds of log-normal latencies whose level wanders: what it is off by is kept to 80 % from second to second. */
static void wander(struct histsum *s, size_t n, unsigned events, double scale)
{
	double level = 0.05 * normal();

	for (size_t i = 0; i < n; i++) {
		level = 0.8 * level + 0.03 * normal();
		for (unsigned k = 0; k < events; k++)
			add(&s[i], (uint64_t)(1e5 * scale * exp(level + 0.8 * normal())), 1);
	}
}

static int found(int pairs, double scale)
{
	struct cmp_opts o = CMP_DEFAULT;
	int n = 0;

	for (int i = 0; i < pairs; i++) {
		struct histsum a[MAX_SECONDS] = { 0 }, b[MAX_SECONDS] = { 0 };
		struct cmp_side sa = { a, 120 }, sb = { b, 120 };
		struct cmp_result r;

		wander(a, 120, 200, 1);
		wander(b, 120, 200, scale);
		assert_int_equal(cmp_run(&desc, &sa, &sb, &o, &r), 0);
		n += r.changed;
		free_all(a, 120);
		free_all(b, 120);
	}
	print_message("# scale %.2f: called changed in %d of %d\n", scale, n, pairs);
	return n;
}

static void is_right_about_wandering_levels(void **state)
{
	(void)state;
	assert_true(found(100, 1.00) <= 3);
	found(20, 1.05);
	assert_true(found(20, 1.10) >= 5);
	assert_true(found(20, 1.20) >= 18);
	assert_int_equal(found(10, 1.50), 10);
	assert_int_equal(found(10, 0.67), 10);
}

/* The same draws always: the same answer. */
static void answers_are_the_same_again(void **state)
{
	struct histsum a[30] = { 0 }, b[30] = { 0 };
	struct cmp_side sa = { a, 30 }, sb = { b, 30 };
	struct cmp_opts o = CMP_DEFAULT;
	struct cmp_result r, again;

	(void)state;
	wander(a, 30, 50, 1);
	wander(b, 30, 50, 1.3);
	memset(&r, 0, sizeof(r));
	memset(&again, 0, sizeof(again));
	assert_int_equal(cmp_run(&desc, &sa, &sb, &o, &r), 0);
	assert_int_equal(cmp_run(&desc, &sa, &sb, &o, &again), 0);
	assert_true(r.q[0].low == again.q[0].low && r.w1_noise == again.w1_noise && r.auc.high == again.auc.high);
	assert_true(r.q[0].low < r.q[0].value && r.q[0].value < r.q[0].high);
	free_all(a, 30);
	free_all(b, 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distributions_are_those_of_the_tables),
		cmocka_unit_test(figures_by_hand),
		cmocka_unit_test(too_little_is_not_judged),
		cmocka_unit_test(a_burst_is_not_judged),
		cmocka_unit_test(answers_are_the_same_again),
		cmocka_unit_test(is_right_about_wandering_levels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
