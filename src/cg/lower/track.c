/* SPDX-License-Identifier: Apache-2.0 */
/* Trackers: begin(), end() and pending(); the histograms. What is kept of an open event is its start stamp,
 * and those details of who opened it that some clause asks for.
 *
 *   no key, one thread   in the thread-local variables of that thread: gone with it, never full
 *   other keys           a hash made in advance; the key is claimed by inserting and deleting */
#include "cg/lower/track.h"
#include <errno.h>
#include "base/units.h"

/* -- layout -- */

static uint32_t keep(uint32_t *size, uint32_t bytes)
{
	uint32_t at = *size;

	*size += bytes;
	return at;
}

#define USES(t, f) ((t)->uses & 1u << TF_##f)

static void lay_details(const struct dtracker *t, struct lay_track *l)
{
	bool opener = USES(t, OPENER_PID) || USES(t, OPENER_TID), who = USES(t, PID) || USES(t, TID);

	l->size = 8; /* the start */
	if (t->timeouts)
		l->timed = keep(&l->size, 8);
	if (USES(t, CPU))
		l->cpu = keep(&l->size, 8);
	if (t->store == TRACK_THREAD)
		return; /* the thread is there when it closes */
	if (opener || (t->store == TRACK_KEYED && (who || t->timeouts || USES(t, STACK))))
		l->ids = keep(&l->size, 8);
	if (USES(t, OPENER_COMM) || (t->store == TRACK_KEYED && USES(t, COMM)))
		l->comm = keep(&l->size, 16);
	if (t->store == TRACK_KEYED && (USES(t, CGROUP) || t->settings[TS_CGROUPS]))
		l->cgroup = keep(&l->size, 8);
}

int lay_tracks(struct cg *c, uint64_t *tls, uint64_t *state)
{
	uint32_t nscans = 0;
	int r = 0;

	c->tracks = arena_new_arr(c->a, struct lay_track, c->p->ntrackers + 1);
	for (const struct dtracker *t = c->p->trackers; t; t = t->next) {
		struct lay_track *l = &c->tracks[t->id];

		l->map = l->hist = l->due = l->cgroups = -1;
		lay_details(t, l);
		*state = ROUND_UP(*state, 8);
		l->state = (uint32_t)*state;
		*state += sizeof(struct tracker_settings);
		if (t->store == TRACK_KEYED) {
			l->scan = t->timeouts || t->settings[TS_GC] ? ++nscans : 0;
			r |= lay_make_key(c, t->keys, t->nkeys, 0, t->name, t->at, &l->key);
			continue;
		}
		*tls = ROUND_UP(*tls, 8);
		l->off = (uint32_t)*tls;
		*tls += nest_size(t, l);
	}
	return r;
}

static const struct img_scan_ref *scans(const struct cg *c, uint32_t *n)
{
	struct img_scan_ref *v = arena_new_arr(c->a, struct img_scan_ref, c->p->ntrackers + 1);

	*n = 0;
	for (const struct dtracker *t = c->p->trackers; t; t = t->next) {
		const struct lay_track *l = &c->tracks[t->id];

		if (l->scan)
			v[(*n)++] = (struct img_scan_ref){
				(uint32_t)l->map, l->state + (uint32_t)offsetof(struct tracker_settings, scan)
			};
	}
	return v;
}

void cg_image_tracks(struct cg *c)
{
	struct tracker_desc *v = arena_new_arr(c->a, struct tracker_desc, c->p->ntrackers + 1);

	for (const struct dtracker *t = c->p->trackers; t; t = t->next) {
		const struct lay_track *l = &c->tracks[t->id];

		v[t->id] = (struct tracker_desc){ t,	      l->state,	     l->hist,
						  l->cgroups, l->key.fields, l->key.nfields,
						  l->key.size };
	}
	c->img->tracks = v;
	c->img->scans = scans(c, &c->img->nscans);
	c->img->ntracks = c->p->ntrackers;
}

/* -- histograms and counts -- */

/* May CPUs that were not online when this was compiled have no part of their own? */
static bool cpus_share(const struct cg *c)
{
	return cg_online_places(c) < cg_ncpus(c);
}

/* A look-up of this CPU's part; jumps to none when there is none, which does not happen. */
static vreg track_cpu(struct gen *g, const struct dtracker *t, irlabel none)
{
	vreg map = ir_new(g->f), key = ir_new(g->f), p = ir_new(g->f), cpu = gen_cpu(g), place = ir_new(g->f);

	if (cpus_share(g->cg)) {
		ir_alui(g->f, IRA_AND, place, cpu, cg_online_places(g->cg) - 1);
		cpu = place;
	}
	ir_store_slot(g->f, g->tmp, 0, 4, cpu);
	gen_map(g, map, cg_map_hist(g->cg, t));
	ir_slot_addr(g->f, key, g->tmp, 0);
	ir_call(g->f, p, BPF_FUNC_map_lookup_elem, IR_ARGS(map, key));
	ir_jcci(g->f, IRC_EQ, p, 0, none);
	return p;
}

/* Rare: atomic, whoever interrupts whom. */
void gen_track_count(struct gen *g, const struct dtracker *t, enum track_count what)
{
	irlabel none = ir_label(g->f);
	struct cache saved = gen_region_begin(g);
	vreg p = track_cpu(g, t, none);

	ir_atomic_add(g->f, p, offsetof(struct track_cpu, counts) + 8 * (int32_t)what, 8, ir_imm(g->f, 1));
	ir_place(g->f, none);
	gen_region_end(g, &saved);
}

static void add(struct gen *g, bool atomic, vreg p, int32_t off, unsigned size, vreg v)
{
	vreg old;

	if (atomic) {
		ir_atomic_add(g->f, p, off, size, v);
		return;
	}
	old = ir_new(g->f);
	ir_load(g->f, old, p, off, size);
	ir_alu(g->f, IRA_ADD, old, old, v);
	ir_store(g->f, p, off, size, old);
}

/* The longest delay of this second. */
static void add_max(struct gen *g, vreg p, vreg second, vreg delay)
{
	irlabel newer = ir_label(g->f), done = ir_label(g->f);
	int32_t at = offsetof(struct track_slot, max);
	vreg v = ir_new(g->f);

	ir_load(g->f, v, p, offsetof(struct track_slot, second), 8);
	ir_jcc(g->f, IRC_NE, v, second, newer);
	ir_load(g->f, v, p, at, 8);
	ir_jcc(g->f, IRC_LE, delay, v, done);
	ir_place(g->f, newer);
	ir_store(g->f, p, offsetof(struct track_slot, second), 8, second);
	ir_store(g->f, p, at, 8, delay);
	ir_place(g->f, done);
}

/* The second of a time stamp: CPUs take several times as long to divide. What is left out of the first factor is less
 * than a second in 30 years. */
static vreg gen_second(struct gen *g, vreg ts)
{
	vreg second = ir_new(g->f), rest = ir_new(g->f), low = ir_imm(g->f, NSEC_PER_SEC - 1);

	ir_alui(g->f, IRA_SHR, second, ts, 28);
	ir_alui(g->f, IRA_MUL, second, second, (1ull << 56) / NSEC_PER_SEC);
	ir_alui(g->f, IRA_SHR, second, second, 28); /* that, or one less */
	ir_alui(g->f, IRA_MUL, rest, second, NSEC_PER_SEC);
	ir_alu(g->f, IRA_SUB, rest, ts, rest);
	ir_alu(g->f, IRA_SUB, rest, low, rest);
	ir_alui(g->f, IRA_SHR, rest, rest, 63);
	ir_alu(g->f, IRA_ADD, second, second, rest);
	return second;
}

/* Adds the delay to the slot of its second. */
static void gen_hist(struct gen *g, const struct dtracker *t, const struct lay_track *l, vreg delay)
{
	vreg second, slot = ir_new(g->f), bucket, p, q = ir_new(g->f);
	bool atomic = l->nwriters > 1 || cpus_share(g->cg);
	irlabel none = ir_label(g->f);

	p = track_cpu(g, t, none);
	second = gen_second(g, gen_ts(g));
	ir_alui(g->f, IRA_AND, slot, second, TRACK_SLOTS - 1);
	ir_alui(g->f, IRA_MUL, slot, slot, sizeof(struct track_slot));
	ir_alu(g->f, IRA_ADD, p, p, slot);
	ir_alui(g->f, IRA_ADD, p, p, offsetof(struct track_cpu, slots));
	add_max(g, p, second, delay);
	add(g, atomic, p, offsetof(struct track_slot, sum), 8, delay);
	bucket = rt_hist_bucket(g->f, delay);
	ir_jcci(g->f, IRC_GE, bucket, AGG_HIST_NBUCKETS, none); /* never: for the verifier */
	ir_alui(g->f, IRA_SHL, bucket, bucket, 2);
	ir_alu(g->f, IRA_ADD, q, p, bucket);
	add(g, atomic, q, offsetof(struct track_slot, buckets), 4, ir_imm(g->f, 1));
	ir_place(g->f, none);
}

/* -- keys and places -- */

/* Which word of a tracepoint's context the expression is, or -1. */
int track_word(const struct gen *g, const struct node *n)
{
	const struct arg_loc *l;

	while (n->kind == N_CAST)
		n = n->a;
	if (n->kind != N_INDEX || !n->a || !n->a->builtin || n->a->builtin->id != BI_ARGS)
		return -1;
	if (n->raw)
		return (int)n->ival;
	l = n->ival < g->e->nargs ? &g->e->args[n->ival] : NULL;
	return l && l->kind == ARG_CTX ? (int)(l->off / 8) : -1;
}

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

vreg track_find(struct gen *g, struct track *k, bool create)
{
	vreg map, key, p;

	if (k->t->store == TRACK_THREAD)
		return create ? gen_tls_write(g, k->done) : gen_tls_read(g);
	if (k->t->store == TRACK_TASK)
		return gen_task_tls(g, k->task, k->word, create, k->done);
	map = ir_new(g->f);
	key = gen_addr(g, k->key);
	p = ir_new(g->f);
	gen_map(g, map, cg_map_track(g->cg, k->t));
	ir_call(g->f, p, BPF_FUNC_map_lookup_elem, IR_ARGS(map, key));
	return p;
}

/* -- begin() -- */

void track_leave_self_out(struct gen *g, const struct track *k)
{
	vreg v;

	if (!g->cg->opts->noself || !g->cg->env->self_tgid)
		return;
	if (k->t->store == TRACK_TASK) {
		v = gen_field_of(g, k->task, "tgid");
	} else {
		v = ir_new(g->f);
		ir_alui(g->f, IRA_SHR, v, gen_pid_tgid(g), 32);
	}
	ir_jcci(g->f, IRC_EQ, v, g->cg->env->self_tgid, k->done);
}

/* Who opens, read from the thread itself: that is cheaper than asking. */
static void fill_ids(struct gen *g, struct mem m)
{
	bool direct = cg_typed(g->cg) && !g->cg->caps->in_pidns;

	gen_st(g, m, 4, direct ? gen_task_field(g, "pid") : gen_tid(g));
	gen_st(g, mem_add(m, 4), 4, direct ? gen_task_field(g, "tgid") : gen_pid(g));
}

static void fill_comm(struct gen *g, struct mem m)
{
	uint32_t off, size;
	vreg v = ir_new(g->f);

	if (!cg_typed(g->cg) || !lay_offset(g->cg, "task_struct", "comm", &off, &size) || size != REC_COMM) {
		gen_comm_to(g, m);
		return;
	}
	for (unsigned i = 0; i < REC_COMM; i += 8) {
		ir_load(g->f, v, gen_task(g), (int32_t)(off + i), 8);
		gen_st(g, mem_add(m, (int32_t)i), 8, v);
	}
}

void track_fill(struct gen *g, const struct track *k, struct mem m)
{
	const struct lay_track *l = k->l;
	vreg v;

	if (l->timed && k->t->store == TRACK_KEYED)
		gen_sti(g, mem_add(m, (int32_t)l->timed), 8, 0);
	if (l->cpu)
		gen_st(g, mem_add(m, (int32_t)l->cpu), 8, gen_cpu(g));
	if (l->ids)
		fill_ids(g, mem_add(m, (int32_t)l->ids));
	if (l->comm)
		fill_comm(g, mem_add(m, (int32_t)l->comm));
	if (l->cgroup) {
		v = gen_cgroup(g);
		gen_st(g, mem_add(m, (int32_t)l->cgroup), 8, v);
	}
	gen_st(g, m, 8, gen_ts(g)); /* last: with it the event is open */
}

static struct mem event_mem(const struct track *k, vreg p)
{
	return mem_at(p, k->t->store == TRACK_KEYED ? 0 : (int32_t)k->l->off);
}

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
		gen_hist(g, k->t, k->l, ev.delay);
	gen_fire(g, &ev, k->call->c);
}

void track_over(struct gen *g, const struct track *k, vreg start, struct mem details, enum rec_slow_how how)
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

struct mem track_save(struct gen *g, const struct track *k, struct mem m)
{
	struct mem copy;

	if (k->l->size == 8)
		return m;
	copy = gen_scratch(g, k->l->size);
	gen_copy(g, copy, m, k->l->size);
	return copy;
}

/* The key is open already: that event ends here, another one begins. */
static void replace(struct gen *g, struct track *k, struct mem m, vreg start)
{
	struct mem details = track_save(g, k, m);

	track_fill(g, k, m);
	gen_track_count(g, k->t, TRACK_N_REPLACED);
	track_over(g, k, start, details, SLOW_REPLACED);
}

static void begin_thread(struct gen *g, struct track *k)
{
	struct mem m = event_mem(k, track_find(g, k, true));
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

vreg track_insert(struct gen *g, const struct track *k, struct mem value, uint64_t flags)
{
	vreg map = ir_new(g->f), key = gen_addr(g, k->key), p = gen_addr(g, value), fl = ir_imm(g->f, flags);
	vreg r = ir_new(g->f);

	gen_map(g, map, cg_map_track(g->cg, k->t));
	ir_call(g->f, r, BPF_FUNC_map_update_elem, IR_ARGS(map, key, p, fl));
	return r;
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

/* Who deletes the key has closed it. */
void track_claim(struct gen *g, const struct track *k)
{
	vreg map = ir_new(g->f), key = gen_addr(g, k->key), r = ir_new(g->f);

	gen_map(g, map, cg_map_track(g->cg, k->t));
	ir_call(g->f, r, BPF_FUNC_map_delete_elem, IR_ARGS(map, key));
	ir_jcci(g->f, IRC_NE, r, 0, k->done);
}

static void gen_end(struct gen *g, struct track *k)
{
	vreg p = track_find(g, k, false), start = ir_new(g->f);
	struct mem m = event_mem(k, p), details = m;
	struct cache saved = gen_region_begin(g);

	ir_jcci(g->f, IRC_EQ, p, 0, k->done);
	gen_ld(g, start, m, 8, false);
	if (k->t->store == TRACK_KEYED) {
		details = track_save(g, k, m);
		track_claim(g, k);
	} else {
		ir_jcci(g->f, IRC_EQ, start, 0, k->done);
		gen_sti(g, m, 8, 0);
	}
	track_over(g, k, start, details, SLOW_NORMAL);
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
	gen_ld(g, start, event_mem(k, p), 8, false);
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

vreg gen_track_at(struct gen *g, const struct lay_track *l, size_t off)
{
	return gen_mapval(g, cg_map_state(g->cg), l->state + (uint32_t)off);
}

vreg gen_track_word(struct gen *g, const struct lay_track *l, size_t off)
{
	vreg v = ir_new(g->f);

	ir_load(g->f, v, gen_track_at(g, l, off), 0, 8);
	return v;
}

vreg gen_track_call(struct gen *g, const struct node *n)
{
	/* On all paths: it is the same for all of the clause. But who ends what mostly is not open reads no clock, nor
	 * does who walks over what mostly has fired. */
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
	if (n->builtin->id == BI_THRESHOLD) /* as it is set now; the least of all where cgroups have their own */
		return gen_track_word(g, k.l, offsetof(struct tracker_settings, threshold));
	if (track_nests(&k) && !g->cg->caps->atomics)
		cg_error(
			g, n->at, TAG_NOSUPP,
			"tracker %s: nested = %lld needs compare-and-exchange (Linux 5.12), see \"fetch-and-add, compare-and-exchange\" in "
			"dwell features",
			n->tracker->name, (long long)n->tracker->settings[TS_NESTED]);
	if (n->builtin->id == BI_TRACK_SCAN) {
		track_scan(g, &k);
		return ir_imm(g->f, 0);
	}
	if (n->builtin->id == BI_PENDING)
		return gen_pending(g, &k);
	if (n->builtin->id == BI_BEGIN)
		gen_begin(g, &k);
	else if (track_nests(&k))
		nest_end(g, &k);
	else
		gen_end(g, &k);
	return ir_imm(g->f, 0);
}
