/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles functions that read memory with NULs in it as one string. psargs(from, to): the arguments of a process. They
 * lie one after the other in its memory, each ended by a NUL; a NUL becomes a blank. "" when they cannot be read.
 * memstr(address, character, size), as in FreeBSD's DTrace: reads size - 1 bytes; a NUL becomes the character. Memory
 * that cannot be read is a D error. */
#include "cg/builtin/call.h"
#include "cg/gen/load.h"
#include "cg/gen/task.h"

#define PSARGS_BYTES 80 /* with the NUL, as proc(5)'s pr_psargs */
#define LOW_BITS 0x7f7f7f7f7f7f7f7f

/* Bit 7 of every zero byte of w, moved down: ~(((w & 0x7f…) + 0x7f…) | w | 0x7f…) >> down */
static vreg zero_bytes(struct gen *g, vreg w, unsigned down)
{
	vreg t = ir_new(g->f), low = ir_imm(g->f, LOW_BITS);

	ir_alu(g->f, IRA_AND, t, w, low);
	ir_alu(g->f, IRA_ADD, t, t, low);
	ir_alu(g->f, IRA_OR, t, t, w);
	ir_alu(g->f, IRA_OR, t, t, low);
	ir_alui(g->f, IRA_XOR, t, t, -1);
	ir_alui(g->f, IRA_SHR, t, t, down);
	return t;
}

/* Replaces each NUL in size bytes, a multiple of 8, by ch, zero-extended from 8 bits. VREG_NONE: by a blank, which is
 * bit 5 alone. */
static void fill_nuls(struct gen *g, struct mem m, uint32_t size, vreg ch)
{
	for (uint32_t i = 0; i < size; i += 8) {
		vreg w = ir_new(g->f), t;

		gen_ld(g, w, mem_add(m, (int32_t)i), 8, false);
		t = zero_bytes(g, w, ch >= 0 ? 7 : 7 - 5);
		if (ch >= 0)
			ir_alu(g->f, IRA_MUL, t, t, ch);
		ir_alu(g->f, IRA_OR, w, w, t);
		gen_st(g, mem_add(m, (int32_t)i), 8, w);
	}
}

void sub_psargs(struct gen *g, struct call *c)
{
	uint32_t strsize = (uint32_t)opts_strcap(g->cg->opts) & ~7u;
	uint32_t cap = strsize < PSARGS_BYTES ? strsize : PSARGS_BYTES;
	vreg from = call_reg(g, c, 0), to = call_reg(g, c, 1), len = ir_new(g->f);
	struct mem m = gen_scratch(g, cap);
	vreg p = gen_addr(g, m), r = ir_new(g->f), end = ir_new(g->f);
	irlabel fits = ir_label(g->f), none = ir_label(g->f), out = ir_label(g->f);

	c->s = (struct str){ .m = m, .bound = cap };
	ir_alu(g->f, IRA_SUB, len, to, from);
	ir_jcci(g->f, IRC_LE, len, cap, fits); /* cap bytes with their own NUL still fit */
	ir_movi(g->f, len, cap);
	ir_place(g->f, fits);
	ir_jcci(g->f, IRC_EQ, len, 0, none);
	gen_read(g, r, p, len, from, true);
	ir_jcci(g->f, IRC_NE, r, 0, none);
	fill_nuls(g, m, cap, VREG_NONE);
	ir_alu(g->f, IRA_ADD, end, p, len);
	ir_storei(g->f, end, -1, 1, 0);
	ir_jmp(g->f, out);
	ir_place(g->f, none);
	gen_sti(g, m, 1, 0);
	ir_place(g->f, out);
}

void sub_memstr(struct gen *g, struct call *c)
{
	uint32_t cap = (uint32_t)opts_strcap(g->cg->opts), words;
	vreg from = call_reg(g, c, 0), ch = ir_new(g->f), size = ir_new(g->f), r = ir_new(g->f), p, end = ir_new(g->f);
	irlabel fits = ir_label(g->f), none = ir_label(g->f), out = ir_label(g->f);
	struct mem m;

	if (c->a[2].is_const && c->a[2].c > 0 && c->a[2].c < cap)
		cap = (uint32_t)c->a[2].c;
	words = ROUND_UP(cap, 8);
	m = gen_scratch(g, words);
	p = gen_addr(g, m);
	ir_ext(g->f, ch, call_reg(g, c, 1), 1, false);
	ir_mov(g->f, size, call_reg(g, c, 2));
	c->s = (struct str){ .m = m, .bound = cap, .has_set = true, .set = ir_new(g->f) };
	ir_movi(g->f, c->s.set, 1);
	ir_jcci(g->f, IRC_LE, size, cap, fits); /* longer memory is cut, as any string */
	ir_movi(g->f, size, cap);
	ir_place(g->f, fits);
	ir_jcci(g->f, IRC_LT, size, 1, none);
	ir_alui(g->f, IRA_ADD, size, size, -1);
	gen_read(g, r, p, size, from, c->a[0].n->user);
	gen_read_check(g, r, from, c->a[0].n->user);
	fill_nuls(g, m, words, ch);
	ir_alu(g->f, IRA_ADD, end, p, size);
	ir_storei(g->f, end, 0, 1, 0);
	ir_jmp(g->f, out);
	ir_place(g->f, none); /* of no bytes it is NULL */
	ir_movi(g->f, c->s.set, 0);
	gen_sti(g, m, 1, 0);
	ir_place(g->f, out);
}
