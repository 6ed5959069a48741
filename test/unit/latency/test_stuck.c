/* SPDX-License-Identifier: Apache-2.0 */
/* Records of dlib/latency/stuck.d into threads, who has whose lock, and which of them are stuck. */
#include "unit.h"
#include "base/cleanup.h"
#include "../latency/stuckrec.h"

static struct causes *rules;
static struct sym *syms;
static struct stuck *s;
static bool shared; /* rwsems are held by readers */

static int setup(void **state)
{
	struct err err = { 0 };

	(void)state;
	shared = false;
	stuckrec_init();
	assert_int_equal(causes_new(&rules), 0);
	assert_int_equal(sym_new(&syms, &err), 0);
	return stuck_new(rules, syms, &s);
}

static int teardown(void **state)
{
	(void)state;
	stuck_free(s);
	causes_free(rules);
	sym_free(syms);
	return 0;
}

static void add(uint32_t tid, char state, enum stuck_kind kind, uint32_t holder, uint64_t ns)
{
	memset(&stuckrec, 0, sizeof(stuckrec));
	stuckrec_put(R_PID, tid);
	stuckrec_put(R_TID, tid);
	stuckrec_put(R_STATE, (uint64_t)state);
	stuckrec_put(R_KIND, kind);
	stuckrec_put(R_LOCK, kind ? 0xffff800000000010 : 0);
	stuckrec_put(R_HOLDER_TID, holder);
	stuckrec_put(R_SHARED, kind != STUCK_MUTEX && shared);
	stuckrec_put(R_OFF_CPU, ns);
	stuckrec_text(R_NAME, "0123456789abcdef"); /* without a NUL */
	stuckrec_put(R_STACK, 0xffffffff81000000);
	assert_int_equal(stuck_add(s, &stuckrec_fmt, &stuckrec), 0);
}

static void sorted_and_linked(void **state)
{
	const struct stuck_thread *const *v, *chain[STUCK_MAX_CHAIN];
	bool cycle;
	size_t n;

	(void)state;
	add(1, 'D', STUCK_MUTEX, 2, 100);
	add(2, 'D', STUCK_RWSEM_WRITE, 3, 300);
	add(3, 'S', STUCK_NO_LOCK, 0, 200);
	add(4, 'D', STUCK_MUTEX, 99, 50);
	v = stuck_list(s, &n);
	assert_int_equal(n, 4);
	assert_int_equal(v[0]->tid, 2);
	assert_int_equal(v[3]->tid, 4);
	assert_string_equal(v[0]->name, "0123456789abcdef");
	assert_int_equal(v[0]->nstack, 1);
	assert_int_equal(v[0]->nustack, 0);
	assert_ptr_equal(v[2]->holder, v[0]);
	assert_null(v[3]->holder); /* runs, or is gone */
	assert_int_equal(stuck_chain(v[2], chain, &cycle), 2);
	assert_ptr_equal(chain[1], v[1]);
	assert_false(cycle);
	assert_true(stuck_is(v[0]));
	assert_false(stuck_is(v[1]));
	assert_string_equal(stuck_kind_name(v[0]->kind), "rwsem (write)");
}

static void who_wait_for_each_other(void **state)
{
	const struct stuck_thread *const *v, *chain[STUCK_MAX_CHAIN];
	bool cycle;
	size_t n;

	(void)state;
	add(1, 'D', STUCK_MUTEX, 2, 3);
	add(2, 'D', STUCK_MUTEX, 1, 2);
	add(3, 'D', STUCK_MUTEX, 1, 1);
	v = stuck_list(s, &n);
	assert_int_equal(stuck_chain(v[0], chain, &cycle), 1);
	assert_true(cycle);
	assert_int_equal(stuck_chain(v[2], chain, &cycle), 2); /* waits for those two */
	assert_true(cycle);
	assert_int_equal(stuck_chain(&(struct stuck_thread){ .holder = NULL }, chain, &cycle), 0);
	assert_false(cycle);
}

/* The last of several threads that took a lock may not have it: no proof of a deadlock, and never the waiter itself. */
static void readers(void **state)
{
	const struct stuck_thread *const *v, *chain[STUCK_MAX_CHAIN];
	bool cycle;
	size_t n;

	(void)state;
	shared = true;
	add(1, 'D', STUCK_RWSEM_WRITE, 2, 4);
	add(2, 'D', STUCK_MUTEX, 1, 3);
	add(3, 'D', STUCK_RWSEM_WRITE, 3, 2);
	add(4, 'D', (enum stuck_kind)(STUCK_RWSEM_WRITE | 8), 1, 1);
	v = stuck_list(s, &n);
	assert_int_equal(stuck_chain(v[0], chain, &cycle), 1);
	assert_false(cycle);
	assert_int_equal(stuck_chain(v[1], chain, &cycle), 1);
	assert_false(cycle);
	assert_int_equal(v[2]->holder_tid, 0);
	assert_null(v[2]->holder);
	assert_int_equal(v[3]->kind, STUCK_RWSEM_WRITE);
	assert_true(v[3]->found);
	assert_false(v[0]->found);
}

static void long_chains_are_cut(void **state)
{
	const struct stuck_thread *const *v, *chain[STUCK_MAX_CHAIN];
	bool cycle;
	size_t n;

	(void)state;
	for (uint32_t i = 1; i <= STUCK_MAX_CHAIN + 5; i++)
		add(i, 'D', STUCK_MUTEX, i + 1, 1000 - i);
	v = stuck_list(s, &n);
	assert_int_equal(stuck_chain(v[0], chain, &cycle), STUCK_MAX_CHAIN);
	assert_false(cycle);
}

static void other_records_are_left_alone(void **state)
{
	size_t n;

	(void)state;
	stuckrec_fmt.nacts = STUCKREC_NFIELDS - 1;
	assert_int_equal(stuck_add(s, &stuckrec_fmt, &stuckrec), 0);
	stuckrec_fmt.nacts = STUCKREC_NFIELDS;
	stuckrec_fields[R_STACK].kind = FLD_INT;
	assert_int_equal(stuck_add(s, &stuckrec_fmt, &stuckrec), 0);
	stuckrec_fields[R_STACK].kind = FLD_STACK;
	stuckrec_acts[R_TID].nfields = 2;
	assert_int_equal(stuck_add(s, &stuckrec_fmt, &stuckrec), 0);
	stuckrec_acts[R_TID].nfields = 1;
	stuckrec_fields[R_TID].size = 16; /* no number has this size */
	assert_int_equal(stuck_add(s, &stuckrec_fmt, &stuckrec), 0);
	stuck_list(s, &n);
	assert_int_equal(n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(sorted_and_linked, setup, teardown),
		cmocka_unit_test_setup_teardown(who_wait_for_each_other, setup, teardown),
		cmocka_unit_test_setup_teardown(readers, setup, teardown),
		cmocka_unit_test_setup_teardown(long_chains_are_cut, setup, teardown),
		cmocka_unit_test_setup_teardown(other_records_are_left_alone, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
