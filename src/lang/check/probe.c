/* SPDX-License-Identifier: Apache-2.0 */
/* Probe descriptions: which probes they match, and what to say when there are none. */
#include "lang/check/clause.h"
#include <string.h>

static int match(struct checker *c, const struct pdesc *d, struct probe_list *l, const char **reason)
{
	const struct probe_source *ps = c->env->probes;

	*l = (struct probe_list){ 0 };
	if (c->prog->trackers)
		track_match(c->a, c->prog, d, l);
	if (l->n || !ps || !ps->match)
		return 0;
	return ps->match(ps->ctx, c->a, d, l, reason);
}

static const char *part(const char *s)
{
	return s ? s : "";
}

static const char *full_name(struct checker *c, const struct pdesc *d)
{
	return arena_printf(c->a, "%s:%s:%s:%s", part(d->prov), part(d->mod), part(d->func), part(d->name));
}

/* The nearest value of one part among the probes that match without it. */
static bool near_part(struct checker *c, const struct pdesc *d, unsigned which)
{
	static const char *const kinds[] = { "name", "function", "module", "provider" };
	struct pdesc wide = *d;
	const char **const parts[] = { &wide.name, &wide.func, &wide.mod, &wide.prov };
	const char *want = *parts[which], *reason = NULL;
	struct probe_list l;
	struct near m;
	size_t i;

	if (!pdesc_is_exact(want))
		return false;
	*parts[which] = NULL;
	if (match(c, &wide, &l, &reason) < 0)
		return false;
	near_init(&m, want);
	for (i = 0; i < l.n; i++) {
		const struct probe *p = l.v[i];
		const char *const has[] = { p->name, p->func, p->mod, p->prov };

		if (!p->later)
			near_try(&m, has[which]);
	}
	if (!m.best && which == 2 && l.n && d->prov) {
		hint(c, "there is no module %s with such a probe, but %s", want, l.v[0]->mod);
		return true;
	}
	if (!m.best)
		return false;
	hint(c, "there is a probe %s %s; dwell -l lists all", kinds[which], m.best);
	return true;
}

void report_zero(struct checker *c, const struct pdesc_node *pd, const char *reason, const char *tag)
{
	unsigned i;

	if (tag && reason) {
		diag_error(c->d, pd->at, tag, "%s", reason);
		return;
	}

	if (pd->desc.id)
		diag_error(c->d, pd->at, D_PDESC_INVAL, "invalid probe identifier %u: Unknown probe identifier",
			   pd->desc.id);
	else
		diag_error(c->d, pd->at, D_PDESC_ZERO, "probe description %s does not match any probes",
			   full_name(c, &pd->desc));
	if (reason) {
		hint(c, "%s", reason);
		return;
	}
	if (!pd->desc.id && foreign_desc_hint(c, &pd->desc))
		return;
	for (i = 0; i < 4 && !pd->desc.id; i++) {
		if (near_part(c, &pd->desc, i))
			return;
	}
	if (pd->desc.prov && strchr(pd->desc.prov, '*'))
		hint(c, "with -Z it waits for programs that have such static probes");
}

/* -x zdepends: the other clauses run. */
static bool leave_out(struct checker *c, const struct pdesc_node *pd, const char *reason)
{
	diag_warn(c->d, pd->at, D_PDESC_ZERO, "left out: %s does not match any probes%s%s", full_name(c, &pd->desc),
		  reason ? ": " : "", reason ? reason : "");
	return true;
}

static bool is_error_probe(const struct probe *p)
{
	return !strcmp(p->prov, "dtrace") && !strcmp(p->name, "ERROR");
}

/* Leaves out what is known by name only. *reason: set when nothing is left. */
static void drop_unusable(struct probe_list *l, const char **reason)
{
	size_t i, n = 0;

	for (i = 0; i < l->n; i++) {
		if (l->v[i]->unavailable)
			*reason = l->v[i]->unavailable;
		else
			l->v[n++] = l->v[i];
	}
	l->n = n;
}

static bool is_arg_name(void *ctx, const struct node *n)
{
	(void)ctx;
	return n->kind == N_IDENT && !strncmp(n->name, "arg", 3) &&
	       (!strcmp(n->name + 3, "s") || (n->name[3] >= '0' && n->name[3] <= '9' && !n->name[4]));
}

/* An inlined copy has no arguments: a clause that reads them is not for it. *reason: set when nothing is left. */
static void drop_inlined(struct checker *c, const struct pdesc_node *pd, const struct clause *cl, struct probe_list *l,
			 const char **reason)
{
	const struct walk w = { .node = is_arg_name };
	size_t n = 0, copies;

	if (!walk_node(&w, cl->pred) && !walk_stmts(&w, cl->body))
		return;
	for (size_t i = 0; i < l->n; i++)
		if (!l->v[i]->inlined)
			l->v[n++] = l->v[i];
	copies = l->n - n;
	if (!copies)
		return;
	l->n = n;
	if (!n)
		*reason = arena_printf(c->a,
				       "%s is inlined in each place, and inlined copies have no arguments: "
				       "probe it without arg0 and args[]",
				       l->v[0]->func);
	else
		diag_warn(
			c->d, pd->at, D_PDESC_ZERO,
			"%zu inlined cop%s of %s left out: the clause reads arguments, which inlined code does not have",
			copies, copies == 1 ? "y" : "ies", l->v[0]->func);
}

/* known: by name, as what another kernel has. False: reported. */
static bool nothing_matches(struct checker *c, const struct pdesc_node *pd, const char *tag, const char *reason,
			    bool known)
{
	if (c->optional || c->env->zdefs || c->zdefs)
		return true;
	if (c->env->opts && c->env->opts->zdepends)
		return leave_out(c, pd, reason);
	c->leaving = known;
	if (known)
		foreign_leave(c, pd, reason);
	else
		report_zero(c, pd, reason, tag);
	return known;
}

/* Fills s for one description. False: reported. *ret_zero: it matches nothing, which -Z and -x zdepends allow. */
bool check_probes(struct checker *c, const struct pdesc_node *pd, struct clause_instance *s, bool *ret_zero)
{
	const char *reason = NULL;
	bool known;
	size_t i;

	c->leaving = false;
	s->desc = pd->desc;
	s->desc_text = pd->desc.id ? pd->text : full_name(c, &pd->desc);
	s->at = pd->at;
	*ret_zero = false;
	if (match(c, &pd->desc, &s->probes, &reason) < 0)
		s->probes.n = 0;
	known = s->probes.n > 0 || foreign_known(&pd->desc);
	drop_unusable(&s->probes, &reason);
	drop_inlined(c, pd, s->clause, &s->probes, &reason);
	if (!s->probes.n && !s->probes.tag && foreign_match(c, &pd->desc, &s->probes))
		drop_unusable(&s->probes, &reason);
	if (!s->probes.n) {
		*ret_zero = nothing_matches(c, pd, s->probes.tag, reason, known);
		return *ret_zero;
	}
	if (!c->optional)
		silent_warn(c, pd, &s->probes);
	for (i = 0; i < s->probes.n; i++)
		s->is_error = s->is_error || is_error_probe(s->probes.v[i]);
	return true;
}
