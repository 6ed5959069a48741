/* SPDX-License-Identifier: Apache-2.0 */
/* if, loops, blocks and local variables.
 *
 * A clause with control flow has no single record. Each run of data actions between other statements (a segment)
 * reserves, fills and submits a record of its own. So the ring has the data of a branch or an iteration when it
 * happened, and as often. All carry the time of the firing.
 *
 * All loops of a clause share one budget of iterations per firing (-x loopmax), which keeps nested ones linear. The
 * verifier must not know the constants that local variables start with: it would check each iteration for its own
 * value. Where the kernel has may_goto, the verifier must not know the budget either. It then checks a loop two or
 * three times; elsewhere it checks as many iterations as the budget has. */
#include "cg/builtin/call.h"
#include "cg/gen/entry.h"
#include "cg/gen/fault.h"
#include "cg/gen/load.h"
#include "cg/gen/local.h"
#include "cg/gen/task.h"
#include "cg/lower/act.h"
#include "cg/lower/expr.h"
#include "cg/lower/flow.h"

#define CG_LOOPS 1000	       /* iterations by default */
#define CG_LOOPS_WALKED 128    /* … where the verifier walks each of them */
#define CG_MAX_LOOPS (1 << 23) /* iterations. Source: kernel, BPF_MAX_LOOPS */

/* -- local variables -- */

static void gen_local(struct gen *g, const struct stmt *s)
{
	if (s->expr)
		gen_effect(g, s->expr);
	else
		gen_zero(g, gen_local_mem(g, s->var), ROUND_UP(g->cg->vars[s->var->id].size, 8));
}

/* The end of a scope. */
static void drop_locals(struct gen *g, const struct stmt *s)
{
	for (; s; s = s->next)
		if (s->kind == ST_LOCAL)
			g->locals[s->var->id].have = false;
}

void gen_block(struct gen *g, const struct stmt *s)
{
	uint32_t mark = ir_slot_mark(g->f);

	gen_stmts(g, s);
	drop_locals(g, s);
	ir_slot_reset(g->f, mark);
}

/* -- segments -- */

static const struct lay_seg *segment_at(const struct gen *g, const struct stmt *s)
{
	const struct lay_clause *l = &g->cg->clauses[g->ds->epid - 1];

	for (size_t i = 0; i < l->nsegs; i++)
		if (l->segs[i].first == s)
			return &l->segs[i];
	return NULL;
}

/* Does the run do anything but fill the record? */
static bool has_more(const struct lay_seg *seg)
{
	const struct stmt *s = seg->first;
	enum act_kind kind;

	for (;; s = s->next) {
		if (s->kind != ST_EXPR || !act_is_data(s->expr, &kind) || kind == ACT_EXIT)
			return true;
		if (s == seg->last)
			return false;
	}
}

static void gen_segment(struct gen *g, const struct lay_seg *seg)
{
	const struct lay_clause *outer = g->lay;
	irlabel done = ir_label(g->f), full = ir_label(g->f);
	struct cache saved;
	bool more = has_more(seg);

	g->lay = &seg->lay;
	g->act_next = seg->held;
	gen_ts(g);
	gen_probe_id(g);
	gen_cpu(g);
	saved = gen_region_begin(g);
	gen_record(g, gen_drop(g, CNT_DROP_PRINCIPAL, more ? full : done));
	if (seg->held)
		gen_spec_held(g, more ? full : done);
	for (const struct stmt *s = seg->first;; s = s->next) {
		gen_stmt(g, s);
		if (s == seg->last)
			break;
	}
	gen_spec_ends(g);
	gen_submit(g, g->rec, g->lay->fmt->has_exit ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP);
	g->rec = VREG_NONE;
	if (more) {
		ir_jmp(g->f, done);
		ir_place(g->f, full);
		g->cache = saved;
		for (const struct stmt *s = seg->first;; s = s->next) {
			gen_stmt_full(g, s);
			if (s == seg->last)
				break;
		}
	}
	ir_place(g->f, done);
	gen_region_end(g, &saved);
	g->lay = outer;
}

void gen_stmts(struct gen *g, const struct stmt *s)
{
	while (s && !g->pr->failed) {
		const struct lay_seg *seg = g->lay->nsegs ? segment_at(g, s) : NULL;

		if (seg) {
			gen_segment(g, seg);
			s = seg->last->next;
		} else {
			gen_stmt(g, s);
			s = s->next;
		}
	}
}

/* -- if and loops -- */

static void gen_if(struct gen *g, const struct stmt *s)
{
	irlabel no = ir_label(g->f), end = ir_label(g->f);
	struct cache saved = gen_region_begin(g);

	gen_branch(g, s->expr, no, false);
	gen_block(g, s->body);
	if (s->els) {
		ir_jmp(g->f, end);
		ir_place(g->f, no);
		g->cache = saved;
		gen_block(g, s->els);
		ir_place(g->f, end);
	} else {
		ir_place(g->f, no);
	}
	gen_region_end(g, &saved);
}

/* Counts an iteration. The count goes up: a lower bound that the verifier learns would end no loop. */
static void gen_spend(struct gen *g)
{
	irlabel out = gen_fault_imm(g, FAULT_LOOPMAX, (uint64_t)g->loopmax);

	ir_jcci(g->f, IRC_GE, g->budget, g->loopmax, out);
	ir_alui(g->f, IRA_ADD, g->budget, g->budget, 1);
}

static void gen_loop(struct gen *g, const struct stmt *s)
{
	irlabel top = ir_label(g->f), end = ir_label(g->f), next = ir_label(g->f);
	irlabel was_break = g->l_break, was_continue = g->l_continue;
	uint32_t mark = ir_slot_mark(g->f);
	struct cache saved;

	gen_stmts(g, s->init);
	if (!g->in_call)
		g->action = s->number;
	saved = gen_region_begin(g);
	g->l_break = end;
	g->l_continue = next;
	ir_place(g->f, top);
	if (g->cg->caps->may_goto)
		ir_may_goto(g->f, gen_fault_imm(g, FAULT_LOOPMAX, (uint64_t)g->loopmax));
	if (s->expr && !s->post)
		gen_branch(g, s->expr, end, false);
	gen_spend(g);
	gen_block(g, s->body);
	ir_place(g->f, next);
	g->cache = saved;
	if (!g->in_call)
		g->action = s->number;
	if (s->step)
		gen_effect(g, s->step);
	if (s->expr && s->post)
		gen_branch(g, s->expr, end, false);
	ir_jmp(g->f, top);
	ir_place(g->f, end);
	gen_region_end(g, &saved);
	drop_locals(g, s->init);
	ir_slot_reset(g->f, mark);
	g->l_break = was_break;
	g->l_continue = was_continue;
}

/* -- functions -- */

/* The body in place of the call; its result is in the place of call->result. */
static void gen_call(struct gen *g, const struct dcall *call)
{
	irlabel was_return = g->l_return, was_break = g->l_break, was_continue = g->l_continue;
	bool was_in_call = g->in_call;
	struct place pl = { .kind = PL_MEM };
	struct cache saved;

	if (call->result) {
		gen_local_alloc(g, call->result);
		pl.m = gen_local_mem(g, call->result);
		gen_zero(g, pl.m, ROUND_UP(g->cg->vars[call->result->id].size, 8));
	}
	saved = gen_region_begin(g);
	g->in_call = true;
	g->l_return = ir_label(g->f);
	gen_stmts(g, call->params);
	gen_block(g, call->body);
	ir_place(g->f, g->l_return);
	gen_region_end(g, &saved);
	drop_locals(g, call->params);
	g->l_return = was_return;
	g->l_break = was_break;
	g->l_continue = was_continue;
	g->in_call = was_in_call;
}

vreg gen_call_int(struct gen *g, const struct dcall *call)
{
	struct place pl = { .kind = PL_MEM };
	struct tref btf;

	gen_call(g, call);
	if (!call->result)
		return ir_imm(g->f, 0);
	pl.m = gen_local_mem(g, call->result);
	g->locals[call->result->id].have = false;
	return gen_load_place(g, &pl, dtype_resolve(g->cg->p->types, call->result->type), &btf);
}

void gen_call_str(struct gen *g, const struct dcall *call, struct str *ret)
{
	uint32_t size = (uint32_t)opts_strcap(g->cg->opts);
	vreg set = ir_new(g->f);
	struct mem m;

	gen_call(g, call);
	m = gen_local_mem(g, call->result);
	g->locals[call->result->id].have = false;
	gen_ld(g, set, mem_add(m, (int32_t)size), 1, false);
	*ret = (struct str){ .m = m, .bound = size, .padded = true, .has_set = true, .set = set };
}

/* True when it was a statement of this file. */
bool gen_flow(struct gen *g, const struct stmt *s)
{
	switch (s->kind) {
	case ST_IF: gen_if(g, s); return true;
	case ST_LOOP: gen_loop(g, s); return true;
	case ST_BLOCK: gen_block(g, s->body); return true;
	case ST_LOCAL: gen_local(g, s); return true;
	case ST_BREAK: ir_jmp(g->f, g->l_break); return true;
	case ST_CONTINUE: ir_jmp(g->f, g->l_continue); return true;
	case ST_RETURN:
		if (s->expr)
			gen_effect(g, s->expr);
		ir_jmp(g->f, g->l_return);
		return true;
	case ST_EXPR:
	case ST_AGG:
	case ST_EMPTY: break;
	}
	return false;
}

/* -- the start of a clause -- */

struct uses {
	bool flow, loops, strtok;
};

static bool use_stmt(void *ctx, const struct stmt *s)
{
	struct uses *u = ctx;

	u->flow |= s->kind == ST_IF || s->kind == ST_LOOP || s->kind == ST_RETURN;
	u->loops |= s->kind == ST_LOOP;
	return false;
}

static bool use_node(void *ctx, const struct node *n)
{
	struct uses *u = ctx;

	u->strtok |= n->kind == N_CALL && n->builtin && n->builtin->id == BI_STRTOK;
	return false;
}

/* Sets the budget; the verifier learns it where it has to count itself. */
static void gen_budget(struct gen *g)
{
	int64_t max = g->cg->opts->loopmax, def = g->cg->caps->may_goto ? CG_LOOPS : CG_LOOPS_WALKED;

	g->loopmax = max < 1 ? def : max > CG_MAX_LOOPS ? CG_MAX_LOOPS : max;
	g->budget = ir_new(g->f);
	if (g->cg->caps->may_goto)
		ir_mov(g->f, g->budget, gen_opaque_zero(g));
	else
		ir_movi(g->f, g->budget, 0);
}

/* Before the predicate: a function that it calls may loop. */
void gen_flow_pred(struct gen *g)
{
	struct uses u = { 0 };
	struct walk w = { .stmt = use_stmt, .node = use_node, .ctx = &u };

	g->budget = g->spec = VREG_NONE;
	if (!g->cg->p->has_loops || !g->ds->pred)
		return;
	walk_node(&w, g->ds->pred);
	if (u.loops)
		gen_budget(g);
}

/* Computes the values that must be known on all paths through the clause. */
void gen_flow_start(struct gen *g)
{
	struct uses u = { 0 };
	struct walk w = { .stmt = use_stmt, .node = use_node, .ctx = &u };

	if (!g->cg->p->has_flow)
		return;
	walk_stmts(&w, g->ds->body);
	if (u.flow)
		gen_ts(g); /* timestamp is the same everywhere in the clause */
	if (u.flow && u.strtok)
		gen_strtok_start(g);
	if (u.loops && g->budget < 0)
		gen_budget(g);
	if (g->lay->speculates)
		g->spec = ir_imm(g->f, 0);
}
