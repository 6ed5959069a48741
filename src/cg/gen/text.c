/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles work on strings in memory: copying, comparing with constants, reading. */
#include "cg/gen/fault.h"
#include "cg/gen/load.h"
#include "cg/gen/map.h"
#include "cg/gen/task.h"
#include "cg/gen/text.h"
#define MAX_INLINE_CONST 64 /* bytes of a constant that are stored as immediates */

static uint64_t word_of(const char *p, unsigned w)
{
	uint64_t v = 0;

	memcpy(&v, p, w);
	return v;
}

/* Stores n bytes of a constant; what is after up to cap becomes 0. */
static void store_const(struct gen *g, const char *s, size_t n, struct mem dst, uint32_t cap)
{
	char buf[MAX_INLINE_CONST + 8] = "";
	uint32_t len = (uint32_t)(n < cap ? n : cap - 1), end = ROUND_UP(len + 1, 8);

	if (len > MAX_INLINE_CONST - 1) {
		vreg p = gen_mapval(g, cg_map_rodata(g->cg), ro_string(g->cg, s, n));

		gen_copy(g, dst, mem_at(p, 0), len);
		gen_zero(g, mem_add(dst, (int32_t)len), cap - len);
		return;
	}
	if (end > cap)
		end = cap;
	memcpy(buf, s, len);
	for (uint32_t i = 0; i < end;) {
		unsigned w = 8;

		while (w > end - i || (uint32_t)(dst.off + (int32_t)i) % w)
			w /= 2;
		uint64_t v = word_of(buf + i, w);
		int64_t sv = w == 8 ? (int64_t)v : w == 4 ? (int32_t)v : (int64_t)v;

		if (sv >= INT32_MIN && sv <= INT32_MAX)
			gen_sti(g, mem_add(dst, (int32_t)i), w, (int32_t)sv);
		else
			gen_st(g, mem_add(dst, (int32_t)i), w, ir_imm(g->f, v));
		i += w;
	}
	gen_zero(g, mem_add(dst, (int32_t)end), cap - end);
}

static void copy_padded(struct gen *g, const struct str *s, struct mem dst, uint32_t cap)
{
	uint32_t n = s->bound < cap ? s->bound : cap;

	gen_copy(g, dst, s->m, n);
	if (s->bound > cap)
		gen_sti(g, mem_add(dst, (int32_t)cap - 1), 1, 0);
	else if (s->bound < cap)
		gen_zero(g, mem_add(dst, (int32_t)n), cap - n);
}

/* Copies a string; dst is zero after the text up to cap. */
void gen_str_copy(struct gen *g, const struct str *s, struct mem dst, uint32_t cap)
{
	struct irfn *fn;

	if (s->is_const) {
		store_const(g, s->cs, s->cslen, dst, cap);
	} else if (s->maybe_null) {
		irlabel nul = ir_label(g->f), out = ir_label(g->f);
		struct str t = *s;

		t.maybe_null = false;
		ir_jcci(g->f, IRC_EQ, s->m.base, 0, nul);
		gen_str_copy(g, &t, dst, cap);
		ir_jmp(g->f, out);
		ir_place(g->f, nul);
		gen_zero(g, dst, cap);
		ir_place(g->f, out);
	} else if (s->padded) {
		copy_padded(g, s, dst, cap);
	} else {
		vreg d = gen_addr(g, dst), c = ir_imm(g->f, cap), p = gen_addr(g, s->m);
		vreg b = ir_imm(g->f, s->bound);

		fn = rt_get(g->pr->ip, RT_STRCPY, g->cg->caps);
		if (fn)
			ir_call_fn(g->f, VREG_NONE, fn, IR_ARGS(d, c, p, b));
	}
}

/* Gives constants an address and replaces NULL by "". */
void gen_str_real(struct gen *g, struct str *s)
{
	vreg d;
	irlabel out;

	if (s->is_const) {
		d = gen_mapval(g, cg_map_rodata(g->cg), ro_string(g->cg, s->cs, s->cslen));
		*s = (struct str){ .m = mem_at(d, 0), .bound = (uint32_t)ROUND_UP(s->cslen + 1, 8), .padded = true };
	} else if (s->maybe_null) {
		d = ir_new(g->f);
		out = ir_label(g->f);
		vreg z = gen_mapval(g, cg_map_rodata(g->cg), ro_zeros(g->cg, s->bound));

		ir_mov(g->f, d, z);
		ir_jcci(g->f, IRC_EQ, s->m.base, 0, out);
		ir_alui(g->f, IRA_ADD, d, s->m.base, s->m.off);
		ir_place(g->f, out);
		s->m = mem_at(d, 0);
		s->maybe_null = false;
	}
}

/* Reads a NUL-terminated text from kernel or user memory. */
void gen_read_str(struct gen *g, struct mem dst, uint32_t cap, vreg addr, bool user)
{
	vreg p = gen_addr(g, dst), n = ir_imm(g->f, cap), r = ir_new(g->f);

	if (user)
		gen_read_text(g, r, p, n, cap, addr);
	else
		ir_call(g->f, r, BPF_FUNC_probe_read_kernel_str, IR_ARGS(p, n, addr));
	gen_read_check(g, r, addr, user);
}

/* Compares with a constant in words; jumps to ne at the first difference. */
static void compare_const(struct gen *g, const struct str *s, const char *c, size_t len, irlabel ne)
{
	for (size_t i = 0; i < len + 1;) {
		char buf[8] = "";
		unsigned w = 8;
		vreg t = ir_new(g->f);

		while (w > len + 1 - i || (uint32_t)(s->m.off + (int32_t)i) % w)
			w /= 2;
		memcpy(buf, c + i, len - i < w ? len - i : w);
		gen_ld(g, t, mem_add(s->m, (int32_t)i), w, false);
		gen_jcci(g, IRC_NE, t, (int64_t)word_of(buf, w), ne);
		i += w;
	}
}

bool gen_str_branch_const(struct gen *g, const struct str *s, const struct str *c, bool jump_if_equal, irlabel l)
{
	irlabel ne;

	if (c->cslen > MAX_INLINE_CONST)
		return false;
	if (s->bound < c->cslen + 1) { /* too long to be equal */
		if (!jump_if_equal) {
			if (l == g->l_next)
				gen_note_exit(g);
			ir_jmp(g->f, l);
		}
		return true;
	}
	if (!jump_if_equal) {
		compare_const(g, s, c->cs, c->cslen, l);
		return true;
	}
	ne = ir_label(g->f);
	compare_const(g, s, c->cs, c->cslen, ne);
	if (l == g->l_next)
		gen_note_exit(g);
	ir_jmp(g->f, l);
	ir_place(g->f, ne);
	return true;
}

vreg gen_str_is_set(struct gen *g, const struct str *s)
{
	struct place pl = { .kind = PL_MEM, .m = s->m, .maybe_null = s->maybe_null };
	struct tref btf;

	pl.m.off += (int32_t)opts_strcap(g->cg->opts);
	return gen_load_place(g, &pl, dtype_int(g->cg->p->types, 1, false), &btf);
}
