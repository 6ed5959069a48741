/* SPDX-License-Identifier: Apache-2.0 */
/* The table of causes: sums by cause and process, of a recording's aggregations and of single waits; intervals, order,
 * limits. */
#include "../unit.h"
#include <errno.h>
#include "latency/cause/whytab.h"

#define MS 1000000ull

/* A key (who, comm, why) of programs like dlib/latency/why.d. */
struct key {
	uint64_t who;
	char comm[16];
	uint64_t frames[2];
};
static const struct recfield fields[] = {
	{ .kind = FLD_INT, .off = offsetof(struct key, who), .size = 8 },
	{ .kind = FLD_STRING, .off = offsetof(struct key, comm), .size = 16 },
	{ .kind = FLD_WHY, .off = offsetof(struct key, frames), .size = 16, .nframes = 2 },
	{ .kind = FLD_STRING, .off = offsetof(struct key, comm), .size = 16 },
};
enum { AVG, MAX, SHORT, SHORT_MAX, COUNT, OTHER, NAGGS };
static const struct aggdesc descs[NAGGS] = {
	[AVG] = { AVG, "t", AGG_AVG, .keys = fields, .nkeys = 3, .key_size = sizeof(struct key), .value_size = 16 },
	[MAX] = { MAX, "m", AGG_MAX, .keys = fields, .nkeys = 3, .key_size = sizeof(struct key), .value_size = 16 },
	[SHORT] = { SHORT, "s", AGG_AVG, .value_size = 16 },
	[SHORT_MAX] = { SHORT_MAX, "x", AGG_MAX, .value_size = 16 },
	[COUNT] = { COUNT, "c", AGG_COUNT, .keys = fields, .nkeys = 3, .key_size = sizeof(struct key),
		    .value_size = 8 },
	[OTHER] = { OTHER, "o", AGG_AVG, .keys = fields, .nkeys = 4, .key_size = sizeof(struct key), .value_size = 16 },
};
static const struct aggdesc *const aggs[] = { &descs[AVG],	 &descs[MAX],	&descs[SHORT],
					      &descs[SHORT_MAX], &descs[COUNT], &descs[OTHER] };
static const struct rec_schema schema = { .aggs = aggs, .naggs = NAGGS };

static struct causes *causes;
static struct whytab *t;

static int set_up(void **state)
{
	(void)state;
	return causes_new(&causes) < 0 || whytab_new(causes, NULL, &t) < 0 ? -1 : 0;
}

static int tear_down(void **state)
{
	(void)state;
	whytab_free(t);
	causes_free(causes);
	return 0;
}

static void add(unsigned id, uint64_t who, const char *comm, uint64_t a, uint64_t b)
{
	struct key key = { .who = who, .frames = { 0xffffffff81000000, 0xffffffff81000100 } };
	const uint64_t value[] = { a, b };
	struct row row = { .kind = ROW_AGG, .id = id, .data = &key, .len = sizeof(key), .value = value };

	memcpy(key.comm, comm, strlen(comm));
	assert_int_equal(whytab_add(t, &schema, &row), 0);
}

static void wait_of(uint64_t who, const char *words, uint64_t ns)
{
	struct why_row r = { .who = who, .comm = "make", .words = words, .class = CAUSE_LOCK };

	assert_int_equal(whytab_wait(t, &r, ns), 0);
}

static void expect(const struct why_row *r, bool now, uint64_t who, uint64_t count, uint64_t total, uint64_t max)
{
	const struct why_sum *s = now ? &r->now : &r->all;

	assert_int_equal(r->who, who);
	assert_int_equal(s->count, count);
	assert_int_equal(s->total, total);
	assert_int_equal(s->max, max);
}

static void aggregations_of_one_key_are_one_row(void **state)
{
	const struct why_row *const *rows;

	(void)state;
	add(AVG, 7, "make", 2, 10 * MS);
	add(MAX, 7, "make", 1, 8 * MS);
	add(AVG, 7, "make", 3, 5 * MS);
	add(MAX, 7, "make", 1, 3 * MS);	 /* less than before */
	add(MAX, 7, "make", 0, 99 * MS); /* of no event */
	add(AVG, 8, "cc1", 1, 40 * MS);
	assert_int_equal(whytab_rows(t, false, &rows), 2);
	expect(rows[0], false, 8, 1, 40 * MS, 0);
	expect(rows[1], false, 7, 5, 15 * MS, 8 * MS);
	assert_string_equal(rows[0]->comm, "cc1");
	assert_int_equal(rows[0]->class, CAUSE_UNKNOWN); /* frames without names */
	assert_null(rows[0]->ustack);
	assert_ptr_equal(rows[0]->words, rows[1]->words);
}

static void other_rows_are_left_alone(void **state)
{
	const struct why_row *const *rows;
	struct row row = { .kind = ROW_AGG, .id = NAGGS };
	uint64_t value[2] = { 1, MS };

	(void)state;
	add(COUNT, 7, "make", 5, 0);
	add(OTHER, 7, "make", 1, MS);			   /* a fourth key field that is no stack or number */
	assert_int_equal(whytab_add(t, &schema, &row), 0); /* of no aggregation */
	row = (struct row){ .kind = ROW_AGG, .id = AVG, .data = value, .len = 8, .value = value };
	assert_int_equal(whytab_add(t, &schema, &row), 0); /* a key cut short */
	row.kind = ROW_NOTE;
	assert_int_equal(whytab_add(t, &schema, &row), 0);
	assert_int_equal(whytab_rows(t, false, &rows), 0);
}

static void short_waits_have_sums_of_their_own(void **state)
{
	const struct why_row *const *rows;

	(void)state;
	add(SHORT, 0, "", 100, 3 * MS);
	add(SHORT_MAX, 0, "", 1, 50000);
	whytab_next(t);
	add(SHORT, 0, "", 10, MS);
	assert_int_equal(whytab_short(t, false).count, 110);
	assert_int_equal(whytab_short(t, false).total, 4 * MS);
	assert_int_equal(whytab_short(t, false).max, 50000);
	assert_int_equal(whytab_short(t, true).count, 10);
	assert_int_equal(whytab_short(t, true).max, 0);
	assert_int_equal(whytab_rows(t, false, &rows), 0);
}

static void an_interval_has_its_own_order(void **state)
{
	const struct why_row *const *rows;

	(void)state;
	wait_of(1, "a", 100 * MS);
	wait_of(2, "b", 10 * MS);
	whytab_next(t);
	assert_int_equal(whytab_rows(t, true, &rows), 0);
	wait_of(2, "b", 30 * MS);
	wait_of(2, "b", 20 * MS);
	wait_of(1, "a", 1 * MS);
	assert_int_equal(whytab_rows(t, true, &rows), 2);
	expect(rows[0], true, 2, 2, 50 * MS, 30 * MS);
	expect(rows[1], true, 1, 1, 1 * MS, 1 * MS);
	assert_int_equal(whytab_rows(t, false, &rows), 2);
	expect(rows[0], false, 1, 2, 101 * MS, 100 * MS);
	expect(rows[1], false, 2, 3, 60 * MS, 30 * MS);
}

/* Equal times: by the words. */
static void equal_times_are_ordered_by_words(void **state)
{
	const struct why_row *const *rows;

	(void)state;
	wait_of(1, "disk", MS);
	wait_of(1, "CPU", MS);
	assert_int_equal(whytab_rows(t, false, &rows), 2);
	assert_string_equal(rows[0]->words, "CPU");
	assert_int_equal(rows[0]->class, CAUSE_LOCK);
}

static void words_have_a_limit(void **state)
{
	const struct why_row *const *rows;
	char words[16];

	(void)state;
	for (int i = 0; i < WHYTAB_MAX_WORDS + 5; i++) {
		snprintf(words, sizeof(words), "w%d", i);
		wait_of(1, words, i < WHYTAB_MAX_WORDS ? MS : 1000 * MS);
	}
	wait_of(1, "w0", MS); /* known words still are */
	assert_int_equal(whytab_rows(t, false, &rows), WHYTAB_MAX_WORDS + 1);
	assert_string_equal(rows[0]->words, "others");
	expect(rows[0], false, 1, 5, 5000 * MS, 1000 * MS);
	expect(rows[1], false, 1, 2, 2 * MS, MS);
	assert_string_equal(rows[1]->words, "w0");
}

static void rows_have_a_limit(void **state)
{
	const struct why_row *const *rows;

	(void)state;
	for (uint64_t i = 0; i < WHYTAB_MAX_ROWS + 3; i++)
		wait_of(i, "a", i < WHYTAB_MAX_ROWS ? MS : 9 * MS);
	assert_int_equal(whytab_rows(t, false, &rows), WHYTAB_MAX_ROWS + 1);
	assert_true(rows[0]->others);
	expect(rows[0], false, 0, 3, 27 * MS, 9 * MS);
}

static void an_interval_ends_by_a_printa_of_tick(void **state)
{
	const struct recact printa = { .kind = ACT_PRINTA }, trace = { .kind = ACT_TRACE };
	const struct recfmt prints = { .acts = &printa, .nacts = 1 }, traces = { .acts = &trace, .nacts = 1 };
	const struct recfmt *const fmts[] = { &prints, &traces };
	const struct rec_probe probes[] = { { .id = 1, .name = "tick-5s" }, { .id = 2, .name = "END" } };
	const struct rec_schema s = { .fmts = fmts, .nfmts = 2, .probes = probes, .nprobes = 2 };
	struct row row = { .kind = ROW_EVENT, .id = 1, .probe = 1 };

	(void)state;
	assert_true(whytab_is_end(&s, &row));
	row.probe = 2;
	assert_false(whytab_is_end(&s, &row));
	row = (struct row){ .kind = ROW_EVENT, .id = 2, .probe = 1 };
	assert_false(whytab_is_end(&s, &row));
	row.id = 3; /* of no clause */
	assert_false(whytab_is_end(&s, &row));
	row = (struct row){ .kind = ROW_AGG, .id = 1, .probe = 1 };
	assert_false(whytab_is_end(&s, &row));
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(aggregations_of_one_key_are_one_row),
		CASE(other_rows_are_left_alone),
		CASE(short_waits_have_sums_of_their_own),
		CASE(an_interval_has_its_own_order),
		CASE(equal_times_are_ordered_by_words),
		CASE(words_have_a_limit),
		CASE(rows_have_a_limit),
		CASE(an_interval_ends_by_a_printa_of_tick),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
