/* SPDX-License-Identifier: Apache-2.0 */
/* Hoists values that several clauses of a program with trackers ask for, and at least one of them always: computes them
 * once, before the first clause. Otherwise each clause would compute them, because a predicate may have skipped an
 * earlier clause. The clock is most of the cost of tracking, then look-ups of a thread's data. */
#include "cg/gen/entry.h"
#include "cg/gen/task.h"
#include "cg/lower/expr.h"
#include "cg/lower/lower.h"
#include "cg/lower/track.h"

#define CURRENT (-1) /* in place of a word of the context: the current thread */

struct asked {
	const struct gen *g;
	int word; /* index of the task with the storage */
};

static bool is_clock(void *ctx, const struct node *n)
{
	(void)ctx;
	return (n->kind == N_CALL && (n->tracker || (n->builtin && n->builtin->id == BI_FLIGHT))) ||
	       (n->kind == N_IDENT && n->builtin && n->builtin->id == BI_TIMESTAMP);
}

/* Is it about what is kept of a thread? *word: of which. */
static bool is_storage(const struct gen *g, const struct node *n, int *word)
{
	if (n->kind == N_TLS && n->var && !n->var->is_assoc) {
		*word = CURRENT;
		return true;
	}
	if (n->kind != N_CALL || !n->tracker || n->builtin->id == BI_THRESHOLD || n->builtin->id == BI_TRACK_SCAN)
		return false;
	*word = n->tracker->store == TRACK_TASK ? track_word(g, n->args) : CURRENT;
	return n->tracker->store == TRACK_THREAD ||
	       (n->tracker->store == TRACK_TASK && *word >= 0 && *word < CG_TASK_ARGS);
}

static bool asks_storage(void *ctx, const struct node *n)
{
	const struct asked *a = ctx;
	int word;

	return is_storage(a->g, n, &word) && word == a->word;
}

/* How many of the clauses do; args[] are those of each clause's probe. */
static size_t askers(struct gen *g, const struct walk *w)
{
	const struct entry *e = g->e;
	size_t n = 0;

	for (size_t i = 0; i < g->pr->nunits; i++) {
		const struct clause_instance *ds = g->pr->units[i].ds;

		g->e = &g->pr->units[i].pts[0]->e;
		n += walk_node(w, ds->pred) || walk_stmts(w, ds->body);
	}
	g->e = e;
	return n;
}

/* The node of the expression that is evaluated first, and always. */
static const struct node *begins_with(const struct node *n)
{
	while (n && (n->kind == N_BINARY || n->kind == N_UNARY || n->kind == N_COND || n->kind == N_ASSIGN ||
		     (n->kind == N_CAST && n->implicit)))
		n = n->a;
	return n;
}

/* Is the clock asked for several times, and at least once without a predicate? */
static bool wants_clock(const struct prog *pr)
{
	struct walk w = { .node = is_clock };
	bool always = false;
	size_t n = 0;

	for (size_t i = 0; i < pr->nunits; i++) {
		const struct clause_instance *ds = pr->units[i].ds;
		const struct node *first = begins_with(ds->pred);
		bool body = walk_stmts(&w, ds->body);

		n += walk_node(&w, ds->pred) + body;
		always |= ds->pred ? first && is_clock(NULL, first) : body;
	}
	return n > 1 && always;
}

static void look_up(struct gen *g, const struct node *n, int word)
{
	struct tref type;
	vreg task;

	if (word == CURRENT) {
		gen_tls_read(g);
	} else if (g->cache.v[CA_TASK0 + word] < 0) {
		task = gen_ptr(g, n->args, &type);
		if (type.id)
			gen_task_tls(g, task, word, false, 0);
	}
}

void gen_hoisted(struct gen *g)
{
	const struct entry *e = g->e;
	struct asked a = { .g = g };
	struct walk storage = { .node = asks_storage, .ctx = &a };

	if (!g->cg->p->ntrackers || (e->kind != ENTRY_TP_BTF && e->kind != ENTRY_RAW_TP) || !prog_tracks(g->pr))
		return;
	if (wants_clock(g->pr))
		gen_ts(g);
	for (size_t i = 0; i < g->pr->nunits && g->pr->nunits > 1; i++) {
		const struct cg_unit *u = &g->pr->units[i];
		const struct node *n = begins_with(u->ds->pred ? u->ds->pred : u->ds->body ? u->ds->body->expr : NULL);

		g->e = &u->pts[0]->e;
		if (n && is_storage(g, n, &a.word) && askers(g, &storage) > 1)
			look_up(g, n, a.word);
	}
	g->e = e;
}
