/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles subroutines, by run-time pieces (cg/rt/rt.h) or helpers. Makes strings in scratch memory. */
#include "cg/builtin/call.h"
#include "cg/gen/fault.h"
#include "cg/gen/load.h"
#include "cg/gen/task.h"
#include "cg/gen/text.h"

#define DEV_MINOR_BITS 20 /* include/linux/kdev_t.h MINORBITS */
#define IN_AF_INET 2
#define IN_AF_INET6 10
#define ARP_ETHER 1	  /* ARPHRD_ETHER */
#define ARP_INFINIBAND 32 /* ARPHRD_INFINIBAND */
#define LINK_MAX 24	  /* bytes of the longest address, rounded up */
#define BASE_MIN 2
#define COPY_MAX 16384 /* bytes of a copy whose size is not constant */
#define BASE_MAX 36

/* Pieces with a loop in a loop: without bpf_loop the verifier walks every iteration of both. */
static bool nested_loops(enum rt_id id)
{
	switch (id) {
	case RT_STRSTR:
	case RT_STRRSTR:
	case RT_INDEX:
	case RT_RINDEX:
	case RT_STRTOK:
	case RT_CLEANPATH: return true;
	default: return false;
	}
}

static vreg rt_call(struct gen *g, enum rt_id id, unsigned n, const vreg *args)
{
	struct irfn *fn = rt_get(g->pr->ip, id, g->cg->caps);
	vreg d = ir_new(g->f);

	if (nested_loops(id) && !g->cg->caps->bpf_loop)
		cg_error(g, g->ds->at, TAG_NOSUPP,
			 "strstr(), index(), rindex(), strtok() and cleanpath() need "
			 "bpf_loop, which this kernel does not have (Linux 5.17)");
	if (fn)
		ir_call_fn(g->f, d, fn, n, args);
	else
		ir_movi(g->f, d, 0);
	return d;
}

static uint32_t strsize(const struct gen *g)
{
	return (uint32_t)opts_strcap(g->cg->opts);
}

/* -- strings -- */

/* A number base that is none. Source: DTrace, DIF_SUBR_STRTOLL and DIF_SUBR_LLTOSTR. */
static void check_base(struct gen *g, const struct call *c, vreg base)
{
	irlabel bad;

	if (c->nargs < 2 || (c->a[1].is_const && c->a[1].c >= BASE_MIN && c->a[1].c <= BASE_MAX))
		return;
	bad = gen_fault_imm(g, FAULT_ILLOP, 0);
	ir_jcci(g->f, IRC_SLT, base, BASE_MIN, bad);
	ir_jcci(g->f, IRC_SGT, base, BASE_MAX, bad);
}

/* A fresh string result of up to strsize bytes. */
static struct mem result(struct gen *g, struct call *c)
{
	c->s = (struct str){ .m = gen_scratch(g, strsize(g)), .bound = strsize(g) };
	return c->s.m;
}

/* A string made of one; par: the piece that makes it. */
void sub_map(struct gen *g, struct call *c)
{
	vreg p = gen_addr(g, c->a[0].s.m), b = ir_imm(g->f, c->a[0].s.bound), d, cap;

	d = gen_addr(g, result(g, c));
	cap = ir_imm(g->f, strsize(g));
	rt_call(g, (enum rt_id)c->par, IR_ARGS(d, cap, p, b));
}

void sub_strjoin(struct gen *g, struct call *call)
{
	struct str a = call->a[0].s, b = call->a[1].s;
	uint32_t cap = a.bound + b.bound < strsize(g) ? a.bound + b.bound : strsize(g);
	struct mem m = gen_scratch(g, cap);
	vreg d = gen_addr(g, m), c = ir_imm(g->f, cap), pa = gen_addr(g, a.m), na = ir_imm(g->f, a.bound);
	vreg pb = gen_addr(g, b.m), nb = ir_imm(g->f, b.bound), len;

	len = rt_call(g, RT_STRCPY, IR_ARGS(d, c, pa, na));
	rt_call(g, RT_STRAPPEND, IR_ARGS(d, c, len, pb, nb));
	call->s = (struct str){ .m = m, .bound = cap };
}

/* _strset(s, index, character) */
void sub_strset(struct gen *g, struct call *c)
{
	vreg at = call_reg(g, c, 1), ch = call_reg(g, c, 2), d = ir_new(g->f);
	struct mem m = result(g, c);

	gen_str_copy(g, &c->a[0].s, m, strsize(g));
	gen_jcci(g, IRC_GE, at, strsize(g) - 1, gen_fault(g, FAULT_BADINDEX, at)); /* the NUL stays */
	ir_alu(g->f, IRA_ADD, d, gen_addr(g, m), at);
	gen_st(g, mem_at(d, 0), 1, ch);
}

/* strchr, strrchr, strstr: the rest of the string from the place found, NULL when there is none. */
static vreg find_index(struct gen *g, const struct call *c)
{
	const struct str *s = &c->a[0].s, *t = &c->a[1].s;
	vreg p = gen_addr(g, s->m), b = ir_imm(g->f, s->bound), q, nb;

	if (!c->a[1].is_str)
		return rt_call(g, (enum rt_id)c->par, IR_ARGS(p, b, call_reg(g, c, 1)));
	q = gen_addr(g, t->m);
	nb = ir_imm(g->f, t->bound);
	return rt_call(g, (enum rt_id)c->par, IR_ARGS(p, b, q, nb));
}

void sub_find(struct gen *g, struct call *c)
{
	vreg at = find_index(g, c), a = ir_new(g->f), p, cap;
	irlabel out = ir_label(g->f);
	struct mem m = result(g, c);

	c->s.has_set = true;
	c->s.set = ir_new(g->f);
	ir_movi(g->f, c->s.set, 0);
	gen_sti(g, m, 1, 0);
	gen_jcci(g, IRC_SLT, at, 0, out);
	ir_movi(g->f, c->s.set, 1);
	ir_alu(g->f, IRA_ADD, a, gen_launder(g, gen_addr(g, c->a[0].s.m)), at);
	p = gen_addr(g, m);
	cap = ir_imm(g->f, strsize(g));
	ir_call(g->f, VREG_NONE, BPF_FUNC_probe_read_kernel_str, IR_ARGS(p, cap, a));
	ir_place(g->f, out);
}

/* substr(s, index, [length]) */
void sub_substr(struct gen *g, struct call *c)
{
	vreg index = call_reg(g, c, 1), len = call_reg_or(g, c, 2, INT64_MAX);
	struct mem par = mem_slot(ir_slot(g->f, 16), 0);
	vreg p, b, d, cap, q;

	gen_st(g, par, 8, index);
	gen_st(g, mem_add(par, 8), 8, len);
	p = gen_addr(g, c->a[0].s.m);
	b = ir_imm(g->f, c->a[0].s.bound);
	d = gen_addr(g, result(g, c));
	cap = ir_imm(g->f, strsize(g));
	q = gen_addr(g, par);
	rt_call(g, RT_SUBSTR, IR_ARGS(d, cap, p, b, q));
}

/* No text yet: an impossible place, and an empty text for the verifier. */
static void strtok_none(struct gen *g)
{
	gen_sti(g, mem_at(gen_scratch_base(g), g->strtok_off), 8, -1);
	gen_sti(g, mem_at(gen_scratch_base(g), g->strtok_off + 8), 8, 0);
}

void gen_strtok_start(struct gen *g)
{
	g->strtok_off = gen_scratch_keep(g, 8 + strsize(g)).off;
	strtok_none(g);
}

/* The string is NULL when its length is negative. */
static void null_below_zero(struct gen *g, vreg len, struct str *ret)
{
	irlabel out = ir_label(g->f);

	ret->has_set = true;
	ret->set = ir_new(g->f);
	ir_movi(g->f, ret->set, 0);
	ir_jcci(g->f, IRC_SLT, len, 0, out);
	ir_movi(g->f, ret->set, 1);
	ir_place(g->f, out);
}

/* json(text, path) */
void sub_json(struct gen *g, struct call *c)
{
	const struct str *s = &c->a[0].s, *t = &c->a[1].s;
	struct mem par = mem_slot(ir_slot(g->f, 16), 0);
	vreg p, b, d, cap, q, len;

	gen_st(g, par, 8, gen_addr(g, t->m));
	gen_st(g, mem_add(par, 8), 8, ir_imm(g->f, t->bound));
	p = gen_addr(g, s->m);
	b = ir_imm(g->f, s->bound);
	d = gen_addr(g, result(g, c));
	cap = ir_imm(g->f, strsize(g));
	q = gen_addr(g, par);
	len = rt_call(g, RT_JSON, IR_ARGS(d, cap, p, b, q));
	null_below_zero(g, len, &c->s);
}

/* strtok(s, delimiters): s begins a text, NULL goes on with it. The state belongs to the clause. */
void sub_strtok(struct gen *g, struct call *c)
{
	const struct str *s = &c->a[0].s, *t = &c->a[1].s;
	bool go_on = !c->a[0].is_str;
	struct mem state;
	vreg d, cap, st, q, nq, len;

	if (g->strtok_off < 0) {
		g->strtok_off = gen_scratch_keep(g, 8 + strsize(g)).off;
		if (go_on)
			strtok_none(g);
	}
	state = mem_at(gen_scratch_base(g), g->strtok_off);
	if (!go_on) {
		if (s->has_set) /* a result that is NULL, such as strstr()'s */
			gen_jcci(g, IRC_EQ, s->set, 0, gen_fault_imm(g, FAULT_BADADDR, 0));
		gen_str_copy(g, s, mem_add(state, 8), strsize(g));
		gen_sti(g, state, 8, 0);
	} else {
		vreg place = ir_new(g->f);

		gen_ld(g, place, state, 8, false);
		gen_jcci(g, IRC_EQ, place, -1, gen_fault_imm(g, FAULT_BADADDR, 0));
	}
	q = gen_addr(g, t->m);
	nq = ir_imm(g->f, t->bound);
	d = gen_addr(g, result(g, c));
	gen_sti(g, c->s.m, 1, 0);
	cap = ir_imm(g->f, strsize(g));
	st = gen_addr(g, state);
	len = rt_call(g, RT_STRTOK, IR_ARGS(d, cap, st, q, nq));
	null_below_zero(g, len, &c->s);
}

/* copyinstr(address, [size]): at most size bytes, the NUL included. */
void sub_copyinstr(struct gen *g, struct call *c)
{
	const struct val *size = c->nargs > 1 ? &c->a[1] : NULL;
	irlabel fits = ir_label(g->f);
	uint32_t cap = (uint32_t)g->cg->opts->strsize; /* with its NUL, as in DTrace */
	vreg a = call_reg(g, c, 0), p, len, r;

	if (!size || size->is_const) {
		if (size && size->c >= 1 && size->c < cap)
			cap = (uint32_t)size->c;
		c->s = (struct str){ .m = gen_scratch(g, cap), .bound = cap };
		gen_read_str(g, c->s.m, cap, a, true);
		return;
	}
	len = ir_new(g->f);
	ir_mov(g->f, len, size->v);
	ir_jcci(g->f, IRC_LE, len, cap, fits);
	ir_movi(g->f, len, cap);
	ir_place(g->f, fits);
	c->s = (struct str){ .m = gen_scratch(g, cap), .bound = cap };
	gen_sti(g, c->s.m, 1, 0); /* nothing is written when size is 0 */
	p = gen_addr(g, c->s.m);
	r = ir_new(g->f);
	gen_read_text(g, r, p, len, cap, a);
	gen_read_check(g, r, a, true);
}

void sub_lltostr(struct gen *g, struct call *c)
{
	vreg v = call_reg(g, c, 0), base = call_reg_or(g, c, 1, 10), d, cap;

	check_base(g, c, base);
	d = gen_addr(g, result(g, c));
	cap = ir_imm(g->f, strsize(g));
	rt_call(g, RT_LLTOSTR, IR_ARGS(d, cap, v, base));
}

/* The address that argument i points to, size bytes, as text; strict: of RT_INET_NTOA6. */
static void addr_text(struct gen *g, enum rt_id id, const struct call *c, unsigned i, uint32_t size, vreg strict)
{
	struct mem m = mem_slot(ir_slot(g->f, LINK_MAX), 0);
	vreg d = gen_addr(g, c->s.m), cap = ir_imm(g->f, strsize(g)), v;

	gen_probe_read(g, m, size, call_reg(g, c, i), 0, c->a[i].n->user);
	if (id == RT_INET_NTOA) {
		v = ir_new(g->f);
		gen_ld(g, v, m, 4, false);
	} else {
		v = gen_addr(g, m);
	}
	if (id == RT_INET_NTOA6)
		rt_call(g, id, IR_ARGS(d, cap, v, strict));
	else
		rt_call(g, id, IR_ARGS(d, cap, v));
}

void sub_inet_ntoa(struct gen *g, struct call *c)
{
	result(g, c);
	addr_text(g, RT_INET_NTOA, c, 0, 4, VREG_NONE);
}

void sub_inet_ntoa6(struct gen *g, struct call *c)
{
	vreg strict = call_reg_or(g, c, 1, 0);

	result(g, c);
	addr_text(g, RT_INET_NTOA6, c, 0, 16, strict);
}

/* A form that the first argument can ask for: the run-time piece that makes the text, and its size in bytes. */
struct addr_form {
	int64_t value;
	enum rt_id piece;
	uint32_t size;
};

static void text_by_form(struct gen *g, struct call *c, const struct addr_form forms[2])
{
	irlabel second = ir_label(g->f), out = ir_label(g->f);
	vreg form = call_reg(g, c, 0);
	struct cache saved;

	result(g, c);
	saved = gen_region_begin(g);
	ir_jcci(g->f, IRC_EQ, form, forms[1].value, second);
	ir_jcci(g->f, IRC_NE, form, forms[0].value, gen_fault_imm(g, FAULT_ILLOP, 0));
	addr_text(g, forms[0].piece, c, 1, forms[0].size, ir_imm(g->f, 1));
	ir_jmp(g->f, out);
	ir_place(g->f, second);
	g->cache = saved;
	addr_text(g, forms[1].piece, c, 1, forms[1].size, ir_imm(g->f, 1));
	ir_place(g->f, out);
	gen_region_end(g, &saved);
}

void sub_inet_ntop(struct gen *g, struct call *c)
{
	static const struct addr_form forms[2] = { { IN_AF_INET, RT_INET_NTOA, 4 },
						   { IN_AF_INET6, RT_INET_NTOA6, 16 } };

	text_by_form(g, c, forms);
}

void sub_link_ntop(struct gen *g, struct call *c)
{
	static const struct addr_form forms[2] = { { ARP_ETHER, RT_LINK_NTOP, 6 },
						   { ARP_INFINIBAND, RT_LINK_NTOP20, 20 } };

	text_by_form(g, c, forms);
}

/* -- numbers -- */

/* index(s, t, [from]), rindex(s, t, [from]); par: the piece */
void sub_index(struct gen *g, struct call *c)
{
	const struct str *s = &c->a[0].s, *t = &c->a[1].s;
	vreg from = call_reg_or(g, c, 2, c->par == RT_RINDEX ? INT64_MAX : 0);
	vreg p = gen_addr(g, s->m), b = ir_imm(g->f, s->bound), q = gen_addr(g, t->m), nq = ir_imm(g->f, t->bound);

	c->v = rt_call(g, (enum rt_id)c->par, IR_ARGS(p, b, q, nq, from));
}

/* Memory of the clause: size bytes when constant, else up to scratchsize, checked at run time. */
static struct mem alloc_mem(struct gen *g, const struct call *c, unsigned i, vreg *ret_size, uint32_t *ret_max)
{
	const struct val *size = &c->a[i];
	struct mem m;

	*ret_size = call_reg(g, c, i);
	if (size->is_const && size->c >= 0 && size->c <= CG_MAX_SCRATCH) {
		*ret_max = (uint32_t)size->c;
	} else {
		*ret_max = g->cg->opts->scratchsize < 8	      ? 8
			   : g->cg->opts->scratchsize > 16384 ? 16384
							      : (uint32_t)g->cg->opts->scratchsize;
		gen_jcci(g, IRC_GT, *ret_size, *ret_max, gen_fault_imm(g, FAULT_NOSCRATCH, 0));
	}
	m = gen_scratch_keep(g, *ret_max);
	if (*ret_max % 8) /* zeros follow, so a text that fills the memory still ends */
		gen_zero(g, mem_add(m, (int32_t)(*ret_max - *ret_max % 8)), 8);
	else if (*ret_max)
		gen_scratch_pad(g);
	return m;
}

void sub_copyin(struct gen *g, struct call *c)
{
	vreg a = call_reg(g, c, 0), size, p, r = ir_new(g->f);
	uint32_t max;
	struct mem m = alloc_mem(g, c, 1, &size, &max);

	p = gen_addr(g, m);
	gen_read(g, r, p, size, a, true);
	gen_read_check(g, r, a, true);
	c->v = gen_launder(g, p);
}

void sub_alloca(struct gen *g, struct call *c)
{
	uint32_t max;
	vreg size;
	struct mem m = alloc_mem(g, c, 0, &size, &max);

	gen_zero(g, m, max);
	c->v = gen_launder(g, gen_addr(g, m));
}

/* copyinto(user, size, dst), bcopy(src, dst, size): dst was made by alloca(). */
static void copy(struct gen *g, vreg src, vreg dst, const struct val *bytes, bool user)
{
	bool is_const = bytes->is_const && bytes->c >= 0 && bytes->c <= CG_MAX_SCRATCH / 2;
	vreg size = bytes->is_const ? ir_imm(g->f, (uint64_t)bytes->c) : bytes->v, p, r = ir_new(g->f);
	uint32_t max = (uint32_t)g->cg->opts->scratchsize;
	struct mem m;

	max = max > COPY_MAX ? COPY_MAX : max;
	if (!is_const)
		gen_jcci(g, IRC_GT, size, max, gen_fault(g, FAULT_BADSIZE, size));
	gen_scratch_fits(g, dst, size);
	m = is_const ? gen_scratch_target(g, dst, (uint32_t)bytes->c) : gen_scratch_range(g, dst, size, max);
	if (!user)
		gen_scratch_fits(g, src, size);
	p = gen_addr(g, m);
	gen_read(g, r, p, size, src, user);
	gen_read_check(g, r, src, user);
}

void sub_bcopy(struct gen *g, struct call *c)
{
	vreg src = call_reg(g, c, 0), dst = call_reg(g, c, 1);

	copy(g, src, dst, &c->a[2], false);
}

void sub_copyinto(struct gen *g, struct call *c)
{
	vreg src = call_reg(g, c, 0), dst = call_reg(g, c, 2);

	copy(g, src, dst, &c->a[1], true);
}

void sub_rand(struct gen *g, struct call *c)
{
	vreg a = ir_new(g->f), b = ir_new(g->f);

	ir_call(g->f, a, BPF_FUNC_get_prandom_u32, 0, NULL);
	ir_call(g->f, b, BPF_FUNC_get_prandom_u32, 0, NULL);
	ir_alui(g->f, IRA_SHL, a, a, 32);
	ir_ext(g->f, b, b, 4, false);
	ir_alu(g->f, IRA_OR, a, a, b);
	c->v = a;
}

static vreg dev_of(struct gen *g, const struct call *c)
{
	vreg d = ir_new(g->f);

	/* The kernel's dev_t has 32 bits: Source: include/linux/types.h. */
	ir_ext(g->f, d, call_reg(g, c, 0), 4, false);
	return d;
}

void sub_getmajor(struct gen *g, struct call *c)
{
	c->v = dev_of(g, c);
	ir_alui(g->f, IRA_SHR, c->v, c->v, DEV_MINOR_BITS);
}

void sub_getminor(struct gen *g, struct call *c)
{
	c->v = dev_of(g, c);
	ir_alui(g->f, IRA_AND, c->v, c->v, (1 << DEV_MINOR_BITS) - 1);
}

/* par: bytes */
void sub_bswap(struct gen *g, struct call *c)
{
	vreg v = call_reg(g, c, 0);

	c->v = ir_new(g->f);
	ir_bswap(g->f, c->v, v, (unsigned)c->par);
}

void sub_strlen(struct gen *g, struct call *c)
{
	const struct str *s = &c->a[0].s;
	uint32_t most = strsize(g) - 1; /* constants may be longer */
	vreg p = gen_addr(g, s->m), b = ir_imm(g->f, s->bound < most ? s->bound : most);

	c->v = rt_call(g, RT_STRLEN, IR_ARGS(p, b));
}

void sub_strtoll(struct gen *g, struct call *c)
{
	const struct str *s = &c->a[0].s;
	vreg p = gen_addr(g, s->m), b = ir_imm(g->f, s->bound), base = call_reg_or(g, c, 1, 10);

	check_base(g, c, base);
	c->v = rt_call(g, RT_STRTOLL, IR_ARGS(p, b, base));
}

void sub_progenyof(struct gen *g, struct call *c)
{
	c->v = gen_progenyof(g, call_reg(g, c, 0));
}

void sub_sched_clock(struct gen *g, struct call *c)
{
	c->v = gen_sched_clock(g);
}
