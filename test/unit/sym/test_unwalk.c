/* SPDX-License-Identifier: Apache-2.0 */
/* One frame outwards by each kind of rule, over a made stack of 24 words. */
#include "unit.h"
#include <string.h>
#include "base/cleanup.h"
#include "base/unwindfmt.h"
#include "sym/unwind/unwalk.h"

#define STACK 0x1000u
static uint64_t stack[24];

static bool read_stack(void *ctx, uint64_t addr, void *to, size_t n)
{
	(void)ctx;
	if (addr < STACK || addr + n > STACK + sizeof(stack))
		return false;
	memcpy(to, (char *)stack + (addr - STACK), n);
	return true;
}

static enum unwalk_end step(struct unwalk *w, uint32_t rule)
{
	return unwalk_step(w, rule, read_stack, NULL);
}

static void fill(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(stack); i++)
		stack[i] = 100 + i;
}

static void by_the_stack_pointer(void **state)
{
	struct unwalk w = { 0x400100, STACK, 7, 8, 0, true, true };

	(void)state;
	fill();
	assert_int_equal(unwalk_place(&w), 0x400100);
	/* the return address in word 2, the frame pointer in word 1, rbx in word 0 */
	assert_int_equal(step(&w, UW_RULE(UW_SP, 2, 3, 3)), UNWALK_ON);
	assert_int_equal(w.ip, 102);
	assert_int_equal(w.sp, STACK + 24);
	assert_int_equal(w.bp, 101);
	assert_int_equal(w.bx, 100);
	assert_int_equal(unwalk_place(&w), 101);
}

static void by_the_frame_pointer(void **state)
{
	struct unwalk w = { 0x400100, STACK, STACK + 32, 0, 0, true, true };

	(void)state;
	fill();
	stack[4] = STACK + 64;
	assert_int_equal(step(&w, UW_RULE(UW_NONE, 0, 0, 0)), UNWALK_ON);
	assert_int_equal(w.ip, 105);
	assert_int_equal(w.sp, STACK + 48);
	assert_int_equal(step(&w, UW_RULE(UW_BP, UW_BP_GONE, 0, 2)), UNWALK_ON);
	assert_int_equal(w.ip, 109);
	assert_false(w.bp_known);
	assert_int_equal(step(&w, UW_RULE(UW_NONE, 0, 0, 0)), UNWALK_LOST); /* the caller's frame pointer is gone */
}

/* Words of struct ucontext: 15 rbp, 16 rbx, 20 rsp, 21 rip. */
static void from_a_signal(void **state)
{
	struct unwalk w = { 0x400100, STACK, 0, 0, 0, false, false };

	(void)state;
	fill();
	assert_int_equal(step(&w, UW_RULE(UW_SIGNAL, 0, 0, 1)), UNWALK_ON);
	assert_int_equal(w.bp, 100 + 16);
	assert_int_equal(w.bx, 100 + 17);
	assert_int_equal(w.sp, 100 + 21);
	assert_int_equal(w.ip, 100 + 22);
	assert_true(w.bp_known);
	assert_int_equal(unwalk_place(&w), 100 + 22); /* interrupted, not called */
	w.sp = STACK + 8 * 12;
	assert_int_equal(step(&w, UW_RULE(UW_SIGNAL, 0, 0, 0)), UNWALK_MEMORY);
}

static void ends_have_their_reasons(void **state)
{
	struct unwalk w = { 0x400100, STACK, 0, 0, 0x500000, true, true };

	(void)state;
	fill();
	assert_int_equal(step(&w, UW_RULE(UW_RA_DI, 0, 0, 1)), UNWALK_ON);
	assert_int_equal(w.ip, 0x500000);
	assert_int_equal(step(&w, UW_RULE(UW_END, 0, 0, 0)), UNWALK_END);
	assert_int_equal(step(&w, UW_RULE(UW_LOST, 0, 0, 0)), UNWALK_LOST);
	assert_int_equal(step(&w, UW_RULE(UW_SP, 0, 0, 1000)), UNWALK_MEMORY);
	stack[1] = 0;
	assert_int_equal(step(&w, UW_RULE(UW_SP, 0, 0, 1)), UNWALK_END); /* a return address of 0 */
	w.sp = STACK + 64;
	assert_int_equal(step(&w, UW_RULE(UW_SP, 0, 0, -2)), UNWALK_LOOPS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_the_stack_pointer),
		cmocka_unit_test(by_the_frame_pointer),
		cmocka_unit_test(from_a_signal),
		cmocka_unit_test(ends_have_their_reasons),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
