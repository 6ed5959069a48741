/* SPDX-License-Identifier: Apache-2.0 */
/* Checks one clause instance: its predicate and its statements. */
#include "lang/check/call.h"
#include "lang/check/clause.h"
#include "lang/check/decl.h"
#include "lang/check/expr.h"

static void check_body(struct checker *c, struct clause_instance *s)
{
	c->committed = c->speculating = c->recorded = false;
	c->scope.block = NULL;
	s->body = stmt_copy(c->a, s->clause->body);
	check_stmts(c, s->body);
	c->scope.block = NULL;
}

static void check_pred(struct checker *c, struct clause_instance *s)
{
	const struct span *at = &s->clause->at;

	if (!s->clause->pred)
		return;
	s->pred = check_expr(c, node_copy(c->a, s->clause->pred));
	check_action_value(c);
	if (node_records(s->pred)) {
		fail(c, s->pred, D_CG_EXPR, "a function that records data may not be called in a predicate");
		hint(c, "call it in the clause: if (…) { … }");
	}
	if (is_err(s->pred) || is_scalar(c, s->pred))
		return;
	fail(c, s->pred, D_PRED_SCALAR, "predicate result must be of scalar type");
	if (c->d->latest) /* DTrace looks at it when it has read the clause */
		c->d->latest->read_to = at->off + at->len - 1;
	if (is_str(c, s->pred))
		hint(c, "compare strings: … != \"\"");
}

/* Before a body is checked once more: forgets what its first check left for later, and that
 * variables and keys were given wrong values (else complaints that were not printed would be missed). */
void forget_trial(struct checker *c, struct deferred_check *last)
{
	struct dvar *v;

	for (v = c->prog->vars; v; v = v->next)
		((struct cvar *)v)->poisoned = false;
	forget_wrong_keys(c);
	c->last_deferred = last;
	if (last)
		last->next = NULL;
	else
		c->late = NULL;
}

/* The predicate or the actions may bring a variable into being that the other one reads. The actions come first, as in
 * DTrace. If they meet an unknown name, they are tried again after the predicate. */
void check_clause(struct checker *c, struct clause_instance *s)
{
	struct diags *real = c->d, trial;
	struct deferred_check *last = c->last_deferred;

	c->stmt = s;
	c->ntemps = 0;
	if (!s->clause->pred) {
		check_body(c, s);
		c->stmt = NULL;
		return;
	}
	diags_init(&trial, c->a);
	c->d = &trial;
	c->stop_undef = false;
	check_body(c, s);
	c->d = real;
	if (!trial.nerrors) {
		check_pred(c, s);
	} else if (!c->stop_undef) {
		/* the same once more, for the messages */
		forget_trial(c, last);
		check_body(c, s);
		check_pred(c, s);
	} else {
		check_pred(c, s);
		forget_trial(c, last);
		check_body(c, s);
	}
	c->stmt = NULL;
}
