/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles the prologue of a program. Many probes, such as all system calls, may share a program: a word of the
 * context, the selector, tells which one fires. The prologue returns for selectors that no clause wants, and where
 * -x noself or -x cpu excludes the thread or the CPU. gen_guard() tests the selector for one clause. */
#include "cg/gen/entry.h"
#include "cg/gen/fault.h"
#include "cg/gen/layout.h"
#include "cg/gen/map.h"
#include "cg/gen/task.h"

#define TS_COMPAT 2 /* arch/x86/include/asm/thread_info.h: a 32-bit system call is running */

static unsigned sel_count(const uint64_t *map)
{
	unsigned n = 0;

	for (unsigned i = 0; i < ENTRY_MAX_SELECTOR / 64; i++)
		n += (unsigned)__builtin_popcountll(map[i]);
	return n;
}

/* Copies the selector to i, and jumps to out when it is beyond max. The copy is for the verifier: old kernels forget
 * the bounds of a spilled register, and in a large program the selector is spilled. */
static void gen_sel_within(struct gen *g, vreg i, unsigned max, irlabel out)
{
	ir_mov(g->f, i, g->sel);
	ir_jcci(g->f, IRC_GT, i, max, out);
}

/* Jumps to out unless the selector is in the set. */
static void gen_sel_test(struct gen *g, const uint64_t *map, irlabel out)
{
	unsigned n = sel_count(map), max = gen_sel_max(map);
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

/* The union of the clauses' selectors. True: each clause has a set; false: some clause takes every selector. */
static bool prog_selectors(const struct prog *pr, uint64_t *map)
{
	bool all_select = true;

	memset(map, 0, ENTRY_MAX_SELECTOR / 8);
	for (size_t i = 0; i < pr->nunits; i++) {
		all_select &= pr->units[i].selmap != NULL;
		for (unsigned j = 0; pr->units[i].selmap && j < ENTRY_MAX_SELECTOR / 64; j++)
			map[j] |= pr->units[i].selmap[j];
	}
	return all_select;
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

/* Two bits from one table: bit 0: the selector is in map, bit 1: in map32. Jumps to out when it is in neither. */
static vreg gen_sel_bits(struct gen *g, const uint64_t *map, const uint64_t *map32, irlabel out)
{
	unsigned max = gen_sel_max(map) > gen_sel_max(map32) ? gen_sel_max(map) : gen_sel_max(map32), n = max / 4 + 1;
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

/* Jumps to out unless the selector is in map. 32-bit callers have other numbers for the same calls: they are counted,
 * and jump to out. A number that no clause wants jumps to out after one test. */
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

/* With -x cpu: returns on other CPUs; in a walk over threads, for threads whose last CPU is another one. Timers, BEGIN
 * and END need no test: they run on this CPU only. */
static void gen_cpu_test(struct gen *g)
{
	irlabel ok = ir_label(g->f);

	ir_jcci(g->f, IRC_EQ, gen_walks(g) ? gen_walked_cpu(g) : gen_cpu(g), g->cg->opts->cpu, ok);
	ir_reti(g->f, 0);
	ir_place(g->f, ok);
}

static bool noself_applies(const struct gen *g)
{
	return g->cg->opts->noself && g->cg->env->self_tgid && g->e->kind != ENTRY_TEST_RUN && !g->e->of_interrupt;
}

/* Does some clause call begin(), end() or flight()? Such a program also runs in dwell's threads, despite -x noself: it
 * must see which thread follows dwell's on a CPU. begin() skips what dwell's threads open. The other clauses test for
 * themselves (gen_noself_clause()). */
bool prog_tracks(const struct prog *pr)
{
	for (size_t i = 0; i < pr->nunits; i++)
		if (pr->units[i].ds->fires || pr->units[i].ds->calls_flight)
			return true;
	return false;
}

static bool has_side_effect(void *ctx, const struct node *n)
{
	(void)ctx;
	return n->kind == N_ASSIGN || (n->kind == N_CALL && !n->tracker) ||
	       (n->kind == N_UNARY &&
		(n->op == OP_PREINC || n->op == OP_PREDEC || n->op == OP_POSTINC || n->op == OP_POSTDEC));
}

bool pred_has_effect(const struct clause_instance *ds)
{
	struct walk w = { .node = has_side_effect };

	return ds->pred && walk_node(&w, ds->pred);
}

/* The test for dwell's threads in one clause. It follows the predicate, which is cheaper and mostly false, unless there
 * is none or it has side effects. after_pred: the caller has compiled the predicate. */
void gen_noself_clause(struct gen *g, bool after_pred)
{
	vreg v = ir_new(g->f);

	if (!noself_applies(g) || g->ds->fires || g->ds->calls_flight || g->ev || g->in_error || !prog_tracks(g->pr) ||
	    after_pred != (g->ds->pred && !pred_has_effect(g->ds)))
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

/* Counts the firings of a timer. Periods gone by minus firings are the missed ones. Firings on an idle CPU are counted
 * apart: periods that an idle CPU slept through are no misses. */
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
	if (noself_applies(g) && !prog_tracks(g->pr))
		gen_noself_test(g);
	if (g->cg->opts->cpu >= 0 && g->e->kind != ENTRY_TEST_RUN && g->e->kind != ENTRY_PERF_EVENT)
		gen_cpu_test(g);
	gen_hits(g);
}

/* Leaves the clause when it does not apply to the probe that fires. */
void gen_guard(struct gen *g, const struct cg_unit *u)
{
	uint64_t map[ENTRY_MAX_SELECTOR / 64];
	bool all_select;

	if (g->in_error || !u->selmap)
		return;
	all_select = prog_selectors(g->pr, map);
	if (all_select && !memcmp(map, u->selmap, sizeof(map)))
		return;
	if (!all_select && g->e->skip_compat && u == first_selecting(g->pr))
		gen_count_compat(g);
	gen_note_exit(g);
	gen_sel_test(g, u->selmap, g->l_next);
	if (!all_select && g->e->skip_compat)
		gen_compat_test(g, g->l_next);
}
