/* SPDX-License-Identifier: Apache-2.0 */
#include <unistd.h>
#include "run/follow/process_filter.h"
#include "unit.h"

#define NUMBER 100000000 /* no process has it */

static void forked(struct process_filter *m, uint64_t time, uint32_t parent, uint32_t pid)
{
	process_filter_event(m, &(struct side_event){ .kind = SIDE_FORK, .time = time, .tgid = pid, .parent = parent });
}

static void ended(struct process_filter *m, uint64_t time, uint32_t pid)
{
	process_filter_event(m, &(struct side_event){ .kind = SIDE_EXIT, .time = time, .tgid = pid });
}

static void descendants(void **state)
{
	struct process_filter_want w = { .root = NUMBER };
	struct process_filter *m;

	(void)state;
	assert_int_equal(process_filter_new(&w, false, &m), 0);
	forked(m, 10, NUMBER, NUMBER + 1);
	forked(m, 20, NUMBER + 1, NUMBER + 2);
	ended(m, 30, NUMBER + 1);
	forked(m, 40, NUMBER + 2, NUMBER + 3);
	forked(m, 50, NUMBER + 9, NUMBER + 4);
	process_filter_until(m, 60);
	for (uint32_t i = 0; i < 5; i++)
		assert_int_equal(process_filter_has(m, NUMBER + i), i < 4);
	/* another process gets the number of one that has ended, and the root's */
	forked(m, 70, NUMBER + 9, NUMBER + 1);
	forked(m, 80, NUMBER + 9, NUMBER);
	process_filter_until(m, 75);
	assert_false(process_filter_has(m, NUMBER + 1));
	assert_true(process_filter_has(m, NUMBER));
	process_filter_until(m, 80);
	assert_false(process_filter_has(m, NUMBER));
	process_filter_free(m);
}

static void units_and_users(void **state)
{
	struct process_filter_want w = { .unit = "web.service", .of_user = true, .uid = 7 };
	struct process_filter *m;

	(void)state;
	assert_int_equal(process_filter_new(&w, false, &m), 0);
	process_filter_moved(m, NUMBER, 1, "/system.slice/web.service/below");
	assert_false(process_filter_has(m, NUMBER));
	process_filter_user(m, NUMBER, 7);
	assert_true(process_filter_has(m, NUMBER));
	forked(m, 10, NUMBER, NUMBER + 1);
	process_filter_until(m, 20);
	assert_true(process_filter_has(m, NUMBER + 1));
	process_filter_user(m, NUMBER + 1, 8);
	assert_false(process_filter_has(m, NUMBER + 1));
	process_filter_moved(m, NUMBER, 1, "/system.slice/oldweb.service");
	assert_false(process_filter_has(m, NUMBER));
	process_filter_moved(m, NUMBER, 1, "/web.service.d");
	assert_false(process_filter_has(m, NUMBER));
	process_filter_free(m);
}

static void groups(void **state)
{
	struct process_filter_want w = { .cgroup = "/a/b/" }, c = { .container = "deadbeef" }, all = { .cgroup = "/" };
	struct process_filter *m;

	(void)state;
	assert_int_equal(process_filter_new(&w, false, &m), 0);
	assert_false(process_filter_has(m, NUMBER));
	process_filter_moved(m, NUMBER, 3, "/a/bc");
	assert_false(process_filter_has(m, NUMBER));
	process_filter_moved(m, NUMBER, 3, "/a/b");
	process_filter_moved(m, NUMBER, 4, "/x");
	assert_true(process_filter_has(m, NUMBER));
	forked(m, 10, NUMBER, NUMBER + 1);
	forked(m, 30, NUMBER, NUMBER + 2);
	process_filter_until(m, 20);
	process_filter_moved(m, NUMBER, 3, "/"); /* at 20: the second child is made after that */
	process_filter_until(m, 30);
	assert_false(process_filter_has(m, NUMBER));
	assert_true(process_filter_has(m, NUMBER + 1));
	assert_false(process_filter_has(m, NUMBER + 2));
	process_filter_moved(m, NUMBER + 2, 63, "/a/b/c/d");
	assert_true(process_filter_has(m, NUMBER + 2));
	process_filter_free(m);
	assert_int_equal(process_filter_new(&c, false, &m), 0);
	process_filter_moved(m, NUMBER, 0, "/docker/deadbeef01/x");
	assert_true(process_filter_has(m, NUMBER));
	process_filter_free(m);
	assert_int_equal(process_filter_new(&all, false, &m), 0);
	process_filter_moved(m, NUMBER, 0, "/docker");
	assert_true(process_filter_has(m, NUMBER));
	process_filter_free(m);
}

/* At the limits of processes and of events that wait. */
static void limits(void **state)
{
	struct process_filter_want w = { .root = NUMBER };
	struct process_filter *m;

	(void)state;
	assert_int_equal(process_filter_new(&w, false, &m), 0);
	for (uint32_t i = 1; i < PROCESS_FILTER_MAX + 10; i++) {
		forked(m, 2 * i, NUMBER, NUMBER + i);
		if (i != 7)
			ended(m, 2 * i + 1, NUMBER + i);
	}
	process_filter_until(m, UINT64_MAX);
	assert_true(process_filter_has(m, NUMBER));
	assert_true(process_filter_has(m, NUMBER + 7));
	assert_true(process_filter_has(m, NUMBER + PROCESS_FILTER_MAX + 9));
	assert_false(process_filter_has(m, NUMBER + 8)); /* forgotten: it had ended */
	process_filter_free(m);
	/* none has ended: the oldest goes */
	assert_int_equal(process_filter_new(&w, false, &m), 0);
	for (uint32_t i = 1; i <= PROCESS_FILTER_MAX; i++)
		forked(m, i, NUMBER, NUMBER + i);
	process_filter_until(m, UINT64_MAX);
	assert_true(process_filter_has(m, NUMBER + PROCESS_FILTER_MAX));
	assert_false(process_filter_has(m, NUMBER + 1));
	process_filter_free(m);
}

/* A living process is found in /proc, and a child that has ended is found by its fork. */
static void living(void **state)
{
	struct process_filter_want w = { .root = (uint32_t)getpid() }, other = { .root = NUMBER },
				   all = { .cgroup = "/" };
	struct process_filter *m;

	(void)state;
	assert_int_equal(process_filter_new(&w, true, &m), 0);
	assert_true(process_filter_has(m, (uint32_t)getpid()));
	assert_false(process_filter_has(m, (uint32_t)getppid()));
	assert_false(process_filter_has(m, NUMBER));
	process_filter_free(m);
	assert_int_equal(process_filter_new(&other, true, &m), 0);
	assert_false(process_filter_has(m, (uint32_t)getpid()));
	process_filter_free(m);
	assert_int_equal(process_filter_new(&all, true, &m), 0);
	assert_true(process_filter_has(m, (uint32_t)getpid()));
	assert_false(process_filter_has(m, NUMBER));
	process_filter_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(descendants), cmocka_unit_test(groups),
					    cmocka_unit_test(units_and_users), cmocka_unit_test(limits),
					    cmocka_unit_test(living) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
