/* SPDX-License-Identifier: Apache-2.0 */
/* Text of instructions and of whole images. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/cleanup.h"
#include "cg/bpf/disasm.h"

static void instructions(void **state)
{
	static const struct {
		struct bpf_insn i;
		const char *want;
	} t[] = {
		{ { BPF_ALU64 | BPF_MOV | BPF_X, 6, 1, 0, 0 }, "r6 = r1" },
		{ { BPF_ALU | BPF_MOV | BPF_X, 6, 1, 0, 0 }, "w6 = w1" },
		{ { BPF_ALU64 | BPF_ADD | BPF_K, 1, 0, 0, -8 }, "r1 += -8" },
		{ { BPF_ALU64 | BPF_ARSH | BPF_K, 1, 0, 0, 3 }, "r1 s>>= 3" },
		{ { BPF_ALU64 | BPF_NEG, 1, 0, 0, 0 }, "r1 = -r1" },
		{ { BPF_ALU | BPF_END | BPF_TO_BE, 2, 0, 0, 16 }, "r2 = be16 r2" },
		{ { BPF_ALU | BPF_END | BPF_TO_LE, 2, 0, 0, 64 }, "r2 = le64 r2" },
		{ { BPF_LDX | BPF_MEM | BPF_DW, 1, 6, 8, 0 }, "r1 = *(u64 *)(r6 +8)" },
		{ { BPF_LDX | BPF_MEM | BPF_B, 1, 6, -8, 0 }, "r1 = *(u8 *)(r6 -8)" },
		{ { BPF_STX | BPF_MEM | BPF_H, 1, 6, 0, 0 }, "*(u16 *)(r1 +0) = r6" },
		{ { BPF_ST | BPF_MEM | BPF_W, 10, 0, -4, 7 }, "*(u32 *)(r10 -4) = 7" },
		{ { BPF_STX | BPF_ATOMIC | BPF_DW, 0, 1, 8, BPF_ADD }, "lock *(u64 *)(r0 +8) += r1" },
		{ { BPF_STX | BPF_ATOMIC | BPF_DW, 1, 2, 0, BPF_CMPXCHG },
		  "r0 = atomic64_cmpxchg((u64 *)(r1 +0), r0, r2)" },
		{ { BPF_JMP | BPF_JA, 0, 0, 5, 0 }, "goto pc+5" },
		{ { BPF_JMP | BPF_JEQ | BPF_K, 1, 0, -3, 9 }, "if r1 == 9 goto pc-3" },
		{ { BPF_JMP | BPF_JSGT | BPF_X, 1, 2, 1, 0 }, "if r1 s> r2 goto pc+1" },
		{ { BPF_JMP32 | BPF_JSET | BPF_K, 1, 0, 1, 4 }, "if w1 & 4 goto pc+1" },
		{ { BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_ktime_get_ns }, "call bpf_ktime_get_ns#5" },
		{ { BPF_JMP | BPF_CALL, 0, 0, 0, 100000 }, "call helper#100000" },
		{ { BPF_JMP | BPF_CALL, 0, 1, 0, 3 }, "call pc+3" },
		{ { BPF_JMP | BPF_CALL, 0, 1, 0, -1 }, "call pc-1 <main>" },
		{ { BPF_JMP | BPF_EXIT, 0, 0, 0, 0 }, "exit" },
		{ { BPF_LD | BPF_ABS | BPF_W, 0, 0, 0, 14 }, "code 0x20 dst 0 src 0 off 0 imm 14" },
		{ { BPF_ALU64 | 0xe0, 1, 2, 3, 4 }, "code 0xe7 dst 1 src 2 off 3 imm 4" },
	};
	static const struct img_func main_fn = { "main", 0, 1, false };
	size_t k;

	(void)state;
	for (k = 0; k < ARRAY_SIZE(t); k++) {
		struct bpf_insn i = t[k].i;
		struct img_prog p = { .insns = &i, .ninsns = 1, .funcs = &main_fn, .nfuncs = 1 };
		struct strb out = { 0 };

		assert_int_equal(disasm_insn(&out, NULL, &p, 0), 1);
		assert_string_equal(strb_str(&out), t[k].want);
		strb_free(&out);
	}
}

static void constants_and_maps(void **state)
{
	static const struct {
		uint8_t pseudo;
		int32_t lo, hi;
		const char *want;
	} t[] = {
		{ 0, -1, 1, "r3 = 0x1ffffffff" },
		{ BPF_PSEUDO_MAP_IDX, 0, 0, "r3 = map[state]" },
		{ BPF_PSEUDO_MAP_IDX, 1, 0, "r3 = map[1]" },
		{ BPF_PSEUDO_MAP_IDX_VALUE, 0, 16, "r3 = map[state][0]+16" },
		{ BPF_PSEUDO_FUNC, -1, 0, "r3 = func main" },
		{ BPF_PSEUDO_FUNC, 5, 0, "r3 = func ?" },
	};
	static struct img_map map = { .name = "state" };
	static const struct img_func main_fn = { "main", 0, 1, false };
	struct image img = { .maps = &map, .nmaps = 1 };
	size_t k;

	(void)state;
	for (k = 0; k < ARRAY_SIZE(t); k++) {
		struct bpf_insn i[2] = { { BPF_LD | BPF_IMM | BPF_DW, 3, t[k].pseudo, 0, t[k].lo },
					 { 0, 0, 0, 0, t[k].hi } };
		struct img_prog p = { .insns = i, .ninsns = 2, .funcs = &main_fn, .nfuncs = 1 };
		struct strb out = { 0 };

		assert_int_equal(disasm_insn(&out, &img, &p, 0), 2);
		assert_string_equal(strb_str(&out), t[k].want);
		strb_free(&out);
	}
}

static void a_whole_image(void **state)
{
	static const struct source src = { .name = "t.d", .text = "BEGIN\n{\n\tx = 1;\n}\n", .len = 18 };
	static struct bpf_insn insns[] = {
		{ BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0 },
		{ BPF_JMP | BPF_EXIT, 0, 0, 0, 0 },
	};
	static const struct img_func fn = { "main", 0, 1, false };
	static const struct img_line lines[] = { { 0, 0, { 0 } }, { 1, 1, { &src, 9, 5, 0 } } };
	static const struct img_comment comments[] = { { 1, "done" } };
	static const struct recfield field = { .kind = FLD_INT, .off = 16, .size = 4, .is_signed = true };
	static const struct recact act = { .kind = ACT_TRACE, .number = 1, .fields = &field, .nfields = 1 };
	static const struct recfmt fmt = { .epid = 1, .size = 24, .acts = &act, .nacts = 1 };
	static const struct recfmt *fmts[] = { &fmt };
	static const struct recfield key = { .kind = FLD_STRING, .off = 0, .size = 16 };
	static const struct aggdesc agg = {
		.name = "a", .func = AGG_COUNT, .keys = &key, .nkeys = 1, .key_size = 16, .value_size = 8
	};
	static const struct aggdesc *aggs[] = { &agg };
	static struct img_map map = {
		.role = IMG_MAP_AGG, .name = "agg0", .type = 5, .key_size = 16, .value_size = 8, .max_entries = 10
	};
	struct img_prog p = { .name = "p0",
			      .insns = insns,
			      .ninsns = 2,
			      .funcs = &fn,
			      .nfuncs = 1,
			      .lines = lines,
			      .nlines = 2,
			      .comments = comments,
			      .ncomments = 1,
			      .first_epid = 1,
			      .last_epid = 1,
			      .entry = { .target = "BEGIN" } };
	struct image img = {
		.maps = &map, .nmaps = 1, .progs = &p, .nprogs = 1, .fmts = fmts, .nfmts = 1, .aggs = aggs, .naggs = 1
	};
	struct strb out = { 0 };

	(void)state;
	image_dump(&out, &img);
	assert_string_equal(
		strb_str(&out),
		"map 0 agg0: aggregation, type 5, key 16, value 8, entries 10, flags 0x0, aggregation 0 set 0\n"
		"aggregation 0 @a: count, key 16, value 8, unsigned, keys string@0+16\n"
		"record 1: 24 bytes\n"
		"    #1 trace int@16+4s\n"
		"program 0 p0: BEGIN, clauses 1-1, 2 instructions\n"
		"main:\n"
		"    0: r0 = 0\n"
		"; line 3, clause 1: x = 1\n"
		"    1: exit                                     ; done\n");
	strb_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instructions),
		cmocka_unit_test(constants_and_maps),
		cmocka_unit_test(a_whole_image),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
