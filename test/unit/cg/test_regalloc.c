/* SPDX-License-Identifier: Apache-2.0 */
/* Register allocation: random programs compute the same before and after, whatever is spilled. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>
#include "cg/ir/int.h"
#include "interp.h"

static void same_result(struct irprog *p, struct arena *a, int expect)
{
	uint8_t m1[INTERP_MEM], m2[INTERP_MEM];
	uint64_t r1 = 1, r2 = 2;
	struct img_prog img = { 0 };
	const char *reason = "";
	int r, k;

	for (k = 0; k < INTERP_MEM; k++)
		m1[k] = m2[k] = (uint8_t)(k * 37);
	assert_int_equal(interp_ir(p, m1, &r1), 0);
	r = ir_finish(p, a, &img, &reason);
	if (r != expect)
		fail_msg("ir_finish: %d %s", r, reason);
	if (r < 0)
		return;
	r = interp_bpf(&img, m2, &r2);
	if (r < 0)
		fail_msg("BPF: %d", r);
	assert_int_equal(r1, r2);
	assert_memory_equal(m1, m2, INTERP_MEM);
}

static void random_programs(void **state)
{
	uint32_t seed, n;
	uint8_t data[2000];

	(void)state;
	for (seed = 1; seed < 600; seed++) {
		struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
		uint32_t x = seed * 2654435761u, len = seed < 300 ? 300 : 2000;

		for (n = 0; n < len; n++) {
			x = x * 1664525 + 1013904223;
			data[n] = (uint8_t)(x >> 24);
		}
		same_result(interp_random(a, data, len), a, 0);
		arena_free(a);
	}
}

/* n values live at once over a call: all but four are spilled. */
static struct irprog *many_live(struct arena *a, unsigned n)
{
	struct irprog *p = irprog_new(a);
	struct irfn *f = irfn_new(p, "main", 1);
	vreg v[80], sum = ir_imm(f, 0);
	unsigned k;

	for (k = 0; k < n; k++) {
		v[k] = ir_new(f);
		ir_load(f, v[k], ir_ctx(f), (int32_t)k, 8);
	}
	ir_call(f, sum, 5, 5, (vreg[]){ v[4], v[3], v[2], v[1], v[0] });
	for (k = 0; k < n; k++) {
		ir_alui(f, IRA_MUL, sum, sum, 31);
		ir_alu(f, IRA_ADD, sum, sum, v[k]);
	}
	ir_ret(f, sum);
	return p;
}

static void spills_up_to_the_stack_limit(void **state)
{
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);

	(void)state;
	same_result(many_live(a, 5), a, 0);
	same_result(many_live(a, 10), a, 0);
	same_result(many_live(a, 68), a, 0); /* 64 slots and r6-r9 */
	same_result(many_live(a, 69), a, -E2BIG);
	arena_free(a);
}

/* Arguments that have to change places in every way. */
static void call_arguments_are_moved_at_once(void **state)
{
	int perm, k;

	(void)state;
	for (perm = 0; perm < 5 * 5 * 5 * 5; perm++) {
		struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
		struct irprog *p = irprog_new(a);
		struct irfn *f = irfn_new(p, "main", 1), *s = irfn_new(p, "sub", 5);
		vreg args[5], c[5], d = ir_new(s), r = ir_new(f);
		int x = perm;

		for (k = 0; k < 5; k++, x /= 5)
			args[k] = irfn_arg(s, (unsigned)(k == 4 ? perm % 3 : x % 5));
		ir_call(s, d, 11, 5, args);
		ir_ret(s, d);
		for (k = 0; k < 5; k++)
			c[k] = ir_imm(f, 1000u + (unsigned)k);
		ir_call_fn(f, r, s, 5, c);
		ir_ret(f, r);
		same_result(p, a, 0);
		arena_free(a);
	}
}

static void a_value_over_a_loop(void **state)
{
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
	struct irprog *p = irprog_new(a);
	struct irfn *f = irfn_new(p, "main", 1);
	vreg i = ir_imm(f, 0), sum = ir_imm(f, 7), k = ir_new(f), h = ir_new(f);
	irlabel top = ir_label(f);

	(void)state;
	ir_load(f, k, ir_ctx(f), 0, 8);
	ir_place(f, top);
	ir_call(f, h, 8, IR_ARGS(i, sum));
	ir_alu(f, IRA_ADD, sum, h, k);
	ir_alui(f, IRA_ADD, i, i, 1);
	ir_jcci(f, IRC_LT, i, 10, top);
	ir_alu(f, IRA_XOR, sum, sum, k);
	ir_ret(f, sum);
	same_result(p, a, 0);
	arena_free(a);
}

static void use_before_definition_is_an_error(void **state)
{
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
	struct irprog *p = irprog_new(a);
	struct irfn *f = irfn_new(p, "main", 1);
	vreg v = ir_new(f);
	irlabel l = ir_label(f);
	struct img_prog img = { 0 };
	const char *reason = "";

	(void)state;
	ir_jcci(f, IRC_EQ, ir_ctx(f), 0, l);
	ir_load(f, v, ir_ctx(f), 0, 8);
	ir_place(f, l);
	ir_ret(f, v);
	assert_int_equal(ir_finish(p, a, &img, &reason), -EINVAL);
	assert_non_null(strstr(reason, "before it has a value"));
	arena_free(a);
}

/* CPU time of a program with jumps to a far end and values living across, in ns; jumps stay in 16 bits. */
static uint64_t time_of(unsigned insns)
{
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
	struct irprog *p = irprog_new(a);
	struct irfn *f = irfn_new(p, "main", 1);
	vreg x = ir_imm(f, 1), y = ir_new(f), acc[6];
	irlabel end = ir_label(f);
	struct timespec t0, t1;
	unsigned k;

	for (k = 0; k < 6; k++)
		acc[k] = ir_imm(f, k);
	ir_load(f, y, ir_ctx(f), 0, 8);
	while (ir_ninsns(p) < insns) {
		irlabel skip = ir_label(f);
		vreg t = ir_new(f), u = ir_new(f);

		ir_load(f, t, ir_ctx(f), (int32_t)(ir_ninsns(p) % 200), 8);
		ir_jcci(f, IRC_EQ, t, 12345, end);
		ir_jcc(f, IRC_GT, t, y, skip);
		ir_call(f, u, 8, IR_ARGS(t, x));
		ir_alu(f, IRA_ADD, acc[ir_ninsns(p) % 6], acc[3], u);
		ir_place(f, skip);
		ir_alu(f, IRA_XOR, x, x, t);
	}
	ir_place(f, end);
	for (k = 0; k < 6; k++)
		ir_alu(f, IRA_ADD, x, x, acc[k]);
	ir_ret(f, x);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t0);
	same_result(p, a, 0);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t1);
	arena_free(a);
	return (uint64_t)(t1.tv_sec - t0.tv_sec) * 1000000000 + (uint64_t)t1.tv_nsec - (uint64_t)t0.tv_nsec;
}

/* Four times the instructions take less than ten times as long: sixteen times would be quadratic. */
static void large_program(void **state)
{
	uint64_t small = time_of(15000), large = time_of(60000);

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		uint64_t s = time_of(15000), l = time_of(60000);

		small = s < small ? s : small;
		large = l < large ? l : large;
	}
	print_message("# large program: %llu ms, %.1f times a quarter of it\n", (unsigned long long)large / 1000000,
		      (double)large / (double)small);
	assert_true(large < 10 * small);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_programs),
		cmocka_unit_test(spills_up_to_the_stack_limit),
		cmocka_unit_test(call_arguments_are_moved_at_once),
		cmocka_unit_test(a_value_over_a_loop),
		cmocka_unit_test(use_before_definition_is_an_error),
		cmocka_unit_test(large_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
