/* SPDX-License-Identifier: Apache-2.0 */
/* Constants known to the parser. DTrace computes integers while it parses: of a ?: with such a condition only
 * the branch taken is left, so that actions and aggregations may stand there and the other branch may be anything.
 * What the checker finds to be constant later (probename == "x", enumerators) does not count: the type of such
 * a ?: is that of both branches, whichever probe the clause is for. */
#include "lang/check/int.h"

static const struct cinline *inline_of(struct checker *c, const char *name)
{
	const struct cinline *in = symtab_get(&c->inlines, name, 0);

	for (unsigned i = 0; i < c->scope.nparams; i++)
		if (c->scope.params[i].name && !__builtin_strcmp(c->scope.params[i].name, name))
			return NULL;
	if (c->raw || local_find(c, name) || (!c->scope.lib && symtab_get(&c->globals, name, 0)))
		return NULL;
	if (c->scope.lib || (!in && !find_builtin(c, name)))
		in = lib_inline(c, name);
	return in && !in->is_array ? in : NULL;
}

/* Only calculations with integers, and names of inlines that are one. */
static bool parsed_const(struct checker *c, const struct node *n)
{
	const struct cinline *in;

	switch (n->kind) {
	case N_INT: return true;
	case N_IDENT: in = inline_of(c, n->name); return in && in->is_int;
	case N_UNARY: return n->op != OP_DEREF && n->op != OP_ADDR && parsed_const(c, n->a);
	case N_CAST: return parsed_const(c, n->a);
	case N_BINARY: return n->op != OP_COMMA && parsed_const(c, n->a) && parsed_const(c, n->b);
	case N_COND: return parsed_const(c, n->a) && parsed_const(c, n->b) && parsed_const(c, n->c);
	case N_SIZEOF: return n->tyname && !n->a;
	default: return false;
	}
}

struct node *const_branch(struct checker *c, const struct node *n, bool *ret_bad)
{
	struct node *k;

	*ret_bad = false;
	if (n->kind != N_COND || !parsed_const(c, n->a))
		return NULL;
	k = check_expr(c, node_copy(c->a, n->a));
	*ret_bad = is_err(k);
	if (*ret_bad || k->kind != N_INT)
		return NULL;
	k = k->ival ? n->b : n->c;
	k->next = n->next;
	return k;
}
