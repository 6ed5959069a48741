/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of syntax trees: the checker annotates one per probe description. */
#include "lang/check/checker.h"

static struct node *node_copy_list(struct arena *a, const struct node *n)
{
	struct node *first = NULL, **tail = &first;

	for (; n; n = n->next) {
		*tail = node_copy(a, n);
		tail = &(*tail)->next;
	}
	return first;
}

/* The tree below n, without its siblings. Depth is bounded by DPROG_MAX_HEIGHT. */
struct node *node_copy(struct arena *a, const struct node *n)
{
	struct node *k;

	if (!n)
		return NULL;
	k = arena_memdup(a, n, sizeof(*n));
	k->next = NULL;
	k->a = node_copy(a, n->a);
	k->b = node_copy(a, n->b);
	k->c = node_copy(a, n->c);
	k->args = node_copy_list(a, n->args);
	return k;
}

struct stmt *stmt_copy(struct arena *a, const struct stmt *s)
{
	struct stmt *first = NULL, **tail = &first;

	for (; s; s = s->next) {
		struct stmt *k = arena_memdup(a, s, sizeof(*s));

		k->next = NULL;
		k->expr = node_copy(a, s->expr);
		k->call = node_copy(a, s->call);
		k->body = stmt_copy(a, s->body);
		k->els = stmt_copy(a, s->els);
		k->init = stmt_copy(a, s->init);
		k->step = node_copy(a, s->step);
		*tail = k;
		tail = &k->next;
	}
	return first;
}
