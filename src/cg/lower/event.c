/* SPDX-License-Identifier: Apache-2.0 */
/* Clauses of latency probes: their code is put where an event ends, inside of the program (and of the clause)
 * that closes it; and what they know of the event. */
#include "base/units.h"
#include "cg/lower/int.h"

#define GOLDEN \
	0x9e3779b97f4a7c15ull /* 2^64 divided by the golden ratio: multiplying by it spreads what differs little */

static vreg cgroup_of(struct gen *g);

/* -- firing -- */

/* The place of arg0 … in such a clause; all else is as in the program that it is in. */
static const struct entry *event_entry(struct gen *g, const struct dtracker *t)
{
	struct entry *e = arena_memdup(g->cg->a, g->e, sizeof(*e));

	e->nargs = t->nkeys + 1;
	for (unsigned i = 0; i < e->nargs; i++)
		e->args[i] = (struct arg_loc){ .kind = ARG_EVENT, .off = i };
	e->has_errno = e->has_selector = false;
	return e;
}

static void gen_one(struct gen *g, const struct gen_event *ev, const struct clause_instance *ds)
{
	struct gen outer = *g;
	uint32_t top = g->pr->scratch_top, kept = g->pr->scratch_keep, pad = g->pr->scratch_pad;
	struct cg_point *pt = arena_new_obj(g->cg->a, struct cg_point);
	struct cg_point **pts = arena_new_obj(g->cg->a, struct cg_point *);
	struct cg_unit *u = arena_new_obj(g->cg->a, struct cg_unit);
	struct cache saved;

	*pt = (struct cg_point){ .probe = ds->probes.v[0], .e = *event_entry(g, ev->t) };
	*pts = pt;
	*u = (struct cg_unit){ .ds = ds, .pts = pts, .npts = 1 };
	saved = gen_region_begin(g);
	g->ev = ev;
	g->scratch_base = ROUND_UP(top, 8);
	g->faults = NULL;
	g->drops = NULL;
	g->nfaults = g->faults_cap = g->ndrops = g->drops_cap = 0;
	g->budget = g->spec = VREG_NONE;
	g->in_call = false;
	gen_clause(g, u);
	*g = outer;
	g->cache = saved;
	g->pr->scratch_top = top;
	g->pr->scratch_keep = kept;
	g->pr->scratch_pad = pad;
	ir_at(g->f, g->ds->epid, g->ds->at);
}

static bool fires_any(const struct gen *g, const struct gen_event *ev, enum track_probe probe)
{
	for (const struct clause_instance *e = g->ds->events; e; e = e->enext)
		if (e->event == ev->t && e->event_probe == probe)
			return true;
	return false;
}

static void gen_all(struct gen *g, const struct gen_event *ev, enum track_probe probe)
{
	for (const struct clause_instance *e = g->ds->events; e; e = e->enext)
		if (e->event == ev->t && e->event_probe == probe)
			gen_one(g, ev, e);
}

/* Not more than the limit in one second; what is above it is counted, and goes to out. */
static void gen_limit(struct gen *g, const struct gen_event *ev, irlabel out)
{
	irlabel ok = ir_label(g->f), same = ir_label(g->f), over = ir_label(g->f);
	vreg at, limit = gen_track_word(g, ev->l, offsetof(struct tracker_settings, limit)), second = ir_new(g->f),
		 now = ir_new(g->f);
	vreg n = ir_new(g->f);

	ir_jcci(g->f, IRC_EQ, limit, 0, ok);
	at = gen_track_at(g, ev->l, offsetof(struct tracker_settings, second));
	ir_load(g->f, second, at, 0, 8);
	ir_alui(g->f, IRA_DIV, now, gen_ts(g), NSEC_PER_SEC);
	ir_jcc(g->f, IRC_EQ, second, now, same);
	ir_store(g->f, at, 0, 8, now);
	ir_storei(g->f, at, offsetof(struct tracker_settings, nslow) - offsetof(struct tracker_settings, second), 8, 0);
	ir_place(g->f, same);
	at = gen_track_at(g, ev->l, offsetof(struct tracker_settings, nslow));
	ir_load(g->f, n, at, 0, 8);
	ir_atomic_add(g->f, at, 0, 8, ir_imm(g->f, 1));
	ir_jcc(g->f, IRC_LT, n, limit, ok);
	ir_place(g->f, over);
	gen_track_count(g, ev->t, TRACK_N_LIMITED);
	ir_jmp(g->f, out);
	ir_place(g->f, ok);
}

/* "Worst so far": from here on only longer ones are slow. */
static void gen_worst(struct gen *g, const struct gen_event *ev)
{
	irlabel done = ir_label(g->f);
	vreg worst = gen_track_word(g, ev->l, offsetof(struct tracker_settings, worst));

	ir_jcci(g->f, IRC_EQ, worst, 0, done);
	ir_store(g->f, gen_track_at(g, ev->l, offsetof(struct tracker_settings, threshold)), 0, 8, ev->delay);
	ir_place(g->f, done);
}

/* The threshold that was tested is the least of all: that of its cgroup may be higher. */
static void gen_cgroup_threshold(struct gen *g, const struct gen_event *ev, irlabel no)
{
	irlabel own = ir_label(g->f), ok = ir_label(g->f), none = ir_label(g->f);
	vreg n, map = ir_new(g->f), key = ir_new(g->f), p = ir_new(g->f), threshold = ir_new(g->f);
	const struct gen_event *outer = g->ev;
	struct cache saved;

	if (!ev->t->settings[TS_CGROUPS])
		return;
	n = gen_track_word(g, ev->l, offsetof(struct tracker_settings, ncgroups));
	saved = gen_region_begin(g);
	ir_jcci(g->f, IRC_EQ, n, 0, ok);
	g->ev = ev;
	ir_store_slot(g->f, g->tmp, 0, 8, cgroup_of(g));
	g->ev = outer;
	gen_map(g, map, cg_map_cgroups(g->cg, ev->t));
	ir_slot_addr(g->f, key, g->tmp, 0);
	ir_call(g->f, p, BPF_FUNC_map_lookup_elem, IR_ARGS(map, key));
	ir_jcci(g->f, IRC_NE, p, 0, own);
	ir_mov(g->f, threshold, gen_track_word(g, ev->l, offsetof(struct tracker_settings, general)));
	ir_jmp(g->f, none);
	ir_place(g->f, own);
	ir_load(g->f, threshold, p, 0, 8);
	ir_place(g->f, none);
	ir_jcc(g->f, IRC_LT, ev->delay, threshold, no);
	ir_place(g->f, ok);
	gen_region_end(g, &saved);
}

/* One of so many ordinary events, by a hash of its time: a power of two of them, at most as many as the setting says.
 */
static void gen_sample(struct gen *g, const struct gen_event *ev, irlabel out)
{
	unsigned bits = 63 - (unsigned)__builtin_clzll(ev->t->settings[TS_CONTROL]);
	vreg h = ir_new(g->f), k = ir_imm(g->f, GOLDEN);

	ir_alu(g->f, IRA_MUL, h, gen_ts(g), k);
	if (bits) {
		ir_alui(g->f, IRA_SHR, h, h, 64 - bits);
		ir_jcci(g->f, IRC_NE, h, 0, out);
	}
	ir_movi(g->f, ev->sampled, SLOW_CONTROL);
}

static void gen_slow(struct gen *g, struct gen_event *ev)
{
	irlabel out = ir_label(g->f), ordinary = ir_label(g->f), fire = ir_label(g->f);
	bool control = ev->how == SLOW_NORMAL && ev->t->settings[TS_CONTROL];
	vreg threshold = gen_track_word(g, ev->l, offsetof(struct tracker_settings, threshold));
	bool was;

	if (control)
		ev->sampled = ir_imm(g->f, 0);
	ir_jcc(g->f, IRC_LT, ev->delay, threshold, control ? ordinary : out);
	was = ir_cold(g->f, true);
	gen_cgroup_threshold(g, ev, control ? ordinary : out);
	gen_limit(g, ev, out);
	gen_worst(g, ev);
	if (control) {
		ir_jmp(g->f, fire);
		ir_cold(g->f, was);
		ir_place(g->f, ordinary);
		gen_sample(g, ev, out);
		ir_cold(g->f, true);
		ir_place(g->f, fire);
	}
	gen_all(g, ev, TRACK_SLOW);
	ir_cold(g->f, was);
	ir_place(g->f, out);
}

void gen_fire(struct gen *g, struct gen_event *ev, const struct node *id)
{
	bool over = ev->how != SLOW_TIMEOUT;
	bool slow = over && fires_any(g, ev, TRACK_SLOW), all = over && fires_any(g, ev, TRACK_ALL);

	if (!over)
		gen_all(g, ev, TRACK_TIMEOUT);
	if (!slow && !all)
		return;
	if (id && ev->t->uses & 1u << TF_ID)
		ev->id = gen_int(g, id);
	if (all)
		gen_all(g, ev, TRACK_ALL);
	if (slow)
		gen_slow(g, ev);
}

/* -- what is known -- */

static vreg detail(struct gen *g, uint32_t off, unsigned size, bool sgn)
{
	vreg d = ir_new(g->f);

	gen_ld(g, d, mem_add(g->ev->details, (int32_t)off), size, sgn);
	return d;
}

/* The process or thread whose delay it is; opener: who called begin(). */
static vreg who(struct gen *g, bool opener, bool tid)
{
	const struct gen_event *ev = g->ev;

	if (ev->l->ids && (opener || ev->t->store == TRACK_KEYED))
		return detail(g, ev->l->ids + (tid ? 0 : 4), 4, true);
	if (ev->t->store == TRACK_TASK)
		return gen_pid_of(g, ev->task, tid);
	return tid ? gen_tid(g) : gen_pid(g);
}

static vreg cgroup_of(struct gen *g)
{
	const struct gen_event *ev = g->ev;

	if (ev->t->store == TRACK_KEYED)
		return detail(g, ev->l->cgroup, 8, false);
	if (ev->t->store == TRACK_TASK)
		return gen_field_of(g, ev->task, "cgroups->dfl_cgrp->kn->id");
	return gen_cgroup(g);
}

void gen_event_place(struct gen *g, const struct node *n, struct place *ret)
{
	unsigned key = (unsigned)n->ival - TF_KEY;

	*ret = (struct place){ .kind = PL_MEM, .m = mem_add(g->ev->key, (int32_t)g->ev->l->key.fields[key].off) };
}

vreg gen_event_int(struct gen *g, const struct node *n, struct tref *btf)
{
	const struct gen_event *ev = g->ev;
	struct place pl;

	switch (n->ival) {
	case TF_PID:
	case TF_TID: return who(g, false, n->ival == TF_TID);
	case TF_OPENER_PID:
	case TF_OPENER_TID: return who(g, true, n->ival == TF_OPENER_TID);
	case TF_CGROUP: return cgroup_of(g);
	case TF_CPU: return detail(g, ev->l->cpu, 8, false);
	case TF_START: return ev->start;
	case TF_DELAY: return ev->delay;
	case TF_ID: return ev->id >= 0 ? ev->id : ir_imm(g->f, 0);
	case TF_HOW: return ev->sampled >= 0 ? ev->sampled : ir_imm(g->f, ev->how);
	default: break;
	}
	if (ev->t->store == TRACK_TASK) {
		*btf = ev->task_type;
		return ev->task;
	}
	gen_event_place(g, n, &pl);
	return gen_load_place(g, &pl, cg_type(g->cg, n), btf);
}

void gen_event_str(struct gen *g, const struct node *n, struct str *ret)
{
	const struct gen_event *ev = g->ev;
	bool opener = n->ival == TF_OPENER_COMM;
	uint32_t off, size;
	struct place pl;

	*ret = (struct str){ .bound = 16, .padded = true };
	if (n->ival >= TF_KEY) {
		gen_event_place(g, n, &pl);
		ret->m = pl.m;
		ret->bound = lay_str_bound(g->cg, cg_type(g->cg, n));
	} else if (ev->l->comm && (opener || ev->t->store == TRACK_KEYED)) {
		ret->m = mem_add(ev->details, (int32_t)ev->l->comm);
	} else if (ev->t->store == TRACK_TASK && lay_offset(g->cg, "task_struct", "comm", &off, &size)) {
		ret->m = gen_scratch(g, 16);
		gen_probe_read(g, ret->m, 16, gen_launder(g, ev->task), off, false);
	} else {
		ret->m = gen_scratch(g, 16);
		gen_comm_to(g, ret->m);
	}
}

/* Of the thread that opened a key: it is found by its number, unless it has ended, and looked at unless it runs
 * elsewhere. */
static void opener_stack(struct gen *g, struct mem dst, const struct recfield *f)
{
	vreg task = ir_new(g->f), tid = who(g, true, true);
	irlabel none = ir_label(g->f), other = ir_label(g->f), release = ir_label(g->f);
	vreg self = gen_task(g), outer = g->pr->opener;
	struct cache saved;

	gen_zero(g, dst, f->size);
	ir_call_kernel(g->f, task, g->cg->task_from_pid, IR_ARGS(tid));
	saved = gen_region_begin(g);
	ir_jcci(g->f, IRC_EQ, task, 0, none);
	ir_jcc(g->f, IRC_NE, task, self, other);
	ir_call_kernel(g->f, VREG_NONE, g->cg->task_release, IR_ARGS(task));
	gen_stack_to(g, dst, f);
	ir_jmp(g->f, none);
	ir_place(g->f, other);
	ir_jcci(g->f, IRC_NE, gen_field_of(g, task, "on_cpu"), 0, release);
	g->pr->opener = task;
	g->cache.v[CA_TASK] = task;
	gen_stack_to(g, dst, f);
	g->pr->opener = outer;
	ir_place(g->f, release);
	ir_call_kernel(g->f, VREG_NONE, g->cg->task_release, IR_ARGS(task));
	ir_place(g->f, none);
	gen_region_end(g, &saved);
}

void gen_event_stack(struct gen *g, struct mem dst, const struct recfield *f)
{
	/* a walk is in the thread that opened the key */
	if (g->ev->t->store == TRACK_THREAD || (g->ev->how == SLOW_TIMEOUT && gen_walks(g)))
		gen_stack_to(g, dst, f);
	else if (g->ev->t->store == TRACK_TASK)
		gen_task_stack_to(g, g->ev->task, dst, f);
	else if (gen_finds_tasks(g))
		opener_stack(g, dst, f);
	else
		gen_zero(g, dst, f->size);
}

/* arg0: the delay; arg1 …: the keys as numbers. */
vreg gen_event_arg(struct gen *g, unsigned i)
{
	const struct dtracker *t = g->ev->t;
	struct node n = { .kind = N_EVENT, .ival = i ? TF_KEY + i - 1 : TF_DELAY };
	struct tref btf = { 0 };
	vreg v;

	if (i) {
		n.type = t->keys[i - 1];
		if (!dtype_is_scalar(dtype_resolve(g->cg->p->types, n.type)))
			return ir_imm(g->f, 0);
	}
	v = gen_event_int(g, &n, &btf);
	return btf.id ? gen_launder(g, v) : v;
}

/* -- slow() -- */

size_t lay_slow(struct cg *c, const struct node *call, struct lay_field *fl)
{
	size_t n = 2;

	fl[0].f = (struct recfield){ .kind = FLD_BYTES, .size = sizeof(struct rec_slow) };
	fl[1].f = (struct recfield){ .kind = FLD_BYTES, .size = c->tracks[call->tracker->id].key.size };
	for (const struct node *a = call->args; a; a = a->next, n++) {
		fl[n].n = a;
		fl[n].f = lay_field_of(c, a->type);
		fl[n].f.name = a->attr_name;
	}
	return n;
}

static vreg event_field(struct gen *g, enum track_field f)
{
	struct node n = { .kind = N_EVENT, .ival = f };
	struct tref btf = { 0 };

	return gen_event_int(g, &n, &btf);
}

size_t gen_slow_fixed(struct gen *g, const struct lay_act *la)
{
	static const struct {
		enum track_field f;
		uint32_t off, size;
	} rows[] = {
		{ TF_START, offsetof(struct rec_slow, start), 8 }, { TF_DELAY, offsetof(struct rec_slow, delay), 8 },
		{ TF_ID, offsetof(struct rec_slow, exit_id), 8 },  { TF_CGROUP, offsetof(struct rec_slow, cgroup), 8 },
		{ TF_PID, offsetof(struct rec_slow, pid), 4 },	   { TF_TID, offsetof(struct rec_slow, tid), 4 },
		{ TF_CPU, offsetof(struct rec_slow, cpu), 4 },
	};
	struct node comm = { .kind = N_EVENT, .ival = TF_COMM };
	struct mem m = mem_at(g->rec, (int32_t)la->fields[0].f.off);
	struct str s;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		gen_st(g, mem_add(m, (int32_t)rows[i].off), rows[i].size, event_field(g, rows[i].f));
	gen_sti(g, mem_add(m, offsetof(struct rec_slow, tracker)), 4, (int32_t)g->ev->t->id);
	gen_st(g, mem_add(m, offsetof(struct rec_slow, how)), 4, event_field(g, TF_HOW));
	gen_st(g, mem_add(m, offsetof(struct rec_slow, end_pid)), 4, gen_pid(g));
	gen_st(g, mem_add(m, offsetof(struct rec_slow, end_tid)), 4, gen_tid(g));
	gen_st(g, mem_add(m, offsetof(struct rec_slow, end_cpu)), 4, gen_cpu(g));
	gen_event_str(g, &comm, &s);
	gen_copy(g, mem_add(m, offsetof(struct rec_slow, comm)), s.m, REC_COMM);
	gen_comm_to(g, mem_add(m, offsetof(struct rec_slow, end_comm)));
	if (la->fields[1].f.size)
		gen_copy(g, mem_at(g->rec, (int32_t)la->fields[1].f.off), g->ev->key, la->fields[1].f.size);
	return 2;
}
