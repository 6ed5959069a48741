/* SPDX-License-Identifier: Apache-2.0 */
/* The builder refuses misuse, and ir_finish() makes the code that one would write by hand. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "cg/bpf/disasm.h"
#include "cg/ir/int.h"

struct fix {
	struct arena *a;
	struct irprog *p;
	struct irfn *f;
	struct img_prog img;
	struct strb text;
	const char *reason;
};

static struct fix begin(void)
{
	struct fix x = { .a = arena_new(ARENA_DEFAULT_LIMIT), .reason = "" };

	x.p = irprog_new(x.a);
	x.f = irfn_new(x.p, "main", 1);
	return x;
}

static int finish(struct fix *x)
{
	return ir_finish(x->p, x->a, &x->img, &x->reason);
}

static void end(struct fix *x)
{
	strb_free(&x->text);
	arena_free(x->a);
}

/* The code as "insn; insn; …". */
static const char *code(struct fix *x)
{
	uint32_t at = 0;

	if (finish(x) < 0)
		fail_msg("%s", x->reason);
	while (at < x->img.ninsns) {
		if (at)
			strb_adds(&x->text, "; ");
		at += disasm_insn(&x->text, NULL, &x->img, at);
	}
	return strb_str(&x->text);
}

#define CODE(x, want) \
	do { \
		assert_string_equal(code(x), want); \
		end(x); \
	} while (0)

static void constants_go_into_instructions(void **state)
{
	struct fix x = begin();
	vreg v = ir_new(x.f), s = ir_new(x.f);
	irlabel l = ir_label(x.f);

	(void)state;
	ir_load(x.f, v, ir_ctx(x.f), 8, 8);
	ir_alu(x.f, IRA_ADD, s, ir_imm(x.f, 5), v);
	ir_jcc(x.f, IRC_GT, ir_imm(x.f, 9), s, l);
	ir_store(x.f, ir_ctx(x.f), 0, 4, ir_imm(x.f, 0xffffffff));
	ir_place(x.f, l);
	ir_reti(x.f, 0);
	CODE(&x, "r0 = *(u64 *)(r1 +8); r0 += 5; if r0 < 9 goto pc+1; *(u32 *)(r1 +0) = -1; "
		 "r0 = 0; exit");
}

static void large_constants_are_loaded(void **state)
{
	struct fix x = begin();
	vreg v = ir_new(x.f);

	(void)state;
	ir_load(x.f, v, ir_ctx(x.f), 0, 8);
	ir_alui(x.f, IRA_AND, v, v, 0xffffffff);
	ir_alui(x.f, IRA_ADD, v, v, 0x123456789a);
	ir_ret(x.f, v);
	CODE(&x, "r0 = *(u64 *)(r1 +0); w5 = -1; r0 &= r5; r5 = 0x123456789a; r0 += r5; exit");
}

static void folding_computes_as_bpf(void **state)
{
	struct fix x = begin();
	vreg v = ir_imm(x.f, 100);

	(void)state;
	v = ir_imm(x.f, 100);
	ir_alui(x.f, IRA_DIV, ir_new(x.f), v, 0); /* unused: no error, no code */
	{
		vreg a = ir_new(x.f), b = ir_new(x.f), c = ir_new(x.f);

		ir_alui(x.f, IRA_MUL, a, v, 3);
		ir_ext(x.f, b, a, 1, true); /* 300 -> 44 */
		ir_alui(x.f, IRA_NEG, c, b, 0);
		ir_ret(x.f, c);
	}
	CODE(&x, "r0 = -44; exit");
}

static void division_and_shift_limits(void **state)
{
	struct fix x = begin();
	vreg v = ir_new(x.f), w = ir_new(x.f), s = ir_new(x.f);

	(void)state;
	ir_load(x.f, v, ir_ctx(x.f), 0, 8);
	ir_alui(x.f, IRA_MOD, w, v, 0);	 /* x % 0 is x */
	ir_alui(x.f, IRA_SHL, s, w, 65); /* as the register form: by 1 */
	ir_ret(x.f, s);
	CODE(&x, "r0 = *(u64 *)(r1 +0); r0 <<= 1; exit");
}

static void unused_and_unreachable_code_goes(void **state)
{
	struct fix x = begin();
	vreg v = ir_new(x.f), t = ir_new(x.f);
	irlabel l = ir_label(x.f), m = ir_label(x.f);

	(void)state;
	ir_load(x.f, v, ir_ctx(x.f), 0, 8);
	ir_call(x.f, t, BPF_FUNC_ktime_get_ns, 0, NULL);
	ir_alui(x.f, IRA_ADD, t, t, 1);
	ir_jcci(x.f, IRC_EQ, ir_imm(x.f, 1), 1, l);
	ir_call(x.f, VREG_NONE, BPF_FUNC_trace_printk, 0, NULL);
	ir_place(x.f, l);
	ir_jmp(x.f, m);
	ir_place(x.f, m);
	ir_reti(x.f, 7);
	CODE(&x, "r0 = 7; exit");
}

static void jumps_over_jumps_are_inverted(void **state)
{
	struct fix x = begin();
	irlabel in = ir_label(x.f), out = ir_label(x.f);
	vreg v = ir_new(x.f);

	(void)state;
	ir_load(x.f, v, ir_ctx(x.f), 0, 8);
	ir_jcci(x.f, IRC_GT, v, 5, in);
	ir_jmp(x.f, out);
	ir_place(x.f, in);
	ir_storei(x.f, ir_ctx(x.f), 0, 8, 1);
	ir_place(x.f, out);
	ir_reti(x.f, 0);
	CODE(&x, "r0 = *(u64 *)(r1 +0); if r0 <= 5 goto pc+1; *(u64 *)(r1 +0) = 1; r0 = 0; exit");
}

static void rare_code_goes_behind_the_rest(void **state)
{
	struct fix x = begin();
	irlabel out = ir_label(x.f);
	vreg v = ir_new(x.f);
	bool was;

	(void)state;
	ir_load(x.f, v, ir_ctx(x.f), 0, 8);
	ir_jcci(x.f, IRC_LT, v, 5, out);
	was = ir_cold(x.f, true);
	assert_false(was);
	assert_true(ir_cold(x.f, true));
	ir_storei(x.f, ir_ctx(x.f), 0, 8, 1);
	ir_cold(x.f, was);
	ir_place(x.f, out);
	ir_storei(x.f, ir_ctx(x.f), 8, 8, 2);
	ir_reti(x.f, 0);
	CODE(&x, "r0 = *(u64 *)(r1 +0); if r0 >= 5 goto pc+3; *(u64 *)(r1 +8) = 2; r0 = 0; exit; "
		 "*(u64 *)(r1 +0) = 1; goto pc-5");
}

/* Where a function ends is the verifier's rule; from rare code at its end nothing would come back. */
static void a_function_that_is_rare_at_its_ends_stays_as_it_is(void **state)
{
	struct fix x = begin();

	(void)state;
	ir_storei(x.f, ir_ctx(x.f), 0, 8, 1);
	ir_cold(x.f, true);
	ir_storei(x.f, ir_ctx(x.f), 8, 8, 2);
	ir_reti(x.f, 0);
	CODE(&x, "*(u64 *)(r1 +0) = 1; *(u64 *)(r1 +8) = 2; r0 = 0; exit");
}

static void calls_keep_their_effects(void **state)
{
	struct fix x = begin();
	vreg t = ir_new(x.f);

	(void)state;
	ir_call(x.f, t, BPF_FUNC_map_delete_elem, IR_ARGS(ir_ctx(x.f), ir_imm(x.f, 3)));
	ir_reti(x.f, 0);
	CODE(&x, "r2 = 3; call bpf_map_delete_elem#3; r0 = 0; exit");
}

static void the_context_survives_calls_in_a_saved_register(void **state)
{
	struct fix x = begin();
	vreg t = ir_new(x.f), v = ir_new(x.f);

	(void)state;
	ir_call(x.f, t, BPF_FUNC_ktime_get_ns, 0, NULL);
	ir_load(x.f, v, ir_ctx(x.f), 8, 4);
	ir_alu(x.f, IRA_SUB, v, t, v);
	ir_ret(x.f, v);
	CODE(&x, "r6 = r1; call bpf_ktime_get_ns#5; r5 = *(u32 *)(r6 +8); r0 -= r5; exit");
}

static void slots_are_addressed_directly(void **state)
{
	struct fix x = begin();
	irslot s = ir_slot(x.f, 16);
	vreg p = ir_new(x.f), v = ir_new(x.f);

	(void)state;
	ir_slot_addr(x.f, p, s, 8);
	ir_storei(x.f, p, 4, 4, 9);
	ir_load(x.f, v, p, 4, 4);
	ir_ret(x.f, v);
	CODE(&x, "*(u32 *)(r10 -4) = 9; r0 = *(u32 *)(r10 -4); exit");
}

static void slots_share_memory_after_reset(void **state)
{
	struct fix x = begin();
	uint32_t m = ir_slot_mark(x.f);

	(void)state;
	ir_storei_slot(x.f, ir_slot(x.f, 512), 0, 8, 1);
	ir_slot_reset(x.f, m);
	ir_storei_slot(x.f, ir_slot(x.f, 8), 0, 8, 2);
	ir_reti(x.f, 0);
	CODE(&x, "*(u64 *)(r10 -512) = 1; *(u64 *)(r10 -8) = 2; r0 = 0; exit");
}

static void maps_and_functions(void **state)
{
	struct fix x = begin();
	struct irfn *sub = irfn_new(x.p, "sub", 2), *cb = irfn_new(x.p, "cb", 2);
	struct irfn *unused = irfn_new(x.p, "unused", 0);
	vreg m = ir_new(x.f), v = ir_new(x.f), r = ir_new(x.f), fn = ir_new(x.f);

	(void)state;
	ir_reti(unused, 0);
	ir_reti(cb, 1);
	ir_ret(sub, irfn_arg(sub, 1));
	ir_map(x.f, m, 3);
	ir_mapval(x.f, v, 4, 24);
	ir_call_fn(x.f, r, sub, IR_ARGS(m, v));
	ir_fnaddr(x.f, fn, cb);
	ir_call(x.f, VREG_NONE, BPF_FUNC_loop, IR_ARGS(r, fn, ir_imm(x.f, 0), ir_imm(x.f, 0)));
	ir_reti(x.f, 0);
	assert_string_equal(code(&x), "r1 = map[3]; r2 = map[4][0]+24; call pc+8 <sub>; "
				      "r2 = func cb; r3 = 0; r4 = 0; r1 = r0; call bpf_loop#181; r0 = 0; exit; "
				      "r0 = r2; exit; r0 = 1; exit");
	assert_int_equal(x.img.nfuncs, 3);
	assert_string_equal(x.img.funcs[2].name, "cb");
	assert_int_equal(x.img.funcs[2].nargs, 2);
	assert_int_equal(x.img.funcs[2].off, x.img.ninsns - 2);
	end(&x);
}

static void atomics(void **state)
{
	struct fix x = begin();
	vreg e = ir_new(x.f), v = ir_new(x.f), d = ir_new(x.f);

	(void)state;
	ir_load(x.f, e, ir_ctx(x.f), 0, 8);
	ir_load(x.f, v, ir_ctx(x.f), 8, 8);
	ir_atomic_add(x.f, ir_ctx(x.f), 16, 8, v);
	ir_cmpxchg(x.f, d, ir_ctx(x.f), 24, 4, e, v);
	ir_ret(x.f, d);
	CODE(&x, "r5 = *(u64 *)(r1 +0); r4 = *(u64 *)(r1 +8); lock *(u64 *)(r1 +16) += r4; "
		 "r0 = r5; r0 = atomic_cmpxchg((u32 *)(r1 +24), r0, r4); r5 = r0; r0 = r5; exit");
}

/* The old value comes through r0: base and addend stay as they are. */
static void fetch_add(void **state)
{
	struct fix x = begin();
	vreg v = ir_new(x.f), d = ir_new(x.f);

	(void)state;
	ir_load(x.f, v, ir_ctx(x.f), 8, 8);
	ir_fetch_add(x.f, d, ir_ctx(x.f), 16, 8, v);
	ir_alu(x.f, IRA_ADD, d, d, v);
	ir_ret(x.f, d);
	CODE(&x, "r5 = *(u64 *)(r1 +8); r0 = r5; r0 = atomic64_fetch_add((u64 *)(r1 +16), r0); r4 = r0; "
		 "r0 = r4; r0 += r5; exit");
}

static void lines_follow_the_text(void **state)
{
	static const struct source src = { .name = "t.d", .text = "BEGIN{trace(1);}", .len = 16 };
	struct fix x = begin();

	(void)state;
	ir_at(x.f, 1, (struct span){ &src, 0, 5, 0 });
	ir_storei(x.f, ir_ctx(x.f), 0, 8, 1);
	ir_storei(x.f, ir_ctx(x.f), 8, 8, 1);
	ir_at(x.f, 1, (struct span){ &src, 6, 8, 0 });
	ir_comment(x.f, "number %d", 5);
	ir_storei(x.f, ir_ctx(x.f), 16, 8, 1);
	ir_reti(x.f, 0);
	assert_int_equal(finish(&x), 0);
	assert_int_equal(x.img.nlines, 2);
	assert_int_equal(x.img.lines[0].off, 0);
	assert_int_equal(x.img.lines[0].at.len, 5);
	assert_int_equal(x.img.lines[1].off, 2);
	assert_int_equal(x.img.lines[1].at.off, 6);
	assert_int_equal(x.img.ncomments, 1);
	assert_int_equal(x.img.comments[0].off, 2);
	assert_string_equal(x.img.comments[0].text, "number 5");
	end(&x);
}

static void dump_shows_the_code_as_built(void **state)
{
	struct fix x = begin();
	struct strb out = { 0 };
	vreg v = ir_new(x.f);

	(void)state;
	ir_load(x.f, v, ir_ctx(x.f), 8, 4);
	ir_comment(x.f, "hello");
	ir_alui(x.f, IRA_ADD, v, v, 1);
	ir_ret(x.f, v);
	ir_dump(&out, x.p);
	assert_string_equal(strb_str(&out), "main(1):\n\tv0 = arg0\n\tv1 = *(u32 *)(v0 +8)\n"
					    "\t; hello\n\tv1 = v1 + 1\n\treturn v1\n");
	strb_free(&out);
	end(&x);
}

static void dump_knows_all_operations(void **state)
{
	struct fix x = begin();
	struct irfn *sub = irfn_new(x.p, "sub", 1);
	struct strb out = { 0 };
	irlabel l = ir_label(x.f);
	irslot s = ir_slot(x.f, 8);
	vreg c = ir_ctx(x.f), v = ir_new(x.f);

	(void)state;
	ir_movi(x.f, v, 5);
	ir_mov(x.f, v, c);
	ir_slot_addr(x.f, v, s, 0);
	ir_map(x.f, v, 1);
	ir_mapval(x.f, v, 1, 8);
	ir_fnaddr(x.f, v, sub);
	ir_ext(x.f, v, c, 4, false);
	ir_bswap(x.f, v, c, 2);
	ir_alu(x.f, IRA_SAR, v, c, c);
	ir_load_slot(x.f, v, s, 0, 2);
	ir_store(x.f, c, 0, 8, v);
	ir_storei(x.f, c, 0, 1, 3);
	ir_atomic_add(x.f, c, 0, 4, v);
	ir_cmpxchg(x.f, v, c, 0, 8, c, v);
	ir_jcc(x.f, IRC_SGE, v, c, l);
	ir_jcci(x.f, IRC_SET, v, 4, l);
	ir_call(x.f, VREG_NONE, 5, 0, NULL);
	ir_call_fn(x.f, v, sub, IR_ARGS(c));
	ir_jmp(x.f, l);
	ir_place(x.f, l);
	ir_reti(x.f, 1);
	ir_dump(&out, x.p);
	assert_string_equal(strb_str(&out),
			    "main(1):\n\tv0 = arg0\n\tv1 = 5\n\tv1 = v0\n\tv1 = fp -8\n\tv1 = map 1\n"
			    "\tv1 = value of map 1 + 8\n\tv1 = &sub\n\tv1 = (u32)v0\n\tv1 = be16 v0\n"
			    "\tv1 = v0 s>> v0\n\tv1 = *(u16 *)(fp -8)\n\t*(u64 *)(v0 +0) = v1\n"
			    "\t*(u8 *)(v0 +0) = 3\n\t*(u32 *)(v0 +0) lock += v1\n"
			    "\tv1 = cmpxchg *(u64 *)(v0 +0), v0, v1\n\tif v1 s>= v0 goto L0\n"
			    "\tif v1 & 4 goto L0\n\thelper 5()\n\tv1 = sub(v0)\n\tgoto L0\nL0:\n\treturn 1\n"
			    "sub(1):\n\tv0 = arg0\n");
	strb_free(&out);
	end(&x);
}

/* Misuse. */
static void bad_register(struct fix *x)
{
	ir_mov(x->f, 0, 99);
}
static void bad_label(struct fix *x)
{
	ir_jmp(x->f, 4);
}
static void unplaced_label(struct fix *x)
{
	ir_jcci(x->f, IRC_EQ, 0, 0, ir_label(x->f));
}
static void bad_size(struct fix *x)
{
	ir_storei(x->f, 0, 0, 3, 0);
}
static void bad_atomic(struct fix *x)
{
	ir_atomic_add(x->f, 0, 0, 2, 0);
}
static void bad_offset(struct fix *x)
{
	ir_storei(x->f, 0, 40000, 8, 0);
}
static void bad_slot(struct fix *x)
{
	ir_storei_slot(x->f, 2, 0, 8, 0);
}
static void outside_slot(struct fix *x)
{
	ir_storei_slot(x->f, ir_slot(x->f, 8), 4, 8, 0);
}
static void large_slot(struct fix *x)
{
	ir_slot(x->f, 513);
}
static void too_many_slots(struct fix *x)
{
	ir_slot(x->f, 256);
	ir_slot(x->f, 257);
}
static void bad_argument(struct fix *x)
{
	irfn_arg(x->f, 1);
}
static void no_function(struct fix *x)
{
	ir_call_fn(x->f, 0, NULL, 0, NULL);
}
static void call_of_main(struct fix *x)
{
	ir_call_fn(x->f, 0, x->f, 1, (vreg[]){ 0 });
}
static void twice_placed(struct fix *x)
{
	irlabel l = ir_label(x->f);

	ir_place(x->f, l);
	ir_place(x->f, l);
}
static void recursion(struct fix *x)
{
	struct irfn *s = irfn_new(x->p, "s", 0);

	ir_call_fn(s, VREG_NONE, s, 0, NULL);
	ir_reti(s, 0);
	ir_call_fn(x->f, VREG_NONE, s, 0, NULL);
}
static void deep_calls(struct fix *x)
{
	struct irfn *from = x->f, *to;
	int k;

	for (k = 0; k < IR_MAX_FRAMES; k++, from = to) {
		to = irfn_new(x->p, "s", 0);
		ir_call_fn(from, VREG_NONE, to, 0, NULL);
		if (from != x->f)
			ir_reti(from, 0);
	}
	ir_reti(from, 0);
}
static void stack_over_calls(struct fix *x)
{
	struct irfn *s = irfn_new(x->p, "s", 0);

	ir_storei_slot(s, ir_slot(s, 8), 0, 8, 0);
	ir_reti(s, 0);
	ir_storei_slot(x->f, ir_slot(x->f, 488), 0, 8, 0);
	ir_call_fn(x->f, VREG_NONE, s, 0, NULL);
}
static void no_end(struct fix *x)
{
	irlabel l = ir_label(x->f);

	ir_jcci(x->f, IRC_EQ, 0, 0, l);
	ir_reti(x->f, 0);
	ir_place(x->f, l);
}

static void misuse_is_an_error(void **state)
{
	static const struct {
		void (*make)(struct fix *x);
		int err;
		const char *reason;
	} t[] = {
		{ bad_register, -EINVAL, "no such register" },
		{ bad_label, -EINVAL, "no such label" },
		{ unplaced_label, -EINVAL, "not placed" },
		{ bad_size, -EINVAL, "access size" },
		{ bad_atomic, -EINVAL, "atomics" },
		{ bad_offset, -EINVAL, "16 bits" },
		{ bad_slot, -EINVAL, "no such slot" },
		{ outside_slot, -EINVAL, "outside the slot" },
		{ large_slot, -E2BIG, "512 bytes" },
		{ too_many_slots, -E2BIG, "512 bytes" },
		{ bad_argument, -EINVAL, "no argument" },
		{ no_function, -EINVAL, "does not exist" },
		{ call_of_main, -EINVAL, "wrong call" },
		{ twice_placed, -EINVAL, "placed twice" },
		{ recursion, -EINVAL, "recursion" },
		{ deep_calls, -E2BIG, "deeper than 8" },
		{ stack_over_calls, -E2BIG, "bytes of stack" },
		{ no_end, -EINVAL, "reaches the end" },
	};
	size_t k;

	(void)state;
	for (k = 0; k < sizeof(t) / sizeof(t[0]); k++) {
		struct fix x = begin();

		t[k].make(&x);
		if (t[k].make != no_end)
			ir_reti(x.f, 0);
		assert_int_equal(finish(&x), t[k].err);
		if (!strstr(x.reason, t[k].reason))
			fail_msg("case %zu: %s", k, x.reason);
		assert_int_equal(ir_error(x.p, NULL), t[k].err);
		end(&x);
	}
}

static void limits_themselves_are_fine(void **state)
{
	struct fix x = begin();
	struct irfn *from = x.f, *to;
	int k;

	(void)state;
	ir_storei_slot(x.f, ir_slot(x.f, 512 - 7 * 32), 0, 8, 0);
	for (k = 0; k < IR_MAX_FRAMES - 1; k++, from = to) {
		to = irfn_new(x.p, "s", 0);
		ir_call_fn(from, VREG_NONE, to, 0, NULL);
		ir_reti(from, 0);
	}
	ir_reti(from, 0);
	assert_int_equal(finish(&x), 0);
	assert_int_equal(x.p->fns[0]->chain, 512);
	assert_int_equal(finish(&x), -EINVAL); /* once only */
	end(&x);
}

static void too_many_functions(void **state)
{
	struct fix x = begin();
	int k;

	(void)state;
	for (k = 1; k < IR_MAX_FUNCS; k++)
		ir_reti(irfn_new(x.p, "s", 0), 0);
	assert_int_equal(ir_error(x.p, NULL), 0);
	irfn_new(x.p, "s", 0);
	assert_int_equal(ir_error(x.p, &x.reason), -E2BIG);
	end(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(constants_go_into_instructions),
		cmocka_unit_test(large_constants_are_loaded),
		cmocka_unit_test(folding_computes_as_bpf),
		cmocka_unit_test(division_and_shift_limits),
		cmocka_unit_test(unused_and_unreachable_code_goes),
		cmocka_unit_test(jumps_over_jumps_are_inverted),
		cmocka_unit_test(rare_code_goes_behind_the_rest),
		cmocka_unit_test(a_function_that_is_rare_at_its_ends_stays_as_it_is),
		cmocka_unit_test(calls_keep_their_effects),
		cmocka_unit_test(the_context_survives_calls_in_a_saved_register),
		cmocka_unit_test(slots_are_addressed_directly),
		cmocka_unit_test(slots_share_memory_after_reset),
		cmocka_unit_test(maps_and_functions),
		cmocka_unit_test(atomics),
		cmocka_unit_test(fetch_add),
		cmocka_unit_test(lines_follow_the_text),
		cmocka_unit_test(dump_shows_the_code_as_built),
		cmocka_unit_test(dump_knows_all_operations),
		cmocka_unit_test(misuse_is_an_error),
		cmocka_unit_test(limits_themselves_are_fine),
		cmocka_unit_test(too_many_functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
