/* SPDX-License-Identifier: Apache-2.0 */
/* The limits of a recording: whatever the rows are, file and log stay within the size, what is left is the newest, and
 * a reader has the aggregations that it would have had. */
#include "../unit.h"
#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/aggval.h"
#include "base/cleanup.h"
#include "base/strb.h"
#include "recsample.h"
#include "store/aggstate.h"

#define LIMIT ((uint64_t)RECFILE_SIZE_MIN)
#define TIMES 5 /* the limit, that is written */

static const struct recfield ev_fields[] = { { .kind = FLD_INT, .off = 16, .size = 8, .is_signed = true },
					     { .kind = FLD_BYTES, .off = 24, .size = 72 } };
static const struct recfield key_field[] = { { .kind = FLD_INT, .off = 0, .size = 8 } };
static const struct recfield stack_keys[] = { { .kind = FLD_INT, .off = 0, .size = 8 },
					      { .kind = FLD_STACK, .off = 8, .size = 320, .nframes = 40 } };
static const struct aggdesc sum = { .id = 0,
				    .name = "s",
				    .func = AGG_SUM,
				    .key_size = 8,
				    .keys = key_field,
				    .nkeys = 1,
				    .value_size = 16,
				    .is_signed = true },
			    slots = { .id = 1,
				      .name = "on_cpu",
				      .func = AGG_COUNT,
				      .key_size = 328,
				      .keys = stack_keys,
				      .nkeys = 2,
				      .value_size = 8,
				      .slot_ns = SEC },
			    quant = { .id = 2,
				      .name = "q",
				      .func = AGG_QUANTIZE,
				      .key_size = 8,
				      .keys = key_field,
				      .nkeys = 1,
				      .value_size = 8 * (1 + AGG_QUANT_NBUCKETS) };
static const struct aggdesc *const aggs[] = { &sum, &slots, &quant };
static const struct recact acts[] = {
	{ .kind = ACT_PRINTF, .number = 1, .fmt = "%d\n", .fmt_len = 3, .fields = ev_fields, .nfields = 1 },
	{ .kind = ACT_CLEAR, .number = 1, .aggs = &aggs[0], .naggs = 1 },
	{ .kind = ACT_TRUNC, .number = 1, .aggs = &aggs[0], .naggs = 1 },
	{ .kind = ACT_TRUNC, .number = 1, .aggs = &aggs[0], .naggs = 1, .fields = ev_fields, .nfields = 1 },
	{ .kind = ACT_NORMALIZE, .number = 1, .aggs = &aggs[0], .naggs = 1, .fields = ev_fields, .nfields = 1 },
	{ .kind = ACT_PRINTA, .number = 1, .aggs = &aggs[0], .naggs = 1 },
	{ .kind = ACT_CLEAR, .number = 1, .aggs = &aggs[2], .naggs = 1 },
};
enum { PRINT = 1, CLEAR, TRUNC, TRUNC_N, NORMALIZE, PRINTA, CLEAR_Q, NFMTS = CLEAR_Q };
#define FMT(n) \
	{ \
		.epid = n, .size = n == PRINT ? 96 : 24, .acts = &acts[n - 1], .nacts = 1 \
	}
static const struct recfmt formats[] = { FMT(PRINT),	 FMT(CLEAR),  FMT(TRUNC),  FMT(TRUNC_N),
					 FMT(NORMALIZE), FMT(PRINTA), FMT(CLEAR_Q) };
static const struct recfmt *const fmts[] = { &formats[0], &formats[1], &formats[2], &formats[3],
					     &formats[4], &formats[5], &formats[6] };
static const struct rec_probe probes[] = { { 1, "p", "m", "f", "n" } };
static const struct rec_schema schema = {
	.fmts = fmts, .nfmts = NFMTS, .aggs = aggs, .naggs = 3, .probes = probes, .nprobes = 1, .ncpus = 2
};

static struct recfile *make(uint64_t bytes, uint64_t age)
{
	struct recfile_info info = { .max_bytes = bytes, .max_age_ns = age };

	return sample_create(&schema, &info);
}

static uint64_t size_of(const char *suffix)
{
	char path[96];
	struct stat st;

	snprintf(path, sizeof(path), "%s%s", sample_path, suffix);
	return stat(path, &st) == 0 ? (uint64_t)st.st_size : 0;
}

/* File and log now; *most is raised to it. */
static uint64_t measure(uint64_t *most)
{
	uint64_t n = size_of("") + size_of("-wal");

	if (n > *most)
		*most = n;
	return n;
}

static int64_t ask(const char *sql)
{
	sqlite3_stmt *st = NULL;
	sqlite3 *db = NULL;
	int64_t n = -1;

	assert_int_equal(sqlite3_open_v2(sample_path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &st, NULL), SQLITE_OK);
	if (sqlite3_step(st) == SQLITE_ROW && sqlite3_column_type(st, 0) != SQLITE_NULL)
		n = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	sqlite3_close(db);
	return n;
}

static void is_whole(void)
{
	sqlite3_stmt *st = NULL;
	sqlite3 *db = NULL;

	assert_int_equal(sqlite3_open_v2(sample_path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1, &st, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(st), SQLITE_ROW);
	assert_string_equal((const char *)sqlite3_column_text(st, 0), "ok");
	sqlite3_finalize(st);
	sqlite3_close(db);
}

static void put(struct recfile *f, const struct row *row)
{
	struct err err = { 0 };

	if (recfile_append(f, row, &err) < 0)
		fail_msg("%s", err.msg);
}

static void event(struct recfile *f, uint32_t epid, int64_t n, uint64_t ts)
{
	uint8_t data[96] = { 0 };
	struct row row = {
		.kind = ROW_EVENT, .ts = ts, .probe = 1, .id = epid, .data = data, .len = formats[epid - 1].size
	};

	memcpy(data + 16, &n, 8);
	put(f, &row);
}

static void delta(struct recfile *f, uint64_t key, int64_t value, uint64_t ts)
{
	uint64_t words[2] = { 1, (uint64_t)value };
	struct row row = { .kind = ROW_AGG, .ts = ts, .id = 0, .data = &key, .len = 8, .value = words };

	put(f, &row);
}

/* A stack in a second. */
static void sample(struct recfile *f, uint64_t second, uint64_t stack, uint64_t ts)
{
	uint64_t key[41] = { second }, one = 1;
	struct row row = { .kind = ROW_AGG, .ts = ts, .id = 1, .data = key, .len = sizeof(key), .value = &one };

	for (int i = 1; i < 41; i++)
		key[i] = stack * 64 + (uint64_t)i;
	put(f, &row);
}

static void quantity(struct recfile *f, uint64_t key, int64_t v, uint64_t ts)
{
	uint64_t words[1 + AGG_QUANT_NBUCKETS] = { 1 };
	struct row row = { .kind = ROW_AGG, .ts = ts, .id = 2, .data = &key, .len = 8, .value = words };

	words[1 + aggval_quantize_bucket(v)] = 1;
	put(f, &row);
}

static void losses(struct recfile *f, uint32_t cpu, uint64_t ts)
{
	struct row row = { .kind = ROW_DROPS, .ts = ts, .cpu = cpu, .probe = 1, .id = CNT_DROP_PRINCIPAL, .count = 3 };

	put(f, &row);
}

static void cost(struct recfile *f, uint64_t ts)
{
	struct rec_cost c = { .run_ns = 1, .run_cnt = 1, .interval = 1 };
	struct row row = { .kind = ROW_COST, .ts = ts, .probe = 1, .data = &c, .len = sizeof(c) };

	put(f, &row);
}

/* -- any rows -- */

static void events(struct recfile *f, uint64_t i, uint64_t ts)
{
	event(f, PRINT, (int64_t)i, ts);
}
static void live_keys(struct recfile *f, uint64_t i, uint64_t ts)
{
	delta(f, i % 100, 1, ts);
}
static void new_keys(struct recfile *f, uint64_t i, uint64_t ts)
{
	delta(f, i, 1, ts);
}
static void stacks_by_second(struct recfile *f, uint64_t i, uint64_t ts)
{
	sample(f, ts / SEC, i, ts);
}
static void distributions(struct recfile *f, uint64_t i, uint64_t ts)
{
	quantity(f, i % 20000, (int64_t)i, ts);
}
static void cleared(struct recfile *f, uint64_t i, uint64_t ts)
{
	i % 10 ? delta(f, i % 50, 1, ts) : event(f, CLEAR, 0, ts);
}
static void loss(struct recfile *f, uint64_t i, uint64_t ts)
{
	losses(f, (uint32_t)i % 2, ts);
}
static void costs(struct recfile *f, uint64_t i, uint64_t ts)
{
	(void)i;
	cost(f, ts);
}
static void processes(struct recfile *f, uint64_t i, uint64_t ts)
{
	sample_proc(f, ts, PROC_EXEC, (uint32_t)i, "a-command");
}
static void slow_events(struct recfile *f, uint64_t i, uint64_t ts)
{
	(void)i;
	sample_slow(f, 0, ts, 50, SLOW_NORMAL, "x");
}
static void spans(struct recfile *f, uint64_t i, uint64_t ts)
{
	(void)i;
	sample_span(f, ts, 5, "lane", "label");
}
static void histograms(struct recfile *f, uint64_t i, uint64_t ts)
{
	sample_hist(f, SAMPLE_HIST, ts / SEC * SEC, i % 9000, (int64_t)(i % 1000), 1);
}
static void names(struct recfile *f, uint64_t i, uint64_t ts)
{
	struct recfile_symbol s = { .space = RECFILE_USER,
				    .tgid = (uint32_t)i,
				    .start = 1,
				    .addr = i,
				    .found = true,
				    .module = "a-library.so",
				    .name = "a_function_with_a_name",
				    .path = "/usr/lib/a-library.so" };

	assert_int_equal(recfile_add_symbol(f, &s, NULL), 0);
	if (i % 10 == 0)
		event(f, PRINT, (int64_t)i, ts);
}

struct kind {
	const char *name;
	void (*put)(struct recfile *f, uint64_t i, uint64_t ts);
	uint64_t bytes;	    /* of one in the file, at least: so TIMES times the limit is written */
	uint64_t step;	    /* ns between two */
	const char *newest; /* asks for the last of them, of which there must be one */
	bool sample;	    /* of the schema with trackers */
};
static const struct kind kinds[] = {
	{ "events", events, 100, 1000, "SELECT count(*) FROM row WHERE kind = 0", false },
	{ "live keys", live_keys, 50, 1000, "SELECT count(DISTINCT data) = 100 FROM row WHERE kind = 2", false },
	{ "ever new keys", new_keys, 50, 1000, "SELECT count(*) FROM row WHERE kind = 2", false },
	{ "stacks by second", stacks_by_second, 350, 10000000, "SELECT count(*) FROM row WHERE kind = 2", false },
	{ "distributions", distributions, 60, 1000, "SELECT count(*) FROM row WHERE kind = 2", false },
	{ "cleared aggregations", cleared, 50, 1000, "SELECT count(*) FROM row WHERE kind = 2", false },
	{ "losses", loss, 25, 1000, "SELECT count(*) FROM row WHERE kind = 3", false },
	{ "costs", costs, 25, 1000, "SELECT count(*) FROM cost", false },
	{ "processes", processes, 35, 1000, "SELECT count(*) FROM process", true },
	{ "slow events", slow_events, 600, 1000000, "SELECT count(*) FROM slow", true },
	{ "spans", spans, 120, 1000, "SELECT count(*) FROM span", true },
	{ "histograms", histograms, 100, 100000, "SELECT count(*) FROM hist WHERE period = 1000000000", true },
	{ "names", names, 100, 1000, "SELECT count(*) FROM row WHERE kind = 0", false },
};

/* Each kind alone, ten times the limit of it, at a rate at which it all comes between a few commits by time. */
static void size_is_kept_whatever_it_is(void **state)
{
	(void)state;
	for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
		const struct kind *kind = &kinds[k];
		struct recfile *f = kind->sample ? sample_make(0, LIMIT, 0) : make(LIMIT, 0);
		uint64_t most = 0, n = TIMES * LIMIT / kind->bytes, ts = SEC, left;

		for (uint64_t i = 0; i < n; i++, ts += kind->step) {
			kind->put(f, i, ts);
			assert_int_equal(recfile_tick(f, ts, NULL), 0);
			if (i % 64 == 0)
				measure(&most);
		}
		if (recfile_unrecorded(f))
			fail_msg("%s: %llu rows are left out: %s", kind->name,
				 (unsigned long long)recfile_unrecorded(f), recfile_notice(f));
		assert_int_equal(recfile_close(f, NULL), 0);
		left = measure(&most);
		if (most > LIMIT)
			fail_msg("%s: %llu bytes at most, the limit is %llu", kind->name, (unsigned long long)most,
				 (unsigned long long)LIMIT);
		assert_int_equal(size_of("-wal"), 0);
		if (ask(kind->newest) < 1)
			fail_msg("%s: the newest are missing", kind->name);
		/* nothing goes that need not */
		if (kind->put != live_keys && kind->put != cleared && kind->put != loss && kind->put != names &&
		    left < LIMIT / 3)
			fail_msg("%s: only %llu bytes are left", kind->name, (unsigned long long)left);
		is_whole();
	}
}

/* All at once, at any rate: the same. Rows that belong together go together. */
static void size_is_kept_when_all_come(void **state)
{
	struct recfile *f = sample_make(0, 2 * LIMIT, 0);
	uint64_t most = 0, ts = SEC;

	(void)state;
	for (uint64_t i = 0; i < 60000; i++, ts += SEC / 100) {
		uint64_t words[1 + AGG_HIST_NBUCKETS] = { 1, 1 };
		struct row row = { .kind = ROW_AGG, .ts = ts, .id = 0, .data = &i, .len = 8, .value = words };

		slow_events(f, i, ts);
		spans(f, i, ts);
		processes(f, i, ts);
		histograms(f, i, ts);
		cost(f, ts);
		put(f, &row);
		assert_int_equal(recfile_tick(f, ts, NULL), 0);
		if (i % 64 == 0)
			measure(&most);
	}
	assert_int_equal(recfile_close(f, NULL), 0);
	measure(&most);
	assert_true(most <= 2 * LIMIT);
	is_whole();
	assert_true(ask("SELECT count(*) FROM slow") > 100);
	assert_int_equal(ask("SELECT count(*) FROM slow WHERE seq NOT IN (SELECT seq FROM row)"), 0);
	assert_int_equal(ask("SELECT count(*) FROM slow_attr WHERE slow NOT IN (SELECT id FROM slow)"), 0);
	assert_int_equal(
		ask("SELECT count(*) FROM slow_attr WHERE stack NOT NULL AND stack NOT IN (SELECT id FROM stack)"), 0);
	assert_int_equal(ask("SELECT count(*) FROM hist WHERE key NOT IN (SELECT id FROM hist_key)"), 0);
	assert_int_equal(ask("SELECT max(ended) FROM slow"), (int64_t)(ts - SEC / 100 + 50));
}

/* -- aggregations -- */

struct replay {
	struct aggstate *s;
	struct strb printed; /* what printa() found */
};

static void print_state(struct replay *p)
{
	const struct agg_entry *e;
	size_t n = aggstate_entries(p->s, 0, &e);
	uint64_t hash = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t key;

		memcpy(&key, e[i].key, 8);
		hash += (key + 1) * 1000003 + e[i].value[0] * 7919 + e[i].value[1] * 31; /* in any order */
	}
	strb_printf(&p->printed, "%zu/%lld/%llx;", n, (long long)aggstate_normal(p->s, 0), (unsigned long long)hash);
}

static void apply(struct replay *p, const struct row *row)
{
	int64_t n = 0;

	if (row->kind == ROW_AGG)
		assert_int_equal(aggstate_apply(p->s, row), 0);
	if (row->kind != ROW_EVENT)
		return;
	memcpy(&n, (const uint8_t *)row->data + 16, 8);
	switch (row->id) {
	case CLEAR: aggstate_clear(p->s, 0); break;
	case TRUNC: aggstate_trunc(p->s, 0, false, 0); break;
	case TRUNC_N: aggstate_trunc(p->s, 0, true, n); break;
	case NORMALIZE: aggstate_normalize(p->s, 0, n); break;
	case PRINTA: print_state(p); break;
	}
}

/* Reads the recording as a view does. */
static void replay(struct replay *p)
{
	struct recread *r = sample_open();
	struct row row;

	assert_int_equal(aggstate_new(recread_schema(r), &p->s), 0);
	while (recread_next(r, &row, NULL).more)
		apply(p, &row);
	print_state(p);
	aggstate_free(p->s);
	recread_close(r);
}

static void story(struct recfile *f)
{
	srandom(7);
	for (uint64_t i = 0; i < 120000; i++) {
		uint64_t ts = SEC + i * 1000;
		long what = random() % 1000;

		if (what < 2)
			event(f, what ? CLEAR : TRUNC, 0, ts);
		else if (what < 4)
			event(f, TRUNC_N, what == 2 ? 40 : -30, ts);
		else if (what < 5)
			event(f, NORMALIZE, 1 + random() % 9, ts);
		else if (what < 15)
			event(f, PRINTA, 0, ts);
		else
			delta(f, (uint64_t)(random() % 400), random() % 1000 - 300, ts);
		assert_int_equal(recfile_tick(f, ts, NULL), 0);
	}
}

/* With a limit, the part that is left is printed as it would be without one. */
static void aggregations_are_those_without_limit(void **state)
{
	struct replay all = { 0 }, some = { 0 };
	struct recfile *f = make(0, 0);
	size_t n;

	(void)state;
	story(f);
	recfile_close(f, NULL);
	replay(&all);
	f = make(LIMIT, 0);
	story(f);
	recfile_close(f, NULL);
	assert_true(ask("SELECT count(*) FROM row WHERE seq < 1") > 0);
	assert_true(ask("SELECT value FROM meta WHERE key = 'since.aggregations'") > (int64_t)SEC);
	replay(&some);
	n = some.printed.n;
	assert_true(n > 1000 && n < all.printed.n / 2);
	assert_string_equal(strb_str(&some.printed), strb_str(&all.printed) + all.printed.n - n);
	strb_free(&all.printed);
	strb_free(&some.printed);
}

/* Keys that trunc() took away, and those of seconds that are over, leave nothing. */
static void dead_keys_vanish(void **state)
{
	struct recfile *f = make(LIMIT, 0);

	(void)state;
	for (uint64_t i = 0; i < 100000; i++) {
		delta(f, i, 1, SEC + i * 1000);
		if (i % 1000 == 999)
			event(f, TRUNC, 0, SEC + i * 1000);
		recfile_tick(f, SEC + i * 1000, NULL);
	}
	recfile_close(f, NULL);
	assert_true(ask("SELECT count(*) FROM row WHERE seq < 1") <= 1000);
	assert_int_equal(ask("SELECT count(*) FROM meta WHERE key = 'forgotten_keys'"), 0);

	f = make(LIMIT, 0);
	for (uint64_t i = 0; i < 50000; i++) {
		sample(f, i / 100, i, i * SEC / 100);
		recfile_tick(f, i * SEC / 100, NULL);
	}
	recfile_close(f, NULL);
	assert_true(ask("SELECT count(*) FROM row WHERE seq < 1") <= 100); /* the second that is not over */
	assert_int_equal(ask("SELECT count(*) FROM meta WHERE key = 'forgotten_keys'"), 0);
}

/* Keys that live for ever and are ever more: those that changed longest ago go, which is told once, and in the
 * recording. */
static void too_many_keys_are_told(void **state)
{
	struct recfile *f = make(LIMIT, 0);
	const char *said = NULL, *more;
	uint64_t times = 0;

	(void)state;
	for (uint64_t i = 0; i < 100000; i++) {
		delta(f, i, 1, SEC + i * 1000);
		delta(f, UINT64_MAX, 1, SEC + i * 1000);
		recfile_tick(f, SEC + i * 1000, NULL);
		more = recfile_notice(f);
		times += more != NULL;
		said = more ? more : said;
	}
	assert_int_equal(times, 1);
	assert_non_null(said);
	recfile_close(f, NULL);
	assert_true(ask("SELECT value FROM meta WHERE key = 'forgotten_keys'") > 10000);
	assert_int_equal(ask("SELECT count(*) FROM row WHERE kind = 4"),
			 0 + ask("SELECT count(*) FROM row WHERE kind = 4 AND data NOT NULL"));
	/* the one that always changes is right */
	assert_int_equal(ask("SELECT count(*) FROM row WHERE seq < 1 AND data = x'ffffffffffffffff'"), 1);
}

/* -- what goes first -- */

/* The live view: slow events are few, stacks by the second many; those go, these stay. */
static void aggregations_give_way_first(void **state)
{
	struct recfile_info info = { .max_bytes = 2 * LIMIT };
	struct rec_schema both = sample_schema;
	struct recfile *f;
	int64_t slow;

	(void)state;
	both.aggs = aggs;
	both.naggs = ARRAY_SIZE(aggs);
	f = sample_create(&both, &info);
	for (uint64_t i = 0; i < 60000; i++) {
		uint64_t ts = SEC + i * SEC / 100;

		sample(f, ts / SEC, i, ts);
		if (i % 100 == 0)
			sample_slow(f, 0, ts, 50, SLOW_NORMAL, "x");
		recfile_tick(f, ts, NULL);
	}
	recfile_close(f, NULL);
	slow = ask("SELECT count(*) FROM slow");
	assert_int_equal(slow, 600);
	assert_int_equal(ask("SELECT count(*) FROM meta WHERE key = 'since.events'"), 0);
	assert_true(ask("SELECT value FROM meta WHERE key = 'since.aggregations'") > (int64_t)SEC);
	is_whole();
}

/* -- age -- */

static void age_is_kept_at_any_rate(void **state)
{
	static const uint64_t steps[] = { 100, 100000 }; /* ns between two rows */

	(void)state;
	for (size_t s = 0; s < ARRAY_SIZE(steps); s++) {
		uint64_t ts = SEC, age = steps[s] * 20000, n = 200000;
		struct recfile *f = make(0, age);
		int64_t oldest;

		for (uint64_t i = 0; i < n; i++, ts += steps[s]) {
			event(f, PRINT, (int64_t)i, ts);
			delta(f, i % 7, 1, ts);
			recfile_tick(f, ts, NULL);
		}
		recfile_tick(f, ts, NULL);
		recfile_close(f, NULL);
		oldest = ask("SELECT min(ts) FROM row WHERE seq > 0 AND kind IN (0, 2)");
		/* to a commit: what came between two goes at once */
		if (oldest + (int64_t)age + (int64_t)RECFILE_COMMIT_NS < (int64_t)ts)
			fail_msg("rows of %lld ns are left, of %llu", (long long)((int64_t)ts - oldest),
				 (unsigned long long)age);
		assert_true(steps[s] < 1000 || ask("SELECT count(*) FROM row WHERE seq > 0") > 20000);
		assert_int_equal(ask("SELECT count(*) FROM row WHERE seq < 1"),
				 s ? 7 : ask("SELECT count(*) FROM row WHERE seq < 1"));
	}
}

/* -- names -- */

/* Rows that are left have their names; others' names have gone. */
static void names_stay_with_their_rows(void **state)
{
	struct recfile_info info = { .max_bytes = 2 * LIMIT };
	struct recfile *f = sample_create(&sample_schema, &info);

	(void)state;
	for (uint64_t i = 0; i < 20000; i++) {
		static const uint64_t addrs[] = { 0x10, 0x20 };
		struct recfile_symbol own = { .space = RECFILE_USER,
					      .tgid = (uint32_t)i,
					      .start = 6,
					      .addr = 0x30,
					      .found = true,
					      .module = "m",
					      .name = "f",
					      .offset = 0x10 },
				      at = own;

		at.addr = 0x20; /* the function's start */
		at.offset = 0;
		assert_int_equal(recfile_add_symbol(f, &own, NULL), 0);
		assert_int_equal(recfile_add_symbol(f, &at, NULL), 0);
		for (size_t k = 0; k < ARRAY_SIZE(addrs); k++) {
			struct recfile_symbol s = { .space = RECFILE_KERNEL,
						    .addr = addrs[k],
						    .found = true,
						    .module = "vmlinux",
						    .name = "g" };

			assert_int_equal(recfile_add_symbol(f, &s, NULL), 0);
		}
		sample_slow(f, 0, i * SEC / 100, (uint64_t)i, SLOW_NORMAL, "x"); /* tells which it is */
		recfile_tick(f, i * SEC / 100, NULL);
	}
	recfile_close(f, NULL);
	assert_true(ask("SELECT min(delay) FROM slow") > 1000);
	assert_int_equal(
		ask("SELECT count(*) FROM slow WHERE delay NOT IN (SELECT tgid FROM symbol WHERE space = 1 AND addr = 0x30)"),
		0);
	assert_int_equal(
		ask("SELECT count(*) FROM slow WHERE delay NOT IN (SELECT tgid FROM symbol WHERE space = 1 AND addr = 0x20)"),
		0);
	assert_int_equal(ask("SELECT count(*) FROM symbol WHERE space = 0"), 2);
	assert_true(ask("SELECT count(*) FROM symbol WHERE space = 1") <
		    2 * ask("SELECT count(*) * 2 FROM slow") + 4000);
	is_whole();
}

/* -- readers, limits of limits -- */

/* Somebody who reads one state for long: the log must not grow without bound. Rows that have no room are counted, and
 * told. */
static void long_readers_do_not_break_the_limit(void **state)
{
	struct recfile *f = make(LIMIT, 0);
	uint64_t most = 0, ts = SEC, i = 0, unrecorded;
	sqlite3_stmt *st = NULL;
	sqlite3 *db = NULL;
	const char *said;

	(void)state;
	for (; i < 5000; i++)
		event(f, PRINT, (int64_t)i, ts += 1000);
	recfile_flush(f, NULL);
	assert_int_equal(sqlite3_open_v2(sample_path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, "SELECT seq FROM row", -1, &st, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(st), SQLITE_ROW);
	for (; i < 60000; i++) {
		event(f, PRINT, (int64_t)i, ts += 1000000);
		recfile_tick(f, ts, NULL);
		if (i % 64 == 0)
			measure(&most);
	}
	assert_true(most <= LIMIT + LIMIT / 8);
	unrecorded = recfile_unrecorded(f);
	assert_true(unrecorded > 10000);
	said = recfile_notice(f);
	assert_true(said && strstr(said, "reading"));
	assert_null(recfile_notice(f));
	/* the reader has what there was */
	while (sqlite3_step(st) == SQLITE_ROW)
		most = (uint64_t)sqlite3_column_int64(st, 0);
	assert_int_equal(most, 5000);
	sqlite3_finalize(st);
	sqlite3_close(db);
	recfile_tick(f, ts += SEC, NULL);
	for (most = 0; i < 70000; i++) {
		event(f, PRINT, (int64_t)i, ts += 1000000);
		recfile_tick(f, ts, NULL);
	}
	assert_int_equal(recfile_unrecorded(f), unrecorded);
	recfile_close(f, NULL);
	assert_true(measure(&most) <= LIMIT);
	assert_int_equal(ask("SELECT value FROM meta WHERE key = 'unrecorded'"), (int64_t)unrecorded);
	is_whole();
}

static void too_small_limits_are_refused(void **state)
{
	struct recfile_info info = { .max_bytes = LIMIT - 1 };
	struct recfile *f = NULL;
	struct err err = { 0 };

	(void)state;
	unlink(sample_path);
	assert_int_equal(recfile_create(sample_path, &schema, &info, &f, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "give at least --record-size 1048576"));
	assert_int_equal(access(sample_path, F_OK), -1);
	info.max_bytes = LIMIT;
	assert_int_equal(recfile_create(sample_path, &schema, &info, &f, &err), 0);
	recfile_close(f, NULL);
}

static void flood_and_wait(void)
{
	struct recfile *f = make(LIMIT, 0);

	for (uint64_t i = 0; i < 200000; i++) {
		event(f, PRINT, (int64_t)i, SEC + i * 1000);
		new_keys(f, i, SEC + i * 1000);
		recfile_tick(f, SEC + i * 1000, NULL);
	}
}

static void survives_a_kill(void **state)
{
	(void)state;
	sample_killed(flood_and_wait);
	if (size_of("") + size_of("-wal") > LIMIT)
		fail_msg("%llu and a log of %llu bytes", (unsigned long long)size_of(""),
			 (unsigned long long)size_of("-wal"));
	assert_int_equal(recfile_recover(sample_path, NULL), 0);
	is_whole();
	assert_true(ask("SELECT count(*) FROM row WHERE kind = 0") > 100);
	assert_true(size_of("") <= LIMIT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(size_is_kept_whatever_it_is),
		cmocka_unit_test(size_is_kept_when_all_come),
		cmocka_unit_test(aggregations_are_those_without_limit),
		cmocka_unit_test(dead_keys_vanish),
		cmocka_unit_test(too_many_keys_are_told),
		cmocka_unit_test(aggregations_give_way_first),
		cmocka_unit_test(age_is_kept_at_any_rate),
		cmocka_unit_test(names_stay_with_their_rows),
		cmocka_unit_test(long_readers_do_not_break_the_limit),
		cmocka_unit_test(too_small_limits_are_refused),
		cmocka_unit_test(survives_a_kill),
	};

	/* thousands of commits: where a disk is slow they take minutes */
	if (access("/dev/shm", W_OK) == 0)
		strcpy(sample_dir, "/dev/shm/dwstore-XXXXXX");
	return cmocka_run_group_tests(tests, sample_set_up, sample_tear_down);
}
