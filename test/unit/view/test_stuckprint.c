/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that wait, as text and as JSON: which are shown, what has whose lock, which entries are alike. */
#include "../unit.h"
#include "../latency/stuckrec.h"
#include "view/summary/stuckprint.h"

static struct causes *rules;
static struct sym *syms;
static struct stuck *s;
static char *text;
static size_t len;

static int set_up(void **state)
{
	struct err err = { 0 };

	(void)state;
	stuckrec_init();
	assert_int_equal(causes_new(&rules), 0);
	assert_int_equal(sym_new(&syms, &err), 0);
	return stuck_new(rules, syms, &s);
}

static int tear_down(void **state)
{
	(void)state;
	stuck_free(s);
	causes_free(rules);
	sym_free(syms);
	free(text);
	text = NULL;
	return 0;
}

/* A thread, which is its own process, waits for a mutex (holder: of which thread), or just sleeps (0). */
static void add(uint32_t tid, const char *name, uint32_t holder, uint64_t ns)
{
	memset(&stuckrec, 0, sizeof(stuckrec));
	stuckrec_put(R_PID, tid);
	stuckrec_put(R_TID, tid);
	stuckrec_put(R_STATE, holder ? 'D' : 'S');
	stuckrec_put(R_KIND, holder ? STUCK_MUTEX : STUCK_NO_LOCK);
	stuckrec_put(R_LOCK, holder ? 0xffff800000000010 : 0);
	stuckrec_put(R_HOLDER_PID, holder);
	stuckrec_put(R_HOLDER_TID, holder);
	stuckrec_put(R_OFF_CPU, ns);
	stuckrec_text(R_NAME, name);
	stuckrec_text(R_PROCESS, name);
	stuckrec_text(R_HOLDER_NAME, holder ? "keeper" : "");
	assert_int_equal(stuck_add(s, &stuckrec_fmt, &stuckrec), 0);
}

static int print(struct stuck_print p)
{
	int e;

	free(text);
	text = NULL;
	p.out = open_memstream(&text, &len);
	assert_non_null(p.out);
	p.columns = 80;
	p.sym = syms;
	e = stuckprint(&p, s);
	fclose(p.out);
	return e;
}

static void a_wait_says_what_has_the_lock(void **state)
{
	(void)state;
	add(1, "waiter", 2, 1500000000);
	add(3, "sleeper", 0, 100);
	assert_int_equal(print((struct stuck_print){ 0 }), 0);
	assert_int_equal(strncmp(text, "  1.50 s D waiter 1\n", 20), 0);
	assert_non_null(strstr(text, "[mutex 0xffff800000000010]\n"));
	assert_non_null(strstr(text, "         held by keeper 2, which runs\n"));
	assert_non_null(strstr(text, "1 of 2 sleeping threads is stuck; the others have nothing to do (--all).\n"));
	assert_null(strstr(text, "sleeper"));
	assert_int_equal(print((struct stuck_print){ .all = true }), 0);
	assert_non_null(strstr(text, "sleeper 3\n"));
	assert_non_null(strstr(text, "2 of 2 sleeping threads.\n"));
}

static void two_that_wait_for_each_other_are_a_deadlock(void **state)
{
	(void)state;
	add(1, "left", 2, 20);
	add(2, "right", 1, 10);
	assert_int_equal(print((struct stuck_print){ 0 }), 0);
	assert_non_null(strstr(text, "deadlock\n"));
	assert_int_equal(print((struct stuck_print){ .json = true }), 0);
	assert_non_null(strstr(text, "\"holder\":{\"pid\":2,\"tid\":2,\"comm\":\"keeper\",\"one_of_several\":false,"
				     "\"runs\":false,\"deadlock\":true}"));
}

/* Twelve more numbers stand in an entry; at the thirteenth it says that there are others. */
static void threads_that_wait_alike_are_one_entry(void **state)
{
	(void)state;
	for (uint32_t i = 101; i <= 113; i++)
		add(i, "worker", 2, 1000 - i);
	assert_int_equal(print((struct stuck_print){ 0 }), 0);
	assert_non_null(strstr(text, "12 more, for 887 ns at least: 102 103 "));
	assert_null(strstr(text, "..."));
	assert_non_null(strstr(text, "13 of 13 sleeping threads are stuck"));
	add(114, "worker", 2, 1);
	assert_int_equal(print((struct stuck_print){ 0 }), 0);
	assert_non_null(strstr(text, "13 more"));
	assert_non_null(strstr(text, " 113 ...\n"));
}

static void filters_are_of_thread_and_process(void **state)
{
	(void)state;
	add(1, "one", 9, 100);
	add(2, "two", 9, 50);
	assert_int_equal(print((struct stuck_print){ .comm = "two" }), 0);
	assert_null(strstr(text, "one 1"));
	assert_non_null(strstr(text, "1 of 2 sleeping threads.\n"));
	assert_int_equal(print((struct stuck_print){ .pid = 1 }), 0);
	assert_null(strstr(text, "two 2"));
	assert_int_equal(print((struct stuck_print){ .over_ns = 100, .json = true }), 0);
	assert_non_null(strstr(text, "\"comm\":\"one\""));
	assert_null(strstr(text, "\"comm\":\"two\""));
	assert_int_equal(print((struct stuck_print){ .container = "abc", .json = true }), 0);
	assert_string_equal(text, "");
}

static void json_is_a_line_for_each_thread(void **state)
{
	(void)state;
	add(1, "waiter", 2, 1500);
	assert_int_equal(print((struct stuck_print){ .json = true }), 0);
	assert_non_null(strstr(text, "{\"type\":\"stuck\",\"version\":1,\"pid\":1,\"tid\":1,\"comm\":\"waiter\","));
	assert_non_null(strstr(text, "\"state\":\"D\",\"off_cpu_ns\":1500,"));
	assert_non_null(
		strstr(text, "\"lock\":\"mutex\",\"lock_addr\":\"0xffff800000000010\",\"lock_from\":\"note\","));
	assert_non_null(strstr(text, "\"stack\":[],\"ustack\":[]}\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_wait_says_what_has_the_lock, set_up, tear_down),
		cmocka_unit_test_setup_teardown(two_that_wait_for_each_other_are_a_deadlock, set_up, tear_down),
		cmocka_unit_test_setup_teardown(threads_that_wait_alike_are_one_entry, set_up, tear_down),
		cmocka_unit_test_setup_teardown(filters_are_of_thread_and_process, set_up, tear_down),
		cmocka_unit_test_setup_teardown(json_is_a_line_for_each_thread, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
