/* SPDX-License-Identifier: Apache-2.0 */
/* Encoder: jumps of every distance reach their label, errors are sticky. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include "cg/bpf/asm.h"

static void nops(struct basm *b, uint32_t n)
{
	while (n--)
		asm_insn(b, BPF_ALU64 | BPF_MOV | BPF_K, 1, 0, 0, 0);
}

static void put_exit(struct basm *b)
{
	asm_insn(b, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

/* Where the jump at `at` leads in the end, islands followed. */
static uint32_t destination(const struct bpf_insn *i, uint32_t at)
{
	uint32_t to = at + 1 + (uint32_t)(int32_t)i[at].off;

	while (i[to].code == (BPF_JMP | BPF_JA))
		to = to + 1 + (uint32_t)(int32_t)i[to].off;
	return to;
}

static void constants_take_the_shortest_form(void **state)
{
	static const struct {
		int64_t imm;
		uint32_t n;
		uint8_t code;
	} t[] = {
		{ 0, 1, BPF_ALU64 | BPF_MOV | BPF_K },	       { -1, 1, BPF_ALU64 | BPF_MOV | BPF_K },
		{ INT32_MIN, 1, BPF_ALU64 | BPF_MOV | BPF_K }, { UINT32_MAX, 1, BPF_ALU | BPF_MOV | BPF_K },
		{ 1ll << 31, 1, BPF_ALU | BPF_MOV | BPF_K },   { 1ll << 32, 2, BPF_LD | BPF_IMM | BPF_DW },
		{ INT64_MIN, 2, BPF_LD | BPF_IMM | BPF_DW },
	};
	size_t k;

	(void)state;
	for (k = 0; k < sizeof(t) / sizeof(t[0]); k++) {
		struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
		struct basm *b = asm_new(a, 1);
		const char *reason = "";
		struct bpf_insn *i;
		uint32_t n;

		asm_begin(b, 0, 0);
		asm_imm(b, 3, t[k].imm);
		assert_int_equal(asm_finish(b, &i, &n, &reason), 0);
		assert_int_equal(n, t[k].n);
		assert_int_equal(i[0].code, t[k].code);
		assert_int_equal(i[0].dst_reg, 3);
		assert_int_equal(i[0].imm, (int32_t)t[k].imm);
		if (n == 2)
			assert_int_equal(i[1].imm, (int32_t)(t[k].imm >> 32));
		arena_free(a);
	}
}

static void jumps_of_all_lengths_arrive(void **state)
{
	static const uint32_t len[] = { 0, 1, 15999, 16001, 27999, 28001, 32767, 32768, 65536, 200000 };
	size_t k;

	(void)state;
	for (k = 0; k < sizeof(len) / sizeof(len[0]); k++) {
		struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
		struct basm *b = asm_new(a, 1);
		const char *reason = "";
		struct bpf_insn *i;
		uint32_t n, at, place;

		asm_begin(b, 0, 2);
		asm_jcc(b, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, 7, 0);
		asm_jump(b, 1);
		at = asm_pos(b) - 1;
		nops(b, len[k]);
		asm_label(b, 0);
		asm_label(b, 1);
		put_exit(b);
		place = asm_pos(b) - 1;
		if (asm_finish(b, &i, &n, &reason) < 0)
			fail_msg("%u: %s", len[k], reason);
		assert_int_equal(destination(i, at - 1), place);
		assert_int_equal(destination(i, at), place);
		arena_free(a);
	}
}

/* Many jumps from everywhere to labels far away: as when each clause can end the program. */
static void many_jumps_share_islands(void **state)
{
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
	struct basm *b = asm_new(a, 1);
	const char *reason = "";
	struct bpf_insn *i;
	uint32_t n, k, *at = calloc(20000, sizeof(*at)), place[2];

	(void)state;
	asm_begin(b, 0, 2);
	for (k = 0; k < 20000; k++) {
		asm_jcc(b, BPF_JMP | BPF_JNE | BPF_X, 1, 2, 0, k & 1);
		at[k] = asm_pos(b) - 1;
		nops(b, 6);
	}
	for (k = 0; k < 2; k++) {
		asm_label(b, k);
		put_exit(b);
		place[k] = asm_pos(b) - 1;
	}
	assert_int_equal(asm_finish(b, &i, &n, &reason), 0);
	assert_true(n < 20000 * 7 + 100);
	for (k = 0; k < 20000; k++)
		assert_int_equal(destination(i, at[k]), place[k & 1]);
	free(at);
	arena_free(a);
}

static void backward_jumps_and_calls(void **state)
{
	struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
	struct basm *b = asm_new(a, 2);
	const char *reason = "";
	struct bpf_insn *i;
	uint32_t n;

	(void)state;
	asm_begin(b, 0, 1);
	asm_label(b, 0);
	asm_call_fn(b, 1);
	asm_fnaddr(b, 2, 1);
	asm_jcc(b, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 0, 0);
	put_exit(b);
	asm_begin(b, 1, 0);
	put_exit(b);
	assert_int_equal(asm_finish(b, &i, &n, &reason), 0);
	assert_int_equal(i[0].imm, 4);
	assert_int_equal(i[0].src_reg, BPF_PSEUDO_CALL);
	assert_int_equal(i[1].imm, 3);
	assert_int_equal(i[1].src_reg, BPF_PSEUDO_FUNC);
	assert_int_equal(i[3].off, -4);
	arena_free(a);
}

static void far_back(struct basm *b)
{
	asm_begin(b, 0, 1);
	asm_label(b, 0);
	nops(b, 32768);
	asm_jump(b, 0);
}
static void not_placed(struct basm *b)
{
	asm_begin(b, 0, 1);
	asm_jump(b, 0);
}
static void not_placed_in_first(struct basm *b)
{
	asm_begin(b, 0, 1);
	asm_jump(b, 0);
	asm_begin(b, 1, 1);
	asm_label(b, 0);
}
static void twice(struct basm *b)
{
	asm_begin(b, 0, 1);
	asm_label(b, 0);
	asm_label(b, 0);
}
static void no_label(struct basm *b)
{
	asm_begin(b, 0, 1);
	asm_jump(b, 1);
}
static void no_fn(struct basm *b)
{
	asm_begin(b, 0, 1);
	asm_call_fn(b, 1);
}
static void foreign_fn(struct basm *b)
{
	asm_begin(b, 0, 1);
	asm_call_fn(b, 2);
}
static void begun_twice(struct basm *b)
{
	asm_begin(b, 0, 1);
	asm_begin(b, 0, 1);
}
static void far_offset(struct basm *b)
{
	asm_begin(b, 0, 1);
	asm_insn(b, BPF_LDX | BPF_MEM | BPF_DW, 0, 1, 32768, 0);
}

static void errors(void **state)
{
	static const struct {
		void (*make)(struct basm *b);
		int err;
	} t[] = {
		{ far_back, -E2BIG },	 { not_placed, -EINVAL },  { not_placed_in_first, -EINVAL },
		{ twice, -EINVAL },	 { no_label, -EINVAL },	   { no_fn, -EINVAL },
		{ foreign_fn, -EINVAL }, { begun_twice, -EINVAL }, { far_offset, -EINVAL },
	};
	size_t k;

	(void)state;
	for (k = 0; k < sizeof(t) / sizeof(t[0]); k++) {
		struct arena *a = arena_new(ARENA_DEFAULT_LIMIT);
		struct basm *b = asm_new(a, 2);
		const char *reason = NULL;
		struct bpf_insn *i;
		uint32_t n;

		t[k].make(b);
		assert_int_equal(asm_finish(b, &i, &n, &reason), t[k].err);
		assert_non_null(reason);
		arena_free(a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(constants_take_the_shortest_form),
		cmocka_unit_test(jumps_of_all_lengths_arrive),
		cmocka_unit_test(many_jumps_share_islands),
		cmocka_unit_test(backward_jumps_and_calls),
		cmocka_unit_test(errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
