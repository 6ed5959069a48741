/* SPDX-License-Identifier: Apache-2.0 */
/* The text view: DTrace's bytes from rows made by hand. */
#include <string.h>
#include "../unit.h"
#include <time.h>
#include "base/aggval.h"
#include "view/text/text.h"

/* One record: header, an int of 4 bytes, a string of 16, a u64. */
struct rec {
	struct rec_hdr h;
	int32_t i;
	uint32_t pad;
	char s[16];
	uint64_t u;
};

static const struct recfield f_i = { .kind = FLD_INT, .off = 16, .size = 4, .is_signed = true };
static const struct recfield f_s = { .kind = FLD_STRING, .off = 24, .size = 16 };
static const struct recfield f_u = { .kind = FLD_INT, .off = 40, .size = 8 };
static const struct rec_probe probes[] = { { 1, "dtrace", "", "", "BEGIN" },
					   { 7, "syscall", "vmlinux", "read", "entry" },
					   { 8, "syscall", "vmlinux", "read", "return" } };

struct fixture {
	struct recfmt fmt;
	const struct recfmt *fmts[1];
	const struct aggdesc *aggs[2];
	struct rec_schema schema;
	char *out;
	size_t out_len;
	char msgs[512];
	FILE *f;
	struct text_view *v;
};

static void take_msg(void *arg, const char *text)
{
	struct fixture *x = arg;

	strncat(x->msgs, text, sizeof(x->msgs) - strlen(x->msgs) - 1);
	strncat(x->msgs, "\n", sizeof(x->msgs) - strlen(x->msgs) - 1);
}

static void start(struct fixture *x, const struct recact *acts, size_t nacts, struct text_opts o)
{
	x->fmt = (struct recfmt){ .epid = 1, .size = sizeof(struct rec), .acts = acts, .nacts = nacts };
	x->fmts[0] = &x->fmt;
	x->schema.fmts = x->fmts;
	x->schema.nfmts = 1;
	x->schema.probes = probes;
	x->schema.nprobes = 3;
	x->schema.aggs = x->aggs;
	x->schema.ncpus = 2;
	x->f = open_memstream(&x->out, &x->out_len);
	o.stackindent = 14;
	assert_int_equal(text_view_new(&x->schema, NULL, &o, x->f, take_msg, x, &x->v), 0);
}

static void event(struct fixture *x, uint32_t probe, uint32_t cpu, const struct rec *r)
{
	struct row row = { .kind = ROW_EVENT, .probe = probe, .cpu = cpu, .id = 1, .data = r, .len = sizeof(*r) };

	assert_int_equal(text_view_row(x->v, &row), 0);
}

static void stop(struct fixture *x, const char *expect)
{
	assert_int_equal(text_view_finish(x->v), 0);
	assert_string_equal(x->out, expect);
	text_view_free(x->v);
	fclose(x->f);
	free(x->out);
}

static const struct rec sample = { .i = -5, .s = "bash", .u = 0xffffffff00000001 };

static void formats_follow_dtrace(void **state)
{
	static const struct {
		const char *fmt, *expect;
	} rows[] = {
		{ "%d|%s|%x", "-5|bash|ffffffff00000001" },
		{ "%5d|%-8s|%u", "   -5|bash    |18446744069414584321" },
		{ "%05d|%8s|%#x", "-0005|    bash|0xffffffff00000001" },
		{ "%hd|%.2s|%p", "-5|ba|ffffffff00000001" },
		{ "%x|%S|%d", "fffffffb|bash|18446744069414584321" },
		{ "100%% %i", "100% -5" },
		{ "%c", "\373" },
		{ "plain", "plain" },
		{ "%+d|%s|%lld", "-5|bash|18446744069414584321" },
	};
	const struct recfield fields[] = { f_i, f_s, f_u };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct recact act = { .kind = ACT_PRINTF,
				      .fmt = rows[i].fmt,
				      .fmt_len = strlen(rows[i].fmt),
				      .fields = fields,
				      .nfields = 3 };
		struct fixture x = { 0 };

		start(&x, &act, 1, (struct text_opts){ .quiet = true });
		event(&x, 1, 0, &sample);
		stop(&x, rows[i].expect);
	}
}

static void star_takes_width_from_the_data(void **state)
{
	const struct recfield fields[] = { f_i, f_s };
	struct recact act = { .kind = ACT_PRINTF, .fmt = "[%*s]", .fmt_len = 5, .fields = fields, .nfields = 2 };
	struct rec r = { .i = -8, .s = "sh" };
	struct fixture x = { 0 };

	(void)state;
	start(&x, &act, 1, (struct text_opts){ .quiet = true });
	event(&x, 1, 0, &r);
	stop(&x, "[sh      ]");
}

static void times_are_dates(void **state)
{
	struct recact act = { .kind = ACT_PRINTF,
			      .fmt = "%Y|%T",
			      .fmt_len = 5,
			      .fields = (const struct recfield[]){ f_u, f_u },
			      .nfields = 2 };
	struct rec r = { .u = 123780000000000000ull };
	struct fixture x = { 0 };

	(void)state;
	setenv("TZ", "UTC", 1);
	tzset();
	start(&x, &act, 1, (struct text_opts){ .quiet = true });
	event(&x, 1, 0, &r);
	stop(&x, "1973 Dec  3 15:20:00|Mon, 03 Dec 1973 15:20:00 UTC");
}

static void columns_and_default_forms(void **state)
{
	struct recact acts[] = { { .kind = ACT_TRACE, .fields = &f_i, .nfields = 1 },
				 { .kind = ACT_TRACE, .fields = &f_s, .nfields = 1 },
				 { .kind = ACT_TRACE, .fields = &f_u, .nfields = 1 } };
	struct rec r = { .i = 42, .s = "sh", .u = 9 };
	struct fixture x = { 0 };

	(void)state;
	start(&x, acts, 3, (struct text_opts){ 0 });
	event(&x, 7, 1, &r);
	stop(&x, "CPU     ID                    FUNCTION:NAME\n"
		 "  1      7                       read:entry "
		 "         42  sh                                                   9\n");
}

static void flow_indents_system_calls(void **state)
{
	struct fixture x = { 0 };
	struct rec r = { 0 };

	(void)state;
	start(&x, NULL, 0, (struct text_opts){ .flowindent = true });
	event(&x, 7, 0, &r);
	event(&x, 8, 0, &r);
	stop(&x, "CPU FUNCTION                                 \n"
		 "  0  => read                                  \n"
		 "  0  <= read                                  \n");
}

struct key {
	char name[16];
	int32_t n;
	uint32_t pad;
};
static const struct recfield key_fields[] = {
	{ .kind = FLD_STRING, .off = 0, .size = 16 },
	{ .kind = FLD_INT, .off = 16, .size = 4, .is_signed = true },
};

static void add(struct fixture *x, uint32_t agg, const struct key *k, const uint64_t *value)
{
	struct row row = { .kind = ROW_AGG, .id = agg, .data = k, .len = sizeof(*k), .value = value };

	assert_int_equal(text_view_row(x->v, &row), 0);
}

static const struct aggdesc agg_count = { .id = 0,
					  .name = "a",
					  .func = AGG_COUNT,
					  .keys = key_fields,
					  .nkeys = 2,
					  .key_size = sizeof(struct key),
					  .value_size = 8 };
static const struct aggdesc agg_sum = { .id = 1,
					.name = "b",
					.func = AGG_SUM,
					.keys = key_fields,
					.nkeys = 2,
					.key_size = sizeof(struct key),
					.value_size = 16,
					.is_signed = true };

static void fill_two(struct fixture *x)
{
	const struct key a = { "init", 1, 0 }, b = { "bash", 7, 0 }, c = { "bash", -2, 0 };

	add(x, 0, &a, (uint64_t[]){ 5 });
	add(x, 0, &b, (uint64_t[]){ 2 });
	add(x, 0, &c, (uint64_t[]){ 2 });
	add(x, 0, &a, (uint64_t[]){ 1 });
	add(x, 1, &a, (uint64_t[]){ 3, 30 });
}

static void aggregations_sort_by_value_then_key(void **state)
{
	struct fixture x = { .aggs = { &agg_count, &agg_sum }, .schema = { .naggs = 2 } };

	(void)state;
	start(&x, NULL, 0, (struct text_opts){ 0 });
	fill_two(&x);
	stop(&x, "  bash                                                      7                2\n"
		 "  bash                                                     -2                2\n"
		 "  init                                                      1                6\n"
		 "  init                                                      1               30\n");
}

static void printa_joins_several(void **state)
{
	const struct aggdesc *const both[] = { &agg_count, &agg_sum };
	struct recact act = { .kind = ACT_PRINTA, .fmt = "%s %d: %@d %@d\n", .fmt_len = 15, .aggs = both, .naggs = 2 };
	struct fixture x = { .aggs = { &agg_count, &agg_sum }, .schema = { .naggs = 2 } };
	struct rec r = { 0 };

	(void)state;
	start(&x, &act, 1, (struct text_opts){ .quiet = true, .aggsortrev = true });
	fill_two(&x);
	event(&x, 1, 0, &r);
	stop(&x, "init 1: 6 30\nbash -2: 2 0\nbash 7: 2 0\n");
}

static void normalize_clear_trunc(void **state)
{
	const struct aggdesc *const one[] = { &agg_count };
	static const struct recfield two = { .kind = FLD_INT, .off = 16, .size = 4, .is_signed = true };
	struct recact acts[] = {
		{ .kind = ACT_NORMALIZE, .aggs = one, .naggs = 1, .fields = &two, .nfields = 1 },
		{ .kind = ACT_PRINTA, .fmt = "%s %d %@d\n", .fmt_len = 10, .aggs = one, .naggs = 1 },
		{ .kind = ACT_DENORMALIZE, .aggs = one, .naggs = 1 },
		{ .kind = ACT_TRUNC, .aggs = one, .naggs = 1, .fields = &two, .nfields = 1 },
		{ .kind = ACT_PRINTA, .fmt = "%s %d %@d\n", .fmt_len = 10, .aggs = one, .naggs = 1 },
		{ .kind = ACT_CLEAR, .aggs = one, .naggs = 1 },
		{ .kind = ACT_PRINTA, .fmt = "%s %d %@d\n", .fmt_len = 10, .aggs = one, .naggs = 1 },
	};
	struct fixture x = { .aggs = { &agg_count, &agg_sum }, .schema = { .naggs = 2 } };
	struct rec r = { .i = 2 };

	(void)state;
	start(&x, acts, 7, (struct text_opts){ .quiet = true });
	fill_two(&x);
	event(&x, 1, 0, &r);
	stop(&x, "bash 7 1\nbash -2 1\ninit 1 3\n"
		 "bash -2 2\ninit 1 6\n"
		 "bash -2 0\ninit 1 0\n"
		 "  init                                                      1               30\n");
}

static void distributions_are_drawn(void **state)
{
	static const struct aggdesc q = {
		.id = 0, .name = "", .func = AGG_QUANTIZE, .value_size = 8 * (1 + AGG_QUANT_NBUCKETS)
	};
	uint64_t v[1 + AGG_QUANT_NBUCKETS] = { 4 };
	struct row row = { .kind = ROW_AGG, .id = 0, .data = "", .len = 0, .value = v };
	struct fixture x = { .aggs = { &q }, .schema = { .naggs = 1 } };

	(void)state;
	v[1 + aggval_quantize_bucket(0)] = 1;
	v[1 + aggval_quantize_bucket(5)] = 3;
	start(&x, NULL, 0, (struct text_opts){ 0 });
	assert_int_equal(text_view_row(x.v, &row), 0);
	stop(&x, "\n"
		 "           value  ------------- Distribution ------------- count    \n"
		 "              -1 |                                         0        \n"
		 "               0 |@@@@@@@@@@                               1        \n"
		 "               1 |                                         0        \n"
		 "               2 |                                         0        \n"
		 "               4 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@           3        \n"
		 "               8 |                                         0        \n"
		 "\n");
}

static void losses_and_faults_in_dtrace_words(void **state)
{
	struct row drops = { .kind = ROW_DROPS, .id = CNT_DROP_PRINCIPAL, .cpu = 1, .count = 2 };
	struct rec_fault flt = { .epid = 3, .action = 2, .code = FAULT_BADADDR, .pc = 40, .value = 16 };
	struct row fault = { .kind = ROW_FAULT, .probe = 7, .data = &flt, .len = sizeof(flt) };
	struct fixture x = { 0 };

	(void)state;
	start(&x, NULL, 0, (struct text_opts){ .droptags = true });
	text_view_row(x.v, &drops);
	text_view_row(x.v, &fault);
	assert_string_equal(x.msgs, "[DTRACEDROP_PRINCIPAL] 2 drops on CPU 1\n"
				    "error on enabled probe ID 3 (ID 7: syscall:vmlinux:read:entry): "
				    "invalid address (0x10) in action #2 at BPF pc 40\n");
	stop(&x, "");
}

static const struct {
	unsigned kind;
	const char *many, *one;
} loss_rows[] = {
	{ CNT_DROP_PRINCIPAL, "[DTRACEDROP_PRINCIPAL] 2 drops on CPU 1\n", "[DTRACEDROP_PRINCIPAL] 1 drop on CPU 1\n" },
	{ CNT_DROP_AGG, "[DTRACEDROP_AGGREGATION] 2 aggregation drops on CPU 1\n",
	  "[DTRACEDROP_AGGREGATION] 1 aggregation drop on CPU 1\n" },
	{ CNT_DROP_DYN, "[DTRACEDROP_DYNAMIC] 2 dynamic variable drops\n",
	  "[DTRACEDROP_DYNAMIC] 1 dynamic variable drop\n" },
	{ CNT_DROP_SPEC, "[DTRACEDROP_SPEC] 2 speculative drops\n", "[DTRACEDROP_SPEC] 1 speculative drop\n" },
	{ CNT_DROP_SPEC_BUSY, "[DTRACEDROP_SPECBUSY] 2 failed speculations (available buffer(s) still busy)\n",
	  "[DTRACEDROP_SPECBUSY] 1 failed speculation (available buffer(s) still busy)\n" },
	{ CNT_DROP_SPEC_UNAVAIL, "[DTRACEDROP_SPECUNAVAIL] 2 failed speculations (no speculative buffer available)\n",
	  "[DTRACEDROP_SPECUNAVAIL] 1 failed speculation (no speculative buffer available)\n" },
	{ CNT_COMPAT, "[DTRACEDROP_COMPAT] 2 system calls of 32-bit programs not traced\n",
	  "[DTRACEDROP_COMPAT] 1 system call of a 32-bit program not traced\n" },
	{ CNT_DROP_SCRATCH, "[DTRACEDROP_SCRATCH] 2 firings lost: no scratch space free\n",
	  "[DTRACEDROP_SCRATCH] 1 firing lost: no scratch space free\n" },
	{ CNT_RECURSION,
	  "[DTRACEDROP_RECURSION] 2 firings skipped by the kernel: the same program was running on that CPU\n",
	  "[DTRACEDROP_RECURSION] 1 firing skipped by the kernel: the same program was running on that CPU\n" },
	{ CNT_CALL_MISSED,
	  "[DTRACEDROP_RETURN] 2 calls not seen: the kernel had no room to follow them to their returns\n",
	  "[DTRACEDROP_RETURN] 1 call not seen: the kernel had no room to follow it to its return\n" },
	{ CNT_TIMER_MISSES, "[DTRACEDROP_TIMER] 2 timer firings missed\n",
	  "[DTRACEDROP_TIMER] 1 timer firing missed\n" },
	{ CNT_TIMER_ASLEEP, "[DTRACEDROP_IDLE] 2 timer firings not made: their CPUs were idle\n",
	  "[DTRACEDROP_IDLE] 1 timer firing not made: the CPU was idle\n" },
	{ CNT_TRACK_FULL,
	  "[DROP_TRACK_FULL] tracker vmlinux: 2 events not tracked: no room for their keys (setting size)\n",
	  "[DROP_TRACK_FULL] tracker vmlinux: 1 event not tracked: no room for its key (setting size)\n" },
	{ CNT_TRACK_DEEP,
	  "[DROP_TRACK_DEEP] tracker vmlinux: 2 events not tracked: their keys have been opened too often (setting nested)\n",
	  "[DROP_TRACK_DEEP] tracker vmlinux: 1 event not tracked: its key has been opened too often (setting nested)\n" },
	{ CNT_TRACK_LIMITED,
	  "[DROP_TRACK_LIMITED] tracker vmlinux: 2 slow events not shown: more than the limit per second\n",
	  "[DROP_TRACK_LIMITED] tracker vmlinux: 1 slow event not shown: more than the limit per second\n" },
	{ CNT_TRACK_LOST, "[DROP_TRACK_LOST] tracker vmlinux: 2 events collected that were never closed\n",
	  "[DROP_TRACK_LOST] tracker vmlinux: 1 event collected that was never closed\n" },
	{ CNT_FLIGHT_MISSED, "[DROP_FLIGHT] 2 events not in the flight recorder: their CPUs came online later\n",
	  "[DROP_FLIGHT] 1 event not in the flight recorder: its CPU came online later\n" },
	{ CNT_UNRECORDED, "[DROP_RECORD] 2 rows not in the recording: no room within --record-size\n",
	  "[DROP_RECORD] 1 row not in the recording: no room within --record-size\n" },
	{ CNT_TRACK_EXITED,
	  "[DROP_TRACK_EXITED] tracker vmlinux: 2 events left out: their threads ended before they did\n",
	  "[DROP_TRACK_EXITED] tracker vmlinux: 1 event left out: its thread ended before it did\n" },
};

static void every_loss_has_its_tag_and_words(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(loss_rows) / sizeof(loss_rows[0]); i++) {
		for (uint64_t n = 1; n <= 2; n++) {
			struct row row = {
				.kind = ROW_DROPS, .id = loss_rows[i].kind, .cpu = 1, .probe = 7, .count = n
			};
			struct fixture x = { 0 };

			start(&x, NULL, 0, (struct text_opts){ .droptags = true });
			assert_int_equal(text_view_row(x.v, &row), 0);
			assert_int_equal(text_view_finish(x.v), 0);
			assert_string_equal(x.msgs, n == 1 ? loss_rows[i].one : loss_rows[i].many);
			stop(&x, "");
		}
	}
}

static void every_fault_has_its_words(void **state)
{
	static const struct {
		uint32_t code;
		const char *words;
	} rows[] = {
		{ FAULT_BADADDR, "invalid address (0x10)" },
		{ FAULT_BADALIGN, "invalid alignment (0x10)" },
		{ FAULT_ILLOP, "illegal operation" },
		{ FAULT_DIVZERO, "divide-by-zero" },
		{ FAULT_NOSCRATCH, "out of scratch space" },
		{ FAULT_KPRIV, "invalid kernel access" },
		{ FAULT_UPRIV, "invalid user access" },
		{ FAULT_TUPOFLOW, "tuple stack overflow" },
		{ FAULT_BADSTACK, "bad stack" },
		{ FAULT_BADSIZE, "invalid size (0x10)" },
		{ FAULT_BADINDEX, "index out of bounds (16)" },
		{ FAULT_UNKNOWN, "unknown fault" },
		{ 99, "unknown fault" },
	};
	char expect[160];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rec_fault flt = { .epid = 3, .code = rows[i].code, .pc = 40, .value = 16 };
		struct row fault = { .kind = ROW_FAULT, .probe = 7, .data = &flt, .len = sizeof(flt) };
		struct fixture x = { 0 };

		start(&x, NULL, 0, (struct text_opts){ .quiet = true });
		text_view_row(x.v, &fault);
		snprintf(expect, sizeof(expect),
			 "error on enabled probe ID 3 (ID 7: syscall:vmlinux:read:entry): "
			 "%s in predicate at BPF pc 40\n",
			 rows[i].words);
		assert_string_equal(x.msgs, expect);
		stop(&x, "");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(formats_follow_dtrace),
		cmocka_unit_test(star_takes_width_from_the_data),
		cmocka_unit_test(times_are_dates),
		cmocka_unit_test(columns_and_default_forms),
		cmocka_unit_test(flow_indents_system_calls),
		cmocka_unit_test(aggregations_sort_by_value_then_key),
		cmocka_unit_test(printa_joins_several),
		cmocka_unit_test(normalize_clear_trunc),
		cmocka_unit_test(distributions_are_drawn),
		cmocka_unit_test(losses_and_faults_in_dtrace_words),
		cmocka_unit_test(every_loss_has_its_tag_and_words),
		cmocka_unit_test(every_fault_has_its_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
