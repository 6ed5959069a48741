/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles trackers: begin(), end() and pending(), and the histograms. An open event keeps its start stamp, and
 * those details of its opener that some clause asks for.
 *
 *   no key, one thread   in the thread-local variables of that thread: gone with it, never full
 *   other keys           a preallocated hash; the key is claimed by inserting and deleting */
#include <errno.h>
#include "base/units.h"
#include "cg/builtin/call.h"
#include "cg/gen/event.h"
#include "cg/gen/fault.h"
#include "cg/gen/load.h"
#include "cg/gen/map.h"
#include "cg/gen/task.h"
#include "cg/lower/act.h"
#include "cg/lower/expr.h"
#include "cg/lower/track.h"
#include "cg/lower/var.h"

#define GOLDEN \
	0x9e3779b97f4a7c15ull /* 2^64 divided by the golden ratio: multiplying by it spreads what differs little */

/* -- keys and places -- */

static void find_task(struct gen *g, struct track *k)
{
	k->task = gen_ptr(g, k->call->args, &k->task_type);
	k->word = track_word(g, k->call->args);
	if (!k->task_type.id && g->cg->caps->task_storage) /* by address otherwise */
		cg_error(g, k->call->args->at, "D_TRACKER_TASK",
			 "the key of tracker %s must be a thread that the kernel gives with its type: args[n] of "
			 "a tracepoint, or curthread",
			 k->t->name);
}

static struct track find_key(struct gen *g, const struct node *n)
{
	struct track k = { .call = n,
			   .t = n->tracker,
			   .l = &g->cg->tracks[n->tracker->id],
			   .task = VREG_NONE,
			   .word = -1,
			   .done = ir_label(g->f) };

	if (n->builtin->id == BI_TRACK_SCAN || n->builtin->id == BI_THRESHOLD)
		return k;
	if (k.t->store == TRACK_KEYED)
		k.key = gen_key(g, &k.l->key, n->args, 0);
	else if (k.t->store == TRACK_TASK)
		find_task(g, &k);
	return k;
}

/* -- begin() -- */

static void count_and_fire(struct gen *g, const struct track *k, vreg start, struct mem details, enum rec_slow_how how)
{
	struct gen_event ev = { .t = k->t,
				.l = k->l,
				.start = start,
				.delay = ir_new(g->f),
				.id = VREG_NONE,
				.sampled = VREG_NONE,
				.how = how,
				.task = k->task,
				.task_type = k->task_type,
				.details = details,
				.key = k->key };
	irlabel ok = ir_label(g->f);

	ir_alu(g->f, IRA_SUB, ev.delay, gen_ts(g), start);
	/* the clocks of two CPUs may differ a little */
	ir_jcci(g->f, IRC_SGE, ev.delay, 0, ok);
	ir_movi(g->f, ev.delay, 0);
	ir_place(g->f, ok);
	if (how == SLOW_NORMAL)
		track_hist(g, k->t, k->l, ev.delay);
	gen_fire(g, &ev, k->call->c);
}

void track_finish(struct gen *g, const struct track *k, vreg start, struct mem details, enum rec_slow_how how)
{
	irlabel unseen;
	struct cache saved;

	if (!g->cg->opts->maxcpu || !*g->cg->opts->maxcpu) {
		count_and_fire(g, k, start, details, how);
		return;
	}
	gen_ts(g);
	unseen = ir_label(g->f);
	saved = gen_region_begin(g);
	/* its end may have been missed while a program was off */
	ir_jcc(g->f, IRC_LE, start, gen_track_word(g, k->l, offsetof(struct tracker_settings, since)), unseen);
	count_and_fire(g, k, start, details, how);
	ir_place(g->f, unseen);
	gen_region_end(g, &saved);
}

/* The key is open already: that event ends here, another one begins. */
static void replace(struct gen *g, struct track *k, struct mem m, vreg start)
{
	struct mem details = track_save(g, k, m);

	track_fill(g, k, m);
	gen_track_count(g, k->t, TRACK_N_REPLACED);
	track_finish(g, k, start, details, SLOW_REPLACED);
}

static void begin_thread(struct gen *g, struct track *k)
{
	struct mem m = track_mem(k, track_find(g, k, true));
	struct cache saved = gen_region_begin(g);
	irlabel open = ir_label(g->f);
	vreg start = ir_new(g->f);
	bool was;

	track_leave_self_out(g, k);
	gen_ld(g, start, m, 8, false);
	ir_jcci(g->f, IRC_NE, start, 0, open);
	track_fill(g, k, m);
	ir_jmp(g->f, k->done);
	was = ir_cold(g->f, true);
	ir_place(g->f, open);
	g->cache = saved;
	replace(g, k, m, start);
	ir_cold(g->f, was);
	ir_place(g->f, k->done);
	gen_region_end(g, &saved);
}

static void begin_keyed(struct gen *g, struct track *k)
{
	bool slot = k->l->size <= 16 && !g->pr->low_stack;
	struct mem value = slot ? mem_slot(ir_slot(g->f, k->l->size), 0) : gen_scratch(g, k->l->size);
	irlabel there = ir_label(g->f), full = ir_label(g->f);
	struct cache saved = gen_region_begin(g), filled;
	vreg start = ir_new(g->f), p;
	bool was;

	track_leave_self_out(g, k);
	track_fill(g, k, value);
	ir_jcci(g->f, IRC_EQ, track_insert(g, k, value, BPF_NOEXIST), 0, k->done);
	was = ir_cold(g->f, true);
	filled = g->cache;
	p = track_find(g, k, false);
	ir_jcci(g->f, IRC_NE, p, 0, there);
	/* closed just now by another CPU, or no room */
	ir_jcci(g->f, IRC_EQ, track_insert(g, k, value, BPF_ANY), 0, k->done);
	ir_place(g->f, full);
	gen_track_count(g, k->t, TRACK_N_FULL);
	ir_jmp(g->f, k->done);
	ir_place(g->f, there);
	g->cache = filled;
	gen_ld(g, start, mem_at(p, 0), 8, false);
	replace(g, k, mem_at(p, 0), start);
	ir_cold(g->f, was);
	ir_place(g->f, k->done);
	gen_region_end(g, &saved);
}

/* -- end() and pending() -- */

static void gen_end(struct gen *g, struct track *k)
{
	vreg p = track_find(g, k, false), start = ir_new(g->f);
	struct mem m = track_mem(k, p), details = m;
	struct cache saved = gen_region_begin(g);

	ir_jcci(g->f, IRC_EQ, p, 0, k->done);
	if (track_nests(k)) {
		details = nest_end(g, k, p, start);
	} else if (k->t->store == TRACK_KEYED) {
		gen_ld(g, start, m, 8, false);
		details = track_save(g, k, m);
		track_claim(g, k);
	} else {
		gen_ld(g, start, m, 8, false);
		ir_jcci(g->f, IRC_EQ, start, 0, k->done);
		gen_sti(g, m, 8, 0);
	}
	track_finish(g, k, start, details, SLOW_NORMAL);
	ir_place(g->f, k->done);
	gen_region_end(g, &saved);
}

/* The start stamp of the open event, or 0. */
static vreg open_since(struct gen *g, struct track *k)
{
	vreg p = track_find(g, k, false), start = ir_new(g->f);
	irlabel out = ir_label(g->f);

	ir_movi(g->f, start, 0);
	ir_jcci(g->f, IRC_EQ, p, 0, out);
	gen_ld(g, start, track_mem(k, p), 8, false);
	ir_place(g->f, out);
	return start;
}

static vreg gen_pending(struct gen *g, struct track *k)
{
	vreg start = track_nests(k) ? nest_pending(g, k) : open_since(g, k), d = ir_new(g->f);

	ir_movi(g->f, d, 0);
	ir_jcci(g->f, IRC_EQ, start, 0, k->done);
	ir_alu(g->f, IRA_SUB, d, gen_ts(g), start);
	ir_jcci(g->f, IRC_SGT, d, 0, k->done);
	ir_movi(g->f, d, 1); /* open, but not longer than the clocks differ */
	ir_place(g->f, k->done);
	return d;
}

static void gen_begin(struct gen *g, struct track *k)
{
	if (track_nests(k))
		nest_begin(g, k);
	else if (k->t->store == TRACK_KEYED)
		begin_keyed(g, k);
	else
		begin_thread(g, k);
}

void sub_track(struct gen *g, struct call *c)
{
	const struct node *n = c->n;
	/* On all paths: it is the same for all of the clause. But a clause that ends keys which mostly are not open
	 * reads no clock, nor does a walk over keys that mostly have fired. */
	bool late = n->builtin->id == BI_THRESHOLD ||
		    (n->builtin->id == BI_END && n->tracker->store != TRACK_KEYED &&
		     n->tracker->settings[TS_NESTED] <= 1) ||
		    (n->builtin->id == BI_TRACK_SCAN && n->tracker->store == TRACK_KEYED);
	struct track k;

	if (!late) {
		gen_ts(g);
		gen_cpu(g);
	}
	k = find_key(g, n);
	if (n->builtin->id == BI_THRESHOLD) { /* as it is set now; the least of all where cgroups have their own */
		c->v = gen_track_word(g, k.l, offsetof(struct tracker_settings, threshold));
		return;
	}
	if (track_nests(&k) && !g->cg->caps->atomics)
		cg_error(
			g, n->at, TAG_NOSUPP,
			"tracker %s: nested = %lld needs compare-and-exchange (Linux 5.12), see \"fetch-and-add, compare-and-exchange\" in "
			"dwell features",
			n->tracker->name, (long long)n->tracker->settings[TS_NESTED]);
	if (n->builtin->id == BI_TRACK_SCAN)
		track_scan(g, &k);
	else if (n->builtin->id == BI_PENDING)
		c->v = gen_pending(g, &k);
	else if (n->builtin->id == BI_BEGIN)
		gen_begin(g, &k);
	else
		gen_end(g, &k);
}

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
	ir_store_slot(g->f, g->tmp, 0, 8, gen_event_cgroup(g));
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

/* One ordinary event of every N is chosen, by a hash of its time: N is a power of two, at most the setting.
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
