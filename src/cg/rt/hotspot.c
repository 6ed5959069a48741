/* SPDX-License-Identifier: Apache-2.0 */
/* Emits BPF code that unwinds frames in HotSpot's code cache. Code that HotSpot makes keeps no frame pointer and has no
 * unwinding tables, so the native unwinder (unwind.c) calls hs_step() for each pc in the code cache:
 *
 *     interpreter     its frame holds the Method, the bytecode pointer and the caller's stack pointer
 *     else            pc -> segment -> hops in the code heap's segment map -> block -> CodeBlob
 *       compiled      CFA = sp + the blob's frame size, except in a prologue or an epilogue
 *       StubRoutines  frame pointer, once it is set up; where it holds data, what was pushed of it
 *       other blobs   CFA = sp + the blob's frame size; without one the return address is on top of the stack
 *     Where the innermost frame has no address of the code cache there, what lies near it is tried: some pieces of
 *     code push words within a frame.
 *
 * For each of these frames hs_step() writes a word (base/hotspotfmt.h) to fps[], where other frames have their frame
 * pointer. A second pass, hs_walk(), puts these words in the place of the pcs when Java frames are wanted. */
#include <string.h>
#include "cg/rt/mix_int.h"

#define HS(member) (MX(hs) + (int32_t)offsetof(struct rt_hotspot_state, member))
#define HP(member) (HS(p) + (int32_t)offsetof(struct hs_proc, member))
#define WORD 8

/* Results of hs_step(): how the native walk goes on. */
enum { STEP_NEXT, STEP_BY_BP, STEP_FAULT, STEP_END };

/* The first 8 bytes of a blob's name as a number. Source: share/code/codeBlob.cpp, nmethod.cpp, stubRoutines.cpp. */
static uint64_t letters(const char s[WORD + 1])
{
	uint64_t v;

	memcpy(&v, s, sizeof(v));
	return v;
}
#define COMPILED letters(HS_BLOB_COMPILED)
#define NATIVE letters(HS_BLOB_NATIVE)
#define STUBS letters(HS_BLOB_STUBS)
#define SUBTYPE letters("slow_sub") /* what C1 calls without a frame, and pushes words; in newer versions: */
#define SUBTYPE_C1 letters("C1 Runti")

/* Reads user memory of the thread that is unwound. task: that thread, or VREG_NONE for the current one. */
struct reader {
	const struct uw *u;
	vreg st, task;
};

/* n bytes at addr to st + to; negative: they cannot be read. */
static vreg try_read(struct irfn *f, const struct reader *m, int32_t to, uint32_t n, vreg addr)
{
	vreg r = ir_new(f), dst = rt_alui(f, IRA_ADD, m->st, to), size = ir_imm(f, n);

	if (m->u->whose == RT_UNWIND_CURRENT)
		ir_call(f, r, BPF_FUNC_probe_read_user, IR_ARGS(dst, size, addr));
	else
		ir_call(f, r, BPF_FUNC_copy_from_user_task, IR_ARGS(dst, size, addr, m->task, ir_imm(f, 0)));
	return r;
}

static void read_bytes(struct irfn *f, const struct reader *m, int32_t to, uint32_t n, vreg addr, irlabel none)
{
	ir_jcci(f, IRC_NE, try_read(f, m, to, n, addr), 0, none);
}

static void read_word(struct irfn *f, const struct reader *m, int32_t to, vreg addr, irlabel none)
{
	read_bytes(f, m, to, WORD, addr, none);
}

/* -- the blob of an address -- */

/* One segment's byte; jumps to found when its block begins there, to none when the segment is free. */
static void emit_segmap_hop(struct irfn *f, const struct reader *m, vreg map, vreg seg, irlabel found, irlabel none)
{
	vreg b = ir_new(f);

	read_bytes(f, m, HS(tmp), 1, rt_alu(f, IRA_ADD, map, seg), none);
	ir_load(f, b, m->st, HS(tmp), 1);
	ir_jcci(f, IRC_EQ, b, 0, found);
	ir_jcci(f, IRC_EQ, b, HS_SEGMENT_FREE, none);
	ir_alu(f, IRA_SUB, seg, seg, b);
}

/* Reads HS_BLOB_BYTES of the block into the state, or HS_BLOB_LEAST near the end of the heap's memory. */
static void emit_block(struct irfn *f, const struct reader *m, vreg block, irlabel none)
{
	vreg st = m->st, len = ir_new(f), used;
	irlabel have = ir_label(f);

	ir_jcci(f, IRC_EQ, try_read(f, m, HS(blob), HS_BLOB_BYTES, block), 0, have);
	read_bytes(f, m, HS(blob), HS_BLOB_LEAST, block, none);
	ir_place(f, have);
	used = mix_word_at(f, st, HS(blob), HP(used), HS_BLOB_BYTES, 1);
	ir_jcci(f, IRC_EQ, used, 0, none);
	ir_load(f, len, st, HS(blob), 4); /* segments */
	ir_store(f, st, HS(blob_at), 8, block);
	ir_store(f, st, HS(blob_len), 8, rt_alu(f, IRA_SHL, len, rt_ld(f, st, HP(shift))));
}

/* hs_find(state, addr[, thread]): reads the code heap's block that holds addr into the state. 0; -1: there is none. */
static struct irfn *emit_find(struct irprog *p, const struct uw *u)
{
	const bool current = u->whose == RT_UNWIND_CURRENT;
	struct irfn *f = irfn_new(p, "hs_find", current ? 2 : 3);
	const struct reader m = { u, irfn_arg(f, 0), current ? VREG_NONE : irfn_arg(f, 2) };
	vreg st = irfn_arg(f, 0), at = irfn_arg(f, 1), seg = ir_new(f), map = ir_new(f), low = ir_new(f), shift;
	irlabel none = ir_label(f), found = ir_label(f), have = ir_label(f);

	ir_storei(f, st, HS(blob_len), 8, 0);
	for (unsigned i = 0; i < HS_MAX_HEAPS; i++) {
		const int32_t h = HP(heaps) + (int32_t)(i * sizeof(struct hs_heap));

		ir_mov(f, low, rt_ld(f, st, h + (int32_t)offsetof(struct hs_heap, low)));
		ir_mov(f, map, rt_ld(f, st, h + (int32_t)offsetof(struct hs_heap, map)));
		ir_alu(f, IRA_SUB, seg, at, low);
		ir_jcc(f, IRC_LT, seg, rt_ld(f, st, h + (int32_t)offsetof(struct hs_heap, len)), have);
	}
	ir_jmp(f, none);
	ir_place(f, have);
	shift = rt_ld(f, st, HP(shift));
	ir_alu(f, IRA_SHR, seg, seg, shift);
	for (unsigned i = 0; i < HS_MAX_HOPS; i++)
		emit_segmap_hop(f, &m, map, seg, found, none);
	ir_jmp(f, none);
	ir_place(f, found);
	emit_block(f, &m, rt_alu(f, IRA_ADD, low, rt_alu(f, IRA_SHL, seg, shift)), none);
	ir_reti(f, 0);
	ir_place(f, none);
	ir_reti(f, -1);
	return f;
}

/* -- frames -- */

struct step {
	const struct uw *u;
	const struct rtgen *g;
	struct irfn *scan;
	vreg st;
	struct reader memory;
	struct uw_ways w;
	irlabel leaf, pushed, sized; /* the return address is in the first word of the stack, the second, by size */
};

/* Words for the last frame of the native walk. */
static void keep_word(struct irfn *f, vreg st, vreg word)
{
	vreg last = rt_alui(f, IRA_SUB, rt_ld(f, st, ST(n)), 1);

	ir_alui(f, IRA_AND, last, last, RT_UNWIND_MAX_FRAMES - 1); /* for the verifier */
	ir_store(f, rt_alu(f, IRA_ADD, st, rt_alui(f, IRA_SHL, last, 3)), ST(fps), 8, word);
}

static void keep_code(struct irfn *f, vreg st, vreg id)
{
	vreg word = rt_alui(f, IRA_SHL, rt_alu(f, IRA_AND, rt_ld(f, st, ST(pc)), ir_imm(f, HS_PC_MASK)), 1);

	ir_alu(f, IRA_OR, word, word, rt_alui(f, IRA_SHL, rt_alui(f, IRA_AND, id, HS_ID_MASK), HS_ID_SHIFT));
	keep_word(f, st, rt_alu(f, IRA_OR, word, ir_imm(f, HS_FRAME_CODE(0, 0))));
}

/* Bytes of code at a place from the pc, which lie in the state; HS_INSN_BEFORE before it. */
static vreg code_at(struct irfn *f, vreg st, int32_t at, unsigned size)
{
	vreg v = ir_new(f);

	ir_load(f, v, st, HS(insn) + HS_INSN_BEFORE + at, size);
	return v;
}

static void read_code(struct irfn *f, const struct step *s, irlabel none)
{
	read_bytes(f, &s->memory, HS(insn), HS_INSN_BYTES, rt_alui(f, IRA_SUB, rt_ld(f, s->st, ST(pc)), HS_INSN_BEFORE),
		   none);
}

static vreg code3(struct irfn *f, vreg st, int32_t at)
{
	return rt_alui(f, IRA_AND, code_at(f, st, at, 4), 0xffffff);
}

/* Right after a sub: without a `push %rbp` before it, the frame pointer is not saved yet. */
static void emit_sub(struct irfn *f, const struct step *s, int64_t insn, int32_t at, irlabel whole)
{
	irlabel no = ir_label(f);

	ir_jcci(f, IRC_NE, code3(f, s->st, at), insn, no);
	ir_jcci(f, IRC_NE, code_at(f, s->st, at - 1, 1), HS_INSN_PUSH_BP, s->sized);
	ir_jmp(f, whole);
	ir_place(f, no);
}

/* Jumps to whole when a `sub $N,%rsp` before the pc has made the frame; in some versions a check follows it. Right
 * after the sub it may lack the frame pointer: jumps to s->sized. */
static void emit_after_sub(struct irfn *f, const struct step *s, irlabel whole)
{
	const int64_t both = ~(int64_t)(HS_INSN_SUB_SP ^ HS_INSN_SUB_SP_FAR); /* the bits in which they are the same */

	emit_sub(f, s, HS_INSN_SUB_SP, -HS_INSN_SUB_SP_LEN, whole);
	emit_sub(f, s, HS_INSN_SUB_SP_FAR, -HS_INSN_SUB_SP_FAR_LEN, whole);
	for (int32_t at = -HS_INSN_SUB_SP_LEN - 1; at > -HS_INSN_BEFORE; at--) {
		vreg code = code3(f, s->st, at);

		if (at < -HS_INSN_SUB_SP_FAR_LEN)
			ir_alui(f, IRA_AND, code, code, both);
		ir_jcci(f, IRC_EQ, code, at < -HS_INSN_SUB_SP_FAR_LEN ? HS_INSN_SUB_SP & both : HS_INSN_SUB_SP, whole);
	}
}

/* The innermost frame may be in its prologue or epilogue, which the code around the pc tells: jumps to s->leaf,
 * s->pushed or s->sized. Falls through when the frame is complete. */
static void emit_prologue_epilogue(struct irfn *f, const struct step *s)
{
	vreg begin = ir_new(f), complete = ir_new(f), off;
	irlabel whole = ir_label(f), offset = ir_label(f), have = ir_label(f), body = ir_label(f), word = ir_label(f),
		known = ir_label(f);

	read_code(f, s, whole);
	ir_jcci(f, IRC_EQ, rt_ld(f, s->st, HP(code_bytes)), 4, offset);
	ir_mov(f, begin, mix_word_at(f, s->st, HS(blob), HP(code), HS_BLOB_BYTES, 8));
	ir_jmp(f, have);
	ir_place(f, offset);
	ir_alu(f, IRA_ADD, begin, mix_word_at(f, s->st, HS(blob), HP(code), HS_BLOB_BYTES, 4),
	       rt_alu(f, IRA_ADD, rt_ld(f, s->st, HS(blob_at)), rt_ld(f, s->st, HP(block))));
	ir_place(f, have);
	ir_mov(f, complete, mix_word_at(f, s->st, HS(blob), HP(complete), HS_BLOB_BYTES, 4));
	ir_jcci(f, IRC_EQ, rt_ld(f, s->st, HP(complete_bytes)), 4, word);
	ir_ext(f, complete, complete, 2, true);
	ir_jmp(f, known);
	ir_place(f, word);
	ir_ext(f, complete, complete, 4, true);
	ir_place(f, known);
	off = rt_alu(f, IRA_SUB, rt_ld(f, s->st, ST(pc)), begin);
	ir_jcc(f, IRC_SGE, off, complete, body);
	ir_jcci(f, IRC_EQ, code_at(f, s->st, -1, 1), HS_INSN_PUSH_BP, s->pushed);
	emit_after_sub(f, s, whole);
	ir_jmp(f, s->leaf);
	ir_place(f, body);
	ir_jcci(f, IRC_EQ, code_at(f, s->st, 0, 1), HS_INSN_RET, s->leaf);
	ir_jcci(f, IRC_EQ, code_at(f, s->st, 0, 1), HS_INSN_POP_BP, s->pushed);
	ir_jcci(f, IRC_EQ, code3(f, s->st, 0), HS_INSN_CMP_SP, s->leaf);
	ir_jcci(f, IRC_EQ, code3(f, s->st, -7), HS_INSN_CMP_SP, s->leaf); /* the jump after it */
	ir_place(f, whole);
}

/* Jumps to in when an address is in the code cache. */
static void emit_in_cache(struct irfn *f, vreg st, vreg at, irlabel in)
{
	ir_jcc(f, IRC_LT, rt_alu(f, IRA_SUB, at, rt_ld(f, st, HP(low))), rt_ld(f, st, HP(len)), in);
}

#define SCAN_WORDS 128 /* of a stub's frame: SHA-512 has 90 */
#define SCAN_PUSHED 10 /* registers that it pushes, at most */

/* hs_scan(i, &ctx): one word of the stack, at HS(tmp). A stub may have pushed it as a frame pointer, with a return
 * address in the code cache beside what it points to. Then it goes to ST(bp). ctx as in hs_step(). */
static struct irfn *emit_scan(struct irprog *p, const struct uw *u)
{
	struct irfn *f = irfn_new(p, "hs_scan", 2);
	vreg st = rt_ld(f, irfn_arg(f, 1), 0), at = rt_ld(f, st, HS(tmp)), word, up;
	irlabel next = ir_label(f), found = ir_label(f), fault = ir_label(f);

	word = uw_stack_word(f, u, st, at, fault);
	ir_store(f, st, HS(tmp), 8, rt_alui(f, IRA_ADD, at, WORD));
	up = rt_alu(f, IRA_SUB, word, at);
	ir_jcci(f, IRC_EQ, up, 0, next);
	ir_jcci(f, IRC_GT, up, SCAN_PUSHED * WORD, next);
	ir_jcci(f, IRC_SET, up, WORD - 1, next);
	emit_in_cache(f, st, uw_stack_word(f, u, st, rt_alui(f, IRA_ADD, word, WORD), fault), found);
	ir_place(f, next);
	ir_reti(f, 0);
	ir_place(f, found);
	ir_store(f, st, ST(bp), 8, word);
	ir_place(f, fault);
	ir_reti(f, 1);
	return f;
}

/* A stub may use the frame pointer for something else, such as SHA-256. It has then pushed the caller's near the
 * beginning of its frame, above what it keeps on the stack. Without a frame its return address is on top. */
static void emit_stub_without_bp(struct irfn *f, const struct step *s)
{
	vreg sp = rt_ld(f, s->st, ST(sp));
	irslot ctx = ir_slot(f, 16);

	emit_in_cache(f, s->st, uw_stack_word(f, s->u, s->st, sp, s->w.fault), s->leaf);
	ir_store(f, s->st, HS(tmp), 8, sp);
	ir_store_slot(f, ctx, 0, 8, s->st);
	if (s->memory.task != VREG_NONE)
		ir_store_slot(f, ctx, 8, 8, s->memory.task);
	rt_loop(f, s->g, ir_imm(f, SCAN_WORDS), s->scan, ctx);
}

/* Stubs keep a frame pointer, once they have one. */
static void emit_stub(struct irfn *f, const struct step *s)
{
	irlabel whole = ir_label(f);

	ir_jcci(f, IRC_NE, rt_ld(f, s->st, ST(back)), 0, whole);
	read_code(f, s, whole);
	ir_jcci(f, IRC_EQ, code_at(f, s->st, 0, 1), HS_INSN_RET, s->leaf);
	ir_jcci(f, IRC_EQ, code_at(f, s->st, 0, 1), HS_INSN_PUSH_BP, s->leaf);
	ir_jcci(f, IRC_EQ, code3(f, s->st, 0), HS_INSN_MOV_BP_SP, s->pushed);
	ir_jcci(f, IRC_EQ, code3(f, s->st, 0), HS_INSN_MOV_BP_SP_2, s->pushed);
	ir_jcci(f, IRC_LE, rt_alu(f, IRA_SUB, rt_ld(f, s->st, ST(bp)), rt_ld(f, s->st, ST(sp))), RT_UNWIND_MAX_FRAME,
		whole);
	emit_stub_without_bp(f, s);
	ir_place(f, whole);
	ir_reti(f, STEP_BY_BP);
}

#define PUSHED_WORDS 4 /* within a compiled frame, such as by the comparison of strings */

/* The return address of a frame that ends at cfa. Where that is none, it may be on top of the stack: in the
 * innermost frame, when it is not made yet, or gone. It may be further up, too (words were pushed). Corrects cfa and
 * has_bp. Blobs other than compiled code may have been called by native code: pushes says which may not. */
static vreg emit_return_address(struct irfn *f, const struct step *s, vreg cfa, vreg has_bp)
{
	vreg ra = ir_new(f), sp = rt_ld(f, s->st, ST(sp)), at = ir_new(f), word = ir_new(f);
	irlabel good = ir_label(f), take = ir_label(f), top = ir_label(f), up = ir_label(f);

	ir_mov(f, ra, uw_stack_word(f, s->u, s->st, rt_alui(f, IRA_SUB, cfa, WORD), s->w.fault));
	emit_in_cache(f, s->st, ra, good);
	ir_jcci(f, IRC_NE, rt_ld(f, s->st, ST(back)), 0, up);
	ir_mov(f, at, sp);
	ir_mov(f, word, uw_stack_word(f, s->u, s->st, at, s->w.fault));
	emit_in_cache(f, s->st, word, top);
	ir_place(f, up);
	ir_jcci(f, IRC_EQ, rt_ld(f, s->st, HS(pushes)), 0, good);
	for (int32_t i = 0; i < PUSHED_WORDS; i++) {
		ir_alui(f, IRA_ADD, at, cfa, i * WORD);
		ir_mov(f, word, uw_stack_word(f, s->u, s->st, at, s->w.fault));
		emit_in_cache(f, s->st, word, take);
	}
	ir_jmp(f, good);
	ir_place(f, top);
	ir_movi(f, has_bp, 0);
	ir_place(f, take);
	ir_alui(f, IRA_ADD, cfa, at, WORD);
	ir_mov(f, ra, word);
	ir_place(f, good);
	return ra;
}

/* Unwinds a frame of size words, which has the caller's frame pointer below the return address; from s->pushed and
 * s->leaf frames of two words and one, from s->sized and s->leaf those without a frame pointer. In one place for all,
 * since the verifier looks at each. */
static void emit_sized(struct irfn *f, const struct step *s, vreg size)
{
	vreg cfa = ir_new(f), has_bp = ir_new(f), ra;
	irlabel have = ir_label(f), no_bp = ir_label(f);

	ir_movi(f, has_bp, 1);
	ir_jmp(f, have);
	ir_place(f, s->pushed);
	ir_movi(f, size, 2);
	ir_movi(f, has_bp, 1);
	ir_jmp(f, have);
	ir_place(f, s->leaf);
	ir_movi(f, size, 1);
	ir_place(f, s->sized);
	ir_movi(f, has_bp, 0);
	ir_place(f, have);
	ir_alu(f, IRA_ADD, cfa, rt_ld(f, s->st, ST(sp)), rt_alui(f, IRA_SHL, size, 3));
	ra = emit_return_address(f, s, cfa, has_bp);
	ir_jcci(f, IRC_EQ, has_bp, 0, no_bp);
	ir_store(f, s->st, ST(bp), 8, uw_stack_word(f, s->u, s->st, rt_alui(f, IRA_SUB, cfa, 2 * WORD), s->w.fault));
	ir_place(f, no_bp);
	uw_set_caller(f, s->u, s->st, cfa, ra, &s->w);
}

static void emit_code(struct irfn *f, const struct step *s, struct irfn *find, vreg at)
{
	vreg st = s->st, r = ir_new(f), name, size = ir_new(f), id = ir_new(f), what;
	irlabel have = ir_label(f), compiled = ir_label(f), none = ir_label(f), whole = ir_label(f);
	irlabel seen = ir_label(f), stub = ir_label(f), other = ir_label(f), pushes = ir_label(f);

	ir_jcc(f, IRC_LT, rt_alu(f, IRA_SUB, at, rt_ld(f, st, HS(blob_at))), rt_ld(f, st, HS(blob_len)), have);
	if (s->u->whose == RT_UNWIND_CURRENT)
		ir_call_fn(f, r, find, IR_ARGS(st, at));
	else
		ir_call_fn(f, r, find, IR_ARGS(st, at, s->memory.task));
	ir_jcci(f, IRC_NE, r, 0, none);
	ir_place(f, have);
	ir_ext(f, size, mix_word_at(f, st, HS(blob), HP(frame_size), HS_BLOB_BYTES, 4), 4, true);
	name = mix_word_at(f, st, HS(blob), HP(name), HS_BLOB_BYTES, 8);
	ir_jcc(f, IRC_EQ, name, rt_ld(f, st, HS(compiled)), seen);
	ir_storei(f, st, HS(pushes), 8, 0);
	read_word(f, &s->memory, HS(tmp), name, other);
	what = rt_ld(f, st, HS(tmp));
	ir_jcc(f, IRC_EQ, what, ir_imm(f, COMPILED), compiled);
	ir_jcc(f, IRC_EQ, what, ir_imm(f, NATIVE), compiled);
	ir_jcc(f, IRC_EQ, what, ir_imm(f, STUBS), stub);
	ir_jcc(f, IRC_EQ, what, ir_imm(f, SUBTYPE), pushes);
	ir_jcc(f, IRC_EQ, what, ir_imm(f, SUBTYPE_C1), pushes);
	ir_jmp(f, other);
	ir_place(f, pushes);
	ir_storei(f, st, HS(pushes), 8, 1);
	ir_place(f, other);
	keep_code(f, st, ir_imm(f, 0));
	ir_jcci(f, IRC_SLE, size, 0, s->leaf);
	ir_jmp(f, whole);
	ir_place(f, stub);
	keep_code(f, st, ir_imm(f, 0));
	emit_stub(f, s);
	ir_place(f, compiled);
	ir_store(f, st, HS(compiled), 8, name);
	ir_place(f, seen);
	ir_storei(f, st, HS(pushes), 8, 1);
	ir_mov(f, id, mix_word_at(f, st, HS(blob), HP(id), HS_BLOB_BYTES, 4));
	keep_code(f, st, id);
	ir_jcci(f, IRC_SLE, size, 0, s->leaf); /* what method handles call */
	ir_jcci(f, IRC_NE, rt_ld(f, st, ST(back)), 0, whole);
	emit_prologue_epilogue(f, s);
	ir_place(f, whole);
	ir_jcci(f, IRC_GT, size, RT_UNWIND_MAX_FRAME / WORD, s->w.fault);
	emit_sized(f, s, size);
	ir_place(f, none);
	keep_word(f, st, ir_imm(f, HS_FRAME_METHOD(0, HS_MARK_FAULT)));
	ir_reti(f, STEP_BY_BP);
}

/* The index of a bytecode by a pointer to it, or a jump to none when it is not in the method. */
static vreg index_of(struct irfn *f, vreg st, vreg bcp, irlabel none)
{
	vreg at = rt_alu(f, IRA_SUB, bcp, rt_ld(f, st, HS(const_method))), n = ir_new(f);

	ir_alu(f, IRA_SUB, at, at, rt_ld(f, st, HP(bytecodes)));
	ir_load(f, n, st, HS(code_size), 2);
	ir_jcc(f, IRC_GE, at, n, none);
	return at;
}

/* Unwinds a frame of the interpreter, and keeps its word. Jumps to none when there is no such frame at the frame
 * pointer: the interpreter is about to make it. */
static void emit_interpreted(struct irfn *f, const struct step *s, irlabel none)
{
	vreg st = s->st, bp = rt_ld(f, st, ST(bp)), method, at = ir_new(f), word, sender;
	irlabel saved = ir_label(f), have = ir_label(f), nowhere = ir_label(f), plain = ir_label(f), set = ir_label(f);

	read_bytes(f, &s->memory, HS(frame), HS_FRAME_BYTES, rt_alui(f, IRA_SUB, bp, HS_FRAME_BELOW), s->w.fault);
	method = rt_ld(f, st, HS(frame) + HS_FRAME_METHOD_AT);
	ir_jcci(f, IRC_EQ, method, 0, none);
	ir_jcci(f, IRC_SET, method, WORD - 1, none);
	read_word(f, &s->memory, HS(const_method), rt_alu(f, IRA_ADD, method, rt_ld(f, st, HP(const_method))), none);
	read_bytes(f, &s->memory, HS(code_size), 2,
		   rt_alu(f, IRA_ADD, rt_ld(f, st, HS(const_method)), rt_ld(f, st, HP(code_size))), none);
	ir_jcci(f, IRC_NE, rt_ld(f, st, ST(n)), 1, saved);
	ir_mov(f, at, index_of(f, st, rt_ld(f, st, ST(r13)), saved)); /* not in the frame yet */
	ir_jmp(f, have);
	ir_place(f, saved);
	ir_mov(f, at, index_of(f, st, rt_ld(f, st, HS(frame) + HS_FRAME_BCP), nowhere));
	ir_jmp(f, have);
	ir_place(f, nowhere);
	ir_movi(f, at, HS_BCI_MAX);
	ir_place(f, have);
	word = rt_alu(f, IRA_AND, rt_alui(f, IRA_SHR, method, HS_METHOD_SHIFT), ir_imm(f, HS_METHOD_MASK));
	ir_alu(f, IRA_OR, word, word, rt_alui(f, IRA_SHL, at, HS_BCI_SHIFT));
	keep_word(f, st, rt_alu(f, IRA_OR, word, ir_imm(f, RT_FRAME_SET)));
	/* The sender's sp is where a compiled caller's frame ends: arguments lie between the two frames. */
	sender = rt_ld(f, st, HS(frame) + HS_FRAME_SENDER);
	ir_jcc(f, IRC_LE, sender, bp, plain);
	ir_jcci(f, IRC_GT, rt_alu(f, IRA_SUB, sender, bp), RT_UNWIND_MAX_FRAME, plain);
	ir_jmp(f, set);
	ir_place(f, plain);
	ir_alui(f, IRA_ADD, sender, bp, 2 * WORD);
	ir_place(f, set);
	ir_store(f, st, ST(bp), 8, rt_ld(f, st, HS(frame) + HS_FRAME_BP));
	uw_set_caller(f, s->u, st, sender, rt_ld(f, st, HS(frame) + HS_FRAME_RA), &s->w);
}

/* hs_step(state, addr): unwinds a frame in the code cache; returns STEP_*. For another thread it is hs_step(state,
 * ctx): ctx is the second argument of frame() in unwind.c, which points to the state and the thread. */
struct irfn *uw_hotspot_step(struct irprog *p, const struct uw *u, const struct rtgen *g)
{
	struct irfn *scan = emit_scan(p, u), *find = emit_find(p, u), *f = irfn_new(p, "hs_step", 2);
	const bool current = u->whose == RT_UNWIND_CURRENT;
	vreg st = irfn_arg(f, 0), first;
	vreg at = current ? irfn_arg(f, 1) : rt_alu(f, IRA_SUB, rt_ld(f, st, ST(pc)), rt_ld(f, st, ST(back)));
	irlabel code = ir_label(f), half = ir_label(f);
	const struct step s = {
		.u = u,
		.g = g,
		.scan = scan,
		.st = st,
		.memory = { u, st, current ? VREG_NONE : uw_frame_task(f, u) },
		.w = { ir_label(f), ir_label(f), ir_label(f), ir_label(f) },
		.leaf = ir_label(f),
		.pushed = ir_label(f),
		.sized = ir_label(f),
	};

	ir_jcc(f, IRC_GE, rt_alu(f, IRA_SUB, at, rt_ld(f, s.st, HP(interp))), rt_ld(f, s.st, HP(interp_len)), code);
	emit_interpreted(f, &s, half);
	ir_place(f, half);
	keep_code(f, s.st, ir_imm(f, 0));
	ir_jcci(f, IRC_NE, rt_ld(f, s.st, ST(back)), 0, s.w.none);
	/* The frame is not made yet, or is gone. An address in the code cache on top of the stack is the return
	 * address; else the frame pointer leads on. */
	first = uw_stack_word(f, u, s.st, rt_ld(f, s.st, ST(sp)), s.w.fault);
	emit_in_cache(f, s.st, first, s.leaf);
	ir_reti(f, STEP_BY_BP);
	ir_place(f, code);
	emit_code(f, &s, find, at);
	ir_place(f, s.w.next);
	ir_reti(f, STEP_NEXT);
	ir_place(f, s.w.fault);
	ir_reti(f, STEP_FAULT);
	ir_place(f, s.w.end);
	ir_reti(f, STEP_END);
	ir_place(f, s.w.none);
	ir_reti(f, STEP_BY_BP);
	return f;
}

void uw_emit_hotspot(struct irfn *f, const struct uw *u, vreg st, vreg at, irlabel in)
{
	(void)u;
	ir_jcc(f, IRC_LT, rt_alu(f, IRA_SUB, at, rt_ld(f, st, HP(low))), rt_ld(f, st, HP(len)), in);
}

void uw_emit_hotspot_step(struct irfn *f, const struct uw *u, vreg st, vreg at, const struct uw_ways *w, irlabel by_bp)
{
	vreg r = ir_new(f);

	ir_storei(f, st, ST(third), 8, 0); /* what a callee has saved of it is not looked for */
	ir_call_fn(f, r, u->hotspot, IR_ARGS(st, u->whose == RT_UNWIND_CURRENT ? at : irfn_arg(f, 1)));
	ir_jcci(f, IRC_EQ, r, STEP_NEXT, w->next);
	ir_jcci(f, IRC_EQ, r, STEP_FAULT, w->fault);
	ir_jcci(f, IRC_EQ, r, STEP_END, w->end);
	ir_jmp(f, by_bp);
}

void uw_emit_hotspot_proc(struct irfn *f, const struct uw *u, vreg st, vreg tgid, vreg start)
{
	vreg m = ir_new(f), e = ir_new(f);
	irslot key = ir_slot(f, 8);
	irlabel none = ir_label(f), out = ir_label(f);

	ir_store_slot(f, key, 0, 8, tgid);
	ir_map(f, m, u->maps->hotspot);
	ir_call(f, e, BPF_FUNC_map_lookup_elem, IR_ARGS(m, rt_slot_addr(f, key)));
	ir_jcci(f, IRC_EQ, e, 0, none);
	uw_peek(f, st, HS(p), sizeof(struct hs_proc), e, 0);
	ir_storei(f, st, HS(blob_len), 8, 0);
	ir_storei(f, st, HS(compiled), 8, 0);
	ir_jcci(f, IRC_EQ, rt_ld(f, st, HP(start)), 0, out);
	ir_jcc(f, IRC_NE, rt_ld(f, st, HP(start)), start, none);
	ir_jmp(f, out);
	ir_place(f, none);
	ir_storei(f, st, HP(len), 8, 0);
	ir_place(f, out);
}

/* -- the second walk -- */

/* hs_mix(i, &state): one native frame. */
static struct irfn *emit_mix(struct irprog *p)
{
	struct irfn *f = irfn_new(p, "hs_mix", 2);
	vreg st = rt_ld(f, irfn_arg(f, 1), 0), word = ir_new(f), fp;
	irlabel plain = ir_label(f), cut = ir_label(f), end = ir_label(f), supported = ir_label(f);

	fp = mix_frame(f, st, word, plain, end);
	ir_jcci(f, IRC_EQ, rt_ld(f, st, HP(refused)), 0, supported);
	ir_storei(f, st, HP(refused), 8, 0); /* said once */
	mix_out(f, st, ir_imm(f, HS_FRAME_METHOD(0, HS_MARK_VERSION)), cut);
	ir_jmp(f, plain);
	ir_place(f, supported);
	ir_jcci(f, IRC_SGE, fp, 0, plain);
	ir_mov(f, word, fp);
	ir_place(f, plain);
	mix_frame_out(f, st, word, cut, end);
	return f;
}

struct irfn *rt_hotspot_emit(struct irprog *p, const struct rt_mix_env *e)
{
	const struct rtgen g = { .p = p, .caps = e->caps };
	struct irfn *mix = emit_mix(p), *f = irfn_new(p, "hs_walk", MIX_ARGS);
	irslot slot = ir_slot(f, 8);
	irlabel none = ir_label(f);
	vreg st = mix_begin(f, e, HS(p), sizeof(struct hs_proc), none);

	ir_store_slot(f, slot, 0, 8, st);
	rt_loop(f, &g, ir_imm(f, RT_MIX_MAX_FRAMES), mix, slot);
	mix_end(f, st, none);
	return f;
}
