/* SPDX-License-Identifier: Apache-2.0 */
/* Decides which clauses go into which program: probes with equal entries share one. */
#include <errno.h>
#include "base/hash.h"
#include "cg/gen/local.h"
#include "cg/gen/map.h"
#include "cg/lower/lower.h"

struct point_ent {
	uint32_t id;
	struct cg_point pt;
	size_t group;
	bool ok;
	const struct clause_instance **ds; /* entry_by_cookie(): its clauses, in order */
	size_t nds, ds_cap;
	struct point_ent *next; /* entry_by_cookie(): in the order in which they were found */
	UT_hash_handle hh;
};
struct group_ent {
	const char *key;
	size_t index;
	UT_hash_handle hh;
};

/* Programs that run in task context with preemption off, and that no other program interrupts into. */
static bool is_task_only(const struct entry *e)
{
	if (e->kind == ENTRY_TEST_RUN)
		return true;
	return (e->kind == ENTRY_TP_BTF || e->kind == ENTRY_RAW_TP) && e->target &&
	       (!strcmp(e->target, "sys_enter") || !strcmp(e->target, "sys_exit"));
}

/* Is it a probe that the scheduler fires while it switches from one thread to the next? Preemption is off there. So
 * no two of these programs run at a time on a CPU, although an interrupt can come between. Source:
 * kernel/sched/core.c, __schedule(). */
static bool is_in_switch(const struct entry *e)
{
	return (e->kind == ENTRY_TP_BTF || e->kind == ENTRY_RAW_TP) && e->target &&
	       (!strcmp(e->target, "sched_switch") || !strcmp(e->target, "sched_exit_tp"));
}

static size_t find_group_key(struct cg *c, const struct entry *e, const char *key)
{
	struct group_ent *g;

	HASH_FIND_STR(c->group_ents, key, g);
	if (g)
		return g->index;
	g = arena_new_obj(c->a, struct group_ent);
	g->key = key;
	g->index = c->ngroups;
	HASH_ADD_KEYPTR(hh, c->group_ents, g->key, strlen(g->key), g);
	c->groups = cg_grow(c, c->groups, c->ngroups, &c->groups_cap, sizeof(*c->groups));
	c->groups[c->ngroups] = (struct cg_group){ .task_only = is_task_only(e), .in_switch = is_in_switch(e) };
	return c->ngroups++;
}

static char *entry_key(struct cg *c, const struct entry *e)
{
	return arena_printf(c->a, "%d|%s|%llu|%llu|%d|%llu", e->kind, e->target ? e->target : "",
			    (unsigned long long)e->period_ns, (unsigned long long)e->freq, e->cpu,
			    (unsigned long long)e->instance);
}

static size_t find_group(struct cg *c, const struct entry *e)
{
	return find_group_key(c, e, entry_key(c, e));
}

/* The probe's entry, asked for once. NULL: it has none (reported). */
static struct point_ent *find_point(struct cg *c, const struct probe *p, struct span at)
{
	struct point_ent *pe;
	const char *reason = NULL;
	int r;

	HASH_FIND(hh, c->points, &p->id, sizeof(p->id), pe);
	if (pe)
		return pe->ok ? pe : NULL;
	pe = arena_new_obj(c->a, struct point_ent);
	pe->id = p->id;
	pe->pt.probe = p;
	HASH_ADD(hh, c->points, id, sizeof(pe->id), pe);
	r = c->env->entry(c->env->ctx, p, &pe->pt.e, &reason);
	if (!r && pe->pt.e.has_selector && pe->pt.e.sel_value >= ENTRY_MAX_SELECTOR)
		r = -ERANGE;
	if (r < 0) {
		diag_error(c->d, at, TAG_NOSUPP, "probe %s:%s:%s:%s cannot be enabled: %s", p->prov, p->mod, p->func,
			   p->name, reason ? reason : strerror(-r));
		return NULL;
	}
	pe->ok = true;
	if (pe->pt.e.kind != ENTRY_NONE && !entry_by_cookie(&pe->pt.e))
		pe->group = find_group(c, &pe->pt.e);
	return pe;
}

static bool same_loc(const struct arg_loc *a, const struct arg_loc *b)
{
	if (a->kind == ARG_NONE || b->kind == ARG_NONE)
		return true;
	return a->kind == b->kind && a->off == b->off && a->size == b->size && a->is_signed == b->is_signed &&
	       a->value == b->value;
}

/* May a clause use one piece of code for both? Arguments that one of them lacks do not matter. */
static bool compatible(const struct entry *a, const struct entry *b)
{
	unsigned n = a->nargs < b->nargs ? a->nargs : b->nargs;

	for (unsigned i = 0; i < n; i++)
		if (!same_loc(&a->args[i], &b->args[i]))
			return false;
	return a->has_selector == b->has_selector && a->has_errno == b->has_errno &&
	       (!a->has_errno || same_loc(&a->errno_loc, &b->errno_loc)) && a->skip_compat == b->skip_compat &&
	       a->no_user_stack == b->no_user_stack && a->current_is_next == b->current_is_next &&
	       a->regs_ctx_off == b->regs_ctx_off;
}

static bool unit_takes(const struct cg_unit *u, const struct clause_instance *ds, const struct cg_point *pt)
{
	uint64_t v = pt->e.sel_value;

	if (u->ds != ds || !pt->e.has_selector || !u->selmap || (u->selmap[v / 64] >> (v % 64) & 1))
		return false;
	/* The one with most arguments is kept first, see unit_add(). */
	return compatible(&u->pts[0]->e, &pt->e);
}

static void unit_add(struct cg *c, struct cg_unit *u, struct cg_point *pt)
{
	uint64_t v = pt->e.sel_value;

	u->pts = cg_grow(c, u->pts, u->npts, &u->cap, sizeof(*u->pts));
	u->pts[u->npts++] = pt;
	if (pt->e.has_selector) {
		if (!u->selmap)
			u->selmap = arena_new_arr(c->a, uint64_t, ENTRY_MAX_SELECTOR / 64);
		u->selmap[v / 64] |= 1ull << (v % 64);
	}
	if (pt->e.skip_compat && !u->compatmap)
		u->compatmap = arena_new_arr(c->a, uint64_t, ENTRY_MAX_SELECTOR / 64);
	for (unsigned i = 0; i < pt->e.ncompat; i++)
		u->compatmap[pt->e.compat[i] / 64] |= 1ull << (pt->e.compat[i] % 64);
	if (pt->e.nargs > u->pts[0]->e.nargs) {
		u->pts[u->npts - 1] = u->pts[0];
		u->pts[0] = pt;
	}
}

static struct cg_unit *new_unit(struct cg *c, struct cg_unit **v, size_t *n, size_t *cap,
				const struct clause_instance *ds)
{
	*v = cg_grow(c, *v, *n, cap, sizeof(**v));
	(*v)[*n] = (struct cg_unit){ .ds = ds };
	return &(*v)[(*n)++];
}

static void add_to_group(struct cg *c, const struct clause_instance *ds, struct point_ent *pe)
{
	struct cg_group *grp = &c->groups[pe->group];
	struct cg_unit *u = NULL;

	for (size_t i = grp->nunits; i-- > 0 && grp->units[i].ds == ds;)
		if (unit_takes(&grp->units[i], ds, &pe->pt))
			u = &grp->units[i];
	if (!u)
		u = new_unit(c, &grp->units, &grp->nunits, &grp->cap, ds);
	unit_add(c, u, &pe->pt);
}

struct writers {
	struct cg *c;
	bool *seen;
	bool task_only, many;
};

static bool note_writer(void *ctx, const struct stmt *s)
{
	struct writers *w = ctx;
	struct lay_agg *l;

	if (s->kind != ST_AGG)
		return false;
	l = &w->c->aggs[s->expr->agg->id];
	if (!w->seen[s->expr->agg->id])
		l->nwriters++;
	w->seen[s->expr->agg->id] = true;
	/* A group may be split into programs that interrupt each other. */
	if (!w->task_only && w->many)
		l->nwriters++;
	if (!w->task_only) {
		l->nested = true;
		/* Elements of per-CPU hashes are set aside one at a time, by an interrupt that comes after this one. If
		 * a firing had several new keys, all but one would be lost. Plain hashes have more. */
		if (l->desc->key_size)
			l->key.extra = IMG_AGG_CPU_KEY;
	}
	return false;
}

/* Finds the aggregations that programs add to which interrupt each other on one CPU: those need atomic additions. */
static void note_writers(struct cg *c, const struct cg_unit *units, size_t n, bool task_only)
{
	bool *seen = arena_new_arr(c->a, bool, c->p->naggs + 1);

	struct writers w = { .c = c, .seen = seen, .task_only = task_only, .many = n > CG_WHOLE_UNITS };
	struct walk walk = { .stmt = note_writer, .ctx = &w };

	for (size_t i = 0; i < n; i++) {
		walk_stmts(&walk, units[i].ds->body);
		for (const struct clause_instance *e = units[i].ds->events; e; e = e->enext)
			walk_stmts(&walk, e->body);
	}
}

/* The clauses that close events of trackers. Programs of uprobes can be preempted, also in favour of themselves. */
static void note_closers(struct cg *c, const struct cg_group *grp, bool *switches)
{
	bool *seen = arena_new_arr(c->a, bool, c->p->ntrackers + 1);
	bool many = grp->nunits > CG_WHOLE_UNITS || (grp->nunits && grp->units[0].pts[0]->e.kind == ENTRY_UPROBE);

	for (size_t i = 0; i < grp->nunits; i++) {
		const bool *closes = grp->units[i].ds->closes;

		for (uint32_t t = 0; closes && t < c->p->ntrackers; t++) {
			if (!closes[t])
				continue;
			if (!seen[t] && !(grp->in_switch && switches[t]))
				c->tracks[t].nwriters++;
			if (!seen[t] && many)
				c->tracks[t].nwriters++;
			seen[t] = true;
			switches[t] |= grp->in_switch;
		}
	}
}

/* Programs of other images add to the same aggregations and close the same events. */
static void note_others(struct cg *c)
{
	for (unsigned i = 0; i < c->p->naggs; i++) {
		c->aggs[i].nwriters += 2;
		c->aggs[i].nested = true;
	}
	for (unsigned i = 0; i < c->p->ntrackers; i++)
		c->tracks[i].nwriters += 2;
}

/* Does more than one clause of the group use the same this-> variable? */
static bool shares_this(struct cg *c, const struct cg_group *grp)
{
	bool *seen = arena_new_arr(c->a, bool, c->p->nvars + 1);
	bool *here = arena_new_arr(c->a, bool, c->p->nvars + 1);
	bool any = false;

	for (const struct dvar *v = c->p->vars; v; v = v->next)
		any |= v->scope == VS_THIS;
	for (size_t i = 0; any && i < grp->nunits; i++) {
		memset(here, 0, c->p->nvars * sizeof(*here));
		cg_note_this(&grp->units[i], 1, here);
		for (const struct dvar *v = c->p->vars; v; v = v->next) {
			if (here[v->id] && seen[v->id])
				return true;
			seen[v->id] |= here[v->id];
		}
	}
	return false;
}

/* Uprobes and kprobes: probes with the same clauses and the same places of arguments share a program. So no program
 * asks which of thousands of probes fires, and its clauses need no test. */
static void note_uprobe(struct cg *c, const struct clause_instance *ds, struct point_ent *pe, struct point_ent ***tail)
{
	if (!pe->nds) {
		**tail = pe;
		*tail = &pe->next;
	}
	pe->ds = cg_grow(c, pe->ds, pe->nds, &pe->ds_cap, sizeof(*pe->ds));
	pe->ds[pe->nds++] = ds;
}

static const char *uprobe_key(struct cg *c, const struct point_ent *pe)
{
	const struct entry *e = &pe->pt.e;
	struct strb b = { 0 };
	const char *key;

	strb_printf(&b, "%s|%d%d|", entry_key(c, e), e->uprobe_multi, e->no_user_stack);
	/* Entries with an instance have the places that it stands for. */
	for (unsigned i = 0; !e->instance && i < e->nargs; i++) {
		const struct arg_loc *l = &e->args[i];

		strb_printf(&b, "%d,%u,%u,%d,%llx,%u,%u,%u;", l->kind, l->off, l->size, l->is_signed,
			    (unsigned long long)l->value, l->index, l->scale, l->shift);
	}
	for (size_t i = 0; i < pe->nds; i++)
		strb_printf(&b, "|%u", pe->ds[i]->epid);
	key = arena_strdup(c->a, strb_str(&b));
	strb_free(&b);
	return key;
}

static int by_probe_id(const void *a, const void *b)
{
	const struct cg_point *x = *(struct cg_point *const *)a, *y = *(struct cg_point *const *)b;

	return x->probe->id < y->probe->id ? -1 : x->probe->id > y->probe->id;
}

static void group_uprobes(struct cg *c, struct point_ent *first)
{
	for (struct point_ent *pe = first; pe; pe = pe->next) {
		size_t at = find_group_key(c, &pe->pt.e, uprobe_key(c, pe)); /* may move groups */
		struct cg_group *grp = &c->groups[at];

		grp->by_cookie = true;
		grp->busy = pe->pt.e.kind == ENTRY_UPROBE;
		for (size_t i = 0; i < pe->nds; i++) {
			if (i == grp->nunits)
				new_unit(c, &grp->units, &grp->nunits, &grp->cap, pe->ds[i]);
			unit_add(c, &grp->units[i], &pe->pt);
		}
	}
	for (size_t i = 0; i < c->ngroups; i++)
		for (size_t k = 0; c->groups[i].by_cookie && k < c->groups[i].nunits; k++)
			qsort(c->groups[i].units[k].pts, c->groups[i].units[k].npts, sizeof(struct cg_point *),
			      by_probe_id);
}

/* The walks by which the keys of a tracker that are due are found: a program of its own for each. */
static struct point_ent *scan_point(struct cg *c, const struct clause_instance *ds, const struct probe *p)
{
	struct point_ent *pe = arena_new_obj(c->a, struct point_ent), *task = find_point(c, p, ds->at);

	if (!task)
		return NULL;
	*pe = (struct point_ent){ .pt = task->pt, .ok = true };
	pe->pt.e.scan = c->tracks[ds->scan->id].scan;
	pe->pt.e.instance = (uint64_t)pe->pt.e.scan << 1 | ds->scan_keys;
	if (ds->scan_keys) {
		pe->pt.e.kind = ENTRY_ITER_MAP;
		pe->pt.e.target = "keys";
		pe->pt.e.nargs = 0;
		pe->pt.e.period_ns = 0;
		cg_map_track(c, ds->scan);
		if (!c->env->ts || !typesrc_attaches(c->env->ts) ||
		    typesrc_find(c->env->ts, "vmlinux",
				 c->caps->iter_keys ? "bpf_iter_bpf_map_elem" : "bpf_iter_bpf_map", TKM(TK_FUNC),
				 &pe->pt.e.btf_type) < 0) {
			diag_error(c->d, ds->at, TAG_NOSUPP,
				   "the kernel lets no BPF program walk the keys of a map (bpf_iter, Linux 5.9)");
			return NULL;
		}
	}
	pe->group = find_group(c, &pe->pt.e);
	return pe;
}

int cg_group_clauses(struct cg *c)
{
	struct point_ent *uprobes = NULL, **tail = &uprobes;
	bool bad = false, *switches = arena_new_arr(c->a, bool, c->p->ntrackers + 1);

	for (const struct clause_instance *ds = c->p->instances; ds; ds = ds->next)
		for (size_t i = 0; i < ds->probes.n && !ds->event; i++) {
			struct point_ent *pe = ds->scan && ds->scan->store == TRACK_KEYED
						       ? scan_point(c, ds, ds->probes.v[i])
						       : find_point(c, ds->probes.v[i], ds->at);

			if (!pe) {
				bad = true;
				continue;
			}
			if (pe->pt.e.kind == ENTRY_NONE)
				unit_add(c, new_unit(c, &c->error_units, &c->nerror_units, &c->error_cap, ds), &pe->pt);
			else if (entry_by_cookie(&pe->pt.e))
				note_uprobe(c, ds, pe, &tail);
			else
				add_to_group(c, ds, pe);
		}
	group_uprobes(c, uprobes);
	if (uprobes) {
		c->busy_off = c->this_size;
		c->this_size += 8;
	}
	for (size_t i = 0; i < c->ngroups; i++) {
		c->groups[i].shares_this = shares_this(c, &c->groups[i]);
		note_writers(c, c->groups[i].units, c->groups[i].nunits, c->groups[i].task_only);
		note_closers(c, &c->groups[i], switches);
	}
	note_writers(c, c->error_units, c->nerror_units, false);
	if (c->env->more)
		note_others(c);
	return bad ? -EINVAL : 0;
}

void cg_free_tables(struct cg *c)
{
	HASH_CLEAR(hh, c->points);
	HASH_CLEAR(hh, c->group_ents);
	ro_free(c);
}
