/* SPDX-License-Identifier: Apache-2.0 */
/* Slow events as waits: words, operation, device, and who was involved, by what slow() noted. */
#include "unit.h"
#include "base/cleanup.h"
#include "latency/cause/slowwait.h"

#define MAX_ATTRS 6

struct rec {
	struct rec_hdr h;
	struct rec_slow slow;
	char text[MAX_ATTRS][80];
	uint64_t number[MAX_ATTRS];
};

static const char rules[] =
	"wait/9 cpu \"quota\": @throttled\nwait/9 cpu \"softirq\": @softirq\nwait/9 cpu \"a CPU\": @runnable\n"
	"wait/4 process \"SIGCONT\": @stopped\n"
	"wait/2 io \"a page to be read\": @major\n"
	"wait/3 memory \"reclaim\": @reclaim\nwait/1 io \"I/O\": @iowait\n"
	"wait/6 ipc \"a condition\" inferred: @condition\nwait lock \"inode lock\": __lock\nwait io \"block I/O\": io_schedule\nop \"*\": sys_*\n";

static struct causes *kept; /* words of the last wait are in it */

/* An event of a tracker with attributes: name, and a text or, when that is NULL, a number. */
static struct slowwait wait_of(const char *tracker, const char *const (*attrs)[2], const uint64_t *numbers, size_t n)
{
	struct rec_tracker t = { .id = 0, .name = tracker };
	struct rec_schema schema = { .trackers = &t, .ntrackers = 1 };
	struct rec rec = { .slow = { .start = 100, .delay = 50, .tid = 7, .pid = 6, .comm = "cp" } };
	struct recfield fields[2 + MAX_ATTRS] = {
		{ .kind = FLD_BYTES, .off = offsetof(struct rec, slow), .size = sizeof(struct rec_slow) },
		{ .kind = FLD_BYTES, .off = offsetof(struct rec, text) },
	};
	struct recact act = { .kind = ACT_SLOW, .fields = fields, .nfields = n + 2 };
	struct slow_event e;
	struct slowwait w;

	for (size_t i = 0; i < n; i++) {
		bool is_text = attrs[i][1] != NULL;

		if (is_text)
			strcpy(rec.text[i], attrs[i][1]);
		rec.number[i] = numbers ? numbers[i] : 0;
		fields[i + 2] = (struct recfield){ .kind = is_text ? FLD_STRING : FLD_INT,
						   .size = is_text ? 80 : 8,
						   .name = attrs[i][0],
						   .off = (uint32_t)(is_text ? offsetof(struct rec, text) + 80 * i
									     : offsetof(struct rec, number) + 8 * i) };
	}
	causes_free(kept);
	kept = NULL;
	assert_int_equal(causes_new(&kept), 0);
	assert_int_equal(causes_add(kept, "rules", rules, strlen(rules), NULL), 0);
	e = slow_event(&schema, &act, (const uint8_t *)&rec);
	assert_int_equal(slowwait_make(kept, NULL, &e, &w), 0);
	return w;
}

static void requests(void **state)
{
	static const char *const attrs[][2] = { { "dev", "vda" }, { "op", "write" } };
	struct slowwait w = wait_of("block", attrs, NULL, 2);

	(void)state;
	assert_string_equal(w.wait.words, "block I/O (write)");
	assert_string_equal(w.wait.object, "vda");
	assert_int_equal(w.class, CAUSE_IO);
	assert_int_equal(w.wait.level, CHAIN_QUEUED);
	assert_int_equal(w.wait.from, 100);
	assert_int_equal(w.wait.to, 150);
	assert_int_equal(w.wait.tid, 7);
	assert_string_equal(w.wait.comm, "cp");
	assert_int_equal(w.wait.via, CHAIN_NOBODY);
}

static void locks_have_holders(void **state)
{
	static const char *const attrs[][2] = { { "lock_kind", "rwsem write" },
						{ "holder_tid", NULL },
						{ "holder_comm", "mv" } };
	static const uint64_t numbers[] = { 0, 33, 0 };
	struct slowwait w = wait_of("lock", attrs, numbers, 3);

	(void)state;
	assert_string_equal(w.wait.words, "rwsem write");
	assert_int_equal(w.class, CAUSE_LOCK);
	assert_int_equal(w.wait.via, CHAIN_HOLDER);
	assert_int_equal(w.wait.by_tid, 33);
	assert_string_equal(w.wait.by_comm, "mv");
}

static void wakeups_have_one_who_ran(void **state)
{
	static const char *const attrs[][2] = { { "prev_tid", NULL }, { "prev_comm", "cc1" }, { "waker_tid", NULL } };
	static const uint64_t numbers[] = { 44, 0, 55 };
	struct slowwait w = wait_of("wakeup", attrs, numbers, 3);

	(void)state;
	assert_string_equal(w.wait.words, "a CPU");
	assert_int_equal(w.wait.via, CHAIN_RUNNING);
	assert_int_equal(w.wait.by_tid, 44);
}

static void interrupts_that_had_the_cpu(void **state)
{
	static const char *const attrs[][2] = { { "state", "woken" },
						{ "prev_tid", NULL },
						{ "prev_comm", "cc1" },
						{ "softirq_ns", NULL },
						{ "softirq", "net_rx" } };
	static const uint64_t most[] = { 0, 44, 0, 30, 0 }, half[] = { 0, 44, 0, 25, 0 };
	struct slowwait w = wait_of("wakeup", attrs, most, 5);

	(void)state;
	assert_string_equal(w.cause, "softirq");
	assert_string_equal(w.wait.words, "softirq: net_rx for 30 ns");
	assert_int_equal(w.wait.via, CHAIN_NOBODY);
	w = wait_of("wakeup", attrs, half, 5); /* of 50 */
	assert_string_equal(w.cause, "a CPU");
	assert_int_equal(w.wait.via, CHAIN_RUNNING);
}

static void who_was_stopped(void **state)
{
	static const char *const attrs[][2] = { { "waker_tid", NULL },
						{ "waker_comm", "sh" },
						{ "stopper_tid", NULL },
						{ "stopper_comm", "bash" },
						{ "signal", "SIGTSTP" } };
	static const uint64_t numbers[] = { 44, 0, 55, 0, 0 };
	struct slowwait w = wait_of("offcpu", attrs, numbers, 5);

	(void)state;
	assert_string_equal(w.wait.words, "SIGCONT");
	assert_int_equal(w.wait.via, CHAIN_STOPPER);
	assert_int_equal(w.wait.by_tid, 55);
	assert_string_equal(w.wait.by_means, "SIGTSTP");
}

static void conditions_are_no_locks(void **state)
{
	static const char *const attrs[][2] = { { "waker_tid", NULL }, { "condition", NULL } };
	static const uint64_t yes[] = { 44, 1 }, no[] = { 44, 0 };
	struct slowwait w = wait_of("futex", attrs, yes, 2);

	(void)state;
	assert_string_equal(w.wait.words, "a condition");
	assert_true(w.wait.condition && w.wait.inferred && !w.wait.idle);
	assert_int_equal(w.wait.via, CHAIN_WAKER);
	w = wait_of("futex", attrs, no, 2);
	assert_int_equal(w.class, CAUSE_LOCK);
	assert_false(w.wait.idle);
	assert_int_equal(w.wait.via, CHAIN_RELEASER);
}

static void wakers_of_interrupts_do_not_count(void **state)
{
	static const char *const attrs[][2] = { { "waker_tid", NULL }, { "waker_comm", "swapper" } };
	static const uint64_t numbers[] = { 44, 0 };

	(void)state;
	assert_int_equal(wait_of("block", attrs, numbers, 2).wait.via, CHAIN_NOBODY);
	assert_int_equal(wait_of("futex", attrs, numbers, 2).wait.via, CHAIN_RELEASER);
}

static void calls_have_their_file(void **state)
{
	static const char *const attrs[][2] = { { "syscall", "fsync" }, { "file", "/var/x" } };
	static const char *const deep[][2] = {
		{ "syscall", "fsync" }, { "file", "/srv/abcdefghijklmnopqrstuvwxyz1234567890/database/base/16384/2619" }
	};

	(void)state;
	assert_string_equal(wait_of("fsync", attrs, NULL, 2).wait.op, "fsync(/var/x)");
	assert_string_equal(wait_of("syscall", attrs, NULL, 1).wait.op, "fsync");
	assert_string_equal(wait_of("fsync", deep, NULL, 2).wait.op, "fsync(...234567890/database/base/16384/2619)");
	assert_string_equal(wait_of("mine", attrs, NULL, 0).wait.words, "its end");
	assert_int_equal(wait_of("mine", attrs, NULL, 0).class, CAUSE_UNKNOWN);
}

static void calls_have_their_socket(void **state)
{
	static const char *const attrs[][2] = { { "syscall", "recvfrom" },
						{ "protocol", "tcp" },
						{ "to", "10.0.0.1:5432" },
						{ "awaited", "data on a TCP connection" } };
	static const char *const unnamed[][2] = { { "syscall", "read" }, { "protocol", "unix" }, { "to", "" } };
	static const char *const closed[][2] = { { "syscall", "read" }, { "protocol", "" }, { "to", "" } };
	struct slowwait w = wait_of("socket", attrs, NULL, 4);

	(void)state;
	assert_string_equal(w.wait.op, "recvfrom(tcp 10.0.0.1:5432)");
	assert_string_equal(w.wait.words, "data on a TCP connection");
	assert_int_equal(w.class, CAUSE_NET);
	assert_false(w.wait.idle);
	assert_string_equal(wait_of("socket", unnamed, NULL, 3).wait.op, "read(unix)");
	assert_string_equal(wait_of("socket", closed, NULL, 3).wait.op, "read");
	assert_string_equal(wait_of("socket", attrs, NULL, 2).wait.op, "recvfrom(tcp)");
	assert_true(wait_of("accept", attrs, NULL, 3).wait.idle);
}

static void facts_of_trackers(void **state)
{
	static const char *const throttled[][2] = { { "state", "throttled" }, { "prev_tid", NULL } };
	static const char *const limit[][2] = { { "limit", "build.slice" }, { "quota_us", NULL } };
	static const char *const major[][2] = { { "fault", "major" }, { "file", "/srv/data" } };
	static const char *const minor[][2] = { { "fault", "minor" },
						{ "file", "/srv/abcdefghijklmnopqrstuvwxyz1234567890/lib.so" } };
	static const char *const direct[][2] = { { "reclaim", "direct reclaim" } };
	static const char *const compaction[][2] = { { "reclaim", "compaction" } };
	static const char *const asleep[][2] = { { "iowait", NULL }, { "reclaiming", NULL } };
	static const uint64_t iowait[] = { 1, 0 }, reclaiming[] = { 1, 1 }, quota[] = { 0, 20000 };
	struct slowwait w = wait_of("fault", major, NULL, 2);

	(void)state;
	assert_string_equal(w.wait.words, "a page to be read");
	assert_string_equal(w.wait.object, "/srv/data");
	assert_int_equal(w.class, CAUSE_IO);
	w = wait_of("fault", minor, NULL, 2);
	assert_string_equal(w.wait.words, "a page (minor page fault)");
	assert_string_equal(w.wait.object, "...hijklmnopqrstuvwxyz1234567890/lib.so");
	assert_int_equal(w.class, CAUSE_MEMORY);
	w = wait_of("throttle", limit, quota, 2);
	assert_string_equal(w.wait.words, "quota");
	assert_string_equal(w.wait.object, "build.slice");
	assert_string_equal(wait_of("wakeup", throttled, NULL, 2).wait.words, "quota");
	assert_string_equal(wait_of("reclaim", direct, NULL, 1).wait.words, "reclaim");
	assert_string_equal(wait_of("reclaim", compaction, NULL, 1).wait.words, "compaction");
	assert_string_equal(wait_of("offcpu", asleep, iowait, 2).wait.words, "I/O");
	assert_string_equal(wait_of("offcpu", asleep, reclaiming, 2).wait.words, "reclaim");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(facts_of_trackers),	       cmocka_unit_test(requests),
		cmocka_unit_test(locks_have_holders),	       cmocka_unit_test(wakeups_have_one_who_ran),
		cmocka_unit_test(interrupts_that_had_the_cpu), cmocka_unit_test(who_was_stopped),
		cmocka_unit_test(conditions_are_no_locks),     cmocka_unit_test(wakers_of_interrupts_do_not_count),
		cmocka_unit_test(calls_have_their_file),       cmocka_unit_test(calls_have_their_socket),
	};

	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	causes_free(kept);
	return failed;
}
