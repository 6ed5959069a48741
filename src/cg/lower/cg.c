/* SPDX-License-Identifier: Apache-2.0 */
/* Drives the code generator. It groups clauses by the entry of their probes, makes the programs of each group (a
 * further one when the first is full), and assembles the image. */
#include "lang/later.h"
#include <errno.h>
#include "cg/gen/entry.h"
#include "cg/gen/fault.h"
#include "cg/gen/layout.h"
#include "cg/gen/load.h"
#include "cg/gen/local.h"
#include "cg/gen/map.h"
#include "cg/lower/act.h"
#include "cg/lower/lower.h"
#include "cg/lower/track.h"

/* The verifier's time grows faster than a program: clauses that share no this-> variables go to a further
 * program after this many IR instructions already. */
#define CG_SPLIT_FREE 4000

/* -- programs -- */

static int by_id(const void *a, const void *b)
{
	const struct probe *x = *(const struct probe *const *)a, *y = *(const struct probe *const *)b;

	return x->id < y->id ? -1 : x->id > y->id;
}

/* The probes that the units serve, in id order, once each. */
static void list_probes(struct cg *c, const struct prog *pr, struct img_prog *ip)
{
	size_t n = 0, k = 0;

	for (size_t i = 0; i < pr->nunits; i++)
		n += pr->units[i].npts;
	ip->probes = arena_new_arr(c->a, const struct probe *, n + 1);
	for (size_t i = 0; i < pr->nunits; i++)
		for (size_t j = 0; j < pr->units[i].npts; j++)
			ip->probes[k++] = pr->units[i].pts[j]->probe;
	qsort(ip->probes, n, sizeof(*ip->probes), by_id);
	k = 0;
	for (size_t i = 0; i < n; i++)
		if (!k || ip->probes[k - 1]->id != ip->probes[i]->id)
			ip->probes[k++] = ip->probes[i];
	ip->nprobes = (uint32_t)k;
}

/* The clauses that a fault of the program fires. */
static void gen_error_clauses(struct prog *pr)
{
	struct cg *c = pr->cg;
	struct gen g;

	if (!gen_error_start(&g, pr))
		return;
	for (size_t i = 0; i < c->nerror_units && !pr->failed; i++)
		gen_clause(&g, &c->error_units[i]);
	ir_reti(g.f, 0);
}

/* Emits the units [0, *n) of pr; *n is cut where the program is full. */
static void gen_main(struct prog *pr, size_t *n)
{
	uint32_t limit = pr->cg->whole ? UINT32_MAX : pr->grp->shares_this ? CG_SPLIT_INSNS : CG_SPLIT_FREE;
	struct gen g;
	size_t done = 0;

	gen_init(&g, pr,
		 pr->units[0].pts[0]->e.kind == ENTRY_ITER_MAP ? track_scan_fn(pr) : irfn_new(pr->ip, "main", 1));
	gen_prologue(&g);
	gen_hoisted(&g);
	if (pr->grp->busy)
		gen_busy_begin(&g);
	gen_this_init(&g);
	track_scan_init(&g);
	for (; done < *n; done++) {
		if (done && ir_ninsns(pr->ip) > limit)
			break;
		gen_clause(&g, &pr->units[done]);
		if (pr->failed || pr->too_many_maps || ir_error(pr->ip, NULL) < 0)
			break;
	}
	if (pr->grp->busy)
		gen_busy_end(&g);
	if (pr->again == VREG_NONE)
		ir_reti(g.f, 0);
	else
		ir_ret(g.f, pr->again);
	gen_error_clauses(pr);
	*n = done;
}

static void report_size(struct cg *c, const struct prog *pr, const char *reason)
{
	const struct clause_instance *ds = pr->units[0].ds;
	const char *text = ds->desc_text ? ds->desc_text : "?";

	if (pr->too_many_maps) {
		diag_error(
			c->d, ds->at, TAG_LIMIT,
			"clause %u (%s) uses too many aggregations and arrays of different shapes: more than %d maps",
			ds->epid, text, CG_MAX_MAPS);
		return;
	}
	struct diag *g = diag_error(c->d, ds->at, TAG_LIMIT, "clause %u (%s) is too large: %u instructions%s%s",
				    ds->epid, text, ir_ninsns(pr->ip), reason ? ": " : "", reason ? reason : "");

	diag_hint(c->d, g, "split it into several clauses with the same probe description");
}

static void add_prog(struct cg *c, const struct prog *pr, struct img_prog *ip)
{
	const struct clause_instance *first = pr->units[0].ds, *last = pr->units[pr->nunits - 1].ds;

	if (pr->units[0].pts[0]->probe->later) { /* it was made for its maps and errors */
		c->nlater = LATER_MAX_PROGS;
		return;
	}
	ip->entry = pr->units[0].pts[0]->e;
	snprintf(ip->name, sizeof(ip->name), "d_%.9s_%u", ip->entry.target ? ip->entry.target : "probe", pr->index);
	for (char *s = ip->name; *s; s++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.", *s))
			*s = '_';
	ip->index = pr->index;
	ip->counts_hits = pr->counts_hits;
	ip->first_epid = first->epid;
	ip->last_epid = last->epid;
	list_probes(c, pr, ip);
	c->progs = cg_grow(c, c->progs, c->nprogs, &c->progs_cap, sizeof(*c->progs));
	c->progs[c->nprogs++] = *ip;
	if (pr->scratch_max > c->scratch_max)
		c->scratch_max = pr->scratch_max;
}

/* A walk over keys that looks for the threads that opened them, and asks them for nothing. */
static bool finds_openers_in_vain(const struct prog *pr)
{
	const struct clause_instance *ds = pr->units[0].ds;
	const struct lay_track *l = ds->scan && ds->scan_keys ? &pr->cg->tracks[ds->scan->id] : NULL;

	return l && !l->lists && !l->ignores_opener && !pr->uses_opener;
}

/* Makes one program. ir: the arena of its code, which takes most of a compilation's memory. *ret_again: no program was
 * made, but the compilation has learnt something; the caller calls again. */
static int make_in(struct cg *c, struct arena *ir, const struct cg_group *grp, const struct cg_unit *units, size_t *n,
		   bool low_stack, bool *ret_again)
{
	struct prog pr = { .cg = c,
			   .grp = grp,
			   .units = units,
			   .nunits = *n,
			   .index = c->env->first_prog + (uint32_t)c->nprogs,
			   .low_stack = low_stack,
			   .opener = VREG_NONE };
	struct img_prog ip = { .index = pr.index };
	const char *reason = NULL;
	size_t took = *n;
	int r;

	*ret_again = false;
	pr.ip = irprog_new(ir);
	gen_main(&pr, &took);
	if (pr.needs_thread) { /* its keys are listed for a walk over the threads */
		c->tracks[units[0].ds->scan->id].lists = true;
		*ret_again = true;
		return 0;
	}
	if (pr.failed)
		return -EINVAL;
	if (finds_openers_in_vain(&pr)) {
		c->tracks[units[0].ds->scan->id].ignores_opener = true;
		*ret_again = true;
		return 0;
	}
	c->saw_max_maps |= pr.too_many_maps;
	pr.nunits = took;
	ip.sleepable = pr.sleepable;
	r = pr.too_many_maps ? -E2BIG : ir_finish(pr.ip, c->a, &ip, &reason);
	if (!r && ip.ninsns > CG_MAX_INSNS_PER_PROG && *n > 1 && !c->whole)
		r = -E2BIG;
	if (r == -E2BIG && (*n > 1 || !low_stack)) {
		*n = took ? took : 1;
		return -E2BIG;
	}
	if (r == -E2BIG && c->saw_max_maps && !c->by_shape)
		return -ENOSPC;
	if (r == -E2BIG) {
		report_size(c, &pr, reason);
		return -EINVAL;
	}
	if (r < 0) {
		diag_error(c->d, units[0].ds->at, "D_INTERNAL", "code generator: %s", reason ? reason : "?");
		return r;
	}
	add_prog(c, &pr, &ip);
	*n = took;
	return 0;
}

/* One program for up to *n units of a group; *n becomes the number that it took. -E2BIG: try fewer; *n is
 * how many it had taken then. */
static int make_prog(struct cg *c, const struct cg_group *grp, const struct cg_unit *units, size_t *n, bool low_stack)
{
	bool again;
	int r;

	do {
		struct arena *ir = arena_new(ARENA_DEFAULT_LIMIT);

		r = make_in(c, ir, grp, units, n, low_stack, &again);
		arena_free(ir);
	} while (again);
	return r;
}

/* A program for as many of *n units as fit; fewer are tried, in the end with little stack. */
static int make_fitting(struct cg *c, const struct cg_group *grp, const struct cg_unit *units, size_t *n)
{
	size_t want = *n;
	int r;

	for (;;) {
		*n = want;
		r = make_prog(c, grp, units, n, false);
		if (r != -E2BIG)
			return r;
		if (want == 1)
			return make_prog(c, grp, units, n, true);
		want = (*n < want ? *n + 1 : want) / 2; /* *n of them were enough to be too much */
		want = want ? want : 1;
	}
}

/* this-> variables live in one program: clauses that share one must not be split. A variable that is, or NULL. */
static const struct dvar *this_that_is_cut(struct cg *c, const struct cg_group *grp, size_t at)
{
	bool *before = arena_new_arr(c->a, bool, c->p->nvars + 1);
	bool *after = arena_new_arr(c->a, bool, c->p->nvars + 1);

	cg_note_this(grp->units, at, before);
	cg_note_this(grp->units + at, grp->nunits - at, after);
	for (const struct dvar *v = c->p->vars; v; v = v->next)
		if (before[v->id] && after[v->id])
			return v;
	return NULL;
}

/* *ret_cut: not all was made, since clauses that share a this-> variable would be apart, which whole forbids. */
static int make_parts(struct cg *c, const struct cg_group *grp, bool *ret_cut)
{
	size_t at = 0;

	*ret_cut = false;
	while (at < grp->nunits) {
		size_t n = grp->nunits - at;
		int r = make_fitting(c, grp, grp->units + at, &n);

		if (r < 0)
			return r;
		if (c->nprogs > CG_MAX_PROGS || arena_exhausted(c->a)) {
			diag_error(c->d, grp->units[at].ds->at, TAG_LIMIT, "more than %d BPF programs", CG_MAX_PROGS);
			return -EINVAL;
		}
		at += n;
		if (at < grp->nunits && grp->shares_this && c->saw_max_maps && !c->by_shape)
			return -ENOSPC;
		if (at == grp->nunits || !grp->shares_this)
			continue;

		const struct dvar *cut = this_that_is_cut(c, grp, at);

		if (cut && !c->whole) {
			*ret_cut = true;
			return 0;
		}
		if (cut)
			return diag_error(
				       c->d, grp->units[at].ds->at, TAG_LIMIT,
				       "this->%s is used by clauses of one probe that do not fit into one BPF program",
				       cut->name),
			       -EINVAL;
	}
	return 0;
}

static int make_group(struct cg *c, const struct cg_group *grp)
{
	size_t nprogs = c->nprogs;
	bool cut;
	int r = make_parts(c, grp, &cut);

	if (r < 0 || !cut)
		return r;
	c->nprogs = nprogs; /* once more, in one */
	c->whole = true;
	r = make_parts(c, grp, &cut);
	c->whole = false;
	return r;
}

/* -- the image -- */

static void finish_maps(struct cg *c)
{
	if (c->m_counters >= 0)
		c->maps[c->m_counters].max_entries = (uint32_t)(c->nprogs ? c->nprogs : 1) + c->nlater;
	if (c->m_unwind >= 0)
		c->maps[c->m_unwind + CG_UNWIND_MAPS - 1].max_entries = c->nunwind ? c->nunwind : 1;
	if (c->m_scratch >= 0) {
		c->maps[c->m_scratch].max_entries = (uint32_t)(c->nprogs ? c->nprogs : 1) *
						    (c->long_strings ? cg_ncpus(c) : 1);
		c->maps[c->m_scratch].value_size = ROUND_UP(c->scratch_max ? c->scratch_max : 8, 8);
	}
	if (c->m_rodata >= 0) {
		struct img_map *m = &c->maps[c->m_rodata];

		m->value_size = (uint32_t)ROUND_UP(c->ro_n ? c->ro_n : 8, 8);
		uint8_t *init = arena_alloc(c->a, m->value_size);

		if (c->ro_n)
			memcpy(init, c->ro, c->ro_n);
		m->init = init;
	}
}

static bool is_of_user(enum field_kind kind)
{
	return kind == FLD_USTACK || (kind >= FLD_USYM && kind <= FLD_UADDR);
}

static bool uses_ustack(const struct image *img)
{
	for (uint32_t i = 0; i < img->nfmts; i++)
		for (size_t j = 0; j < img->fmts[i]->nacts; j++)
			for (size_t k = 0; k < img->fmts[i]->acts[j].nfields; k++)
				if (is_of_user(img->fmts[i]->acts[j].fields[k].kind))
					return true;
	for (uint32_t i = 0; i < img->naggs; i++)
		for (size_t k = 0; k < img->aggs[i]->nkeys; k++)
			if (is_of_user(img->aggs[i]->keys[k].kind))
				return true;
	return false;
}

static int compile(struct cg *c)
{
	int r = lay_program(c);

	if (r < 0)
		return r;
	r = cg_group_clauses(c);
	for (size_t i = 0; !r && i < c->ngroups; i++)
		r = make_group(c, &c->groups[i]);
	if (r < 0)
		return r;
	if (c->p->ntrackers)
		cg_map_state(c); /* their settings, also if no program reads them */
	if (c->nlater)
		cg_map_counters(c);
	finish_maps(c);
	return 0;
}

/* Variables of dlib/others.d that user space sets. */
static void find_loads(struct cg *c)
{
	static const char *const names[] = { "__load1", "__load5", "__load15" };

	for (const struct dvar *v = c->p->vars; v; v = v->next)
		for (size_t i = 0; v->scope == VS_GLOBAL && !v->is_assoc && i < ARRAY_SIZE(names); i++)
			if (!strcmp(v->name, names[i]) && c->vars[v->id].size == sizeof(uint64_t))
				c->img->load_off[i] = c->vars[v->id].off;
}

/* by_shape: aggregations and arrays of one shape in one map of the program. -ENOSPC: try that. */
static int compile_by(struct arena *a, const struct dprog *p, const struct cg_env *env, struct diags *d, bool by_shape,
		      struct image **ret)
{
	struct cg c = { .a = a,
			.p = p,
			.env = env,
			.caps = env->caps,
			.opts = p->opts,
			.d = d,
			.by_shape = by_shape,
			.m_rings = -1,
			.m_counters = -1,
			.m_hits = -1,
			.m_state = -1,
			.m_rodata = -1,
			.m_scratch = -1,
			.m_tls = -1,
			.m_specs = -1,
			.m_specfree = -1,
			.m_chill = -1,
			.m_flight = -1,
			.m_unwind = -1,
			.m_runtimes = { -1, -1, -1, -1 } };
	int r;

	c.img = arena_new_obj(a, struct image);
	c.long_strings = opts_strcap(p->opts) > CG_LONG_STRINGS;
	r = compile(&c);
	cg_free_tables(&c);
	if (r < 0)
		return r;
	c.img->maps = c.maps;
	c.img->nmaps = (uint32_t)c.nmaps;
	c.img->progs = c.progs;
	c.img->nprogs = (uint32_t)c.nprogs;
	c.img->nlater = c.nlater;
	c.img->state_size = c.state_size;
	find_loads(&c);
	cg_image_tracks(&c);
	c.img->has_exit = p->has_exit;
	c.img->uses_ustack = uses_ustack(c.img) || c.m_unwind >= 0;
	*ret = c.img;
	return 0;
}

int cg_compile(struct arena *a, const struct dprog *p, const struct cg_env *env, struct diags *d, struct image **ret)
{
	int r = compile_by(a, p, env, d, false, ret);

	return r == -ENOSPC ? compile_by(a, p, env, d, true, ret) : r;
}
