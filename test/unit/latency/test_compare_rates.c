/* SPDX-License-Identifier: Apache-2.0 */
/* How often the comparison of profiles is right, about made-up latencies whose truth is known: seconds that hang
 * together, regimes, heavy tails, bursts, few events. The seeds are fixed. DWELL_CMP_PAIRS=100 test_compare_rates makes
 * the table of doc/measured.md. */
#include "../unit.h"
#include <math.h>
#include <stdlib.h>
#include "base/aggval.h"
#include "base/cleanup.h"
#include "latency/compare/compare.h"

#define MAX_SECONDS 300
#define PAIRS 10 /* of each kind without a change, unless DWELL_CMP_PAIRS says more: then of smaller shifts as well */
#define TAUS 4

static const struct rec_histdesc desc = {
	.name = "t", .func = AGG_HIST, .param = (const int32_t[4]){ 0 }, .nbuckets = AGG_HIST_NBUCKETS
};

static uint64_t state_;

static double uniform(void)
{
	uint64_t z = state_ += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	z ^= z >> 31;
	return ((double)(z >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

/* -- kinds of load -- */

struct kind {
	const char *name;
	size_t na, nb;		    /* seconds */
	double events;		    /* a second */
	double sigma;		    /* of log-normal latencies; 0: Pareto with alpha 1.5 */
	double tau[TAUS], sd[TAUS]; /* what the level's logarithm wanders by (Ornstein-Uhlenbeck); 0: nothing */
	double busy, dwell;	    /* two regimes: the level of one is higher by exp(busy); mean seconds in each */
	double burst;		    /* sigma of the logarithm of the events a second, kept for 3 s */
	bool stationary;	    /* wanders faster than a third of a stretch: the promise is kept */
	double found20;		    /* share of shifts by 20 % and by 50 % that is found at least */
	double found50;
};

static const struct kind kinds[] = {
	{ .name = "seconds alike",
	  .na = 60,
	  .nb = 60,
	  .events = 200,
	  .sigma = 0.8,
	  .stationary = true,
	  .found20 = 0.9,
	  .found50 = 1 },
	{ .name = "5 %, 5 s",
	  .na = 60,
	  .nb = 60,
	  .events = 200,
	  .sigma = 0.8,
	  .tau = { 5 },
	  .sd = { 0.05 },
	  .stationary = true,
	  .found20 = 0.5,
	  .found50 = 1 },
	{ .name = "10 %, 15 s",
	  .na = 60,
	  .nb = 60,
	  .events = 200,
	  .sigma = 0.8,
	  .tau = { 15 },
	  .sd = { 0.1 },
	  .stationary = true,
	  .found50 = 0.3 },
	{ .name = "1/f, 8 %",
	  .na = 60,
	  .nb = 60,
	  .events = 200,
	  .sigma = 0.8,
	  .tau = { 1, 4, 16, 64 },
	  .sd = { 0.04, 0.04, 0.04, 0.04 },
	  .found50 = 0.5 },
	{ .name = "regimes of 30 %, 5 s",
	  .na = 60,
	  .nb = 60,
	  .events = 200,
	  .sigma = 0.5,
	  .busy = 0.26,
	  .dwell = 5,
	  .stationary = true,
	  .found50 = 0.4 },
	{ .name = "regimes of 30 %, 20 s",
	  .na = 120,
	  .nb = 120,
	  .events = 200,
	  .sigma = 0.5,
	  .busy = 0.26,
	  .dwell = 20,
	  .stationary = true,
	  .found50 = 0.2 },
	{ .name = "heavy tail, 5 %, 3 s",
	  .na = 60,
	  .nb = 60,
	  .events = 200,
	  .tau = { 3 },
	  .sd = { 0.05 },
	  .stationary = true,
	  .found20 = 0.5,
	  .found50 = 1 },
	{ .name = "bursts",
	  .na = 60,
	  .nb = 60,
	  .events = 100,
	  .sigma = 0.8,
	  .tau = { 2 },
	  .sd = { 0.05 },
	  .burst = 1,
	  .stationary = true,
	  .found50 = 0.8 },
	{ .name = "2 events a second",
	  .na = 60,
	  .nb = 60,
	  .events = 2,
	  .sigma = 0.5,
	  .stationary = true,
	  .found50 = 0.5 },
	{ .name = "16 s, 3 %, 2 s",
	  .na = 16,
	  .nb = 16,
	  .events = 200,
	  .sigma = 0.5,
	  .tau = { 2 },
	  .sd = { 0.03 },
	  .stationary = true,
	  .found20 = 0.4,
	  .found50 = 0.9 },
	{ .name = "20 s and 120 s, 5 %, 3 s",
	  .na = 20,
	  .nb = 120,
	  .events = 200,
	  .sigma = 0.8,
	  .tau = { 3 },
	  .sd = { 0.05 },
	  .stationary = true,
	  .found20 = 0.3,
	  .found50 = 1 },
	{ .name = "300 s, 10 %, 15 s",
	  .na = 300,
	  .nb = 300,
	  .events = 50,
	  .sigma = 0.8,
	  .tau = { 15 },
	  .sd = { 0.1 },
	  .stationary = true,
	  .found20 = 0.3,
	  .found50 = 1 },
};

/* A second's events, as many as counts of each bucket, into its histogram; counts are zero again. */
static void flush(struct histsum *s, uint64_t *counts)
{
	static struct rec_bucket v[AGG_HIST_NBUCKETS];
	struct rec_hist h = { 0 };

	for (uint32_t i = 0; i < AGG_HIST_NBUCKETS; i++)
		if (counts[i]) {
			v[h.nbuckets++] = (struct rec_bucket){ .index = i, .count = counts[i] };
			h.count += counts[i];
			counts[i] = 0;
		}
	assert_int_equal(histsum_add(s, &h, v), 0);
}

static double latency(const struct kind *k)
{
	return k->sigma > 0 ? exp(k->sigma * normal()) : pow(uniform(), -1 / 1.5);
}

/* Source: Knuth, The Art of Computer Programming, 3.4.1; the normal approximation where there are many. */
static unsigned poisson(double mean)
{
	double p = 1, end = exp(-mean);
	unsigned n = 0;

	if (mean > 30)
		return (unsigned)fmax(0, round(mean + sqrt(mean) * normal()));
	while ((p *= uniform()) > end)
		n++;
	return n;
}

static void make(struct histsum *s, size_t n, const struct kind *k, double scale)
{
	static uint64_t counts[AGG_HIST_NBUCKETS];
	double level[TAUS], burst = normal();
	bool busy = uniform() < 0.5;

	for (int t = 0; t < TAUS; t++)
		level[t] = k->sd[t] * normal();
	for (size_t i = 0; i < n; i++) {
		double all = busy ? k->busy : 0;
		unsigned events;

		for (int t = 0; t < TAUS && k->tau[t] > 0; t++) {
			double keep = exp(-1 / k->tau[t]);

			level[t] = keep * level[t] + k->sd[t] * sqrt(1 - keep * keep) * normal();
			all += level[t];
		}
		busy ^= k->dwell > 0 && uniform() < 1 - exp(-1 / k->dwell);
		burst = exp(-1 / 3.0) * burst + sqrt(1 - exp(-2 / 3.0)) * normal();
		events = poisson(k->events * exp(k->burst * burst - k->burst * k->burst / 2));
		for (unsigned e = 0; e < events; e++)
			counts[aggval_hist_bucket((int64_t)(1e6 * scale * exp(all) * latency(k)))]++;
		flush(&s[i], counts);
	}
}

/* -- how often -- */

struct score {
	int n, changed, rate;
	double visible; /* sum of the changes that would be found */
};

static void compare(const struct kind *k, double scale, struct cmp_result *r)
{
	static struct histsum a[MAX_SECONDS], b[MAX_SECONDS];
	struct cmp_side sa = { a, k->na }, sb = { b, k->nb };
	struct cmp_opts o = CMP_DEFAULT;

	make(a, k->na, k, 1);
	make(b, k->nb, k, scale);
	assert_int_equal(cmp_run(&desc, &sa, &sb, &o, r), 0);
	assert_int_equal(cmp_decide(&r, 1, &o), 0);
	for (size_t i = 0; i < k->na; i++)
		histsum_free(&a[i]);
	for (size_t i = 0; i < k->nb; i++)
		histsum_free(&b[i]);
	memset(a, 0, sizeof(a));
	memset(b, 0, sizeof(b));
}

static struct score score(const struct kind *k, double scale, int n)
{
	struct score s = { .n = n };

	state_ = UINT64_C(0x5eed) + (uint64_t)(k - kinds) * 1000003 + (uint64_t)(scale * 1000);
	for (int i = 0; i < n; i++) {
		struct cmp_result r;

		compare(k, scale, &r);
		s.changed += r.changed;
		s.rate += r.rate.changed;
		s.visible += isfinite(r.visible) ? r.visible / n : 0;
	}
	return s;
}

static int pairs(void)
{
	const char *s = getenv("DWELL_CMP_PAIRS");

	return s ? atoi(s) : PAIRS;
}

static void shifts_are_found_and_chance_is_not(void **state)
{
	int wrong = 0, all = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		const struct kind *k = &kinds[i];
		int small = pairs() > PAIRS ? pairs() / 2 : 0;
		struct score same = score(k, 1, pairs()), five = score(k, 1.05, small), ten = score(k, 1.1, small),
			     twenty = score(k, 1.2, pairs() / 2), fifty = score(k, 1.5, pairs() / 2);

		print_message("# %-26s A/A %d (rate %d) of %d; 20 %% %d, 50 %% %d of %d; said to be found: %.0f %%\n",
			      k->name, same.changed, same.rate, same.n, twenty.changed, fifty.changed, fifty.n,
			      100 * (exp2(same.visible) - 1));
		if (small)
			print_message("# %-26s 5 %% %d, 10 %% %d of %d\n", "", five.changed, ten.changed, small);
		if (k->stationary) {
			wrong += same.changed + same.rate;
			all += same.n;
		}
		assert_true(twenty.changed >= k->found20 * twenty.n);
		assert_true(fifty.changed >= k->found50 * fifty.n);
	}
	print_message("# called changed wrongly: %d of %d\n", wrong, all);
	assert_true(wrong <= 0.05 * all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shifts_are_found_and_chance_is_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
