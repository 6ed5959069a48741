/* SPDX-License-Identifier: Apache-2.0 */
#include "recsample.h"
#include "../unit.h"
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

struct slow_rec {
	struct rec_hdr h;
	struct rec_slow slow;
	uint64_t key;
	int32_t dev;
	char waker[12];
	uint64_t stack[3];
	struct rec_ustack_hdr uh;
	uint64_t ustack[2];
};
struct span_rec {
	struct rec_hdr h;
	char lane[16], label[16];
	uint64_t start, duration;
};

static const struct recfield slow_fields[] = {
	{ .kind = FLD_BYTES, .off = offsetof(struct slow_rec, slow), .size = sizeof(struct rec_slow) },
	{ .kind = FLD_BYTES, .off = offsetof(struct slow_rec, key), .size = 8 },
	{ .kind = FLD_INT, .off = offsetof(struct slow_rec, dev), .size = 4, .is_signed = true, .name = "dev" },
	{ .kind = FLD_STRING, .off = offsetof(struct slow_rec, waker), .size = 12, .name = "waker_comm" },
	{ .kind = FLD_STACK, .off = offsetof(struct slow_rec, stack), .size = 24, .nframes = 3, .name = "stack" },
	{ .kind = FLD_USTACK, .off = offsetof(struct slow_rec, uh), .size = 32, .nframes = 2, .name = "ustack" },
};
static const struct recfield span_fields[] = {
	{ .kind = FLD_STRING, .off = 16, .size = 16 },
	{ .kind = FLD_STRING, .off = 32, .size = 16 },
	{ .kind = FLD_INT, .off = 48, .size = 8 },
	{ .kind = FLD_INT, .off = 56, .size = 8 },
};
static const struct recact acts[] = {
	{ .kind = ACT_SLOW, .number = 1, .fields = slow_fields, .nfields = 6 },
	{ .kind = ACT_SPAN, .number = 1, .fields = span_fields, .nfields = 4 },
};
static const struct recfmt slow_fmt = { .epid = 1, .size = sizeof(struct slow_rec), .acts = &acts[0], .nacts = 1 };
static const struct recfmt span_fmt = { .epid = 2, .size = sizeof(struct span_rec), .acts = &acts[1], .nacts = 1 };
static const struct recfmt *const fmts[] = { &slow_fmt, &span_fmt };
static const struct recfield int_key[] = { { .kind = FLD_INT, .off = 0, .size = 8, .is_signed = true } };
static const struct aggdesc hist = { .id = 0,
				     .name = "h",
				     .func = AGG_HIST,
				     .key_size = 8,
				     .keys = int_key,
				     .nkeys = 1,
				     .value_size = 8 * (1 + AGG_HIST_NBUCKETS) };
static const struct aggdesc lquant = {
	.id = 1, .name = "l", .func = AGG_LQUANTIZE, .param = { 0, 100, 10 }, .value_size = 8 * (1 + 12)
};
static const struct aggdesc sum = { .id = 2, .name = "s", .func = AGG_SUM, .value_size = 16 };
static const struct recfield slot_keys[] = { { .kind = FLD_INT, .off = 0, .size = 8 },
					     { .kind = FLD_INT, .off = 8, .size = 8 } };
static const struct aggdesc slotted = { .id = 3,
					.name = "o",
					.func = AGG_LQUANTIZE,
					.param = { 0, 100, 10 },
					.key_size = 16,
					.keys = slot_keys,
					.nkeys = 2,
					.value_size = 8 * (1 + 12),
					.slot_ns = SEC / 100,
					.slot_wall = true };
static const struct aggdesc *const aggs[] = { &hist, &lquant, &sum, &slotted };
static const struct rec_probe probes[] = { { 1, "latency", "", "block", "slow" } };
static const struct rec_tracker trackers[] = {
	{ .id = 0, .name = "block", .threshold = 1000000, .keys = int_key, .nkeys = 1, .key_size = 8 },
	{ .id = 1, .name = "offcpu", .timeout = 5 },
};
const struct rec_schema sample_schema = { .fmts = fmts,
					  .nfmts = 2,
					  .aggs = aggs,
					  .naggs = 4,
					  .probes = probes,
					  .nprobes = 1,
					  .trackers = trackers,
					  .ntrackers = 2,
					  .ncpus = 2 };

char sample_dir[] = "/tmp/dwell-store-XXXXXX", sample_path[64];

int sample_set_up(void **state)
{
	(void)state;
	if (!mkdtemp(sample_dir))
		return -1;
	snprintf(sample_path, sizeof(sample_path), "%s/x.dwell", sample_dir);
	return 0;
}

int sample_tear_down(void **state)
{
	(void)state;
	unlink(sample_path);
	return rmdir(sample_dir);
}

struct recfile *sample_create(const struct rec_schema *schema, const struct recfile_info *info)
{
	struct recfile *f = NULL;
	struct err err = { 0 };

	unlink(sample_path);
	if (recfile_create(sample_path, schema, info, &f, &err) < 0)
		fail_msg("%s", err.msg);
	return f;
}

struct recfile *sample_make(uint64_t wall_off, uint64_t max_bytes, uint64_t max_age)
{
	struct recfile_info info = { .wall_off = wall_off, .max_bytes = max_bytes, .max_age_ns = max_age };

	return sample_create(&sample_schema, &info);
}

struct recread *sample_open(void)
{
	struct recread *r = NULL;
	struct err err = { 0 };

	if (recread_open(sample_path, &r, &err) < 0)
		fail_msg("%s", err.msg);
	return r;
}

static void append(struct recfile *f, const struct row *row)
{
	struct err err = { 0 };

	if (recfile_append(f, row, &err) < 0)
		fail_msg("%s", err.msg);
}

void sample_slow(struct recfile *f, uint32_t tracker, uint64_t start, uint64_t delay, uint32_t how, const char *comm)
{
	struct slow_rec r = { .h = { start + delay, 1, 1 },
			      .key = (uint64_t)-7,
			      .dev = -8,
			      .waker = "jbd2",
			      .stack = { 0x10, 0x20 },
			      .uh = { .tgid = 5, .start = 6 },
			      .ustack = { 0x30, 0x40 },
			      .slow = { .tracker = tracker,
					.start = start,
					.delay = delay,
					.how = how,
					.exit_id = 3,
					.cgroup = UINT64_MAX,
					.pid = 41,
					.tid = 42,
					.cpu = 1,
					.end_pid = 9,
					.end_tid = 10 } };
	struct row row = { .kind = ROW_EVENT, .ts = start + delay, .probe = 1, .id = 1, .data = &r, .len = sizeof(r) };

	snprintf(r.slow.comm, REC_COMM, "%s", comm);
	append(f, &row);
}

void sample_span(struct recfile *f, uint64_t start, uint64_t duration, const char *lane, const char *label)
{
	struct span_rec r = { .h = { start, 2, 1 }, .start = start, .duration = duration };
	struct row row = { .kind = ROW_EVENT, .ts = start, .probe = 1, .id = 2, .data = &r, .len = sizeof(r) };

	snprintf(r.lane, sizeof(r.lane), "%s", lane);
	snprintf(r.label, sizeof(r.label), "%s", label);
	append(f, &row);
}

void sample_hist(struct recfile *f, uint32_t source, uint64_t start, uint64_t key, int64_t v, uint64_t n)
{
	uint64_t words[AGG_HIST_NBUCKETS] = { 0 };
	struct rec_hist head = { .period = SEC, .sum = n * (uint64_t)v, .max = (uint64_t)v };
	struct row row = { .kind = ROW_HIST, .ts = start, .id = source };
	struct rechist_buf b = { 0 };
	struct rec_histdesc d;

	assert_true(rec_hist_source(&sample_schema, source, &d));
	head.key_size = d.key_size;
	words[d.func == AGG_HIST ? aggval_hist_bucket(v) : aggval_lquantize_bucket(d.param, v)] = n;
	assert_int_equal(rechist_make(&b, &head, &key, words, d.nbuckets), 0);
	row.data = b.v;
	row.len = b.n;
	append(f, &row);
	rechist_buf_free(&b);
}

void sample_proc(struct recfile *f, uint64_t ts, uint32_t kind, uint32_t tgid, const char *name)
{
	union {
		struct rec_proc p;
		uint8_t bytes[sizeof(struct rec_proc) + 64];
	} u = { .p = { .kind = kind, .tgid = tgid, .parent = 1, .addr = 0x1000, .len = 0x2000, .off = 3 } };
	struct row row = { .kind = ROW_PROC, .ts = ts, .data = &u, .len = sizeof(u.p) + strlen(name) + 1 };

	memcpy(u.bytes + sizeof(u.p), name, strlen(name) + 1);
	append(f, &row);
}

void sample_killed(void (*fn)(void))
{
	int p[2], status;
	char c;
	pid_t pid;

	assert_int_equal(pipe(p), 0);
	pid = fork();
	if (pid == 0) {
		fn();
		if (write(p[1], "x", 1) != 1)
			_exit(1);
		pause();
	}
	assert_int_equal(read(p[0], &c, 1), 1);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	close(p[0]);
	close(p[1]);
}

void sample_sql(const char *text)
{
	sqlite3 *db;
	char *reason = NULL;

	assert_int_equal(sqlite3_open(sample_path, &db), SQLITE_OK);
	if (sqlite3_exec(db, text, NULL, NULL, &reason) != SQLITE_OK)
		fail_msg("%s: %s", text, reason);
	sqlite3_close(db);
}
