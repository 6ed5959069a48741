/* SPDX-License-Identifier: Apache-2.0 */
/* Subroutines: by run-time pieces (cg/rt/rt.h) or helpers. Strings are made in scratch memory. */
#include "cg/lower/int.h"

#define DEV_MINOR_BITS 20 /* include/linux/kdev_t.h MINORBITS */
#define IN_AF_INET 2
#define IN_AF_INET6 10
#define ARP_ETHER 1	  /* ARPHRD_ETHER */
#define ARP_INFINIBAND 32 /* ARPHRD_INFINIBAND */
#define LINK_MAX 24	  /* bytes of the longest address, rounded up */
#define BASE_MIN 2
#define COPY_MAX 16384 /* bytes of a copy whose size is not constant */
#define BASE_MAX 36

static const struct node *arg(const struct node *n, unsigned i)
{
	const struct node *a = n->args;

	while (a && i--)
		a = a->next;
	return a;
}

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

/* A string argument, readable. */
static struct str str_arg(struct gen *g, const struct node *n)
{
	struct str s;

	gen_str(g, n, &s);
	gen_str_real(g, &s);
	return s;
}

static uint32_t strsize(const struct gen *g)
{
	return (uint32_t)opts_strcap(g->cg->opts);
}

static vreg const_or_int(struct gen *g, const struct node *n, int64_t dflt)
{
	return n ? gen_int(g, n) : ir_imm(g->f, (uint64_t)dflt);
}

/* -- strings -- */

/* A number base that is none. Source: DTrace, DIF_SUBR_STRTOLL and DIF_SUBR_LLTOSTR. */
static void check_base(struct gen *g, const struct node *n, vreg base)
{
	int64_t c;
	irlabel bad;

	if (!n || (node_const(n, &c) && c >= BASE_MIN && c <= BASE_MAX))
		return;
	bad = gen_fault_imm(g, FAULT_ILLOP, 0);
	ir_jcci(g->f, IRC_SLT, base, BASE_MIN, bad);
	ir_jcci(g->f, IRC_SGT, base, BASE_MAX, bad);
}

/* A fresh string result of up to strsize bytes. */
static struct mem result(struct gen *g, struct str *ret)
{
	*ret = (struct str){ .m = gen_scratch(g, strsize(g)), .bound = strsize(g) };
	return ret->m;
}

static void sub_map(struct gen *g, const struct node *n, enum rt_id id, struct str *ret)
{
	struct str s = str_arg(g, n->args);
	vreg p = gen_addr(g, s.m), b = ir_imm(g->f, s.bound), d, c;

	d = gen_addr(g, result(g, ret));
	c = ir_imm(g->f, strsize(g));
	rt_call(g, id, IR_ARGS(d, c, p, b));
}

static void sub_strjoin(struct gen *g, const struct node *n, struct str *ret)
{
	struct str a = str_arg(g, n->args), b = str_arg(g, arg(n, 1));
	uint32_t cap = a.bound + b.bound < strsize(g) ? a.bound + b.bound : strsize(g);
	struct mem m = gen_scratch(g, cap);
	vreg d = gen_addr(g, m), c = ir_imm(g->f, cap), pa = gen_addr(g, a.m), na = ir_imm(g->f, a.bound);
	vreg pb = gen_addr(g, b.m), nb = ir_imm(g->f, b.bound), len;

	len = rt_call(g, RT_STRCPY, IR_ARGS(d, c, pa, na));
	rt_call(g, RT_STRAPPEND, IR_ARGS(d, c, len, pb, nb));
	*ret = (struct str){ .m = m, .bound = cap };
}

/* _strset(s, index, character) */
static void sub_strset(struct gen *g, const struct node *n, struct str *ret)
{
	struct str s = str_arg(g, n->args);
	vreg at = gen_int(g, arg(n, 1)), ch = gen_int(g, arg(n, 2)), d = ir_new(g->f);
	struct mem m = result(g, ret);

	gen_str_copy(g, &s, m, strsize(g));
	gen_jcci(g, IRC_GE, at, strsize(g) - 1, gen_fault(g, FAULT_BADINDEX, at)); /* the NUL stays */
	ir_alu(g->f, IRA_ADD, d, gen_addr(g, m), at);
	gen_st(g, mem_at(d, 0), 1, ch);
}

/* strchr, strrchr, strstr: the rest of the string from the place found, NULL when there is none. */
static vreg find_index(struct gen *g, const struct node *n, const struct str *s)
{
	vreg p = gen_addr(g, s->m), b = ir_imm(g->f, s->bound);

	if (n->builtin->id == BI_STRSTR) {
		struct str t = str_arg(g, arg(n, 1));
		vreg q = gen_addr(g, t.m), nb = ir_imm(g->f, t.bound);

		return rt_call(g, RT_STRSTR, IR_ARGS(p, b, q, nb));
	}
	vreg ch = gen_int(g, arg(n, 1));

	return rt_call(g, n->builtin->id == BI_STRCHR ? RT_STRCHR : RT_STRRCHR, IR_ARGS(p, b, ch));
}

static void sub_find(struct gen *g, const struct node *n, struct str *ret)
{
	struct str s = str_arg(g, n->args);
	vreg at = find_index(g, n, &s), a = ir_new(g->f), p, c;
	irlabel out = ir_label(g->f);
	struct mem m = result(g, ret);

	ret->has_set = true;
	ret->set = ir_new(g->f);
	ir_movi(g->f, ret->set, 0);
	gen_sti(g, m, 1, 0);
	gen_jcci(g, IRC_SLT, at, 0, out);
	ir_movi(g->f, ret->set, 1);
	ir_alu(g->f, IRA_ADD, a, gen_launder(g, gen_addr(g, s.m)), at);
	p = gen_addr(g, m);
	c = ir_imm(g->f, strsize(g));
	ir_call(g->f, VREG_NONE, BPF_FUNC_probe_read_kernel_str, IR_ARGS(p, c, a));
	ir_place(g->f, out);
}

/* substr(s, index, [length]) */
static void sub_substr(struct gen *g, const struct node *n, struct str *ret)
{
	struct str s = str_arg(g, n->args);
	vreg index = gen_int(g, arg(n, 1)), len = const_or_int(g, arg(n, 2), INT64_MAX);
	struct mem par = mem_slot(ir_slot(g->f, 16), 0);
	vreg p, b, d, c, q;

	gen_st(g, par, 8, index);
	gen_st(g, mem_add(par, 8), 8, len);
	p = gen_addr(g, s.m);
	b = ir_imm(g->f, s.bound);
	d = gen_addr(g, result(g, ret));
	c = ir_imm(g->f, strsize(g));
	q = gen_addr(g, par);
	rt_call(g, RT_SUBSTR, IR_ARGS(d, c, p, b, q));
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
static void sub_json(struct gen *g, const struct node *n, struct str *ret)
{
	struct str s = str_arg(g, n->args), t = str_arg(g, arg(n, 1));
	struct mem par = mem_slot(ir_slot(g->f, 16), 0);
	vreg p, b, d, c, q, len;

	gen_st(g, par, 8, gen_addr(g, t.m));
	gen_st(g, mem_add(par, 8), 8, ir_imm(g->f, t.bound));
	p = gen_addr(g, s.m);
	b = ir_imm(g->f, s.bound);
	d = gen_addr(g, result(g, ret));
	c = ir_imm(g->f, strsize(g));
	q = gen_addr(g, par);
	len = rt_call(g, RT_JSON, IR_ARGS(d, c, p, b, q));
	null_below_zero(g, len, ret);
}

/* strtok(s, delimiters): s begins a text, NULL goes on with it. The state belongs to the clause. */
static void sub_strtok(struct gen *g, const struct node *n, struct str *ret)
{
	const struct node *first = n->args;
	bool go_on = first->kind == N_INT || (first->kind == N_CAST && first->a->kind == N_INT);
	struct mem state;
	struct str s, t;
	vreg d, c, st, q, nq, len;

	if (g->strtok_off < 0) {
		g->strtok_off = gen_scratch_keep(g, 8 + strsize(g)).off;
		if (go_on)
			strtok_none(g);
	}
	state = mem_at(gen_scratch_base(g), g->strtok_off);
	if (!go_on) {
		s = str_arg(g, first);
		if (s.has_set) /* a result that is NULL, such as strstr()'s */
			gen_jcci(g, IRC_EQ, s.set, 0, gen_fault_imm(g, FAULT_BADADDR, 0));
	}
	t = str_arg(g, arg(n, 1)); /* both arguments before the state: they may call strtok() too */
	if (!go_on) {
		gen_str_copy(g, &s, mem_add(state, 8), strsize(g));
		gen_sti(g, state, 8, 0);
	} else {
		vreg place = ir_new(g->f);

		gen_ld(g, place, state, 8, false);
		gen_jcci(g, IRC_EQ, place, -1, gen_fault_imm(g, FAULT_BADADDR, 0));
	}
	q = gen_addr(g, t.m);
	nq = ir_imm(g->f, t.bound);
	d = gen_addr(g, result(g, ret));
	gen_sti(g, ret->m, 1, 0);
	c = ir_imm(g->f, strsize(g));
	st = gen_addr(g, state);
	len = rt_call(g, RT_STRTOK, IR_ARGS(d, c, st, q, nq));
	null_below_zero(g, len, ret);
}

/* copyinstr(address, [size]): at most size bytes, the NUL included. */
static void sub_copyinstr(struct gen *g, const struct node *n, struct str *ret)
{
	const struct node *size = arg(n, 1);
	irlabel fits = ir_label(g->f);
	uint32_t cap = (uint32_t)g->cg->opts->strsize; /* with its NUL, as in DTrace */
	vreg a = gen_int(g, n->args), p, len, r;
	int64_t max = INT64_MAX;

	if (!size || node_const(size, &max)) {
		if (max >= 1 && max < cap)
			cap = (uint32_t)max;
		*ret = (struct str){ .m = gen_scratch(g, cap), .bound = cap };
		gen_read_str(g, ret->m, cap, a, true);
		return;
	}
	len = ir_new(g->f);
	ir_mov(g->f, len, gen_int(g, size));
	ir_jcci(g->f, IRC_LE, len, cap, fits);
	ir_movi(g->f, len, cap);
	ir_place(g->f, fits);
	*ret = (struct str){ .m = gen_scratch(g, cap), .bound = cap };
	gen_sti(g, ret->m, 1, 0); /* nothing is written when size is 0 */
	p = gen_addr(g, ret->m);
	r = ir_new(g->f);
	gen_read_text(g, r, p, len, cap, a);
	gen_read_check(g, r, a, true);
}

static void sub_lltostr(struct gen *g, const struct node *n, struct str *ret)
{
	vreg v = gen_int(g, n->args), base = const_or_int(g, arg(n, 1), 10), d, c;

	check_base(g, arg(n, 1), base);
	d = gen_addr(g, result(g, ret));
	c = ir_imm(g->f, strsize(g));
	rt_call(g, RT_LLTOSTR, IR_ARGS(d, c, v, base));
}

/* bytes of an address in kernel memory, as text; strict: of RT_INET_NTOA6, else VREG_NONE */
static void addr_text(struct gen *g, enum rt_id id, const struct node *n, uint32_t size, vreg strict, struct mem dst)
{
	struct mem m = mem_slot(ir_slot(g->f, LINK_MAX), 0);
	vreg d = gen_addr(g, dst), c = ir_imm(g->f, strsize(g)), v;

	gen_probe_read(g, m, size, gen_int(g, n), 0, n->user);
	if (id == RT_INET_NTOA) {
		v = ir_new(g->f);
		gen_ld(g, v, m, 4, false);
	} else {
		v = gen_addr(g, m);
	}
	if (id == RT_INET_NTOA6)
		rt_call(g, id, IR_ARGS(d, c, v, strict));
	else
		rt_call(g, id, IR_ARGS(d, c, v));
}

static void sub_inet_ntoa6(struct gen *g, const struct node *n, struct str *ret)
{
	const struct node *second = arg(n, 1);
	vreg strict = second ? gen_int(g, second) : ir_imm(g->f, 0);

	addr_text(g, RT_INET_NTOA6, n->args, 16, strict, result(g, ret));
}

/* Which text the first argument asks for, and of how many bytes. */
struct addr_form {
	int64_t value;
	enum rt_id piece;
	uint32_t size;
};

static void sub_addr(struct gen *g, const struct node *n, const struct addr_form forms[2], struct str *ret)
{
	irlabel second = ir_label(g->f), out = ir_label(g->f);
	vreg form = gen_int(g, n->args);
	struct mem m = result(g, ret);
	struct cache saved = gen_region_begin(g);

	ir_jcci(g->f, IRC_EQ, form, forms[1].value, second);
	ir_jcci(g->f, IRC_NE, form, forms[0].value, gen_fault_imm(g, FAULT_ILLOP, 0));
	addr_text(g, forms[0].piece, arg(n, 1), forms[0].size, ir_imm(g->f, 1), m);
	ir_jmp(g->f, out);
	ir_place(g->f, second);
	g->cache = saved;
	addr_text(g, forms[1].piece, arg(n, 1), forms[1].size, ir_imm(g->f, 1), m);
	ir_place(g->f, out);
	gen_region_end(g, &saved);
}

static const struct addr_form inet_forms[2] = { { IN_AF_INET, RT_INET_NTOA, 4 }, { IN_AF_INET6, RT_INET_NTOA6, 16 } };
static const struct addr_form link_forms[2] = { { ARP_ETHER, RT_LINK_NTOP, 6 },
						{ ARP_INFINIBAND, RT_LINK_NTOP20, 20 } };

void gen_sub_str(struct gen *g, const struct node *n, struct str *ret)
{
	if (n->call) {
		gen_call_str(g, n->call, ret);
		return;
	}
	switch (n->builtin ? n->builtin->id : BI_NONE) {
	case BI_BASENAME: sub_map(g, n, RT_BASENAME, ret); return;
	case BI_DIRNAME: sub_map(g, n, RT_DIRNAME, ret); return;
	case BI_CLEANPATH: sub_map(g, n, RT_CLEANPATH, ret); return;
	case BI_TOLOWER: sub_map(g, n, RT_TOLOWER, ret); return;
	case BI_TOUPPER: sub_map(g, n, RT_TOUPPER, ret); return;
	case BI_STRJOIN: sub_strjoin(g, n, ret); return;
	case BI_STRTOK: sub_strtok(g, n, ret); return;
	case BI_JSON: sub_json(g, n, ret); return;
	case BI_STRSET: sub_strset(g, n, ret); return;
	case BI_SUBSTR: sub_substr(g, n, ret); return;
	case BI_STRCHR:
	case BI_STRRCHR:
	case BI_STRSTR: sub_find(g, n, ret); return;
	case BI_COPYINSTR: sub_copyinstr(g, n, ret); return;
	case BI_PSARGS: gen_psargs(g, n, ret); return;
	case BI_LLTOSTR: sub_lltostr(g, n, ret); return;
	case BI_MOUNT_PATH: gen_mount_path(g, n, ret); return;
	case BI_D_PATH: gen_d_path(g, n, ret); return;
	case BI_INET_NTOA: addr_text(g, RT_INET_NTOA, n->args, 4, VREG_NONE, result(g, ret)); return;
	case BI_INET_NTOA6: sub_inet_ntoa6(g, n, ret); return;
	case BI_INET_NTOP: sub_addr(g, n, inet_forms, ret); return;
	case BI_LINK_NTOP: sub_addr(g, n, link_forms, ret); return;
	default: break;
	}
	*ret = (struct str){ .is_const = true, .cs = "" };
	cg_error(g, n->at, TAG_NOSUPP, "%s() is not supported yet", n->name ? n->name : "?");
}

/* -- numbers -- */

/* index(s, t, [from]), rindex(s, t, [from]) */
static vreg sub_index(struct gen *g, const struct node *n)
{
	bool last = n->builtin->id == BI_RINDEX;
	struct str s = str_arg(g, n->args), t = str_arg(g, arg(n, 1));
	vreg from = const_or_int(g, arg(n, 2), last ? INT64_MAX : 0);
	vreg p = gen_addr(g, s.m), b = ir_imm(g->f, s.bound), q = gen_addr(g, t.m), nq = ir_imm(g->f, t.bound);

	return rt_call(g, last ? RT_RINDEX : RT_INDEX, IR_ARGS(p, b, q, nq, from));
}

/* Memory of the clause: size bytes when constant, else up to scratchsize, checked at run time. */
static struct mem alloc_mem(struct gen *g, const struct node *size, vreg *ret_size, uint32_t *ret_max)
{
	struct mem m;
	int64_t c;

	if (node_const(size, &c) && c >= 0 && c <= CG_MAX_SCRATCH) {
		*ret_size = ir_imm(g->f, (uint64_t)c);
		*ret_max = (uint32_t)c;
	} else {
		*ret_max = g->cg->opts->scratchsize < 8	      ? 8
			   : g->cg->opts->scratchsize > 16384 ? 16384
							      : (uint32_t)g->cg->opts->scratchsize;
		*ret_size = gen_int(g, size);
		gen_jcci(g, IRC_GT, *ret_size, *ret_max, gen_fault_imm(g, FAULT_NOSCRATCH, 0));
	}
	m = gen_scratch_keep(g, *ret_max);
	if (*ret_max % 8) /* zeros follow, so a text that fills the memory still ends */
		gen_zero(g, mem_add(m, (int32_t)(*ret_max - *ret_max % 8)), 8);
	else if (*ret_max)
		gen_scratch_pad(g);
	return m;
}

static vreg sub_copyin(struct gen *g, const struct node *n)
{
	vreg a = gen_int(g, n->args), size, p, r = ir_new(g->f);
	uint32_t max;
	struct mem m = alloc_mem(g, arg(n, 1), &size, &max);

	p = gen_addr(g, m);
	gen_read(g, r, p, size, a, true);
	gen_read_check(g, r, a, true);
	return gen_launder(g, p);
}

static vreg sub_alloca(struct gen *g, const struct node *n)
{
	uint32_t max;
	vreg size;
	struct mem m = alloc_mem(g, n->args, &size, &max);

	gen_zero(g, m, max);
	return gen_launder(g, gen_addr(g, m));
}

/* copyinto(user, size, dst), bcopy(src, dst, size): dst was made by alloca(). */
static void sub_copy(struct gen *g, const struct node *n, bool user)
{
	const struct node *sn = arg(n, user ? 1 : 2);
	vreg src = gen_int(g, n->args), dst = VREG_NONE, size, p, r = ir_new(g->f);
	uint32_t max = (uint32_t)g->cg->opts->scratchsize;
	struct mem m;
	int64_t c = -1;

	if (!user)
		dst = gen_int(g, arg(n, 1));
	if (!node_const(sn, &c) || c < 0 || c > CG_MAX_SCRATCH / 2)
		c = -1;
	size = c >= 0 ? ir_imm(g->f, (uint64_t)c) : gen_int(g, sn);
	if (user)
		dst = gen_int(g, arg(n, 2));
	max = max > COPY_MAX ? COPY_MAX : max;
	if (c < 0)
		gen_jcci(g, IRC_GT, size, max, gen_fault(g, FAULT_BADSIZE, size));
	gen_scratch_fits(g, dst, size);
	m = c >= 0 ? gen_scratch_target(g, dst, (uint32_t)c) : gen_scratch_range(g, dst, size, max);
	if (!user)
		gen_scratch_fits(g, src, size);
	p = gen_addr(g, m);
	gen_read(g, r, p, size, src, user);
	gen_read_check(g, r, src, user);
}

static vreg sub_rand(struct gen *g)
{
	vreg a = ir_new(g->f), b = ir_new(g->f);

	ir_call(g->f, a, BPF_FUNC_get_prandom_u32, 0, NULL);
	ir_call(g->f, b, BPF_FUNC_get_prandom_u32, 0, NULL);
	ir_alui(g->f, IRA_SHL, a, a, 32);
	ir_ext(g->f, b, b, 4, false);
	ir_alu(g->f, IRA_OR, a, a, b);
	return a;
}

static vreg sub_dev(struct gen *g, const struct node *n, bool major)
{
	vreg v = gen_int(g, n->args), d = ir_new(g->f);

	/* The kernel's dev_t has 32 bits: Source: include/linux/types.h. */
	ir_ext(g->f, d, v, 4, false);
	if (major)
		ir_alui(g->f, IRA_SHR, d, d, DEV_MINOR_BITS);
	else
		ir_alui(g->f, IRA_AND, d, d, (1 << DEV_MINOR_BITS) - 1);
	return d;
}

static vreg sub_bswap(struct gen *g, const struct node *n, unsigned size)
{
	vreg v = gen_int(g, n->args), d = ir_new(g->f);

	ir_bswap(g->f, d, v, size);
	return d;
}

static vreg sub_strlen(struct gen *g, const struct node *n)
{
	struct str s = str_arg(g, n->args);
	uint32_t most = strsize(g) - 1; /* constants may be longer */
	vreg p = gen_addr(g, s.m), b = ir_imm(g->f, s.bound < most ? s.bound : most);

	return rt_call(g, RT_STRLEN, IR_ARGS(p, b));
}

static vreg sub_strtoll(struct gen *g, const struct node *n)
{
	struct str s = str_arg(g, n->args);
	vreg p = gen_addr(g, s.m), b = ir_imm(g->f, s.bound), base = const_or_int(g, arg(n, 1), 10);

	check_base(g, arg(n, 1), base);
	return rt_call(g, RT_STRTOLL, IR_ARGS(p, b, base));
}

vreg gen_sub_int(struct gen *g, const struct node *n)
{
	if (n->call)
		return gen_call_int(g, n->call);
	switch (n->builtin ? n->builtin->id : BI_NONE) {
	case BI_STRLEN: return sub_strlen(g, n);
	case BI_STRTOLL: return sub_strtoll(g, n);
	case BI_INDEX:
	case BI_RINDEX: return sub_index(g, n);
	case BI_COPYIN: return sub_copyin(g, n);
	case BI_ALLOCA: return sub_alloca(g, n);
	case BI_RAND: return sub_rand(g);
	case BI_SCHED_CLOCK: return gen_sched_clock(g);
	case BI_SPECULATION: return gen_speculation(g);
	case BI_GETMAJOR: return sub_dev(g, n, true);
	case BI_GETMINOR: return sub_dev(g, n, false);
	case BI_HTONS:
	case BI_NTOHS: return sub_bswap(g, n, 2);
	case BI_HTONL:
	case BI_NTOHL: return sub_bswap(g, n, 4);
	case BI_HTONLL:
	case BI_NTOHLL: return sub_bswap(g, n, 8);
	case BI_PROGENYOF: return gen_progenyof(g, gen_int(g, n->args));
	case BI_MUTEX_OWNED:
	case BI_MUTEX_OWNER:
	case BI_MUTEX_TYPE_ADAPTIVE:
	case BI_MUTEX_TYPE_SPIN:
	case BI_RW_ISWRITER:
	case BI_RW_READ_HELD:
	case BI_RW_WRITE_HELD: return gen_lock(g, n);
	case BI_BEGIN:
	case BI_END:
	case BI_PENDING:
	case BI_THRESHOLD:
	case BI_TRACK_SCAN: return gen_track_call(g, n);
	default: break;
	}
	cg_error(g, n->at, TAG_NOSUPP, "%s() is not supported yet", n->name ? n->name : "?");
	return ir_imm(g->f, 0);
}

/* A call as a statement. */
void gen_sub_effect(struct gen *g, const struct node *n)
{
	switch (n->builtin ? n->builtin->id : BI_NONE) {
	case BI_BCOPY: sub_copy(g, n, false); break;
	case BI_COPYINTO: sub_copy(g, n, true); break;
	case BI_FLIGHT: gen_flight(g, n); break;
	default:
		if (gen_destructive(g, n))
			break;
		gen_sub_int(g, n);
	}
}
