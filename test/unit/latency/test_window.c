/* SPDX-License-Identifier: Apache-2.0 */
/* Rolling windows: what is in them when; bounds; the text for Prometheus, checked as its readers do. */
#include "../unit.h"
#include <ctype.h>
#include <math.h>
#include "base/aggval.h"
#include "latency/window/metrics.h"
#include "store/file/recfile.h"

#define SEC RECFILE_SECOND_NS

static const struct recfield key_fields[] = { { .kind = FLD_INT, .off = 0, .size = 8 } };
static const struct aggdesc agg = { .name = "h",
				    .func = AGG_HIST,
				    .keys = key_fields,
				    .nkeys = 1,
				    .key_size = 8,
				    .value_size = 8 * (1 + AGG_HIST_NBUCKETS) };
static const struct aggdesc *const aggs[] = { &agg };
static const struct rec_tracker trackers[] = { { .name = "block\"\\\n" } };
static const struct rec_schema schema = { .aggs = aggs, .naggs = 1, .trackers = trackers, .ntrackers = 1 };

static int add_windows(void *ctx, const struct row *row)
{
	return windows_add(ctx, row);
}
static int add_metrics(void *ctx, const struct row *row)
{
	return metrics_add(ctx, row);
}

static void give(int (*to)(void *, const struct row *), void *ctx, uint32_t source, uint64_t start, uint64_t key,
		 uint64_t v, uint64_t n)
{
	static uint64_t words[AGG_HIST_NBUCKETS];
	struct rec_hist head = {
		.period = SEC, .sum = n * v, .max = v, .key_size = source ? 8 : 0, .flags = source ? HIST_NO_SUM : 0
	};
	struct row row = { .kind = ROW_HIST, .ts = start, .id = source };
	struct rechist_buf b = { 0 };

	memset(words, 0, sizeof(words));
	words[aggval_hist_bucket((int64_t)v)] = n;
	assert_int_equal(rechist_make(&b, &head, &key, words, AGG_HIST_NBUCKETS), 0);
	row.data = b.v;
	row.len = b.n;
	assert_int_equal(to(ctx, &row), 0);
	rechist_buf_free(&b);
}

static void add(struct windows *w, uint32_t source, uint64_t start, uint64_t key, uint64_t v, uint64_t n)
{
	give(add_windows, w, source, start, key, v, n);
}

static uint64_t count(struct windows *w, size_t series, enum window window, uint64_t now)
{
	struct histsum s = { 0 };
	uint64_t n, from;

	assert_int_equal(windows_get(w, series, window, now, &s, &from), 0);
	assert_true(now - from >= 60 * SEC);
	n = s.count;
	histsum_free(&s);
	return n;
}

static void windows_roll(void **state)
{
	struct windows *w = NULL;
	struct histsum s = { 0 };
	uint64_t now = 0, total, sum, from;

	(void)state;
	assert_int_equal(windows_new(&schema, 30 * SEC, 0, &w), 0);
	/* one event a second for 30 hours; minutes of the wall clock begin at 30, 90 … */
	for (; now < UINT64_C(30) * 3600 * SEC; now += SEC)
		add(w, 0, now, 0, 1000 + now / SEC % 7, 1);
	assert_int_equal(count(w, 0, WINDOW_MINUTE, now), 60);
	/* 30 h is in the middle of a minute: its half, and so a whole more than 5 minutes */
	assert_int_equal(count(w, 0, WINDOW_5_MINUTES, now), 330);
	assert_int_equal(count(w, 0, WINDOW_HOUR, now), 3630);
	assert_int_equal(count(w, 0, WINDOW_DAY, now), 24 * 3600 + 30);
	assert_int_equal(windows_get(w, 0, WINDOW_5_MINUTES, now, &s, &from), 0);
	assert_int_equal((now - from) / SEC, 330);
	assert_int_equal(s.max, 1006);
	/* 10 minutes of silence */
	now += 600 * SEC;
	assert_int_equal(count(w, 0, WINDOW_MINUTE, now), 0);
	assert_int_equal(count(w, 0, WINDOW_5_MINUTES, now), 0);
	assert_int_equal(count(w, 0, WINDOW_HOUR, now), 3030);
	windows_total(w, 0, &total, &sum);
	assert_int_equal(total, 30 * 3600);
	assert_int_equal(windows_late(w), 0);
	histsum_free(&s);
	windows_free(w);
}

static void late_values_find_their_slots(void **state)
{
	struct windows *w = NULL;

	(void)state;
	assert_int_equal(windows_new(&schema, 0, 0, &w), 0);
	add(w, 0, 100000 * SEC, 0, 5, 1);
	add(w, 0, 99997 * SEC, 0, 5, 2); /* late, but within the minute */
	add(w, 0, 99000 * SEC, 0, 5, 4); /* only for the hour and the day */
	assert_int_equal(count(w, 0, WINDOW_MINUTE, 100001 * SEC), 3);
	assert_int_equal(count(w, 0, WINDOW_HOUR, 100001 * SEC), 7);
	assert_int_equal(windows_late(w), 0);
	windows_free(w);
}

static void memory_is_bounded(void **state)
{
	const struct window_series *v;
	struct windows *w = NULL;
	uint64_t n = 0, total, sum;
	size_t others = 0;

	(void)state;
	assert_int_equal(windows_new(&schema, 0, 0, &w), 0);
	for (uint64_t k = 0; k < 3 * WINDOWS_SERIES_MAX; k++)
		add(w, 1, 1000 * SEC + k * SEC / 100, k, 5, 1);
	assert_true(windows_series(w, &v) <= WINDOWS_SERIES_MAX);
	for (size_t i = 0; i < windows_series(w, &v); i++) {
		n += count(w, i, WINDOW_HOUR, 1008 * SEC);
		others += v[i].other;
		windows_total(w, i, &total, &sum);
	}
	assert_int_equal(n, 3 * WINDOWS_SERIES_MAX); /* none is lost */
	assert_int_equal(others, 1);
	windows_free(w);

	assert_int_equal(windows_new(&schema, 0, 100000, &w), 0);
	for (uint64_t t = 0; t < 300; t++)
		for (uint64_t k = 0; k < 20; k++)
			add(w, 1, t * SEC, k, 1 + (t * 7919 + k) % 100000, 1);
	assert_true(windows_bytes(w) <= 100000 + 70 * 64 * 16); /* one that cannot give way: "other" */
	n = 0;
	for (size_t i = 0; i < windows_series(w, &v); i++)
		n += count(w, i, WINDOW_DAY, 300 * SEC);
	assert_int_equal(n, 6000);
	windows_free(w);
}

static void damaged_rows_change_nothing(void **state)
{
	struct rec_hist h = { .period = SEC, .count = 7 };
	struct row row = { .kind = ROW_HIST, .id = 0, .data = &h, .len = sizeof(h) };
	const struct window_series *v;
	struct windows *w = NULL;

	(void)state;
	assert_int_equal(windows_new(&schema, 0, 0, &w), 0);
	assert_int_equal(windows_add(w, &row), 0);
	row.kind = ROW_END;
	assert_int_equal(windows_add(w, &row), 0);
	assert_int_equal(windows_series(w, &v), 0);
	windows_free(w);
}

/* -- OpenMetrics -- */

/* A line of a sample: name{label="value",…} number. The name's end; NULL: it is none. */
static const char *check_sample(const char *p, char name[64])
{
	size_t n = 0;
	char *end;

	while (isalnum((unsigned char)*p) || *p == '_')
		name[n++] = *p++;
	name[n] = '\0';
	if (*p == '{') {
		do {
			for (p++; isalpha((unsigned char)*p); p++)
				;
			if (*p++ != '=' || *p++ != '"')
				return NULL;
			for (; *p != '"'; p++)
				if (*p == '\n' || (*p == '\\' && !strchr("\\n\"", *++p)))
					return NULL;
			p++;
		} while (*p == ',');
		if (*p++ != '}')
			return NULL;
	}
	if (*p++ != ' ')
		return NULL;
	strtod(p, &end);
	return n && end > p && *end == '\n' ? end + 1 : NULL;
}

/* Families are declared before their samples, each once, with all samples together; "# EOF" ends. */
static int check_metrics(const char *p)
{
	char family[64] = "", name[64], types[1024] = "", mark[80];
	int samples = 0;

	while (*p && strcmp(p, "# EOF\n") != 0) {
		if (!strncmp(p, "# TYPE ", 7)) {
			assert_int_equal(sscanf(p, "# TYPE %63s", family), 1);
			snprintf(mark, sizeof(mark), " %s ", family);
			assert_null(strstr(types, mark));
			strcat(types, mark);
		}
		if (*p == '#') {
			p = strchr(p, '\n') + 1;
			continue;
		}
		p = check_sample(p, name);
		assert_non_null(p);
		assert_int_equal(strncmp(name, family, strlen(family)), 0);
		samples++;
	}
	assert_string_equal(p, "# EOF\n");
	return samples;
}

/* Samples without a tracker's or aggregation's: own cost (5), losses by kind, rows not recorded, slow events of one
 * tracker, programs taken off (2). */
#define OTHERS (4 + 16 + 1 + 1 + 2)
#define BUCKETS (METRICS_POWER_LAST - METRICS_POWER_FIRST + 2)

static void metrics_are_what_readers_expect(void **state)
{
	const char *label = "tracker=\"block\\\"\\\\\\n\"";
	const struct row loss = { .kind = ROW_DROPS, .id = CNT_TRACK_LOST, .count = 5 };
	struct metrics *m = NULL;
	struct strb b = { 0 };
	char want[160];

	(void)state;
	assert_int_equal(metrics_new(&schema, 0, &m), 0);
	assert_int_equal(metrics_write(&b, m, SEC), 0);
	assert_int_equal(check_metrics(strb_str(&b)), OTHERS);
	strb_reset(&b);
	give(add_metrics, m, 0, 1000 * SEC, 0, 2000000, 3);
	give(add_metrics, m, 1, 1000 * SEC, 42, 50, 10);
	assert_int_equal(metrics_add(m, &loss), 0);
	assert_int_equal(metrics_write(&b, m, 1001 * SEC), 0);
	assert_int_equal(check_metrics(strb_str(&b)), BUCKETS + 2 + 4 + 1 + 4 + 1 + OTHERS);
	snprintf(want, sizeof(want), "dwell_latency_seconds_count{%s} 3\n", label);
	assert_non_null(strstr(b.s, want));
	snprintf(want, sizeof(want), "dwell_latency_seconds_sum{%s} 0.006\n", label);
	assert_non_null(strstr(b.s, want));
	snprintf(want, sizeof(want), "dwell_latency_seconds_max{%s} 0.002\n", label);
	assert_non_null(strstr(b.s, want));
	/* 2 ms is above 2^20 - 1 ns and below 2^21 - 1 ns */
	snprintf(want, sizeof(want), "dwell_latency_seconds_bucket{%s,le=\"0.001048575\"} 0\n", label);
	assert_non_null(strstr(b.s, want));
	snprintf(want, sizeof(want), "dwell_latency_seconds_bucket{%s,le=\"0.002097151\"} 3\n", label);
	assert_non_null(strstr(b.s, want));
	assert_non_null(strstr(b.s, "dwell_value{aggregation=\"h\",key=\"42\",quantile=\"0.5\"} 50\n"));
	assert_non_null(strstr(b.s, "dwell_value_count{aggregation=\"h\",key=\"42\"} 10\n"));
	assert_non_null(strstr(b.s, "dwell_losses_total{where=\"end_lost\"} 5\n"));
	strb_reset(&b); /* two minutes later: counts stay, quantiles are none */
	assert_int_equal(metrics_write(&b, m, 1121 * SEC), 0);
	check_metrics(strb_str(&b));
	assert_non_null(strstr(b.s, "quantile=\"0.99\"} NaN\n"));
	assert_non_null(strstr(b.s, "dwell_value_count{aggregation=\"h\",key=\"42\"} 10\n"));
	strb_free(&b);
	metrics_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows_roll),
		cmocka_unit_test(late_values_find_their_slots),
		cmocka_unit_test(memory_is_bounded),
		cmocka_unit_test(damaged_rows_change_nothing),
		cmocka_unit_test(metrics_are_what_readers_expect),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
