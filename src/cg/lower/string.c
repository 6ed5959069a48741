/* SPDX-License-Identifier: Apache-2.0 */
/* Strings: where they are, copying, comparing. */
#include "cg/lower/int.h"

#define MAX_INLINE_CONST 64 /* bytes of a constant that are stored as immediates */

static uint64_t word_of(const char *p, unsigned w)
{
	uint64_t v = 0;

	memcpy(&v, p, w);
	return v;
}

/* Stores n bytes of a constant; what is behind up to cap becomes 0. */
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

/* Copies a string; dst is zero behind the text up to cap. */
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

/* Where the text of a pointer, integer or char array is, and how many bytes it can have. */
struct text_src {
	struct mem m; /* m.slot >= 0 or m.base >= 0: directly readable, perhaps without a NUL */
	bool direct, maybe_null;
	vreg addr;
	bool user;
	uint32_t max; /* bytes incl. NUL; 0: no limit known */
};

static void text_source(struct gen *g, const struct node *n, struct text_src *ret)
{
	const struct dtype *ty = cg_type(g->cg, n);
	struct place pl;

	*ret = (struct text_src){ .user = n->user || (n->type->quals & DQ_USERLAND) };
	if (ty->kind != DK_ARRAY) {
		ret->addr = gen_int(g, n);
		return;
	}
	ret->max = ty->nelems && ty->nelems < INT32_MAX ? (uint32_t)ty->nelems + 1 : 0;
	gen_place(g, n, &pl);
	place_flatten(g, &pl);
	if (pl.kind == PL_MEM) {
		ret->direct = true;
		ret->m = pl.m;
		ret->maybe_null = pl.maybe_null;
		return;
	}
	ret->user = pl.kind == PL_USER;
	ret->addr = pl.btf.id ? gen_launder(g, pl.addr) : pl.addr;
	if (pl.off) {
		vreg d = ir_new(g->f), o = ir_imm(g->f, (uint64_t)pl.off);

		ir_alu(g->f, IRA_ADD, d, ret->addr, o);
		ret->addr = d;
	}
}

/* The text into dst; zero: also the bytes behind it. */
static void text_to(struct gen *g, const struct text_src *t, struct mem dst, uint32_t cap, bool zero)
{
	uint32_t n = t->max && t->max < cap ? t->max : cap;

	if (t->direct) {
		irlabel out = ir_label(g->f);

		if (t->maybe_null) {
			gen_zero(g, dst, cap);
			ir_jcci(g->f, IRC_EQ, t->m.base, 0, out);
		}
		gen_copy(g, dst, t->m, n - 1);
		gen_zero(g, mem_add(dst, (int32_t)n - 1), cap - n + 1);
		ir_place(g->f, out);
		return;
	}
	if (zero)
		gen_zero(g, dst, cap);
	gen_read_str(g, dst, n, t->addr, t->user);
}

static void cast_str(struct gen *g, const struct node *n, struct str *ret)
{
	uint32_t cap = (uint32_t)opts_strcap(g->cg->opts);
	struct text_src t;

	if (type_is_str(g->cg, n->a)) {
		gen_str(g, n->a, ret);
		return;
	}
	text_source(g, n->a, &t);
	if (t.max && t.max < cap)
		cap = t.max;
	*ret = (struct str){ .m = gen_scratch(g, ROUND_UP(cap, 8)), .bound = cap };
	text_to(g, &t, ret->m, cap, false);
}

/* One side of ?: to m; set: is there a string? */
static void cond_arm(struct gen *g, const struct node *n, struct mem m, uint32_t cap, vreg set)
{
	struct str s;

	if (!n->var) {
		gen_str_to(g, n, m, cap);
		ir_movi(g->f, set, !node_is_null(n));
		return;
	}
	gen_str(g, n, &s);
	ir_mov(g->f, set, gen_str_is_set(g, &s));
	gen_str_copy(g, &s, m, cap);
}

static void cond_str(struct gen *g, const struct node *n, struct str *ret)
{
	irlabel no = ir_label(g->f), out = ir_label(g->f);
	uint32_t cap = (uint32_t)opts_strcap(g->cg->opts);
	struct mem m = gen_scratch(g, cap);
	struct cache saved = gen_region_begin(g);
	bool nullable = n->b->var || n->c->var || node_is_null(n->b) || node_is_null(n->c);
	vreg set = nullable ? ir_new(g->f) : VREG_NONE;

	gen_branch(g, n->a, no, false);
	if (nullable)
		cond_arm(g, n->b, m, cap, set);
	else
		gen_str_to(g, n->b, m, cap);
	ir_jmp(g->f, out);
	ir_place(g->f, no);
	g->cache = saved;
	if (nullable)
		cond_arm(g, n->c, m, cap, set);
	else
		gen_str_to(g, n->c, m, cap);
	ir_place(g->f, out);
	gen_region_end(g, &saved);
	*ret = (struct str){ .m = m, .bound = cap, .padded = true, .has_set = nullable, .set = set };
}

void gen_str(struct gen *g, const struct node *n, struct str *ret)
{
	*ret = (struct str){ .is_const = true, .cs = "" };
	switch (n->kind) {
	case N_STR: *ret = (struct str){ .is_const = true, .cs = n->str, .cslen = strnlen(n->str, n->len) }; break;
	case N_IDENT:
		if (n->builtin) {
			gen_builtin_str(g, n, ret);
			break;
		}
		gen_var_str(g, n, ret);
		break;
	case N_TLS:
	case N_THIS:
	case N_INDEX:
	case N_MEMBER: gen_var_str(g, n, ret); break;
	case N_ASSIGN: gen_assign_str(g, n, ret); break;
	case N_COND: cond_str(g, n, ret); break;
	case N_EVENT: gen_event_str(g, n, ret); break;
	case N_CALL: gen_sub_str(g, n, ret); break;
	case N_CAST:
	case N_STRINGOF: cast_str(g, n, ret); break;
	case N_BINARY:
		gen_effect(g, n->a);
		gen_str(g, n->b, ret);
		break;
	default: cg_error(g, n->at, "D_INTERNAL", "code generator: string of kind %d", n->kind);
	}
}

/* A string into memory, zero-padded up to cap: straight there where the source allows it. */
void gen_str_to(struct gen *g, const struct node *n, struct mem dst, uint32_t cap)
{
	struct str s;

	if (n->kind == N_IDENT && n->builtin && n->builtin->id == BI_EXECNAME && cap >= 16) {
		gen_comm_to(g, dst);
		gen_zero(g, mem_add(dst, 16), cap - 16);
		return;
	}
	if ((n->kind == N_CAST || n->kind == N_STRINGOF) && !type_is_str(g->cg, n->a)) {
		struct text_src t;

		text_source(g, n->a, &t);
		text_to(g, &t, dst, cap, true);
		return;
	}
	if ((n->kind == N_CAST || n->kind == N_STRINGOF) && type_is_str(g->cg, n->a)) {
		gen_str_to(g, n->a, dst, cap);
		return;
	}
	gen_str(g, n, &s);
	gen_str_copy(g, &s, dst, cap);
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

static bool branch_const(struct gen *g, const struct str *s, const struct str *c, bool jump_if_equal, irlabel l)
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

/* Jumps to l when the relation of two strings is `when`. */
void gen_str_branch(struct gen *g, const struct node *n, irlabel l, bool when)
{
	static const enum ir_cond conds[] = { IRC_SLT, IRC_SLE, IRC_SGT, IRC_SGE, IRC_EQ, IRC_NE };
	static const enum ir_cond inverse[] = { IRC_SGE, IRC_SGT, IRC_SLE, IRC_SLT, IRC_NE, IRC_EQ };
	bool eq = n->op == OP_EQ || n->op == OP_NE;
	struct str a, b;
	struct irfn *fn;
	vreg r = ir_new(g->f);

	gen_str(g, n->a, &a);
	gen_str(g, n->b, &b);
	if (eq && a.is_const != b.is_const) {
		struct str *s = a.is_const ? &b : &a, *c = a.is_const ? &a : &b;

		gen_str_real(g, s);
		if (branch_const(g, s, c, (n->op == OP_EQ) == when, l))
			return;
	}
	gen_str_real(g, &a);
	gen_str_real(g, &b);
	fn = rt_get(g->pr->ip, RT_STRCMP, g->cg->caps);
	vreg pa = gen_addr(g, a.m), na = ir_imm(g->f, a.bound), pb = gen_addr(g, b.m);
	vreg nb = ir_imm(g->f, b.bound);

	if (fn)
		ir_call_fn(g->f, r, fn, IR_ARGS(pa, na, pb, nb));
	gen_jcci(g, (when ? conds : inverse)[n->op - OP_LT], r, 0, l);
}
