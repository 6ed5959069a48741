/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles clauses and their statements: predicate, record, actions. */
#include "cg/builtin/call.h"
#include "cg/gen/entry.h"
#include "cg/gen/fault.h"
#include "cg/gen/load.h"
#include "cg/gen/local.h"
#include "cg/gen/map.h"
#include "cg/gen/stack.h"
#include "cg/gen/task.h"
#include "cg/lower/act.h"
#include "cg/lower/expr.h"
#include "cg/lower/flow.h"
#include "cg/lower/var.h"

/* print(pointer): the address and what is there. */
void act_print(struct gen *g, struct call *c)
{
	const struct recfield *to = &c->la->fields[1].f;
	const struct node *n = c->la->fields[0].n;
	vreg a;

	if (c->la->nfields != 2)
		return;
	a = gen_int(g, n);
	gen_st(g, mem_at(g->rec, (int32_t)c->la->fields[0].f.off), 8, a);
	gen_probe_read(g, mem_at(g->rec, (int32_t)to->off), to->size, a, 0, n->user || (n->type->quals & DQ_USERLAND));
	c->done = 2;
}

static void gen_data_act(struct gen *g, const struct node *n, const struct lay_act *la)
{
	struct call c;

	call_builtin(g, n, n->builtin, la, &c);
	for (size_t i = c.done; i < la->nfields; i++)
		gen_value_to(g, la->fields[i].n, mem_at(g->rec, (int32_t)la->fields[i].f.off), &la->fields[i].f);
}

/* The increment: the argument after the parameters, or none. */
static const struct node *increment_of(const struct dagg *a, const struct node *call)
{
	unsigned at = a->func == AGG_QUANTIZE || a->func == AGG_HIST ? 1 : a->func == AGG_LQUANTIZE ? 4 : 5;
	const struct node *n = call->args;

	for (unsigned i = 0; n && i < at; i++)
		n = n->next;
	return n;
}

static void gen_agg_stmt(struct gen *g, const struct stmt *s)
{
	const struct dagg *a = s->expr->agg;
	const struct lay_agg *l = &g->cg->aggs[a->id];
	struct agg_values w = { .value = VREG_NONE, .by = VREG_NONE };
	const struct node *inc;

	if (a->func != AGG_COUNT && s->call->args)
		w.value = gen_int(g, s->call->args);
	w.bucket = gen_agg_bucket(g, a, w.value);
	inc = w.bucket == VREG_NONE ? NULL : increment_of(a, s->call);
	if (inc)
		w.by = gen_int(g, inc);
	if (l->desc->key_size)
		w.key = gen_key(g, &l->key, s->expr->args, 0);
	gen_aggregate(g, a, &w);
}

void gen_stmt(struct gen *g, const struct stmt *s)
{
	uint32_t mark, top;
	enum act_kind kind;

	if (s->var)
		gen_local_alloc(g, s->var);
	mark = ir_slot_mark(g->f);
	top = g->pr->scratch_top;

	if (g->pr->low_stack)
		memset(&g->cache, 0xff, sizeof(g->cache));
	if (!g->in_call)
		g->action = s->number;
	ir_at(g->f, g->ds->epid, s->at);
	if (s->kind == ST_AGG)
		gen_agg_stmt(g, s);
	else if (s->kind == ST_EXPR && act_is_data(s->expr, &kind))
		gen_data_act(g, s->expr, &g->lay->acts[g->act_next++]);
	else if (s->kind == ST_EXPR)
		gen_effect(g, s->expr);
	else
		gen_flow(g, s);
	ir_slot_reset(g->f, mark);
	g->pr->scratch_top = top > g->pr->scratch_keep ? top : g->pr->scratch_keep;
	gen_cold_stubs_between(g);
}

/* After exit() only END (and ERROR) clauses run, and none before all probes are attached. Clauses that neither end the
 * run nor change the machine need no such test: their first firings may come before other probes are attached. */
static void gen_activity(struct gen *g)
{
	vreg v;

	if ((!g->cg->p->has_exit && !g->cg->p->opts->destructive) || g->in_error ||
	    (g->e->kind == ENTRY_TEST_RUN && g->e->target && !strcmp(g->e->target, "END")))
		return;
	v = ir_new(g->f);
	ir_load(g->f, v, gen_mapval(g, cg_map_state(g->cg), offsetof(struct img_state, activity)), 0, 4);
	gen_jcci(g, IRC_NE, v, IMG_ACTIVE, g->l_next);
}

static bool is_own_call(void *ctx, const struct node *n)
{
	(void)ctx;
	return n->call != NULL;
}

/* Functions of the program may do anything. */
static bool calls_function(const struct node *n)
{
	struct walk w = { .node = is_own_call };

	return walk_node(&w, n);
}

/* Does the statement change anything that outlives the clause, apart from the record? */
static bool beside_record(const struct stmt *s)
{
	const struct node *n = s->expr;
	enum act_kind kind;

	if (s->kind == ST_AGG)
		return true;
	if (s->kind == ST_LOCAL && s->expr)
		return calls_function(s->expr);
	if (s->kind != ST_EXPR)
		return false;
	if (calls_function(n))
		return true;
	if (n->kind == N_CALL)
		return n->builtin && (n->builtin->flags & BIF_KERNEL || n->tracker || n->builtin->id == BI_FLIGHT ||
				      (act_is_data(n, &kind) && kind == ACT_EXIT));
	if (n->kind != N_ASSIGN && n->kind != N_UNARY)
		return false;
	for (n = n->a; n; n = n->a)
		if (n->var)
			return n->var->scope != VS_THIS;
	return true;
}

/* Padding between fields and after the last: nothing of older records is left in a record. */
static void gen_gaps(struct gen *g)
{
	const struct lay_clause *l = g->lay;
	uint32_t at = sizeof(struct rec_hdr);

	for (size_t i = 0; i < l->nacts; i++)
		for (size_t j = 0; j < l->acts[i].nfields; j++) {
			const struct recfield *f = &l->acts[i].fields[j].f;

			if (f->off > at)
				gen_zero(g, mem_at(g->rec, (int32_t)at), f->off - at);
			at = f->off + f->size;
		}
	if (l->fmt->size > at)
		gen_zero(g, mem_at(g->rec, (int32_t)at), l->fmt->size - at);
}

void gen_record(struct gen *g, irlabel fail)
{
	const struct recfmt *f = g->lay->fmt;
	vreg ts = gen_ts(g), probe = gen_probe_id(g), rec;

	gen_ustack_early(g);
	rec = gen_reserve(g, f->size, fail);
	g->rec = rec;
	ir_store(g->f, rec, offsetof(struct rec_hdr, ts), 8, ts);
	ir_storei(g->f, rec, offsetof(struct rec_hdr, fmt), 4, (int32_t)f->epid);
	ir_store(g->f, rec, offsetof(struct rec_hdr, probe), 4, probe);
	gen_gaps(g);
}

/* The clause's record. A full ring is counted as a loss. The clause still does the rest (aggregations, assignments,
 * exit): gen_full(). */
static void gen_clause_record(struct gen *g)
{
	gen_ts(g);
	gen_probe_id(g);
	for (const struct stmt *s = g->ds->body; s; s = s->next)
		g->have_full |= beside_record(s);
	if (g->have_full) {
		g->l_full = ir_label(g->f);
		gen_note_exit(g); /* from there the end is reached too */
	}
	g->full_cache = g->cache;
	gen_record(g, gen_drop(g, CNT_DROP_PRINCIPAL, g->have_full ? g->l_full : g->l_next));
}

static const struct lay_act *act_of(const struct gen *g, const struct stmt *s)
{
	const struct lay_act *la = g->lay->acts;

	while (la->stmt != s)
		la++;
	return la;
}

void gen_stmt_full(struct gen *g, const struct stmt *s)
{
	enum act_kind kind;

	if (s->kind != ST_EXPR || !act_is_data(s->expr, &kind))
		gen_stmt(g, s);
	else if (kind == ACT_EXIT || kind == ACT_SPECULATE)
		gen_data_act(g, s->expr, act_of(g, s));
}

/* The statements without the record, for when the ring is full. */
static void gen_full(struct gen *g)
{
	vreg rec = g->rec;

	ir_place(g->f, g->l_full);
	g->cache = g->full_cache;
	g->rec = VREG_NONE;
	for (const struct stmt *s = g->ds->body; s; s = s->next)
		gen_stmt_full(g, s);
	ir_jmp(g->f, g->l_next);
	g->rec = rec;
}

static void clause_start(struct gen *g, const struct cg_unit *u)
{
	const struct entry *e = &u->pts[0]->e;

	if (g->e != e) {
		for (unsigned i = 0; i < 10; i++)
			g->cache.v[CA_ARG0 + i] = VREG_NONE;
	}
	g->cache.v[CA_PROBE] = VREG_NONE;
	g->unit = u;
	g->ds = u->ds;
	g->e = e;
	g->lay = &g->cg->clauses[u->ds->epid - 1];
	g->act_next = 0;
	g->strtok_off = -1;
	g->rec = VREG_NONE;
	g->have_full = false;
	g->action = 0;
	g->exited = false;
	g->fault_out.begun = false;
	g->stubs_at = ir_ninsns(g->pr->ip);
	g->depth = 0;
	g->l_next = ir_label(g->f);
	g->pr->scratch_top = g->pr->scratch_keep = g->ev ? g->scratch_base : g->cg->this_size;
	g->pr->scratch_pad = 0;
}

void gen_clause(struct gen *g, const struct cg_unit *u)
{
	uint32_t mark = ir_slot_mark(g->f);

	clause_start(g, u);
	ir_at(g->f, u->ds->epid, u->ds->at);
	gen_guard(g, u);
	gen_noself_clause(g, false);
	gen_derived_cond(g);
	gen_flow_pred(g);
	if (pred_has_effect(u->ds))
		gen_activity(g);
	if (u->ds->pred) {
		ir_at(g->f, u->ds->epid, u->ds->pred->at);
		gen_branch(g, u->ds->pred, g->l_next, false);
		g->pr->scratch_top = g->pr->scratch_keep;
		gen_noself_clause(g, true);
	}
	if (!pred_has_effect(u->ds))
		gen_activity(g);
	gen_flow_start(g);
	if (g->lay->fmt->size)
		gen_clause_record(g);
	gen_stmts(g, u->ds->body);
	if (g->rec >= 0) {
		gen_spec_ends(g);
		gen_submit(g, g->rec, g->lay->fmt->has_exit ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP);
	}
	ir_jmp(g->f, g->l_next);
	if (!g->exited)
		g->exit_cache = g->cache;
	if (g->have_full)
		gen_full(g);
	gen_cold_stubs(g);
	ir_place(g->f, g->l_next);
	g->cache = g->exit_cache;
	ir_slot_reset(g->f, mark);
}
