/* SPDX-License-Identifier: Apache-2.0 */
/* A recording of an hour and ten million events: how long it takes to write, to open, and to ask what a page with
 * heat maps asks. Usage: recbench FILE [EVENTS]; FILE must not exist and is removed. JSON on standard output. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/aggval.h"
#include "base/cleanup.h"
#include "store/file/recquery.h"

#define EVENTS 10000000
#define SECONDS 3600
#define KEYS 8
#define SLOW_PER_S 5
#define ASKED 20 /* questions of each kind: the slowest counts */
#define SEC RECFILE_SECOND_NS

struct event {
	struct rec_hdr h;
	uint64_t value;
	char comm[16];
};
struct slow {
	struct rec_hdr h;
	struct rec_slow slow;
	uint64_t key;
	uint64_t stack[16];
};

static const struct recfield event_fields[] = {
	{ .kind = FLD_INT, .off = offsetof(struct event, value), .size = 8 },
	{ .kind = FLD_STRING, .off = offsetof(struct event, comm), .size = 16 },
};
static const struct recfield slow_fields[] = {
	{ .kind = FLD_BYTES, .off = offsetof(struct slow, slow), .size = sizeof(struct rec_slow) },
	{ .kind = FLD_BYTES, .off = offsetof(struct slow, key), .size = 8 },
	{ .kind = FLD_STACK, .off = offsetof(struct slow, stack), .size = 128, .nframes = 16, .name = "stack" },
};
static const struct recact event_act = {
	.kind = ACT_PRINTF, .number = 1, .fmt = "%d %s", .fmt_len = 5, .fields = event_fields, .nfields = 2
};
static const struct recact slow_act = { .kind = ACT_SLOW, .number = 1, .fields = slow_fields, .nfields = 3 };
static const struct recfmt event_fmt = { .epid = 1, .size = sizeof(struct event), .acts = &event_act, .nacts = 1 };
static const struct recfmt slow_fmt = { .epid = 2, .size = sizeof(struct slow), .acts = &slow_act, .nacts = 1 };
static const struct recfmt *const fmts[] = { &event_fmt, &slow_fmt };
static const struct recfield key_fields[] = { { .kind = FLD_INT, .off = 0, .size = 8 } };
static const struct aggdesc hist = { .name = "delay",
				     .func = AGG_HIST,
				     .keys = key_fields,
				     .nkeys = 1,
				     .key_size = 8,
				     .value_size = 8 * (1 + AGG_HIST_NBUCKETS) };
static const struct aggdesc *const aggs[] = { &hist };
static const struct rec_probe probes[] = { { 1, "latency", "", "block", "slow" } };
static const struct rec_tracker trackers[] = { { .name = "block", .threshold = 1000000 } };
static const struct rec_schema schema = { .fmts = fmts,
					  .nfmts = 2,
					  .aggs = aggs,
					  .naggs = 1,
					  .probes = probes,
					  .nprobes = 1,
					  .trackers = trackers,
					  .ntrackers = 1,
					  .ncpus = 2 };

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void die(const struct err *err)
{
	fprintf(stderr, "recbench: %s\n", err->msg);
	exit(1);
}

/* A log-normal delay around 100 us. */
static uint64_t delay(void)
{
	double u = (random() + 1.0) / (RAND_MAX + 2.0), v = (random() + 1.0) / (RAND_MAX + 2.0);

	return (uint64_t)(1e5 * exp(1.2 * sqrt(-2 * log(u)) * cos(2 * M_PI * v)));
}

static void put_hist(struct recfile *f, uint64_t ts, uint32_t source, uint64_t key, const uint64_t *words,
		     struct err *err)
{
	static struct rechist_buf b;
	struct rec_hist head = { .period = SEC, .key_size = source ? 8 : 0 };
	struct row row = { .kind = ROW_HIST, .ts = ts, .id = source };

	if (rechist_make(&b, &head, &key, words, AGG_HIST_NBUCKETS) < 0)
		exit(1);
	row.data = b.v;
	row.len = b.n;
	if (recfile_append(f, &row, err) < 0)
		die(err);
}

static void write_second(struct recfile *f, uint64_t ts, unsigned events, struct err *err)
{
	static uint64_t all[AGG_HIST_NBUCKETS], by_key[KEYS][AGG_HIST_NBUCKETS];
	struct event e = { .h = { 0, 1, 1 }, .comm = "postgres" };
	struct slow s = { .h = { 0, 2, 1 }, .slow = { .pid = 1, .tid = 1, .comm = "postgres" } };
	struct row row = { .kind = ROW_EVENT, .probe = 1, .id = 1, .data = &e, .len = sizeof(e) };

	memset(all, 0, sizeof(all));
	memset(by_key, 0, sizeof(by_key));
	for (unsigned i = 0; i < events; i++) {
		row.ts = e.h.ts = ts + i * (SEC / events);
		e.value = delay();
		all[aggval_hist_bucket((int64_t)e.value)]++;
		by_key[i % KEYS][aggval_hist_bucket((int64_t)e.value)]++;
		if (recfile_append(f, &row, err) < 0)
			die(err);
	}
	put_hist(f, ts, 0, 0, all, err);
	for (unsigned k = 0; k < KEYS; k++)
		put_hist(f, ts, 1, k, by_key[k], err);
	row = (struct row){ .kind = ROW_EVENT, .probe = 1, .id = 2, .data = &s, .len = sizeof(s) };
	for (int i = 0; i < SLOW_PER_S; i++) {
		s.slow.delay = 1000000 + delay();
		s.slow.start = ts + (uint64_t)i;
		for (int k = 0; k < 15; k++)
			s.stack[k] = 0xffffffff81000000 + (uint64_t)(random() % 64);
		row.ts = s.h.ts = s.slow.start + s.slow.delay;
		if (recfile_append(f, &row, err) < 0)
			die(err);
	}
}

static int count_column(void *ctx, const struct rec_column *c)
{
	*(uint64_t *)ctx += c->head.nbuckets;
	return 0;
}

static int count_slow(void *ctx, const struct rec_slow_row *s)
{
	*(uint64_t *)ctx += s->nattrs;
	return 0;
}

static int count_row(void *ctx, const struct row *row)
{
	*(uint64_t *)ctx += row->len != 0;
	return 0;
}

enum question { HEAT_MAP, CELL, SLOW_IN_CELL, TOP_SLOW, SUM_OF_HOUR, ROWS_OF_SECOND, NQUESTIONS };
static const char *const names[] = {
	[HEAT_MAP] = "heat map of the hour",
	[CELL] = "a cell by key",
	[SLOW_IN_CELL] = "slow events of a cell",
	[TOP_SLOW] = "20 slowest of the hour",
	[SUM_OF_HOUR] = "histogram of the hour by key",
	[ROWS_OF_SECOND] = "events of a second",
};

static int ask(struct recread *r, enum question q, uint64_t sec, uint64_t *n, struct err *err)
{
	struct rec_range second = { sec * SEC, (sec + 1) * SEC };
	struct rec_slow_query slow = { .range = second, .tracker = 0, .min_delay = 1000000, .max_delay = 1100000 };
	struct histsum sum = { 0 };
	int e = 0;

	switch (q) {
	case HEAT_MAP: return recread_columns(r, 0, SEC, REC_ALL_TIME, -1, count_column, n, err);
	case CELL: return recread_columns(r, 1, SEC, second, -1, count_column, n, err);
	case TOP_SLOW:
		slow = (struct rec_slow_query){
			.range = REC_ALL_TIME, .tracker = 0, .longest_first = true, .limit = 20
		};
		/* fallthrough */
	case SLOW_IN_CELL: return recread_slow(r, &slow, count_slow, n, err);
	case SUM_OF_HOUR:
		for (int64_t k = 1; k <= KEYS && e == 0; k++) {
			e = recread_hist(r, 1, REC_ALL_TIME, 1 + k, &sum, err);
			*n += sum.count;
		}
		histsum_free(&sum);
		return e;
	case ROWS_OF_SECOND: return recread_rows(r, 1u << ROW_EVENT, second, count_row, n, err);
	case NQUESTIONS: break;
	}
	return 0;
}

static void ask_all(const char *path, struct err *err)
{
	double t = now(), opened;
	struct recread *r = NULL;

	if (recread_open(path, &r, err) < 0)
		die(err);
	opened = now() - t;
	printf("\"open_ms\":%.2f", opened * 1e3);
	for (int q = 0; q < NQUESTIONS; q++) {
		double longest = 0;
		uint64_t n = 0;

		for (int i = 0; i < ASKED; i++) {
			n = 0;
			t = now();
			if (ask(r, (enum question)q, (uint64_t)(SECONDS / ASKED * i), &n, err) < 0)
				die(err);
			longest = fmax(longest, now() - t);
		}
		printf(",\n\"%s\":{\"ms\":%.2f,\"found\":%llu}", names[q], longest * 1e3, (unsigned long long)n);
	}
	recread_close(r);
}

int main(int argc, char **argv)
{
	unsigned events = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : EVENTS;
	struct recfile_info info = { 0 };
	struct recfile *f = NULL;
	struct err err = { 0 };
	struct rusage ru;
	struct stat st;
	double t = now();

	if (argc < 2)
		return 2;
	if (recfile_create(argv[1], &schema, &info, &f, &err) < 0)
		die(&err);
	for (uint64_t s = 0; s < SECONDS; s++) {
		write_second(f, s * SEC, events / SECONDS, &err);
		if (recfile_tick(f, (s + 1) * SEC, &err) < 0)
			die(&err);
	}
	if (recfile_close(f, &err) < 0 || stat(argv[1], &st) < 0)
		die(&err);
	getrusage(RUSAGE_SELF, &ru);
	printf("{\"events\":%u,\"write_s\":%.1f,\"file_mb\":%.0f,\"rss_mb\":%ld,\n", events / SECONDS * SECONDS,
	       now() - t, (double)st.st_size / 1e6, ru.ru_maxrss / 1024);
	ask_all(argv[1], &err);
	printf("}\n");
	unlink(argv[1]);
	return 0;
}
