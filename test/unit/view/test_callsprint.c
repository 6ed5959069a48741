/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of `dwell calls`: sums, order, shares, what is beyond the limit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "unit.h"
#include "view/summary/callsprint.h"

#define NAME_BYTES 16

static const struct recfield key = { .kind = FLD_STRING, .size = NAME_BYTES };
static const struct aggdesc descs[] = {
	{ .id = 0, .name = "calls", .func = AGG_COUNT, .value_size = 8 },
	{ .id = 1, .name = "time", .func = AGG_SUM, .value_size = 16 },
	{ .id = 2, .name = "longest", .func = AGG_MAX, .value_size = 16 },
	{ .id = 3, .name = "callee_calls", .func = AGG_COUNT, .keys = &key, .nkeys = 1, .key_size = NAME_BYTES },
	{ .id = 4, .name = "callee_time", .func = AGG_SUM, .keys = &key, .nkeys = 1, .key_size = NAME_BYTES },
	{ .id = 5, .name = "callee_longest", .func = AGG_MAX, .keys = &key, .nkeys = 1, .key_size = NAME_BYTES },
	{ .id = 6, .name = "pointer", .func = AGG_COUNT, .keys = &key, .nkeys = 1, .key_size = NAME_BYTES },
	{ .id = 7, .name = "callers", .func = AGG_COUNT, .keys = &key, .nkeys = 1, .key_size = NAME_BYTES },
	{ .id = 8, .name = "again", .func = AGG_COUNT, .value_size = 8 },
};
static const struct aggdesc *aggs[ARRAY_SIZE(descs)];
static const struct rec_schema schema = { .aggs = aggs, .naggs = ARRAY_SIZE(descs) };

static void put(struct callsprint *c, uint32_t agg, const char *name, uint64_t count, uint64_t value)
{
	char text[NAME_BYTES] = "";
	uint64_t v[2] = { count, value };
	struct row row = { .kind = ROW_AGG, .id = agg, .data = text, .len = sizeof(text), .value = v };

	for (size_t i = 0; i < ARRAY_SIZE(descs); i++)
		aggs[i] = &descs[i];
	snprintf(text, sizeof(text), "%s", name ? name : "");
	assert_int_equal(callsprint_row(c, &schema, NULL, &row), 0);
}

static char *show(struct callsprint *c, bool json)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	assert_non_null(f);
	assert_int_equal(callsprint_show(c, "m`f", 2, json, f), 0);
	fclose(f);
	return text;
}

static void tables(void **state)
{
	struct callsprint *c = callsprint_new();
	_cleanup_free_ char *text = NULL, *json = NULL;

	(void)state;
	put(c, 0, NULL, 3, 0);
	put(c, 0, NULL, 1, 0);
	put(c, 1, NULL, 4, 4000);
	put(c, 2, NULL, 4, 2500);
	put(c, 2, NULL, 1, 2000);
	put(c, 3, "short", 8, 0);
	put(c, 4, "short", 8, 800);
	put(c, 5, "short", 8, 200);
	put(c, 3, "long", 2, 0);
	put(c, 4, "long", 2, 2000);
	put(c, 5, "long", 2, 1500);
	put(c, 6, "target", 5, 0);
	put(c, 7, "g", 4, 0);
	put(c, 8, NULL, 6, 0);
	assert_int_equal(callsprint_left_out(c, "m`x", "a reason"), 0);
	text = show(c, false);
	assert_string_equal(
		text, "m`f: 4 calls, 4.00 us in all, 1.00 us each, 2.50 us at most\n"
		      "calls from within a call are not among them: 6\n\n"
		      "     CALLS        TIME       %        MEAN     LONGEST  CALLEE\n"
		      "         2     2.00 us    50.0     1.00 us     1.50 us  long\n"
		      "         8      800 ns    20.0      100 ns      200 ns  short\n"
		      "         5           -       -           -           -  target (by a pointer)\n"
		      "         4     1.20 us    30.0      300 ns           -  (itself, and what has no times)\n\n"
		      "     CALLS  CALLER\n"
		      "         4  g\n\n"
		      "2 calls in the code are by a pointer that is not looked at\n\n"
		      "without probes:\n  m`x: a reason\n");
	json = show(c, true);
	assert_non_null(strstr(json, "{\"type\":\"callee\",\"function\":\"target\",\"calls\":5,\"pointer\":true}\n"));
	assert_non_null(strstr(json, "{\"type\":\"left_out\",\"function\":\"m`x\",\"why\":\"a reason\"}\n"));
	callsprint_free(c);
}

static void limit(void **state)
{
	struct callsprint *c = callsprint_new();
	_cleanup_free_ char *text = NULL;
	char name[NAME_BYTES];

	(void)state;
	for (unsigned i = 0; i <= CALLSPRINT_MAX; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		put(c, 7, name, 1, 0);
	}
	put(c, 7, "f0", 1, 0);
	text = show(c, false);
	assert_non_null(strstr(text, "\n1 calls of more than 10000 names are left out\n"));
	callsprint_free(c);
	callsprint_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables),
		cmocka_unit_test(limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
