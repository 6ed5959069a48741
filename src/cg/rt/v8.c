/* SPDX-License-Identifier: Apache-2.0 */
/* The walk of V8's frames. All code that V8 makes keeps frame pointers, and no table describes it, neither what is
 * generated nor the builtins in the file; so native frames that were walked by the frame pointer are looked at:
 *
 *     fp - 8    Context             else it is a frame of another kind: an entry, an exit, a stub
 *     fp - 16   JSFunction          else it is not V8's
 *     fp - 32   BytecodeArray       and
 *     fp - 40   bytecode's offset   when it is interpreted
 */
#include "cg/rt/mix_int.h"

#define V8(member) (MX(v8) + (int32_t)offsetof(struct rt_v8_state, member))
#define VP(member) (V8(p) + (int32_t)offsetof(struct v8_proc, member))

static void want_object(struct irfn *f, vreg v, irlabel none)
{
	ir_jcci(f, IRC_NE, rt_alui(f, IRA_AND, v, V8_TAG_MASK), V8_TAG, none);
}

static vreg untag(struct irfn *f, vreg v)
{
	return rt_alui(f, IRA_SUB, v, V8_TAG);
}

/* The instance type of the map is in [first, first + n], or a jump to none. seen: the last map that was. */
static void want_type(struct irfn *f, vreg st, vreg map, int32_t seen, vreg first, vreg n, irlabel none)
{
	irlabel known = ir_label(f);
	vreg type = ir_new(f);

	ir_jcc(f, IRC_EQ, map, rt_ld(f, st, seen), known);
	want_object(f, map, none);
	mix_user_bytes(f, st, V8(tmp), 2, rt_alu(f, IRA_ADD, untag(f, map), rt_ld(f, st, VP(type))), none);
	ir_load(f, type, st, V8(tmp), 2);
	ir_jcc(f, IRC_GT, rt_alu(f, IRA_SUB, type, first), n, none);
	ir_store(f, st, seen, 8, map);
	ir_place(f, known);
}

/* The words below the frame pointer, from the window or into it; jumps to none when they cannot be read. */
static void read_frame(struct irfn *f, vreg st, vreg fp, irlabel none)
{
	vreg want = rt_alui(f, IRA_SUB, fp, V8_FRAME_BYTES), d = ir_new(f), r = ir_new(f), at;
	irlabel have = ir_label(f), whole = ir_label(f), done = ir_label(f);

	ir_alu(f, IRA_SUB, d, want, rt_ld(f, st, V8(window_at)));
	ir_jcci(f, IRC_LE, d, RT_V8_WINDOW - V8_FRAME_BYTES, have);
	ir_storei(f, st, V8(window_at), 8, 1);
	ir_call(f, r, BPF_FUNC_probe_read_user,
		IR_ARGS(rt_alui(f, IRA_ADD, st, V8(window)), ir_imm(f, RT_V8_WINDOW), want));
	ir_jcci(f, IRC_EQ, r, 0, whole);
	mix_user_bytes(f, st, V8(frame), V8_FRAME_BYTES, want, none); /* near the end of the stack */
	ir_jmp(f, done);
	ir_place(f, whole);
	ir_store(f, st, V8(window_at), 8, want);
	ir_movi(f, d, 0);
	ir_place(f, have);
	at = rt_alu(f, IRA_ADD, st, d);
	for (int32_t i = 0; i < V8_FRAME_BYTES; i += 8)
		ir_store(f, st, V8(frame) + i, 8, rt_ld(f, at, V8(window) + i));
	ir_place(f, done);
}

/* The bytecode's offset of an interpreted frame, which is a Smi, else V8_AT_MAX. Frames that go on where one did that
 * was interpreted are, too. */
static void emit_interpreted(struct irfn *f, vreg st, vreg at, vreg pc, irlabel compiled)
{
	vreg off = rt_ld(f, st, V8(frame) + V8_FRAME_AT_BYTECODE);
	vreg array = rt_ld(f, st, V8(frame) + V8_FRAME_AT_ARRAY), low = ir_new(f);
	irlabel fits = ir_label(f), known = ir_label(f);

	ir_ext(f, low, off, 4, false);
	ir_jcci(f, IRC_NE, low, 0, compiled);
	ir_jcc(f, IRC_EQ, pc, rt_ld(f, st, V8(interpreter)), known);
	want_object(f, array, compiled);
	mix_user_word(f, st, V8(tmp), untag(f, array), compiled);
	want_type(f, st, rt_ld(f, st, V8(tmp)), V8(array_map), rt_ld(f, st, VP(bytecode_type)), ir_imm(f, 0), compiled);
	ir_store(f, st, V8(interpreter), 8, pc);
	ir_place(f, known);
	ir_alui(f, IRA_SHR, at, off, 32);
	ir_jcci(f, IRC_LT, at, V8_AT_MAX, fits);
	ir_movi(f, at, V8_AT_MAX);
	ir_place(f, fits);
}

/* The Code of the function by the table that the process has for it, else a jump to none. Source: JSDispatchEntry,
 * src/sandbox/js-dispatch-table.h: 16 bytes, the second 8 are the Code above 16 bits of other things. */
static void emit_table(struct irfn *f, vreg st, vreg code, irlabel none)
{
	vreg table = ir_new(f), index = ir_new(f);
	irlabel known = ir_label(f);

	ir_jcci(f, IRC_EQ, rt_ld(f, st, VP(group)), 0, none);
	ir_jcci(f, IRC_NE, rt_ld(f, st, V8(table)), 0, known);
	mix_user_word(f, st, V8(tmp), rt_ld(f, st, VP(group)), none);
	mix_user_word(f, st, V8(tmp), rt_alu(f, IRA_ADD, rt_ld(f, st, V8(tmp)), rt_ld(f, st, VP(table))), none);
	ir_store(f, st, V8(table), 8, rt_ld(f, st, V8(tmp)));
	ir_place(f, known);
	ir_mov(f, index, mix_word_at(f, st, V8(function), VP(handle), V8_FUNCTION_BYTES, 4));
	ir_alui(f, IRA_SHL, index, rt_alui(f, IRA_SHR, index, V8_HANDLE_SHIFT), 4);
	ir_alu(f, IRA_ADD, table, rt_ld(f, st, V8(table)), index);
	mix_user_word(f, st, V8(tmp), rt_alui(f, IRA_ADD, table, 8), none);
	ir_alui(f, IRA_SHR, code, rt_ld(f, st, V8(tmp)), 16);
	ir_alui(f, IRA_OR, code, code, V8_TAG);
}

/* The code that the function has now, when the frame is in it: object, at, bits of compiled code; else a jump to none.
 */
static void emit_code(struct irfn *f, vreg st, vreg pc, vreg object, vreg at, vreg bits, irlabel none)
{
	vreg code = ir_new(f), begin = ir_new(f), off = ir_new(f), kind = ir_new(f), inside = rt_ld(f, st, VP(inside));
	irlabel apart = ir_label(f), have = ir_label(f), fits = ir_label(f), baseline = ir_label(f);
	irlabel indirect = ir_label(f), found = ir_label(f);

	ir_jcci(f, IRC_EQ, rt_ld(f, st, VP(code)), 0, indirect);
	ir_mov(f, code, mix_word_at(f, st, V8(function), VP(code), V8_FUNCTION_BYTES, 8));
	ir_jmp(f, found);
	ir_place(f, indirect);
	emit_table(f, st, code, none);
	ir_place(f, found);
	want_object(f, code, none);
	mix_user_bytes(f, st, V8(code), V8_CODE_BYTES, untag(f, code), none);
	ir_jcci(f, IRC_EQ, inside, 0, apart);
	ir_alu(f, IRA_ADD, begin, untag(f, code), inside);
	ir_jmp(f, have);
	ir_place(f, apart);
	ir_mov(f, begin, mix_word_at(f, st, V8(code), VP(begin), V8_CODE_BYTES, 8));
	ir_place(f, have);
	ir_alu(f, IRA_SUB, off, pc, begin);
	ir_jcc(f, IRC_GT, off, mix_word_at(f, st, V8(code), VP(size), V8_CODE_BYTES, 4), none);
	ir_alu(f, IRA_AND, kind, mix_word_at(f, st, V8(code), VP(flags), V8_CODE_BYTES, 4), rt_ld(f, st, VP(kinds)));
	ir_jcc(f, IRC_LT, kind, rt_ld(f, st, VP(baseline)), none);
	ir_mov(f, bits, ir_imm(f, V8_COMPILED));
	ir_mov(f, at, off);
	ir_jcci(f, IRC_LT, at, V8_AT_MAX, fits);
	ir_movi(f, at, V8_AT_MAX);
	ir_place(f, fits);
	ir_jcc(f, IRC_EQ, kind, rt_ld(f, st, VP(baseline)), baseline);
	ir_mov(f, object, code);
	/* Tables of optimised code have the calls only: nothing tells the place of what was interrupted. */
	ir_jcci(f, IRC_NE, rt_ld(f, st, MX(i)), 1, baseline);
	ir_movi(f, at, V8_AT_MAX);
	ir_place(f, baseline);
}

/* The function of the frame at the address that is in word: V8_FRAME(), or a jump to plain when it has none. */
static void emit_function(struct irfn *f, vreg st, vreg word, irlabel plain)
{
	vreg fn = rt_ld(f, st, V8(frame) + V8_FRAME_AT_FUNCTION), at = ir_new(f), bits = ir_new(f), object;
	irlabel fault = ir_label(f), compiled = ir_label(f), done = ir_label(f), out = ir_label(f);

	want_object(f, rt_ld(f, st, V8(frame) + V8_FRAME_AT_CONTEXT), plain);
	want_object(f, fn, plain);
	mix_user_bytes(f, st, V8(function), V8_FUNCTION_BYTES, untag(f, fn), fault);
	want_type(f, st, rt_ld(f, st, V8(function)), V8(function_map), rt_ld(f, st, VP(function_first)),
		  rt_ld(f, st, VP(function_types)), plain);
	object = mix_word_at(f, st, V8(function), VP(shared), V8_FUNCTION_BYTES, 8);
	want_object(f, object, plain);
	ir_movi(f, bits, 0);
	emit_interpreted(f, st, at, word, compiled);
	ir_jmp(f, done);
	ir_place(f, compiled);
	ir_movi(f, at, V8_AT_MAX);
	emit_code(f, st, word, object, at, bits, done);
	ir_place(f, done);
	ir_alu(f, IRA_AND, word, rt_alui(f, IRA_SHR, object, V8_OBJECT_SHIFT), ir_imm(f, V8_OBJECT_MASK));
	ir_alu(f, IRA_OR, word, word, rt_alui(f, IRA_SHL, at, V8_AT_SHIFT));
	ir_alu(f, IRA_OR, word, word, bits);
	ir_alu(f, IRA_OR, word, word, ir_imm(f, RT_FRAME_SET));
	ir_jmp(f, out);
	ir_place(f, fault);
	ir_mov(f, word, ir_imm(f, V8_FRAME(0, V8_MARK_FAULT)));
	ir_place(f, out);
}

/* v8_mix(i, &state): one native frame. */
static struct irfn *emit_mix(struct irprog *p)
{
	struct irfn *f = irfn_new(p, "v8_mix", 2);
	vreg st = rt_ld(f, irfn_arg(f, 1), 0), word = ir_new(f), fp;
	irlabel plain = ir_label(f), cut = ir_label(f), end = ir_label(f), known = ir_label(f);

	fp = mix_frame(f, st, word, plain, end);
	read_frame(f, st, fp, plain);
	ir_jcci(f, IRC_NE, rt_ld(f, st, VP(known)), 0, known);
	want_object(f, rt_ld(f, st, V8(frame) + V8_FRAME_AT_CONTEXT), plain);
	want_object(f, rt_ld(f, st, V8(frame) + V8_FRAME_AT_FUNCTION), plain);
	ir_mov(f, word, ir_imm(f, V8_FRAME(0, V8_MARK_VERSION)));
	ir_jmp(f, plain);
	ir_place(f, known);
	emit_function(f, st, word, plain);
	ir_place(f, plain);
	mix_frame_out(f, st, word, cut, end);
	return f;
}

struct irfn *rt_v8_emit(struct irprog *p, const struct rt_mix_env *e)
{
	const struct rtgen g = { .p = p, .caps = e->caps };
	struct irfn *mix = emit_mix(p), *f = irfn_new(p, "v8_walk", MIX_ARGS);
	irslot slot = ir_slot(f, 8);
	irlabel none = ir_label(f);
	vreg st = mix_begin(f, e, V8(p), sizeof(struct v8_proc), none);

	ir_storei(f, st, V8(function_map), 8, 0);
	ir_storei(f, st, V8(array_map), 8, 0);
	ir_storei(f, st, V8(interpreter), 8, 0);
	ir_storei(f, st, V8(table), 8, 0);
	ir_storei(f, st, V8(window_at), 8, 1);
	ir_store_slot(f, slot, 0, 8, st);
	rt_loop(f, &g, ir_imm(f, RT_MIX_MAX_FRAMES), mix, slot);
	mix_end(f, st, none);
	return f;
}
