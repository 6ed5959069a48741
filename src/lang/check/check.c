/* SPDX-License-Identifier: Apache-2.0 */
/* The checker: syntax trees in, a typed program out. Items are checked in source order, so that a
 * variable is known after its first assignment, as in DTrace. */
#include "lang/check/args.h"
#include "lang/check/call.h"
#include "lang/check/clause.h"
#include "lang/check/decl.h"
#include "lang/check/event.h"
#include "lang/check/expr.h"
#include "lang/check/inline.h"
#include <errno.h>

static void init_checker(struct checker *c, struct arena *a, const struct compile_env *env, struct diags *d)
{
	*c = (struct checker){ .a = a, .d = d, .env = env };
	c->t = dtypes_new(a, env->ts);
	c->prog = arena_new_obj(a, struct dprog);
	c->prog->arena = a;
	c->prog->types = c->t;
	c->prog->opts = env->opts;
	symtab_init(&c->globals, a);
	symtab_init(&c->tls, a);
	symtab_init(&c->locals, a);
	symtab_init(&c->aggs, a);
	symtab_init(&c->inlines, a);
	symtab_init(&c->funcs, a);
	symtab_init(&c->aliases, a);
	symtab_init(&c->silent, a);
	symtab_init(&c->libinlines, a);
	if (env->libs)
		dtypes_on_miss(c->t, lib_define_type, c);
}

static bool out_of_room(struct checker *c, struct span at)
{
	if (c->prog->ninstances >= DPROG_MAX_CLAUSES) {
		diag_error(c->d, at, D_LIMIT, "more than %d clauses in one program", DPROG_MAX_CLAUSES);
		return true;
	}
	if (arena_exhausted(c->a)) {
		diag_error(c->d, at, D_LIMIT, "the program is too large: out of compiler memory");
		return true;
	}
	return false;
}

/* The clauses that come with the derived probes of s. */
static bool add_support(struct checker *c, const struct clause_instance *s, bool after, struct clause_instance ***tail)
{
	unsigned before = c->d->nerrors;
	struct unit *u;

	while ((u = derive_support(c, s, after)))
		for (const struct item *it = u->items; it; it = it->next)
			check_add_clause(c, it->clause, tail);
	return c->d->nerrors == before;
}

static void add_support_behind(struct checker *c, struct clause_instance ***tail)
{
	unsigned n = c->prog->ninstances;

	for (const struct clause_instance *s = c->prog->instances; s && n; s = s->next, n--)
		add_support(c, s, true, tail);
}

/* A clause that is left out, or has no probes: its variables come into being, its faults do not matter. */
static void check_left_out(struct checker *c, struct clause_instance *s)
{
	struct deferred_check *last = c->last_deferred;
	struct diags *real = c->d, trial;

	diags_init(&trial, c->a);
	c->d = &trial;
	check_clause(c, s);
	forget_trial(c, last);
	c->d = real;
}

/* Does the predicate say by constants that it never runs? One such operand of && is enough. */
static bool is_never(const struct node *pred)
{
	if (pred->kind == N_BINARY && pred->op == OP_LAND)
		return is_never(pred->a) || is_never(pred->b);
	return pred->kind == N_INT && pred->ival == 0;
}

bool check_add_clause(struct checker *c, const struct clause *cl, struct clause_instance ***tail)
{
	const struct pdesc_node *pd;

	for (pd = cl->probes; pd; pd = pd->next) {
		struct clause_instance *s = arena_new_obj(c->a, struct clause_instance);
		unsigned before = c->d->nerrors;
		bool zero;

		if (out_of_room(c, cl->at))
			return false;
		s->clause = cl;
		s->is_default = !cl->has_body || !cl->body;
		if (!check_probes(c, pd, s, &zero) || c->leaving) {
			check_left_out(c, s); /* others may use what it assigns */
			continue;
		}
		if (event_clause(c, s, cl)) {
			if (c->d->nerrors > before)
				break;
			continue;
		}
		if (!add_support(c, s, false, tail) || !check_derived(c, s))
			continue;
		if (check_amin_desc(c, s))
			check_clause(c, s);
		if (c->d->nerrors > before)
			break; /* the other descriptions would only repeat it */
		if (zero || (c->zdefs && s->pred && is_never(s->pred)))
			continue;
		s->epid = ++c->prog->ninstances;
		c->prog->has_error_clause = c->prog->has_error_clause || s->is_error;
		**tail = s;
		*tail = &s->next;
	}
	return c->d->nerrors < DIAG_MAX_ERRORS;
}

static void register_funcs(struct checker *c, struct unit *const *units, size_t nunits)
{
	size_t i;

	for (i = 0; i < nunits; i++) {
		const struct item *it;

		for (it = units[i]->items; it; it = it->next)
			if (it->decl && it->decl->kind == DECL_FUNC)
				func_register(c, it->decl, false);
	}
}

/* Also what no library declares. */
static void check_own_decl(struct checker *c, const struct decl *d)
{
	if (d->kind == DECL_PROVIDER)
		declare_provider(c, d);
	else if (d->kind == DECL_TRACKER)
		declare_tracker(c, d);
	else
		check_decl(c, d);
}

/* One run over the texts. An expression that it finds to need 64 bits is added to wide. */
static int check_once(struct arena *a, struct unit *const *units, size_t nunits, const struct compile_env *env,
		      struct diags *d, struct wide *wide, struct dprog **ret)
{
	struct clause_instance **tail;
	struct checker c;
	size_t i;

	init_checker(&c, a, env, d);
	c.wide = wide;
	c.units = units;
	c.nunits = nunits;
	register_funcs(&c, units, nunits);
	tail = &c.prog->instances;
	for (i = 0; i < nunits; i++) {
		const struct item *it;
		bool good = check_pragmas(&c, units[i]);

		c.left_out |= !good;
		c.zdefs = units[i]->zdefs;
		for (it = units[i]->items; it; it = it->next) {
			if (it->decl)
				check_own_decl(&c, it->decl);
			if (good && it->clause && !check_add_clause(&c, it->clause, &tail))
				return -EINVAL;
		}
	}
	for (i = 0; i < nunits; i++)
		c.zdefs |= units[i]->zdefs;
	add_support_behind(&c, &tail);
	event_place(&c, &tail);
	foreign_finish(&c);
	check_unused_funcs(&c);
	if (!d->nerrors)
		settle_keys(&c);
	check_late(&c);
	check_pragmas_used(&c, units, nunits);
	check_amin(&c);
	if (d->nerrors)
		return -EINVAL;
	dtypes_on_miss(c.t, NULL, NULL); /* the types outlive this checker */
	*ret = c.prog;
	return 0;
}

/* As often as variables are found whose first value had a type too narrow for later ones. */
int lang_check(struct arena *a, struct unit *const *units, size_t nunits, const struct compile_env *env,
	       struct diags *d, struct dprog **ret)
{
	const struct diags before = *d;
	struct wide wide = { .more = false };
	int r;

	symtab_init(&wide.globals, a);
	symtab_init(&wide.tls, a);
	symtab_init(&wide.locals, a);
	for (unsigned run = 1;; run++) {
		wide.more = false;
		wide.last = run == CHECK_MAX_RUNS;
		r = check_once(a, units, nunits, env, d, &wide, ret);
		if (!wide.more)
			return r;
		*d = before;
		if (d->last)
			d->last->next = NULL;
		dlib_recheck(env->libs);
	}
}

/* Can this declaration be checked without what follows it? */
static bool stands_alone(const struct decl *d)
{
	return d && (d->kind == DECL_VAR || d->kind == DECL_TYPEDEF || d->kind == DECL_TYPE);
}

void lang_check_before(struct arena *a, struct unit *const *units, size_t nunits, const struct compile_env *env,
		       struct diags *d)
{
	struct diags front;
	struct checker c;

	diags_init(&front, a);
	init_checker(&c, a, env, &front);
	for (size_t i = 0; i < nunits; i++)
		for (const struct item *it = units[i]->items; it; it = it->next)
			if (stands_alone(it->decl))
				check_decl(&c, it->decl);
	diags_put_first(d, &front);
}
