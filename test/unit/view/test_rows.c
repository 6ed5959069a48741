/* SPDX-License-Identifier: Apache-2.0 */
/* Slow events, spans and distributions in text and JSON. */
#include "../unit.h"
#include <stdbool.h>
#include "base/aggval.h"
#include "store/slow.h"
#include "view/text/text.h"

struct rec {
	struct rec_hdr h;
	struct rec_slow slow;
	uint64_t key;
	int32_t dev;
	char comm[16];
	uint32_t pad;
	uint64_t stack[3];
};

static const struct recfield key_fields[] = { { .kind = FLD_INT, .off = 0, .size = 8 } };
static const struct rec_tracker trackers[] = {
	{ .id = 0, .name = "block", .threshold = 10000000, .keys = key_fields, .nkeys = 1, .key_size = 8 },
	{ .id = 1, .name = "offcpu" },
};
static const struct recfield slow_fields[] = {
	{ .kind = FLD_BYTES, .off = offsetof(struct rec, slow), .size = sizeof(struct rec_slow) },
	{ .kind = FLD_BYTES, .off = offsetof(struct rec, key), .size = 8 },
	{ .kind = FLD_INT, .off = offsetof(struct rec, dev), .size = 4, .is_signed = true, .name = "dev" },
	{ .kind = FLD_STACK, .off = offsetof(struct rec, stack), .size = 24, .nframes = 3, .name = "stack" },
	{ .kind = FLD_STRING, .off = offsetof(struct rec, comm), .size = 16, .name = "waker_comm" },
};
static const struct rec_probe probes[] = { { 1, "latency", "", "block", "slow" } };

/* One record of one action, and perhaps an aggregation; what is printed, without the frame around it. */
static char *show(const struct recact *act, const void *rec, size_t size, const struct row *agg_row,
		  const struct aggdesc *agg, bool json)
{
	struct recfmt fmt = { .epid = 1, .size = (uint32_t)size, .acts = act, .nacts = act ? 1 : 0 };
	const struct recfmt *fmts[] = { &fmt };
	const struct aggdesc *aggs[] = { agg };
	struct rec_schema schema = { .fmts = fmts,
				     .nfmts = 1,
				     .aggs = aggs,
				     .naggs = agg ? 1 : 0,
				     .probes = probes,
				     .nprobes = 1,
				     .trackers = trackers,
				     .ntrackers = 2,
				     .ncpus = 1 };
	struct text_opts o = { .quiet = true, .json = json, .replayed = true };
	struct row row = { .kind = ROW_EVENT, .probe = 1, .id = 1, .data = rec, .len = size };
	struct text_view *v;
	char *out;
	size_t n;
	FILE *f = open_memstream(&out, &n);

	assert_int_equal(text_view_new(&schema, NULL, &o, f, NULL, NULL, &v), 0);
	assert_int_equal(text_view_row(v, agg_row ? agg_row : &row), 0);
	assert_int_equal(text_view_finish(v), 0);
	text_view_free(v);
	fclose(f);
	return out;
}

static struct rec sample(void)
{
	return (struct rec){
		.slow = { .start = 5000,
			  .delay = 41230000,
			  .exit_id = 3,
			  .cgroup = 77,
			  .how = SLOW_REPLACED,
			  .pid = 411,
			  .tid = 412,
			  .cpu = 1,
			  .end_pid = 9,
			  .end_tid = 9,
			  .comm = "postgres",
			  .end_comm = "kworker" },
		.key = 4096,
		.dev = -8,
		.comm = "jbd2",
		.stack = { 0x10, 0x20 },
	};
}

static void slow_events_are_lines(void **state)
{
	const struct recact act = { .kind = ACT_SLOW, .fields = slow_fields, .nfields = 5 };
	struct rec r = sample();
	char *out = show(&act, &r, sizeof(r), NULL, NULL, false);

	(void)state;
	assert_string_equal(out,
			    "slow block            41.2 ms  postgres 411/412 on CPU 1 (replaced), ended by kworker 9/9"
			    " on CPU 0\n"
			    "  key            4096\n"
			    "  dev            -8\n"
			    "  stack          \n"
			    "                 0x10\n"
			    "                 0x20\n"
			    "  waker_comm     jbd2\n");
	free(out);
	r.slow.tracker = 1; /* no key, nobody else ended it, no attributes */
	r.slow.how = SLOW_NORMAL;
	r.slow.end_tid = 412;
	out = show(&(struct recact){ .kind = ACT_SLOW, .fields = slow_fields, .nfields = 2 }, &r, sizeof(r), NULL, NULL,
		   false);
	assert_string_equal(out, "slow offcpu           41.2 ms  postgres 411/412 on CPU 1\n");
	free(out);
}

static void slow_events_are_objects(void **state)
{
	const struct recact act = { .kind = ACT_SLOW, .fields = slow_fields, .nfields = 5 };
	struct rec r = sample();
	char *out = show(&act, &r, sizeof(r), NULL, NULL, true);

	(void)state;
	assert_non_null(strstr(out,
			       "{\"action\":\"slow\",\"tracker\":\"block\",\"start\":5000,\"delay\":41230000,"
			       "\"how\":\"replaced\",\"exit_id\":3,\"cgroup\":77,\"opener\":{\"pid\":411,\"tid\":412,"
			       "\"cpu\":1,\"comm\":\"postgres\"},\"closer\":{\"pid\":9,\"tid\":9,\"cpu\":0,\"comm\":"
			       "\"kworker\"},\"key\":[4096],\"attributes\":{\"dev\":-8,\"stack\":["));
	assert_non_null(strstr(out, "\"waker_comm\":\"jbd2\"}}]}"));
	free(out);
}

/* A row that no tracker can have written is not shown. */
static void damaged_ones_are_left_out(void **state)
{
	const struct recact act = { .kind = ACT_SLOW, .fields = slow_fields, .nfields = 5 };
	struct rec r = sample();
	char *out;

	(void)state;
	r.slow.tracker = 2;
	out = show(&act, &r, sizeof(r), NULL, NULL, false);
	assert_string_equal(out, "");
	free(out);
	r.slow.tracker = 0;
	r.slow.how = SLOW_NHOW;
	out = show(&act, &r, sizeof(r), NULL, NULL, true);
	assert_non_null(strstr(out, "{\"action\":\"slow\"}"));
	free(out);
}

static void every_ending_has_a_name(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < SLOW_NHOW; i++)
		assert_int_equal(slow_how_of(slow_how_name(i)), i);
	assert_null(slow_how_name(SLOW_NHOW));
	assert_int_equal(slow_how_of("other"), -1);
	assert_int_equal(slow_how_of(NULL), -1);
}

static void spans_are_objects(void **state)
{
	struct {
		struct rec_hdr h;
		char lane[8], label[8];
		uint64_t start, duration;
	} r = { .lane = "gc", .label = "mark", .start = 10, .duration = 20 };
	const struct recfield f[] = { { .kind = FLD_STRING, .off = 16, .size = 8 },
				      { .kind = FLD_STRING, .off = 24, .size = 8 },
				      { .kind = FLD_INT, .off = 32, .size = 8 },
				      { .kind = FLD_INT, .off = 40, .size = 8 } };
	char *out = show(&(struct recact){ .kind = ACT_SPAN, .fields = f, .nfields = 4 }, &r, sizeof(r), NULL, NULL,
			 true);

	(void)state;
	assert_non_null(
		strstr(out, "{\"action\":\"span\",\"lane\":\"gc\",\"label\":\"mark\",\"start\":10,\"duration\":20}"));
	free(out);
}

static void hist_has_buckets(void **state)
{
	uint64_t value[1 + AGG_HIST_NBUCKETS] = { 3 };
	struct aggdesc d = { .name = "h", .func = AGG_HIST, .value_size = sizeof(value) };
	struct row row = { .kind = ROW_AGG, .value = value };
	char *out;

	(void)state;
	value[1 + aggval_hist_bucket(-1)] = 1;
	value[1 + aggval_hist_bucket(100)] = 2;
	out = show(NULL, NULL, 0, &row, &d, true);
	assert_non_null(strstr(out, "\"function\":\"hist\""));
	assert_non_null(strstr(out, "[{\"from\":null,\"to\":0,\"count\":1},{\"from\":100,\"to\":102,\"count\":2}]"));
	free(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slow_events_are_lines),     cmocka_unit_test(slow_events_are_objects),
		cmocka_unit_test(damaged_ones_are_left_out), cmocka_unit_test(every_ending_has_a_name),
		cmocka_unit_test(spans_are_objects),	     cmocka_unit_test(hist_has_buckets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
