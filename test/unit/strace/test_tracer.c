/* SPDX-License-Identifier: Apache-2.0 */
/* Options of `dwell strace` become a request: processes, the command, the calls to show. */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "unit.h"
#include "strace/tracer.h"

static const struct listener silent;

static void begin(struct tracer *t)
{
	*t = (struct tracer){ 0 };
	request_init(&t->request, "dwell", &silent);
	tracer_init(t);
}

static void processes_are_numbers(void **state)
{
	struct tracer t;
	struct err err = { 0 };

	(void)state;
	begin(&t);
	assert_int_equal(tracer_pids(&t, "1,2 3", &err), 0);
	assert_int_equal(t.pids.n, 3);
	assert_int_equal(t.pids.v[2], 3);
	assert_int_equal(tracer_pids(&t, "4,x", &err), -EINVAL);
	assert_string_equal(err.msg, "strace: -p: 'x' is no process");
	assert_int_equal(tracer_pids(&t, "0", &err), -EINVAL);
	assert_int_equal(tracer_pids(&t, "2147483648", &err), -EINVAL);
	tracer_done(&t);
	begin(&t);
	vec_push(&t.pids, (long)getpid());
	assert_int_equal(tracer_check(&t, &err), 0);
	vec_push(&t.pids, 2147483647L);
	assert_int_equal(tracer_check(&t, &err), -ESRCH);
	assert_string_equal(err.msg, "strace: there is no process 2147483647");
	tracer_done(&t);
}

static void the_command_is_started_by_dwell(void **state)
{
	char *words[] = { (char *)"sh", (char *)"-c", (char *)"true", NULL };
	char *none[] = { (char *)"no-such-program", NULL };
	struct tracer t;
	struct err err = { 0 };

	(void)state;
	begin(&t);
	assert_int_equal(tracer_command(&t, none, &err), -ENOENT);
	assert_string_equal(err.msg, "strace: there is no program 'no-such-program'");
	assert_int_equal(tracer_command(&t, words, &err), 0);
	assert_string_equal(t.request.words[1], "strace");
	assert_string_equal(t.request.words[2], "--exec");
	assert_non_null(strstr(t.request.words[3], "/sh"));
	assert_string_equal(t.request.words[4], "sh");
	assert_string_equal(t.request.words[6], "true");
	assert_null(t.request.words[7]);
	tracer_done(&t);
}

static void options_choose_what_is_shown(void **state)
{
	struct tracer t;

	(void)state;
	begin(&t);
	assert_int_equal(t.want.size, TRACER_DATA_SIZE);
	t.clocks = 5;
	t.failed = true;
	t.want.follow = true;
	t.output = "/dev/null";
	tracer_choose(&t);
	assert_int_equal(t.show.clock, TRAIL_EPOCH);
	assert_int_equal(t.show.status, TRAIL_FAILED);
	assert_true(t.show.pids && t.show.many && t.show.ends && t.want.times);
	tracer_done(&t);
	begin(&t);
	t.summing = t.quiet = true;
	tracer_choose(&t);
	assert_int_equal(t.show.clock, TRAIL_NO_CLOCK);
	assert_true(t.want.count && t.show.count);
	assert_false(t.show.ends || t.show.many || t.want.nested);
	vec_push(&t.pids, 12L);
	tracer_request(&t);
	assert_true(t.request.opts.quiet);
	assert_int_equal(t.request.pids.v[0], 12);
	assert_int_equal(t.request.progs.n, 4);
	assert_non_null(strstr(t.request.progs.v[2].arg, "/strace/count.d"));
	tracer_done(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(processes_are_numbers),
		cmocka_unit_test(the_command_is_started_by_dwell),
		cmocka_unit_test(options_choose_what_is_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
