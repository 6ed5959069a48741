/* SPDX-License-Identifier: Apache-2.0 */
/* Recording files: what is written comes back; a kill, a full disk and a damaged or hostile file do no harm. */
#include "../unit.h"
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/aggval.h"
#include "base/recfmt.h"
#include "recsample.h"

enum { RECORD_SIZE = 48, ROWS_KILLED = 20000 };
static const struct recfield fields[] = {
	{ .kind = FLD_INT, .off = 16, .size = 8, .is_signed = true, .ctype = "int64_t" },
	{ .kind = FLD_STRING, .off = 24, .size = 24, .ctype = "string" },
};
static const struct aggdesc sum = { .id = 0,
				    .name = "a",
				    .func = AGG_SUM,
				    .key_size = 8,
				    .value_size = 16,
				    .keys = &fields[0],
				    .nkeys = 0,
				    .is_signed = true };
static const struct aggdesc *const aggs[] = { &sum };
static const struct recact acts[] = {
	{ .kind = ACT_PRINTF, .number = 1, .fmt = "%d %s\n", .fmt_len = 6, .fields = fields, .nfields = 2 },
	{ .kind = ACT_CLEAR, .number = 2, .aggs = aggs, .naggs = 1 },
};
static const struct recfmt plain = { .epid = 1, .size = RECORD_SIZE, .acts = acts, .nacts = 1 };
static const struct recfmt clearing = { .epid = 2, .size = 16, .acts = acts + 1, .nacts = 1, .has_exit = true };
static const struct recfmt *const fmts[] = { &plain, &clearing };
static const struct rec_probe probes[] = { { 2, "p", "m", "f", "n" }, { 5, "q", "", "", "x" } };
static const struct rec_schema schema = {
	.fmts = fmts, .nfmts = 2, .aggs = aggs, .naggs = 1, .probes = probes, .nprobes = 2, .ncpus = 2
};
static const struct recfile_pair meta[] = { { "host", "here" }, { NULL, NULL } };
static const struct recfile_pair programs[] = { { "x.d", "BEGIN { }" }, { NULL, NULL } };

static struct recfile *make(uint64_t max_bytes, uint64_t max_age)
{
	struct recfile_info info = {
		.meta = meta, .options = meta, .programs = programs, .max_bytes = max_bytes, .max_age_ns = max_age
	};

	return sample_create(&schema, &info);
}

static void append_event(struct recfile *f, int64_t n, uint64_t ts)
{
	uint8_t data[RECORD_SIZE] = { 0 };
	struct row row = {
		.kind = ROW_EVENT, .ts = ts, .cpu = 1, .probe = 2, .id = 1, .data = data, .len = sizeof(data)
	};

	memcpy(data + 16, &n, 8);
	snprintf((char *)data + 24, 24, "row %lld", (long long)n);
	recfile_append(f, &row, NULL);
}

static void comes_back(void **state)
{
	struct recfile *f = make(0, 0);
	uint64_t key = 7, value[2] = { 1, 42 }, percpu[4] = { 1, 40, 0, 2 };
	struct row agg = { .kind = ROW_AGG, .ts = 11, .data = &key, .len = 8, .value = value, .percpu = percpu };
	struct row drops = {
		.kind = ROW_DROPS, .ts = 12, .cpu = 1, .probe = 5, .id = CNT_DROP_AGG, .count = 1ULL << 63
	};
	struct row end = { .kind = ROW_END, .ts = 13 }, got;
	struct recfile_symbol s = { RECFILE_USER, 4, 5, UINT64_MAX, .found = true, .module = "libc", .name = "read" },
			      back;
	struct stat st;
	struct recread *r;

	(void)state;
	s.offset = 3;
	s.base = 9;
	append_event(f, -5, 10);
	assert_int_equal(recfile_append(f, &agg, NULL), 0);
	assert_int_equal(recfile_append(f, &drops, NULL), 0);
	assert_int_equal(recfile_append(f, &end, NULL), 0);
	assert_false(recfile_knows(f, RECFILE_USER, 4, 5, UINT64_MAX));
	assert_int_equal(recfile_add_symbol(f, &s, NULL), 0);
	assert_true(recfile_knows(f, RECFILE_USER, 4, 5, UINT64_MAX));
	assert_int_equal(recfile_close(f, NULL), 0);
	assert_int_equal(stat(sample_path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);

	r = sample_open();
	assert_string_equal(recread_meta(r, "host"), "here");
	assert_null(recread_meta(r, "nothing"));
	assert_string_equal(recread_programs(r)[0].value, "BEGIN { }");
	assert_int_equal(recread_schema(r)->nfmts, 2);
	assert_int_equal(recread_schema(r)->fmts[0]->acts[0].fields[1].kind, FLD_STRING);
	assert_string_equal(recread_schema(r)->fmts[0]->acts[0].fmt, "%d %s\n");
	assert_ptr_equal(recread_schema(r)->fmts[1]->acts[0].aggs[0], recread_schema(r)->aggs[0]);
	assert_true(recread_schema(r)->fmts[1]->has_exit);
	assert_string_equal(rec_schema_probe(recread_schema(r), 5)->name, "x");
	assert_true(recread_next(r, &got, NULL).more);
	assert_int_equal(got.kind, ROW_EVENT);
	assert_int_equal(got.len, RECORD_SIZE);
	assert_string_equal((const char *)got.data + 24, "row -5");
	assert_true(recread_next(r, &got, NULL).more);
	assert_int_equal(got.value[1], 42);
	assert_int_equal(got.percpu[3], 2);
	assert_true(recread_next(r, &got, NULL).more);
	assert_true(got.count == 1ULL << 63);
	assert_true(recread_next(r, &got, NULL).more);
	assert_int_equal(got.kind, ROW_END);
	assert_false(recread_next(r, &got, NULL).more);
	for (int i = 0; i < 2; i++) { /* the second time from the cache */
		assert_true(recread_symbol(r, RECFILE_USER, 4, 5, UINT64_MAX, &back));
		assert_string_equal(back.name, "read");
		assert_int_equal(back.base, 9);
		assert_false(recread_symbol(r, RECFILE_KERNEL, 0, 0, 1, &back));
	}
	recread_close(r);
}

static void never_overwrites(void **state)
{
	struct recfile_info info = { 0 };
	struct recfile *f = NULL;
	struct err err = { 0 };

	(void)state;
	recfile_close(make(0, 0), NULL);
	assert_int_equal(recfile_create(sample_path, &schema, &info, &f, &err), -EEXIST);
	assert_null(f);
}

static void write_and_more(void)
{
	struct recfile *f = make(0, 0);

	for (int i = 0; i < ROWS_KILLED; i++)
		append_event(f, i, (uint64_t)i);
	recfile_tick(f, RECFILE_COMMIT_NS * 10, NULL);
	for (int i = 0; i < 10; i++) /* these are lost */
		append_event(f, i, (uint64_t)i);
}

/* A killed recorder loses what was not committed; the rest can be read. */
static void survives_a_kill(void **state)
{
	struct recread *r;
	struct row row;
	int n = 0;

	(void)state;
	unlink(sample_path);
	sample_killed(write_and_more);
	r = sample_open();
	while (recread_next(r, &row, NULL).more)
		n++;
	assert_int_equal(n, ROWS_KILLED);
	recread_close(r);
}

static void keeps_what_was_written_on_a_full_disk(void **state)
{
	struct err err = { 0 };
	struct recfile *f;
	struct recread *r;
	struct row row;
	char saved[64];
	int n = 0, e = 0;

	(void)state;
	if (mount("tmpfs", sample_dir, "tmpfs", 0, "size=2m") < 0)
		skip();
	snprintf(saved, sizeof(saved), "%s", sample_path);
	f = make(0, 0);
	for (int i = 0; i < 100000 && e == 0; i++) {
		append_event(f, i, (uint64_t)i);
		if (i % 200 == 199)
			e = recfile_tick(f, (uint64_t)(i + 1) * RECFILE_COMMIT_NS, &err);
	}
	assert_true(recfile_dropped(f) > 0 || e < 0);
	recfile_close(f, &err);
	r = sample_open();
	while (recread_next(r, &row, NULL).more) {
		int64_t at;

		memcpy(&at, (const uint8_t *)row.data + 16, 8);
		assert_int_equal(at, n); /* none is missing between */
		n++;
	}
	assert_true(n > 1000);
	recread_close(r);
	umount2(sample_dir, MNT_DETACH);
}

static void keeps_its_limits(void **state)
{
	struct row clear = { .kind = ROW_EVENT, .id = 2, .probe = 5 }, row;
	uint8_t hdr[16] = { 0 };
	struct recfile *f = make(RECFILE_SIZE_MIN, 0);
	struct recread *r;
	struct stat st;
	int cleared = 0;
	int64_t first = -1, at = -1;

	(void)state;
	clear.data = hdr;
	clear.len = sizeof(hdr);
	assert_int_equal(recfile_append(f, &clear, NULL), 0);
	for (int i = 0; i < 50000; i++) {
		append_event(f, i, (uint64_t)i);
		if (i % 500 == 0)
			assert_int_equal(recfile_tick(f, (uint64_t)(i + 1) * RECFILE_COMMIT_NS, NULL), 0);
	}
	recfile_close(f, NULL);
	assert_int_equal(stat(sample_path, &st), 0);
	assert_true(st.st_size <= RECFILE_SIZE_MIN);
	r = sample_open();
	while (recread_next(r, &row, NULL).more) {
		if (row.id == 2) {
			cleared++;
			continue;
		}
		memcpy(&at, (const uint8_t *)row.data + 16, 8);
		if (first < 0)
			first = at;
	}
	assert_int_equal(cleared, 0); /* what it cleared has gone, too */
	assert_int_equal(at, 49999);
	assert_true(first > 10000);
	recread_close(r);

	f = make(0, 1000);
	for (int i = 0; i < 5000; i++)
		append_event(f, i, (uint64_t)i);
	recfile_tick(f, RECFILE_COMMIT_NS, NULL); /* all are older than 1000 ns by then */
	append_event(f, 5000, RECFILE_COMMIT_NS);
	recfile_close(f, NULL);
	r = sample_open();
	assert_true(recread_next(r, &row, NULL).more);
	memcpy(&at, (const uint8_t *)row.data + 16, 8);
	assert_int_equal(at, 5000);
	recread_close(r);
}

/* Reads all rows of the sample; *ret stays open. 0 or -errno. */
static int read_all(struct recread **ret, struct err *err)
{
	struct step step = step_end();
	struct row row;
	int e = recread_open(sample_path, ret, err);

	while (e == 0 && (step = recread_next(*ret, &row, err)).more)
		;
	return e ? e : step.error;
}

/* Each change makes the file one that must not be believed: refused when opened, or at the row. */
static void refuses_hostile_files(void **state)
{
	static const char *const changes[] = {
		"UPDATE format SET size = 8 WHERE epid = 1",
		"UPDATE format SET size = 1 << 40",
		"UPDATE format SET epid = 7 WHERE epid = 2",
		"UPDATE field SET off = 47",
		"UPDATE field SET off = -8",
		"UPDATE field SET size = 3 WHERE kind = 'int'",
		"UPDATE field SET kind = 'stack', nframes = 1000",
		"UPDATE field SET kind = 'ustack', nframes = 1",
		"UPDATE field SET kind = 'nonsense'",
		"UPDATE action SET kind = 'nonsense'",
		"UPDATE action SET kind = 'ustack'",
		"UPDATE action SET fmt = NULL",
		"UPDATE action_aggregation SET aggregation = 1",
		"DELETE FROM action_aggregation",
		"UPDATE aggregation SET value_size = 8",
		"UPDATE aggregation SET key_size = 12",
		"UPDATE aggregation SET function = 'lquantize', p0 = 0, p1 = 2147483647, p2 = 1",
		"UPDATE aggregation SET id = 3",
		"UPDATE meta SET value = '0' WHERE key = 'cpus'",
		"UPDATE row SET data = x'ff'", /* packed: words are missing */
		"UPDATE row SET data = x'80'", /* a word that the record does not have */
		"UPDATE row SET data = data || x'00'",
		"UPDATE row SET data = zeroblob(1 << 24)",
		"UPDATE row SET data = NULL",
		"UPDATE row SET data = 'text of some forty-eight bytes, which is no good ' || x'00'",
		"UPDATE row SET id = 3",
		"UPDATE row SET id = -1",
		"UPDATE row SET kind = 99",
		"UPDATE row SET kind = 2, id = 0",
		"UPDATE row SET kind = 1, data = x'0102'",
		"UPDATE row SET kind = 3, id = 1000",
		("DROP VIEW event; DROP VIEW loss; DROP TABLE row;"
		 "CREATE VIEW row AS SELECT 1 seq, 4 kind, 0 ts, 0 cpu, 0 probe, 0 id, 0 count, 0 data, 0 value, 0 percpu"),
		"DROP TABLE symbol",
		"PRAGMA user_version = 6",
		"PRAGMA application_id = 0",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		struct recfile *f = make(0, 0);
		struct recread *r = NULL;
		struct err err = { 0 };
		int e;

		append_event(f, 1, 1);
		recfile_close(f, NULL);
		sample_sql(changes[i]);
		e = read_all(&r, &err);
		if (e != -EINVAL || !err.msg[0])
			fail_msg("%s: accepted (%d)", changes[i], e);
		recread_close(r);
	}
}

/* Most of a record is zero, and so are keys: neither is in the file. Before version 5, they were. */
static void zeros_take_no_room(void **state)
{
	struct recfile *f = make(0, 0);
	struct recread *r;
	struct row row;

	(void)state;
	append_event(f, 1, 1);
	recfile_close(f, NULL);
	sample_sql(
		"CREATE TABLE told AS SELECT length(data) AS n FROM row; DELETE FROM row WHERE (SELECT n FROM told) <> 1 + 8 + 8");
	r = sample_open();
	assert_true(recread_next(r, &row, NULL).more);
	assert_int_equal(row.len, RECORD_SIZE);
	assert_string_equal((const char *)row.data + 24, "row 1");
	recread_close(r);
	sample_sql(
		"UPDATE row SET data = zeroblob(24) || CAST('an old row, and its text' AS BLOB); PRAGMA user_version = 4");
	r = sample_open();
	assert_true(recread_next(r, &row, NULL).more);
	assert_int_equal(row.len, RECORD_SIZE);
	assert_memory_equal((const char *)row.data + 24, "an old row, and its text", 24);
	recread_close(r);
}

static void survives_damage(void **state)
{
	struct recfile *f = make(0, 0);
	uint8_t *good, *bad;
	struct stat st;
	int fd;

	(void)state;
	for (int i = 0; i < 200; i++)
		append_event(f, i, (uint64_t)i);
	recfile_close(f, NULL);
	fd = open(sample_path, O_RDWR);
	assert_int_equal(fstat(fd, &st), 0);
	good = malloc((size_t)st.st_size);
	bad = malloc((size_t)st.st_size);
	assert_int_equal(pread(fd, good, (size_t)st.st_size, 0), st.st_size);
	srandom(1);
	for (int round = 0; round < 400; round++) {
		struct recread *r = NULL;
		struct recfile_symbol s;
		struct row row;

		memcpy(bad, good, (size_t)st.st_size);
		for (int k = 0; k < 1 + round % 8; k++)
			bad[random() % st.st_size] = (uint8_t)random();
		assert_int_equal(pwrite(fd, bad, (size_t)st.st_size, 0), st.st_size);
		assert_int_equal(ftruncate(fd, round % 10 ? st.st_size : random() % st.st_size), 0);
		if (recread_open(sample_path, &r, NULL) == 0) {
			while (recread_next(r, &row, NULL).more)
				;
			recread_symbol(r, RECFILE_KERNEL, 0, 0, 1, &s);
		}
		recread_close(r);
	}
	free(good);
	free(bad);
	close(fd);
}

static void says_why_not(void **state)
{
	struct recread *r = NULL;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(recread_open("/no/such/file", &r, &err), -ENOENT);
	assert_int_equal(recread_open("/", &r, &err), -EINVAL);
	assert_int_equal(recread_open("/proc/self/exe", &r, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "no recording"));
}

/* Rows that were flushed can be read by others, though the file is still being written. */
static void flushed(void **state)
{
	struct recfile *f = make(0, 0);
	struct recread *r;
	struct row row;

	(void)state;
	append_event(f, 1, 1);
	for (unsigned n = 0; n < 2; n++) {
		if (n)
			assert_int_equal(recfile_flush(f, NULL), 0);
		assert_int_equal(recread_open(sample_path, &r, NULL), 0);
		assert_int_equal(recread_next(r, &row, NULL).more, n);
		recread_close(r);
	}
	append_event(f, 2, 2);
	assert_int_equal(recfile_close(f, NULL), 0);
	assert_int_equal(recread_open(sample_path, &r, NULL), 0);
	assert_true(recread_next(r, &row, NULL).more);
	assert_true(recread_next(r, &row, NULL).more);
	recread_close(r);
}

/* Lines of source: by address, innermost first; of a file of a version that had none, nothing. */
static void lines_come_back(void **state)
{
	struct recfile_source in[RECFILE_MAX_SOURCE + 1];
	const struct recfile_source *v;
	struct recfile *f = make(0, 0);
	struct recread *r;

	(void)state;
	for (size_t i = 0; i < RECFILE_MAX_SOURCE + 1; i++)
		in[i] = (struct recfile_source){ "f", i ? "a.c" : NULL, "b.h", (uint32_t)i, UINT32_MAX };
	assert_int_equal(recfile_add_source(f, 7, 100, UINT64_MAX, in, 2, NULL), 0);
	assert_int_equal(recfile_add_source(f, 7, 100, UINT64_MAX, in, 2, NULL), 0); /* known: no error */
	assert_int_equal(recfile_add_source(f, 7, 100, 1, in, RECFILE_MAX_SOURCE + 1, NULL), 0);
	assert_int_equal(recfile_close(f, NULL), 0);
	assert_int_equal(recread_open(sample_path, &r, NULL), 0);
	for (unsigned again = 0; again < 2; again++) {
		assert_int_equal(recread_source(r, 7, 100, UINT64_MAX, &v), 2);
		assert_string_equal(v[0].function, "f");
		assert_null(v[0].file);
		assert_string_equal(v[1].file, "a.c");
		assert_string_equal(v[1].def_file, "b.h");
		assert_int_equal(v[1].line, 1);
		assert_int_equal(v[1].def_line, UINT32_MAX);
		assert_int_equal(recread_source(r, 7, 100, 1, &v), RECFILE_MAX_SOURCE);
		assert_int_equal(recread_source(r, 7, 101, 1, &v), 0);
	}
	recread_close(r);
	sample_sql("UPDATE source SET line = -1, def_line = 'x', function = x'00ff', file = 5 WHERE addr = 1");
	assert_int_equal(recread_open(sample_path, &r, NULL), 0);
	assert_int_equal(recread_source(r, 7, 100, 1, &v), RECFILE_MAX_SOURCE);
	assert_int_equal(v[0].line, 0);
	assert_int_equal(v[0].def_line, 0);
	recread_close(r);
	sample_sql("DROP TABLE source; PRAGMA user_version = 3");
	assert_int_equal(recread_open(sample_path, &r, NULL), 0);
	assert_int_equal(recread_source(r, 7, 100, 1, &v), 0);
	recread_close(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comes_back),	    cmocka_unit_test(flushed),
		cmocka_unit_test(lines_come_back),  cmocka_unit_test(never_overwrites),
		cmocka_unit_test(survives_a_kill),  cmocka_unit_test(keeps_what_was_written_on_a_full_disk),
		cmocka_unit_test(keeps_its_limits), cmocka_unit_test(refuses_hostile_files),
		cmocka_unit_test(survives_damage),  cmocka_unit_test(zeros_take_no_room),
		cmocka_unit_test(says_why_not),
	};

	return cmocka_run_group_tests(tests, sample_set_up, sample_tear_down);
}
