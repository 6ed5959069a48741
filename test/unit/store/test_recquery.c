/* SPDX-License-Identifier: Apache-2.0 */
/* Rows with tables of their own come back by questions; slots are added up; hostile files are refused. */
#include "../unit.h"
#include <errno.h>
#include <unistd.h>
#include "base/strb.h"
#include "recsample.h"
#include "store/file/recquery.h"

/* The rows that callbacks received, as text. */
struct seen {
	struct strb text;
	int n, stop_after; /* 0: never */
};

static int saw(struct seen *s)
{
	return s->stop_after && ++s->n == s->stop_after ? 7 : 0;
}

static void expect(struct seen *s, const char *want)
{
	assert_string_equal(strb_str(&s->text), want);
	strb_free(&s->text);
}

static int on_slow(void *ctx, const struct rec_slow_row *r)
{
	struct seen *s = ctx;

	strb_printf(&s->text, "%s %llu+%llu how %u key %s;", r->fixed.comm, (unsigned long long)r->fixed.start,
		    (unsigned long long)r->fixed.delay, r->fixed.how, r->key);
	return saw(s);
}

static void ask_slow(struct recread *r, struct rec_slow_query q, const char *want)
{
	struct seen s = { 0 };

	assert_int_equal(recread_slow(r, &q, on_slow, &s, NULL), 0);
	expect(&s, want);
}

static int on_attrs(void *ctx, const struct rec_slow_row *s)
{
	struct recread *r = ctx;
	struct rec_stack stack;

	assert_int_equal(s->fixed.exit_id, 3);
	assert_true(s->fixed.cgroup == UINT64_MAX);
	assert_int_equal(s->fixed.pid, 41);
	assert_int_equal(s->fixed.tid, 42);
	assert_int_equal(s->fixed.cpu, 1);
	assert_int_equal(s->fixed.end_tid, 10);
	assert_int_equal(s->nattrs, 4);
	assert_string_equal(s->attrs[0].name, "dev");
	assert_int_equal(s->attrs[0].kind, REC_ATTR_INT);
	assert_int_equal(s->attrs[0].value, -8);
	assert_int_equal(s->attrs[1].kind, REC_ATTR_TEXT);
	assert_string_equal(s->attrs[1].text, "jbd2");
	assert_int_equal(s->attrs[2].kind, REC_ATTR_STACK);
	assert_int_equal(recread_stack(r, s->attrs[2].value, &stack, NULL), 0);
	assert_int_equal(stack.space, RECFILE_KERNEL);
	assert_int_equal(stack.n, 2);
	assert_int_equal(stack.frames[1], 0x20);
	assert_string_equal(s->attrs[3].name, "ustack");
	assert_int_equal(recread_stack(r, s->attrs[3].value, &stack, NULL), 0);
	assert_int_equal(stack.space, RECFILE_USER);
	assert_int_equal(stack.tgid, 5);
	assert_int_equal(stack.start, 6);
	assert_int_equal(stack.n, 2);
	assert_int_equal(recread_stack(r, 99, &stack, NULL), -ENOENT);
	return 0;
}

static void slow_events_come_back(void **state)
{
	struct recfile *f = sample_make(0, 0, 0);
	struct seen s = { .stop_after = 2 };
	struct rec_slow_query all = { .range = REC_ALL_TIME, .tracker = -1 }, q = all;
	struct recread *r;

	(void)state;
	sample_slow(f, 0, 100, 50, SLOW_NORMAL, "a");
	sample_slow(f, 1, 110, 90, SLOW_TIMEOUT, "b");
	sample_slow(f, 0, 120, 10, SLOW_CONTROL, "c");
	sample_slow(f, 0, 130, 70, SLOW_REPLACED, "d");
	sample_slow(f, 99, 130, 70, SLOW_NORMAL, "of no tracker: not kept");
	assert_int_equal(recfile_close(f, NULL), 0);
	r = sample_open();
	assert_int_equal(recread_schema(r)->ntrackers, 2);
	assert_string_equal(recread_schema(r)->trackers[0].name, "block");
	assert_int_equal(recread_schema(r)->trackers[0].nkeys, 1);
	assert_int_equal(recread_schema(r)->trackers[1].timeout, 5);
	assert_string_equal(recread_schema(r)->fmts[0]->acts[0].fields[2].name, "dev");
	ask_slow(r, all, "a 100+50 how 0 key -7;b 110+90 how 1 key ;d 130+70 how 2 key -7;");
	q.longest_first = true;
	q.limit = 2;
	ask_slow(r, q, "b 110+90 how 1 key ;d 130+70 how 2 key -7;");
	q = all;
	q.tracker = 0;
	q.min_delay = 60;
	ask_slow(r, q, "d 130+70 how 2 key -7;");
	q = all;
	q.range = (struct rec_range){ 0, 200 }; /* b and d ended at 200 */
	ask_slow(r, q, "a 100+50 how 0 key -7;");
	q = all;
	q.which = CONTROL_ONLY;
	ask_slow(r, q, "c 120+10 how 4 key -7;");
	q = all;
	q.max_delay = 50;
	assert_int_equal(recread_slow(r, &q, on_attrs, r, NULL), 0);
	assert_int_equal(recread_slow(r, &all, on_slow, &s, NULL), 7); /* what the callback said */
	strb_free(&s.text);
	recread_close(r);
}

static int on_span(void *ctx, const struct rec_span *p)
{
	struct seen *s = ctx;

	strb_printf(&s->text, "%s/%s %llu+%llu;", p->lane, p->label, (unsigned long long)p->start,
		    (unsigned long long)p->duration);
	return saw(s);
}

static int on_proc(void *ctx, const struct rec_proc_row *p)
{
	struct seen *s = ctx;

	strb_printf(&s->text, "%llu %s %u %u %llx %s;", (unsigned long long)p->ts, rec_proc_name(p->p.kind), p->p.tgid,
		    p->p.parent, (unsigned long long)p->p.addr, p->name);
	return saw(s);
}

static int on_cost(void *ctx, const struct rec_cost_row *c)
{
	struct seen *s = ctx;

	strb_printf(&s->text, "%llu %u %u %llu/%llu in %llu;", (unsigned long long)c->ts, c->program, c->probe,
		    (unsigned long long)c->c.run_ns, (unsigned long long)c->c.run_cnt,
		    (unsigned long long)c->c.interval);
	return saw(s);
}

static void others_come_back_by_time(void **state)
{
	struct recfile *f = sample_make(0, 0, 0);
	struct rec_cost cost = { 100, 3, 1000 };
	struct row row = { .kind = ROW_COST, .ts = 50, .id = 4, .probe = 1, .data = &cost, .len = sizeof(cost) };
	struct rec_range range = { 20, 31 };
	struct seen s = { 0 };
	struct recread *r;

	(void)state;
	sample_span(f, 30, 5, "gc", "mark");
	sample_span(f, 20, 500, "gc", "a label that is too long");
	sample_span(f, 40, 1, "x", "");
	sample_proc(f, 20, PROC_FORK, 7, "");
	sample_proc(f, 21, PROC_EXEC, 7, "ls");
	sample_proc(f, 22, PROC_MMAP, 7, "/lib/libc.so");
	sample_proc(f, 30, PROC_EXIT, 7, "");
	sample_proc(f, 31, PROC_EXIT, 8, "");
	sample_proc(f, 31, PROC_NKINDS, 8, "");
	assert_int_equal(recfile_append(f, &row, NULL), 0);
	assert_int_equal(recfile_close(f, NULL), 0);
	r = sample_open();
	assert_int_equal(recread_spans(r, range, on_span, &s, NULL), 0);
	expect(&s, "gc/a label that is 20+500;gc/mark 30+5;");
	assert_int_equal(recread_procs(r, range, on_proc, &s, NULL), 0);
	expect(&s, "20 fork 7 1 0 ;21 exec 7 0 0 ls;22 mmap 7 0 1000 /lib/libc.so;30 exit 7 0 0 ;");
	assert_int_equal(recread_costs(r, REC_ALL_TIME, on_cost, &s, NULL), 0);
	expect(&s, "50 4 1 100/3 in 1000;");
	recread_close(r);
}

static int on_column(void *ctx, const struct rec_column *c)
{
	struct seen *s = ctx;

	strb_printf(&s->text, "%llu key %lld n %llu sum %llu max %llu%s:", (unsigned long long)(c->start / SEC),
		    (long long)c->key, (unsigned long long)c->head.count, (unsigned long long)c->head.sum,
		    (unsigned long long)c->head.max, c->head.flags & HIST_NO_SUM ? " inexact" : "");
	for (uint32_t i = 0; i < c->head.nbuckets; i++)
		strb_printf(&s->text, " %u=%llu", c->buckets[i].index, (unsigned long long)c->buckets[i].count);
	strb_adds(&s->text, ";");
	return saw(s);
}

static void ask_columns(struct recread *r, uint32_t source, uint64_t period, uint64_t from, uint64_t to, int64_t key,
			const char *want)
{
	struct seen s = { 0 };

	assert_int_equal(recread_columns(r, source, period, (struct rec_range){ from * SEC, to * SEC }, key, on_column,
					 &s, NULL),
			 0);
	expect(&s, want);
}

static int on_key(void *ctx, int64_t key, const char *text, const void *data)
{
	struct seen *s = ctx;

	strb_printf(&s->text, "%lld=%s%s;", (long long)key, text, data ? "" : " (no key)");
	return saw(s);
}

/* The wall clock is 20 s ahead of the monotonic one: minutes begin at 40, 100 … */
static void slots_are_added_up(void **state)
{
	struct recfile *f = sample_make(20 * SEC, 0, 0);
	struct seen s = { 0 };
	struct histsum sum = { 0 };
	struct recread *r;

	(void)state;
	sample_hist(f, SAMPLE_TRACKER, 98 * SEC, 0, 5, 2);
	sample_hist(f, SAMPLE_TRACKER, 99 * SEC, 0, 6, 1);
	sample_hist(f, SAMPLE_TRACKER, 99 * SEC, 0, 5, 4); /* the same slot again */
	recfile_tick(f, 1000 * SEC, NULL);
	sample_hist(f, SAMPLE_TRACKER, 100 * SEC, 0, 7, 1);
	sample_hist(f, SAMPLE_TRACKER, 300 * SEC, 0, 9, 1); /* the former are over */
	recfile_tick(f, 2000 * SEC, NULL);
	sample_hist(f, SAMPLE_TRACKER, 99 * SEC, 0, 8, 1); /* late */
	sample_hist(f, SAMPLE_HIST, 50 * SEC, 11, 5, 1);
	sample_hist(f, SAMPLE_HIST, 50 * SEC, (uint64_t)-12, 5, 1);
	sample_hist(f, SAMPLE_HIST, 51 * SEC, 11, 6, 1);
	assert_int_equal(recfile_close(f, NULL), 0);
	r = sample_open();
	assert_int_equal(recread_wall_off(r), 20 * SEC);
	ask_columns(
		r, SAMPLE_TRACKER, SEC, 0, 1000, -1,
		"98 key 1 n 2 sum 10 max 5: 6=2;99 key 1 n 6 sum 34 max 8: 6=4 7=1 9=1;100 key 1 n 1 sum 7 max 7: 8=1;"
		"300 key 1 n 1 sum 9 max 9: 10=1;");
	ask_columns(r, SAMPLE_TRACKER, SEC, 99, 100, -1, "99 key 1 n 6 sum 34 max 8: 6=4 7=1 9=1;");
	ask_columns(
		r, SAMPLE_TRACKER, RECFILE_MINUTE_NS, 0, 1000, -1,
		"40 key 1 n 8 sum 44 max 8: 6=6 7=1 9=1;100 key 1 n 1 sum 7 max 7: 8=1;280 key 1 n 1 sum 9 max 9: 10=1;");
	ask_columns(r, SAMPLE_TRACKER, RECFILE_HOUR_NS, 0, 100000, -1, "");
	ask_columns(r, SAMPLE_HIST, SEC, 0, 1000, 2, "50 key 2 n 1 sum 5 max 5: 6=1;51 key 2 n 1 sum 6 max 6: 7=1;");
	ask_columns(r, SAMPLE_KEYLESS, SEC, 0, 1000, -1, "");
	ask_columns(r, 77, SEC, 0, 1000, -1, "");
	assert_int_equal(recread_hist_keys(r, SAMPLE_HIST, on_key, &s, NULL), 0);
	expect(&s, "2=11;3=-12;");
	/* by minutes within, by seconds at both ends */
	assert_int_equal(recread_hist(r, SAMPLE_TRACKER, (struct rec_range){ 40 * SEC, 301 * SEC }, -1, &sum, NULL), 0);
	assert_int_equal(sum.count, 10);
	assert_int_equal(sum.max, 9);
	assert_int_equal(recread_hist(r, SAMPLE_TRACKER, (struct rec_range){ 99 * SEC, 100 * SEC }, -1, &sum, NULL), 0);
	assert_int_equal(sum.count, 6);
	assert_int_equal(recread_hist(r, SAMPLE_HIST, REC_ALL_TIME, 3, &sum, NULL), 0);
	assert_int_equal(sum.count, 1);
	histsum_free(&sum);
	recread_close(r);
}

static void write_seconds(void)
{
	struct recfile *f = sample_make(0, 0, 0);

	for (uint64_t t = 0; t < 200; t++) {
		sample_hist(f, SAMPLE_KEYLESS, t * SEC, 0, 5, 1);
		recfile_tick(f, (t + 1) * SEC, NULL);
	}
}

static void a_killed_recorder_leaves_seconds(void **state)
{
	struct histsum sum = { 0 };
	struct recread *r;

	(void)state;
	sample_killed(write_seconds);
	r = sample_open();
	ask_columns(r, SAMPLE_KEYLESS, RECFILE_MINUTE_NS, 0, 100, -1,
		    "0 key 1 n 60 sum 300 max 5: 6=60;60 key 1 n 60 sum 300 max 5: 6=60;");
	assert_int_equal(recread_hist(r, SAMPLE_KEYLESS, REC_ALL_TIME, -1, &sum, NULL), 0);
	assert_int_equal(sum.count, 200);
	histsum_free(&sum);
	recread_close(r);
	sample_sql("SELECT 1"); /* takes the log over */
}

static void aggregations_make_slots(void **state)
{
	static uint64_t value[1 + AGG_HIST_NBUCKETS];
	struct recfile *f = sample_make(0, 0, 0);
	uint64_t key = 4, l[13] = { 3, [1 + 2] = 3 };
	struct row row = { .kind = ROW_AGG, .id = 0, .ts = 10 * SEC, .data = &key, .len = 8, .value = value };
	struct row lrow = { .kind = ROW_AGG, .id = 1, .ts = 11 * SEC, .value = l }, got;
	struct recread *r;

	(void)state;
	value[0] = 2;
	value[1 + aggval_hist_bucket(100)] = 2;
	assert_int_equal(recfile_append(f, &row, NULL), 0);
	assert_int_equal(recfile_append(f, &lrow, NULL), 0);
	row.ts = 11 * SEC;
	assert_int_equal(recfile_append(f, &row, NULL), 0);
	assert_int_equal(recfile_close(f, NULL), 0);
	r = sample_open();
	/* what was read at 11 s came between 10 and 11 s */
	ask_columns(r, SAMPLE_HIST, SEC, 0, 100, -1, "10 key 1 n 4 sum 0 max 0 inexact: 83=4;");
	ask_columns(r, SAMPLE_LQUANT, SEC, 0, 100, -1, "10 key 2 n 3 sum 0 max 0 inexact: 2=3;");
	/* and the rows are as they were */
	assert_true(recread_next(r, &got, NULL).more);
	assert_memory_equal(got.value, value, sizeof(value));
	assert_true(recread_next(r, &got, NULL).more);
	assert_memory_equal(got.value, l, sizeof(l));
	recread_close(r);
}

/* Keyed by 10 ms of the wall clock, which is 20 s and 5 ms ahead. */
static void slots_of_the_program_are_exact(void **state)
{
	struct recfile *f = sample_make(20 * SEC + 5000000, 0, 0);
	uint64_t key[2] = { 2101, 7 }, l[13] = { 3, [1 + 2] = 3 };
	struct row row = { .kind = ROW_AGG, .id = 3, .ts = 50 * SEC, .data = key, .len = 16, .value = l };
	struct seen s = { 0 };
	struct recread *r;

	(void)state;
	assert_int_equal(recfile_append(f, &row, NULL), 0);
	row.ts = 51 * SEC; /* some were read late */
	assert_int_equal(recfile_append(f, &row, NULL), 0);
	key[0] = 2199;
	assert_int_equal(recfile_append(f, &row, NULL), 0);
	key[0] = UINT64_MAX; /* no time */
	assert_int_equal(recfile_append(f, &row, NULL), 0);
	assert_int_equal(recfile_close(f, NULL), 0);
	r = sample_open();
	assert_int_equal(recread_schema(r)->aggs[3]->slot_ns, SEC / 100);
	assert_int_equal(recread_columns(r, SAMPLE_SLOTTED, SEC / 100, (struct rec_range){ 1005000000, 1005000001 }, -1,
					 on_column, &s, NULL),
			 0);
	expect(&s, "1 key 1 n 6 sum 0 max 0 inexact: 2=6;"); /* 21.01 s less 20.005 s */
	assert_int_equal(recread_columns(r, SAMPLE_SLOTTED, SEC, (struct rec_range){ 995000000, 995000001 }, -1,
					 on_column, &s, NULL),
			 0);
	expect(&s, "0 key 1 n 9 sum 0 max 0 inexact: 2=9;"); /* 21 … 22 s of the wall clock */
	assert_int_equal(recread_hist_keys(r, SAMPLE_SLOTTED, on_key, &s, NULL), 0);
	expect(&s, "1=7;");
	recread_close(r);
}

static void many_keys_become_other(void **state)
{
	struct recfile *f = sample_make(0, 0, 0);
	struct histsum sum = { 0 };
	struct recread *r;
	struct seen s = { 0 };

	(void)state;
	for (uint64_t k = 0; k < RECFILE_HIST_KEYS + 10; k++)
		sample_hist(f, SAMPLE_HIST, SEC, k, 5, 1);
	sample_hist(f, SAMPLE_HIST, SEC, 0, 5, 1); /* known before: its own */
	assert_int_equal(recfile_close(f, NULL), 0);
	r = sample_open();
	assert_int_equal(recread_hist_keys(r, SAMPLE_HIST, on_key, &s, NULL), 0);
	assert_non_null(strstr(strb_str(&s.text), ";4097=other (no key);"));
	strb_free(&s.text);
	assert_int_equal(recread_hist(r, SAMPLE_HIST, REC_ALL_TIME, 4097, &sum, NULL), 0);
	assert_int_equal(sum.count, 10);
	assert_int_equal(recread_hist(r, SAMPLE_HIST, REC_ALL_TIME, 1, &sum, NULL), 0);
	assert_int_equal(sum.count, 2);
	histsum_free(&sum);
	recread_close(r);
}

static int on_row(void *ctx, const struct row *row)
{
	struct seen *s = ctx;

	strb_printf(&s->text, "%u@%llu;", row->kind, (unsigned long long)row->ts);
	return saw(s);
}

static void rows_are_found_by_time(void **state)
{
	struct recfile *f = sample_make(0, 0, 0);
	struct row note = { .kind = ROW_NOTE, .data = "x", .len = 2 };
	struct rec_range extent;
	struct seen s = { 0 };
	struct recread *r;

	(void)state;
	for (uint64_t i = 0; i < 5000; i++) {
		note.ts = (i * 10 + (i % 3 == 2) * 7) * (SEC / 1000); /* some are early by 7 ms */
		note.kind = i % 100 == 50 ? ROW_DROPS : ROW_NOTE;
		assert_int_equal(recfile_append(f, &note, NULL), 0);
	}
	assert_int_equal(recfile_close(f, NULL), 0);
	r = sample_open();
	assert_int_equal(recread_rows(r, 1u << ROW_DROPS, (struct rec_range){ 20 * SEC, 23 * SEC }, on_row, &s, NULL),
			 0);
	expect(&s, "3@20500000000;3@21507000000;3@22500000000;");
	assert_int_equal(recread_rows(r, 1u << ROW_NOTE, (struct rec_range){ 49 * SEC + 970000000, UINT64_MAX }, on_row,
				      &s, NULL),
			 0);
	expect(&s, "4@49977000000;4@49980000000;4@49990000000;");
	assert_int_equal(recread_rows(r, UINT32_MAX, (struct rec_range){ 0, 1 }, on_row, &s, NULL), 0);
	expect(&s, "4@0;");
	assert_true(recread_extent(r, &extent));
	assert_int_equal(extent.from, 0);
	assert_int_equal(extent.to, 49990000000);
	recread_close(r);
}

static void limits_hold_for_all_tables(void **state)
{
	struct recfile *f = sample_make(0, RECFILE_SIZE_MIN, 0);
	struct rec_slow_query q = { .range = REC_ALL_TIME, .tracker = -1, .limit = 1 };
	struct seen s = { 0 };
	struct recread *r;

	(void)state;
	for (uint64_t i = 0; i < 20000; i++) {
		sample_slow(f, 0, i * SEC / 10, 50, SLOW_NORMAL, "x");
		sample_span(f, i * SEC / 10, 5, "l", "m");
		sample_proc(f, i * SEC / 10, PROC_EXIT, 1, "");
		if (i % 10 == 0)
			sample_hist(f, SAMPLE_HIST, i * SEC / 10, i % 3, (int64_t)i, 1);
		if (i % 50 == 0)
			assert_int_equal(recfile_tick(f, (i + 1) * SEC, NULL), 0);
	}
	recfile_close(f, NULL);
	r = sample_open();
	assert_int_equal(recread_slow(r, &q, on_slow, &s, NULL), 0);
	assert_null(strstr(strb_str(&s.text), "x 0+50")); /* the first are gone */
	strb_reset(&s.text);
	assert_int_equal(recread_procs(r, (struct rec_range){ 0, 100 * SEC }, on_proc, &s, NULL), 0);
	assert_string_equal(strb_str(&s.text), "");
	assert_int_equal(
		recread_columns(r, SAMPLE_HIST, SEC, (struct rec_range){ 0, 100 * SEC }, -1, on_column, &s, NULL), 0);
	assert_string_equal(strb_str(&s.text), "");
	assert_int_equal(recread_columns(r, SAMPLE_HIST, RECFILE_MINUTE_NS, (struct rec_range){ 0, 60 * SEC }, -1,
					 on_column, &s, NULL),
			 0);
	assert_string_not_equal(strb_str(&s.text), ""); /* minutes stay */
	strb_free(&s.text);
	recread_close(r);

	f = sample_make(0, 0, 60 * SEC);
	for (uint64_t i = 0; i < 1000; i++) {
		sample_hist(f, SAMPLE_KEYLESS, i * SEC, 0, 5, 1);
		recfile_tick(f, (i + 1) * SEC, NULL);
	}
	recfile_close(f, NULL);
	r = sample_open();
	ask_columns(r, SAMPLE_KEYLESS, SEC, 0, 920, -1, "");
	ask_columns(r, SAMPLE_KEYLESS, SEC, 998, 1000, -1,
		    "998 key 1 n 1 sum 5 max 5: 6=1;999 key 1 n 1 sum 5 max 5: 6=1;");
	ask_columns(r, SAMPLE_KEYLESS, RECFILE_MINUTE_NS, 60, 61, -1, "60 key 1 n 60 sum 300 max 5: 6=60;");
	recread_close(r);
}

/* Everything that can be asked; the worst answer. */
static int ask_all(struct err *err)
{
	struct rec_slow_query q = { .range = REC_ALL_TIME, .tracker = -1 };
	struct seen s = { 0 };
	struct recread *r = NULL;
	struct rec_stack stack;
	struct rec_range extent;
	struct row row;
	struct step step = step_end();
	int e = recread_open(sample_path, &r, err);

	while (e == 0 && (step = recread_next(r, &row, err)).more)
		;
	if (e == 0)
		e = step.error;
	if (e == 0)
		e = recread_slow(r, &q, on_slow, &s, err);
	if (e == 0)
		e = recread_spans(r, REC_ALL_TIME, on_span, &s, err);
	if (e == 0)
		e = recread_procs(r, REC_ALL_TIME, on_proc, &s, err);
	if (e == 0)
		e = recread_costs(r, REC_ALL_TIME, on_cost, &s, err);
	if (e == 0)
		e = recread_columns(r, SAMPLE_HIST, SEC, REC_ALL_TIME, -1, on_column, &s, err);
	if (e == 0)
		e = recread_hist_keys(r, SAMPLE_HIST, on_key, &s, err);
	if (e == 0)
		e = recread_stack(r, 1, &stack, err);
	if (r)
		recread_extent(r, &extent);
	strb_free(&s.text);
	recread_close(r);
	return e;
}

static void make_one_of_each(void)
{
	struct recfile *f = sample_make(0, 0, 0);

	sample_slow(f, 0, 100, 50, SLOW_NORMAL, "a");
	sample_span(f, 30, 5, "gc", "mark");
	sample_proc(f, 21, PROC_EXEC, 7, "ls");
	sample_hist(f, SAMPLE_HIST, SEC, 1, 5, 1);
	assert_int_equal(recfile_close(f, NULL), 0);
}

static void refuses_hostile_files(void **state)
{
	static const char *const changes[] = {
		"UPDATE slow SET tracker = 2",
		"UPDATE slow SET tracker = -1",
		"UPDATE slow SET how = 'nonsense'",
		"UPDATE slow SET how = NULL; UPDATE slow SET how = x'00'",
		"UPDATE process SET kind = 'nonsense'",
		"UPDATE process SET kind = NULL",
		"UPDATE hist SET buckets = '{\"1889\":1}'",
		"UPDATE hist SET buckets = NULL",
		"UPDATE hist SET buckets = '{\"6\":2}'",
		"UPDATE hist SET buckets = '{\"6\":0}'",
		"UPDATE hist SET buckets = printf('%.*c', 100000, '{')",
		"UPDATE hist_key SET data = x'00'",
		"UPDATE hist_key SET text = NULL",
		"UPDATE stack SET space = 3",
		"UPDATE stack SET frames = zeroblob(8 * 4097)",
		"UPDATE aggregation SET slot = 1 WHERE id = 1",
		"UPDATE aggregation SET slot = -1 WHERE id = 3",
		"UPDATE tracker SET name = NULL",
		"UPDATE tracker SET id = 5 WHERE id = 1",
		"UPDATE tracker SET key_size = -1",
		"UPDATE tracker SET key_size = 4",
		"UPDATE field SET size = 9 WHERE action = -2",
		"UPDATE field SET size = 8 WHERE owner = 1 AND action = 0 AND pos = 0",
		"DELETE FROM field WHERE owner = 1 AND action = 0",
		"DROP TABLE span",
		"DROP VIEW cell; DROP VIEW frame; DROP TABLE hist; CREATE VIEW hist AS SELECT 1",
	};
	struct err err = { 0 };

	(void)state;
	make_one_of_each();
	assert_int_equal(ask_all(&err), 0);
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		int e;

		make_one_of_each();
		sample_sql(changes[i]);
		err.msg[0] = '\0';
		e = ask_all(&err);
		if ((e != -EINVAL && e != -ENOENT) || !err.msg[0])
			fail_msg("%s: accepted (%d %s)", changes[i], e, err.msg);
	}
}

/* A file as version 1 was: it is read, and has none of what came later. */
static void reads_version_1(void **state)
{
	struct rec_slow_query q = { .range = REC_ALL_TIME, .tracker = -1 };
	struct seen s = { 0 };
	struct recread *r;
	struct row row;

	(void)state;
	make_one_of_each();
	sample_sql(
		"DROP VIEW cell; DROP VIEW frame; DROP TABLE tracker; DROP TABLE hist_source; DROP TABLE hist_key; DROP TABLE hist;"
		"DROP TABLE slow; DROP TABLE slow_attr; DROP TABLE stack; DROP TABLE span; DROP TABLE process;"
		"DROP TABLE flight; DROP TABLE flight_event;"
		"DROP TABLE cost; DROP TABLE bucket; ALTER TABLE field DROP COLUMN name;"
		"ALTER TABLE aggregation DROP COLUMN slot; ALTER TABLE aggregation DROP COLUMN slot_wall; PRAGMA user_version = 1");
	r = sample_open();
	assert_true(recread_next(r, &row, NULL).more);
	assert_int_equal(row.kind, ROW_EVENT);
	assert_true(recread_next(r, &row, NULL).more);
	assert_false(recread_next(r, &row, NULL).more);
	assert_int_equal(recread_slow(r, &q, on_slow, &s, NULL), 0);
	assert_int_equal(recread_columns(r, 0, SEC, REC_ALL_TIME, -1, on_column, &s, NULL), 0);
	expect(&s, "");
	recread_close(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slow_events_come_back),
		cmocka_unit_test(others_come_back_by_time),
		cmocka_unit_test(slots_are_added_up),
		cmocka_unit_test(a_killed_recorder_leaves_seconds),
		cmocka_unit_test(aggregations_make_slots),
		cmocka_unit_test(slots_of_the_program_are_exact),
		cmocka_unit_test(many_keys_become_other),
		cmocka_unit_test(rows_are_found_by_time),
		cmocka_unit_test(limits_hold_for_all_tables),
		cmocka_unit_test(refuses_hostile_files),
		cmocka_unit_test(reads_version_1),
	};

	return cmocka_run_group_tests(tests, sample_set_up, sample_tear_down);
}
