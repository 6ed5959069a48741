/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of waits and counters into findings: thresholds, order, what follows from what, comparison; and the table of
 * rules. */
#include "unit.h"
#include "base/cleanup.h"
#include "base/units.h"
#include "latency/check/check.h"

#define TEXT 32

/* The key of every aggregation: pid, whom, what, by. */
struct key {
	uint64_t pid;
	char text[3][TEXT];
};
static const struct recfield keys[] = {
	{ .kind = FLD_INT, .off = 0, .size = 8 },
	{ .kind = FLD_STRING, .off = 8, .size = TEXT },
	{ .kind = FLD_STRING, .off = 8 + TEXT, .size = TEXT },
	{ .kind = FLD_STRING, .off = 8 + 2 * TEXT, .size = TEXT },
};
enum { FSYNC, FORK_ERRNO, WAKEUP, FILELOCK, SHORT, RECLAIM, FAULT, BLOCK, NAGGS };
static const struct aggdesc descs[NAGGS] = {
	[FSYNC] = { .name = "check_fsync", .func = AGG_AVG },
	[FORK_ERRNO] = { .name = "check_errno", .func = AGG_COUNT },
	[WAKEUP] = { .name = "check_wakeup", .func = AGG_AVG },
	[FILELOCK] = { .name = "check_filelock", .func = AGG_AVG },
	[SHORT] = { .name = "check_short", .func = AGG_AVG },
	[RECLAIM] = { .name = "check_reclaim", .func = AGG_AVG },
	[FAULT] = { .name = "check_fault", .func = AGG_AVG },
	[BLOCK] = { .name = "check_block", .func = AGG_AVG },
};
static struct aggdesc full[NAGGS];
static const struct aggdesc *aggs[NAGGS];
static struct rec_schema schema = { .aggs = aggs, .naggs = NAGGS, .ncpus = 2 };
static struct causes *rules;
static struct check *c;

static bool only_seven(void *ctx, uint32_t pid)
{
	(void)ctx;
	return pid == 7;
}

static int setup(void **state)
{
	(void)state;
	for (unsigned i = 0; i < NAGGS; i++) {
		full[i] = descs[i];
		full[i].id = i;
		full[i].keys = keys;
		full[i].nkeys = ARRAY_SIZE(keys);
		full[i].key_size = sizeof(struct key);
		aggs[i] = &full[i];
	}
	assert_int_equal(causes_new(&rules), 0);
	assert_int_equal(check_new(rules, NULL, NULL, &c), 0);
	return check_begin(c, &schema, NULL);
}

static int teardown(void **state)
{
	(void)state;
	check_free(c);
	causes_free(rules);
	return 0;
}

static void add(struct check *to, uint32_t agg, uint64_t pid, const char *whom, const char *what, const char *by,
		uint64_t n, uint64_t ns)
{
	const uint64_t value[2] = { n, ns };
	struct key k = { .pid = pid };
	struct row row = { .kind = ROW_AGG, .id = agg, .data = &k, .len = sizeof(k), .value = value };

	snprintf(k.text[0], TEXT, "%s", whom);
	snprintf(k.text[1], TEXT, "%s", what);
	snprintf(k.text[2], TEXT, "%s", by);
	assert_int_equal(check_row(to, &row), 0);
}

static void count(struct check *to, uint64_t ts, const char *text)
{
	const struct row row = { .kind = ROW_NOTE, .id = NOTE_COUNTERS, .ts = ts, .data = text, .len = strlen(text) };

	assert_int_equal(check_row(to, &row), 0);
}

/* Ten seconds, with CPUs that are busy for `busy` of 100 ticks. */
static void ten_seconds(struct check *to, const char *busy, const char *more)
{
	char text[256];

	count(to, 1,
	      "cpu.busy 0\ncpu.idle 0\ncpu0.busy 0\ncpu0.idle 0\ncpu1.busy 0\ncpu1.idle 0\nnet.TcpExt.ListenOverflows 5\n");
	snprintf(text, sizeof(text), "cpu.busy %s\ncpu.idle 50\n%s", busy, more);
	count(to, 1 + 10 * NSEC_PER_SEC, text);
}

static void finds_nothing_below_thresholds(void **state)
{
	struct check_report r;

	(void)state;
	ten_seconds(c, "50", "");
	add(c, FSYNC, 1, "db", "wal", "fsync", 100, 1499000000); /* 149.9 ms/s of 150 */
	add(c, WAKEUP, 1, "db", "0", "other", 100, 1499000000);
	assert_int_equal(check_judge(c, NULL, &r), 0);
	assert_int_equal(r.nfound, 0);
	assert_int_equal(r.n, check_nrules);
	check_report_done(&r);
}

static void finds_from_the_threshold_on(void **state)
{
	struct check_report r;

	(void)state;
	ten_seconds(c, "50", "");
	add(c, FSYNC, 1, "db", "wal", "fsync", 100, 1200000000);
	add(c, FSYNC, 2, "log", "x", "fsync", 10, 300000000);
	assert_int_equal(check_judge(c, NULL, &r), 0);
	assert_int_equal(r.nfound, 1);
	assert_string_equal(r.v[0].rule->id, "fsync");
	assert_true(r.v[0].cost > 149.9 && r.v[0].cost < 150.1);
	assert_string_equal(r.v[0].title, "db waits in fsync until its files are on the disk");
	assert_string_equal(r.v[0].whom.v[0].name, "db");
	assert_int_equal(r.v[0].whom.all, 2);
	assert_int_equal(r.v[0].sum.count, 110);
	check_report_done(&r);
}

/* The same waits are a lack of CPUs, or a neighbour while others are idle. */
static void tells_neighbours_from_a_lack_of_cpus(void **state)
{
	struct check_report r;

	(void)state;
	ten_seconds(c, "50", "cpu0.busy 5\ncpu0.idle 45\ncpu1.busy 45\ncpu1.idle 5\n");
	add(c, WAKEUP, 1, "web", "1", "hog", 100, 9 * NSEC_PER_SEC);
	assert_int_equal(check_judge(c, NULL, &r), 0);
	assert_int_equal(r.nfound, 1);
	assert_string_equal(r.v[0].rule->id, "noisy-neighbour");
	check_report_done(&r);
	count(c, 2 + 10 * NSEC_PER_SEC, "cpu.busy 5000\n");
	assert_int_equal(check_judge(c, NULL, &r), 0);
	assert_string_equal(r.v[0].rule->id, "cpu-saturated");
	check_report_done(&r);
}

/* All CPUs are half busy, and they wait for each of them: idle time was at other moments. */
static void tells_bursts_from_neighbours(void **state)
{
	struct check_report r;

	(void)state;
	ten_seconds(c, "50", "cpu0.busy 26\ncpu0.idle 24\ncpu1.busy 24\ncpu1.idle 26\n");
	add(c, WAKEUP, 1, "web", "0", "hog", 100, 4 * NSEC_PER_SEC);
	add(c, WAKEUP, 1, "web", "1", "hog", 100, 5 * NSEC_PER_SEC);
	assert_int_equal(check_judge(c, NULL, &r), 0);
	assert_int_equal(r.nfound, 1);
	assert_string_equal(r.v[0].rule->id, "cpu-bursts");
	assert_string_equal(r.v[0].title, "threads wait for a CPU: all CPUs are busy at times, mostly with hog");
	check_report_done(&r);
}

/* Waits for a CPU follow from short processes that had it, and not from such that ran beside a load. */
static void short_lives_explain_what_they_took(void **state)
{
	struct check_report r;

	(void)state;
	ten_seconds(c, "5000", "");
	add(c, SHORT, 1, "sh", "true", "", 1000, 2 * NSEC_PER_SEC);
	add(c, WAKEUP, 1, "web", "0", "hog", 100, 8 * NSEC_PER_SEC);
	assert_int_equal(check_judge(c, NULL, &r), 0);
	assert_int_equal(r.nfound, 2);
	assert_string_equal(r.v[0].rule->id, "cpu-saturated");
	assert_int_equal(r.v[1].beneath, 0);
	check_report_done(&r);
	add(c, WAKEUP, 1, "web", "0", "true", 100, 4 * NSEC_PER_SEC);
	assert_int_equal(check_judge(c, NULL, &r), 0);
	assert_string_equal(r.v[0].rule->id, "short-lived");
	assert_string_equal(r.v[1].rule->id, "cpu-saturated");
	assert_int_equal(r.v[1].beneath, 1);
	check_report_done(&r);
}

/* Reads of what a limit put out follow from it, whatever they cost; of others, or of fewer pages, they do not. */
static void limits_explain_what_is_read_again(void **state)
{
	struct check_report r;

	(void)state;
	ten_seconds(c, "50", "refaults./a 900\nrefaults./a/b 890\nrefaults./c 3\n");
	add(c, RECLAIM, 1, "db", "reclaim of a memory cgroup", "", 100, NSEC_PER_SEC / 2);
	add(c, FAULT, 1, "db", "file", "", 800, 8 * NSEC_PER_SEC);
	assert_int_equal(check_judge(c, NULL, &r), 0);
	assert_int_equal(r.nfound, 2);
	assert_string_equal(r.v[0].rule->id, "reclaim-cgroup");
	assert_string_equal(r.v[0].note,
			    "890 pages of files that the limit of cgroup /a/b had put out were read again");
	assert_string_equal(r.v[1].rule->id, "major-faults");
	assert_int_equal(r.v[1].beneath, 1);
	check_report_done(&r);
	add(c, FAULT, 1, "db", "file", "", 100, NSEC_PER_SEC); /* more waits than pages */
	assert_int_equal(check_judge(c, NULL, &r), 0);
	assert_string_equal(r.v[0].rule->id, "major-faults");
	assert_int_equal(r.v[1].beneath, 0);
	check_report_done(&r);
}

/* A group that came and went between two looks at the counters: as many reclaims as waits tell the same. */
static void limits_of_groups_that_are_gone(void **state)
{
	struct check_report r;

	(void)state;
	ten_seconds(c, "50", "");
	add(c, RECLAIM, 1, "db", "reclaim of a memory cgroup", "", 800, NSEC_PER_SEC / 2);
	add(c, FAULT, 1, "db", "file", "", 800, 8 * NSEC_PER_SEC);
	assert_int_equal(check_judge(c, NULL, &r), 0);
	assert_string_equal(r.v[0].rule->id, "reclaim-cgroup");
	assert_non_null(strstr(r.v[0].note, "was gone before"));
	assert_int_equal(r.v[1].beneath, 1);
	check_report_done(&r);
	add(c, FAULT, 1, "db", "file", "", 1, 1);
	assert_int_equal(check_judge(c, NULL, &r), 0);
	assert_string_equal(r.v[0].rule->id, "major-faults");
	check_report_done(&r);
}

static void limits_do_not_explain_reads_of_others(void **state)
{
	struct check_report r;

	(void)state;
	ten_seconds(c, "50", "refaults./a 100000\n");
	add(c, RECLAIM, 1, "db", "reclaim of a memory cgroup", "", 100, NSEC_PER_SEC / 2);
	add(c, FAULT, 2, "web", "file", "", 800, 8 * NSEC_PER_SEC);
	assert_int_equal(check_judge(c, NULL, &r), 0);
	assert_string_equal(r.v[0].rule->id, "major-faults");
	assert_int_equal(r.v[1].beneath, 0);
	check_report_done(&r);
}

/* Failures take no time: each is reckoned; the counter's growth counts, not its value. */
static void ranks_by_cost(void **state)
{
	struct check_report r;

	(void)state;
	ten_seconds(c, "50", "net.TcpExt.ListenOverflows 8\n");
	add(c, FORK_ERRNO, 1, "web", "too many open files (EMFILE)", "", 10, 0);
	add(c, FILELOCK, 1, "web", "lock", "db", 10, 2 * NSEC_PER_SEC);
	assert_int_equal(check_judge(c, NULL, &r), 0);
	assert_int_equal(r.nfound, 3);
	assert_string_equal(r.v[0].rule->id, "listen-overflow"); /* 3 of a second each */
	assert_int_equal(r.v[0].sum.count, 3);
	assert_string_equal(r.v[1].rule->id, "file-lock");
	assert_string_equal(r.v[2].rule->id, "too-many-files");
	assert_true(r.v[2].cost > 9.9 && r.v[2].cost < 10.1);
	check_report_done(&r);
}

static void compares_with_an_earlier_recording(void **state)
{
	struct check *before;
	struct check_report r;

	(void)state;
	ten_seconds(c, "50", "");
	add(c, FSYNC, 1, "db", "wal", "fsync", 100, 4 * NSEC_PER_SEC);
	assert_int_equal(check_new(rules, NULL, NULL, &before), 0);
	assert_int_equal(check_begin(before, &schema, NULL), 0);
	ten_seconds(before, "50", "");
	add(before, FSYNC, 1, "db", "wal", "fsync", 100, 2 * NSEC_PER_SEC);
	assert_int_equal(check_judge(c, before, &r), 0);
	assert_true(r.v[0].cost > 399 && r.v[0].before > 199 && r.v[0].before < 201);
	check_report_done(&r);
	check_free(before);
}

/* A finding without a process is not shown for a chosen process. */
static void leaves_others_out(void **state)
{
	struct check *mine;
	struct check_report r;

	(void)state;
	assert_int_equal(check_new(rules, only_seven, NULL, &mine), 0);
	assert_int_equal(check_begin(mine, &schema, NULL), 0);
	ten_seconds(mine, "50", "net.TcpExt.ListenOverflows 8\n");
	add(mine, FSYNC, 1, "db", "wal", "fsync", 100, 4 * NSEC_PER_SEC);
	add(mine, FILELOCK, 7, "web", "lock", "db", 10, 2 * NSEC_PER_SEC);
	assert_int_equal(check_judge(mine, NULL, &r), 0);
	assert_int_equal(r.nfound, 1);
	assert_string_equal(r.v[0].rule->id, "file-lock");
	check_report_done(&r);
	check_free(mine);
}

/* A fast disk with many requests does not hide a slow one: 20 ms and more on average, of each. */
static void a_slow_disk_beside_a_fast_one(void **state)
{
	struct check_report r;

	(void)state;
	ten_seconds(c, "50", "");
	add(c, BLOCK, 1, "db", "slow0", "read", 100, 4 * NSEC_PER_SEC);
	add(c, BLOCK, 2, "web", "fast0", "read", 100000, 9 * NSEC_PER_SEC);
	assert_int_equal(check_judge(c, NULL, &r), 0);
	assert_int_equal(r.nfound, 1);
	assert_string_equal(r.v[0].rule->id, "slow-disk");
	assert_string_equal(r.v[0].title, "disk slow0 is slow");
	assert_true(r.v[0].cost > 399 && r.v[0].cost < 401);
	assert_int_equal(r.v[0].sum.count, 100);
	assert_int_equal(r.v[0].what.all, 1);
	check_report_done(&r);
}

/* Only threads of one name. */
static void leaves_other_names_out(void **state)
{
	struct check_report r;

	(void)state;
	check_only(c, "log");
	assert_true(check_is_empty(c));
	ten_seconds(c, "50", "net.TcpExt.ListenOverflows 8\n");
	add(c, FSYNC, 1, "db", "wal", "fsync", 100, 4 * NSEC_PER_SEC);
	assert_true(check_is_empty(c));
	add(c, FSYNC, 2, "log", "x", "fsync", 100, 2 * NSEC_PER_SEC);
	assert_false(check_is_empty(c));
	assert_int_equal(check_judge(c, NULL, &r), 0);
	assert_int_equal(r.nfound, 1);
	assert_true(r.v[0].cost > 199 && r.v[0].cost < 201 && r.filtered);
	check_report_done(&r);
}

/* Beyond the limit they are counted, under no name. */
static void has_a_limit(void **state)
{
	struct check_report r;
	char name[TEXT];

	(void)state;
	ten_seconds(c, "50", "");
	for (unsigned i = 0; i <= CHECK_MAX_ITEMS; i++) {
		snprintf(name, sizeof(name), "p%u", i);
		add(c, FSYNC, 1, name, "wal", "fsync", 1, 1000);
	}
	assert_int_equal(check_judge(c, NULL, &r), 0);
	for (unsigned i = 0; i < r.n; i++)
		if (!strcmp(r.v[i].rule->id, "fsync"))
			assert_int_equal(r.v[i].sum.count, CHECK_MAX_ITEMS);
	check_report_done(&r);
}

static const struct check_rule *rule(const char *id, size_t n)
{
	for (unsigned i = 0; i < check_nrules; i++)
		if (strlen(check_rules[i].id) == n && !strncmp(check_rules[i].id, id, n))
			return &check_rules[i];
	return NULL;
}

static void rules_are_whole(void **state)
{
	(void)state;
	for (unsigned i = 0; i < check_nrules; i++) {
		const struct check_rule *r = &check_rules[i];

		assert_ptr_equal(rule(r->id, strlen(r->id)), r); /* no other has its name */
		assert_true(r->area < CHECK_NAREAS && r->measure && r->kind && r->sure && r->title && r->meaning &&
			    r->more);
		assert_true(r->permille > 0 || r->least > 0 || r->per_second > 0);
		for (const char *p = r->explains; p && *p;) {
			size_t n = strcspn(p, " ");

			if (!rule(p, n))
				fail_msg("%s explains %.*s, which there is not", r->id, (int)n, p);
			p += n + (p[n] == ' ');
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(finds_nothing_below_thresholds, setup, teardown),
		cmocka_unit_test_setup_teardown(finds_from_the_threshold_on, setup, teardown),
		cmocka_unit_test_setup_teardown(tells_neighbours_from_a_lack_of_cpus, setup, teardown),
		cmocka_unit_test_setup_teardown(tells_bursts_from_neighbours, setup, teardown),
		cmocka_unit_test_setup_teardown(short_lives_explain_what_they_took, setup, teardown),
		cmocka_unit_test_setup_teardown(limits_explain_what_is_read_again, setup, teardown),
		cmocka_unit_test_setup_teardown(limits_of_groups_that_are_gone, setup, teardown),
		cmocka_unit_test_setup_teardown(limits_do_not_explain_reads_of_others, setup, teardown),
		cmocka_unit_test_setup_teardown(ranks_by_cost, setup, teardown),
		cmocka_unit_test_setup_teardown(compares_with_an_earlier_recording, setup, teardown),
		cmocka_unit_test_setup_teardown(leaves_others_out, setup, teardown),
		cmocka_unit_test_setup_teardown(a_slow_disk_beside_a_fast_one, setup, teardown),
		cmocka_unit_test_setup_teardown(leaves_other_names_out, setup, teardown),
		cmocka_unit_test_setup_teardown(has_a_limit, setup, teardown),
		cmocka_unit_test(rules_are_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
