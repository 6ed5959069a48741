/* SPDX-License-Identifier: Apache-2.0 */
/* Rows come back as they were; few bytes; damage anywhere is refused and never read beyond. */
#include "../unit.h"
#include <errno.h>
#include <stdlib.h>
#include "fleet/wire/batch.h"

#define START 1795739789u

struct seen {
	struct strb b;
	int stop; /* what callbacks return */
};

static int on_hist(void *ctx, const struct batch_hist *h)
{
	struct seen *s = ctx;

	strb_printf(&s->b, "%s/%s %llu+%llu %llu %llu %llu f%u", h->series, h->key, (unsigned long long)h->start,
		    (unsigned long long)h->period, (unsigned long long)h->count, (unsigned long long)h->sum,
		    (unsigned long long)h->max, h->flags);
	for (uint32_t i = 0; i < h->nbuckets; i++)
		strb_printf(&s->b, " %u:%llu", h->buckets[i].index, (unsigned long long)h->buckets[i].count);
	strb_addc(&s->b, '\n');
	return s->stop;
}

static int on_slow(void *ctx, const struct batch_slow *w)
{
	struct seen *s = ctx;

	strb_printf(&s->b, "%s %s#%llu %llu-%llu %llu/%llu@%llu %s|%s|%s|%s|%s|%s|%s\n", w->tracker, w->recording,
		    (unsigned long long)w->id, (unsigned long long)w->ended, (unsigned long long)w->delay,
		    (unsigned long long)w->pid, (unsigned long long)w->tid, (unsigned long long)w->cpu, w->how, w->comm,
		    w->key, w->cause, w->class, w->stack, w->attrs);
	return s->stop;
}

static int on_host(void *ctx, const struct batch_host *h)
{
	struct seen *s = ctx;

	strb_printf(&s->b, "%llu %s %s %s\n", (unsigned long long)h->sent, h->dwell, h->kernel, h->labels);
	return s->stop;
}

static int on_gap(void *ctx, const struct batch_gap *g)
{
	struct seen *s = ctx;

	strb_printf(&s->b, "%llu..%llu %s\n", (unsigned long long)g->from, (unsigned long long)g->to, g->what);
	return s->stop;
}

static int on_audit(void *ctx, const struct batch_audit *a)
{
	struct seen *s = ctx;

	strb_printf(&s->b, "%llu %s %s %s %s %s %s %llu %llu %llu %llu %llu %llu\n", (unsigned long long)a->time,
		    a->event, a->user, a->key, a->id, a->reason, a->program, (unsigned long long)a->seconds,
		    (unsigned long long)a->write, (unsigned long long)a->status, (unsigned long long)a->rows,
		    (unsigned long long)a->bytes, (unsigned long long)a->cpu);
	return s->stop;
}

static int read_back(const void *p, size_t n, struct seen *s, struct err *err)
{
	const struct batch_sink sink = { s, on_hist, on_slow, on_host, on_gap, on_audit };

	return batch_read(p, n, &sink, err);
}

static void expect(struct batch *b, const char *want)
{
	struct seen s = { 0 };
	struct err err = { 0 };

	assert_int_equal(read_back(b->b.s, b->b.n, &s, &err), 0);
	assert_string_equal(strb_str(&s.b), want);
	strb_free(&s.b);
}

static const struct rec_bucket buckets[] = { { .index = 0, .count = 1 },
					     { .index = 7, .count = 300 },
					     { .index = 1200, .count = 2 } };
static const struct batch_hist sample = { .series = "offcpu",
					  .key = "",
					  .start = START,
					  .period = 1,
					  .count = 303,
					  .sum = UINT64_MAX,
					  .max = 5,
					  .flags = 2,
					  .nbuckets = 3,
					  .buckets = buckets };

static void hists(void **state)
{
	struct batch_hist h = sample;
	struct batch b = { 0 };
	size_t one;

	(void)state;
	batch_begin(&b, BATCH_HIST);
	batch_add_hist(&b, &h);
	one = b.b.n;
	h.start = START - 3;
	h.key = "a\tb";
	batch_add_hist(&b, &h);
	expect(&b, "offcpu/ 1795739789+1 303 18446744073709551615 5 f2 0:1 7:300 1200:2\n"
		   "offcpu/a\tb 1795739786+1 303 18446744073709551615 5 f2 0:1 7:300 1200:2\n");
	assert_true(b.b.n - one < 40); /* the name is spelled once, the time is near */
	assert_int_equal(b.rows, 2);
	one = b.b.n;
	batch_add_hist(&b, &h);
	assert_int_equal(b.b.n - one, 1 + 1 + 10 + 1 + 1 + 2 + 3); /* head, series, sum, max, buckets */
	batch_free(&b);
}

/* Each way in which a row is not as the one before, and buckets at the limits of what one number holds. */
static void next_to_each_other(void **state)
{
	static const struct rec_bucket edges[] = { { .index = 30, .count = 4 },
						   { .index = 62, .count = 5 },
						   { .index = 93, .count = 1 },
						   { .index = 4095, .count = BATCH_COUNT_MAX } };
	static const struct rec_bucket above[] = { { .index = 0, .count = BATCH_COUNT_MAX + 1 } };
	struct batch_hist h = { "s", "k", START, 1, 0, 1, 2, 0, 4, edges };
	struct batch b = { 0 };

	(void)state;
	batch_begin(&b, BATCH_HIST);
	batch_add_hist(&b, &h);
	h.series = "t";
	batch_add_hist(&b, &h);
	h.period = 60;
	batch_add_hist(&b, &h);
	h.flags = 3;
	h.nbuckets = 1;
	batch_add_hist(&b, &h);
	h.key = "s";
	h.buckets = above;
	batch_add_hist(&b, &h);
	h.start++;
	h.nbuckets = 0;
	batch_add_hist(&b, &h);
	expect(&b, "s/k 1795739789+1 576460752303423497 1 2 f0 30:4 62:5 93:1 4095:576460752303423487\n"
		   "t/k 1795739789+1 576460752303423497 1 2 f0 30:4 62:5 93:1 4095:576460752303423487\n"
		   "t/k 1795739789+60 576460752303423497 1 2 f0 30:4 62:5 93:1 4095:576460752303423487\n"
		   "t/k 1795739789+60 4 1 2 f3 30:4\n"
		   "t/s 1795739789+60 576460752303423487 1 2 f3 0:576460752303423487\n"
		   "t/s 1795739790+60 0 1 2 f3\n");
	batch_free(&b);
}

/* A host of an older dwell. */
static void version_1(void **state)
{
	static const char old[] = "DF\1\1\0\1x\0\0\2\1\3\7\5\0\2\1\2\0\1";
	struct batch b = { 0 };

	(void)state;
	strb_add(&b.b, old, sizeof(old) - 1);
	expect(&b, "x/ 1+1 3 7 5 f0 1:2 2:1\n");
	batch_free(&b);
}

static void others(void **state)
{
	const struct batch_slow w = { "block",	"r.dwell", 7,	      1795739789000000001u,
				      12345,	1,	   2,	      3,
				      "normal", "dd",	   "k",	      "c",
				      "io",	"a;b",	   "x=1\ny=2" };
	const struct batch_host h = { 1795739789000000001u, "0.1.0", "6.1", "role=db" };
	const struct batch_gap g = { START, START + 60, "why" };
	struct batch b = { 0 };

	(void)state;
	batch_begin(&b, BATCH_SLOW);
	batch_add_slow(&b, &w);
	expect(&b, "block r.dwell#7 1795739789000000001-12345 1/2@3 normal|dd|k|c|io|a;b|x=1\ny=2\n");
	batch_begin(&b, BATCH_HOST);
	batch_add_host(&b, &h);
	expect(&b, "1795739789000000001 0.1.0 6.1 role=db\n");
	batch_begin(&b, BATCH_GAP);
	batch_add_gap(&b, &g);
	expect(&b, "1795739789..1795739849 why\n");
	batch_begin(&b, BATCH_AUDIT);
	batch_add_audit(&b, &(struct batch_audit){ 1795739789000000001, "end", "alice", "U1", "id", "why", "BEGIN", 30,
						   1, 4, 5, 6, 7 });
	expect(&b, "1795739789000000001 end alice U1 id why BEGIN 30 1 4 5 6 7\n");
	batch_free(&b);
}

/* Every beginning, and every bit the other way: no harm, and never more than there is. */
static void damage(void **state)
{
	struct batch b = { 0 };
	struct err err = { 0 };

	(void)state;
	batch_begin(&b, BATCH_HIST);
	for (int i = 0; i < 3; i++)
		batch_add_hist(&b, &sample);
	for (size_t n = 0; n < b.b.n; n++) {
		char *copy = malloc(n ? n : 1); /* bytes after it do not belong to it */
		struct seen s = { 0 };

		memcpy(copy, b.b.s, n);
		read_back(copy, n, &s, &err);
		strb_free(&s.b);
		free(copy);
	}
	for (size_t bit = 0; bit < 8 * b.b.n; bit++) {
		struct seen s = { 0 };

		b.b.s[bit / 8] = (char)(b.b.s[bit / 8] ^ 1 << bit % 8);
		read_back(b.b.s, b.b.n, &s, &err);
		b.b.s[bit / 8] = (char)(b.b.s[bit / 8] ^ 1 << bit % 8);
		strb_free(&s.b);
	}
	batch_free(&b);
}

static void refuse(const char *bytes, size_t n, const char *words)
{
	struct seen s = { 0 };
	struct err err = { 0 };

	assert_int_equal(read_back(bytes, n, &s, &err), -EINVAL);
	if (!strstr(err.msg, words))
		fail_msg("%s does not say '%s'", err.msg, words);
	strb_free(&s.b);
}

static void refused(void **state)
{
	(void)state;
	refuse("", 0, "no batch");
	refuse("XX\1\1", 4, "no batch");
	refuse("DF\3\1", 4, "version 3");
	refuse("DF\2\2", 4, "version 2"); /* of histograms only */
	refuse("DF\1\x09", 4, "unknown kind 9");
	refuse("DF\1\1\5", 5, "number that none has");
	refuse("DF\1\1\0\xff", 6, "ends within a row");
	refuse("DF\1\1\0\2a\0", 8, "NUL");
	/* one bucket of count 2 in a histogram of 1: text "x", key "", start, period, count, sum, max, flags, one
	 * bucket */
	refuse("DF\1\1\0\1x\0\0\2\1\1\0\0\0\1\0\2", 18, "buckets");
	refuse("DF\2\1\2\0\1x\0\0\0", 11, "out of its bounds"); /* the first row has no time of its own */
	refuse("DF\2\1\3\0\1x\1\2\1\0\0\0\x1f\xff\x7f", 17, "buckets");
	refuse("DF\1\1\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 15, "too long");
}

static void limits(void **state)
{
	char *text = malloc(BATCH_TEXT_MAX + 2);
	struct batch_gap g = { START, START, text };
	struct batch b = { 0 };
	struct seen s = { 0 };
	struct err err = { 0 };

	(void)state;
	memset(text, 'x', BATCH_TEXT_MAX + 1);
	text[BATCH_TEXT_MAX + 1] = '\0';
	batch_begin(&b, BATCH_GAP); /* cut at the limit */
	batch_add_gap(&b, &g);
	assert_int_equal(read_back(b.b.s, b.b.n, &s, &err), 0);
	assert_int_equal(s.b.n, strlen("1795739789..1795739789 \n") + BATCH_TEXT_MAX);
	for (unsigned i = 0; !batch_full(&b); i++) { /* texts up to their limit: it is full before */
		snprintf(text, BATCH_TEXT_MAX, "%u", i);
		batch_add_gap(&b, &g);
	}
	strb_reset(&s.b);
	assert_int_equal(read_back(b.b.s, b.b.n, &s, &err), 0);
	assert_true(b.b.n < BATCH_BYTES_MAX);
	s.stop = 7;
	assert_int_equal(read_back(b.b.s, b.b.n, &s, &err), 7); /* what the callback says */
	strb_free(&s.b);
	batch_free(&b);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(hists),	 cmocka_unit_test(next_to_each_other),
					    cmocka_unit_test(version_1), cmocka_unit_test(others),
					    cmocka_unit_test(damage),	 cmocka_unit_test(refused),
					    cmocka_unit_test(limits) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
