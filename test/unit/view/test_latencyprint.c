/* SPDX-License-Identifier: Apache-2.0 */
/* The summary of trackers: what was added is in the table and in JSON, and gone after a reset. */
#include <stdlib.h>
#include <string.h>
#include "../store/recsample.h"
#include "../unit.h"
#include "base/aggval.h"
#include "view/summary/latencyprint.h"

#define OWN "\"cost\":"
#define HEADING "TRACKER       EVENTS      P50      P99      MAX SLOW FROM  SHOWN  last 5.00 s\n"

static char *text;

/* n delays of v ns in a second of a tracker. */
static void add(struct latencysum *s, uint32_t tracker, uint64_t v, uint64_t n)
{
	uint64_t words[AGG_HIST_NBUCKETS] = { 0 }, key = 0;
	struct rec_hist head = { .period = SEC, .sum = n * v, .max = v };
	struct row row = { .kind = ROW_HIST, .ts = SEC, .id = tracker };
	struct rechist_buf b = { 0 };
	struct rec_histdesc d;

	assert_true(rec_hist_source(&sample_schema, tracker, &d));
	head.key_size = d.key_size;
	words[aggval_hist_bucket((int64_t)v)] = n;
	assert_int_equal(rechist_make(&b, &head, &key, words, d.nbuckets), 0);
	row.data = b.v;
	row.len = b.n;
	assert_int_equal(latencysum_add(s, &row), 0);
	rechist_buf_free(&b);
}

static const char *table(const struct latencysum *s)
{
	size_t len;
	FILE *out;

	free(text);
	text = NULL;
	out = open_memstream(&text, &len);
	latencyprint_text(s, out, 5 * SEC, SEC, false);
	fclose(out);
	return text;
}

/* Up to what varies from run to run. */
static const char *members(const struct latencysum *s)
{
	struct strb b = { 0 };
	struct jsonw w = jsonw_to(&b);

	jsonw_object(&w, NULL);
	latencyprint_json(s, SEC, &w);
	jsonw_end_object(&w);
	free(text);
	text = strb_take(&b);
	assert_non_null(strstr(text, OWN));
	*strstr(text, OWN) = '\0';
	return text;
}

static void summary(void **state)
{
	const struct row limited = { .kind = ROW_DROPS, .id = CNT_TRACK_LIMITED, .probe = 1, .count = 3 };
	const struct rec_probe slow = { 1, "latency", "block", "", "slow" };
	struct rec_schema schema = sample_schema;
	struct latencysum *s;

	(void)state;
	schema.probes = &slow;
	assert_int_equal(latencysum_new(&schema, &s), 0);
	latencysum_begin(s, 0);
	latencysum_threshold(s, 0, 1000000);
	latencysum_slow(s, 0);
	latencysum_slow(s, 1000); /* of no tracker */
	add(s, 0, 1000, 99);
	add(s, 0, 2000000, 2);
	assert_true(latencysum_limited(s, &limited));
	assert_string_equal(table(s), "\n" HEADING "block            101   999 ns  2.00 ms  2.00 ms   1.00 ms      1\n"
				      "offcpu             0        -        -        -      0 ns      0\n"
				      "not shown: 3 slow events of block, over its limit a second (see --worst)\n");
	assert_string_equal(
		members(s),
		"{\"trackers\":[{\"name\":\"block\",\"count\":101,\"total_ns\":4099000,\"p50_ns\":999,"
		"\"p90_ns\":999,\"p99_ns\":2000000,\"max_ns\":2000000,\"threshold_ns\":1000000,\"shown\":1},"
		"{\"name\":\"offcpu\",\"count\":0,\"total_ns\":0,\"p50_ns\":0,\"p90_ns\":0,\"p99_ns\":0,"
		"\"max_ns\":0,\"threshold_ns\":0,\"shown\":0}],");
	latencysum_reset(s, SEC);
	assert_string_equal(table(s), "\n" HEADING "block              0        -        -        -   1.00 ms      0\n"
				      "offcpu             0        -        -        -      0 ns      0\n");
	latencysum_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(summary) };
	int r = cmocka_run_group_tests(tests, NULL, NULL);

	free(text);
	return r;
}
