/* SPDX-License-Identifier: Apache-2.0 */
/* The recording in memory: rows come back as appended, survive until released, and memory stays bounded. */
#include "../unit.h"
#include <errno.h>
#include <malloc.h>
#include "store/recording.h"

static const struct aggdesc agg = { .id = 0, .name = "a", .func = AGG_SUM, .key_size = 8, .value_size = 16 };
static const struct aggdesc *const aggs[] = { &agg };
static const struct rec_probe probes[] = { { 2, "p", "m", "f", "n" },
					   { 5, "q", "", "", "x" },
					   { 9, "r", "", "", "y" } };
static const struct rec_schema schema = { .aggs = aggs, .naggs = 1, .probes = probes, .nprobes = 3, .ncpus = 2 };

static struct recording *make(void)
{
	struct recording *r = NULL;

	assert_int_equal(recording_new_memory(&schema, &r), 0);
	assert_ptr_equal(recording_schema(r), &schema);
	return r;
}

static void rows_come_back_as_appended(void **state)
{
	struct recording *r = make();
	char text[40] = "some data of thirty-nine characters….";
	uint64_t key = 7, value[2] = { 1, 2 }, percpu[4] = { 1, 2, 3, 4 };
	struct row event = {
		.kind = ROW_EVENT, .ts = 1, .cpu = 2, .probe = 3, .id = 4, .data = text, .len = sizeof(text)
	};
	struct row add = {
		.kind = ROW_AGG, .ts = 5, .id = 0, .data = &key, .len = 8, .value = value, .percpu = percpu
	};
	struct row end = { .kind = ROW_END, .ts = 6 }, got, got2;

	(void)state;
	assert_false(recording_next(r, &got));
	assert_int_equal(recording_append(r, &event), 0);
	assert_int_equal(recording_append(r, &add), 0);
	assert_int_equal(recording_append(r, &end), 0);
	memset(text, 'x', sizeof(text)); /* was copied */
	value[1] = percpu[3] = key = 99;
	assert_true(recording_next(r, &got));
	assert_int_equal(got.kind, ROW_EVENT);
	assert_int_equal(got.ts, 1);
	assert_int_equal(got.cpu, 2);
	assert_int_equal(got.probe, 3);
	assert_int_equal(got.id, 4);
	assert_int_equal(got.len, sizeof(text));
	assert_true(recording_next(r, &got2));
	assert_int_equal(memcmp(got.data, "some data", 9), 0); /* still valid */
	assert_int_equal(*(const uint64_t *)got2.data, 7);
	assert_int_equal(got2.value[1], 2);
	assert_int_equal(got2.percpu[3], 4);
	assert_true(recording_next(r, &got));
	assert_int_equal(got.kind, ROW_END);
	assert_null(got.data);
	assert_false(recording_next(r, &got));
	assert_false(recording_next(r, &got));
	recording_free(r);
}

static void unknown_aggregations_are_refused(void **state)
{
	struct recording *r = make();
	struct row row = { .kind = ROW_AGG, .id = 1 };

	(void)state;
	assert_int_equal(recording_append(r, &row), -EINVAL);
	assert_false(recording_next(r, &row));
	recording_free(r);
	recording_free(NULL);
}

/* Reading and releasing in every rhythm gives each row once. */
static void any_rhythm_of_reading_gives_each_row_once(void **state)
{
	struct recording *r = make();
	uint64_t in = 0, out = 0;
	static char data[20000];
	struct row got;

	(void)state;
	srand(3);
	for (int round = 0; round < 2000; round++) {
		for (int i = rand() % 20; i > 0; i--) {
			struct row row = {
				.kind = ROW_EVENT, .ts = in++, .data = data, .len = (size_t)(rand() % (int)sizeof(data))
			};

			assert_int_equal(recording_append(r, &row), 0);
		}
		for (int i = rand() % 25; i > 0 && recording_next(r, &got); i--)
			assert_int_equal(got.ts, out++);
		if (rand() % 3)
			recording_release(r);
	}
	while (recording_next(r, &got))
		assert_int_equal(got.ts, out++);
	assert_int_equal(in, out);
	recording_release(r);
	recording_release(r);
	recording_free(r);
}

static void a_row_larger_than_a_chunk_fits(void **state)
{
	enum { BIG = 1 << 20 };
	struct recording *r = make();
	char *big = calloc(1, BIG);
	struct row row = { .kind = ROW_EVENT, .data = big, .len = BIG }, got;

	(void)state;
	big[BIG - 1] = 'z';
	for (int i = 0; i < 3; i++)
		assert_int_equal(recording_append(r, &row), 0);
	for (int i = 0; i < 3; i++) {
		assert_true(recording_next(r, &got));
		assert_int_equal(((const char *)got.data)[BIG - 1], 'z');
		recording_release(r);
	}
	assert_false(recording_next(r, &got));
	recording_free(r);
	free(big);
}

static void probes_are_found_by_id(void **state)
{
	static const struct rec_schema none = { 0 };

	(void)state;
	for (size_t i = 0; i < 3; i++)
		assert_ptr_equal(rec_schema_probe(&schema, probes[i].id), &probes[i]);
	assert_null(rec_schema_probe(&schema, 0));
	assert_null(rec_schema_probe(&schema, 6));
	assert_null(rec_schema_probe(&schema, UINT32_MAX));
	assert_null(rec_schema_probe(&none, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_come_back_as_appended),
		cmocka_unit_test(unknown_aggregations_are_refused),
		cmocka_unit_test(any_rhythm_of_reading_gives_each_row_once),
		cmocka_unit_test(a_row_larger_than_a_chunk_fits),
		cmocka_unit_test(probes_are_found_by_id),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
