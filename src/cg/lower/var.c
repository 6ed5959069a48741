/* SPDX-License-Identifier: Apache-2.0 */
/* Variables and other places: where they are, how they are read and assigned.
 *
 *   global          state map, direct address
 *   self->x         one struct per task in task storage, or in a hash; made by the first assignment
 *   this->x         stack slots (scalars), scratch (strings, structs)
 *   a[k], self->a[k]  hash maps; a missing element reads as 0, assigning 0 deletes
 *   a[cpu]            with scalars, and by nothing else: state map, each CPU's in cache lines of its own
 * Adding to a global is a plain load, add, store, as in DTrace: other CPUs may interfere. */
#include "cg/gen/event.h"
#include "cg/gen/fault.h"
#include "cg/gen/layout.h"
#include "cg/gen/load.h"
#include "cg/gen/local.h"
#include "cg/gen/map.h"
#include "cg/gen/task.h"
#include "cg/gen/text.h"
#include "cg/lower/expr.h"
#include "cg/lower/string.h"
#include "cg/lower/var.h"

#define TLS_KEY_PREFIX 16 /* self->a[…]: thread id and start time in front of the key */

/* -- keys -- */

/* Zeroes the bytes of the key that no field covers. */
static void zero_gaps(struct gen *g, struct mem m, const struct lay_key *k, uint32_t from)
{
	for (size_t i = 0; i < k->nfields; i++) {
		const struct recfield *f = &k->fields[i];

		if (f->off > from)
			gen_zero(g, mem_add(m, (int32_t)from), f->off - from);
		from = f->off + f->size;
	}
	if (k->size > from)
		gen_zero(g, mem_add(m, (int32_t)from), k->size - from);
}

/* Packs the tuple into fresh memory. */
struct mem gen_key(struct gen *g, const struct lay_key *k, const struct node *args, uint32_t prefix)
{
	uint32_t size = k->size + k->extra;
	bool slot = size <= CG_MAX_STACK_KEY && !g->pr->low_stack && ir_slot_mark(g->f) + size <= CG_MAX_SLOTS;
	struct mem m = slot ? mem_slot(ir_slot(g->f, size), 0) : gen_scratch(g, size);
	size_t i = 0;

	if (prefix) {
		vreg start = gen_task_field(g, "start_boottime"), tid = ir_new(g->f), pt;

		pt = gen_pid_tgid(g);
		ir_ext(g->f, tid, pt, 4, false);
		gen_st(g, m, 8, tid);
		gen_st(g, mem_add(m, 8), 8, start);
	}
	zero_gaps(g, m, k, prefix);
	for (const struct node *n = args; n && i < k->nfields; n = n->next, i++)
		gen_value_to(g, n, mem_add(m, (int32_t)k->fields[i].off), &k->fields[i]);
	return m;
}

static vreg assoc_lookup(struct gen *g, const struct dvar *v, struct mem key, vreg d)
{
	vreg map = ir_new(g->f), k = gen_addr(g, key);
	irlabel none = ir_label(g->f);

	if (g->cg->by_shape)
		ir_movi(g->f, d, 0);
	gen_shaped_map(g, map, cg_map_assoc(g->cg, v), none);
	ir_call(g->f, d, BPF_FUNC_map_lookup_elem, IR_ARGS(map, k));
	ir_place(g->f, none);
	return d;
}

static void assoc_update(struct gen *g, const struct dvar *v, struct mem key, struct mem value, uint64_t flags,
			 irlabel skip)
{
	vreg map = ir_new(g->f), k = gen_addr(g, key), p = gen_addr(g, value), fl = ir_imm(g->f, flags);
	vreg r = ir_new(g->f);
	irlabel drop = gen_drop(g, CNT_DROP_DYN, skip);

	gen_shaped_map(g, map, cg_map_assoc(g->cg, v), drop);
	ir_call(g->f, r, BPF_FUNC_map_update_elem, IR_ARGS(map, k, p, fl));
	ir_jcci(g->f, IRC_NE, r, 0, drop);
}

static void assoc_delete(struct gen *g, const struct dvar *v, struct mem key)
{
	vreg map = ir_new(g->f), k = gen_addr(g, key);
	irlabel none = ir_label(g->f);

	gen_shaped_map(g, map, cg_map_assoc(g->cg, v), none);
	ir_call(g->f, VREG_NONE, BPF_FUNC_map_delete_elem, IR_ARGS(map, k));
	ir_place(g->f, none);
}

/* -- places -- */

static void var_place(struct gen *g, struct dvar *v, struct place *ret)
{
	const struct lay_var *l = &g->cg->vars[v->id];

	*ret = (struct place){ .kind = PL_MEM, .var = v, .whole = true };
	switch (v->scope) {
	case VS_GLOBAL: ret->m = mem_at(gen_mapval(g, cg_map_state(g->cg), l->off), 0); break;
	case VS_TLS:
		ret->m = mem_at(gen_tls_read(g), (int32_t)l->off);
		ret->maybe_null = true;
		break;
	case VS_THIS:
		if (l->on_stack)
			ret->m = mem_slot(g->this_slot[v->id], 0);
		else
			ret->m = mem_at(gen_scratch_base(g), (int32_t)l->off);
		break;
	case VS_LOCAL: ret->m = gen_local_mem(g, v);
	}
}

static void cpu_place(struct gen *g, const struct node *n, struct place *ret)
{
	const struct lay_var *l = &g->cg->vars[n->var->id];
	vreg i = ir_new(g->f), p = ir_new(g->f);

	ir_alui(g->f, IRA_AND, i, gen_int(g, n->args), cg_cpu_places(g->cg) - 1);
	ir_alui(g->f, IRA_MUL, i, i, g->cg->cpu_size);
	ir_alu(g->f, IRA_ADD, p, gen_mapval(g, cg_map_state(g->cg), g->cg->cpu_off), i);
	*ret = (struct place){ .kind = PL_MEM, .m = mem_at(p, (int32_t)l->off), .var = n->var, .whole = true };
}

static void assoc_place(struct gen *g, const struct node *n, struct place *ret)
{
	const struct lay_var *l = &g->cg->vars[n->var->id];
	struct mem key;
	vreg p;

	if (l->by_cpu) {
		cpu_place(g, n, ret);
		return;
	}
	key = gen_key(g, &l->key, n->args, n->var->scope == VS_TLS ? TLS_KEY_PREFIX : 0);
	p = assoc_lookup(g, n->var, key, ir_new(g->f));
	*ret = (struct place){ .kind = PL_MEM,
			       .m = mem_at(p, 0),
			       .maybe_null = true,
			       .var = n->var,
			       .has_key = true,
			       .key = key,
			       .whole = true };
}

/* A pointer computed from variables alone. Others may point to a text of the statement, which lies after what
 * alloca() gave. */
static bool of_variables(const struct node *n)
{
	while (n->kind == N_CAST)
		n = n->a;
	if (n->kind == N_BINARY)
		return of_variables(n->a) && of_variables(n->b);
	return n->kind == N_INT || (n->var && n->type->kind != DK_STRING);
}

/* Finds the place that a pointer points to. */
static void pointer_place(struct gen *g, const struct node *ptr, int64_t off, bool user, struct place *ret)
{
	const struct dtype *pt = cg_type(g->cg, ptr), *st;
	struct tref btf;
	vreg a = gen_ptr(g, ptr, &btf);

	st = pt->base ? dtype_resolve(g->cg->p->types, pt->base) : pt;
	if (btf.id && (user || st->ref.id != btf.id || st->ref.obj != btf.obj)) {
		a = gen_launder(g, a);
		btf.id = 0;
	}
	*ret = (struct place){ .kind = user ? PL_USER : PL_KERN,
			       .addr = a,
			       .off = off,
			       .btf = btf,
			       .near_scratch = !user && !btf.id && of_variables(ptr) };
}

static void place_advance(struct place *pl, int64_t off)
{
	if (pl->kind == PL_MEM)
		pl->m.off += (int32_t)off;
	else
		pl->off += off;
	pl->whole = false;
}

static void member_place(struct gen *g, const struct node *n, struct place *ret)
{
	if (n->arrow) {
		pointer_place(g, n->a, n->member.bit_off / 8, n->user, ret);
	} else {
		gen_place(g, n->a, ret);
		place_advance(ret, n->member.bit_off / 8);
	}
	ret->bit_off = n->member.bit_off % 8;
	ret->bit_size = n->member.bit_size;
}

/* Adds i * scale to the place; directly addressable memory is checked against n elements. */
static void place_index(struct gen *g, struct place *pl, vreg i, uint32_t scale, uint64_t n)
{
	vreg d = ir_new(g->f), t = ir_new(g->f);

	pl->whole = false;
	if (pl->kind == PL_MEM)
		gen_jcci(g, IRC_GE, i, (int64_t)n, gen_fault(g, FAULT_BADINDEX, i));
	ir_mov(g->f, t, i);
	if (scale != 1)
		ir_alui(g->f, IRA_MUL, t, t, scale);
	if (pl->kind != PL_MEM) {
		vreg a = pl->btf.id ? gen_launder(g, pl->addr) : pl->addr;

		ir_alu(g->f, IRA_ADD, d, a, t);
		pl->addr = d;
		pl->btf.id = 0;
		return;
	}
	if (pl->maybe_null) { /* an assignment may still make the variable: place_ensure() */
		if (pl->has_idx)
			ir_alu(g->f, IRA_ADD, t, t, pl->idx);
		pl->has_idx = true;
		pl->idx = t;
		return;
	}
	ir_alu(g->f, IRA_ADD, d, gen_addr(g, (struct mem){ pl->m.slot, pl->m.base, 0 }), t);
	pl->m = mem_at(d, pl->m.off);
}

/* Adds the index to a base that is not NULL. */
static void place_add_idx(struct gen *g, struct place *pl)
{
	vreg d;

	if (!pl->has_idx)
		return;
	d = ir_new(g->f);
	ir_alu(g->f, IRA_ADD, d, pl->m.base, pl->idx);
	pl->m = mem_at(d, pl->m.off);
	pl->has_idx = false;
}

/* The array, where an expression has turned it into a pointer; else the node itself. */
static const struct node *array_of(struct gen *g, const struct node *n)
{
	const struct node *a = n;

	while (a->kind == N_CAST && a->implicit && cg_type(g->cg, a)->kind == DK_PTR)
		a = a->a;
	return a != n && cg_type(g->cg, a)->kind == DK_ARRAY ? a : n;
}

static void index_place(struct gen *g, const struct node *n, struct place *ret)
{
	const struct node *a = array_of(g, n->a);
	const struct dtype *at = cg_type(g->cg, a);
	uint32_t scale = ptr_scale(g, at);
	uint64_t nelems = at->nelems;
	int64_t c;

	if (at->kind == DK_PTR) {
		pointer_place(g, a, 0, n->user, ret);
	} else if (at->kind == DK_STRING) {
		struct str s;

		gen_str(g, a, &s);
		gen_str_real(g, &s);
		nelems = s.bound;
		*ret = (struct place){ .kind = PL_MEM, .m = s.m };
	} else {
		gen_place(g, a, ret);
	}
	if (node_const(n->args, &c) && (ret->kind != PL_MEM || (uint64_t)c < nelems)) {
		c *= (int64_t)scale;
		if (at->kind == DK_PTR && c &&
		    c == (int32_t)c) { /* no longer the start of that struct; a fault names it */
			vreg addr = ir_new(g->f);

			ir_alui(g->f, IRA_ADD, addr, gen_launder(g, ret->addr), c);
			ret->addr = addr;
			ret->btf.id = 0;
			c = 0;
		}
		place_advance(ret, c);
		return;
	}
	place_index(g, ret, gen_int(g, n->args), scale, nelems);
}

static void store_bytes(struct gen *g, const struct node *lhs, const struct node *rhs, uint32_t size, struct mem *ret);

static void assign_begin(struct gen *g, const struct node *n)
{
	if (n->a->var && n->a->var->is_temp)
		gen_temp_alloc(g, n->a->var);
}

/* The value of an assignment to a struct, union or array. */
static void assign_place(struct gen *g, const struct node *n, struct place *ret)
{
	assign_begin(g, n);
	*ret = (struct place){ .kind = PL_MEM };
	store_bytes(g, n->a, n->b, lay_storage(g->cg, n->a->type), &ret->m);
}

void gen_place(struct gen *g, const struct node *n, struct place *ret)
{
	if (n->var && n->var->is_assoc) {
		assoc_place(g, n, ret);
		return;
	}
	switch (n->kind) {
	case N_IDENT:
	case N_TLS:
	case N_THIS:
		if (n->var) {
			var_place(g, n->var, ret);
			return;
		}
		break;
	case N_KSYM: *ret = (struct place){ .kind = PL_KERN, .addr = ir_imm(g->f, n->ksym_addr) }; return;
	case N_MEMBER: member_place(g, n, ret); return;
	case N_INDEX: index_place(g, n, ret); return;
	case N_UNARY:
		if (n->op == OP_DEREF) {
			const struct node *a = array_of(g, n->a);

			if (a != n->a) {
				gen_place(g, a, ret);
				ret->whole = false;
			} else {
				pointer_place(g, a, 0, n->user, ret);
			}
			return;
		}
		break;
	case N_CAST: gen_place(g, n->a, ret); return;
	case N_EVENT: gen_event_place(g, n, ret); return;
	case N_ASSIGN: assign_place(g, n, ret); return;
	case N_BINARY:
		if (n->op != OP_COMMA)
			break;
		gen_effect(g, n->a);
		gen_place(g, n->b, ret);
		return;
	default: break;
	}
	/* A pointer-valued expression standing for an array, such as a function's result. */
	*ret = (struct place){ .kind = PL_KERN, .addr = ir_imm(g->f, 0) };
	cg_error(g, n->at, TAG_NOSUPP, "this expression cannot be used as a value in memory");
}

/* -- assignment -- */

/* Makes sure that the place exists; jumps to skip (loss counted) when there is no memory for it. */
static void place_ensure(struct gen *g, struct place *pl, irlabel skip)
{
	irlabel have = ir_label(g->f);

	if (!pl->maybe_null)
		return;
	if (!pl->has_key) {
		pl->m.base = gen_tls_write(g, skip);
	} else {
		const struct lay_var *l = &g->cg->vars[pl->var->id];
		vreg z;

		ir_jcci(g->f, IRC_NE, pl->m.base, 0, have);
		z = gen_mapval(g, cg_map_rodata(g->cg), ro_zeros(g->cg, ROUND_UP(l->size, 8)));
		assoc_update(g, pl->var, pl->key, mem_at(z, 0), BPF_NOEXIST, skip);
		assoc_lookup(g, pl->var, pl->key, pl->m.base);
		ir_jcci(g->f, IRC_EQ, pl->m.base, 0, gen_drop(g, CNT_DROP_DYN, skip));
		ir_place(g->f, have);
	}
	place_add_idx(g, pl);
	pl->maybe_null = false;
}

/* An element of an associative array that is a scalar: 0 deletes, a missing one is inserted. */
static void store_element(struct gen *g, struct place *pl, const struct dtype *ty, vreg v, const struct node *rhs)
{
	irlabel zero = ir_label(g->f), have = ir_label(g->f), done = ir_label(g->f);
	unsigned size = ty->size == 1 || ty->size == 2 || ty->size == 4 ? (unsigned)ty->size : 8;
	irslot val = ir_slot(g->f, 8);
	int64_t c = 0;
	bool is_const = rhs && node_const(rhs, &c);

	if (is_const && !c) {
		assoc_delete(g, pl->var, pl->key);
		return;
	}
	if (!is_const)
		ir_jcci(g->f, IRC_EQ, v, 0, zero);
	ir_jcci(g->f, IRC_NE, pl->m.base, 0, have);
	if (size < 8)
		ir_storei_slot(g->f, val, 0, 8, 0);
	ir_store_slot(g->f, val, 0, size, v);
	assoc_update(g, pl->var, pl->key, mem_slot(val, 0), BPF_ANY, done);
	ir_jmp(g->f, done);
	if (!is_const) {
		ir_place(g->f, zero);
		assoc_delete(g, pl->var, pl->key);
		ir_jmp(g->f, done);
	}
	ir_place(g->f, have);
	gen_st(g, pl->m, size, v);
	ir_place(g->f, done);
}

/* v into a variable's place; rhs: its node when it may be constant. */
static void store_scalar(struct gen *g, struct place *pl, const struct dtype *ty, vreg v, const struct node *rhs)
{
	irlabel skip = ir_label(g->f);
	int64_t c;

	if (pl->has_key && pl->whole) {
		store_element(g, pl, ty, v, rhs);
		return;
	}
	if (pl->maybe_null && rhs && node_const(rhs, &c) && !c) { /* nothing there: it is 0 already */
		ir_jcci(g->f, IRC_EQ, pl->m.base, 0, skip);
		place_add_idx(g, pl);
	} else {
		place_ensure(g, pl, skip);
	}
	gen_store_place(g, pl, ty, v);
	ir_place(g->f, skip);
}

/* A string variable: text padded with zeroes, then the byte that tells "" from never assigned.
 * ret: what was assigned. */
static void store_str(struct gen *g, const struct node *lhs, const struct node *rhs, struct str *ret)
{
	uint32_t cap = (uint32_t)opts_strcap(g->cg->opts), storage = lay_storage(g->cg, lhs->type);
	irlabel skip = ir_label(g->f);
	bool null = node_is_null(rhs);
	struct place pl;
	struct str s;
	struct mem dst;
	bool element; /* a whole one, which changes at once; a member of one is written in its place */
	vreg set;

	*ret = (struct str){ .is_const = true, .cs = "" };
	if (!null) {
		gen_str(g, rhs, &s);
		if (rhs->var)
			s.set = gen_str_is_set(g, &s);
		s.has_set |= rhs->var != NULL;
	}
	set = !null && s.has_set ? s.set : ir_imm(g->f, !null);
	ret->has_set = true;
	ret->set = set;
	gen_place(g, lhs, &pl);
	if (pl.kind != PL_MEM) {
		cg_error(g, lhs->at, TAG_NOSUPP, "a string cannot be assigned through a pointer");
		return;
	}
	element = pl.has_key && pl.whole;
	if (null && element) {
		assoc_delete(g, pl.var, pl.key);
		return;
	}
	if (null && pl.maybe_null)
		ir_jcci(g->f, IRC_EQ, pl.m.base, 0, skip);
	else if (!element)
		place_ensure(g, &pl, skip);
	dst = element ? gen_scratch(g, storage) : pl.m;
	*ret = (struct str){ .m = dst,
			     .bound = cap,
			     .padded = true,
			     .has_set = true,
			     .set = set,
			     .maybe_null = !element && (pl.has_key || pl.var->scope == VS_TLS) };
	if (null)
		gen_zero(g, dst, cap);
	else
		gen_str_copy(g, &s, dst, cap);
	if (storage - cap > 1)
		gen_zero(g, mem_add(dst, (int32_t)cap), storage - cap);
	if (!null && s.has_set)
		gen_st(g, mem_add(dst, (int32_t)cap), 1, set);
	else
		gen_sti(g, mem_add(dst, (int32_t)cap), 1, !null);
	if (element)
		assoc_update(g, pl.var, pl.key, dst, BPF_ANY, skip);
	ir_place(g->f, skip);
}

/* ret: a copy of what was assigned. */
static void store_bytes(struct gen *g, const struct node *lhs, const struct node *rhs, uint32_t size, struct mem *ret)
{
	irlabel skip = ir_label(g->f);
	struct place pl;
	struct mem tmp;

	if (node_is_null(rhs)) { /* the checker lets 0 be assigned to elements and self-> only */
		*ret = mem_at(ir_imm(g->f, 0), 0);
		gen_place(g, lhs, &pl);
		if (pl.has_key) {
			assoc_delete(g, pl.var, pl.key);
			return;
		}
		if (pl.maybe_null) /* nothing there: it is 0 already */
			ir_jcci(g->f, IRC_EQ, pl.m.base, 0, skip);
		gen_zero(g, pl.m, size);
		ir_place(g->f, skip);
		return;
	}
	*ret = tmp = gen_scratch(g, size);
	gen_bytes_to(g, rhs, tmp, size);
	gen_place(g, lhs, &pl);
	if (pl.kind != PL_MEM) {
		cg_error(g, lhs->at, TAG_NOSUPP, "a struct cannot be assigned through a pointer");
		return;
	}
	place_ensure(g, &pl, skip);
	gen_copy(g, pl.m, tmp, size);
	ir_place(g->f, skip);
}

/* The value of an assignment to a bit field is what the field then has. */
static vreg cut_bits(struct gen *g, const struct place *pl, const struct dtype *ty, vreg v)
{
	vreg d;

	if (!pl->bit_size || ty->is_bool)
		return v;
	d = ir_new(g->f);
	ir_alui(g->f, IRA_SHL, d, v, 64 - (int64_t)pl->bit_size);
	ir_alui(g->f, ty->is_signed ? IRA_SAR : IRA_SHR, d, d, 64 - (int64_t)pl->bit_size);
	return d;
}

static vreg gen_compound(struct gen *g, const struct node *n)
{
	const struct dtype *ty = cg_type(g->cg, n->a);
	uint32_t scale = ty->kind == DK_PTR ? ptr_scale(g, ty) : 1;
	struct place pl;
	struct tref btf;
	vreg old, v, d = ir_new(g->f), b;

	gen_place(g, n->a, &pl);
	old = gen_load_place(g, &pl, ty, &btf);
	if (scale != 1) {
		b = ir_new(g->f);
		ir_alui(g->f, IRA_MUL, b, gen_int(g, n->b), scale);
		v = gen_arith(g, n->op, old, b, NULL, ty, n->at);
	} else {
		v = gen_arith(g, n->op, old, VREG_NONE, n->b, ty, n->at);
	}
	gen_norm(g, d, v, ty);
	store_scalar(g, &pl, ty, d, NULL);
	return cut_bits(g, &pl, ty, d);
}

void gen_assign_str(struct gen *g, const struct node *n, struct str *ret)
{
	assign_begin(g, n);
	store_str(g, n->a, n->b, ret);
}

vreg gen_assign(struct gen *g, const struct node *n, bool want)
{
	const struct dtype *ty = cg_type(g->cg, n->a);
	struct place pl;
	struct str s;
	vreg d;

	assign_begin(g, n);
	if (ty->kind == DK_STRING) {
		gen_assign_str(g, n, &s);
		return s.set;
	}
	if (ty->kind == DK_STRUCT || ty->kind == DK_UNION || ty->kind == DK_ARRAY) {
		store_bytes(g, n->a, n->b, lay_storage(g->cg, ty), &pl.m);
		return want ? gen_addr(g, pl.m) : VREG_NONE;
	}
	if (n->op != OP_ASSIGN)
		return gen_compound(g, n);
	d = gen_cut(g, n->b, gen_int(g, n->b), ty);
	gen_place(g, n->a, &pl);
	d = gen_loop_opaque(g, n, d);
	store_scalar(g, &pl, ty, d, n->b);
	return cut_bits(g, &pl, ty, d);
}

vreg gen_incdec(struct gen *g, const struct node *n, bool want)
{
	const struct dtype *ty = cg_type(g->cg, n->a);
	bool inc = n->op == OP_PREINC || n->op == OP_POSTINC, post = n->op == OP_POSTINC || n->op == OP_POSTDEC;
	int64_t by = ty->kind == DK_PTR ? ptr_scale(g, ty) : 1;
	struct place pl;
	struct tref btf;
	vreg old, d = ir_new(g->f);

	(void)want;
	gen_place(g, n->a, &pl);
	old = gen_load_place(g, &pl, ty, &btf);
	ir_alui(g->f, IRA_ADD, d, old, inc ? by : -by);
	gen_norm(g, d, d, ty);
	store_scalar(g, &pl, ty, d, NULL);
	return post ? old : cut_bits(g, &pl, ty, d);
}

/* -- strings in variables -- */

void gen_var_str(struct gen *g, const struct node *n, struct str *ret)
{
	struct place pl;

	gen_place(g, n, &pl);
	if (pl.kind != PL_MEM) {
		cg_error(g, n->at, TAG_NOSUPP, "a string cannot be read through a pointer");
		pl.m = mem_slot(g->tmp, 0);
	}
	*ret = (struct str){
		.m = pl.m, .bound = (uint32_t)opts_strcap(g->cg->opts), .padded = true, .maybe_null = pl.maybe_null
	};
}

vreg gen_str_set(struct gen *g, const struct node *n)
{
	struct place pl;
	struct tref btf;
	struct str s;

	while (n->kind == N_CAST && type_is_str(g->cg, n->a))
		n = n->a;
	if (!n->var) {
		gen_str(g, n, &s);
		return s.has_set ? s.set : ir_imm(g->f, 1);
	}
	gen_place(g, n, &pl);
	pl.m.off += (int32_t)opts_strcap(g->cg->opts);
	return gen_load_place(g, &pl, dtype_int(g->cg->p->types, 1, false), &btf);
}

/* A struct, union or array by value. */
void gen_bytes_to(struct gen *g, const struct node *n, struct mem dst, uint32_t size)
{
	struct place pl;

	gen_place(g, n, &pl);
	place_flatten(g, &pl);
	if (pl.kind == PL_MEM && pl.maybe_null) {
		irlabel nul = ir_label(g->f), done = ir_label(g->f);

		ir_jcci(g->f, IRC_EQ, pl.m.base, 0, nul);
		gen_copy(g, dst, pl.m, size);
		ir_jmp(g->f, done);
		ir_place(g->f, nul);
		gen_zero(g, dst, size);
		ir_place(g->f, done);
	} else if (pl.kind == PL_MEM) {
		gen_copy(g, dst, pl.m, size);
	} else {
		gen_probe_read(g, dst, size, pl.addr, pl.off, pl.kind == PL_USER);
	}
}
