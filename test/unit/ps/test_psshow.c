/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of processes and programs, of an inventory that is made here. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "unit.h"
#include "ps/psshow.h"

static char *text;
static size_t len;

static struct inv_prog progs[] = {
	{ .id = 7, .type = "kprobe", .name = "cheap", .held = true, .run_ns = 1000, .runs = 10 },
	{ .id = 8, .type = "tracing", .name = "dear", .held = true, .run_ns = 500000000, .runs = 1000, .misses = 3 },
	{ .id = 9, .type = "cgroup", .name = "", .held = false },
};
static struct inv_link links[] = {
	{ .id = 1, .prog = 8, .places = 5, .missed = 2, .where = "tracepoint sched_switch" },
};
static uint32_t of_first[] = { 0 }, of_second[] = { 1 }, link_of_second[] = { 0 };

static struct psshow begin(struct inv_proc procs[2])
{
	struct psshow s = { .a = arena_new(ARENA_DEFAULT_LIMIT) };

	procs[0] =
		(struct inv_proc){ .pid = 100, .command = "first", .progs = of_first, .nprogs = 1, .map_memory = 1025 };
	procs[1] = (struct inv_proc){ .pid = 200,
				      .command = "second -x",
				      .progs = of_second,
				      .nprogs = 1,
				      .links = link_of_second,
				      .nlinks = 1 };
	s.v = (struct inventory){ .progs = progs,
				  .nprogs = 3,
				  .links = links,
				  .nlinks = 1,
				  .procs = procs,
				  .nprocs = 2,
				  .interval_ns = 1000000000,
				  .measured = true };
	s.out = open_memstream(&text, &len);
	return s;
}

static void finish(struct psshow *s)
{
	fclose(s->out);
	arena_free(s->a);
}

static void the_most_expensive_comes_first(void **state)
{
	struct inv_proc procs[2];
	struct psshow s = begin(procs);
	const char *first, *second;

	(void)state;
	assert_int_equal(psshow_processes(&s), 0);
	finish(&s);
	first = strstr(text, "first");
	second = strstr(text, "second -x");
	assert_non_null(first);
	assert_true(second && second < first);
	assert_non_null(strstr(text, "50.00"));
	assert_non_null(
		strstr(text, "\n1 program is held by no process: pinned, or attached for good (dwell ps --all)"));
	free(text);
}

static void programs_of_nobody_are_shown_when_asked(void **state)
{
	struct inv_proc procs[2];
	struct psshow s = begin(procs);

	(void)state;
	s.all = s.json = true;
	assert_int_equal(psshow_processes(&s), 0);
	finish(&s);
	assert_non_null(strstr(text, "\"command\":\"second -x\""));
	assert_non_null(strstr(text, "\"map_bytes\":1025"));
	assert_non_null(strstr(text, "\"kind\":\"cgroup\""));
	free(text);
}

static void a_process_has_a_line_for_each_program(void **state)
{
	struct inv_proc procs[2];
	struct psshow s = begin(procs);

	(void)state;
	assert_int_equal(psshow_one(&s, 200), 0);
	assert_int_equal(psshow_one(&s, 300), -ESRCH);
	finish(&s);
	assert_non_null(strstr(text, "dear"));
	assert_null(strstr(text, "cheap"));
	assert_non_null(strstr(text, "tracepoint sched_switch and 4 more"));
	free(text);
}

static void without_a_measurement_there_is_no_cost(void **state)
{
	struct inv_proc procs[2];
	struct psshow s = begin(procs);

	(void)state;
	s.v.measured = false;
	assert_int_equal(psshow_one(&s, 200), 0);
	finish(&s);
	assert_null(strstr(text, "50.00"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_most_expensive_comes_first),
		cmocka_unit_test(programs_of_nobody_are_shown_when_asked),
		cmocka_unit_test(a_process_has_a_line_for_each_program),
		cmocka_unit_test(without_a_measurement_there_is_no_cost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
