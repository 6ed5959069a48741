/* SPDX-License-Identifier: Apache-2.0 */
/* Aggregations: one function and one key signature each, in the whole program. */
#include "lang/check/call.h"
#include "lang/check/clause.h"
#include "lang/check/expr.h"
#include <limits.h>

static struct cagg *agg_get(struct checker *c, const struct node *n)
{
	struct cagg *g = symtab_get(&c->aggs, n->name, 0);

	if (g)
		return g;
	g = arena_new_obj(c->a, struct cagg);
	g->pub.id = c->prog->naggs++;
	g->pub.name = n->name;
	g->pub.at = n->at;
	symtab_put(&c->aggs, n->name, 0, g);
	if (c->lastagg)
		c->lastagg->pub.next = &g->pub;
	else
		c->prog->aggs = &g->pub;
	c->lastagg = g;
	return g;
}

struct node *check_agg_ref(struct checker *c, struct node *n)
{
	if (n->args)
		return fail(c, n, D_PROTO_ARG, "@%s[ ]: the aggregation as a whole is given without keys", n->name);
	n->agg = &agg_get(c, n)->pub;
	return set_type(n, basic(c, DT_AGG));
}

/* -- aggregating functions -- */

/* The column par of the rows AGG. */
static const enum agg_func agg_funcs[BI_COUNT_] = {
#define PAR_VAR(par) 0
#define PAR_ACT(par) 0
#define PAR_SUB(par) 0
#define PAR_AGG(par) par
#define BI(id, name, kind, proto, since, flags, bound, check, code, par, doc) [BI_##id] = PAR_##kind(par),
#include "lang/builtin.def"
#undef BI
};

static const struct node *arg_at(const struct node *call, unsigned i)
{
	const struct node *a = call->args;

	while (a && i--)
		a = a->next;
	return a;
}

/* A constant parameter within [min, max]; false: reported. num: as counted in messages. */
static bool param(struct checker *c, const struct node *a, const char *typetag, const char *valtag, const char *fn,
		  int num, int64_t min, int64_t max, const char *what, int32_t *ret)
{
	if (a->kind != N_INT) {
		diag_error(c->d, a->at, typetag, "%s( ) argument #%d must be an integer constant", fn, num);
		return false;
	}
	if ((int64_t)a->ival < min || (int64_t)a->ival > max || (!res(c, a)->is_signed && a->ival > INT64_MAX)) {
		diag_error(c->d, a->at, valtag, "%s( ) argument #%d must be %s", fn, num, what);
		return false;
	}
	*ret = (int32_t)(int64_t)a->ival;
	return true;
}

static bool lquant_params(struct checker *c, const struct node *n, int32_t *p)
{
	const struct node *step = arg_at(n, 3);
	int64_t levels;

	p[2] = 1;
	if (!param(c, arg_at(n, 1), D_LQUANT_BASETYPE, D_LQUANT_BASEVAL, "lquantize", 1, INT32_MIN, INT32_MAX,
		   "a 32-bit quantity", &p[0]) ||
	    !param(c, arg_at(n, 2), D_LQUANT_LIMTYPE, D_LQUANT_LIMVAL, "lquantize", 2, INT32_MIN, INT32_MAX,
		   "a 32-bit quantity", &p[1]))
		return false;
	if (p[1] <= p[0]) {
		diag_error(c->d, n->at, D_LQUANT_MISMATCH,
			   "lquantize( ) base (argument #1) must be less than limit (argument #2)");
		return false;
	}
	if (step && !is_positive_const(c, step)) {
		diag_error(c->d, step->at, D_LQUANT_STEPTYPE,
			   "lquantize( ) argument #3 must be a non-zero positive integer constant");
		return false;
	}
	if (step && !param(c, step, D_LQUANT_STEPTYPE, D_LQUANT_STEPVAL, "lquantize", 3, 1, UINT16_MAX,
			   "a 16-bit quantity", &p[2]))
		return false;
	levels = ((int64_t)p[1] - p[0]) / p[2];
	if (levels == 0)
		diag_error(c->d, n->at, D_LQUANT_STEPLARGE,
			   "lquantize( ) step (argument #3) too large: must have at least one "
			   "quantization level");
	else if (levels > UINT16_MAX)
		diag_error(c->d, n->at, D_LQUANT_STEPSMALL,
			   "lquantize( ) step (argument #3) too small: number of quantization levels "
			   "must be a 16-bit quantity");
	return levels > 0 && levels <= UINT16_MAX;
}

/* base to the power of n; UINT64_MAX when that is more than 64 bits */
static uint64_t power(uint64_t base, unsigned n)
{
	uint64_t v = 1;

	while (n--) {
		if (__builtin_mul_overflow(v, base, &v))
			return UINT64_MAX;
	}
	return v;
}

/* The steps must cut each magnitude at whole numbers. */
static const char *steps_problem(const int32_t *p)
{
	uint64_t factor = (uint64_t)p[0], steps = (uint64_t)p[3];

	if (steps < factor && factor % steps)
		return "argument #4 (steps) must evenly divide argument #1 (factor) when "
		       "steps<factor";
	if (steps <= factor)
		return NULL;
	if (steps % factor)
		return "argument #4 (steps) must be a multiple of argument #1 (factor) when "
		       "steps>factor";
	if (p[1] == 0 && factor * factor % steps)
		return "argument #4 (steps) must evenly divide the square of argument #1 (factor) "
		       "when steps>factor and lmag==0";
	if (p[1] && power(factor, (unsigned)p[1] + 1) % steps)
		return "argument #4 (steps) must evenly divide pow(argument #1 (factor), lmag "
		       "(argument #2) + 1) when steps>factor and lmag>0";
	return NULL;
}

static bool llquant_params(struct checker *c, const struct node *n, int32_t *p)
{
	static const char u16[] = "an unsigned 16-bit quantity";
	const struct node *hi = arg_at(n, 3), *steps = arg_at(n, 4);
	const char *reason;

	if (!param(c, arg_at(n, 1), D_LLQUANT_FACTORTYPE, D_LLQUANT_FACTORVAL, "llquantize", 1, 2, UINT16_MAX,
		   "an unsigned 16-bit quantity greater than or equal to 2", &p[0]) ||
	    !param(c, arg_at(n, 2), D_LLQUANT_LMAGTYPE, D_LLQUANT_LMAGVAL, "llquantize", 2, 0, UINT16_MAX, u16,
		   &p[1]) ||
	    !param(c, hi, D_LLQUANT_HMAGTYPE, D_LLQUANT_HMAGVAL, "llquantize", 3, 0, UINT16_MAX, u16, &p[2]) ||
	    (is_positive_const(c, steps) &&
	     !param(c, steps, D_LLQUANT_STEPTYPE, D_LLQUANT_STEPVAL, "llquantize", 4, 1, UINT16_MAX, u16, &p[3])))
		return false;
	if (!is_positive_const(c, steps)) {
		diag_error(c->d, steps->at, D_LLQUANT_STEPTYPE,
			   "llquantize( ) argument #4 must be a non-zero positive integer constant");
		return false;
	}
	if (p[2] < p[1]) {
		diag_error(c->d, hi->at, D_LLQUANT_HMAGVAL,
			   "llquantize( ) argument #3 (high magnitude) must be at least argument #2 "
			   "(low magnitude)");
		return false;
	}
	if (power((uint64_t)p[0], (unsigned)p[2] + 1) > INT64_MAX) { /* bounds are signed */
		diag_error(c->d, hi->at, D_LLQUANT_HMAGVAL,
			   "llquantize( ) argument #3 (high magnitude) will cause overflow of 64 "
			   "bits");
		return false;
	}
	reason = steps_problem(p);
	if (reason)
		diag_error(c->d, steps->at, D_LLQUANT_STEPVAL, "llquantize( ) %s", reason);
	return !reason;
}

/* -- agreement with former uses -- */

static bool same_param(struct checker *c, const struct node *n, const char *tag, const char *text, int64_t want,
		       int64_t have)
{
	if (want == have)
		return true;
	diag_error(c->d, n->at, tag, "%s doesn't match previous declaration: expected %lld, found %lld", text,
		   (long long)want, (long long)have);
	return false;
}

static int64_t top(const int32_t *p)
{
	return p[0] + ((int64_t)p[1] - p[0]) / p[2] * p[2];
}

static bool same_params(struct checker *c, const struct node *n, enum agg_func f, const int32_t *old, const int32_t *p)
{
	if (f == AGG_LQUANTIZE)
		return same_param(c, n, D_LQUANT_MATCHBASE, "lquantize( ) base (argument #1)", old[0], p[0]) &&
		       same_param(c, n, D_LQUANT_MATCHLIM, "lquantize( ) limit (argument #2)", top(old), top(p)) &&
		       same_param(c, n, D_LQUANT_MATCHSTEP, "lquantize( ) step (argument #3)", old[2], p[2]);
	if (f == AGG_LLQUANTIZE)
		return same_param(c, n, D_LLQUANT_MATCHFACTOR, "llquantize( ) factor (argument #1)", old[0], p[0]) &&
		       same_param(c, n, D_LLQUANT_MATCHLMAG, "llquantize( ) lmag (argument #2)", old[1], p[1]) &&
		       same_param(c, n, D_LLQUANT_MATCHHMAG, "llquantize( ) hmag (argument #3)", old[2], p[2]) &&
		       same_param(c, n, D_LLQUANT_MATCHSTEPS, "llquantize( ) steps (argument #4)", old[3], p[3]);
	return true;
}

static bool set_func(struct checker *c, struct node *call, struct cagg *g, enum agg_func func)
{
	int32_t p[4] = { 0 };
	int i;

	if (g->pub.have_func && g->pub.func != func) {
		const char *name = g->pub.name;
		struct position at = { 0 };

		if (g->fn_at.src)
			at = source_position(g->fn_at.src, g->fn_at.off);
		fail(c, call, D_AGG_REDEF,
		     "aggregation redefined: @%s\n\t current: @%s = %s( )\n\tprevious: @%s = %s( ) "
		     ": "
		     "line %u",
		     name, name, call->name, name, g->fn->name, at.line);
		return false;
	}
	if (func == AGG_LQUANTIZE && !lquant_params(c, call, p))
		return false;
	if (func == AGG_LLQUANTIZE && !llquant_params(c, call, p))
		return false;
	if (g->pub.have_func)
		return same_params(c, call, func, g->pub.param, p);
	g->pub.have_func = true;
	g->pub.func = func;
	g->fn = call->builtin;
	g->fn_at = call->at;
	for (i = 0; i < 4; i++)
		g->pub.param[i] = p[i];
	return true;
}

/* The value and the increment to 64 bits; the parameters are constants. */
static bool value_args(struct checker *c, struct node *call, struct cagg *g, const struct proto *p, bool first)
{
	/* position of the increment, from 1; 0: none */
	unsigned incr = p->max > 1 && p->max > p->min && *p->par[p->max - 1] == 'N' ? p->max : 0;
	enum agg_func func = agg_funcs[call->builtin->id];
	struct node **slot;
	unsigned i = 1;

	for (slot = &call->args; *slot; slot = &(*slot)->next, i++) {
		struct node *next = (*slot)->next, *k = *slot;
		bool is_signed;

		if (i != 1 && i != incr)
			continue;
		if (!is_scalar(c, k) && i == 1) {
			fail(c, call, D_AGG_SCALAR, "%s( ) argument #1 must be of scalar type", call->name);
			return false;
		}
		if (!is_scalar(c, k)) {
			fail(c, call, D_PROTO_ARG, "%s( ) increment value (argument #%u) must be of scalar type",
			     call->name, i);
			return false;
		}
		is_signed = is_int(c, k) && (res(c, k)->is_signed || res(c, k)->size < 4);
		k = convert(c, k, basic(c, is_signed ? DT_LONG : DT_ULONG));
		k->next = next;
		*slot = k;
		/* DTrace takes all values as signed; only the order of extremes depends on it. */
		if (i == 1 && first)
			g->pub.is_signed = is_signed || (func != AGG_MIN && func != AGG_MAX);
	}
	return true;
}

bool agg_begin(struct checker *c, struct stmt *s)
{
	struct node *n = s->expr, *call = s->call;
	const struct builtin *b = call && call->kind == N_CALL ? find_builtin_func(c, call->name) : NULL;
	struct proto p;

	if (c->committed)
		fail(c, call, D_AGG_COMM, "aggregating actions may not follow commit( )");
	else if (c->speculating)
		fail(c, call, D_AGG_SPEC, "aggregating actions may not follow speculate( )");
	c->recorded = true;
	set_err(c, n);
	set_err(c, call);
	if (call && call->kind == N_CALL && !b)
		return true; /* undefined: its arguments tell */
	if (!b || b->kind != BIK_AGG) {
		fail(c, n, D_AGG_FUNC, "@%s must be assigned the result of an aggregating function", n->name);
		return false;
	}
	call->builtin = b;
	p = proto_of(c, b);
	return !proto_len(c, call, p.min, p.max);
}

bool agg_function(struct checker *c, struct stmt *s)
{
	struct cagg *g = agg_get(c, s->expr);
	struct proto p = proto_of(c, s->call->builtin);

	s->expr->agg = &g->pub;
	return value_args(c, s->call, g, &p, !g->pub.have_func) &&
	       set_func(c, s->call, g, agg_funcs[s->call->builtin->id]);
}

/* Whether the first key is a time stamp divided by a constant: a slot of time. */
static void note_slot(struct dagg *g, const struct node *key, bool first)
{
	uint64_t ns = 0;
	bool wall = false;

	if (key && key->kind == N_BINARY && key->op == OP_DIV && key->a->kind == N_IDENT && key->a->builtin &&
	    key->b->kind == N_INT && (key->a->builtin->id == BI_TIMESTAMP || key->a->builtin->id == BI_WALLTIMESTAMP)) {
		ns = key->b->ival;
		wall = key->a->builtin->id == BI_WALLTIMESTAMP;
	}
	if (first || ns != g->slot_ns || wall != g->slot_wall) {
		g->slot_ns = first ? ns : 0;
		g->slot_wall = first && wall;
	}
}

void agg_keys(struct checker *c, struct stmt *s)
{
	struct node *n = s->expr;
	struct cagg *g = (struct cagg *)n->agg;

	if (!check_keys(c, n, arena_printf(c->a, "@%s[ ]", n->name), &g->pub.keys, &g->pub.nkeys, &g->uses))
		return;
	note_slot(&g->pub, n->args, !g->pub.have_keys);
	g->pub.have_keys = true;
	set_type(n, basic(c, DT_AGG));
	set_type(s->call, basic(c, DT_VOID));
}

/* -- actions on aggregations, when all is known -- */

void late_add(struct checker *c, struct node *call, const char *tag)
{
	struct deferred_check *l = arena_new_obj(c->a, struct deferred_check);

	l->call = call;
	l->tag = tag;
	if (c->last_deferred)
		c->last_deferred->next = l;
	else
		c->late = l;
	c->last_deferred = l;
}

static bool all_defined(struct checker *c, const struct node *call, const char *tag)
{
	struct node *a;

	for (a = call->args; a; a = a->next) {
		const struct symtab_entry *e;
		struct near m;

		if (a->kind != N_AGG || (a->agg->have_func && a->agg->have_keys))
			continue;
		if (a->agg->have_func)
			return false; /* its keys were wrong */
		fail(c, a, tag, "undefined aggregation: @%s", a->name);
		near_init(&m, a->name);
		for (e = c->aggs.first; e; e = e->later) {
			if (((struct cagg *)e->val)->pub.have_func)
				near_try(&m, e->s);
		}
		if (m.best)
			hint(c, "did you mean @%s?", m.best);
		return false;
	}
	return true;
}

static const char *plural(unsigned n)
{
	return n == 1 ? "" : "s";
}

/* Aggregations that are printed side by side have the same keys. */
static bool same_keys(struct checker *c, struct node *call, const struct dagg *l, const struct dagg *r)
{
	unsigned i;

	if (l->nkeys != r->nkeys) {
		fail(c, call, D_PRINTA_AGGKEY,
		     "printa( ): @%s and @%s do not have matching key signatures: @%s has %u "
		     "key%s, "
		     "@%s has %u key%s",
		     l->name, r->name, l->name, l->nkeys, plural(l->nkeys), r->name, r->nkeys, plural(r->nkeys));
		return false;
	}
	for (i = 0; i < l->nkeys; i++) {
		struct node fake = { .kind = N_IDENT, .type = r->keys[i] };

		if (arg_compat(c, l->keys[i], &fake))
			continue;
		fail(c, call, D_PRINTA_AGGPROTO,
		     "printa( ): @%s[ ] key #%u is incompatible with @%s:\n%9s key #%u: %s\n"
		     "%9s key #%u: %s",
		     r->name, i + 1, l->name, l->name, i + 1, dtype_name(c->t, l->keys[i]), r->name, i + 1,
		     dtype_name(c->t, r->keys[i]));
		return false;
	}
	return true;
}

static void late_printa(struct checker *c, struct node *call)
{
	struct node *fmt = call->args->kind == N_STR ? call->args : NULL;
	struct node *first = fmt ? fmt->next : call->args, *a;

	for (a = first->next; a; a = a->next) {
		if (!same_keys(c, call, first->agg, a->agg))
			return;
	}
	if (fmt)
		check_format_agg(c, call, fmt, first->agg);
}

void check_late(struct checker *c)
{
	struct deferred_check *l;

	for (l = c->late; l; l = l->next) {
		if (all_defined(c, l->call, l->tag) && l->call->builtin->id == BI_PRINTA)
			late_printa(c, l->call);
	}
}
