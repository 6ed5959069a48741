/* SPDX-License-Identifier: Apache-2.0 */
/* Goes over statements and expressions, nested ones and the bodies of called functions too. */
#include "lang/dprog.h"

bool walk_node(const struct walk *w, const struct node *n)
{
	const struct node *k;

	if (!n)
		return false;
	if (w->node && w->node(w->ctx, n))
		return true;
	if (n->call && (walk_stmts(w, n->call->params) || walk_stmts(w, n->call->body)))
		return true;
	if (walk_node(w, n->a) || walk_node(w, n->b) || walk_node(w, n->c))
		return true;
	for (k = n->args; k; k = k->next)
		if (walk_node(w, k))
			return true;
	return false;
}

bool walk_stmts(const struct walk *w, const struct stmt *s)
{
	for (; s; s = s->next) {
		if (w->stmt && w->stmt(w->ctx, s))
			return true;
		if (walk_stmts(w, s->init) || walk_node(w, s->expr) || walk_node(w, s->call) || walk_node(w, s->step) ||
		    walk_stmts(w, s->body) || walk_stmts(w, s->els))
			return true;
	}
	return false;
}

static bool records(void *ctx, const struct node *n)
{
	(void)ctx;
	return n->call && n->call->records;
}

bool node_records(const struct node *n)
{
	static const struct walk w = { .node = records };

	return walk_node(&w, n);
}
