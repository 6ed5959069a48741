/* SPDX-License-Identifier: Apache-2.0 */
/* Comparison of profiles: figures computed by hand, and what is judged at the limits. How often it is right:
 * test_compare_rates.c. */
#include "../unit.h"
#include <math.h>
#include "base/aggval.h"
#include "base/cleanup.h"
#include "latency/compare/int.h"

#define MAX_SECONDS 200

static const struct rec_histdesc desc = {
	.name = "t", .func = AGG_HIST, .param = (const int32_t[4]){ 0 }, .nbuckets = AGG_HIST_NBUCKETS
};

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

/* One comparison by itself. */
static void run(const struct cmp_side *a, const struct cmp_side *b, struct cmp_result *r)
{
	struct cmp_opts o = CMP_DEFAULT;

	assert_int_equal(cmp_run(&desc, a, b, &o, r), 0);
	assert_int_equal(cmp_decide(&r, 1, &o), 0);
}

/* White noise of known variance: as Student's t of the table, somewhat wider for what may hang together unseen. A level
 * that is a step in the middle: as wide as the step. */
static void chance_is_that_of_the_seconds(void **state)
{
	static const double white[] = { 1, 1, -1, 1, -1, -1, -1, 1, 1, -1, 1, -1, -1, 1, 1, 1, -1, -1, -1, 1 };
	double step[20], t = 2.024; /* 97.5 % of 38 degrees of freedom */
	struct level l;
	struct chance c;

	(void)state;
	level_make(&l, white, 20, 19);
	assert_int_equal(l.q, 19);
	chance_make(&c, &l, &l);
	assert_true(chance_limit(&c, 0.05) > 0.8 * t * sqrt(2 / 20.0) &&
		    chance_limit(&c, 0.05) < 1.6 * t * sqrt(2 / 20.0));
	near(chance_p(&c, chance_limit(&c, 0.01)), 0.01, 1e-6);
	near(chance_p(&c, 0), 1, 1e-9);
	for (int i = 0; i < 20; i++)
		step[i] = i < 10 ? -1 : 1;
	level_make(&l, step, 20, 19);
	chance_make(&c, &l, &l);
	assert_true(chance_limit(&c, 0.05) > 2);
	memset(step, 0, sizeof(step));
	level_make(&l, step, 20, 19);
	chance_make(&c, &l, &l); /* nothing varies: any difference is one */
	assert_true(chance_p(&c, 0) == 1 && chance_p(&c, 1e-9) == 0 && chance_limit(&c, 0.05) == 0);
}

/* Ordinates of a cosine are one: sum of 2 / n (sum of cos^2)^2 = n / 2. */
static void transform_by_hand(void **state)
{
	double u[16];
	struct level l;

	(void)state;
	for (int i = 0; i < 16; i++)
		u[i] = cos(M_PI * 3 * (i + 0.5) / 16);
	level_make(&l, u, 16, 15);
	for (size_t j = 0; j < l.q; j++)
		near(l.x2[j], j == 2 ? 8 : 0, 1e-9);
	level_make(&l, u, 1, 0);
	assert_int_equal(l.q, 0);
}

/* Each of 40 seconds has 100 events of 16 (a) or 32 (b): one octave, everything larger. */
static void figures_by_hand(void **state)
{
	struct histsum a[40] = { 0 }, b[40] = { 0 }, c[40] = { 0 };
	struct cmp_side sa = { a, 40 }, sb = { b, 40 }, sc = { c, 40 };
	struct cmp_result r;

	(void)state;
	for (int i = 0; i < 40; i++) {
		add(&a[i], 16, 100);
		add(&b[i], 32, 100);
		add(&c[i], 16, 150); /* half of these as a, half as b, 3 times as many */
		add(&c[i], 32, 150);
	}
	run(&sa, &sb, &r);
	assert_int_equal(r.na, 4000);
	near(r.w1, 1, 1e-9);
	near(r.auc.value, 1, 1e-9);
	near(r.rate.value, 0, 1e-9);
	near(r.q[0].value, log2(32.5 / 16.5), 1e-9); /* the medians are in the middle of buckets 1 wide */
	assert_true(r.changed && r.q[0].changed && r.q[2].changed && r.auc.changed && !r.rate.changed);
	assert_false(r.q[3].known); /* 4 events above the 99.9th percentile */
	run(&sa, &sc, &r);
	near(r.w1, 0.5, 1e-9);
	near(r.auc.value, 0.75, 1e-9);
	near(r.rate.value, log2(3), 1e-9);
	assert_true(r.rate.changed);
	run(&sa, &sa, &r);
	near(r.w1, 0, 0);
	near(r.auc.value, 0.5, 1e-12);
	assert_false(r.changed || r.rate.changed);
	free_all(a, 40);
	free_all(b, 40);
	free_all(c, 40);
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

/* At the limits: seconds, events, keys of one side only. */
static void too_little_is_not_judged(void **state)
{
	struct histsum a[8] = { 0 }, b[8] = { 0 }, c[8] = { 0 };
	struct cmp_side sa = { a, 7 }, sb = { b, 7 }, none = { NULL, 0 }, sc = { c, 8 }, empty = { c, 8 };
	struct cmp_result r;

	(void)state;
	for (int i = 0; i < 8; i++) {
		add(&a[i], 16, 100);
		add(&b[i], 64, 100);
	}
	run(&sa, &sb, &r);
	near(r.w1, log2(64.5 / 16), 1e-9);
	assert_int_equal(r.unjudged, CMP_FEW_SECONDS);
	assert_false(r.changed || r.q[0].known || r.rate.known);
	assert_true(isnan(r.visible));
	run(&sa, &none, &r);
	assert_false(r.changed || r.rate.changed);
	assert_true(isnan(r.qb[0]) && isnan(r.w1));
	run(&none, &none, &r);
	assert_false(r.changed || r.rate.changed);
	sa.n = sb.n = CMP_SECONDS_MIN;
	run(&sa, &sb, &r);
	assert_int_equal(r.unjudged, CMP_JUDGED);
	assert_true(r.changed);
	run(&sa, &empty, &r); /* there, and then not at all */
	assert_int_equal(r.unjudged, CMP_FEW_EVENTS);
	assert_true(r.rate.changed && !r.changed && r.rate.value == (double)-INFINITY && r.rate.high < -1);
	run(&empty, &sa, &r);
	assert_true(r.rate.changed && r.rate.value == (double)INFINITY && r.rate.low > 1);
	run(&empty, &empty, &r);
	assert_false(r.rate.known);
	for (int i = 0; i < 2 * CMP_TAIL_MIN - 1; i++)
		add(&c[i % 8], 64, 1);
	run(&sa, &sc, &r);
	assert_int_equal(r.unjudged, CMP_FEW_EVENTS);
	add(&c[7], 64, 1);
	run(&sa, &sc, &r);
	assert_int_equal(r.unjudged, CMP_JUDGED);
	assert_true(r.changed && r.q[0].known && !r.q[1].known && isfinite(r.visible));
	free_all(a, 8);
	free_all(b, 8);
	free_all(c, 8);
}

/* The same difference counts less among many that are compared together; those that differ do not hide others (Holm).
 */
static void many_are_asked_together(void **state)
{
	enum { MANY = 30 };
	struct histsum a[20] = { 0 }, b[20] = { 0 };
	struct cmp_side sa = { a, 20 }, sb = { b, 20 };
	struct cmp_opts o = CMP_DEFAULT;
	struct cmp_result r[MANY], *v[MANY], same;
	double p;

	(void)state;
	wander(a, 20, 100, 1);
	wander(b, 20, 100, 1.4);
	o.npairs = MANY;
	for (int i = 0; i < MANY; i++) {
		v[i] = &r[i];
		assert_int_equal(cmp_run(&desc, &sa, i ? &sa : &sb, &o, v[i]), 0);
	}
	p = r[0].p;
	assert_true(p < 0.04 && p > 0); /* what follows is about where it lies */
	assert_int_equal(cmp_decide(v, MANY, &o), 0);
	assert_int_equal(r[0].changed, p <= o.alpha * (1 - CMP_RATE_SHARE) / MANY);
	for (int i = 1; i < MANY; i++)
		assert_false(r[i].changed || r[i].rate.changed);
	run(&sa, &sb, &same);
	assert_true(same.changed && same.p == p && same.visible < r[0].visible);
	free_all(a, 20);
	free_all(b, 20);
}

/* All events of one second: nothing tells how much seconds differ, however sharp the figures are. */
static void a_burst_is_not_judged(void **state)
{
	struct histsum a[60] = { 0 }, b[60] = { 0 };
	struct cmp_side sa = { a, 60 }, sb = { b, 60 };
	struct cmp_result r;

	(void)state;
	add(&a[10], 1000, 100000);
	add(&b[40], 2000, 100000);
	run(&sa, &sb, &r);
	near(r.w1, 1, 0.02);
	assert_false(r.changed || r.q[0].known);
	assert_int_equal(r.unjudged, CMP_BURST);
	free_all(a, 60);
	free_all(b, 60);
}

/* The same draws always: the same answer. */
static void answers_are_the_same_again(void **state)
{
	struct histsum a[30] = { 0 }, b[30] = { 0 };
	struct cmp_side sa = { a, 30 }, sb = { b, 30 };
	struct cmp_result r, again;

	(void)state;
	wander(a, 30, 50, 1);
	wander(b, 30, 50, 1.3);
	memset(&r, 0, sizeof(r));
	memset(&again, 0, sizeof(again));
	run(&sa, &sb, &r);
	run(&sa, &sb, &again);
	assert_true(r.q[0].low == again.q[0].low && r.w1_noise == again.w1_noise && r.auc.high == again.auc.high);
	assert_true(r.q[0].low < r.q[0].value && r.q[0].value < r.q[0].high);
	free_all(a, 30);
	free_all(b, 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(transform_by_hand),
		cmocka_unit_test(chance_is_that_of_the_seconds),
		cmocka_unit_test(figures_by_hand),
		cmocka_unit_test(too_little_is_not_judged),
		cmocka_unit_test(many_are_asked_together),
		cmocka_unit_test(a_burst_is_not_judged),
		cmocka_unit_test(answers_are_the_same_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
