/* SPDX-License-Identifier: Apache-2.0 */
/* Slow events by cause and cgroup as metrics: sums, labels of hostile names, and the limit of series. */
#include "../unit.h"
#include "latency/window/metricscause.h"

static struct rec_tracker tracker = { .id = 0, .name = "offcpu" };

static bool place(void *ctx, uint64_t cgroup, struct metrics_place *ret)
{
	static char path[32];

	if (cgroup == 0)
		return false;
	if (ctx) {
		*ret = (struct metrics_place){ ctx, "c", "", "" };
		return true;
	}
	snprintf(path, sizeof(path), "/g%u", (unsigned)cgroup);
	*ret = (struct metrics_place){ path, "", "p", "n" };
	return true;
}

static struct causes *causes;

static struct metrics_caused *begin(const char *path)
{
	struct metrics_names names = { .place = place, .ctx = (void *)path };
	struct metrics_caused *c;

	assert_int_equal(causes_new(&causes), 0);
	names.causes = causes;
	assert_int_equal(metrics_caused_new(&names, &c), 0);
	return c;
}

static void end(struct metrics_caused *c)
{
	metrics_caused_free(c);
	causes_free(causes);
}

static void add(struct metrics_caused *c, uint64_t cgroup, uint64_t delay)
{
	struct rec_slow s = { .delay = delay, .cgroup = cgroup };
	struct slow_event e = { .fixed = s, .tracker = &tracker, .rec = (const uint8_t *)&s };

	assert_int_equal(metrics_caused_add(c, &e), 0);
}

static unsigned lines(const char *text, const char *with)
{
	unsigned n = 0;

	for (; (text = strstr(text, with)); text++)
		n++;
	return n;
}

static void sums(void **state)
{
	struct metrics_caused *c = begin(NULL);
	struct strb b = { 0 };

	(void)state;
	add(c, 7, 1500000000);
	add(c, 7, 250000000);
	add(c, 8, 1);
	add(c, 0, 2);
	metrics_caused_write(&b, c);
	assert_int_equal(lines(b.s, "cgroup=\"/g7\",pod=\"p\",namespace=\"n\"} 2\n"), 1);
	assert_int_equal(lines(b.s, "cgroup=\"/g7\",pod=\"p\",namespace=\"n\"} 1.750000000\n"), 1);
	assert_int_equal(lines(b.s, "cgroup=\"/g8\","), 2);
	assert_int_equal(lines(b.s, "cgroup=\"unknown\"} 1\n"), 1);
	assert_int_equal(lines(b.s, "container="), 0);
	strb_free(&b);
	end(c);
}

static void at_the_limit(void **state)
{
	struct metrics_caused *c = begin(NULL);
	struct strb b = { 0 };

	(void)state;
	for (uint64_t i = 1; i <= METRICS_CAUSED_MAX + 3; i++)
		add(c, i, 1000000000);
	add(c, 1, 1000000000); /* known ones go on */
	metrics_caused_write(&b, c);
	assert_int_equal(lines(b.s, "dwell_slow_wait_events_total{"), METRICS_CAUSED_MAX + 1);
	assert_int_equal(
		lines(b.s, "dwell_slow_wait_events_total{tracker=\"offcpu\",class=\"other\",cause=\"other\"} 3\n"), 1);
	assert_int_equal(lines(b.s, "cgroup=\"/g1\",pod=\"p\",namespace=\"n\"} 2\n"), 1);
	strb_free(&b);
	end(c);
}

static void hostile_names(void **state)
{
	struct metrics_caused *c = begin("/a\"b\\c\nd\xff\x01z\xc3\xa4");
	struct strb b = { 0 };

	(void)state;
	add(c, 1, 1);
	metrics_caused_write(&b, c);
	assert_int_equal(lines(b.s, "cgroup=\"/a\\\"b\\\\c\\nd??z\xc3\xa4\",container=\"c\"} 1\n"), 1);
	strb_free(&b);
	end(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums),
		cmocka_unit_test(at_the_limit),
		cmocka_unit_test(hostile_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
