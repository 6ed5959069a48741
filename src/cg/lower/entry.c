/* SPDX-License-Identifier: Apache-2.0 */
/* The start of a program: which probe fires, who is left out; and where the probe's arguments, id and
 * names come from. */
#include "cg/lower/int.h"

#if defined(__aarch64__)
#define REGS_PC 256 /* struct user_pt_regs: regs[31], sp, pc, pstate */
#define REGS_MODE 264
#else
#define REGS_PC 128   /* struct pt_regs: ip */
#define REGS_MODE 136 /* cs */
#endif
#define TS_COMPAT 2 /* arch/x86/include/asm/thread_info.h: a 32-bit system call is running */

static unsigned sel_max(const uint64_t *map)
{
	unsigned v = ENTRY_MAX_SELECTOR - 1;

	while (v && !(map[v / 64] >> (v % 64) & 1))
		v--;
	return v;
}

static unsigned sel_count(const uint64_t *map)
{
	unsigned n = 0;

	for (unsigned i = 0; i < ENTRY_MAX_SELECTOR / 64; i++)
		n += (unsigned)__builtin_popcountll(map[i]);
	return n;
}

/* i = the selector; jumps to out when it is beyond max. A copy, for the verifier's eyes: old kernels forget the bounds
 * of what lies on the stack, where the selector is in a large program. */
static void gen_sel_within(struct gen *g, vreg i, unsigned max, irlabel out)
{
	ir_mov(g->f, i, g->sel);
	ir_jcci(g->f, IRC_GT, i, max, out);
}

/* Jumps to out unless the selector is in the set. */
static void gen_sel_test(struct gen *g, const uint64_t *map, irlabel out)
{
	unsigned n = sel_count(map), max = sel_max(map);
	irlabel in = ir_label(g->f);

	if (n <= CG_MAX_SEL_CHAIN) {
		for (unsigned v = 0; v <= max; v++)
			if ((map[v / 64] >> (v % 64) & 1) && --n)
				ir_jcci(g->f, IRC_EQ, g->sel, v, in);
		ir_jcci(g->f, IRC_NE, g->sel, max, out);
		ir_place(g->f, in);
		return;
	}
	uint32_t off = ro_string(g->cg, arena_memdup(g->cg->a, map, max / 8 + 1), max / 8 + 1);
	vreg p = gen_mapval(g, cg_map_rodata(g->cg), off), i = ir_new(g->f), b = ir_new(g->f);

	gen_sel_within(g, i, max, out);
	ir_alui(g->f, IRA_SHR, i, i, 3);
	ir_alu(g->f, IRA_ADD, p, p, i);
	ir_load(g->f, b, p, 0, 1);
	ir_alui(g->f, IRA_AND, i, g->sel, 7);
	ir_alu(g->f, IRA_SHR, b, b, i);
	ir_alui(g->f, IRA_AND, b, b, 1);
	ir_jcci(g->f, IRC_EQ, b, 0, out);
}

/* The selectors of the program's clauses. False: some clause takes them all. */
static bool prog_selectors(const struct prog *pr, uint64_t *map)
{
	bool all = true;

	memset(map, 0, ENTRY_MAX_SELECTOR / 8);
	for (size_t i = 0; i < pr->nunits; i++) {
		all &= pr->units[i].selmap != NULL;
		for (unsigned j = 0; pr->units[i].selmap && j < ENTRY_MAX_SELECTOR / 64; j++)
			map[j] |= pr->units[i].selmap[j];
	}
	return all;
}

/* The numbers by which 32-bit callers make the calls of the program's clauses. */
static void prog_compat(const struct prog *pr, uint64_t *map)
{
	memset(map, 0, ENTRY_MAX_SELECTOR / 8);
	for (size_t i = 0; i < pr->nunits; i++)
		for (unsigned j = 0; pr->units[i].compatmap && j < ENTRY_MAX_SELECTOR / 64; j++)
			map[j] |= pr->units[i].compatmap[j];
}

/* Jumps to is32 for a 32-bit caller. */
static void gen_compat_test(struct gen *g, irlabel is32)
{
	uint32_t off, size;
	vreg v;

	if (!lay_offset(g->cg, "task_struct", "thread_info.status", &off, &size))
		return;
	v = gen_task_field(g, "thread_info.status");
	ir_jcci(g->f, IRC_SET, v, TS_COMPAT, is32);
}

/* Bit 0: the selector is in map, bit 1: in map32. From one table of two bits each; out: in none. */
static vreg gen_sel_bits(struct gen *g, const uint64_t *map, const uint64_t *map32, irlabel out)
{
	unsigned max = sel_max(map) > sel_max(map32) ? sel_max(map) : sel_max(map32), n = max / 4 + 1;
	char *table = arena_new_arr(g->cg->a, char, n);
	vreg p, i = ir_new(g->f), b = ir_new(g->f);

	for (unsigned v = 0; v <= max; v++)
		table[v / 4] |= (char)((map[v / 64] >> (v % 64) & 1) << (v % 4 * 2) | (map32[v / 64] >> (v % 64) & 1)
											      << (v % 4 * 2 + 1));
	p = gen_mapval(g, cg_map_rodata(g->cg), ro_string(g->cg, table, n));
	gen_sel_within(g, i, max, out);
	ir_alui(g->f, IRA_SHR, i, i, 2);
	ir_alu(g->f, IRA_ADD, p, p, i);
	ir_load(g->f, b, p, 0, 1);
	ir_alui(g->f, IRA_AND, i, g->sel, 3);
	ir_alui(g->f, IRA_SHL, i, i, 1);
	ir_alu(g->f, IRA_SHR, b, b, i);
	ir_alui(g->f, IRA_AND, b, b, 3);
	ir_jcci(g->f, IRC_EQ, b, 0, out);
	return b;
}

/* Only the program's selectors go on. 32-bit callers use other numbers for the same calls: those are
 * counted, and left out. Calls that nobody wants leave with one test. */
static void gen_program_test(struct gen *g, const uint64_t *map, irlabel out)
{
	irlabel is32 = ir_label(g->f), in = ir_label(g->f);
	uint64_t map32[ENTRY_MAX_SELECTOR / 64], either[ENTRY_MAX_SELECTOR / 64];
	vreg bits = VREG_NONE;
	struct cache saved;

	if (!g->e->skip_compat) {
		gen_sel_test(g, map, out);
		return;
	}
	prog_compat(g->pr, map32);
	for (unsigned j = 0; j < ENTRY_MAX_SELECTOR / 64; j++)
		either[j] = map[j] | map32[j];
	if (sel_count(either) > CG_MAX_SEL_CHAIN)
		bits = gen_sel_bits(g, map, map32, out);
	else
		gen_sel_test(g, either, out);
	gen_compat_test(g, is32);
	saved = g->cache;
	if (bits >= 0)
		ir_jcci(g->f, IRC_SET, bits, 1, in);
	else
		gen_sel_test(g, map, out);
	ir_jmp(g->f, bits >= 0 ? out : in);
	ir_place(g->f, is32);
	if (bits >= 0)
		ir_jcci(g->f, IRC_LE, bits, 1, out);
	else if (sel_count(map32))
		gen_sel_test(g, map32, out);
	if (sel_count(map32))
		gen_count(g, CNT_COMPAT);
	ir_jmp(g->f, out);
	ir_place(g->f, in);
	g->cache = saved;
}

/* In a program with clauses that take every selector: counts 32-bit callers of what the others want. */
static void gen_count_compat(struct gen *g)
{
	irlabel is32 = ir_label(g->f), on = ir_label(g->f);
	uint64_t map32[ENTRY_MAX_SELECTOR / 64];
	struct cache saved = gen_region_begin(g);

	prog_compat(g->pr, map32);
	if (sel_count(map32)) {
		gen_sel_test(g, map32, on);
		gen_compat_test(g, is32);
		ir_jmp(g->f, on);
		ir_place(g->f, is32);
		gen_count(g, CNT_COMPAT);
	}
	ir_place(g->f, on);
	gen_region_end(g, &saved);
}

/* With -x noself: dwell's own threads are left out. */
static void gen_noself_test(struct gen *g)
{
	irlabel ok = ir_label(g->f);
	vreg v = ir_new(g->f), pt = gen_pid_tgid(g);

	ir_alui(g->f, IRA_SHR, v, pt, 32);
	ir_jcci(g->f, IRC_NE, v, g->cg->env->self_tgid, ok);
	ir_reti(g->f, 0);
	ir_place(g->f, ok);
}

/* With -x cpu: the other CPUs are left out, or threads that are not on it, nor were last; timers run on this one only,
 * BEGIN and END are run there. */
static void gen_cpu_test(struct gen *g)
{
	irlabel ok = ir_label(g->f);

	ir_jcci(g->f, IRC_EQ, gen_walks(g) ? gen_walked_cpu(g) : gen_cpu(g), g->cg->opts->cpu, ok);
	ir_reti(g->f, 0);
	ir_place(g->f, ok);
}

/* With -x noself programs that track leave out what dwell's threads open, not what ends while they run: the thread
 * that follows dwell's on a CPU must be seen to run; so it is with the flight recorder. Their other clauses test for
 * themselves. */
static bool prog_tracks(const struct prog *pr)
{
	for (size_t i = 0; i < pr->nunits; i++)
		if (pr->units[i].ds->fires || pr->units[i].ds->calls_flight)
			return true;
	return false;
}

static bool has_effect(void *ctx, const struct node *n)
{
	(void)ctx;
	return n->kind == N_ASSIGN || (n->kind == N_CALL && !n->tracker) ||
	       (n->kind == N_UNARY &&
		(n->op == OP_PREINC || n->op == OP_PREDEC || n->op == OP_POSTINC || n->op == OP_POSTDEC));
}

/* Behind the predicate, which mostly is false and costs less, unless it does something. */
void gen_noself_clause(struct gen *g, bool behind)
{
	struct walk w = { .node = has_effect };
	vreg v = ir_new(g->f);

	if (!g->cg->opts->noself || !g->cg->env->self_tgid || g->ds->fires || g->ds->calls_flight || g->ev ||
	    g->in_error || g->e->kind == ENTRY_TEST_RUN || g->e->of_interrupt || !prog_tracks(g->pr) ||
	    behind != (g->ds->pred && !walk_node(&w, g->ds->pred)))
		return;
	ir_alui(g->f, IRA_SHR, v, gen_pid_tgid(g), 32);
	gen_jcci(g, IRC_EQ, v, g->cg->env->self_tgid, g->l_next);
}

/* The first clause that looks at a selector, or NULL. */
static const struct cg_unit *first_selecting(const struct prog *pr)
{
	for (size_t i = 0; i < pr->nunits; i++)
		if (pr->units[i].selmap)
			return &pr->units[i];
	return NULL;
}

/* Periods gone by less firings are the misses; what an idle CPU did not do is none. */
static void gen_count_firing(struct gen *g)
{
	irlabel busy = ir_label(g->f);

	gen_count(g, CNT_FIRINGS);
	gen_jcci(g, IRC_NE, gen_pid_tgid(g), 0, busy); /* the idle thread's is 0 */
	gen_count(g, SLOT_IDLE_FIRINGS);
	ir_place(g->f, busy);
}

void gen_prologue(struct gen *g)
{
	const struct cg_unit *u = &g->pr->units[0], *s = first_selecting(g->pr);
	uint64_t map[ENTRY_MAX_SELECTOR / 64];
	irlabel out = ir_label(g->f), in = ir_label(g->f);

	g->ds = u->ds;
	ir_at(g->f, 0, u->ds->at);
	if (s) {
		g->e = &s->pts[0]->e;
		g->sel = gen_arg_loc(g, &g->e->sel);
	}
	g->unit = u;
	g->e = &u->pts[0]->e;
	if (s && prog_selectors(g->pr, map)) {
		gen_program_test(g, map, out);
		ir_jmp(g->f, in);
		ir_place(g->f, out);
		ir_reti(g->f, 0);
		ir_place(g->f, in);
	}
	if (g->e->kind == ENTRY_ITER_TASK)
		gen_walk_start(g);
	if (g->e->kind == ENTRY_PERF_EVENT && g->e->period_ns)
		gen_count_firing(g);
	if (g->e->nargs > 3 && g->e->args[3].kind == ARG_WATCH_OLD)
		gen_watch(g);
	if (g->cg->opts->noself && g->cg->env->self_tgid && g->e->kind != ENTRY_TEST_RUN && !g->e->of_interrupt &&
	    !prog_tracks(g->pr))
		gen_noself_test(g);
	if (g->cg->opts->cpu >= 0 && g->e->kind != ENTRY_TEST_RUN && g->e->kind != ENTRY_PERF_EVENT)
		gen_cpu_test(g);
	gen_hoisted(g);
}

/* Leaves the clause when it does not apply to the probe that fires. */
void gen_guard(struct gen *g, const struct cg_unit *u)
{
	uint64_t map[ENTRY_MAX_SELECTOR / 64];
	bool all;

	if (g->in_error || !u->selmap)
		return;
	all = prog_selectors(g->pr, map);
	if (all && !memcmp(map, u->selmap, sizeof(map)))
		return;
	if (!all && g->e->skip_compat && u == first_selecting(g->pr))
		gen_count_compat(g);
	gen_note_exit(g);
	gen_sel_test(g, u->selmap, g->l_next);
	if (!all && g->e->skip_compat)
		gen_compat_test(g, g->l_next);
}

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
	case ARG_DERIVED: return gen_derived_arg(g, l->off);
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

/* -- who fires -- */

static unsigned unit_sel_max(const struct cg_unit *u)
{
	return u->selmap ? sel_max(u->selmap) : 0;
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

/* Which probe of an ENTRY_UPROBE or ENTRY_KPROBE fires: see ENTRY_COOKIE. */
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
