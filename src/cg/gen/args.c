/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the arguments, the id and the names of the probe that fired. */
#include "cg/gen/entry.h"
#include "cg/gen/event.h"
#include "cg/gen/load.h"
#include "cg/gen/map.h"
#include "cg/gen/task.h"

#if defined(__aarch64__)
#define REGS_PC 256 /* struct user_pt_regs: regs[31], sp, pc, pstate */
#define REGS_MODE 264
#else
#define REGS_PC 128   /* struct pt_regs: ip */
#define REGS_MODE 136 /* cs */
#endif

/* -- arguments -- */

/* The BTF type of the tracepoint's argument at ctx + off. */
static bool ctx_arg_type(struct gen *g, uint32_t off, struct tref *ret)
{
	struct typesrc *ts = g->cg->env->ts;
	struct tref ref = g->e->btf_type;
	struct tmember m;
	struct tinfo t;

	if (!ts || !ref.id)
		return false;
	for (unsigned i = 0;; i++) { /* typedef -> pointer -> prototype */
		if (i == BTF_MAX_CHAIN || typesrc_get(ts, ref, &t) < 0)
			return false;
		if (t.kind == TK_FUNC_PROTO)
			break;
		ref = t.target;
	}
	/* The first parameter is the tracepoint's private data, which the program does not see. */
	if (typesrc_member(ts, ref, off / 8 + 1, &m) < 0)
		return false;
	*ret = m.type;
	return true;
}

enum ctx_arg { CTX_INT, CTX_PTR, CTX_OTHER };

/* Integers may be computed with. Pointers to structs are typed pointers, with which the verifier allows
 * no arithmetic. Other pointers it does not give at all. Source: kernel/bpf/btf.c btf_ctx_access(). */
static enum ctx_arg ctx_arg_class(struct gen *g, uint32_t off)
{
	bool pointee = false;
	struct tref ref;
	struct tinfo t;

	if (!ctx_arg_type(g, off, &ref))
		return CTX_OTHER;
	for (unsigned i = 0; i < BTF_MAX_CHAIN; i++) {
		if (pointee && !ref.id)
			return CTX_PTR; /* void * */
		if (typesrc_get(g->cg->env->ts, ref, &t) < 0)
			return CTX_OTHER;
		switch (t.kind) {
		case TK_INT: return pointee ? CTX_PTR : CTX_INT;
		case TK_ENUM: return pointee ? CTX_OTHER : CTX_INT;
		case TK_STRUCT: return pointee ? CTX_PTR : CTX_OTHER;
		case TK_PTR:
			if (pointee)
				return CTX_OTHER;
			pointee = true;
			break;
		case TK_TYPEDEF:
		case TK_CONST:
		case TK_VOLATILE:
		case TK_RESTRICT: break;
		default: return CTX_OTHER;
		}
		ref = t.target;
	}
	return CTX_OTHER;
}

bool entry_arg_struct(struct gen *g, uint32_t off, struct tref *ret)
{
	struct tref ref;

	return g->e->kind == ENTRY_TP_BTF && cg_typed_args(g->cg) && ctx_arg_type(g, off, &ref) &&
	       btf_pointee(g->cg, ref, ret);
}

/* 8 bytes at p + off, which the verifier does not let us load: through a helper. */
static vreg load_hidden(struct gen *g, vreg base, uint32_t off)
{
	vreg d = ir_new(g->f), p = ir_new(g->f), n = ir_imm(g->f, 8), a = ir_new(g->f);

	ir_alui(g->f, IRA_ADD, a, base, off);
	ir_slot_addr(g->f, p, g->tmp, 8);
	ir_call(g->f, VREG_NONE, BPF_FUNC_probe_read_kernel, IR_ARGS(p, n, a));
	ir_load_slot(g->f, d, g->tmp, 8, 8);
	return d;
}

static vreg load_ctx(struct gen *g, uint32_t off)
{
	enum ctx_arg class = g->e->kind == ENTRY_TP_BTF ? ctx_arg_class(g, off) : CTX_INT;
	vreg d;

	if (class == CTX_OTHER)
		return load_hidden(g, ir_ctx(g->f), off);
	d = ir_new(g->f);
	ir_load(g->f, d, ir_ctx(g->f), (int32_t)off, 8);
	return class == CTX_PTR ? gen_launder(g, d) : d;
}

/* Loads 8 bytes at off in the registers that the context points to. */
/* size: of the member, which typed loads must not go beyond. */
static vreg load_regs(struct gen *g, uint32_t off, unsigned size)
{
	vreg *regs = &g->cache.v[CA_REGS], d = ir_new(g->f);

	if (*regs < 0) {
		*regs = ir_new(g->f);
		ir_load(g->f, *regs, ir_ctx(g->f), (int32_t)g->e->regs_ctx_off, 8);
	}
	if (g->e->kind == ENTRY_TP_BTF && cg_typed_args(g->cg)) {
		ir_load(g->f, d, *regs, (int32_t)off, size ? size : 8);
		return d;
	}
	return load_hidden(g, *regs, off);
}

/* The sample's instruction pointer if it was in the kernel (user = false) or in user code, else 0. */
static vreg load_pc(struct gen *g, bool user)
{
	vreg d = ir_new(g->f), m = ir_new(g->f);
	irlabel out = ir_label(g->f);

	ir_load(g->f, m, ir_ctx(g->f), REGS_MODE, 8);
#if defined(__aarch64__)
	ir_alui(g->f, IRA_AND, m, m, 15); /* exception level 0 is user */
	enum ir_cond is_user = IRC_EQ;
#else
	ir_alui(g->f, IRA_AND, m, m, 3); /* privilege level 3 is user */
	enum ir_cond is_user = IRC_NE;
#endif
	ir_movi(g->f, d, 0);
	ir_jcci(g->f, user ? (is_user == IRC_EQ ? IRC_NE : IRC_EQ) : is_user, m, 0, out);
	ir_load(g->f, d, ir_ctx(g->f), REGS_PC, 8);
	ir_place(g->f, out);
	return d;
}

static vreg load_reg(struct gen *g, const struct arg_loc *l)
{
	vreg d = ir_new(g->f);

	ir_load(g->f, d, ir_ctx(g->f), (int32_t)l->off, 8);
	if (l->shift)
		ir_alui(g->f, IRA_SHR, d, d, l->shift);
	return d;
}

/* An argument in memory: on the stack, or where a USDT note says. */
static vreg load_mem(struct gen *g, const struct arg_loc *l)
{
	unsigned size = l->size ? l->size : 8;
	vreg d = ir_new(g->f), p = ir_new(g->f), n = ir_imm(g->f, size), a = ir_new(g->f);

	ir_load(g->f, a, ir_ctx(g->f), (int32_t)l->off, 8);
	if (l->scale) {
		vreg i = ir_new(g->f);

		ir_load(g->f, i, ir_ctx(g->f), l->index, 8);
		ir_alui(g->f, IRA_MUL, i, i, l->scale);
		ir_alu(g->f, IRA_ADD, a, a, i);
	}
	if (l->value) {
		vreg k = ir_imm(g->f, l->value);

		ir_alu(g->f, IRA_ADD, a, a, k);
	}
	ir_slot_addr(g->f, p, g->tmp, 8);
	ir_call(g->f, VREG_NONE, l->kind == ARG_KERNEL_MEM ? BPF_FUNC_probe_read_kernel : BPF_FUNC_probe_read_user,
		IR_ARGS(p, n, a));
	ir_load_slot(g->f, d, g->tmp, 8, (int)size);
	return d;
}

static vreg load_raw(struct gen *g, const struct arg_loc *l)
{
	switch (l->kind) {
	case ARG_CTX: return load_ctx(g, l->off);
	case ARG_CTX_REGS: return load_reg(g, l);
	case ARG_USER_MEM:
	case ARG_KERNEL_MEM: return load_mem(g, l);
	case ARG_REGS: return load_regs(g, l->off, l->size);
	case ARG_PC_KERNEL: return load_pc(g, false);
	case ARG_PC_USER: return load_pc(g, true);
	case ARG_ERROR: return l->off < 6 && g->in_error ? g->err[l->off] : ir_imm(g->f, 0);
	case ARG_CONST: return ir_imm(g->f, l->value);
	case ARG_EVENT: return gen_event_arg(g, l->off);
	case ARG_THREAD: return gen_launder(g, gen_task(g));
	default: return ir_imm(g->f, 0);
	}
}

vreg gen_arg_loc(struct gen *g, const struct arg_loc *l)
{
	vreg d = load_raw(g, l);

	if (l->size && l->size < 8) {
		vreg v = ir_new(g->f);

		ir_ext(g->f, v, d, l->size, l->is_signed);
		return v;
	}
	return d;
}

vreg gen_arg(struct gen *g, unsigned n)
{
	const struct arg_loc none = { .kind = ARG_NONE };
	vreg d;

	if (n < 10 && g->cache.v[CA_ARG0 + n] >= 0)
		return g->cache.v[CA_ARG0 + n];
	d = gen_arg_loc(g, n < g->e->nargs && n < ENTRY_MAX_ARGS ? &g->e->args[n] : &none);
	/* Other clauses may serve probes with arguments at other places. */
	if (n < 10)
		g->cache.v[CA_ARG0 + n] = d;
	return d;
}

/* -- the thread that fires -- */

unsigned gen_sel_max(const uint64_t *map)
{
	unsigned v = ENTRY_MAX_SELECTOR - 1;

	while (v && !(map[v / 64] >> (v % 64) & 1))
		v--;
	return v;
}

static unsigned unit_sel_max(const struct cg_unit *u)
{
	return u->selmap ? gen_sel_max(u->selmap) : 0;
}

/* The selector as an index into a table of n entries, for the verifier's eyes in bounds. */
static vreg sel_index(struct gen *g, unsigned max)
{
	vreg i = ir_new(g->f);
	irlabel ok = ir_label(g->f);

	ir_mov(g->f, i, g->sel);
	ir_jcci(g->f, IRC_LE, i, max, ok);
	ir_movi(g->f, i, 0);
	ir_place(g->f, ok);
	return i;
}

/* The cookie, which tells which probe of an ENTRY_UPROBE or ENTRY_KPROBE fires: see ENTRY_COOKIE. */
static vreg gen_cookie(struct gen *g)
{
	vreg *c = &g->cache.v[CA_COOKIE];

	if (*c < 0) {
		vreg ctx = ir_ctx(g->f), d = ir_new(g->f);

		ir_call(g->f, d, BPF_FUNC_get_attach_cookie, IR_ARGS(ctx));
		*c = d;
	}
	return *c;
}

/* The place of the firing probe in a table by gen_name_slot(), for the verifier's eyes in bounds. */
static vreg gen_slot_index(struct gen *g, unsigned max)
{
	irlabel ok = ir_label(g->f);
	vreg i;

	if (!entry_by_cookie(g->e))
		return sel_index(g, max);
	i = ir_new(g->f);
	ir_mov(g->f, i, gen_cookie(g));
	ir_alui(g->f, IRA_SHR, i, i, 32);
	ir_jcci(g->f, IRC_LE, i, max, ok);
	ir_movi(g->f, i, 0);
	ir_place(g->f, ok);
	return i;
}

static size_t gen_name_slot(const struct cg_unit *u, size_t i)
{
	return entry_by_cookie(&u->pts[i]->e) ? i : u->pts[i]->e.sel_value;
}

vreg gen_probe_id(struct gen *g)
{
	const struct cg_unit *u = g->unit;
	unsigned max = unit_sel_max(u);
	vreg p, d;

	if (u->npts == 1)
		return ir_imm(g->f, u->pts[0]->probe->id);
	if (g->cache.v[CA_PROBE] >= 0)
		return g->cache.v[CA_PROBE];
	if (entry_by_cookie(g->e)) {
		d = ir_new(g->f);
		ir_mov(g->f, d, gen_cookie(g));
		ir_ext(g->f, d, d, 4, false);
		if (g->e->kind == ENTRY_KPROBE && g->e->is_return)
			ir_alui(g->f, IRA_OR, d, d, 1); /* entry.kprobe_session */
		g->cache.v[CA_PROBE] = d;
		return d;
	}

	uint32_t *tab = arena_new_arr(g->cg->a, uint32_t, max + 1);

	for (size_t i = 0; i < u->npts; i++)
		tab[u->pts[i]->e.sel_value] = u->pts[i]->probe->id;
	p = sel_index(g, max);
	d = gen_mapval(g, cg_map_rodata(g->cg), ro_string(g->cg, (char *)tab, (max + 1) * sizeof(*tab)));
	ir_alui(g->f, IRA_SHL, p, p, 2);
	ir_alu(g->f, IRA_ADD, d, d, p);
	ir_load(g->f, d, d, 0, 4);
	g->cache.v[CA_PROBE] = d;
	return d;
}

static const char *name_of(const struct probe *p, enum bi_id which)
{
	const char *s = which == BI_PROBEPROV	? p->prov
			: which == BI_PROBEMOD	? p->mod
			: which == BI_PROBEFUNC ? p->func
						: p->name;

	return s ? s : "";
}

void gen_probe_name(struct gen *g, enum bi_id which, struct str *ret)
{
	const struct cg_unit *u = g->unit;
	const char *first = name_of(u->pts[0]->probe, which);
	bool by_cookie = entry_by_cookie(&u->pts[0]->e);
	unsigned max = by_cookie ? (unsigned)u->npts - 1 : unit_sel_max(u);
	size_t stride = strlen(first) + 1;
	bool same = true;

	for (size_t i = 1; i < u->npts; i++) {
		const char *s = name_of(u->pts[i]->probe, which);

		same &= !strcmp(s, first);
		stride = strlen(s) + 1 > stride ? strlen(s) + 1 : stride;
	}
	if (same) {
		*ret = (struct str){ .is_const = true, .cs = first, .cslen = strlen(first) };
		return;
	}
	/* Thousands of long names would cost as much memory as the longest for each: cut as any string. */
	if (stride > opts_strcap(g->cg->opts))
		stride = opts_strcap(g->cg->opts);
	stride = ROUND_UP(stride, 8);

	char *tab = arena_new_arr(g->cg->a, char, (max + 1) * stride);

	for (size_t i = 0; i < u->npts; i++)
		strncpy(tab + gen_name_slot(u, i) * stride, name_of(u->pts[i]->probe, which), stride - 1);

	vreg i = gen_slot_index(g, max);
	vreg d = gen_mapval(g, cg_map_rodata(g->cg), ro_string(g->cg, tab, (max + 1) * stride));

	ir_alui(g->f, IRA_MUL, i, i, (int64_t)stride);
	ir_alu(g->f, IRA_ADD, d, d, i);
	*ret = (struct str){ .m = mem_at(d, 0), .bound = (uint32_t)stride, .padded = true };
}
