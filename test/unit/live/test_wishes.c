/* SPDX-License-Identifier: Apache-2.0 */
/* Options become a request: programs, parameters and options of D. Wrong wishes are refused as values. */
#include <errno.h>
#include <string.h>
#include "unit.h"
#include "base/cleanup.h"
#include "latency/cause/trackers.h"
#include "live/calls.h"
#include "live/check.h"
#include "live/onslow.h"
#include "live/slow.h"
#include "live/start.h"
#include "live/stuck.h"
#include "live/top.h"
#include "live/why.h"

static const struct listener silent;

static const char *param(const struct request *c, const char *name)
{
	for (size_t i = 0; i < c->given.n; i++)
		if (!strcmp(c->given.v[i].name, name))
			return c->given.v[i].value;
	return NULL;
}

static bool runs(const struct request *c, const char *program)
{
	for (size_t i = 0; i < c->progs.n; i++)
		if (strstr(c->progs.v[i].arg, program))
			return true;
	return false;
}

static void why_passes_what_is_asked(void **state)
{
	struct live_why l = { .view = { .print = { .by = WHY_BY_THREAD, .over_ns = 50000 }, .comm = "nginx" },
			      .form = "json",
			      .every_ns = 2000000000 };
	struct request *c = &l.request;

	(void)state;
	request_init(c, "dwell", &silent);
	live_why_request(&l);
	assert_string_equal(param(c, "by"), "2");
	assert_string_equal(param(c, "over"), "50");
	assert_string_equal(param(c, "every"), "2000000000ns");
	assert_string_equal(param(c, "comm"), "nginx");
	assert_null(param(c, "stacks"));
	assert_string_equal(c->opts.oformat, "json");
	assert_true(runs(c, "/latency/why.d"));
	request_done(c);
}

static void why_leaves_losses_to_the_text(void **state)
{
	struct rec_schema schema = { .nfmts = 0 };
	struct live_why l = { .view.schema = &schema, .run = { .view = &view_why, .state = &l.view } };
	struct run_observer o = live_why_observer(&l);
	struct row row = { .kind = ROW_DROPS };
	bool text = false;

	(void)state;
	assert_int_equal(o.row(o.ctx, &row, &text), 0);
	assert_true(text);
	text = false;
	row.kind = ROW_NOTE;
	assert_int_equal(o.row(o.ctx, &row, &text), 0);
	assert_true(text);
	text = false;
	row.kind = ROW_EVENT;
	assert_int_equal(o.row(o.ctx, &row, &text), 0);
	assert_false(text);
}

static void a_filter_of_stuck_shows_sleepers(void **state)
{
	struct live_stuck r = { .view.print.comm = "sh" };
	uint64_t id = 0;
	struct err err = { 0 };

	(void)state;
	request_init(&r.request, "dwell", &silent);
	live_stuck_request(&r);
	assert_string_equal(param(&r.request, "raw"), "1");
	assert_true(runs(&r.request, "/latency/stuck.d"));
	request_done(&r.request);
	assert_int_equal(live_stuck_cgroup("77", &id, &err), 0);
	assert_int_equal(id, 77);
	assert_int_equal(live_stuck_cgroup("no/such", &id, &err), -EINVAL);
	assert_string_equal(err.msg, "--cgroup: there is no cgroup 'no/such' (/sys/fs/cgroup/no/such)");
}

static void check_runs_its_programs_in_order(void **state)
{
	struct live_check r = { .for_ns = 7 };
	struct request *c = &r.request;

	(void)state;
	request_init(c, "dwell", &silent);
	r.filter.arena = c->arena;
	assert_int_equal(slowfilter_only(&r.filter, "unit", "nginx", NULL), 0);
	live_check_request(&r);
	assert_int_equal(c->for_ns, 7);
	assert_true(c->opts.zdepends && c->opts.quiet && c->own);
	assert_true(runs(c, "/latency/why.d"));
	assert_true(runs(c, "/latency/moves.d"));
	assert_non_null(strstr(c->progs.v[14].arg, "/check/check.d"));
	assert_string_equal(param(c, "by"), "1");
	live_check_done(&r);
}

static void top_narrows_by_one_name(void **state)
{
	struct live_top t = { 0 };
	struct err err = { 0 };

	(void)state;
	request_init(&t.request, "dwell", &silent);
	live_top_begin(&t);
	assert_int_equal(t.every_ns, LIVE_TOP_EVERY_NS);
	assert_int_equal(live_top_only(&t, &(struct optrow){ .name = "comm" }, "sh", &err), 0);
	assert_string_equal(t.filter.comm, "sh");
	assert_string_equal(t.request.opts.comm, "sh");
	assert_string_equal(param(&t.request, "comm"), "sh");
	assert_string_equal(t.title, "comm sh");
	assert_int_equal(live_top_only(&t, &(struct optrow){ .name = "cgroup" }, "a", &err), 0);
	assert_string_equal(t.filter.cgroup, "/a");
	t.every_ns = LIVE_TOP_EVERY_NS_MIN - 1;
	assert_int_equal(live_top_check(&t, &err), -EINVAL);
	live_top_request(&t);
	assert_true(runs(&t.request, "/latency/top.d") && runs(&t.request, "/latency/wakeup.d"));
	request_done(&t.request);
}

/* After these programs only those of what this machine counts are recorded. */
static void records(const struct live_onslow *c, const char *programs)
{
	static const char last[] = " " LIVE_MACHINE_NAME;
	size_t n = strlen(programs), all = strlen(c->live.also);

	assert_memory_equal(c->live.also, programs, n);
	assert_memory_equal(c->live.also + n, " timeline/", strlen(" timeline/"));
	assert_string_equal(c->live.also + all - strlen(last), last);
	assert_non_null(strstr(c->live.also_text, "CPU counters: "));
}

static void a_recording_waits_for_a_tracker(void **state)
{
	struct live_onslow c = { .tracker = "block" }, none = { 0 };

	(void)state;
	assert_int_equal(live_onslow_prepare(&c), 0);
	assert_int_equal(c.live.age_ns, LIVE_ONSLOW_BEFORE_NS + LIVE_ONSLOW_AFTER_NS);
	records(&c, "timeline/samples timeline/calls latency/netrx latency/nettx latency/block");
	assert_string_equal(c.live.program, "timeline/threads");
	assert_int_equal(live_onslow_prepare(&none), 0);
	assert_int_equal(none.live.age_ns, 0);
	records(&none, "timeline/samples timeline/calls timeline/requests latency/netrx latency/nettx");
	none = (struct live_onslow){ .tracker = "netrx", .live.pid = 1 };
	assert_int_equal(live_onslow_prepare(&none), 0);
	records(&none, "timeline/samples timeline/calls timeline/requests latency/netrx");
	c = (struct live_onslow){ .tracker = "irq" };
	assert_int_equal(live_onslow_prepare(&c), -EINVAL);
	c.tracker = "../tools/execsnoop";
	assert_int_equal(live_onslow_prepare(&c), -EINVAL);
	c.tracker = "stuck";
	assert_int_equal(live_onslow_prepare(&c), -EINVAL);
	c.tracker = "";
	assert_int_equal(live_onslow_prepare(&c), -EINVAL);
}

static void a_recording_begins_when_it_is_told(void **state)
{
	const uint64_t now = UINT64_C(1700000000500000000);
	struct err err = { 0 };
	uint64_t at;
	static const char *const wrong[] = { "",    "@",      "@x",	"@12",	"@25:00",      "@12:60",     "@12:3x",
					     "+",   "+0s",    "/",	"/0s",	"+32d",	       "/32d",	     "10s",
					     "@-1", "@1e300", "@99:99", "@nan", "@1700000000", "@1800000000" };

	(void)state;
	assert_int_equal(live_start_parse("+10s", now, &at, &err), 0);
	assert_int_equal(at, now + UINT64_C(10000000000));
	assert_int_equal(live_start_parse("/1s", now, &at, &err), 0);
	assert_int_equal(at, UINT64_C(1700000001000000000));
	assert_int_equal(live_start_parse("/1m", now, &at, &err), 0);
	assert_int_equal(at % UINT64_C(60000000000), 0);
	assert_in_range(at, now, now + UINT64_C(60000000000));
	assert_int_equal(live_start_parse("@1700000002.25", now, &at, &err), 0);
	assert_int_equal(at, UINT64_C(1700000002250000000));
	assert_int_equal(live_start_parse("@15:04", now, &at, &err), 0);
	assert_in_range(at, now, now + UINT64_C(86400000000000));
	assert_int_equal(live_start_parse("@15:04:05", now, &at, &err), 0);
	assert_int_equal(at / 1000000000 % 60, 5);
	assert_int_equal(live_start_parse("+31d", now, &at, &err), 0);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		err.msg[0] = '\0';
		assert_int_equal(live_start_parse(wrong[i], now, &at, &err), -EINVAL);
		assert_non_null(strstr(err.msg, "--start"));
	}
	err_done(&err);
}

static void calls_take_one_function(void **state)
{
	char one[] = "libc.so.6`malloc", plain[] = "vfs_read", pattern[] = "vfs_*", empty[] = "libc`", nomod[] = "`f";
	struct live_calls c = { 0 };
	struct err err = { 0 };

	(void)state;
	request_init(&c.request, "dwell", &silent);
	assert_int_equal(live_calls_function(&c, one, &err), 0);
	assert_string_equal(c.mod, "libc.so.6");
	assert_string_equal(c.func, "malloc");
	c.mod = NULL;
	assert_int_equal(live_calls_function(&c, plain, &err), 0);
	assert_null(c.mod);
	assert_string_equal(c.func, "vfs_read");
	assert_int_equal(live_calls_function(&c, pattern, &err), -EINVAL);
	assert_int_equal(live_calls_function(&c, empty, &err), -EINVAL);
	assert_int_equal(live_calls_function(&c, nomod, &err), -EINVAL);
	c.mod = NULL;
	vec_push(&c.request.commands, "no-such-program -x");
	assert_true(live_calls_has_command(&c));
	assert_int_equal(live_calls_find(&c, &err), -ENOENT);
	assert_string_equal(err.msg, "calls: there is no program 'no-such-program'");
	live_calls_done(&c);
}

static void trackers_are_added_by_name(void **state)
{
	struct live_slow l = { .record = "f" };
	struct request *c = &l.request;
	char *twice[] = { "block", "block" }, *unknown[] = { "block", "nothing" };
	const char *wrong = NULL;

	(void)state;
	request_init(c, "dwell", &silent);
	live_slow_begin(&l);
	assert_int_equal(live_slow_add(&l, "no-such"), -ENOENT);
	assert_int_equal(live_slow_add(&l, "gc"), -EINVAL);
	vec_push(&c->pids, 1L);
	assert_int_equal(live_slow_add(&l, "gc"), 0);
	assert_int_equal(live_slow_add_all(&l, twice, 2, &wrong), 0);
	assert_int_equal(live_slow_add_all(&l, unknown, 2, &wrong), -ENOENT);
	assert_string_equal(wrong, "nothing");
	assert_true(runs(c, "/latency/block.d"));
	assert_true(runs(c, "/latency/by_key/block.d"));
	assert_int_equal(live_slow_add(&l, "fsync"), 0);
	assert_true(runs(c, "/latency/by_key/fsync.d")); /* made of the head of fsync.d: there is no such file */
	assert_int_equal(c->progs.v[c->progs.n - 1].size, strlen(trackers_joined("by_key", "fsync")));
	assert_int_equal(live_slow_request(&l), 0);
	assert_int_equal(c->opts.control, 1024);
	assert_string_equal(c->opts.record, "f");
	assert_in_range(c->opts.bufsize, 32 << 10, 1 << 20);
	live_slow_done(&l);

	l = (struct live_slow){ .slow_only = true, .record = "f", .show.json = true };
	request_init(c, "dwell", &silent);
	live_slow_begin(&l);
	assert_int_equal(live_slow_add_all(&l, NULL, 0, &wrong), 0);
	assert_true(runs(c, "/latency/wakeup.d") && c->opts.zdepends);
	assert_false(runs(c, "/by_key/"));
	assert_int_equal(live_slow_request(&l), 0);
	assert_int_equal(c->opts.control, 0);
	assert_string_equal(c->opts.oformat, "json");
	live_slow_done(&l);
}

static void requests_are_two_probes(void **state)
{
	struct live_slow l = { 0 };
	struct err err = { 0 };

	(void)state;
	request_init(&l.request, "dwell", &silent);
	assert_int_equal(live_slow_requests(&l, "one", &err), -EINVAL);
	assert_int_equal(live_slow_requests(&l, "a,b,arg1", &err), -EINVAL);
	assert_int_equal(live_slow_requests(&l, "x:::a,x:::b,arg0,nested", &err), 0);
	assert_string_equal(param(&l.request, "begin"), "x:::a");
	assert_string_equal(param(&l.request, "end"), "x:::b");
	assert_string_equal(param(&l.request, "by"), "1");
	assert_string_equal(param(&l.request, "nested"), "8");
	assert_int_equal(live_slow_requests(&l, "a,b", &err), -EINVAL);
	assert_string_equal(err.msg, "--request: may be given once");
	live_slow_done(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(why_passes_what_is_asked),
		cmocka_unit_test(why_leaves_losses_to_the_text),
		cmocka_unit_test(a_filter_of_stuck_shows_sleepers),
		cmocka_unit_test(check_runs_its_programs_in_order),
		cmocka_unit_test(top_narrows_by_one_name),
		cmocka_unit_test(a_recording_waits_for_a_tracker),
		cmocka_unit_test(a_recording_begins_when_it_is_told),
		cmocka_unit_test(calls_take_one_function),
		cmocka_unit_test(trackers_are_added_by_name),
		cmocka_unit_test(requests_are_two_probes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
