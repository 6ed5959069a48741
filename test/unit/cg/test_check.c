/* SPDX-License-Identifier: Apache-2.0 */
/* image_check() accepts a good image and names each kind of damage. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/aggval.h"
#include "base/cleanup.h"
#include "cg/image.h"

#define MOV(d, s) ((struct bpf_insn){ BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0 })
#define MOVI(d, k) ((struct bpf_insn){ BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, k })
#define ALUI(op, d, k) ((struct bpf_insn){ BPF_ALU64 | (op) | BPF_K, d, 0, 0, k })
#define LDX(d, s, o) ((struct bpf_insn){ BPF_LDX | BPF_MEM | BPF_DW, d, s, o, 0 })
#define STX(d, s, o) ((struct bpf_insn){ BPF_STX | BPF_MEM | BPF_DW, d, s, o, 0 })
#define JEQ(d, k, o) ((struct bpf_insn){ BPF_JMP | BPF_JEQ | BPF_K, d, 0, o, k })
#define JA(o) ((struct bpf_insn){ BPF_JMP | BPF_JA, 0, 0, o, 0 })
#define CALL(id) ((struct bpf_insn){ BPF_JMP | BPF_CALL, 0, 0, 0, id })
#define CALLF(o) ((struct bpf_insn){ BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, o })
#define LD64(d, p, k) ((struct bpf_insn){ BPF_LD | BPF_IMM | BPF_DW, d, p, 0, k })
#define HALF(k) ((struct bpf_insn){ 0, 0, 0, 0, k })
#define EXIT ((struct bpf_insn){ BPF_JMP | BPF_EXIT, 0, 0, 0, 0 })

/* A good image, and room to damage it. */
struct good {
	struct image img;
	struct img_map maps[3];
	struct img_prog prog;
	struct bpf_insn insns[32];
	struct img_func funcs[2];
	struct img_line lines[2];
	struct recfmt fmt;
	const struct recfmt *fmts[1];
	struct recact act;
	struct recfield field, key;
	struct aggdesc agg;
	const struct aggdesc *aggs[1];
};

static void put_code(struct good *g, const struct bpf_insn *i, uint32_t n)
{
	memcpy(g->insns, i, n * sizeof(*i));
	g->prog.ninsns = n;
}

#define CODE(g, ...) \
	put_code((g), (struct bpf_insn[]){ __VA_ARGS__ }, \
		 sizeof((struct bpf_insn[]){ __VA_ARGS__ }) / sizeof(struct bpf_insn))

static const struct source text = { .name = "t.d", .text = "BEGIN{}", .len = 7 };

static void init(struct good *g)
{
	memset(g, 0, sizeof(*g));
	g->maps[0] = (struct img_map){ .role = IMG_MAP_STATE,
				       .name = "state",
				       .max_entries = 1,
				       .type = BPF_MAP_TYPE_ARRAY,
				       .key_size = 4,
				       .value_size = 64 };
	g->maps[1] = (struct img_map){ .role = IMG_MAP_AGG,
				       .name = "agg",
				       .max_entries = 100,
				       .type = BPF_MAP_TYPE_PERCPU_HASH,
				       .key_size = 16,
				       .value_size = 16 };
	g->maps[2] = (struct img_map){ .role = IMG_MAP_RINGS, .name = "rings", .inner_size = 4096 };
	CODE(g, MOV(6, 1), LD64(1, BPF_PSEUDO_MAP_IDX_VALUE, 0), HALF(8), CALLF(5), LD64(1, BPF_PSEUDO_MAP_IDX, 1),
	     HALF(0), JEQ(0, 0, 1), MOVI(0, 0), EXIT, STX(10, 1, -8), MOVI(0, 1), EXIT);
	g->funcs[0] = (struct img_func){ "main", 0, 1, false };
	g->funcs[1] = (struct img_func){ "sub", 9, 1, false };
	g->lines[0] = (struct img_line){ 0, 0, { 0 } };
	g->lines[1] = (struct img_line){ 3, 1, { &text, 0, 5, 0 } };
	g->prog = (struct img_prog){ .name = "p",
				     .insns = g->insns,
				     .ninsns = 12,
				     .funcs = g->funcs,
				     .nfuncs = 2,
				     .lines = g->lines,
				     .nlines = 2,
				     .first_epid = 1,
				     .last_epid = 1 };
	g->field = (struct recfield){ .kind = FLD_INT, .off = 16, .size = 4 };
	g->act = (struct recact){
		.kind = ACT_TRACE, .number = 1, .fields = &g->field, .nfields = 1, .aggs = g->aggs, .naggs = 1
	};
	g->fmt = (struct recfmt){ .epid = 1, .size = 24, .acts = &g->act, .nacts = 1 };
	g->fmts[0] = &g->fmt;
	g->key = (struct recfield){ .kind = FLD_STRING, .off = 0, .size = 16 };
	g->agg = (struct aggdesc){ .func = AGG_SUM, .keys = &g->key, .nkeys = 1, .key_size = 16, .value_size = 16 };
	g->aggs[0] = &g->agg;
	g->img = (struct image){ .maps = g->maps,
				 .nmaps = 3,
				 .progs = &g->prog,
				 .nprogs = 1,
				 .fmts = g->fmts,
				 .nfmts = 1,
				 .aggs = g->aggs,
				 .naggs = 1 };
}

#define DAMAGE(name) static void name(struct good *g)

/* Instructions. */
DAMAGE(bad_register)
{
	g->insns[0].dst_reg = 11;
}
DAMAGE(writes_r10)
{
	g->insns[0].dst_reg = 10;
}
DAMAGE(bad_code)
{
	g->insns[0].code = 0xff;
}
DAMAGE(bad_alu)
{
	g->insns[7].code = BPF_ALU64 | 0xe0;
}
DAMAGE(undefined_register)
{
	g->insns[0].src_reg = 7;
}
DAMAGE(undefined_result)
{
	CODE(g, EXIT);
	g->prog.nfuncs = g->prog.nlines = 1;
}
DAMAGE(clobbered_argument)
{
	g->insns[6] = MOV(0, 2);
}
DAMAGE(defined_on_one_path_only)
{
	CODE(g, JEQ(1, 0, 1), MOVI(0, 0), EXIT);
	g->prog.nfuncs = g->prog.nlines = 1;
}
DAMAGE(missing_argument)
{
	g->funcs[1].nargs = 2;
}
DAMAGE(jump_out)
{
	g->insns[6].off = 2;
}
DAMAGE(jump_before)
{
	g->insns[6].off = -8;
}
DAMAGE(jump_into_constant)
{
	g->insns[6].off = -5;
}
DAMAGE(falls_off)
{
	g->insns[8] = MOVI(0, 0);
}
DAMAGE(falls_off_at_jump)
{
	g->insns[11] = JEQ(0, 0, -1);
}
DAMAGE(unreachable)
{
	CODE(g, MOVI(0, 0), EXIT, EXIT);
	g->prog.nfuncs = g->prog.nlines = 1;
}
DAMAGE(no_second_half)
{
	g->insns[2].code = BPF_ALU64;
}
DAMAGE(no_map)
{
	g->insns[4].imm = 3;
}
DAMAGE(negative_map)
{
	g->insns[4].imm = -1;
}
DAMAGE(value_outside)
{
	g->insns[2].imm = 64;
}
DAMAGE(value_of_hash)
{
	g->insns[1].imm = 1;
}
DAMAGE(map_with_offset)
{
	g->insns[5].imm = 4;
}
DAMAGE(unknown_pseudo)
{
	g->insns[1].src_reg = 9;
}
DAMAGE(address_of_nothing)
{
	g->insns[1].src_reg = BPF_PSEUDO_FUNC;
}
DAMAGE(call_of_nothing)
{
	g->insns[3].imm = 4;
}
DAMAGE(call_far_away)
{
	g->insns[3].imm = 1000;
}
DAMAGE(helper_zero)
{
	g->insns[3] = CALL(0);
}
DAMAGE(not_called)
{
	g->insns[3] = CALL(5);
}
DAMAGE(recursion)
{
	CODE(g, CALLF(1), EXIT, CALLF(-1), EXIT);
	g->funcs[1].off = 2;
	g->funcs[1].nargs = 0;
	g->prog.nlines = 1;
}
DAMAGE(stack_above)
{
	g->insns[9].off = 0;
}
DAMAGE(stack_below)
{
	g->insns[9].off = -520;
}
DAMAGE(stack_unaligned)
{
	g->insns[9].off = -12;
}
DAMAGE(stack_chain)
{
	g->insns[7] = STX(10, 6, -488);
	g->insns[9] = STX(10, 1, -32);
}
DAMAGE(div_zero)
{
	g->insns[7] = ALUI(BPF_DIV, 0, 0);
}
DAMAGE(wide_shift)
{
	g->insns[7] = ALUI(BPF_LSH, 0, 64);
}
DAMAGE(bad_swap)
{
	g->insns[7] = (struct bpf_insn){ BPF_ALU | BPF_END | BPF_TO_BE, 0, 0, 0, 8 };
}
DAMAGE(bad_atomic)
{
	g->insns[9] = (struct bpf_insn){ BPF_STX | BPF_ATOMIC | BPF_B, 10, 1, -8, 0 };
}
DAMAGE(alu_with_offset)
{
	g->insns[7].off = 1;
}

/* Tables. */
DAMAGE(no_insns)
{
	g->prog.ninsns = 0;
}
DAMAGE(no_funcs)
{
	g->prog.nfuncs = 0;
}
DAMAGE(funcs_unsorted)
{
	g->funcs[1].off = 0;
}
DAMAGE(func_outside)
{
	g->funcs[1].off = 12;
}
DAMAGE(main_args)
{
	g->funcs[0].nargs = 2;
}
DAMAGE(lines_unsorted)
{
	g->lines[1].off = 0;
}
DAMAGE(line_outside)
{
	g->lines[1].off = 12;
}
DAMAGE(line_behind_text)
{
	g->lines[1].at.len = 8;
}
DAMAGE(prog_name)
{
	memset(g->prog.name, 'x', sizeof(g->prog.name));
}
DAMAGE(epids)
{
	g->prog.last_epid = 2;
}

/* Formats. */
DAMAGE(field_in_header)
{
	g->field.off = 8;
}
DAMAGE(field_outside)
{
	g->field.off = 24;
}
DAMAGE(field_over_the_end)
{
	g->field.off = 20;
	g->field.size = 8;
}
DAMAGE(field_size)
{
	g->field.size = 3;
}
DAMAGE(field_offset_wraps)
{
	g->field.off = UINT32_MAX;
	g->field.size = 8;
}
DAMAGE(field_stack_too_small)
{
	g->field.kind = FLD_STACK;
	g->field.size = 8;
	g->field.nframes = 2;
}
DAMAGE(record_size)
{
	g->fmt.size = 20;
}
DAMAGE(record_too_large)
{
	g->fmt.size = CG_MAX_RECORD_SIZE + 8;
}
DAMAGE(record_place)
{
	g->fmt.epid = 2;
}
DAMAGE(key_outside)
{
	g->key.size = 24;
}
DAMAGE(key_too_large)
{
	g->agg.key_size = CG_MAX_LONG_KEY + 8;
}
DAMAGE(agg_value)
{
	g->agg.value_size = 8;
}
DAMAGE(agg_place)
{
	g->agg.id = 1;
}
DAMAGE(agg_map_value)
{
	g->maps[1].value_size = 24;
}
DAMAGE(agg_map_key)
{
	g->maps[1].key_size = 8;
}
DAMAGE(agg_map_set)
{
	g->maps[1].set = 2;
}
DAMAGE(agg_map_id)
{
	g->maps[1].agg = 1;
}
DAMAGE(ring_size)
{
	g->maps[2].inner_size = 5000;
}
DAMAGE(map_name)
{
	memset(g->maps[0].name, 'x', sizeof(g->maps[0].name));
}
DAMAGE(map_without_value)
{
	g->maps[0].value_size = 0;
}

static const struct {
	void (*make)(struct good *g);
	const char *reason;
} damages[] = {
	{ bad_register, "no such register" },
	{ writes_r10, "r10 is written" },
	{ bad_code, "unknown" },
	{ bad_alu, "unknown operation" },
	{ undefined_register, "r7 is read" },
	{ undefined_result, "r0 is read" },
	{ clobbered_argument, "r2 is read" },
	{ defined_on_one_path_only, "r0 is read" },
	{ missing_argument, "r2 is read" },
	{ jump_out, "jump out" },
	{ jump_before, "jump out" },
	{ jump_into_constant, "into a 64-bit" },
	{ falls_off, "reaches the end" },
	{ falls_off_at_jump, "reaches the end" },
	{ unreachable, "cannot be reached" },
	{ no_second_half, "second half" },
	{ no_map, "no such map" },
	{ negative_map, "no such map" },
	{ value_outside, "no value" },
	{ value_of_hash, "no value" },
	{ map_with_offset, "offset" },
	{ unknown_pseudo, "unknown kind" },
	{ address_of_nothing, "no function" },
	{ call_of_nothing, "no function" },
	{ call_far_away, "no function" },
	{ helper_zero, "no such helper" },
	{ not_called, "is not called" },
	{ recursion, "recursion" },
	{ stack_above, "stack access" },
	{ stack_below, "stack access" },
	{ stack_unaligned, "stack access" },
	{ stack_chain, "bytes of stack" },
	{ div_zero, "division" },
	{ wide_shift, "shift" },
	{ bad_swap, "swap" },
	{ bad_atomic, "atomic" },
	{ alu_with_offset, "offset" },
	{ no_insns, "0 instructions" },
	{ no_funcs, "function table" },
	{ funcs_unsorted, "function table" },
	{ func_outside, "function table" },
	{ main_args, "function table" },
	{ lines_unsorted, "line table" },
	{ line_outside, "line table" },
	{ line_behind_text, "outside its text" },
	{ prog_name, "name" },
	{ epids, "clauses" },
	{ field_in_header, "is outside" },
	{ field_outside, "is outside" },
	{ field_over_the_end, "is outside" },
	{ field_size, "is outside" },
	{ field_offset_wraps, "is outside" },
	{ field_stack_too_small, "is outside" },
	{ record_size, "20 bytes" },
	{ record_too_large, "bytes" },
	{ record_place, "at place" },
	{ key_outside, "is outside" },
	{ key_too_large, "key of" },
	{ agg_value, "values of" },
	{ agg_place, "wrong place" },
	{ agg_map_value, "does not fit" },
	{ agg_map_key, "does not fit" },
	{ agg_map_set, "no aggregation" },
	{ agg_map_id, "no aggregation" },
	{ ring_size, "rings" },
	{ map_name, "name" },
	{ map_without_value, "no values" },
};

static void a_good_image_passes(void **state)
{
	struct good g;
	struct err err = { 0 };

	(void)state;
	init(&g);
	if (image_check(&g.img, &err) < 0)
		fail_msg("%s", err.msg);
	assert_int_equal(image_check(&g.img, NULL), 0);
}

static void each_damage_is_found(void **state)
{
	size_t k;

	(void)state;
	for (k = 0; k < ARRAY_SIZE(damages); k++) {
		struct err err = { 0 };
		struct good g;

		init(&g);
		damages[k].make(&g);
		if (image_check(&g.img, &err) != -EBADMSG)
			fail_msg("damage %zu (%s) is not found", k, damages[k].reason);
		if (!strstr(err.msg, damages[k].reason))
			fail_msg("damage %zu (%s): %s", k, damages[k].reason, err.msg);
	}
}

/* For any bytes as instructions there is an answer, and no crash. */
static void garbage_is_refused_or_accepted(void **state)
{
	uint32_t seed, x = 1;
	unsigned k, good = 0;

	(void)state;
	for (seed = 0; seed < 3000; seed++) {
		struct good g;

		init(&g);
		for (k = 0; k < 1 + seed % 3; k++) {
			x = x * 1664525 + 1013904223;
			((uint8_t *)g.insns)[(x >> 8) % (12 * sizeof(g.insns[0]))] = (uint8_t)(x >> 24);
		}
		good += image_check(&g.img, NULL) == 0;
	}
	assert_in_range(good, 1, 2000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_good_image_passes),
		cmocka_unit_test(each_damage_is_found),
		cmocka_unit_test(garbage_is_refused_or_accepted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
