/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles access to memory: plain access to stack, maps and records, and checked reads of kernel and user memory. */
#include "cg/gen/fault.h"
#include "cg/gen/load.h"
#include "cg/gen/map.h"
#include "cg/gen/task.h"

#define USER_ADDR_START 4096 /* the first page is never mapped */
#define USER_ADDR_END (1ull << 47)

struct mem mem_slot(irslot s, int32_t off)
{
	return (struct mem){ .slot = s, .base = VREG_NONE, .off = off };
}

struct mem mem_at(vreg base, int32_t off)
{
	return (struct mem){ .slot = -1, .base = base, .off = off };
}

struct mem mem_add(struct mem m, int32_t off)
{
	m.off += off;
	return m;
}

/* An instruction holds 16 bits of offset. */
static struct mem in_reach(struct gen *g, struct mem m)
{
	return m.slot >= 0 || (m.off >= INT16_MIN && m.off <= INT16_MAX) ? m : mem_at(gen_addr(g, m), 0);
}

void gen_ld(struct gen *g, vreg d, struct mem m, unsigned size, bool is_signed)
{
	m = in_reach(g, m);
	if (m.slot >= 0) {
		ir_load_slot(g->f, d, m.slot, m.off, size);
		if (is_signed && size < 8)
			ir_ext(g->f, d, d, size, true);
	} else if (is_signed && size < 8) {
		ir_loads(g->f, d, m.base, m.off, size);
	} else {
		ir_load(g->f, d, m.base, m.off, size);
	}
}

void gen_st(struct gen *g, struct mem m, unsigned size, vreg v)
{
	m = in_reach(g, m);
	if (m.slot >= 0)
		ir_store_slot(g->f, m.slot, m.off, size, v);
	else
		ir_store(g->f, m.base, m.off, size, v);
}

void gen_sti(struct gen *g, struct mem m, unsigned size, int32_t imm)
{
	m = in_reach(g, m);
	if (m.slot >= 0)
		ir_storei_slot(g->f, m.slot, m.off, size, imm);
	else
		ir_storei(g->f, m.base, m.off, size, imm);
}

/* The address as a vreg (a pointer that the verifier follows). */
vreg gen_addr(struct gen *g, struct mem m)
{
	vreg d;

	if (m.slot < 0 && m.off == 0)
		return m.base;
	d = ir_new(g->f);
	if (m.slot >= 0)
		ir_slot_addr(g->f, d, m.slot, m.off);
	else
		ir_alui(g->f, IRA_ADD, d, m.base, m.off);
	return d;
}

/* Widest access at offset off with len bytes to go (stack accesses must be aligned). */
static unsigned step_width(int32_t off, uint32_t len)
{
	unsigned w = 8;

	while (w > len || (uint32_t)off % w)
		w /= 2;
	return w;
}

/* Zeroes len bytes. Long areas: a failing bpf_probe_read_kernel() clears its destination, in one call.
 * Source: kernel/trace/bpf_trace.c bpf_probe_read_kernel_common(). */
void gen_zero(struct gen *g, struct mem m, uint32_t len)
{
	if (len > CG_MAX_INLINE_COPY) {
		vreg p = gen_addr(g, m), n = ir_imm(g->f, len), nul = ir_imm(g->f, 0);

		ir_call(g->f, VREG_NONE, BPF_FUNC_probe_read_kernel, IR_ARGS(p, n, nul));
		return;
	}
	for (uint32_t i = 0; i < len;) {
		unsigned w = step_width(m.off + (int32_t)i, len - i);

		gen_sti(g, mem_add(m, (int32_t)i), w, 0);
		i += w;
	}
}

/* Copies between directly addressable areas. */
void gen_copy(struct gen *g, struct mem dst, struct mem src, uint32_t len)
{
	if (len > CG_MAX_INLINE_COPY) {
		vreg p = gen_addr(g, dst), n = ir_imm(g->f, len), q = gen_addr(g, src);

		ir_call(g->f, VREG_NONE, BPF_FUNC_probe_read_kernel, IR_ARGS(p, n, q));
		return;
	}
	for (uint32_t i = 0; i < len;) {
		unsigned w = step_width(dst.off + (int32_t)i, len - i);
		unsigned w2 = step_width(src.off + (int32_t)i, len - i);
		vreg t = ir_new(g->f);

		w = w < w2 ? w : w2;
		gen_ld(g, t, mem_add(src, (int32_t)i), w, false);
		gen_st(g, mem_add(dst, (int32_t)i), w, t);
		i += w;
	}
}

/* The verifier forbids arithmetic on pointers; two byte swaps give the same bits as a number. */
vreg gen_launder(struct gen *g, vreg v)
{
	vreg d = ir_new(g->f);

	ir_bswap(g->f, d, v, 8);
	ir_bswap(g->f, d, d, 8);
	return d;
}

/* Pointer to this program's scratch entry of this CPU; jumps to fail when there is none. */
static vreg scratch_lookup(struct gen *g, irlabel fail)
{
	vreg map = ir_new(g->f), key = ir_new(g->f), d = ir_new(g->f);

	uint32_t prog = g->pr->index - g->cg->env->first_prog;

	if (g->cg->long_strings) {
		vreg i = ir_new(g->f);

		ir_alui(g->f, IRA_ADD, i, gen_cpu(g), prog * cg_ncpus(g->cg));
		ir_store_slot(g->f, g->tmp, 0, 4, i);
	} else {
		ir_storei_slot(g->f, g->tmp, 0, 4, (int32_t)prog);
	}
	gen_map(g, map, cg_map_scratch(g->cg));
	ir_slot_addr(g->f, key, g->tmp, 0);
	ir_call(g->f, d, BPF_FUNC_map_lookup_elem, IR_ARGS(map, key));
	gen_jcci(g, IRC_EQ, d, 0, fail);
	return d;
}

vreg gen_scratch_base(struct gen *g)
{
	vreg *p = &g->cache.v[CA_SCRATCH], d;

	if (*p >= 0)
		return *p;
	if (g->lay) {
		d = scratch_lookup(g, gen_fault_imm(g, FAULT_NOSCRATCH, 0));
	} else { /* before the first clause */
		irlabel none = ir_label(g->f), ok = ir_label(g->f);

		d = scratch_lookup(g, none);
		ir_jmp(g->f, ok);
		ir_place(g->f, none);
		ir_reti(g->f, 0);
		ir_place(g->f, ok);
	}
	*p = d;
	return d;
}

void gen_busy_begin(struct gen *g)
{
	irlabel ok = ir_label(g->f);
	vreg p = gen_scratch_base(g), one = ir_imm(g->f, 1), v = ir_new(g->f), minus;
	int32_t off = (int32_t)g->cg->busy_off;

	if (g->pr->scratch_max < g->cg->this_size)
		g->pr->scratch_max = g->cg->this_size;
	/* Add first, look then: two may both give way, but never both go on. */
	ir_atomic_add(g->f, p, off, 8, one);
	ir_load(g->f, v, p, off, 8);
	ir_jcci(g->f, IRC_EQ, v, 1, ok);
	minus = ir_imm(g->f, (uint64_t)-1);
	ir_atomic_add(g->f, p, off, 8, minus);
	gen_count(g, CNT_DROP_SCRATCH);
	ir_reti(g->f, 0);
	ir_place(g->f, ok);
	memset(&g->cache, 0xff, sizeof(g->cache)); /* looked up anew rather than kept for long */
}

void gen_busy_end(struct gen *g)
{
	irlabel none = ir_label(g->f);
	vreg p = scratch_lookup(g, none), minus = ir_imm(g->f, (uint64_t)-1);

	ir_atomic_add(g->f, p, (int32_t)g->cg->busy_off, 8, minus);
	ir_place(g->f, none);
}

uint32_t cg_scratch_limit(const struct cg *c)
{
	return c->long_strings ? CG_MAX_LONG_SCRATCH : CG_MAX_SCRATCH;
}

struct mem gen_scratch(struct gen *g, uint32_t size)
{
	uint32_t off = g->pr->scratch_top, limit = cg_scratch_limit(g->cg);

	if (size > limit - off) {
		cg_error(g, g->ds->at, TAG_LIMIT,
			 "clause %u (%s) needs more than %u bytes for temporary strings and data", g->ds->epid,
			 g->ds->desc_text ? g->ds->desc_text : "?", limit);
		return mem_at(gen_scratch_base(g), 0);
	}
	g->pr->scratch_top += ROUND_UP(size, 8);
	if (g->pr->scratch_top > g->pr->scratch_max)
		g->pr->scratch_max = g->pr->scratch_top;
	return mem_at(gen_scratch_base(g), (int32_t)off);
}

/* Offsets of kernel addresses can exceed what an instruction holds. */
static vreg kern_addr(struct gen *g, vreg addr, int64_t off)
{
	vreg d;

	if (!off)
		return addr;
	d = ir_new(g->f);
	if (off >= INT32_MIN && off <= INT32_MAX) {
		ir_alui(g->f, IRA_ADD, d, addr, off);
	} else {
		ir_movi(g->f, d, (uint64_t)off);
		ir_alu(g->f, IRA_ADD, d, d, addr);
	}
	return d;
}

/* A read that returned r < 0 is a fault. User addresses that can exist are called not resident. */
void gen_read_check(struct gen *g, vreg r, vreg addr, bool user)
{
	irlabel ok;

	if (!user) {
		gen_jcci(g, IRC_SLT, r, 0, gen_fault(g, FAULT_BADADDR, addr));
		return;
	}
	ok = ir_label(g->f);
	ir_jcci(g->f, IRC_SGE, r, 0, ok);
	irlabel bad = gen_fault(g, FAULT_BADADDR, addr);
	vreg top = ir_imm(g->f, USER_ADDR_END);

	ir_jcci(g->f, IRC_LT, addr, USER_ADDR_START, bad);
	ir_jcc(g->f, IRC_GE, addr, top, bad);
	ir_jmp(g->f, gen_fault(g, FAULT_NOTRESIDENT, addr));
	ir_place(g->f, ok);
}

void gen_probe_read(struct gen *g, struct mem dst, uint32_t size, vreg addr, int64_t off, bool user)
{
	vreg a = kern_addr(g, addr, off), p = gen_addr(g, dst), n = ir_imm(g->f, size), r = ir_new(g->f);

	gen_read(g, r, p, n, a, user);
	if (!user && off) { /* a member of what NULL points to: the message says NULL */
		irlabel ok = ir_label(g->f);

		ir_jcci(g->f, IRC_EQ, r, 0, ok);
		gen_jcci(g, IRC_EQ, addr, 0, gen_fault_imm(g, FAULT_BADADDR, 0));
		ir_jmp(g->f, gen_fault(g, FAULT_BADADDR, a));
		ir_place(g->f, ok);
		return;
	}
	gen_read_check(g, r, a, user);
}

/* Cuts a bit field out of the loaded container. */
static void extract_bits(struct gen *g, vreg v, const struct place *pl, bool is_signed)
{
	ir_alui(g->f, IRA_SHL, v, v, 64 - (int64_t)pl->bit_off - pl->bit_size);
	ir_alui(g->f, is_signed ? IRA_SAR : IRA_SHR, v, v, 64 - (int64_t)pl->bit_size);
}

/* Bytes to load: the type's size, or the container of a bit field (little endian). */
static unsigned load_size(struct gen *g, const struct place *pl, const struct dtype *ty)
{
	unsigned need, n = 1;

	if (pl->bit_size) {
		need = (pl->bit_off + pl->bit_size + 7) / 8;
		while (n < need && n < 8)
			n *= 2;
		return n;
	}
	(void)g;
	return ty->size == 1 || ty->size == 2 || ty->size == 4 ? (unsigned)ty->size : 8;
}

/* Moves a bit field's byte offset down so that the container is aligned to its size. */
static void align_bits(struct place *pl, unsigned *size)
{
	int64_t off = pl->kind == PL_MEM ? pl->m.off : pl->off;
	unsigned down = (unsigned)((uint64_t)off % *size);

	while (down) {
		if (pl->bit_off + down * 8 + pl->bit_size <= *size * 8)
			break;
		if (*size == 8)
			return;
		*size *= 2;
		down = (unsigned)((uint64_t)off % *size);
	}
	pl->bit_off += down * 8;
	pl->off -= down;
	pl->m.off -= (int32_t)down;
}

/* Bytes of the memory that the clause got so far with alloca() or copyin(); it begins after the this->
 * variables. */
static uint32_t scratch_region(const struct gen *g)
{
	uint32_t end = g->pr->scratch_keep - g->pr->scratch_pad;

	return end > g->cg->this_size ? end - g->cg->this_size : 0;
}

/* Distance of addr from the start of that memory. */
static vreg region_off(struct gen *g, vreg addr)
{
	vreg off = ir_new(g->f);

	ir_alu(g->f, IRA_SUB, off, addr, gen_launder(g, gen_scratch_base(g)));
	if (g->cg->this_size)
		ir_alui(g->f, IRA_SUB, off, off, g->cg->this_size);
	return off;
}

/* Loads so close to the memory that the clauses got with alloca() or copyin(), but outside of it, are faults. (DTrace
 * follows pointers to it while it compiles.) */
#define SCRATCH_NEAR 256

static void check_near_scratch(struct gen *g, vreg addr, unsigned size)
{
	uint32_t region = g->pr->scratch_got - g->cg->this_size;
	irlabel ok;
	vreg off, near;

	if (!g->pr->scratch_got)
		return;
	ok = ir_label(g->f);
	off = region_off(g, addr);
	near = ir_new(g->f);
	ir_alui(g->f, IRA_ADD, near, off, SCRATCH_NEAR);
	ir_jcci(g->f, IRC_GE, near, region + 2 * SCRATCH_NEAR, ok);
	gen_jcci(g, IRC_GT, off, region < size ? 0 : region - size, gen_fault(g, FAULT_BADADDR, addr));
	ir_place(g->f, ok);
}

static void load_kern(struct gen *g, const struct place *pl, vreg d, unsigned size, bool is_signed, struct tref *btf)
{
	if (pl->btf.id && !pl->bit_size && btf_direct(g->cg, pl->btf, pl->off, size, btf)) {
		gen_jcci(g, IRC_EQ, pl->addr, 0, gen_fault_imm(g, FAULT_BADADDR, 0));
		if (is_signed && size < 8)
			ir_loads(g->f, d, pl->addr, (int32_t)pl->off, size);
		else
			ir_load(g->f, d, pl->addr, (int32_t)pl->off, size);
		return;
	}
	/* The verifier allows no arithmetic with typed pointers that may be NULL (sk_buff.sk). */
	vreg addr = pl->btf.id && pl->off ? gen_launder(g, pl->addr) : pl->addr;

	if (pl->near_scratch)
		check_near_scratch(g, kern_addr(g, addr, pl->off), size);
	gen_probe_read(g, mem_slot(g->tmp, 8), size, addr, pl->off, pl->kind == PL_USER);
	gen_ld(g, d, mem_slot(g->tmp, 8), size, is_signed);
}

vreg gen_load_place(struct gen *g, const struct place *place, const struct dtype *ty, struct tref *btf)
{
	struct place pl = *place;
	unsigned size = load_size(g, &pl, ty);
	bool sgn = ty->is_signed && (ty->kind == DK_INT || ty->kind == DK_ENUM);
	vreg d = ir_new(g->f);

	btf->id = 0;
	place_flatten(g, &pl);
	if (pl.bit_size)
		align_bits(&pl, &size);
	if (pl.kind == PL_MEM && pl.maybe_null) {
		irlabel done = ir_label(g->f);

		ir_movi(g->f, d, 0);
		ir_jcci(g->f, IRC_EQ, pl.m.base, 0, done);
		gen_ld(g, d, pl.m, size, sgn && !pl.bit_size);
		if (pl.bit_size)
			extract_bits(g, d, &pl, sgn);
		ir_place(g->f, done);
		return d;
	}
	if (pl.kind == PL_MEM)
		gen_ld(g, d, pl.m, size, sgn && !pl.bit_size);
	else
		load_kern(g, &pl, d, size, sgn && !pl.bit_size, btf);
	if (pl.bit_size)
		extract_bits(g, d, &pl, sgn);
	return d;
}

static void store_bits(struct gen *g, const struct place *pl, vreg v, unsigned size)
{
	uint64_t mask = pl->bit_size >= 64 ? ~0ull : (1ull << pl->bit_size) - 1;
	vreg old = ir_new(g->f), val = ir_new(g->f), m = ir_imm(g->f, ~(mask << pl->bit_off));

	gen_ld(g, old, pl->m, size, false);
	ir_alu(g->f, IRA_AND, old, old, m);
	ir_movi(g->f, m, mask);
	ir_alu(g->f, IRA_AND, val, v, m);
	ir_alui(g->f, IRA_SHL, val, val, pl->bit_off);
	ir_alu(g->f, IRA_OR, old, old, val);
	gen_st(g, pl->m, size, old);
}

struct mem gen_scratch_keep(struct gen *g, uint32_t size)
{
	struct mem m = gen_scratch(g, size);

	g->pr->scratch_keep = g->pr->scratch_top;
	g->pr->scratch_pad = 0;
	if (g->pr->scratch_got < g->pr->scratch_keep)
		g->pr->scratch_got = g->pr->scratch_keep;
	return m;
}

void gen_scratch_pad(struct gen *g)
{
	gen_zero(g, gen_scratch(g, 8), 8);
	g->pr->scratch_keep = g->pr->scratch_top;
	g->pr->scratch_pad = 8;
}

static struct mem region_at(struct gen *g, vreg off)
{
	vreg p = ir_new(g->f);

	ir_alu(g->f, IRA_ADD, p, gen_scratch_base(g), off);
	return mem_at(p, (int32_t)g->cg->this_size);
}

/* Only memory that the program got in this clause can be written through pointers. */
struct mem gen_scratch_target(struct gen *g, vreg addr, uint32_t size)
{
	uint32_t region = scratch_region(g);
	vreg off = region_off(g, addr);
	irlabel bad = gen_fault(g, FAULT_BADADDR, addr);

	if (g->pr->scratch_max < g->cg->this_size + size)
		g->pr->scratch_max = g->cg->this_size + size;
	if (region < size)
		ir_jcci(g->f, IRC_GE, off, 0, bad); /* always */
	gen_jcci(g, IRC_GT, off, region < size ? 0 : region - size, bad);
	return region_at(g, off);
}

/* The same for a size that is not known now, but at most max. */
struct mem gen_scratch_range(struct gen *g, vreg addr, vreg size, uint32_t max)
{
	uint32_t region = scratch_region(g), need = g->cg->this_size + region + max;
	vreg off = region_off(g, addr), end = ir_new(g->f);
	irlabel bad = gen_fault(g, FAULT_BADADDR, addr);

	if (g->pr->scratch_max < need)
		g->pr->scratch_max = need;
	gen_jcci(g, IRC_GT, off, region, bad);
	ir_alu(g->f, IRA_ADD, end, off, size);
	gen_jcci(g, IRC_GT, end, region, bad);
	return region_at(g, off);
}

/* A copy that begins in that memory may not go beyond its end: the fault names the size, as DTrace does. One
 * that begins elsewhere passes. */
void gen_scratch_fits(struct gen *g, vreg addr, vreg size)
{
	uint32_t region = scratch_region(g);
	irlabel ok = ir_label(g->f);
	vreg off;

	if (!region)
		return;
	off = region_off(g, addr);
	ir_jcci(g->f, IRC_GE, off, region, ok);
	ir_alu(g->f, IRA_ADD, off, off, size);
	gen_jcci(g, IRC_GT, off, region, gen_fault(g, FAULT_BADSIZE, size));
	ir_place(g->f, ok);
}

void gen_store_place(struct gen *g, const struct place *place, const struct dtype *ty, vreg v)
{
	struct place pl = *place;
	unsigned size = load_size(g, &pl, ty);

	if (pl.kind != PL_MEM) {
		vreg a = pl.btf.id ? gen_launder(g, pl.addr) : pl.addr;

		pl.m = gen_scratch_target(g, kern_addr(g, a, pl.off), size);
		pl.kind = PL_MEM;
	}
	if (pl.bit_size) {
		align_bits(&pl, &size);
		store_bits(g, &pl, v, size);
		return;
	}
	gen_st(g, pl.m, size, v);
}

void place_flatten(struct gen *g, struct place *pl)
{
	irlabel done = ir_label(g->f);
	vreg d;

	if (!pl->has_idx)
		return;
	d = ir_new(g->f);
	ir_movi(g->f, d, 0);
	ir_jcci(g->f, IRC_EQ, pl->m.base, 0, done);
	ir_alu(g->f, IRA_ADD, d, pl->m.base, pl->idx);
	ir_place(g->f, done);
	pl->m = mem_at(d, pl->m.off);
	pl->has_idx = false;
}
