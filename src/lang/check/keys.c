/* SPDX-License-Identifier: Apache-2.0 */
/* Checks keys of associative arrays and aggregations. The first use, or a declaration, fixes their number and kinds.
 * The width of integers and the bound of strings that were not declared are chosen when all uses are known, so that no
 * use is truncated. */
#include "lang/check/expr.h"

/* Types that can be part of a key. */
static bool key_ok(struct checker *c, struct node *k, unsigned i, bool agg)
{
	const struct dtype *r = res(c, k);
	bool bad = r->kind == DK_VOID || r->kind == DK_AGG || r->kind == DK_FUNC || r->kind == DK_FLOAT ||
		   r->kind == DK_FWD || r->size > UINT32_MAX;

	if (!agg && (r->kind == DK_STACK || r->kind == DK_USTACK || r->kind == DK_SYM))
		bad = true;
	if (bad)
		fail(c, k, D_KEY_TYPE, "%s expression may not be used as %s index: key #%u", tname(c, k),
		     agg ? "aggregation" : "associative array", i + 1);
	return !bad;
}

/* Converts the first use of a key: char[] becomes a string; other arrays and structs stay bytes. */
static struct node *start_key(struct checker *c, struct node *k)
{
	const struct dtype *r = res(c, k);

	if (r->kind == DK_ARRAY && type_strcompat(c, r))
		return to_string(c, k);
	return k;
}

static void add_use(struct checker *c, struct keyuse **list, struct node *k)
{
	struct keyuse *u = arena_new_obj(c->a, struct keyuse);

	u->n = k;
	u->next = *list;
	*list = u;
}

static bool key_fits(struct checker *c, struct node *n, const char *what, unsigned i, const struct dtype *want,
		     struct node **k)
{
	if (is_err(*k) || want->kind == DK_DYN)
		return false;
	if (!arg_compat(c, want, *k) && !types_same(c, want, (*k)->type)) {
		fail(c, n, D_PROTO_ARG, "%s key #%u is incompatible with prototype:\n\tprototype: %s\n\t%9s: %s", what,
		     i + 1, dtype_name(c->t, want), "key", tname(c, *k));
		return false;
	}
	if (dtype_resolve(c->t, want)->kind == DK_STRING)
		*k = to_string(c, *k);
	return true;
}

static bool first_keys(struct checker *c, struct node *n, const struct dtype ***keys, unsigned *nkeys,
		       struct keyuse ***uses)
{
	unsigned i;

	*nkeys = n->nargs;
	*keys = arena_new_arr(c->a, const struct dtype *, n->nargs ? n->nargs : 1);
	*uses = arena_new_arr(c->a, struct keyuse *, n->nargs ? n->nargs : 1);
	for (i = 0; i < n->nargs; i++)
		(*keys)[i] = basic(c, DT_DYN);
	if (n->nargs <= CHECK_MAX_KEYS)
		return true;
	fail(c, n, D_LIMIT, "more than %d keys", CHECK_MAX_KEYS);
	return false;
}

bool check_keys(struct checker *c, struct node *n, const char *what, const struct dtype ***keys, unsigned *nkeys,
		struct keyuse ***uses)
{
	bool ok = true, first;
	struct node **slot;
	unsigned i = 0;

	first = !*keys;
	if (first && !first_keys(c, n, keys, nkeys, uses))
		return false;
	if (n->nargs != *nkeys) {
		fail(c, n, D_PROTO_LEN, "%s prototype mismatch: %u key%spassed, %u expected", what, n->nargs,
		     n->nargs == 1 ? " " : "s ", *nkeys);
		return false;
	}
	for (slot = &n->args; *slot; slot = &(*slot)->next, i++) {
		struct node *next = (*slot)->next, *k = *slot;

		k->next = NULL;
		if (first && !is_err(k) && key_ok(c, k, i, n->kind == N_AGG)) {
			k = start_key(c, k);
			(*keys)[i] = rvalue_type(c, k->type);
		} else if (first) {
			ok = false;
		} else {
			ok = key_fits(c, n, what, i, (*keys)[i], &k) && ok;
		}
		if (ok && *uses)
			add_use(c, &(*uses)[i], k);
		else if (ok)
			k = convert(c, k, (*keys)[i]);
		k->next = next;
		*slot = k;
	}
	return ok;
}

/* Keys of which one was wrong where they were used first: the next use is the first. */
static void forget_wrong(const struct dtype ***keys, unsigned *nkeys, struct keyuse ***uses)
{
	for (unsigned i = 0; i < *nkeys; i++) {
		if ((*keys)[i]->kind != DK_DYN)
			continue;
		*keys = NULL;
		*uses = NULL;
		*nkeys = 0;
		return;
	}
}

void forget_wrong_keys(struct checker *c)
{
	for (struct dvar *v = c->prog->vars; v; v = v->next)
		forget_wrong(&v->keys, &v->nkeys, &((struct cvar *)v)->uses);
	for (struct dagg *g = c->prog->aggs; g; g = g->next)
		forget_wrong(&g->keys, &g->nkeys, &((struct cagg *)g)->uses);
}

/* Turns node n, wherever it hangs, into an implicit cast of itself. */
static void cast_in_place(struct checker *c, struct node *n, const struct dtype *ty)
{
	const struct dtype *r = res(c, n), *to = dtype_resolve(c->t, ty);
	struct node *inner;

	if (n->kind == N_INT) {
		n->ival = int_wrap(to, n->ival);
		n->type = ty;
		return;
	}
	if (r->size == to->size && r->is_signed == to->is_signed)
		return;
	inner = arena_memdup(c->a, n, sizeof(*n));
	inner->next = NULL;
	*n = (struct node){ .kind = N_CAST, .at = n->at, .next = n->next, .a = inner, .implicit = true, .type = ty };
}

/* The widest integer of all uses; of that width, the sign of the first use. */
static const struct dtype *widest(struct checker *c, const struct dtype *first, const struct keyuse *u)
{
	const struct dtype *r = dtype_resolve(c->t, first);
	uint64_t size = r->size;

	for (; u; u = u->next) {
		if (res(c, u->n)->size > size)
			size = res(c, u->n)->size;
	}
	return size == r->size ? first : dtype_int(c->t, (unsigned)size, r->is_signed);
}

/* The largest static bound of all uses, or plain string. */
static const struct dtype *longest(struct checker *c, const struct keyuse *u)
{
	uint32_t bound = 1;

	for (; u; u = u->next) {
		const struct dtype *r = res(c, u->n);

		if (r->kind != DK_STRING || !r->strbound)
			return basic(c, DT_STRING);
		if (r->strbound > bound)
			bound = r->strbound;
	}
	return dtype_string(c->t, bound);
}

static void settle(struct checker *c, const struct dtype **keys, unsigned nkeys, struct keyuse **uses)
{
	unsigned i;

	for (i = 0; uses && i < nkeys; i++) {
		const struct dtype *r = dtype_resolve(c->t, keys[i]);
		struct keyuse *u;

		if (r->kind == DK_STRING)
			keys[i] = longest(c, uses[i]);
		if (!dtype_is_integer(r))
			continue;
		keys[i] = widest(c, keys[i], uses[i]);
		for (u = uses[i]; u; u = u->next)
			cast_in_place(c, u->n, keys[i]);
	}
}

void settle_keys(struct checker *c)
{
	struct dvar *v;
	struct dagg *g;

	for (v = c->prog->vars; v; v = v->next)
		settle(c, v->keys, v->nkeys, ((struct cvar *)v)->uses);
	for (g = c->prog->aggs; g; g = g->next)
		settle(c, g->keys, g->nkeys, ((struct cagg *)g)->uses);
}
