/* SPDX-License-Identifier: Apache-2.0 */
/* psargs(from, to): the arguments of a process as one line. They lie one after the other in its memory,
 * each ended by a NUL: these become blanks. What cannot be read is "". */
#include "cg/lower/call.h"

#define PSARGS_BYTES 80 /* with the NUL, as proc(5)'s pr_psargs */
#define LOW_BITS 0x7f7f7f7f7f7f7f7f

/* Bit 7 of every zero byte, moved to where it makes a blank of it:
 *	w |= ~(((w & 0x7f…) + 0x7f…) | w | 0x7f…) >> 2 */
static void fill_blanks(struct gen *g, struct mem m)
{
	vreg w = ir_new(g->f), t = ir_new(g->f), low = ir_imm(g->f, LOW_BITS);

	gen_ld(g, w, m, 8, false);
	ir_alu(g->f, IRA_AND, t, w, low);
	ir_alu(g->f, IRA_ADD, t, t, low);
	ir_alu(g->f, IRA_OR, t, t, w);
	ir_alu(g->f, IRA_OR, t, t, low);
	ir_alui(g->f, IRA_XOR, t, t, -1);
	ir_alui(g->f, IRA_SHR, t, t, 2);
	ir_alu(g->f, IRA_OR, w, w, t);
	gen_st(g, m, 8, w);
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
	for (uint32_t i = 0; i < cap; i += 8)
		fill_blanks(g, mem_add(m, (int32_t)i));
	ir_alu(g->f, IRA_ADD, end, p, len);
	ir_storei(g->f, end, -1, 1, 0);
	ir_jmp(g->f, out);
	ir_place(g->f, none);
	gen_sti(g, m, 1, 0);
	ir_place(g->f, out);
}
